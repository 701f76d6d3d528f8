// Package embedded runs a Redis server in this process, for standalone and for tests. The other programs use a
// Redis of their own and do not contain this package.
package embedded

import (
	"crypto/rand"
	"fmt"
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2"
)

// Server is a running Redis server. Its data is lost at Close.
type Server struct {
	Addr     string // on the loopback interface
	Password string // random, keeps other processes of the machine out

	redis   *miniredis.Miniredis
	stop    chan struct{} // ends tick
	ticking sync.WaitGroup
}

// Start starts a server on a free port.
func Start() (*Server, error) {
	s := &Server{Password: rand.Text(), redis: miniredis.NewMiniRedis(), stop: make(chan struct{})}
	s.redis.RequireAuth(s.Password)
	if err := s.redis.Start(); err != nil {
		return nil, fmt.Errorf("start the embedded Redis: %w", err)
	}
	s.Addr = s.redis.Addr()
	s.ticking.Go(s.tick)
	return s, nil
}

// tick advances the clock of the server, which does not run by itself. Without it no key would expire, and the
// locks of unique tasks would never be freed.
func (s *Server) tick() {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	before := time.Now()
	for {
		select {
		case <-s.stop:
			return
		case now := <-ticker.C:
			s.redis.FastForward(now.Sub(before))
			before = now
		}
	}
}

// Close stops the server. Close all clients before, and call it once.
func (s *Server) Close() {
	close(s.stop)
	s.ticking.Wait()
	s.redis.Close()
}
