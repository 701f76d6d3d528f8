package store_test

import (
	"context"
	"time"

	"github.com/tollgate/tollgate/libs/store/storetest"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/metering"
)

// usageCalls returns calls of the methods on usage logs and their sums, for the tests of isolation.
func (w isolation) usageCalls() map[string]call {
	s, a, id, owned := w.s, w.acme, storetest.NewID(), w.acme.Tokens[w.acme.Owner.ID].ID
	return map[string]call{
		"SupplierCosts": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Metering.SupplierCosts(ctx, by, metering.SummaryQuery{})
			return true, err
		}},
		"DrainCosts": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Rollup.DrainCosts(ctx, by, 0)
			return true, err
		}},
		"ModelSpeed": {verdicts{empty, empty, empty, allowed, allowed,
			denied}, func(ctx context.Context, by tenant.Scope) (bool, error) {
			speed, err := s.Metering.ModelSpeed(ctx, by, "m1", time.Now().Add(-time.Hour))
			return speed.Measured, err
		}},
		"DrainSpeeds": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Rollup.DrainSpeeds(ctx, by, 0)
			return true, err
		}},
		"DrainAttribution": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Rollup.DrainAttribution(ctx, by, 0)
			return true, err
		}},
		"RecordEvents": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Metering.RecordEvents(ctx, by, id, []usage.Event{a.Call(a.Owner, "m1", 1)})
			return true, err
		}},
		"UsageLogs, all": {none, func(ctx context.Context, by tenant.Scope) (bool, error) {
			found, err := s.Metering.UsageLogs(ctx, by, metering.LogQuery{})
			return len(found.Items) > 0, err
		}},
		"UsageLogs of the tenant": {verdicts{missing, missing, missing, empty, empty,
			denied}, func(ctx context.Context, by tenant.Scope) (bool, error) {
			found, err := s.Metering.UsageLogs(ctx, by, metering.LogQuery{TenantID: a.Tenant.ID})
			return len(found.Items) > 0, err
		}},
		"UsageLogs of the user": {none, func(ctx context.Context, by tenant.Scope) (bool, error) {
			found, err := s.Metering.UsageLogs(ctx, by, metering.LogQuery{UserID: a.Owner.ID, TokenID: owned})
			return len(found.Items) > 0, err
		}},
		"UsageLogTotals, all": {none, func(ctx context.Context, by tenant.Scope) (bool, error) {
			totals, err := s.Metering.UsageLogTotals(ctx, by, metering.LogQuery{})
			return totals.Requests > 0, err
		}},
		"UsageLogTotals of the tenant": {verdicts{missing, missing, missing, empty, empty,
			denied}, func(ctx context.Context, by tenant.Scope) (bool, error) {
			totals, err := s.Metering.UsageLogTotals(ctx, by,
				metering.LogQuery{TenantID: a.Tenant.ID, Outcome: usage.Success})
			return totals.Requests > 0, err
		}},
		"UsageLogTotals of the user": {none, func(ctx context.Context, by tenant.Scope) (bool, error) {
			totals, err := s.Metering.UsageLogTotals(ctx, by, metering.LogQuery{UserID: a.Owner.ID, TokenID: owned})
			return totals.Requests > 0, err
		}},
		"UsageLog": {foreign, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, _, err := s.Metering.UsageLog(ctx, by, w.event.ID)
			return true, err
		}},
		"EnsurePartitions": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			return true, s.Metering.EnsurePartitions(ctx, by)
		}},
		"DrainOutbox": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Rollup.DrainOutbox(ctx, by, 0)
			return true, err
		}},
		"OutboxDepth": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Rollup.OutboxDepth(ctx, by)
			return true, err
		}},
		"Size": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Metering.Size(ctx, by)
			return true, err
		}},
		"UsageSummary, all": {none, func(ctx context.Context, by tenant.Scope) (bool, error) {
			rows, err := s.Metering.UsageSummary(ctx, by, metering.SummaryQuery{})
			return len(rows) > 0, err
		}},
		"UsageSummary of the tenant": {verdicts{missing, missing, missing, empty, empty,
			denied}, func(ctx context.Context, by tenant.Scope) (bool, error) {
			rows, err := s.Metering.UsageSummary(ctx, by,
				metering.SummaryQuery{TenantID: a.Tenant.ID, By: metering.ByUser})
			return len(rows) > 0, err
		}},
		"UsageSummary of the user": {none, func(ctx context.Context, by tenant.Scope) (bool, error) {
			rows, err := s.Metering.UsageSummary(ctx, by, metering.SummaryQuery{UserID: a.Owner.ID, TokenID: owned})
			return len(rows) > 0, err
		}},
		"Attribution": {members, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Metering.Attribution(ctx, by, metering.AttributionQuery{TenantID: a.Tenant.ID,
				From: time.Unix(0, 0), To: time.Unix(86400, 0), Limit: 1})
			return true, err
		}},
		"UsageSummary by tenant": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Metering.UsageSummary(ctx, by, metering.SummaryQuery{By: metering.ByTenant})
			return true, err
		}},
	}
}
