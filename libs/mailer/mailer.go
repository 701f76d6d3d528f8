// Package mailer sends Tollgate's mail: invitations, password resets, notices of sign-ins and changes of accounts, and
// alerts.
//
// A waiting mail is a row of the database (table mails, see libs/store/job). Its content is sealed, because
// it contains a link that works like a password.
//
//	Invite, SendReset, SendNotice   in the transaction of the change that the mail announces
//	QueueAlert          in the transaction that takes the delivery of an alert out of its own outbox
//	RequestReset        in a transaction of its own
//	      |
//	      v
//	   row in mails --ClaimMail--> deliver --sent----------> row is deleted
//	         ^                        |  \---given up------> row is deleted, error in the log
//	         +------- ReleaseMail ----+ failed: due again after 15 s, 30 s, 60 s, ... up to 1 h
//
// A queued mail survives the end of the process that queued it. Every console and worker that has the SMTP
// server configured delivers mail of all processes. A mail is given up after ten attempts (about two hours)
// or when it expires.
//
// Delivery is at least once: if a process dies after the SMTP server accepted the mail and before the row is
// deleted, the mail is sent again.
package mailer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/mail"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/job"
)

// ResetValid is the lifetime of the link of a password reset.
const ResetValid = time.Hour

// keep bounds how long an invitation waits for its delivery, even if its link is valid for longer.
const keep = 24 * time.Hour

// The kinds of mail. The number of waiting mails is limited for each kind and tenant.
const (
	invitation   = "invitation"
	reset        = "password_reset"
	resetRequest = "password_reset_request" // for an address that was not looked up yet
	notice       = "notice"
	alertKind    = "alert"
)

// Sender hands a message to the SMTP server.
type Sender interface {
	Send(ctx context.Context, m mail.Message) error
}

// Options configures a Mailer.
type Options struct {
	Store    *store.Store
	Sealer   *seal.Sealer
	Sender   Sender // nil: no mail is queued or sent
	URL      string // of the console, for links; "" if not configured
	Log      *slog.Logger
	Registry prometheus.Registerer
	Now      func() time.Time // nil: time.Now
	Poll     time.Duration    // between two queries for due mail; 0: 5 s
	Retry    time.Duration    // before the second attempt, doubled after each further one; 0: 15 s
}

// Mailer queues mail, and delivers it between Start and Stop. Its methods are safe for concurrent use.
type Mailer struct {
	Options
	scope tenant.Scope
	mails *prometheus.CounterVec
	wake  chan struct{} // has an element if due mail may be waiting
	slots chan struct{} // has an element for each delivery that is running or about to begin

	mu      sync.Mutex
	stop    context.CancelFunc // ends claiming; nil before Start
	cut     context.CancelFunc // cancels the running deliveries
	ended   chan struct{}      // closed when claiming and all deliveries have ended
	stopped bool
}

// New returns a Mailer that is not started, and registers its metric.
func New(o Options) (*Mailer, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Poll == 0 {
		o.Poll = poll
	}
	if o.Retry == 0 {
		o.Retry = retry
	}
	m := &Mailer{
		Options: o, scope: tenant.SystemScope("mailer"), wake: make(chan struct{}, 1),
		slots: make(chan struct{}, atOnce), ended: make(chan struct{}),
		mails: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tollgate_mails_total", Help: "Mails that this process handled, by kind and result: sent, " +
				"retried, or given_up.",
		}, []string{"kind", "result"}),
	}
	if err := o.Registry.Register(m.mails); err != nil {
		return nil, fmt.Errorf("mailer: %w", err)
	}
	return m, nil
}

// Configured reports whether the Mailer has a Sender. Without one, links must be handed over in another way.
func (m *Mailer) Configured() bool { return m.Sender != nil }

// content is the sealed part of a mail. Exactly one field is set.
type content struct {
	Invitation *Invitation `json:",omitempty"`
	Reset      *Reset      `json:",omitempty"`
	Notice     *Notice     `json:",omitempty"`
	Alert      *Alert      `json:",omitempty"`
	Email      string      `json:",omitempty"` // address for which a reset was requested
}

// Invite queues an invitation in the transaction tx. It returns false, without an error, if mail is not
// configured or too many mails of the tenant are waiting. The caller calls Wake after the commit.
func (m *Mailer) Invite(ctx context.Context, tx *store.Store, tenantID uuid.UUID, i Invitation) (bool, error) {
	expires := i.ExpiresAt
	if bound := m.Now().Add(keep); expires.After(bound) {
		expires = bound
	}
	return m.queue(ctx, tx, job.Mail{TenantID: tenantID, Kind: invitation, ExpiresAt: expires}, content{Invitation: &i})
}

// SendReset queues the link of a password reset in the transaction tx. Its results are those of Invite.
func (m *Mailer) SendReset(ctx context.Context, tx *store.Store, tenantID uuid.UUID, r Reset) (bool, error) {
	return m.queue(ctx, tx, job.Mail{TenantID: tenantID, Kind: reset, ExpiresAt: m.Now().Add(ResetValid)},
		content{Reset: &r})
}

// SendNotice queues a notice in the transaction tx. Its results are those of Invite.
func (m *Mailer) SendNotice(ctx context.Context, tx *store.Store, tenantID uuid.UUID, n Notice) (bool, error) {
	n.Link = m.URL
	return m.queue(ctx, tx, job.Mail{TenantID: tenantID, Kind: notice, ExpiresAt: m.Now().Add(keep)},
		content{Notice: &n})
}

// Outbox queues alerts in processes that may have no Mailer. Consoles and workers with a Sender deliver them.
type Outbox struct {
	Sealer *seal.Sealer
	URL    string // of the console, for links; "" if not configured
	Now    func() time.Time
}

// QueueAlert queues an alert in the transaction tx. The id of the mail is that of the alert's delivery, which the
// Mailer ends when the mail was sent or given up. It returns job.ErrTooManyMails if too many alerts of the tenant are
// waiting.
func (o Outbox) QueueAlert(ctx context.Context, tx *store.Store, mail AlertMail) error {
	mail.Link = o.URL
	ciphertext, err := sealContent(o.Sealer, mail.DeliveryID, content{Alert: &mail.Alert})
	if err != nil {
		return fmt.Errorf("queue a mail: %w", err)
	}
	return tx.Job.QueueMail(ctx, tenant.SystemScope("mailer"), job.Mail{
		ID: mail.DeliveryID, TenantID: mail.TenantID, Kind: alertKind, Content: ciphertext,
		ExpiresAt: o.Now().Add(keep),
	})
}

// RequestReset queues a request for a password reset from a person who is not signed in. The deliverer, not
// this call, looks up whether a user has the address. So neither the result nor the duration of the call
// tells a stranger which addresses exist. Requests beyond the limit are dropped without an error.
func (m *Mailer) RequestReset(ctx context.Context, email string) error {
	_, err := m.queue(ctx, m.Store, job.Mail{Kind: resetRequest, ExpiresAt: m.Now().Add(ResetValid)},
		content{Email: email})
	m.Wake()
	return err
}

// queue seals the content and inserts the mail. It returns false if the mail was not queued.
func (m *Mailer) queue(ctx context.Context, tx *store.Store, mail job.Mail, c content) (bool, error) {
	if !m.Configured() {
		return false, nil
	}
	var err error
	if mail.ID, err = uuid.NewV7(); err != nil {
		return false, fmt.Errorf("queue a mail: %w", err)
	}
	if mail.Content, err = m.seal(mail.ID, c); err != nil {
		return false, fmt.Errorf("queue a mail: %w", err)
	}
	err = tx.Job.QueueMail(ctx, m.scope, mail)
	if errors.Is(err, job.ErrTooManyMails) {
		m.logFull(ctx, mail)
		return false, nil
	}
	return err == nil, err
}

// logFull logs that a mail has no place among the waiting ones.
func (m *Mailer) logFull(ctx context.Context, mail job.Mail) {
	m.Log.WarnContext(ctx, "mail is not queued: too many mails are waiting", "kind", mail.Kind,
		"tenant_id", mail.TenantID)
}

// Purpose returns the purpose for which the content of a mail is sealed, see seal.Sealer.
func Purpose(id uuid.UUID) string { return "mail " + id.String() }

// seal returns the sealed content of the mail with the id.
func (m *Mailer) seal(id uuid.UUID, c content) ([]byte, error) { return sealContent(m.Sealer, id, c) }

func sealContent(sealer *seal.Sealer, id uuid.UUID, c content) ([]byte, error) {
	plaintext, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	return sealer.Seal(string(plaintext), Purpose(id))
}

// open unseals the content of a mail.
func (m *Mailer) open(mail *job.Mail) (content, error) {
	return openContent(m.Sealer, mail.ID, mail.Content)
}

func openContent(sealer *seal.Sealer, id uuid.UUID, ciphertext []byte) (c content, err error) {
	plaintext, err := sealer.Open(ciphertext, Purpose(id))
	if err != nil {
		return c, err
	}
	if err := json.Unmarshal([]byte(plaintext), &c); err != nil {
		return c, fmt.Errorf("decode the mail: %w", err)
	}
	return c, nil
}

// Recipient returns the address that a waiting mail goes to. It returns "" for a mail that the sealer cannot open;
// nobody can send it either.
func Recipient(sealer *seal.Sealer, id uuid.UUID, ciphertext []byte) string {
	c, err := openContent(sealer, id, ciphertext)
	switch {
	case err != nil:
		return ""
	case c.Invitation != nil:
		return c.Invitation.To
	case c.Reset != nil:
		return c.Reset.To
	case c.Notice != nil:
		return c.Notice.To
	case c.Alert != nil:
		return c.Alert.To
	default:
		return c.Email
	}
}

// Wake makes this process query for due mail at once. Other processes find the mail at their next poll.
func (m *Mailer) Wake() {
	select {
	case m.wake <- struct{}{}:
	default:
	}
}
