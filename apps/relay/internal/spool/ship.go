package spool

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// Recorder writes events to the database. RecordEvents writes all of them in one transaction or none. It must
// be idempotent: it may get the same events again after a crash or a lost response.
type Recorder interface {
	RecordEvents(ctx context.Context, scope tenant.Scope, relayID uuid.UUID,
		events []usage.Event) (n int, err error)
}

// ShipperOptions configures a Shipper. Spool, Recorder and Scope are required; a zero value of another field
// means its default.
type ShipperOptions struct {
	Spool    *Spool
	Recorder Recorder
	Scope    tenant.Scope
	// Transient reports whether an error will pass, for example an outage of the database. Any other error is a
	// refusal of the events. nil: all errors are transient.
	Transient func(error) bool
	// Recorded is called with the events of each commit, once for each event. It must not keep the slice.
	Recorded func(events []usage.Event)
	Log      *slog.Logger
	MaxBatch int // upper bound of the events in one transaction; 0: 2000
	// How long a batch waits for more events after the first, four times as long under load; 0: 75 ms.
	Gather  time.Duration
	Backoff Backoff
}

// Backoff is the delay before a retry: First after the first failure, then doubled after each, up to Most. Each
// delay is reduced at random by up to a half.
type Backoff struct {
	First time.Duration // 0: 100 ms
	Most  time.Duration // 0: 5 s
}

const (
	defaultBatch  = 2000
	defaultGather = 75 * time.Millisecond
	// loadedBatch is the number of events within Gather from which on a batch waits for more.
	loadedBatch  = 8
	firstPause   = 100 * time.Millisecond
	longestPause = 5 * time.Second
	// recordTimeout bounds one transaction. After it the Shipper cancels the transaction and retries.
	recordTimeout = 30 * time.Second
)

func (o ShipperOptions) withDefaults() ShipperOptions {
	if o.Transient == nil {
		o.Transient = func(error) bool { return true }
	}
	if o.Recorded == nil {
		o.Recorded = func([]usage.Event) {}
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.MaxBatch <= 0 {
		o.MaxBatch = defaultBatch
	}
	if o.Gather <= 0 {
		o.Gather = defaultGather
	}
	if o.Backoff.First <= 0 {
		o.Backoff.First = firstPause
	}
	if o.Backoff.Most <= 0 {
		o.Backoff.Most = longestPause
	}
	return o
}

// Shipper moves events from the Spool to the database, in order and at least once each. It is the Spool's only
// consumer.
//
// It retries transient errors until it is stopped. When the database refuses a batch, the Shipper halves it until
// the refused event is alone, and moves that event to quarantine; so one bad event cannot block the events
// behind it.
type Shipper struct {
	o        ShipperOptions
	mu       sync.Mutex // guards cancel
	cancel   context.CancelFunc
	finished chan struct{}
}

// NewShipper returns a Shipper. The caller must Start it.
func NewShipper(o ShipperOptions) *Shipper {
	return &Shipper{o: o.withDefaults(), finished: make(chan struct{})}
}

// Start starts to ship in the background and returns at once. A second Start returns an error. The Shipper runs
// until Stop or until the Spool is closed, independently of the context.
func (s *Shipper) Start(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cancel != nil {
		return errors.New("spool: the shipper is already started")
	}
	var ctx context.Context
	// The context of Start ends with the start of the program; Stop ends the Shipper.
	ctx, s.cancel = context.WithCancel(context.Background())
	go s.run(ctx)
	return nil
}

// Flush waits until every event that was appended before the call is recorded. It returns an error if ctx ends
// first.
func (s *Shipper) Flush(ctx context.Context) error { return s.o.Spool.flush(ctx) }

// Stop flushes until ctx ends, then stops the Shipper. An error means that some events are not recorded; they
// stay on disk for the next start. Stop may be called twice, and before Start.
func (s *Shipper) Stop(ctx context.Context) error {
	s.mu.Lock()
	cancel := s.cancel
	s.mu.Unlock()
	if cancel == nil {
		return nil
	}
	var err error
	select {
	case <-s.finished:
	default:
		err = s.Flush(ctx)
	}
	cancel()
	<-s.finished
	return err
}

// run ships batch after batch. Only a batch whose events are all recorded or rejected is Done.
func (s *Shipper) run(ctx context.Context) {
	defer close(s.finished)
	for failures := 0; ctx.Err() == nil; {
		batch, err := s.next(ctx)
		if errors.Is(err, ErrClosed) {
			return
		}
		if err != nil {
			s.pause(ctx, failures, err)
			failures++
			continue
		}
		failures = 0
		if s.record(ctx, batch.Events) != nil {
			return
		}
		if err := batch.Done(); err != nil {
			s.o.Log.Warn("delete spool segment failed", "error", err)
		}
	}
}

// next returns the next batch. After the first event it waits up to Gather for more, and four times as long if many
// come, because a larger transaction costs less for each event.
func (s *Shipper) next(ctx context.Context) (Batch, error) {
	if err := s.o.Spool.await(ctx, 1); err != nil {
		return Batch{}, err
	}
	err := s.gather(ctx, s.o.Gather, min(loadedBatch, s.o.MaxBatch))
	if err == nil {
		err = s.gather(ctx, 3*s.o.Gather, s.o.MaxBatch)
	}
	// A timeout is no error: the batch then has the events that are there.
	if errors.Is(err, ErrClosed) {
		return Batch{}, err
	}
	return s.o.Spool.Next(ctx, s.o.MaxBatch)
}

// gather waits for at most the given time until n events are there, or until somebody waits for their commit.
func (s *Shipper) gather(ctx context.Context, longest time.Duration, n int) error {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	return s.o.Spool.await(ctx, n)
}

// record returns nil when every event is recorded or rejected, and ctx's error when ctx ends first.
func (s *Shipper) record(ctx context.Context, events []usage.Event) error {
	for failures := 0; ; failures++ {
		err := s.try(ctx, events)
		if err == nil {
			s.o.Recorded(s.o.Spool.distinct(events))
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !s.isTransient(err) {
			if len(events) > 1 {
				return s.recordHalves(ctx, events)
			}
			// An event that can neither be recorded nor be written to quarantine is retried: it must not be
			// lost.
			if err = s.o.Spool.Reject(events[0], err); err == nil {
				return nil
			}
		}
		s.pause(ctx, failures, err)
	}
}

// isTransient reports whether the error is no refusal of the events themselves, so that a retry can succeed.
func (s *Shipper) isTransient(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || s.o.Transient(err)
}

// recordHalves records the two halves of a batch that the database refused, in order.
func (s *Shipper) recordHalves(ctx context.Context, events []usage.Event) error {
	middle := len(events) / 2
	if err := s.record(ctx, events[:middle]); err != nil {
		return err
	}
	return s.record(ctx, events[middle:])
}

// try makes one attempt to record the events.
func (s *Shipper) try(ctx context.Context, events []usage.Event) error {
	ctx, cancel := context.WithTimeout(ctx, recordTimeout)
	defer cancel()
	_, err := s.o.Recorder.RecordEvents(ctx, s.o.Scope, s.o.Spool.Identity(), events)
	return err
}

// pause logs the failure and waits before the next try. failures is the number of failures before this one in a
// row.
func (s *Shipper) pause(ctx context.Context, failures int, cause error) {
	if ctx.Err() != nil {
		return
	}
	wait := s.o.Backoff.after(failures)
	s.o.Log.Warn("record usage events failed", "error", cause, "failures", failures+1, "retry_in", wait)
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// after returns the delay after so many earlier failures. It is random, so that relays don't retry at the same
// moment.
func (b Backoff) after(failures int) time.Duration {
	wait := b.First
	for range failures {
		if wait *= 2; wait >= b.Most {
			wait = b.Most
			break
		}
	}
	return wait/2 + rand.N(wait/2+1)
}
