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

// Recorder puts events into the database, in one transaction. It may be given
// the same events again.
type Recorder interface {
	RecordEvents(ctx context.Context, scope tenant.Scope, relayID uuid.UUID, events []usage.Event) (inserted int, err error)
}

// ShipperOptions makes a Shipper. Spool, Recorder and Scope are required.
type ShipperOptions struct {
	Spool    *Spool
	Recorder Recorder
	Scope    tenant.Scope
	// Transient tells the faults that pass from refusals, which are the
	// events' own. nil: all pass.
	Transient func(error) bool
	// Recorded is told of the events of each commit. It must not keep the slice.
	Recorded func(events []usage.Event)
	Log      *slog.Logger
	MaxBatch int           // 2000
	Gather   time.Duration // how long a batch waits for more events; 75 ms
	Patience Patience
}

// Patience is how long the Shipper waits after a failure: First, then twice
// as long each time, up to Most, and at random up to half of that less.
type Patience struct {
	First time.Duration // 100 ms
	Most  time.Duration // 5 s
}

const (
	defaultBatch  = 2000
	defaultGather = 75 * time.Millisecond
	firstPause    = 100 * time.Millisecond
	longestPause  = 5 * time.Second
	// recordTimeout ends a transaction that hangs; it is tried again.
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
	if o.Patience.First <= 0 {
		o.Patience.First = firstPause
	}
	if o.Patience.Most <= 0 {
		o.Patience.Most = longestPause
	}
	return o
}

// Shipper moves events from the Spool into the database, in order and at
// least once each. It is the Spool's only consumer.
type Shipper struct {
	o        ShipperOptions
	mu       sync.Mutex // guards cancel
	cancel   context.CancelFunc
	finished chan struct{}
}

// NewShipper returns a Shipper that has not started.
func NewShipper(o ShipperOptions) *Shipper {
	return &Shipper{o: o.withDefaults(), finished: make(chan struct{})}
}

// Start begins to ship and returns. A Shipper is started once.
func (s *Shipper) Start(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cancel != nil {
		return errors.New("spool: the shipper was started before")
	}
	var ctx context.Context
	ctx, s.cancel = context.WithCancel(context.Background())
	go s.run(ctx)
	return nil
}

// Flush returns once all events appended before the call are recorded, or
// with an error when ctx ends first.
func (s *Shipper) Flush(ctx context.Context) error { return s.o.Spool.flush(ctx) }

// Stop flushes until ctx ends and then stops. An error means that events are
// left for the next start. It may be called twice and before Start.
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
			s.o.Log.Warn("spool segment is kept", "error", err)
		}
	}
}

// next waits for the first event, and a little for more to come with it.
func (s *Shipper) next(ctx context.Context) (Batch, error) {
	if err := s.o.Spool.await(ctx, 1); err != nil {
		return Batch{}, err
	}
	gathering, cancel := context.WithTimeout(ctx, s.o.Gather)
	defer cancel()
	if err := s.o.Spool.await(gathering, s.o.MaxBatch); errors.Is(err, ErrClosed) {
		return Batch{}, err
	}
	return s.o.Spool.Next(ctx, s.o.MaxBatch)
}

// record returns once every event is recorded or rejected, or with ctx's
// error. A batch that is refused is halved until the refused event is alone.
func (s *Shipper) record(ctx context.Context, events []usage.Event) error {
	for failures := 0; ; failures++ {
		err := s.try(ctx, events)
		if err == nil {
			s.o.Recorded(events)
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !s.passes(err) {
			if len(events) > 1 {
				return s.recordHalves(ctx, events)
			}
			if err = s.o.Spool.Reject(events[0], err); err == nil {
				return nil
			}
		}
		s.pause(ctx, failures, err)
	}
}

// passes reports whether the failure says nothing about the events.
func (s *Shipper) passes(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || s.o.Transient(err)
}

func (s *Shipper) recordHalves(ctx context.Context, events []usage.Event) error {
	middle := len(events) / 2
	if err := s.record(ctx, events[:middle]); err != nil {
		return err
	}
	return s.record(ctx, events[middle:])
}

func (s *Shipper) try(ctx context.Context, events []usage.Event) error {
	ctx, cancel := context.WithTimeout(ctx, recordTimeout)
	defer cancel()
	_, err := s.o.Recorder.RecordEvents(ctx, s.o.Scope, s.o.Spool.Identity(), events)
	return err
}

// pause waits after the failures-th failure in a row.
func (s *Shipper) pause(ctx context.Context, failures int, cause error) {
	if ctx.Err() != nil {
		return
	}
	wait := s.o.Patience.after(failures)
	s.o.Log.Warn("usage events cannot be recorded and wait in the spool", "error", cause, "failures", failures+1, "retry_in", wait)
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

func (p Patience) after(failures int) time.Duration {
	wait := p.First
	for range failures {
		if wait *= 2; wait >= p.Most {
			wait = p.Most
			break
		}
	}
	return wait/2 + rand.N(wait/2+1)
}
