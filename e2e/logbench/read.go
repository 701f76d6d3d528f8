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
	"github.com/tollgate/tollgate/libs/store"
)

// question is one thing that people ask of the logs.
type question struct {
	name  string
	bound time.Duration // that its median may take however many logs there are
	ask   func(context.Context) error
}

const (
	quick  = 5 * time.Millisecond
	paced  = 50 * time.Millisecond  // filters that no index serves: windows of bounded size
	wide   = 250 * time.Millisecond // rollups of each token or tenant, whose number depends on these
	widest = 8 * wide               // the same for a year
)

func (b *base) questions() []question {
	list := b.pages(quick, b.indexed())
	list = append(list, b.pages(paced, b.checked())...)
	return append(append(list, b.single()), b.summaries()...)
}

// wanted is a page that is asked for, by whom, and whether it has no logs.
type wanted struct {
	name  string
	scope tenant.Scope
	query store.LogQuery
}

func (b *base) pages(bound time.Duration, wants []wanted) (list []question) {
	for _, w := range wants {
		list = append(list, question{w.name, bound, func(ctx context.Context) error {
			_, err := b.store.UsageLogs(ctx, w.scope, w.query)
			return err
		}})
	}
	return list
}

// indexed are the pages whose filters an index serves.
func (b *base) indexed() []wanted {
	big, small, operator := b.big(), b.small(), tenant.SystemScope("logbench")
	owner, busy, retired := big.owner(), big.token, b.retired().token
	return []wanted{
		{"tenant: first page", owner, store.LogQuery{}},
		{"tenant: page in the middle", owner, store.LogQuery{Page: b.after(0.5)}},
		{"tenant: page deep in the history", owner, store.LogQuery{Page: b.after(0.02)}},
		{"tenant: one day, months ago", owner, store.LogQuery{From: b.at(0.4), To: b.at(0.4).Add(24 * time.Hour)}},
		{"tenant: model", owner, store.LogQuery{Model: "model-3"}},
		{"tenant: model, deep", owner, store.LogQuery{Model: "model-3", Page: b.after(0.02)}},
		{"tenant: rare model", owner, store.LogQuery{Model: "model-rare"}},
		{"tenant: model of the first month", owner, store.LogQuery{Model: "model-retired"}},
		{"tenant: no such model", owner, store.LogQuery{Model: "none"}},
		{"tenant: token", owner, store.LogQuery{TokenID: busy}},
		{"tenant: token, deep", owner, store.LogQuery{TokenID: busy, Page: b.after(0.02)}},
		{"tenant: token of the first month", owner, store.LogQuery{TokenID: retired}},
		{"tenant: user", owner, store.LogQuery{UserID: big.user}},
		{"tenant: outcome failed", owner, store.LogQuery{Outcome: usage.Failed}},
		{"tenant: outcome partial, deep", owner, store.LogQuery{Outcome: usage.Partial, Page: b.after(0.02)}},
		{"tenant: outcome success", owner, store.LogQuery{Outcome: usage.Success}},
		{"smallest tenant: first page", small.owner(), store.LogQuery{}},
		{"member: first page", big.member(), store.LogQuery{}},
		{"operator: first page", operator, store.LogQuery{}},
		{"operator: deep", operator, store.LogQuery{Page: b.after(0.02)}},
		{"operator: smallest tenant", operator, store.LogQuery{TenantID: small.tenant}},
		{"operator: channel", operator, store.LogQuery{ChannelID: channel(3)}},
		{"operator: outcome failed", operator, store.LogQuery{Outcome: usage.Failed}},
	}
}

// checked are the pages with filters that are checked log by log.
func (b *base) checked() []wanted {
	big, small, operator := b.big(), b.small(), tenant.SystemScope("logbench")
	owner, busy, retired := big.owner(), big.token, b.retired()
	return []wanted{
		{"tenant: channel", owner, store.LogQuery{ChannelID: channel(3)}},
		{"tenant: no such channel", owner, store.LogQuery{ChannelID: channel(99)}},
		{"tenant: model + channel + failed", owner, store.LogQuery{Model: "model-3", ChannelID: channel(3), Outcome: usage.Failed}},
		{"tenant: token + model", owner, store.LogQuery{TokenID: busy, Model: "model-0"}},
		{"tenant: token + rare model", owner, store.LogQuery{TokenID: busy, Model: "model-rare"}},
		{"tenant: token + no such model", owner, store.LogQuery{TokenID: busy, Model: "none"}},
		{"tenant: token + failed", owner, store.LogQuery{TokenID: busy, Outcome: usage.Failed}},
		{"tenant: user + rare model", owner, store.LogQuery{UserID: big.user, Model: "model-rare"}},
		{"tenant: user + model of the first month", owner, store.LogQuery{UserID: retired.user, Model: "model-retired"}},
		{"smallest tenant: channel + failed", small.owner(), store.LogQuery{ChannelID: channel(3), Outcome: usage.Failed}},
		{"member: failed", big.member(), store.LogQuery{Outcome: usage.Failed}},
		{"operator: model", operator, store.LogQuery{Model: "model-3"}},
		{"operator: rare model", operator, store.LogQuery{Model: "model-rare"}},
		{"operator: model of the first month", operator, store.LogQuery{Model: "model-retired"}},
		{"operator: no such model", operator, store.LogQuery{Model: "none"}},
		{"operator: channel + failed", operator, store.LogQuery{ChannelID: channel(3), Outcome: usage.Failed}},
		{"operator: tenant + model + failed", operator, store.LogQuery{TenantID: big.tenant, Model: "model-3", Outcome: usage.Failed}},
	}
}

func (b *base) single() question {
	var id uuid.UUID
	return question{"one log by its id", quick, func(ctx context.Context) error {
		if id == uuid.Nil {
			page, err := b.store.UsageLogs(ctx, b.big().owner(), store.LogQuery{Page: b.after(0.3)})
			if err != nil || len(page.Items) == 0 {
				return errors.Join(err, errors.New("no log"))
			}
			id = page.Items[0].ID
		}
		_, _, err := b.store.UsageLog(ctx, b.big().owner(), id)
		return err
	}}
}

func (b *base) summaries() (list []question) {
	big, operator := b.big(), tenant.SystemScope("logbench")
	day := b.now.Truncate(24 * time.Hour)
	month, year := day.AddDate(0, 0, -30), day.AddDate(0, 0, -364)
	for _, s := range []struct {
		name  string
		bound time.Duration
		scope tenant.Scope
		query store.SummaryQuery
	}{
		{"summary: 30 days by day", quick, big.owner(), store.SummaryQuery{From: month, Bucket: store.ByDay}},
		{"summary: 30 days by model", quick, big.owner(), store.SummaryQuery{From: month, By: store.ByModel}},
		{"summary: 30 days by day and model", 2 * quick, big.owner(), store.SummaryQuery{From: month, Bucket: store.ByDay, By: store.ByModel}},
		{"summary: 2 days by hour", quick, big.owner(), store.SummaryQuery{From: day.AddDate(0, 0, -2), Bucket: store.ByHour}},
		{"summary: a year by day", paced, big.owner(), store.SummaryQuery{From: year, Bucket: store.ByDay}},
		{"summary: a year by day, a member", paced, big.member(), store.SummaryQuery{From: year, Bucket: store.ByDay}},
		{"summary: a year by day, a token", paced, big.owner(), store.SummaryQuery{From: year, Bucket: store.ByDay, TokenID: big.token}},
		{"summary: a year by day, the platform", paced, operator, store.SummaryQuery{From: year, Bucket: store.ByDay}},
		{"summary: 30 days by token", wide, big.owner(), store.SummaryQuery{From: month, By: store.ByToken}},
		{"summary: a year by token", widest, big.owner(), store.SummaryQuery{From: year, By: store.ByToken}},
		{"summary: 30 days by tenant", wide, operator, store.SummaryQuery{From: month, By: store.ByTenant}},
	} {
		list = append(list, question{s.name, s.bound, func(ctx context.Context) error {
			_, err := b.store.UsageSummary(ctx, s.scope, s.query)
			return err
		}})
	}
	return list
}

// at is the time when the share of the logs had been written.
func (b *base) at(share float64) time.Time {
	return b.from.Add(time.Duration(share * float64(b.now.Sub(b.from))))
}

// after is the page that goes on there into the past.
func (b *base) after(share float64) store.Page {
	return store.Page{After: base64.RawURLEncoding.EncodeToString([]byte(floor(b.at(share)).String()))}
}

// channel is the id that the logs were given by md5('channel-N')::uuid.
func channel(n int) uuid.UUID { return md5.Sum(fmt.Appendf(nil, "channel-%d", n)) }
