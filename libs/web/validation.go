package web

import (
	"errors"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tollgate/tollgate/libs/core/problem"
)

// newError returns the document for an error that Huma reports. In order of preference it describes the Problem that a
// handler returned, the faulty fields that Huma's validation found, or just the status.
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
		return ErrorOf(problem.Of(problem.InvalidJSON)) // only Huma's JSON decoder adds errors to a 400
	}
	kind, ok := kinds[status]
	if !ok {
		return document(status, word(status), sentence(message), "")
	}
	class := kind.Class()
	if message == "" || message == "validation failed" {
		message = class.Text
	}
	return document(class.Status, class.Name, sentence(message), "")
}

// kinds maps the statuses with which Huma and middleware answer to problem kinds.
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

// finding is a faulty field with the kind of its problem.
type finding struct {
	Field
	kind problem.Kind
}

// invalid returns the document for faulty fields: the first one as the problem, and all of them if there are several.
func invalid(findings []finding) *Error {
	head := findings[0]
	e := document(http.StatusBadRequest, head.kind.Class().Name, head.Message, head.Param)
	if len(findings) > 1 {
		for _, f := range findings {
			e.Errors = append(e.Errors, f.Field)
		}
	}
	return e
}

// fieldsOf returns the path and message of each field that validation found faulty. It drops the values, because a
// value can be a whole body or a secret, and it drops messages of decoders and parsers, which may quote values.
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

// findingOf translates a location and message of Huma. It returns false for messages that are not about a field, such
// as those of the JSON decoder about the whole body.
func findingOf(location, message string) (finding, bool) {
	if !strings.HasPrefix(message, "expected ") && location == "body" || message == "" {
		return finding{}, false
	}
	f := finding{kind: problem.InvalidType}
	if tail, ok := strings.CutPrefix(message, "expected required property "); ok {
		name, _, _ := strings.Cut(tail, " ")
		location, f.kind = location+"."+name, problem.MissingParameter
	}
	if strings.HasPrefix(message, "required ") {
		f.kind = problem.MissingParameter
	}
	f.Param = param(location)
	f.Message = sentence(strings.TrimSuffix(beforeQuote(message), ":"))
	return f, true
}

// beforeQuote removes the end of messages such as "expected string to be RFC 4122 uuid: ...", where a parser's own text
// follows the colon. That text may quote the value.
func beforeQuote(message string) string {
	if strings.HasPrefix(message, "expected string to match pattern") {
		return message
	}
	head, _, _ := strings.Cut(message, ": ")
	return head
}

// param returns the path of a field without its place in the request: "keys[0].name" for "body.keys[0].name".
func param(location string) string {
	place, name, _ := strings.Cut(location, ".")
	switch place {
	case "body", "path", "query", "header", "cookie":
		return name
	}
	return location
}

// sentence returns the message with a capital letter and a full stop.
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

// word returns the code for a status that belongs to no problem kind, such as "not_acceptable".
func word(status int) string {
	return strings.ReplaceAll(strings.ToLower(http.StatusText(status)), " ", "_")
}
