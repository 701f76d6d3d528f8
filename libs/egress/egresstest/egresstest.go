// Package egresstest provides a DNS server for tests of package egress.
package egresstest

import (
	"context"
	"net"
	"net/netip"
	"testing"
)

// Names returns a resolver whose DNS server resolves every name to the IPv4 address answer, as the DNS server
// of an attacker may do. The server stops when the test ends.
func Names(t testing.TB, answer netip.Addr) *net.Resolver {
	t.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	go func() {
		query := make([]byte, 512)
		for {
			n, from, err := server.ReadFrom(query)
			if err != nil {
				return
			}
			_, _ = server.WriteTo(reply(query[:n], answer), from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", server.LocalAddr().String())
	}}
}

// reply returns the response to a query with one question (RFC 1035, section 4): the address for type A, no
// record for other types.
func reply(query []byte, answer netip.Addr) []byte {
	end := 12
	for query[end] != 0 {
		end += int(query[end]) + 1
	}
	end += 5 // the root label, type and class
	question := query[12:end]
	ofA := question[len(question)-3] == 1
	message := append([]byte{query[0], query[1], 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}, question...)
	if ofA {
		message[7] = 1
		message = append(message, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4)
		message = append(message, answer.AsSlice()...)
	}
	return message
}
