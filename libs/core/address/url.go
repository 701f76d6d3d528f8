package address

import (
	"net/url"
	"strings"

	"github.com/tollgate/tollgate/libs/core/problem"
)

// CheckURL returns an InvalidType problem at the field if no upstream may have the base URL.
func CheckURL(field, base string) error {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || strings.ContainsAny(base, "?#") {
		return problem.New(problem.InvalidType, "the base URL must be an http(s) URL without credentials, query or fragment").At(field)
	}
	return CheckHost(field, u.Hostname())
}

// CheckHost returns an InvalidType problem at the field for ambiguous notations of an IPv4 address, and for addresses of kinds
// that are never permitted because the URL names them. Names are checked when a relay resolves them.
func CheckHost(field, name string) error {
	host := ParseHost(name)
	if host.Ambiguous() {
		return problem.New(problem.InvalidType, "%s is ambiguous: write the IPv4 address as four decimal numbers", name).At(field)
	}
	if literal, ok := host.Literal(); ok {
		if kind := KindOf(literal); kind == LinkLocal || kind == Metadata || kind == Multicast {
			return problem.New(problem.InvalidType, "%s is a %v address, which no upstream may have", name, kind).At(field)
		}
	}
	return nil
}
