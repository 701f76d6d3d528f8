package api

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/post"
	"github.com/tollgate/tollgate/apps/console/internal/session"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store"
)

const resetValid = time.Hour

// ResetRequest is the body of requestPasswordReset.
type ResetRequest struct {
	Email string `json:"email" minLength:"1" maxLength:"254"`
}

// PasswordReset is a link by which a user sets a new password.
type PasswordReset struct {
	ExpiresAt time.Time `json:"expires_at"`
	MadeLink
}

// OpenReset is what who has its link may know of a password reset.
type OpenReset struct {
	Email string `json:"email"`
}

func passwordResets(a *API) {
	for _, op := range []operation{
		{id: "resetMemberPassword", path: "/members/{id}/password-reset", tag: "members", description: "For admins and owners, of users they may edit."},
		{id: "resetUserPassword", path: "/operator/users/{id}/password-reset", tag: "operator"},
	} {
		op.method, op.summary, op.status, op.person = http.MethodPost, "Make a link for a new password of a user", http.StatusCreated, true
		op.description = strings.TrimSpace("Mails it, or shows it where mail is not configured. The link is good once, for an hour. " + op.description)
		op.errors = []int{http.StatusNotFound, http.StatusConflict, http.StatusTooManyRequests}
		register(a, op, a.createPasswordReset)
	}
	register(a, operation{
		id: "requestPasswordReset", method: http.MethodPost, path: "/session/password-reset", tag: "session", public: true,
		summary: "Ask for a link for a new password", description: "It is mailed, where there is such a user and mail is configured. The answer is always the same.",
		status: http.StatusAccepted, errors: []int{http.StatusTooManyRequests}, middlewares: huma.Middlewares{a.withAddress},
	}, a.requestPasswordReset)
	register(a, operation{
		id: "lookUpPasswordReset", method: http.MethodPost, path: "/session/password-reset/lookup", tag: "session", public: true,
		summary:     "Look at the password reset of a link",
		description: "Tells whose password the link of a mail is for, without using it up.", status: http.StatusOK, errors: []int{http.StatusNotFound, http.StatusTooManyRequests},
		middlewares: huma.Middlewares{a.withAddress},
	}, a.lookUpPasswordReset)
	register(a, operation{
		id: "completePasswordReset", method: http.MethodPost, path: "/session/password-reset/complete", tag: "session", public: true,
		summary: "Set a new password by a link", description: "Ends all sessions of the user and opens none. A link is good once.",
		status: http.StatusNoContent, errors: []int{http.StatusNotFound, http.StatusTooManyRequests, http.StatusServiceUnavailable},
		middlewares: huma.Middlewares{a.withAddress},
	}, a.completePasswordReset)
}

func (a *API) createPasswordReset(ctx context.Context, in *ByID) (*Answer[PasswordReset], error) {
	if err := permission.Check(scopeOf(ctx), permission.ResetPasswords); err != nil {
		return nil, err
	}
	if err := a.takeLink(ctx); err != nil {
		return nil, err
	}
	reset, user, err := a.newReset(ctx, scopeOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	mailed := a.MailConfigured() && a.Post.Later("password reset", func(ctx context.Context) error {
		return a.Post.SendReset(ctx, post.Reset{To: user.Email, Link: reset.link, Valid: resetValid})
	})
	return answer(PasswordReset{ExpiresAt: reset.expires.UTC(), MadeLink: a.shown(ctx, reset.link, mailed)}), nil
}

type madeReset struct {
	link    string
	expires time.Time
}

func (a *API) newReset(ctx context.Context, by tenant.Scope, userID uuid.UUID) (madeReset, tenant.User, error) {
	secret := session.NewSecret()
	made := madeReset{link: a.Post.ResetLink(secret.Value), expires: a.Now().Add(resetValid)}
	user, err := a.Store.CreatePasswordReset(ctx, by, store.NewReset{UserID: userID, Hash: secret.Hash, ExpiresAt: made.expires})
	return made, user, err
}

// requestPasswordReset answers before anything is looked up, so that neither
// the answer nor its time tells whether there is such a user.
func (a *API) requestPasswordReset(ctx context.Context, in *struct{ Body ResetRequest }) (*struct{}, error) {
	if err := a.Throttle.Take(session.ResetsByAddress, session.Network(clientIn(ctx).Address), a.Now()); err != nil {
		return nil, err
	}
	email := strings.ToLower(strings.TrimSpace(in.Body.Email))
	if a.Throttle.Charge(session.ResetsByAccount, email, a.Now()) && a.MailConfigured() {
		a.Post.Later("password reset", func(ctx context.Context) error { return a.mailReset(ctx, email) })
	}
	return nil, nil //nolint:nilnil // Huma answers without a body
}

// mailReset does nothing where there is no such user, or he is disabled.
func (a *API) mailReset(ctx context.Context, email string) error {
	user, _, err := a.Store.UserByEmail(ctx, system(), email)
	var reset madeReset
	if err == nil {
		reset, user, err = a.newReset(ctx, system(), user.ID)
	}
	if fault := (*problem.Problem)(nil); errors.As(err, &fault) {
		return nil
	}
	if err != nil {
		return err
	}
	return a.Post.SendReset(ctx, post.Reset{To: user.Email, Link: reset.link, Valid: resetValid})
}

func (a *API) lookUpPasswordReset(ctx context.Context, in *struct{ Body LinkSecret }) (*Answer[OpenReset], error) {
	var shown OpenReset
	err := a.bySecret(ctx, in.Body.Secret, func(hash [32]byte) error {
		user, err := a.Store.PasswordReset(ctx, system(), hash)
		shown.Email = user.Email
		return err
	})
	if err != nil {
		return nil, err
	}
	return answer(shown), nil
}

func (a *API) completePasswordReset(ctx context.Context, in *struct{ Body SecretAndPassword }) (*struct{}, error) {
	return nil, a.bySecret(ctx, in.Body.Secret, func(hash [32]byte) error {
		if _, err := a.Store.PasswordReset(ctx, system(), hash); err != nil {
			return err
		}
		passwordHash, err := a.Passwords.Hash(ctx, string(in.Body.Password), "password")
		if err != nil {
			return err
		}
		_, err = a.Store.ResetPassword(ctx, system(), hash, passwordHash)
		return err
	})
}
