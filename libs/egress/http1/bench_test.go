package http1_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/egress/http1"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// options are usual options.
var options = http1.Options{
	Dial: new(net.Dialer).DialContext, HandshakeTimeout: 20 * time.Second, IdlePerHost: 100, IdleTimeout: time.Minute,
	MaxHeaderBytes: 1 << 20,
}

// BenchmarkTransports makes exchanges with an upstream in this process by http1 and by net/http.
func BenchmarkTransports(b *testing.B) {
	answer := bytes.Repeat([]byte("x"), 1_000)
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = w.Write(answer)
	}))
	defer upstream.Close()
	own := http1.New(options)
	defer own.CloseIdle()
	standard := &http.Transport{MaxIdleConnsPerHost: 100, DisableCompression: true, WriteBufferSize: 16 << 10,
		ReadBufferSize: 32 << 10}
	defer standard.CloseIdleConnections()
	for _, size := range []int{1_000, 10_000, 200_000} {
		body := rawjson.NewBody(bytes.Repeat([]byte("x"), size))
		for name, transport := range map[string]http.RoundTripper{"http1": own, "net/http": standard} {
			b.Run(fmt.Sprintf("%d KB/%s", size/1_000, name), func(b *testing.B) {
				b.ReportAllocs()
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						ctx, cancel := context.WithCancel(b.Context())
						r, err := http.NewRequestWithContext(ctx, http.MethodPost, upstream.URL+"/v1/chat/completions",
							body.Reader())
						if err != nil {
							b.Fatal(err)
						}
						r.ContentLength = body.Size()
						r.Header["Content-Type"] = []string{"application/json"}
						r.Header["Authorization"] = []string{"Bearer sk-something"}
						response, err := transport.RoundTrip(r)
						if err != nil {
							b.Fatal(err)
						}
						if n, err := io.Copy(io.Discard, response.Body); n != int64(len(answer)) || err != nil {
							b.Fatal(n, err)
						}
						_ = response.Body.Close()
						cancel()
					}
				})
			})
		}
	}
}
