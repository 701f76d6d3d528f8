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
	quarantineDir = "quarantine"
)

// position is a place in the log: a segment and an offset in it.
type position struct {
	segment uint64
	offset  int64
}

func (p position) before(q position) bool {
	return p.segment < q.segment || p.segment == q.segment && p.offset < q.offset
}

// segment is one file of the log. Its fields are guarded by Spool.mu, but for
// index and path, which do not change.
type segment struct {
	index  uint64
	path   string
	file   file  // nil where it is closed or from before Open
	size   int64 // of whole frames
	synced int64
	born   time.Time
	sealed bool // nothing is added any more
	gone   bool // deleted
}

func (s *segment) end() position { return position{s.index, s.size} }

func segmentPath(dir string, index uint64) string {
	return filepath.Join(dir, fmt.Sprintf("%020d%s", index, segmentSuffix))
}

// writeFrame writes the frame to the active segment, and where that fails to
// a new one.
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

// writable returns the active segment, or a new one where there is none or it
// is full.
func (s *Spool) writable() (*segment, error) {
	if s.active != nil && s.active.size >= s.o.SegmentBytes {
		s.seal()
	}
	if s.active != nil {
		return s.active, nil
	}
	s.created++
	path := segmentPath(s.o.Dir, s.created)
	f, err := s.seams.create(path)
	if err != nil {
		return nil, err
	}
	s.active = &segment{index: s.created, path: path, file: f, born: s.o.Now()}
	s.segments = append(s.segments, s.active)
	s.open = append(s.open, s.active)
	return s.active, nil
}

func (s *Spool) seal() {
	if s.active != nil {
		s.active.sealed = true
		s.active = nil
	}
}

// abandon seals a segment that could not be written and cuts off what may
// have been written of the frame. A segment without any frame is deleted.
func (s *Spool) abandon(seg *segment, cause error) {
	s.fail(cause)
	s.seal()
	err := os.Truncate(seg.path, seg.size)
	if seg.size == 0 {
		err = os.Remove(seg.path)
		seg.gone = true
		s.segments = s.segments[:len(s.segments)-1]
	}
	s.o.Log.Error("spool segment cannot be written", "segment", seg.path, "error", cause, "mended", err == nil)
}

// collect deletes the segments that are sealed and wholly recorded.
func (s *Spool) collect() error {
	s.collecting.Lock()
	defer s.collecting.Unlock()
	s.mu.Lock()
	var finished []*segment
	for _, seg := range s.segments {
		if !seg.sealed || s.done.before(seg.end()) {
			break
		}
		finished = append(finished, seg)
	}
	s.mu.Unlock()
	for _, seg := range finished {
		if err := os.Remove(seg.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("delete a recorded segment: %w", err)
		}
		s.forget(seg)
	}
	return nil
}

func (s *Spool) forget(seg *segment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	seg.gone = true
	s.segments = s.segments[1:]
	s.size.Add(-seg.size)
}
