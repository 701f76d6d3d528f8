package service

import (
	"math"
	"os"
	"path"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/tollgate/tollgate/libs/config"
)

const (
	// containerShare and machineShare are the shares of the memory, in percent, that Go's soft limit allows: nearly all
	// of a container's, less of a machine's, which other programs use too.
	containerShare = 90
	machineShare   = 75
)

// tuneMemory sets Go's soft memory limit, so that the garbage collector works harder before the memory of the container
// or the machine is used up. It returns the collector for the pace before that. A value of GOMEMLIMIT or GOGC in the
// environment stays in effect; with GOGC tuneMemory returns nil.
func tuneMemory(environ []string) *collector {
	if limit := softLimit(os.ReadFile); limit > 0 && !isSet(environ, "GOMEMLIMIT") {
		debug.SetMemoryLimit(limit)
	}
	if isSet(environ, "GOGC") {
		return nil
	}
	return newCollector(Memory())
}

// softLimit returns Go's memory limit in bytes, or 0 if the memory is unknown.
func softLimit(read func(string) ([]byte, error)) int64 {
	if limit := containerLimit(read); limit > 0 {
		return limit / 100 * containerShare
	}
	return machineMemory(read) / 100 * machineShare
}

// isSet reports whether the environment has the variable with a value.
func isSet(environ []string, name string) bool {
	value, _ := config.Lookup(environ, name)
	return value != ""
}

// Memory returns the memory that this process may use, in bytes: the limit of its control group if there is one, else
// the memory of the machine. It returns 0 if neither is known, which is so outside Linux.
func Memory() int64 { return memory(os.ReadFile) }

func memory(read func(string) ([]byte, error)) int64 {
	if limit := containerLimit(read); limit > 0 {
		return limit
	}
	return machineMemory(read)
}

// machineMemory returns the memory of the machine in bytes, or 0 if it is unknown.
func machineMemory(read func(string) ([]byte, error)) int64 {
	text, err := read("/proc/meminfo")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "MemTotal:" && fields[2] == "kB" {
			kilobytes, err := strconv.ParseInt(fields[1], 10, 64)
			if err != nil || kilobytes <= 0 || kilobytes > math.MaxInt64>>10 {
				return 0
			}
			return kilobytes << 10
		}
	}
	return 0
}

// containerLimit returns the memory limit of the process's control group (version 2 or 1) in bytes, or 0 if there is
// none. In version 2, the limits of all groups above it hold too.
func containerLimit(read func(string) ([]byte, error)) int64 {
	limit := int64(0)
	for group := controlGroup(read); ; group = path.Dir(group) {
		if groupLimit := limitIn(read, path.Join("/sys/fs/cgroup", group, "memory.max")); groupLimit > 0 &&
			(limit == 0 || groupLimit < limit) {
			limit = groupLimit
		}
		if group == "/" {
			break
		}
	}
	if limit == 0 {
		limit = limitIn(read, "/sys/fs/cgroup/memory/memory.limit_in_bytes")
	}
	return limit
}

// controlGroup returns the path of the process's control group of version 2. It is "/" in most containers, and the unit
// in a service of systemd.
func controlGroup(read func(string) ([]byte, error)) string {
	text, err := read("/proc/self/cgroup")
	if err != nil {
		return "/"
	}
	for line := range strings.Lines(string(text)) {
		if group, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
			return path.Join("/", group)
		}
	}
	return "/"
}

// limitIn returns the limit in a file of a control group, or 0 if it has none.
func limitIn(read func(string) ([]byte, error), file string) int64 {
	text, err := read(file)
	if err != nil {
		return 0
	}
	limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil || limit <= 0 || limit >= math.MaxInt64/2 { // version 1 reports a huge number if there is no limit
		return 0
	}
	return limit
}
