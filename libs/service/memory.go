package service

import (
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/tollgate/tollgate/libs/config"
)

// gcPercent is the GOGC value of the programs. It uses more memory than Go's default of 100 and less CPU: almost all
// memory of a relay belongs to requests and is soon garbage.
const gcPercent = 400

// tuneMemory sets the pace of the garbage collector. In a container with a memory limit it also sets Go's soft limit to
// 90 % of it, so that the collector works harder before the container is killed. If GOGC or GOMEMLIMIT is set, the
// value from the environment stays in effect.
func tuneMemory(environ []string) {
	if !isSet(environ, "GOGC") {
		debug.SetGCPercent(gcPercent)
	}
	if limit := containerLimit(os.ReadFile); limit > 0 && !isSet(environ, "GOMEMLIMIT") {
		debug.SetMemoryLimit(limit / 10 * 9)
	}
}

// isSet reports whether the environment has the variable with a value.
func isSet(environ []string, name string) bool {
	value, _ := config.Lookup(environ, name)
	return value != ""
}

// Memory returns the memory that this process may use, in bytes: the limit of its control group if there is one, else the
// memory of the machine. It returns 0 if neither is known, which is so outside Linux.
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

// containerLimit returns the memory limit of the process's control group (version 2 or 1) in bytes, or 0 if
// there is none.
func containerLimit(read func(string) ([]byte, error)) int64 {
	for _, file := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		text, err := read(file)
		if err != nil {
			continue
		}
		limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		if err == nil && limit > 0 && limit < math.MaxInt64/2 { // version 1 reports a huge number if there is no limit
			return limit
		}
		return 0
	}
	return 0
}
