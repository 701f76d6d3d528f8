package address

import (
	"net/url"
	"strings"
	"unicode"

	"github.com/tollgate/tollgate/libs/core/problem"
)

// CheckURL returns an InvalidType problem at the field if no upstream may have the base URL.
func CheckURL(field, base string) error {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
		strings.ContainsAny(base, "?#") {
		return problem.New(problem.InvalidType,
			"the base URL must be an http(s) URL without credentials, query or fragment").At(field)
	}
	if HasDots(u.EscapedPath()) {
		return problem.New(problem.InvalidType, "the path of the base URL must not have the segments . and ..").
			At(field)
	}
	return CheckHost(field, u.Hostname())
}

// maxDecoding is how often HasDots decodes a path: servers in a row may each decode it once.
const maxDecoding = 3

// HasDots reports whether a path has a segment `.` or `..`, by which it may leave the path before it. It takes a path
// as the least careful server does: percent-encoded several times, with backslashes between the segments, and with
// parameters after semicolons. Control characters, which some servers drop, count as well.
func HasDots(path string) bool {
	for range maxDecoding {
		if strings.ContainsFunc(path, unicode.IsControl) {
			return true
		}
		for segment := range strings.SplitSeq(strings.ReplaceAll(path, `\`, "/"), "/") {
			if name, _, _ := strings.Cut(segment, ";"); name == "." || name == ".." {
				return true
			}
		}
		decoded, err := url.PathUnescape(path)
		if err != nil || decoded == path {
			return false
		}
		path = decoded
	}
	return true
}

// CheckHost returns an InvalidType problem at the field for ambiguous notations of an IPv4 address, and for addresses
// of kinds that are never permitted because the URL names them. Names are checked when a relay resolves them.
func CheckHost(field, name string) error {
	host := ParseHost(name)
	if host.Ambiguous() {
		return problem.New(problem.InvalidType, "%s is ambiguous: write the IPv4 address as four decimal numbers",
			name).At(field)
	}
	if literal, ok := host.Literal(); ok {
		if kind := KindOf(literal); kind == LinkLocal || kind == Metadata || kind == Multicast {
			return problem.New(problem.InvalidType, "%s is a %v address, which no upstream may have", name, kind).
				At(field)
		}
	}
	return nil
}
