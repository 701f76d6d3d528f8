package spool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/tollgate/tollgate/libs/core/usage"
)

// windowBytes is how much is read from the disk at a time: at least two
// frames, however large, so that a damaged one is seen with its successor.
const windowBytes = 2 * (frameHeader + maxRecord)

// Batch is a run of events, in the order they were appended. Its Events are
// valid until Done.
type Batch struct {
	Events []usage.Event
	end    position
	spool  *Spool
}

// Next blocks until there are events and returns at most max of them. A batch
// that is not Done is handed out again. ErrClosed and ctx's error end the
// waiting; other errors are the disk's and may pass.
func (s *Spool) Next(ctx context.Context, max int) (Batch, error) {
	for {
		if err := s.await(ctx, 1); err != nil {
			return Batch{}, err
		}
		s.mu.Lock()
		behind := s.behind
		if s.out == nil && !behind {
			s.takeFromRing(max)
		}
		out := s.out
		s.mu.Unlock()
		if out != nil {
			return *out, nil
		}
		if behind {
			if err := s.takeFromDisk(max); err != nil {
				return Batch{}, fmt.Errorf("read the spool: %w", err)
			}
		}
	}
}

// Done says that the events are recorded or rejected. Its error means that a
// segment could not be deleted, which is tried again.
func (b Batch) Done() error {
	s := b.spool
	s.mu.Lock()
	if s.out != nil && s.out.end == b.end {
		clear(b.Events)
		s.out = nil
		s.advance(b.end)
	}
	s.mu.Unlock()
	return s.collect()
}

// await returns when n events are there, or any where someone waits for them
// to be recorded.
func (s *Spool) await(ctx context.Context, n int) error {
	for {
		s.mu.Lock()
		available := s.available()
		if s.closed {
			s.mu.Unlock()
			return ErrClosed
		}
		if available >= n || available > 0 && s.waiters > 0 {
			s.mu.Unlock()
			return nil
		}
		s.want = n
		s.mu.Unlock()
		select {
		case <-s.ready:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (s *Spool) available() int {
	if s.behind || s.out != nil {
		return math.MaxInt
	}
	return s.ring.count
}

func (s *Spool) takeFromRing(max int) {
	var end position
	s.events = s.events[:0]
	for len(s.events) < max && s.ring.count > 0 {
		oldest := s.ring.pop()
		s.events = append(s.events, oldest.event)
		end = oldest.end
	}
	s.handOut(end)
}

func (s *Spool) handOut(end position) {
	if len(s.events) > 0 {
		s.out = &Batch{Events: s.events, end: end, spool: s}
	}
}

// takeFromDisk reads on where the consumer is, at most up to the ring's first
// event or the segment's end.
func (s *Spool) takeFromDisk(max int) error {
	s.mu.Lock()
	seg, limit := s.reading()
	from := s.read
	s.mu.Unlock()
	if seg != nil {
		data, err := s.readWindow(seg.path, from.offset, limit)
		if err != nil {
			return err
		}
		chunk := decode(data, int(limit-from.offset), decoded{events: s.events[:0]}, max)
		if err := s.saveDamaged(seg, from.offset, chunk.damages); err != nil {
			return err
		}
		s.events = chunk.events
		from.offset += int64(chunk.size)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.read = from
	s.catchUp()
	if seg != nil {
		s.handOut(from)
	}
	if s.out == nil {
		s.advance(s.read)
	}
	return nil
}

// reading returns the segment that holds s.read and how far it may be read.
func (s *Spool) reading() (seg *segment, limit int64) {
	for _, seg := range s.segments {
		if seg.index != s.read.segment {
			continue
		}
		limit = seg.size
		if first, ok := s.ring.first(); ok && first.segment == seg.index {
			limit = min(limit, first.offset)
		}
		return seg, limit
	}
	return nil, 0
}

// catchUp moves s.read over the ends of segments and finds out whether the
// ring goes on from there.
func (s *Spool) catchUp() {
	first, filled := s.ring.first()
	for _, seg := range s.segments {
		if seg.index < s.read.segment {
			continue
		}
		if seg.index > s.read.segment {
			s.read = position{segment: seg.index}
		}
		if filled && s.read == first {
			s.behind = false
			return
		}
		if s.read.offset < seg.size {
			return
		}
	}
	s.behind = false
}

func (s *Spool) readWindow(path string, from, limit int64) ([]byte, error) {
	if s.window == nil {
		s.window = make([]byte, windowBytes)
	}
	data := s.window[:min(int64(len(s.window)), limit-from)]
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	_, err = f.ReadAt(data, from)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return data, errors.Join(err, f.Close())
}

// decoded is what a stretch of a segment holds.
type decoded struct {
	events  []usage.Event
	size    int // bytes taken, or given up
	damages []damage
}

// damage is a stretch that holds no readable record.
type damage struct {
	offset, size int
	err          error
}

var (
	errChecksum = errors.New("wrong checksum")
	errFraming  = errors.New("no frame here: the rest of the segment cannot be read")
)

// decode takes records from data, the beginning of remaining bytes, until it
// has max events or needs to see more. Damaged records are passed over where a
// whole one follows them; otherwise nothing of remaining can be read.
func decode(data []byte, remaining int, d decoded, max int) decoded {
	for d.size < len(data) && len(d.events) < max {
		payload, size, state := frameAt(data[d.size:])
		if state == whole {
			d.add(payload, size)
			continue
		}
		short := len(data) < remaining && len(data)-d.size < windowBytes
		if short && state != lost {
			return d
		}
		if state == bad && (d.size+size == remaining || followed(data[d.size+size:])) {
			d.skip(size, errChecksum)
			continue
		}
		d.skip(remaining-d.size, errFraming)
	}
	return d
}

func (d *decoded) add(payload []byte, size int) {
	n := len(d.events)
	d.events = append(d.events, usage.Event{})
	if err := parseEvent(payload, &d.events[n]); err != nil {
		d.events = d.events[:n]
		d.skip(size, err)
		return
	}
	d.size += size
}

func (d *decoded) skip(size int, err error) {
	d.damages = append(d.damages, damage{d.size, size, err})
	d.size += size
}

// saveDamaged puts a copy of the segment into quarantine, once, and reports
// each damage.
func (s *Spool) saveDamaged(seg *segment, base int64, damages []damage) error {
	if len(damages) == 0 {
		return nil
	}
	if !s.saved[seg.index] {
		data, err := os.ReadFile(seg.path)
		if err == nil {
			err = writeSynced(s.quarantineName(seg, ""), data, os.O_CREATE|os.O_EXCL)
		}
		if err != nil {
			return fmt.Errorf("quarantine: %w", err)
		}
		s.saved[seg.index] = true
	}
	for _, d := range damages {
		s.quarantined.Add(1)
		s.o.Log.Error("spool record is damaged and in quarantine", "segment", seg.path,
			"offset", base+int64(d.offset), "bytes", d.size, "error", d.err)
	}
	return nil
}

// rejection is a line of rejected.log.
type rejection struct {
	RejectedAt time.Time   `json:"rejected_at"`
	Reason     string      `json:"reason"`
	Event      usage.Event `json:"event"`
	Record     []byte      `json:"record"` // of the same event, as ParseEvent reads it
}

// Reject puts an event that the database will never take into
// quarantine/rejected.log and reports it. The event is safe when Reject
// returns nil.
func (s *Spool) Reject(e usage.Event, reason error) error {
	line, err := json.Marshal(rejection{s.o.Now().UTC(), reason.Error(), e, AppendEvent(nil, &e)})
	if err != nil {
		return fmt.Errorf("reject a usage event: %w", err)
	}
	path := filepath.Join(s.o.Dir, quarantineDir, "rejected.log")
	if err := writeSynced(path, append(line, '\n'), os.O_CREATE|os.O_APPEND); err != nil {
		return fmt.Errorf("reject a usage event: %w", err)
	}
	s.quarantined.Add(1)
	s.o.Log.Error("usage event is rejected and in quarantine", "id", e.ID, "tenant", e.TenantID, "error", reason)
	return nil
}
