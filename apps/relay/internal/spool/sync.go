package spool

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"
)

// round is the group of callers that one pass of fsync makes safe.
type round struct {
	over chan struct{}
	err  error // set before over is closed
}

func (r *round) wait(ctx context.Context) error {
	select {
	case <-r.over:
		return r.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// joinRound adds the caller, whose frame is written, to the next pass.
func (s *Spool) joinRound() *round {
	if s.round == nil {
		s.round = &round{over: make(chan struct{})}
		nudge(s.kick)
	}
	return s.round
}

// keepSynced syncs at each interval, and at once where someone waits for it.
func (s *Spool) keepSynced(ctx context.Context) {
	defer close(s.stopped)
	timer := time.NewTimer(s.o.SyncInterval)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			s.tend()
		case <-s.kick:
		case <-s.written:
			timer.Reset(s.o.SyncInterval)
			continue
		case <-ctx.Done():
			return
		}
		if err := s.sync(); err != nil {
			s.o.Log.Error("spool cannot be synced", "error", err)
		}
		timer.Reset(s.interval())
	}
}

// idleIntervals is how many intervals pass at once while nothing is written:
// waking up ten times a second for nothing costs half a percent of a core.
const idleIntervals = 10

// interval is the time to the next sync. A write shortens a long one.
func (s *Spool) interval() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, seg := range s.open {
		if seg.size > seg.synced {
			return s.o.SyncInterval
		}
	}
	s.resting = true
	return idleIntervals * s.o.SyncInterval
}

func nudge(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// tend does what time brings: it seals what has grown old, deletes what could
// not be deleted before, and looks whether a failed disk works again.
func (s *Spool) tend() {
	s.mu.Lock()
	if s.active != nil && s.active.size > 0 && s.o.Now().Sub(s.active.born) >= segmentAge {
		s.seal()
	}
	s.mu.Unlock()
	if err := s.collect(); err != nil {
		s.o.Log.Warn("spool segment is kept", "error", err)
	}
	if s.fault.Load() != nil {
		s.probe()
	}
}

// probe clears the fault when a file can be written again.
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
		s.o.Log.Info("spool works again")
	}
}

// pending is what one pass has to sync.
type pending struct {
	*segment
	size   int64
	sealed bool
	gone   bool
}

// sync makes all that is written so far safe, and tells the round. It is
// called by one goroutine at a time.
func (s *Spool) sync() error {
	s.mu.Lock()
	joined := s.round
	s.round = nil
	var work []pending
	created := false
	for _, seg := range s.open {
		if seg.sealed || seg.size > seg.synced {
			work = append(work, pending{seg, seg.size, seg.sealed, seg.gone})
			created = created || seg.synced == 0 && !seg.gone
		}
	}
	s.mu.Unlock()

	var err error
	for _, p := range work {
		err = errors.Join(err, s.syncSegment(p))
	}
	if created {
		err = errors.Join(err, syncDir(s.o.Dir))
	}
	if err != nil {
		s.fail(err)
	}
	if joined != nil {
		joined.err = err
		close(joined.over)
	}
	return err
}

// syncSegment syncs one segment and closes it where it is sealed. One that
// cannot be synced is sealed and never tried again: the kernel may have
// dropped what it could not write.
func (s *Spool) syncSegment(p pending) error {
	var err error
	if !p.gone && p.size > p.synced {
		err = p.file.Sync()
	}
	s.mu.Lock()
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

// unlist takes the segment from the list of open ones.
func (s *Spool) unlist(seg *segment) {
	for i, other := range s.open {
		if other == seg {
			s.open = append(s.open[:i:i], s.open[i+1:]...)
			return
		}
	}
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
