// Package address says which IP addresses an upstream may have: what an
// operator, or whoever answers his DNS queries, must not make the gateway call.
package address

import (
	"net/netip"
	"strings"
)

// Kind is what an address is for.
type Kind uint8

// The kinds. Upstreams are Public; Loopback and Private addresses are called
// where they were written down as such; all others need to be allowed.
const (
	Public Kind = iota
	Loopback
	Private
	Shared    // carrier-grade NAT
	LinkLocal // one link only, where clouds keep their metadata
	Metadata  // a cloud's metadata or platform service elsewhere
	Multicast // multicast
	Special   // everything else that no host on the Internet has
)

var kinds = [...]string{
	Public: "public", Loopback: "loopback", Private: "private", Shared: "shared (carrier-grade NAT)", LinkLocal: "link-local",
	Metadata: "cloud metadata", Multicast: "multicast", Special: "reserved",
}

// String names the kind in messages.
func (k Kind) String() string { return kinds[k] }

// special lists what is not public, the exceptions within a network before the
// network itself (the IANA special-purpose registries, and where the large
// clouds put their metadata services).
var special = []struct {
	network netip.Prefix
	kind    Kind
}{
	{netip.MustParsePrefix("0.0.0.0/8"), Special}, // "this network": the unspecified address reaches the host itself
	{netip.MustParsePrefix("10.0.0.0/8"), Private},
	{netip.MustParsePrefix("100.100.100.200/32"), Metadata}, // Alibaba Cloud
	{netip.MustParsePrefix("100.64.0.0/10"), Shared},
	{netip.MustParsePrefix("127.0.0.0/8"), Loopback},
	{netip.MustParsePrefix("168.63.129.16/32"), Metadata}, // Azure
	{netip.MustParsePrefix("169.254.0.0/16"), LinkLocal},
	{netip.MustParsePrefix("172.16.0.0/12"), Private},
	{netip.MustParsePrefix("192.0.0.192/32"), Metadata}, // Oracle Cloud
	{netip.MustParsePrefix("192.0.0.0/24"), Special},
	{netip.MustParsePrefix("192.0.2.0/24"), Special},   // documentation
	{netip.MustParsePrefix("192.88.99.0/24"), Special}, // 6to4 relays
	{netip.MustParsePrefix("192.168.0.0/16"), Private},
	{netip.MustParsePrefix("198.18.0.0/15"), Special},   // benchmarks
	{netip.MustParsePrefix("198.51.100.0/24"), Special}, // documentation
	{netip.MustParsePrefix("203.0.113.0/24"), Special},  // documentation
	{netip.MustParsePrefix("224.0.0.0/4"), Multicast},
	{netip.MustParsePrefix("240.0.0.0/4"), Special},

	{netip.MustParsePrefix("::1/128"), Loopback},
	{netip.MustParsePrefix("fd00:ec2::/32"), Metadata},          // AWS
	{netip.MustParsePrefix("fd20:ce::254/128"), Metadata},       // Google Cloud
	{netip.MustParsePrefix("fd00:c1::a9fe:a9fe/128"), Metadata}, // Oracle Cloud
	{netip.MustParsePrefix("fc00::/7"), Private},
	{netip.MustParsePrefix("fe80::/10"), LinkLocal},
	{netip.MustParsePrefix("ff00::/8"), Multicast},
	{netip.MustParsePrefix("2001::/23"), Special},     // protocols, Teredo among them
	{netip.MustParsePrefix("2001:db8::/32"), Special}, // documentation
	{netip.MustParsePrefix("2002::/16"), Special},     // 6to4: an IPv4 address in disguise
	{netip.MustParsePrefix("3fff::/20"), Special},     // documentation
}

var (
	translated = netip.MustParsePrefix("64:ff9b::/96") // NAT64
	global     = netip.MustParsePrefix("2000::/3")     // all of IPv6 that hosts on the Internet have
)

// Canonical returns the address that packets to a finally reach: without a
// zone, and as an IPv4 address if a is another form of one.
func Canonical(a netip.Addr) netip.Addr {
	a = a.WithZone("").Unmap()
	if translated.Contains(a) {
		bytes := a.As16()
		return netip.AddrFrom4([4]byte(bytes[12:]))
	}
	return a
}

// KindOf classifies an address. Other forms of an IPv4 address (mapped to
// IPv6, through NAT64) are of its kind. The zero Addr is Special.
func KindOf(a netip.Addr) Kind {
	a = Canonical(a)
	if !a.IsValid() {
		return Special
	}
	for _, row := range special {
		if row.network.Contains(a) {
			return row.kind
		}
	}
	if a.Is6() && !global.Contains(a) {
		return Special
	}
	return Public
}

// Host is the host of a URL, as far as it matters here.
type Host struct {
	name    string
	literal netip.Addr // zero where it is a name
}

// ParseHost reads the host of a URL, given without its port and brackets.
func ParseHost(host string) Host {
	literal, err := netip.ParseAddr(host)
	if err != nil {
		return Host{name: host}
	}
	return Host{literal: literal}
}

// Literal returns the address that the host is, false where it is a name.
func (h Host) Literal() (netip.Addr, bool) { return h.literal, h.literal.IsValid() }

// Ambiguous reports whether the host is an IPv4 address in a form that some
// resolvers read and others do not: 2130706433, 0x7f.1, 127.1, 0177.0.0.1. It
// is what ends in a number (the rule of the WHATWG's URLs) and is no literal.
func (h Host) Ambiguous() bool {
	if h.literal.IsValid() {
		return false
	}
	name := strings.TrimSuffix(h.name, ".")
	last := name[strings.LastIndexByte(name, '.')+1:]
	if rest, hex := strings.CutPrefix(strings.ToLower(last), "0x"); hex {
		return strings.Trim(rest, "0123456789abcdef") == ""
	}
	return last != "" && strings.Trim(last, "0123456789") == ""
}

// names reports whether the host names the address itself, which is loopback
// or private: the literal, or localhost.
func (h Host) names(a netip.Addr) bool {
	switch kind := KindOf(a); {
	case kind == Loopback && strings.EqualFold(h.name, "localhost"):
		return true
	case kind == Loopback || kind == Private:
		return h.literal.IsValid() && Canonical(h.literal) == Canonical(a)
	}
	return false
}

// Policy says which addresses may be called. The zero value allows public ones
// and those that are named. It is safe for concurrent use.
type Policy struct {
	Allow []netip.Prefix // networks that may be called whatever their kind
}

// Permits reports whether a host that has the address may be called at it.
func (p Policy) Permits(host Host, a netip.Addr) bool {
	if KindOf(a) == Public || host.names(a) {
		return true
	}
	plain := Canonical(a)
	for _, network := range p.Allow {
		if network.Contains(plain) || network.Contains(a.WithZone("")) {
			return true
		}
	}
	return false
}
