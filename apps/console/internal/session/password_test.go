package session

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/tollgate/tollgate/libs/core/problem"
)

func TestPasswordsAreHashedFewAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &Passwords{slots: make(chan struct{}, Slots)}
		var release func()
		for range Slots {
			var err error
			if release, err = p.acquire(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := p.acquire(t.Context()); !problem.Is(err, problem.Overloaded) {
			t.Errorf("beyond the slots: %v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := p.acquire(ctx); err == nil {
			t.Error("a client that left was given a slot")
		}
		release()
		if _, err := p.acquire(t.Context()); err != nil {
			t.Errorf("a free slot was not given: %v", err)
		}
	})
}
