package main

import (
	"context"
	"crypto/md5"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/field"
	"github.com/tollgate/tollgate/libs/store/metering"
	storepage "github.com/tollgate/tollgate/libs/store/page"
)

// question is one query of the logs.
type question struct {
	name  string
	bound time.Duration // upper bound of its median, independent of the number of logs
	ask   func(context.Context) error
}

// Bounds of queries.
const (
	quick  = 5 * time.Millisecond
	paced  = 50 * time.Millisecond  // filters without an index, which read a limited number of logs
	wide   = 250 * time.Millisecond // summaries with a line for each token or tenant; the bound allows for their number
	widest = 8 * wide               // summaries of a year
)

// questions returns all queries. Their number and order are the same for every base.
func (b *base) questions() []question {
	list := b.pages(quick, b.indexed())
	list = append(list, b.pages(paced, b.checked())...)
	list = append(append(list, b.single()), b.summaries()...)
	return append(append(list, b.totals()...), b.bills()...)
}

// pageQuery is a query for one page of logs, by a user with the scope.
type pageQuery struct {
	name  string
	scope tenant.Scope
	query metering.LogQuery
}

// pages returns the queries as questions with the bound.
func (b *base) pages(bound time.Duration, wants []pageQuery) (list []question) {
	for _, w := range wants {
		list = append(list, question{w.name, bound, func(ctx context.Context) error {
			_, err := b.store.Metering.UsageLogs(ctx, w.scope, w.query)
			return err
		}})
	}
	return list
}

// indexed returns the queries whose filters an index covers.
func (b *base) indexed() []pageQuery {
	big, small := b.big(), b.small()
	owner, busy, oldToken := big.owner(), big.token, b.formerToken().token
	return []pageQuery{
		{"tenant: first page", owner, metering.LogQuery{}},
		{"tenant: page in the middle", owner, metering.LogQuery{Page: b.after(0.5)}},
		{"tenant: page deep in the history", owner, metering.LogQuery{Page: b.after(0.02)}},
		{"tenant: one day, months ago", owner, metering.LogQuery{From: b.at(0.4), To: b.at(0.4).Add(24 * time.Hour)}},
		{"tenant: model", owner, metering.LogQuery{Model: "model-3"}},
		{"tenant: model, deep", owner, metering.LogQuery{Model: "model-3", Page: b.after(0.02)}},
		{"tenant: rare model", owner, metering.LogQuery{Model: "model-rare"}},
		{"tenant: model of the first month", owner, metering.LogQuery{Model: "model-retired"}},
		{"tenant: no such model", owner, metering.LogQuery{Model: "none"}},
		{"tenant: token", owner, metering.LogQuery{TokenID: busy}},
		{"tenant: token, deep", owner, metering.LogQuery{TokenID: busy, Page: b.after(0.02)}},
		{"tenant: token of the first month", owner, metering.LogQuery{TokenID: oldToken}},
		{"tenant: user", owner, metering.LogQuery{UserID: big.user}},
		{"tenant: outcome failed", owner, metering.LogQuery{Outcome: usage.Failed}},
		{"tenant: outcome partial, deep", owner, metering.LogQuery{Outcome: usage.Partial, Page: b.after(0.02)}},
		{"tenant: outcome success", owner, metering.LogQuery{Outcome: usage.Success}},
		{"smallest tenant: first page", small.owner(), metering.LogQuery{}},
		{"member: first page", big.member(), metering.LogQuery{}},
		{"operator: first page", platform, metering.LogQuery{}},
		{"operator: deep", platform, metering.LogQuery{Page: b.after(0.02)}},
		{"operator: smallest tenant", platform, metering.LogQuery{TenantID: small.tenant}},
		{"operator: channel", platform, metering.LogQuery{ChannelID: channel(3)}},
		{"operator: outcome failed", platform, metering.LogQuery{Outcome: usage.Failed}},
	}
}

// checked returns the queries whose filters are checked log by log.
func (b *base) checked() []pageQuery {
	big, small := b.big(), b.small()
	owner, busy, leaver := big.owner(), big.token, b.formerToken()
	return []pageQuery{
		{"tenant: channel", owner, metering.LogQuery{ChannelID: channel(3)}},
		{"tenant: no such channel", owner, metering.LogQuery{ChannelID: channel(99)}},
		{"tenant: model + channel + failed", owner, metering.LogQuery{Model: "model-3", ChannelID: channel(3),
			Outcome: usage.Failed}},
		{"tenant: token + model", owner, metering.LogQuery{TokenID: busy, Model: "model-0"}},
		{"tenant: token + rare model", owner, metering.LogQuery{TokenID: busy, Model: "model-rare"}},
		{"tenant: token + no such model", owner, metering.LogQuery{TokenID: busy, Model: "none"}},
		{"tenant: token + failed", owner, metering.LogQuery{TokenID: busy, Outcome: usage.Failed}},
		{"tenant: user + rare model", owner, metering.LogQuery{UserID: big.user, Model: "model-rare"}},
		{"tenant: user + model of the first month", owner,
			metering.LogQuery{UserID: leaver.user, Model: "model-retired"}},
		{"smallest tenant: channel + failed", small.owner(),
			metering.LogQuery{ChannelID: channel(3), Outcome: usage.Failed}},
		{"member: failed", big.member(), metering.LogQuery{Outcome: usage.Failed}},
		{"operator: model", platform, metering.LogQuery{Model: "model-3"}},
		{"operator: rare model", platform, metering.LogQuery{Model: "model-rare"}},
		{"operator: model of the first month", platform, metering.LogQuery{Model: "model-retired"}},
		{"operator: no such model", platform, metering.LogQuery{Model: "none"}},
		{"operator: channel + failed", platform, metering.LogQuery{ChannelID: channel(3), Outcome: usage.Failed}},
		{"operator: tenant + model + failed", platform, metering.LogQuery{TenantID: big.tenant, Model: "model-3",
			Outcome: usage.Failed}},
	}
}

// single returns the query for one log by its id.
func (b *base) single() question {
	var id uuid.UUID
	return question{"one log by its id", quick, func(ctx context.Context) error {
		if id == uuid.Nil {
			page, err := b.store.Metering.UsageLogs(ctx, b.big().owner(), metering.LogQuery{Page: b.after(0.3)})
			if err != nil || len(page.Items) == 0 {
				return errors.Join(err, errors.New("the page has no usage logs"))
			}
			id = page.Items[0].ID
		}
		_, _, err := b.store.Metering.UsageLog(ctx, b.big().owner(), id)
		return err
	}}
}

// summaries returns the queries of rollups.
func (b *base) summaries() (list []question) {
	big := b.big()
	day := b.now.Truncate(24 * time.Hour)
	month, year := day.AddDate(0, 0, -30), day.AddDate(0, 0, -364)
	for _, s := range []struct {
		name  string
		bound time.Duration
		scope tenant.Scope
		query metering.SummaryQuery
	}{
		{"summary: 30 days by day", quick, big.owner(), metering.SummaryQuery{From: month, Bucket: metering.ByDay}},
		{"summary: 30 days by model", quick, big.owner(), metering.SummaryQuery{From: month, By: metering.ByModel}},
		{"summary: 30 days by day and model", 2 * quick, big.owner(),
			metering.SummaryQuery{From: month, Bucket: metering.ByDay, By: metering.ByModel}},
		{"summary: 2 days by hour", quick, big.owner(),
			metering.SummaryQuery{From: day.AddDate(0, 0, -2), Bucket: metering.ByHour}},
		{"summary: a year by day", paced, big.owner(), metering.SummaryQuery{From: year, Bucket: metering.ByDay}},
		{"summary: a year by day, a member", paced, big.member(),
			metering.SummaryQuery{From: year, Bucket: metering.ByDay}},
		{"summary: a year by day, a token", paced, big.owner(),
			metering.SummaryQuery{From: year, Bucket: metering.ByDay, TokenID: big.token}},
		{"summary: a year by day, the platform", paced, platform,
			metering.SummaryQuery{From: year, Bucket: metering.ByDay}},
		{"summary: 30 days by token", wide, big.owner(), metering.SummaryQuery{From: month, By: metering.ByToken}},
		{"summary: a year by token", widest, big.owner(), metering.SummaryQuery{From: year, By: metering.ByToken}},
		{"summary: 30 days by tenant", wide, platform, metering.SummaryQuery{From: month, By: metering.ByTenant}},
	} {
		list = append(list, question{s.name, s.bound, func(ctx context.Context) error {
			_, err := b.store.Metering.UsageSummary(ctx, s.scope, s.query)
			return err
		}})
	}
	return list
}

// totals returns the queries for the sums of a filter.
func (b *base) totals() (list []question) {
	owner := b.big().owner()
	for _, t := range []struct {
		name  string
		bound time.Duration
		query metering.LogQuery
	}{
		{"totals: a model, the last 30 days", paced,
			metering.LogQuery{Model: "model-3", From: b.now.AddDate(0, 0, -30)}},
		{"totals: failed", 4 * wide, metering.LogQuery{Outcome: usage.Failed}}, // up to 40,000 logs
	} {
		list = append(list, question{t.name, t.bound, func(ctx context.Context) error {
			_, err := b.store.Metering.UsageLogTotals(ctx, owner, t.query)
			return err
		}})
	}
	return list
}

// bills returns the queries of exports, price simulations and console verify: up to 10,000 logs of a day.
func (b *base) bills() (list []question) {
	day := b.at(0.4).Truncate(24 * time.Hour)
	for _, s := range []struct {
		name  string
		scope tenant.Scope
	}{{"bills of a day: tenant", b.big().owner()}, {"bills of a day: operator", platform},
		{"bills of a day: smallest tenant", b.small().owner()}} {
		list = append(list, question{s.name, widest, func(ctx context.Context) error {
			_, err := b.store.Metering.Bills(ctx, s.scope, metering.BillQuery{From: day, To: day.AddDate(0, 0, 1)})
			return err
		}})
	}
	return list
}

// at returns the time by which this share (0 to 1) of the logs had been written.
func (b *base) at(share float64) time.Time {
	return b.from.Add(time.Duration(share * float64(b.now.Sub(b.from))))
}

// after returns the page that begins at that time and continues into the past.
func (b *base) after(share float64) storepage.Page {
	return storepage.Page{After: base64.RawURLEncoding.EncodeToString([]byte(field.IDFloor(b.at(share)).String()))}
}

// channel returns the id of a channel in the logs; month.sql computes it as md5('channel-N')::uuid.
func channel(n int) uuid.UUID { return md5.Sum(fmt.Appendf(nil, "channel-%d", n)) }
