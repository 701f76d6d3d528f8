package playground

import (
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/problem"
)

const (
	maxCalls     = 256         // calls in flight of all users
	maxUserCalls = 8           // calls in flight of one user
	retryAfter   = time.Second // in the response to a refused client
)

// slots limits the calls in flight. It is safe for concurrent use.
type slots struct {
	mu    sync.Mutex
	taken map[uuid.UUID]int // calls in flight by user; users without calls are removed
	all   int
}

// take reserves a slot for a call of the user; free releases it. It returns a RateLimited problem if the
// user has no slot left, and an Overloaded problem if there are too many calls of all users together.
func (s *slots) take(user uuid.UUID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.taken[user] >= maxUserCalls:
		return problem.New(problem.RateLimited, "The playground allows %d calls at a time. Wait until one of them ends.", maxUserCalls).After(retryAfter)
	case s.all >= maxCalls:
		return problem.Of(problem.Overloaded).After(retryAfter)
	}
	s.taken[user]++
	s.all++
	return nil
}

// free releases a slot that take has reserved.
func (s *slots) free(user uuid.UUID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all--
	if s.taken[user]--; s.taken[user] == 0 {
		delete(s.taken, user)
	}
}
