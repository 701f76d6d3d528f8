package api

import (
	"testing"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/problem"
)

func TestUsageGate_LetsNoTenantTakeAllReads(t *testing.T) {
	var g usageSlots
	a, b, c := uuid.UUID{1}, uuid.UUID{2}, uuid.UUID{3}
	enter := func(id uuid.UUID) func() {
		leave, err := g.enter(id)
		if err != nil {
			t.Fatal(err)
		}
		return leave
	}
	first, _ := enter(a), enter(a)
	if _, err := g.enter(a); !problem.Is(err, problem.RateLimited) {
		t.Errorf("a third read of one tenant: %v", err)
	}
	enter(b)
	enter(b)
	if _, err := g.enter(c); !problem.Is(err, problem.Overloaded) {
		t.Errorf("a fifth read: %v", err)
	}
	first()
	enter(c)()
	enter(a)
	if len(g.tenants) != 2 || g.all != 4 {
		t.Errorf("got %d reads of %d tenants, want 4 of 2", g.all, len(g.tenants))
	}
}
