// Package provider is the seam to the upstream families. A Provider turns one
// client call into one upstream HTTP request and judges what the upstream's
// refusals mean. It is bytes in, bytes out: it never dials, sleeps or logs.
package provider

import (
	"net/http"
	"net/url"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/wire/openai"
)

// Call is one attempt at one channel.
type Call struct {
	Dialect       catalog.Dialect
	Base          *url.URL // the channel's base URL, nil where its type needs none
	Key           string   // the credential, "" where the channel has none
	UpstreamModel string
	Request       *openai.Request
}

// Request is the upstream's side of a Call.
type Request struct {
	Method string
	URL    *url.URL
	Header http.Header
	Body   openai.Body
}

// Provider speaks for one upstream family. Implementations are immutable and
// safe for concurrent use.
type Provider interface {
	// Check returns the problem of the first setting of the channel that this
	// family cannot work with.
	Check(channel *catalog.Channel) error
	// Request builds the upstream request of a call.
	Request(call Call) Request
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
