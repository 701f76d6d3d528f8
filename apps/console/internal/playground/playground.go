// Package playground carries the calls of the console's playground to the
// relay and the answers back, byte for byte and as they come: pages may
// connect to the console alone. It connects to the configured relay, and to
// nothing that a request could name.
package playground

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/web"
)

const (
	maxBody          = 4 << 20
	maxHeader        = 64 << 10 // of an answer
	bodyReadTimeout  = 30 * time.Second
	connectTimeout   = 5 * time.Second
	idleTimeout      = 2 * time.Minute // of an answer that falls silent; the relay fills silence with comments
	writeTimeout     = time.Minute     // of one write to a client
	chunk            = 32 << 10
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

// Serve answers w as the relay answers the call with r's method and body. An
// error it returns is a problem, and nothing was written. It ends when r's
// context does; an answer that breaks off is cut by a panic with
// http.ErrAbortHandler, so that nobody takes it for whole.
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
		return err
	}
	request.Header = headers(r.Header, call)
	// The server's own bound of an answer would end while the relay waits for a model.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(f.Patience + writeTimeout)) // a writer without deadlines has none
	response, err := f.transport.RoundTrip(request)
	if err != nil {
		return failure(err)
	}
	defer response.Body.Close() //nolint:errcheck // nothing is left to do with it
	answer(w.Header(), response.Header)
	w.WriteHeader(response.StatusCode)
	silence := time.AfterFunc(idleTimeout, cancel)
	defer silence.Stop()
	stream(w, response.Body, func() { silence.Reset(idleTimeout) })
	return nil
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

// headers are those of the request to the relay: no cookie goes there.
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

// answer passes on what clients may read of the relay's headers.
func answer(to, from http.Header) {
	for name, values := range from {
		switch {
		case name == "Content-Type", name == "X-Request-Id", name == "Retry-After",
			strings.HasPrefix(name, "X-Tollgate-"), strings.HasPrefix(name, "X-Ratelimit-"):
			to[name] = values
		}
	}
}

// failure tells in public words why there is no answer.
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

// stream sends what comes, when it comes, and calls alive each time.
func stream(w http.ResponseWriter, from io.Reader, alive func()) {
	control := http.NewResponseController(w)
	_ = control.Flush() // the headers; a writer that cannot sends them with the body
	defer func() { _ = control.SetWriteDeadline(time.Time{}) }()
	buffer := make([]byte, chunk)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			alive()
			_ = control.SetWriteDeadline(time.Now().Add(writeTimeout)) // a writer without deadlines has no slow clients
			if web.Send(w, buffer[:n]) != nil {
				return // the client is gone
			}
		}
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			panic(http.ErrAbortHandler)
		}
	}
}
