package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

const (
	dirMode       = 0o700
	fileMode      = 0o600
	segmentSuffix = ".seg"

	// The names of what is in quarantine. A copy of a damaged segment has the segment's suffix.
	quarantineDir = "quarantine"
	rejectedName  = "rejected.log"
	tailSuffix    = ".tail"    // of an incomplete frame
	damagedSuffix = ".damaged" // of bytes at the end of a segment that are no frame
)

// position is a place in the log: the index of a segment and an offset in its file, in bytes. Positions of
// later events are greater.
type position struct {
	segment uint64
	offset  int64
}

// before reports whether p is an earlier place in the log than q.
func (p position) before(q position) bool {
	return p.segment < q.segment || p.segment == q.segment && p.offset < q.offset
}

// segment is one file of the log. Spool.mu guards its fields except index and path, which never change.
type segment struct {
	index uint64
	path  string
	file  file  // nil after it is closed, and for segments from before Open
	size  int64 // bytes of complete frames
	// synced is the size up to which the file is on disk.
	synced int64
	born   time.Time
	sealed bool // no frame is added any more
	gone   bool // the file is deleted
}

// end returns the position after the last complete frame.
func (s *segment) end() position { return position{s.index, s.size} }

// segmentPath returns the path of a segment file. The index has leading zeros, so that the names sort in the
// order of the log.
func segmentPath(dir string, index uint64) string {
	return filepath.Join(dir, fmt.Sprintf("%020d%s", index, segmentSuffix))
}

// writeFrame appends the frame to the active segment and returns its position. If the write fails, writeFrame
// seals the segment and tries once more with a new one. The caller holds mu.
func (s *Spool) writeFrame(frame []byte) (at position, err error) {
	for range 2 {
		var seg *segment
		if seg, err = s.writable(); err != nil {
			return at, err
		}
		if _, err = seg.file.Write(frame); err == nil {
			at = seg.end()
			seg.size += int64(len(frame))
			s.size.Add(int64(len(frame)))
			return at, nil
		}
		s.abandon(seg, err)
	}
	return at, err
}

// writable returns the segment to write to. It creates a new one if there is none or the active one is full.
// The caller holds mu.
func (s *Spool) writable() (*segment, error) {
	if s.active != nil && s.active.size >= s.o.SegmentBytes {
		s.seal()
	}
	if s.active != nil {
		return s.active, nil
	}
	// An index is never used twice in a run, even if the creation fails.
	s.newest++
	path := segmentPath(s.o.Dir, s.newest)
	f, err := s.seams.create(path)
	if err != nil {
		return nil, err
	}
	s.active = &segment{index: s.newest, path: path, file: f, born: s.o.Now()}
	s.segments = append(s.segments, s.active)
	s.open = append(s.open, s.active)
	return s.active, nil
}

// seal ends the active segment, if there is one. The syncer closes its file later. The caller holds mu.
func (s *Spool) seal() {
	if s.active != nil {
		s.active.sealed = true
		s.active = nil
	}
}

// abandon seals a segment after a failed write and truncates it to its last complete frame, because a part of
// the new frame may be on disk. It deletes a segment without any frame.
func (s *Spool) abandon(seg *segment, cause error) {
	s.fail(cause)
	s.seal()
	err := os.Truncate(seg.path, seg.size)
	if seg.size == 0 {
		err = os.Remove(seg.path)
		seg.gone = true
		s.segments = s.segments[:len(s.segments)-1]
	}
	s.o.Log.Error("write to spool segment failed", "segment", seg.path, "error", cause, "repaired", err == nil)
}

// collect deletes the segments that are sealed and whose events are all recorded. A segment that cannot be
// deleted ends the pass; the syncer calls collect again later.
func (s *Spool) collect() error {
	s.collecting.Lock()
	defer s.collecting.Unlock()
	s.mu.Lock()
	var segments []*segment
	for _, seg := range s.segments {
		// Positions grow with the segments: if this segment is still needed, all later segments are needed as well.
		if !seg.sealed || s.done.before(seg.end()) {
			break
		}
		segments = append(segments, seg)
	}
	s.mu.Unlock()
	for _, seg := range segments {
		if err := os.Remove(seg.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("delete a recorded segment: %w", err)
		}
		s.forget(seg)
	}
	return nil
}

// forget removes a deleted segment, which is the oldest one, from the list.
func (s *Spool) forget(seg *segment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	seg.gone = true
	s.segments = s.segments[1:]
	s.size.Add(-seg.size)
}
