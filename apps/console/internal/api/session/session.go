package session

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/null"
	"github.com/tollgate/tollgate/apps/console/internal/session"
	"github.com/tollgate/tollgate/libs/core/language"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store/identity"
	"github.com/tollgate/tollgate/libs/store/signin"
	"github.com/tollgate/tollgate/libs/web"
)

// SignIn is the body of createSession.
type SignIn struct {
	Email    string `json:"email" minLength:"1" maxLength:"254"`
	Password string `json:"password" minLength:"1" maxLength:"1024"`
}

// PasswordChange is the body of changePassword.
type PasswordChange struct {
	OldPassword string          `json:"old_password" minLength:"1" maxLength:"1024"`
	NewPassword api.NewPassword `json:"new_password"`
}

// Identity describes the caller.
type Identity struct {
	User      IdentityUser    `json:"user"`
	Tenant    *IdentityTenant `json:"tenant,omitempty" doc:"Absent for operators"`
	ExpiresAt time.Time       `json:"expires_at" doc:"When the session or the access key expires"`
	MustEnrol bool            `json:"must_enrol" doc:"Whether the user needs a second factor and has none: all other operations than those that set one up answer 403"`
}

// IdentityUser is the user of an Identity.
type IdentityUser struct {
	ID      uuid.UUID  `json:"id"`
	Email   string     `json:"email"`
	Role    string     `json:"role" enum:"owner,admin,member,operator"`
	GroupID *uuid.UUID `json:"group_id,omitempty" doc:"Absent for operators"`
	// Language is empty until the user chooses one.
	Language string `json:"language,omitempty" enum:"en,zh-Hans" doc:"The language of the console and of mails to the user; absent until the user chooses one. Mails are then in English"`
}

// IdentityPatch is the body of updateSession.
type IdentityPatch struct {
	Language string `json:"language" enum:"en,zh-Hans" doc:"The language of the console and of mails to the user"`
}

// IdentityTenant is the tenant of an Identity.
type IdentityTenant struct {
	ID   uuid.UUID `json:"id"`
	Slug string    `json:"slug"`
	Name string    `json:"name"`
}

// identityOf returns the user and the tenant of a session as the API shows them; operators have no tenant.
func identityOf(s *signin.Session) Identity {
	caller := Identity{
		User: IdentityUser{ID: s.User.ID, Email: s.User.Email, Role: string(s.User.Role),
			GroupID: null.ID(s.User.GroupID), Language: string(s.User.Language)},
		ExpiresAt: s.ExpiresAt.UTC(), MustEnrol: s.MustEnrol,
	}
	if s.User.Role != tenant.Operator {
		caller.Tenant = &IdentityTenant{ID: s.Tenant.ID, Slug: s.Tenant.Slug, Name: s.Tenant.Name}
	}
	return caller
}

// SignedIn is the result of a sign-in step: either the fields of the Identity
// that is signed in, or only SecondFactor if a second factor is still required.
type SignedIn struct {
	User         *IdentityUser   `json:"user,omitempty"`
	Tenant       *IdentityTenant `json:"tenant,omitempty" doc:"Absent for operators"`
	ExpiresAt    *time.Time      `json:"expires_at,omitempty" doc:"When the session expires"`
	MustEnrol    bool            `json:"must_enrol,omitempty" doc:"Whether the user must set up a second factor first, see Identity"`
	SecondFactor *SecondFactor   `json:"second_factor,omitempty" doc:"Present if the sign-in still needs a second factor: pass its challenge to createSecondFactor. All other fields are absent then"`
}

// signedIn is the response of the operations that open a session. SetCookie is empty if a second factor is required.
type signedIn struct {
	SetCookie []string `header:"Set-Cookie"`
	Body      SignedIn
}

// signedIn returns the response that opens the session in the browser and makes the browser a known device if
// the user's address is proven.
func (h *handlers) signedIn(ctx context.Context, open session.Open) *signedIn {
	h.notifySignIn(ctx, &open, api.DeviceIn(ctx), api.ClientIn(ctx))
	cookie := h.Sessions.Cookie(open)
	set := []string{cookie.String()}
	if device, ok := h.Sessions.DeviceCookie(api.DeviceIn(ctx), &open.User); ok {
		set = append(set, device.String())
	}
	caller := identityOf(&open.Session)
	return &signedIn{
		SetCookie: set,
		Body: SignedIn{User: &caller.User, Tenant: caller.Tenant, ExpiresAt: &caller.ExpiresAt,
			MustEnrol: caller.MustEnrol},
	}
}

type cookieOnly struct {
	SetCookie http.Cookie `header:"Set-Cookie"`
}

func registerSessions(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "createSession", Method: http.MethodPost, Path: "/session", Tag: "session", Public: true,
		Summary: "Sign in", Description: "Sets the session cookie, or asks for a second factor. The response to a " +
			"wrong password is the same as to an unknown e-mail address.",
		Status: http.StatusOK, Errors: []int{http.StatusTooManyRequests},
		Middlewares: huma.Middlewares{h.WithClient},
	}, h.signIn)
	api.Register(h.API, api.Operation{
		ID: "getSession", Method: http.MethodGet, Path: "/session", Tag: "session", Scope: token.AnyScope,
		Summary:     "Get the caller's identity",
		Description: "Returns the user, with the role, and the tenant that the request is made for.",
	}, h.identity)
	api.Register(h.API, api.Operation{
		ID: "updateSession", Method: http.MethodPatch, Path: "/session", Tag: "session",
		Summary:     "Change the caller's settings",
		Description: "Sets the language of the caller's account, and returns the caller's identity.",
	}, h.updateIdentity)
	api.Register(h.API, api.Operation{
		ID: "deleteSession", Method: http.MethodDelete, Path: "/session", Tag: "session", Summary: "Sign out",
		Description: "Ends the session of the cookie and deletes the cookie.", Status: http.StatusNoContent,
	}, h.signOut)
	api.Register(h.API, api.Operation{
		ID: "changePassword", Method: http.MethodPost, Path: "/session/password", Tag: "session",
		Summary:     "Change the caller's password",
		Description: "Ends all sessions of the user and sets the cookie of a new session.",
		Status:      http.StatusNoContent, Confirm: api.Always,
		Errors:      []int{http.StatusTooManyRequests},
		Middlewares: huma.Middlewares{h.WithClient},
	}, h.changePassword)
}

// signIn opens a session, or asks for the second factor if the user has one.
func (h *handlers) signIn(ctx context.Context, in *struct{ Body SignIn }) (*signedIn, error) {
	outcome, err := h.Sessions.SignIn(ctx, credentials(ctx, in.Body.Email, in.Body.Password))
	if err != nil {
		return nil, err
	}
	if outcome.Pending != nil {
		return &signedIn{Body: SignedIn{SecondFactor: secondFactorOf(outcome.Pending)}}, nil
	}
	return h.signedIn(ctx, outcome.Open), nil
}

// credentials returns the credentials together with the client, whose address the throttle counts.
func credentials(ctx context.Context, email, password string) session.Credentials {
	client := api.ClientIn(ctx)
	return session.Credentials{Email: email, Password: password, Address: client.Address, Agent: client.Agent,
		Device: api.DeviceIn(ctx)}
}

// checkPassword checks the password of the signed-in user again, before an
// operation that a stolen cookie must not be enough for. Wrong passwords count
// against the session. A wrong password is an InvalidType problem of the field param. It returns the hash that the
// password matched.
func (h *handlers) checkPassword(ctx context.Context, password, param string) (passwordHash string, err error) {
	caller := api.CallerOf(ctx)
	proof := credentials(ctx, caller.User.Email, password)
	proof.Session, proof.UserID = &caller.ID, caller.User.ID
	passwordHash, err = h.Sessions.Prove(ctx, proof)
	if problem.Is(err, problem.Unauthenticated) {
		err = wrongPassword(param)
	}
	if err == nil { // a refusal from here on is about something else than the proof
		web.RecordOf(ctx).SignIn = false
	}
	return passwordHash, err
}

func wrongPassword(param string) error {
	return problem.New(problem.InvalidType, "The password is wrong.").At(param)
}

func (h *handlers) identity(ctx context.Context, _ *struct{}) (*api.Answer[Identity], error) {
	return api.NewAnswer(identityOf(&api.CallerOf(ctx).Session)), nil
}

// updateIdentity stores the caller's settings. The caller keeps the session.
func (h *handlers) updateIdentity(ctx context.Context,
	in *struct{ Body IdentityPatch }) (*api.Answer[Identity], error) {
	tag := language.Tag(in.Body.Language)
	if err := h.Store.Identity.SetLanguage(ctx, api.ScopeOf(ctx), tag); err != nil {
		return nil, err
	}
	s := api.CallerOf(ctx).Session
	s.User.Language = tag
	return api.NewAnswer(identityOf(&s)), nil
}

// signOut ends the session in the store and deletes the cookie in the browser.
func (h *handlers) signOut(ctx context.Context, _ *struct{}) (*cookieOnly, error) {
	if err := h.Sessions.End(ctx, api.CallerOf(ctx).Cookie); err != nil {
		return nil, err
	}
	return &cookieOnly{SetCookie: h.Sessions.NoCookie()}, nil
}

// changePassword checks the old password, sets the new one and opens a new session by the same means as the caller's:
// the store ends all sessions of a user whose password changes. If another request has changed the password since the
// check, the old one is wrong: somebody who knows it, too, could otherwise undo a change.
func (h *handlers) changePassword(ctx context.Context, in *struct{ Body PasswordChange }) (*cookieOnly, error) {
	oldHash, err := h.checkPassword(ctx, in.Body.OldPassword, "old_password")
	if err != nil {
		return nil, err
	}
	caller := api.CallerOf(ctx)
	hash, err := h.Passwords.Hash(ctx, caller.User.ID.String(),
		seal.NewPassword{Text: string(in.Body.NewPassword), Email: caller.User.Email}, "new_password")
	if err != nil {
		return nil, err
	}
	user, err := h.Store.Identity.UpdateUser(ctx, caller.Confirmed, caller.User.ID,
		identity.UserPatch{PasswordHash: &hash, OldPasswordHash: &oldHash})
	if problem.Is(err, problem.Unauthenticated) {
		return nil, wrongPassword("old_password")
	}
	if err != nil {
		return nil, err
	}
	open, err := h.Sessions.Begin(ctx, session.Proven{User: user, PasswordHash: hash, Means: caller.Means,
		Client: api.ClientIn(ctx)})
	if err != nil {
		return nil, err
	}
	return &cookieOnly{SetCookie: h.Sessions.Cookie(open)}, nil
}
