package web

import (
	"net/http"
	"net/netip"
	"strings"
)

// ClientAddr returns the address of the client. If the connection comes from a trusted proxy, it reads X-Forwarded-For
// from right to left, because each proxy appends its peer: the first hop that is not a trusted proxy is the client.
// Everything to the left of it may be forged. If a hop cannot be parsed, or all hops are trusted, it returns the last
// address that it parsed. It returns the zero Addr if the connection has no IP address.
func ClientAddr(r *http.Request, proxies []netip.Prefix) netip.Addr {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	addr := peer.Addr().Unmap().WithZone("")
	if len(proxies) == 0 || !contains(proxies, addr) {
		return addr
	}
	headers := r.Header["X-Forwarded-For"]
	for i := len(headers) - 1; i >= 0; i-- {
		for list := headers[i]; list != ""; {
			var hop string
			list, hop = cutLast(list)
			hopAddr, err := parseHop(hop)
			if err != nil {
				return addr
			}
			addr = hopAddr
			if !contains(proxies, addr) {
				return addr
			}
		}
	}
	return addr
}

// cutLast splits "a, b, c" into "a, b" and "c".
func cutLast(list string) (head, tail string) {
	i := strings.LastIndexByte(list, ',')
	return list[:max(i, 0)], strings.TrimSpace(list[i+1:])
}

// parseHop parses an address, with or without the port that some proxies add.
func parseHop(hop string) (netip.Addr, error) {
	if withPort, err := netip.ParseAddrPort(hop); err == nil {
		return withPort.Addr().Unmap().WithZone(""), nil
	}
	addr, err := netip.ParseAddr(strings.Trim(hop, "[]"))
	return addr.Unmap().WithZone(""), err
}

func contains(networks []netip.Prefix, addr netip.Addr) bool {
	for _, network := range networks {
		if network.Contains(addr) {
			return true
		}
	}
	return false
}
