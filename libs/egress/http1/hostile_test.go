package http1_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tollgate/tollgate/libs/egress/http1"
)

// overTLS returns a transport to an upstream over TLS that reads the head of a request, answers it, and reads no more.
// The connection has no buffers, so writes block at once.
func overTLS(t *testing.T, answer string, answered func()) *http1.Transport {
	t.Helper()
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.StartTLS()
	server.Close()
	pool := x509.NewCertPool()
	pool.AddCert(server.Certificate())
	here, there := net.Pipe()
	t.Cleanup(func() { _ = there.Close() })
	go func() {
		secure := tls.Server(there, server.TLS)
		if _, err := http.ReadRequest(bufio.NewReader(secure)); err == nil {
			_, _ = io.WriteString(secure, answer)
			answered()
		}
	}()
	return newTransport(t, func(o *http1.Options) {
		o.TLS = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
		o.Dial = func(context.Context, string, string) (net.Conn, error) { return here, nil }
	})
}

func TestTransport_DoesNotWaitForAnUpstreamThatDoesNotRead(t *testing.T) {
	t.Parallel()
	const longest = time.Second // TLS by itself waits 5 s to say that the connection ends
	tests := []struct {
		name, answer string
		end          func(cancel func(), response *http.Response) error
		want         error
	}{
		{"the context ends before the response", "", nil, context.Canceled},
		{"the context ends in the response's body", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nh",
			func(cancel func(), response *http.Response) error {
				cancel()
				_, err := io.ReadAll(response.Body)
				return err
			}, context.Canceled},
		{"the body is closed", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nh",
			func(_ func(), response *http.Response) error {
				return response.Body.Close()
			}, nil},
		{"the response is complete", "HTTP/1.1 413 No\r\nContent-Length: 2\r\n\r\nno",
			func(_ func(), response *http.Response) error {
				_, err := io.ReadAll(response.Body)
				return err
			}, nil},
	}
	for _, tt := range tests {
		for _, size := range []int{smallBody + 1, len(large)} { // sent at once, and in several parts
			t.Run(fmt.Sprintf("%s, %d bytes", tt.name, size), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					transport := overTLS(t, tt.answer, func() {
						if tt.end == nil {
							cancel()
						}
					})
					r, err := request(ctx, http.MethodPost, "https://example.com", http.Header{}, large[:size])
					if err != nil {
						t.Fatal(err)
					}
					begun := time.Now()
					response, err := transport.RoundTrip(r)
					if err == nil {
						defer func() { _ = response.Body.Close() }()
						synctest.Wait()
						err = tt.end(cancel, response)
					}
					if !errors.Is(err, tt.want) {
						t.Errorf("got error %v, want %v", err, tt.want)
					}
					if waited := time.Since(begun); waited > longest {
						t.Errorf("it took %v", waited)
					}
				})
			})
		}
	}
}

// broken is a connection that the upstream resets before it has read the request. The write gets the error; the reads
// get a part of the answer and then an end.
type broken struct {
	net.Conn
	failed chan struct{}
	answer io.Reader
}

func (b *broken) Write([]byte) (int, error) {
	close(b.failed)
	return 1, syscall.ECONNRESET
}

func (b *broken) Read(p []byte) (int, error) {
	n, err := b.answer.Read(p)
	if err != nil {
		<-b.failed
	}
	return n, err
}

func (*broken) Close() error                     { return nil }
func (*broken) SetDeadline(time.Time) error      { return nil }
func (*broken) SetReadDeadline(time.Time) error  { return nil }
func (*broken) SetWriteDeadline(time.Time) error { return nil }

func TestTransport_ReportsAResponseThatAResetMayHaveCutOff(t *testing.T) {
	t.Parallel()
	for _, size := range []int{smallBody / 2, smallBody + 1} {
		transport := newTransport(t, func(o *http1.Options) {
			o.Dial = func(context.Context, string, string) (net.Conn, error) {
				return &broken{failed: make(chan struct{}),
					answer: bytes.NewReader([]byte("HTTP/1.1 200 OK\r\n\r\na part of the answer"))}, nil
			}
		})
		if _, got, err := exchange(t.Context(), transport, "http://upstream.example", large[:size]); !errors.Is(err,
			io.ErrUnexpectedEOF) {
			t.Errorf("%d bytes: got %q and error %v, want an unexpected end: the kernel reports a reset only "+
				"once", size, got, err)
		}
	}
}

func TestTransport_ReportsAResetConnection(t *testing.T) {
	t.Parallel()
	u := listen(t, func(c net.Conn, in *bufio.Reader, _ int64) {
		if _, err := http.ReadRequest(in); err != nil {
			return
		}
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\na part of the answer")
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
	})
	transport := newTransport(t, nil)
	for range 50 {
		if _, got, err := exchange(t.Context(), transport, u.url, large); err == nil {
			t.Fatalf("got %q and no error", got)
		}
	}
}

// half is a connection of which the upstream reads a byte and refuses the rest.
type half struct{ net.Conn }

func (half) Write([]byte) (int, error) { return 1, syscall.EPIPE }

func TestTransport_LetsTheCallerTakeItsTimeAfterAFailedWrite(t *testing.T) {
	t.Parallel()
	for _, size := range []int{smallBody / 2, smallBody + 1} {
		synctest.Test(t, func(t *testing.T) {
			here, there := net.Pipe()
			go func() {
				for _, piece := range []string{"HTTP/1.1 413 No\r\nContent-Length: 2\r\n\r\n", "n", "o"} {
					_, _ = io.WriteString(there, piece)
				}
			}()
			transport := newTransport(t, func(o *http1.Options) {
				o.Dial = func(context.Context, string, string) (net.Conn, error) { return half{here}, nil }
			})
			r, err := request(t.Context(), http.MethodPost, "http://upstream.example", http.Header{}, large[:size])
			if err != nil {
				t.Fatal(err)
			}
			response, err := transport.RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			<-time.After(time.Minute) // of the bubble's clock
			if got, err := io.ReadAll(response.Body); string(got) != "no" || err != nil {
				t.Errorf("got %q and error %v", got, err)
			}
			_ = response.Body.Close()
		})
	}
}

// alerting is a connection to an upstream that refuses HTTP/1.1 after it got a request.
type alerting struct{ net.Conn }

func (alerting) Write(p []byte) (int, error) { return len(p), nil }
func (alerting) Close() error                { return nil }
func (alerting) Read([]byte) (int, error) {
	return 0, &net.OpError{Op: "remote error", Err: errors.New("tls: no application protocol")}
}

func TestRefusesVersion_OnlyInTheHandshake(t *testing.T) {
	t.Parallel()
	transport := newTransport(t, func(o *http1.Options) {
		o.Dial = func(context.Context, string, string) (net.Conn, error) { return alerting{}, nil }
	})
	r, err := request(context.Background(), http.MethodPost, "http://upstream.example", http.Header{}, []byte("a body"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := transport.RoundTrip(r); err == nil || http1.RefusesVersion(err) {
		t.Errorf("got error %v: the request was sent, so another transport must not send it again", err)
	}
}
