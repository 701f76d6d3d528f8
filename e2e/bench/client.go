package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
)

// client is one keep-alive HTTP/1.1 connection. It implements only what a load generator needs, to leave the
// CPU time to the programs under measurement.
type client struct {
	conn net.Conn
	in   *bufio.Reader
	body []byte // of the last answer; the buffer is reused
	part bool   // answers need only contain what do wants
}

func dial(addr string) (*client, error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	return &client{conn: conn, in: bufio.NewReaderSize(conn, 32<<10)}, nil
}

func (c *client) close() { _ = c.conn.Close() } // a failure affects no other connection

// do sends a request and reads the answer, which must have the status 200 and the body want, or a body with that part.
func (c *client) do(request, want []byte) error {
	if _, err := c.conn.Write(request); err != nil {
		return err
	}
	if err := c.read(); err != nil {
		return err
	}
	if !bytes.Equal(c.body, want) && !(c.part && bytes.Contains(c.body, want)) {
		return fmt.Errorf("wrong answer of %d bytes, want %d: %.300q", len(c.body), len(want), c.body)
	}
	return nil
}

// read reads one answer; its body is in c.body until the next call.
func (c *client) read() error {
	status, length, err := c.head()
	if err != nil {
		return err
	}
	c.body = c.body[:0]
	if length < 0 {
		err = c.readChunks()
	} else {
		err = c.readMore(length)
	}
	if err == nil && status != 200 {
		err = fmt.Errorf("status %d: %.300q", status, c.body)
	}
	return err
}

// head reads the status line and the headers. length is -1 for a chunked body.
func (c *client) head() (status, length int, err error) {
	line, err := c.in.ReadSlice('\n')
	if err != nil {
		return 0, 0, err
	}
	if len(line) < 12 {
		return 0, 0, fmt.Errorf("bad status line %q", line)
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return 0, 0, fmt.Errorf("bad status line %q", line)
	}
	for {
		if line, err = c.in.ReadSlice('\n'); err != nil {
			return 0, 0, err
		}
		if len(line) <= 2 {
			return status, length, nil
		}
		switch name, value, _ := bytes.Cut(line, []byte(":")); {
		case bytes.EqualFold(name, []byte("Content-Length")):
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return 0, 0, fmt.Errorf("bad Content-Length %q", line)
			}
		case bytes.EqualFold(name, []byte("Transfer-Encoding")):
			length = -1
		}
	}
}

// readMore appends n bytes to c.body.
func (c *client) readMore(n int) error {
	start := len(c.body)
	if cap(c.body) < start+n {
		c.body = append(make([]byte, 0, 2*(start+n)), c.body...)
	}
	c.body = c.body[:start+n]
	_, err := io.ReadFull(c.in, c.body[start:])
	return err
}

// readChunks appends a chunked body to c.body.
func (c *client) readChunks() error {
	for {
		size, err := c.chunkSize()
		if err != nil {
			return err
		}
		if err := c.readMore(size); err != nil {
			return err
		}
		if _, err := c.in.Discard(2); err != nil || size == 0 {
			return err
		}
	}
}

// chunkSize reads the line before a chunk.
func (c *client) chunkSize() (int, error) {
	line, err := c.in.ReadSlice('\n')
	if err != nil {
		return 0, err
	}
	size, err := strconv.ParseUint(string(bytes.TrimRight(line, "\r\n")), 16, 31)
	if err != nil {
		return 0, fmt.Errorf("bad chunk size %q", line)
	}
	return int(size), nil
}

// open sends a streaming request and returns when the first frame has begun to arrive.
func (c *client) open(request []byte) error {
	if _, err := c.conn.Write(request); err != nil {
		return err
	}
	status, length, err := c.head()
	if err != nil {
		return err
	}
	if status != 200 || length != -1 {
		return fmt.Errorf("status %d, not a stream", status)
	}
	size, err := c.chunkSize()
	if err == nil && size == 0 {
		err = errors.New("the stream has no chunks")
	}
	return err
}
