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

// windowBytes is the number of bytes that one read takes from the disk. It has room for two frames of the
// largest size: whether a corrupt frame can be skipped depends on the frame after it.
const windowBytes = 2 * (frameHeader + maxRecord)

// Batch is a sequence of events in the order in which they were appended. Events is valid until Done.
type Batch struct {
	Events []usage.Event
	end    position
	spool  *Spool
}

// Next waits until there are events and returns at most max of them. Next returns the same batch again until
// the batch is Done. It returns ErrClosed after Close and ctx's error when ctx ends; any other error comes from
// the disk, and the caller may retry.
func (s *Spool) Next(ctx context.Context, max int) (Batch, error) {
	for {
		if err := s.await(ctx, 1); err != nil {
			return Batch{}, err
		}
		s.mu.Lock()
		behind := s.behind
		// The ring is used only while it continues where the last batch ended.
		if s.batch == nil && !behind {
			s.takeFromRing(max)
		}
		batch := s.batch
		s.mu.Unlock()
		if batch != nil {
			return *batch, nil
		}
		if behind {
			if err := s.takeFromDisk(max); err != nil {
				return Batch{}, fmt.Errorf("read the spool: %w", err)
			}
		}
	}
}

// Done reports that every event of the batch is recorded or rejected. It deletes the segments that are no
// longer needed. An error means that a segment could not be deleted; the spool retries that by itself.
func (b Batch) Done() error {
	s := b.spool
	s.mu.Lock()
	// A second Done of the same batch, or of an older one, changes nothing but the deletion of segments.
	if s.batch != nil && s.batch.end == b.end {
		// The spool reuses the slice for the next batch; clearing it frees the events' memory now.
		clear(b.Events)
		s.batch = nil
		s.advance(b.end)
	}
	s.mu.Unlock()
	return s.collect()
}

// await waits until n events are available. It returns earlier with at least one event if a caller waits for
// events to be recorded.
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
		// The next wake-up may come between the unlock and the receive: ready has room for one value, so it
		// isn't lost.
		s.want = n
		s.mu.Unlock()
		select {
		case <-s.ready:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// available returns the number of events that the consumer can take now. The events on disk are not counted:
// while the consumer reads from disk, available returns the largest int. The caller holds mu.
func (s *Spool) available() int {
	if s.behind || s.batch != nil {
		return math.MaxInt
	}
	return s.ring.count
}

// takeFromRing hands out up to max events of the ring. The caller holds mu.
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

// handOut makes a batch of s.events, which ends at end. The caller holds mu.
func (s *Spool) handOut(end position) {
	if len(s.events) > 0 {
		s.batch = &Batch{Events: s.events, end: end, spool: s}
	}
}

// takeFromDisk reads events from the consumer's position. It stops at max events, at the end of the segment or
// at the ring's first event, whichever comes first. It reads without the lock: frames that are written once
// never change.
func (s *Spool) takeFromDisk(max int) error {
	s.mu.Lock()
	seg, limit := s.reading()
	from := s.readPos
	s.mu.Unlock()
	if seg != nil {
		data, err := s.readWindow(seg.path, from.offset, limit)
		if err != nil {
			return err
		}
		chunk := decode(data, int(limit-from.offset), decoded{events: s.events[:0]}, max)
		// The damage is saved before the position moves past it.
		if err := s.saveDamaged(seg, from.offset, chunk.damages); err != nil {
			return err
		}
		s.events = chunk.events
		from.offset += int64(chunk.size)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readPos = from
	s.catchUp()
	if seg != nil {
		s.handOut(from)
	}
	// The segment has only damaged records here, and they are in quarantine now. They count as recorded;
	// otherwise flush would wait for them forever.
	if s.batch == nil {
		s.advance(s.readPos)
	}
	return nil
}

// reading returns the segment at the consumer's position and the offset up to which it may be read. seg is nil
// if that segment is deleted. The caller holds mu.
func (s *Spool) reading() (seg *segment, limit int64) {
	for _, seg := range s.segments {
		if seg.index != s.readPos.segment {
			continue
		}
		limit = seg.size
		if head, ok := s.ring.first(); ok && head.segment == seg.index {
			limit = min(limit, head.offset)
		}
		return seg, limit
	}
	return nil, 0
}

// catchUp moves the consumer's position over the ends of segments. When the position reaches the ring's first
// event, or the end of the log, the consumer is no longer behind. The caller holds mu.
func (s *Spool) catchUp() {
	head, ok := s.ring.first()
	for _, seg := range s.segments {
		if seg.index < s.readPos.segment {
			continue
		}
		if seg.index > s.readPos.segment {
			s.readPos = position{segment: seg.index}
		}
		if ok && s.readPos == head {
			s.behind = false
			return
		}
		if s.readPos.offset < seg.size {
			return
		}
	}
	s.behind = false
}

// readWindow returns the bytes of the file between from and limit, at most windowBytes. They are valid until
// the next call.
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
	// The file is shorter than the frames that were written to it: somebody truncated it.
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return data, errors.Join(err, f.Close())
}

// decoded is the result of decoding a part of a segment.
type decoded struct {
	events  []usage.Event
	size    int // bytes decoded or skipped
	damages []damage
}

// damage is a range of a segment, relative to the decoded part, without a readable record.
type damage struct {
	offset, size int
	err          error
}

var (
	errChecksum = errors.New("checksum does not match")
	errFraming  = errors.New("no frame found: the rest of the segment is unreadable")
)

// decode appends the records of data to d until it has max events or needs more data. data is the beginning of
// a part of a segment with remaining bytes. decode skips a corrupt frame if an intact one follows or the frame
// ends the part. Otherwise no later frame can be found, and decode skips everything that remains.
func decode(data []byte, remaining int, d decoded, max int) decoded {
	for d.size < len(data) && len(d.events) < max {
		payload, size, state := frameAt(data[d.size:])
		if state == intact {
			d.add(payload, size)
			continue
		}
		// A window of the largest size always has room for the next frame. If data is shorter, more of the
		// segment may complete it.
		short := len(data) < remaining && len(data)-d.size < windowBytes
		if short && state != unreadable {
			return d
		}
		if state == corrupt && (d.size+size == remaining || followed(data[d.size+size:])) {
			d.skip(size, errChecksum)
			continue
		}
		d.skip(remaining-d.size, errFraming)
	}
	return d
}

// add decodes one record. A record that cannot be parsed counts as damage.
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

// skip records a damaged range of size bytes and moves past it.
func (d *decoded) skip(size int, err error) {
	d.damages = append(d.damages, damage{d.size, size, err})
	d.size += size
}

// saveDamaged copies the segment to quarantine, once for each segment, then logs and counts each damaged range.
// base is the offset in the segment to which the ranges are relative.
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
			return fmt.Errorf("copy the segment to quarantine: %w", err)
		}
		s.saved[seg.index] = true
	}
	for _, d := range damages {
		s.quarantined.Add(1)
		s.o.Log.Error("damaged spool record moved to quarantine", "segment", seg.path,
			"offset", base+int64(d.offset), "bytes", d.size, "error", d.err)
	}
	return nil
}

// rejection is one line of rejected.log.
type rejection struct {
	RejectedAt time.Time   `json:"rejected_at"`
	Reason     string      `json:"reason"`
	Event      usage.Event `json:"event"`
	Record     []byte      `json:"record"` // the same event in the format of ParseEvent
}

// Reject writes an event that the database will never accept to quarantine/rejected.log and logs it. When
// Reject returns nil, the line is on disk and the event may be dropped.
func (s *Spool) Reject(e usage.Event, reason error) error {
	line, err := json.Marshal(rejection{s.o.Now().UTC(), reason.Error(), e, AppendEvent(nil, &e)})
	if err != nil {
		return fmt.Errorf("write usage event to rejected.log: %w", err)
	}
	path := filepath.Join(s.o.Dir, quarantineDir, rejectedName)
	if err := writeSynced(path, append(line, '\n'), os.O_CREATE|os.O_APPEND); err != nil {
		return fmt.Errorf("write usage event to rejected.log: %w", err)
	}
	s.quarantined.Add(1)
	s.o.Log.Error("rejected usage event moved to quarantine", "id", e.ID, "tenant", e.TenantID, "error", reason)
	return nil
}
