package stack

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// memoryFiles names the control group file system that limits memory, and its files.
type memoryFiles struct{ root, limit, swap string }

// versions lists both versions of control groups. The file of the limit exists in the root of version 1 only.
var versions = []memoryFiles{
	{"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.memsw.limit_in_bytes"},
	{"/sys/fs/cgroup", "memory.max", "memory.swap.max"},
}

// memoryGroup is a control group that limits the memory of one process. The kernel kills the process when it needs
// more.
type memoryGroup struct {
	dir  string
	root string // where the file system of control groups is mounted
}

// newMemoryGroup creates a control group with a limit in bytes. It fails without the right to do so.
func newMemoryGroup(name string, limit int64) (*memoryGroup, error) {
	files := versions[1]
	if _, err := os.Stat(filepath.Join(versions[0].root, versions[0].limit)); err == nil {
		files = versions[0]
	}
	sweepGroups(files.root)
	g := &memoryGroup{dir: filepath.Join(files.root, fmt.Sprintf("tollgate-%d-%s", os.Getpid(), name)),
		root: files.root}
	if err := os.Mkdir(g.dir, 0o755); err != nil {
		return nil, fmt.Errorf("create a control group: %w", err)
	}
	if err := os.WriteFile(filepath.Join(g.dir, files.limit), strconv.AppendInt(nil, limit, 10), 0o644); err != nil {
		return nil, errors.Join(fmt.Errorf("limit memory: %w", err), g.remove())
	}
	// Without this a machine with swap would not kill the process. A kernel that cannot limit swap has no such file.
	swap := limit
	if files == versions[1] {
		swap = 0 // version 2 counts swap apart from memory
	}
	_ = os.WriteFile(filepath.Join(g.dir, files.swap), strconv.AppendInt(nil, swap, 10), 0o644)
	return g, nil
}

// sweepGroups removes the groups of tests that were killed.
func sweepGroups(root string) {
	dirs, _ := filepath.Glob(filepath.Join(root, "tollgate-*-*")) // the pattern is valid
	for _, dir := range dirs {
		var pid int
		if _, err := fmt.Sscanf(filepath.Base(dir), "tollgate-%d-", &pid); err == nil &&
			errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			_ = syscall.Rmdir(dir) // a group with a process stays
		}
	}
}

// inside moves the shell into the group, mounts the group where a container finds its own one, and becomes the
// program. The program so finds its limit as it does in a container.
const inside = `echo $$ >"$1/cgroup.procs" && mount --bind "$1" "$2" && shift 2 && exec "$@"`

// enclose returns the command line that runs argv in the group. The process needs separate, which keeps the mount
// of inside to itself.
func (g *memoryGroup) enclose(argv []string) []string {
	return append([]string{"/bin/sh", "-c", inside, "sh", g.dir, g.root}, argv...)
}

// separate gives the process mounts of its own.
func separate(a *syscall.SysProcAttr) { a.Unshareflags |= syscall.CLONE_NEWNS }

// remove deletes the group. No process may be in it. It may be called twice.
func (g *memoryGroup) remove() error {
	if err := syscall.Rmdir(g.dir); err != nil && !errors.Is(err, syscall.ENOENT) {
		return fmt.Errorf("remove %s: %w", g.dir, err)
	}
	return nil
}
