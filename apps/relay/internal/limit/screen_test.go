package limit

import (
	"net/http"
	"testing"

	core "github.com/tollgate/tollgate/libs/core/limit"
	"github.com/tollgate/tollgate/libs/core/problem"
)

// screen calls Screen for the demand, and sets Screened of the demand to the permit.
func screen(t *testing.T, l *Limiter, demand *Demand) (*Permit, http.Header, error) {
	t.Helper()
	header := http.Header{}
	permit, err := l.Screen(t.Context(), header, *demand)
	if err != nil && !problem.Is(err, problem.RateLimited) {
		t.Fatal(err)
	}
	demand.Screened = permit
	return permit, header, err
}

func TestScreen_CountsARequestOnceTogetherWithTake(t *testing.T) {
	onBoth(t, func(t *testing.T, l *Limiter) {
		p := limited(core.Limits{RequestsPerMinute: 2, TokensPerMinute: 1000, Concurrency: 2})
		demand := p.call(300)
		if _, _, err := screen(t, l, &demand); err != nil {
			t.Fatal(err)
		}
		header := http.Header{}
		permit, err := l.Take(t.Context(), header, demand)
		if err != nil {
			t.Fatal(err)
		}
		requests, tokens := header.Get("X-Ratelimit-Remaining-Requests"), header.Get("X-Ratelimit-Remaining-Tokens")
		if requests != "1" || tokens != "700" {
			t.Errorf("got %q requests and %q tokens left, want 1 and 700", requests, tokens)
		}
		permit.Settle(300)
		demand.Screened.Release() // the same permit: does nothing
		if n := admits(t, l, p, 3); n != 1 {
			t.Errorf("got %d further requests admitted, want 1", n)
		}
	})
}

func TestScreen_DoesNotCountARequestThatIsNotTaken(t *testing.T) {
	onBoth(t, func(t *testing.T, l *Limiter) {
		p := limited(core.Limits{RequestsPerMinute: 1, Concurrency: 1})
		for range 3 {
			demand := p.call(1)
			permit, _, err := screen(t, l, &demand)
			if err != nil {
				t.Fatal("refused although earlier requests were released")
			}
			permit.Release()
		}
		if n := admits(t, l, p, 2); n != 1 {
			t.Errorf("got %d requests admitted, want 1", n)
		}
	})
}

func TestScreen_RefusesWithoutTheBody(t *testing.T) {
	onBoth(t, func(t *testing.T, l *Limiter) {
		p := limited(core.Limits{RequestsPerMinute: 1})
		if n := admits(t, l, p, 1); n != 1 {
			t.Fatal("refused within the limit")
		}
		demand := p.call(1)
		_, header, err := screen(t, l, &demand)
		if err == nil || problem.From(err).RetryAfter <= 0 || header.Get("X-Ratelimit-Remaining-Requests") != "0" {
			t.Errorf("got %v, header %v", err, header)
		}
	})
}

// A request that a limit refuses after its body is read uses none of the limits that it took before.
func TestTake_UndoesScreenWhenItRefuses(t *testing.T) {
	onBoth(t, func(t *testing.T, l *Limiter) {
		for name, tight := range map[string]func(*party){
			"tokens of the token":   func(p *party) { p.caller.Token.Limits.TokensPerMinute = 10 },
			"requests of the model": func(p *party) { p.model.Limits.RequestsPerMinute = 1 },
			"slots of the model":    func(p *party) { p.model.Limits.Concurrency = 1 },
		} {
			t.Run(name, func(t *testing.T) {
				p := limited(core.Limits{RequestsPerMinute: 3, Concurrency: 3})
				tight(p)
				first := p.call(10)
				if _, _, err := screen(t, l, &first); err != nil {
					t.Fatal(err)
				}
				permit, err := l.Take(t.Context(), http.Header{}, first)
				if err != nil {
					t.Fatal(err)
				}
				for range 5 {
					second := p.call(10)
					if _, _, err := screen(t, l, &second); err != nil {
						t.Fatalf("refused by a limit that has room: %v", err)
					}
					if _, err := l.Take(t.Context(), http.Header{}, second); !problem.Is(err, problem.RateLimited) {
						t.Fatalf("got %v, want rate_limited", err)
					}
				}
				permit.Settle(0)
			})
		}
	})
}
