package limit_test

import (
	"testing"

	"github.com/tollgate/tollgate/libs/core/limit"
)

func TestOf_ReturnsTheLimitOfEachMeasure(t *testing.T) {
	l := limit.Limits{RequestsPerMinute: 1, TokensPerMinute: 2, Concurrency: 3}
	for i, measure := range limit.Measures() {
		if got := l.Of(measure); got != int64(i+1) || measure.String() == "" {
			t.Errorf("%s: %d", measure, got)
		}
	}
}

func TestChange_AppliesAndReportsDifferences(t *testing.T) {
	to := func(n int64) *int64 { return &n }
	is := limit.Limits{RequestsPerMinute: 60, Concurrency: 5}
	change := limit.Change{RequestsPerMinute: to(60), TokensPerMinute: to(9), Concurrency: to(0)}
	if got := change.Apply(is); got != (limit.Limits{RequestsPerMinute: 60, TokensPerMinute: 9}) {
		t.Errorf("On = %+v", got)
	}
	if left := change.Diff(is); left.RequestsPerMinute != nil || *left.TokensPerMinute != 9 || *left.Concurrency != 0 {
		t.Errorf("From = %+v", left)
	}
	if left := change.Diff(change.Apply(is)); left != (limit.Change{}) {
		t.Errorf("From of the changed limits = %+v, want the zero Change", left)
	}
}

func TestShare_DividesTheLimitByTheRelays(t *testing.T) {
	for _, c := range []struct{ limit, relays, want int64 }{
		{60, 0, 60}, {60, 1, 60}, {60, 2, 30}, {5, 2, 2}, {1, 3, 1},
	} {
		if got := limit.Share(c.limit, c.relays); got != c.want {
			t.Errorf("Share(%d, %d) = %d, want %d", c.limit, c.relays, got, c.want)
		}
	}
}
