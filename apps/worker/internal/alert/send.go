package alert

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/libs/core/alert"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/egress"
	"github.com/tollgate/tollgate/libs/mailer"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store"
	alertdb "github.com/tollgate/tollgate/libs/store/alert"
)

const (
	atOnce         = 8                // deliveries that one worker runs at the same time
	attemptTimeout = 10 * time.Second // of one delivery
	lease          = time.Minute      // of a claim, longer than an attempt and its recording
	recordTimeout  = 5 * time.Second
	firstPause     = 15 * time.Second // before the second attempt, doubled after each further one
	maxPause       = time.Hour
	maxAttempts    = 30             // over about a day
	maxAnswer      = 4 << 10        // bytes of a receiver's answer that are read, to use its connection again
	mailPause      = 50 * time.Hour // after which a mail that nobody sent is queued again
)

// Options configures a Sender.
type Options struct {
	Store     *store.Store
	Scope     tenant.Scope
	Sealer    *seal.Sealer
	WakeMail  func()            // wakes the mailer of this process, if there is one
	Transport http.RoundTripper // follows the egress policy, strictly
	URL       string            // of the console, for links; "" if not configured
	Log       *slog.Logger
	Registry  prometheus.Registerer
	Now       func() time.Time
	Pause     time.Duration // before the second attempt; 0: 15 s
	Lease     time.Duration // of a claim; 0: a minute
}

// Sender delivers alerts. It is safe for concurrent use.
type Sender struct {
	Options
	deliveries *prometheus.CounterVec
}

// New returns a Sender and registers its metric.
func New(o Options) (*Sender, error) {
	if o.Pause == 0 {
		o.Pause = firstPause
	}
	if o.Lease == 0 {
		o.Lease = lease
	}
	s := &Sender{Options: o, deliveries: prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "tollgate_alert_deliveries_total", Help: "Attempts to deliver alerts, by channel (mail, webhook or " +
			"slack) and result: delivered, handed_over (to the outbox of mail), retried or failed.",
	}, []string{"channel", "result"})}
	if err := o.Registry.Register(s.deliveries); err != nil {
		return nil, fmt.Errorf("alerts: %w", err)
	}
	return s, nil
}

// Run delivers all alerts that are due, and waits for the deliveries. It returns an error if the outbox cannot be read.
func (s *Sender) Run(ctx context.Context) error {
	slots := make(chan struct{}, atOnce)
	var running sync.WaitGroup
	defer running.Wait()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case slots <- struct{}{}:
		}
		idle := len(slots) == 1 // no delivery of this run can hide another one
		claim, err := s.Store.Alert.ClaimDelivery(ctx, s.Scope, s.Lease)
		if err != nil {
			return fmt.Errorf("send alerts: %w", err)
		}
		if claim == nil {
			<-slots
			if idle {
				return nil
			}
			// A claim of a tenant hides its other deliveries, so look again when one has ended.
			running.Wait()
			continue
		}
		running.Go(func() {
			defer func() { <-slots }()
			s.deliver(ctx, claim)
		})
	}
}

// permanentError means that no further attempt can succeed. Its text is shown to people.
type permanentError struct{ text string }

func (e *permanentError) Error() string { return e.text }

// deliver makes one attempt and records the result.
func (s *Sender) deliver(ctx context.Context, c *alertdb.Claim) {
	attempt, done := context.WithTimeout(ctx, attemptTimeout)
	isSent, err := s.attempt(attempt, c)
	done()
	cut := ctx.Err() != nil // the worker stops, so the receiver is not to blame
	ctx, done = context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer done()
	count := func(result string) { s.deliveries.WithLabelValues(string(c.Destination.Channel), result).Inc() }
	pause := s.pause(c.Attempts)
	var endErr error
	switch permanent := (*permanentError)(nil); {
	case isSent:
		count("handed_over")
		return
	case err == nil:
		count("delivered")
		endErr = s.Store.Alert.End(ctx, s.Scope, c, "")
	case cut:
		endErr = s.Store.Alert.Release(ctx, s.Scope, c, "", 0)
	case errors.As(err, &permanent), c.Attempts >= maxAttempts:
		count("failed")
		s.Log.WarnContext(ctx, "alert was not delivered", "alert_id", c.Alert.ID, "destination_id", c.Destination.ID,
			"attempts", c.Attempts, "error", err)
		endErr = s.Store.Alert.End(ctx, s.Scope, c, err.Error())
	default:
		count("retried")
		endErr = s.Store.Alert.Release(ctx, s.Scope, c, err.Error(), pause)
	}
	if endErr != nil && !errors.Is(endErr, alertdb.ErrLost) {
		s.Log.ErrorContext(ctx, "the result of an alert's delivery was not recorded", "alert_id", c.Alert.ID,
			"error", endErr)
	}
}

// pause returns the time before the next attempt: it doubles with each attempt, up to maxPause.
func (s *Sender) pause(attempts int) time.Duration {
	pause := s.Pause
	for range attempts - 1 {
		pause = min(2*pause, maxPause)
	}
	return pause
}

// attempt tries to deliver once. isSent reports that the outbox of mail has the alert. Its errors have texts that the
// people of the tenant may see: they show no address and nothing that the receiver sent.
func (s *Sender) attempt(ctx context.Context, c *alertdb.Claim) (isSent bool, err error) {
	if c.Destination.Status != tenant.Enabled {
		return false, &permanentError{"the destination is disabled"}
	}
	if c.Destination.Channel == alert.Mail {
		return s.mail(ctx, c)
	}
	return false, s.post(ctx, c)
}

// mail queues a mail to the user of the destination, and takes the delivery out of the outbox of alerts in the same
// transaction.
func (s *Sender) mail(ctx context.Context, c *alertdb.Claim) (isSent bool, err error) {
	user, err := s.Store.Identity.User(ctx, s.Scope, c.Destination.MailTo)
	if err != nil {
		return false, errors.New("the user could not be read")
	}
	if user.Status != tenant.Enabled || user.TenantID != c.Destination.TenantID || user.Proof == tenant.Unproven {
		return false, &permanentError{"the user is disabled"}
	}
	title, text := c.Alert.Fact.Words(user.Language)
	err = s.Store.Atomically(ctx, func(tx *store.Store) error {
		if err := tx.Alert.HandOver(ctx, s.Scope, c, mailPause); err != nil {
			return err
		}
		outbox := mailer.Outbox{Sealer: s.Sealer, URL: s.URL, Now: s.Now}
		return outbox.QueueAlert(ctx, tx, mailer.AlertMail{DeliveryID: c.ID, TenantID: c.Alert.TenantID,
			Alert: mailer.Alert{
				ID: c.Alert.ID.String(), To: user.Email, Language: user.Language, Title: title, Text: text,
			}})
	})
	if err != nil {
		s.Log.WarnContext(ctx, "alert was not queued as mail", "alert_id", c.Alert.ID, "error", err)
		return false, errors.New("the mail could not be queued")
	}
	s.WakeMail()
	return true, nil
}

// post sends the alert to the URL of the destination.
func (s *Sender) post(ctx context.Context, c *alertdb.Claim) error {
	url, err := s.Sealer.Open(c.URL, alert.URLPurpose(c.Destination.ID))
	if err != nil {
		return errors.New("the URL could not be decrypted")
	}
	request, err := s.request(ctx, c, url)
	if err != nil {
		return err
	}
	response, err := s.Transport.RoundTrip(request)
	if forbidden := (*egress.ForbiddenError)(nil); errors.As(err, &forbidden) {
		return &permanentError{"the address of the URL is not permitted"}
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return errors.New("the receiver did not answer in time")
	case err != nil:
		return errors.New("no connection to the receiver")
	}
	_, _ = io.CopyN(io.Discard, response.Body, maxAnswer) // best effort
	_ = response.Body.Close()
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return fmt.Errorf("the receiver answered with status %d", response.StatusCode)
	}
	return nil
}

// request returns the request of a webhook, signed if the destination has a secret.
func (s *Sender) request(ctx context.Context, c *alertdb.Claim, url string) (*http.Request, error) {
	body, err := c.Alert.SlackBody(c.Destination.Language, s.URL)
	if c.Destination.Channel == alert.Webhook {
		body, err = c.Alert.WebhookBody(c.Destination.Language, s.URL)
	}
	if err != nil {
		return nil, &permanentError{"the alert could not be encoded"}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, &permanentError{"the URL is malformed"}
	}
	now := s.Now().Unix()
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "tollgate")
	request.Header.Set(alert.HeaderID, c.Alert.ID.String())
	request.Header.Set(alert.HeaderTimestamp, strconv.FormatInt(now, 10))
	if c.Destination.Channel == alert.Webhook {
		secret, err := s.Sealer.Open(c.Secret, alert.SecretPurpose(c.Destination.ID))
		if err != nil {
			return nil, errors.New("the signing secret could not be decrypted")
		}
		request.Header.Set(alert.HeaderSignature, alert.Sign(secret, c.Alert.ID, now, body))
	}
	return request, nil
}
