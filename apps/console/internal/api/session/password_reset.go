package session

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/throttle"
	"github.com/tollgate/tollgate/libs/core/address"
	"github.com/tollgate/tollgate/libs/core/email"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/mailer"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/identity"
)

// ResetRequest is the body of requestPasswordReset.
type ResetRequest struct {
	Email string `json:"email" minLength:"1" maxLength:"254"`
}

// PasswordReset describes a link with which a user can set a new password.
type PasswordReset struct {
	ExpiresAt time.Time `json:"expires_at" doc:"When the link stops working"`
	MadeLink
}

// OpenReset is the part of a password reset that the holder of its link may see.
type OpenReset struct {
	Email string `json:"email" doc:"E-mail address of the user whose password the link sets"`
}

func registerPasswordResets(h *handlers) {
	for _, op := range []api.Operation{
		{ID: "resetMemberPassword", Path: "/members/{id}/password-reset", Tag: "members",
			Description: "For admins and owners, and users whom they may edit."},
		{ID: "resetUserPassword", Path: "/operator/users/{id}/password-reset", Tag: "operator"},
	} {
		op.Method, op.Summary, op.Status, op.Confirm = http.MethodPost, "Create a password reset link for a user",
			http.StatusCreated, api.Always
		op.Description = strings.TrimSpace("Sends the link by mail, or returns it if mail is not configured. The " +
			"link works once and is valid for an hour. " + op.Description)
		op.Errors = []int{http.StatusNotFound, http.StatusConflict, http.StatusTooManyRequests}
		api.Register(h.API, op, h.createPasswordReset)
	}
	api.Register(h.API, api.Operation{
		ID: "requestPasswordReset", Method: http.MethodPost, Path: "/session/password-reset",
		Tag: "session", Public: true,
		Summary: "Request a password reset by mail", Description: "Sends a link by mail if a user has the address " +
			"and mail is configured. The response does not tell whether there is such a user.",
		Status: http.StatusAccepted, Errors: []int{http.StatusTooManyRequests},
		Middlewares: huma.Middlewares{h.WithClient},
	}, h.requestPasswordReset)
	api.Register(h.API, api.Operation{
		ID: "lookUpPasswordReset", Method: http.MethodPost, Path: "/session/password-reset/lookup",
		Tag: "session", Public: true,
		Summary:     "Get the password reset of a link",
		Description: "Returns the e-mail address of the user. The link stays valid.", Status: http.StatusOK,
		Errors:      []int{http.StatusNotFound, http.StatusTooManyRequests},
		Middlewares: huma.Middlewares{h.WithClient},
	}, h.lookUpPasswordReset)
	api.Register(h.API, api.Operation{
		ID: "completePasswordReset", Method: http.MethodPost, Path: "/session/password-reset/complete",
		Tag: "session", Public: true,
		Summary:     "Set a new password with a link",
		Description: "Ends all sessions of the user and opens none. A link works once.",
		Status:      http.StatusNoContent,
		Errors:      []int{http.StatusNotFound, http.StatusConflict, http.StatusTooManyRequests},
		Middlewares: huma.Middlewares{h.WithClient},
	}, h.completePasswordReset)
}

// createPasswordReset stores the reset and queues its mail in one
// transaction. The store refuses users whom the caller may not edit.
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
		user, err := tx.Identity.CreatePasswordReset(ctx, api.CallerOf(ctx).Confirmed, identity.NewReset{
			UserID: in.ID, Hash: secret.Hash, Proof: tenant.ProofOfLink(h.Mailer.Configured(), api.ScopeOf(ctx)),
			ExpiresAt: expires,
		})
		if err != nil {
			return err
		}
		mailed, err = h.Mailer.SendReset(ctx, tx, user.TenantID,
			mailer.Reset{To: user.Email, Language: user.Language, Link: link, Valid: mailer.ResetValid})
		return err
	})
	if err != nil {
		return nil, err
	}
	h.Mailer.Wake()
	return api.NewAnswer(PasswordReset{ExpiresAt: expires.UTC(), MadeLink: h.linkFor(ctx, link, mailed)}), nil
}

// requestPasswordReset queues the request without looking up the address, so that
// neither the response nor its duration reveals whether a user has the address.
// For the same reason an account with too many requests gets the usual response.
func (h *handlers) requestPasswordReset(ctx context.Context, in *struct{ Body ResetRequest }) (*struct{}, error) {
	if err := h.Throttle.Take(throttle.ResetsByAddress, address.Network(api.ClientIn(ctx).Address),
		h.Now()); err != nil {
		return nil, err
	}
	account := email.Normalize(in.Body.Email)
	if !h.Throttle.Charge(throttle.ResetsByAccount, account, h.Now()) {
		return nil, nil //nolint:nilnil // Huma answers without a body
	}
	return nil, h.Mailer.RequestReset(ctx, account)
}

// lookUpPasswordReset returns the e-mail address, so that the page can show whose password is about to be set.
func (h *handlers) lookUpPasswordReset(ctx context.Context,
	in *struct{ Body LinkSecret }) (*api.Answer[OpenReset], error) {
	var body OpenReset
	err := h.withSecret(ctx, in.Body.Secret, func(hash [32]byte) error {
		user, err := h.Store.Identity.PasswordReset(ctx, system(), hash)
		body.Email = user.Email
		return err
	})
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(body), nil
}

// completePasswordReset checks the link before it hashes the password, as acceptInvitation does. The browser
// becomes a known device, so that its user can sign in although others are guessing the password.
func (h *handlers) completePasswordReset(ctx context.Context,
	in *struct{ Body SecretAndPassword }) (*cookieOnly, error) {
	var user tenant.User
	err := h.withSecret(ctx, in.Body.Secret, func(hash [32]byte) error {
		reset, err := h.Store.Identity.PasswordReset(ctx, system(), hash)
		if err != nil {
			return err
		}
		passwordHash, err := h.Passwords.Hash(ctx, address.Network(api.ClientIn(ctx).Address),
			seal.NewPassword{Text: string(in.Body.Password), Email: reset.Email}, "password")
		if err != nil {
			return err
		}
		user, err = h.Store.Identity.ResetPassword(ctx, system(), hash, passwordHash)
		return err
	})
	if err != nil {
		return nil, err
	}
	h.Notices.send(ctx, &user, mailer.PasswordChanged, api.ClientIn(ctx))
	device, ok := h.Sessions.DeviceCookie(api.DeviceIn(ctx), &user)
	if !ok {
		return nil, nil //nolint:nilnil // Huma answers without a cookie
	}
	return &cookieOnly{SetCookie: device}, nil
}
