package web

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"
)

// writer writes p in a handler and flushes it.
type writer func(w http.ResponseWriter, p []byte) error

// answering returns a handler that answers as the path asks, and writes by send.
func answering(send writer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/unread":
		case "/hijack":
			c, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				panic(err)
			}
			_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: close\r\n\r\nhijacked")
			_ = c.Close()
			return
		case "/hints":
			w.Header().Set("Link", "</a>")
			w.WriteHeader(http.StatusEarlyHints)
		default:
			body, err := io.ReadAll(r.Body)
			if err != nil {
				panic(http.ErrAbortHandler)
			}
			w.Header().Set("X-Read", fmt.Sprintf("%d %q", len(body), r.Trailer))
		}
		large := bytes.Repeat([]byte("large "), 3_000)
		switch r.URL.Path {
		case "/length":
			w.Header().Set("Content-Length", fmt.Sprint(len(large)))
		case "/short":
			w.Header().Set("Content-Length", fmt.Sprint(len(large)-7))
		case "/long":
			w.Header().Set("Content-Length", fmt.Sprint(2*len(large)+1))
		case "/none":
			w.WriteHeader(http.StatusNoContent)
		case "/trailer":
			w.Header().Set("Trailer", "X-Sum")
		case "/close":
			w.Header().Set("Connection", "close")
		case "/abort":
			_ = send(w, large)
			panic(http.ErrAbortHandler)
		}
		_ = send(w, large) // in some cases it must fail
		if r.URL.Path == "/trailer" || r.URL.Path == "/long" {
			_ = send(w, []byte("small"))
			w.Header().Set("X-Sum", "17")
		}
	})
}

// varying matches what may differ between two equal answers: the time, and the place of the header that announces the
// close.
var varying = regexp.MustCompile("(Date: [^\r]*|Connection: close)\r\n")

// A Server answers every sequence of bytes as net/http's server does, byte by byte.
func TestServer_AnswersAsNetHTTP(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	own := NewServer(ServerOptions{Name: "test", Addr: "127.0.0.1:0", Log: log,
		Handler: Recover(log, http.NotFound)(answering(Send))})
	if err := own.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = own.Stop(context.Background()) })
	standard := httptest.NewUnstartedServer(answering(writeFlushed))
	standard.Config.ErrorLog = slog.NewLogLogger(log.Handler(), slog.LevelDebug)
	standard.Start()
	t.Cleanup(standard.Close)

	talk := func(address string, parts []string) string {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
		_ = c.SetDeadline(time.Now().Add(30 * time.Second))
		var all []byte
		for _, part := range parts {
			if part == "100" { // wait for it
				all = append(all, make([]byte, len("HTTP/1.1 100 Continue\r\n\r\n"))...)
				if _, err := io.ReadFull(c, all[len(all)-len("HTTP/1.1 100 Continue\r\n\r\n"):]); err != nil {
					t.Errorf("%q: %v", parts, err)
				}
				continue
			}
			if _, err := io.WriteString(c, part); err != nil {
				break // the server has closed the connection
			}
		}
		rest, _ := io.ReadAll(c) // until the server closes the connection, which may be by a reset
		return varying.ReplaceAllString(string(append(all, rest...)), "")
	}
	const host, last = " HTTP/1.1\r\nHost: x\r\n", "GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
	for _, parts := range [][]string{
		{last},
		{"GET /a" + host + "\r\n", last},
		{"GET /a" + host + "\r\nGET /b" + host + "\r\n" + last},
		{"HEAD /a" + host + "\r\n" + last},
		{"HEAD /length" + host + "\r\n" + last},
		{"GET /length" + host + "\r\n" + last},
		{"GET /short" + host + "\r\n" + last},
		{"GET /long" + host + "\r\n" + last},
		{"GET /none" + host + "\r\n" + last},
		{"GET /trailer" + host + "TE: trailers\r\n\r\n" + last},
		{"GET /close" + host + "\r\n" + last},
		{"GET /abort" + host + "\r\n" + last},
		{"GET /hints" + host + "\r\n" + last},
		{"GET /hijack" + host + "\r\n" + last},
		{"GET /a HTTP/1.0\r\n\r\n" + last},
		{"GET /length HTTP/1.0\r\nConnection: keep-alive\r\n\r\n" + last},
		{"GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n" + last},
		{"POST /a" + host + "Content-Length: 5\r\n\r\nhello" + last},
		{"POST /a" + host + "Content-Length: 5\r\n\r\nhel", "lo" + last},
		{"POST /a" + host + "Content-Length: 5\r\nExpect: 100-continue\r\n\r\n", "100", "hello" + last},
		{"POST /unread" + host + "Content-Length: 5\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n"},
		{"POST /unread" + host + "Content-Length: 5\r\n\r\nhello" + last},
		{"POST /a" + host + "Content-Length: 5\r\nExpect: a miracle\r\nConnection: close\r\n\r\n"},
		{"POST /a" + host + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello" + last},
		{"POST /a" + host + "Content-Length: +5\r\n\r\nhello" + last},
		{"POST /a" + host + "Transfer-Encoding: gzip\r\n\r\n" + last},
		{"POST /a" + host + "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n" + last},
		{"POST /a" + host + "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n5;a=b\r\nhello\r\n0\r\n\r\n"},
		{"POST /a" + host + "Transfer-Encoding: chunked\r\nConnection: close\r\nTrailer: " +
			"X-T\r\n\r\n5\r\nhello\r\n0\r\nX-T: t\r\n\r\n"},
		{"POST /a" + host + "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\nx\r\n"},
		{"GET /a HTTP/1.1\r\n\r\n"},
		{"GET /a HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n"},
		{"GET /a" + host + "A : b\r\n\r\n"},
		{"GET /a" + host + " folded\r\n\r\n"},
		{"GET /a" + host + "A: b\x00\r\n\r\n"},
		{"GET /a b HTTP/1.1\r\nHost: x\r\n\r\n"},
		{"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"},
	} {
		got, want := talk(own.Addr().String(), parts), talk(strings.TrimPrefix(standard.URL, "http://"), parts)
		if got != want {
			t.Errorf("%q:\ngot  %.600q (%d bytes)\nwant %.600q (%d bytes)", parts, got, len(got), want, len(want))
		}
	}
}
