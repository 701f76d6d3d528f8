// Package address classifies IP addresses and decides at which of them an upstream may be called.
//
// The gateway dials URLs that operators configure and names that other people's DNS servers resolve. Without
// this check either could make it call a cloud's metadata service or a host inside the operator's own network
// (server-side request forgery). KindOf classifies an address, Policy.Permits decides. The package does no
// I/O: the caller resolves a name and asks about each address that it is about to dial.
//
// Network returns the network of a client whose attempts are limited.
package address

import (
	"net/netip"
	"strings"
)

// Kind is the class of an address: which network it belongs to, or which use is reserved for it.
type Kind uint8

// The kinds. A Policy always permits Public addresses. It permits Loopback and Private addresses if the URL
// names the address itself. All others need an entry in Policy.Allow.
const (
	Public Kind = iota
	Loopback
	Private
	Shared    // carrier-grade NAT
	LinkLocal // one network segment; most clouds serve their instance metadata here
	Metadata  // a cloud's metadata or platform service outside the link-local network
	Multicast // multicast
	Special   // any other address that no host on the Internet has
)

var kinds = [...]string{
	Public: "public", Loopback: "loopback", Private: "private", Shared: "shared (carrier-grade NAT)",
	LinkLocal: "link-local",
	Metadata:  "cloud metadata", Multicast: "multicast", Special: "reserved",
}

// String returns the name of the kind for messages to people.
func (k Kind) String() string { return kinds[k] }

// special lists the networks that are not public: the IANA special-purpose address registries, and the
// metadata services of the large clouds. The first match counts, so an address is listed before the
// network that contains it.
var special = []struct {
	network netip.Prefix
	kind    Kind
}{
	{netip.MustParsePrefix("0.0.0.0/8"), Special}, // "this network"; connecting to 0.0.0.0 reaches the host itself
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
	{netip.MustParsePrefix("2001::/23"), Special},     // IETF protocols such as Teredo
	{netip.MustParsePrefix("2001:db8::/32"), Special}, // documentation
	{netip.MustParsePrefix("2002::/16"), Special},     // 6to4: embeds an IPv4 address of any kind
	{netip.MustParsePrefix("3fff::/20"), Special},     // documentation
}

var (
	nat64         = netip.MustParsePrefix("64:ff9b::/96") // RFC 6052: the last 4 bytes are an IPv4 address
	globalUnicast = netip.MustParsePrefix("2000::/3")     // the global unicast addresses of IPv6
)

// Canonical returns the address that packets to a finally reach: without a zone, and as an IPv4 address if a
// is an IPv4 address mapped to IPv6 or translated by NAT64.
func Canonical(a netip.Addr) netip.Addr {
	a = a.WithZone("").Unmap()
	if nat64.Contains(a) {
		bytes := a.As16()
		return netip.AddrFrom4([4]byte(bytes[12:]))
	}
	return a
}

// Network returns the text of the network under which the attempts from a are counted: the canonical address for IPv4,
// its /64 for IPv6, because one subscriber has at least that many addresses.
func Network(a netip.Addr) string {
	a = Canonical(a)
	if prefix, err := a.Prefix(64); err == nil && a.Is6() {
		return prefix.String()
	}
	return a.String()
}

// KindOf returns the kind of the canonical form of a, so that an IPv6 form of an IPv4 address has the kind of
// that IPv4 address. The zero Addr is Special.
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
	if a.Is6() && !globalUnicast.Contains(a) {
		return Special
	}
	return Public
}

// Host is the host of a URL: either an IP address in its usual notation (a literal), or a name.
type Host struct {
	name    string     // "" if the host is a literal
	literal netip.Addr // zero if the host is a name
}

// ParseHost returns the host of a URL. The argument has no port and no brackets, as url.URL.Hostname returns
// it. Everything that is not an IP address counts as a name.
func ParseHost(host string) Host {
	literal, err := netip.ParseAddr(host)
	if err != nil {
		return Host{name: host}
	}
	return Host{literal: literal}
}

// Literal returns the host's IP address, and false if the host is a name.
func (h Host) Literal() (netip.Addr, bool) { return h.literal, h.literal.IsValid() }

// Ambiguous reports whether the host is an IPv4 address in a notation that some resolvers accept and others
// do not: 2130706433, 0x7f.1, 127.1, 0177.0.0.1. Such a host could pass a check as a name and be dialed as a
// private address. The rule is that of the WHATWG URL standard: the last label is a number, and the host is
// not a literal.
func (h Host) Ambiguous() bool {
	if h.literal.IsValid() {
		return false
	}
	name := strings.TrimSuffix(h.name, ".")
	label := name[strings.LastIndexByte(name, '.')+1:]
	if digits, hex := strings.CutPrefix(strings.ToLower(label), "0x"); hex {
		return strings.Trim(digits, "0123456789abcdef") == ""
	}
	return label != "" && strings.Trim(label, "0123456789") == ""
}

// namesAddress reports whether a is a loopback or private address that the URL names itself: as a literal, or as
// localhost. A name that merely resolves to such an address does not name it, because the owner of the name
// decides where it resolves to.
func (h Host) namesAddress(a netip.Addr) bool {
	switch kind := KindOf(a); {
	case kind == Loopback && strings.EqualFold(h.name, "localhost"):
		return true
	case kind == Loopback || kind == Private:
		return h.literal.IsValid() && Canonical(h.literal) == Canonical(a)
	}
	return false
}

// Policy decides which addresses may be called. The zero value permits public addresses, and loopback and
// private ones that the URL names itself. A Policy is safe for concurrent use while Allow does not change.
type Policy struct {
	Allow []netip.Prefix // networks that may be called whatever the kind of their addresses
	// Strict forbids loopback and private addresses also if the URL names them itself: for URLs that tenants choose.
	Strict bool
}

// Permits reports whether the gateway may connect to address a for a URL with this host. a may be any address
// that the host resolved to; networks in Allow match its canonical form and its own form.
func (p Policy) Permits(host Host, a netip.Addr) bool {
	if KindOf(a) == Public || !p.Strict && host.namesAddress(a) {
		return true
	}
	addr := Canonical(a)
	for _, network := range p.Allow {
		if network.Contains(addr) || network.Contains(a.WithZone("")) {
			return true
		}
	}
	return false
}
