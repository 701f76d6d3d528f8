package api

import (
	"context"
	"net/http"
	"net/netip"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/session"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store"
)

// SignIn is the body of createSession.
type SignIn struct {
	Email    string `json:"email" minLength:"1" maxLength:"254"`
	Password string `json:"password" minLength:"1" maxLength:"1024"`
}

// PasswordChange is the body of changePassword.
type PasswordChange struct {
	OldPassword string `json:"old_password" minLength:"1" maxLength:"1024"`
	NewPassword string `json:"new_password" maxLength:"1024" doc:"At least 10 characters"`
}

// Identity is who is signed in.
type Identity struct {
	User      IdentityUser    `json:"user"`
	Tenant    *IdentityTenant `json:"tenant,omitempty" doc:"Absent for operators"`
	ExpiresAt time.Time       `json:"expires_at" doc:"When the session ends"`
}

// IdentityUser is the user of an Identity.
type IdentityUser struct {
	ID      uuid.UUID  `json:"id"`
	Email   string     `json:"email"`
	Role    string     `json:"role" enum:"owner,admin,member,operator"`
	GroupID *uuid.UUID `json:"group_id,omitempty" doc:"Absent for operators"`
}

// IdentityTenant is the tenant of an Identity.
type IdentityTenant struct {
	ID   uuid.UUID `json:"id"`
	Slug string    `json:"slug"`
	Name string    `json:"name"`
}

func identityOf(s *store.Session) Identity {
	who := Identity{
		User:      IdentityUser{ID: s.User.ID, Email: s.User.Email, Role: string(s.User.Role), GroupID: some(s.User.GroupID)},
		ExpiresAt: s.ExpiresAt.UTC(),
	}
	if s.User.Role != tenant.Operator {
		who.Tenant = &IdentityTenant{ID: s.Tenant.ID, Slug: s.Tenant.Slug, Name: s.Tenant.Name}
	}
	return who
}

type signedIn struct {
	SetCookie http.Cookie `header:"Set-Cookie"`
	Body      Identity
}

type cookieOnly struct {
	SetCookie http.Cookie `header:"Set-Cookie"`
}

func sessions(a *API) {
	register(a, operation{
		id: "createSession", method: http.MethodPost, path: "/session", tag: "session", public: true,
		summary: "Sign in", description: "Sets the session cookie. The answer to a wrong password and to an unknown address is the same.",
		status: http.StatusOK, errors: []int{http.StatusTooManyRequests, http.StatusServiceUnavailable},
		middlewares: huma.Middlewares{a.withAddress},
	}, a.signIn)
	register(a, operation{
		id: "getSession", method: http.MethodGet, path: "/session", tag: "session", summary: "Who is signed in",
	}, a.whoAmI)
	register(a, operation{
		id: "deleteSession", method: http.MethodDelete, path: "/session", tag: "session", summary: "Sign out", status: http.StatusNoContent,
	}, a.signOut)
	register(a, operation{
		id: "changePassword", method: http.MethodPost, path: "/session/password", tag: "session", summary: "Change one's own password",
		description: "Ends all sessions of the user and sets the cookie of a new one.",
		status:      http.StatusNoContent, errors: []int{http.StatusTooManyRequests, http.StatusServiceUnavailable},
		middlewares: huma.Middlewares{a.withAddress},
	}, a.changePassword)
}

func (a *API) signIn(ctx context.Context, in *struct{ Body SignIn }) (*signedIn, error) {
	open, err := a.Sessions.SignIn(ctx, credentials(ctx, in.Body.Email, in.Body.Password))
	if err != nil {
		return nil, err
	}
	return &signedIn{SetCookie: a.Sessions.Cookie(open), Body: identityOf(&open.Session)}, nil
}

func credentials(ctx context.Context, email, password string) session.Credentials {
	address, _ := ctx.Value(addressKey{}).(netip.Addr)
	return session.Credentials{Email: email, Password: password, Address: address}
}

func (a *API) whoAmI(ctx context.Context, _ *struct{}) (*Answer[Identity], error) {
	return answer(identityOf(&callerOf(ctx).Session)), nil
}

func (a *API) signOut(ctx context.Context, _ *struct{}) (*cookieOnly, error) {
	if err := a.Sessions.End(ctx, callerOf(ctx).value); err != nil {
		return nil, err
	}
	return &cookieOnly{SetCookie: a.Sessions.NoCookie()}, nil
}

// changePassword proves the old password as a sign-in does, throttle included.
func (a *API) changePassword(ctx context.Context, in *struct{ Body PasswordChange }) (*cookieOnly, error) {
	user := callerOf(ctx).User
	err := a.Sessions.Prove(ctx, credentials(ctx, user.Email, in.Body.OldPassword))
	if problem.Is(err, problem.Unauthenticated) {
		return nil, problem.New(problem.InvalidType, "The old password is wrong.").At("old_password")
	}
	if err != nil {
		return nil, err
	}
	hash, err := a.Passwords.Hash(ctx, in.Body.NewPassword, "new_password")
	if err != nil {
		return nil, err
	}
	user, err = a.Store.UpdateUser(ctx, scopeOf(ctx), user.ID, store.UserPatch{PasswordHash: &hash})
	if err != nil {
		return nil, err
	}
	open, err := a.Sessions.Begin(ctx, session.Proven{User: user, PasswordHash: hash})
	if err != nil {
		return nil, err
	}
	return &cookieOnly{SetCookie: a.Sessions.Cookie(open)}, nil
}
