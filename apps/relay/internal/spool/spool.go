// Package spool keeps a relay's usage events on its own disk until they are
// in the database, and ships them there.
//
// Events are appended to segment files, one frame each with a checksum, and
// read again in the same order. What was handed out and recorded is deleted by
// whole segments, so after a crash some events are shipped a second time: the
// database knows them by their ids.
package spool

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/usage"
)

// Sync says how safe an event is when Append returns.
type Sync string

// The levels. Appended survives the death of the process, Fsynced that of the
// machine, Committed that of the disk: the event is in the database.
const (
	Appended  Sync = "appended"
	Fsynced   Sync = "fsynced"
	Committed Sync = "committed"
)

// Errors of Append and Open.
var (
	ErrFull     = errors.New("spool: full")
	ErrClosed   = errors.New("spool: closed")
	ErrTooLarge = errors.New("spool: event too large")
	ErrLocked   = errors.New("spool: the directory is in use by another relay")
)

// Options opens a Spool. Zero fields have defaults.
type Options struct {
	Dir          string
	MaxBytes     int64            // bound of all segments together; 1 GiB
	SegmentBytes int64            // 8 MiB; at most half of MaxBytes
	Sync         Sync             // Appended
	SyncInterval time.Duration    // 100 ms; the most that a dying machine loses at Appended
	CommitWait   time.Duration    // 30 s; how long Append waits for the database at Committed
	Log          *slog.Logger     // slog.Default()
	Now          func() time.Time // time.Now
}

const (
	defaultMaxBytes     = 1 << 30
	defaultSegmentBytes = 8 << 20
	defaultSyncInterval = 100 * time.Millisecond
	defaultCommitWait   = 30 * time.Second
	// segmentAge bounds how old an event can be that is shipped again after a
	// crash: a segment that is not full is sealed, and so deleted when it is
	// recorded, at this age.
	segmentAge = time.Minute
	// headroom is the part of MaxBytes that is kept for calls in flight when
	// Full turns true.
	headroom = 16
)

func (o Options) withDefaults() Options {
	if o.MaxBytes <= 0 {
		o.MaxBytes = defaultMaxBytes
	}
	if o.SegmentBytes <= 0 {
		o.SegmentBytes = defaultSegmentBytes
	}
	o.SegmentBytes = min(o.SegmentBytes, o.MaxBytes/2)
	if o.Sync == "" {
		o.Sync = Appended
	}
	if o.CommitWait <= 0 {
		o.CommitWait = defaultCommitWait
	}
	if o.SyncInterval <= 0 {
		o.SyncInterval = defaultSyncInterval
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// Spool is safe for concurrent use, but for Next and its batches, which have
// one consumer.
type Spool struct {
	o        Options
	seams    seams
	identity uuid.UUID
	lock     *os.File

	mu       sync.Mutex
	closed   bool
	segments []*segment // oldest first, none deleted
	active   *segment   // the last of segments where it may be written to, else nil
	created  uint64     // index of the newest segment ever
	open     []*segment // those with a file to be synced or closed
	round    *round     // waiters of the next fsync, nil for none
	resting  bool       // the syncer looks seldom, as nothing is written
	ring     ring       // the newest events, without a gap up to the end of the log
	behind   bool       // the consumer is at read, before the ring's first event
	read     position   // where the consumer goes on while it is behind
	out      *Batch     // handed out and not done
	done     position   // all before it is recorded
	waiters  int        // callers who wait for done to move
	moved    chan struct{}
	want     int           // the consumer sleeps until so many events are there, 0: it does not
	ready    chan struct{} // wakes the consumer

	size        atomic.Int64 // of all segments
	fault       atomic.Pointer[error]
	quarantined atomic.Int64
	frames      sync.Pool
	window      []byte             // the consumer's read buffer
	events      []usage.Event      // the consumer's batch
	saved       map[uint64]bool    // the consumer's segments that are in quarantine
	collecting  sync.Mutex         // one deletion of segments at a time
	kick        chan struct{}      // makes the syncer sync at once
	written     chan struct{}      // tells the resting syncer of a write
	stop        context.CancelFunc // ends the syncer
	stopped     chan struct{}      // the syncer has ended
}

// seams are what tests replace.
type seams struct {
	create func(path string) (file, error)
	ring   int // most events kept in memory
}

// file is what a segment is written to.
type file interface {
	Write(b []byte) (int, error)
	Sync() error
	Close() error
}

const ringEvents = 16 << 10

func createFile(path string) (file, error) {
	return os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, fileMode)
}

// Open takes the directory for this process, makes or reads the relay's
// identity, and mends what a crash has left. ErrLocked means that another
// process has the directory. The caller must Close the Spool.
func Open(o Options) (*Spool, error) {
	return open(o, seams{create: createFile, ring: ringEvents})
}

func open(o Options, with seams) (*Spool, error) {
	s := &Spool{
		o: o.withDefaults(), seams: with, ring: ring{limit: with.ring}, saved: map[uint64]bool{},
		moved: make(chan struct{}), ready: make(chan struct{}, 1),
		kick: make(chan struct{}, 1), written: make(chan struct{}, 1), stopped: make(chan struct{}),
	}
	s.frames.New = func() any { return new([]byte) }
	if err := s.prepare(); err != nil {
		if s.lock != nil {
			err = errors.Join(err, s.lock.Close())
		}
		return nil, fmt.Errorf("spool %s: %w", o.Dir, err)
	}
	var ctx context.Context
	ctx, s.stop = context.WithCancel(context.Background())
	go s.keepSynced(ctx)
	return s, nil
}

func (s *Spool) prepare() (err error) {
	if err := os.MkdirAll(filepath.Join(s.o.Dir, quarantineDir), dirMode); err != nil {
		return err
	}
	if s.lock, err = lockDir(s.o.Dir); err != nil {
		return err
	}
	if s.identity, err = loadIdentity(s.o.Dir); err != nil {
		return err
	}
	return s.recover()
}

// Identity is the relay's id, which stays the same as long as its directory.
func (s *Spool) Identity() uuid.UUID { return s.identity }

// Full reports that an event may find no room: a call that begins now could
// not be recorded. It turns true a little before Append refuses, so that the
// calls in flight can still be recorded, and also while the disk fails.
func (s *Spool) Full() bool {
	return s.size.Load() >= s.o.MaxBytes-s.o.MaxBytes/headroom || s.fault.Load() != nil
}

// Err is the disk's last failure, nil while it works. It is tried again within
// ten SyncIntervals.
func (s *Spool) Err() error {
	if fault := s.fault.Load(); fault != nil {
		return *fault
	}
	return nil
}

func (s *Spool) fail(cause error) { s.fault.Store(&cause) }

// Quarantined counts the damaged records found and the events rejected since
// Open.
func (s *Spool) Quarantined() int64 { return s.quarantined.Load() }

// Bytes is the size of all that is not deleted yet.
func (s *Spool) Bytes() int64 { return s.size.Load() }

// Append keeps the event and returns when it is as safe as Options.Sync asks,
// or, at Committed, when CommitWait is over. ctx bounds only the waiting for
// that, and when it ends first, the event is kept all the same. The event's strings and slices must not be changed
// afterwards. ErrFull means that nothing was kept.
func (s *Spool) Append(ctx context.Context, e *usage.Event) error {
	buffer, _ := s.frames.Get().(*[]byte)
	defer s.frames.Put(buffer)
	frame := appendFrame((*buffer)[:0], e)
	*buffer = frame
	if len(frame) > frameHeader+maxRecord {
		return fmt.Errorf("%w: %d bytes", ErrTooLarge, len(frame))
	}
	end, err := s.keep(ctx, frame, e)
	if err != nil || s.o.Sync != Committed {
		return err
	}
	return s.waitCommitted(ctx, end)
}

// waitCommitted waits for the database, but not for an outage of it: the
// event is kept, and failing a request that is paid for helps nobody.
func (s *Spool) waitCommitted(ctx context.Context, end position) error {
	patient, cancel := context.WithTimeout(ctx, s.o.CommitWait)
	defer cancel()
	err := s.wait(patient, end)
	if ctx.Err() == nil && patient.Err() != nil {
		s.o.Log.Warn("event kept and not yet committed", "waited", s.o.CommitWait)
		return nil
	}
	return err
}

// keep writes the frame, a second time to another segment where its fsync
// fails: the first file is not to be trusted any more.
func (s *Spool) keep(ctx context.Context, frame []byte, e *usage.Event) (position, error) {
	end, synced, err := s.write(frame, e)
	if err != nil || synced == nil {
		return end, err
	}
	if err = synced.wait(ctx); err == nil || ctx.Err() != nil {
		return end, err
	}
	if end, synced, err = s.write(frame, e); err != nil {
		return end, err
	}
	return end, synced.wait(ctx)
}

func (s *Spool) write(frame []byte, e *usage.Event) (end position, synced *round, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return end, nil, ErrClosed
	}
	if s.size.Load()+int64(len(frame)) > s.o.MaxBytes {
		return end, nil, ErrFull
	}
	at, err := s.writeFrame(frame)
	if err != nil {
		s.fail(err)
		return end, nil, err
	}
	end = position{at.segment, at.offset + int64(len(frame))}
	s.remember(e, at, end)
	if s.resting {
		s.resting = false
		nudge(s.written)
	}
	if s.o.Sync == Fsynced {
		synced = s.joinRound()
	}
	return end, synced, nil
}

// remember puts the event into the ring. An event that falls out there before
// the consumer had it makes him read on from the disk.
func (s *Spool) remember(e *usage.Event, at, end position) {
	if fallen, ok := s.ring.push(e, at, end); ok && !s.behind {
		s.behind, s.read = true, fallen
	}
	if s.want > 0 && s.ring.count >= s.want {
		s.wakeConsumer()
	}
}

func (s *Spool) wakeConsumer() {
	s.want = 0
	nudge(s.ready)
}

// flush waits until all that was appended before is recorded.
func (s *Spool) flush(ctx context.Context) error {
	s.mu.Lock()
	var end position
	if n := len(s.segments); n > 0 {
		end = s.segments[n-1].end()
	}
	s.mu.Unlock()
	return s.wait(ctx, end)
}

// wait returns once all before target is recorded. Meanwhile the consumer
// does not wait for more events to come.
func (s *Spool) wait(ctx context.Context, target position) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiters++
	defer func() { s.waiters-- }()
	for s.done.before(target) {
		if s.closed {
			return ErrClosed
		}
		s.wakeConsumer()
		moved := s.moved
		s.mu.Unlock()
		var err error
		select {
		case <-moved:
		case <-ctx.Done():
			err = ctx.Err()
		}
		s.mu.Lock()
		if err != nil && s.done.before(target) {
			return fmt.Errorf("spool: not recorded yet: %w", err)
		}
	}
	return nil
}

// advance marks all before end as recorded and wakes who waited for it.
func (s *Spool) advance(end position) {
	s.done = end
	if s.waiters > 0 {
		close(s.moved)
		s.moved = make(chan struct{})
	}
}

// Close syncs what is written and gives the directory back. Events that are
// not recorded stay for the next Open. It may be called twice.
func (s *Spool) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	s.seal()
	s.wakeConsumer()
	close(s.moved)
	s.moved = make(chan struct{})
	s.mu.Unlock()

	s.stop()
	<-s.stopped
	err := s.sync()
	return errors.Join(err, s.collect(), s.lock.Close())
}
