package resource

import (
	"context"
	"log/slog"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/throttle"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/mailer"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/signin"
)

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

// Send queues the notice of an event that has happened already. A user gets few notices in a time, so that nobody can
// fill a mailbox, and none at an address that may belong to a stranger. If the notice cannot be queued, the event stands
// and the log says so. from is the client that caused the event, zero if the user need not know it.
func (n Notices) Send(ctx context.Context, user *tenant.User, event mailer.Event, from signin.Client) {
	if !n.Mailer.Configured() || user.Proof == tenant.Unproven || !n.Throttle.Charge(throttle.NoticesByUser, user.ID.String(), n.Now()) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noticeTimeout)
	defer cancel()
	notice := mailer.Notice{To: user.Email, Event: event, At: n.Now()}
	if from.Address.IsValid() {
		notice.From = from.Address.String()
	}
	if _, err := n.Mailer.SendNotice(ctx, n.Store, user.TenantID, notice); err != nil {
		n.Log.WarnContext(ctx, "notice is not queued", "event", event, "user_id", user.ID, "error", err)
		return
	}
	n.Mailer.Wake()
}
