package auditbuffer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/audit"
	"github.com/tollgate/tollgate/libs/store/db"
)

// memoryLog is a Log that keeps the entries, and fails while it has an error.
type memoryLog struct {
	entries   []audit.Entry
	err       error
	refuses   string // the address of an entry that it refuses
	calls     int
	downAfter int // number of calls after which it does not answer; 0: always answers
}

func (l *memoryLog) Append(_ context.Context, _ tenant.Scope, entries []audit.Entry) error {
	l.calls++
	switch {
	case l.err != nil:
		return l.err
	case l.downAfter > 0 && l.calls > l.downAfter:
		return errors.New("the database is down")
	case slices.ContainsFunc(entries, func(e audit.Entry) bool { return l.refuses != "" && e.Address == l.refuses }):
		return db.ErrRefused
	}
	l.entries = append(l.entries, entries...)
	return nil
}

// clocked returns a Buffer that writes to the log, and its clock.
func clocked(t *testing.T) (*Buffer, *memoryLog, *time.Time) {
	t.Helper()
	now, log := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC), &memoryLog{}
	made, err := New(Options{Log: log, Now: func() time.Time { return now }, Logger: slog.New(slog.DiscardHandler),
		Registry: prometheus.NewRegistry()})
	if err != nil {
		t.Fatal(err)
	}
	return made, log, &now
}

func (l *memoryLog) Chain(context.Context, tenant.Scope, time.Time) (int, error) { return 0, l.err }

func guess(address, account string) *Event {
	return &Event{Action: SignInRefused, Address: netip.MustParseAddr(address), What: account}
}

func TestBuffer_WritesFewEntriesForAFlood(t *testing.T) {
	t.Parallel()
	buffer, log, now := clocked(t)
	for second := range 120 {
		for i := range 100 {
			buffer.Note(guess("192.0.2.1", fmt.Sprintf("user%d@acme.example", i)))
		}
		*now = now.Add(time.Second)
		if second%2 == 0 {
			buffer.write(t.Context(), buffer.Now())
		}
	}
	if err := buffer.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(log.entries) > 4 {
		t.Errorf("got %d entries for two minutes, want at most 4", len(log.entries))
	}
	var count int64
	for _, e := range log.entries {
		count += countOf(e)
		if accounts, ok := e.Detail["accounts"].(map[string]int64); !ok || len(accounts) > maxDetails+1 {
			t.Errorf("got %d accounts in an entry", len(accounts))
		}
		if e.Address != "192.0.2.1" {
			t.Errorf("address = %q", e.Address)
		}
	}
	if count != 12_000 {
		t.Errorf("got %d attempts, want 12000", count)
	}
}

// countOf returns the number of events of an entry, 0 if it has none.
func countOf(e audit.Entry) int64 {
	count, _ := e.Detail["count"].(int64)
	return count
}

func TestBuffer_BoundsTheCombinations(t *testing.T) {
	t.Parallel()
	buffer, log, _ := clocked(t)
	for i := range 3 * maxSums {
		buffer.Note(guess(fmt.Sprintf("10.%d.%d.1", i/256, i%256), "owner@acme.example"))
	}
	if len(buffer.sums) > maxSums+1 {
		t.Errorf("got %d sums", len(buffer.sums))
	}
	for i := range 5000 { // one network of IPv6 is one client
		buffer.Note(guess(fmt.Sprintf("2001:db8::%x", i+1), "owner@acme.example"))
	}
	buffer.write(t.Context(), buffer.Now().Add(time.Minute))
	var count int64
	for _, e := range log.entries {
		count += countOf(e)
	}
	if count != 3*maxSums+5000 {
		t.Errorf("got %d attempts, want %d", count, 3*maxSums+5000)
	}
}

func TestBuffer_KeepsEventsWhileTheDatabaseFails(t *testing.T) {
	t.Parallel()
	buffer, log, now := clocked(t)
	log.err = errors.New("the database is down")
	for range 5 {
		buffer.Note(guess("192.0.2.1", "a@acme.example"))
		buffer.write(t.Context(), buffer.Now())
		*now = now.Add(time.Second)
	}
	log.err = nil
	buffer.write(t.Context(), buffer.Now().Add(time.Minute))
	if len(log.entries) != 1 || log.entries[0].Detail["count"] != int64(5) {
		t.Errorf("got %+v, want one entry with 5 attempts", log.entries)
	}
}

func TestBuffer_CountsWhatItLosesInAnOutage(t *testing.T) {
	t.Parallel()
	buffer, log, now := clocked(t)
	log.err = errors.New("the database is down")
	for range 3 { // minutes
		for i := range maxSums {
			buffer.Note(guess(fmt.Sprintf("10.%d.%d.1", i/256, i%256), "owner@acme.example"))
		}
		buffer.write(t.Context(), buffer.Now())
		*now = now.Add(time.Minute)
	}
	if len(buffer.sums) > maxSums+1 {
		t.Errorf("got %d sums, want at most %d and that of the lost events", len(buffer.sums), maxSums)
	}
	lost := testutil.ToFloat64(buffer.lost)
	if lost == 0 {
		t.Error("the metric counts no lost events")
	}
	log.err = nil
	buffer.write(t.Context(), buffer.Now())
	buffer.write(t.Context(), buffer.Now())
	var written, reported int64
	for _, e := range log.entries {
		if e.Action == EventsLost {
			reported += countOf(e)
		} else {
			written += countOf(e)
		}
	}
	if reported != int64(lost) || written+reported != 3*maxSums {
		t.Errorf("got %d written and %d reported as lost, metric %v; want %d together", written, reported,
			lost, 3*maxSums)
	}
}

func TestBuffer_KeepsTheRestWhenTheDatabaseIsDownAmidASplitBatch(t *testing.T) {
	t.Parallel()
	buffer, log, _ := clocked(t)
	for i := range 8 {
		buffer.Note(guess(fmt.Sprintf("192.0.2.%d", i), "owner@acme.example"))
	}
	log.refuses, log.downAfter = "192.0.2.1", 4
	buffer.write(t.Context(), buffer.Now())
	log.refuses, log.downAfter = "", 0
	buffer.write(t.Context(), buffer.Now().Add(time.Minute))
	if len(log.entries) != 8 {
		t.Errorf("got %d entries, want 8: one for each event, or for its loss", len(log.entries))
	}
}

func TestBuffer_RecordsAKeyOnceADayAndAddress(t *testing.T) {
	t.Parallel()
	buffer, log, now := clocked(t)
	key := uuid.NewString()
	for range 3 { // days
		for _, address := range []string{"192.0.2.1", "192.0.2.2"} {
			for range 10 {
				buffer.Use(&Event{Action: KeyUsed, Target: key, Address: netip.MustParseAddr(address)})
			}
		}
		buffer.write(t.Context(), buffer.Now())
		*now = now.Add(24 * time.Hour)
	}
	if len(log.entries) != 6 {
		t.Errorf("got %d entries, want 6", len(log.entries))
	}
}
