package spool

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"
)

// round is one fsync pass and the group of callers that wait for it. Callers that arrive during a pass share
// the next one.
type round struct {
	over chan struct{} // closed when the pass has ended
	err  error         // set before over is closed
}

// wait returns the error of the pass, or ctx's error if ctx ends first.
func (r *round) wait(ctx context.Context) error {
	select {
	case <-r.over:
		return r.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// joinRound adds the caller, whose frame is already written, to the next pass. The caller holds mu.
func (s *Spool) joinRound() *round {
	if s.round == nil {
		s.round = &round{over: make(chan struct{})}
		nudge(s.kick)
	}
	return s.round
}

// runSyncer runs one pass for each interval, and at once when a caller waits for it. It returns when ctx ends.
func (s *Spool) runSyncer(ctx context.Context) {
	defer close(s.stopped)
	timer := time.NewTimer(s.o.SyncInterval)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			s.maintain()
		case <-s.kick:
		case <-s.written:
			timer.Reset(s.o.SyncInterval)
			continue
		case <-ctx.Done():
			return
		}
		if err := s.sync(); err != nil {
			s.o.Log.Error("sync spool failed", "error", err)
		}
		timer.Reset(s.interval())
	}
}

// idleIntervals is the number of intervals between two passes while nothing is written. Waking up ten times a
// second costs half a percent of a core.
const idleIntervals = 10

// interval returns the time until the next pass. While the syncer is idle, a write shortens it to one
// SyncInterval.
func (s *Spool) interval() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, seg := range s.open {
		if seg.size > seg.synced {
			return s.o.SyncInterval
		}
	}
	s.idle = true
	return idleIntervals * s.o.SyncInterval
}

// nudge wakes the receiver of c, which has room for one value. It never blocks: if a value is already there,
// the receiver will wake up anyway.
func nudge(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// maintain does the periodic work: it seals an old segment, deletes segments that could not be deleted before,
// and checks whether a failed disk works again.
func (s *Spool) maintain() {
	s.mu.Lock()
	if s.active != nil && s.active.size > 0 && s.o.Now().Sub(s.active.born) >= segmentAge {
		s.seal()
	}
	s.mu.Unlock()
	if err := s.collect(); err != nil {
		s.o.Log.Warn("delete spool segment failed", "error", err)
	}
	if s.fault.Load() != nil {
		s.probe()
	}
}

// probe writes and syncs a small file, and clears the fault if that succeeds.
func (s *Spool) probe() {
	path := filepath.Join(s.o.Dir, "probe")
	f, err := s.seams.create(path)
	if err == nil {
		_, err = f.Write(make([]byte, 4096))
		err = errors.Join(err, f.Sync(), f.Close())
	}
	err = errors.Join(err, os.Remove(path))
	if err == nil {
		s.fault.Store(nil)
		s.o.Log.Info("spool is writable again")
	}
}

// pending is the work of one pass of sync for one segment: the segment's state when the pass began, copied
// under the lock. sealed: no event will be added. gone: the file was deleted.
type pending struct {
	*segment
	size   int64
	sealed bool
	gone   bool
}

// sync writes everything that was appended so far to disk. It then wakes the callers that wait for this fsync
// (the round). Only one goroutine at a time may call it.
func (s *Spool) sync() error {
	s.mu.Lock()
	// Callers that join from now on have written after this point and must wait for the next pass.
	round := s.round
	s.round = nil
	var work []pending
	for _, seg := range s.open {
		if seg.sealed || seg.size > seg.synced {
			work = append(work, pending{seg, seg.size, seg.sealed, seg.gone})
			s.newFiles = s.newFiles || seg.synced == 0 && !seg.gone
		}
	}
	s.mu.Unlock()

	var err error
	for _, p := range work {
		err = errors.Join(err, s.syncSegment(p))
	}
	// A new file is durable only after its directory is synced too. After a failure the next pass does it.
	if s.newFiles {
		dirErr := s.seams.syncDir(s.o.Dir)
		s.newFiles = dirErr != nil
		err = errors.Join(err, dirErr)
	}
	if err != nil {
		s.fail(err)
	}
	if round != nil {
		round.err = err
		close(round.over)
	}
	return err
}

// syncSegment syncs one segment, and closes its file if it is sealed. If the fsync fails, it seals and closes
// the segment and never syncs it again: the kernel may have dropped the unwritten data, so a later success
// would prove nothing.
func (s *Spool) syncSegment(p pending) error {
	var err error
	if !p.gone && p.size > p.synced {
		err = p.file.Sync()
	}
	s.mu.Lock()
	// This also runs after a failure: the segment is then closed and must not be synced again.
	p.segment.synced = p.size
	if err != nil && s.active == p.segment {
		s.seal()
	}
	closing := p.sealed || err != nil
	if closing {
		s.unlist(p.segment)
	}
	s.mu.Unlock()
	if closing {
		err = errors.Join(err, p.file.Close())
	}
	return err
}

// unlist removes the segment from the list of segments to sync or close. The caller holds mu.
func (s *Spool) unlist(seg *segment) {
	for i, candidate := range s.open {
		if candidate == seg {
			s.open = append(s.open[:i:i], s.open[i+1:]...)
			return
		}
	}
}

// syncDir makes the creation and renaming of files in dir durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
