package routing_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/routing"
)

// callerNumbered returns the caller of a token of a tenant, both by number. Tokens of two tenants differ.
func callerNumbered(tenant, token byte) routing.Caller {
	return routing.Caller{TenantID: uuid.UUID{15: tenant}, TokenID: uuid.UUID{14: tenant, 15: token}}
}

func TestTally_NeedsFailuresOfSeveralCallers(t *testing.T) {
	for _, row := range []struct {
		rule           string
		failed, served []routing.Caller // each makes six calls within two seconds
		faulty         bool
	}{
		{"two tokens of one tenant", []routing.Caller{callerNumbered(1, 1), callerNumbered(1, 2)}, nil, true},
		{"tokens of two tenants", []routing.Caller{callerNumbered(1, 1), callerNumbered(2, 1)}, nil, true},
		{"one token", []routing.Caller{callerNumbered(1, 1), callerNumbered(1, 1), callerNumbered(1, 1)}, nil, false},
		{"too few calls", []routing.Caller{callerNumbered(1, 1)}, nil, false},
		{"less than half of the calls", []routing.Caller{callerNumbered(1, 1), callerNumbered(1, 2)},
			[]routing.Caller{callerNumbered(1, 1), callerNumbered(1, 2), callerNumbered(1, 3)}, false},
		{"one tenant, and another one is served", []routing.Caller{callerNumbered(1, 1), callerNumbered(1, 2)},
			[]routing.Caller{callerNumbered(2, 1)}, false},
		{"two tenants, and a third one is served", []routing.Caller{callerNumbered(1, 1), callerNumbered(2, 1)},
			[]routing.Caller{callerNumbered(3, 1)}, true},
	} {
		var tally routing.Tally
		for n := range 6 {
			now := noon.Add(time.Duration(n) * 400 * time.Millisecond)
			for _, caller := range row.failed {
				tally.RecordFailure(now, caller)
			}
			for _, caller := range row.served {
				tally.RecordSuccess(now, caller)
			}
		}
		if got := tally.Faulty(noon.Add(2 * time.Second)); got != row.faulty {
			t.Errorf("%s: got %v, want %v", row.rule, got, row.faulty)
		}
	}
}

func TestTally_CountsTheLastTenSeconds(t *testing.T) {
	var tally routing.Tally
	for n := range 10 {
		tally.RecordFailure(noon.Add(time.Duration(n)*time.Second), callerNumbered(1, byte(n+1)))
	}
	if now := noon.Add(9 * time.Second); !tally.Faulty(now) {
		t.Error("ten failures in ten seconds: not faulty")
	}
	if now := noon.Add(10 * time.Second); tally.Faulty(now) {
		t.Error("nine failures in the last ten seconds: faulty")
	}
	if now := noon.Add(18 * time.Second); tally.Empty(now) {
		t.Error("empty while a failure is less than ten seconds old")
	}
	if now := noon.Add(19 * time.Second); !tally.Empty(now) {
		t.Error("not empty after ten seconds")
	}
}

// A tenant cannot make a target faulty while another tenant's calls are served, whatever the order and the number of
// the calls.
func TestTally_OneTenantCannotConvictATargetThatServesAnother(t *testing.T) {
	for seed := range uint64(200) {
		dice := rand.New(rand.NewPCG(seed, 5))
		var tally routing.Tally
		now := noon
		for range 500 {
			tally.RecordSuccess(now, callerNumbered(2, 1))
			for range dice.IntN(40) {
				if caller := callerNumbered(1, byte(dice.IntN(50)+1)); dice.IntN(10) > 0 {
					tally.RecordFailure(now, caller)
				} else {
					tally.RecordSuccess(now, caller)
				}
			}
			now = now.Add(time.Duration(dice.Int64N(int64(2 * time.Second))))
			tally.RecordSuccess(now, callerNumbered(2, 1))
			if tally.Faulty(now) {
				t.Fatalf("seed %d: faulty at %v", seed, now)
			}
		}
	}
}

func TestTally_IgnoresTenantsBeyondItsBound(t *testing.T) {
	var tally routing.Tally
	for n := range 200 {
		if caller := callerNumbered(byte(n), 1); n < 64 {
			tally.RecordSuccess(noon, caller)
		} else {
			tally.RecordFailure(noon, caller)
		}
	}
	if tally.Faulty(noon) || !tally.Empty(noon) {
		t.Error("calls of more than 64 tenants are counted")
	}
	tally.RecordFailure(noon.Add(10*time.Second), callerNumbered(200, 1))
	if tally.Empty(noon.Add(10 * time.Second)) {
		t.Error("there is no room although all earlier calls are too old")
	}
}

func BenchmarkTally(b *testing.B) {
	var tally routing.Tally
	callers := make([]routing.Caller, 64)
	for i := range callers {
		callers[i] = callerNumbered(byte(i), 1)
	}
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		tally.RecordFailure(noon, callers[n%len(callers)])
		tally.Faulty(noon)
	}
}
