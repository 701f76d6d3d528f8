//go:build !linux

package stack

import "syscall"

// attributes returns the attributes of a child process. Only Linux can end the child when this process dies.
func attributes(as *syscall.Credential, _ syscall.Signal) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: as}
}

// childrenOf always returns an empty list: only Linux has /proc.
func childrenOf(int) ([]int, error) { return nil, nil }
