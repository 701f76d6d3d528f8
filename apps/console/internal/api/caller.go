package api

import (
	"context"
	"slices"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/auditbuffer"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store/signin"
	"github.com/tollgate/tollgate/libs/web"
)

type callerKey struct{}

// Caller is the authenticated sender of a request: a signed-in user, or a program that uses an access key
// of a user. For a program, the embedded Session holds only the user, the tenant and the expiry of the key.
type Caller struct {
	signin.Session
	Cookie string // value of the session cookie; empty for an access key
	// The scope, in operations that always need a confirmation; otherwise it reaches nothing.
	Confirmed permission.Confirmed
	key       *token.AccessKey // nil if the caller signed in with the cookie
}

// Scope returns the scope that limits the caller's access to the store. For an
// access key it also carries the key's id and mask, so that the store bounds what the key may grant and the audit log
// names the key.
func (c *Caller) Scope() tenant.Scope {
	if c.key != nil {
		return tenant.ScopeOf(c.User).Via(c.key.ID, c.key.Mask)
	}
	return tenant.ScopeOf(c.User)
}

// CallerOf returns the caller that authenticate found, or nil in a public operation.
func CallerOf(ctx context.Context) *Caller {
	c, _ := ctx.Value(callerKey{}).(*Caller)
	return c
}

// ScopeOf returns the scope of the caller. It panics in a public operation, which has no caller.
func ScopeOf(ctx context.Context) tenant.Scope { return CallerOf(ctx).Scope() }

// HasAccessKey reports whether the request is authenticated with an access key and not by a session. Handlers use it
// for what only a signed-in user may set or see; an Operation without a Scope is protected as a whole.
func HasAccessKey(ctx context.Context) bool { return CallerOf(ctx).key != nil }

var errNeedsSession = problem.New(problem.Forbidden, "An access key may not do this. Sign in instead.")

// authenticate is the middleware that finds the Caller of every operation that is not
// public, and refuses the request if there is none. If the request has a bearer token,
// its cookie is ignored: a wrong key must not fall back to the browser's session.
func (a *API) authenticate(ctx huma.Context, next func(huma.Context)) {
	op := ctx.Operation()
	if len(op.Security) == 0 {
		next(ctx)
		return
	}
	find := a.byCookie
	if _, ok := web.BearerValue(ctx.Header("Authorization")); ok {
		find = a.byKey
	}
	caller, err := find(ctx)
	a.recordCaller(ctx, caller) // also of a refused request, which the audit log has
	if err == nil {
		err = caller.mayCall(op)
	}
	if err != nil {
		a.refuseUnread(ctx, err)
		return
	}
	next(huma.WithValue(ctx, callerKey{}, caller))
}

// recordCaller notes who sent the request, and the use of an access key. It does nothing if the user is unknown.
func (a *API) recordCaller(ctx huma.Context, caller *Caller) {
	if caller == nil || caller.User.ID == uuid.Nil {
		return
	}
	record := web.RecordOf(ctx.Context())
	record.TenantID, record.UserID, record.Actor = caller.User.TenantID, caller.User.ID, caller.Scope().Name()
	if caller.key != nil && a.events != nil {
		a.events.Use(&auditbuffer.Event{
			Action: auditbuffer.KeyUsed, TenantID: caller.User.TenantID, UserID: caller.User.ID, Actor: record.Actor,
			Target: caller.key.ID.String(), Address: record.Address,
		})
	}
}

// byCookie returns the caller of the session cookie. A request without the cookie gets an Unauthenticated problem.
func (a *API) byCookie(ctx huma.Context) (*Caller, error) {
	cookie, err := huma.ReadCookie(ctx, a.cookieName)
	if err != nil {
		return nil, problem.Of(problem.Unauthenticated)
	}
	session, err := a.sessions.Find(ctx.Context(), cookie.Value)
	return &Caller{Session: session, Cookie: cookie.Value}, err
}

// byKey returns the caller of the access key in the Authorization header, also with the Forbidden problem of an address
// from which the key may not be used.
func (a *API) byKey(ctx huma.Context) (*Caller, error) {
	value, _ := web.BearerValue(ctx.Header("Authorization"))
	keyUser, err := a.keys.Find(ctx.Context(), value, a.clientOf(ctx))
	session := signin.Session{User: keyUser.User, Tenant: keyUser.Tenant, ExpiresAt: keyUser.Key.ExpiresAt}
	return &Caller{Session: session, key: &keyUser.Key}, err
}

// enrolment lists the operations that a user may call who needs a second factor and has none.
var enrolment = []string{
	"getSession", "updateSession", "deleteSession", "changePassword", "getFactors", "beginTOTP", "confirmTOTP",
	"beginPasskey", "createPasskey", "listPasskeys", "listIdentities",
	"getConfirmation", "createConfirmation", "beginConfirmation", // which some of these need
}

// mayCall checks that a user who needs a second factor has one, and that the access key, if there is one, has the scope
// that the operation's security names. The rights of the user are checked later, by the store.
func (c *Caller) mayCall(op *huma.Operation) error {
	if c.key == nil && c.MustEnrol && !slices.Contains(enrolment, op.OperationID) {
		return problem.New(problem.Forbidden, "You need a second factor. Set up an authenticator app or a passkey "+
			"first, under Settings, Security.")
	}
	if c.key == nil {
		return nil
	}
	scopes, ok := keyScopes(op)
	if !ok {
		return errNeedsSession
	}
	for _, scope := range scopes {
		if !slices.Contains(c.key.Scopes, token.AccessScope(scope)) {
			return problem.New(problem.Forbidden, "The access key lacks the scope %s. Create a key that has it.", scope)
		}
	}
	return nil
}

// keyScopes returns the scopes that the operation's security demands of access keys, and whether it accepts them at
// all.
func keyScopes(op *huma.Operation) (scopes []string, accepted bool) {
	for _, scheme := range op.Security {
		if scopes, ok := scheme[keyScheme]; ok {
			return scopes, true
		}
	}
	return nil, false
}

// TenantOf returns the id of the caller's tenant. Operators
// belong to no tenant: for them it returns a Forbidden problem.
func TenantOf(ctx context.Context) (uuid.UUID, error) {
	user := CallerOf(ctx).User
	if user.Role == tenant.Operator {
		return uuid.Nil, problem.New(problem.Forbidden, "Operators belong to no tenant. Sign in as a user of a tenant.")
	}
	return user.TenantID, nil
}

// OperatorsOnly returns a Forbidden problem unless the caller is an operator. It guards operations
// under /operator that call store methods which admins may also use within their own tenant.
func OperatorsOnly(ctx context.Context) error {
	return permission.Check(ScopeOf(ctx), permission.ReadPlatform)
}

// Confirm returns the scope of a caller who has proven the identity in this session lately, and otherwise the problems
// of permission.Confirm. Handlers call it for operations that need a confirmation under a condition; for one that
// always needs it, Caller.Confirmed has the scope.
func (a *API) Confirm(ctx context.Context) (permission.Confirmed, error) {
	caller := CallerOf(ctx)
	return permission.Confirm(caller.Scope(), caller.ConfirmedAt, a.now())
}
