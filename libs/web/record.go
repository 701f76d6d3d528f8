package web

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/problem"
)

// RequestRecord collects facts about a request to the console while handlers process it, for the request's log line and
// trace. It travels in the context. Only the goroutine of the request may use it.
type RequestRecord struct {
	RequestID        string    // id that the client received, "" for none
	TenantID, UserID uuid.UUID // uuid.Nil if nobody is signed in; operators have no tenant
	Actor            string    // name of the caller for the audit log, "" if nobody is signed in
	Account          string    // e-mail address for which the request tried to sign in, "" for none
	AccountTenantID  uuid.UUID // the tenant of that account; uuid.Nil if it is not known
	SignIn           bool      // the request tries to sign in
	// Why an issuer's statement about a person was refused, for the audit log; "" for other refusals.
	Refusal string
	Address netip.Addr // of the client
	Failed  bool
	Kind    problem.Kind // kind of the failure, if Failed
}

// recordKey is the context key of the record.
type recordKey struct{}

// WithRecord returns a context that carries the record.
func WithRecord(ctx context.Context, record *RequestRecord) context.Context {
	return context.WithValue(ctx, recordKey{}, record)
}

// RecordOf returns the record of the context. Without one it returns a new record that nobody reads, so callers need no
// nil check.
func RecordOf(ctx context.Context) *RequestRecord {
	if record, ok := ctx.Value(recordKey{}).(*RequestRecord); ok {
		return record
	}
	return new(RequestRecord)
}

// fail notes that e is the response to the request.
func (r *RequestRecord) fail(e *Error) {
	r.Failed = true
	kind, ok := problem.KindNamed(e.Code)
	if !ok {
		kind = KindOf(e.Status)
	}
	r.Kind = kind
}

// LevelOf returns the log level for a request that failed with the kind: Error for faults of the gateway and Warn for
// faults of a provider, which operators must act on; Info for all others.
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

// KindOf returns the kind that fits an HTTP status of an error: Internal for unknown statuses from 500 on, InvalidType
// for other unknown ones.
func KindOf(status int) problem.Kind {
	if kind, ok := kinds[status]; ok {
		return kind
	}
	if status >= http.StatusInternalServerError {
		return problem.Internal
	}
	return problem.InvalidType
}
