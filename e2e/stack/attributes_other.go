//go:build !linux

package stack

import "syscall"

func attributes(as *syscall.Credential, _ syscall.Signal) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: as}
}

// childrenOf knows of none here.
func childrenOf(int) ([]int, error) { return nil, nil }
