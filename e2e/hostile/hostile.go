// Package hostile holds clients that try to harm the other clients of a server: they send requests that make an
// upstream fail (Poison), and connections that send too much, too slowly, or never to the end (Flood). The tests
// that use them check that the other clients do not notice.
package hostile

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// Poison is a kind of call that its upstream answers in a way that could discredit a channel or a credential. The
// upstream must be a fakeupstream.
type Poison struct {
	Name   string // of the upstream's answer
	Script string // for the upstream
	Stream bool
	Leave  time.Duration // time after which the client leaves; 0: it waits for the answer
}

// Poisons returns all kinds.
func Poisons() []Poison {
	const patience = time.Second
	return []Poison{
		{Name: "500", Script: "status=500"},
		{Name: "429 insufficient_quota", Script: "status=429&code=insufficient_quota&type=insufficient_quota"},
		{Name: "429", Script: "status=429&retry_after=30"},
		{Name: "402", Script: "status=402"},
		{Name: "403", Script: "status=403"},
		{Name: "401", Script: "status=401&code=invalid_api_key"},
		{Name: "408", Script: "status=408"},
		{Name: "504", Script: "status=504"},
		{Name: "connection reset", Script: "fault=cut_before_headers"},
		{Name: "no answer", Script: "fault=stall_before_headers", Leave: patience},
		{Name: "half an answer", Script: "fault=cut"},
		{Name: "empty answer", Script: "fault=empty"},
		{Name: "HTML", Script: "fault=garbage"},
		{Name: "error with status 200", Script: "fault=error_body"},
		{Name: "error in the first frame", Script: "fault=error_first", Stream: true},
		{Name: "error after two frames", Script: "fault=error_after", Stream: true},
		{Name: "broken stream", Script: "fault=cut", Stream: true},
		{Name: "silent stream", Script: "fault=stall", Stream: true, Leave: patience},
	}
}

// ResponsesPoisons returns the kinds that only the dialect responses has.
func ResponsesPoisons() []Poison {
	return []Poison{
		{Name: "failed response", Script: "fault=failed_first"},
		{Name: "failed first event", Script: "fault=failed_first", Stream: true},
		{Name: "failed last event", Script: "fault=failed_after", Stream: true},
	}
}

// Send calls a model at the relay with that base URL and reads the answer. It returns the status, 0 if there is
// none.
func (p *Poison) Send(ctx context.Context, client *http.Client, base, token, model string) int {
	if p.Leave > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, p.Leave)
		defer cancel()
	}
	body := fmt.Sprintf(`{"model":%q,"stream":%t,"messages":[{"role":"user","content":"script:%s"}]}`, model,
		p.Stream, p.Script)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		return 0
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(r)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()               //nolint:errcheck // read to its end, or cut by the upstream
	_, _ = io.Copy(io.Discard, resp.Body) // a broken answer is the purpose
	return resp.StatusCode
}
