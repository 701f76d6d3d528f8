package stack

import (
	"bytes"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Link is a TCP proxy to one server: the network between two programs, with
// its outages as verbs. Each verb ends what the one before it did and holds
// for connections that exist as for new ones. It is safe for concurrent use.
type Link struct {
	target   string
	listener net.Listener
	wires    sync.WaitGroup
	lost     atomic.Int64

	mu sync.Mutex
	weather
	changed chan struct{} // closed when the weather changes
	open    map[net.Conn]struct{}
	closed  bool
}

// weather is how a Link treats what passes. The zero value lets all pass.
type weather struct {
	cut   bool          // no connection lives
	black bool          // nothing passes, and nobody is told
	delay time.Duration // of every piece, in each direction
	spare int           // of commits, whose answers pass before one is lost; 0: none is lost
}

// NewLink listens on a port of its own for connections to the address target.
func NewLink(target string) (*Link, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	l := &Link{target: target, listener: listener, changed: make(chan struct{}), open: map[net.Conn]struct{}{}}
	l.wires.Go(l.accept)
	return l, nil
}

// Addr is the address to dial in place of the target's.
func (l *Link) Addr() string { return l.listener.Addr().String() }

// Restore lets everything pass. What Blackhole held back arrives late.
func (l *Link) Restore() { l.set(weather{}) }

// Cut breaks all connections and every new one.
func (l *Link) Cut() { l.set(weather{cut: true}) }

// Blackhole lets nothing pass in either direction and breaks nothing: both
// ends see silence.
func (l *Link) Blackhole() { l.set(weather{black: true}) }

// Delay holds every piece back for d, in each direction.
func (l *Link) Delay(d time.Duration) { l.set(weather{delay: d}) }

// LoseCommits lets the commit of every nth transaction of Postgres through
// and breaks its connection in place of the answer: it is done, and its client
// cannot know.
func (l *Link) LoseCommits(nth int) { l.set(weather{spare: max(1, nth)}) }

// Lost counts the commits whose answers were lost.
func (l *Link) Lost() int64 { return l.lost.Load() }

// Close breaks all connections and ends the link. It may be called twice.
func (l *Link) Close() {
	l.set(weather{cut: true})
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	_ = l.listener.Close() // the second time it is closed already
	l.wires.Wait()
}

func (l *Link) set(w weather) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.weather = w
	close(l.changed)
	l.changed = make(chan struct{})
	if w.cut {
		for conn := range l.open {
			_ = conn.Close() // that is the purpose
		}
	}
}

// now returns the weather and what tells that it changed.
func (l *Link) now() (weather, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.weather, l.changed
}

func (l *Link) accept() {
	for {
		client, err := l.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err == nil {
			l.wires.Go(func() { l.serve(client) })
		}
	}
}

// enter lists a connection, so that a cut finds it; it closes one that comes
// during a cut.
func (l *Link) enter(conn net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cut || l.closed {
		_ = conn.Close() // that is the purpose
		return false
	}
	l.open[conn] = struct{}{}
	return true
}

func (l *Link) leave(conn net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, conn)
	_ = conn.Close() // a cut may have closed it
}

func (l *Link) serve(client net.Conn) {
	if !l.enter(client) {
		return
	}
	defer l.leave(client)
	server, err := net.Dial("tcp", l.target)
	if err != nil || !l.enter(server) {
		return
	}
	defer l.leave(server)
	w := &wire{link: l, client: client, server: server}
	l.wires.Go(w.down)
	w.up()
}

// wire is one connection through a Link.
type wire struct {
	link           *Link
	client, server net.Conn
	commits        atomic.Int64
	doomed         atomic.Bool // the next answer is lost
}

// commit is how a transaction ends in Postgres' simple protocol.
var commit = []byte("commit\x00")

// up carries what the client says.
func (w *wire) up() {
	w.carry(w.server, w.client, func(piece []byte, spare int) bool {
		if spare > 0 && bytes.HasSuffix(piece, commit) && w.commits.Add(1)%int64(spare) == 0 {
			w.doomed.Store(true)
		}
		return true
	})
}

// down carries what the server answers, up to the answer that is lost.
func (w *wire) down() {
	w.carry(w.client, w.server, func([]byte, int) bool {
		if w.doomed.Load() {
			w.link.lost.Add(1)
			return false
		}
		return true
	})
}

// carry copies pieces as the weather allows until either end is gone or passes
// says no; then it closes both ends.
func (w *wire) carry(to, from net.Conn, passes func(piece []byte, spare int) bool) {
	defer to.Close()   //nolint:errcheck // one end is gone: the other follows
	defer from.Close() //nolint:errcheck // the same
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		now := w.link.await()
		if !passes(buffer[:n], now.spare) {
			return
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// await waits for weather in which a piece may pass, and for its delay.
func (l *Link) await() weather {
	for {
		now, changed := l.now()
		switch {
		case now.black:
			<-changed
		case now.delay > 0:
			select {
			case <-time.After(now.delay):
				return now
			case <-changed:
			}
		default:
			return now
		}
	}
}
