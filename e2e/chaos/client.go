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
	"sync/atomic"
	"syscall"
	"time"

	"github.com/tollgate/tollgate/e2e/contract"
)

// counts are the token counts that the upstream reports for a request. cached is included in prompt.
type counts struct{ prompt, completion, cached int64 }

const (
	leastPrompt = 20
	// Number of different values; few, so that no prompt exceeds the estimate for which every request holds quota.
	prompts     = 480
	completions = 400
	cacheds     = 20
	space       = prompts * completions * cacheds
	stride      = 7919 // has no factor in common with space, so that n*stride visits every value
)

// countsOf returns the token counts of the request with this number. No other request of the run has the same
// counts, up to space requests, so a usage log's counts identify its request.
func countsOf(number int64) counts {
	n := number * stride % space
	return counts{prompt: leastPrompt + n%prompts, completion: 1 + n/prompts%completions,
		cached: n / (prompts * completions)}
}

// order is one request to send.
type order struct {
	customer *customer
	relay    int // index of the relay
	model    string
	counts
	stream          bool
	capped          bool // sets max_tokens, as a client with little quota does
	reconnects      bool // opens a connection for this request
	disconnectAfter int  // closes the connection after so many lines of the stream; 0: reads to the end
}

// bill returns the price of the request in nano-dollars.
func (o *order) bill() int64 { return tariffOf(o.model).bill(o.counts, o.customer.permille) }

// leastCap is the smallest output cap that a model takes whose channel speaks the dialect responses.
const leastCap = 16

// body returns the request body. The fake upstream reads the counts from the message.
func (o *order) body() string {
	text := fmt.Sprintf(`{"model":%q,"messages":[{"role":"user","content":"usage:%d/%d/%d"}]`, o.model, o.prompt,
		o.completion, o.cached)
	if o.stream {
		text += `,"stream":true`
	}
	if o.capped {
		text += fmt.Sprintf(`,"max_tokens":%d`, max(o.completion, leastCap))
	}
	return text + "}"
}

// kind is the outcome of a request as its client saw it.
type kind uint8

const (
	success kind = iota // the complete answer arrived
	refusal             // an error answer about quota with the right fields
	failure
	disconnected // the client closed the connection on purpose
)

// reply is the result of an order.
type reply struct {
	kind  kind
	class string        // of a refusal or failure
	id    string        // request id from the response header; "" if no header arrived
	took  time.Duration // from sending to the end of the answer
}

// client sends orders. It is safe for concurrent use.
type client struct {
	http    http.Client
	oneShot http.Client // opens a connection for each request
	bases   []string    // base URLs of the relays
	// checker compares each sampled-th exchange with the OpenAPI document.
	checker *contract.Checker
	sent    atomic.Int64
}

// sampled is the distance of the exchanges that are compared with the OpenAPI document. To compare all would take
// processor time that the programs under test need.
const sampled = 16

// newClient returns a client for the relays with these base URLs. timeout limits a request, long streams
// included.
func newClient(bases []string, timeout time.Duration, checker *contract.Checker) *client {
	pool := &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true}
	oneShot := &http.Transport{DisableKeepAlives: true, DisableCompression: true}
	return &client{http: http.Client{Transport: pool, Timeout: timeout},
		oneShot: http.Client{Transport: oneShot, Timeout: timeout}, bases: bases, checker: checker}
}

// send sends the order and returns its result with the time that it took.
func (c *client) send(o *order) reply {
	began := time.Now()
	r := c.exchange(o)
	r.took = time.Since(began)
	return r
}

// exchange sends the order and classifies the answer. A shutdown of the load does not interrupt requests in
// flight.
func (c *client) exchange(o *order) reply {
	// The end of the load must not cancel requests: their results would be unknown to the audit.
	request, err := http.NewRequestWithContext(context.Background(), http.MethodPost,
		c.bases[o.relay]+"/v1/chat/completions", strings.NewReader(o.body()))
	if err != nil {
		return reply{kind: failure, class: err.Error()}
	}
	request.Header.Set("Authorization", "Bearer "+o.customer.secret())
	request.Header.Set("Content-Type", "application/json")
	hc := &c.http
	if o.reconnects {
		hc = &c.oneShot
	}
	resp, err := hc.Do(request)
	if err != nil {
		return reply{kind: failure, class: classOf(err)}
	}
	defer resp.Body.Close() //nolint:errcheck // read to its end, or closed early on purpose
	id := resp.Header.Get("X-Request-Id")
	if o.disconnectAfter > 0 && resp.StatusCode == http.StatusOK {
		return disconnect(resp.Body, o.disconnectAfter, id)
	}
	body, err := io.ReadAll(resp.Body)
	if c.sent.Add(1)%sampled == 0 {
		c.checker.Submit(&contract.Exchange{
			Method: request.Method, URL: request.URL, Header: request.Header, Body: []byte(o.body()), Whole: true,
			Status: resp.StatusCode, AnswerHeader: resp.Header, Answer: body, AnswerWhole: err == nil,
		})
	}
	switch {
	case resp.StatusCode != http.StatusOK && err == nil:
		return refused(resp, body)
	case err == nil && o.complete(body):
		return reply{kind: success, id: id}
	}
	return reply{kind: failure, class: cutBy(body, err), id: id}
}

// complete reports whether body is a complete answer.
func (o *order) complete(body []byte) bool {
	if o.stream {
		return bytes.HasSuffix(bytes.TrimSpace(body), []byte("data: [DONE]"))
	}
	return json.Valid(body)
}

// disconnect reads some lines of a stream and returns; the caller closes the connection.
func disconnect(body io.Reader, lines int, id string) reply {
	var buffer [1]byte
	for lines > 0 {
		if _, err := body.Read(buffer[:]); err != nil {
			return reply{kind: failure, class: cutBy(nil, err), id: id}
		}
		if buffer[0] == '\n' {
			lines--
		}
	}
	return reply{kind: disconnected, id: id}
}

// The classes of failures without an error answer of the relay.
const (
	connRefused = "refused" // no program listens
	connBroken  = "broken"  // connection lost before the answer began
	answerCut   = "cut"     // connection lost after the answer began
	timedOut    = "timeout"
)

// classOf returns the failure class of an error that came before the answer.
func classOf(err error) string {
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return connRefused
	case os.IsTimeout(err):
		return timedOut
	}
	return connBroken
}

// cutBy returns the class of an incomplete answer, with the code of the error event if the stream ends with
// one.
func cutBy(body []byte, err error) string {
	lines := bytes.Split(bytes.TrimSpace(body), []byte("\n"))
	tail, ok := bytes.CutPrefix(lines[len(lines)-1], []byte("data: "))
	if f, isError := envelopeOf(tail); ok && isError {
		return answerCut + " " + f.Code
	}
	if os.IsTimeout(err) {
		return timedOut
	}
	return answerCut
}

// envelope holds the fields of the relay's error answer that the client checks.
type envelope struct{ Type, Code string }

// envelopeOf parses an error answer. It returns false if body is not an error answer.
func envelopeOf(body []byte) (envelope, bool) {
	var text struct {
		Error *envelope `json:"error"`
	}
	if json.Unmarshal(body, &text) != nil || text.Error == nil {
		return envelope{}, false
	}
	return *text.Error, true
}

// Classes of error answers whose fields are checked.
const (
	usedUp     = "insufficient_quota"
	inFlight   = "quota_in_flight"
	overloaded = "503 overloaded"
	malformed  = ", malformed" // suffix of the class if the fields or headers are wrong
)

// refused classifies an error answer. The two quota errors with the right fields are refusals, all others
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
	correct := true
	switch r.class {
	case "429 " + usedUp:
		r.kind, r.class = refusal, f.Code
		correct = f.Type == "insufficient_quota" && retry == "false"
	case "429 " + inFlight:
		r.kind, r.class = refusal, f.Code
		correct = f.Type == "insufficient_quota" && retry == "true"
	case overloaded:
		correct = f.Type == "server_error" && retry == "true" && resp.Header.Get("Retry-After") != ""
	}
	if !correct {
		r.kind, r.class = failure, r.class+malformed
	}
	return r
}
