package upstream

import (
	"net/http"
	"regexp"
	"strings"

	"github.com/tollgate/tollgate/apps/relay/internal/view"
	"github.com/tollgate/tollgate/libs/wire/openai"
)

// credentials matches what looks like one, whole or masked by the upstream.
var credentials = regexp.MustCompile(`(?i)\b(sk|pk|rk|org|proj|key)-[A-Za-z0-9_*.-]{6,}`)

const redacted = "[redacted]"

// publicError is an upstream's refusal as the client may read it: without
// the channel's credentials, its address, or what looks like an account.
func publicError(body []byte, target *view.Target) openai.ErrorBody {
	e := openai.ScanError(body)
	if e == nil {
		return openai.ErrorBody{Message: "The upstream refused the request.", Type: "invalid_request_error"}
	}
	secrets := append([]string(nil), target.Keys...)
	if target.Base != nil {
		secrets = append(secrets, target.Base.Host, target.Base.Hostname())
	}
	for _, secret := range secrets {
		if secret != "" {
			e.Message = strings.ReplaceAll(e.Message, secret, redacted)
		}
	}
	e.Message = credentials.ReplaceAllString(e.Message, redacted)
	if e.Type == "" {
		e.Type = "invalid_request_error"
	}
	return *e
}

// isEventStream reports whether the answer is one, parameters aside.
func isEventStream(h http.Header) bool {
	mediaType, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	return strings.EqualFold(strings.TrimSpace(mediaType), "text/event-stream")
}
