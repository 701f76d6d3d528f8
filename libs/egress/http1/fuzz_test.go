package http1_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/egress/http1"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// script is a connection to an upstream that sends the same bytes for every request, after it has the whole request,
// and then closes the connection. It sends them in pieces.
type script struct {
	answer []byte
	piece  int // bytes; at least 1
	body   int // length of the request's body in bytes

	mu      sync.Mutex
	changed sync.Cond
	request []byte
	closed  bool
	expired bool
}

func newScript(answer []byte, piece, body int) *script {
	s := &script{answer: answer, piece: piece, body: body}
	s.changed.L = &s.mu
	return s
}

func (s *script) dial(context.Context, string, string) (net.Conn, error) { return s, nil }

func (s *script) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.request = append(s.request, p...)
	s.changed.Broadcast()
	return len(p), nil
}

func (s *script) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.closed && !s.expired && !s.complete() {
		s.changed.Wait()
	}
	switch {
	case s.closed:
		return 0, net.ErrClosed
	case s.expired:
		return 0, os.ErrDeadlineExceeded
	case len(s.answer) == 0:
		return 0, io.EOF
	}
	n := copy(p, s.answer[:min(len(s.answer), s.piece)])
	s.answer = s.answer[n:]
	return n, nil
}

// complete reports whether the request has arrived.
func (s *script) complete() bool {
	head := bytes.Index(s.request, []byte("\r\n\r\n"))
	return head >= 0 && len(s.request) >= head+4+s.body
}

func (s *script) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.changed.Broadcast()
	return nil
}

func (s *script) SetDeadline(at time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expired = !at.IsZero() && at.Before(time.Now())
	s.changed.Broadcast()
	return nil
}

func (s *script) SetReadDeadline(at time.Time) error { return s.SetDeadline(at) }
func (*script) SetWriteDeadline(time.Time) error     { return nil }
func (*script) LocalAddr() net.Addr                  { return &net.TCPAddr{} }
func (*script) RemoteAddr() net.Addr                 { return &net.TCPAddr{} }

// outcome holds what the caller of a transport and the upstream see of an exchange.
type outcome struct {
	Request string // as the upstream got it

	Failed           bool // RoundTrip returned an error
	Status           string
	StatusCode       int
	Proto            string
	Header           http.Header
	ContentLength    int64
	TransferEncoding []string
	Close            bool

	Body       string
	BodyFailed bool // with something else than io.EOF
	Trailer    http.Header

	Kept bool // the connection became idle
}

// outcomeOf makes an exchange, and returns what its caller sees of it.
func outcomeOf(transport http.RoundTripper, r *http.Request) (o outcome) {
	kept := false
	r = r.WithContext(httptrace.WithClientTrace(r.Context(),
		&httptrace.ClientTrace{PutIdleConn: func(err error) { kept = err == nil }}))
	response, err := transport.RoundTrip(r)
	if err != nil {
		return outcome{Failed: true}
	}
	o = outcome{
		Status: response.Status, StatusCode: response.StatusCode, Proto: response.Proto, Header: response.Header,
		ContentLength: response.ContentLength, TransferEncoding: response.TransferEncoding, Close: response.Close,
	}
	if response.StatusCode != http.StatusSwitchingProtocols { // net/http gives the connection away
		var body []byte
		body, err = io.ReadAll(response.Body)
		o.Body, o.BodyFailed, o.Trailer = string(body), err != nil, response.Trailer
	}
	_ = response.Body.Close()
	o.Kept = kept
	return o
}

// outcomeOf makes an exchange by a transport whose connections are the script.
func (s *script) outcomeOf(transport http.RoundTripper, r *http.Request) outcome {
	o := outcomeOf(transport, r)
	s.mu.Lock()
	defer s.mu.Unlock()
	o.Request = string(s.request)
	if _, standard := transport.(*http.Transport); !standard {
		o.Kept = !o.Failed && !s.closed
	}
	return o
}

// request returns a request, with a body unless it is empty.
func request(ctx context.Context, method, url string, header http.Header, body []byte) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, method, url, http.NoBody)
	if err != nil {
		return nil, err
	}
	r.Header = header.Clone()
	if len(body) > 0 {
		whole := rawjson.NewBody(body)
		r.Body, r.ContentLength = whole.Reader(), whole.Size()
	}
	return r, nil
}

// exchanged is an exchange to make.
type exchanged struct {
	method, url  string
	header       http.Header
	body, answer []byte
	piece        int // bytes of the answer that arrive together
}

// both makes the same exchange by http1 and by net/http. Of a request that http1 does not support it returns nothing.
func both(t *testing.T, e exchanged) (own, standard outcome) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	outcomes := make([]outcome, 0, 2)
	for _, which := range []string{"http1", "net/http"} {
		s := newScript(e.answer, e.piece, len(e.body))
		r, err := request(ctx, e.method, e.url, e.header, e.body)
		if err != nil || !http1.Supports(r) {
			return outcome{}, outcome{}
		}
		if which == "http1" {
			o := options
			o.Dial = s.dial
			transport := http1.New(o)
			outcomes = append(outcomes, s.outcomeOf(transport, r))
			transport.CloseIdle()
			continue
		}
		transport := &http.Transport{DialContext: s.dial, DisableCompression: true,
			MaxResponseHeaderBytes: options.MaxHeaderBytes}
		outcomes = append(outcomes, s.outcomeOf(transport, r))
		transport.CloseIdleConnections()
	}
	return outcomes[0], outcomes[1]
}

// FuzzResponse compares what http1 and net/http make of the same bytes of an upstream.
func FuzzResponse(f *testing.F) {
	for _, answer := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Type: text/plain\r\n\r\nhello",
		"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello and more",
		"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\ncut off",
		"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi",
		"HTTP/1.1 200 OK\r\n\r\nuntil the end",
		"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi",
		"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nhi",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;a=b\r\n world\r\n0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n5\r\nhello\r\n0\r\nX-Sum: 17\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX-Sum: 17\r\nbroken\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhelloX\r\n0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\nhello\n0\n\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nfour",
		"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
		"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
		"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
		"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n",
		"HTTP/1.1 204 No Content\r\n\r\n",
		"HTTP/1.1 304 Not Modified\r\nContent-Length: 10\r\n\r\n",
		"HTTP/1.1 099 What\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 200 OK\nContent-Length: 0\n\n",
		"HTTP/1.1 200 OK\r\nA: b\r\n c\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nA b\r\n\r\n",
		"HTTP/2.0 200 OK\r\n\r\n",
		"HTTP/1.1 1000 OK\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + strings.Repeat("7\r\nquickly\r\n", 10_000) +
			"0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + strings.Repeat("7\r\nquickly\r\n", 10_000) +
			"x\r\n\r\n",
		"HTTP/1.1 200 OK\r\n\r\n" + strings.Repeat("quickly", 10_000),
		"nonsense",
		"",
	} {
		for method := range uint8(3) {
			f.Add([]byte(answer), method, uint16(1<<15))
			f.Add([]byte(answer), method, uint16(0))
		}
	}
	f.Fuzz(func(t *testing.T, answer []byte, method uint8, piece uint16) {
		methods := []string{http.MethodGet, http.MethodHead, http.MethodPost}
		chosen, body := methods[int(method)%len(methods)], []byte(nil)
		if chosen == http.MethodPost {
			body = []byte(`{"model":"m"}`)
		}
		own, standard := both(t, exchanged{chosen, "http://upstream.example/v1", http.Header{}, body, answer,
			int(piece) + 1})
		if !own.Kept {
			standard.Kept = false // bytes after the response make net/http close the connection only a little later
		}
		if !reflect.DeepEqual(own, standard) {
			t.Errorf("answer %q:\nhttp1    %+v\nnet/http %+v", answer, own, standard)
		}
	})
}

// second returns what http1 or net/http make of the bytes of an upstream on a connection of TCP that they use for the
// second time. The upstream sends them in pieces when it has the whole request, and then closes the connection. The
// sockets hold less than a large request.
func second(t *testing.T, which string, body, answer []byte, piece int) outcome {
	t.Helper()
	var mu sync.Mutex
	var got []byte
	u := listen(t, func(c net.Conn, in *bufio.Reader, number int64) {
		first, err := http.ReadRequest(in)
		if err != nil || number > 1 {
			return
		}
		_, _ = io.Copy(io.Discard, first.Body)
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
		var request bytes.Buffer
		r, err := http.ReadRequest(bufio.NewReader(io.TeeReader(in, &request)))
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, r.Body)
		mu.Lock()
		got = request.Bytes()
		mu.Unlock()
		for rest := answer; len(rest) > 0; {
			n := min(piece, len(rest))
			if _, err := c.Write(rest[:n]); err != nil {
				return
			}
			rest = rest[n:]
		}
	})
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, network, address)
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetWriteBuffer(4 << 10)
		}
		return c, err
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var transport http.RoundTripper = &http.Transport{DialContext: dial, DisableCompression: true,
		MaxResponseHeaderBytes: options.MaxHeaderBytes}
	if which == "http1" {
		o := options
		o.Dial = dial
		transport = http1.New(o)
	}
	var o outcome
	for range 2 {
		r, err := request(ctx, http.MethodPost, u.url, http.Header{}, body)
		if err != nil {
			t.Fatal(err)
		}
		o = outcomeOf(transport, r)
	}
	switch idle := transport.(type) {
	case *http.Transport:
		idle.CloseIdleConnections()
	case *http1.Transport:
		idle.CloseIdle()
	}
	mu.Lock()
	defer mu.Unlock()
	o.Kept, o.Request = false, strings.Replace(string(got), u.url[len("http://"):], "host", 1)
	return o
}

// FuzzReusedConnection compares what http1 and net/http make of the same bytes of an upstream on a connection that they
// use for the second time.
func FuzzReusedConnection(f *testing.F) {
	for _, answer := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
		"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\ncut off",
		"HTTP/1.1 200 OK\r\n\r\nuntil the end",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;a=b\r\n world\r\n0\r\n\r\n",
		"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
		"HTTP/1.1 204 No Content\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Len",
		"nonsense",
		"",
	} {
		for _, size := range []uint16{0, 100, 9 << 10, 17 << 10} {
			f.Add([]byte(answer), uint16(4), size)
			f.Add([]byte(answer), uint16(1<<15), size)
		}
	}
	f.Fuzz(func(t *testing.T, answer []byte, piece, size uint16) {
		body := bytes.Repeat([]byte{'x'}, int(size))
		pieces := max(int(piece), len(answer)/64, 1)
		own, standard := second(t, "http1", body, answer, pieces), second(t, "net/http", body, answer, pieces)
		if !reflect.DeepEqual(own, standard) {
			t.Errorf("answer %q:\nhttp1    %+v\nnet/http %+v", answer, own, standard)
		}
	})
}

// FuzzRequest compares how http1 and net/http send the same request.
func FuzzRequest(f *testing.F) {
	f.Add(http.MethodPost, "http://upstream.example/v1/chat/completions?api-version=1", "Authorization",
		"Bearer x", []byte("{}"))
	f.Add(http.MethodPost, "http://upstream.example:8080", "Content-Type", "application/json", []byte(nil))
	f.Add(http.MethodGet, "http://[::1]:8080/a%2Fb/ü?q=ü#f", "User-Agent", "", []byte(nil))
	f.Add(http.MethodDelete, "http://127.0.0.1//x", "X-Empty", " spaces \t", []byte(nil))
	f.Add(http.MethodPut, "http://user:password@h/", "lower-case", "ü", []byte("x"))
	f.Add(http.MethodPatch, "http://h?", "User-Agent", "a\r\nb", []byte("x"))
	f.Add(http.MethodGet, "http://h/", "User-Agent", " spaces \t", []byte(nil))
	f.Add(http.MethodHead, "http://H", "Host", "other", []byte(nil))
	f.Fuzz(func(t *testing.T, method, url, name, value string, body []byte) {
		if !strings.HasPrefix(url, "http://") {
			return
		}
		header := http.Header{"X-First": {"1", "2"}, name: {value}}
		own, standard := both(t,
			exchanged{method, url, header, body, []byte("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), 1 << 15})
		if own.Request != standard.Request || own.Failed != standard.Failed {
			t.Errorf("http1 sends\n%q %t\nnet/http sends\n%q %t", own.Request, own.Failed, standard.Request,
				standard.Failed)
		}
	})
}
