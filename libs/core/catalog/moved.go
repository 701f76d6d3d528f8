package catalog

import (
	"bytes"
	"slices"
	"strings"
)

// plainHeaders are headers that providers read and that route no request to another server. All other headers of the
// settings may do so: gateways exist that forward a request to the address in one of its headers.
var plainHeaders = []string{
	"Anthropic-Beta", "Anthropic-Version", "HTTP-Referer", "OpenAI-Beta", "OpenAI-Organization", "OpenAI-Project", "Referer", "User-Agent", "X-Title",
}

// Moved returns the names of the fields that differ between two states of a channel and that decide where its
// credentials travel, or who can read them on the way. A credential that was given for one state must not be used in
// the other one if there is such a field. The sealed proxy is compared as ciphertext, see Settings.Equal.
func Moved(before, after *Channel) (fields []string) {
	was, is := &before.Settings, &after.Settings
	for _, row := range []struct {
		field string
		same  bool
	}{
		{"type", before.Type == after.Type},
		{"base_url", before.BaseURL == after.BaseURL},
		{"settings.proxy", bytes.Equal(was.Proxy.Sealed, is.Proxy.Sealed)},
		{"settings.ca", was.CA == is.CA},
		{"settings.headers", sameRoute(was.Headers, is.Headers) && sameRoute(is.Headers, was.Headers)},
	} {
		if !row.same {
			fields = append(fields, row.field)
		}
	}
	return fields
}

// sameRoute reports whether every header that may route requests has the same value in other.
func sameRoute(headers, other map[string]string) bool {
	for name, value := range headers {
		if there, ok := other[name]; (!ok || there != value) && !slices.ContainsFunc(plainHeaders, func(plain string) bool { return strings.EqualFold(plain, name) }) {
			return false
		}
	}
	return true
}
