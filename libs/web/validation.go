package web

import (
	"errors"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tollgate/tollgate/libs/core/problem"
)

// newError makes the document of what Huma reports: the Problem a handler
// returned, the fields that validation found at fault, or a bare status.
func newError(status int, message string, errs []error) *Error {
	var p *problem.Problem
	for _, err := range errs {
		if errors.As(err, &p) {
			return ErrorOf(p)
		}
	}
	if status >= http.StatusInternalServerError && status != http.StatusServiceUnavailable {
		return ErrorOf(problem.Of(problem.Internal))
	}
	if fields := fieldsOf(errs); len(fields) > 0 {
		return invalid(fields)
	}
	if status == http.StatusBadRequest && len(errs) > 0 {
		return ErrorOf(problem.Of(problem.InvalidJSON)) // Huma's decoder is the only one that adds errors to a 400
	}
	kind, known := kinds[status]
	if !known {
		return document(status, word(status), sentence(message), "")
	}
	class := kind.Class()
	if message == "" || message == "validation failed" {
		message = class.Text
	}
	return document(class.Status, class.Name, sentence(message), "")
}

// kinds classifies the statuses that Huma and middlewares answer with.
var kinds = map[int]problem.Kind{
	http.StatusBadRequest:            problem.InvalidType,
	http.StatusUnprocessableEntity:   problem.InvalidType,
	http.StatusUnauthorized:          problem.Unauthenticated,
	http.StatusForbidden:             problem.Forbidden,
	http.StatusNotFound:              problem.NotFound,
	http.StatusMethodNotAllowed:      problem.MethodNotAllowed,
	http.StatusRequestTimeout:        problem.ReadTimeout,
	http.StatusConflict:              problem.Conflict,
	http.StatusRequestEntityTooLarge: problem.TooLarge,
	http.StatusUnsupportedMediaType:  problem.UnsupportedMediaType,
	http.StatusTooManyRequests:       problem.RateLimited,
	http.StatusBadGateway:            problem.UpstreamFailed,
	http.StatusServiceUnavailable:    problem.Overloaded,
	http.StatusGatewayTimeout:        problem.UpstreamTimeout,
}

// finding is one field at fault with its kind.
type finding struct {
	Field
	kind problem.Kind
}

func invalid(findings []finding) *Error {
	first := findings[0]
	e := document(http.StatusBadRequest, first.kind.Class().Name, first.Message, first.Param)
	if len(findings) > 1 {
		for _, f := range findings {
			e.Errors = append(e.Errors, f.Field)
		}
	}
	return e
}

// fieldsOf keeps place and message of what validation found. Values are
// dropped, for one may be a whole body; so is every message that may quote
// one: what decoders and parsers of single formats say.
func fieldsOf(errs []error) []finding {
	var findings []finding
	for _, err := range errs {
		detailer, ok := err.(huma.ErrorDetailer)
		if !ok {
			continue
		}
		detail := detailer.ErrorDetail()
		if f, ok := findingOf(detail.Location, detail.Message); ok {
			findings = append(findings, f)
		}
	}
	return findings
}

func findingOf(location, message string) (finding, bool) {
	if !strings.HasPrefix(message, "expected ") && location == "body" || message == "" {
		return finding{}, false
	}
	f := finding{kind: problem.InvalidType}
	if rest, ok := strings.CutPrefix(message, "expected required property "); ok {
		name, _, _ := strings.Cut(rest, " ")
		location, f.kind = location+"."+name, problem.MissingParameter
	}
	if strings.HasPrefix(message, "required ") {
		f.kind = problem.MissingParameter
	}
	f.Param = param(location)
	f.Message = sentence(strings.TrimSuffix(beforeQuote(message), ":"))
	return f, true
}

// beforeQuote cuts off the second half of messages such as "expected string to
// be RFC 4122 uuid: ...", which is a parser's own text.
func beforeQuote(message string) string {
	if strings.HasPrefix(message, "expected string to match pattern") {
		return message
	}
	head, _, _ := strings.Cut(message, ": ")
	return head
}

// param turns "body.keys[0].name" into "keys[0].name".
func param(location string) string {
	place, name, _ := strings.Cut(location, ".")
	switch place {
	case "body", "path", "query", "header", "cookie":
		return name
	}
	return location
}

// sentence begins with a capital and ends with a full stop.
func sentence(message string) string {
	if message == "" {
		return ""
	}
	message = strings.ToUpper(message[:1]) + message[1:]
	if !strings.HasSuffix(message, ".") {
		message += "."
	}
	return message
}

// word is the code of a status that no problem kind has.
func word(status int) string {
	return strings.ReplaceAll(strings.ToLower(http.StatusText(status)), " ", "_")
}
