package chaos

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// mountDisk mounts a tmpfs of 16 MB at dir. It fails without the right to mount.
func mountDisk(dir string) error {
	return syscall.Mount("tollgate-chaos", dir, "tmpfs", 0, "size=16m")
}

func unmountDisk(dir string) error { return syscall.Unmount(dir, syscall.MNT_DETACH) }

// ballast is a file that fills a disk.
type ballast struct{ path string }

// fill writes a file that leaves only spare bytes free on the disk of dir.
func fill(dir string, spare int64) (ballast, error) {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err != nil {
		return ballast{}, err
	}
	b := ballast{filepath.Join(dir, "ballast")}
	free := int64(disk.Bavail) * disk.Bsize
	return b, os.WriteFile(b.path, make([]byte, max(0, free-spare)), 0o600)
}

// remove deletes the file; it is no error if the file is already gone.
func (b ballast) remove() error {
	if err := os.Remove(b.path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
