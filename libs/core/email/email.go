// Package email compares and checks e-mail addresses. All programs find, store and compare addresses and their domains
// in the form of Normalize.
package email

import (
	"net/mail"
	"slices"
	"strings"

	"github.com/tollgate/tollgate/libs/core/displaytext"
	"github.com/tollgate/tollgate/libs/core/problem"
)

// longest is the largest length of an address in bytes (RFC 5321).
const longest = 254

// Normalize returns the form in which an address or a domain is stored and compared: without spaces around it, and with
// the letters A to Z in lower case. It changes no other character. Unicode's lower case is not used, because it maps
// different characters to the same one: the Kelvin sign U+212A would become the letter k.
func Normalize(address string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + ('a' - 'A')
		}
		return r
	}, strings.TrimSpace(address))
}

// Domain returns the normalized domain of an address, "" if it has none.
func Domain(address string) string {
	at := strings.LastIndexByte(address, '@')
	if at < 0 {
		return ""
	}
	return Normalize(address[at+1:])
}

// InDomains reports whether the domain of the address is one of the domains. An address without a domain is in none.
func InDomains(address string, domains []string) bool {
	domain := Domain(address)
	return domain != "" && slices.ContainsFunc(domains, func(d string) bool { return Normalize(d) == domain })
}

// Check returns an InvalidType problem unless all characters of the address are seen (displaytext.IsVisible), it has no
// display name, and it has at most 254 bytes.
func Check(address string) error {
	parsed, err := mail.ParseAddress(address)
	if err != nil || parsed.Address != address || len(address) > longest || !displaytext.IsVisible(address) {
		return problem.New(problem.InvalidType, "%q is not an e-mail address", address).At("email")
	}
	return nil
}
