package http1

import (
	"errors"
	"io"
	"net"
	"sync"
	"syscall"
)

// socket is a connection below TLS. While polling is true, neither reads nor writes wait: reads return errNothing if
// nothing has arrived, and writes fail if there is no room.
type socket struct {
	net.Conn
	tcp     *net.TCPConn    // nil if the connection is of another kind, as in tests
	raw     syscall.RawConn // nil for the same reason
	polling bool

	mu     sync.Mutex // for what is gathered: TLS may also write while it reads
	buffer *[]byte    // see gather; nil if writes are not gathered

	// State of one read without waiting, or of one ask.
	poll, converse func(fd uintptr) bool
	into           []byte
	request        []byte
	written, n     int
	err            error
}

func newSocket(c net.Conn) *socket {
	s := &socket{Conn: c}
	if tcp, ok := c.(*net.TCPConn); ok {
		if raw, err := tcp.SyscallConn(); err == nil {
			s.tcp, s.raw = tcp, raw
		}
	}
	s.poll = func(fd uintptr) bool {
		s.n, s.err = syscall.Read(int(fd), s.into)
		return true
	}
	s.converse = s.askStep
	return s
}

// Read reads from the connection.
func (s *socket) Read(p []byte) (int, error) {
	if !s.polling {
		return s.Conn.Read(p) //nolint:wrapcheck // conn does
	}
	s.into = p
	err := s.raw.Read(s.poll)
	s.into = nil
	switch {
	case err != nil:
		return 0, err //nolint:wrapcheck // conn does
	case s.err == syscall.EAGAIN: //nolint:errorlint // a system call returns it as it is
		return 0, errNothing
	case s.err != nil:
		return 0, s.err
	case s.n == 0:
		return 0, io.EOF
	}
	return s.n, nil
}

// ask writes a request to a connection that was idle, and reads the beginning of the answer into p. It checks that the
// connection is alive as poll does, and saves the attempt to read an answer before there can be one: it begins to wait
// for the socket before it writes, so no arrival is missed. If the socket has no room for all of the request, written
// is less than its length, err is nil, and nothing was read.
func (s *socket) ask(request, p []byte) (written, n int, err error) {
	s.request, s.into, s.written = request, p, 0
	err = s.raw.Read(s.converse)
	s.request, s.into = nil, nil
	if err == nil {
		err = s.err
	}
	switch {
	case err != nil:
		return s.written, 0, err
	case s.written == len(request) && s.n == 0:
		return s.written, 0, io.EOF
	}
	return s.written, s.n, nil
}

// askStep makes the next step of ask, and returns false if the socket must be waited for.
func (s *socket) askStep(fd uintptr) (done bool) {
	if s.written > 0 {
		s.n, s.err = syscall.Read(int(fd), s.into)
		return s.err != syscall.EAGAIN //nolint:errorlint // a system call returns it as it is
	}
	if _, err := syscall.Read(int(fd), s.into); err != syscall.EAGAIN {
		s.err = errDead
		return true
	}
	s.n = 0
	if s.written, s.err = syscall.Write(int(fd), s.request); s.err != nil {
		s.written = 0
	}
	if s.err == syscall.EAGAIN { //nolint:errorlint // as above
		s.err = nil
	}
	return s.written < len(s.request)
}

// errDead means that the upstream has closed an idle connection, or sent something to nobody.
var errDead = errors.New("http1: the idle connection is dead")

// gatheredBytes is the size in bytes of the writes that gather makes.
const gatheredBytes = 128 << 10

// gathers has buffers for gather.
var gathers = sync.Pool{New: func() any { return new([]byte) }}

// gather calls write, whose many TLS records of 16 KiB it writes to the connection with few system calls.
func (s *socket) gather(write func() (int64, error)) (int64, error) {
	buffer, _ := gathers.Get().(*[]byte)
	s.mu.Lock()
	s.buffer = buffer
	s.mu.Unlock()
	n, err := write()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && len(*buffer) > 0 {
		_, err = s.Conn.Write(*buffer)
	}
	s.buffer, *buffer = nil, (*buffer)[:0]
	gathers.Put(buffer)
	return n, err
}

// Write writes to the connection, or gathers the bytes.
func (s *socket) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.polling && s.raw != nil:
		return s.writeNow(p)
	case s.buffer == nil:
		return s.Conn.Write(p)
	}
	*s.buffer = append(*s.buffer, p...)
	if len(*s.buffer) < gatheredBytes {
		return len(p), nil
	}
	_, err := s.Conn.Write(*s.buffer)
	*s.buffer = (*s.buffer)[:0]
	return len(p), err
}

// writeNow writes without waiting, and fails unless there is room for all of p.
func (s *socket) writeNow(p []byte) (int, error) {
	var n int
	var fault error
	err := s.raw.Write(func(fd uintptr) bool {
		n, fault = syscall.Write(int(fd), p)
		return true
	})
	switch {
	case err != nil:
		return 0, err //nolint:wrapcheck // conn does
	case fault != nil:
		return 0, fault //nolint:wrapcheck // conn does
	case n < len(p):
		return n, io.ErrShortWrite
	}
	return n, nil
}

// errNothing means that nothing has arrived. It is temporary, so that TLS can be used afterwards.
var errNothing error = nothing{}

type nothing struct{}

// Error, Timeout and Temporary make nothing a net.Error.
func (nothing) Error() string   { return "http1: nothing has arrived" }
func (nothing) Timeout() bool   { return true }
func (nothing) Temporary() bool { return true }
