// Package playground forwards calls of the console's playground to the relay,
// because pages may connect only to the console. Bodies pass unchanged, and
// streams as they arrive. It connects to the configured relay and to no address
// that a request names.
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

	"github.com/tollgate/tollgate/libs/core/problem"
)

const (
	maxBody          = 4 << 20
	maxHeader        = 64 << 10 // of an answer
	bodyReadTimeout  = 30 * time.Second
	connectTimeout   = 5 * time.Second
	idleTimeout      = 2 * time.Minute // of an answer that falls silent; the relay fills silence with comments
	writeTimeout     = time.Minute     // of one write to a client
	idleConnections  = 32
	idleConnLifetime = 90 * time.Second
)

// Options are what a Forwarder needs to know.
type Options struct {
	RelayURL func() string // base URL of the relay, "" where it is unknown
	Patience time.Duration // for the relay's answer to begin
}

// Forwarder is safe for concurrent use. Close ends it.
type Forwarder struct {
	Options
	transport *http.Transport
	slots     slots
}

// New returns a Forwarder with connections of its own.
func New(o Options) *Forwarder {
	return &Forwarder{Options: o, slots: slots{taken: map[uuid.UUID]int{}}, transport: &http.Transport{
		DialContext:         (&net.Dialer{Timeout: connectTimeout}).DialContext,
		TLSHandshakeTimeout: connectTimeout, ResponseHeaderTimeout: o.Patience, MaxResponseHeaderBytes: maxHeader,
		MaxIdleConns: idleConnections, MaxIdleConnsPerHost: idleConnections, IdleConnTimeout: idleConnLifetime,
		DisableCompression: true, ForceAttemptHTTP2: true,
	}}
}

// Close frees the connections that are idle. Calls in flight go on.
func (f *Forwarder) Close() { f.transport.CloseIdleConnections() }

// Call is one call of a signed-in user.
type Call struct {
	UserID  uuid.UUID
	Path    string // below the relay's URL; never a client's own words
	Token   string // of the relay
	Address netip.Addr
}

// Serve forwards the call, with r's method and body, and copies the relay's
// answer to w. It writes nothing where it returns an error, which is a problem. It
// ends when r's context does. Where the relay's answer breaks off it panics with
// http.ErrAbortHandler, so that the client sees an incomplete answer.
func (f *Forwarder) Serve(w http.ResponseWriter, r *http.Request, call Call) error {
	base := f.RelayURL()
	if base == "" {
		return problem.New(problem.Conflict, "The console was not told where the relay is (TOLLGATE_RELAY_URL): there is no playground.")
	}
	if err := f.slots.take(call.UserID); err != nil {
		return err
	}
	defer f.slots.free(call.UserID)
	body, err := readBody(w, r)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, r.Method, base+call.Path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("build the relay's request: %w", err)
	}
	// The server's own bound of an answer would end while the relay waits for a model.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(f.Patience + writeTimeout)) // a writer without deadlines has none
	defer func() { _ = http.NewResponseController(w).SetWriteDeadline(time.Time{}) }()
	proxy := httputil.ReverseProxy{
		Transport: f.transport, FlushInterval: -1, ErrorLog: log.New(io.Discard, "", 0), // the request's log line reports what failed
		Rewrite: func(out *httputil.ProxyRequest) { out.Out.Header = headers(r.Header, call) },
		ModifyResponse: func(response *http.Response) error {
			removePrivate(response.Header)
			for name := range response.Header { // the relay's values replace the console's
				w.Header().Del(name)
			}
			response.Body = &watchedBody{
				ReadCloser: response.Body, response: response, control: http.NewResponseController(w), silence: time.AfterFunc(idleTimeout, cancel),
			}
			return nil
		},
		ErrorHandler: func(_ http.ResponseWriter, _ *http.Request, cause error) { err = failure(cause) },
	}
	proxy.ServeHTTP(w, request)
	return err
}

// readBody reads the whole body: what comes later than the relay's answer
// would break it.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.Method == http.MethodGet {
		return nil, nil
	}
	mediaType, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	if !strings.EqualFold(strings.TrimSpace(mediaType), "application/json") {
		return nil, problem.Of(problem.UnsupportedMediaType)
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyReadTimeout)) // it ends with the body
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err == nil {
		return body, nil
	}
	var network net.Error
	switch tooLarge := (*http.MaxBytesError)(nil); {
	case errors.As(err, &tooLarge):
		return nil, problem.New(problem.TooLarge, "The request body is larger than %d bytes.", tooLarge.Limit)
	case errors.As(err, &network) && network.Timeout():
		return nil, problem.Wrap(problem.ReadTimeout, err)
	}
	return nil, &problem.Problem{Kind: problem.InvalidJSON, Message: "The body ends too early.", Cause: err}
}

// headers returns the headers of the request to the relay. Cookies stay here.
func headers(from http.Header, call Call) http.Header {
	to := http.Header{"Authorization": {"Bearer " + call.Token}}
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

// removePrivate leaves only the headers of the relay that clients may read.
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

// failure returns the public problem of a call that the relay did not answer.
func failure(err error) error {
	var network net.Error
	if errors.As(err, &network) && network.Timeout() {
		p := problem.Wrap(problem.UpstreamTimeout, err)
		p.Message = "The relay did not answer in time."
		return p
	}
	p := problem.Wrap(problem.UpstreamFailed, err)
	p.Message = "The relay cannot be reached."
	return p
}

// watchedBody is the body of the relay's answer. Each read postpones the end of
// a silent answer and the deadline of the write that follows.
type watchedBody struct {
	io.ReadCloser
	response *http.Response
	control  *http.ResponseController
	silence  *time.Timer // cancels the call
}

// Read drops the trailers at the end: none of them is for clients.
func (b *watchedBody) Read(buffer []byte) (int, error) {
	n, err := b.ReadCloser.Read(buffer)
	if n > 0 {
		b.silence.Reset(idleTimeout)
		_ = b.control.SetWriteDeadline(time.Now().Add(writeTimeout)) // a writer without deadlines has no slow clients
	}
	if err != nil {
		b.response.Trailer = nil
	}
	return n, err
}

// Close stops the timer too.
func (b *watchedBody) Close() error {
	b.silence.Stop()
	return b.ReadCloser.Close()
}
