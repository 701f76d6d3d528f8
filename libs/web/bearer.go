package web

import "strings"

// BearerValue returns the value of an Authorization header with the scheme Bearer, which is matched without
// regard to case (RFC 9110, section 11.1). ok is false if the header is empty or has another scheme.
func BearerValue(header string) (value string, ok bool) {
	scheme, value, ok := strings.Cut(header, " ")
	return strings.TrimSpace(value), ok && strings.EqualFold(scheme, "Bearer")
}
