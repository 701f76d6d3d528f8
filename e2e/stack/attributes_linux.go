package stack

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// attributes makes the child end with this process, however that ends.
func attributes(as *syscall.Credential, stop syscall.Signal) *syscall.SysProcAttr {
	if stop == 0 {
		stop = syscall.SIGKILL
	}
	return &syscall.SysProcAttr{Credential: as, Pdeathsig: stop}
}

// childrenOf lists the children of a process as the kernel does.
func childrenOf(pid int) ([]int, error) {
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil || len(tasks) == 0 {
		return nil, fmt.Errorf("children of process %d: the kernel does not tell: %w", pid, err)
	}
	var all []int
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
			all = append(all, child)
		}
	}
	return all, nil
}
