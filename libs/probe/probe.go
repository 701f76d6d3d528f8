// Package probe asks an upstream whether a credential of a channel is good, and
// tries a channel with a real call. It is what workers do by themselves and
// operators at will; no client's call goes through it.
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
	// Timeout bounds one probe, and one try.
	Timeout = 10 * time.Second

	maxAnswer = 64 << 10 // bytes
	maxDetail = 1_000    // bytes of an upstream's text
)

// Opener unseals credentials and the URLs of proxies, and names the credentials.
type Opener interface {
	OpenCredential(key catalog.SealedSecret) (string, error)
	OpenProxy(proxy catalog.SealedSecret) (string, error)
	Fingerprint(credential string) string
}

// Lookup finds the provider of a channel type.
type Lookup func(channelType string) (provider.Provider, bool)

// Prober probes. It is safe for concurrent use.
type Prober struct {
	opener Opener
	lookup Lookup
	policy address.Policy
	now    func() time.Time
}

// New returns a Prober that connects to what the policy permits.
func New(opener Opener, lookup Lookup, policy address.Policy) *Prober {
	return &Prober{opener: opener, lookup: lookup, policy: policy, now: time.Now}
}

// Credential is an unsealed credential of a channel. The zero value stands for
// a channel without credentials.
type Credential struct {
	Plain       string
	Mask        string
	Fingerprint string
}

// Credentials unseals the credentials of a channel. A credential that another
// secret key sealed comes without Plain and Fingerprint.
func (p *Prober) Credentials(channel *catalog.Channel) []Credential {
	keys := make([]Credential, len(channel.Credentials))
	for i, sealed := range channel.Credentials {
		keys[i].Mask = sealed.Mask
		if plain, err := p.opener.OpenCredential(sealed); err == nil {
			keys[i].Plain, keys[i].Fingerprint = plain, p.opener.Fingerprint(plain)
		}
	}
	return keys
}

// Result is what a probe or a try found.
type Result struct {
	Status    int // HTTP status, 0 without an answer
	Latency   time.Duration
	Connect   time.Duration          // of it until there was a connection; 0 where none was made
	FirstByte time.Duration          // of it until the answer began; 0 without an answer
	Error     string                 // word, "" where all is well
	Detail    string                 // what the upstream said, without the credential; for operators alone
	Refusal   catalog.DisabledReason // of a credential that is refused
	Certain   bool                   // that it is, see provider.DisabledReasonOf
}

// The words of what can be wrong.
const (
	ErrorUnreachable = "connect"
	ErrorForbidden   = "egress_refused"
	ErrorTimedOut    = "timeout"
	ErrorCredential  = "credential"
	ErrorUnpaid      = "unpaid"
	ErrorRateLimited = "rate_limited"
	ErrorRejected    = "rejected"
	ErrorStatus      = "status"
	ErrorMalformed   = "nonsense"
	ErrorUnsupported = "unsupported"
)

// Check asks whether the credential is good, at no cost; false where the type
// of the channel has no way to ask.
func (p *Prober) Check(ctx context.Context, channel *catalog.Channel, key Credential) (Result, bool) {
	to, err := p.upstream(channel, key)
	if err != nil {
		return Result{}, false
	}
	asking, able := to.family.(provider.CredentialProber)
	if !able {
		return Result{}, false
	}
	result, _ := p.send(ctx, to, asking.Probe(to.call))
	return result, true
}

// upstream is where requests go, and what they have in common.
type upstream struct {
	family provider.Provider
	key    Credential
	call   provider.Call
}

func (p *Prober) upstream(channel *catalog.Channel, key Credential) (*upstream, error) {
	family, known := p.lookup(channel.Type)
	if !known {
		return nil, fmt.Errorf("unknown type %q", channel.Type)
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

// send makes a request and judges the answer, of which it returns
// the body.
func (p *Prober) send(ctx context.Context, to *upstream, out provider.Request) (Result, []byte) {
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	begun := p.now()
	marks := &marks{}
	ctx = marks.trace(ctx, p.now)
	response, done, err := p.exchange(ctx, &to.call.Channel.Settings, out) //nolint:bodyclose // done does
	if err != nil {
		return marks.on(p.unanswered(ctx, to.key, begun, err), begun), nil
	}
	defer done()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return marks.on(p.unanswered(ctx, to.key, begun, err), begun), nil
	}
	result := judge(to.family, response.StatusCode, body)
	result.Latency, result.Detail = p.now().Sub(begun), clean(result.Detail, to.key)
	return marks.on(result, begun), body
}

// exchange makes the request the way the channel is reached, on a connection of
// its own: probes are few. done ends it.
func (p *Prober) exchange(ctx context.Context, s *catalog.Settings, out provider.Request) (response *http.Response, done func(), err error) {
	way, err := egress.TransportConfigOf(s, p.opener.OpenProxy)
	if err != nil {
		return nil, nil, err
	}
	pool := egress.NewPool(egress.Options{
		Policy: p.policy, Protocols: map[string]http.RoundTripper{echo.Scheme: echo.NewTransport(p.now)},
	})
	transport, err := pool.Transport(way)
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
	response, err = transport.RoundTrip(request.WithContext(ctx))
	if err != nil {
		pool.Close()
		return nil, nil, err
	}
	return response, func() {
		_ = response.Body.Close() // what is left of it is of no use
		pool.Close()
	}, nil
}

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

func judge(family provider.Provider, status int, body []byte) Result {
	result := Result{Status: status}
	fault := provider.FaultOf(status)
	if fault != provider.NoFault {
		fault = family.Fault(status, body)
		result.Detail = detail(body)
	}
	switch fault {
	case provider.NoFault:
	case provider.CredentialFault:
		result.Error = ErrorCredential
		if result.Refusal, result.Certain = provider.DisabledReasonOf(status, body); result.Refusal == catalog.ReasonUnpaid {
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

// detail is the message of an error, or the beginning of what came in its place.
func detail(body []byte) string {
	if e := output.ScanError(body); e != nil && e.Message != "" {
		return e.Message
	}
	return string(body)
}

// clean makes an upstream's text short, and takes the credential out of it.
func clean(text string, key Credential) string {
	if key.Plain != "" {
		text = strings.ReplaceAll(text, key.Plain, key.Mask)
	}
	return strings.ToValidUTF8(text[:min(len(text), maxDetail)], "")
}

// refused is the Result of a call that the family cannot make.
func refused(err error) Result {
	return Result{Error: ErrorUnsupported, Detail: problem.From(err).Text()}
}
