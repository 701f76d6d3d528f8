package config

import (
	"net/url"
	"slices"
	"strings"
)

// AnyOrigin is the element of Origins that stands for all origins.
const AnyOrigin = "*"

// Origins are origins of web pages in the form in which browsers send them, such as https://app.example.com. Its only
// element is AnyOrigin if every origin is meant. It is empty if none is.
type Origins []string

// UnmarshalText accepts *, none, or origins that are separated by commas.
func (o *Origins) UnmarshalText(text []byte) error {
	switch string(text) {
	case AnyOrigin:
		*o = Origins{AnyOrigin}
		return nil
	case "none":
		*o = nil
		return nil
	}
	var list Origins
	for entry := range strings.SplitSeq(string(text), ",") {
		origin, ok := asOrigin(strings.TrimSpace(entry))
		if !ok {
			return fault("must be *, none, or origins such as https://app.example.com, separated by commas")
		}
		if !slices.Contains(list, origin) {
			list = append(list, origin)
		}
	}
	*o = list
	return nil
}

// defaultPorts are the ports that browsers leave out of an origin.
var defaultPorts = map[string]string{"http": ":80", "https": ":443"}

// asOrigin returns the origin in the form in which browsers send it: in lower case, without a default port and without
// a slash at its end. It returns false if raw is not an origin. The scheme can be any, because apps and browser
// extensions have schemes of their own.
func asOrigin(raw string) (origin string, ok bool) {
	raw = strings.TrimSuffix(strings.ToLower(raw), "/")
	u, err := url.Parse(raw)
	if err != nil || u.Scheme == "" || u.Hostname() == "" || u.Port() != "" && !isPort(u.Port()) {
		return "", false
	}
	origin = u.Scheme + "://" + u.Host
	if raw != origin || strings.HasSuffix(origin, ":") || strings.Trim(origin, originBytes) != "" {
		return "", false
	}
	return strings.TrimSuffix(origin, defaultPorts[u.Scheme]), true
}

// originBytes are the characters of origins. Browsers send names with others in Punycode.
const originBytes = "abcdefghijklmnopqrstuvwxyz0123456789-._:/[]+"
