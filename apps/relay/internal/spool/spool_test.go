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
)

const patience = 20 * time.Second

var quiet = slog.New(slog.DiscardHandler)

func openAt(t testing.TB, o Options, with seams) *Spool {
	t.Helper()
	if o.Log == nil {
		o.Log = quiet
	}
	if with.create == nil {
		with.create = createFile
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

func until(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

func numbered(n int) *usage.Event {
	e := sampleEvent()
	e.Usage.Input = int64(n)
	return &e
}

func appendN(t testing.TB, s *Spool, from, to int) {
	t.Helper()
	for n := from; n < to; n++ {
		if err := s.Append(until(t), numbered(n)); err != nil {
			t.Fatal(err)
		}
	}
}

// takeN reads n events in batches of at most max and wants them numbered from.
func takeN(t testing.TB, s *Spool, from, n, max int) {
	t.Helper()
	for n > 0 {
		batch, err := s.Next(until(t), max)
		if err != nil {
			t.Fatalf("%d events are missing: %v", n, err)
		}
		for i := range batch.Events {
			if got := int(batch.Events[i].Usage.Input); got != from {
				t.Fatalf("event %d came in the place of %d", got, from)
			}
			from++
		}
		n -= len(batch.Events)
		if err := batch.Done(); err != nil {
			t.Fatal(err)
		}
	}
}

// wantNothing fails if the spool has an event to hand out.
func wantNothing(t testing.TB, s *Spool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if batch, err := s.Next(ctx, 10); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%d events, %v", len(batch.Events), err)
	}
}

func segmentFiles(t testing.TB, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"+segmentSuffix))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestOneProcessHasTheDirectory(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, Options{Dir: dir}, seams{})
	if _, err := Open(Options{Dir: dir}); !errors.Is(err, ErrLocked) {
		t.Errorf("second Open: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	openAt(t, Options{Dir: dir}, seams{})
}

func TestIdentityStays(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, Options{Dir: dir}, seams{})
	id := s.Identity()
	_ = s.Close()
	if again := openAt(t, Options{Dir: dir}, seams{}).Identity(); again != id || id == uuid.Nil {
		t.Errorf("%s, then %s", id, again)
	}
	info, err := os.Stat(filepath.Join(dir, "relay-id"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestDamagedIdentityIsNotReplaced(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "relay-id"), []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(Options{Dir: dir}); err == nil {
		t.Error("opened")
	}
}

// Every mix of ring size, segment size and batch size hands out every event
// once and in order, also across a restart.
func TestOrderAcrossRingAndDisk(t *testing.T) {
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
					if segment > 1 {
						drop(t, s, 112)
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

// drop takes single events up to and including number last.
func drop(t *testing.T, s *Spool, last int) {
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

func TestBatchNotDoneComesAgain(t *testing.T) {
	s := openAt(t, Options{Dir: t.TempDir()}, seams{})
	appendN(t, s, 0, 4)
	if batch, err := s.Next(until(t), 2); err != nil || len(batch.Events) != 2 {
		t.Fatal(len(batch.Events), err)
	}
	takeN(t, s, 0, 4, 3)
}

func TestRecordedSegmentsAreDeleted(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, Options{Dir: dir, SegmentBytes: 1000}, seams{})
	appendN(t, s, 0, 100)
	if n := len(segmentFiles(t, dir)); n < 20 {
		t.Fatalf("%d segments", n)
	}
	takeN(t, s, 0, 100, 9)
	if n := len(segmentFiles(t, dir)); n != 1 {
		t.Errorf("%d segments are left", n)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if n := len(segmentFiles(t, dir)); n != 0 {
		t.Errorf("%d segments are left after Close", n)
	}
}

func TestOldSegmentIsSealedAndDeleted(t *testing.T) {
	dir := t.TempDir()
	var hours atomic.Int64
	now := func() time.Time { return time.Unix(0, 0).Add(time.Duration(hours.Load()) * time.Hour) }
	s := openAt(t, Options{Dir: dir, SyncInterval: time.Millisecond, Now: now}, seams{})
	appendN(t, s, 0, 3)
	takeN(t, s, 0, 3, 3)
	hours.Add(1)
	eventually(t, "the segment to go", func() bool { return len(segmentFiles(t, dir)) == 0 })
	appendN(t, s, 3, 5)
	takeN(t, s, 3, 2, 3)
}

func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	ctx := until(t)
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	for !is() {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

func TestFullBeforeAppendRefuses(t *testing.T) {
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
		t.Errorf("Full at %d, refused at %d, %d bytes", warned, n, s.Bytes())
	}
	takeN(t, s, 0, n, 10)
	if s.Full() {
		t.Error("still full with all recorded")
	}
	appendN(t, s, n, n+5)
	takeN(t, s, n, 5, 10)
}

func TestClosedSpoolRefuses(t *testing.T) {
	s := openAt(t, Options{Dir: t.TempDir()}, seams{})
	_ = s.Close()
	if err := s.Append(until(t), numbered(1)); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	if _, err := s.Next(until(t), 1); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

func TestTooLargeAnEventIsRefused(t *testing.T) {
	s := openAt(t, Options{Dir: t.TempDir()}, seams{})
	e := numbered(1)
	e.Error = strings.Repeat("x", maxRecord)
	if err := s.Append(until(t), e); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
	appendN(t, s, 0, 1)
	takeN(t, s, 0, 1, 1)
}

// --- a disk that fails

var errDisk = errors.New("no space left on device")

type disk struct {
	writes, syncs, creates atomic.Int64 // failures to come
	half                   atomic.Bool  // a failing write leaves half
	synced                 atomic.Int64
}

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
	if f.disk.syncs.Add(-1) >= 0 {
		return errDisk
	}
	f.disk.synced.Add(1)
	return f.file.Sync()
}

func TestFailedWriteGoesToANewSegment(t *testing.T) {
	for _, half := range []bool{false, true} {
		d := &disk{}
		d.half.Store(half)
		dir := t.TempDir()
		s := openAt(t, Options{Dir: dir}, seams{create: d.create})
		appendN(t, s, 0, 3)
		d.writes.Store(1)
		appendN(t, s, 3, 6)
		if n := len(segmentFiles(t, dir)); n != 2 {
			t.Errorf("%d segments", n)
		}
		takeN(t, s, 0, 6, 10)
		if s.Quarantined() != 0 {
			t.Error("the half frame was not cut off")
		}
	}
}

func TestFullDiskIsReportedUntilItWorks(t *testing.T) {
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
					t.Fatal(err)
				}
			}
			if !s.Full() || !errors.Is(s.Err(), errDisk) {
				t.Errorf("Full %v, Err %v", s.Full(), s.Err())
			}
			if n := len(segmentFiles(t, dir)); n != 1 {
				t.Errorf("%d segments", n)
			}
			broken(d, 0)
			eventually(t, "the disk to be tried again", func() bool { return s.Err() == nil && !s.Full() })
			appendN(t, s, 2, 4)
			takeN(t, s, 0, 4, 10)
		})
	}
}

func TestFsyncedAppendReturnsAfterTheFsync(t *testing.T) {
	d := &disk{}
	s := openAt(t, Options{Dir: t.TempDir(), Sync: Fsynced, SyncInterval: time.Hour}, seams{create: d.create})
	for n := range 5 {
		appendN(t, s, n, n+1)
		if d.synced.Load() < int64(n+1) {
			t.Fatalf("%d syncs after %d appends", d.synced.Load(), n+1)
		}
	}
}

func TestFsyncIsShared(t *testing.T) {
	d := &disk{}
	s := openAt(t, Options{Dir: t.TempDir(), Sync: Fsynced, SyncInterval: time.Hour}, seams{create: d.create})
	var group sync.WaitGroup
	for range 64 {
		group.Go(func() { appendN(t, s, 0, 20) })
	}
	group.Wait()
	if n := d.synced.Load(); n > 1280/2 {
		t.Errorf("%d fsyncs for 1280 appends", n)
	}
}

func TestFailedFsyncIsNotTriedOnTheSameFile(t *testing.T) {
	d := &disk{}
	dir := t.TempDir()
	s := openAt(t, Options{Dir: dir, Sync: Fsynced, SyncInterval: time.Hour}, seams{create: d.create})
	appendN(t, s, 0, 1)
	d.syncs.Store(1)
	appendN(t, s, 1, 2)
	if n := len(segmentFiles(t, dir)); n != 2 {
		t.Errorf("%d segments", n)
	}
	if s.Err() == nil {
		t.Error("not reported")
	}
	d.syncs.Store(1 << 40)
	if err := s.Append(until(t), numbered(2)); !errors.Is(err, errDisk) {
		t.Error(err)
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

func appendForever(dir string) {
	s, err := Open(Options{Dir: dir, SegmentBytes: 50_000, Log: quiet})
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
				fmt.Println(e.ID) //nolint:forbidigo // the parent reads what was kept
				out.Unlock()
			}
		})
	}
	group.Wait()
}

func TestKillLosesNothingThatWasAppended(t *testing.T) {
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
		checkAllThere(t, dir, appended)
	}
}

func checkAllThere(t *testing.T, dir string, appended map[uuid.UUID]int) {
	t.Helper()
	s := openAt(t, Options{Dir: dir}, seams{})
	seen, extra := 0, 0
	for seen < len(appended) {
		batch, err := s.Next(until(t), 500)
		if err != nil {
			t.Fatalf("%d of %d events: %v", seen, len(appended), err)
		}
		for _, e := range batch.Events {
			if n, ok := appended[e.ID]; !ok {
				extra++
			} else if n == 0 {
				seen++
				appended[e.ID]++
			} else {
				t.Errorf("event %s is there twice", e.ID)
			}
		}
		if err := batch.Done(); err != nil {
			t.Fatal(err)
		}
	}
	if s.Quarantined() != 0 {
		t.Errorf("%d records in quarantine", s.Quarantined())
	}
}
