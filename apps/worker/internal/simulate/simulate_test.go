package simulate

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/apps/worker/internal/jobs"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/job"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/identity"
	jobdb "github.com/tollgate/tollgate/libs/store/job"
	"github.com/tollgate/tollgate/libs/store/metering"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

func TestMain(m *testing.M) { os.Exit(storetest.Main(m)) }

func to[T any](v T) *T { return &v }

// history is a random set of versions of prices and rules, and calls that were priced by them.
type history struct {
	prices []pricing.Price
	rules  []pricing.Rule
	groups []uuid.UUID
	calls  []usage.Log
}

var models = []string{"small", "large", "free"}

// newHistory returns the history of a seed: two models with two prices each, a model without a price, three
// rules for two of three groups, and 300 calls.
func newHistory(seed uint64) (w history) {
	random := rand.New(rand.NewPCG(seed, 1))
	rate := func() *money.Amount {
		if random.IntN(3) == 0 {
			return nil
		}
		return to(money.Amount(random.Int64N(1e11)))
	}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	w.groups = []uuid.UUID{uuid.New(), uuid.New(), uuid.New()}
	for i, model := range models[:2] {
		for v := range 2 {
			w.prices = append(w.prices, pricing.Price{
				ID: uuid.New(), Model: model, EffectiveFrom: start.Add(time.Duration(v*50-100*i) * time.Hour),
				Rates: pricing.Rates{ClassRates: pricing.ClassRates{Input: rate(), CachedInput: rate(), Output: rate(),
					Reasoning: rate(), Request: rate()}},
			})
		}
	}
	for i, model := range []string{"", "", "small"} { // the third group has no rule
		w.rules = append(w.rules, pricing.Rule{
			ID: uuid.New(), GroupID: w.groups[i%2], Model: model, EffectiveFrom: start,
			Multiplier: money.Factor(random.Int64N(2e9)),
		})
	}
	book := pricing.NewBook(w.prices, w.rules)
	for i := range 300 {
		w.calls = append(w.calls, called(book, random, usage.Log{
			ID: uuid.New(), CreatedAt: start.Add(time.Duration(i) * time.Hour),
			TenantID: uuid.UUID{byte(random.IntN(4))},
			GroupID:  w.groups[random.IntN(3)], Model: models[random.IntN(3)],
			Outcome: []usage.Outcome{usage.Success, usage.Partial, usage.Failed}[random.IntN(3)],
		}))
	}
	return w
}

// called returns the call with random usage, priced as a relay does.
func called(book *pricing.Book, random *rand.Rand, l usage.Log) usage.Log {
	l.Usage = usage.Usage{Input: random.Int64N(1e6), CachedInput: random.Int64N(1e6), Output: random.Int64N(1e6),
		Reasoning: random.Int64N(1e5)}
	terms, priced := book.Terms(l.Model, l.GroupID, l.CreatedAt)
	if l.Outcome == usage.Failed || !priced {
		return l
	}
	cost, err := terms.Cost(l.Usage)
	if err != nil {
		panic(err)
	}
	l.PriceID, l.RuleID, l.Cost, l.Quota = terms.Price.ID, terms.Rule.ID, cost, cost
	return l
}

// simulate returns the result for all calls under the change.
func (w *history) simulate(t testing.TB, p job.SimulationParameters) job.SimulationResult {
	t.Helper()
	c, s := changeOf(&p), newSums()
	c.setVersions(w.prices, w.rules)
	for i := range w.calls {
		if err := c.add(&s, &w.calls[i]); err != nil {
			t.Fatal(err)
		}
	}
	return s.result()
}

// cost returns the sum of the actual costs of the calls.
func (w *history) cost() (sum money.Amount) {
	for i := range w.calls {
		sum += w.calls[i].Cost
	}
	return sum
}

// The proposal is the price or rule that priced the calls.
func TestSimulate_ShowsNoDifferenceForTheVersionInForce(t *testing.T) {
	t.Parallel()
	for seed := range uint64(50) {
		w := newHistory(seed)
		for _, p := range w.prices[:2] { // leave out calls that another version of the same price priced
			var same []usage.Log
			for _, l := range w.calls {
				if l.Model != p.Model || l.PriceID == p.ID || l.Outcome == usage.Failed {
					same = append(same, l)
				}
			}
			one := w
			one.calls = same
			got := one.simulate(t, job.SimulationParameters{Price: &job.ProposedPrice{Model: p.Model, Price: p.Rates}})
			if got.Difference != 0 || got.Before != one.cost() || got.After != got.Before ||
				got.Calls != int64(len(same)) || got.Unpriced != 0 {
				t.Errorf("seed %d, price of %s: got %+v, want no difference over %d calls", seed, p.Model,
					got.Totals, len(same))
			}
		}
		for _, r := range w.rules {
			got := w.simulate(t,
				job.SimulationParameters{Rule: &job.ProposedRule{GroupID: r.GroupID, Model: r.Model,
					Multiplier: &r.Multiplier}})
			if got.Difference != 0 || got.Before != w.cost() {
				t.Errorf("seed %d, rule for model %q: got %+v, want no difference", seed, r.Model, got.Totals)
			}
		}
	}
}

// The expected cost comes from a price book in which the change was made before the first call.
func TestSimulate_MatchesTheCostUnderTheChangedBook(t *testing.T) {
	t.Parallel()
	for seed := range uint64(50) {
		w := newHistory(seed)
		random := rand.New(rand.NewPCG(seed, 2))
		before := w.calls[0].CreatedAt.Add(-time.Minute)
		p := job.SimulationParameters{
			Price: &job.ProposedPrice{Model: models[random.IntN(3)],
				Price: pricing.Rates{ClassRates: pricing.ClassRates{Input: to(money.Amount(7e8)),
					Request: to(money.Amount(3))}}},
			Rule: &job.ProposedRule{GroupID: w.groups[random.IntN(3)], Model: []string{"", "small"}[random.IntN(2)],
				Multiplier: to(money.Factor(random.Int64N(3e9)))},
		}
		if random.IntN(3) == 0 {
			p.Rule.Fixed = to(money.Amount(12345))
		}
		// The expected book: the proposals are in force from the first call on and replace all versions of
		// the same price and rule.
		var prices []pricing.Price
		for _, was := range w.prices {
			if was.Model != p.Price.Model {
				prices = append(prices, was)
			}
		}
		prices = append(prices, pricing.Price{ID: uuid.Max, Model: p.Price.Model, EffectiveFrom: before,
			Rates: p.Price.Price})
		var rules []pricing.Rule
		for _, was := range w.rules {
			if was.GroupID != p.Rule.GroupID || was.Model != p.Rule.Model {
				rules = append(rules, was)
			}
		}
		rule := p.Rule.Rule()
		rule.ID, rule.EffectiveFrom = uuid.Max, before
		book := pricing.NewBook(prices, append(rules, rule))
		var want money.Amount
		for i := range w.calls {
			l := &w.calls[i]
			if terms, priced := book.Terms(l.Model, l.GroupID, l.CreatedAt); priced && l.Outcome != usage.Failed {
				cost, err := terms.Cost(l.Usage)
				if err != nil {
					t.Fatal(err)
				}
				want += cost
			}
		}
		got := w.simulate(t, p)
		if got.After != want || got.Before != w.cost() || got.Difference != want-w.cost() {
			t.Errorf("seed %d: got %+v, want before %s and after %s", seed, got.Totals, w.cost(), want)
		}
		for name, parts := range map[string]job.Breakdown{"tenants": got.Tenants, "groups": got.Groups,
			"models": got.Models} {
			sum := parts.Rest
			for _, share := range parts.Items {
				sum = job.Totals{Calls: sum.Calls + share.Calls, Before: sum.Before + share.Before,
					After: sum.After + share.After, Difference: sum.Difference + share.Difference}
			}
			if sum != got.Totals {
				t.Errorf("seed %d: got a sum of all %s of %+v, want %+v", seed, name, sum, got.Totals)
			}
		}
	}
}

func TestBreakdown_ListsTheLargestDifferencesAndSumsTheRest(t *testing.T) {
	t.Parallel()
	l := newLedger()
	for i := range maxKeys + 50 {
		l.add(fmt.Sprint(i), sum{Calls: 1, Before: 10, After: 10 + money.Amount(i%150)})
	}
	b := l.breakdown()
	if len(l.Of) != maxKeys || len(b.Items) != job.MaxShares || b.Items[0].Difference != 149 ||
		b.Items[99].Difference != 149 {
		t.Errorf("got %d keys and %d items, the first %+v; want %d, %d and a difference of 149", len(l.Of),
			len(b.Items), b.Items[0], maxKeys, job.MaxShares)
	}
	if want := int64(maxKeys + 50 - job.MaxShares); b.Rest.Calls != want {
		t.Errorf("got %d calls in the rest, want %d", b.Rest.Calls, want)
	}
}

func TestAdd_CountsCallsThatCannotBePriced(t *testing.T) {
	t.Parallel()
	p := job.SimulationParameters{Price: &job.ProposedPrice{Model: "small",
		Price: pricing.Rates{ClassRates: pricing.ClassRates{Input: to(money.Max)}}}}
	c, s := changeOf(&p), newSums()
	c.setVersions(nil, nil)
	for _, l := range []usage.Log{
		// unpriced: the price is not known
		{Model: "small", Outcome: usage.Success, PriceID: uuid.New(), Cost: 5},
		// unpriced: the cost is more than money.Max
		{Model: "small", Outcome: usage.Success, Usage: usage.Usage{Input: 2_000_000}},
		// Costs nothing because it failed.
		{Model: "small", Outcome: usage.Failed, Usage: usage.Usage{Input: 2_000_000}},
		// The change does not concern the model.
		{Model: "large", Outcome: usage.Success, PriceID: uuid.New(), Cost: 7},
		{Model: "small", Outcome: usage.Success, Usage: usage.Usage{Input: 999_999}}, // affected: nearly money.Max
	} {
		if err := c.add(&s, &l); err != nil {
			t.Fatal(err)
		}
	}
	if s.Unpriced != 2 || s.Affected != 1 || s.All.Calls != 3 || s.All.Before != 7 {
		t.Errorf("got %+v, want 2 unpriced and 1 affected of 3 calls that cost 7", s)
	}
	if err := c.add(&s,
		&usage.Log{Model: "small", Outcome: usage.Success, Usage: usage.Usage{Input: 1_000_000}}); err == nil {
		t.Error("a sum greater than money.Max is no error")
	}
}

func TestAdd_ChargesTheTokensOfAFailedCall(t *testing.T) {
	t.Parallel()
	old, each := pricing.Price{ID: uuid.New(), Model: "small",
		Rates: pricing.Rates{ClassRates: pricing.ClassRates{Input: to(money.USD)}}}, money.USD
	p := job.SimulationParameters{Price: &job.ProposedPrice{Model: "small",
		Price: pricing.Rates{ClassRates: pricing.ClassRates{Input: to(2 * money.USD), Request: &each}}}}
	c, s := changeOf(&p), newSums()
	c.setVersions([]pricing.Price{old}, nil)
	failed := usage.Log{Model: "small", Outcome: usage.Failed, PriceID: old.ID, Usage: usage.Usage{Input: 1_000},
		Cost: money.USD / 1_000}
	if err := c.add(&s, &failed); err != nil {
		t.Fatal(err)
	}
	if s.Affected != 1 || s.All.Before != failed.Cost || s.All.After != 2*failed.Cost {
		t.Errorf("got %+v, want twice the cost and no price for the request", s)
	}
}

// interrupting is a UsageLogs that calls cancel after each fourth page.
type interrupting struct {
	UsageLogs
	pages  int
	cancel context.CancelFunc
}

func (c *interrupting) Bills(ctx context.Context, scope tenant.Scope, q metering.BillQuery) ([]usage.Log, error) {
	bills, err := c.UsageLogs.Bills(ctx, scope, q)
	if c.pages++; c.pages%4 == 0 {
		c.cancel()
	}
	return bills, err
}

// The work is canceled after every fourth page and resumed.
func TestSimulator_GivesTheSameSumsAfterInterruptions(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		operator, p := seed(t, s)
		asked := func() job.Job {
			j, err := s.Job.CreateJob(t.Context(), tenant.ScopeOf(operator),
				jobdb.NewJob{Kind: job.PriceSimulation, Parameters: p})
			if err != nil {
				t.Fatal(err)
			}
			return j
		}
		whole, parts := asked(), asked()
		books := Store{UsageLogs: s.Metering, Versions: s.Catalog, Tenants: s.Identity}
		work(t, s, t.Context(), &Simulator{Store: books})
		again := asked()
		runs := 0
		for ; result(t, s, operator, again.ID) == nil; runs++ {
			ctx, cancel := context.WithCancel(t.Context())
			interrupted := books
			interrupted.UsageLogs = &interrupting{UsageLogs: s.Metering, cancel: cancel}
			work(t, s, ctx, &Simulator{Store: interrupted, Page: 20, SaveEvery: time.Nanosecond})
			cancel()
		}
		if runs < 3 {
			t.Errorf("got %d runs, want at least 3", runs)
		}
		want := result(t, s, operator, whole.ID)
		if want == nil || want.Calls != 200 || want.Affected == 0 || want.Difference == 0 ||
			want.Tenants.Items[0].Name != "Acme" || want.Groups.Items[0].Name != "default" {
			t.Fatalf("the uninterrupted run has the result %+v", want)
		}
		for _, other := range []uuid.UUID{parts.ID, again.ID} {
			if diff := cmp.Diff(want, result(t, s, operator, other)); diff != "" {
				t.Errorf("the result differs from that of the uninterrupted run (-want +got):\n%s", diff)
			}
		}
	})
}

// work runs all jobs that are due, until ctx ends.
func work(t *testing.T, s *store.Store, ctx context.Context, w jobs.Work) { //nolint:revive // t comes first, as in all test helpers
	t.Helper()
	runner, err := jobs.New(jobs.Options{
		Store: s, Scope: tenant.SystemScope("test"), Work: map[job.Kind]jobs.Work{job.PriceSimulation: w},
		Log: slog.New(slog.DiscardHandler), Registry: prometheus.NewRegistry(),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := runner.Run(ctx); err != nil && ctx.Err() == nil {
		t.Fatal(err)
	}
}

// result returns the result of a job, or nil if the job has not ended.
func result(t *testing.T, s *store.Store, as tenant.User, id uuid.UUID) (r *job.SimulationResult) {
	t.Helper()
	j, err := s.Job.Job(t.Context(), tenant.ScopeOf(as), id)
	if err != nil || j.Status == job.Failed {
		t.Fatal(j, err)
	}
	if j.Status == job.Succeeded {
		if err := json.Unmarshal(j.Result, &r); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// seed records 200 calls of a tenant and returns an operator and a proposal of another price.
func seed(t *testing.T, s *store.Store) (tenant.User, job.SimulationParameters) {
	t.Helper()
	ctx, system := t.Context(), tenant.SystemScope("test")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	operator, err := s.Identity.CreateUser(ctx, storetest.Confirmed(system),
		identity.NewUser{Email: "op@example.com", Role: tenant.Operator, PasswordHash: "x"})
	must(err)
	group, err := s.Catalog.CreateGroup(ctx, system, "default", []string{"*"})
	must(err)
	of, err := s.Identity.CreateTenant(ctx, system, identity.NewTenant{Slug: "acme", Name: "Acme", Quota: money.USD})
	must(err)
	_, err = s.Catalog.CreateModel(ctx, system, catalog.Model{ID: "small", OwnedBy: "acme"},
		pricing.Rates{ClassRates: pricing.ClassRates{Input: to(money.USD)}})
	must(err)
	_, err = s.Catalog.CreateRule(ctx, system, pricing.Rule{GroupID: group.ID, Multiplier: money.One / 3})
	must(err)
	snapshot, err := s.Catalog.Snapshot(ctx, system)
	must(err)
	random := rand.New(rand.NewPCG(9, 9))
	var events []usage.Event
	for range 200 {
		l := called(snapshot.Book, random, usage.Log{
			ID: uuid.Must(uuid.NewV7()), CreatedAt: time.Now().UTC(), TenantID: of.ID, UserID: uuid.New(),
			TokenID: uuid.New(),
			GroupID: group.ID, Model: "small", Dialect: "chat", Status: 200,
			Outcome: []usage.Outcome{usage.Success, usage.Failed}[random.IntN(2)],
		})
		events = append(events, usage.Event{Log: l})
	}
	_, err = s.Metering.RecordEvents(ctx, system, uuid.New(), events)
	must(err)
	return operator, job.SimulationParameters{
		Price: &job.ProposedPrice{Model: "small",
			Price: pricing.Rates{ClassRates: pricing.ClassRates{Input: to(2 * money.USD)}}},
		From: time.Now().Add(-time.Hour), To: time.Now().Add(time.Hour),
	}
}
