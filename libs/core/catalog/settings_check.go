package catalog

import (
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tollgate/tollgate/libs/core/address"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

// The bounds of settings. A snapshot holds all settings in the memory of every relay, and most are sent with
// each call.
const (
	maxHeaders       = 32
	maxHeaderName    = 128     // bytes
	maxHeaderValue   = 4 << 10 // bytes
	maxParameters    = 64
	maxParameterName = 128       // bytes
	maxParameter     = 32 << 10  // bytes of one value
	maxSystemPrompt  = 64 << 10  // bytes
	maxAPIVersion    = 64        // bytes
	maxProxy         = 2_000     // bytes
	maxCA            = 256 << 10 // bytes
	minTimeout       = 10 * time.Millisecond
	maxConnect       = 2 * time.Minute
	maxWait          = time.Hour // for the first byte and for silence
)

// Check returns the problem of the first malformed setting, or nil if there is none. The problem names the field
// by its path, such as settings.headers. The proxy is sealed here and is not checked: callers use CheckProxy
// before they seal it.
func (s *Settings) Check() error {
	for _, check := range []func() error{
		s.checkHeaders, s.checkParameters, s.checkPrompt, s.checkAPIVersion, s.checkAccount, s.checkEnums, s.checkCA,
		s.checkTimeouts,
	} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// invalid returns an InvalidType problem of one setting.
func invalid(field, format string, args ...any) error {
	return problem.New(problem.InvalidType, format, args...).At("settings." + field)
}

// checkHeaders checks the headers in the order of their names, so that the same settings always give the same problem.
func (s *Settings) checkHeaders() error {
	if len(s.Headers) > maxHeaders {
		return invalid("headers", "a channel can set at most %d headers", maxHeaders)
	}
	names := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(s.Headers)) {
		lower := strings.ToLower(name)
		switch reason, isReserved := reservedHeaders[lower]; {
		case !isToken(name) || len(name) > maxHeaderName:
			return invalid("headers", "%q is not a valid header name", name)
		case isReserved:
			return invalid("headers", "the header %s cannot be set: %s", name, reason)
		case names[lower]:
			return invalid("headers", "duplicate header %s", name)
		case !isHeaderValue(s.Headers[name]):
			return invalid("headers",
				"the value of the header %s must have at most %d bytes, visible ASCII and inner spaces only",
				name, maxHeaderValue)
		}
		names[lower] = true
	}
	return nil
}

const (
	perHop        = "it applies to a single connection"
	describesBody = "it describes the body, which the gateway generates"
	credential    = "credentials are set with api_keys"
)

// reservedHeaders maps the headers that a channel must not set to the reason. The names are in lower case.
var reservedHeaders = map[string]string{
	"connection": perHop, "keep-alive": perHop, "proxy-authenticate": perHop, "proxy-authorization": perHop,
	"proxy-connection": perHop,
	"te":               perHop, "trailer": perHop, "transfer-encoding": perHop, "upgrade": perHop,
	"http2-settings": perHop,
	"host":           "the base URL sets it", "expect": perHop, "cookie": "the gateway stores no cookies",
	"range":          describesBody,
	"content-length": describesBody, "content-type": describesBody, "content-encoding": describesBody,
	"accept":          "the gateway needs the standard response format",
	"accept-encoding": "the gateway needs uncompressed responses",
	"authorization":   credential, "api-key": credential, "x-api-key": credential, "x-goog-api-key": credential,
	"x-auth-token": credential,
}

// isToken reports whether name is a token as RFC 9110, section 5.6.2, defines it for header names.
func isToken(name string) bool {
	for i := range len(name) {
		c := name[i]
		if (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) {
			return false
		}
	}
	return name != ""
}

// isHeaderValue reports whether value can be sent as it is: visible ASCII and inner spaces, at most
// maxHeaderValue bytes. A line break would end the header and start another one.
func isHeaderValue(value string) bool {
	for i := range len(value) {
		if value[i] < ' ' || value[i] > '~' {
			return false
		}
	}
	return len(value) <= maxHeaderValue && strings.TrimSpace(value) == value
}

const (
	setByCall   = "each call sets it"
	boundsQuota = "the gateway reserves quota by it, so only the client may set it"
	setByClient = "the gateway must find it in the client's request"
)

// reservedParameters maps the parameters that a channel must not set, because the gateway itself reads or writes
// them, to the reason. The names are in lower case.
var reservedParameters = map[string]string{
	"model": setByCall, "messages": setByCall, "input": setByCall, "contents": setByCall, "prompt": setByCall,
	"instructions": "use system_prompt", "system": "use system_prompt", "systeminstruction": "use system_prompt",
	"system_instruction": "use system_prompt",
	"stream":             setByCall, "stream_options": setByCall,
	"n": boundsQuota, "best_of": boundsQuota, "max_tokens": boundsQuota, "max_completion_tokens": boundsQuota,
	"max_output_tokens": boundsQuota,
	"generationconfig":  boundsQuota, "generation_config": boundsQuota,
	"background": setByClient, "previous_response_id": setByClient, "conversation": setByClient,
}

func (s *Settings) checkParameters() error {
	if len(s.Parameters) > maxParameters {
		return invalid("parameters", "a channel can set at most %d parameters", maxParameters)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Parameters)) {
		value := s.Parameters[name]
		switch reason, isReserved := reservedParameters[strings.ToLower(name)]; {
		case !isParameterName(name):
			return invalid("parameters", "%q is not a valid parameter name", name)
		case isReserved:
			return invalid("parameters", "the parameter %s cannot be set: %s", name, reason)
		case len(value) > maxParameter:
			return invalid("parameters", "the value of %s must have at most %d bytes", name, maxParameter)
		case !json.Valid(value) || !utf8.Valid(value):
			return invalid("parameters", "the value of %s must be JSON", name)
		}
	}
	return nil
}

// isParameterName reports whether name can be written between JSON quotes without escapes.
func isParameterName(name string) bool {
	for i := range len(name) {
		if c := name[i]; c <= ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return name != "" && len(name) <= maxParameterName
}

func (s *Settings) checkPrompt() error {
	if len(s.SystemPrompt) > maxSystemPrompt || !utf8.ValidString(s.SystemPrompt) ||
		strings.ContainsRune(s.SystemPrompt, 0) {
		return invalid("system_prompt", "system_prompt must be a text of at most %d bytes", maxSystemPrompt)
	}
	return nil
}

func (s *Settings) checkAPIVersion() error {
	if len(s.APIVersion) > maxAPIVersion || strings.Trim(s.APIVersion, "abcdefghijklmnopqrstuvwxyz0123456789.-") != "" {
		return invalid("api_version", "api_version must consist of at most 64 lower case letters, digits, points and "+
			"hyphens, such as 2024-10-21")
	}
	return nil
}

// checkEnums checks quirks, missing features and the policy for ignored fields, whose values are fixed.
func (s *Settings) checkEnums() error {
	quirks := []Quirk{NoStreamOptions, OldMaxTokens, NoDeveloper, WantsReasoning}
	if word, ok := allKnown(s.Quirks, quirks); !ok {
		return invalid("quirks", "unknown or repeated quirk %q: use each of %v at most once", word, quirks)
	}
	features := []Feature{Streaming, ToolCalling, Vision, StructuredOutput}
	if word, ok := allKnown(s.Lacks, features); !ok {
		return invalid("lacks", "unknown or repeated feature %q: use each of %v at most once", word, features)
	}
	if s.IgnoredFields != "" && !s.IgnoredFields.Valid() {
		return invalid("ignored_fields", "ignored_fields must be one of: report, refuse")
	}
	return nil
}

// allKnown reports whether each word is in the vocabulary and none is repeated. Otherwise it returns the first word
// at fault and false.
func allKnown[T comparable](words, vocabulary []T) (unknown T, ok bool) {
	for i, word := range words {
		if !slices.Contains(vocabulary, word) || slices.Contains(words[:i], word) {
			return word, false
		}
	}
	return unknown, true
}

// Authority describes a certificate that a channel trusts.
type Authority struct {
	Subject   string // distinguished name
	ExpiresAt time.Time
}

// Authorities returns the certificates in CA, in order; none if CA is empty. It returns an error if CA contains
// anything but PEM blocks of certificates. It does not check that they are valid at present.
func (s *Settings) Authorities() ([]Authority, error) {
	var list []Authority
	tail := []byte(s.CA)
	for len(strings.TrimSpace(string(tail))) > 0 {
		var block *pem.Block
		if block, tail = pem.Decode(tail); block == nil || block.Type != "CERTIFICATE" {
			return nil, errors.New("it must contain only PEM blocks of type CERTIFICATE")
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("certificate %d cannot be parsed", len(list)+1)
		}
		list = append(list, Authority{Subject: certificate.Subject.String(), ExpiresAt: certificate.NotAfter})
	}
	return list, nil
}

func (s *Settings) checkCA() error {
	if len(s.CA) > maxCA {
		return invalid("ca", "ca must have at most %d bytes", maxCA)
	}
	authorities, err := s.Authorities()
	switch {
	case err != nil:
		return invalid("ca", "%v", err)
	case s.CA != "" && len(authorities) == 0:
		return invalid("ca", "it must contain at least one certificate")
	}
	return nil
}

func (s *Settings) checkTimeouts() error {
	for _, row := range []struct {
		field string
		value time.Duration
		upper time.Duration
	}{
		{"connect_timeout", s.ConnectTimeout, maxConnect},
		{"first_byte_timeout", s.FirstByteTimeout, maxWait},
		{"idle_timeout", s.IdleTimeout, maxWait},
	} {
		if row.value != 0 && (row.value < minTimeout || row.value > row.upper) {
			return invalid(row.field, "must be between %v and %v", minTimeout, row.upper)
		}
	}
	return nil
}

// CheckProxy returns a problem if raw is not the URL of a proxy, or nil if it is. Such a URL has the scheme
// http, https or socks5, a host, and optionally credentials, but no path. The problem does not repeat the URL,
// which may contain a secret.
func CheckProxy(raw string) error {
	u, err := url.Parse(raw)
	switch {
	case err != nil || len(raw) > maxProxy || u.Hostname() == "" || u.Path != "" && u.Path != "/" ||
		strings.ContainsAny(raw, "?#"):
		return invalid("proxy", "proxy must be a URL such as http://user:password@proxy.example:3128")
	case u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "socks5":
		return invalid("proxy", "the scheme of proxy must be http, https or socks5")
	}
	return address.CheckHost("settings.proxy", u.Hostname())
}

// MaskProxy returns the scheme and host of a proxy's URL, with "…" in place of credentials. It returns "" for a
// malformed URL.
func MaskProxy(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	if u.User == nil {
		return u.Scheme + "://" + u.Host
	}
	return u.Scheme + "://…@" + u.Host
}

// checkAccount checks the form of the slug. Whether there is such a tenant is for the caller to check.
func (s *Settings) checkAccount() error {
	if s.AccountOf != "" && tenant.CheckSlug(s.AccountOf) != nil {
		return invalid("account_of", "account_of must be the slug of a tenant")
	}
	return nil
}
