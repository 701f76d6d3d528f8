package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tollgate/tollgate/apps/console/internal/session"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/web"
)

type callerKey struct{}

// caller is who makes a request: a signed-in user, or a program with an access
// key of his.
type caller struct {
	store.Session
	value string           // of the cookie
	key   *token.AccessKey // nil: he is there himself
}

// scope is what the caller reaches.
func (c *caller) scope() tenant.Scope {
	if c.key != nil {
		return tenant.ScopeOf(c.User).By(c.key.Mask)
	}
	return tenant.ScopeOf(c.User)
}

// callerOf returns the caller that authenticate found.
func callerOf(ctx context.Context) *caller {
	c, _ := ctx.Value(callerKey{}).(*caller)
	return c
}

// scopeOf is the caller's scope: all that most handlers need of him.
func scopeOf(ctx context.Context) tenant.Scope { return callerOf(ctx).scope() }

// inPerson is Forbidden for programs.
func inPerson(ctx context.Context) error {
	if callerOf(ctx).key != nil {
		return errPerson
	}
	return nil
}

var errPerson = problem.New(problem.Forbidden, "Access keys may not do this: sign in.")

// authenticate finds who calls, for every operation that needs to know. A
// request with a bearer is judged by it alone.
func (a *API) authenticate(ctx huma.Context, next func(huma.Context)) {
	op := ctx.Operation()
	if len(op.Security) == 0 {
		next(ctx)
		return
	}
	find := a.byCookie
	if _, ok := session.Bearer(ctx.Header("Authorization")); ok {
		find = a.byKey
	}
	found, err := find(ctx)
	if err == nil {
		err = found.mayCall(op)
	}
	if err != nil {
		a.refuse(ctx, err)
		return
	}
	seen := web.SeenIn(ctx.Context())
	seen.TenantID, seen.UserID = found.User.TenantID, found.User.ID
	next(huma.WithValue(ctx, callerKey{}, found))
}

func (a *API) byCookie(ctx huma.Context) (*caller, error) {
	cookie, err := huma.ReadCookie(ctx, a.Sessions.CookieName())
	if err != nil {
		return nil, problem.Of(problem.Unauthenticated)
	}
	found, err := a.Sessions.Find(ctx.Context(), cookie.Value)
	return &caller{Session: found, value: cookie.Value}, err
}

func (a *API) byKey(ctx huma.Context) (*caller, error) {
	value, _ := session.Bearer(ctx.Header("Authorization"))
	found, err := a.Keys.Find(ctx.Context(), value, a.clientOf(ctx))
	return &caller{Session: store.Session{User: found.User, Tenant: found.Tenant, ExpiresAt: found.Key.ExpiresAt}, key: &found.Key}, err
}

// mayCall judges what a key may do beside its user.
func (c *caller) mayCall(op *huma.Operation) error {
	switch {
	case c.key == nil:
		return nil
	case !acceptsKeys(op):
		return errPerson
	case c.key.Access != token.WriteAccess && op.Method != http.MethodGet:
		return problem.New(problem.Forbidden, "The access key may only read.")
	}
	return nil
}

func acceptsKeys(op *huma.Operation) bool {
	for _, scheme := range op.Security {
		if _, ok := scheme[keyScheme]; ok {
			return true
		}
	}
	return false
}
