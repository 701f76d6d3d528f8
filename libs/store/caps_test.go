package store_test

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

// eachAt runs the test on each kind of database, with a clock that begins at start and that the test sets.
func eachAt(t *testing.T, start time.Time, test func(t *testing.T, s *store.Store, now *time.Time)) {
	t.Helper()
	for kind, url := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			now := start
			test(t, storetest.Open(t, db.Options{URL: url(t), Now: func() time.Time { return now }}), &now)
		})
	}
}

// noon is a Wednesday.
var noon = time.Date(2026, time.March, 11, 12, 0, 0, 0, time.UTC)

// usd returns a cap of n dollars.
func usd(n money.Amount) *quotadb.Cap { return &quotadb.Cap{Amount: to(n * money.USD)} }

// window opens the window of a limit that contains now and returns its account.
func window(t testing.TB, s *store.Store, limit quota.Limit, now time.Time) quota.Account {
	t.Helper()
	ref := limit.Account(now)
	ok(t, s.OpenWindow(background, ref))
	return need(s.Quota.Account(background, platform, ref.ID))(t)
}

// limitsOf returns the limits of a call with the token.
func limitsOf(t testing.TB, s *store.Store, tokenID uuid.UUID) []quota.Limit {
	t.Helper()
	return need(s.Token.Caller(background, platform, hash(tokenID)))(t).Limits
}

func TestCaller_ListsAllLimitsInOrder(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme")
		id := f.tokens[f.member.ID].ID
		wallet := quota.Limit{Owner: f.tenant.ID, Kind: quota.Wallet}
		tenantDay := quota.Limit{Owner: f.tenant.ID, Kind: quota.TenantCap, Period: quota.Day}
		user := quota.Limit{Owner: f.member.ID, Kind: quota.UserCap}
		userWeek := quota.Limit{Owner: f.member.ID, Kind: quota.UserCap, Period: quota.Week}
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
		need(s.Token.UpdateToken(background, f.asMember, id,
			tokendb.Patch{Caps: quotadb.CapsPatch{Month: usd(5), Day: usd(1)}}))(t)
		expect("with two caps of the token", wallet, ownDay, ownMonth)
		need(s.Identity.UpdateUser(background, storetest.Confirmed(f.asAdmin), f.member.ID,
			identity.UserPatch{Cap: usd(9), Caps: quotadb.CapsPatch{Week: usd(4)}}))(t)
		need(s.Token.UpdateToken(background, f.asMember, id, tokendb.Patch{Cap: usd(8)}))(t)
		need(s.Identity.UpdateTenant(background, platform, f.tenant.ID,
			identity.TenantPatch{Caps: quotadb.CapsPatch{Day: usd(7)}}))(t)
		expect("with caps of tenant, user and token", wallet, tenantDay, user, userWeek, own, ownDay, ownMonth)
		need(s.Token.UpdateToken(background, f.asMember, id,
			tokendb.Patch{Caps: quotadb.CapsPatch{Day: &quotadb.Cap{}}}))(t)
		need(s.Identity.UpdateUser(background, storetest.Confirmed(f.asAdmin), f.member.ID,
			identity.UserPatch{Caps: quotadb.CapsPatch{Week: &quotadb.Cap{}}}))(t)
		need(s.Identity.UpdateTenant(background, platform, f.tenant.ID,
			identity.TenantPatch{Caps: quotadb.CapsPatch{Day: &quotadb.Cap{}}}))(t)
		expect("with some caps removed", wallet, user, own, ownMonth)

		caps := need(s.Quota.Caps(background, f.asMember, []uuid.UUID{id, f.member.ID, f.owner.ID, f.tenant.ID}))(t)
		equal(t, "owners with caps", len(caps), 1)
		equal(t, "the month's cap", *caps[id].Month, 5*money.USD)
	})
}

// What is left of a window that nobody has used yet is the whole cap, and so it is of a later window.
func TestCaller_HasWhatIsLeftOfItsLimits(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme") // 10 USD
		id := f.tokens[f.member.ID].ID
		need(s.Token.UpdateToken(background, f.asMember, id,
			tokendb.Patch{Cap: usd(8), Caps: quotadb.CapsPatch{Day: usd(2), Month: usd(5)}}))(t)
		event := f.call(f.member, "m1", money.USD/2)
		relay, day := newID(), quota.Limit{Owner: id, Kind: quota.TokenCap, Period: quota.Day}
		event.Leased = []uuid.UUID{f.tenant.ID, id, window(t, s, day, time.Now()).ID}
		for _, account := range event.Leased {
			lease(t, s, relay, account, money.USD)
		}
		need(s.Metering.RecordEvents(background, platform, relay, []usage.Event{event}))(t)
		left := need(s.Token.Caller(background, platform, hash(id)))(t).Left
		for i, want := range []money.Amount{19 * money.USD / 2, 15 * money.USD / 2, 3 * money.USD / 2, 5 * money.USD} {
			equal(t, "what is left", left[i].Of(left[i].Account), want)
		}
		equal(t, "what is left tomorrow", left[2].Of(day.Account(time.Now().Add(24*time.Hour)).ID), 2*money.USD)
	})
}

func TestCaps_AreSetOnCreation(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme")
		day, month := to(money.USD), to(20*money.USD)
		made := need(s.Identity.CreateTenant(background, platform,
			identity.NewTenant{Slug: "x", Name: "x", Caps: quota.Caps{Day: day}}))(t)
		user := need(s.Identity.CreateUser(background, storetest.Confirmed(platform), identity.NewUser{
			TenantID: made.ID, Email: "x@x.example", Role: tenant.Owner, GroupID: f.group.ID,
			Caps: quota.Caps{Month: month},
		}))(t)
		id := newID()
		need(s.Token.CreateToken(background, platform, tokendb.NewToken{
			Token: token.Token{ID: id, UserID: user.ID, Name: "x"}, Hash: hash(id),
			Caps: quota.Caps{Day: day, Month: month},
		}))(t)
		equal(t, "limits", len(limitsOf(t, s, id)), 5)
		caps := need(s.Quota.Caps(background, platform, []uuid.UUID{made.ID, user.ID, id}))(t)
		equal(t, "the tenant's day", *caps[made.ID].Day, *day)
		equal(t, "the user's month", *caps[user.ID].Month, *month)
		equal(t, "the token's month", *caps[id].Month, *month)
		negative := quota.Caps{Week: to(money.Amount(-1))}
		_, err := s.Identity.CreateTenant(background, platform,
			identity.NewTenant{Slug: "y", Name: "y", Caps: negative})
		refuses(t, err, problem.InvalidType, "caps.week")
		_, err = s.Token.UpdateToken(background, platform, id,
			tokendb.Patch{Caps: quotadb.CapsPatch{Week: &quotadb.Cap{Amount: negative.Week}}})
		refuses(t, err, problem.InvalidType, "caps.week")
	})
}

// A change announces the account of the window and its owner, and writes the audit log. Setting the same cap
// again does neither.
func TestSetCaps_AnnouncesAndAuditsOnlyChanges(t *testing.T) {
	eachAt(t, noon, func(t *testing.T, s *store.Store, _ *time.Time) {
		f := newCustomer(t, s, "acme")
		id := f.tokens[f.member.ID].ID
		day := func(owner uuid.UUID, kind quota.Kind) uuid.UUID {
			return quota.Limit{Owner: owner, Kind: kind, Period: quota.Day}.Account(noon).ID
		}
		for _, row := range []struct {
			owner  string
			set    func(*quotadb.Cap) error
			window uuid.UUID
			then   db.Change
			action string
		}{
			{"tenant", func(c *quotadb.Cap) error {
				_, err := s.Identity.UpdateTenant(background, platform, f.tenant.ID,
					identity.TenantPatch{Caps: quotadb.CapsPatch{Day: c}})
				return err
			}, day(f.tenant.ID, quota.TenantCap), db.Change{Topic: db.TenantChanged, Ref: f.tenant.ID},
				"tenant.update"},
			{"user", func(c *quotadb.Cap) error {
				_, err := s.Identity.UpdateUser(background, storetest.Confirmed(f.asOwner), f.member.ID,
					identity.UserPatch{Caps: quotadb.CapsPatch{Day: c}})
				return err
			}, day(f.member.ID, quota.UserCap), db.Change{Topic: db.UserChanged, Ref: f.member.ID}, "user.update"},
			{"token", func(c *quotadb.Cap) error {
				_, err := s.Token.UpdateToken(background, f.asMember, id,
					tokendb.Patch{Caps: quotadb.CapsPatch{Day: c}})
				return err
			}, day(id, quota.TokenCap), db.Change{Topic: db.TokenChanged, Ref: id}, "token.update"},
		} {
			for _, value := range []*quotadb.Cap{usd(2), usd(3), {}} {
				before := need(s.Catalog.Snapshot(background, platform))(t).Version
				for range 2 {
					ok(t, row.set(value))
				}
				var got []string
				for _, change := range changes(t, s, before) {
					got = append(got, fmt.Sprint(change.Topic, change.Ref))
				}
				want := []string{fmt.Sprint(db.AccountChanged, row.window), fmt.Sprint(row.then.Topic, row.then.Ref)}
				if !slices.Equal(got, want) {
					t.Errorf("%s: got announcements %v, want %v", row.owner, got, want)
				}
				entry := need(s.Audit.List(background, platform, audit.Query{Page: page.Page{Limit: 1}}))(t).Items[0]
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
	eachAt(t, noon, func(t *testing.T, s *store.Store, now *time.Time) {
		f := newCustomer(t, s, "acme")
		id := f.tokens[f.member.ID].ID
		limit := quota.Limit{Owner: id, Kind: quota.TokenCap, Period: quota.Day}
		set := func(c *quotadb.Cap) {
			t.Helper()
			need(s.Token.UpdateToken(background, f.asMember, id, tokendb.Patch{Caps: quotadb.CapsPatch{Day: c}}))(t)
		}
		refuses(t, s.OpenWindow(background, limit.Account(noon)), problem.NotFound, "")
		set(usd(2))
		today := window(t, s, limit, noon)
		equal(t, "granted today", *today.Granted, 2*money.USD)
		equal(t, "tenant", today.TenantID, f.tenant.ID)
		relay := newID()
		lease(t, s, relay, today.ID, money.USD)
		equal(t, "added to the lease when the need exceeds what is left",
			need(s.Quota.GrantLease(background, platform, relay, quota.AccountRef{ID: today.ID},
				quota.LeaseRequest{After: 1, Stamp: 2, Claim: money.USD, Need: 2 * money.USD}))(t).Added, 0)
		equal(t, "leased when opened again", window(t, s, limit, noon.Add(time.Hour)).Leased, money.USD)

		*now = noon.AddDate(0, 0, 1)
		tomorrow := window(t, s, limit, *now)
		equal(t, "granted the next day", *tomorrow.Granted, 2*money.USD)
		equal(t, "leased the next day", tomorrow.Leased, 0)
		ahead := window(t, s, limit, now.AddDate(0, 0, 1)) // opened ahead of time, as by a relay with a fast clock
		set(usd(5))
		for _, row := range []struct {
			day  string
			id   uuid.UUID
			want money.Amount
		}{{"the past day", today.ID, 2 * money.USD}, {"the present day", tomorrow.ID, 5 * money.USD},
			{"the next day", ahead.ID, 5 * money.USD}} {
			equal(t, "granted for "+row.day, *need(s.Quota.Account(background, platform, row.id))(t).Granted, row.want)
		}
		set(&quotadb.Cap{})
		if a := need(s.Quota.Account(background, platform, tomorrow.ID))(t); a.Granted != nil {
			t.Errorf("without a cap the open window has the limit %v, want none", *a.Granted)
		}
		*now = noon.AddDate(0, 0, 7)
		if a := window(t, s, limit, *now); a.Granted != nil { // as a relay asks that does not know of the change yet
			t.Errorf("without a cap a new window has the limit %v, want none", *a.Granted)
		}
		set(usd(1))
		equal(t, "with a cap again", *window(t, s, limit, *now).Granted, money.USD)
	})
}

// The window ends with the new amount, whichever transaction comes first.
func TestOpenWindow_ConcurrentWithAChangeOfTheCap(t *testing.T) {
	eachAt(t, noon, func(t *testing.T, s *store.Store, _ *time.Time) {
		f := newCustomer(t, s, "acme")
		for range 20 {
			made := createToken(t, s, f.member)
			limit := quota.Limit{Owner: made.ID, Kind: quota.TokenCap, Period: quota.Day}
			set := func(c *quotadb.Cap) error {
				_, err := s.Token.UpdateToken(background, f.asMember, made.ID,
					tokendb.Patch{Caps: quotadb.CapsPatch{Day: c}})
				return err
			}
			ok(t, set(usd(1)))
			var wg sync.WaitGroup
			for range 3 {
				wg.Go(func() {
					if err := s.OpenWindow(background, limit.Account(noon)); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Go(func() {
				if err := set(usd(2)); err != nil {
					t.Error(err)
				}
			})
			wg.Wait()
			equal(t, "granted", *need(s.Quota.Account(background, platform, limit.Account(noon).ID))(t).Granted,
				2*money.USD)
		}
	})
}

func TestBalances_ListsAccountsAndWindowsInOrder(t *testing.T) {
	eachAt(t, noon, func(t *testing.T, s *store.Store, now *time.Time) {
		f := newCustomer(t, s, "acme")
		need(s.Identity.UpdateTenant(background, platform, f.tenant.ID,
			identity.TenantPatch{Caps: quotadb.CapsPatch{Month: usd(6), Day: usd(3)}}))(t)
		need(s.Identity.UpdateUser(background, storetest.Confirmed(f.asOwner), f.member.ID,
			identity.UserPatch{Caps: quotadb.CapsPatch{Week: usd(2)}}))(t)
		day := window(t, s, quota.Limit{Owner: f.tenant.ID, Kind: quota.TenantCap, Period: quota.Day}, noon)
		lease(t, s, newID(), day.ID, money.USD)
		owners := []uuid.UUID{f.tenant.ID, f.member.ID}
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
		if got := show(need(s.Quota.Balances(background, f.asMember, owners))(t)); !slices.Equal(got, want) {
			t.Errorf("got balances\n%v, want\n%v", got, want)
		}
		*now = noon.AddDate(0, 0, 1)
		equal(t, "the next day", show(need(s.Quota.Balances(background, f.asMember, owners))(t))[1],
			"tenant_cap/day 3 used 0 leased 0 until 2026-03-13")
		_, err := s.Quota.Balances(background, f.asMember, []uuid.UUID{f.owner.ID})
		refuses(t, err, problem.NotFound, "")
		_, err = s.Quota.Balances(background, f.asMember, []uuid.UUID{newID()})
		refuses(t, err, problem.NotFound, "")
	})
}

// replaceToken replaces a token of the member as a rotation does, and returns the id of its successor.
func replaceToken(t *testing.T, s *store.Store, f *customer, old uuid.UUID) uuid.UUID {
	t.Helper()
	id := newID()
	ok(t, s.Atomically(background, func(tx *store.Store) error {
		retired, rest, err := tx.Token.RetireToken(background, f.asMember, old)
		if err != nil {
			return err
		}
		caps, err := tx.Quota.Caps(background, f.asMember, []uuid.UUID{old})
		if err != nil {
			return err
		}
		retired.ID = id
		_, err = tx.Token.CreateToken(background, f.asMember, tokendb.NewToken{
			Token: retired, Hash: hash(id), Cap: rest.Lifetime, Caps: caps[old], Replaces: old, Windows: rest.Windows,
		})
		return err
	}))
	return id
}

// In the open windows, the new token has the amount that the replaced token has left. In later windows it has
// the whole cap.
func TestInheritWindows_KeepsTheRestOfTheReplacedToken(t *testing.T) {
	eachAt(t, noon, func(t *testing.T, s *store.Store, _ *time.Time) {
		f := newCustomer(t, s, "acme")
		old := newID()
		need(s.Token.CreateToken(background, f.asMember, tokendb.NewToken{
			Token: token.Token{ID: old, UserID: f.member.ID, Name: "x"}, Hash: hash(old),
			Caps: quota.Caps{Day: to(2 * money.USD), Month: to(9 * money.USD)},
		}))(t)
		today := window(t, s, quota.Limit{Owner: old, Kind: quota.TokenCap, Period: quota.Day}, noon)
		lease(t, s, newID(), today.ID, money.USD)
		next := quota.Limit{Owner: replaceToken(t, s, &f, old), Kind: quota.TokenCap, Period: quota.Day}
		equal(t, "granted for the present day", *window(t, s, next, noon).Granted, money.USD)
		equal(t, "granted for the next day", *window(t, s, next, noon.AddDate(0, 0, 1)).Granted, 2*money.USD)
		next.Period = quota.Month
		equal(t, "granted for the month, in which nothing was spent", *window(t, s, next, noon).Granted, 9*money.USD)
		again := quota.Limit{Owner: replaceToken(t, s, &f, next.Owner), Kind: quota.TokenCap, Period: quota.Day}
		equal(t, "granted for the present day after two replacements", *window(t, s, again, noon).Granted, money.USD)
	})
}

// A relay that does not know of the replacement yet asks for a lease before, during and after it. Together with the new
// token it never gets more than the old token had.
func TestRetireToken_ConcurrentWithLeases(t *testing.T) {
	eachAt(t, noon, func(t *testing.T, s *store.Store, _ *time.Time) {
		f := newCustomer(t, s, "acme")
		for range 8 {
			old := newID()
			need(s.Token.CreateToken(background, f.asMember, tokendb.NewToken{
				Token: token.Token{ID: old, UserID: f.member.ID, Name: "x"}, Hash: hash(old), Cap: to(8 * money.USD),
				Caps: quota.Caps{Day: to(4 * money.USD)},
			}))(t)
			limits := []quota.Limit{{Owner: old, Kind: quota.TokenCap},
				{Owner: old, Kind: quota.TokenCap, Period: quota.Day}}
			ask := func() {
				for _, limit := range limits {
					if _, err := s.Quota.GrantLease(background, platform, newID(), limit.Account(noon),
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
				_, leased := account(t, s, limit.Account(noon).ID)
				limit.Owner = next
				whole, rest := []money.Amount{8 * money.USD, 4 * money.USD}[i],
					*need(s.Quota.Account(background, platform, limit.Account(noon).ID))(t).Granted
				equal(t, "leased from the old token and granted to the new one, for the period "+string(limit.Period),
					leased+rest, whole)
			}
		}
	})
}

func TestSweep_DeletesOldWindowsWithoutLeases(t *testing.T) {
	eachAt(t, noon, func(t *testing.T, s *store.Store, now *time.Time) {
		f := newCustomer(t, s, "acme")
		id := f.tokens[f.member.ID].ID
		limit := quota.Limit{Owner: id, Kind: quota.TokenCap, Period: quota.Day}
		need(s.Token.UpdateToken(background, f.asMember, id, tokendb.Patch{Caps: quotadb.CapsPatch{Day: usd(1)}}))(t)
		old := window(t, s, limit, noon)
		held := window(t, s, limit, noon.AddDate(0, 0, 1))
		lease(t, s, newID(), held.ID, 1)
		*now = noon.AddDate(0, 0, 399)
		ok(t, s.Sweep(background, platform))
		need(s.Quota.Account(background, platform, old.ID))(t)
		*now = noon.AddDate(0, 0, 402)
		recent := window(t, s, limit, noon.AddDate(0, 0, 3))
		ok(t, s.Sweep(background, platform))
		_, err := s.Quota.Account(background, platform, old.ID)
		refuses(t, err, problem.NotFound, "")
		need(s.Quota.Account(background, platform, held.ID))(t)
		need(s.Quota.Account(background, platform, recent.ID))(t)
		need(s.Quota.Account(background, platform, id))(t)
	})
}
