// Package mailer sends Tollgate's mail: invitations and password resets. A mail
// is a row of the database, written with the change that it announces and sealed,
// until a deliverer has handed it to the SMTP server. So a mail survives the end of
// the process that queued it, and every process that knows the SMTP server delivers
// it: consoles and workers.
//
// Delivery is at least once: a process that dies between the server's answer and
// the deletion of the row has the mail sent twice.
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

// ResetValid is how long the link of a password reset may be used.
const ResetValid = time.Hour

// keep is how long a mail waits at most, where what it announces lives longer.
const keep = 24 * time.Hour

// The kinds of mail. Each has a share of the queue of its own.
const (
	invitation   = "invitation"
	reset        = "password_reset"
	resetRequest = "password_reset_request" // for an address that is not looked up yet
)

// Sender hands a message to the SMTP server.
type Sender interface {
	Send(ctx context.Context, m mail.Message) error
}

// Options make a Mailer.
type Options struct {
	Store    *store.Store
	Sealer   *seal.Sealer
	Sender   Sender // nil: no mail is queued or sent
	URL      string // of the console, "" where it is not known
	Log      *slog.Logger
	Registry prometheus.Registerer
	Now      func() time.Time // nil: time.Now
	Poll     time.Duration    // between two looks for mail that others queued; 0: 5 s
	Retry    time.Duration    // before the second attempt, doubled with each; 0: 15 s
}

// Mailer queues mail, and delivers it between Start and Stop. Its methods are
// safe for concurrent use.
type Mailer struct {
	Options
	scope tenant.Scope
	mails *prometheus.CounterVec
	wake  chan struct{}
	slots chan struct{}

	mu      sync.Mutex
	stop    context.CancelFunc // ends claiming; nil before Start
	cut     context.CancelFunc // ends the deliveries at work
	ended   chan struct{}      // closed when all deliveries are over
	stopped bool
}

// New registers the mailer's metric, and does not deliver yet.
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
		Options: o, scope: tenant.SystemScope("mailer"), wake: make(chan struct{}, 1), slots: make(chan struct{}, atOnce), ended: make(chan struct{}),
		mails: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tollgate_mails_total", Help: "Mails that this process handled, by kind and result: sent, retried, or given_up.",
		}, []string{"kind", "result"}),
	}
	if err := o.Registry.Register(m.mails); err != nil {
		return nil, fmt.Errorf("mailer: %w", err)
	}
	return m, nil
}

// Configured reports whether mail is sent at all.
func (m *Mailer) Configured() bool { return m.Sender != nil }

// content is the sealed part of a mail: one of its fields is set.
type content struct {
	Invitation *Invitation `json:",omitempty"`
	Reset      *Reset      `json:",omitempty"`
	Email      string      `json:",omitempty"` // that asks for a reset
}

// Invite queues an invitation with the other changes of the transaction. It
// reports false where mail is not configured, or too much of it waits. Call Wake
// after the commit.
func (m *Mailer) Invite(ctx context.Context, tx *store.Store, tenantID uuid.UUID, i Invitation) (bool, error) {
	expires := i.ExpiresAt
	if latest := m.Now().Add(keep); expires.After(latest) {
		expires = latest
	}
	return m.queue(ctx, tx, job.Mail{TenantID: tenantID, Kind: invitation, ExpiresAt: expires}, content{Invitation: &i})
}

// SendReset queues the link of a password reset, as Invite does.
func (m *Mailer) SendReset(ctx context.Context, tx *store.Store, tenantID uuid.UUID, r Reset) (bool, error) {
	return m.queue(ctx, tx, job.Mail{TenantID: tenantID, Kind: reset, ExpiresAt: m.Now().Add(ResetValid)}, content{Reset: &r})
}

// RequestReset queues the request of a person who is not signed in. Whether a
// user has the address is looked up by the deliverer, so that neither the answer
// nor its time depends on it.
func (m *Mailer) RequestReset(ctx context.Context, email string) error {
	_, err := m.queue(ctx, m.Store, job.Mail{Kind: resetRequest, ExpiresAt: m.Now().Add(ResetValid)}, content{Email: email})
	m.Wake()
	return err
}

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
		m.Log.WarnContext(ctx, "mail is not queued: too much of it waits", "kind", mail.Kind, "tenant_id", mail.TenantID)
		return false, nil
	}
	return err == nil, err
}

// Purpose is what the content of a mail is sealed for.
func Purpose(id uuid.UUID) string { return "mail " + id.String() }

func (m *Mailer) seal(id uuid.UUID, c content) ([]byte, error) {
	plain, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	return m.Sealer.Seal(string(plain), Purpose(id))
}

func (m *Mailer) open(mail *job.Mail) (c content, err error) {
	plain, err := m.Sealer.Open(mail.Content, Purpose(mail.ID))
	if err != nil {
		return c, err
	}
	if err := json.Unmarshal([]byte(plain), &c); err != nil {
		return c, fmt.Errorf("decode the mail: %w", err)
	}
	return c, nil
}

// Wake makes this process look for due mail at once. Other processes look by
// themselves.
func (m *Mailer) Wake() {
	select {
	case m.wake <- struct{}{}:
	default:
	}
}
