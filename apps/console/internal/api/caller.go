package api

import (
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store/signin"
	"github.com/tollgate/tollgate/libs/web"
)

type callerKey struct{}

// Caller makes a request: a signed-in user, or a program with an access key of
// a user.
type Caller struct {
	signin.Session
	Cookie string           // value of the session cookie
	key    *token.AccessKey // nil: signed in with the cookie
}

// Scope returns what the caller may reach.
func (c *Caller) Scope() tenant.Scope {
	if c.key != nil {
		return tenant.ScopeOf(c.User).Via(c.key.Mask)
	}
	return tenant.ScopeOf(c.User)
}

// CallerOf returns the caller that authenticate found.
func CallerOf(ctx context.Context) *Caller {
	c, _ := ctx.Value(callerKey{}).(*Caller)
	return c
}

// ScopeOf returns the scope of the caller, all that most handlers need.
func ScopeOf(ctx context.Context) tenant.Scope { return CallerOf(ctx).Scope() }

// InPerson returns a Forbidden problem where a program calls with an access key.
func InPerson(ctx context.Context) error {
	if CallerOf(ctx).key != nil {
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
	if _, ok := BearerValue(ctx.Header("Authorization")); ok {
		find = a.byKey
	}
	found, err := find(ctx)
	if err == nil {
		err = found.mayCall(op)
	}
	if err != nil {
		a.Refuse(ctx, err)
		return
	}
	record := web.RecordOf(ctx.Context())
	record.TenantID, record.UserID = found.User.TenantID, found.User.ID
	next(huma.WithValue(ctx, callerKey{}, found))
}

func (a *API) byCookie(ctx huma.Context) (*Caller, error) {
	cookie, err := huma.ReadCookie(ctx, a.cookie)
	if err != nil {
		return nil, problem.Of(problem.Unauthenticated)
	}
	found, err := a.sessions.Find(ctx.Context(), cookie.Value)
	return &Caller{Session: found, Cookie: cookie.Value}, err
}

func (a *API) byKey(ctx huma.Context) (*Caller, error) {
	value, _ := BearerValue(ctx.Header("Authorization"))
	found, err := a.keys.Find(ctx.Context(), value, a.clientOf(ctx))
	return &Caller{Session: signin.Session{User: found.User, Tenant: found.Tenant, ExpiresAt: found.Key.ExpiresAt}, key: &found.Key}, err
}

// mayCall judges what a key may do beside its user.
func (c *Caller) mayCall(op *huma.Operation) error {
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

// Home returns the caller's tenant, a Forbidden problem for operators, who have
// none.
func Home(ctx context.Context) (uuid.UUID, error) {
	user := CallerOf(ctx).User
	if user.Role == tenant.Operator {
		return uuid.Nil, problem.New(problem.Forbidden, "Operators belong to no tenant.")
	}
	return user.TenantID, nil
}

// OperatorsOnly returns a Forbidden problem unless an operator calls. It guards
// operations that the store would let admins do in their own tenant.
func OperatorsOnly(ctx context.Context) error {
	return permission.Check(ScopeOf(ctx), permission.ReadPlatform)
}

// BearerValue returns what an Authorization header carries as a bearer; false
// where it has none.
func BearerValue(header string) (value string, ok bool) {
	scheme, value, ok := strings.Cut(header, " ")
	return strings.TrimSpace(value), ok && strings.EqualFold(scheme, "Bearer")
}
