package quota_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/identity"
	"github.com/tollgate/tollgate/libs/store/page"
	quotadb "github.com/tollgate/tollgate/libs/store/quota"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// ledgerOf returns a tenant's entries as an operator sees them, the newest first.
func ledgerOf(t testing.TB, s *store.Store, tenantID uuid.UUID) []quotadb.LedgerEntry {
	t.Helper()
	return storetest.Need(s.Quota.Ledger(background, platform, tenantID, page.Page{Limit: 200}))(t).Items
}

// granted returns the grant of a tenant's wallet.
func granted(t testing.TB, s *store.Store, tenantID uuid.UUID) money.Amount {
	t.Helper()
	return *storetest.Need(s.Quota.Account(background, platform, tenantID))(t).Granted
}

// balanced checks that the grant of the wallet is the sum of its ledger entries, and that Granted of each
// entry is the sum up to it.
func balanced(t testing.TB, s *store.Store, tenantID uuid.UUID) {
	t.Helper()
	entries := ledgerOf(t, s, tenantID)
	var sum money.Amount
	for i := len(entries) - 1; i >= 0; i-- {
		sum += entries[i].Amount
		storetest.Equal(t, "granted with entry "+entries[i].ID.String(), entries[i].Granted, sum)
	}
	storetest.Equal(t, "the wallet against its ledger", granted(t, s, tenantID), sum)
}

func TestAddEntry_GrantsAndAdjustments(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		add := func(kind quotadb.EntryKind, amount money.Amount, reason string) error {
			_, err := s.Quota.AddEntry(background, platform,
				quotadb.NewEntry{TenantID: f.Tenant.ID, Kind: kind, Amount: amount, Reason: reason})
			return err
		}
		storetest.OK(t, add(quotadb.Grant, 5*money.USD, ""))
		storetest.OK(t, add(quotadb.Adjustment, -2*money.USD, "because\x00"))
		for _, row := range []struct {
			name   string
			kind   quotadb.EntryKind
			amount money.Amount
			reason string
			want   problem.Kind
			param  string
		}{
			{"a grant of nothing", quotadb.Grant, 0, "x", problem.InvalidType, "amount"},
			{"a grant that takes back", quotadb.Grant, -1, "x", problem.InvalidType, "amount"},
			{"a grant above money.Max", quotadb.Grant, money.Max, "x", problem.InvalidType, "amount"},
			{"an adjustment of nothing", quotadb.Adjustment, 0, "x", problem.InvalidType, "amount"},
			{"an adjustment to less than nothing", quotadb.Adjustment, -14 * money.USD, "x",
				problem.InvalidType, "amount"},
			{"an adjustment below -money.Max", quotadb.Adjustment, -money.Max - 1, "x", problem.InvalidType, "amount"},
			{"an adjustment without a reason", quotadb.Adjustment, 1, "", problem.MissingParameter, "reason"},
			{"a reason that is too long", quotadb.Grant, 1, strings.Repeat("x", 1001), problem.InvalidType, "reason"},
			{"the kind of a transfer", quotadb.Transfer, 1, "x", problem.InvalidType, "kind"},
			{"no kind", "", 1, "x", problem.InvalidType, "kind"},
		} {
			t.Run(row.name, func(t *testing.T) {
				storetest.Refuses(t, add(row.kind, row.amount, row.reason), row.want, row.param)
			})
		}
		_, err := s.Quota.AddEntry(background, platform,
			quotadb.NewEntry{TenantID: storetest.NewID(), Kind: quotadb.Grant, Amount: 1})
		storetest.Refuses(t, err, problem.NotFound, "")
		_, err = s.Quota.AddEntry(background, platform,
			quotadb.NewEntry{TenantID: f.Member.ID, Kind: quotadb.Grant, Amount: 1}) // an account, but no wallet
		storetest.Refuses(t, err, problem.NotFound, "")
		storetest.Equal(t, "granted", granted(t, s, f.Tenant.ID), 13*money.USD)
		entries := storetest.Need(s.Quota.Ledger(background, f.AsOwner, uuid.Nil, page.Page{}))(t).Items
		storetest.Equal(t, "entries", len(entries), 3)
		newest := entries[0]
		storetest.Equal(t, "amount of the newest entry", newest.Amount, -2*money.USD)
		storetest.Equal(t, "kind", newest.Kind, quotadb.Adjustment)
		storetest.Equal(t, "granted after it", newest.Granted, 13*money.USD)
		storetest.Equal(t, "reason", newest.Reason, "because")
		storetest.Equal(t, "actor", newest.Actor, "test")
		storetest.Equal(t, "reason of the oldest entry", entries[2].Reason, "opening quota")
		balanced(t, s, f.Tenant.ID)
		storetest.OK(t, add(quotadb.Grant, 1, strings.Repeat("因", 1000))) // three bytes each
	})
}

func TestTransferQuota_MovesOnlyAvailableQuota(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		acme, beta := storetest.NewCustomer(t, s, "acme"), storetest.NewCustomer(t, s, "beta")
		spent := acme.Call(acme.Member, "m1", 3*money.USD)
		storetest.Need(s.Metering.RecordEvents(background, platform, storetest.NewID(), []usage.Event{spent}))(t)
		leased := storetest.Lease(t, s, storetest.NewID(), acme.Tenant.ID, money.USD)
		available := 10*money.USD - 3*money.USD - leased
		move := func(from, to uuid.UUID, amount money.Amount, reason string) error {
			_, _, err := s.Quota.TransferQuota(background, platform,
				quotadb.NewTransfer{FromTenantID: from, ToTenantID: to, Amount: amount, Reason: reason})
			return err
		}
		for _, row := range []struct {
			name     string
			from, to uuid.UUID
			amount   money.Amount
			reason   string
			want     problem.Kind
			param    string
		}{
			{"more than is available", acme.Tenant.ID, beta.Tenant.ID, available + 1, "x", problem.Conflict, "amount"},
			{"nothing", acme.Tenant.ID, beta.Tenant.ID, 0, "x", problem.InvalidType, "amount"},
			{"less than nothing", acme.Tenant.ID, beta.Tenant.ID, -1, "x", problem.InvalidType, "amount"},
			{"money.Max", acme.Tenant.ID, beta.Tenant.ID, money.Max, "x", problem.InvalidType, "amount"},
			{"without a reason", acme.Tenant.ID, beta.Tenant.ID, 1, "", problem.MissingParameter, "reason"},
			{"to the sender", acme.Tenant.ID, acme.Tenant.ID, 1, "x", problem.InvalidType, "to_tenant_id"},
			{"to an unknown tenant", acme.Tenant.ID, storetest.NewID(), 1, "x", problem.NotFound, "to_tenant_id"},
			{"from an unknown tenant", storetest.NewID(), beta.Tenant.ID, 1, "x", problem.NotFound, "from_tenant_id"},
			{"to a user", acme.Tenant.ID, beta.Member.ID, 1, "x", problem.NotFound, "to_tenant_id"},
		} {
			t.Run(row.name, func(t *testing.T) {
				storetest.Refuses(t, move(row.from, row.to, row.amount, row.reason), row.want, row.param)
			})
		}
		storetest.Equal(t, "entries after the refused transfers", len(ledgerOf(t, s, acme.Tenant.ID))+
			len(ledgerOf(t, s, beta.Tenant.ID)), 2)

		before := storetest.Need(s.Catalog.Snapshot(background, platform))(t).Version
		given, received, err := s.Quota.TransferQuota(background, platform, quotadb.NewTransfer{
			FromTenantID: acme.Tenant.ID, ToTenantID: beta.Tenant.ID, Amount: available, Reason: "a merger",
		})
		storetest.OK(t, err)
		storetest.Equal(t, "given", given.Amount, -available)
		storetest.Equal(t, "received", received.Amount, available)
		storetest.Equal(t, "id of the transfer", given.TransferID, received.TransferID)
		storetest.Equal(t, "counterpart of the sender", given.Counterpart, beta.Tenant.ID)
		storetest.Equal(t, "counterpart of the receiver", received.Counterpart, acme.Tenant.ID)
		storetest.Equal(t, "wallet of the sender", granted(t, s, acme.Tenant.ID), 10*money.USD-available)
		storetest.Equal(t, "wallet of the receiver", granted(t, s, beta.Tenant.ID), 10*money.USD+available)
		storetest.Equal(t, "announcements", len(storetest.Changes(t, s, before)), 2)
		storetest.Refuses(t, move(acme.Tenant.ID, beta.Tenant.ID, 1, "x"), problem.Conflict, "amount")
		for _, f := range []storetest.Customer{acme, beta} {
			balanced(t, s, f.Tenant.ID)
			own := storetest.Need(s.Quota.Ledger(background, f.AsOwner, uuid.Nil, page.Page{}))(t).Items
			storetest.Equal(t, "counterpart that the tenant sees", own[0].Counterpart, uuid.Nil)
			storetest.Equal(t, "kind", own[0].Kind, quotadb.Transfer)
			storetest.Equal(t, "reason", own[0].Reason, "a merger")
		}
	})
}

// A different request with the same key gets a Conflict problem.
func TestIdempotencyKey_RepeatsReturnTheFirstEntry(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		acme, beta := storetest.NewCustomer(t, s, "acme"), storetest.NewCustomer(t, s, "beta")
		entry := quotadb.NewEntry{TenantID: acme.Tenant.ID, Kind: quotadb.Grant, Amount: money.USD,
			Reason: "invoice 7", Key: "k1"}
		first := storetest.Need(s.Quota.AddEntry(background, platform, entry))(t)
		transfer := quotadb.NewTransfer{FromTenantID: acme.Tenant.ID, ToTenantID: beta.Tenant.ID, Amount: money.USD,
			Reason: "x", Key: "k2"}
		given, received, err := s.Quota.TransferQuota(background, platform, transfer)
		storetest.OK(t, err)
		before := storetest.Need(s.Catalog.Snapshot(background, platform))(t).Version
		for range 2 {
			storetest.Equal(t, "repeated entry", storetest.Need(s.Quota.AddEntry(background, platform, entry))(t),
				first)
			givenAgain, receivedAgain, err := s.Quota.TransferQuota(background, platform, transfer)
			storetest.OK(t, err)
			storetest.Equal(t, "repeated transfer, sent", givenAgain, given)
			storetest.Equal(t, "repeated transfer, received", receivedAgain, received)
		}
		storetest.Equal(t, "announcements of the repeats", len(storetest.Changes(t, s, before)), 0)
		for name, change := range map[string]func(*quotadb.NewEntry){
			"tenant":                           func(n *quotadb.NewEntry) { n.TenantID = beta.Tenant.ID },
			"kind":                             func(n *quotadb.NewEntry) { n.Kind = quotadb.Adjustment },
			"amount":                           func(n *quotadb.NewEntry) { n.Amount++ },
			"reason":                           func(n *quotadb.NewEntry) { n.Reason = "invoice 8" },
			"kind, with the key of a transfer": func(n *quotadb.NewEntry) { n.Key = "k2" },
		} {
			other := entry
			change(&other)
			_, err := s.Quota.AddEntry(background, platform, other)
			t.Run("another "+name,
				func(t *testing.T) { storetest.Refuses(t, err, problem.Conflict, "Idempotency-Key") })
		}
		for name, change := range map[string]func(*quotadb.NewTransfer){
			"receiver":  func(n *quotadb.NewTransfer) { n.ToTenantID = storetest.NewCustomer(t, s, "gamma").Tenant.ID },
			"direction": func(n *quotadb.NewTransfer) { n.FromTenantID, n.ToTenantID = n.ToTenantID, n.FromTenantID },
			"amount":    func(n *quotadb.NewTransfer) { n.Amount++ },
			"key":       func(n *quotadb.NewTransfer) { n.Key = "k1" },
		} {
			other := transfer
			change(&other)
			_, _, err := s.Quota.TransferQuota(background, platform, other)
			t.Run("another "+name,
				func(t *testing.T) { storetest.Refuses(t, err, problem.Conflict, "Idempotency-Key") })
		}
		entry.Key = strings.Repeat("k", 256)
		_, err = s.Quota.AddEntry(background, platform, entry)
		storetest.Refuses(t, err, problem.InvalidType, "Idempotency-Key")
		entry.Key = "k3"
		entry.Amount = money.Max
		_, err = s.Quota.AddEntry(background, platform, entry)
		storetest.Refuses(t, err, problem.InvalidType, "amount")
		entry.Amount = 1
		storetest.Need(s.Quota.AddEntry(background, platform, entry))(t) // the refused entry did not use up the key
		balanced(t, s, acme.Tenant.ID)
		balanced(t, s, beta.Tenant.ID)
	})
}

// All requests return the same entry.
func TestIdempotencyKey_ConcurrentRepeatsGrantOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		entry := quotadb.NewEntry{TenantID: f.Tenant.ID, Kind: quotadb.Grant, Amount: money.USD, Key: "the key"}
		answers := make([]quotadb.LedgerEntry, 8)
		var wg sync.WaitGroup
		for i := range answers {
			wg.Go(func() {
				var err error
				if answers[i], err = s.Quota.AddEntry(background, platform, entry); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		for _, answer := range answers {
			storetest.Equal(t, "entry", answer, answers[0])
		}
		storetest.Equal(t, "granted", granted(t, s, f.Tenant.ID), 11*money.USD)
		storetest.Equal(t, "entries", len(ledgerOf(t, s, f.Tenant.ID)), 2)
	})
}

// Concurrent requests for different tenants use one key: one succeeds, the others get a Conflict problem.
func TestIdempotencyKey_ConcurrentTenantsConflict(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		var tenants []uuid.UUID
		for i := range 4 {
			slug := fmt.Sprintf("t%d", i)
			tenants = append(tenants,
				storetest.Need(s.Identity.CreateTenant(background, platform,
					identity.NewTenant{Slug: slug, Name: slug}))(t).ID)
		}
		for round := range 10 {
			errs := make([]error, len(tenants))
			var wg sync.WaitGroup
			for i, id := range tenants {
				wg.Go(func() {
					_, errs[i] = s.Quota.AddEntry(background, platform, quotadb.NewEntry{
						TenantID: id, Kind: quotadb.Grant, Amount: 1, Key: fmt.Sprint("round ", round),
					})
				})
			}
			wg.Wait()
			granted := 0
			for _, err := range errs {
				if err == nil {
					granted++
				} else {
					storetest.Refuses(t, err, problem.Conflict, "Idempotency-Key")
				}
			}
			storetest.Equal(t, "granted", granted, 1)
		}
		var sum money.Amount
		for _, id := range tenants {
			balanced(t, s, id)
			sum += granted(t, s, id)
		}
		storetest.Equal(t, "granted to all tenants", sum, 10)
	})
}

// Transfers in both directions run with leases and calls. They must neither deadlock nor change the sum, and
// no wallet may send more than it has.
func TestTransferQuota_ConcurrentTransfersPreserveTheSum(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		customers := []storetest.Customer{storetest.NewCustomer(t, s, "acme"), storetest.NewCustomer(t, s, "beta"),
			storetest.NewCustomer(t, s, "gamma")}
		var wg sync.WaitGroup
		for worker := range uint64(6) {
			wg.Go(func() {
				dice, relay, stamps := rand.New(rand.NewPCG(worker, 9)), storetest.NewID(),
					map[uuid.UUID]quota.OperationID{}
				for range 25 {
					from, to := customers[dice.IntN(3)], customers[dice.IntN(3)]
					_, _, err := s.Quota.TransferQuota(background, platform, quotadb.NewTransfer{
						FromTenantID: from.Tenant.ID, ToTenantID: to.Tenant.ID,
						Amount: money.Amount(dice.Int64N(int64(4 * money.USD))), Reason: "x",
					})
					if err != nil && !problem.Is(err, problem.Conflict) && !problem.Is(err, problem.InvalidType) {
						t.Error(err)
					}
					stamp := stamps[from.Tenant.ID]
					stamps[from.Tenant.ID]++
					ask := quota.LeaseRequest{After: stamp, Stamp: stamp + 1, Claim: money.Max, Need: money.USD / 10}
					if answer, err := s.Quota.GrantLease(background, platform, relay,
						quota.AccountRef{ID: from.Tenant.ID}, ask); err != nil || answer.Stale {
						t.Error(answer, err)
					}
					call := from.Call(from.Member, "m1", money.USD/20)
					call.Leased = []uuid.UUID{from.Tenant.ID}
					if _, err := s.Metering.RecordEvents(background, platform, relay, []usage.Event{call}); err != nil {
						t.Error(err)
					}
				}
				if err := s.Quota.ReleaseLeases(background, platform, relay); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		var all money.Amount
		for _, f := range customers {
			balanced(t, s, f.Tenant.ID)
			all += granted(t, s, f.Tenant.ID)
		}
		storetest.Equal(t, "granted to all tenants", all, 30*money.USD)
	})
}

// The database itself refuses changes of entries, and changes of a wallet without an entry.
func TestLedger_IsImmutableInTheDatabase(t *testing.T) {
	for kind, url := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			database := url(t)
			s := storetest.Open(t, db.Options{URL: database})
			f := storetest.NewCustomer(t, s, "acme")
			statements := []string{
				"UPDATE ledger SET amount = amount + 1", "UPDATE ledger SET reason = 'x'",
				"UPDATE ledger SET reason = reason", "DELETE FROM ledger",
				"UPDATE accounts SET granted = granted + 1 WHERE kind = 'tenant'",
				"UPDATE accounts SET granted = NULL WHERE kind = 'tenant'",
			}
			if kind == "postgres" {
				statements = append(statements, "TRUNCATE ledger")
			}
			for _, statement := range statements {
				if err := storetest.Try(t, database, statement); err == nil {
					t.Errorf("%s: got no error", statement)
				}
			}
			storetest.Equal(t, "entries", len(ledgerOf(t, s, f.Tenant.ID)), 1)
			balanced(t, s, f.Tenant.ID)
		})
	}
}

// A tenant that is created without quota has no entry.
func TestCreateTenant_OpeningQuotaIsALedgerEntry(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		rich := storetest.Need(s.Identity.CreateTenant(background, platform,
			identity.NewTenant{Slug: "rich", Name: "Rich", Quota: money.USD}))(t)
		poor := storetest.Need(s.Identity.CreateTenant(background, platform,
			identity.NewTenant{Slug: "poor", Name: "Poor"}))(t)
		storetest.Equal(t, "entries of the tenant with quota", len(ledgerOf(t, s, rich.ID)), 1)
		storetest.Equal(t, "entries of the tenant without quota", len(ledgerOf(t, s, poor.ID)), 0)
		balanced(t, s, rich.ID)
		balanced(t, s, poor.ID)
	})
}
