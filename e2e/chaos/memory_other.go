//go:build !linux

package chaos

import "errors"

// errNoProc means that only Linux reports the memory of processes.
var errNoProc = errors.New("the memory of processes is known on Linux only")

func resetPeak(int) error           { return errNoProc }
func peakOf(int) (int64, error)     { return 0, errNoProc }
func residentOf(int) (int64, error) { return 0, errNoProc }
