package session

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/throttle"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/mailer"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/identity"
)

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
	secret, expires, mailed := seal.NewSecret(), h.Now().Add(mailer.ResetValid), false
	link := h.Mailer.ResetLink(secret.Value)
	err := h.Store.Atomically(ctx, func(tx *store.Store) error {
		user, err := tx.Identity.CreatePasswordReset(ctx, api.ScopeOf(ctx), identity.NewReset{UserID: in.ID, Hash: secret.Hash, ExpiresAt: expires})
		if err != nil {
			return err
		}
		mailed, err = h.Mailer.SendReset(ctx, tx, user.TenantID, mailer.Reset{To: user.Email, Link: link, Valid: mailer.ResetValid})
		return err
	})
	if err != nil {
		return nil, err
	}
	h.Mailer.Wake()
	return api.NewAnswer(PasswordReset{ExpiresAt: expires.UTC(), MadeLink: h.shown(ctx, link, mailed)}), nil
}

// requestPasswordReset queues the request without looking the address up, so that
// neither the answer nor its time depends on whether a user has it.
func (h *handlers) requestPasswordReset(ctx context.Context, in *struct{ Body ResetRequest }) (*struct{}, error) {
	if err := h.Throttle.Take(throttle.ResetsByAddress, throttle.Network(api.ClientIn(ctx).Address), h.Now()); err != nil {
		return nil, err
	}
	email := strings.ToLower(strings.TrimSpace(in.Body.Email))
	if !h.Throttle.Charge(throttle.ResetsByAccount, email, h.Now()) {
		return nil, nil //nolint:nilnil // Huma answers without a body
	}
	return nil, h.Mailer.RequestReset(ctx, email)
}

func (h *handlers) lookUpPasswordReset(ctx context.Context, in *struct{ Body LinkSecret }) (*api.Answer[OpenReset], error) {
	var shown OpenReset
	err := h.bySecret(ctx, in.Body.Secret, func(hash [32]byte) error {
		user, err := h.Store.Identity.PasswordReset(ctx, system(), hash)
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
		if _, err := h.Store.Identity.PasswordReset(ctx, system(), hash); err != nil {
			return err
		}
		passwordHash, err := h.Passwords.Hash(ctx, string(in.Body.Password), "password")
		if err != nil {
			return err
		}
		_, err = h.Store.Identity.ResetPassword(ctx, system(), hash, passwordHash)
		return err
	})
}
