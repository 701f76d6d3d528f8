package http1

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// isPlain reports whether the request's head can be written as it is.
func isPlain(r *http.Request) bool {
	if r.URL == nil || r.Header == nil || r.URL.Scheme != "http" && r.URL.Scheme != "https" || r.URL.Opaque != "" {
		return false
	}
	if !isQuery(r.URL.RawQuery) || !isHost(r.URL.Host) || r.Host != "" && r.Host != r.URL.Host && !isHost(r.Host) {
		return false
	}
	if len(r.TransferEncoding) > 0 || len(r.Trailer) > 0 || r.Cancel != nil || !isMethod(r.Method) { //nolint:staticcheck // Cancel is deprecated, but net/http still obeys it
		return false
	}
	for name, values := range r.Header {
		switch name {
		case "Connection", "Upgrade", "Expect", "Te", "Transfer-Encoding", "Trailer", "Host", "Content-Length",
			"Proxy-Connection", "Keep-Alive":
			return false
		}
		if !httpguts.ValidHeaderFieldName(name) || slices.ContainsFunc(values, isUnsafe) {
			return false
		}
	}
	return true
}

// isMethod reports whether the method is one of those that requests have here.
func isMethod(method string) bool {
	switch method {
	case http.MethodGet, http.MethodPost, http.MethodDelete, http.MethodPut, http.MethodPatch, http.MethodHead:
		return true
	}
	return false
}

// isHost reports whether a host, with or without a port, is the same in a URL, in a Host header and for a dialer: a
// name in ASCII, or an address without a zone.
func isHost(host string) bool {
	for i := range len(host) {
		switch c := host[i]; {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '.', c == '-', c == ':', c == '[', c == ']', c == '_':
		default:
			return false
		}
	}
	return host != "" && host[0] != ':' && host[len(host)-1] != ':'
}

// isQuery reports whether a URL's query can be in the first line of a head. url.URL escapes its path, but not its
// query.
func isQuery(query string) bool {
	for i := range len(query) {
		if c := query[i]; c <= ' ' || c == 0x7f {
			return false
		}
	}
	return true
}

// isUnsafe reports whether a header's value cannot be sent.
func isUnsafe(value string) bool { return !httpguts.ValidHeaderFieldValue(value) }

// hasKnownBody reports whether the request has no body, or one whose bytes are in memory.
func hasKnownBody(r *http.Request) bool {
	if r.Body == nil || r.Body == http.NoBody {
		return r.ContentLength == 0
	}
	_, ok := r.Body.(Segmented)
	return ok && r.ContentLength > 0
}

// take takes the request's body; nil for none. The caller must release it, also after an error.
func take(r *http.Request) (source Segmented, segments [][]byte, err error) {
	source, ok := r.Body.(Segmented)
	if !ok {
		return nil, nil, nil
	}
	size := int64(0)
	segments = source.Take()
	for _, segment := range segments {
		size += int64(len(segment))
	}
	if size != r.ContentLength {
		return source, nil, fmt.Errorf("http1: ContentLength is %d, but the body has %d bytes", r.ContentLength, size)
	}
	return source, segments, nil
}

// appendHead appends the head of a request that Supports accepts. Its headers are in the order in which net/http sends
// them.
func appendHead(b []byte, r *http.Request) []byte {
	b = append(b, r.Method...)
	b = append(b, ' ')
	b = append(b, r.URL.RequestURI()...)
	b = append(b, " HTTP/1.1\r\nHost: "...)
	if r.Host != "" {
		b = append(b, r.Host...)
	} else {
		b = append(b, r.URL.Host...)
	}
	b = append(b, "\r\n"...)
	agent, hasAgent := r.Header["User-Agent"]
	switch {
	case !hasAgent:
		b = append(b, "User-Agent: Go-http-client/1.1\r\n"...)
	case len(agent) > 0 && agent[0] != "":
		b = appendField(b, "User-Agent", strings.Trim(agent[0], " \t"))
	}
	if r.Close {
		b = append(b, "Connection: close\r\n"...)
	}
	if r.ContentLength > 0 || r.Method == http.MethodPost || r.Method == http.MethodPut ||
		r.Method == http.MethodPatch {
		b = append(b, "Content-Length: "...)
		b = strconv.AppendInt(b, r.ContentLength, 10)
		b = append(b, "\r\n"...)
	}
	var room [24]string
	names := room[:0]
	for name := range r.Header {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if name == "User-Agent" {
			continue
		}
		for _, value := range r.Header[name] {
			b = appendField(b, name, strings.Trim(value, " \t"))
		}
	}
	return append(b, "\r\n"...)
}

// appendField appends a line of the head.
func appendField(b []byte, name, value string) []byte {
	b = append(b, name...)
	b = append(b, ": "...)
	b = append(b, value...)
	return append(b, "\r\n"...)
}
