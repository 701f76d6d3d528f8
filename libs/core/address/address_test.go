package address_test

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/address"
)

func TestKindOf_ClassifiesEveryFormOfAnAddress(t *testing.T) {
	for text, want := range map[string]address.Kind{
		"8.8.8.8": address.Public, "104.18.7.192": address.Public, "223.255.255.255": address.Public,
		"2606:4700::6812:7c0": address.Public,
		"100.63.255.255":      address.Public, "100.128.0.0": address.Public, "172.15.255.255": address.Public,
		"172.32.0.0": address.Public,

		"127.0.0.1": address.Loopback, "127.255.255.254": address.Loopback, "::1": address.Loopback,
		"10.0.0.1": address.Private, "172.16.0.1": address.Private, "172.31.255.255": address.Private,
		"192.168.1.1": address.Private,
		"fc00::1":     address.Private, "fd12:3456::1": address.Private,
		"100.64.0.1": address.Shared, "100.127.255.255": address.Shared,
		"169.254.169.254": address.LinkLocal, "169.254.170.2": address.LinkLocal, "fe80::1": address.LinkLocal,
		"febf::1": address.LinkLocal, "fe80::1%eth0": address.LinkLocal,
		"fd00:ec2::254": address.Metadata, "fd20:ce::254": address.Metadata, "100.100.100.200": address.Metadata,
		"168.63.129.16": address.Metadata, "192.0.0.192": address.Metadata,
		"224.0.0.1": address.Multicast, "239.255.255.255": address.Multicast, "255.255.255.255": address.Special,
		"ff02::1": address.Multicast,
		"0.0.0.0": address.Special, "0.1.2.3": address.Special, "::": address.Special, "240.0.0.1": address.Special,
		"192.0.2.1":  address.Special,
		"198.18.0.1": address.Special, "198.51.100.1": address.Special, "203.0.113.1": address.Special,
		"192.88.99.1": address.Special,
		"2001:db8::1": address.Special, "2001::1": address.Special, "2002:7f00:1::": address.Special,
		"3fff::1": address.Special,
		"fec0::1": address.Special, "::127.0.0.1": address.Special, "64:ff9b:1::1": address.Special,
		"100::1": address.Special, "5f00::1": address.Special,

		"::ffff:127.0.0.1": address.Loopback, "::ffff:169.254.169.254": address.LinkLocal,
		"::ffff:10.1.2.3": address.Private, "::ffff:8.8.8.8": address.Public,
		"64:ff9b::7f00:1": address.Loopback, "64:ff9b::a9fe:a9fe": address.LinkLocal,
		"64:ff9b::808:808": address.Public,
	} {
		if got := address.KindOf(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s is %v, want %v", text, got, want)
		}
	}
	if got := address.KindOf(netip.Addr{}); got != address.Special {
		t.Errorf("KindOf(netip.Addr{}) = %v, want Special", got)
	}
}

func TestNetwork_IsAnIPv4AddressOrTheSubnetOfAnIPv6Address(t *testing.T) {
	for text, want := range map[string]string{
		"203.0.113.7":               "203.0.113.7",
		"::ffff:203.0.113.7":        "203.0.113.7",
		"64:ff9b::203.0.113.7":      "203.0.113.7",
		"2001:db8:1:2:3:4:5:6":      "2001:db8:1:2::/64",
		"2001:db8:1:2:ffff::1%eth0": "2001:db8:1:2::/64",
		"2001:db8:1:3::1":           "2001:db8:1:3::/64",
	} {
		if got := address.Network(netip.MustParseAddr(text)); got != want {
			t.Errorf("network of %s: got %s, want %s", text, got, want)
		}
	}
}

func TestPolicy_PermitsPublicNamedAndAllowedAddresses(t *testing.T) {
	allow := func(networks ...string) (p address.Policy) {
		for _, network := range networks {
			p.Allow = append(p.Allow, netip.MustParsePrefix(network))
		}
		return p
	}
	for _, row := range []struct {
		rule     string
		policy   address.Policy
		host, at string
		want     bool
	}{
		{"a public address", allow(), "api.openai.com", "104.18.7.192", true},
		{"a public literal", allow(), "8.8.8.8", "8.8.8.8", true},
		{"a loopback literal", allow(), "127.0.0.1", "127.0.0.1", true},
		{"localhost", allow(), "localhost", "127.0.0.1", true},
		{"localhost, over IPv6", allow(), "LocalHost", "::1", true},
		{"a private literal", allow(), "10.1.2.3", "10.1.2.3", true},
		{"a unique local literal", allow(), "fd12::1", "fd12::1", true},
		{"a mapped literal", allow(), "::ffff:127.0.0.1", "127.0.0.1", true},

		{"a name with a loopback address", allow(), "rebound.example", "127.0.0.1", false},
		{"localhost as a name", allow(), "localhost.", "127.0.0.1", false},
		{"a name below localhost", allow(), "x.localhost", "127.0.0.1", false},
		{"localhost with a private address", allow(), "localhost", "10.0.0.1", false},
		{"localhost at a metadata service", allow(), "localhost", "169.254.169.254", false},
		{"a name with a private address", allow(), "vllm.internal", "10.1.2.3", false},
		{"another private address than the literal", allow(), "10.1.2.3", "10.1.2.4", false},
		{"a link-local literal", allow(), "169.254.169.254", "169.254.169.254", false},
		{"a mapped link-local literal", allow(), "::ffff:169.254.169.254", "169.254.169.254", false},
		{"a link-local literal with a zone", allow(), "fe80::1%eth0", "fe80::1%eth0", false},
		{"a metadata literal among private ones", allow(), "fd00:ec2::254", "fd00:ec2::254", false},
		{"the unspecified literal", allow(), "0.0.0.0", "0.0.0.0", false},
		{"a shared literal", allow(), "100.64.0.1", "100.64.0.1", false},
		{"a decimal host", allow(), "2130706433", "127.0.0.1", false},

		{"an allowed network", allow("10.0.0.0/8"), "vllm.internal", "10.1.2.3", true},
		{"next to the allowed network", allow("10.0.0.0/24"), "vllm.internal", "10.1.2.3", false},
		{"an allowed network, mapped", allow("10.0.0.0/8"), "vllm.internal", "::ffff:10.1.2.3", true},
		{"an allowed network, through NAT64", allow("10.0.0.0/8"), "vllm.internal", "64:ff9b::a01:203", true},
		{"an allowed network of NAT64 itself", allow("64:ff9b::/96"), "vllm.internal", "64:ff9b::a01:203", true},
		{"an allowed link-local address", allow("169.254.170.2/32"), "sidecar.internal", "169.254.170.2", true},
		{"a zone does not matter", allow("fe80::/64"), "x", "fe80::1%eth0", true},
	} {
		if got := row.policy.Permits(address.ParseHost(row.host), netip.MustParseAddr(row.at)); got != row.want {
			t.Errorf("%s: %s at %s: %v, want %v", row.rule, row.host, row.at, got, row.want)
		}
	}
}

func TestAmbiguous_RecognizesUnusualIPv4Notations(t *testing.T) {
	for host, want := range map[string]bool{
		"2130706433": true, "0x7f000001": true, "0X7F.1": true, "0177.0.0.1": true, "127.1": true, "127.0.0.1.": true,
		"10.1.2.3.4": true,
		"1.2.3.256":  true, "example.0x": true, "example.7": true,
		"127.0.0.1": false, "::1": false, "localhost": false, "api.openai.com": false, "7.example": false,
		"example.com.": false, "0x7.example": false, "": false, ".": false,
	} {
		if got := address.ParseHost(host).Ambiguous(); got != want {
			t.Errorf("%q: %v, want %v", host, got, want)
		}
	}
}

// named reports whether the zero Policy permits a literal of the kind.
func named(k address.Kind) bool {
	return k == address.Public || k == address.Loopback || k == address.Private
}

// FuzzIPv4Forms_HaveOneKind checks that each notation of an IPv4 address has the same kind or is not a literal, and
// that the zero Policy permits no notation of an address that it does not permit in the usual one.
func FuzzIPv4Forms_HaveOneKind(f *testing.F) {
	for _, seed := range []string{"127.0.0.1", "169.254.169.254", "10.0.0.1", "8.8.8.8", "0.0.0.0", "100.64.1.1"} {
		bytes := netip.MustParseAddr(seed).As4()
		f.Add(binary.BigEndian.Uint32(bytes[:]))
	}
	f.Fuzz(func(t *testing.T, bits uint32) {
		var bytes [4]byte
		binary.BigEndian.PutUint32(bytes[:], bits)
		plain := netip.AddrFrom4(bytes)
		kind := address.KindOf(plain)
		for _, form := range []string{"::ffff:" + plain.String(), fmt.Sprintf("::ffff:%x:%x", bits>>16, bits&0xffff),
			fmt.Sprintf("64:ff9b::%x:%x", bits>>16, bits&0xffff)} {
			literal, ok := address.ParseHost(form).Literal()
			if !ok || address.KindOf(literal) != kind {
				t.Errorf("%s is %v, %s is %v", form, address.KindOf(literal), plain, kind)
			}
			if permits := (address.Policy{}).Permits(address.ParseHost(form), literal); permits != named(kind) {
				t.Errorf("%s, which is %v: permitted %v", form, kind, permits)
			}
		}
		for _, form := range []string{
			fmt.Sprint(bits), fmt.Sprintf("0x%x", bits), fmt.Sprintf("0%o", bits),
			fmt.Sprintf("%d.%d", bytes[0], bits&0xffffff),
			fmt.Sprintf("0x%x.0x%x.0x%x.0x%x", bytes[0], bytes[1], bytes[2], bytes[3]),
			fmt.Sprintf("0%o.%d.%d.%d", bytes[0], bytes[1], bytes[2], bytes[3]),
		} {
			host := address.ParseHost(form)
			if _, literal := host.Literal(); !host.Ambiguous() && !literal {
				t.Errorf("%s is neither a literal nor ambiguous", form)
			}
			if _, literal := host.Literal(); !literal && kind != address.Public &&
				(address.Policy{}).Permits(host, plain) {
				t.Errorf("%s is permitted at %s", form, plain)
			}
		}
	})
}

// FuzzParseHost checks that no host is both a literal and ambiguous, and that no name other than localhost permits the
// loopback address.
func FuzzParseHost(f *testing.F) {
	for _, seed := range []string{"localhost", "fe80::1%eth0", "::ffff:7f00:1", "0x7f.1", "1.2.3.4", "[::1]",
		"127.0.0.1%lo"} {
		f.Add(seed)
	}
	loopback := netip.MustParseAddr("127.0.0.1")
	f.Fuzz(func(t *testing.T, text string) {
		host := address.ParseHost(text)
		literal, is := host.Literal()
		if is && host.Ambiguous() {
			t.Errorf("%q is both a literal and ambiguous", text)
		}
		if is && (address.Policy{}).Permits(host, literal) && !named(address.KindOf(literal)) {
			t.Errorf("%q, which is %v, may be called", text, address.KindOf(literal))
		}
		if !is && (address.Policy{}).Permits(host, loopback) != strings.EqualFold(text, "localhost") {
			t.Errorf("%q is permitted at the loopback address, or localhost is not", text)
		}
	})
}
