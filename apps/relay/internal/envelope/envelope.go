// Package envelope writes errors in the format that OpenAI's SDKs read.
package envelope

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/tollgate/tollgate/libs/core/problem"
)

// ErrorResponse is the body of an error answer.
type ErrorResponse struct {
	Error ErrorObject `json:"error" doc:"What went wrong"`
}

// ErrorObject is what went wrong. All four keys are always there.
type ErrorObject struct {
	Message string  `json:"message" doc:"What went wrong, for people"`
	Type    string  `json:"type" doc:"The class of the error" example:"invalid_request_error"`
	Param   *string `json:"param" doc:"The field at fault, null for none" nullable:"true"`
	Code    *string `json:"code" doc:"The kind of the error, null where an upstream named none" nullable:"true"`
}

// Of returns the envelope of a problem.
func Of(p *problem.Problem) ErrorResponse {
	class := p.Kind.Class()
	return ErrorResponse{ErrorObject{Message: p.Text(), Type: class.Type, Param: orNull(p.Param), Code: orNull(class.Code)}}
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Write answers with err: an upstream's refusal as it is, anything else as
// its Problem. What is private in err stays so.
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
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // a client that is gone needs no answer
}

// roundedUp is how many whole units d is at most.
func roundedUp(d, unit time.Duration) string { return strconv.FormatInt(int64((d+unit-1)/unit), 10) }
