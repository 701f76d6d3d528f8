package web

import (
	"net/http"
	"net/netip"
	"strings"
)

// ClientAddr returns the address that the request comes from. X-Forwarded-For
// is believed only as far as trusted proxies wrote it: the answer is its
// rightmost hop that is not trusted, or the last readable one. It is the zero
// Addr where the connection has no IP address.
func ClientAddr(r *http.Request, trusted []netip.Prefix) netip.Addr {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	addr := peer.Addr().Unmap().WithZone("")
	if len(trusted) == 0 || !contains(trusted, addr) {
		return addr
	}
	headers := r.Header["X-Forwarded-For"]
	for i := len(headers) - 1; i >= 0; i-- {
		for rest := headers[i]; rest != ""; {
			var hop string
			rest, hop = cutLast(rest)
			parsed, err := parseHop(hop)
			if err != nil {
				return addr
			}
			addr = parsed
			if !contains(trusted, addr) {
				return addr
			}
		}
	}
	return addr
}

// cutLast splits "a, b, c" into "a, b" and "c".
func cutLast(list string) (rest, last string) {
	i := strings.LastIndexByte(list, ',')
	return list[:max(i, 0)], strings.TrimSpace(list[i+1:])
}

// parseHop reads an address, which some proxies write with a port.
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
