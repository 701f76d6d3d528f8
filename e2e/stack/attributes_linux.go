package stack

import "syscall"

// attributes makes the child end with this process, however that ends.
func attributes(as *syscall.Credential, stop syscall.Signal) *syscall.SysProcAttr {
	if stop == 0 {
		stop = syscall.SIGKILL
	}
	return &syscall.SysProcAttr{Credential: as, Pdeathsig: stop}
}
