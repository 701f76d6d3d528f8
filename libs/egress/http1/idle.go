package http1

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// idle keeps the idle connections. Of each place the one that became idle last is taken first, so that connections that
// are not needed time out. A timer closes those that timed out, or that the upstream has closed; it runs only while
// there are idle connections.
type idle struct {
	limit   int // of connections for each place
	timeout time.Duration

	places atomic.Pointer[map[place]*shelf] // replaced when it changes, so that calls take no common lock

	mu    sync.Mutex // for changes of places and timer
	timer *time.Timer
}

// shelf has the idle connections of a place, ordered by the time at which they became idle.
type shelf struct {
	mu    sync.Mutex
	conns []*conn
	gone  bool // it is no longer among the places
}

// sweepsPerTimeout is how often the idle connections are swept within their timeout.
const sweepsPerTimeout = 4

// take removes the connection of the place that became idle last; nil for none.
func (i *idle) take(at place) *conn {
	s := i.find(at)
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	top := len(s.conns) - 1
	if top < 0 {
		return nil
	}
	c := s.conns[top]
	s.conns[top] = nil
	s.conns = s.conns[:top]
	return c
}

// put adds a connection that became idle. It is closed if its place has too many.
func (i *idle) put(c *conn) {
	c.since = time.Now()
	s := i.find(c.place)
	for s == nil || !s.put(c, i.limit) {
		s = i.add(c.place)
	}
}

// put adds a connection, or closes it if there are too many. ok is false if the shelf is gone.
func (s *shelf) put(c *conn, limit int) (ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.gone:
		return false
	case len(s.conns) >= limit:
		c.retire()
	default:
		s.conns = append(s.conns, c)
	}
	return true
}

// isGone reports whether the shelf takes no more connections.
func (s *shelf) isGone() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gone
}

func (i *idle) find(at place) *shelf {
	if shelves := i.places.Load(); shelves != nil {
		return (*shelves)[at]
	}
	return nil
}

// add adds a shelf for a place, and starts the timer.
func (i *idle) add(at place) *shelf {
	i.mu.Lock()
	defer i.mu.Unlock()
	shelves := map[place]*shelf{}
	if before := i.places.Load(); before != nil {
		maps.Copy(shelves, *before)
	}
	if shelves[at] == nil || shelves[at].isGone() {
		shelves[at] = &shelf{}
		i.places.Store(&shelves)
	}
	if i.timer == nil {
		i.timer = time.AfterFunc(i.timeout/sweepsPerTimeout, i.tick)
	}
	return shelves[at]
}

// tick sweeps, and starts the timer again if a place is left.
func (i *idle) tick() {
	i.sweep(time.Now())
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(*i.places.Load()) == 0 {
		i.timer = nil
		return
	}
	i.timer.Reset(i.timeout / sweepsPerTimeout)
}

// sweep closes the connections that timed out or that the upstream has closed, and removes places without connections.
func (i *idle) sweep(now time.Time) {
	for at, s := range *i.places.Load() {
		conns := s.takeUnused(now.Add(-i.timeout / sweepsPerTimeout))
		conns = slices.DeleteFunc(conns, func(c *conn) bool {
			dead := now.Sub(c.since) >= i.timeout || !c.alive()
			if dead {
				c.retire()
			}
			return dead
		})
		if s.putBack(conns) {
			i.remove(at, s)
		}
	}
}

// takeUnused removes the connections that became idle before the time.
func (s *shelf) takeUnused(before time.Time) []*conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for n < len(s.conns) && s.conns[n].since.Before(before) {
		n++
	}
	conns := slices.Clone(s.conns[:n])
	s.conns = slices.Delete(s.conns, 0, n)
	return conns
}

// putBack adds connections that became idle before all others. isGone is true if the shelf is empty: it takes no more.
func (s *shelf) putBack(conns []*conn) (isGone bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conns = append(conns, s.conns...)
	s.gone = len(s.conns) == 0
	return s.gone
}

// remove removes a place whose shelf is gone.
func (i *idle) remove(at place, s *shelf) {
	i.mu.Lock()
	defer i.mu.Unlock()
	shelves := maps.Clone(*i.places.Load())
	if shelves[at] == s {
		delete(shelves, at)
		i.places.Store(&shelves)
	}
}

// closeAll closes the idle connections.
func (i *idle) closeAll() {
	shelves := i.places.Load()
	if shelves == nil {
		return
	}
	for _, s := range *shelves {
		s.mu.Lock()
		conns := s.conns
		s.conns = nil
		s.mu.Unlock()
		for _, c := range conns {
			c.retire()
		}
	}
}
