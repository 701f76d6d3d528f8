// Package http1 is an HTTP/1.1 client that makes each exchange on the goroutine of its caller.
//
// The transport of net/http has two goroutines for each connection, one that reads and one that writes. Each exchange
// wakes both of them, copies the request body through a buffer, and costs about a third more CPU than one that is made
// without them. This transport writes the head and the body of a request with one system call, then reads the answer:
//
//	RoundTrip --> an idle connection that is still alive, or a new one
//	  |
//	write head and body (writev) --> read the head --> return the response
//	                                                     |
//	                             its body, read by the caller, to its end --> the connection is idle again
//	                             not to its end                           --> the connection is closed
//
// Responses are parsed by net/http, so both transports understand the same bytes in the same way. What is rare is left
// to net/http altogether: Supports tells which requests this transport can send.
//
// A body of more than 64 KiB is written by a second goroutine while the answer is awaited, because an upstream may
// answer before it has read all of it. That goroutine ends when the body is written or the connection is closed.
package http1

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"time"
)

// Options configures a Transport. All fields but TLS are required.
type Options struct {
	Dial             func(ctx context.Context, network, address string) (net.Conn, error)
	TLS              *tls.Config   // of https; nil for the default
	HandshakeTimeout time.Duration // longest time of a TLS handshake
	IdlePerHost      int           // the most idle connections that are kept for each scheme and host
	IdleTimeout      time.Duration // how long an idle connection is kept
	MaxHeaderBytes   int64         // the most bytes of a response's head, and of the informational ones before it
}

// Transport is an http.RoundTripper for the requests that Supports accepts. It is safe for concurrent use.
type Transport struct {
	options Options
	tls     *tls.Config
	idle    idle
	readers sync.Pool // of *bufio.Reader, so that idle connections have no buffers
}

// New returns a Transport without connections.
func New(o Options) *Transport {
	t := &Transport{options: o, tls: &tls.Config{MinVersion: tls.VersionTLS12}}
	if o.TLS != nil {
		t.tls = o.TLS.Clone()
	}
	t.tls.NextProtos = []string{"http/1.1"}
	t.tls.DynamicRecordSizingDisabled = true // small records are for browsers that render while they read
	if t.tls.ClientSessionCache == nil {
		t.tls.ClientSessionCache = tls.NewLRUClientSessionCache(0)
	}
	t.idle.limit, t.idle.timeout = o.IdlePerHost, o.IdleTimeout
	t.readers.New = func() any { return bufio.NewReaderSize(nil, readBuffer) }
	return t
}

const readBuffer = 4 << 10

// place is the destination of a connection.
type place struct {
	scheme, host string // of the URL: host may have a port
}

// address returns the address to dial.
func (p place) address() string {
	if strings.LastIndexByte(p.host, ':') > strings.LastIndexByte(p.host, ']') {
		return p.host
	}
	if p.scheme == "https" {
		return p.host + ":443"
	}
	return p.host + ":80"
}

// Segmented is a request body in memory. A Transport sends its segments without copying them, and says when it does not
// refer to them any more, because their memory may be used again.
type Segmented interface {
	// Take returns the rest of the body, so that nothing is left to read. The bytes must not change before Release, not
	// even after Close: an upstream may answer while they are still being sent.
	Take() [][]byte
	// Retain adds a user of the bytes to the one that took them.
	Retain()
	// Release removes a user of the bytes.
	Release()
}

// Supports reports whether a Transport can send the request. Others must be sent by net/http: those with a body that is
// not Segmented, an unusual scheme, host or path, trailers, or headers that concern the connection.
func Supports(r *http.Request) bool {
	return isPlain(r) && hasKnownBody(r)
}

// RoundTrip makes one exchange, as http.RoundTripper requires. It repeats it on another connection only if nothing of
// the request was written. The request's context ends the exchange, its body included; the error is then the cause.
// After an error that RefusesVersion accepts, the request's body is untouched and open.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	response, source, err := t.roundTrip(r)
	if source != nil {
		source.Release()
	}
	if r.Body != nil && !RefusesVersion(err) {
		_ = r.Body.Close()
	}
	return response, err
}

// errVersion replaces an error that RefusesVersion accepts when the body was taken for another connection before.
var errVersion = errors.New("http1: the upstream does not speak HTTP/1.1 any more")

// roundTrip makes the exchange. source is the request's body if the caller must release it.
func (t *Transport) roundTrip(r *http.Request) (response *http.Response, source Segmented, err error) {
	ctx := r.Context()
	trace := httptrace.ContextClientTrace(ctx)
	var body [][]byte
	for {
		if ctx.Err() != nil {
			return nil, source, context.Cause(ctx)
		}
		c, err := t.connection(ctx, place{r.URL.Scheme, r.URL.Host}, r.ContentLength)
		switch {
		case err != nil && ctx.Err() != nil:
			return nil, source, context.Cause(ctx)
		case body != nil && RefusesVersion(err):
			return nil, source, errVersion
		case err != nil:
			return nil, source, err
		}
		if body == nil {
			if source, body, err = take(r); err != nil {
				c.close()
				return nil, source, err
			}
		}
		if trace != nil && trace.GotConn != nil {
			trace.GotConn(httptrace.GotConnInfo{Conn: c.net, Reused: c.reused, WasIdle: c.reused})
		}
		response, err := c.exchange(r, source, body, trace)
		if err == nil || !c.reused || c.written > 0 {
			return response, source, err
		}
	}
}

// connection returns an idle connection that is alive, unless the exchange of a body of the size checks that, or a new
// one.
func (t *Transport) connection(ctx context.Context, to place, size int64) (*conn, error) {
	for {
		c := t.idle.take(to)
		if c == nil {
			return t.dial(ctx, to)
		}
		if c.asks(size) || c.alive() {
			c.reused = true
			return c, nil
		}
		c.retire()
	}
}

// CloseIdle closes the idle connections. Those in use continue; they become idle and time out later.
func (t *Transport) CloseIdle() { t.idle.closeAll() }
