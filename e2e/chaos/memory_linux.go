package chaos

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// errNoMemory means that a process has no memory any more, because it is about to end.
var errNoMemory = errors.New("the process has no memory any more")

// resetPeak makes peakOf start at the present size of the process.
func resetPeak(pid int) error {
	return os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0)
}

// peakOf returns the largest resident memory of a process since resetPeak, in bytes.
func peakOf(pid int) (int64, error) { return statusOf(pid, "VmHWM:") }

// residentOf returns the resident memory of a process in bytes.
func residentOf(pid int) (int64, error) { return statusOf(pid, "VmRSS:") }

// statusOf returns a size from the kernel's description of a process.
func statusOf(pid int, field string) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, field); ok {
			kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
			return kib << 10, err
		}
	}
	return 0, errNoMemory
}
