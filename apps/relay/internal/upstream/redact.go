package upstream

import (
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/tollgate/tollgate/apps/relay/internal/view"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/wire/openai"
)

// credentials matches what looks like one, whole or masked by the upstream.
var credentials = regexp.MustCompile(`(?i)\b(sk|pk|rk|org|proj|key)-[A-Za-z0-9_*.-]{6,}`)

const redacted = "[redacted]"

// refusal is an upstream's 4xx as the client may read it: without the
// channel's credentials, its address, or what looks like an account.
func refusal(status int, body []byte, target *view.Target) *problem.Refusal {
	public := &problem.Refusal{Status: status, Message: "The upstream refused the request.", Type: "invalid_request_error"}
	e := openai.ScanError(body)
	if e == nil {
		return public
	}
	public.Message, public.Param, public.Code = clean(e.Message, target), e.Param, e.Code
	if e.Type != "" {
		public.Type = e.Type
	}
	return public
}

func clean(text string, target *view.Target) string {
	secrets := slices.Clone(target.Keys)
	if target.Base != nil {
		secrets = append(secrets, target.Base.Host, target.Base.Hostname())
	}
	for _, secret := range secrets {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, redacted)
		}
	}
	return credentials.ReplaceAllString(text, redacted)
}

// isEventStream reports whether the answer is one, parameters aside.
func isEventStream(h http.Header) bool {
	mediaType, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	return strings.EqualFold(strings.TrimSpace(mediaType), "text/event-stream")
}
