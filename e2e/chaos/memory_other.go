//go:build !linux

package chaos

import "errors"

var (
	// errNoProc means that only Linux reports the memory of processes.
	errNoProc = errors.New("the memory of processes is known on Linux only")
	// errNoMemory means that a process is about to end. Only Linux reports that.
	errNoMemory = errors.New("the process has no memory any more")
)

func resetPeak(int) error           { return errNoProc }
func peakOf(int) (int64, error)     { return 0, errNoProc }
func residentOf(int) (int64, error) { return 0, errNoProc }
