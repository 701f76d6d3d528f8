package http1

import (
	"net/http"
	"sync"
)

// heads has buffers for the heads of requests.
var heads = sync.Pool{New: func() any { return new([]byte) }}

const (
	// keptHead is the largest buffer in bytes that heads keeps.
	keptHead = 32 << 10
	// joined is the size in bytes up to which head and body are joined: for TLS, which then makes one record of them,
	// and for ask.
	joined = 16 << 10
)

// putHead releases a buffer of heads.
func putHead(head *[]byte) {
	if cap(*head) <= keptHead {
		heads.Put(head)
	}
}

// send writes the request, or leaves a small one to the first read. A large body is written by another goroutine, which
// sends its result to c.writing.
func (c *conn) send(r *http.Request, owner Segmented, body [][]byte) error {
	head, _ := heads.Get().(*[]byte)
	*head = appendHead((*head)[:0], r)
	switch {
	case c.reused && c.asks(r.ContentLength):
		*head = join(*head, body)
		c.request = head
		return nil
	case r.ContentLength <= smallBody:
		return c.write(head, body, r.ContentLength)
	}
	c.writing = make(chan error, 1)
	owner.Retain()
	go func(size int64, writing chan<- error) {
		defer owner.Release()
		writing <- c.write(head, body, size)
	}(r.ContentLength, c.writing)
	return nil
}

// write writes head and body, and releases the buffer of the head.
func (c *conn) write(head *[]byte, body [][]byte, size int64) error {
	defer func() {
		c.out = nil
		putHead(head)
	}()
	if c.tls != nil && len(*head)+int(size) <= joined {
		*head, body = join(*head, body), nil
	}
	c.out = append(append(c.room[:0], *head), body...)
	n, err := c.writeOut()
	c.written = n
	return err
}

// join appends the segments of a body to a head.
func join(head []byte, body [][]byte) []byte {
	for _, segment := range body {
		head = append(head, segment...)
	}
	return head
}

// writeOut writes c.out: to TCP with one system call, if the socket has room.
func (c *conn) writeOut() (int64, error) {
	switch {
	case c.tls == nil && c.socket.tcp != nil:
		return c.out.WriteTo(c.socket.tcp) //nolint:wrapcheck // converse does
	case len(c.out) == 1:
		return c.out.WriteTo(c.net) //nolint:wrapcheck // converse does
	}
	return c.socket.gather(func() (int64, error) { return c.out.WriteTo(c.net) })
}
