package pipeline

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/tollgate/tollgate/apps/relay/internal/limit"
	"github.com/tollgate/tollgate/apps/relay/internal/responseid"
	"github.com/tollgate/tollgate/apps/relay/internal/snapshot"
	"github.com/tollgate/tollgate/apps/relay/internal/upstream"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/routing"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/wire/openai"
)

const (
	// overhead bounds the tokens a provider adds around the client's text.
	overhead = 512
	// mediaTokens bounds the tokens of one image or file whose bytes are elsewhere.
	mediaTokens = 16_384
	// widestOutput bounds an answer whose model declares no bound of its own.
	maxOutputTokens = 131_072
	// drainLimit and drainTime bound what is read of a body that is refused, so
	// that a client still sending it gets to read the refusal.
	drainLimit = 64 << 20
	drainTime  = 5 * time.Second
	// firstRead and wholeRead bound what is allocated for a body before it comes.
	firstRead = 4 << 10
	wholeRead = 1 << 20
	// bytesPerToken and guessedOutput are for a guess at what a call will use.
	bytesPerToken = 4
	guessedOutput = 4_096
)

// read returns the scanned request and where it has to go back to. The body is
// in memory of its own, which is let go once an upstream has answered.
func (l *Pipeline) read(w http.ResponseWriter, r *http.Request, dialect catalog.Dialect, caller *token.Caller) (*openai.Request, responseid.Origin, error) {
	body, err := l.body(w, r)
	if err != nil {
		return nil, responseid.Origin{}, err
	}
	request, err := openai.ScanRequest(body, dialect)
	if err != nil || dialect != catalog.Responses {
		return request, responseid.Origin{}, err
	}
	if request, err = l.expand(r.Context(), request, caller.Tenant.ID); err != nil {
		return nil, responseid.Origin{}, err
	}
	origin, err := l.origin(request, caller.Tenant.ID)
	return request, origin, err
}

func (l *Pipeline) body(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if err := checkMediaType(r.Header); err != nil {
		return nil, err
	}
	if r.ContentLength > l.MaxBodyBytes {
		l.drain(w, r)
		return nil, tooLarge(l.MaxBodyBytes)
	}
	body, err := readBody(r.Body, r.ContentLength, l.MaxBodyBytes)
	if errors.Is(err, errTooLarge) {
		l.drain(w, r)
		return nil, tooLarge(l.MaxBodyBytes)
	}
	if err != nil {
		return nil, readProblem(err)
	}
	return body, nil
}

func checkMediaType(h http.Header) error {
	mediaType, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	if mediaType = strings.TrimSpace(mediaType); mediaType != "" && !strings.EqualFold(mediaType, "application/json") {
		return problem.New(problem.UnsupportedMediaType, "Unsupported media type %q: send application/json.", mediaType)
	}
	if encoding := h.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return problem.New(problem.UnsupportedMediaType, "Unsupported content encoding %q.", encoding)
	}
	return nil
}

var errTooLarge = errors.New("body too large")

// readBody reads length bytes, or where length is unknown (-1) all up to limit.
func readBody(body io.Reader, length, limit int64) ([]byte, error) {
	if length >= 0 && length <= wholeRead {
		whole := make([]byte, length)
		_, err := io.ReadFull(body, whole)
		return whole, err
	}
	whole := bytes.NewBuffer(make([]byte, 0, firstRead))
	n, err := whole.ReadFrom(io.LimitReader(body, limit+1))
	switch {
	case err == nil && n > limit:
		err = errTooLarge
	case err == nil && n < length:
		err = io.ErrUnexpectedEOF
	}
	return whole.Bytes(), err
}

func readProblem(err error) error {
	var network net.Error
	if errors.As(err, &network) && network.Timeout() {
		return problem.Wrap(problem.ReadTimeout, err)
	}
	return &problem.Problem{Kind: problem.InvalidJSON, Message: "The body ends too early.", Cause: err}
}

func tooLarge(limit int64) error {
	return problem.New(problem.TooLarge, "The request body is larger than %d bytes.", limit)
}

// drain reads on, within bounds, what a refused client is still sending: if
// the connection were closed instead, the client would see a reset and not
// the refusal. A client that asked first (Expect) has not begun to send.
func (l *Pipeline) drain(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Connection", "close")
	if r.Header.Get("Expect") != "" {
		return
	}
	_ = http.NewResponseController(w).SetReadDeadline(l.Now().Add(drainTime)) // without deadlines the limit alone bounds it
	_, _ = io.CopyN(io.Discard, r.Body, drainLimit)                           // whatever went wrong, the refusal is next
}

// limit takes what the call uses of its limits, while there is room to record it.
func (l *Pipeline) limit(ctx context.Context, header http.Header, call limit.Demand) (*limit.Permit, error) {
	if l.Spool.Full() {
		return nil, problem.Of(problem.Overloaded).After(time.Second)
	}
	return l.Limit.Take(ctx, header, call)
}

// need is what has to be held for a call.
type costBound struct {
	input, output int64        // tokens, at most
	first         int64        // output tokens that it can begin with
	least, most   money.Amount // what it costs with first and with output
}

// bound returns the most that the request can cost: its text has no more
// tokens than bytes, its answer no more than the cap it asks for or the
// model's own. A stream can be ended anywhere: it can begin with less. beside
// are the tokens of what it goes on from and of what a channel adds.
func boundCost(request *openai.Request, model *catalog.Model, terms pricing.Terms, beside int64) (costBound, error) {
	if request.Choices > maxOutputTokens {
		return costBound{}, problem.New(problem.InvalidType, "Invalid value for 'n': too many choices.").At("n")
	}
	each := outputBound(request, model)
	n := costBound{input: int64(request.Size()) + beside + overhead + int64(request.Media)*mediaTokens, output: each * request.Choices}
	n.first = n.output
	if request.Stream {
		n.first = min(each, firstStep) * request.Choices
	}
	var err error
	if n.most, err = terms.Bound(n.input, n.output); err != nil {
		return costBound{}, problem.Wrap(problem.QuotaExhausted, err)
	}
	if n.least, err = terms.Bound(n.input, n.first); err != nil {
		return costBound{}, problem.Wrap(problem.QuotaExhausted, err)
	}
	return n, nil
}

// guess is how many tokens a call will use, as its limits count it until that
// is known: those of its text, and the output it asks for within bounds.
func guessTokens(request *openai.Request) int64 {
	output := min(request.OutputCap, guessedOutput) * min(request.Choices, guessedOutput)
	return int64(request.Size())/bytesPerToken + min(output, guessedOutput)
}

// outputBound is the most tokens that one choice may have.
func outputBound(request *openai.Request, model *catalog.Model) int64 {
	output := model.OutputBound()
	if request.OutputCap > 0 {
		widest := max(model.MaxOutput, 0)
		if widest == 0 {
			widest = maxOutputTokens
		}
		output = min(request.OutputCap, widest)
	}
	return output
}

// route plans the attempts: NoChannel where nothing serves the model,
// UnsupportedParameter where no channel has a feature that the call needs.
func (l *Pipeline) route(now *snapshot.Snapshot, c *exchange, request *openai.Request, origin responseid.Origin) (upstream.Call, error) {
	begun := l.Now()
	var room [16]routing.Condition
	channels := eligible(now.Serving(request.Model), origin)
	query := routing.Query{
		Channels: channels, Conditions: l.Upstream.Conditions(room[:0], now, upstream.Serving{Channels: channels, Model: request.Model}, begun),
		Dialect: catalog.Dialect(c.log.Dialect), Needs: needs(request),
		Affinity: routing.AffinityOf(c.log.TenantID, request.CacheKey()), Pick: rand.Uint64N,
	}
	plan, usable := routing.Plan(query)
	if usable == 0 {
		return upstream.Call{}, routing.Refuse(plan, query.Dialect)
	}
	return upstream.Call{
		ID: c.log.ID, Origin: origin, Dialect: query.Dialect, Request: request, Plan: plan[:usable], Affinity: query.Affinity, Snapshot: now, Begun: begun,
	}, nil
}

func needs(request *openai.Request) routing.Needs {
	return routing.Needs{
		Stream: request.Stream, Tools: request.Tools, Vision: request.Media > 0, StructuredOutput: request.Structured,
	}
}
