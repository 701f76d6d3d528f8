package spool

import (
	"testing"
	"time"
)

func TestBacklog_CountsTheEventsThatAreNotRecorded(t *testing.T) {
	t.Parallel()
	s := openAt(t, Options{Dir: t.TempDir()}, seams{create: createFile, ring: 8})
	want := func(what string, events int, empty bool) {
		t.Helper()
		b := s.Backlog()
		if b.Events != events || b.Oldest.IsZero() != (events <= 0) || (b.Bytes == 0) != empty {
			t.Errorf("%s: got %+v, want %d events", what, b, events)
		}
	}
	want("before the first event", 0, true)
	appendN(t, s, 0, 3)
	want("with three events", 3, false)
	batch, err := s.Next(until(t), 2)
	if err != nil {
		t.Fatal(err)
	}
	want("while two of them are being recorded", 3, false)
	if err := batch.Done(); err != nil {
		t.Fatal(err)
	}
	want("after they are recorded", 1, false)
	appendN(t, s, 3, 20)
	want("with more events than the ring holds", -1, false)
	takeN(t, s, 2, 18, 5)
	want("after all are recorded", 0, true)
}

// An event exists only from the end of its call, which may have lasted for long.
func TestBacklog_MeasuresTheWaitFromTheEndOfTheCall(t *testing.T) {
	t.Parallel()
	s := openAt(t, Options{Dir: t.TempDir()}, seams{create: createFile, ring: 8})
	now := time.Now()
	e := sampleEvent()
	e.CreatedAt, e.Latency = now.Add(-16*time.Minute), 16*time.Minute
	if err := s.Append(until(t), &e); err != nil {
		t.Fatal(err)
	}
	if got := s.Backlog().Oldest; got.Sub(now).Abs() > time.Millisecond {
		t.Errorf("in the spool: got %v, want %v", got, now)
	}
	if _, err := s.Next(until(t), 1); err != nil {
		t.Fatal(err)
	}
	if got := s.Backlog().Oldest; got.Sub(now).Abs() > time.Millisecond {
		t.Errorf("while it is being recorded: got %v, want %v", got, now)
	}
}
