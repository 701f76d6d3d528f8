package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tollgate/tollgate/apps/console/internal/session"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store"
)

// LinkSecret is the body of operations that look at a link.
type LinkSecret struct {
	Secret string `json:"secret" minLength:"1" maxLength:"100" doc:"The link's fragment"`
}

// SecretAndPassword is the body of operations that a link is good for.
type SecretAndPassword struct {
	Secret   string      `json:"secret" minLength:"1" maxLength:"100" doc:"The link's fragment"`
	Password newPassword `json:"password"`
}

// OpenInvitation is what who has its link may know of an invitation.
type OpenInvitation struct {
	Tenant    string    `json:"tenant" doc:"Name; empty: to run the platform"`
	Email     string    `json:"email"`
	Role      string    `json:"role" enum:"owner,admin,member,operator"`
	ExpiresAt time.Time `json:"expires_at"`
}

func invited(a *API) {
	register(a, operation{
		id: "lookUpInvitation", method: http.MethodPost, path: "/invitations/lookup", tag: "session", public: true,
		summary:     "Look at the invitation of a link",
		description: "Tells whom the link of a mail invites, and to which tenant, without using it up.", status: http.StatusOK, errors: []int{http.StatusNotFound, http.StatusTooManyRequests},
		middlewares: huma.Middlewares{a.withAddress},
	}, a.lookUpInvitation)
	register(a, operation{
		id: "acceptInvitation", method: http.MethodPost, path: "/invitations/accept", tag: "session", public: true,
		summary: "Accept the invitation of a link", description: "Makes the user, with the password, and sets the session cookie. A link is good once.",
		status: http.StatusOK, errors: []int{http.StatusNotFound, http.StatusConflict, http.StatusTooManyRequests, http.StatusServiceUnavailable},
		middlewares: huma.Middlewares{a.withAddress},
	}, a.acceptInvitation)
}

func (a *API) lookUpInvitation(ctx context.Context, in *struct{ Body LinkSecret }) (*Answer[OpenInvitation], error) {
	var shown OpenInvitation
	err := a.bySecret(ctx, in.Body.Secret, func(hash [32]byte) error {
		open, home, err := a.Store.Invited(ctx, system(), hash)
		shown = OpenInvitation{Tenant: home.Name, Email: open.Email, Role: string(open.Role), ExpiresAt: open.ExpiresAt.UTC()}
		return err
	})
	if err != nil {
		return nil, err
	}
	return answer(shown), nil
}

// system is the reach of what the console does for people who are not signed in.
func system() tenant.Scope { return tenant.SystemScope("console") }

// acceptInvitation looks at the invitation first: hashing is dear, and for
// those alone who have a link.
func (a *API) acceptInvitation(ctx context.Context, in *struct{ Body SecretAndPassword }) (*signedIn, error) {
	proven := session.Proven{Means: store.ByInvitation, Client: clientIn(ctx)}
	err := a.bySecret(ctx, in.Body.Secret, func(hash [32]byte) (err error) {
		if _, _, err = a.Store.Invited(ctx, system(), hash); err != nil {
			return err
		}
		if proven.PasswordHash, err = a.Passwords.Hash(ctx, string(in.Body.Password), "password"); err != nil {
			return err
		}
		proven.User, err = a.Store.AcceptInvitation(ctx, system(), hash, proven.PasswordHash)
		return err
	})
	if err != nil {
		return nil, err
	}
	open, err := a.Sessions.Begin(ctx, proven)
	if err != nil {
		return nil, err
	}
	return a.signedIn(open), nil
}
