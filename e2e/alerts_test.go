package e2e

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tollgate/tollgate/e2e/story"
	"github.com/tollgate/tollgate/libs/core/alert"
	"github.com/tollgate/tollgate/libs/mail/mailtest"
	consoleclient "github.com/tollgate/tollgate/openapi/clients/go/console"
)

// hook is a receiver of webhooks. It answers no request until it is opened, so that a worker can be killed while it
// waits.
type hook struct {
	*httptest.Server
	arrived chan struct{} // closed by the first request
	opened  chan struct{}

	mu   sync.Mutex
	once sync.Once
	ids  []string
	bad  []string // requests with a wrong signature
	key  string   // the signing secret
}

func newHook(t *testing.T) *hook {
	t.Helper()
	h := &hook{arrived: make(chan struct{}), opened: make(chan struct{})}
	h.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got := alert.SignatureHeaders{ID: r.Header.Get(alert.HeaderID), Timestamp: r.Header.Get(alert.HeaderTimestamp),
			Signature: r.Header.Get(alert.HeaderSignature)}
		h.mu.Lock()
		h.ids = append(h.ids, got.ID)
		if err := alert.Verify(h.key, got, body, time.Now()); err != nil {
			h.bad = append(h.bad, got.ID)
		}
		h.mu.Unlock()
		h.once.Do(func() { close(h.arrived) })
		select {
		case <-h.opened:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(h.Close)
	return h
}

// got returns how often each id arrived.
func (h *hook) got() map[string]int {
	h.mu.Lock()
	defer h.mu.Unlock()
	times := map[string]int{}
	for _, id := range h.ids {
		times[id]++
	}
	return times
}

// TestAlerts_SurviveTheDeathOfTheWorker kills the worker while it delivers alerts, and checks that the next one
// delivers all of them, by webhook and by mail to a real SMTP server, with the ids that they had before.
func TestAlerts_SurviveTheDeathOfTheWorker(t *testing.T) {
	t.Parallel()
	box, receiver := mailtest.Listen(t, nil), newHook(t)
	w := ownTestbed(t, map[string]string{
		"TOLLGATE_EGRESS_ALLOW": "127.0.0.0/8", "TOLLGATE_CONSOLE_URL": "http://console.example",
		"TOLLGATE_SMTP_URL": "smtp://" + box.Address, "TOLLGATE_MAIL_FROM": "tollgate@console.example",
	})
	owner := w.signIn(t, acmeOwner)
	ctx := t.Context() // the waits below are longer than those of story.Context
	url := receiver.URL + "/alerts"
	made, err := owner.CreateAlertDestination(ctx,
		consoleclient.NewAlertDestination{Channel: "webhook", Name: "pager", Url: &url})
	story.Must(t, made, err)
	receiver.mu.Lock()
	receiver.key = *made.JSON201.Secret
	receiver.mu.Unlock()
	me, err := owner.GetSession(ctx)
	story.Must(t, me, err)
	mailbox, err := owner.CreateAlertDestination(ctx, consoleclient.NewAlertDestination{Channel: "mail", Name: "me",
		UserId: &me.JSON200.User.Id})
	story.Must(t, mailbox, err)

	want := map[string]bool{}
	for range 3 {
		for _, to := range []*consoleclient.CreateAlertDestinationResult{made, mailbox} {
			tested, err := owner.TestAlertDestination(ctx, to.JSON201.Destination.Id)
			story.Must(t, tested, err)
			want[tested.JSON202.Id.String()] = true
		}
	}
	select {
	case <-receiver.arrived:
	case <-time.After(time.Minute):
		t.Fatal("no alert arrived")
	}
	w.Worker.Kill()
	close(receiver.opened)
	if err := w.Worker.Start(ctx); err != nil {
		t.Fatal(err)
	}
	// The claim of the killed worker ends after a minute, and so does its hold on the task in Redis.
	story.Eventually(t, 4*time.Minute, "all alerts are delivered", func() bool {
		list, err := owner.ListAlerts(ctx, &consoleclient.ListAlertsParams{})
		if err != nil || list.JSON200 == nil || len(list.JSON200.Items) != len(want) {
			return false
		}
		for _, one := range list.JSON200.Items {
			if len(one.Deliveries) != 1 || one.Deliveries[0].State != "delivered" {
				return false
			}
		}
		return true
	})
	arrived := receiver.got()
	for mails := 0; mails < 3; { // the notice of the new sign-in arrives, too
		letter := box.Next(t)
		header, _ := letter.Read(t)
		id, _, _ := strings.Cut(strings.Trim(header.Get("Message-ID"), "<>"), "@")
		if want[id] {
			mails++
			arrived[id]++
		}
	}
	repeated := 0
	for id, times := range arrived {
		if !want[id] {
			t.Errorf("an alert with the unknown id %s arrived", id)
		}
		repeated += times - 1
	}
	if len(arrived) != len(want) || repeated == 0 || len(receiver.bad) > 0 {
		t.Errorf("got %d of %d alerts, %d of them again (at least one, which the worker was sending when it died), "+
			"%d with a wrong signature", len(arrived), len(want), repeated, len(receiver.bad))
	}
	if logs := w.Logs(10_000); strings.Contains(logs, receiver.key) || strings.Contains(logs, url) {
		t.Error("a log has the secret or the URL of the webhook")
	}
}
