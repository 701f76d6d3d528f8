package session

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/post"
	"github.com/tollgate/tollgate/apps/console/internal/session"
	"github.com/tollgate/tollgate/apps/console/internal/throttle"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/signin"
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

func passwordResets(h *handlers) {
	for _, op := range []api.Operation{
		{ID: "resetMemberPassword", Path: "/members/{id}/password-reset", Tag: "members", Description: "For admins and owners, of users they may edit."},
		{ID: "resetUserPassword", Path: "/operator/users/{id}/password-reset", Tag: "operator"},
	} {
		op.Method, op.Summary, op.Status, op.Person = http.MethodPost, "Make a link for a new password of a user", http.StatusCreated, true
		op.Description = strings.TrimSpace("Mails it, or shows it where mail is not configured. The link is good once, for an hour. " + op.Description)
		op.Errors = []int{http.StatusNotFound, http.StatusConflict, http.StatusTooManyRequests}
		api.Register(h.API, op, h.createPasswordReset)
	}
	api.Register(h.API, api.Operation{
		ID: "requestPasswordReset", Method: http.MethodPost, Path: "/session/password-reset", Tag: "session", Public: true,
		Summary: "Ask for a link for a new password", Description: "It is mailed, where there is such a user and mail is configured. The answer is always the same.",
		Status: http.StatusAccepted, Errors: []int{http.StatusTooManyRequests}, Middlewares: huma.Middlewares{h.WithClient},
	}, h.requestPasswordReset)
	api.Register(h.API, api.Operation{
		ID: "lookUpPasswordReset", Method: http.MethodPost, Path: "/session/password-reset/lookup", Tag: "session", Public: true,
		Summary:     "Look at the password reset of a link",
		Description: "Tells whose password the link of a mail is for, without using it up.", Status: http.StatusOK, Errors: []int{http.StatusNotFound, http.StatusTooManyRequests},
		Middlewares: huma.Middlewares{h.WithClient},
	}, h.lookUpPasswordReset)
	api.Register(h.API, api.Operation{
		ID: "completePasswordReset", Method: http.MethodPost, Path: "/session/password-reset/complete", Tag: "session", Public: true,
		Summary: "Set a new password by a link", Description: "Ends all sessions of the user and opens none. A link is good once.",
		Status: http.StatusNoContent, Errors: []int{http.StatusNotFound, http.StatusTooManyRequests, http.StatusServiceUnavailable},
		Middlewares: huma.Middlewares{h.WithClient},
	}, h.completePasswordReset)
}

func (h *handlers) createPasswordReset(ctx context.Context, in *api.ByID) (*api.Answer[PasswordReset], error) {
	if err := permission.Check(api.ScopeOf(ctx), permission.ResetPasswords); err != nil {
		return nil, err
	}
	if err := h.takeLink(ctx); err != nil {
		return nil, err
	}
	reset, user, err := h.newReset(ctx, api.ScopeOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	mailed := h.MailConfigured() && h.Post.Later("password reset", func(ctx context.Context) error {
		return h.Post.SendReset(ctx, post.Reset{To: user.Email, Link: reset.link, Valid: resetValid})
	})
	return api.NewAnswer(PasswordReset{ExpiresAt: reset.expires.UTC(), MadeLink: h.shown(ctx, reset.link, mailed)}), nil
}

type madeReset struct {
	link    string
	expires time.Time
}

func (h *handlers) newReset(ctx context.Context, by tenant.Scope, userID uuid.UUID) (madeReset, tenant.User, error) {
	secret := session.NewSecret()
	made := madeReset{link: h.Post.ResetLink(secret.Value), expires: h.Now().Add(resetValid)}
	user, err := h.Store.Signin.CreatePasswordReset(ctx, by, signin.NewReset{UserID: userID, Hash: secret.Hash, ExpiresAt: made.expires})
	return made, user, err
}

// requestPasswordReset answers before anything is looked up, so that neither
// the answer nor its time tells whether there is such a user.
func (h *handlers) requestPasswordReset(ctx context.Context, in *struct{ Body ResetRequest }) (*struct{}, error) {
	if err := h.Throttle.Take(throttle.ResetsByAddress, throttle.Network(api.ClientIn(ctx).Address), h.Now()); err != nil {
		return nil, err
	}
	email := strings.ToLower(strings.TrimSpace(in.Body.Email))
	if h.Throttle.Charge(throttle.ResetsByAccount, email, h.Now()) && h.MailConfigured() {
		h.Post.Later("password reset", func(ctx context.Context) error { return h.mailReset(ctx, email) })
	}
	return nil, nil //nolint:nilnil // Huma answers without a body
}

// mailReset does nothing where there is no such user, or he is disabled.
func (h *handlers) mailReset(ctx context.Context, email string) error {
	user, _, err := h.Store.Identity.UserByEmail(ctx, system(), email)
	var reset madeReset
	if err == nil {
		reset, user, err = h.newReset(ctx, system(), user.ID)
	}
	if fault := (*problem.Problem)(nil); errors.As(err, &fault) {
		return nil
	}
	if err != nil {
		return err
	}
	return h.Post.SendReset(ctx, post.Reset{To: user.Email, Link: reset.link, Valid: resetValid})
}

func (h *handlers) lookUpPasswordReset(ctx context.Context, in *struct{ Body LinkSecret }) (*api.Answer[OpenReset], error) {
	var shown OpenReset
	err := h.bySecret(ctx, in.Body.Secret, func(hash [32]byte) error {
		user, err := h.Store.Signin.PasswordReset(ctx, system(), hash)
		shown.Email = user.Email
		return err
	})
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(shown), nil
}

func (h *handlers) completePasswordReset(ctx context.Context, in *struct{ Body SecretAndPassword }) (*struct{}, error) {
	return nil, h.bySecret(ctx, in.Body.Secret, func(hash [32]byte) error {
		if _, err := h.Store.Signin.PasswordReset(ctx, system(), hash); err != nil {
			return err
		}
		passwordHash, err := h.Passwords.Hash(ctx, string(in.Body.Password), "password")
		if err != nil {
			return err
		}
		_, err = h.Store.Signin.ResetPassword(ctx, system(), hash, passwordHash)
		return err
	})
}
