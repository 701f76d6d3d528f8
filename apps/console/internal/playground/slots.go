package playground

import (
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/problem"
)

const (
	maxCalls     = 256 // at once, of all users
	maxUserCalls = 8   // at once, of one
	tryAgain     = time.Second
)

// slots bound the calls in flight.
type slots struct {
	mu    sync.Mutex
	taken map[uuid.UUID]int
	all   int
}

// take returns a problem where the user, or everybody, has no slot left.
func (s *slots) take(user uuid.UUID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.taken[user] >= maxUserCalls:
		return problem.New(problem.RateLimited, "The playground makes %d calls at once: wait for one to end.", maxUserCalls).After(tryAgain)
	case s.all >= maxCalls:
		return problem.Of(problem.Overloaded).After(tryAgain)
	}
	s.taken[user]++
	s.all++
	return nil
}

// free gives back what take took.
func (s *slots) free(user uuid.UUID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all--
	if s.taken[user]--; s.taken[user] == 0 {
		delete(s.taken, user)
	}
}
