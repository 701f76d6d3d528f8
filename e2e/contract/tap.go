package contract

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
)

const (
	observed = 512     // connections of a tap that are read at the same time; others pass unread
	pending  = 8 << 20 // bytes of one direction that wait to be parsed; a connection with more is no longer read
	bodySize = 4 << 20 // bytes of a body that are kept; larger bodies are not checked
)

// Tap is a TCP proxy in front of one relay. Bytes, half-closes and resets pass unchanged and at once, and the relay
// sees the client's address. A copy of the bytes is parsed as HTTP/1.1, and each exchange goes to the checker.
type Tap struct {
	target   string
	checker  *Checker
	listener net.Listener
	running  sync.WaitGroup
	slots    chan struct{}

	mu     sync.Mutex
	open   map[*net.TCPConn]struct{}
	closed bool
}

// Tap listens on a free port of 127.0.0.1 and forwards connections to the address target.
func (c *Checker) Tap(target string) (*Tap, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	return c.TapOn(listener, target), nil
}

// TapOn accepts connections from the listener, which the tap then owns, and forwards them to the address target.
func (c *Checker) TapOn(listener net.Listener, target string) *Tap {
	t := &Tap{target: target, checker: c, listener: listener, slots: make(chan struct{}, observed),
		open: map[*net.TCPConn]struct{}{}}
	t.running.Go(t.accept)
	return t
}

// Addr returns the address to dial instead of the target's.
func (t *Tap) Addr() string { return t.listener.Addr().String() }

// Close closes all connections, waits until what passed is parsed, and stops the tap.
func (t *Tap) Close() {
	_ = t.listener.Close() // nothing can be done about it
	t.mu.Lock()
	t.closed = true
	for conn := range t.open {
		_ = conn.Close() // the purpose
	}
	t.mu.Unlock()
	t.running.Wait()
}

// accept serves clients until the listener is closed.
func (t *Tap) accept() {
	for {
		conn, err := t.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if client, ok := conn.(*net.TCPConn); ok && err == nil {
			t.running.Go(func() { t.serve(client) })
		}
	}
}

// track adds a connection to those that Close closes. If the tap is closed, it closes the connection and returns false.
func (t *Tap) track(conn *net.TCPConn) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		_ = conn.Close() // the purpose
		return false
	}
	t.open[conn] = struct{}{}
	return true
}

// release closes a connection that track added.
func (t *Tap) release(conn *net.TCPConn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.open, conn)
	_ = conn.Close() // closed before, if an end was reset
}

// serve connects one client to the target and copies data in both directions until both have ended.
func (t *Tap) serve(client *net.TCPConn) {
	if !t.track(client) {
		return
	}
	defer t.release(client)
	server, err := t.dial(client)
	if err != nil {
		_ = client.SetLinger(0) // the client sees a reset, which is the nearest to a refused connection
		return
	}
	if !t.track(server) {
		return
	}
	defer t.release(server)
	var up, down *feed
	select {
	case t.slots <- struct{}{}:
		up, down = newFeed(), newFeed()
		t.running.Go(func() {
			t.checker.read(up, down)
			<-t.slots
		})
	default:
		t.checker.skip("connections beyond the bound")
	}
	var passes sync.WaitGroup
	passes.Go(func() { pass(server, client, up) })
	passes.Go(func() { pass(client, server, down) })
	passes.Wait()
}

// dial connects to the target from the client's address.
func (t *Tap) dial(client *net.TCPConn) (*net.TCPConn, error) {
	var dialer net.Dialer
	if from, ok := client.RemoteAddr().(*net.TCPAddr); ok && from.IP.IsLoopback() {
		dialer.LocalAddr = &net.TCPAddr{IP: from.IP}
	}
	conn, err := dialer.Dial("tcp", t.target)
	if err != nil {
		return nil, err
	}
	server, _ := conn.(*net.TCPConn)
	return server, nil
}

// pass copies data until from ends, and then ends that direction of to. If from or to is reset, it resets the other.
func pass(to, from *net.TCPConn, mirror *feed) {
	defer mirror.end()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			mirror.add(buffer[:n])
			if _, writeErr := to.Write(buffer[:n]); writeErr != nil {
				reset(from)
				return
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			_ = to.CloseWrite() // to may be reset already
			return
		case err != nil:
			reset(to)
			return
		}
	}
}

// reset closes a connection so that its peer sees a reset.
func reset(conn *net.TCPConn) {
	_ = conn.SetLinger(0) // the connection may be closed already
	_ = conn.Close()      // as above
}

// feed is the copy of one direction of a connection, for its parser. A nil feed takes nothing.
type feed struct {
	mu     sync.Mutex
	more   sync.Cond
	pieces [][]byte
	size   int
	ended  bool
}

func newFeed() *feed {
	f := &feed{}
	f.more.L = &f.mu
	return f
}

// add appends a copy of a piece. If too much waits, the feed ends.
func (f *feed) add(piece []byte) {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended || f.size+len(piece) > pending {
		f.ended = true
	} else {
		f.pieces, f.size = append(f.pieces, append([]byte(nil), piece...)), f.size+len(piece)
	}
	f.more.Signal()
}

// end says that nothing follows.
func (f *feed) end() {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended = true
	f.more.Signal()
}

// Read waits for data. It implements io.Reader.
func (f *feed) Read(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.pieces) == 0 {
		if f.ended {
			return 0, io.EOF
		}
		f.more.Wait()
	}
	n := copy(p, f.pieces[0])
	f.size -= n
	if f.pieces[0] = f.pieces[0][n:]; len(f.pieces[0]) == 0 {
		f.pieces = f.pieces[1:]
	}
	return n, nil
}

// read parses the exchanges of one connection and hands them to the checker.
func (c *Checker) read(up, down *feed) {
	requests, answers := bufio.NewReader(up), bufio.NewReader(down)
	defer up.end() // later data is not kept
	defer down.end()
	for {
		request, err := http.ReadRequest(requests)
		if err != nil {
			return
		}
		x := Exchange{Method: request.Method, URL: request.URL, Header: request.Header}
		x.Body, x.Whole = body(request.Body)
		answer, err := http.ReadResponse(answers, request) //nolint:bodyclose // body closes it
		for err == nil && answer.StatusCode < 200 && answer.StatusCode != http.StatusSwitchingProtocols {
			answer, err = http.ReadResponse(answers, request) //nolint:bodyclose // informational answers have none
		}
		if err != nil {
			c.skip("requests without an answer")
			return
		}
		x.Status, x.AnswerHeader = answer.StatusCode, answer.Header
		x.Answer, x.AnswerWhole = body(answer.Body)
		c.Submit(&x)
		if answer.StatusCode == http.StatusSwitchingProtocols {
			return
		}
	}
}

// body reads a body to its end. It returns nil if the body is too large, and false if it was broken off.
func body(from io.ReadCloser) ([]byte, bool) {
	defer from.Close() //nolint:errcheck // it is read from memory
	data, err := io.ReadAll(io.LimitReader(from, bodySize+1))
	if len(data) > bodySize {
		_, err = io.Copy(io.Discard, from)
		data = nil
	}
	return data, err == nil
}
