package web

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/problem"
)

// RequestRecord collects what the handlers of a console's request learn about it,
// for its line in the log and its trace. Only the request's goroutine may use it.
type RequestRecord struct {
	RequestID        string    // as the client received it; "": none
	TenantID, UserID uuid.UUID // uuid.Nil: nobody is signed in, or an operator of no tenant
	Failed           bool
	Kind             problem.Kind // why, where it failed
}

type recordKey struct{}

// WithRecord returns a context that carries the record.
func WithRecord(ctx context.Context, record *RequestRecord) context.Context {
	return context.WithValue(ctx, recordKey{}, record)
}

// RecordOf returns the record of the context, or one that is read by nobody.
func RecordOf(ctx context.Context) *RequestRecord {
	if record, ok := ctx.Value(recordKey{}).(*RequestRecord); ok {
		return record
	}
	return new(RequestRecord)
}

// fail records the error that answers the request.
func (r *RequestRecord) fail(e *Error) {
	r.Failed = true
	kind, ok := problem.KindNamed(e.Code)
	if !ok {
		kind = KindOf(e.Status)
	}
	r.Kind = kind
}

// LevelOf is how loud the line of a request is that failed so: what the gateway
// or a provider did is for its operators.
func LevelOf(kind problem.Kind) slog.Level {
	switch kind.Class().Domain {
	case problem.DomainGateway:
		return slog.LevelError
	case problem.DomainProvider:
		return slog.LevelWarn
	case problem.DomainCaller, problem.DomainPolicy:
	}
	return slog.LevelInfo
}

// KindOf is what an HTTP status of an error tells by itself.
func KindOf(status int) problem.Kind {
	if kind, ok := kinds[status]; ok {
		return kind
	}
	if status >= http.StatusInternalServerError {
		return problem.Internal
	}
	return problem.InvalidType
}
