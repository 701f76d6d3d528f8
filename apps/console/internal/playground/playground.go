// Package playground forwards calls of the console's playground to the relay. The pages cannot call
// the relay themselves, because their content security policy allows connections to the console only.
//
// A Forwarder passes bodies unchanged and flushes streams as they arrive. It connects only to
// the configured relay, never to an address that a request names. The number of calls in flight
// is limited for each user and in total, so that the playground cannot take the console's memory
// away from others. It is not a general proxy: only a few headers pass in each direction.
package playground

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/libs/core/problem"
)

const (
	maxHeader      = 64 << 10 // bytes of the headers of a response
	connectTimeout = 5 * time.Second
	// Between two reads of a response; the relay sends comments while a model is silent.
	idleTimeout      = 2 * time.Minute
	writeTimeout     = time.Minute // for one write to the client
	idleConnections  = 32
	idleConnLifetime = 90 * time.Second
)

const (
	maxCalls     = 256 // calls in flight of all users
	maxUserCalls = 8   // calls in flight of one user
)

// Options configures a Forwarder.
type Options struct {
	RelayURL func() string // returns the base URL of the relay, or "" if it is not known
	Patience time.Duration // time-out for the headers of the relay's response
	Metrics  prometheus.Registerer
}

// Forwarder forwards calls to the relay. It is safe for concurrent use. Close releases its connections.
type Forwarder struct {
	Options
	transport *http.Transport
	calls     *Slots
}

// New returns a Forwarder with its own pool of connections.
func New(o Options) *Forwarder {
	calls := NewSlots(Bounds{Name: "playground", Total: maxCalls, PerUser: maxUserCalls}, o.Metrics)
	return &Forwarder{Options: o, calls: calls, transport: &http.Transport{
		DialContext:         (&net.Dialer{Timeout: connectTimeout}).DialContext,
		TLSHandshakeTimeout: connectTimeout, ResponseHeaderTimeout: o.Patience, MaxResponseHeaderBytes: maxHeader,
		MaxIdleConns: idleConnections, MaxIdleConnsPerHost: idleConnections, IdleConnTimeout: idleConnLifetime,
		DisableCompression: true, ForceAttemptHTTP2: true,
	}}
}

// Close closes idle connections. Calls in flight continue.
func (f *Forwarder) Close() { f.transport.CloseIdleConnections() }

// Call is one call of a signed-in user.
type Call struct {
	UserID  uuid.UUID
	Path    string     // path below the relay's URL; it must not come from the client
	Token   string     // API token with which the relay is called
	Address netip.Addr // of the client; passed on in X-Forwarded-For if valid
}

// Serve forwards the call with the method and body of r, and copies the relay's response to w,
// whatever its status. It returns an error only if it has written nothing to w: a Conflict problem
// if the relay's URL is not known, a RateLimited or Overloaded problem if there are too many calls,
// a problem of the body, or UpstreamFailed or UpstreamTimeout if the relay did not respond. The call
// ends with the context of r. If the response breaks off, Serve panics with http.ErrAbortHandler, so
// that the client sees an incomplete response and does not take it for a complete one.
func (f *Forwarder) Serve(w http.ResponseWriter, r *http.Request, call Call) error {
	base := f.RelayURL()
	if base == "" {
		return problem.New(problem.Conflict, "There is no playground, because the URL of the relay is not "+
			"configured. Set TOLLGATE_RELAY_URL for the console.")
	}
	slot, err := f.calls.Acquire(call.UserID)
	if err != nil {
		return err
	}
	defer slot.Release()
	body, err := ReadBody(w, r)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, r.Method, base+call.Path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("build the relay's request: %w", err)
	}
	// The server's own write deadline is too short for a relay that waits for a model.
	// The error means only that w does not support deadlines.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(f.Patience + writeTimeout))
	defer func() { _ = http.NewResponseController(w).SetWriteDeadline(time.Time{}) }()
	proxy := httputil.ReverseProxy{
		// The log line of the request reports the error.
		Transport: f.transport, FlushInterval: -1, ErrorLog: log.New(io.Discard, "", 0),
		Rewrite: func(out *httputil.ProxyRequest) { out.Out.Header = headers(r.Header, call) },
		ModifyResponse: func(response *http.Response) error {
			removePrivate(response.Header)
			for name := range response.Header { // the relay's values replace those that the console has set
				w.Header().Del(name)
			}
			response.Body = &watchedBody{
				ReadCloser: response.Body, response: response, control: http.NewResponseController(w),
				silence: time.AfterFunc(idleTimeout, cancel),
			}
			return nil
		},
		ErrorHandler: func(_ http.ResponseWriter, _ *http.Request, cause error) { err = failure(cause) },
	}
	proxy.ServeHTTP(w, request)
	return err
}

// headers returns the headers of the request to the relay: the token, and the few headers
// of the client that the relay understands. The session cookie must not leave the console.
func headers(from http.Header, call Call) http.Header {
	to := http.Header{"Authorization": {"Bearer " + call.Token}, "User-Agent": {"Tollgate-Playground"}}
	for _, name := range []string{"Content-Type", "Accept", "X-Tollgate-Include-Quota"} {
		if values := from.Values(name); len(values) > 0 {
			to[name] = values
		}
	}
	if call.Address.IsValid() {
		to["X-Forwarded-For"] = []string{call.Address.String()}
	}
	return to
}

// removePrivate deletes all headers of the relay's response except those that the playground documents.
func removePrivate(header http.Header) {
	for name := range header {
		switch {
		case name == "Content-Type", name == "X-Request-Id", name == "Retry-After",
			strings.HasPrefix(name, "X-Tollgate-"), strings.HasPrefix(name, "X-Ratelimit-"):
		default:
			delete(header, name)
		}
	}
}

// failure returns the problem for a call to which the relay did not respond.
func failure(err error) error {
	var network net.Error
	if errors.As(err, &network) && network.Timeout() {
		p := problem.Wrap(problem.UpstreamTimeout, err)
		p.Message = "The relay did not respond in time. Try again."
		return p
	}
	p := problem.Wrap(problem.UpstreamFailed, err)
	p.Message = "The relay cannot be reached. Try again later."
	return p
}

// watchedBody is the body of the relay's response. Each read restarts the timer that cancels
// a silent response, and extends the deadline for the following write to the client.
type watchedBody struct {
	io.ReadCloser
	response *http.Response
	control  *http.ResponseController
	silence  *time.Timer // cancels the call
}

// Read reads from the response. At the end it drops the trailers, which the playground does not pass on.
func (b *watchedBody) Read(buffer []byte) (int, error) {
	n, err := b.ReadCloser.Read(buffer)
	if n > 0 {
		b.silence.Reset(idleTimeout)
		// The error means only that the writer does not support deadlines.
		_ = b.control.SetWriteDeadline(time.Now().Add(writeTimeout))
	}
	if err != nil {
		b.response.Trailer = nil
	}
	return n, err
}

// Close stops the timer and closes the body.
func (b *watchedBody) Close() error {
	b.silence.Stop()
	return b.ReadCloser.Close()
}
