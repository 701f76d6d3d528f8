package chaos

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestBill_RoundsHalfUpToNanoDollars(t *testing.T) {
	for _, row := range []struct {
		model    string
		counts   counts
		permille int64
		want     int64
	}{
		{"plain", counts{prompt: 7}, 850, 893}, // 892.5
		{"plain", counts{prompt: 100, completion: 40, cached: 30}, 1000, 70*150 + 30*75 + 40*600},
		{"mixed", counts{completion: 1}, 1000, 1_015_000},
		{"flat", counts{prompt: 400, completion: 400}, 1000, 10_000_000},
	} {
		if got := tariffOf(row.model).bill(row.counts, row.permille); got != row.want {
			t.Errorf("bill of %s %+v times %d: got %d, want %d", row.model, row.counts, row.permille, got, row.want)
		}
	}
}

func TestCountsOf_ReturnsUniqueCounts(t *testing.T) {
	seen := make([]bool, space)
	different := 0
	for n := range int64(space) {
		c := countsOf(n)
		if c.cached > c.prompt || c.completion < 1 || c.prompt >= leastPrompt+prompts {
			t.Fatalf("order %d: got counts out of range: %+v", n, c)
		}
		if at := c.prompt - leastPrompt + prompts*(c.completion-1+completions*c.cached); !seen[at] {
			seen[at] = true
			different++
		}
	}
	if different != space {
		t.Errorf("got %d different counts, want %d", different, space)
	}
}

func TestRefused_ChecksTheFieldsOfErrorAnswers(t *testing.T) {
	for _, row := range []struct {
		status                        int
		kind, code, retry, retryAfter string
		want                          reply
	}{
		{429, "insufficient_quota", "insufficient_quota", "false", "", reply{kind: refusal, class: usedUp}},
		{429, "insufficient_quota", "quota_in_flight", "true", "1", reply{kind: refusal, class: inFlight}},
		{429, "insufficient_quota", "insufficient_quota", "true", "", reply{kind: failure, class: usedUp + malformed}},
		{429, "rate_limit_error", "insufficient_quota", "false", "", reply{kind: failure, class: usedUp + malformed}},
		{503, "server_error", "overloaded", "true", "1", reply{kind: failure, class: overloaded}},
		{503, "server_error", "overloaded", "true", "", reply{kind: failure, class: overloaded + malformed}},
		{500, "server_error", "internal_error", "true", "", reply{kind: failure, class: notStored}},
	} {
		header := http.Header{"X-Should-Retry": {row.retry}}
		if row.retryAfter != "" {
			header.Set("Retry-After", row.retryAfter)
		}
		body := `{"error":{"message":"no","type":"` + row.kind + `","param":null,"code":"` + row.code + `"}}`
		if got := refused(&http.Response{StatusCode: row.status, Header: header}, []byte(body)); got != row.want {
			t.Errorf("%d %s, X-Should-Retry %s, Retry-After %q: got %+v, want %+v", row.status, row.code, row.retry, row.retryAfter, got, row.want)
		}
	}
}

func TestExplains_OnlyFailuresThatTheFaultCauses(t *testing.T) {
	unlimited, limited := &order{customer: &customer{}}, &order{customer: &customer{limit: "user"}}
	f := &fault{excuses: []string{connRefused}, limited: []string{dbUnavailable}}
	for _, row := range []struct {
		name   string
		order  *order
		class  string
		struck bool
		want   bool
	}{
		{"killed relay refuses connections", unlimited, connRefused, true, true},
		{"other relay refuses connections", unlimited, connRefused, false, false},
		{"killed relay times out", unlimited, timedOut, true, false},
		{"customer with enough quota gets overloaded", unlimited, dbUnavailable, true, false},
		{"limited customer gets overloaded", limited, dbUnavailable, false, true},
	} {
		if got := f.explains(row.order, row.class, row.struck); got != row.want {
			t.Errorf("%s: explains returned %t", row.name, got)
		}
	}
}

func TestPhase_CountsFailuresRefusalsAndExcessApart(t *testing.T) {
	l := newLedger()
	p := l.begin(&fault{name: "relay-kill", excuses: []string{connRefused}})
	l.hit(p, 1)
	unlimited, limited := &customer{}, &customer{limit: "tenant"}
	for _, step := range []struct {
		customer *customer
		relay    int
		reply    reply
	}{
		{unlimited, 0, reply{kind: success, id: "a"}},
		{unlimited, 1, reply{kind: failure, class: connRefused}},
		{unlimited, 0, reply{kind: failure, class: connRefused}},
		{limited, 0, reply{kind: refusal, class: usedUp}},
		{unlimited, 0, reply{kind: refusal, class: usedUp}},
		{unlimited, 0, reply{kind: disconnected}},
	} {
		o := &order{customer: step.customer, relay: step.relay}
		l.close(o, step.reply, l.send(o))
	}
	if p.Requests != 6 || p.Successes != 1 || p.Left != 1 || classes(p.Failures) != "2 refused" || classes(p.Refusals) != "2 insufficient_quota" {
		t.Errorf("the phase has %+v", p)
	}
	if got := classes(p.Excess); got != "1 insufficient_quota, 1 refused" {
		t.Errorf("excess: got %s", got)
	}
	if l.at(p, 0, served) != 1 || l.at(p, 1, connRefused) != 1 {
		t.Errorf("by relay: got %v", p.ofRelay)
	}
}

func TestBarrier_CountsOnlyEarlierRequestsInFlight(t *testing.T) {
	l := newLedger()
	l.begin(&fault{})
	early := &order{customer: &customer{}}
	first := l.send(early)
	older := l.barrier()
	l.send(&order{customer: &customer{}})
	if older() != 1 {
		t.Errorf("%d requests are older than the barrier, want 1", older())
	}
	l.close(early, reply{}, first)
	if older() != 0 {
		t.Errorf("%d requests are older than the barrier, want 0", older())
	}
}

func TestReport_FailsIfACheckFails(t *testing.T) {
	good := Check{Name: "good", Rule: AtMost, Expected: 3, Found: 2}
	bad := Check{Name: "bad", Rule: Equal, Expected: 3, Found: 2, Examples: []string{"the third"}}
	for _, row := range []struct {
		name   string
		checks []Check
		failed bool
	}{
		{"all checks pass", []Check{good}, false},
		{"one check fails", []Check{good, bad}, true},
		{"no check was made", nil, true},
	} {
		report := Report{Seed: 5, Checks: row.checks, Phases: []*Phase{{Name: "calm", Stall: time.Second}, {Name: "gone", Err: errSkipped}}}
		var text strings.Builder
		if err := report.Write(&text); err != nil || report.Failed() != row.failed {
			t.Errorf("%s: Write returned %v, Failed() = %t", row.name, err, report.Failed())
		}
		if strings.Contains(text.String(), "the third") != (row.name == "one check fails") {
			t.Errorf("%s:\n%s", row.name, text.String())
		}
	}
}

func TestOptionsFaults_SelectsByNameAndLength(t *testing.T) {
	some, err := (&Options{Only: []string{"relay-term", "disk-full"}, Short: true}).faults()
	if err != nil || len(some) != 2 {
		t.Errorf("by name: got %v, %v, want two faults", some, err)
	}
	if _, err := (&Options{Only: []string{"no-such"}}).faults(); err == nil {
		t.Error("an unknown name is accepted")
	}
	all, err := (&Options{}).faults()
	few, shortErr := (&Options{Short: true}).faults()
	if len(few) == 0 || len(few) >= len(all) || errors.Join(err, shortErr) != nil {
		t.Errorf("got %d faults in the short form, %d in the long one", len(few), len(all))
	}
}
