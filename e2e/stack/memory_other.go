//go:build !linux

package stack

import (
	"errors"
	"syscall"
)

// memoryGroup has no values: only Linux has control groups.
type memoryGroup struct{}

func newMemoryGroup(string, int64) (*memoryGroup, error) {
	return nil, errors.New("limiting memory needs Linux")
}

func (*memoryGroup) enclose(argv []string) []string { return argv }
func (*memoryGroup) remove() error                  { return nil }

func separate(*syscall.SysProcAttr) {}
