package session

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/tollgate/tollgate/libs/core/problem"
)

func TestPasswords_LimitConcurrentHashes(t *testing.T) {
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
			t.Errorf("all slots taken: got %v, want an Overloaded problem", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := p.acquire(ctx); err == nil {
			t.Error("got a slot for a canceled context, want an error")
		}
		release()
		if _, err := p.acquire(t.Context()); err != nil {
			t.Errorf("after a release: got %v, want a slot", err)
		}
	})
}
