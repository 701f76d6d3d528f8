package probe

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/routing"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/egress"
	"github.com/tollgate/tollgate/libs/provider"
	"github.com/tollgate/tollgate/libs/provider/translate"
	"github.com/tollgate/tollgate/libs/wire/chat"
	"github.com/tollgate/tollgate/libs/wire/openai"
)

// The bounds of a Chat.
const (
	ChatSilence = 2 * time.Minute  // longest wait for the next bytes of the upstream
	ChatTime    = 10 * time.Minute // of the whole call

	maxChatDetail = 16 << 10 // bytes of Result.Detail
	maxChatWhole  = 8 << 20  // bytes of an answer without streaming
	maxChatFrame  = 8 << 20  // bytes of one frame of a stream
	maxChatStream = 64 << 20 // bytes of a stream
)

// Chat is one call of a model with a request of the dialect chat, as a client of the relay would send it. The provider
// translates it into a dialect of the channel, as for the relay. It is for one Run.
type Chat struct {
	Model string // public id

	// Silence and Time bound the call. NewChat sets them to ChatSilence and ChatTime.
	Silence, Time time.Duration

	prober  *Prober
	to      *upstream
	request provider.Request
	head    completion.Header
	stream  bool
}

// ChatResult is the result of a Chat. Detail is the whole body of an error response, at most 16 KiB.
type ChatResult struct {
	Result
	FirstToken time.Duration // until the first text, reasoning or call of a tool; 0 without one
	Usage      *usage.Usage  // as the upstream reported it; nil if it reported none
}

// NewChat returns the call of a channel with a client's request, which it neither changes nor keeps longer than the
// call. maxOutput returns the most output tokens of a model, for dialects that require a limit. Errors are problems
// that name the field of the request, without a status of the upstream: nothing was sent.
func (p *Prober) NewChat(channel *catalog.Channel, key Credential, body []byte,
	maxOutput func(model string) int64) (*Chat, error) {
	request, err := openai.ScanRequest(body, catalog.Chat)
	if err != nil {
		return nil, err
	}
	meaning, err := translate.DecodeRequest(body, catalog.Chat)
	if err != nil {
		return nil, err
	}
	if _, serves := channel.Models[request.Model]; !serves {
		return nil, problem.New(problem.InvalidType,
			"The channel does not serve this model: name one of its models.").At("model")
	}
	if request.Choices > 1 {
		return nil, problem.New(problem.UnsupportedParameter, "There is one answer only: n must be 1.").At("n")
	}
	to, err := p.upstream(channel, key)
	if err != nil {
		return nil, problem.New(problem.UnsupportedParameter, "The channel is misconfigured: %s.",
			problem.From(err).Text())
	}
	if !routing.Serves(channel, catalog.Chat) {
		return nil, problem.New(problem.UnsupportedParameter, "The channel has no %s.", catalog.Chat)
	}
	c := &Chat{Model: request.Model, Silence: ChatSilence, Time: ChatTime, prober: p, to: to, stream: request.Stream}
	id := uuid.New()
	c.head = completion.Header{ID: hex.EncodeToString(id[:]), Model: request.Model, Created: p.now(), Request: meaning}
	call := to.call
	call.Dialect, call.UpstreamModel, call.Request = catalog.Chat, channel.Models[request.Model], request
	call.MaxOutput = maxOutput(request.Model)
	return c, c.build(call, meaning)
}

// build sets the request to the upstream. As in the relay, a channel that speaks chat gets the client's bytes.
func (c *Chat) build(call provider.Call, meaning *conversation.Request) (err error) {
	settings := &call.Channel.Settings
	if !call.Channel.Speaks(catalog.Chat) {
		call.Conversation = meaning.WithSystemPrompt(settings.SystemPrompt)
	}
	if c.request, err = c.to.family.Request(call); err != nil {
		return err
	}
	if c.request.Decoder == nil {
		c.request.Decoder = chat.NewDecoder(meaning)
		return nil
	}
	c.request.Body, err = c.request.Body.WithParameters(settings.Parameters)
	return err
}

// Run makes the call and writes the answer to w, as it arrives: the chunks of a chat completion as server-sent events,
// with [DONE] at the end if the answer is complete. Errors of the upstream are in the result alone. The call ends with
// ctx, and when w fails.
func (c *Chat) Run(ctx context.Context, w io.Writer) ChatResult {
	p := c.prober
	ctx, cancel := context.WithTimeout(ctx, c.Time)
	defer cancel()
	silence := time.AfterFunc(c.Silence, cancel)
	defer silence.Stop()
	begun, moments := p.now(), &moments{}
	decoder := &listener{Decoder: c.request.Decoder, key: c.to.key, now: p.now}
	result := c.exchange(moments.trace(ctx, p.now), &quietReader{silence: silence, wait: c.Silence}, decoder, w)
	result.Latency = p.now().Sub(begun)
	if !decoder.firstToken.IsZero() {
		result.FirstToken = decoder.firstToken.Sub(begun)
	}
	result.Result = moments.addTo(result.Result, begun)
	return result
}

// exchange sends the request, and reads the response through source.
func (c *Chat) exchange(ctx context.Context, source *quietReader, decoder *listener, w io.Writer) (r ChatResult) {
	p := c.prober
	response, done, err := p.exchange(ctx, &c.to.call.Channel.Settings, c.request) //nolint:bodyclose // done closes it
	if err != nil {
		r.Result = p.unanswered(ctx, c.to.key, p.now(), err)
		return r
	}
	defer done()
	egress.Unzip(response)
	source.from = response.Body
	if provider.FaultOf(response.StatusCode) != provider.NoFault {
		body, _ := io.ReadAll(io.LimitReader(source, maxAnswer)) // the part that arrived says enough
		r.Result = judge(c.to.family, response.StatusCode, body)
		r.Detail = cleanTo(maxChatDetail, string(body), c.to.key)
		return r
	}
	r.Status = response.StatusCode
	translator := translate.NewTranslator(catalog.Chat, c.head, decoder)
	translator.StopAt(c.request.Stop)
	translator.ReadOn(func() {}) // for the usage
	said, err := c.read(response, source, translator, w)
	r.Usage = translator.FullUsage()
	if err != nil {
		r.Error, r.Detail = reasonOf(ctx, source, err)
		if r.Detail == "" {
			r.Detail = said
		}
		r.Detail = cleanTo(maxChatDetail, r.Detail, c.to.key)
	}
	return r
}

// read writes the answer to w. said is the text of an answer that is no stream and has an error.
func (c *Chat) read(response *http.Response, source io.Reader, translator *translate.Translator,
	w io.Writer) (said string, err error) {
	body := bufio.NewReader(source)
	if c.stream && isStream(response, body) {
		if _, err := io.Copy(w, translator.Stream(io.LimitReader(body, maxChatStream), maxChatFrame)); err != nil {
			return "", fmt.Errorf("pass the stream on: %w", err)
		}
		return "", nil
	}
	text, err := io.ReadAll(io.LimitReader(body, maxChatWhole))
	if err != nil {
		return "", fmt.Errorf("read the answer: %w", err)
	}
	frames, err := translator.Frames(text)
	if err != nil {
		return string(text), err
	}
	if _, err := w.Write(frames); err != nil {
		return "", fmt.Errorf("pass the answer on: %w", err)
	}
	return "", nil
}

// isStream reports whether a response is an event stream. Some servers answer with JSON or a page although a stream
// was asked for, and some send a stream with another content type.
func isStream(response *http.Response, body *bufio.Reader) bool {
	if kind, _, err := mime.ParseMediaType(response.Header.Get("Content-Type")); err == nil &&
		kind == "text/event-stream" {
		return true
	}
	for {
		head, err := body.Peek(1)
		if err != nil {
			return false
		}
		if strings.IndexByte(" \t\r\n", head[0]) < 0 {
			return strings.IndexByte("{[<", head[0]) < 0
		}
		_, _ = body.ReadByte() // it was just seen
	}
}

// reasonOf returns the word and the text of a response that failed after its status. The text is empty if the body of
// the response says more.
func reasonOf(ctx context.Context, source *quietReader, err error) (word, detail string) {
	fault := new(completion.UpstreamError)
	switch {
	case errors.As(err, &fault):
		return ErrorStatus, fault.Message
	case ctx.Err() != nil:
		return ErrorTimedOut, "The upstream did not complete its answer in time."
	case source.readErr != nil:
		return ErrorUnreachable, source.readErr.Error()
	case errors.Is(err, io.ErrUnexpectedEOF):
		return ErrorMalformed, "The stream ended before the answer was complete."
	}
	return ErrorMalformed, ""
}

// quietReader reads a response and ends the call when the upstream is silent for too long. The time between two reads
// does not count: it is the client's.
type quietReader struct {
	from    io.Reader
	silence *time.Timer // ends the call
	wait    time.Duration
	readErr error // of a read, except io.EOF
}

// Read implements io.Reader.
func (q *quietReader) Read(p []byte) (int, error) {
	q.silence.Reset(q.wait)
	n, err := q.from.Read(p)
	q.silence.Stop()
	if err != nil && !errors.Is(err, io.EOF) {
		q.readErr = err
	}
	return n, err
}
