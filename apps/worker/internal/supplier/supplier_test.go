package supplier_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/tollgate/tollgate/apps/worker/internal/supplier"
	"github.com/tollgate/tollgate/libs/core/invoice"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/egress/egresstest"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/db"
	invoicedb "github.com/tollgate/tollgate/libs/store/invoice"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

func TestMain(m *testing.M) { os.Exit(storetest.Main(m)) }

var scope = tenant.SystemScope("test")

const credential = "sk-admin-0123456789"

// fixture is a store with one account, a provider that answers with the handler, and a clock that the test moves.
type fixture struct {
	*testing.T
	store   *store.Store
	url     string
	account invoice.Account
	fetcher *supplier.Fetcher
	now     time.Time
	log     bytes.Buffer
	answer  http.HandlerFunc

	mu     sync.Mutex
	asked  []*http.Request
	slept  []time.Duration
	server *httptest.Server
}

func newFixture(t *testing.T, provider invoice.Provider) *fixture {
	t.Helper()
	f := &fixture{T: t, url: storetest.SQLite(t), now: time.Date(2026, 11, 10, 5, 0, 0, 0, time.UTC)}
	f.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.asked = append(f.asked, r)
		f.answer(w, r)
	}))
	t.Cleanup(f.server.Close)
	f.store = storetest.Open(t, db.Options{URL: f.url, Now: func() time.Time { return f.now }})
	sealer := seal.NewRotating([32]byte{2}, [32]byte{1})
	f.account = invoice.Account{ID: [16]byte{1}, Name: "main", Provider: provider, BaseURL: f.server.URL + "/v1/"}
	old := seal.New([32]byte{1}) // the worker seals the credential again with the present key
	var err error
	f.account, err = f.store.Invoice.CreateAccount(t.Context(), scope, f.account,
		&invoicedb.Credential{Sealed: old.SealBilling(credential, f.account.ID.String()), With: old.BillingKey()})
	f.must(err)
	f.fetcher = supplier.New(supplier.Options{
		Store: f.store.Invoice, Scope: scope, Sealer: sealer, Log: slog.New(slog.NewTextHandler(&f.log, nil)),
		Now:      func() time.Time { return f.now },
		Resolver: egresstest.Names(t, netip.MustParseAddr("127.0.0.1")), // all names resolve to this address
		Sleep:    func(_ context.Context, d time.Duration) error { f.slept = append(f.slept, d); return nil },
	})
	return f
}

func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// run runs the fetcher and returns the account afterwards.
func (f *fixture) run() invoice.Account {
	f.Helper()
	f.mu.Lock() // the handler sees what the test has set
	f.asked, f.slept = nil, nil
	f.mu.Unlock()
	f.must(f.fetcher.Run(f.Context()))
	f.mu.Lock()
	defer f.mu.Unlock()
	account, err := f.store.Invoice.Account(f.Context(), scope, f.account.ID)
	f.must(err)
	return account
}

// charges returns the charges of a day as text.
func (f *fixture) charges(day invoice.Day) string {
	f.Helper()
	found, err := f.store.Invoice.Charges(f.Context(), scope, f.account.ID, day)
	f.must(err)
	var lines []string
	for _, c := range found {
		lines = append(lines, fmt.Sprintf("%s %s %s in=%s out=%s n=%s", c.Model, c.Key, show(c.Amount),
			show(c.InputTokens), show(c.OutputTokens), show(c.Requests)))
	}
	return strings.Join(lines, "\n")
}

func show[T any](v *T) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprint(*v)
}

// expect checks the charges of a day, one a line.
func (f *fixture) expect(day invoice.Day, want ...string) {
	f.Helper()
	if got := f.charges(day); got != strings.Join(want, "\n") {
		f.Errorf("charges of %s: got\n%s\nwant\n%s", day, got, strings.Join(want, "\n"))
	}
}

// unix returns the Unix time at which a day begins.
func unix(day invoice.Day) int64 { return day.Start().Unix() }

// bucket returns a bucket of OpenAI.
func bucket(day invoice.Day, results ...string) string {
	return fmt.Sprintf(`{"object":"bucket","start_time":%d,"end_time":%d,"results":[%s]}`, unix(day), unix(day.Add(1)),
		strings.Join(results, ","))
}

// page returns a page of OpenAI or Anthropic.
func page(next string, buckets ...string) string {
	if next == "" {
		return `{"object":"page","data":[` + strings.Join(buckets, ",") + `],"has_more":false,"next_page":null}`
	}
	return `{"object":"page","data":[` + strings.Join(buckets, ",") + `],"has_more":true,"next_page":"` + next + `"}`
}

// cost returns a result of OpenAI's costs.
func cost(item, key, value string) string {
	return fmt.Sprintf(
		`{"object":"organization.costs.result","amount":{"value":%s,"currency":"usd"},"line_item":%q,"project_id":null,"api_key_id":%q}`, value, item, key)
}

// openAI answers with these pages, by path and token of the page.
func (f *fixture) openAI(pages map[string]string) {
	f.answer = func(w http.ResponseWriter, r *http.Request) {
		body, found := pages[strings.TrimPrefix(r.URL.Path, "/v1/organization/")+r.URL.Query().Get("page")]
		if !found || r.Header.Get("Authorization") != "Bearer "+credential {
			http.Error(w, "{}", http.StatusNotFound)
			return
		}
		fmt.Fprint(w, body)
	}
}

func TestOpenAI_ReadsCostsAndUsageOfAllPages(t *testing.T) {
	t.Parallel()
	f := newFixture(t, invoice.OpenAI)
	f.openAI(map[string]string{
		"costs": page("p2", bucket("2026-11-07",
			cost("gpt-4o-2024-08-06, input", "key_1", "0.8958740000000000"), cost("gpt-4o-2024-08-06, "+
				"output", "key_1", "1e-9"), cost("web search tool calls", "", `"0.0100"`)), bucket("2026-11-08")),
		"costsp2": page("", bucket("2026-11-09", cost("gpt-4o-2024-08-06, input", "key_1", "2"))),
		"usage/completions": page("",
			bucket("2026-11-07",
				`{"model":"gpt-4o-2024-08-06","api_key_id":"key_1","input_tokens":1000,"output_tokens":20,"num_model_requests":3}`)),
	})
	account := f.run()
	f.expect("2026-11-07", "gpt-4o-2024-08-06 key_1 0.895874001 in=1000 out=20 n=3",
		"web search tool calls  0.01 in=- out=- n=-")
	f.expect("2026-11-08")
	f.expect("2026-11-09", "gpt-4o-2024-08-06 key_1 2 in=- out=- n=-")
	if account.Error != "" || !account.FetchedAt.Equal(f.now) || !account.DueAt.Equal(f.now.Add(6*time.Hour)) {
		t.Errorf("got %+v, want a successful fetch", account)
	}
	q := f.asked[0].URL.Query()
	if q.Get("start_time") != fmt.Sprint(unix("2026-10-10")) || q.Get("end_time") != fmt.Sprint(unix("2026-11-10")) ||
		strings.Join(q["group_by"], " ") != "line_item api_key_id" {
		t.Errorf("got query %v, want the 31 completed days by line item and key", q)
	}
	if f.run(); len(f.asked) != 0 {
		t.Errorf("got %d requests of an account that is not due, want none", len(f.asked))
	}
	if n, err := f.store.Invoice.Stale(t.Context(), scope, seal.New([32]byte{2}).BillingKey()); err != nil || n != 0 {
		t.Errorf("got %d credentials of the previous secret key, error %v; want none", n, err)
	}
}

func TestOpenAI_TakesCorrectionsAndKeepsOtherDays(t *testing.T) {
	t.Parallel()
	f := newFixture(t, invoice.OpenAI)
	f.openAI(map[string]string{
		"costs": page("", bucket("2026-11-01", cost("m, input", "", "1")),
			bucket("2026-11-08", cost("m, input", "", "8"), cost("n, input", "", "9"))),
		"usage/completions": page("", bucket("2026-11-09",
			`{"model":"m","api_key_id":null,"input_tokens":5,"output_tokens":0,"num_model_requests":1}`)),
	})
	f.run()
	f.expect("2026-11-09") // counts without costs: the provider has not charged the day yet
	f.now = f.now.Add(24 * time.Hour)
	f.openAI(map[string]string{"costs": page("", bucket("2026-11-08", cost("m, input", "", "7.5"))),
		"usage/completions": page("")})
	f.run()
	if got := f.asked[0].URL.Query().Get("start_time"); got != fmt.Sprint(unix("2026-11-04")) {
		t.Errorf("got start %s, want 7 days before today", got)
	}
	f.expect("2026-11-01", "m  1 in=- out=- n=-")
	f.expect("2026-11-08", "m  7.5 in=- out=- n=-")
}

// A report that cannot be read to its end changes nothing.
func TestFetch_RecordsFailuresAndKeepsWhatWasThere(t *testing.T) {
	t.Parallel()
	sound := page("", bucket("2026-11-08", cost("m, input", "", "1")))
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		says   string
		asked  int
	}{
		"a refused credential": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"error":{"message":"Incorrect key `+credential+`"}}`)
		}, "status 401: Incorrect key …", 1},
		"too many requests": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(http.StatusTooManyRequests)
		}, "status 429", 4},
		"an outage": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
			"status 503", 4},
		"a redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://169.254.169.254/", http.StatusFound)
		}, "status 302", 1},
		"a page cut off": {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, sound[:len(sound)/2]) },
			"decode the page", 4},
		"no JSON": {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") },
			"decode the page", 4},
		"a huge page": {func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"data":[`+strings.Repeat(" ", 16<<20))
		}, "larger than", 1},
		"a huge amount":     {answers(page("", bucket("2026-11-08", cost("m", "", "1e30")))), "out of range", 2},
		"an endless number": {answers(page("", bucket("2026-11-08", cost("m", "", "1e1000000000")))), "decimal", 4},
		"another currency":  {answers(strings.ReplaceAll(sound, `"usd"`, `"eur"`)), "not in USD", 1},
		"a day of another time zone": {answers(strings.ReplaceAll(sound, fmt.Sprint(unix("2026-11-08")),
			fmt.Sprint(unix("2026-11-08")+3600))),
			"midnight UTC", 1},
		"a missing page":    {answers(`{"data":[],"has_more":true,"next_page":null}`), "does not name the next one", 1},
		"pages in a circle": {answers(page("p2", bucket("2026-11-08"))), "repeats the page", 2},
		"endless pages": {func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, page(r.URL.Query().Get("page")+"x"))
		}, "more than 200 pages", 200},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, invoice.OpenAI)
			f.must(f.store.Invoice.Fetched(t.Context(), scope, &invoicedb.Claim{Account: f.account}, invoice.Report{
				Days: map[invoice.Day]bool{"2026-11-08": true},
				Charges: []invoice.Charge{{Day: "2026-11-08", Model: "before",
					Figures: invoice.Figures{Amount: new(money.Amount)}}},
			}, f.now))
			f.answer = c.answer
			account := f.run()
			if !strings.Contains(account.Error, c.says) || strings.Contains(account.Error, credential) ||
				strings.Contains(f.log.String(), credential) {
				t.Errorf("got error %q and log %s, want %q without the credential", account.Error,
					f.log.String(), c.says)
			}
			if len(f.asked) != c.asked {
				t.Errorf("got %d requests, want %d", len(f.asked), c.asked)
			}
			if !account.DueAt.Equal(f.now.Add(15 * time.Minute)) {
				t.Errorf("due at %v, want in 15 minutes", account.DueAt)
			}
			f.expect("2026-11-08", "before  0 in=- out=- n=-")
			for _, d := range f.slept {
				if d > 30*time.Second || name == "too many requests" && d != 7*time.Second {
					t.Errorf("paused for %v", d)
				}
			}
		})
	}
}

// answers returns a handler that always answers with the body.
func answers(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) }
}

func TestFetch_RecoversFromPassingFaults(t *testing.T) {
	t.Parallel()
	f := newFixture(t, invoice.OpenAI)
	f.openAI(map[string]string{"costs": page("", bucket("2026-11-08", cost("m, input", "", "1"))),
		"usage/completions": page("")})
	sound, n := f.answer, 0
	f.answer = func(w http.ResponseWriter, r *http.Request) {
		n++
		switch n {
		case 1:
			w.WriteHeader(http.StatusTooManyRequests)
		case 2:
			w.WriteHeader(http.StatusBadGateway)
		case 3:
			w.Header().Set("Content-Length", "1000") // the connection breaks
			fmt.Fprint(w, "{")
		default:
			sound(w, r)
		}
	}
	if account := f.run(); account.Error != "" {
		t.Fatalf("got error %q, want success at the fourth try", account.Error)
	}
	f.expect("2026-11-08", "m  1 in=- out=- n=-")
	if len(f.slept) != 3 || f.slept[2] <= f.slept[0] {
		t.Errorf("got pauses %v, want three that grow", f.slept)
	}
}

func TestAnthropic_ReadsCentsAndAllInputTokens(t *testing.T) {
	t.Parallel()
	f := newFixture(t, invoice.Anthropic)
	at := func(day, results string) string {
		return fmt.Sprintf(`{"starting_at":"%sT00:00:00Z","ending_at":"","results":[%s]}`, day, results)
	}
	f.answer = func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Api-Key") != credential || r.Header.Get("Anthropic-Version") == "" ||
			r.URL.Query().Get("starting_at") != "2026-10-10T00:00:00Z" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		switch r.URL.Path + r.URL.Query().Get("page") {
		case "/v1/organizations/cost_report":
			fmt.Fprint(w,
				page("next",
					at("2026-11-08",
						`{"currency":"USD","amount":"123.4567890123","workspace_id":null,"description":"Claude Sonnet 4 Usage - Input Tokens","cost_type":"tokens","model":"claude-sonnet-4-20250514","token_type":"uncached_input_tokens"},
				{"currency":"USD","amount":"0.0000000877","description":"Claude Sonnet 4 Usage - Output Tokens","cost_type":"tokens","model":"claude-sonnet-4-20250514","token_type":"output_tokens"},
				{"currency":"USD","amount":"100","description":"Web Search Usage","cost_type":"web_search","model":null}`)))
		case "/v1/organizations/cost_reportnext":
			fmt.Fprint(w, page("", at("2026-11-09", "")))
		case "/v1/organizations/usage_report/messages":
			fmt.Fprint(w,
				page("",
					at("2026-11-08",
						`{"model":"claude-sonnet-4-20250514","api_key_id":"apikey_1","uncached_input_tokens":100,"cache_read_input_tokens":30,"output_tokens":7,
				"cache_creation":{"ephemeral_1h_input_tokens":2,"ephemeral_5m_input_tokens":1},"server_tool_use":{"web_search_requests":10}}`)))
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}
	if account := f.run(); account.Error != "" {
		t.Fatal(account.Error)
	}
	f.expect("2026-11-08", "claude-sonnet-4-20250514  1.234567891 in=- out=- n=-",
		"claude-sonnet-4-20250514 apikey_1 - in=133 out=7 n=-", "web_search  1 in=- out=- n=-")
}

func TestOpenRouter_ReportsDaysUpToTheNewestActivity(t *testing.T) {
	t.Parallel()
	f := newFixture(t, invoice.OpenRouter)
	f.answer = func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/v1/activity" || r.Header.Get("Authorization") != "Bearer "+credential {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		fmt.Fprint(w, `{"data":[
			{"date":"2026-11-08","model":"openai/gpt-4.1","model_permaslug":"openai/gpt-4.1-2025-04-14","endpoint_id":"a","usage":0.015,"byok_usage_inference":9,"requests":5,"prompt_tokens":50,"completion_tokens":125,"reasoning_tokens":25},
			{"date":"2026-11-08 00:00:00","model":"openai/gpt-4.1","endpoint_id":"b","usage":1.5e-2,"requests":5.0,"prompt_tokens":50,"completion_tokens":125},
			{"date":"2026-11-10","model":"openai/gpt-4.1","usage":99,"requests":1,"prompt_tokens":1,"completion_tokens":1}]}`)
	}
	if account := f.run(); account.Error != "" {
		t.Fatal(account.Error)
	}
	f.expect("2026-11-08", "openai/gpt-4.1  0.03 in=100 out=250 n=10")
	f.expect("2026-11-10") // today has not ended
}

// A name that resolves to a local address must not get the credential.
func TestFetch_ObeysTheEgressPolicy(t *testing.T) {
	t.Parallel()
	f := newFixture(t, invoice.OpenAI)
	f.answer = func(http.ResponseWriter, *http.Request) { t.Error("the server was asked") }
	base := strings.Replace(f.server.URL, "127.0.0.1", "api.example", 1)
	_, err := f.store.Invoice.UpdateAccount(t.Context(), scope, f.account.ID, invoicedb.Patch{
		BaseURL: &base,
		Credential: &invoicedb.Credential{Sealed: seal.New([32]byte{2}).SealBilling(credential, f.account.ID.String()),
			With: "x"},
	})
	f.must(err)
	if account := f.run(); !strings.Contains(account.Error, "egress refused") {
		t.Errorf("got error %q, want a refusal of the address", account.Error)
	}
}

func TestFetch_LeavesAccountsOfFilesAlone(t *testing.T) {
	t.Parallel()
	f := newFixture(t, invoice.OpenAI)
	f.must(f.store.Invoice.DeleteAccount(t.Context(), scope, f.account.ID))
	var err error
	f.account, err = f.store.Invoice.CreateAccount(t.Context(), scope,
		invoice.Account{Name: "files", Provider: invoice.Upload}, nil)
	f.must(err)
	if account := f.run(); account.Error != "" || !account.FetchedAt.IsZero() || !account.DueAt.After(f.now) {
		t.Errorf("got %+v, want no fetch", account)
	}
}

func TestFetch_NamesAMissingCredential(t *testing.T) {
	t.Parallel()
	f := newFixture(t, invoice.OpenAI)
	base := "https://other.example"
	// Drops the credential.
	_, err := f.store.Invoice.UpdateAccount(t.Context(), scope, f.account.ID, invoicedb.Patch{BaseURL: &base})
	f.must(err)
	if account := f.run(); account.Error != "the account has no credential" {
		t.Errorf("got error %q", account.Error)
	}
}

func TestCollector_ShowsTheStateOfAccounts(t *testing.T) {
	t.Parallel()
	f := newFixture(t, invoice.OpenAI)
	f.openAI(map[string]string{
		"costs": page("", bucket("2026-11-06", cost("m, input", "", "2.5")), bucket("2026-11-07"),
			bucket("2026-11-08"), bucket("2026-11-09")),
		"usage/completions": page(""),
	})
	f.run()
	registry := prometheus.NewRegistry()
	f.must(registry.Register(supplier.NewCollector(f.store.Invoice, scope)))
	err := testutil.GatherAndCompare(registry, strings.NewReader(`
# HELP tollgate_supplier_difference_nano_usd What the provider charged for these days less the supplier cost of our usage logs, in nano-dollars.
# TYPE tollgate_supplier_difference_nano_usd gauge
tollgate_supplier_difference_nano_usd{account="main"} 2.5e+09
# HELP tollgate_supplier_days Days of a billing account by the result of their comparison: matches, differs or pending. Of the seven days that ended two days ago or earlier.
# TYPE tollgate_supplier_days gauge
tollgate_supplier_days{account="main",status="differs"} 1
tollgate_supplier_days{account="main",status="matches"} 1
tollgate_supplier_days{account="main",status="pending"} 0
`), "tollgate_supplier_difference_nano_usd", "tollgate_supplier_days")
	f.must(err)
}

// The comparison of one account fails. The other account is compared in the same run, and the one that failed is
// compared an hour later.
func TestRun_ComparesTheOtherAccountsAfterAFailure(t *testing.T) {
	t.Parallel()
	f := newFixture(t, invoice.OpenAI)
	f.openAI(nil)
	day := invoice.DayOf(f.now).Add(-5)
	var accounts []uuid.UUID
	for _, name := range []string{"first", "second"} {
		account, err := f.store.Invoice.CreateAccount(t.Context(), scope,
			invoice.Account{Name: name, Provider: invoice.Upload}, nil)
		f.must(err)
		f.must(f.store.Invoice.Upload(t.Context(), scope, account.ID,
			invoice.Report{Days: map[invoice.Day]bool{day: true}}))
		accounts = append(accounts, account.ID)
	}
	storetest.Exec(t, f.url,
		fmt.Sprintf(`CREATE TRIGGER refuses BEFORE UPDATE ON supplier_days WHEN NEW.account_id = '%s'
		BEGIN SELECT RAISE(ABORT, 'refused'); END`, accounts[0]))
	if err := f.fetcher.Run(t.Context()); err == nil || !strings.Contains(err.Error(), `compare "first"`) {
		t.Errorf("got error %v, want one that names the account", err)
	}
	days, err := f.store.Invoice.Days(t.Context(), scope, invoicedb.Query{From: day, To: day})
	f.must(err)
	if len(days) != 1 || days[0].AccountID != accounts[1] {
		t.Errorf("got the results %+v, want that of the other account", days)
	}
	storetest.Exec(t, f.url, "DROP TRIGGER refuses")
	f.now = f.now.Add(61 * time.Minute)
	f.must(f.fetcher.Run(t.Context()))
	days, err = f.store.Invoice.Days(t.Context(), scope, invoicedb.Query{From: day, To: day})
	f.must(err)
	if len(days) != 2 {
		t.Errorf("got the results %+v after 16 minutes, want those of both accounts", days)
	}
}
