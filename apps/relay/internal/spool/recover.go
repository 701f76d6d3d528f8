package spool

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/google/uuid"
)

// lockDir locks the directory until the returned file is closed or the process ends. It returns ErrLocked if
// another process has the lock. The lock is advisory (flock), so a killed process leaves no stale lock.
func lockDir(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, fileMode)
	if err != nil {
		return nil, err
	}
	// Without LOCK_NB a second relay would wait silently for the first one to end.
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = ErrLocked
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// loadIdentity reads the relay's id, or creates it in a new directory. A file with anything else is an error: a
// new id would cut the relay off from the quota that it leased under the old one.
func loadIdentity(dir string) (uuid.UUID, error) {
	path := filepath.Join(dir, "relay-id")
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return makeIdentity(dir, path)
	}
	if err != nil {
		return uuid.Nil, err
	}
	id, err := uuid.Parse(strings.TrimSpace(string(text)))
	if err != nil {
		return uuid.Nil, fmt.Errorf("%s must contain the relay's id, a UUID: %w", path, err)
	}
	return id, nil
}

// makeIdentity creates a new id and writes it to path. It writes a temporary file and renames it, so that a
// crash never leaves half an id.
func makeIdentity(dir, path string) (uuid.UUID, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return uuid.Nil, err
	}
	temporary := path + ".new"
	if err := writeSynced(temporary, []byte(id.String()+"\n"), os.O_CREATE|os.O_TRUNC); err != nil {
		return uuid.Nil, err
	}
	if err := os.Rename(temporary, path); err != nil {
		return uuid.Nil, err
	}
	return id, syncDir(dir)
}

// writeSynced writes data to a file and returns when the data is on disk. flags say whether the file is
// created, truncated or appended to.
func writeSynced(path string, data []byte, flags int) error {
	f, err := os.OpenFile(path, flags|os.O_WRONLY, fileMode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Sync(), f.Close())
}

// recover takes over the segments of an earlier run and lets the consumer start at the oldest. It repairs the
// last segment, the only one that may be incomplete. Old segments stay read-only: new events go to a new
// segment.
func (s *Spool) recover() error {
	segments, err := findSegments(s.o.Dir)
	if err != nil {
		return err
	}
	for i, seg := range segments {
		s.newest = seg.index
		// An earlier segment ends with a complete frame: the spool seals a segment only between two frames, and
		// each run starts with a repair.
		if i == len(segments)-1 {
			err = s.repairTail(seg)
		}
		if err == nil {
			err = s.adopt(seg)
		}
		if err != nil {
			return fmt.Errorf("recover %s: %w", filepath.Base(seg.path), err)
		}
	}
	if len(s.segments) > 0 {
		s.behind, s.readPos = true, position{segment: s.segments[0].index}
	}
	// A process that was killed within probe leaves this file, and creating it again would fail.
	err = os.Remove(filepath.Join(s.o.Dir, "probe"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// findSegments returns the directory's segments, oldest first. It ignores files with other names.
func findSegments(dir string) ([]*segment, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var segments []*segment
	for _, entry := range entries {
		name, ok := strings.CutSuffix(entry.Name(), segmentSuffix)
		index, err := strconv.ParseUint(name, 10, 64)
		if !ok || err != nil {
			continue
		}
		segments = append(segments, &segment{index: index, path: filepath.Join(dir, entry.Name()), sealed: true})
	}
	slices.SortFunc(segments, func(a, b *segment) int { return cmp.Compare(a.index, b.index) })
	return segments, nil
}

// adopt adds a segment of an earlier run to the log, or deletes it if it is empty. It syncs the file first,
// because the earlier process may have been killed before its fsync.
func (s *Spool) adopt(seg *segment) error {
	f, err := os.OpenFile(seg.path, os.O_RDWR, fileMode)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if info.Size() == 0 {
		return os.Remove(seg.path)
	}
	seg.size = info.Size()
	s.size.Add(seg.size)
	s.segments = append(s.segments, seg)
	return nil
}

// repairTail truncates the last segment after its last complete frame. It moves the rest to quarantine. The rest
// counts as damage unless it is the beginning of a frame: a killed process leaves an incomplete frame, and that
// event was never acknowledged.
func (s *Spool) repairTail(seg *segment) error {
	data, err := os.ReadFile(seg.path)
	if err != nil {
		return err
	}
	end, torn := completeFrames(data)
	if end == len(data) {
		return nil
	}
	suffix := tailSuffix
	if !torn {
		suffix = damagedSuffix
		s.quarantined.Add(1)
	}
	name := s.quarantineName(seg, suffix)
	s.o.Log.Warn("spool segment ended with an incomplete frame", "segment", seg.path, "offset", end,
		"bytes", len(data)-end, "torn_write", torn, "saved_as", name)
	if err := writeSynced(name, data[end:], os.O_CREATE|os.O_EXCL); err != nil {
		return err
	}
	return os.Truncate(seg.path, int64(end))
}

// countQuarantined returns the number of lines of rejected.log and of other files in the folder, without the incomplete
// frames that killed processes left.
func countQuarantined(folder string) (count int64, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return 0, err
	}
	for _, entry := range entries {
		switch name := entry.Name(); {
		case !entry.Type().IsRegular() || filepath.Ext(name) == tailSuffix:
		case name == rejectedName:
			lines, err := countLines(filepath.Join(folder, name))
			if err != nil {
				return 0, err
			}
			count += lines
		default:
			count++
		}
	}
	return count, nil
}

// countLines returns the number of complete lines of a file.
func countLines(path string) (count int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	for reader := bufio.NewReader(f); ; {
		switch _, err := reader.ReadSlice('\n'); {
		case err == nil:
			count++
		case errors.Is(err, io.EOF):
			return count, nil
		case !errors.Is(err, bufio.ErrBufferFull): // a part of a long line
			return 0, fmt.Errorf("count the lines of %s: %w", path, err)
		}
	}
}

// completeFrames returns the offset of the end of the last complete frame. torn reports whether the rest of
// data is the beginning of a frame. completeFrames skips a corrupt frame if an intact one follows it: the
// reader reports that damage later.
func completeFrames(data []byte) (end int, torn bool) {
	for end < len(data) {
		_, size, state := frameAt(data[end:])
		switch {
		case state == intact:
			end += size
		case state == corrupt && followed(data[end+size:]):
			end += size
		default:
			return end, state == truncated
		}
	}
	return end, false
}

// followed reports whether data begins with an intact frame. Only then is the length of the corrupt frame
// before it credible.
func followed(data []byte) bool {
	_, _, state := frameAt(data)
	return state == intact
}

// quarantineName returns a path in quarantine for bytes of the segment. It contains the time, so that a later
// run doesn't overwrite the file.
func (s *Spool) quarantineName(seg *segment, suffix string) string {
	stamp := s.o.Now().UTC().Format("20060102T150405.000000000")
	return filepath.Join(s.o.Dir, quarantineDir, stamp+"-"+filepath.Base(seg.path)+suffix)
}
