package mailer

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/identity"
	"github.com/tollgate/tollgate/libs/store/job"
)

const (
	atOnce         = 4                  // deliveries that one process runs at the same time
	attemptTimeout = time.Minute        // of one delivery
	lease          = 2 * attemptTimeout // of a claim, after which another process takes the mail over
	poll           = 5 * time.Second    // between two queries for due mail
	retry          = 15 * time.Second   // before the second attempt
	maxPause       = time.Hour          // between two attempts
	maxAttempts    = 10                 // over about two hours
	recordTimeout  = 5 * time.Second    // to record the result when the process stops
)

// The results of an attempt, as the metric counts them.
const (
	sent    = "sent"
	retried = "retried"
	givenUp = "given_up"
)

// Start delivers mail in the background until Stop; the end of ctx does not stop it. It does nothing without
// a Sender, after Stop, or when it was called before.
func (m *Mailer) Start(ctx context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.Configured() || m.stop != nil || m.stopped {
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	delivering, cut := context.WithCancel(ctx)
	claiming, stop := context.WithCancel(delivering)
	m.stop, m.cut = stop, cut
	go m.run(claiming, delivering)
	return nil
}

// Stop claims no more mail and waits for the running deliveries. If ctx ends first, it cancels them, waits
// for their end and returns the error of ctx. Mail that was not sent stays queued. It may be called twice, or
// before Start.
func (m *Mailer) Stop(ctx context.Context) error {
	m.mu.Lock()
	m.stopped = true
	stop, cut := m.stop, m.cut
	m.mu.Unlock()
	if stop == nil {
		return nil
	}
	stop()
	defer cut()
	select {
	case <-m.ended:
		return nil
	case <-ctx.Done():
		cut()
		<-m.ended
		return ctx.Err()
	}
}

// run claims due mail until claiming ends, delivers each in a goroutine and waits for the deliveries. They
// use the context delivering.
func (m *Mailer) run(claiming, delivering context.Context) {
	defer close(m.ended)
	var deliveries sync.WaitGroup
	defer deliveries.Wait()
	ticker := time.NewTicker(m.Poll)
	defer ticker.Stop()
	for {
		for m.claim(claiming, func(mail *job.Mail) {
			deliveries.Go(func() {
				m.deliver(delivering, mail)
				<-m.slots
				m.Wake() // another mail of the same tenant and kind can be claimed now
			})
		}) {
		}
		select {
		case <-claiming.Done():
			return
		case <-m.wake:
		case <-ticker.C:
		}
	}
}

// claim waits for a slot, claims a due mail and calls do with it. It returns false if no mail is due or ctx
// ends. do frees the slot.
func (m *Mailer) claim(ctx context.Context, do func(*job.Mail)) bool {
	select {
	case <-ctx.Done():
		return false
	case m.slots <- struct{}{}:
	}
	mail, err := m.Store.Job.ClaimMail(ctx, m.scope, lease)
	if err != nil && ctx.Err() == nil {
		m.Log.ErrorContext(ctx, "due mail could not be read", "error", err)
	}
	if err != nil || mail == nil {
		<-m.slots
		return false
	}
	do(mail)
	return true
}

// deliver makes one attempt to send a mail and records the result: it deletes the mail or makes it due again.
func (m *Mailer) deliver(ctx context.Context, mail *job.Mail) {
	attempt, cancel := context.WithTimeout(ctx, attemptTimeout)
	err := m.attempt(attempt, mail)
	cancel()
	cut := ctx.Err() != nil // Stop canceled the delivery, so the mail is not to blame
	ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	pause := m.pause(mail.Attempts)
	var recordErr error
	switch unusable := (*unusableError)(nil); {
	case errors.Is(err, job.ErrMailLost):
		return
	case errors.Is(err, errNoRecipient):
		recordErr = m.end(ctx, mail, "")
	case err == nil:
		m.mails.WithLabelValues(mail.Kind, sent).Inc()
		recordErr = m.end(ctx, mail, "")
	case cut:
		recordErr = m.Store.Job.ReleaseMail(ctx, m.scope, mail, 0)
	case errors.As(err, &unusable), mail.Attempts >= maxAttempts, !m.Now().Add(pause).Before(mail.ExpiresAt):
		m.mails.WithLabelValues(mail.Kind, givenUp).Inc()
		m.Log.ErrorContext(ctx, "mail was given up", "kind", mail.Kind, "id", mail.ID, "attempts",
			mail.Attempts, "error", err)
		recordErr = m.end(ctx, mail, "the mail could not be sent")
	default:
		m.mails.WithLabelValues(mail.Kind, retried).Inc()
		m.Log.WarnContext(ctx, "mail was not sent", "kind", mail.Kind, "id", mail.ID, "attempts", mail.Attempts,
			"again_in", pause, "error", err)
		recordErr = m.Store.Job.ReleaseMail(ctx, m.scope, mail, pause)
	}
	if recordErr != nil && !errors.Is(recordErr, job.ErrMailLost) {
		m.Log.ErrorContext(ctx, "the result of a mail was not recorded", "kind", mail.Kind, "id", mail.ID,
			"error", recordErr)
	}
}

// end deletes a mail that was sent, or given up if failure says why. The delivery of an alert ends in the same
// transaction.
func (m *Mailer) end(ctx context.Context, mail *job.Mail, failure string) error {
	if mail.Kind != alertKind {
		return m.Store.Job.EndMail(ctx, m.scope, mail)
	}
	return m.Store.Atomically(ctx, func(tx *store.Store) error {
		if err := tx.Alert.EndMailed(ctx, m.scope, mail.ID, failure); err != nil {
			return err
		}
		return tx.Job.EndMail(ctx, m.scope, mail)
	})
}

// pause returns the time before the next attempt: it doubles with each attempt, up to maxPause.
func (m *Mailer) pause(attempts int) time.Duration {
	pause := m.Retry
	for range attempts - 1 {
		pause = min(2*pause, maxPause)
	}
	return pause
}

// errNoRecipient means that no enabled user has the address of a reset request. The request is dropped.
var errNoRecipient = errors.New("no user has the address")

// unusableError means that no attempt can send the mail, for example because it expired. It is given up at once.
type unusableError struct{ cause error }

// Error returns the text of the cause.
func (e *unusableError) Error() string { return e.cause.Error() }

// attempt tries to send the mail once.
func (m *Mailer) attempt(ctx context.Context, mail *job.Mail) error {
	if !m.Now().Before(mail.ExpiresAt) {
		return &unusableError{errors.New("the mail expired before it was sent")}
	}
	c, err := m.open(mail)
	if err != nil {
		return &unusableError{err}
	}
	if mail.Kind == resetRequest {
		if c.Reset, err = m.makeReset(ctx, mail, c.Email); err != nil {
			return err
		}
	}
	var message letter
	switch {
	case c.Invitation != nil:
		message = c.Invitation.letter()
	case c.Notice != nil:
		message = c.Notice.letter()
	case c.Reset != nil:
		message = c.Reset.letter()
	case c.Alert != nil:
		message = c.Alert.letter()
	default:
		return &unusableError{errors.New("the mail has no known content")}
	}
	return m.Sender.Send(ctx, message.compose())
}

// makeReset creates the password reset for a request and rewrites the request into the mail with the link, in
// one transaction. So retries send the same link instead of creating another reset. It returns errNoRecipient
// if no enabled user has the address, and drops the request in the same way if too many mails of the tenant are
// waiting.
func (m *Mailer) makeReset(ctx context.Context, mail *job.Mail, email string) (*Reset, error) {
	user, err := m.Store.Identity.UserByEmail(ctx, m.scope, email)
	if problem.Is(err, problem.NotFound) {
		return nil, errNoRecipient
	}
	if err != nil {
		return nil, err
	}
	secret := seal.NewSecret()
	r := &Reset{To: user.Email, Language: user.Language, Link: m.ResetLink(secret.Value), Valid: ResetValid}
	rewritten := *mail
	rewritten.TenantID, rewritten.Kind, rewritten.ExpiresAt = user.TenantID, reset, m.Now().Add(ResetValid)
	if rewritten.Content, err = m.seal(mail.ID, content{Reset: r}); err != nil {
		return nil, err
	}
	err = m.Store.Atomically(ctx, func(tx *store.Store) error {
		if _, err := tx.Identity.CreatePasswordReset(ctx, permission.ByProgram(m.scope, m.scope),
			identity.NewReset{UserID: user.ID, Hash: secret.Hash, Proof: tenant.Mailed,
				ExpiresAt: rewritten.ExpiresAt}); err != nil {
			return err
		}
		return tx.Job.RewriteMail(ctx, m.scope, &rewritten)
	})
	if errors.Is(err, job.ErrTooManyMails) {
		m.logFull(ctx, rewritten)
		return nil, errNoRecipient
	}
	if refusal := (*problem.Problem)(nil); errors.As(err, &refusal) {
		return nil, errNoRecipient // the user is disabled or was deleted meanwhile
	}
	if err != nil {
		return nil, err
	}
	*mail = rewritten
	return r, nil
}
