// Package envelope writes error responses in the format that the OpenAI SDKs read. It is the only place where a
// relay turns an internal error into text for a client.
package envelope

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/tollgate/tollgate/libs/core/problem"
)

// ErrorResponse is the body of an error response.
type ErrorResponse struct {
	Error ErrorObject `json:"error" doc:"What went wrong"`
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
	class := p.Kind.Class()
	return ErrorResponse{ErrorObject{Message: p.Text(), Type: class.Type, Param: orNull(p.Param), Code: orNull(class.Code)}}
}

// orNull returns nil for an empty string.
func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Write writes the error response for err. An error that an upstream returned keeps its status, type, code and
// message. Any other error is converted with problem.From, which hides text that may be sensitive behind a
// general message. The headers tell the client whether to retry (X-Should-Retry) and when (Retry-After in
// seconds, Retry-After-Ms in milliseconds).
func Write(w http.ResponseWriter, err error) {
	p := problem.From(err)
	class := p.Kind.Class()
	status, retry, body := class.Status, class.Retry, Of(p)
	if refusal := p.Upstream; refusal != nil {
		status, retry = refusal.Status, refusal.Status == http.StatusConflict
		body = ErrorResponse{ErrorObject{refusal.Message, refusal.Type, orNull(refusal.Param), orNull(refusal.Code)}}
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
