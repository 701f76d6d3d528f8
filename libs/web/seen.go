package web

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/problem"
)

// Seen is what is found out about a console's request on its way: for its line
// in the log and its trace. The request's goroutine alone may use it.
type Seen struct {
	RequestID        string    // as the client was given it; "": none
	TenantID, UserID uuid.UUID // uuid.Nil: nobody is signed in, or an operator of no tenant
	Failed           bool
	Kind             problem.Kind // why, where it failed
}

type seenKey struct{}

// WithSeen returns a context in which SeenIn finds seen.
func WithSeen(ctx context.Context, seen *Seen) context.Context {
	return context.WithValue(ctx, seenKey{}, seen)
}

// SeenIn returns what WithSeen put there, or one that nobody looks at.
func SeenIn(ctx context.Context) *Seen {
	if seen, ok := ctx.Value(seenKey{}).(*Seen); ok {
		return seen
	}
	return new(Seen)
}

// fail notes the error that a request is answered with.
func (s *Seen) fail(e *Error) {
	s.Failed = true
	kind, ok := problem.KindNamed(e.Code)
	if !ok {
		kind = KindOf(e.Status)
	}
	s.Kind = kind
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
