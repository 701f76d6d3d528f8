package api

import (
	"context"
	"net/http"
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
	OldPassword string      `json:"old_password" minLength:"1" maxLength:"1024"`
	NewPassword newPassword `json:"new_password"`
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

// SignedIn is what a proof of identity led to: the Identity who is signed in
// now, or, and then alone, what is asked for beside it.
type SignedIn struct {
	User         *IdentityUser   `json:"user,omitempty"`
	Tenant       *IdentityTenant `json:"tenant,omitempty" doc:"Absent for operators"`
	ExpiresAt    *time.Time      `json:"expires_at,omitempty" doc:"When the session ends"`
	SecondFactor *SecondFactor   `json:"second_factor,omitempty" doc:"Present where nobody is signed in yet: pass it to createSecondFactor. All else is absent then"`
}

type signedIn struct {
	SetCookie string `header:"Set-Cookie"`
	Body      SignedIn
}

func (a *API) signedIn(open session.Open) *signedIn {
	cookie, who := a.Sessions.Cookie(open), identityOf(&open.Session)
	return &signedIn{SetCookie: cookie.String(), Body: SignedIn{User: &who.User, Tenant: who.Tenant, ExpiresAt: &who.ExpiresAt}}
}

type cookieOnly struct {
	SetCookie http.Cookie `header:"Set-Cookie"`
}

func sessions(a *API) {
	register(a, operation{
		id: "createSession", method: http.MethodPost, path: "/session", tag: "session", public: true,
		summary: "Sign in", description: "Sets the session cookie, or asks for a second factor. The answer to a wrong password and to an unknown address is the same.",
		status: http.StatusOK, errors: []int{http.StatusTooManyRequests, http.StatusServiceUnavailable},
		middlewares: huma.Middlewares{a.withAddress},
	}, a.signIn)
	register(a, operation{
		id: "getSession", method: http.MethodGet, path: "/session", tag: "session", summary: "Who is signed in",
		description: "The user, the tenant and the role that the call is made with.",
	}, a.whoAmI)
	register(a, operation{
		id: "deleteSession", method: http.MethodDelete, path: "/session", tag: "session", person: true, summary: "Sign out",
		description: "Ends the session that the cookie names, and takes the cookie back.", status: http.StatusNoContent,
	}, a.signOut)
	register(a, operation{
		id: "changePassword", method: http.MethodPost, path: "/session/password", tag: "session", person: true, summary: "Change one's own password",
		description: "Ends all sessions of the user and sets the cookie of a new one.",
		status:      http.StatusNoContent, errors: []int{http.StatusTooManyRequests, http.StatusServiceUnavailable},
		middlewares: huma.Middlewares{a.withAddress},
	}, a.changePassword)
}

func (a *API) signIn(ctx context.Context, in *struct{ Body SignIn }) (*signedIn, error) {
	outcome, err := a.Sessions.SignIn(ctx, credentials(ctx, in.Body.Email, in.Body.Password))
	if err != nil {
		return nil, err
	}
	if outcome.Pending != nil {
		return &signedIn{Body: SignedIn{SecondFactor: secondFactorOf(outcome.Pending)}}, nil
	}
	return a.signedIn(outcome.Open), nil
}

func credentials(ctx context.Context, email, password string) session.Credentials {
	client := clientIn(ctx)
	return session.Credentials{Email: email, Password: password, Address: client.Address, Agent: client.Agent}
}

// prove asks the signed-in user for his password once more, throttled as a
// sign-in is. param is the field it came in.
func (a *API) prove(ctx context.Context, password, param string) error {
	err := a.Sessions.Prove(ctx, credentials(ctx, callerOf(ctx).User.Email, password))
	if problem.Is(err, problem.Unauthenticated) {
		return problem.New(problem.InvalidType, "The password is wrong.").At(param)
	}
	return err
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
	if err := a.prove(ctx, in.Body.OldPassword, "old_password"); err != nil {
		return nil, err
	}
	hash, err := a.Passwords.Hash(ctx, string(in.Body.NewPassword), "new_password")
	if err != nil {
		return nil, err
	}
	user, err := a.Store.UpdateUser(ctx, scopeOf(ctx), callerOf(ctx).User.ID, store.UserPatch{PasswordHash: &hash})
	if err != nil {
		return nil, err
	}
	open, err := a.Sessions.Begin(ctx, session.Proven{User: user, PasswordHash: hash, Client: clientIn(ctx)})
	if err != nil {
		return nil, err
	}
	return &cookieOnly{SetCookie: a.Sessions.Cookie(open)}, nil
}
