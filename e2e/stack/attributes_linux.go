package stack

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// attributes returns the attributes of a child process that runs as a user (nil: the current one) and that the
// kernel signals with stop (0: SIGKILL) when this process dies.
func attributes(as *syscall.Credential, stop syscall.Signal) *syscall.SysProcAttr {
	if stop == 0 {
		stop = syscall.SIGKILL
	}
	return &syscall.SysProcAttr{Credential: as, Pdeathsig: stop}
}

// childrenOf returns the process ids of the children of a process, as the kernel lists them in /proc.
func childrenOf(pid int) ([]int, error) {
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil || len(tasks) == 0 {
		return nil, fmt.Errorf("children of process %d: /proc has no list of children: %w", pid, err)
	}
	var children []int
	for _, task := range tasks {
		raw, err := os.ReadFile(task)
		if err != nil {
			return nil, err
		}
		for _, field := range strings.Fields(string(raw)) {
			child, err := strconv.Atoi(field)
			if err != nil {
				return nil, err
			}
			children = append(children, child)
		}
	}
	return children, nil
}
