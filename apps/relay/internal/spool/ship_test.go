package spool

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/polltest"
)

var (
	errOutage  = errors.New("connection refused")
	errRefused = errors.New("violates a constraint")
)

// recorder is an idempotent database in memory: it recognizes events by their ids.
type recorder struct {
	mu      sync.Mutex
	rows    map[uuid.UUID]int64
	calls   int
	largest int
	fail    func(events []usage.Event) error // called before each commit; its error fails the transaction
	after   func() error                     // called after each commit; its error simulates a lost response
}

func newRecorder() *recorder { return &recorder{rows: map[uuid.UUID]int64{}} }

func (r *recorder) RecordEvents(ctx context.Context, scope tenant.Scope, relayID uuid.UUID,
	events []usage.Event) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls++
	r.largest = max(r.largest, len(events))
	if !scope.System() || relayID == uuid.Nil {
		return 0, errors.New("no system scope or no relay id")
	}
	if r.fail != nil {
		if err := r.fail(events); err != nil {
			return 0, err
		}
	}
	inserted := 0
	for i := range events {
		if _, there := r.rows[events[i].ID]; !there {
			r.rows[events[i].ID] = events[i].Usage.Input
			inserted++
		}
	}
	if r.after != nil {
		return inserted, r.after()
	}
	return inserted, ctx.Err()
}

func (r *recorder) failWith(fail func([]usage.Event) error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fail = fail
}

func (r *recorder) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.rows)
}

// startShipper starts a shipper with short delays and stops it at the end of the test.
func startShipper(t testing.TB, s *Spool, r Recorder, o ShipperOptions) *Shipper {
	t.Helper()
	o.Spool, o.Recorder, o.Scope, o.Log = s, r, tenant.SystemScope("relay"), discard
	if o.Transient == nil {
		o.Transient = func(err error) bool { return !errors.Is(err, errRefused) }
	}
	if o.Gather == 0 {
		o.Gather = time.Millisecond
	}
	o.Backoff = Backoff{First: time.Millisecond, Most: 4 * time.Millisecond}
	shipper := NewShipper(o)
	if err := shipper.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_ = shipper.Stop(ctx)
	})
	return shipper
}

func TestFlush_WaitsForTheCommit(t *testing.T) {
	s := openAt(t, Options{Dir: t.TempDir()}, seams{})
	r := newRecorder()
	var recorded atomic.Int64
	shipper := startShipper(t, s, r, ShipperOptions{
		Gather:   time.Hour, // Flush must not wait for more events
		Recorded: func(events []usage.Event) { recorded.Add(int64(len(events))) },
	})
	for n := range 3 {
		appendN(t, s, 0, 100)
		if err := shipper.Flush(until(t)); err != nil {
			t.Fatal(err)
		}
		if want := 100 * (n + 1); r.count() != want || recorded.Load() != int64(want) {
			t.Errorf("got %d rows and %d events passed to Recorded, want %d of both", r.count(), recorded.Load(), want)
		}
	}
}

func TestFlush_ReturnsAtOnceWhenTheSpoolIsEmpty(t *testing.T) {
	s := openAt(t, Options{Dir: t.TempDir()}, seams{})
	if err := startShipper(t, s, newRecorder(), ShipperOptions{}).Flush(until(t)); err != nil {
		t.Error(err)
	}
}

func TestShipper_GathersEventsIntoBatches(t *testing.T) {
	s := openAt(t, Options{Dir: t.TempDir()}, seams{})
	r := newRecorder()
	startShipper(t, s, r, ShipperOptions{Gather: time.Hour, MaxBatch: 50})
	appendN(t, s, 0, 200)
	polltest.Until(t, "the batches", func() bool { return r.count() == 200 })
	if r.calls != 4 || r.largest != 50 {
		t.Errorf("got %d transactions of up to %d events, want 4 of 50", r.calls, r.largest)
	}
}

func TestAppend_ReturnsAfterTheCommitAtCommitted(t *testing.T) {
	s := openAt(t, Options{Dir: t.TempDir(), Sync: Committed}, seams{})
	r := newRecorder()
	startShipper(t, s, r, ShipperOptions{Gather: time.Hour})
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			for range 10 {
				e := sampleEvent()
				if err := s.Append(until(t), &e); err != nil {
					t.Error(err)
				}
				r.mu.Lock()
				if _, there := r.rows[e.ID]; !there {
					t.Error("Append returned before the commit")
				}
				r.mu.Unlock()
			}
		})
	}
	group.Wait()
}

func TestAppend_KeepsTheEventWhenItsContextEndsDuringAnOutage(t *testing.T) {
	s := openAt(t, Options{Dir: t.TempDir(), Sync: Committed}, seams{})
	r := newRecorder()
	r.failWith(func([]usage.Event) error { return errOutage })
	shipper := startShipper(t, s, r, ShipperOptions{})
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if err := s.Append(ctx, numbered(1)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Append: got %v, want a timeout", err)
	}
	r.failWith(nil)
	if err := shipper.Flush(until(t)); err != nil || r.count() != 1 {
		t.Errorf("Flush: got error %v and %d rows, want 1 row", err, r.count())
	}
}

func TestShipper_LosesNothingDuringAnOutage(t *testing.T) {
	s := openAt(t, Options{Dir: t.TempDir(), SegmentBytes: 20_000}, seams{ring: 100})
	r := newRecorder()
	shipper := startShipper(t, s, r, ShipperOptions{MaxBatch: 64})
	appendN(t, s, 0, 200)
	if err := shipper.Flush(until(t)); err != nil {
		t.Fatal(err)
	}
	r.failWith(func([]usage.Event) error { return errOutage })
	appendN(t, s, 200, 3000)
	if s.Full() || r.count() != 200 {
		t.Errorf("during the outage: got Full %v and %d rows, want false and 200", s.Full(), r.count())
	}
	r.failWith(nil)
	appendN(t, s, 3000, 3200)
	if err := shipper.Flush(until(t)); err != nil || r.count() != 3200 {
		t.Errorf("Flush: got error %v and %d rows, want 3200 rows", err, r.count())
	}
	if s.Quarantined() != 0 {
		t.Error("events were rejected because of an outage")
	}
}

func TestShipper_RejectsOnlyTheRefusedEventsOfABatch(t *testing.T) {
	s := openAt(t, Options{Dir: t.TempDir()}, seams{})
	r := newRecorder()
	r.failWith(func(events []usage.Event) error {
		for i := range events {
			if n := events[i].Usage.Input; n == 17 || n == 18 || n == 99 {
				return errRefused
			}
		}
		return nil
	})
	shipper := startShipper(t, s, r, ShipperOptions{Gather: time.Hour, MaxBatch: 100})
	appendN(t, s, 0, 100)
	if err := shipper.Flush(until(t)); err != nil {
		t.Fatal(err)
	}
	if r.count() != 97 || s.Quarantined() != 3 {
		t.Errorf("got %d rows and %d rejected events, want 97 and 3", r.count(), s.Quarantined())
	}
}

func TestShipper_RetriesATransactionThatTimedOut(t *testing.T) {
	s := openAt(t, Options{Dir: t.TempDir()}, seams{})
	r := newRecorder()
	failures := 3
	r.failWith(func([]usage.Event) error {
		if failures--; failures >= 0 {
			return context.DeadlineExceeded
		}
		return nil
	})
	shipper := startShipper(t, s, r, ShipperOptions{Transient: func(error) bool { return false }})
	appendN(t, s, 0, 10)
	if err := shipper.Flush(until(t)); err != nil || r.count() != 10 || s.Quarantined() != 0 {
		t.Errorf("got error %v, %d rows and %d rejected events; want 10 rows", err, r.count(), s.Quarantined())
	}
}

func TestStop_FlushesAndMayBeCalledTwice(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, Options{Dir: dir}, seams{})
	r := newRecorder()
	shipper := startShipper(t, s, r, ShipperOptions{Gather: time.Hour})
	appendN(t, s, 0, 500)
	for range 2 {
		if err := shipper.Stop(until(t)); err != nil {
			t.Fatal(err)
		}
	}
	if r.count() != 500 {
		t.Errorf("got %d rows, want 500", r.count())
	}
	if err := s.Close(); err != nil || len(segmentFiles(t, dir)) != 0 {
		t.Errorf("Close: got error %v and segments %v, want none", err, segmentFiles(t, dir))
	}
}

func TestStop_LeavesTheEventsInTheSpoolDuringAnOutage(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, Options{Dir: dir}, seams{})
	r := newRecorder()
	r.failWith(func([]usage.Event) error { return errOutage })
	shipper := startShipper(t, s, r, ShipperOptions{})
	appendN(t, s, 0, 30)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if err := shipper.Stop(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Stop: got %v, want a timeout", err)
	}
	_ = s.Close()
	takeN(t, openAt(t, Options{Dir: dir}, seams{}), 0, 30, 7)
}

func TestStop_ReturnsNilBeforeStart(t *testing.T) {
	s := openAt(t, Options{Dir: t.TempDir()}, seams{})
	if err := NewShipper(ShipperOptions{Spool: s}).Stop(until(t)); err != nil {
		t.Error(err)
	}
}

func TestFlush_ReturnsErrClosedWhenTheSpoolIsClosed(t *testing.T) {
	s := openAt(t, Options{Dir: t.TempDir()}, seams{})
	r := newRecorder()
	r.failWith(func([]usage.Event) error { return errOutage })
	shipper := startShipper(t, s, r, ShipperOptions{})
	appendN(t, s, 0, 1)
	flushed := make(chan error)
	go func() { flushed <- shipper.Flush(context.Background()) }()
	_ = s.Close()
	if err := <-flushed; !errors.Is(err, ErrClosed) {
		t.Errorf("Flush: got %v, want ErrClosed", err)
	}
}

// 64 writers, a database that fails at random before and after the commit, a small ring, small segments and
// restarts: every event must be recorded exactly once.
func TestShipper_RecordsEveryEventOnceUnderRandomFailures(t *testing.T) {
	dir := t.TempDir()
	r := newRecorder()
	random := rand.New(rand.NewPCG(3, 4))
	r.failWith(func([]usage.Event) error {
		if random.IntN(3) == 0 {
			return errOutage
		}
		return nil
	})
	r.after = func() error {
		if random.IntN(3) == 0 {
			return errOutage
		}
		return nil
	}
	const writers, each, restarts = 64, 40, 4
	var seen atomic.Int64
	for range restarts {
		d := &disk{}
		d.half.Store(true)
		s := openAt(t, Options{Dir: dir, SegmentBytes: 30_000, SyncInterval: time.Millisecond},
			seams{ring: 50, create: d.create})
		shipper := startShipper(t, s, r,
			ShipperOptions{MaxBatch: 30, Recorded: func(e []usage.Event) { seen.Add(int64(len(e))) }})
		var group sync.WaitGroup
		for writer := range writers {
			group.Go(func() {
				appendN(t, s, 0, each)
				if writer%16 == 0 {
					s.mu.Lock() // the second try of an event must not fail, too
					d.writes.Store(1)
					s.mu.Unlock()
				}
			})
		}
		group.Wait()
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_ = shipper.Stop(ctx)
		_ = s.Close()
	}
	s := openAt(t, Options{Dir: dir}, seams{})
	if err := startShipper(t, s, r, ShipperOptions{}).Stop(until(t)); err != nil {
		t.Fatal(err)
	}
	if want := writers * each * restarts; r.count() != want || s.Quarantined() != 0 {
		t.Errorf("got %d of %d events and %d in quarantine, want all and 0", r.count(), want, s.Quarantined())
	}
}

// An event is written again after a failed fsync, so the log has it twice.
func TestShipper_PassesAnEventThatIsInTheLogTwiceOnce(t *testing.T) {
	for name, row := range map[string]struct {
		batch int  // events of a batch at most
		early bool // the first copy is recorded before the second is written
	}{
		"both copies in a batch": {10, false}, "each in a batch": {1, false}, "the first recorded before": {10, true},
	} {
		t.Run(name, func(t *testing.T) {
			d := &disk{}
			s := openAt(t, Options{Dir: t.TempDir(), Sync: Fsynced, SyncInterval: time.Hour}, seams{create: d.create})
			var passed atomic.Int64
			var shipper *Shipper
			ship := func() {
				shipper = startShipper(t, s, newRecorder(), ShipperOptions{MaxBatch: row.batch,
					Recorded: func(events []usage.Event) { passed.Add(int64(len(events))) }})
				if err := shipper.Flush(until(t)); err != nil {
					t.Error(err)
				}
			}
			if row.early {
				d.failing = ship
			}
			d.syncs.Store(1)
			appendN(t, s, 0, 2)
			if !row.early {
				ship()
			}
			if err := shipper.Flush(until(t)); err != nil {
				t.Fatal(err)
			}
			if passed.Load() != 2 || len(s.copies) > 0 {
				t.Errorf("got %d events passed to Recorded and %d remembered, want 2 and 0", passed.Load(),
					len(s.copies))
			}
		})
	}
}

func TestBackoff_DoublesUpToItsUpperBound(t *testing.T) {
	p := Backoff{First: 100 * time.Millisecond, Most: 5 * time.Second}
	for failures, most := range []time.Duration{100 * time.Millisecond, 200 * time.Millisecond, 400 * time.Millisecond,
		800 * time.Millisecond} {
		if wait := p.after(failures); wait < most/2 || wait > most {
			t.Errorf("after %d failures: got %v, want %v to %v", failures, wait, most/2, most)
		}
	}
	if wait := p.after(1000); wait < p.Most/2 || wait > p.Most {
		t.Errorf("after 1000 failures: got %v, want at most %v", wait, p.Most)
	}
}

// --- benchmarks

// sink is a Recorder that drops all events.
type sink struct{}

func (sink) RecordEvents(_ context.Context, _ tenant.Scope, _ uuid.UUID, events []usage.Event) (int, error) {
	return len(events), nil
}

func benchmarkAppend(b *testing.B, level Sync, goroutines int) {
	s := openAt(b, Options{Dir: b.TempDir(), Sync: level, MaxBytes: 8 << 30}, seams{})
	shipper := startShipper(b, s, sink{}, ShipperOptions{Gather: defaultGather})
	e := sampleEvent()
	b.ReportAllocs()
	b.SetParallelism((goroutines + 1) / 2)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		own := e
		for pb.Next() {
			if err := s.Append(context.Background(), &own); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.StopTimer()
	if err := shipper.Stop(until(b)); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkAppendAppended1(b *testing.B)   { benchmarkAppend(b, Appended, 1) }
func BenchmarkAppendAppended64(b *testing.B)  { benchmarkAppend(b, Appended, 64) }
func BenchmarkAppendFsynced64(b *testing.B)   { benchmarkAppend(b, Fsynced, 64) }
func BenchmarkAppendCommitted64(b *testing.B) { benchmarkAppend(b, Committed, 64) }

func benchmarkShip(b *testing.B, ring int) {
	const n = 20_000
	dir := b.TempDir()
	for b.Loop() {
		b.StopTimer()
		s := openAt(b, Options{Dir: dir}, seams{ring: ring})
		appendN(b, s, 0, n)
		b.StartTimer()
		if err := startShipper(b, s, sink{}, ShipperOptions{}).Stop(until(b)); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
		if err := os.RemoveAll(dir); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/event")
}

func BenchmarkShipFromMemory(b *testing.B) { benchmarkShip(b, 32_000) }
func BenchmarkShipFromDisk(b *testing.B)   { benchmarkShip(b, 10) }

func TestAppend_ReturnsAfterCommitWaitAndKeepsTheEvent(t *testing.T) {
	s := openAt(t, Options{Dir: t.TempDir(), Sync: Committed, CommitWait: 20 * time.Millisecond}, seams{})
	e := sampleEvent()
	if err := s.Append(t.Context(), &e); err != nil {
		t.Fatalf("Append without a recorder: %v", err)
	}
	batch, err := s.Next(t.Context(), 1)
	if err != nil || len(batch.Events) != 1 || batch.Events[0].ID != e.ID {
		t.Errorf("Next: got %d events and error %v, want the appended event", len(batch.Events), err)
	}
}
