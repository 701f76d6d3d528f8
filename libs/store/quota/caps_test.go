package quota_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/audit"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/identity"
	"github.com/tollgate/tollgate/libs/store/page"
	quotadb "github.com/tollgate/tollgate/libs/store/quota"
	"github.com/tollgate/tollgate/libs/store/storetest"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
)

// window opens the window of a limit that contains now and returns its account.
func window(t testing.TB, s *store.Store, limit quota.Limit, now time.Time) quota.Account {
	t.Helper()
	ref := limit.Account(now)
	storetest.OK(t, s.Quota.OpenWindow(background, ref))
	return storetest.Need(s.Quota.Account(background, platform, ref.ID))(t)
}

// limitsOf returns the limits of a call with the token.
func limitsOf(t testing.TB, s *store.Store, tokenID uuid.UUID) []quota.Limit {
	t.Helper()
	return storetest.Need(s.Token.Caller(background, platform, storetest.Hash(tokenID)))(t).Limits
}

func TestCaller_ListsAllLimitsInOrder(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		id := f.Tokens[f.Member.ID].ID
		wallet := quota.Limit{Owner: f.Tenant.ID, Kind: quota.Wallet}
		tenantDay := quota.Limit{Owner: f.Tenant.ID, Kind: quota.TenantCap, Period: quota.Day}
		user := quota.Limit{Owner: f.Member.ID, Kind: quota.UserCap}
		userWeek := quota.Limit{Owner: f.Member.ID, Kind: quota.UserCap, Period: quota.Week}
		own := quota.Limit{Owner: id, Kind: quota.TokenCap}
		ownDay := quota.Limit{Owner: id, Kind: quota.TokenCap, Period: quota.Day}
		ownMonth := quota.Limit{Owner: id, Kind: quota.TokenCap, Period: quota.Month}
		expect := func(condition string, want ...quota.Limit) {
			t.Helper()
			if got := limitsOf(t, s, id); !slices.Equal(got, want) {
				t.Errorf("%s: got limits %v, want %v", condition, got, want)
			}
		}
		expect("without caps", wallet)
		storetest.Need(s.Token.UpdateToken(background, f.AsMember, id,
			tokendb.Patch{Caps: quotadb.CapsPatch{Month: storetest.USD(5), Day: storetest.USD(1)}}))(t)
		expect("with two caps of the token", wallet, ownDay, ownMonth)
		storetest.Need(s.Identity.UpdateUser(background, storetest.Confirmed(f.AsAdmin), f.Member.ID,
			identity.UserPatch{Cap: storetest.USD(9), Caps: quotadb.CapsPatch{Week: storetest.USD(4)}}))(t)
		storetest.Need(s.Token.UpdateToken(background, f.AsMember, id, tokendb.Patch{Cap: storetest.USD(8)}))(t)
		storetest.Need(s.Identity.UpdateTenant(background, platform, f.Tenant.ID,
			identity.TenantPatch{Caps: quotadb.CapsPatch{Day: storetest.USD(7)}}))(t)
		expect("with caps of tenant, user and token", wallet, tenantDay, user, userWeek, own, ownDay, ownMonth)
		storetest.Need(s.Token.UpdateToken(background, f.AsMember, id,
			tokendb.Patch{Caps: quotadb.CapsPatch{Day: &quotadb.Cap{}}}))(t)
		storetest.Need(s.Identity.UpdateUser(background, storetest.Confirmed(f.AsAdmin), f.Member.ID,
			identity.UserPatch{Caps: quotadb.CapsPatch{Week: &quotadb.Cap{}}}))(t)
		storetest.Need(s.Identity.UpdateTenant(background, platform, f.Tenant.ID,
			identity.TenantPatch{Caps: quotadb.CapsPatch{Day: &quotadb.Cap{}}}))(t)
		expect("with some caps removed", wallet, user, own, ownMonth)

		caps := storetest.Need(s.Quota.Caps(background, f.AsMember,
			[]uuid.UUID{id, f.Member.ID, f.Owner.ID, f.Tenant.ID}))(t)
		storetest.Equal(t, "owners with caps", len(caps), 1)
		storetest.Equal(t, "the month's cap", *caps[id].Month, 5*money.USD)
	})
}

// What is left of a window that nobody has used yet is the whole cap, and so it is of a later window.
func TestCaller_HasWhatIsLeftOfItsLimits(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme") // 10 USD
		id := f.Tokens[f.Member.ID].ID
		storetest.Need(s.Token.UpdateToken(background, f.AsMember, id, tokendb.Patch{Cap: storetest.USD(8),
			Caps: quotadb.CapsPatch{Day: storetest.USD(2), Month: storetest.USD(5)}}))(t)
		event := f.Call(f.Member, "m1", money.USD/2)
		relay, day := storetest.NewID(), quota.Limit{Owner: id, Kind: quota.TokenCap, Period: quota.Day}
		event.Leased = []uuid.UUID{f.Tenant.ID, id, window(t, s, day, time.Now()).ID}
		for _, account := range event.Leased {
			storetest.Lease(t, s, relay, account, money.USD)
		}
		storetest.Need(s.Metering.RecordEvents(background, platform, relay, []usage.Event{event}))(t)
		left := storetest.Need(s.Token.Caller(background, platform, storetest.Hash(id)))(t).Remaining
		for i, want := range []money.Amount{19 * money.USD / 2, 15 * money.USD / 2, 3 * money.USD / 2, 5 * money.USD} {
			storetest.Equal(t, "what is left", left[i].AmountOrWhole(left[i].AccountID), want)
		}
		storetest.Equal(t, "what is left tomorrow", left[2].AmountOrWhole(day.Account(time.Now().Add(24*time.Hour)).ID),
			2*money.USD)
	})
}

func TestCaps_AreSetOnCreation(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		day, month := new(money.USD), new(20*money.USD)
		made := storetest.Need(s.Identity.CreateTenant(background, platform,
			identity.NewTenant{Slug: "x", Name: "x", Caps: quota.Caps{Day: day}}))(t)
		user := storetest.Need(s.Identity.CreateUser(background, storetest.Confirmed(platform), identity.NewUser{
			TenantID: made.ID, Email: "x@x.example", Role: tenant.Owner, GroupID: f.Group.ID,
			Caps: quota.Caps{Month: month},
		}))(t)
		id := storetest.NewID()
		storetest.Need(s.Token.CreateToken(background, platform, tokendb.NewToken{
			Token: token.Token{ID: id, UserID: user.ID, Name: "x"}, Hash: storetest.Hash(id),
			Caps: quota.Caps{Day: day, Month: month},
		}))(t)
		storetest.Equal(t, "limits", len(limitsOf(t, s, id)), 5)
		caps := storetest.Need(s.Quota.Caps(background, platform, []uuid.UUID{made.ID, user.ID, id}))(t)
		storetest.Equal(t, "the tenant's day", *caps[made.ID].Day, *day)
		storetest.Equal(t, "the user's month", *caps[user.ID].Month, *month)
		storetest.Equal(t, "the token's month", *caps[id].Month, *month)
		negative := quota.Caps{Week: new(money.Amount(-1))}
		_, err := s.Identity.CreateTenant(background, platform,
			identity.NewTenant{Slug: "y", Name: "y", Caps: negative})
		storetest.Refuses(t, err, problem.InvalidType, "caps.week")
		_, err = s.Token.UpdateToken(background, platform, id,
			tokendb.Patch{Caps: quotadb.CapsPatch{Week: &quotadb.Cap{Amount: negative.Week}}})
		storetest.Refuses(t, err, problem.InvalidType, "caps.week")
	})
}

// A change announces the account of the window and its owner, and writes the audit log. Setting the same cap
// again does neither.
func TestSetCaps_AnnouncesAndAuditsOnlyChanges(t *testing.T) {
	storetest.EachAt(t, storetest.Noon, func(t *testing.T, s *store.Store, _ *time.Time) {
		f := storetest.NewCustomer(t, s, "acme")
		id := f.Tokens[f.Member.ID].ID
		day := func(owner uuid.UUID, kind quota.Kind) uuid.UUID {
			return quota.Limit{Owner: owner, Kind: kind, Period: quota.Day}.Account(storetest.Noon).ID
		}
		for _, row := range []struct {
			owner  string
			set    func(*quotadb.Cap) error
			window uuid.UUID
			then   db.Change
			action string
		}{
			{"tenant", func(c *quotadb.Cap) error {
				_, err := s.Identity.UpdateTenant(background, platform, f.Tenant.ID,
					identity.TenantPatch{Caps: quotadb.CapsPatch{Day: c}})
				return err
			}, day(f.Tenant.ID, quota.TenantCap), db.Change{Topic: db.TenantChanged, Ref: f.Tenant.ID},
				"tenant.update"},
			{"user", func(c *quotadb.Cap) error {
				_, err := s.Identity.UpdateUser(background, storetest.Confirmed(f.AsOwner), f.Member.ID,
					identity.UserPatch{Caps: quotadb.CapsPatch{Day: c}})
				return err
			}, day(f.Member.ID, quota.UserCap), db.Change{Topic: db.UserChanged, Ref: f.Member.ID}, "user.update"},
			{"token", func(c *quotadb.Cap) error {
				_, err := s.Token.UpdateToken(background, f.AsMember, id,
					tokendb.Patch{Caps: quotadb.CapsPatch{Day: c}})
				return err
			}, day(id, quota.TokenCap), db.Change{Topic: db.TokenChanged, Ref: id}, "token.update"},
		} {
			for _, value := range []*quotadb.Cap{storetest.USD(2), storetest.USD(3), {}} {
				before := storetest.Need(s.Catalog.Snapshot(background, platform))(t).Version
				for range 2 {
					storetest.OK(t, row.set(value))
				}
				var got []string
				for _, change := range storetest.Changes(t, s, before) {
					got = append(got, fmt.Sprint(change.Topic, change.Ref))
				}
				want := []string{fmt.Sprint(db.AccountChanged, row.window), fmt.Sprint(row.then.Topic, row.then.Ref)}
				if !slices.Equal(got, want) {
					t.Errorf("%s: got announcements %v, want %v", row.owner, got, want)
				}
				entry := storetest.Need(s.Audit.List(background, platform, audit.Query{Page: page.Page{Limit: 1}}))(
					t).Items[0]
				amount := "null"
				if value.Amount != nil {
					amount = value.Amount.String()
				}
				if entry.Action != row.action || fmt.Sprint(entry.Detail) != fmt.Sprintf("map[caps.day:%s]", amount) &&
					amount != "null" {
					t.Errorf("%s: got audit entry %s %v, want %s with caps.day %s", row.owner, entry.Action,
						entry.Detail, row.action, amount)
				}
			}
		}
	})
}

// A window opens with the amount of the cap. A change of the cap changes the open window and later ones, but
// no earlier one.
func TestSetCaps_ChangesOpenAndLaterWindows(t *testing.T) {
	storetest.EachAt(t, storetest.Noon, func(t *testing.T, s *store.Store, now *time.Time) {
		f := storetest.NewCustomer(t, s, "acme")
		id := f.Tokens[f.Member.ID].ID
		limit := quota.Limit{Owner: id, Kind: quota.TokenCap, Period: quota.Day}
		set := func(c *quotadb.Cap) {
			t.Helper()
			storetest.Need(s.Token.UpdateToken(background, f.AsMember, id,
				tokendb.Patch{Caps: quotadb.CapsPatch{Day: c}}))(t)
		}
		storetest.Refuses(t, s.Quota.OpenWindow(background, limit.Account(storetest.Noon)), problem.NotFound, "")
		set(storetest.USD(2))
		today := window(t, s, limit, storetest.Noon)
		storetest.Equal(t, "granted today", *today.Granted, 2*money.USD)
		storetest.Equal(t, "tenant", today.TenantID, f.Tenant.ID)
		relay := storetest.NewID()
		storetest.Lease(t, s, relay, today.ID, money.USD)
		storetest.Equal(t, "added to the lease when the need exceeds what is left",
			storetest.Need(s.Quota.GrantLease(background, platform, relay, quota.AccountRef{ID: today.ID},
				quota.LeaseRequest{After: 1, Stamp: 2, Claim: money.USD, Need: 2 * money.USD}))(t).Added, 0)
		storetest.Equal(t, "leased when opened again", window(t, s, limit, storetest.Noon.Add(time.Hour)).Leased,
			money.USD)

		*now = storetest.Noon.AddDate(0, 0, 1)
		tomorrow := window(t, s, limit, *now)
		storetest.Equal(t, "granted the next day", *tomorrow.Granted, 2*money.USD)
		storetest.Equal(t, "leased the next day", tomorrow.Leased, 0)
		ahead := window(t, s, limit, now.AddDate(0, 0, 1)) // opened ahead of time, as by a relay with a fast clock
		set(storetest.USD(5))
		for _, row := range []struct {
			day  string
			id   uuid.UUID
			want money.Amount
		}{{"the past day", today.ID, 2 * money.USD}, {"the present day", tomorrow.ID, 5 * money.USD},
			{"the next day", ahead.ID, 5 * money.USD}} {
			storetest.Equal(t, "granted for "+row.day,
				*storetest.Need(s.Quota.Account(background, platform, row.id))(t).Granted, row.want)
		}
		set(&quotadb.Cap{})
		if a := storetest.Need(s.Quota.Account(background, platform, tomorrow.ID))(t); a.Granted != nil {
			t.Errorf("without a cap the open window has the limit %v, want none", *a.Granted)
		}
		*now = storetest.Noon.AddDate(0, 0, 7)
		if a := window(t, s, limit, *now); a.Granted != nil { // as a relay asks that does not know of the change yet
			t.Errorf("without a cap a new window has the limit %v, want none", *a.Granted)
		}
		set(storetest.USD(1))
		storetest.Equal(t, "with a cap again", *window(t, s, limit, *now).Granted, money.USD)
	})
}

// The window ends with the new amount, whichever transaction comes first.
func TestOpenWindow_ConcurrentWithAChangeOfTheCap(t *testing.T) {
	storetest.EachAt(t, storetest.Noon, func(t *testing.T, s *store.Store, _ *time.Time) {
		f := storetest.NewCustomer(t, s, "acme")
		for range 20 {
			made := storetest.CreateToken(t, s, f.Member)
			limit := quota.Limit{Owner: made.ID, Kind: quota.TokenCap, Period: quota.Day}
			set := func(c *quotadb.Cap) error {
				_, err := s.Token.UpdateToken(background, f.AsMember, made.ID,
					tokendb.Patch{Caps: quotadb.CapsPatch{Day: c}})
				return err
			}
			storetest.OK(t, set(storetest.USD(1)))
			var wg sync.WaitGroup
			for range 3 {
				wg.Go(func() {
					if err := s.Quota.OpenWindow(background, limit.Account(storetest.Noon)); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Go(func() {
				if err := set(storetest.USD(2)); err != nil {
					t.Error(err)
				}
			})
			wg.Wait()
			storetest.Equal(t, "granted",
				*storetest.Need(s.Quota.Account(background, platform, limit.Account(storetest.Noon).ID))(t).Granted,
				2*money.USD)
		}
	})
}

func TestBalances_ListsAccountsAndWindowsInOrder(t *testing.T) {
	storetest.EachAt(t, storetest.Noon, func(t *testing.T, s *store.Store, now *time.Time) {
		f := storetest.NewCustomer(t, s, "acme")
		storetest.Need(s.Identity.UpdateTenant(background, platform, f.Tenant.ID,
			identity.TenantPatch{Caps: quotadb.CapsPatch{Month: storetest.USD(6), Day: storetest.USD(3)}}))(t)
		storetest.Need(s.Identity.UpdateUser(background, storetest.Confirmed(f.AsOwner), f.Member.ID,
			identity.UserPatch{Caps: quotadb.CapsPatch{Week: storetest.USD(2)}}))(t)
		day := window(t, s, quota.Limit{Owner: f.Tenant.ID, Kind: quota.TenantCap, Period: quota.Day}, storetest.Noon)
		storetest.Lease(t, s, storetest.NewID(), day.ID, money.USD)
		owners := []uuid.UUID{f.Tenant.ID, f.Member.ID}
		show := func(balances []quotadb.Balance) (lines []string) {
			for _, b := range balances {
				granted := "unlimited"
				if b.Granted != nil {
					granted = b.Granted.String()
				}
				line := fmt.Sprintf("%s/%s %s used %s leased %s", b.Limit.Kind, b.Limit.Period, granted,
					b.Used, b.Leased)
				if !b.Resets.IsZero() {
					line += " until " + b.Resets.Format(time.DateOnly)
				}
				lines = append(lines, line)
			}
			return lines
		}
		want := []string{
			"tenant/ 10 used 0 leased 0", "tenant_cap/day 3 used 0 leased 1 until 2026-03-12",
			"tenant_cap/month 6 used 0 leased 0 until 2026-04-01",
			"user/ unlimited used 0 leased 0", "user/week 2 used 0 leased 0 until 2026-03-16",
		}
		if got := show(storetest.Need(s.Quota.Balances(background, f.AsMember, owners))(t)); !slices.Equal(got, want) {
			t.Errorf("got balances\n%v, want\n%v", got, want)
		}
		*now = storetest.Noon.AddDate(0, 0, 1)
		storetest.Equal(t, "the next day", show(storetest.Need(s.Quota.Balances(background, f.AsMember, owners))(t))[1],
			"tenant_cap/day 3 used 0 leased 0 until 2026-03-13")
		_, err := s.Quota.Balances(background, f.AsMember, []uuid.UUID{f.Owner.ID})
		storetest.Refuses(t, err, problem.NotFound, "")
		_, err = s.Quota.Balances(background, f.AsMember, []uuid.UUID{storetest.NewID()})
		storetest.Refuses(t, err, problem.NotFound, "")
	})
}

// replaceToken replaces a token of the member as a rotation does, and returns the id of its successor.
func replaceToken(t *testing.T, s *store.Store, f *storetest.Customer, old uuid.UUID) uuid.UUID {
	t.Helper()
	id := storetest.NewID()
	storetest.OK(t, s.Atomically(background, func(tx *store.Store) error {
		retired, rest, err := tx.Token.RetireToken(background, f.AsMember, old)
		if err != nil {
			return err
		}
		caps, err := tx.Quota.Caps(background, f.AsMember, []uuid.UUID{old})
		if err != nil {
			return err
		}
		retired.ID = id
		_, err = tx.Token.CreateToken(background, f.AsMember, tokendb.NewToken{
			Token: retired, Hash: storetest.Hash(id), Cap: rest.Lifetime, Caps: caps[old], Replaces: old,
			Windows: rest.Windows,
		})
		return err
	}))
	return id
}

// In the open windows, the new token has the amount that the replaced token has left. In later windows it has
// the whole cap.
func TestInheritWindows_KeepsTheRestOfTheReplacedToken(t *testing.T) {
	storetest.EachAt(t, storetest.Noon, func(t *testing.T, s *store.Store, _ *time.Time) {
		f := storetest.NewCustomer(t, s, "acme")
		old := storetest.NewID()
		storetest.Need(s.Token.CreateToken(background, f.AsMember, tokendb.NewToken{
			Token: token.Token{ID: old, UserID: f.Member.ID, Name: "x"}, Hash: storetest.Hash(old),
			Caps: quota.Caps{Day: new(2 * money.USD), Month: new(9 * money.USD)},
		}))(t)
		today := window(t, s, quota.Limit{Owner: old, Kind: quota.TokenCap, Period: quota.Day}, storetest.Noon)
		storetest.Lease(t, s, storetest.NewID(), today.ID, money.USD)
		next := quota.Limit{Owner: replaceToken(t, s, &f, old), Kind: quota.TokenCap, Period: quota.Day}
		storetest.Equal(t, "granted for the present day", *window(t, s, next, storetest.Noon).Granted, money.USD)
		storetest.Equal(t, "granted for the next day", *window(t, s, next, storetest.Noon.AddDate(0, 0, 1)).Granted,
			2*money.USD)
		next.Period = quota.Month
		storetest.Equal(t, "granted for the month, in which nothing was spent",
			*window(t, s, next, storetest.Noon).Granted, 9*money.USD)
		again := quota.Limit{Owner: replaceToken(t, s, &f, next.Owner), Kind: quota.TokenCap, Period: quota.Day}
		storetest.Equal(t, "granted for the present day after two replacements",
			*window(t, s, again, storetest.Noon).Granted, money.USD)
	})
}

// A change of the cap leaves what all tokens in a row may spend in the window: the new cap, without what the replaced
// tokens have spent.
func TestSetCaps_CountsWhatReplacedTokensSpent(t *testing.T) {
	storetest.EachAt(t, storetest.Noon, func(t *testing.T, s *store.Store, _ *time.Time) {
		f := storetest.NewCustomer(t, s, "acme")
		id := storetest.NewID()
		storetest.Need(s.Token.CreateToken(background, f.AsMember, tokendb.NewToken{
			Token: token.Token{ID: id, UserID: f.Member.ID, Name: "x"}, Hash: storetest.Hash(id),
			Caps: quota.Caps{Day: new(10 * money.USD)},
		}))(t)
		limit := func() quota.Limit { return quota.Limit{Owner: id, Kind: quota.TokenCap, Period: quota.Day} }
		storetest.Lease(t, s, storetest.NewID(), window(t, s, limit(), storetest.Noon).ID, 9*money.USD)
		id = replaceToken(t, s, &f, id)
		for _, step := range []struct {
			name    string
			cap     money.Amount
			replace bool
			want    money.Amount
		}{
			{"lowered below what was spent", 8, false, 0},
			{"lowered again", 5, false, 0},
			{"raised to what was spent", 9, false, 0},
			{"raised", 12, false, 3},
			{"lowered below what was spent before another replacement", 8, true, 0},
			{"raised after another replacement", 10, false, 1},
		} {
			storetest.Need(s.Token.UpdateToken(background, f.AsMember, id,
				tokendb.Patch{Caps: quotadb.CapsPatch{Day: storetest.USD(step.cap)}}))(t)
			if step.replace {
				id = replaceToken(t, s, &f, id)
			}
			storetest.Equal(t, "granted for the present day, "+step.name,
				*window(t, s, limit(), storetest.Noon).Granted, step.want*money.USD)
			storetest.Equal(t, "granted for the next day, "+step.name,
				*window(t, s, limit(), storetest.Noon.AddDate(0, 0, 1)).Granted, step.cap*money.USD)
		}
	})
}

// A relay that does not know of the replacement yet asks for a lease before, during and after it. Together with the new
// token it never gets more than the old token had.
func TestRetireToken_ConcurrentWithLeases(t *testing.T) {
	storetest.EachAt(t, storetest.Noon, func(t *testing.T, s *store.Store, _ *time.Time) {
		f := storetest.NewCustomer(t, s, "acme")
		for range 8 {
			old := storetest.NewID()
			storetest.Need(s.Token.CreateToken(background, f.AsMember, tokendb.NewToken{
				Token: token.Token{ID: old, UserID: f.Member.ID, Name: "x"}, Hash: storetest.Hash(old),
				Cap: new(8 * money.USD), Caps: quota.Caps{Day: new(4 * money.USD)},
			}))(t)
			limits := []quota.Limit{{Owner: old, Kind: quota.TokenCap},
				{Owner: old, Kind: quota.TokenCap, Period: quota.Day}}
			ask := func() {
				for _, limit := range limits {
					if _, err := s.Quota.GrantLease(background, platform, storetest.NewID(),
						limit.Account(storetest.Noon),
						quota.LeaseRequest{Stamp: 1, Need: money.USD, Want: money.USD}); err != nil {
						t.Error(err)
					}
				}
			}
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(ask)
			}
			next := replaceToken(t, s, &f, old)
			wg.Wait()
			ask()
			for i, limit := range limits {
				_, leased := storetest.Account(t, s, limit.Account(storetest.Noon).ID)
				limit.Owner = next
				whole, rest := []money.Amount{8 * money.USD, 4 * money.USD}[i],
					*storetest.Need(s.Quota.Account(background, platform, limit.Account(storetest.Noon).ID))(t).Granted
				storetest.Equal(t, "leased from the old token and granted to the new one, for the period "+
					string(limit.Period), leased+rest, whole)
			}
		}
	})
}

func TestSweep_DeletesOldWindowsWithoutLeases(t *testing.T) {
	start := storetest.Noon.AddDate(-2, 0, 0) // all times are before those of the database's clock
	storetest.EachAt(t, start, func(t *testing.T, s *store.Store, now *time.Time) {
		f := storetest.NewCustomer(t, s, "acme")
		id := f.Tokens[f.Member.ID].ID
		limit := quota.Limit{Owner: id, Kind: quota.TokenCap, Period: quota.Day}
		storetest.Need(s.Token.UpdateToken(background, f.AsMember, id,
			tokendb.Patch{Caps: quotadb.CapsPatch{Day: storetest.USD(1)}}))(t)
		old := window(t, s, limit, start)
		held := window(t, s, limit, start.AddDate(0, 0, 1))
		storetest.Lease(t, s, storetest.NewID(), held.ID, 1)
		*now = start.AddDate(0, 0, 399)
		window(t, s, limit, *now)
		storetest.OK(t, s.Sweep(background, platform))
		storetest.Need(s.Quota.Account(background, platform, old.ID))(t)
		*now = start.AddDate(0, 0, 402)
		window(t, s, limit, *now)
		recent := window(t, s, limit, start.AddDate(0, 0, 3))
		storetest.OK(t, s.Sweep(background, platform))
		_, err := s.Quota.Account(background, platform, old.ID)
		storetest.Refuses(t, err, problem.NotFound, "")
		storetest.Need(s.Quota.Account(background, platform, held.ID))(t)
		storetest.Need(s.Quota.Account(background, platform, recent.ID))(t)
		storetest.Need(s.Quota.Account(background, platform, id))(t)
	})
}

// A cap could be spent again in a window whose account was deleted.
func TestSweep_DeletesNoWindowForAClockThatIsAhead(t *testing.T) {
	now := time.Now()
	storetest.EachAt(t, now, func(t *testing.T, s *store.Store, clock *time.Time) {
		f := storetest.NewCustomer(t, s, "acme")
		id := f.Tokens[f.Member.ID].ID
		storetest.Need(s.Token.UpdateToken(background, f.AsMember, id,
			tokendb.Patch{Caps: quotadb.CapsPatch{Day: storetest.USD(1)}}))(t)
		present := window(t, s, quota.Limit{Owner: id, Kind: quota.TokenCap, Period: quota.Day}, now)
		*clock = now.AddDate(2, 0, 0)
		storetest.OK(t, s.Sweep(background, platform))
		storetest.Need(s.Quota.Account(background, platform, present.ID))(t)
	})
}
