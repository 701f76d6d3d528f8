package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/db"
	_ "github.com/tollgate/tollgate/libs/store/sqlite" // the database of standalone
)

// add runs the command "add".
func add(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("pastlogs add", flag.ExitOnError)
	database := flags.String("database", "", databaseHelp)
	rows := flags.Uint("rows", 20_000, "number of logs, at most 10,000,000")
	days := flags.Uint("days", 30, "number of days before now over which the logs are spread, 1 to 400")
	tokens := flags.Uint("tokens", 0, "number of tokens to add to the existing users first, at most 1,000,000")
	seed := flags.Uint64("seed", 1, "seed of the random choices")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case *rows > 10_000_000:
		return errors.New("-rows must be at most 10000000")
	case *days < 1 || *days > 400:
		return errors.New("-days must be 1 to 400")
	case *tokens > 1_000_000:
		return errors.New("-tokens must be at most 1000000")
	}
	began := time.Now()
	s, err := store.Open(ctx, db.Options{URL: *database})
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // the program ends
	if err := addTokens(ctx, s, int(*tokens)); err != nil {
		return fmt.Errorf("add tokens: %w", err)
	}
	w, err := readWorld(ctx, s)
	if err != nil {
		return err
	}
	d := &draw{world: w, relay: uuid.Must(uuid.NewV7()), dice: rand.New(rand.NewPCG(*seed, *seed))}
	times := d.times(int(*rows), time.Now().UTC(), time.Duration(*days)*24*time.Hour)
	if err := d.addLogs(ctx, s, times); err != nil {
		return fmt.Errorf("add logs: %w", err)
	}
	fmt.Printf("%d tokens and %d logs in %v\n", *tokens, *rows, time.Since(began).Round(time.Millisecond))
	return nil
}

const atOnce = 500 // tokens or logs in a transaction, so that standalone does not wait long for the file

// draw generates random calls. The same seed makes the same choices on the same database.
type draw struct {
	*world
	relay uuid.UUID
	dice  *rand.Rand
}

// addLogs records a call for each of the times.
func (d *draw) addLogs(ctx context.Context, s *store.Store, times []time.Time) error {
	for part := range slices.Chunk(times, atOnce) {
		events := make([]usage.Event, 0, len(part))
		for _, at := range part {
			event, err := d.event(at)
			if err != nil {
				return err
			}
			events = append(events, event)
		}
		if _, err := record(ctx, s, d.relay, events); err != nil {
			return err
		}
	}
	return nil
}

// times returns the times of n calls in the span before now, sorted. There are more calls by day than by night
// and at weekends, and more recent calls than old ones.
func (d *draw) times(n int, now time.Time, span time.Duration) []time.Time {
	times := make([]time.Time, 0, n)
	for len(times) < n {
		at := now.Add(-time.Duration(math.Pow(d.dice.Float64(), 1.3) * float64(span)))
		busy := 0.55 - 0.45*math.Cos(float64(at.Hour()-3)/24*2*math.Pi)
		if at.Weekday() == time.Saturday || at.Weekday() == time.Sunday {
			busy *= 0.4
		}
		if d.dice.Float64() < busy {
			times = append(times, at)
		}
	}
	slices.SortFunc(times, time.Time.Compare)
	return times
}

// event returns one random call at that time. Its account is charged when the event is recorded, without a lease.
func (d *draw) event(at time.Time) (usage.Event, error) {
	who := d.clients[d.among(len(d.clients))]
	model := who.models[d.among(len(who.models))]
	serving := d.snapshot.Serving(model)
	log := who.call(at, d.relay, serving[d.among(len(serving))], model)
	log.Stream = d.dice.IntN(3) > 0
	log.FirstByte = time.Duration(d.near(450)) * time.Millisecond
	log.Latency = log.FirstByte + time.Duration(d.near(2600))*time.Millisecond
	log.Attempts[0].Elapsed = log.FirstByte
	d.end(&log, serving)
	if log.Outcome == usage.Failed {
		return usage.Event{Log: log}, nil
	}
	err := d.price(&log)
	return usage.Event{Log: log}, err
}

// end changes how the call ended: about 2.4 % failed, 1 % partial, some with a failover.
func (d *draw) end(log *usage.Log, serving []*catalog.Channel) {
	switch luck := d.dice.IntN(1000); {
	case luck < 18:
		log.Outcome, log.Status, log.Error, log.FirstByte = usage.Failed, 502, "upstream_error", 0
		log.Attempts[0] = usage.Attempt{ChannelID: log.ChannelID, Status: 503, Error: "status", Elapsed: log.Latency}
		return
	case luck < 24:
		log.Outcome, log.Status, log.Error = usage.Failed, 429, "rate_limit_exceeded"
		log.ChannelID, log.Attempts, log.FirstByte, log.Latency = uuid.Nil, nil, 0, 2*time.Millisecond
		return
	case luck < 34:
		log.Outcome, log.Error = usage.Partial, "client_closed"
	case luck < 60 && len(serving) > 1:
		log.Attempts = slices.Insert(log.Attempts, 0, usage.Attempt{ChannelID: serving[len(serving)-1].ID,
			Status: 429, Error: "status", Elapsed: 80 * time.Millisecond})
	}
	log.Usage = usage.Usage{Input: d.near(6000), Output: d.near(900)}
	if d.dice.IntN(3) == 0 {
		log.Usage.CachedInput = d.near(9000)
	}
}

// price sets the call's price from the prices and rules at its time.
func (d *draw) price(log *usage.Log) error {
	terms, ok := d.snapshot.Book.Terms(log.Model, log.GroupID, log.CreatedAt)
	if !ok { // the call is older than the first price
		terms, _ = d.snapshot.Book.Terms(log.Model, log.GroupID, time.Now())
	}
	cost, err := terms.Cost(log.Usage)
	if err != nil {
		return err
	}
	log.PriceID, log.RuleID, log.Cost, log.Quota = terms.Price.ID, terms.Rule.ID, cost, cost
	return d.charge(log)
}

// charge sets what the upstream charges, by the costs of the channel that hold now.
func (d *draw) charge(log *usage.Log) error {
	costs := d.snapshot.Costs.Find(log.ChannelID, log.UpstreamModel, time.Now())
	if costs == nil {
		return nil
	}
	cost, err := costs.Cost(log.Usage, log.Outcome, log.Formula)
	log.CostID, log.SupplierCost = costs.ID, &cost
	return err
}

// among returns a random index below n; low indexes are much more frequent.
func (d *draw) among(n int) int { return skewed(d.dice.Float64(), n, 2.2) }

// near returns a random number of at least 1 with this median. It is rarely much larger (log-normal
// distribution).
func (d *draw) near(middle float64) int64 {
	return max(1, int64(middle*math.Exp(0.6*d.dice.NormFloat64())))
}
