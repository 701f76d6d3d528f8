package store_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/export"
	"github.com/tollgate/tollgate/libs/store/field"
	"github.com/tollgate/tollgate/libs/store/metering"
	"github.com/tollgate/tollgate/libs/store/relay"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// exportStage is a store whose usage logs are exported. It is safe for concurrent use, except for its test.
type exportStage struct {
	*testing.T
	*store.Store
	of storetest.Customer

	mu       sync.Mutex
	recorded map[uuid.UUID]string // the recorded logs, with their days
	objects  []export.Object      // that are written
}

// eachExportStage runs the test on each kind of database.
func eachExportStage(t *testing.T, test func(s *exportStage)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, of *store.Store) { test(newExportStage(t, of)) })
}

func newExportStage(t *testing.T, of *store.Store) *exportStage {
	t.Helper()
	return &exportStage{T: t, Store: of, of: storetest.NewCustomer(t, of, "acme"), recorded: map[uuid.UUID]string{}}
}

// at returns the event of a call at a time.
func (s *exportStage) at(at time.Time) usage.Event {
	e := s.of.Call(s.of.Member, "m1", 1)
	floor := field.IDFloor(at)
	copy(e.ID[:6], floor[:6])
	e.CreatedAt = at.UTC()
	return e
}

// record records the calls in one transaction.
func (s *exportStage) record(events ...usage.Event) {
	s.Helper()
	storetest.Need(s.Metering.RecordEvents(background, platform, storetest.NewID(), events))(s)
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range events {
		s.recorded[events[i].ID] = events[i].CreatedAt.UTC().Format(time.DateOnly)
	}
}

// begin turns the export on.
func (s *exportStage) begin() {
	s.Helper()
	storetest.Need(s.Export.Begin(background, platform))(s)
}

// write writes the next object, and returns false if there is none.
func (s *exportStage) write() bool {
	s.Helper()
	o, found, err := s.Export.Next(background, platform)
	storetest.OK(s, err)
	if !found {
		return false
	}
	storetest.OK(s, s.Export.Written(background, platform, o.ID))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.objects = append(s.objects, o)
	return true
}

// plan plans objects and returns the number of logs that it took.
func (s *exportStage) plan(limit int) int {
	s.Helper()
	taken, missing, err := s.Export.Plan(background, platform, limit)
	storetest.OK(s, err)
	storetest.Equal(s, "missing logs", missing, 0)
	return taken
}

// writeAll writes everything that waits, in objects of about limit logs.
func (s *exportStage) writeAll(limit int) {
	s.Helper()
	for more := true; more; {
		more = s.write() || s.plan(limit) > 0
	}
}

// finish writes everything and checks that each recorded log is in one object of its day, once.
func (s *exportStage) finish() {
	s.Helper()
	s.writeAll(7)
	status := storetest.Need(s.Export.Status(background, platform))(s)
	storetest.Equal(s, "what waits", status, export.Status{On: true})
	seen := map[uuid.UUID]int{}
	for i, o := range s.objects {
		if i > 0 && slices.Compare(s.objects[i-1].ID[:], o.ID[:]) >= 0 {
			s.Errorf("object %d is named %s, which is not after %s", i, o.ID, s.objects[i-1].ID)
		}
		if len(o.Logs) == 0 ||
			!slices.IsSortedFunc(o.Logs, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) }) {
			s.Errorf("object %d has no logs, or they are not sorted: %v", i, o.Logs)
		}
		for _, id := range o.Logs {
			seen[id]++
			storetest.Equal(s, "day of the object", o.Day, s.recorded[id])
		}
	}
	for id := range s.recorded {
		storetest.Equal(s, "objects with "+id.String(), seen[id], 1)
	}
	storetest.Equal(s, "logs in objects", len(seen), len(s.recorded))
}

func TestExport_QueuesNothingWhileItIsOff(t *testing.T) {
	t.Parallel()
	for kind, url := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			at := url(t)
			s := newExportStage(t, storetest.Open(t, db.Options{URL: at}))
			s.record(s.at(time.Now()))
			storetest.Equal(t, "logs that were taken", s.plan(100), 0)
			storetest.Equal(t, "state", storetest.Need(s.Export.Status(background, platform))(t), export.Status{})
			s.begin()
			s.finish()
			storetest.Equal(t, "objects", len(s.objects), 1)
			storetest.Equal(t, "was on", storetest.Need(s.Export.Stop(background, platform))(t), true)
			storetest.Equal(t, "is on", storetest.Need(s.Export.Stop(background, platform))(t), false)
			s.record(s.at(time.Now()))
			storetest.Equal(t, "logs that were taken", s.plan(100), 0)
		})
	}
}

func TestExport_HasEachLogOnceWithEarlierAndLateOnes(t *testing.T) {
	t.Parallel()
	eachExportStage(t, func(s *exportStage) {
		today := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
		for i := range 20 {
			s.record(s.at(today.Add(-time.Duration(i)*6*time.Hour)), s.at(today.Add(-time.Duration(i)*5*time.Hour)))
		}
		s.begin()
		late := func() { // ahead of the walk, behind it, on both sides, and after its end
			s.record(s.at(today.Add(-time.Hour)))
			s.record(s.at(today.Add(-200 * time.Hour)))
			s.record(s.at(today.Add(-200*time.Hour)), s.at(today.Add(-2*time.Hour)), s.at(today.Add(time.Hour)))
			s.record(s.at(today.Add(time.Hour)))
		}
		late()
		storetest.Equal(s, "walks", storetest.Need(s.Export.Status(background, platform))(s).Walks, true)
		for range 4 {
			s.plan(9)
			late()
			storetest.Equal(s, "logs taken while objects are not written", s.plan(9), 0)
			for s.write() {
				late()
			}
		}
		s.finish()
		late()
		s.finish()
	})
}

// Whatever the order of records, late records, plans and writes is, each log is in one object.
func TestExport_HasEachLogOnceInAnyOrderOfSteps(t *testing.T) {
	t.Parallel()
	eachExportStage(t, func(s *exportStage) {
		seed := uint64(time.Now().UnixNano())
		s.Logf("seed %d", seed)
		random := rand.New(rand.NewPCG(seed, 0))
		today := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
		steps := []func(){
			func() {
				var events []usage.Event
				for range 1 + random.IntN(5) {
					events = append(events, s.at(today.Add(-time.Duration(random.IntN(400))*time.Hour)))
				}
				s.record(events...)
				if random.IntN(3) == 0 {
					s.record(events...) // a relay repeats it
				}
			},
			func() { s.plan(1 + random.IntN(8)) },
			func() { s.write() },
		}
		for range 30 {
			steps[0]()
		}
		s.begin()
		for range 150 {
			steps[random.IntN(len(steps))]()
		}
		s.finish()
	})
}

// Relays record logs, late ones too, while the export begins and several workers plan and write.
func TestExport_HasEachLogOnceUnderConcurrency(t *testing.T) {
	t.Parallel()
	s := newExportStage(t, storetest.Open(t, db.Options{URL: storetest.Postgres(t)}))
	today := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	var relays, workers sync.WaitGroup
	for r := range 4 {
		relays.Go(func() {
			random := rand.New(rand.NewPCG(uint64(r), 1))
			for range 60 {
				var events []usage.Event
				for range 1 + random.IntN(6) {
					events = append(events, s.at(today.Add(-time.Duration(random.IntN(100_000))*time.Second)))
				}
				s.record(events...)
			}
		})
	}
	stop := make(chan struct{})
	for range 2 {
		workers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if _, err := s.Export.Begin(background, platform); err != nil {
					continue // it waited too long for the relays
				}
				if _, _, err := s.Export.Plan(background, platform, 5); err != nil {
					t.Errorf("plan: %v", err)
				}
				s.writeOnce()
			}
		})
	}
	relays.Wait()
	close(stop)
	workers.Wait()
	s.begin()
	s.finish()
}

// writeOnce writes the next object as one of several workers, of which more than one may write the same object.
func (s *exportStage) writeOnce() {
	o, found, err := s.Export.Next(background, platform)
	if err != nil || !found {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.ContainsFunc(s.objects, func(other export.Object) bool { return other.ID == o.ID }) {
		s.objects = append(s.objects, o)
	} else if i := slices.IndexFunc(s.objects, func(other export.Object) bool {
		return other.ID == o.ID
	}); !slices.Equal(s.objects[i].Logs, o.Logs) {
		s.Errorf("object %s changed", o.ID)
	}
	if err := s.Export.Written(background, platform, o.ID); err != nil {
		s.Error(err)
	}
}

// The transaction of a relay that found the export off ends before the walk's end is chosen.
func TestExport_BeginWaitsForTransactionsThatRecord(t *testing.T) {
	r := newContest(t)
	s := newExportStage(t, r.Store)
	event := s.at(time.Now())
	storetest.OK(t, r.overlap(func(tx *store.Store) error {
		return storetest.ErrorOf(tx.Metering.RecordEvents(background, platform, storetest.NewID(),
			[]usage.Event{event}))
	}, func(of *store.Store) error { return storetest.ErrorOf(of.Export.Begin(background, platform)) }))
	s.recorded[event.ID] = event.CreatedAt.Format(time.DateOnly)
	s.finish()
}

// A lease that is too small makes Postgres record the events in another way, which queues them too.
func TestExport_QueuesLogsOfCallsWithoutALease(t *testing.T) {
	t.Parallel()
	eachExportStage(t, func(s *exportStage) {
		s.begin()
		event := s.at(time.Now())
		event.Leased = []uuid.UUID{s.of.Tenant.ID}
		s.record(event)
		s.finish()
	})
}

func TestExport_WaitsForRelaysOfEarlierReleases(t *testing.T) {
	t.Parallel()
	for kind, url := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			at := url(t)
			s := storetest.Open(t, db.Options{URL: at})
			id := storetest.NewID()
			storetest.Need(s.Relay.Beat(background, platform, id, relay.Report{State: "serving"}))(t)
			storetest.Exec(t, at, "UPDATE relays SET queues_exports = false")
			_, err := s.Export.Begin(background, platform)
			storetest.Refuses(t, err, problem.Conflict, "")
			storetest.Need(s.Relay.Beat(background, platform, id, relay.Report{State: "serving"}))(t) // it was upgraded
			storetest.Equal(t, "begun", storetest.Need(s.Export.Begin(background, platform))(t), true)
			storetest.Equal(t, "begun again", storetest.Need(s.Export.Begin(background, platform))(t), false)
		})
	}
}

func TestExport_NamesObjectsInOrderAlthoughAClockWasAhead(t *testing.T) {
	t.Parallel()
	for kind, url := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			at := url(t)
			s := newExportStage(t, storetest.Open(t, db.Options{URL: at}))
			s.begin()
			ahead := field.IDFloor(time.Now().Add(time.Hour))
			storetest.Exec(t, at, fmt.Sprintf("UPDATE usage_export SET last_object = '%s'", ahead))
			s.record(s.at(time.Now()), s.at(time.Now().Add(-48*time.Hour)))
			s.plan(10)
			for more := true; more; {
				more = s.write()
			}
			s.record(s.at(time.Now()))
			s.finish()
			storetest.Equal(t, "objects", len(s.objects), 3)
			if slices.Compare(s.objects[0].ID[:], ahead[:]) <= 0 {
				t.Errorf("the object %s is named before %s", s.objects[0].ID, ahead)
			}
		})
	}
}

func TestDropUsageLogs_KeepsMonthsThatAreNotExported(t *testing.T) {
	t.Parallel()
	for kind, url := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			k, months := newOldUsageStore(t, url(t))
			s := &exportStage{T: t, Store: k.Store, of: k.a, recorded: map[uuid.UUID]string{}}
			s.begin()
			all := k.logs(t)
			kept := storetest.Need(k.Metering.DropUsageLogs(background, platform, 100*day))(t)
			storetest.Equal(t, "kept before the walk", kept.Unexported, true)
			storetest.Equal(t, "logs before the walk", k.logs(t), all)
			s.writeAll(1000)
			k.record(t, months[1], 4)
			storetest.Equal(t, "kept with late logs",
				storetest.Need(k.Metering.DropUsageLogs(background, platform, 100*day))(t).Unexported, true)
			// The much earlier month and the first one are gone.
			storetest.Equal(t, "logs with late ones", k.logs(t), all-4-8+4)
			s.plan(1000)
			storetest.Equal(t, "kept while an object is not written",
				storetest.Need(k.Metering.DropUsageLogs(background, platform, 100*day))(t).Unexported, true)
			for more := true; more; {
				more = s.write()
			}
			storetest.Equal(t, "kept at the end",
				storetest.Need(k.Metering.DropUsageLogs(background, platform, 100*day))(t).Unexported, false)
			storetest.Equal(t, "logs at the end", k.logs(t), 4*8)
		})
	}
}

// A relay records late logs in a transaction that begins before the drop and ends while the drop waits for it.
func TestDropUsageLogs_KeepsLogsThatAreRecordedMeanwhile(t *testing.T) {
	t.Parallel()
	k, months := newOldUsageStore(t, storetest.Postgres(t))
	s := &exportStage{T: t, Store: k.Store, of: k.a, recorded: map[uuid.UUID]string{}}
	s.begin()
	s.writeAll(1000)
	recorded, resume := make(chan error), make(chan struct{})
	go func() {
		recorded <- k.Atomically(background, func(tx *store.Store) error {
			_, err := tx.Metering.RecordEvents(background, platform, storetest.NewID(),
				[]usage.Event{s.at(months[1].Add(time.Hour))})
			recorded <- err
			<-resume
			return err
		})
	}()
	storetest.OK(t, <-recorded)
	dropped := make(chan metering.Dropped)
	go func() {
		drop, err := k.Metering.DropUsageLogs(background, platform, 100*day)
		if err != nil {
			t.Error(err)
		}
		dropped <- drop
	}()
	k.awaitLockWaiter(t)
	close(resume)
	storetest.OK(t, <-recorded)
	drop := <-dropped
	storetest.Equal(t, "months with late logs stay", drop.Unexported, true)
	storetest.Equal(t, "partitions without late logs", drop.Partitions, 1)
	s.writeAll(1000)
	storetest.Equal(t, "written late logs", len(s.objects[len(s.objects)-1].Logs), 1)
	drop = storetest.Need(k.Metering.DropUsageLogs(background, platform, 100*day))(t)
	storetest.Equal(t, "partitions when all logs are written", drop.Partitions, 3)
	storetest.Equal(t, "logs at the end", k.logs(t), 4*8)
}

func TestExport_CountsQueuedLogsThatDoNotExist(t *testing.T) {
	t.Parallel()
	for kind, url := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			at := url(t)
			s := newExportStage(t, storetest.Open(t, db.Options{URL: at}))
			s.begin()
			s.record(s.at(time.Now()), s.at(time.Now()))
			storetest.Exec(t, at, "DELETE FROM usage_logs")
			taken, missing, err := s.Export.Plan(background, platform, 10)
			storetest.OK(t, err)
			storetest.Equal(t, "logs that were taken", taken, 2)
			storetest.Equal(t, "missing logs", missing, 2)
			storetest.Equal(t, "objects", s.write(), false)
		})
	}
}
