package chaos

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"
)

// counts are the tokens the upstream is asked to report, cached within prompt.
type counts struct{ prompt, completion, cached int64 }

const (
	leastPrompt = 20
	prompts     = 480 // different ones, so that no prompt is longer than what any request holds quota for
	completions = 400
	cacheds     = 20
	space       = prompts * completions * cacheds
	stride      = 7919 // has no factor in common with space
)

// countsOf returns counts that no other order of the run has: a usage log
// tells by them which request it is of.
func countsOf(number int64) counts {
	n := number * stride % space
	return counts{prompt: leastPrompt + n%prompts, completion: 1 + n/prompts%completions, cached: n / (prompts * completions)}
}

// order is one request.
type order struct {
	customer *customer
	relay    int
	model    string
	counts
	stream bool
	capped bool // sends an output cap, as one does who has little quota
	leaves int  // closes the connection after so many lines of the stream; 0: stays
}

func (o *order) bill() int64 { return tariffOf(o.model).bill(o.counts, o.customer.permille) }

func (o *order) body() string {
	text := fmt.Sprintf(`{"model":%q,"messages":[{"role":"user","content":"usage:%d/%d/%d"}]`, o.model, o.prompt, o.completion, o.cached)
	if o.stream {
		text += `,"stream":true`
	}
	if o.capped {
		text += fmt.Sprintf(`,"max_tokens":%d`, o.completion)
	}
	return text + "}"
}

// kind is how a request ended for its client.
type kind uint8

const (
	success kind = iota // the last byte came
	refusal             // for quota, in the right form
	failure
	left // the client went away
)

// reply is what became of an order.
type reply struct {
	kind  kind
	class string // of a refusal or failure
	id    string // of the request; "" where no header came
	took  time.Duration
}

// client sends orders.
type client struct {
	http  http.Client
	bases []string // of the relays
}

func newClient(bases []string, timeout time.Duration) *client {
	transport := &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true}
	return &client{http: http.Client{Transport: transport, Timeout: timeout}, bases: bases}
}

func (c *client) send(o *order) reply {
	began := time.Now()
	r := c.exchange(o)
	r.took = time.Since(began)
	return r
}

func (c *client) exchange(o *order) reply {
	request, err := http.NewRequestWithContext(context.Background(), http.MethodPost, c.bases[o.relay]+"/v1/chat/completions", strings.NewReader(o.body()))
	if err != nil {
		return reply{kind: failure, class: err.Error()}
	}
	request.Header.Set("Authorization", "Bearer "+o.customer.secret())
	request.Header.Set("Content-Type", "application/json")
	resp, err := c.http.Do(request)
	if err != nil {
		return reply{kind: failure, class: classOf(err)}
	}
	defer resp.Body.Close() //nolint:errcheck // read to its end, or left on purpose
	id := resp.Header.Get("X-Request-Id")
	if o.leaves > 0 && resp.StatusCode == http.StatusOK {
		return leave(resp.Body, o.leaves, id)
	}
	body, err := io.ReadAll(resp.Body)
	switch {
	case resp.StatusCode != http.StatusOK && err == nil:
		return refused(resp, body)
	case err == nil && o.whole(body):
		return reply{kind: success, id: id}
	}
	return reply{kind: failure, class: cutBy(body, err), id: id}
}

// whole reports whether body is an answer up to its last byte.
func (o *order) whole(body []byte) bool {
	if o.stream {
		return bytes.HasSuffix(bytes.TrimSpace(body), []byte("data: [DONE]"))
	}
	return json.Valid(body)
}

// leave reads some lines and goes.
func leave(body io.Reader, lines int, id string) reply {
	var one [1]byte
	for lines > 0 {
		if _, err := body.Read(one[:]); err != nil {
			return reply{kind: failure, class: cutBy(nil, err), id: id}
		}
		if one[0] == '\n' {
			lines--
		}
	}
	return reply{kind: left, id: id}
}

// The classes of failures in which no error of the relay's tells more.
const (
	connRefused = "refused" // nobody listens
	connBroken  = "broken"  // before the answer began
	answerCut   = "cut"     // after it began
	timedOut    = "timeout"
)

func classOf(err error) string {
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return connRefused
	case os.IsTimeout(err):
		return timedOut
	}
	return connBroken
}

// cutBy names the end of an answer that is not whole, by the error event
// where there is one.
func cutBy(body []byte, err error) string {
	lines := bytes.Split(bytes.TrimSpace(body), []byte("\n"))
	last, ok := bytes.CutPrefix(lines[len(lines)-1], []byte("data: "))
	if f, known := envelopeOf(last); ok && known {
		return answerCut + " " + f.Code
	}
	if os.IsTimeout(err) {
		return timedOut
	}
	return answerCut
}

// envelope is the relay's error.
type envelope struct{ Type, Code string }

func envelopeOf(body []byte) (envelope, bool) {
	var text struct {
		Error *envelope `json:"error"`
	}
	if json.Unmarshal(body, &text) != nil || text.Error == nil {
		return envelope{}, false
	}
	return *text.Error, true
}

// The refusals that have a form to keep.
const (
	usedUp     = "insufficient_quota"
	inFlight   = "quota_in_flight"
	overloaded = "503 overloaded"
	misshapen  = ", misshapen" // after a refusal that does not keep its form
)

// refused judges an error answer: those of quota are refusals, the others
// failures.
func refused(resp *http.Response, body []byte) reply {
	r := reply{kind: failure, id: resp.Header.Get("X-Request-Id")}
	f, ok := envelopeOf(body)
	if !ok {
		r.class = fmt.Sprintf("%d without an error", resp.StatusCode)
		return r
	}
	retry := resp.Header.Get("X-Should-Retry")
	r.class = fmt.Sprintf("%d %s", resp.StatusCode, f.Code)
	proper := true
	switch r.class {
	case "429 " + usedUp:
		r.kind, r.class = refusal, f.Code
		proper = f.Type == "insufficient_quota" && retry == "false"
	case "429 " + inFlight:
		r.kind, r.class = refusal, f.Code
		proper = f.Type == "insufficient_quota" && retry == "true"
	case overloaded:
		proper = f.Type == "server_error" && retry == "true" && resp.Header.Get("Retry-After") != ""
	}
	if !proper {
		r.kind, r.class = failure, r.class+misshapen
	}
	return r
}
