package stack

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"syscall"
)

// Port is a TCP port of 127.0.0.1 that is kept for one server. The server may end
// and start again as often as it likes; while it does not run, connections are
// refused. Release gives the port back.
type Port struct {
	Number  int
	Release func() error
}

// Addr returns the address, such as 127.0.0.1:43123.
func (p *Port) Addr() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(p.Number)) }

// Ports are those of one program, or of several that end together.
type Ports []*Port

// Reserve adds one more port.
func (p *Ports) Reserve() (*Port, error) {
	port, err := ReservePort()
	if err == nil {
		*p = append(*p, port)
	}
	return port, err
}

// Release gives all of them back. It may be called twice.
func (p *Ports) Release() error {
	var errs []error
	for _, port := range *p {
		errs = append(errs, port.Release())
	}
	*p = nil
	return errors.Join(errs...)
}

// ReservePort lets the kernel choose a port and binds it to a socket that does not
// listen. As long as that socket is open, no other program gets the port, neither
// for a listener on port 0 nor for a connection; the server for which it is kept
// can listen at it, because servers set SO_REUSEADDR, as the socket does.
func ReservePort() (*Port, error) {
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("reserve a port: %w", os.NewSyscallError("socket", err))
	}
	number, err := bind(socket)
	if err != nil {
		return nil, fmt.Errorf("reserve a port: %w", errors.Join(err, syscall.Close(socket)))
	}
	return &Port{Number: number, Release: func() error { return os.NewSyscallError("close", syscall.Close(socket)) }}, nil
}

// bind binds the socket to a port that the kernel chooses.
func bind(socket int) (port int, err error) {
	if err := syscall.SetsockoptInt(socket, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1); err != nil {
		return 0, os.NewSyscallError("setsockopt", err)
	}
	if err := syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return 0, os.NewSyscallError("bind", err)
	}
	bound, err := syscall.Getsockname(socket)
	if address, ok := bound.(*syscall.SockaddrInet4); ok {
		port = address.Port
	}
	return port, os.NewSyscallError("getsockname", err)
}
