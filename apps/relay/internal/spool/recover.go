package spool

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/google/uuid"
)

// lockDir takes the directory until the file is closed or the process ends.
func lockDir(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, fileMode)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = ErrLocked
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// loadIdentity reads the relay's id or makes it. A file that holds no id is
// an error: quota is leased under the old one.
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
		return uuid.Nil, fmt.Errorf("%s does not hold a relay's id: %w", path, err)
	}
	return id, nil
}

func makeIdentity(dir, path string) (uuid.UUID, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return uuid.Nil, err
	}
	draft := path + ".new"
	if err := writeSynced(draft, []byte(id.String()+"\n"), os.O_CREATE|os.O_TRUNC); err != nil {
		return uuid.Nil, err
	}
	if err := os.Rename(draft, path); err != nil {
		return uuid.Nil, err
	}
	return id, syncDir(dir)
}

func writeSynced(path string, data []byte, flags int) error {
	f, err := os.OpenFile(path, flags|os.O_WRONLY, fileMode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Sync(), f.Close())
}

// recover takes over the segments that are there. Nothing is added to them:
// writing goes on in a new one.
func (s *Spool) recover() error {
	segments, err := findSegments(s.o.Dir)
	if err != nil {
		return err
	}
	for i, seg := range segments {
		s.created = seg.index
		if i == len(segments)-1 {
			err = s.mendTail(seg)
		}
		if err == nil {
			err = s.adopt(seg)
		}
		if err != nil {
			return fmt.Errorf("recover %s: %w", filepath.Base(seg.path), err)
		}
	}
	if len(s.segments) > 0 {
		s.behind, s.read = true, position{segment: s.segments[0].index}
	}
	err = os.Remove(filepath.Join(s.o.Dir, "probe"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

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

// adopt adds a segment from before. It is synced, for a process that was
// killed may not have come to it.
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

// mendTail cuts the last segment after its last whole frame. What is cut off
// goes into quarantine; it counts as damage unless it looks like the
// beginning of one frame, which is what a killed process leaves.
func (s *Spool) mendTail(seg *segment) error {
	data, err := os.ReadFile(seg.path)
	if err != nil {
		return err
	}
	end, torn := wholeFrames(data)
	if end == len(data) {
		return nil
	}
	if !torn {
		s.quarantined.Add(1)
	}
	name := s.quarantineName(seg, ".tail")
	s.o.Log.Warn("spool segment had an unfinished end", "segment", seg.path, "offset", end,
		"bytes", len(data)-end, "torn_write", torn, "saved_as", name)
	if err := writeSynced(name, data[end:], os.O_CREATE|os.O_EXCL); err != nil {
		return err
	}
	return os.Truncate(seg.path, int64(end))
}

// wholeFrames returns where the last whole frame ends that can be reached,
// and whether what follows is the beginning of a frame. A damaged frame that
// a whole one follows is passed over here: the reader reports it.
func wholeFrames(data []byte) (end int, torn bool) {
	for end < len(data) {
		_, size, state := frameAt(data[end:])
		switch {
		case state == whole:
			end += size
		case state == bad && followed(data[end+size:]):
			end += size
		default:
			return end, state == cut
		}
	}
	return end, false
}

// followed reports whether a whole frame comes next: only then can the length
// of a damaged frame before it be believed.
func followed(rest []byte) bool {
	_, _, state := frameAt(rest)
	return state == whole
}

func (s *Spool) quarantineName(seg *segment, suffix string) string {
	stamp := s.o.Now().UTC().Format("20060102T150405.000000000")
	return filepath.Join(s.o.Dir, quarantineDir, stamp+"-"+filepath.Base(seg.path)+suffix)
}
