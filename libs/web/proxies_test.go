package web_test

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/web"
)

// exchange sends bytes on a new connection and returns the status and the body of the response, "" if the connection is
// closed without one.
func exchange(t *testing.T, addr, sent string) (got string) {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
	if _, err := io.WriteString(conn, sent); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return ""
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(response.StatusCode, " ", string(body))
}

func TestServer_ReadsTheProxyProtocolOfItsProxiesOnly(t *testing.T) {
	const request = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Forwarded-For: 198.51.100.9\r\n\r\n"
	version2 := "\r\n\r\n\x00\r\nQUIT\n\x21\x11\x00\x0c" + "\xcb\x00\x71\x07" + "\x7f\x00\x00\x01" + "\x04\xd2\x00\x50"
	const version1 = "PROXY TCP4 203.0.113.7 127.0.0.1 1234 80\r\n"
	loopback := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	for name, c := range map[string]struct {
		proxies []netip.Prefix
		sent    string
		want    string
	}{
		"version 1":                  {loopback, version1 + request, "200 203.0.113.7"},
		"version 2":                  {loopback, version2 + request, "200 203.0.113.7"},
		"without a header":           {loopback, request, "200 198.51.100.9"},
		"a malformed header":         {loopback, "PROXY TCP4 hello\r\n" + request, ""},
		"a header that does not end": {loopback, "PROXY TCP4 203.0.113.7", ""},
		"from another network": {[]netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}, version1 + request,
			"400 400 Bad Request"},
		"without the protocol":          {nil, version1 + request, "400 400 Bad Request"},
		"a proxy that does not say who": {loopback, "PROXY UNKNOWN\r\n" + request, "200 198.51.100.9"},
		"a health check of version 2's own": {loopback, "\r\n\r\n\x00\r\nQUIT\n\x20\x00\x00\x00" + request,
			"200 198.51.100.9"},
	} {
		t.Run(name, func(t *testing.T) {
			server := web.NewServer(web.ServerOptions{
				Name: "test", Addr: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler), Proxies: c.proxies,
				HeaderTimeout: time.Second,
				Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					_, _ = io.WriteString(w, web.ClientAddr(r, loopback).String())
				}),
			})
			if err := server.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = server.Stop(t.Context()) }()
			if got := exchange(t, server.Addr().String(), c.sent); strings.TrimSpace(got) != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
