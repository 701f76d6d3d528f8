// Package probe tests channels: Check asks an upstream, at no cost, whether it accepts a credential, Models reads its
// list of models, Try makes a real call of a few tokens, and a Chat makes the call of an operator's playground. Workers
// check credentials periodically, operators check, try and call channels from the console. Calls of clients do not use
// this package.
//
// Each probe uses a new connection with the channel's own settings (proxy, certificates, headers), so that it
// fails for the same reasons as a call would. It is bounded in time and in the bytes that it reads. Results
// never contain the credential.
package probe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/tollgate/tollgate/libs/core/address"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/egress"
	"github.com/tollgate/tollgate/libs/provider"
	"github.com/tollgate/tollgate/libs/provider/echo"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

const (
	// Timeout bounds one Check, Models or Try.
	Timeout = 10 * time.Second

	maxAnswer = 64 << 10 // bytes of a response that are read
	maxDetail = 1_000    // bytes of Result.Detail
)

// Opener unseals credentials and the URLs of proxies, and computes the fingerprints of credentials. A
// *seal.Sealer is one.
type Opener interface {
	OpenCredential(key catalog.SealedSecret) (string, error)
	OpenProxy(proxy catalog.SealedSecret) (string, error)
	Fingerprint(credential string) string
}

// Lookup finds the provider of a channel type.
type Lookup func(channelType string) (provider.Provider, bool)

// Prober checks credentials and tries channels. It is safe for concurrent use.
type Prober struct {
	opener Opener
	lookup Lookup
	policy address.Policy
	now    func() time.Time
}

// New returns a Prober that connects only to addresses that the policy permits.
func New(opener Opener, lookup Lookup, policy address.Policy) *Prober {
	return &Prober{opener: opener, lookup: lookup, policy: policy, now: time.Now}
}

// Credential is an unsealed credential of a channel. The zero value is for a channel without credentials.
type Credential struct {
	Plain       string
	Mask        string
	Fingerprint string
}

// Credentials unseals the credentials of a channel, in their order. A credential that cannot be unsealed,
// because it was sealed with another secret key, has a Mask but no Plain and no Fingerprint.
func (p *Prober) Credentials(channel *catalog.Channel) []Credential {
	keys := make([]Credential, len(channel.Credentials))
	for i, secret := range channel.Credentials {
		keys[i].Mask = secret.Mask
		if plaintext, err := p.opener.OpenCredential(secret); err == nil {
			keys[i].Plain, keys[i].Fingerprint = plaintext, p.opener.Fingerprint(plaintext)
		}
	}
	return keys
}

// Result is the result of a Check, Models or Try. Times are measured from the beginning.
type Result struct {
	Status    int                    // HTTP status; 0 without a response
	Latency   time.Duration          // until the end
	Connect   time.Duration          // until there was a connection; 0 if there was none
	FirstByte time.Duration          // until the response began; 0 without a response
	Error     string                 // one of the constants below; "" for success
	Detail    string                 // text of the upstream without the credential; only operators may see it
	Refusal   catalog.DisabledReason // why the credential is refused; "" if it is not
	Certain   bool                   // whether the refusal is certain, see provider.DisabledReasonOf
}

// The values of Result.Error.
const (
	ErrorUnreachable = "connect"        // there was no connection, or it broke
	ErrorForbidden   = "egress_refused" // the policy forbids the address
	ErrorTimedOut    = "timeout"        // there was no response in time
	ErrorCredential  = "credential"     // the upstream refuses the credential
	ErrorUnpaid      = "unpaid"         // the account of the credential has no money
	ErrorRateLimited = "rate_limited"   // the upstream limits the rate
	ErrorRejected    = "rejected"       // the upstream rejects the request itself
	ErrorStatus      = "status"         // the upstream failed
	ErrorMalformed   = "nonsense"       // the status is a success, but the body is not a response
	ErrorUnsupported = "unsupported"    // the provider cannot make such a call
)

// Check asks the upstream whether it accepts the credential, at no cost. It returns false if the type of the
// channel has no way to ask, or if the channel is misconfigured.
func (p *Prober) Check(ctx context.Context, channel *catalog.Channel, key Credential) (Result, bool) {
	to, err := p.upstream(channel, key)
	if err != nil {
		return Result{}, false
	}
	asking, able := to.family.(provider.CredentialProber)
	if !able {
		return Result{}, false
	}
	result, _ := p.send(ctx, to, asking.Probe(to.call), maxAnswer)
	return result, true
}

// upstream is the provider and the credential that a probe uses, with the part of a call that all requests share.
type upstream struct {
	family provider.Provider
	key    Credential
	call   provider.Call
}

// upstream returns the upstream of a channel. It fails if the type is unknown, or if the base URL or the id of a model
// is invalid.
func (p *Prober) upstream(channel *catalog.Channel, key Credential) (*upstream, error) {
	family, ok := p.lookup(channel.Type)
	if !ok {
		return nil, fmt.Errorf("unknown type %q", channel.Type)
	}
	if err := channel.CheckPaths(); err != nil { // it may be stored since before the check of what is stored
		return nil, err
	}
	to := &upstream{family, key, provider.Call{Channel: channel, Credential: key.Plain}}
	if channel.BaseURL != "" {
		base, err := url.Parse(strings.TrimRight(channel.BaseURL, "/"))
		if err != nil {
			return nil, fmt.Errorf("base URL: %w", err)
		}
		to.call.Base = base
	}
	return to, nil
}

// send sends a request, reads up to limit bytes of the response, and returns the result with the body.
func (p *Prober) send(ctx context.Context, to *upstream, out provider.Request, limit int64) (Result, []byte) {
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	begun := p.now()
	moments := &moments{}
	ctx = moments.trace(ctx, p.now)
	response, done, err := p.exchange(ctx, &to.call.Channel.Settings, out) //nolint:bodyclose // done closes it
	if err != nil {
		return moments.addTo(p.unanswered(ctx, to.key, begun, err), begun), nil
	}
	defer done()
	body, err := io.ReadAll(io.LimitReader(response.Body, limit))
	if err != nil {
		return moments.addTo(p.unanswered(ctx, to.key, begun, err), begun), nil
	}
	result := judge(to.family, response.StatusCode, body)
	result.Latency, result.Detail = p.now().Sub(begun), clean(result.Detail, to.key)
	return moments.addTo(result, begun), body
}

// exchange sends the request on a new connection, with the channel's settings. The caller calls done after it
// has read the response; done closes the body and the connection.
func (p *Prober) exchange(ctx context.Context, s *catalog.Settings,
	out provider.Request) (response *http.Response, done func(), err error) {
	config, err := egress.TransportConfigOf(s, p.opener.OpenProxy)
	if err != nil {
		return nil, nil, err
	}
	pool := egress.NewPool(egress.Options{
		Policy: p.policy, Protocols: map[string]http.RoundTripper{echo.Scheme: echo.NewTransport(p.now)},
	})
	transport, err := pool.Transport(config)
	if err != nil {
		return nil, nil, err
	}
	request := &http.Request{Method: out.Method, URL: out.URL, Host: out.URL.Host, Header: out.Header}
	for name, value := range s.Headers {
		request.Header.Set(name, value)
	}
	if size := out.Body.Size(); size > 0 {
		request.Body, request.ContentLength = out.Body.Reader(), size
	}
	// RoundTrip, and not an http.Client, because a redirect could send the credential to another host.
	response, err = transport.RoundTrip(request.WithContext(ctx))
	if err != nil {
		pool.Close()
		return nil, nil, err
	}
	return response, func() {
		_ = response.Body.Close() // the rest of the body is not needed
		pool.Close()
	}, nil
}

// unanswered returns the result of a request that got no complete response.
func (p *Prober) unanswered(ctx context.Context, key Credential, begun time.Time, err error) Result {
	word := ErrorUnreachable
	var forbidden *egress.ForbiddenError
	switch {
	case errors.As(err, &forbidden):
		word = ErrorForbidden
	case ctx.Err() != nil:
		word = ErrorTimedOut
	}
	return Result{Error: word, Latency: p.now().Sub(begun), Detail: clean(err.Error(), key)}
}

// judge returns the result of a response, without times.
func judge(family provider.Provider, status int, body []byte) Result {
	result := Result{Status: status}
	fault := provider.FaultOf(status)
	if fault != provider.NoFault { // the provider knows better what its error bodies mean
		fault = family.Fault(status, body)
		result.Detail = detail(body)
	}
	switch fault {
	case provider.NoFault:
	case provider.CredentialFault:
		result.Error = ErrorCredential
		if result.Refusal, result.Certain = provider.DisabledReasonOf(status, body); result.Refusal ==
			catalog.ReasonUnpaid {
			result.Error = ErrorUnpaid
		}
	case provider.BusyFault:
		result.Error = ErrorRateLimited
	case provider.ClientFault:
		result.Error = ErrorRejected
	case provider.ServerFault:
		result.Error = ErrorStatus
	}
	return result
}

// detail returns the message of an error body, or the whole body if it has no message.
func detail(body []byte) string {
	if e := output.ScanError(body); e != nil && e.Message != "" {
		return e.Message
	}
	return string(body)
}

// clean replaces the credential in an upstream's text by its mask and cuts the text to 1,000 bytes of valid UTF-8.
func clean(text string, key Credential) string { return cleanTo(maxDetail, text, key) }

// cleanTo is clean with another number of bytes.
func cleanTo(limit int, text string, key Credential) string {
	if key.Plain != "" {
		text = strings.ReplaceAll(text, key.Plain, key.Mask)
	}
	return strings.ToValidUTF8(text[:min(len(text), limit)], "")
}

// refused returns the result of a call that the provider cannot make.
func refused(err error) Result {
	return Result{Error: ErrorUnsupported, Detail: problem.From(err).Text()}
}
