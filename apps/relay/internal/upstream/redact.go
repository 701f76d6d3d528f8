package upstream

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/tollgate/tollgate/apps/relay/internal/snapshot"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

// credentials matches text that looks like a credential, complete or masked by the upstream.
var credentials = regexp.MustCompile(`(?i)\b(sk|pk|rk|org|proj|key)-[A-Za-z0-9_*.-]{6,}`)

const (
	redacted = "[redacted]"
	// minHidden is the length in bytes from which the value of a header is redacted. Shorter values are
	// ordinary words, and redacting them would damage the text.
	minHidden = 8
)

// redactor removes an upstream's secrets, its address and its names from texts that the client gets.
type redactor struct {
	target        *snapshot.Target
	upstreamModel string
	publicModel   string // replaces upstreamModel
	upstreamID    string // id of the response that the request continues; "" for none
	publicID      string // replaces upstreamID
}

// publicRefusal returns an upstream's 4xx error as the client may see it. It contains no credentials of the channel,
// no address, not the upstream's name of the model, and no text that looks like an account id.
func publicRefusal(status int, body []byte, redact redactor) *problem.UpstreamError {
	if status == http.StatusTooManyRequests { // OpenAI's status for a request that is too large, which no retry helps
		status = http.StatusRequestEntityTooLarge
	}
	public := &problem.UpstreamError{Status: status, Message: "The upstream refused the request.",
		Type: "invalid_request_error"}
	e := output.ScanError(body)
	if e == nil {
		if text := detailOf(body); text != "" {
			public.Message = redact.clean(text)
		}
		return public
	}
	public.Message, public.Param, public.Code = redact.clean(e.Message), redact.clean(e.Param), redact.clean(e.Code)
	if e.Type != "" {
		public.Type = redact.clean(e.Type)
	}
	return public
}

// messageOf returns the message of an error response, "" for none.
func messageOf(body []byte) string {
	if e := output.ScanError(body); e != nil {
		return e.Message
	}
	return detailOf(body)
}

// detailOf returns the message of an error response without an error object: a text, or the faults of the fields as
// FastAPI and Mistral write them. It is "" for any other body.
func detailOf(body []byte) string {
	var answer struct {
		Message any             `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(body, &answer) != nil {
		return ""
	}
	var text string
	if message, ok := answer.Message.(string); ok {
		text = message
	}
	if json.Unmarshal(answer.Detail, &text) == nil {
		return text
	}
	var faults []struct {
		Path []any  `json:"loc"`
		Text string `json:"msg"`
	}
	if json.Unmarshal(answer.Detail, &faults) != nil {
		return text
	}
	var details []string
	for _, f := range faults {
		path := make([]string, 0, len(f.Path))
		for _, step := range f.Path {
			if step != "body" {
				path = append(path, fmt.Sprint(step))
			}
		}
		details = append(details, strings.Join(path, ".")+": "+f.Text)
	}
	return strings.Join(details, "; ")
}

// clean replaces private data in text by the public names or by "[redacted]".
func (p redactor) clean(text string) string {
	secrets := make([]string, 0, len(p.target.Credentials)+2)
	for i := range p.target.Credentials {
		secrets = append(secrets, p.target.Credentials[i].Plain)
	}
	if p.target.Base != nil {
		secrets = append(secrets, p.target.Base.Host, p.target.Base.Hostname())
	}
	for _, values := range p.target.Header {
		if len(values[0]) >= minHidden {
			secrets = append(secrets, values[0])
		}
	}
	// Exact secrets first: the pattern at the end only catches text that looks like a credential.
	for _, secret := range secrets {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, redacted)
		}
	}
	// The upstream's names are replaced and not removed, so that the message still makes sense to the client.
	if p.upstreamModel != "" {
		text = strings.ReplaceAll(text, p.upstreamModel, p.publicModel)
	}
	if p.upstreamID != "" {
		text = strings.ReplaceAll(text, p.upstreamID, p.publicID)
	}
	return credentials.ReplaceAllString(text, redacted)
}

// isMedia reports whether the content type is the media type, with any parameters.
func isMedia(h http.Header, mediaType string) bool {
	value, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	return strings.EqualFold(strings.TrimSpace(value), mediaType)
}
