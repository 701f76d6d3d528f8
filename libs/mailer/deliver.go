package mailer

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/identity"
	"github.com/tollgate/tollgate/libs/store/job"
)

const (
	atOnce      = 4                // deliveries of one process
	patience    = time.Minute      // for one delivery
	lease       = 2 * patience     // after so long another process takes the mail over
	poll        = 5 * time.Second  // between two looks for due mail
	retry       = 15 * time.Second // before the second attempt
	longest     = time.Hour        // between two attempts
	maxAttempts = 10               // over about three hours
	lastWord    = 5 * time.Second  // to record the result when the process stops
)

// The results of an attempt.
const (
	sent    = "sent"
	retried = "retried"
	givenUp = "given_up"
)

// Start delivers in the background until Stop. Without a Sender it does nothing.
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

// Stop claims no more mail and waits for the deliveries at work. Where ctx ends
// first they are cut. Mail that is not sent stays queued. It may be called twice,
// or before Start.
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

// run claims due mail while claiming lasts, and delivers each in a goroutine.
func (m *Mailer) run(claiming, delivering context.Context) {
	defer close(m.ended)
	var deliveries sync.WaitGroup
	defer deliveries.Wait()
	again := time.NewTicker(m.Poll)
	defer again.Stop()
	for {
		for m.claim(claiming, func(mail *job.Mail) {
			deliveries.Go(func() {
				m.deliver(delivering, mail)
				<-m.slots
				m.Wake() // the share of the mail is free
			})
		}) {
		}
		select {
		case <-claiming.Done():
			return
		case <-m.wake:
		case <-again.C:
		}
	}
}

// claim takes a slot and a due mail, which it hands to do. It reports false
// where none is due.
func (m *Mailer) claim(ctx context.Context, do func(*job.Mail)) bool {
	select {
	case <-ctx.Done():
		return false
	case m.slots <- struct{}{}:
	}
	mail, err := m.Store.Job.ClaimMail(ctx, m.scope, lease)
	if err != nil && ctx.Err() == nil {
		m.Log.ErrorContext(ctx, "mail cannot be delivered", "error", err)
	}
	if err != nil || mail == nil {
		<-m.slots
		return false
	}
	do(mail)
	return true
}

// deliver makes one attempt and records its result.
func (m *Mailer) deliver(ctx context.Context, mail *job.Mail) {
	attempt, done := context.WithTimeout(ctx, patience)
	err := m.attempt(attempt, mail)
	done()
	cut := ctx.Err() != nil
	ctx, done = context.WithTimeout(context.WithoutCancel(ctx), lastWord)
	defer done()
	pause := m.pause(mail.Attempts)
	var recorded error
	switch unusable := (*unusableError)(nil); {
	case errors.Is(err, job.ErrMailLost):
		return
	case errors.Is(err, errNoRecipient):
		recorded = m.Store.Job.EndMail(ctx, m.scope, mail)
	case err == nil:
		m.mails.WithLabelValues(mail.Kind, sent).Inc()
		recorded = m.Store.Job.EndMail(ctx, m.scope, mail)
	case cut:
		recorded = m.Store.Job.ReleaseMail(ctx, m.scope, mail, 0)
	case errors.As(err, &unusable), mail.Attempts >= maxAttempts, !m.Now().Add(pause).Before(mail.ExpiresAt):
		m.mails.WithLabelValues(mail.Kind, givenUp).Inc()
		m.Log.ErrorContext(ctx, "mail was given up", "kind", mail.Kind, "id", mail.ID, "attempts", mail.Attempts, "error", err)
		recorded = m.Store.Job.EndMail(ctx, m.scope, mail)
	default:
		m.mails.WithLabelValues(mail.Kind, retried).Inc()
		m.Log.WarnContext(ctx, "mail was not sent", "kind", mail.Kind, "id", mail.ID, "attempts", mail.Attempts, "again_in", pause, "error", err)
		recorded = m.Store.Job.ReleaseMail(ctx, m.scope, mail, pause)
	}
	if recorded != nil && !errors.Is(recorded, job.ErrMailLost) {
		m.Log.ErrorContext(ctx, "the result of a mail was not recorded", "kind", mail.Kind, "id", mail.ID, "error", recorded)
	}
}

// pause is the time before the next attempt.
func (m *Mailer) pause(attempts int) time.Duration {
	pause := m.Retry
	for range attempts - 1 {
		pause = min(2*pause, longest)
	}
	return pause
}

// errNoRecipient ends a request for an address that no enabled user has.
var errNoRecipient = errors.New("no user has the address")

// unusableError is of a mail that no attempt can send.
type unusableError struct{ cause error }

func (e *unusableError) Error() string { return e.cause.Error() }

// attempt sends the mail once.
func (m *Mailer) attempt(ctx context.Context, mail *job.Mail) error {
	if !m.Now().Before(mail.ExpiresAt) {
		return &unusableError{errors.New("it waited until it was of no use")}
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
	case c.Reset != nil:
		message = c.Reset.letter()
	default:
		return &unusableError{errors.New("it is of an unknown kind")}
	}
	composed, err := message.compose()
	if err != nil {
		return &unusableError{err}
	}
	return m.Sender.Send(ctx, composed)
}

// makeReset creates the password reset that a request asks for, and turns the
// request into the mail with its link, in one transaction: later attempts send
// the same link.
func (m *Mailer) makeReset(ctx context.Context, mail *job.Mail, email string) (*Reset, error) {
	user, _, err := m.Store.Identity.UserByEmail(ctx, m.scope, email)
	if problem.Is(err, problem.NotFound) {
		return nil, errNoRecipient
	}
	if err != nil {
		return nil, err
	}
	secret := seal.NewSecret()
	made := &Reset{To: user.Email, Link: m.ResetLink(secret.Value), Valid: ResetValid}
	rewritten := *mail
	rewritten.TenantID, rewritten.Kind, rewritten.ExpiresAt = user.TenantID, reset, m.Now().Add(ResetValid)
	if rewritten.Content, err = m.seal(mail.ID, content{Reset: made}); err != nil {
		return nil, err
	}
	err = m.Store.Atomically(ctx, func(tx *store.Store) error {
		if _, err := tx.Identity.CreatePasswordReset(ctx, m.scope, identity.NewReset{UserID: user.ID, Hash: secret.Hash, ExpiresAt: rewritten.ExpiresAt}); err != nil {
			return err
		}
		return tx.Job.RewriteMail(ctx, m.scope, &rewritten)
	})
	if refused := (*problem.Problem)(nil); errors.As(err, &refused) {
		return nil, errNoRecipient // the user is disabled, or gone meanwhile
	}
	if err != nil {
		return nil, err
	}
	*mail = rewritten
	return made, nil
}
