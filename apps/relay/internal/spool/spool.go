// Package spool stores a relay's usage events on its local disk until they are in the database, and ships them
// there.
//
// A Spool is an append-only log that survives a crash of the process or the machine. A Shipper is its only
// consumer: it reads the events in the order in which they were appended and passes them to a Recorder, which
// writes them to the database. Each event reaches the Recorder at least once. After a crash some events are
// shipped again, so the Recorder must be idempotent; the database recognizes a duplicate by the event's id.
//
//	Append ----> active segment file (disk)
//	  |               |
//	  |               | after a restart, or when the consumer is behind
//	  v               v
//	ring (memory) --> Next --> Shipper --> Recorder (database) --> Batch.Done --> segment files deleted
//
// The log is a sequence of numbered segment files. An event is one frame in a segment: the length, a CRC-32C
// checksum and the record (see record.go). The spool writes to one active segment. It seals that segment when
// it is full, when it is a minute old or when a write to it fails, and never writes to a sealed segment again.
// A sealed segment is deleted as a whole when all of its events are recorded. The spool stores no read
// position: after a restart the consumer starts at the oldest segment that is left.
//
// The consumer normally takes events from the ring in memory and never reads the disk. When the consumer is so
// slow that the ring drops an event that it hasn't taken, or after a restart, it reads the segment files until
// it reaches the first event of the ring.
//
// Three kinds of bytes end in the directory "quarantine" instead of the database: the incomplete end of the
// last segment after a crash, segments with damaged records, and events that the database refuses
// (rejected.log). The spool logs each case. Quarantined counts all of them except the incomplete frame that a
// killed process leaves.
//
// One process uses a directory at a time. The directory also holds the relay's identity, under which the relay
// leases quota.
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

// Sync is the guarantee that an event has when Append returns.
type Sync string

// The guarantees, from the weakest and fastest to the strongest.
const (
	Appended  Sync = "appended"  // the operating system has the bytes: the event survives a crash of the process
	Fsynced   Sync = "fsynced"   // the disk has the bytes: the event survives a crash of the machine
	Committed Sync = "committed" // the database has the event: it survives the loss of the disk
)

// Errors of Append and Open. Other errors come from the disk.
var (
	// The segments have reached Options.MaxBytes.
	ErrFull     = errors.New("spool: the disk space for usage events is used up")
	ErrClosed   = errors.New("spool: closed")
	ErrTooLarge = errors.New("spool: the usage event exceeds 1 MiB")
	ErrLocked   = errors.New("spool: the directory is in use by another relay") // only Open returns it
)

// Options configures a Spool. Dir is required; a zero value of another field means its default.
type Options struct {
	Dir          string
	MaxBytes     int64 // upper bound of all segments together; 1 GiB
	SegmentBytes int64 // size at which a segment is sealed; 8 MiB, at most half of MaxBytes
	Sync         Sync  // Appended
	// Time between two fsyncs; 100 ms. At Appended a crash of the machine loses at most this much.
	SyncInterval time.Duration
	CommitWait   time.Duration    // how long Append waits for the database at Committed; 30 s
	Log          *slog.Logger     // slog.Default()
	Now          func() time.Time // time.Now
}

const (
	defaultMaxBytes     = 1 << 30
	defaultSegmentBytes = 8 << 20
	defaultSyncInterval = 100 * time.Millisecond
	defaultCommitWait   = 30 * time.Second
	// segmentAge is the age at which a segment is sealed although it isn't full. Only sealed segments are
	// deleted, so this bounds how old an event can be that is shipped again after a crash.
	segmentAge = time.Minute
	// headroomDivisor says what is reserved for requests in flight: Full reports true when less than
	// MaxBytes/headroomDivisor is free.
	headroomDivisor = 16
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

// Spool is safe for concurrent use, except for Next and its batches, which only one goroutine may use: the
// consumer.
type Spool struct {
	o        Options
	seams    seams
	identity uuid.UUID
	lock     *os.File

	// mu guards the fields up to copies. It is held during a write to the active segment, but never during an
	// fsync or a read.
	mu       sync.Mutex
	closed   bool
	segments []*segment    // oldest first, without the deleted ones
	active   *segment      // the last of segments while it accepts writes, else nil
	newest   uint64        // greatest index that was used, even if the creation of its segment failed
	open     []*segment    // segments whose file still has to be synced or closed
	round    *round        // callers that wait for the next fsync, nil for none
	idle     bool          // the syncer has lengthened its interval because nothing is written
	ring     ring          // the newest events, without a gap up to the end of the log
	behind   bool          // the consumer reads from disk: its position is before the ring's first event
	readPos  position      // the consumer's position in the segments while behind is true
	batch    *Batch        // the batch that was handed out and isn't done, nil for none
	done     position      // everything before this position is recorded
	waiters  int           // number of callers that wait for done to move
	moved    chan struct{} // closed and replaced when done moves while there are waiters
	want     int           // number of events at which the consumer wants to be woken, 0: it isn't asleep
	ready    chan struct{} // wakes the consumer
	copies   map[uuid.UUID]secondCopy

	// The fields below have their own synchronization or belong to one goroutine.
	size atomic.Int64 // bytes of all segments
	// fault is the disk's last failure, nil while the disk works.
	fault       atomic.Pointer[error]
	quarantined atomic.Int64
	frames      sync.Pool          // reusable buffers for encoded frames
	window      []byte             // the consumer's read buffer
	events      []usage.Event      // the consumer's batch
	newFiles    bool               // the directory has files that are not durable yet; the syncer's
	saved       map[uint64]bool    // indexes of the segments that are already copied to quarantine; the consumer's
	collecting  sync.Mutex         // serializes the deletion of segments
	kick        chan struct{}      // makes the syncer sync at once
	written     chan struct{}      // wakes the idle syncer after a write
	stop        context.CancelFunc // stops the syncer
	stopped     chan struct{}      // closed when the syncer has stopped
}

// seams holds the parts of a Spool that tests replace.
type seams struct {
	create  func(path string) (file, error)
	syncDir func(dir string) error
	ring    int // upper bound of the events kept in memory
}

// file is an open segment file. *os.File implements it; tests use files that fail.
type file interface {
	Write(b []byte) (int, error)
	Sync() error
	Close() error
}

// ringEvents is the number of the newest events that a Spool keeps in memory.
const ringEvents = 16 << 10

// createFile creates the file at path for appending. It fails if the file exists, so two segments never share a
// file.
func createFile(path string) (file, error) {
	return os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, fileMode)
}

// Open locks the directory for this process, creates or reads the relay's identity, repairs the last segment
// after a crash and starts the syncer. Open creates the directory if it is missing. ErrLocked means that
// another process uses the directory. The caller must Close the Spool.
func Open(o Options) (*Spool, error) {
	return open(o, seams{create: createFile, syncDir: syncDir, ring: ringEvents})
}

// open does the same as Open. parts are what tests replace.
func open(o Options, parts seams) (*Spool, error) {
	s := &Spool{
		o: o.withDefaults(), seams: parts, ring: ring{limit: parts.ring}, saved: map[uint64]bool{},
		copies: map[uuid.UUID]secondCopy{},
		moved:  make(chan struct{}), ready: make(chan struct{}, 1),
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
	go s.runSyncer(ctx)
	return s, nil
}

// prepare locks the directory and loads its files. After an error s.lock may be open; the caller closes it.
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
	count, err := countQuarantined(filepath.Join(s.o.Dir, quarantineDir))
	if err != nil {
		return fmt.Errorf("count what is in quarantine: %w", err)
	}
	s.quarantined.Store(count)
	return s.recover()
}

// Identity returns the relay's id. It stays the same for as long as the directory exists.
func (s *Spool) Identity() uuid.UUID { return s.identity }

// Full reports whether the relay should refuse new requests because their events may find no room. Full becomes
// true when less than 1/16 of MaxBytes is free, so that requests in flight can still be recorded before Append
// returns ErrFull. Full also reports true while the disk fails.
func (s *Spool) Full() bool {
	return s.size.Load() >= s.o.MaxBytes-s.o.MaxBytes/headroomDivisor || s.fault.Load() != nil
}

// Err returns the disk's last failure, nil while the disk works. The spool tries the disk again within ten
// SyncIntervals.
func (s *Spool) Err() error {
	if fault := s.fault.Load(); fault != nil {
		return *fault
	}
	return nil
}

// fail records a failure of the disk, which makes Full report true until the disk works again.
func (s *Spool) fail(cause error) { s.fault.Store(&cause) }

// Quarantined returns the number of rejected events and damaged records in quarantine. Of those from before Open it
// counts the lines of rejected.log and the copies of damaged segments, each of which may have several damaged records.
// So it begins at 0 again after the files were moved away and the spool was opened again.
func (s *Spool) Quarantined() int64 { return s.quarantined.Load() }

// Bytes returns the size of all segments that are not deleted yet, in bytes.
func (s *Spool) Bytes() int64 { return s.size.Load() }

// Append adds the event to the log and returns when it has the guarantee of Options.Sync.
//
// ctx bounds only the wait for that guarantee. If ctx ends first, Append returns an error, but the event stays
// in the log and will be shipped. At Committed, Append stops waiting after Options.CommitWait and returns nil.
// After ErrFull, ErrClosed or ErrTooLarge the event is not in the log. The caller must not change the event's
// slices afterwards: the ring shares them.
func (s *Spool) Append(ctx context.Context, e *usage.Event) error {
	buffer, _ := s.frames.Get().(*[]byte)
	defer s.frames.Put(buffer)
	// Encode before the lock: the lock then covers only the write itself.
	frame := appendFrame((*buffer)[:0], e)
	*buffer = frame
	if len(frame) > frameHeader+maxRecord {
		return fmt.Errorf("%w: %d bytes", ErrTooLarge, len(frame))
	}
	end, err := s.persist(ctx, frame, e)
	if err != nil || s.o.Sync != Committed {
		return err
	}
	return s.waitCommitted(ctx, end)
}

// waitCommitted waits until everything before end is in the database. During an outage of the database it
// returns nil after CommitWait: the event is safe on disk, and failing a request that the tenant pays for helps
// nobody.
func (s *Spool) waitCommitted(ctx context.Context, end position) error {
	patient, cancel := context.WithTimeout(ctx, s.o.CommitWait)
	defer cancel()
	err := s.wait(patient, end)
	if ctx.Err() == nil && patient.Err() != nil {
		s.o.Log.Warn("usage event is on disk but not committed in time", "waited", s.o.CommitWait)
		return nil
	}
	return err
}

// persist writes the frame and, at Fsynced, waits until it is on disk. If the fsync fails, persist writes the
// frame again, to a new segment: after a failed fsync the kernel may have dropped the data, and a second fsync
// of the same file may report success.
func (s *Spool) persist(ctx context.Context, frame []byte, e *usage.Event) (position, error) {
	end, r, err := s.write(frame, e)
	if err != nil || r == nil {
		return end, err
	}
	if err = r.wait(ctx); err == nil || ctx.Err() != nil {
		return end, err
	}
	if end, r, err = s.writeAgain(frame, e, end); err != nil {
		return end, err
	}
	return end, r.wait(ctx)
}

// write appends the frame to the active segment and the event to the ring. end is the position after the frame.
// r is the round of the next fsync, which the caller waits for; it is nil unless Options.Sync is Fsynced.
func (s *Spool) write(frame []byte, e *usage.Event) (end position, r *round, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.writeLocked(frame, e)
}

// writeLocked does the work of write. The caller holds mu.
func (s *Spool) writeLocked(frame []byte, e *usage.Event) (end position, r *round, err error) {
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
	// The syncer waits up to ten intervals while nothing is written; this write must be synced within one.
	if s.idle {
		s.idle = false
		nudge(s.written)
	}
	if s.o.Sync == Fsynced {
		r = s.joinRound()
	}
	return end, r, nil
}

// remember adds the event to the ring. If the ring drops an event that the consumer hasn't taken, the consumer
// continues from the disk at that event.
func (s *Spool) remember(e *usage.Event, at, end position) {
	if fallen, ok := s.ring.push(e, at, end); ok && !s.behind {
		s.behind, s.readPos = true, fallen
	}
	if s.want > 0 && s.ring.count >= s.want {
		s.wakeConsumer()
	}
}

// wakeConsumer ends the consumer's wait in await. The caller holds mu.
func (s *Spool) wakeConsumer() {
	s.want = 0
	nudge(s.ready)
}

// flush waits until every event that was appended before the call is recorded.
func (s *Spool) flush(ctx context.Context) error {
	s.mu.Lock()
	var end position
	if n := len(s.segments); n > 0 {
		end = s.segments[n-1].end()
	}
	s.mu.Unlock()
	return s.wait(ctx, end)
}

// wait returns when everything before target is recorded. While somebody waits, the consumer takes the events
// that are there instead of gathering a larger batch.
func (s *Spool) wait(ctx context.Context, target position) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiters++
	defer func() { s.waiters-- }()
	// mu is released only while this goroutine waits. moved is read under mu, so an advance in between isn't
	// missed.
	for s.done.before(target) {
		if s.closed {
			return ErrClosed
		}
		s.wakeConsumer()
		signal := s.moved
		s.mu.Unlock()
		var err error
		select {
		case <-signal:
		case <-ctx.Done():
			err = ctx.Err()
		}
		s.mu.Lock()
		if err != nil && s.done.before(target) {
			return fmt.Errorf("spool: events are not recorded yet: %w", err)
		}
	}
	return nil
}

// advance marks everything before end as recorded and wakes the callers of wait. The caller holds mu.
func (s *Spool) advance(end position) {
	s.done = end
	s.forgetCopies()
	if s.waiters > 0 {
		close(s.moved)
		s.moved = make(chan struct{})
	}
}

// Close syncs the written events, deletes the segments that are recorded and releases the directory. Events
// that are not recorded stay on disk for the next Open. Append, Next and Shipper.Flush return ErrClosed
// afterwards. Close may be called twice; the second call returns nil at once.
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
