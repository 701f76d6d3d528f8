package store_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/tollgate/tollgate/libs/core/invoice"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/audit"
	storedb "github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
	"github.com/tollgate/tollgate/libs/store/identity"
	invoicedb "github.com/tollgate/tollgate/libs/store/invoice"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// newBillingAccount creates an account with a credential that pays the channel.
func newBillingAccount(t testing.TB, s *store.Store, channels ...uuid.UUID) invoice.Account {
	t.Helper()
	return storetest.Need(s.Invoice.CreateAccount(background, platform, invoice.Account{
		Name: "OpenAI", Provider: invoice.OpenAI, Status: tenant.Enabled, Channels: channels,
		Keys: []invoice.Key{{ID: "key_1", Mask: "sk-…1"}},
	}, &invoicedb.Credential{Sealed: []byte("sealed credential"), With: "k1"}))(t)
}

func TestBillingAccount_CredentialIsReturnedToTheWorkerAlone(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		_, channel := storetest.AddModel(t, s, "m1")
		made := newBillingAccount(t, s, channel.ID)
		claim := storetest.Need(s.Invoice.Claim(background, platform, time.Minute))(t)
		if claim == nil || claim.ID != made.ID || string(claim.Credential.Sealed) != "sealed credential" ||
			claim.Credential.With != "k1" {
			t.Fatalf("got claim %+v, want the account with its credential", claim)
		}
		if again := storetest.Need(s.Invoice.Claim(background, platform, time.Minute))(t); again != nil {
			t.Errorf("got claim %+v of a claimed account, want none", again)
		}
		for _, entry := range storetest.Need(s.Audit.List(background, platform,
			audit.Query{Page: page.Page{}}))(t).Items {
			for name, value := range entry.Detail {
				if text, is := value.(string); is && strings.Contains(text, "sealed credential") {
					t.Errorf("the audit log has the credential in %s", name)
				}
			}
		}
		// A new address drops the credential, a new credential keeps it.
		moved := storetest.Need(s.Invoice.UpdateAccount(background, platform, made.ID,
			invoicedb.Patch{BaseURL: new("https://other.example")}))(t)
		storetest.Equal(t, "a credential after a change of the address", moved.Credential, false)
		claim = storetest.Need(s.Invoice.Claim(background, platform, time.Minute))(t)
		storetest.Equal(t, "bytes of the dropped credential", len(claim.Credential.Sealed), 0)
		moved = storetest.Need(s.Invoice.UpdateAccount(background, platform, made.ID,
			invoicedb.Patch{BaseURL: new("https://third.example"),
				Credential: &invoicedb.Credential{Sealed: []byte("next"), With: "k2"}}))(t)
		storetest.Equal(t, "a credential that comes with the address", moved.Credential, true)
		claim = storetest.Need(s.Invoice.Claim(background, platform, time.Minute))(t)
		// Replaced meanwhile.
		storetest.OK(t, s.Invoice.Reseal(background, platform, made.ID, []byte("sealed credential"),
			invoicedb.Credential{Sealed: []byte("late"), With: "k3"}))
		storetest.Equal(t, "credentials of other keys than k2",
			storetest.Need(s.Invoice.Stale(background, platform, "k2"))(t), 0)
		storetest.OK(t, s.Invoice.Reseal(background, platform, made.ID, claim.Credential.Sealed,
			invoicedb.Credential{Sealed: []byte("again"), With: "k3"}))
		storetest.Equal(t, "credentials of other keys than k2 after the reseal",
			storetest.Need(s.Invoice.Stale(background, platform, "k2"))(t), 1)
	})
}

func TestBillingAccount_ChecksItsFields(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		newBillingAccount(t, s)
		sound := invoice.Account{Name: "B", Provider: invoice.Upload}
		_, err := s.Invoice.CreateAccount(background, platform,
			invoice.Account{Name: "OpenAI", Provider: invoice.Upload}, nil)
		storetest.Refuses(t, err, problem.Conflict, "name")
		_, err = s.Invoice.CreateAccount(background, platform, sound,
			&invoicedb.Credential{Sealed: []byte("x"), With: "k"})
		storetest.Refuses(t, err, problem.InvalidType, "credential")
		sound.Channels = []uuid.UUID{storetest.NewID()}
		_, err = s.Invoice.CreateAccount(background, platform, sound, nil)
		storetest.Refuses(t, err, problem.InvalidType, "channels")
		_, err = s.Invoice.UpdateAccount(background, platform, storetest.NewID(), invoicedb.Patch{})
		storetest.Refuses(t, err, problem.NotFound, "")
		storetest.Refuses(t, s.Invoice.DeleteAccount(background, platform, storetest.NewID()), problem.NotFound, "")
		storetest.Refuses(t, s.Invoice.FetchNow(background, platform, storetest.NewID()), problem.NotFound, "")
	})
}

// figures are an amount, tokens and requests.
func figures(amount money.Amount, tokens, requests int64) invoice.Figures {
	return invoice.Figures{Amount: &amount, InputTokens: &tokens, OutputTokens: new(int64(0)), Requests: &requests}
}

func TestSupplierCharges_AReportReplacesItsDaysAlone(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		claim := &invoicedb.Claim{Account: newBillingAccount(t, s)}
		id := claim.ID
		read := func(day invoice.Day) []invoice.Charge {
			return storetest.Need(s.Invoice.Charges(background, platform, id, day))(t)
		}
		report := func(days map[invoice.Day]money.Amount) invoice.Report {
			r := invoice.Report{Days: map[invoice.Day]bool{}}
			for day, amount := range days {
				r.Days[day] = true
				if amount != 0 {
					r.Charges = append(r.Charges,
						invoice.Charge{Day: day, Model: "gpt-4o", Key: "key_1", Figures: figures(amount, 10, 1)})
				}
			}
			return r
		}
		later := time.Now().Add(time.Hour)
		for range 2 { // a repeated report changes nothing
			storetest.OK(t, s.Invoice.Fetched(background, platform, claim,
				report(map[invoice.Day]money.Amount{"2026-11-01": money.USD, "2026-11-02": 2 * money.USD}), later))
		}
		storetest.OK(t, s.Invoice.Failed(background, platform, claim, "the provider answered 503", later))
		storetest.Equal(t, "error after a failure",
			storetest.Need(s.Invoice.Account(background, platform, id))(t).Error, "the provider answered 503")
		// The provider corrects a day and takes the charges of the other one back. A third day is new.
		storetest.OK(t, s.Invoice.Fetched(background, platform, claim,
			report(map[invoice.Day]money.Amount{"2026-11-02": 0, "2026-11-03": 3 * money.USD}), later))
		account := storetest.Need(s.Invoice.Account(background, platform, id))(t)
		storetest.Equal(t, "error after a success", account.Error, "")
		storetest.Equal(t, "a fetch is recorded", account.FetchedAt.IsZero(), false)
		if one := read("2026-11-01"); len(one) != 1 || *one[0].Amount != money.USD || *one[0].Requests != 1 ||
			one[0].Key != "key_1" {
			t.Errorf("got %+v, want the charge of a day that was not reported again", one)
		}
		storetest.Equal(t, "charges of the day that was taken back", len(read("2026-11-02")), 0)
		storetest.Equal(t, "amount of the new day", *read("2026-11-03")[0].Amount, 3*money.USD)
		storetest.Refuses(t, s.Invoice.Upload(background, platform, id,
			report(map[invoice.Day]money.Amount{"2026-11-01": 1})), problem.Conflict, "")
		storetest.OK(t, s.Invoice.DeleteAccount(background, platform, id))
		storetest.Equal(t, "charges of a deleted account", len(read("2026-11-01")), 0)
	})
}

// An account is changed while a worker fetches its charges: the report may be that of another organization.
func TestFetched_DropsTheReportOfAnAccountThatChangedSinceTheClaim(t *testing.T) {
	storetest.EachAt(t, storetest.Noon, func(t *testing.T, s *store.Store, now *time.Time) {
		made := newBillingAccount(t, s)
		claim := storetest.Need(s.Invoice.Claim(background, platform, time.Hour))(t)
		*now = now.Add(time.Minute)
		storetest.Need(s.Invoice.UpdateAccount(background, platform, made.ID,
			invoicedb.Patch{Credential: &invoicedb.Credential{Sealed: []byte("next"), With: "k2"}}))(t)
		later := now.Add(6 * time.Hour)
		storetest.OK(t, s.Invoice.Fetched(background, platform, claim, invoice.Report{
			Days:    map[invoice.Day]bool{"2026-03-01": true},
			Charges: []invoice.Charge{{Day: "2026-03-01", Model: "m", Figures: figures(1, 1, 1)}},
		}, later))
		storetest.OK(t, s.Invoice.Failed(background, platform, claim, "status 401", later))
		storetest.OK(t, s.Invoice.Rest(background, platform, claim, later))
		storetest.Equal(t, "charges",
			len(storetest.Need(s.Invoice.Charges(background, platform, made.ID, "2026-03-01"))(t)), 0)
		again := storetest.Need(s.Invoice.Claim(background, platform, time.Hour))(t)
		if again == nil || string(again.Credential.Sealed) != "next" || again.Error != "" {
			t.Errorf("got claim %+v, want the account with its new credential at once", again)
		}
	})
}

// Nobody in a tenant reads or changes anything of the suppliers, not even its owner.
func TestSupplierCharges_AreForOperatorsAlone(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		id := newBillingAccount(t, s).ID
		for _, scope := range []tenant.Scope{f.AsOwner, f.AsAdmin, f.AsMember, {}} {
			_, read := s.Invoice.Account(background, scope, id)
			_, list := s.Invoice.Accounts(background, scope, page.Page{})
			_, charges := s.Invoice.Charges(background, scope, id, "2026-11-01")
			_, create := s.Invoice.CreateAccount(background, scope,
				invoice.Account{Name: "B", Provider: invoice.Upload}, nil)
			_, update := s.Invoice.UpdateAccount(background, scope, id, invoicedb.Patch{Name: new("mine")})
			_, claim := s.Invoice.Claim(background, scope, time.Minute)
			_, stale := s.Invoice.Stale(background, scope, "k1")
			_, compare := s.Invoice.Compare(background, scope, id)
			_, days := s.Invoice.Days(background, scope, invoicedb.Query{})
			_, _, comparison := s.Invoice.Comparison(background, scope, id, "2026-11-01")
			_, healths := s.Invoice.Healths(background, scope)
			for i, err := range []error{
				read, list, charges, create, update, claim, stale, compare, days, comparison, healths,
				s.Invoice.Rest(background, scope, &invoicedb.Claim{}, time.Now()),
				s.Invoice.DeleteAccount(background, scope, id), s.Invoice.FetchNow(background, scope, id),
				s.Invoice.Upload(background, scope, id, invoice.Report{}),
				s.Invoice.Fetched(background, scope, &invoicedb.Claim{}, invoice.Report{}, time.Now()),
				s.Invoice.Failed(background, scope, &invoicedb.Claim{}, "x", time.Now()),
				s.Invoice.Reseal(background, scope, id, nil, invoicedb.Credential{}),
			} {
				if !problem.Is(err, problem.Forbidden) {
					t.Errorf("call %d by %v: got %v, want forbidden", i, scope, err)
				}
			}
		}
	})
}

// With a role for each program, the worker alone reads billing credentials, and relays nothing of the suppliers.
func TestRoles_LetTheWorkerAloneReadBillingCredentials(t *testing.T) {
	e := newRolesStore(t)
	console, worker := e.open(t, "tollgate_console"), e.open(t, "tollgate_worker")
	account := newBillingAccount(t, console)
	storetest.Need(console.Invoice.UpdateAccount(background, platform, account.ID,
		invoicedb.Patch{Credential: &invoicedb.Credential{Sealed: []byte("next"), With: "k2"}}))(t)
	storetest.Need(console.Invoice.Accounts(background, platform, page.Page{}))(t)
	storetest.Equal(t, "credentials of other keys",
		storetest.Need(console.Invoice.Stale(background, platform, "k3"))(t), 1)
	claim := storetest.Need(worker.Invoice.Claim(background, platform, time.Minute))(t)
	storetest.Equal(t, "the worker's credential", string(claim.Credential.Sealed), "next")
	storetest.OK(t, worker.Invoice.Reseal(background, platform, account.ID, claim.Credential.Sealed,
		invoicedb.Credential{Sealed: []byte("again"), With: "k3"}))
	storetest.OK(t, worker.Invoice.Fetched(background, platform, claim, invoice.Report{
		Days:    map[invoice.Day]bool{"2026-11-01": true},
		Charges: []invoice.Charge{{Day: "2026-11-01", Model: "m", Figures: figures(1, 1, 1)}},
	}, time.Now()))
	storetest.OK(t, worker.Invoice.Failed(background, platform, claim, "x", time.Now()))
	storetest.Need(worker.Invoice.Compare(background, platform, account.ID))(t)
	storetest.Need(worker.Invoice.Healths(background, platform))(t)
	storetest.Need(console.Invoice.Days(background, platform, invoicedb.Query{From: "2000-01-01", To: "2199-01-01"}))(t)
	storetest.Need(console.Invoice.Charges(background, platform, account.ID, "2026-11-01"))(t)
	upload := storetest.Need(console.Invoice.CreateAccount(background, platform,
		invoice.Account{Name: "B", Provider: invoice.Upload}, nil))(t)
	storetest.OK(t, console.Invoice.Upload(background, platform, upload.ID,
		invoice.Report{Days: map[invoice.Day]bool{"2026-11-01": true}}))
	storetest.OK(t, console.Invoice.DeleteAccount(background, platform, account.ID))

	for _, attempt := range []struct{ role, statement string }{
		{"tollgate_console", "SELECT credential FROM billing_accounts"},
		{"tollgate_console", "SELECT * FROM billing_accounts"},
		{"tollgate_console", "SELECT id FROM billing_accounts WHERE credential = 'x'"},
		{"tollgate_console", "UPDATE billing_accounts SET name = encode(credential, 'hex')"},
		{"tollgate_console", "INSERT INTO billing_accounts (id) VALUES (gen_random_uuid()) RETURNING credential"},
		{"tollgate_relay", "SELECT id FROM billing_accounts"},
		{"tollgate_relay", "SELECT amount FROM supplier_charges"},
		{"tollgate_worker", "UPDATE billing_accounts SET base_url = 'https://attacker.example'"},
		{"tollgate_worker", "DELETE FROM billing_accounts"},
	} {
		if err := storetest.Try(t, e.as(attempt.role), attempt.statement); !refusedByPrivilege(err) {
			t.Errorf("%s may %s: got error %v, want a missing privilege", attempt.role, attempt.statement, err)
		}
	}
	for _, column := range []string{"billing_accounts", "supplier_charges", "supplier_days", "supplier_own"} {
		for _, role := range []string{"tollgate_tenant", "tollgate_worker_tenant"} {
			var may bool
			storetest.OK(t, e.conn.QueryRow(background,
				"SELECT has_any_column_privilege($1, $2, 'SELECT, INSERT, UPDATE')", role, column).Scan(&may))
			storetest.Equal(t, role+" has a right on "+column, may, false)
		}
	}
}

// comparing is a store with an account that pays one of two channels, and a clock that the test sets.
type comparing struct {
	testing.TB
	store   *store.Store
	url     string
	now     time.Time
	f       storetest.Customer
	account invoice.Account
	paid    uuid.UUID // the channel that the account pays
	other   uuid.UUID
}

func newComparing(t *testing.T, url string) *comparing {
	c := &comparing{TB: t, url: url, now: time.Now().UTC().Truncate(24 * time.Hour).Add(5 * time.Hour)}
	c.store = storetest.Open(t, storedb.Options{URL: url, Now: func() time.Time { return c.now }})
	c.f = storetest.NewCustomer(t, c.store, "acme")
	_, paid := storetest.AddModel(t, c.store, "m1")
	_, other := storetest.AddModel(t, c.store, "m2")
	c.paid, c.other = paid.ID, other.ID
	c.account = storetest.Need(c.store.Invoice.CreateAccount(background, platform, invoice.Account{
		Name: "OpenAI", Provider: invoice.OpenAI, Channels: []uuid.UUID{c.paid},
		Keys: []invoice.Key{{ID: "key_1", Mask: "sk-…1"}, {ID: "key_2", Mask: "sk-…2"}},
	}, nil))(t)
	return c
}

// log records a call on the day with this supplier cost, "" for none, and this list of attempts.
func (c *comparing) log(day invoice.Day, channel uuid.UUID, cost, attempts string) {
	c.Helper()
	event := c.f.Call(c.f.Member, "m1", 1)
	event.CreatedAt = day.Start().Add(12 * time.Hour)
	floor := field.IDFloor(event.CreatedAt)
	copy(event.ID[:6], floor[:6])
	event.ChannelID, event.UpstreamModel = channel, "up-m1-2026-01-01"
	storetest.Need(c.store.Metering.RecordEvents(background, platform, storetest.NewID(), []usage.Event{event}))(c)
	if cost == "" {
		cost = "NULL"
	}
	id := event.ID.String()
	storetest.Exec(c, c.url, fmt.Sprintf("UPDATE usage_logs SET supplier_cost = %s, attempts = '%s' WHERE id = '%s'",
		cost, attempts, id))
}

// compare compares everything that is due.
func (c *comparing) compare() {
	c.Helper()
	for more := true; more; {
		more = storetest.Need(c.store.Invoice.Compare(background, platform, c.account.ID))(c)
	}
}

// results returns the results of the last days by day.
func (c *comparing) results() map[invoice.Day]invoicedb.Result {
	c.Helper()
	all := map[invoice.Day]invoicedb.Result{}
	for _, r := range storetest.Need(c.store.Invoice.Days(background, platform,
		invoicedb.Query{From: "2000-01-01", To: "2199-01-01"}))(c) {
		all[r.Day] = r
	}
	return all
}

func TestSupplierComparison_EqualsASumByHand(t *testing.T) {
	for kind, open := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			c := newComparing(t, open(t))
			today := invoice.DayOf(c.now)
			day := today.Add(-3)
			ok1, ok2 := `[{"key":"sk-…1"}]`, `[{"key":"sk-…2"}]`
			c.log(day, c.paid, "1000000000", ok1)
			c.log(day, c.paid, "2000000000", ok2)
			// No cost rates.
			c.log(day, c.paid, "", ok2)
			// A key of another account.
			c.log(day, c.paid, "7000000000", `[{"key":"sk-…9"}]`)
			// A channel of another account.
			c.log(day, c.other, "9000000000", ok1)
			// Another day.
			c.log(day.Add(-1), c.paid, "5000000000", ok1)
			// Failed on the paid channel.
			c.log(day, c.other, "40000000",
				fmt.Sprintf(
					`[{"channel_id":"%s","key":"sk-…1","usage":{"Input":100,"Output":10},"supplier_cost":"0.03"},{"key":"sk-…1"}]`, c.paid))
			// Failed on the other one.
			c.log(day, c.paid, "50000000",
				fmt.Sprintf(
					`[{"channel_id":"%s","key":"sk-…1","usage":{"Input":100,"Output":10},"supplier_cost":"0.02"},{"key":"sk-…2"}]`, c.other))
			storetest.OK(t,
				c.store.Invoice.Fetched(background, platform, &invoicedb.Claim{Account: c.account}, invoice.Report{
					Days: map[invoice.Day]bool{day: true},
					Charges: []invoice.Charge{
						{Day: day, Model: "up-m1", Key: "key_1", Figures: figures(1_030_000_000, 126, 2)},
						{Day: day, Model: "up-m1", Key: "key_2", Figures: figures(9_000_000_000, 78, 3)},
					},
				}, c.now))
			c.now = c.now.Add(time.Minute)
			c.compare()

			result := c.results()[day]
			storetest.Equal(t, "status", result.Status, invoice.Differs)
			storetest.Equal(t, "reason", result.Reason, invoice.NoRates)
			storetest.Equal(t, "the provider's amount", *result.Amount, 10_030_000_000)
			// 1 + 2 + (0.05 - 0.02) for the calls, and 0.03 for the failed attempt.
			storetest.Equal(t, "our cost", result.OwnCost, 3_060_000_000)
			storetest.Equal(t, "difference", result.Difference, 6_970_000_000)
			storetest.Equal(t, "calls", result.Requests, 5)
			storetest.Equal(t, "calls without a cost", result.Unpriced, 1)
			compared, _, err := c.store.Invoice.Comparison(background, platform, c.account.ID, day)
			storetest.OK(t, err)
			if len(compared.Lines) != 1 || len(compared.Lines[0].Keys) != 2 {
				t.Fatalf("got %+v, want one model with two keys", compared.Lines)
			}
			model := compared.Lines[0]
			storetest.Equal(t, "model", model.Name, "up-m1")
			storetest.Equal(t, "key with the largest difference", model.Keys[0].Name, "sk-…2")
			storetest.Equal(t, "its cost", model.Keys[0].Own.Cost, 2_030_000_000)
			storetest.Equal(t, "cost of the other key", model.Keys[1].Own.Cost, 1_030_000_000)
			storetest.Equal(t, "its result", model.Keys[1].Status, invoice.Matches)
			storetest.Equal(t, "its input tokens", model.Keys[1].Own.InputTokens, 26+100)

			// Days that the provider has not reported wait. Days without a trace of either side match.
			storetest.Equal(t, "a day that was not reported", c.results()[today.Add(-1)].Status, invoice.Pending)
			health := storetest.Need(c.store.Invoice.Healths(background, platform))(t)
			storetest.Equal(t, "days that differ", health[0].Days[invoice.Differs], 1)
			storetest.Equal(t, "difference in the metrics", health[0].Difference, 6_970_000_000)
		})
	}
}

func TestSupplierComparison_FollowsCorrectionsAndLateLogs(t *testing.T) {
	for kind, open := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			c := newComparing(t, open(t))
			day := invoice.DayOf(c.now).Add(-2)
			report := func(charges ...invoice.Charge) {
				c.now = c.now.Add(time.Hour)
				storetest.OK(t, c.store.Invoice.Fetched(background, platform, &invoicedb.Claim{Account: c.account},
					invoice.Report{Days: map[invoice.Day]bool{day: true}, Charges: charges}, c.now))
				c.compare()
			}
			charge := invoice.Charge{Day: day, Model: "up-m1", Key: "key_1", Figures: figures(2*money.USD, 52, 2)}
			c.log(day, c.paid, "1000000000", `[{"key":"sk-…1"}]`)
			report()
			storetest.Equal(t, "an empty report of a recent day", c.results()[day].Status, invoice.Pending)
			tokens := charge
			tokens.Amount = nil
			report(tokens)
			storetest.Equal(t, "a report of tokens alone", c.results()[day].Status, invoice.Pending)
			report(charge)
			storetest.Equal(t, "a call is missing in our logs", c.results()[day].Reason, invoice.MissingCalls)
			c.log(day, c.paid, "1000000000", `[{"key":"sk-…1"}]`) // a relay that could not reach the database
			report(charge)
			storetest.Equal(t, "after the late call", c.results()[day].Status, invoice.Matches)
			c.now = c.now.Add(10 * 24 * time.Hour)
			report()
			storetest.Equal(t, "the provider took the charge back", c.results()[day].Reason, invoice.NotCharged)
			storetest.Equal(t, "our cost is kept", c.results()[day].OwnCost, 2*money.USD)

			// A change of the account is compared with the next run.
			c.now = c.now.Add(time.Minute)
			storetest.Need(c.store.Invoice.UpdateAccount(background, platform, c.account.ID,
				invoicedb.Patch{Channels: &[]uuid.UUID{c.other}}))(t)
			c.now = c.now.Add(time.Minute)
			c.compare()
			storetest.Equal(t, "status without the channel", c.results()[day].Status, invoice.Matches)
		})
	}
}

// A call whose attempts all failed costs what the failed attempts cost, and nothing on the channel that failed last.
func TestSupplierComparison_CountsFailedAttemptsOfCallsThatNobodyAnswered(t *testing.T) {
	for kind, open := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			c := newComparing(t, open(t))
			day := invoice.DayOf(c.now).Add(-3)
			charged := fmt.Sprintf(
				`{"channel_id":"%s","key":"sk-…1","usage":{"Input":100,"Output":10},"supplier_cost":"0.75"}`, c.paid)
			c.log(day, c.paid, "750000000", fmt.Sprintf(`[%s,{"channel_id":"%s","key":"sk-…2","error":"status"}]`,
				charged, c.paid))
			storetest.Exec(c, c.url, "UPDATE usage_logs SET outcome = 'failed', input_tokens = 0, output_tokens = "+
				"0, cached_input_tokens = 0, reasoning_tokens = 0, cache_write_tokens = 0, audio_input_tokens = 0, "+
				"audio_output_tokens = 0")
			c.now = c.now.Add(time.Minute)
			c.compare()
			result := c.results()[day]
			storetest.Equal(t, "our cost", result.OwnCost, 750_000_000)
			storetest.Equal(t, "calls", result.Requests, 1)
		})
	}
}

// A worker that stops does not leave a query in the database that reads the usage logs.
func TestSupplierComparison_IsCanceledInTheDatabase(t *testing.T) {
	t.Parallel()
	c := newComparing(t, storetest.Postgres(t))
	conn := storetest.Need(pgx.Connect(background, c.url))(t)
	tx := storetest.Need(conn.Begin(background))(t)
	// The comparison waits for this lock.
	storetest.Need(tx.Exec(background, "LOCK TABLE usage_logs IN ACCESS EXCLUSIVE MODE"))(t)
	waiting := func(want int) {
		t.Helper()
		watch, n := storetest.Need(pgx.Connect(background, c.url))(t), -1
		for until := time.Now().Add(30 * time.Second); n != want && time.Now().Before(until); {
			storetest.OK(t, watch.QueryRow(background,
				`SELECT (SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'usage_logs'::regclass)
				FROM pg_sleep(0.01)`).Scan(&n))
		}
		storetest.Equal(t, "statements that read usage logs", n, want)
	}
	ctx, cancel := context.WithCancel(background)
	ended := make(chan error)
	go func() {
		_, err := c.store.Invoice.Compare(ctx, platform, c.account.ID)
		ended <- err
	}()
	waiting(1)
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want that of the context", err)
	}
	waiting(0)
	storetest.OK(t, tx.Rollback(background))
	c.compare() // the next run compares the days
	storetest.Equal(t, "days compared", len(c.results()), 3)
}

func TestBillingAccount_HoldsItsMaximumForConcurrentRequests(t *testing.T) {
	r := newContest(t)
	// Who creates them.
	storetest.Need(r.Identity.CreateUser(background, storetest.Confirmed(platform),
		identity.NewUser{Email: "op@x.example", Role: tenant.Operator}))(t)
	r.overlapLast("billing accounts", invoice.MaxAccounts, problem.Conflict, func(s *store.Store) error {
		_, err := s.Invoice.CreateAccount(background, platform,
			invoice.Account{Name: storetest.NewID().String(), Provider: invoice.Upload}, nil)
		return err
	})
}

// The channels of an account change after its calls were added up for a comparison.
func TestCompare_RepeatsADayOfAnAccountThatChanges(t *testing.T) {
	t.Parallel()
	url := storetest.Postgres(t)
	c := newComparing(t, url)
	r := contestOn(t, url, func() time.Time { return c.now })
	day := invoice.DayOf(c.now).Add(-20) // its calls are added up only once
	storetest.Exec(t, url,
		fmt.Sprintf("INSERT INTO supplier_days (account_id, day, fetched_at) VALUES ('%s', '%s', '%s')", c.account.ID,
			day, c.now.Format(time.RFC3339)))
	c.log(day, c.paid, "1000000000", `[{"key":"sk-…1"}]`)
	c.log(day, c.other, "5000000000", `[{"key":"sk-…1"}]`)
	c.now = c.now.Add(time.Minute)
	storetest.OK(t, r.overlap(func(s *store.Store) error {
		_, err := s.Invoice.UpdateAccount(background, platform, c.account.ID,
			invoicedb.Patch{Channels: &[]uuid.UUID{c.other}})
		return err
	}, func(s *store.Store) error {
		_, err := s.Invoice.Compare(background, platform, c.account.ID)
		return err
	}))
	c.now = c.now.Add(time.Minute)
	c.compare()
	storetest.Equal(t, "our cost", c.results()[day].OwnCost, 5*money.USD)
}
