// Package proc reads the CPU time and the memory of processes from /proc. It needs Linux.
package proc

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// Tick is the unit of the times in /proc/PID/stat. USER_HZ is 100 on Linux.
const Tick = 10 * time.Millisecond

// CPU returns the user and system time that the process has used so far, with a resolution of Tick.
func CPU(pid int) (time.Duration, error) {
	fields, err := stat(pid)
	if err != nil {
		return 0, err
	}
	return sum(fields, 11, 12)
}

// Exactly returns the CPU time that the running threads of the process have used so far, in nanoseconds. Without
// statistics of the scheduler it returns the same as CPU.
func Exactly(pid int) (total time.Duration, err error) {
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil || len(lists) == 0 {
		return CPU(pid)
	}
	for _, list := range lists {
		raw, err := os.ReadFile(list)
		if err != nil {
			continue // the thread has ended since
		}
		ran, _, _ := bytes.Cut(raw, []byte(" "))
		spent, err := strconv.ParseInt(string(ran), 10, 64)
		if err != nil {
			return 0, err
		}
		total += time.Duration(spent)
	}
	return total, nil
}

// CPUTree returns the CPU time of the process, of its running children, and of its children that have ended.
// Grandchildren count only after they have ended.
func CPUTree(pid int) (total time.Duration, err error) {
	fields, err := stat(pid)
	if err != nil {
		return 0, err
	}
	if total, err = sum(fields, 11, 12, 13, 14); err != nil {
		return 0, err
	}
	children, err := childrenOf(pid)
	if err != nil {
		return 0, err
	}
	for _, child := range children {
		// Otherwise the child has ended since, and its parent's time includes it.
		if cpu, err := Exactly(child); err == nil {
			total += cpu
		}
	}
	return total, nil
}

// childrenOf returns the process ids of the children of all threads of a process.
func childrenOf(pid int) (children []int, err error) {
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		return nil, err
	}
	for _, list := range lists {
		raw, err := os.ReadFile(list)
		if err != nil {
			continue // the thread has ended since
		}
		for _, word := range bytes.Fields(raw) {
			child, err := strconv.Atoi(string(word))
			if err != nil {
				return nil, err
			}
			children = append(children, child)
		}
	}
	return children, nil
}

// stat returns the fields of /proc/PID/stat that follow the program's name.
func stat(pid int) ([][]byte, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil, err
	}
	return bytes.Fields(raw[bytes.LastIndexByte(raw, ')')+1:]), nil
}

// sum adds up fields of /proc/PID/stat; index 0 is the third field of proc(5).
func sum(fields [][]byte, indices ...int) (total time.Duration, err error) {
	for _, i := range indices {
		ticks, err := strconv.ParseInt(string(fields[i]), 10, 64)
		if err != nil {
			return 0, err
		}
		total += time.Duration(ticks) * Tick
	}
	return total, nil
}

// RSS returns the resident memory of the process in bytes.
func RSS(pid int) (int64, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0, err
	}
	pages, err := strconv.ParseInt(string(bytes.Fields(raw)[1]), 10, 64)
	return pages * int64(os.Getpagesize()), err
}

// Settle waits until the process uses at most one Tick in 200 ms, for at most 3 s.
func Settle(pid int) error {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	cpu, err := CPU(pid)
	for range 15 {
		if err != nil {
			return err
		}
		<-tick.C
		before := cpu
		if cpu, err = CPU(pid); cpu-before <= Tick {
			break
		}
	}
	return err
}
