package pipeline

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/admit"
	"github.com/tollgate/tollgate/apps/relay/internal/meter"
	"github.com/tollgate/tollgate/apps/relay/internal/tap"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
)

// bank is a Lender with one account that applies the database's rules in memory.
type bank struct {
	mu      sync.Mutex
	account quota.Account
	lease   quota.Lease
	asked   int           // number of messages about leases
	takes   time.Duration // time that an answer takes
	down    bool
	silent  bool // heartbeats fail
}

func newBank(granted money.Amount) *bank {
	return &bank{account: quota.Account{Granted: &granted}}
}

var errDown = errors.New("down")

func (b *bank) GrantLease(ctx context.Context, _ tenant.Scope, _ uuid.UUID, _ quota.AccountRef,
	ask quota.LeaseRequest) (quota.LeaseResponse, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked++
	select {
	case <-time.After(b.takes):
	case <-ctx.Done():
		return quota.LeaseResponse{}, ctx.Err()
	}
	if b.down {
		return quota.LeaseResponse{}, errDown
	}
	return b.account.GrantLease(&b.lease, ask), nil
}

func (b *bank) RecallQuota(context.Context, tenant.Scope, uuid.UUID) error { return nil }

func (b *bank) Beat(context.Context, tenant.Scope, uuid.UUID) (int64, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.silent {
		return 0, errDown
	}
	return 0, nil
}

func (b *bank) RelayLeases(context.Context, tenant.Scope, uuid.UUID) (map[uuid.UUID]quota.Lease, error) {
	return nil, nil
}

var request = meter.SampleIn([]byte(`{"messages":[{"role":"user","content":"hello"}]}`))

// stream returns the allowance of a stream that costs 1 micro-dollar a token, input and output, and is held
// from b.
func stream(t *testing.T, b *bank, input, output int64) (*allowance, *admit.Admitter) {
	t.Helper()
	admitter := admit.New(admit.Options{Lender: b, Wait: time.Second, Grace: time.Hour, Now: time.Now,
		Log: slog.New(slog.DiscardHandler)})
	if err := admitter.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	rate := money.USD
	c := &exchange{
		estimator: meter.NewEstimator(nil),
		terms: pricing.Terms{Price: &pricing.Price{Rates: pricing.Rates{ClassRates: pricing.ClassRates{Input: &rate,
			Output: &rate}}}, Rule: pricing.Rule{Multiplier: money.One}},
		bound:  costBound{input: input, output: output, firstOutput: min(output, firstStep)},
		sample: request,
	}
	c.bound.minCost, c.bound.maxCost = micros(input+c.bound.firstOutput), micros(input+output)
	hold, err := admitter.Reserve(t.Context(),
		&token.Caller{Limits: []quota.Limit{{Owner: uuid.New(), Kind: quota.Wallet}}},
		admit.Demand{Min: c.bound.minCost, Max: c.bound.maxCost})
	if err != nil {
		t.Fatal(err)
	}
	c.hold = hold
	return newAllowance(c), admitter
}

// micros converts micro-dollars to an amount.
func micros(n int64) money.Amount { return money.Amount(n) * 1_000 }

// deliver delivers chunks of the given tokens until the allowance ends the stream or until most tokens are
// delivered. It returns the delivered tokens and the number of calls of Extend. It fails the test if a token is
// delivered that the hold doesn't cover.
func deliver(t *testing.T, a *allowance, chunk func() int64, most int64) (delivered int64, asked int) {
	t.Helper()
	mark := a.mark(t.Context(), 0)
	for {
		next := delivered + chunk()
		if next > most {
			return delivered, asked
		}
		if next > mark.Tokens {
			asked++
			mark = a.Extend(t.Context(), next)
		}
		if next > mark.Tokens {
			return delivered, asked
		}
		delivered = next
		if !a.call.softQuota && a.call.hold.Amount() < micros(min(a.input, a.call.bound.input)+delivered) {
			t.Fatalf("%d tokens delivered on a hold of %s", delivered, a.call.hold.Amount())
		}
	}
}

func one() int64 { return 1 }

// The database has not answered for so long that the leases of the relay may have been reclaimed.
func TestAllowance_DoesNotGrowFromLeasesThatAreNotValid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBank(micros(50_000))
		a, admitter := stream(t, b, 1_000, 100_000)
		before := a.call.hold.Amount()
		b.mu.Lock()
		b.down, b.silent = true, true
		b.mu.Unlock()
		time.Sleep(time.Hour) //nolint:forbidigo // on the fake clock
		deliver(t, a, one, 40_000)
		if got := a.call.hold.Amount(); got != before {
			t.Errorf("the hold grew from %s to %s", before, got)
		}
		a.call.hold.Release()
		admitter.Stop()
	})
}

func TestAllowance_ExtendsTheHoldInSteps(t *testing.T) {
	b := newBank(micros(50_000))
	a, admitter := stream(t, b, 1_000, 100_000)
	delivered, asked := deliver(t, a, one, 40_000)
	admitter.Stop()
	if delivered != 40_000 || asked > 20 || b.asked > 20 {
		t.Errorf("got %d tokens delivered with %d calls of Extend and %d messages to the database; want 40000 with "+
			"at most 20 of each", delivered, asked, b.asked)
	}
}

func TestAllowance_SpendsTheQuotaToTheEnd(t *testing.T) {
	counted := meter.EstimateInput("", request)
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		input, wallet := 1_000+random.Int64N(1_000), 4_000+random.Int64N(60_000)
		widest := int64(1)
		if random.IntN(2) == 0 {
			widest = 1 + random.Int64N(300)
		}
		b := newBank(micros(wallet))
		a, admitter := stream(t, b, input, 1_000_000)
		delivered, asked := deliver(t, a, func() int64 { return 1 + random.Int64N(widest) }, 1<<40)
		admitter.Stop()
		held := a.call.hold.Amount()
		if held > micros(wallet) || delivered > wallet-counted || delivered < wallet-counted-widest-2 {
			t.Errorf("input of %d tokens, wallet of %d: got %d tokens delivered on a hold of %s", input, wallet,
				delivered, held)
		}
		if asked > 80 || b.asked > 80 {
			t.Errorf("got %d calls of Extend and %d messages to the database, want at most 80 of each", asked, b.asked)
		}
	}
}

func TestAllowance_DoesNotLimitAStreamThatIsHeldInFull(t *testing.T) {
	b := newBank(micros(1_000_000))
	a, admitter := stream(t, b, 1_000, 16_384)
	if mark := a.mark(t.Context(), 0); mark != (tap.Mark{Tokens: 16_384}) {
		t.Errorf("got mark %+v, want 16384 tokens without a look at the text", mark)
	}
	if delivered, _ := deliver(t, a, one, 100_000); delivered != 100_000 {
		t.Errorf("got %d tokens delivered, want 100000", delivered)
	}
	admitter.Stop()
}

func TestAllowance_DoesNotEndAStreamWithSoftQuota(t *testing.T) {
	b := newBank(micros(3_000))
	a, admitter := stream(t, b, 1_000, 16_384)
	a.call.softQuota = true
	if delivered, asked := deliver(t, a, one, 100_000); delivered != 100_000 || asked > 40 {
		t.Errorf("got %d tokens delivered with %d calls of Extend, want 100000 with at most 40", delivered, asked)
	}
	admitter.Stop()
	if held := a.call.hold.Amount(); held > micros(3_000) || held < micros(2_900) {
		t.Errorf("got a hold of %s, want nearly 0.003", held)
	}
}

// An unavailable database delays a stream only for a bounded time. A database that answers before the step is
// used up doesn't delay it at all.
func TestAllowance_BoundsTheDelayByASlowDatabase(t *testing.T) {
	for name, c := range map[string]struct {
		takes  time.Duration
		down   bool
		within time.Duration
		goesOn bool
	}{
		"the answer arrives before the step is used up": {500 * time.Millisecond, false, 0, true},
		"the answer arrives during the wait": {1500 * time.Millisecond, false,
			1500 * time.Millisecond, true},
		"there is no answer":   {time.Hour, false, extendWait, false},
		"the database is down": {0, true, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				input := meter.EstimateInput("", request)
				b := newBank(micros(input + firstStep))
				a, admitter := stream(t, b, input, 16_384)
				b.mu.Lock()
				granted := b.account.Leased + micros(10_000)
				b.account.Granted, b.takes, b.down = &granted, c.takes, c.down
				b.mu.Unlock()
				mark := a.mark(t.Context(), 0)
				mark = a.Extend(t.Context(), mark.Tokens+1) // three quarters of the step are used
				if mark.Tokens != firstStep {
					t.Fatalf("got mark %+v, want the first step", mark)
				}
				time.Sleep(500 * time.Millisecond) //nolint:forbidigo // delivery of the last quarter, on the fake clock
				start := time.Now()
				mark = a.Extend(t.Context(), firstStep+1)
				if waited := time.Since(start); waited > c.within {
					t.Errorf("the stream was delayed by %v, want at most %v", waited, c.within)
				}
				if on := mark.Tokens > firstStep+100; on != c.goesOn {
					t.Errorf("got mark %+v, want the stream to continue: %v", mark, c.goesOn)
				}
				admitter.Stop()
			})
		})
	}
}
