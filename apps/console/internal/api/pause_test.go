package api

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/throttle"
	"github.com/tollgate/tollgate/libs/core/problem"
)

func TestRefusals_OfAFloodArePaused(t *testing.T) {
	t.Parallel()
	limits := throttle.New() // its goroutine does not end, so it must not be in the bubble
	synctest.Test(t, func(t *testing.T) {
		mux := http.NewServeMux()
		a := New(mux, Options{Throttle: limits, Now: time.Now})
		Register(a, Operation{ID: "refuse", Method: http.MethodPost, Path: "/refuse", Public: true,
			Errors: []int{http.StatusTooManyRequests}},
			func(context.Context, *struct{}) (*struct{}, error) { return nil, problem.Of(problem.RateLimited) })
		elapsed := func(address string) time.Duration {
			start := time.Now()
			request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/refuse",
				strings.NewReader("{}"))
			request.RemoteAddr = address + ":1"
			request.Header.Set("Content-Type", "application/json")
			response := httptest.NewRecorder()
			mux.ServeHTTP(response, request)
			if response.Code != http.StatusTooManyRequests {
				t.Errorf("got status %d, want 429", response.Code)
			}
			return time.Since(start)
		}
		for i := range 20 {
			if got := elapsed("192.0.2.1"); got != 0 {
				t.Errorf("refusal %d took %s, want no pause", i, got)
			}
		}
		if got := elapsed("192.0.2.1"); got != refusalPause {
			t.Errorf("refusal 21 took %s, want %s", got, refusalPause)
		}
		if got := elapsed("192.0.2.2"); got != 0 {
			t.Errorf("a refusal of another address took %s, want no pause", got)
		}
		if _, err := a.pauses.TryAcquire(maxPauses); err != nil {
			t.Fatal(err)
		}
		elapsed("192.0.2.1") // the second that was waited refilled one refusal
		if got := elapsed("192.0.2.1"); got != 0 {
			t.Errorf("with too many pauses, a refusal took %s, want no pause", got)
		}
	})
}
