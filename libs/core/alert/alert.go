// Package alert decides when an account or the platform needs attention, and writes the message about it.
//
//	Rule      what to watch: a kind, whose quota, and thresholds
//	Fact      what happened, found by the functions of find.go
//	Mark      identity of a fact; a second one with the same mark is not reported
//	Message   the fact in words, as the body of a webhook, of a Slack-compatible webhook, or of a mail
//
// Everything is pure: the worker reads the figures and sends the messages (package apps/worker/internal/alert), and
// libs/store/alert keeps rules, destinations, alerts and their deliveries.
package alert

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/address"
	"github.com/tollgate/tollgate/libs/core/language"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

// The bounds for one tenant, and for the platform.
const (
	MaxDestinations = 20
	MaxRules        = 50
	MaxPerHour      = 20 // alerts that one rule raises in an hour; further ones are raised later
	maxThresholds   = 8
	maxTargets      = 10 // destinations of one rule
	maxURL          = 2000
)

// Kind is the kind of facts that a rule watches for.
type Kind string

// The kinds. Those from CredentialDead on are for operators.
const (
	QuotaUsed Kind = "quota_used" // thresholds in percent of a quota or budget
	// Thresholds in days until the quota or budget is used up at the recent rate.
	RunOut           Kind = "run_out"
	UnusualSpend     Kind = "unusual_spend"     // thresholds in percent of the average day
	CredentialDead   Kind = "credential_dead"   //nolint:gosec // a kind, no credential: one of a channel was disabled; no thresholds
	ModelUnavailable Kind = "model_unavailable" // an enabled model has no healthy channel; no thresholds
	Drift            Kind = "drift"             // the reconciliation found a difference; no thresholds
	Spool            Kind = "spool"             // thresholds in minutes that usage waits in a relay's spool
	Test             Kind = "test"              // of a test of a destination; no rule has it
)

// OfPlatform reports whether only operators may have rules of the kind.
func (k Kind) OfPlatform() bool {
	return slices.Contains([]Kind{CredentialDead, ModelUnavailable, Drift, Spool}, k)
}

// Subject is the kind of owner whose quota a rule watches. It is "" for rules about the platform.
type Subject string

// The subjects.
const (
	OfTenant Subject = "tenant"
	OfUser   Subject = "user"
	OfToken  Subject = "token"
)

// Rule says what to watch and where to report it.
type Rule struct {
	ID           uuid.UUID
	TenantID     uuid.UUID // uuid.Nil: a rule of the operators, which covers all tenants
	Name         string
	Kind         Kind
	Subject      Subject
	SubjectID    uuid.UUID    // uuid.Nil: each owner of the kind
	Period       quota.Period // of a budget; quota.Lifetime for a quota
	Thresholds   []int
	Destinations []uuid.UUID
	Status       tenant.Status
	CreatedAt    time.Time
}

// thresholds returns the range of the thresholds of a kind; none if the kind has no thresholds.
func (k Kind) thresholds() (lower, upper int) {
	switch k {
	case QuotaUsed:
		return 1, 100
	case RunOut:
		return 1, 90
	case UnusualSpend:
		return 110, 10_000
	case Spool:
		return 1, 1440
	default:
		return 0, 0
	}
}

// Check returns a problem of the first invalid field. Whether the subject and the destinations exist is for the store
// to check.
func (r *Rule) Check() error {
	if err := tenant.CheckName(r.Name); err != nil {
		return err
	}
	invalid := func(field, format string, args ...any) error {
		return problem.New(problem.InvalidType, format, args...).At(field)
	}
	quotas := slices.Contains([]Kind{QuotaUsed, RunOut, UnusualSpend}, r.Kind)
	switch {
	case !quotas && !r.Kind.OfPlatform():
		return invalid("kind", "kind must be one of: quota_used, run_out, unusual_spend, credential_dead, "+
			"model_unavailable, drift, spool.")
	case r.Kind.OfPlatform() && r.TenantID != uuid.Nil:
		return invalid("kind", "Only operators can watch %s.", r.Kind)
	case quotas != (r.Subject == OfTenant || r.Subject == OfUser || r.Subject == OfToken):
		return invalid("subject", "subject must be tenant, user or token for quota_used, run_out and unusual_spend, "+
			"and is left out for other kinds.")
	case r.Subject == "" && r.SubjectID != uuid.Nil:
		return invalid("subject_id", "subject_id needs a subject.")
	case !r.Period.Valid() || r.Period != quota.Lifetime && r.Kind != QuotaUsed && r.Kind != RunOut:
		return invalid("period", "period must be lifetime, day, week or month, and lifetime unless the kind is "+
			"quota_used or run_out.")
	case len(r.Destinations) > maxTargets:
		return invalid("destinations", "A rule has at most %d destinations.", maxTargets)
	case !r.Status.Valid():
		return invalid("status", "status must be enabled or disabled.")
	}
	return r.checkThresholds()
}

func (r *Rule) checkThresholds() error {
	lower, upper := r.Kind.thresholds()
	if upper == 0 {
		if len(r.Thresholds) > 0 {
			return problem.New(problem.InvalidType, "A rule for %s has no thresholds.", r.Kind).At("thresholds")
		}
		return nil
	}
	if len(r.Thresholds) == 0 || len(r.Thresholds) > maxThresholds || slices.Min(r.Thresholds) < lower ||
		slices.Max(r.Thresholds) > upper {
		return problem.New(problem.InvalidType, "A rule for %s has 1 to %d thresholds between %d and %d.", r.Kind,
			maxThresholds, lower, upper).At("thresholds")
	}
	return nil
}

// Channel is the way on which a destination gets alerts.
type Channel string

// The channels.
const (
	Mail    Channel = "mail"    // to a user's own address
	Webhook Channel = "webhook" // signed JSON
	Slack   Channel = "slack"   // JSON that Slack and compatible programs show
)

// Destination holds the address to which alerts are sent.
type Destination struct {
	ID        uuid.UUID
	TenantID  uuid.UUID // uuid.Nil: of the operators
	Channel   Channel
	Name      string
	MailTo    uuid.UUID // the user; uuid.Nil unless the channel is Mail
	Shown     string    // scheme and host of the URL, or the address of the user
	Language  language.Tag
	Status    tenant.Status
	CreatedAt time.Time
}

// State is the state of the delivery of an alert to one destination.
type State string

// The states.
const (
	Waiting   State = "waiting"   // will be tried, or tried again
	Delivered State = "delivered" // the receiver accepted it
	Failed    State = "failed"    // given up; it can be sent again
)

// Delivery is the state of an alert at one destination.
type Delivery struct {
	ID            uuid.UUID
	DestinationID uuid.UUID
	State         State
	Attempts      int
	Error         string    // of the last attempt; "" if it succeeded, or none was made
	DueAt         time.Time // next attempt
	EndedAt       time.Time // zero while waiting
}

// Alert is a fact that a rule, or a test, has reported.
type Alert struct {
	ID         uuid.UUID // the same in each attempt and at each destination, so that receivers recognize duplicates
	TenantID   uuid.UUID // uuid.Nil: of the operators
	RuleID     uuid.UUID // uuid.Nil: of a test
	Fact       Fact
	CreatedAt  time.Time
	Deliveries []Delivery
}

// The purposes for which the URL and the signing secret of a destination are sealed, see seal.Sealer.

// URLPurpose returns the purpose of the URL of the destination with the id.
func URLPurpose(id uuid.UUID) string { return "alert-url " + id.String() }

// SecretPurpose returns the purpose of its signing secret.
func SecretPurpose(id uuid.UUID) string { return "alert-secret " + id.String() }

// CheckURL returns the part of a destination's URL that may be shown, or a problem. The URL must use https, or http for
// an address in allow. An address that is not public must be in allow. Names are judged when a worker connects.
func CheckURL(raw string, allow []netip.Prefix) (display string, err error) {
	refusal := func(text string) error { return problem.New(problem.InvalidType, "%s", text).At("url") }
	u, err := url.Parse(raw)
	if err != nil || u.Hostname() == "" || u.User != nil || u.Fragment != "" || len(raw) > maxURL ||
		strings.ContainsAny(raw, " \t\r\n") {
		return "",
			refusal("url must be an https URL of at most 2,000 characters, without a user, password or fragment.")
	}
	host := address.ParseHost(u.Hostname())
	literal, isLiteral := host.Literal()
	if host.Ambiguous() || isLiteral && !(address.Policy{Allow: allow, Strict: true}).Permits(host, literal) {
		return "", refusal("The address of url is not public. An operator can permit it with TOLLGATE_EGRESS_ALLOW.")
	}
	local := isLiteral && address.KindOf(literal) != address.Public
	if u.Scheme != "https" && (u.Scheme != "http" || !local) {
		return "", refusal("url must begin with https://.")
	}
	return u.Scheme + "://" + u.Host, nil
}
