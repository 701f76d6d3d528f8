package session

import (
	"context"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/session"
	"github.com/tollgate/tollgate/libs/mailer"
	"github.com/tollgate/tollgate/libs/store/signin"
)

// announced maps the operations that change how the caller signs in to the notice that the caller gets by mail.
var announced = map[string]mailer.Event{
	"changePassword":      mailer.PasswordChanged,
	"confirmTOTP":         mailer.AuthenticatorAdded,
	"disableTOTP":         mailer.AuthenticatorRemoved,
	"createRecoveryCodes": mailer.RecoveryCodesRenewed,
	"createPasskey":       mailer.PasskeyAdded,
	"deletePasskey":       mailer.PasskeyRemoved,
	"createAccessKey":     mailer.AccessKeyCreated,
}

// announce sends the caller the notice of an operation in announced when it has succeeded.
func (h *handlers) announce(ctx huma.Context, next func(huma.Context)) {
	next(ctx)
	event, ok := announced[ctx.Operation().OperationID]
	if !ok || ctx.Status() < 200 || ctx.Status() > 299 {
		return
	}
	h.Notices.Send(ctx.Context(), &api.CallerOf(ctx.Context()).User, event, h.ClientOf(ctx))
}

// notifyUser sends the notice to the user with the id. It does not name the address of the administrator who caused it.
func (h *handlers) notifyUser(ctx context.Context, id uuid.UUID, event mailer.Event) {
	user, err := h.Store.Identity.User(ctx, system(), id)
	if err != nil {
		h.Log.WarnContext(ctx, "notice is not queued", "event", event, "user_id", id, "error", err)
		return
	}
	h.Notices.Send(ctx, &user, event, signin.Client{})
}

// notifySignIn sends a notice if the device, the value of the browser's cookie, has not signed in to the account before.
// The session that follows the acceptance of an invitation needs none.
func (h *handlers) notifySignIn(ctx context.Context, open *session.Open, device string, from signin.Client) {
	if open.Means != signin.ByInvitation && !h.Sessions.KnowsDevice(device, open.User.Email) {
		h.Notices.Send(ctx, &open.User, mailer.NewDevice, from)
	}
}
