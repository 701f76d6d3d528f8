package chaos

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// mountDisk makes a small disk at dir, or returns why it may not.
func mountDisk(dir string) error {
	return syscall.Mount("tollgate-chaos", dir, "tmpfs", 0, "size=16m")
}

func unmountDisk(dir string) error { return syscall.Unmount(dir, syscall.MNT_DETACH) }

// ballast is a file that takes a disk's room.
type ballast struct{ path string }

// fill takes all of the disk's room but spare bytes.
func fill(dir string, spare int64) (ballast, error) {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err != nil {
		return ballast{}, err
	}
	b := ballast{filepath.Join(dir, "ballast")}
	free := int64(disk.Bavail) * disk.Bsize
	return b, os.WriteFile(b.path, make([]byte, max(0, free-spare)), 0o600)
}

func (b ballast) remove() error {
	if err := os.Remove(b.path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
