package main

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
)

// plan holds the values of the flags.
type plan struct {
	rows, days int
	tokens     int64
	seed       uint64
}

// check returns an error if a value is out of range.
func (p *plan) check() error {
	if p.rows < 0 || p.rows > 10_000_000 || p.days < 1 || p.days > 400 || p.tokens < 0 || p.tokens > 1_000_000 {
		return errors.New("rows, days or tokens out of range: -help lists the ranges")
	}
	return nil
}

const batchSize = 500 // events in a transaction

// fill records the logs, oldest first.
func (w *world) fill(ctx context.Context, s *store.Store, p plan) error {
	d := &draw{world: w, relay: uuid.Must(uuid.NewV7()), dice: rand.New(rand.NewPCG(p.seed, p.seed))}
	times := d.times(p.rows, time.Now().UTC(), time.Duration(p.days)*24*time.Hour)
	for batch := range slices.Chunk(times, batchSize) {
		events := make([]usage.Event, 0, len(batch))
		for _, at := range batch {
			event, err := d.event(at)
			if err != nil {
				return err
			}
			events = append(events, event)
		}
		if _, err := s.Metering.RecordEvents(ctx, platform, d.relay, events); err != nil {
			return err
		}
	}
	return nil
}

// draw generates random calls. The same seed makes the same choices on the same database.
type draw struct {
	*world
	relay uuid.UUID
	dice  *rand.Rand
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

// event returns one random call at that time.
func (d *draw) event(at time.Time) (usage.Event, error) {
	who := d.callers[d.among(len(d.callers))]
	model := who.models[d.among(len(who.models))]
	serving := d.snapshot.Serving(model)
	channel := serving[d.among(len(serving))]
	log := usage.Log{
		ID: d.id(at), CreatedAt: at, TenantID: who.tenant, UserID: who.user, TokenID: who.token, GroupID: who.group,
		ChannelID: channel.ID, RelayID: d.relay,
		Model: model, UpstreamModel: channel.Models[model], Dialect: "chat", Stream: d.dice.IntN(3) > 0,
		FirstByte: time.Duration(d.near(450)) * time.Millisecond,
	}
	log.Latency = log.FirstByte + time.Duration(d.near(2600))*time.Millisecond
	d.end(&log, serving)
	if log.Outcome == usage.Failed {
		return usage.Event{Log: log}, nil
	}
	return usage.Event{Log: log}, d.price(&log)
}

// end sets the outcome of the call: about 2.4 % failed, 1 % partial, some with a failover.
func (d *draw) end(log *usage.Log, serving []*catalog.Channel) {
	attempt := usage.Attempt{ChannelID: log.ChannelID, Status: 200, Elapsed: log.FirstByte}
	log.Outcome, log.Status, log.Attempts = usage.Success, 200, []usage.Attempt{attempt}
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
		log.Attempts = []usage.Attempt{{ChannelID: serving[len(serving)-1].ID, Status: 429, Error: "status",
			Elapsed: 80 * time.Millisecond}, attempt}
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

// id returns a UUIDv7 with that time.
func (d *draw) id(at time.Time) (id uuid.UUID) {
	binary.BigEndian.PutUint64(id[:8], uint64(at.UnixMilli())<<16|7<<12|d.dice.Uint64N(1<<12))
	binary.BigEndian.PutUint64(id[8:], d.dice.Uint64()>>2|1<<63)
	return id
}

// among returns a random index below n; low indexes are much more frequent.
func (d *draw) among(n int) int { return int(math.Pow(d.dice.Float64(), 2.2) * float64(n)) }

// near returns a random number of at least 1 with this median. It is rarely much larger (log-normal
// distribution).
func (d *draw) near(middle float64) int64 {
	return max(1, int64(middle*math.Exp(0.6*d.dice.NormFloat64())))
}
