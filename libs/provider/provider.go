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

// Decoder reads one response of an upstream in its own dialect. It is not safe
// for concurrent use.
type Decoder interface {
	// Whole reads a JSON response. An error that the upstream reports is a
	// *completion.UpstreamError; any other error means a malformed response.
	Whole(body []byte) (completion.Response, error)
	// Frame reads one frame of a stream, given its event's name ("" for none)
	// and its data, which is not empty. It appends the events of the frame to
	// events.
	Frame(events []completion.Event, name string, data []byte) ([]completion.Event, error)
	// Close appends the events that remain at the end of the stream. The error
	// of a stream that broke off is io.ErrUnexpectedEOF.
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

// CredentialProber is a Provider that can check whether a credential is valid
// at no cost.
type CredentialProber interface {
	// Probe builds a request without a body. The upstream answers it with 2xx
	// if the Credential of the call is valid. It uses only Channel, Base and
	// Credential of the call.
	Probe(call Call) Request
}

// ResponseStore is a Provider whose upstreams store responses that clients can
// retrieve and continue.
type ResponseStore interface {
	// StoredRequest builds the request for an operation on a stored response.
	StoredRequest(kept StoredResponse) Request
}

// StoredResponse is an operation on a response that an upstream stores.
type StoredResponse struct {
	Channel    *catalog.Channel
	Base       *url.URL // the channel's
	Credential string   // one API key of the channel, "" if it has none
	Method     string
	ID         string // what the upstream calls the response
	Path       string // what comes after the id, such as "/cancel"
	Query      string // encoded
}

// Fault says who is at fault for an upstream's error status, and so what the
// relay does.
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
