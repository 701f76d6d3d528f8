package alert

import (
	"fmt"
	"math/big"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/quota"
)

// Fact holds one thing that happened. Its JSON is stored and sent to webhooks, so that fields may be added and never
// renamed.
type Fact struct {
	Kind      Kind       `json:"kind"`
	Rule      string     `json:"rule,omitempty"` // name of the rule
	Subject   Subject    `json:"subject,omitempty"`
	SubjectID *uuid.UUID `json:"subject_id,omitempty"`
	// Of the tenant, user or token, or the channel, model, check or relay.
	SubjectName string        `json:"subject_name,omitempty"`
	Period      string        `json:"period,omitempty"` // lifetime, day, week or month
	Threshold   int           `json:"threshold,omitempty"`
	Used        *money.Amount `json:"used,omitempty"`
	Granted     *money.Amount `json:"granted,omitempty"`
	Spent       *money.Amount `json:"spent,omitempty"`       // today
	DailySpend  *money.Amount `json:"daily_spend,omitempty"` // average of a day
	RunsOutAt   *time.Time    `json:"runs_out_at,omitempty"`
	Detail      string        `json:"detail,omitempty"` // reason, such as "denied"
	Minutes     int           `json:"minutes,omitempty"`
	Count       int           `json:"count,omitempty"` // of a spool 0 if unknown

	// window names the time or state for which the fact is reported once.
	window string
}

// Owner is the owner of the quota that a rule watches, with its account.
type Owner struct {
	ID        uuid.UUID
	Name      string
	CreatedAt time.Time
	Account   quota.Account // of the rule's period
}

// Mark returns the identity of a fact for a rule: a rule reports a fact once for each threshold, owner and window. A
// budget has a window for each of its periods. A quota has one for each amount that is granted, so that a grant starts
// a new window.
func (f *Fact) Mark(rule uuid.UUID) string {
	subject := f.SubjectName
	if f.SubjectID != nil {
		subject = f.SubjectID.String()
	}
	return fmt.Sprintf("%s %s %s %d %s", rule, f.Kind, subject, f.Threshold, f.window)
}

// windowOf returns the window of an account at the time now.
func windowOf(o *Owner, period quota.Period, now time.Time) string {
	if period == quota.Lifetime {
		return o.Account.Granted.String()
	}
	return string(period) + " " + period.Start(now).Format(time.DateOnly)
}

// ownerFact returns a fact about an owner.
func (r *Rule) ownerFact(o *Owner, threshold int) *Fact {
	period := string(r.Period)
	if r.Period == quota.Lifetime {
		period = "lifetime"
	}
	id := o.ID
	return &Fact{Kind: r.Kind, Rule: r.Name, Subject: r.Subject, SubjectID: &id, SubjectName: o.Name, Period: period,
		Threshold: threshold}
}

// QuotaUsedFact returns the fact that the owner has used the percentage of the highest threshold that was reached, or
// nil. Lower thresholds that were passed at the same time are not reported. An unlimited account and one without any
// quota report nothing.
func (r *Rule) QuotaUsedFact(o *Owner, now time.Time) *Fact {
	grant := o.Account.Granted
	if grant == nil || *grant <= 0 {
		return nil
	}
	level := highest(r.Thresholds, func(percent int) bool { return atLeast(o.Account.Used, percent, *grant) })
	if level == 0 {
		return nil
	}
	f, usage, amount := r.ownerFact(o, level), o.Account.Used, *grant
	f.Used, f.Granted, f.window = &usage, &amount, windowOf(o, r.Period, now)
	return f
}

// atLeast reports whether part is at least the percentage of total.
func atLeast(part money.Amount, percent int, total money.Amount) bool {
	a := new(big.Int).Mul(big.NewInt(int64(part)), big.NewInt(100))
	return a.Cmp(new(big.Int).Mul(big.NewInt(int64(total)), big.NewInt(int64(percent)))) >= 0
}

// highest returns the highest threshold that holds, or 0.
func highest(thresholds []int, holds func(int) bool) (top int) {
	for _, threshold := range thresholds {
		if threshold > top && holds(threshold) {
			top = threshold
		}
	}
	return top
}

// RunOutFact returns the fact that the owner's quota or budget will be used up within the days of the lowest threshold
// that was reached, or nil. spent is what the owner spent since the time that quota.ForecastSince returns. A budget
// that is renewed before it is used up reports nothing, and so does one that is used up already.
func (r *Rule) RunOutFact(o *Owner, spent money.Amount, now time.Time) *Fact {
	balance := o.Account.Remaining()
	if balance == nil || *balance <= 0 {
		return nil
	}
	forecast := quota.ForecastOf(balance, spent, quota.ForecastSince(now, o.CreatedAt), now)
	if forecast.RunsOutAt.IsZero() || r.Period != quota.Lifetime && !forecast.RunsOutAt.Before(r.Period.End(now)) {
		return nil
	}
	level := 0
	for _, days := range r.Thresholds {
		if (level == 0 || days < level) && !forecast.RunsOutAt.After(now.AddDate(0, 0, days)) {
			level = days
		}
	}
	if level == 0 {
		return nil
	}
	f, runsOutAt := r.ownerFact(o, level), forecast.RunsOutAt.UTC().Truncate(time.Minute)
	usage, grant := o.Account.Used, *o.Account.Granted
	f.Used, f.Granted, f.DailySpend, f.RunsOutAt, f.window = &usage, &grant, &forecast.Daily, &runsOutAt,
		windowOf(o, r.Period, now)
	return f
}

// minUnusual is the least spend of a day that is reported as unusual.
const minUnusual = money.USD

// UnusualDays is the number of full days before today whose average is the usual spend of a day.
const UnusualDays = 7

// UnusualSpendFact returns the fact that the owner spent today the percentage of the usual day of the highest threshold
// that was reached, or nil. before is the spend of the UnusualDays days before today, in UTC. An owner without any
// spend before reports nothing, and so do days below a dollar. A rule reports an owner once a day for each threshold.
func (r *Rule) UnusualSpendFact(o *Owner, today, before money.Amount, now time.Time) *Fact {
	usual := before / UnusualDays
	if usual <= 0 || today < minUnusual {
		return nil
	}
	level := highest(r.Thresholds, func(percent int) bool { return atLeast(today, percent, usual) })
	if level == 0 {
		return nil
	}
	f := r.ownerFact(o, level)
	f.Spent, f.DailySpend, f.window = &today, &usual, now.UTC().Format(time.DateOnly)
	return f
}

// CredentialDeadFact returns the fact that a credential of a channel was disabled at the time since, which starts a new
// window. mask is the part of the credential that may be shown.
func (r *Rule) CredentialDeadFact(channel, mask, reason string, since time.Time) *Fact {
	return &Fact{Kind: r.Kind, Rule: r.Name, SubjectName: channel + " " + mask, Detail: reason,
		window: since.UTC().Format(time.RFC3339Nano)}
}

// ModelUnavailableFact returns the fact that an enabled model has no healthy channel. It is reported once a day while
// it lasts.
func (r *Rule) ModelUnavailableFact(model string, now time.Time) *Fact {
	return &Fact{Kind: r.Kind, Rule: r.Name, SubjectName: model, window: now.UTC().Format(time.DateOnly)}
}

// DriftFact returns the fact that a check of the reconciliation found differences, or nil without any. newest is the
// time of the newest one: a later one starts a new window.
func (r *Rule) DriftFact(check string, count int, newest time.Time) *Fact {
	if count == 0 {
		return nil
	}
	return &Fact{Kind: r.Kind, Rule: r.Name, SubjectName: check, Count: count,
		window: newest.UTC().Format(time.RFC3339Nano)}
}

// SpoolFact returns the fact that usage has waited in the spool of a relay for the minutes of the highest threshold
// that was reached, or nil. events is their number, -1 if unknown. oldest is the time from which the oldest event has
// waited. The window is the hour, because oldest moves with each event that is recorded.
func (r *Rule) SpoolFact(relay uuid.UUID, events int, oldest, now time.Time) *Fact {
	if oldest.IsZero() {
		return nil
	}
	minutes := int(now.Sub(oldest) / time.Minute)
	level := highest(r.Thresholds, func(threshold int) bool { return minutes >= threshold })
	if level == 0 {
		return nil
	}
	return &Fact{
		Kind: r.Kind, Rule: r.Name, SubjectName: relay.String(), Threshold: level, Minutes: minutes,
		Count: max(events, 0), window: now.UTC().Truncate(time.Hour).Format(time.RFC3339),
	}
}
