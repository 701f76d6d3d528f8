package service

import (
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/tollgate/tollgate/libs/config"
)

// gcPercent trades memory for CPU: a relay's garbage is short-lived.
const gcPercent = 400

// tuneMemory sets the garbage collector's pace, and under a container's limit
// a soft limit just beneath it. GOGC and GOMEMLIMIT, where set, have their way.
func tuneMemory(environ []string) {
	if !isSet(environ, "GOGC") {
		debug.SetGCPercent(gcPercent)
	}
	if limit := containerLimit(os.ReadFile); limit > 0 && !isSet(environ, "GOMEMLIMIT") {
		debug.SetMemoryLimit(limit / 10 * 9)
	}
}

func isSet(environ []string, name string) bool {
	value, _ := config.Lookup(environ, name)
	return value != ""
}

// containerLimit returns the memory limit of the control group in bytes, 0
// where there is none.
func containerLimit(read func(string) ([]byte, error)) int64 {
	for _, file := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		text, err := read(file)
		if err != nil {
			continue
		}
		limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		if err == nil && limit > 0 && limit < math.MaxInt64/2 { // version 1 writes "none" as a huge number
			return limit
		}
		return 0
	}
	return 0
}
