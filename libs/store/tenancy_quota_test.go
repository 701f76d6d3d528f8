package store_test

import (
	"context"
	"time"

	"github.com/tollgate/tollgate/libs/store/storetest"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/metering"
	storepage "github.com/tollgate/tollgate/libs/store/page"
	quotadb "github.com/tollgate/tollgate/libs/store/quota"
	"github.com/tollgate/tollgate/libs/store/relay"
)

// quotaCalls returns calls of the methods on accounts, leases and relays, for the tests of isolation.
func (w isolation) quotaCalls() map[string]call {
	s, a, id, page, owned := w.s, w.acme, storetest.NewID(), storepage.Page{}, w.acme.Tokens[w.acme.Owner.ID].ID
	return map[string]call{
		"Account, wallet": {wallet, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Quota.Account(ctx, by, a.Tenant.ID)
			return true, err
		}},
		"Account, user's": {foreign, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Quota.Account(ctx, by, a.Owner.ID)
			return true, err
		}},
		"Account, token's": {foreign, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Quota.Account(ctx, by, owned)
			return true, err
		}},
		"Account, unknown": {foreign, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Quota.Account(ctx, by, id)
			return true, err
		}},
		"Accounts": {none, func(ctx context.Context, by tenant.Scope) (bool, error) {
			found, err := s.Quota.Accounts(ctx, by, []uuid.UUID{a.Owner.ID, owned})
			return len(found) > 0, err
		}},
		"Caps": {none, func(ctx context.Context, by tenant.Scope) (bool, error) {
			found, err := s.Quota.Caps(ctx, by, []uuid.UUID{a.Owner.ID, owned})
			return len(found) > 0, err
		}},
		"Balances, wallet": {wallet, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Quota.Balances(ctx, by, []uuid.UUID{a.Tenant.ID})
			return true, err
		}},
		"Balances, token's": {foreign, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Quota.Balances(ctx, by, []uuid.UUID{owned})
			return true, err
		}},
		"AddEntry": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Quota.AddEntry(ctx, by, quotadb.NewEntry{TenantID: a.Tenant.ID, Kind: quotadb.Adjustment,
				Amount: -1, Reason: "x"})
			return true, err
		}},
		"TransferQuota": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, _, err := s.Quota.TransferQuota(ctx, by,
				quotadb.NewTransfer{FromTenantID: a.Tenant.ID, ToTenantID: by.Tenant(), Amount: 1, Reason: "x"})
			return true, err
		}},
		"Ledger": {members, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Quota.Ledger(ctx, by, a.Tenant.ID, page)
			return true, err
		}},
		"Statement": {members, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Statement.Of(ctx, by, a.Tenant.ID, time.Now())
			return true, err
		}},
		"GrantLease": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Quota.GrantLease(ctx, by, id, quota.AccountRef{ID: a.Tenant.ID},
				quota.LeaseRequest{Stamp: 1, Need: 1})
			return true, err
		}},
		"RecallQuota": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			return true, s.Quota.RecallQuota(ctx, by, a.Tenant.ID)
		}},
		"RelayLeases": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Quota.RelayLeases(ctx, by, id)
			return true, err
		}},
		"Beat": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Relay.Beat(ctx, by, id, relay.Report{})
			return true, err
		}},
		"LiveRelays": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Relay.LiveRelays(ctx, by, time.Minute)
			return true, err
		}},
		"ReclaimLeases": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Relay.ReclaimLeases(ctx, by, time.Hour)
			return true, err
		}},
		"ReleaseLeases": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			return true, s.Quota.ReleaseLeases(ctx, by, id)
		}},
		"Spent of the tenant": {wallet, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Metering.Spent(ctx, by, metering.SpentQuery{TenantID: a.Tenant.ID})
			return true, err
		}},
		"Spent of the user": {foreign, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Metering.Spent(ctx, by, metering.SpentQuery{TenantID: a.Tenant.ID, UserID: a.Owner.ID})
			return true, err
		}},
		"Relays": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Relay.Relays(ctx, by)
			return true, err
		}},
		"LeasesHeld": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, _, err := s.Relay.LeasesHeld(ctx, by)
			return true, err
		}},
	}
}
