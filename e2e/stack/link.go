package stack

import (
	"bytes"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Link is a TCP proxy to one server. It stands for the network between two programs and simulates its outages.
// Each of Restore, Cut, Blackhole, Delay and LoseCommits replaces the condition that was set before, and
// applies to open and to new connections. A Link is safe for concurrent use.
type Link struct {
	target      string
	listener    net.Listener
	connections sync.WaitGroup
	lost        atomic.Int64

	mu sync.Mutex
	condition
	changed chan struct{} // closed when the condition changes
	open    map[net.Conn]struct{}
	closed  bool
}

// condition is the state of the simulated network. The zero value passes everything unchanged.
type condition struct {
	cut     bool          // every connection is closed, and new ones are refused
	black   bool          // nothing passes, and connections stay open
	delay   time.Duration // delay of every piece of data, in each direction
	loseNth int           // lose the answer to every nth commit of a connection; 0: none
}

// NewLink listens on a free port of 127.0.0.1 and forwards connections to the address target.
func NewLink(target string) (*Link, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	l := &Link{target: target, listener: listener, changed: make(chan struct{}), open: map[net.Conn]struct{}{}}
	l.connections.Go(l.accept)
	return l, nil
}

// Addr returns the address to dial instead of the target's.
func (l *Link) Addr() string { return l.listener.Addr().String() }

// Restore passes everything again. Data that Blackhole held back arrives late.
func (l *Link) Restore() { l.set(condition{}) }

// Cut closes all connections, and each new connection at once.
func (l *Link) Cut() { l.set(condition{cut: true}) }

// Blackhole stops the data in both directions and keeps connections open: both ends see silence.
func (l *Link) Blackhole() { l.set(condition{black: true}) }

// Delay delays every piece of data by d, in each direction.
func (l *Link) Delay(d time.Duration) { l.set(condition{delay: d}) }

// LoseCommits forwards the commit of every nth transaction of a connection to Postgres, and closes the
// connection instead of forwarding the answer. The transaction is committed, but its client cannot know that.
func (l *Link) LoseCommits(nth int) { l.set(condition{loseNth: max(1, nth)}) }

// Lost returns the number of commits whose answers were lost.
func (l *Link) Lost() int64 { return l.lost.Load() }

// Close closes all connections and stops the link. It may be called twice.
func (l *Link) Close() {
	l.set(condition{cut: true})
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	_ = l.listener.Close() // already closed on the second call
	l.connections.Wait()
}

// set replaces the condition and wakes all connections that wait for a change.
func (l *Link) set(w condition) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.condition = w
	close(l.changed)
	l.changed = make(chan struct{})
	if w.cut {
		for conn := range l.open {
			_ = conn.Close() // the purpose of Cut
		}
	}
}

// now returns the condition, and a channel that is closed when the condition changes.
func (l *Link) now() (condition, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.condition, l.changed
}

// accept serves clients until the listener is closed.
func (l *Link) accept() {
	for {
		client, err := l.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err == nil {
			l.connections.Go(func() { l.serve(client) })
		}
	}
}

// track adds a connection to those that Cut closes. If the link is cut or closed, it closes the connection and
// returns false.
func (l *Link) track(conn net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cut || l.closed {
		_ = conn.Close() // the purpose of Cut
		return false
	}
	l.open[conn] = struct{}{}
	return true
}

// untrack closes a connection and removes it from those that Cut closes.
func (l *Link) untrack(conn net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, conn)
	_ = conn.Close() // a cut may have closed it
}

// serve connects one client to the target and copies data until one of them closes its connection.
func (l *Link) serve(client net.Conn) {
	if !l.track(client) {
		return
	}
	defer l.untrack(client)
	server, err := net.Dial("tcp", l.target)
	if err != nil || !l.track(server) {
		return
	}
	defer l.untrack(server)
	w := &connection{link: l, client: client, server: server}
	l.connections.Go(w.down)
	w.up()
}

// connection is one client's connection through a Link.
type connection struct {
	link           *Link
	client, server net.Conn
	commits        atomic.Int64
	loseNext       atomic.Bool // the next answer is lost: the commit before it was the nth
}

// commit is the end of the message with which Postgres' simple query protocol ends a transaction.
var commit = []byte("commit\x00")

// up copies data from the client to the server. It marks the connection when a commit passes whose answer must
// be lost.
func (w *connection) up() {
	w.copyPieces(w.server, w.client, func(piece []byte, loseNth int) bool {
		if loseNth > 0 && bytes.HasSuffix(piece, commit) && w.commits.Add(1)%int64(loseNth) == 0 {
			w.loseNext.Store(true)
		}
		return true
	})
}

// down copies data from the server to the client, up to the answer that must be lost.
func (w *connection) down() {
	w.copyPieces(w.client, w.server, func([]byte, int) bool {
		if w.loseNext.Load() {
			w.link.lost.Add(1)
			return false
		}
		return true
	})
}

// copyPieces copies data, as the condition allows, until one end closes or passes returns false; then it closes
// both ends.
func (w *connection) copyPieces(to, from net.Conn, passes func(piece []byte, loseNth int) bool) {
	defer to.Close()   //nolint:errcheck // one end is closed already
	defer from.Close() //nolint:errcheck // as above
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		now := w.link.await()
		if !passes(buffer[:n], now.loseNth) {
			return
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// await blocks until the condition lets a piece of data pass, including its delay, and returns that condition.
func (l *Link) await() condition {
	for {
		now, change := l.now()
		switch {
		case now.black:
			<-change
		case now.delay > 0:
			select {
			case <-time.After(now.delay):
				return now
			case <-change:
			}
		default:
			return now
		}
	}
}
