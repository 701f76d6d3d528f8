package api

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/throttle"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/store/signin"
)

// slowSessions finds no session, after the time that a slow database takes.
type slowSessions struct {
	mu           sync.Mutex
	active, most int
}

func (s *slowSessions) Find(context.Context, string) (signin.Session, error) {
	s.count(1)
	defer s.count(-1)
	<-time.After(100 * time.Millisecond)
	return signin.Session{}, problem.Of(problem.Unauthenticated)
}

func (s *slowSessions) count(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active += n
	s.most = max(s.most, s.active)
}

// 100 requests with a session cookie used to take all connections of the database at once.
func TestSlots_BoundTheSessionsLookedUpAtOnce(t *testing.T) {
	t.Parallel()
	limits := throttle.New() // its goroutine does not end, so it must not be in the bubble
	synctest.Test(t, func(t *testing.T) {
		mux, sessions := http.NewServeMux(), &slowSessions{}
		a := New(mux, Options{CookieName: "session", Sessions: sessions, Throttle: limits, Now: time.Now})
		Register(a, Operation{ID: "read", Method: http.MethodGet, Path: "/read"},
			func(context.Context, *struct{}) (*struct{}, error) { return nil, nil })
		var requests sync.WaitGroup
		for range 100 {
			requests.Go(func() {
				request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/read", nil)
				request.AddCookie(&http.Cookie{Name: "session", Value: "unknown"})
				response := httptest.NewRecorder()
				mux.ServeHTTP(response, request)
				if response.Code != http.StatusUnauthorized {
					t.Errorf("got status %d, want 401", response.Code)
				}
			})
		}
		requests.Wait()
		if sessions.most != networkSlots {
			t.Errorf("%d sessions were looked up at once, want %d", sessions.most, networkSlots)
		}
	})
}
