// Package provider is the seam to the upstream families. A Provider turns one
// client call into one upstream HTTP request and judges what the upstream's
// refusals mean. It is bytes in, bytes out: it never dials, sleeps or logs.
package provider

import (
	"net/http"
	"net/url"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/wire/openai"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// Call is one attempt at one channel.
type Call struct {
	Dialect       catalog.Dialect // the client's
	Channel       *catalog.Channel
	Base          *url.URL // the channel's base URL, nil where its type needs none
	Credential    string   // one API key of the channel, "" if it has none
	UpstreamModel string
	MaxOutput     int64 // tokens of an answer whose client set no cap, 0: what the family takes
	Request       *openai.Request
	// Conversation is what the request means, where the channel does not speak
	// the client's dialect; nil where it does. It must not be changed.
	Conversation *conversation.Request
}

// Request is the upstream's side of a Call.
type Request struct {
	Method string
	URL    *url.URL
	Header http.Header
	Body   rawjson.Body
	// Decoder reads the answer, nil where it is in the client's dialect.
	Decoder Decoder
}

// Decoder reads one answer of an upstream in its own dialect. It is not safe
// for concurrent use.
type Decoder interface {
	// Whole reads a JSON answer. What the upstream reports as an error is a
	// *completion.UpstreamError, other errors are of an answer that is none.
	Whole(body []byte) (completion.Response, error)
	// Frame reads one frame of a stream, with its event's name ("" where it has
	// none) and its data, which are not empty, and appends what it says to events.
	Frame(events []completion.Event, name string, data []byte) ([]completion.Event, error)
	// Close appends what is left to say where the stream has ended. A stream that
	// broke off is io.ErrUnexpectedEOF.
	Close(events []completion.Event) ([]completion.Event, error)
}

// Provider speaks for one upstream family. Implementations are immutable and
// safe for concurrent use.
type Provider interface {
	// Check returns the problem of the first setting of the channel that this
	// family cannot work with.
	Check(channel *catalog.Channel) error
	// Request builds the upstream request of a call; its header is the caller's to
	// change. Its error is an UnsupportedParameter problem that names what the
	// family cannot serve, or an InvalidType or InvalidJSON problem of the client's
	// own making.
	Request(call Call) (Request, error)
	// Fault tells whose fault an error answer is. Body is its beginning.
	Fault(status int, body []byte) Fault
}

// CredentialProber is a Provider that can ask whether a credential is good at no cost.
type CredentialProber interface {
	// Probe builds a request without a body that an upstream answers with 2xx
	// where the Key of the call is good. Of the call it needs Channel, Base and Key.
	Probe(call Call) Request
}

// ResponseStore is a Provider whose upstreams keep responses that clients may come
// back to.
type ResponseStore interface {
	// StoredResponse builds the request for one of them.
	StoredRequest(kept StoredResponse) Request
}

// StoredResponse is what to do with a response that an upstream keeps.
type StoredResponse struct {
	Channel    *catalog.Channel
	Base       *url.URL // the channel's
	Credential string   // one API key of the channel, "" if it has none
	Method     string
	ID         string // what the upstream calls the response
	Path       string // what comes after the id, such as "/cancel"
	Query      string // encoded
}

// Fault tells whose fault an upstream's error status is, and so what to do.
type Fault uint8

// The faults.
const (
	NoFault         Fault = iota // not an error
	ClientFault                  // the request itself: the client is told, no other channel is tried
	CredentialFault              // the channel's own key or account: the next channel is tried
	BusyFault                    // rate limit: the next channel is tried, this one rests as long as it asks
	ServerFault                  // anything else: the next channel is tried
)

// FaultOf classifies an HTTP status in the way all families share.
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
