package session

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/session"
	"github.com/tollgate/tollgate/apps/console/internal/throttle"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/mailer"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/signin"
)

// announced maps the operations that change how the caller signs in to the notice that the caller gets by mail.
var notices = map[string]mailer.Event{
	"changePassword":      mailer.PasswordChanged,
	"confirmTOTP":         mailer.AuthenticatorAdded,
	"disableTOTP":         mailer.AuthenticatorRemoved,
	"createRecoveryCodes": mailer.RecoveryCodesRenewed,
	"createPasskey":       mailer.PasskeyAdded,
	"deletePasskey":       mailer.PasskeyRemoved,
	"createAccessKey":     mailer.AccessKeyCreated,
}

// noticeTimeout bounds the time that a request spends on queueing its notice.
const noticeTimeout = 2 * time.Second

// Notices sends users mails about sign-ins and changes of their accounts.
type Notices struct {
	Store    *store.Store
	Mailer   *mailer.Mailer
	Throttle *throttle.Throttle
	Now      func() time.Time
	Log      *slog.Logger
}

// After sends the caller the notice of an operation that changed how the caller signs in. The API calls it after every
// operation of an authenticated caller that has succeeded.
func (n Notices) After(ctx context.Context, operation string, from signin.Client) {
	if event, ok := notices[operation]; ok {
		n.send(ctx, &api.CallerOf(ctx).User, event, from)
	}
}

// PasswordChanged sends the user with the id the notice that somebody else changed the password.
func (n Notices) PasswordChanged(ctx context.Context, id uuid.UUID) {
	n.sendTo(ctx, id, mailer.PasswordChanged)
}

// send queues the notice of an event that has happened already. A user gets few notices in a time, so that nobody can
// fill a mailbox, and none at an address that may belong to a stranger. If the notice cannot be queued, the event
// stands and the log says so. from is the client that caused the event, zero if the user need not know it.
func (n Notices) send(ctx context.Context, user *tenant.User, event mailer.Event, from signin.Client) {
	if !n.Mailer.Configured() || user.Proof == tenant.Unproven ||
		!n.Throttle.Charge(throttle.NoticesByUser, user.ID.String(), n.Now()) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noticeTimeout)
	defer cancel()
	notice := mailer.Notice{To: user.Email, Language: user.Language, Event: event, At: n.Now()}
	if from.Address.IsValid() {
		notice.From = from.Address.String()
	}
	if _, err := n.Mailer.SendNotice(ctx, n.Store, user.TenantID, notice); err != nil {
		n.Log.WarnContext(ctx, "notice is not queued", "event", event, "user_id", user.ID, "error", err)
		return
	}
	n.Mailer.Wake()
}

// sendTo sends the notice to the user with the id. It does not name the address of the administrator who caused it.
func (n Notices) sendTo(ctx context.Context, id uuid.UUID, event mailer.Event) {
	user, err := n.Store.Identity.User(ctx, system(), id)
	if err != nil {
		n.Log.WarnContext(ctx, "notice is not queued", "event", event, "user_id", id, "error", err)
		return
	}
	n.send(ctx, &user, event, signin.Client{})
}

// notifySignIn sends a notice if the device, the value of the browser's cookie, has not signed in to the account
// before. The session that follows the acceptance of an invitation needs none.
func (h *handlers) notifySignIn(ctx context.Context, open *session.Open, device string, from signin.Client) {
	if open.Means != signin.ByInvitation && !h.Sessions.KnowsDevice(device, open.User.ID) {
		h.Notices.send(ctx, &open.User, mailer.NewDevice, from)
	}
}
