package api

import (
	"context"
	"errors"
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

func TestGate_LetsOtherNetworksThrough(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate(gatePatience)
		var inside []func()
		for range gateSlots {
			leave, err := g.enter(t.Context(), "a")
			if err != nil {
				t.Fatal(err)
			}
			inside = append(inside, leave)
		}
		entered := make(chan func(), 1)
		go func() {
			leave, err := g.enter(t.Context(), "a")
			if err != nil {
				t.Error(err)
			}
			entered <- leave
		}()
		synctest.Wait()
		if len(entered) > 0 {
			t.Fatal("a request more than there are slots got in")
		}
		if leave, err := g.enter(t.Context(), "b"); err != nil {
			t.Errorf("another network: %v", err)
		} else {
			leave()
		}
		inside[0]()
		inside[0]() // has no effect
		last := <-entered
		ended, end := context.WithCancel(t.Context())
		end()
		if _, err := g.enter(ended, "a"); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v of a request that has ended, want context.Canceled", err)
		}
		start := time.Now()
		var p *problem.Problem
		if _, err := g.enter(t.Context(), "a"); !errors.As(err, &p) || p.Kind != problem.Overloaded {
			t.Errorf("got %v, want Overloaded", err)
		}
		if took := time.Since(start); took != gatePatience {
			t.Errorf("the request waited %s, want %s", took, gatePatience)
		}
		for _, leave := range append(inside, last) {
			leave()
		}
		if len(g.networks) > 0 {
			t.Errorf("%d networks are kept without a request", len(g.networks))
		}
	})
}

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
func TestGate_BoundsTheSessionsLookedUpAtOnce(t *testing.T) {
	t.Parallel()
	limits := throttle.New() // its goroutine does not end, so it must not be in the bubble
	synctest.Test(t, func(t *testing.T) {
		mux, sessions := http.NewServeMux(), &slowSessions{}
		a := New(mux, Options{CookieName: "session", Sessions: sessions, Throttle: limits, Now: time.Now})
		Register(a, Operation{ID: "read", Method: http.MethodGet, Path: "/read"}, func(context.Context, *struct{}) (*struct{}, error) { return nil, nil })
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
		if sessions.most != gateSlots {
			t.Errorf("%d sessions were looked up at once, want %d", sessions.most, gateSlots)
		}
	})
}
