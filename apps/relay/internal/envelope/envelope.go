// Package envelope writes error responses in the format that the OpenAI SDKs read, or the Anthropic SDKs. It is the
// only place where a relay turns an internal error into text for a client.
package envelope

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tollgate/tollgate/libs/core/problem"
)

// ErrorResponse is the body of an error response.
type ErrorResponse struct {
	Type      string      `json:"type,omitempty" known:"error" doc:"Only in answers in the format of Anthropic's API"`
	Error     ErrorObject `json:"error" doc:"What went wrong"`
	RequestID string      `json:"request_id,omitempty" doc:"The id of the request; only in answers in the format of Anthropic's API"`
}

// ErrorObject describes one error. All four keys are always present, because SDKs read them without a check.
type ErrorObject struct {
	Message string  `json:"message" doc:"What went wrong and what to do next, for people"`
	Type    string  `json:"type" doc:"The class of the error" example:"invalid_request_error"`
	Param   *string `json:"param" doc:"The request field that caused the error, null if no single field did" nullable:"true"`
	Code    *string `json:"code" doc:"The kind of error for programs, null if the upstream named none" nullable:"true"`
}

// Of returns the error object of a problem. The private cause of the problem is not part of it.
func Of(p *problem.Problem) ErrorResponse {
	return ErrorResponse{Error: ErrorObject{Message: p.Text(), Type: p.Kind.Class().Type, Param: orNull(p.Param),
		Code: orNull(p.PublicCode())}}
}

// orNull returns nil for an empty string.
func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// ForMessages reports whether the client of a request reads errors, and lists of models, in the format of Anthropic's
// API: the request is for an endpoint of that API, or it lists models and names the version of that API.
func ForMessages(r *http.Request) bool {
	path := r.URL.Path
	return path == messagesPath || strings.HasPrefix(path, messagesPath+"/") ||
		r.Header["Anthropic-Version"] != nil && (path == modelsPath || strings.HasPrefix(path, modelsPath+"/"))
}

const (
	messagesPath = "/v1/messages"
	modelsPath   = "/v1/models"
)

// MessageOf returns the error object of a problem in the format of Anthropic's API, which also has the members of
// OpenAI's.
func MessageOf(p *problem.Problem, requestID string) ErrorResponse {
	e := Of(p)
	e.Type, e.RequestID, e.Error.Type = "error", requestID, messageType(p.Kind.Class().Status)
	return e
}

// messageTypes are the types of errors of Anthropic's API by their HTTP status.
var messageTypes = map[int]string{
	http.StatusUnauthorized: "authentication_error", http.StatusPaymentRequired: "billing_error",
	http.StatusForbidden: "permission_error",
	http.StatusNotFound:  "not_found_error", http.StatusRequestEntityTooLarge: "request_too_large",
	http.StatusTooManyRequests:    "rate_limit_error",
	http.StatusServiceUnavailable: "overloaded_error", http.StatusRequestTimeout: "timeout_error",
	http.StatusGatewayTimeout: "timeout_error",
}

// messageType returns the type of an error with the status.
func messageType(status int) string {
	switch kind, ok := messageTypes[status]; {
	case ok:
		return kind
	case status < http.StatusInternalServerError:
		return "invalid_request_error"
	}
	return "api_error"
}

// WriteMessage does the same as Write in the format that Anthropic's SDKs read.
func WriteMessage(w http.ResponseWriter, err error) {
	p := problem.From(err)
	body := MessageOf(p, w.Header().Get("X-Request-Id"))
	if refusal := p.Upstream; refusal != nil {
		body.Error = ErrorObject{refusal.Message, refusal.Type, orNull(refusal.Param), orNull(refusal.Code)}
		if !slices.Contains(slices.Collect(maps.Values(messageTypes)), refusal.Type) { // of another family
			body.Error.Type = messageType(refusal.Status)
		}
	}
	write(w, p, body)
}

// Write writes the error response for err. An error that an upstream returned keeps its status, type, code and
// message. Any other error is converted with problem.From, which hides text that may be sensitive behind a
// general message. The headers tell the client whether to retry (X-Should-Retry) and when (Retry-After in
// seconds, Retry-After-Ms in milliseconds).
func Write(w http.ResponseWriter, err error) {
	p := problem.From(err)
	body := Of(p)
	if refusal := p.Upstream; refusal != nil {
		body = ErrorResponse{Error: ErrorObject{refusal.Message, refusal.Type, orNull(refusal.Param),
			orNull(refusal.Code)}}
	}
	write(w, p, body)
}

// write writes an error response with the body, and the headers that tell the client whether to retry.
func write(w http.ResponseWriter, p *problem.Problem, body any) {
	class := p.Kind.Class()
	status, retry := class.Status, class.Retry || p.RetryAfter > 0
	if refusal := p.Upstream; refusal != nil {
		status, retry = refusal.Status, refusal.Status == http.StatusConflict
	}
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("X-Should-Retry", strconv.FormatBool(retry))
	if p.RetryAfter > 0 {
		header.Set("Retry-After", roundedUp(p.RetryAfter, time.Second))
		header.Set("Retry-After-Ms", roundedUp(p.RetryAfter, time.Millisecond))
	}
	if status == http.StatusUnauthorized {
		header.Set("WWW-Authenticate", "Bearer")
	}
	text, _ := json.Marshal(body) // strings always marshal
	header.Set("Content-Length", strconv.Itoa(len(text)+1))
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n')) // the client may be gone; nobody could read a second answer
}

// roundedUp returns the number of whole units in d, rounded up.
func roundedUp(d, unit time.Duration) string { return strconv.FormatInt(int64((d+unit-1)/unit), 10) }
