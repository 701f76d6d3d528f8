package alert_test

import (
	"encoding/json"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/alert"
	"github.com/tollgate/tollgate/libs/core/language"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

var noon = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)

// owner returns an owner that was created long ago and has used a part of what it was granted; granted < 0: unlimited.
func owner(used, granted money.Amount) *alert.Owner {
	o := &alert.Owner{ID: uuid.UUID{1}, Name: "ACME", CreatedAt: noon.AddDate(-1, 0, 0),
		Account: quota.Account{Used: used}}
	if granted >= 0 {
		o.Account.Granted = &granted
	}
	return o
}

// rule returns a rule about a tenant.
func rule(kind alert.Kind, thresholds ...int) *alert.Rule {
	return &alert.Rule{ID: uuid.UUID{9}, Name: "rule", Kind: kind, Subject: alert.OfTenant, Thresholds: thresholds,
		Status: tenant.Enabled}
}

// threshold returns the threshold of a fact, 0 for none.
func threshold(f *alert.Fact) int {
	if f == nil {
		return 0
	}
	return f.Threshold
}

func TestUsed_ReportsTheHighestThresholdThatWasReached(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		used, granted money.Amount
		want          int
	}{
		"below all":              {49, 100, 0},
		"exactly the first":      {50, 100, 50},
		"between":                {94, 100, 80},
		"several at once":        {97, 100, 95},
		"all":                    {100, 100, 100},
		"overspent":              {120, 100, 100},
		"unlimited":              {120, -1, 0},
		"nothing granted":        {0, 0, 0},
		"a nano-dollar short":    {money.Max/100*80 - 1, money.Max / 100 * 100, 50},
		"amounts near the limit": {money.Max / 100 * 80, money.Max / 100 * 100, 80},
	} {
		fact := rule(alert.QuotaUsed, 80, 50, 100, 95).QuotaUsedFact(owner(row.used, row.granted), noon)
		if got := threshold(fact); got != row.want {
			t.Errorf("%s: got threshold %d, want %d", name, got, row.want)
		}
	}
}

func TestMark_IsTheSameWithinAWindowOnly(t *testing.T) {
	t.Parallel()
	lifetime, daily := rule(alert.QuotaUsed, 50, 80), rule(alert.QuotaUsed, 50, 80)
	daily.Period = quota.Day
	mark := func(r *alert.Rule, o *alert.Owner, now time.Time) string { return r.QuotaUsedFact(o, now).Mark(r.ID) }
	first := mark(lifetime, owner(60, 100), noon)
	if again := mark(lifetime, owner(61, 100), noon.AddDate(0, 1, 0)); again != first {
		t.Errorf("the same threshold of the same quota: got mark %q, want %q", again, first)
	}
	for name, other := range map[string]string{
		"another threshold": mark(lifetime, owner(80, 100), noon),
		"after a grant":     mark(lifetime, owner(100, 200), noon),
		"another rule":      rule(alert.QuotaUsed, 50).QuotaUsedFact(owner(60, 100), noon).Mark(uuid.UUID{8}),
	} {
		if other == first {
			t.Errorf("%s: got the same mark", name)
		}
	}
	if mark(daily, owner(60, 100), noon) != mark(daily, owner(60, 120), noon.Add(time.Hour)) ||
		mark(daily, owner(60, 100), noon) == mark(daily, owner(60, 100), noon.AddDate(0, 0, 1)) {
		t.Error("a budget must have one window for each day")
	}
}

func TestRunsOut_ReportsTheLowestNumberOfDays(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		period               quota.Period
		used, granted, spent money.Amount // spent since six midnights ago, which is 6.5 days
		want                 int
	}{
		"far away":                         {"", 0, 100 * money.USD, 13 * money.USD / 2, 0},
		"within a week":                    {"", 0, 5 * money.USD, 13 * money.USD / 2, 7},
		"within a day":                     {"", 0, money.USD / 2, 13 * money.USD / 2, 1},
		"used up already":                  {"", 10, 10, 13 * money.USD, 0},
		"unlimited":                        {"", 10, -1, 13 * money.USD, 0},
		"nothing spent":                    {"", 0, 10, 0, 0},
		"a budget that is renewed earlier": {quota.Day, 0, money.USD, 13 * money.USD / 2, 0},
		"a budget that is not":             {quota.Day, 0, money.USD / 4, 13 * money.USD / 2, 1},
	} {
		r := rule(alert.RunOut, 7, 3, 1)
		r.Period = row.period
		if got := threshold(r.RunOutFact(owner(row.used, row.granted), row.spent, noon)); got != row.want {
			t.Errorf("%s: got %d days, want %d", name, got, row.want)
		}
	}
}

func TestUnusual_ComparesTodayWithTheAverageDay(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		today, before money.Amount
		want          int
	}{
		"usual":         {money.USD, 7 * money.USD, 0},
		"twice":         {2 * money.USD, 7 * money.USD, 200},
		"six times":     {6 * money.USD, 7 * money.USD, 500},
		"small amounts": {money.USD - 1, 7, 0},
		"a new owner":   {9 * money.USD, 0, 0},
	} {
		if got := threshold(rule(alert.UnusualSpend, 200, 500).UnusualSpendFact(owner(0, -1), row.today, row.before,
			noon)); got != row.want {
			t.Errorf("%s: got threshold %d, want %d", name, got, row.want)
		}
	}
}

func TestWaits_ReportsTheMinutesOfTheOldestEvent(t *testing.T) {
	t.Parallel()
	r := rule(alert.Spool, 5, 60)
	if r.SpoolFact(uuid.UUID{1}, 3, time.Time{}, noon) != nil ||
		r.SpoolFact(uuid.UUID{1}, 3, noon.Add(-4*time.Minute), noon) != nil {
		t.Error("an empty or young spool was reported")
	}
	if f := r.SpoolFact(uuid.UUID{1}, 3, noon.Add(-61*time.Minute), noon); threshold(f) != 60 ||
		f.Minutes != 61 || f.Count != 3 {
		t.Errorf("got %+v, want 61 minutes at the threshold 60", f)
	}
	early, late := r.SpoolFact(uuid.UUID{1}, 3, noon.Add(-3*time.Hour), noon),
		r.SpoolFact(uuid.UUID{1}, 3, noon.Add(-2*time.Hour), noon.Add(time.Minute))
	if early.Mark(uuid.UUID{}) != late.Mark(uuid.UUID{}) {
		t.Error("a spool that becomes shorter was reported twice within an hour")
	}
	for _, tag := range language.All() {
		f := r.SpoolFact(uuid.UUID{1}, -1, noon.Add(-7*time.Minute), noon)
		if _, text := f.Words(tag); f.Count != 0 || strings.Contains(text, "-1") || !strings.Contains(text, "7") {
			t.Errorf("an unknown number of events in %s: got %d and %q, want 0, and 7 minutes without a number", tag,
				f.Count, text)
		}
	}
}

func TestCheck_NamesTheFieldAtFault(t *testing.T) {
	t.Parallel()
	for field, change := range map[string]func(*alert.Rule){
		"":             func(*alert.Rule) {},
		"name":         func(r *alert.Rule) { r.Name = "" },
		"kind":         func(r *alert.Rule) { r.Kind = alert.Test },
		"subject":      func(r *alert.Rule) { r.Subject = "" },
		"period":       func(r *alert.Rule) { r.Period = "year" },
		"thresholds":   func(r *alert.Rule) { r.Thresholds = []int{0} },
		"destinations": func(r *alert.Rule) { r.Destinations = make([]uuid.UUID, 11) },
		"status":       func(r *alert.Rule) { r.Status = "paused" },
	} {
		r := rule(alert.QuotaUsed, 80)
		change(r)
		err := r.Check()
		if field == "" && err != nil ||
			field != "" && (!problem.Is(err, problem.InvalidType) || problem.From(err).Param != field) {
			t.Errorf("%s: got %v", field, err)
		}
	}
	platform := &alert.Rule{Name: "x", Kind: alert.Drift, Status: tenant.Enabled}
	if err := platform.Check(); err != nil {
		t.Errorf("a rule of the platform: got %v", err)
	}
	platform.TenantID = uuid.UUID{1}
	if err := platform.Check(); problem.From(err).Param != "kind" {
		t.Errorf("the same rule of a tenant: got %v, want a problem of kind", err)
	}
}

func TestCheckURL_RefusesWhatIsNotPublic(t *testing.T) {
	t.Parallel()
	allow := []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16")}
	for raw, want := range map[string]string{
		"https://hooks.slack.com/services/T0/B0/secret":    "https://hooks.slack.com",
		"https://example.com:8443/x?token=secret":          "https://example.com:8443",
		"http://10.1.2.3/hook":                             "http://10.1.2.3",
		"http://example.com/":                              "",
		"https://10.2.0.1/":                                "",
		"https://127.0.0.1/":                               "",
		"https://169.254.169.254/latest":                   "",
		"https://2130706433/":                              "",
		"https://user:pass@example.com/":                   "",
		"https://example.com/#x":                           "",
		"https:///x":                                       "",
		"file:///etc/passwd":                               "",
		"https://example.com/" + strings.Repeat("a", 2000): "",
	} {
		shown, err := alert.CheckURL(raw, allow)
		if shown != want || (err == nil) != (want != "") {
			t.Errorf("%s: got %q, error %v; want %q", raw, shown, err, want)
		}
	}
}

func TestVerify_AcceptsOnlyWhatSignSigned(t *testing.T) {
	t.Parallel()
	secret, id, body := alert.SecretOf([32]byte{1}), uuid.UUID{7}, []byte(`{"a":1}`)
	signed := alert.SignatureHeaders{ID: id.String(), Timestamp: "1796558400",
		Signature: alert.Sign(secret, id, 1_796_558_400, body)}
	at := time.Unix(1_796_558_400, 0)
	if err := alert.Verify(secret, signed, body, at.Add(time.Minute)); err != nil {
		t.Errorf("got %v, want the signature accepted", err)
	}
	two := signed
	two.Signature = "v1,other " + signed.Signature
	if err := alert.Verify(secret, two, body, at); err != nil {
		t.Errorf("two signatures: got %v, want one of them accepted", err)
	}
	other := signed
	other.ID = uuid.UUID{8}.String()
	unsigned := alert.SignatureHeaders{ID: signed.ID, Timestamp: signed.Timestamp}
	for name, err := range map[string]error{
		"another secret":   alert.Verify(alert.SecretOf([32]byte{2}), signed, body, at),
		"no secret":        alert.Verify("", unsigned, body, at),
		"another body":     alert.Verify(secret, signed, []byte(`{"a":2}`), at),
		"another id":       alert.Verify(secret, other, body, at),
		"an old timestamp": alert.Verify(secret, signed, body, at.Add(6*time.Minute)),
	} {
		if err == nil {
			t.Errorf("%s: the signature was accepted", name)
		}
	}
	// The example of the specification's libraries.
	if got := alert.Sign("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", uuid.Nil, 1, []byte("x")); !strings.HasPrefix(got,
		"v1,") || len(got) != 3+44 {
		t.Errorf("got signature %q, want v1 with 32 bytes in base64", got)
	}
}

func TestWords_HaveATextForEachKindInEachLanguage(t *testing.T) {
	t.Parallel()
	used, granted, at := 1_234_567_890*money.Amount(10), 20*money.USD, noon
	for _, tag := range language.All() {
		for _, kind := range []alert.Kind{
			alert.QuotaUsed, alert.RunOut, alert.UnusualSpend, alert.CredentialDead, alert.ModelUnavailable,
			alert.Drift, alert.Spool, alert.Test,
		} {
			f := alert.Fact{
				Kind: kind, Subject: alert.OfToken, SubjectName: "ci\r\nBcc: x {used}", Period: "day", Threshold: 80,
				Used: &used, Granted: &granted,
				Spent: &used, DailySpend: &used, RunsOutAt: &at, Detail: "denied", Minutes: 7, Count: 3,
			}
			title, text := f.Words(tag)
			if title == "" || text == "" || strings.ContainsAny(title+text, "\r\n") ||
				strings.Contains(strings.ReplaceAll(title+text, "{used}", ""), "{") {
				t.Errorf("%s in %s: got %q, %q", kind, tag, title, text)
			}
		}
		quotaUsed := alert.Fact{Kind: alert.QuotaUsed, Subject: alert.OfTenant, SubjectName: "ACME", Period: "lifetime",
			Threshold: 50, Used: &used, Granted: &granted}
		if _, text := quotaUsed.Words(tag); !strings.Contains(text, "$12.35") || !strings.Contains(text, "$20.00") {
			t.Errorf("%s: got %q, want amounts to the cent", tag, text)
		}
	}
}

func TestSlackBody_EscapesNames(t *testing.T) {
	t.Parallel()
	a := alert.Alert{ID: uuid.UUID{1},
		Fact: alert.Fact{Kind: alert.ModelUnavailable, SubjectName: "<!channel> & <https://evil.example|x>"}}
	raw, err := a.SlackBody("", "https://console.example")
	var body struct{ Text string }
	if err != nil || json.Unmarshal(raw, &body) != nil || strings.Contains(body.Text, "<!") ||
		strings.Contains(body.Text, "<https://evil") || !strings.Contains(body.Text, "<https://console.example>") {
		t.Errorf("got %q, error %v", body.Text, err)
	}
	webhook, err := a.WebhookBody(language.SimplifiedChinese, "")
	var fields map[string]any
	if err != nil || json.Unmarshal(webhook, &fields) != nil || fields["id"] != a.ID.String() ||
		fields["type"] != "alert.model_unavailable" || fields["tenant_id"] != nil {
		t.Errorf("got %s, error %v", webhook, err)
	}
}
