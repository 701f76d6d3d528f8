package chaos

import (
	"errors"
	"fmt"
	"net/http"
	"os"
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
		{tooled, counts{prompt: 100, completion: 40, cached: 30}, 1000, 2*(69*2_000+4_000+30*500+40*8_000) +
			2*10_000_000 + 30_000_000},
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
			t.Errorf("%d %s, X-Should-Retry %s, Retry-After %q: got %+v, want %+v", row.status, row.code, row.retry,
				row.retryAfter, got, row.want)
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
	if p.Requests != 6 || p.Successes != 1 || p.Left != 1 || classes(p.Failures) != "2 refused" ||
		classes(p.Refusals) != "2 insufficient_quota" {
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
		report := Report{Seed: 5, Checks: row.checks,
			Phases: []*Phase{{Name: "calm", Stall: time.Second}, {Name: "gone", Err: errSkipped}}}
		var text strings.Builder
		if err := report.Write(&text); err != nil || report.Failed() != row.failed {
			t.Errorf("%s: Write returned %v, Failed() = %t", row.name, err, report.Failed())
		}
		if strings.Contains(text.String(), "the third") != (row.name == "one check fails") {
			t.Errorf("%s:\n%s", row.name, text.String())
		}
	}
}

func TestLatencyOf_CountsTheRequestsThatSlowAnswersDelay(t *testing.T) {
	began := time.Unix(1000, 0)
	at := func(second int, took time.Duration) timing {
		return timing{relay: second % 2, began: began.Add(time.Duration(second) * time.Second), took: took}
	}
	all := func(int) bool { return true }
	var fast []timing
	for n := range 200 {
		fast = append(fast, at(n, 5*time.Millisecond))
	}
	for _, row := range []struct {
		name string
		more []timing
		of   func(int) bool
		n    int
		p99  time.Duration
	}{
		{"only fast answers", nil, all, 200, 5 * time.Millisecond},
		{"one answer as slow as the interval", []timing{at(3, 100*time.Millisecond)}, all, 201, 5 * time.Millisecond},
		{"one answer that delays nine requests", []timing{at(3, time.Second)}, all, 201, 800 * time.Millisecond},
		{"a slow answer at another relay", []timing{at(3, time.Second)}, func(relay int) bool { return relay == 0 },
			100, 5 * time.Millisecond},
		{"a slow answer before", []timing{at(-1, time.Second)}, all, 200, 5 * time.Millisecond},
		{"a slow answer afterwards", []timing{at(201, time.Second)}, all, 200, 5 * time.Millisecond},
	} {
		got := latencyOf(append(row.more, fast...), began, began.Add(200*time.Second), 100*time.Millisecond, row.of)
		if got.n != row.n || got.p99 != row.p99 {
			t.Errorf("%s: got %d requests with p99 %v, want %d and %v", row.name, got.n, got.p99, row.n, row.p99)
		}
	}
	if none := latencyOf(nil, began, began, time.Second, all); none.n != 0 || none.p99 != 0 {
		t.Errorf("without requests: got %+v", none)
	}
}

func TestLatencyBound_CountsAtLeastTheFloor(t *testing.T) {
	for _, row := range []struct{ calm, least, want time.Duration }{{3, 50, 100}, {80, 50, 160}} {
		if got := (latency{p99: row.calm}).bound(row.least); got != row.want {
			t.Errorf("calm %v, at least %v: got %v, want %v", row.calm, row.least, got, row.want)
		}
	}
}

// TestMemoryLimits_AreThoseOfTheChart reads the limits from the chart's values, which have one for each program.
func TestMemoryLimits_AreThoseOfTheChart(t *testing.T) {
	text, err := os.ReadFile("../../deploy/helm/tollgate/values.yaml")
	if err != nil {
		t.Fatal(err)
	}
	section := ""
	found := map[string]int64{}
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutSuffix(strings.TrimRight(line, "\n"), ":"); ok && !strings.HasPrefix(name, " ") {
			section = name
		}
		var size int64
		var unit byte
		if n, _ := fmt.Sscanf(strings.TrimSpace(line), "limits: {memory: %d%ci}", &size, &unit); n == 2 {
			found[section] = size << map[byte]int{'M': 20, 'G': 30}[unit]
		}
	}
	for name, limit := range memoryLimits() {
		if found[name] != limit {
			t.Errorf("%s: the limit is %d, the chart's is %d", name, limit, found[name])
		}
	}
}

func TestAuditAttacks_FindsWhatOthersNotice(t *testing.T) {
	began := time.Unix(1000, 0)
	answers := func(took time.Duration) (all []timing) {
		for n := range 300 {
			all = append(all, timing{began: began.Add(time.Duration(n) * time.Millisecond), took: took})
		}
		return all
	}
	for _, row := range []struct {
		name   string
		change func(*Phase, *people)
		failed string // name of the check that fails; "": none
		short  bool
	}{
		{"nothing", func(*Phase, *people) {}, "", false},
		{"a call fails", func(p *Phase, _ *people) { p.Excess = map[string]int{timedOut: 1} },
			"requests of others that failed during attacks", false},
		{"a page fails", func(_ *Phase, p *people) { p.reads.failures = map[string][]time.Time{"503": {began}} },
			"requests of others that failed during attacks", false},
		{"a page failed before", func(_ *Phase, p *people) {
			p.reads.failures = map[string][]time.Time{"503": {began.Add(-1)}}
		}, "", false},
		{"calls are slow", func(p *Phase, _ *people) { p.timings = answers(201 * time.Millisecond) },
			"times that requests of others took more than twice as long as in calm (p99)", false},
		{"calls are slow in a short run", func(p *Phase, _ *people) { p.timings = answers(201 * time.Millisecond) }, "",
			true},
		{"calls are hardly slower", func(p *Phase, _ *people) { p.timings = answers(160 * time.Millisecond) }, "",
			false},
		{"a relay ends", func(p *Phase, _ *people) { p.Attack.Ended = []string{"relay-2"} },
			"programs that an attack ended", false},
		{"a relay is too large", func(p *Phase, _ *people) { p.Attack.Peaks["relay-2"] = 1<<30 + 1 },
			"programs that an attack made larger than their memory limit", false},
		{"leases are not renewed", func(p *Phase, _ *people) { p.Attack.Missed = "relay" },
			"relays that missed to renew their leases during an attack", false},
	} {
		attack := &Phase{Name: "attack", timings: answers(10 * time.Millisecond),
			Attack: &Attack{Peaks: map[string]int64{"relay": 1 << 20}, from: began, to: began.Add(time.Second)}}
		calm := &Phase{Name: "calm", began: began, lastSuccess: began.Add(time.Second),
			timings: answers(80 * time.Millisecond)}
		r := &run{o: Options{Short: row.short}, people: &people{}, report: Report{Phases: []*Phase{calm, attack}}}
		row.change(attack, r.people)
		r.auditAttacks()
		failed := ""
		for i := range r.report.Checks {
			if c := &r.report.Checks[i]; !c.OK() {
				failed += c.Name
			}
		}
		if failed != row.failed || len(r.report.Checks) == 0 {
			t.Errorf("%s: failed checks: %q, want %q", row.name, failed, row.failed)
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
