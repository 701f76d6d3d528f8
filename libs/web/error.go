package web

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tollgate/tollgate/libs/core/problem"
)

// Error is the RFC 9457 problem document of a failed request to the console's API.
type Error struct {
	Type   string  `json:"type" doc:"Always about:blank; the field code names the kind of failure"`
	Title  string  `json:"title" doc:"Standard text of the HTTP status"`
	Status int     `json:"status" doc:"HTTP status"`
	Code   string  `json:"code" doc:"Stable name of the kind of failure, for programs" example:"not_found"`
	Detail string  `json:"detail" doc:"Explanation of the failure, for people"`
	Param  string  `json:"param,omitempty" doc:"Path of the faulty field" example:"name"`
	Errors []Field `json:"errors,omitempty" doc:"All faulty fields, if there are several"`
}

// Field is one faulty field of a request. Param is its path, such as keys[0].name.
type Field struct {
	Param   string `json:"param"`
	Message string `json:"message"`
}

// Error returns the public text.
func (e *Error) Error() string { return e.Detail }

// GetStatus returns the HTTP status.
func (e *Error) GetStatus() int { return e.Status }

// ContentType returns application/problem+json, whatever type Huma proposes.
func (e *Error) ContentType(string) string { return "application/problem+json" }

// ErrorOf returns the document for err: that of the Problem in its chain, or that of an internal error, without the
// text of err.
func ErrorOf(err error) *Error {
	p := problem.From(err)
	class := p.Kind.Class()
	return document(class.Status, class.Name, p.Text(), p.Param)
}

// WriteError writes the document for err as the response of a net/http handler, and logs internal errors.
func WriteError(w http.ResponseWriter, r *http.Request, log *slog.Logger, err error) {
	p := problem.From(err)
	logFault(r.Context(), log, r.Pattern, p)
	if p.RetryAfter > 0 {
		w.Header().Set("Retry-After", retryAfter(p))
	}
	document := ErrorOf(p)
	RecordOf(r.Context()).fail(document)
	writeDocument(w, document)
}

// document returns an error document. Type is about:blank, for which RFC 9457 requires the status text as Title.
func document(status int, code, detail, param string) *Error {
	return &Error{Type: "about:blank", Title: http.StatusText(status), Status: status, Code: code,
		Detail: detail, Param: param}
}

// retryAfter returns the value of the Retry-After header: whole seconds, rounded up.
func retryAfter(p *problem.Problem) string {
	return strconv.Itoa(int(math.Ceil(p.RetryAfter.Seconds())))
}

// logFault logs the cause of an internal error, which the client does not see. It ignores other problems, and requests
// that the client canceled. operation is the id of the operation, or the route if there is none.
func logFault(ctx context.Context, log *slog.Logger, operation string, p *problem.Problem) {
	if log == nil || p.Kind != problem.Internal || p.Cause == nil || errors.Is(p.Cause, context.Canceled) {
		return
	}
	log.ErrorContext(ctx, "request failed", "operation", operation, "request_id", RecordOf(ctx).RequestID,
		"error", p.Cause)
}

// installErrors replaces Huma's error constructors by ones that return an Error, set Retry-After, log internal errors
// and note the failure in the request's record.
func installErrors() {
	huma.NewError = func(status int, message string, errs ...error) huma.StatusError {
		return newError(status, message, errs)
	}
	huma.NewErrorWithContext = func(ctx huma.Context, status int, message string, errs ...error) huma.StatusError {
		for _, err := range errs {
			if p := problem.From(err); p != nil && p.RetryAfter > 0 {
				ctx.SetHeader("Retry-After", retryAfter(p))
			}
		}
		if status == http.StatusInternalServerError && len(errs) > 0 {
			log, _ := ctx.Context().Value(logKey{}).(*slog.Logger)
			logFault(ctx.Context(), log, ctx.Operation().OperationID, problem.From(errs[0]))
		}
		e := newError(status, message, errs)
		RecordOf(ctx.Context()).fail(e)
		return e
	}
}
