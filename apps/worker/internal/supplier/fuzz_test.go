package supplier

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/core/invoice"
)

// FuzzPages feeds bytes to the parsers of all providers: none may panic, and what they accept is within the window and
// the bounds.
func FuzzPages(f *testing.F) {
	f.Add(
		[]byte(
			`{"data":[{"start_time":1794182400,"results":[{"amount":{"value":0.06,"currency":"usd"},"line_item":"gpt-4o, input","api_key_id":"key_1"}]}],"has_more":true,"next_page":"x"}`))
	f.Add(
		[]byte(
			`{"data":[{"start_time":1794182400,"results":[{"model":"m","input_tokens":5,"output_tokens":1e3,"num_model_requests":"7"}]}]}`))
	f.Add(
		[]byte(
			`{"data":[{"starting_at":"2026-11-09T00:00:00Z","results":[{"amount":"12.5","currency":"USD","model":null,"cost_type":"web_search"}]}]}`))
	f.Add(
		[]byte(
			`{"data":[{"starting_at":"2026-11-09T00:00:00Z","results":[{"model":"m","uncached_input_tokens":1,"cache_creation":{"ephemeral_1h_input_tokens":2}}]}]}`))
	f.Add(
		[]byte(
			`{"data":[{"date":"2026-11-09","model":"m","usage":0.1,"requests":1,"prompt_tokens":2,"completion_tokens":3}]}`))
	w := window{"2026-11-01", "2026-11-10"}
	f.Fuzz(func(t *testing.T, body []byte) {
		for name, read := range map[string]func(*invoice.Book) error{
			"OpenAI costs": func(b *invoice.Book) error {
				var p openAICostPage
				return parse(body, &p, func() error { _, err := p.add(w, b); return err })
			},
			"OpenAI usage": func(b *invoice.Book) error {
				var p openAIUsagePage
				return parse(body, &p, func() error { _, err := p.add(w, b); return err })
			},
			"Anthropic costs": func(b *invoice.Book) error {
				var p anthropicCostPage
				return parse(body, &p, func() error { _, err := p.add(w, b); return err })
			},
			"Anthropic usage": func(b *invoice.Book) error {
				var p anthropicUsagePage
				return parse(body, &p, func() error { _, err := p.add(w, b); return err })
			},
			"OpenRouter": func(b *invoice.Book) error {
				var p openRouterPage
				return parse(body, &p, func() error { return p.add(w, b) })
			},
		} {
			book := invoice.NewBook(10)
			if read(book) != nil {
				continue
			}
			report, err := book.Report()
			if err != nil {
				continue
			}
			for day := range report.Days {
				if !w.inside(day) {
					t.Fatalf("%s: day %q is outside of the window", name, day)
				}
			}
			if len(report.Charges) > 10 {
				t.Fatalf("%s: got %d charges, want at most 10", name, len(report.Charges))
			}
		}
	})
}

func parse(body []byte, page any, add func() error) error {
	if err := json.Unmarshal(body, page); err != nil {
		return err
	}
	return add()
}

// A day that the report cannot contain is not one without charges.
func TestOpenRouter_ReportsThirtyDays(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"data":[{"date":"2026-11-09","model":"m","usage":1,"requests":1}]}`)
	}))
	defer server.Close()
	book := invoice.NewBook(10)
	c := &client{base: server.URL, http: http.DefaultTransport}
	if err := fetchOpenRouter(t.Context(), c, windowOf(time.Date(2026, 11, 10, 9, 0, 0, 0, time.UTC), time.Time{}),
		book); err != nil {
		t.Fatal(err)
	}
	report, err := book.Report()
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Days) != 30 || report.Days["2026-10-10"] || !report.Days["2026-10-11"] {
		t.Errorf("got %d days: %v", len(report.Days), report.Days)
	}
}
