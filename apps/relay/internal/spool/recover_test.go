package spool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/core/usage"
)

// writeLog writes one segment for each number in frames, with that many frames of the events 0, 1, 2 and so on.
// It returns the bytes of each segment and the offsets at which its frames end.
func writeLog(t *testing.T, dir string, frames ...int) (segments [][]byte, ends [][]int) {
	t.Helper()
	n := 0
	for i, count := range frames {
		var data []byte
		var end []int
		for range count {
			e := usage.Event{Log: usage.Log{Usage: usage.Usage{Input: int64(n)}, Model: "m"}}
			data = appendFrame(data, &e)
			end = append(end, len(data))
			n++
		}
		writeSegment(t, dir, i+1, data)
		segments, ends = append(segments, data), append(ends, end)
	}
	return segments, ends
}

// writeSegment writes the file of a segment.
func writeSegment(t *testing.T, dir string, index int, data []byte) {
	t.Helper()
	if err := os.WriteFile(segmentPath(dir, uint64(index)), data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// readAll takes all events and returns their numbers.
func readAll(t *testing.T, s *Spool) (numbers []int) {
	t.Helper()
	for {
		s.mu.Lock()
		available := s.available()
		s.mu.Unlock()
		if available == 0 {
			return numbers
		}
		if available > s.seams.ring {
			if err := s.takeFromDisk(3); err != nil {
				t.Fatal(err)
			}
			if s.batch == nil {
				continue
			}
		}
		batch, err := s.Next(until(t), 3)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range batch.Events {
			numbers = append(numbers, int(e.Usage.Input))
		}
		if err := batch.Done(); err != nil {
			t.Fatal(err)
		}
	}
}

// reopened opens the spool in dir and returns the numbers of its events and the number of quarantined records.
func reopened(t *testing.T, dir string) (numbers []int, quarantined int64) {
	t.Helper()
	s := openAt(t, Options{Dir: dir}, seams{})
	defer func() { _ = s.Close() }()
	return readAll(t, s), s.Quarantined()
}

// upTo returns the numbers from 0 to n-1.
func upTo(n int) []int {
	var numbers []int
	for i := range n {
		numbers = append(numbers, i)
	}
	return numbers
}

// quarantine returns the files in the quarantine of dir.
func quarantine(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, quarantineDir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestOpen_KeepsTheCompleteRecordsOfATruncatedSegment(t *testing.T) {
	dir := t.TempDir()
	segments, ends := writeLog(t, dir, 2, 4)
	last := segments[1]
	for length := range last {
		dir := t.TempDir()
		writeSegment(t, dir, 1, segments[0])
		writeSegment(t, dir, 2, last[:length])
		want := 2
		for _, end := range ends[1] {
			if end <= length {
				want++
			}
		}
		got, quarantined := reopened(t, dir)
		if !slices.Equal(got, upTo(want)) || quarantined != 0 {
			t.Errorf("truncated at %d: got events %v and %d quarantined, want the first %d and none", length, got,
				quarantined, want)
		}
	}
}

// A flipped bit may cost only the record that contains it. If the bit is in a length, the records behind it in
// the same segment may be lost too, because their frames cannot be found. No other event may appear, and the
// damage must be in quarantine.
func TestNext_LosesOnlyTheRecordWithAFlippedBit(t *testing.T) {
	dir := t.TempDir()
	segments, ends := writeLog(t, dir, 3, 3)
	for index, data := range segments {
		for bit := range len(data) * 8 {
			damaged := bytes.Clone(data)
			damaged[bit/8] ^= 1 << (bit % 8)
			both := [][]byte{segments[0], segments[1]}
			both[index] = damaged
			writeSegment(t, dir, 1, both[0])
			writeSegment(t, dir, 2, both[1])

			// Index of the damaged frame in its segment.
			hit := slices.IndexFunc(ends[index], func(end int) bool { return end > bit/8 })
			start := 0
			if hit > 0 {
				start = ends[index][hit-1]
			}
			lengthHit := bit/8-start < 4
			got, _ := reopened(t, dir)
			for n := range 6 {
				unsure := lengthHit && n > index*3+hit && n < index*3+3
				want := 1
				if n == index*3+hit {
					want = 0
				}
				if times := count(got, n); times != want && !(unsure && times == 0) {
					t.Errorf("segment %d, bit %d: got events %v", index+1, bit, got)
				}
			}
			if !slices.IsSorted(got) || len(quarantine(t, dir)) != 1 {
				t.Errorf("segment %d, bit %d: got events %v and %d files in quarantine, want sorted events and 1 file",
					index+1, bit, got, len(quarantine(t, dir)))
			}
			for _, name := range quarantine(t, dir) {
				_ = os.Remove(name)
			}
		}
	}
}

// count returns how often n occurs in numbers.
func count(numbers []int, n int) (times int) {
	for _, m := range numbers {
		if m == n {
			times++
		}
	}
	return times
}

func TestNext_CountsDamagedRecordsAndCopiesTheSegmentToQuarantine(t *testing.T) {
	dir := t.TempDir()
	segments, ends := writeLog(t, dir, 5, 1)
	damaged := bytes.Clone(segments[0])
	damaged[ends[0][0]+frameHeader+1] ^= 1
	damaged[ends[0][2]+frameHeader+1] ^= 1
	writeSegment(t, dir, 1, damaged)
	got, quarantined := reopened(t, dir)
	if !slices.Equal(got, []int{0, 2, 4, 5}) || quarantined != 2 {
		t.Errorf("got events %v and %d quarantined, want 0, 2, 4, 5 and 2 quarantined", got, quarantined)
	}
	files := quarantine(t, dir)
	if len(files) != 1 {
		t.Fatal(files)
	}
	if kept, err := os.ReadFile(files[0]); err != nil || !bytes.Equal(kept, damaged) {
		t.Error("the copy in quarantine differs from the segment", err)
	}
}

func TestOpen_MovesGarbageAtTheEndToQuarantine(t *testing.T) {
	dir := t.TempDir()
	segments, _ := writeLog(t, dir, 3)
	garbage := make([]byte, 4096)
	writeSegment(t, dir, 1, append(bytes.Clone(segments[0]), garbage...))
	got, quarantined := reopened(t, dir)
	if !slices.Equal(got, upTo(3)) || quarantined != 1 {
		t.Errorf("got events %v and %d quarantined, want 0, 1, 2 and 1 quarantined", got, quarantined)
	}
	files := quarantine(t, dir)
	if len(files) != 1 {
		t.Fatal(files)
	}
	if kept, err := os.ReadFile(files[0]); err != nil || !bytes.Equal(kept, garbage) {
		t.Error("the copy in quarantine differs from the garbage", err)
	}
}

// An alert on the number would otherwise end although the events are still not charged.
func TestQuarantined_CountsWhatEarlierRunsSetAside(t *testing.T) {
	dir := t.TempDir()
	segments, ends := writeLog(t, dir, 3, 1, 1)
	segments[0][ends[0][0]+frameHeader+1] ^= 1
	writeSegment(t, dir, 1, segments[0])
	writeSegment(t, dir, 3, append(bytes.Clone(segments[2]), make([]byte, 4096)...))
	s := openAt(t, Options{Dir: dir}, seams{})
	readAll(t, s)
	for n := range 2 {
		event := numbered(n)
		event.Error = strings.Repeat("x", 100_000)
		if err := s.Reject(*event, errors.New("no such tenant")); err != nil {
			t.Fatal(err)
		}
	}
	before := s.Quarantined()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	writeSegment(t, dir, 9, segments[1][:ends[1][0]-1]) // a killed process leaves an incomplete frame
	if _, after := reopened(t, dir); before != 4 || after != 4 {
		t.Errorf("got %d quarantined, and %d after a restart, want 4: a record, garbage, two events", before, after)
	}
	if _, after := reopened(t, dir); after != 4 {
		t.Errorf("got %d quarantined after a second restart, want 4", after)
	}
	for _, name := range quarantine(t, dir) {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	if _, after := reopened(t, dir); after != 0 {
		t.Errorf("got %d quarantined after the files were moved away, want 0", after)
	}
}

func TestNext_QuarantinesARecordOfAnUnknownFormat(t *testing.T) {
	dir := t.TempDir()
	e := usage.Event{}
	data := appendFrame(nil, &e)
	data[frameHeader]++
	later := checksum(data[frameHeader:])
	data[4], data[5], data[6], data[7] = byte(later), byte(later>>8), byte(later>>16), byte(later>>24)
	writeSegment(t, dir, 1, appendFrame(data, &usage.Event{}))
	got, quarantined := reopened(t, dir)
	if !slices.Equal(got, []int{0}) || quarantined != 1 {
		t.Errorf("got events %v and %d quarantined, want event 0 and 1 quarantined", got, quarantined)
	}
}

func TestFlush_ReturnsWhenTheRestIsUnreadable(t *testing.T) {
	dir := t.TempDir()
	segments, _ := writeLog(t, dir, 1, 1)
	segments[0][frameHeader+1] ^= 1
	writeSegment(t, dir, 1, segments[0])
	segments[1][frameHeader+1] ^= 1
	writeSegment(t, dir, 2, segments[1])
	s := openAt(t, Options{Dir: dir}, seams{})
	recorder := newRecorder()
	shipper := startShipper(t, s, recorder, ShipperOptions{})
	if err := shipper.Flush(until(t)); err != nil {
		t.Error(err)
	}
	if err := shipper.Stop(until(t)); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil || len(segmentFiles(t, dir)) != 0 {
		t.Errorf("Close: got error %v and segments %v, want none", err, segmentFiles(t, dir))
	}
}

// A frame that crosses the end of a read window, behind a damaged frame, must still be found.
func TestNext_FindsLargeRecordsBehindDamageAcrossReadWindows(t *testing.T) {
	dir := t.TempDir()
	var data []byte
	var starts []int
	for n := range 12 {
		e := usage.Event{Log: usage.Log{Usage: usage.Usage{Input: int64(n)},
			Error: string(bytes.Repeat([]byte("x"), maxRecord-200+n))}}
		starts = append(starts, len(data))
		data = appendFrame(data, &e)
	}
	for _, n := range []int{1, 4, 7} {
		data[starts[n]+frameHeader+500] ^= 1
	}
	writeSegment(t, dir, 1, data)
	got, quarantined := reopened(t, dir)
	if !slices.Equal(got, []int{0, 2, 3, 5, 6, 8, 9, 10, 11}) || quarantined != 3 {
		t.Errorf("got events %v and %d quarantined, want all but 1, 4 and 7", got, quarantined)
	}
}

func TestNext_SkipsTheRestOfASegmentWithoutFrames(t *testing.T) {
	dir := t.TempDir()
	var data []byte
	for n := range 20_000 {
		e := usage.Event{Log: usage.Log{Usage: usage.Usage{Input: int64(n)},
			Error: string(bytes.Repeat([]byte("x"), 300))}}
		if n == 1 {
			data = append(data, 0, 0, 0, 0)
		}
		data = appendFrame(data, &e)
	}
	writeSegment(t, dir, 1, data)
	writeSegment(t, dir, 2, appendFrame(nil, numbered(7)))
	got, quarantined := reopened(t, dir)
	if !slices.Equal(got, []int{0, 7}) || quarantined != 1 {
		t.Errorf("got %d events and %d quarantined, want events 0 and 7 and 1 quarantined", len(got), quarantined)
	}
}

func TestReject_WritesTheEventToRejectedLog(t *testing.T) {
	dir := t.TempDir()
	now := time.Unix(1_790_000_000, 0)
	s := openAt(t, Options{Dir: dir, Now: func() time.Time { return now }}, seams{})
	for n := range 2 {
		if err := s.Reject(*numbered(n), errors.New("no such tenant")); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, quarantineDir, "rejected.log"))
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
	var line rejection
	if err := json.Unmarshal(lines[1], &line); err != nil || len(lines) != 2 {
		t.Fatalf("rejected.log: got %d lines and error %v, want 2 lines", len(lines), err)
	}
	event, err := ParseEvent(line.Record)
	if err != nil || event.Usage.Input != 1 || line.Event.Usage.Input != 1 || line.Reason != "no such tenant" ||
		!line.RejectedAt.Equal(now) {
		t.Errorf("second line: got %+v and error %v", line, err)
	}
	if s.Quarantined() != 2 {
		t.Errorf("Quarantined: got %d, want 2", s.Quarantined())
	}
}

func TestNext_FailsOnAnUnreadableSegmentAndRetries(t *testing.T) {
	dir := t.TempDir()
	segments, _ := writeLog(t, dir, 3)
	s := openAt(t, Options{Dir: dir}, seams{})
	path := segmentPath(dir, 1)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Next(context.Background(), 3); err == nil {
		t.Error("Next succeeded without the segment's file")
	}
	writeSegment(t, dir, 1, segments[0])
	takeN(t, s, 0, 3, 3)
}
