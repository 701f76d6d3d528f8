// Package provider defines the interface to the families of upstreams (OpenAI, Azure, Anthropic, Gemini, echo). A
// Provider builds the upstream's HTTP request for a client's call and classifies the upstream's error responses. It
// only converts values: it never connects, sleeps or logs. The relay sends the request.
//
//	client's bytes --- translate.DecodeRequest ---> conversation --- Provider.Request ---> upstream's bytes
//	client's bytes <--- translate.Translator <------ completion <--- Request.Decoder <---- upstream's bytes
//
// If the channel speaks the client's dialect, there is no conversation and no Decoder: bytes pass through unchanged,
// except for the model's name, the options of streams, the channel's settings, and an output cap that a nearly empty
// account can pay (LimitOutput).
//
// To add a family, implement Provider in a package of its own, add it to the registry, and run the cases of package
// providertest against it. A Provider may also implement CredentialProber and ResponseStore.
package provider

import (
	"net/http"
	"net/url"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// Operation names an operation on the input of a request that is not a call. Its value is the path below that of the
// dialect responses; of messages there is only CountInput. "" is a call.
type Operation string

// The operations.
const (
	CountInput Operation = "/input_tokens" // count the tokens of the input
	Compact    Operation = "/compact"      // replace a conversation by a shorter one
)

// Call is one attempt of a client's call on one channel.
type Call struct {
	Dialect   catalog.Dialect // dialect of the client
	Operation Operation       // the channel speaks the client's dialect unless it is ""
	// Features of Anthropic's API that a client of the dialect messages asks for, in its form; "" for none.
	Betas         string
	Channel       *catalog.Channel
	Base          *url.URL // base URL of the channel, nil if its type needs none
	Credential    string   // one API key of the channel, "" if it has none
	UpstreamModel string
	MaxOutput     int64 // most output tokens of the response if the client set no limit; 0: the family's default
	Request       *openai.Request
	// Conversation is the decoded request if the channel does not speak the client's dialect, nil if it does, and for
	// embeddings. A provider must not change it: a call can have several attempts.
	Conversation *conversation.Request
	// ServiceTier is the service tier that a translated request states in place of the conversation's, "" for the
	// latter. Request has it already.
	ServiceTier string
}

// Request is the HTTP request to the upstream.
type Request struct {
	Method string
	URL    *url.URL
	Header http.Header
	Body   rawjson.Body
	// Dialect is the dialect of Body.
	Dialect catalog.Dialect
	// Ignored has the client's paths of what Body leaves out because its dialect cannot express it. It is nil if the
	// body is in the client's dialect.
	Ignored []string
	// Decoder decodes the response. It is nil if the response is in the client's dialect, or has embeddings.
	Decoder Decoder
	// Embeddings turns a response with embeddings into the client's dialect, and returns the usage that it reports, nil
	// for none. The client is then told the tokens that estimate returns. It is nil if the response is in the client's
	// dialect. Its errors are those of Decoder.Whole.
	Embeddings func(body []byte, estimate func() int64) (answer []byte, reported *usage.Usage, err error)
	// Stop holds the stop sequences of a translated call that the dialect of Body cannot express. The caller ends the
	// response at the first of them and stops the upstream.
	Stop []string
}

// Decoder decodes one response of an upstream from the upstream's dialect. It is not safe for concurrent use.
type Decoder interface { //nolint:interfacebloat // the five are one response from its beginning to its end
	// Whole decodes a response without streaming. The error is a *completion.UpstreamError if the upstream reports
	// an error; any other error means a malformed response.
	Whole(body []byte) (completion.Response, error)
	// Frame decodes one frame of a stream and appends its events to events. name is the name of the frame's event,
	// or "" for a frame without a name; data is not empty.
	Frame(events []completion.Event, name string, data []byte) ([]completion.Event, error)
	// Close appends the events that remain at the end of the stream. Its error is io.ErrUnexpectedEOF if the stream
	// ended before the upstream said so.
	Close(events []completion.Event) ([]completion.Event, error)
	// ReportedUsage returns the usage that the frames so far report, or nil if they report none. It counts the input of
	// a stream that breaks off.
	ReportedUsage() *usage.Usage
	// StatedDetails returns what the response states so far in addition to its token counts: the service tier, the
	// calls of the provider's tools, and what the upstream charges. They count also if the token counts must be
	// estimated.
	StatedDetails() usage.Details
}

// Provider implements one family of upstreams. Implementations are immutable and safe for concurrent use.
type Provider interface {
	// Check returns the problem of the first field or setting of the channel that the family does not support, or
	// nil if there is none.
	Check(channel *catalog.Channel) error
	// Request returns the upstream's request for a call. The caller may change its header. The error is an
	// UnsupportedParameter problem that names a field which the family cannot serve, or an InvalidType or
	// InvalidJSON problem of the client's request.
	Request(call Call) (Request, error)
	// Fault classifies an error response by its status and the beginning of its body.
	Fault(status int, body []byte) Fault
}

// CredentialProber is implemented by providers that can check whether a credential is valid at no cost.
type CredentialProber interface {
	// Probe returns a request without a body, which the upstream answers with 2xx if the credential is valid. It
	// uses only Channel, Base and Credential of the call.
	Probe(call Call) Request
}

// ModelLister is implemented by providers whose upstreams list their models.
type ModelLister interface {
	// Models returns a request without a body for the first page of the list, as long as the upstream permits. It uses
	// only Channel, Base and Credential of the call.
	Models(call Call) Request
}

// Thinker is implemented by providers that turn a client's reasoning effort into a number of tokens for thinking.
type Thinker interface {
	// ThinkingBudget returns that number for an upstream model. maxOutput is that of Call.
	ThinkingBudget(upstreamModel, effort string, maxOutput int64) int64
}

// ResponseStore is implemented by providers whose upstreams store responses that clients can retrieve and continue.
type ResponseStore interface {
	// StoredRequest returns the request for an operation on a stored response.
	StoredRequest(stored StoredResponse) Request
}

// StoredResponse describes an operation on a response that an upstream stores.
type StoredResponse struct {
	Channel    *catalog.Channel
	Base       *url.URL // base URL of the channel
	Credential string   // one API key of the channel, "" if it has none
	Method     string
	ID         string // the upstream's id of the response
	Path       string // path after the id, such as "/cancel", "" for none
	Query      string // encoded query, "" for none
}

// Fault names the cause of an error response. It decides what the relay does next.
type Fault uint8

// The faults.
const (
	NoFault         Fault = iota // not an error
	ClientFault                  // the request itself: the client gets the error, no other channel is tried
	CredentialFault              // the credential or its account: the next channel is tried
	// Rate limit: the next channel is tried, this channel pauses as long as its upstream asks.
	BusyFault
	ServerFault // any other cause: the next channel is tried
)

// FaultOf classifies an HTTP status by the rules that all families share. Families add their exceptions.
func FaultOf(status int) Fault {
	switch {
	case status >= 200 && status < 300:
		return NoFault
	case status == http.StatusUnauthorized, status == http.StatusPaymentRequired, status == http.StatusForbidden:
		return CredentialFault
	case status == http.StatusTooManyRequests:
		return BusyFault
	case status == http.StatusRequestTimeout, status < 400, status >= 500:
		return ServerFault
	}
	return ClientFault
}
