// Package porttest reserves TCP ports for the servers that tests start.
package porttest

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"syscall"
)

// Port is a TCP port of 127.0.0.1 that is reserved for one server. The server may stop and start again any
// number of times; while it is stopped, connections are refused. Release frees the port.
type Port struct {
	Number  int
	Release func() error
}

// Addr returns the address, such as 127.0.0.1:43123.
func (p *Port) Addr() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(p.Number)) }

// Reserve lets the kernel choose a port and binds it to a socket that does not listen. While that socket is
// open, the kernel gives the port to no other program: neither to a listener on port 0 nor to an outgoing
// connection. The server itself can listen on the port, because servers set SO_REUSEADDR, as this socket does.
func Reserve() (*Port, error) {
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("reserve a port: %w", os.NewSyscallError("socket", err))
	}
	number, err := bind(socket)
	if err != nil {
		return nil, fmt.Errorf("reserve a port: %w", errors.Join(err, syscall.Close(socket)))
	}
	return &Port{Number: number, Release: func() error { return os.NewSyscallError("close", syscall.Close(socket)) }},
		nil
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
