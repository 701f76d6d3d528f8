package admit

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

// crowd is a load of calls without an output cap on an account that pays for some of them. Amounts are in units of
// which an input token costs 1.
type crowd struct {
	grant   money.Amount
	relays  int
	clients int
	calls   int
	input   int64         // upper bound of the input tokens of a call
	real    int64         // input tokens that the upstream reports
	price   money.Amount  // of an output token
	answer  func() int64  // length of the next answer, in tokens
	takes   time.Duration // time of an answer
	longest int64         // output tokens of the longest answer
	delay   time.Duration // time of a message to the database
	lag     time.Duration // time until a change of the feed, or a usage event, arrives
	capped  bool          // grant is a token's cap, and the tenant and the user are rich
}

// accounts returns the ids of the accounts that limit the calls. The last one has the grant.
func (c crowd) accounts() []uuid.UUID {
	if c.capped {
		return []uuid.UUID{wallet, userCap, tokenCap}
	}
	return []uuid.UUID{wallet}
}

// outcome counts the holds that a crowd got.
type outcome struct {
	served, truncated, exhausted, inFlight int
	spent, left                            money.Amount
	took                                   time.Duration
}

// slowBank is a bank whose answers take time.
type slowBank struct {
	*bank
	delay time.Duration
}

func (b *slowBank) GrantLease(ctx context.Context, scope tenant.Scope, relay uuid.UUID, ref quota.AccountRef,
	ask quota.LeaseRequest) (quota.LeaseResponse, error) {
	time.Sleep(b.delay) //nolint:forbidigo // on the fake clock
	return b.bank.GrantLease(ctx, scope, relay, ref, ask)
}

const smallestCap, assumed = 64, 256

// run runs the load on the fake clock and checks that the account is never overspent.
func (c crowd) run(t *testing.T) (got outcome) {
	synctest.Test(t, func(t *testing.T) {
		accounts, granted := c.accounts(), map[uuid.UUID]money.Amount{}
		for _, id := range accounts {
			granted[id] = 1_000 * c.grant
		}
		scarce := accounts[len(accounts)-1]
		granted[scarce] = c.grant
		b := with(granted)
		relays := make([]*Admitter, c.relays)
		for i := range relays {
			relays[i] = relay(b, uuid.UUID{byte(i + 1)})
			relays[i].Lender = &slowBank{b, c.delay}
		}
		b.recalled = func(id uuid.UUID) {
			for _, a := range relays {
				time.AfterFunc(c.lag, func() { a.Recall(id) })
			}
		}
		var next atomic.Int64
		var clients sync.WaitGroup
		var mu sync.Mutex
		begun := time.Now()
		for range c.clients {
			clients.Go(func() {
				for i := next.Add(1); i <= int64(c.calls); i = next.Add(1) {
					mu.Lock()
					answer := c.answer()
					mu.Unlock()
					served, capped, err := c.call(t, relays[int(i)%c.relays], b, answer)
					mu.Lock()
					switch {
					case err == nil:
						got.served++
						got.spent += served
						if capped {
							got.truncated++
						}
					case problem.Is(err, problem.QuotaExhausted):
						got.exhausted++
					case problem.Is(err, problem.QuotaInFlight):
						got.inFlight++
					default:
						t.Errorf("got %v", err)
					}
					mu.Unlock()
				}
			})
		}
		clients.Wait()
		got.took = time.Since(begun)
		time.Sleep(time.Minute) //nolint:forbidigo // on the fake clock: everything is recorded
		for _, a := range relays {
			recallAll(a)
			a.Stop()
		}
		account := b.accounts[scarce]
		got.left = *account.Granted - account.Used
		if account.Used != got.spent || account.Used > c.grant || account.Leased != 0 {
			t.Errorf("the account used %d and leases %d, and the calls spent %d of %d", account.Used, account.Leased,
				got.spent, c.grant)
		}
	})
	return got
}

// call makes one call and returns its cost.
func (c crowd) call(t *testing.T, a *Admitter, b *bank, answer int64) (cost money.Amount, truncated bool, err error) {
	input := c.input
	price := func(output int64) money.Amount { return money.Amount(input) + money.Amount(output)*c.price }
	most := price(c.longest)
	hold, err := a.Reserve(t.Context(), caller(c.capped), Demand{
		Model: "m", Min: most, Max: most,
		Costs: func(typical Typical) (minCost, usual money.Amount) {
			input = c.input
			if typical.InputRatio > 0 {
				input = min(c.input, typical.InputRatio+64)
			}
			usually := typical.Output
			if usually == 0 {
				usually = assumed
			}
			return price(smallestCap), price(min(c.longest, max(smallestCap, usually)))
		},
	})
	if err != nil {
		return 0, false, err
	}
	limit := int64(hold.Amount()-money.Amount(input)) / int64(c.price)
	if limit < smallestCap || hold.Amount() > most {
		t.Errorf("the hold of %d pays for an output cap of %d", hold.Amount(), limit)
	}
	time.Sleep(c.takes) //nolint:forbidigo // on the fake clock
	used := Typical{Output: answer, InputRatio: c.real}
	if truncated = answer > limit; truncated {
		answer, used.Output = limit, 2*limit
	}
	cost = money.Amount(c.real) + money.Amount(answer)*c.price
	hold.Note("m", used)
	hold.Settle(cost)
	time.AfterFunc(c.lag, func() { b.record(a, cost, c.accounts()...) })
	return cost, truncated, nil
}

// always returns the length of equal answers.
func always(tokens int64) func() int64 { return func() int64 { return tokens } }

// hundred is the load of the promise: 1,000 calls of 100 + 50 tokens, 64 at a time, on quota for 100 of them.
func hundred(price money.Amount) crowd {
	return crowd{
		grant: 100 * (100 + 50*price), relays: 3, clients: 64, calls: 1_000, input: 600, real: 100, price: price,
		answer: always(50),
		takes:  20 * time.Millisecond, longest: 16_384, delay: time.Millisecond, lag: 10 * time.Millisecond,
	}
}

func TestReserve_SharedSpendsTheLastCents(t *testing.T) {
	for name, change := range map[string]func(*crowd){
		"output costs 4 times as much": func(*crowd) {},
		"output costs as much":         func(c *crowd) { *c = hundred(1) },
		"output costs 8 times as much": func(c *crowd) { *c = hundred(8) },
		"one relay":                    func(c *crowd) { c.relays = 1 },
		"eight relays":                 func(c *crowd) { c.relays = 8 },
		"at once":                      func(c *crowd) { c.takes = 0 },
		"slow answers":                 func(c *crowd) { c.takes = 2 * time.Second },
		"answers slower than the wait": func(c *crowd) { c.takes = 10 * time.Second },
		"slow database and feed":       func(c *crowd) { c.delay, c.lag = 20*time.Millisecond, 300*time.Millisecond },
		"long text":                    func(c *crowd) { c.input = 1_100 },
		"short longest answer":         func(c *crowd) { c.longest = 4_096 },
		"a token's cap":                func(c *crowd) { c.capped = true },
		"one client":                   func(c *crowd) { c.clients, c.calls = 1, 200 },
		"all at once":                  func(c *crowd) { c.clients = 1_000 },
	} {
		t.Run(name, func(t *testing.T) {
			c := hundred(4)
			change(&c)
			got := c.run(t)
			t.Logf("%+v", got)
			if got.served < 90 || got.served > 100 || got.truncated > 0 {
				t.Errorf("%d calls were served, %d of them truncated; want 90 to 100 and 0", got.served, got.truncated)
			}
		})
	}
}

// The last cents are spendable for answers of any length, on any number of relays.
func TestReserve_SharedLeavesLessThanACallNeeds(t *testing.T) {
	for seed := range uint64(25) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1))
			c := hundred(money.Amount(1 + random.IntN(8)))
			mean := 20 + random.IntN(600)
			c.answer = func() int64 { return int64(1 + random.ExpFloat64()*float64(mean)) }
			c.real, c.input = 100, 600+random.Int64N(600)
			c.grant = money.Amount(random.Int64N(300)+20) * (100 + money.Amount(mean)*c.price)
			c.relays, c.clients = 1+random.IntN(4), 1+random.IntN(100)
			c.takes, c.longest = time.Duration(random.IntN(1_000))*time.Millisecond, 1_000+random.Int64N(100_000)
			c.delay, c.lag = time.Duration(random.IntN(10))*time.Millisecond,
				time.Duration(random.IntN(100))*time.Millisecond
			c.calls, c.capped = 3_000, random.IntN(4) == 0
			got := c.run(t)
			t.Logf("%d relays, %d clients, mean %d, price %d: %+v of %d", c.relays, c.clients, mean,
				c.price, got, c.grant)
			if least := money.Amount(c.input) + smallestCap*c.price; got.exhausted > 0 && got.left >= least {
				t.Errorf("%d are left, although a call needs %d", got.left, least)
			}
			if got.exhausted == 0 && got.inFlight > c.calls/2 {
				t.Errorf("%d of %d calls found no quota while %d was left", got.inFlight, c.calls, got.left)
			}
		})
	}
}
