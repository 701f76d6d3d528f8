package story

import (
	"bufio"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// Metrics returns the values of all series, such as name{label="value"}, at the operations endpoints with that base
// URL.
func Metrics(t *testing.T, ops string) map[string]float64 {
	t.Helper()
	r, err := http.NewRequestWithContext(Context(t), http.MethodGet, ops+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // read to its end below
	values := map[string]float64{}
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		line := lines.Text()
		if strings.HasPrefix(line, "#") {
			continue
		}
		end := strings.LastIndexByte(line, ' ')
		value, err := strconv.ParseFloat(line[end+1:], 64)
		if err != nil {
			t.Fatalf("%s/metrics: %v", ops, err)
		}
		values[line[:max(end, 0)]] = value
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return values
}

// Applied makes one change of a topic of the change feed. It returns when the relays, whose operations endpoints have
// these base URLs, have applied the change. It fails the test if one of them recorded that this took longer than a
// second after the commit. How fast the test itself is does not matter.
func Applied(t *testing.T, relays []string, topic string, change func()) {
	t.Helper()
	count := func(ops string) (applied, late float64) {
		t.Helper()
		now := Metrics(t, ops)
		applied = now[fmt.Sprintf("tollgate_change_apply_seconds_count{topic=%q}", topic)]
		return applied, applied - now[fmt.Sprintf(`tollgate_change_apply_seconds_bucket{topic=%q,le="1"}`, topic)]
	}
	type counts struct{ applied, late float64 }
	before := map[string]counts{}
	for _, ops := range relays {
		applied, late := count(ops)
		before[ops] = counts{applied, late}
	}
	change()
	for _, ops := range relays {
		var late float64
		Eventually(t, Patience, "the change is applied", func() bool {
			var applied float64
			applied, late = count(ops)
			return applied > before[ops].applied
		})
		if n := late - before[ops].late; n > 0 {
			t.Errorf("the relay at %s applied %v changes of the topic %s more than a second after their commit", ops, n,
				topic)
		}
	}
}
