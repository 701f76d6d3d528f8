package http1

import (
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

	// Of one read without waiting.
	poll func(fd uintptr) bool
	into []byte
	n    int
	err  error
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
