package spool

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/polltest"
)

// patience bounds how long a test waits before it fails.
const patience = 30 * time.Second

// discard is a logger without output.
var discard = slog.New(slog.DiscardHandler)

// openAt opens a spool for the test and closes it at the end.
func openAt(t testing.TB, o Options, with seams) *Spool {
	t.Helper()
	if o.Log == nil {
		o.Log = discard
	}
	if with.create == nil {
		with.create = createFile
	}
	if with.syncDir == nil {
		with.syncDir = syncDir
	}
	if with.ring == 0 {
		with.ring = ringEvents
	}
	s, err := open(o, with)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil && !errors.Is(err, errDisk) {
			t.Error(err)
		}
	})
	return s
}

// until returns a context that ends after patience.
func until(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// numbered returns an event with n as its number.
func numbered(n int) *usage.Event {
	e := sampleEvent()
	e.Usage.Input = int64(n)
	return &e
}

// appendN appends the events with the numbers from (inclusive) to to (exclusive).
func appendN(t testing.TB, s *Spool, from, to int) {
	t.Helper()
	for n := from; n < to; n++ {
		if err := s.Append(until(t), numbered(n)); err != nil {
			t.Fatal(err)
		}
	}
}

// takeN takes n events in batches of at most max. They must have consecutive numbers that begin with from.
func takeN(t testing.TB, s *Spool, from, n, max int) {
	t.Helper()
	for n > 0 {
		batch, err := s.Next(until(t), max)
		if err != nil {
			t.Fatalf("Next with %d events missing: %v", n, err)
		}
		for i := range batch.Events {
			if got := int(batch.Events[i].Usage.Input); got != from {
				t.Fatalf("got event %d, want %d", got, from)
			}
			from++
		}
		n -= len(batch.Events)
		if err := batch.Done(); err != nil {
			t.Fatal(err)
		}
	}
}

// wantNothing fails the test if the spool has an event.
func wantNothing(t testing.TB, s *Spool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if batch, err := s.Next(ctx, 10); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Next: got %d events and error %v, want a timeout", len(batch.Events), err)
	}
}

// segmentFiles returns the paths of the segments in dir.
func segmentFiles(t testing.TB, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"+segmentSuffix))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestOpen_ReturnsErrLockedWhileTheDirectoryIsInUse(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, Options{Dir: dir}, seams{})
	if _, err := Open(Options{Dir: dir}); !errors.Is(err, ErrLocked) {
		t.Errorf("second Open: got %v, want ErrLocked", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	openAt(t, Options{Dir: dir}, seams{})
}

func TestIdentity_StaysTheSameAfterAReopen(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, Options{Dir: dir}, seams{})
	id := s.Identity()
	_ = s.Close()
	if again := openAt(t, Options{Dir: dir}, seams{}).Identity(); again != id || id == uuid.Nil {
		t.Errorf("identity after a reopen: got %s, want %s", again, id)
	}
	info, err := os.Stat(filepath.Join(dir, "relay-id"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("relay-id: got mode %v, error %v, want mode 0600", info.Mode(), err)
	}
}

func TestOpen_FailsWhenTheIdentityFileIsMalformed(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "relay-id"), []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(Options{Dir: dir}); err == nil {
		t.Error("Open succeeded, want an error")
	}
}

// Every combination of ring size, segment size and batch size must hand out every event once and in order, also
// after a restart.
func TestNext_KeepsTheOrderAcrossRingAndDisk(t *testing.T) {
	for _, ring := range []int{1, 3, 64, ringEvents} {
		for _, segment := range []int64{1, 2000, 1 << 20} {
			for _, batch := range []int{1, 7, 1000} {
				t.Run(fmt.Sprintf("ring %d segment %d batch %d", ring, segment, batch), func(t *testing.T) {
					dir := t.TempDir()
					s := openAt(t, Options{Dir: dir, SegmentBytes: segment}, seams{ring: ring})
					appendN(t, s, 0, 10)
					takeN(t, s, 0, 1, 1)
					takeN(t, s, 1, 9, batch)
					wantNothing(t, s)
					appendN(t, s, 10, 110)
					takeN(t, s, 10, 1, 1)
					appendN(t, s, 110, 112)
					takeN(t, s, 11, 101, batch)
					wantNothing(t, s)
					appendN(t, s, 112, 150)
					if err := s.Close(); err != nil {
						t.Fatal(err)
					}
					s = openAt(t, Options{Dir: dir, SegmentBytes: 1}, seams{ring: ring})
					// A segment is deleted as a whole, so a reopened spool hands out some recorded events again.
					if segment > 1 {
						takeUpTo(t, s, 112)
					} else {
						takeN(t, s, 112, 1, 1)
					}
					appendN(t, s, 150, 170)
					takeN(t, s, 113, 57, batch)
					wantNothing(t, s)
				})
			}
		}
	}
}

// takeUpTo takes single events up to and including the number last.
func takeUpTo(t *testing.T, s *Spool, last int) {
	t.Helper()
	for {
		batch, err := s.Next(until(t), 1)
		if err != nil {
			t.Fatal(err)
		}
		n := int(batch.Events[0].Usage.Input)
		if err := batch.Done(); err != nil {
			t.Fatal(err)
		}
		if n == last {
			return
		}
	}
}

func TestNext_ReturnsTheSameBatchUntilItIsDone(t *testing.T) {
	s := openAt(t, Options{Dir: t.TempDir()}, seams{})
	appendN(t, s, 0, 4)
	if batch, err := s.Next(until(t), 2); err != nil || len(batch.Events) != 2 {
		t.Fatalf("Next: got %d events and error %v, want 2 events", len(batch.Events), err)
	}
	takeN(t, s, 0, 4, 3)
}

func TestDone_DeletesRecordedSegments(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, Options{Dir: dir, SegmentBytes: 1000}, seams{})
	appendN(t, s, 0, 100)
	if n := len(segmentFiles(t, dir)); n < 20 {
		t.Fatalf("got %d segments, want at least 20", n)
	}
	takeN(t, s, 0, 100, 9)
	if n := len(segmentFiles(t, dir)); n != 1 {
		t.Errorf("got %d segments after all events were recorded, want only the active one", n)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if n := len(segmentFiles(t, dir)); n != 0 {
		t.Errorf("got %d segments after Close, want 0", n)
	}
}

func TestSyncer_SealsAndDeletesAnOldSegment(t *testing.T) {
	dir := t.TempDir()
	var hours atomic.Int64
	now := func() time.Time { return time.Unix(0, 0).Add(time.Duration(hours.Load()) * time.Hour) }
	s := openAt(t, Options{Dir: dir, SyncInterval: time.Millisecond, Now: now}, seams{})
	appendN(t, s, 0, 3)
	takeN(t, s, 0, 3, 3)
	hours.Add(1)
	polltest.Until(t, "the deletion of the segment", func() bool { return len(segmentFiles(t, dir)) == 0 })
	appendN(t, s, 3, 5)
	takeN(t, s, 3, 2, 3)
}

func TestFull_IsTrueBeforeAppendReturnsErrFull(t *testing.T) {
	s := openAt(t, Options{Dir: t.TempDir(), MaxBytes: 20_000}, seams{})
	n, warned := 0, -1
	for ; ; n++ {
		if s.Full() && warned < 0 {
			warned = n
		}
		if err := s.Append(until(t), numbered(n)); errors.Is(err, ErrFull) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if warned < 0 || n-warned < 2 || s.Bytes() > 20_000 {
		t.Errorf("Full became true after %d events and Append failed after %d, with %d bytes; want Full at least 2 "+
			"events earlier", warned, n, s.Bytes())
	}
	takeN(t, s, 0, n, 10)
	if s.Full() {
		t.Error("Full is true although all events are recorded")
	}
	appendN(t, s, n, n+5)
	takeN(t, s, n, 5, 10)
}

func TestClose_MakesAppendAndNextReturnErrClosed(t *testing.T) {
	s := openAt(t, Options{Dir: t.TempDir()}, seams{})
	_ = s.Close()
	if err := s.Append(until(t), numbered(1)); !errors.Is(err, ErrClosed) {
		t.Errorf("Append: got %v, want ErrClosed", err)
	}
	if _, err := s.Next(until(t), 1); !errors.Is(err, ErrClosed) {
		t.Errorf("Next: got %v, want ErrClosed", err)
	}
}

func TestAppend_RefusesAnEventAboveOneMiB(t *testing.T) {
	s := openAt(t, Options{Dir: t.TempDir()}, seams{})
	e := numbered(1)
	e.Error = strings.Repeat("x", maxRecord)
	if err := s.Append(until(t), e); !errors.Is(err, ErrTooLarge) {
		t.Errorf("Append: got %v, want ErrTooLarge", err)
	}
	appendN(t, s, 0, 1)
	takeN(t, s, 0, 1, 1)
}

// --- failures of the disk

var errDisk = errors.New("no space left on device")

// disk creates files whose operations fail as often as the test asks.
type disk struct {
	writes, syncs, creates atomic.Int64 // number of failures to come
	half                   atomic.Bool  // a failing write writes half of its bytes
	synced                 atomic.Int64 // number of successful syncs
	syncing, failing       func()       // called before a sync, and before one that fails, unless they are nil
}

// diskFile is a file of a disk.
type diskFile struct {
	file
	disk *disk
}

func (d *disk) create(path string) (file, error) {
	if d.creates.Add(-1) >= 0 {
		return nil, errDisk
	}
	f, err := createFile(path)
	return diskFile{f, d}, err
}

func (f diskFile) Write(b []byte) (int, error) {
	if f.disk.writes.Add(-1) < 0 {
		return f.file.Write(b)
	}
	if f.disk.half.Load() {
		n, _ := f.file.Write(b[:len(b)/2])
		return n, errDisk
	}
	return 0, errDisk
}

func (f diskFile) Sync() error {
	if f.disk.syncing != nil {
		f.disk.syncing()
	}
	if f.disk.syncs.Add(-1) >= 0 {
		if f.disk.failing != nil {
			f.disk.failing()
		}
		return errDisk
	}
	f.disk.synced.Add(1)
	return f.file.Sync()
}

func TestAppend_ContinuesInANewSegmentAfterAFailedWrite(t *testing.T) {
	for _, half := range []bool{false, true} {
		d := &disk{}
		d.half.Store(half)
		dir := t.TempDir()
		s := openAt(t, Options{Dir: dir}, seams{create: d.create})
		appendN(t, s, 0, 3)
		d.writes.Store(1)
		appendN(t, s, 3, 6)
		if n := len(segmentFiles(t, dir)); n != 2 {
			t.Errorf("got %d segments, want 2", n)
		}
		takeN(t, s, 0, 6, 10)
		if s.Quarantined() != 0 {
			t.Error("the incomplete frame was not removed from the segment")
		}
	}
}

func TestErr_ReportsAFailedDiskUntilItIsWritableAgain(t *testing.T) {
	for name, broken := range map[string]func(*disk, int64){
		"writes fail":  func(d *disk, n int64) { d.writes.Store(n) },
		"creates fail": func(d *disk, n int64) { d.creates.Store(n); d.writes.Store(n) },
	} {
		t.Run(name, func(t *testing.T) {
			d := &disk{}
			dir := t.TempDir()
			s := openAt(t, Options{Dir: dir, SyncInterval: time.Millisecond}, seams{create: d.create})
			appendN(t, s, 0, 2)
			broken(d, 1<<40)
			for range 5 {
				if err := s.Append(until(t), numbered(99)); !errors.Is(err, errDisk) {
					t.Fatalf("Append: got %v, want the disk's error", err)
				}
			}
			if !s.Full() || !errors.Is(s.Err(), errDisk) {
				t.Errorf("got Full %v and Err %v, want true and the disk's error", s.Full(), s.Err())
			}
			if n := len(segmentFiles(t, dir)); n != 1 {
				t.Errorf("got %d segments, want 1", n)
			}
			broken(d, 0)
			polltest.Until(t, "the retry of the disk", func() bool { return s.Err() == nil && !s.Full() })
			appendN(t, s, 2, 4)
			takeN(t, s, 0, 4, 10)
		})
	}
}

func TestAppend_ReturnsAfterTheFsyncAtFsynced(t *testing.T) {
	d := &disk{}
	s := openAt(t, Options{Dir: t.TempDir(), Sync: Fsynced, SyncInterval: time.Hour}, seams{create: d.create})
	for n := range 5 {
		appendN(t, s, n, n+1)
		if d.synced.Load() < int64(n+1) {
			t.Fatalf("got %d fsyncs after %d appends, want at least as many", d.synced.Load(), n+1)
		}
	}
}

func TestAppend_SharesAnFsyncWithConcurrentCallers(t *testing.T) {
	const callers = 64
	held := make(chan struct{})
	release := sync.OnceFunc(func() { close(held) })
	d := &disk{syncing: func() { <-held }}
	s := openAt(t, Options{Dir: t.TempDir(), Sync: Fsynced, SyncInterval: time.Hour}, seams{create: d.create})
	t.Cleanup(release)
	var group sync.WaitGroup
	for range callers {
		group.Go(func() { appendN(t, s, 0, 1) })
	}
	polltest.Until(t, "all events are written", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.ring.count == callers
	})
	release()
	group.Wait()
	if n := d.synced.Load(); n > 2 { // the first one, and one for all that came meanwhile
		t.Errorf("got %d fsyncs for %d appends, want at most 2", n, callers)
	}
}

// Without its directory, the file of the events can be missing after a power loss.
func TestAppend_SyncsTheDirectoryAgainAfterAFailure(t *testing.T) {
	var calls atomic.Int64
	failsFirst := func(string) error {
		if calls.Add(1) == 1 {
			return errDisk
		}
		return nil
	}
	s := openAt(t, Options{Dir: t.TempDir(), Sync: Fsynced, SyncInterval: time.Hour},
		seams{create: createFile, syncDir: failsFirst})
	appendN(t, s, 0, 2)
	if n := calls.Load(); n != 2 {
		t.Errorf("the directory was synced %d times, want once more after the failure, and not for the next event", n)
	}
}

func TestAppend_UsesANewSegmentAfterAFailedFsync(t *testing.T) {
	d := &disk{}
	dir := t.TempDir()
	s := openAt(t, Options{Dir: dir, Sync: Fsynced, SyncInterval: time.Hour}, seams{create: d.create})
	appendN(t, s, 0, 1)
	d.syncs.Store(1)
	appendN(t, s, 1, 2)
	if n := len(segmentFiles(t, dir)); n != 2 {
		t.Errorf("got %d segments, want 2", n)
	}
	if s.Err() == nil {
		t.Error("Err returned nil after a failed fsync")
	}
	d.syncs.Store(1 << 40)
	if err := s.Append(until(t), numbered(2)); !errors.Is(err, errDisk) {
		t.Errorf("Append: got %v, want the disk's error", err)
	}
}

// --- kill -9

var childDir = flag.String("spool.dir", "", "append to the spool in this directory until killed")

func TestMain(m *testing.M) {
	flag.Parse()
	if *childDir != "" {
		appendForever(*childDir)
	}
	os.Exit(m.Run())
}

// appendForever is the child process: it appends events and prints the id of each one after Append returned.
func appendForever(dir string) {
	s, err := Open(Options{Dir: dir, SegmentBytes: 50_000, Log: discard})
	if err != nil {
		panic(err)
	}
	var group sync.WaitGroup
	var out sync.Mutex
	for range 16 {
		group.Go(func() {
			for {
				e := sampleEvent()
				if err := s.Append(context.Background(), &e); err != nil {
					panic(err)
				}
				out.Lock()
				fmt.Println(e.ID) //nolint:forbidigo // the parent process reads the ids
				out.Unlock()
			}
		})
	}
	group.Wait()
}

func TestAppend_LosesNothingWhenTheProcessIsKilled(t *testing.T) {
	for _, after := range []int{1, 500, 5000} {
		dir := t.TempDir()
		child := exec.Command(os.Args[0], "-spool.dir="+dir)
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		appended := map[uuid.UUID]int{}
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if id, err := uuid.Parse(lines.Text()); err == nil {
				appended[id] = 0
			}
			if len(appended) == after {
				_ = child.Process.Signal(syscall.SIGKILL)
			}
		}
		_ = child.Wait()
		checkAllPresent(t, dir, appended)
	}
}

// checkAllPresent fails the test unless the spool has every one of the appended events exactly once.
func checkAllPresent(t *testing.T, dir string, appended map[uuid.UUID]int) {
	t.Helper()
	s := openAt(t, Options{Dir: dir}, seams{})
	seen, extra := 0, 0
	for seen < len(appended) {
		batch, err := s.Next(until(t), 500)
		if err != nil {
			t.Fatalf("Next after %d of %d events: %v", seen, len(appended), err)
		}
		for _, e := range batch.Events {
			if n, ok := appended[e.ID]; !ok {
				extra++
			} else if n == 0 {
				seen++
				appended[e.ID]++
			} else {
				t.Errorf("duplicate event %s", e.ID)
			}
		}
		if err := batch.Done(); err != nil {
			t.Fatal(err)
		}
	}
	if s.Quarantined() != 0 {
		t.Errorf("got %d records in quarantine, want 0", s.Quarantined())
	}
}
