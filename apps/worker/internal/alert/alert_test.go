package alert_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/apps/worker/internal/alert"
	"github.com/tollgate/tollgate/libs/core/address"
	core "github.com/tollgate/tollgate/libs/core/alert"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/language"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/egress"
	"github.com/tollgate/tollgate/libs/mail"
	"github.com/tollgate/tollgate/libs/mail/mailtest"
	"github.com/tollgate/tollgate/libs/mailer"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store"
	alertdb "github.com/tollgate/tollgate/libs/store/alert"
	"github.com/tollgate/tollgate/libs/store/identity"
	"github.com/tollgate/tollgate/libs/store/page"
	quotadb "github.com/tollgate/tollgate/libs/store/quota"
	"github.com/tollgate/tollgate/libs/store/relay"
	"github.com/tollgate/tollgate/libs/store/storetest"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
)

func TestMain(m *testing.M) { os.Exit(storetest.Main(m)) }

var system = tenant.SystemScope("test")

// got is a request that the receiver got.
type got struct {
	signed core.SignatureHeaders
	body   []byte
}

// stage is a store with a tenant, and a receiver of webhooks.
type stage struct {
	*testing.T
	store  *store.Store
	sealer *seal.Sealer
	owner  tenant.User
	by     tenant.Scope // the owner
	hook   *httptest.Server

	mu       sync.Mutex
	received []got
	answer   func(w http.ResponseWriter, r *http.Request)
}

// each runs the test on each kind of database.
func each(t *testing.T, test func(s *stage)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, of *store.Store) {
		s := &stage{T: t, store: of, sealer: seal.New([32]byte{7})}
		s.hook = httptest.NewServer(http.HandlerFunc(s.receive))
		t.Cleanup(s.hook.Close)
		acme, err := of.Identity.CreateTenant(t.Context(), system,
			identity.NewTenant{Slug: "acme", Name: "ACME", Quota: money.USD})
		s.must(err)
		group, err := of.Catalog.CreateGroup(t.Context(), system, "default", []string{"*"})
		s.must(err)
		s.owner, err = of.Identity.CreateUser(t.Context(), storetest.Confirmed(system), identity.NewUser{
			TenantID: acme.ID, Email: "owner@acme.example", Role: tenant.Owner, GroupID: group.ID, PasswordHash: "x",
			Proof: tenant.Mailed,
		})
		s.must(err)
		s.by = tenant.ScopeOf(s.owner)
		test(s)
	})
}

func (s *stage) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *stage) receive(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	s.received = append(s.received,
		got{core.SignatureHeaders{ID: r.Header.Get("webhook-id"), Timestamp: r.Header.Get("webhook-timestamp"),
			Signature: r.Header.Get("webhook-signature")}, body})
	answer := s.answer
	s.mu.Unlock()
	if answer != nil {
		answer(w, r)
	}
}

// answers makes the receiver answer in this way from now on.
func (s *stage) answers(answer func(http.ResponseWriter, *http.Request)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = answer
}

// all returns what the receiver got.
func (s *stage) all() []got {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]got{}, s.received...)
}

// destination creates a destination with the URL, and returns its signing secret.
func (s *stage) destination(channel core.Channel, url string) (core.Destination, string) {
	s.Helper()
	id := uuid.Must(uuid.NewV7())
	secret := core.SecretOf([32]byte{1, 2, 3})
	sealedURL, err := s.sealer.Seal(url, core.URLPurpose(id))
	s.must(err)
	n := alertdb.NewDestination{ID: id, Channel: channel, Name: string(channel), Shown: "shown", URL: sealedURL}
	switch channel {
	case core.Mail:
		n.MailTo, n.URL = s.owner.ID, nil
	case core.Webhook:
		n.Secret, err = s.sealer.Seal(secret, core.SecretPurpose(id))
		s.must(err)
	}
	made, err := s.store.Alert.CreateDestination(s.Context(), s.by, n)
	s.must(err)
	return made, secret
}

// rule creates a rule about the quota of the tenant, of which a part is used, and raises its alert.
func (s *stage) rule(to ...uuid.UUID) core.Rule {
	s.Helper()
	r, err := s.store.Alert.CreateRule(s.Context(), s.by, core.Rule{Name: "quota", Kind: core.QuotaUsed,
		Subject: core.OfTenant, Thresholds: []int{50, 80}, Destinations: to})
	s.must(err)
	return r
}

// raise stores an alert of the rule.
func (s *stage) raise(r core.Rule) {
	s.Helper()
	granted, used := money.USD, money.USD*85/100
	owner := s.owner.TenantID
	_, err := s.store.Alert.Raise(s.Context(), system, &r, []*core.Fact{{
		Kind: r.Kind, Rule: r.Name, Subject: r.Subject, SubjectID: &owner, SubjectName: "ACME", Period: "lifetime",
		Threshold: 80, Used: &used, Granted: &granted,
	}})
	s.must(err)
}

// sender returns a sender that may reach the receiver.
func (s *stage) sender(change func(*alert.Options)) *alert.Sender {
	s.Helper()
	o := alert.Options{
		Store: s.store, Scope: system, Sealer: s.sealer, WakeMail: func() {}, URL: "https://console.example",
		Log: slog.New(slog.DiscardHandler),
		Transport: egress.New(egress.Options{Policy: address.Policy{Strict: true,
			Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}}),
		// In the past: each retry is due at once.
		Registry: prometheus.NewRegistry(), Now: time.Now, Pause: -time.Nanosecond,
	}
	if change != nil {
		change(&o)
	}
	made, err := alert.New(o)
	s.must(err)
	return made
}

// alerts returns the alerts of the tenant.
func (s *stage) alerts() []core.Alert {
	s.Helper()
	list, err := s.store.Alert.Alerts(s.Context(), s.by, page.Page{})
	s.must(err)
	return list.Items
}

func TestSend_SignsWebhooksAndSpeaksSlack(t *testing.T) {
	t.Parallel()
	each(t, func(s *stage) {
		hook, secret := s.destination(core.Webhook, s.hook.URL+"/hook")
		slack, _ := s.destination(core.Slack, s.hook.URL+"/slack")
		s.raise(s.rule(hook.ID, slack.ID))
		s.must(s.sender(nil).Run(s.Context()))
		sent := s.all()
		if len(sent) != 2 {
			s.Fatalf("the receiver got %d requests, want 2", len(sent))
		}
		id := s.alerts()[0].ID.String()
		for _, one := range sent {
			var body map[string]any
			s.must(json.Unmarshal(one.body, &body))
			if one.signed.ID != id {
				s.Errorf("got id %s, want that of the alert %s", one.signed.ID, id)
			}
			if _, isSlack := body["kind"]; !isSlack {
				if text, _ := body["text"].(string); !strings.Contains(text, "80%") || one.signed.Signature != "" {
					s.Errorf("Slack got %s", one.body)
				}
				continue
			}
			if err := core.Verify(secret, one.signed, one.body, time.Now()); err != nil || body["id"] != id ||
				body["used"] != "0.85" || body["link"] != "https://console.example" {
				s.Errorf("the webhook got %s, signature %v", one.body, err)
			}
		}
		for _, d := range s.alerts()[0].Deliveries {
			if d.State != core.Delivered || d.Attempts != 1 {
				s.Errorf("got %+v, want it delivered at once", d)
			}
		}
	})
}

func TestSend_RetriesAndGivesUp(t *testing.T) {
	t.Parallel()
	each(t, func(s *stage) {
		hook, _ := s.destination(core.Webhook, s.hook.URL)
		s.answers(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = w.Write([]byte("a secret of the receiver"))
		})
		s.raise(s.rule(hook.ID))
		sender := s.sender(nil)
		for range 40 { // more runs than attempts
			s.must(sender.Run(s.Context()))
		}
		sent, delivery := s.all(), s.alerts()[0].Deliveries[0]
		if delivery.State != core.Failed || delivery.Attempts != 30 || len(sent) != 30 ||
			delivery.Error != "the receiver answered with status 500" {
			s.Errorf("got %+v after %d requests, want 30 attempts and the status", delivery, len(sent))
		}
		for _, one := range sent {
			if one.signed.ID != sent[0].signed.ID {
				s.Error("an attempt has another id")
			}
		}
		s.answers(nil)
		s.must(s.store.Alert.Retry(s.Context(), s.by, s.alerts()[0].ID))
		s.must(sender.Run(s.Context()))
		if d := s.alerts()[0].Deliveries[0]; d.State != core.Delivered || d.Error != "" {
			s.Errorf("after a retry: got %+v", d)
		}
	})
}

func TestSend_ConnectsToPermittedAddressesOnly(t *testing.T) {
	t.Parallel()
	each(t, func(s *stage) {
		port := s.hook.URL[strings.LastIndexByte(s.hook.URL, ':'):]
		literal, _ := s.destination(core.Webhook, s.hook.URL)
		named, _ := s.destination(core.Webhook, "http://localhost"+port)
		redirecting, _ := s.destination(core.Slack, s.hook.URL)
		s.raise(s.rule(literal.ID, named.ID, redirecting.ID))
		s.must(s.sender(func(o *alert.Options) {
			o.Transport = egress.New(egress.Options{Policy: address.Policy{Strict: true}})
		}).Run(s.Context()))
		for _, d := range s.alerts()[0].Deliveries {
			if d.State != core.Failed || d.Error != "the address of the URL is not permitted" {
				s.Errorf("got %+v, want a refused address", d)
			}
		}
		if len(s.all()) != 0 {
			s.Error("the receiver was reached")
		}
		s.answers(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		})
		s.must(s.store.Alert.Retry(s.Context(), s.by, s.alerts()[0].ID))
		s.must(s.sender(nil).Run(s.Context()))
		for _, one := range s.all() {
			if len(one.body) == 0 {
				s.Error("a redirect was followed")
			}
		}
	})
}

// A worker that is killed during a delivery leaves its claim. When the claim ends, another worker sends the alert with
// the same id.
func TestSend_TakesOverFromAWorkerThatDied(t *testing.T) {
	t.Parallel()
	each(t, func(s *stage) {
		hook, _ := s.destination(core.Webhook, s.hook.URL)
		arrived, release := make(chan struct{}), make(chan struct{})
		var once sync.Once
		s.answers(func(http.ResponseWriter, *http.Request) {
			once.Do(func() { close(arrived) })
			<-release
		})
		s.raise(s.rule(hook.ID))
		// The first worker waits for the answer of the receiver, and its claim ends meanwhile: its process is as good
		// as dead.
		first, kill := context.WithCancel(s.Context())
		ended := make(chan error, 1)
		go func() {
			ended <- s.sender(func(o *alert.Options) { o.Lease = time.Second }).Run(first)
		}()
		select {
		case <-arrived:
		case <-time.After(time.Minute):
			s.Fatal("the first worker sent nothing")
		}
		s.answers(nil)
		second := s.sender(nil)
		for deadline := time.Now().Add(time.Minute); s.alerts()[0].Deliveries[0].State != core.Delivered; {
			s.must(second.Run(s.Context()))
			if time.Now().After(deadline) {
				s.Fatalf("got %+v, want it delivered by the second worker", s.alerts()[0].Deliveries[0])
			}
		}
		kill()
		close(release)
		if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
			s.Errorf("the first worker ended with %v", err)
		}
		sent := s.all()
		if len(sent) < 2 || sent[0].signed.ID != sent[len(sent)-1].signed.ID ||
			sent[0].signed.ID != s.alerts()[0].ID.String() {
			s.Errorf("got %d requests, want at least 2 with the id of the alert", len(sent))
		}
		if d := s.alerts()[0].Deliveries[0]; d.State != core.Delivered {
			s.Errorf("got %+v after the end of the first worker, want its result ignored", d)
		}
	})
}

// Mail goes through the outbox of mail to a real SMTP server, with the alert's id as its Message-ID.
func TestSend_MailsThroughTheOutboxOfMail(t *testing.T) {
	t.Parallel()
	each(t, func(s *stage) {
		s.must(s.store.Identity.SetLanguage(s.Context(), s.by, language.SimplifiedChinese))
		box := mailtest.Listen(s, nil)
		smtp, err := mail.New(mail.Options{URL: "smtp://" + box.Address, From: "tollgate@console.example"})
		s.must(err)
		m, err := mailer.New(mailer.Options{
			Store: s.store, Sealer: s.sealer, Sender: smtp, URL: "https://console.example",
			Log: slog.New(slog.DiscardHandler), Registry: prometheus.NewRegistry(),
		})
		s.must(err)
		mailbox, _ := s.destination(core.Mail, "")
		s.raise(s.rule(mailbox.ID))
		s.must(s.sender(func(o *alert.Options) { o.WakeMail = m.Wake }).Run(s.Context()))
		if d := s.alerts()[0].Deliveries[0]; d.State != core.Waiting {
			s.Errorf("before the mail was sent: got %+v", d)
		}
		s.must(m.Start(s.Context()))
		letter := box.Next(s)
		s.must(m.Stop(context.Background()))
		header, parts := letter.Read(s)
		if letter.To != s.owner.Email || !strings.Contains(header.Get("Message-ID"), s.alerts()[0].ID.String()) ||
			!strings.Contains(parts["text/plain"], "https://console.example/alerts") ||
			!strings.Contains(parts["text/plain"], "额度") {
			s.Errorf("got a mail to %s with id %s: %s", letter.To, header.Get("Message-ID"), parts["text/plain"])
		}
		if d := s.alerts()[0].Deliveries[0]; d.State != core.Delivered {
			s.Errorf("after the mail was sent: got %+v", d)
		}
	})
}

// finder returns a finder whose clock is at the time.
func (s *stage) finder(now time.Time) *alert.Finder {
	return &alert.Finder{Store: s.store, Scope: system, Log: slog.New(slog.NewTextHandler(s.Output(), nil)),
		Now: func() time.Time { return now }}
}

func TestFind_RaisesWhatTheRulesWatch(t *testing.T) {
	t.Parallel()
	each(t, func(s *stage) {
		// The wallet: granted a dollar; a transfer back leaves less than what was used. Without usage nothing is
		// raised.
		s.rule()
		finder := s.finder(time.Now())
		s.must(finder.Run(s.Context()))
		if n := len(s.alerts()); n != 0 {
			s.Errorf("got %d alerts without usage", n)
		}

		operator, err := s.store.Identity.CreateUser(s.Context(), storetest.Confirmed(system),
			identity.NewUser{Email: "op@example.com", Role: tenant.Operator, PasswordHash: "x"})
		s.must(err)
		by := tenant.ScopeOf(operator)
		rate := money.USD
		_, err = s.store.Catalog.CreateModel(s.Context(), system, catalog.Model{ID: "small", OwnedBy: "acme",
			Status: tenant.Enabled}, pricing.Rates{ClassRates: pricing.ClassRates{Input: &rate}})
		s.must(err)
		relayID := uuid.Must(uuid.NewV7())
		_, err = s.store.Relay.Beat(s.Context(), system, relayID,
			relay.Report{State: "serving", SpoolEvents: 3, SpoolOldestAt: time.Now().Add(-time.Hour)})
		s.must(err)
		for _, kind := range []core.Kind{core.ModelUnavailable, core.Spool, core.Drift, core.CredentialDead} {
			r := core.Rule{Name: string(kind), Kind: kind}
			if kind == core.Spool {
				r.Thresholds = []int{10, 30}
			}
			_, err := s.store.Alert.CreateRule(s.Context(), by, r)
			s.must(err)
		}
		for range 3 { // repeated, the facts stay the same
			s.must(finder.Run(s.Context()))
		}
		list, err := s.store.Alert.Alerts(s.Context(), by, page.Page{})
		s.must(err)
		found := map[core.Kind]string{}
		for _, a := range list.Items {
			found[a.Fact.Kind] += a.Fact.SubjectName + ";"
		}
		if len(found) != 2 || found[core.ModelUnavailable] != "small;" || found[core.Spool] != relayID.String()+";" {
			s.Errorf("got %v, want the model without a channel and the spool, once each", found)
		}
	})
}

// run lets the finder look at the rules once. Each time that the finder reads the clock, it has moved by step. The task
// is canceled after 12 readings.
func (s *stage) run(finder *alert.Finder, step time.Duration) {
	s.Helper()
	ctx, cancel := context.WithCancel(s.Context())
	defer cancel()
	now, readings := time.Now(), 0
	finder.Now = func() time.Time {
		if readings++; readings == 12 {
			cancel()
		}
		return now.Add(time.Duration(readings) * step)
	}
	s.must(finder.Run(ctx))
}

// uses records a call of the owner, which cost the amount.
func (s *stage) uses(f *storetest.Customer, amount money.Amount) {
	s.Helper()
	_, err := s.store.Metering.RecordEvents(s.Context(), system, storetest.NewID(),
		[]usage.Event{f.Call(f.Owner, "small", amount)})
	s.must(err)
}

// An alert about a window says what was used in that window, and each window has its own.
func TestFind_ReadsTheAccountsOfTheWindowsThatItNames(t *testing.T) {
	t.Parallel()
	each(t, func(s *stage) {
		f := storetest.NewCustomer(s, s.store, "daily")
		storetest.Need(s.store.Token.UpdateToken(s.Context(), f.AsOwner, f.Tokens[f.Owner.ID].ID,
			tokendb.Patch{Caps: quotadb.CapsPatch{Day: storetest.USD(1)}}))(s)
		storetest.Need(s.store.Alert.CreateRule(s.Context(), f.AsOwner, core.Rule{Name: "quota", Kind: core.QuotaUsed,
			Subject: core.OfToken, Period: quota.Day, Thresholds: []int{80}}))(s)
		call, relay := f.Call(f.Owner, "small", money.USD), storetest.NewID()
		window := quota.Limit{Owner: call.TokenID, Kind: quota.TokenCap, Period: quota.Day}.Account(call.CreatedAt)
		storetest.Need(s.store.Quota.GrantLease(s.Context(), system, relay, window,
			quota.LeaseRequest{Stamp: 1, Claim: money.USD, Need: money.USD}))(s)
		call.Leased = []uuid.UUID{window.ID}
		storetest.Need(s.store.Metering.RecordEvents(s.Context(), system, relay, []usage.Event{call}))(s)
		raised := func(now time.Time) int {
			s.must(s.finder(now).Run(s.Context()))
			return len(storetest.Need(s.store.Alert.Alerts(s.Context(), f.AsOwner, page.Page{}))(s).Items)
		}
		// The clock of the store is still at the day of the call.
		storetest.Equal(s, "alerts of the next day", raised(call.CreatedAt.AddDate(0, 0, 1)), 0)
		storetest.Equal(s, "alerts", raised(call.CreatedAt), 1)
	})
}

func TestFind_OneTenantDoesNotKeepTheRulesOfOthersWaiting(t *testing.T) {
	t.Parallel()
	each(t, func(s *stage) {
		busy, calm := storetest.NewCustomer(s, s.store, "busy"), storetest.NewCustomer(s, s.store, "calm")
		s.uses(&busy, 6*money.USD)
		s.uses(&calm, 6*money.USD)
		rule := core.Rule{Name: "quota", Kind: core.QuotaUsed, Subject: core.OfTenant, Thresholds: []int{50}}
		operators, rules := storetest.AsOperator(s.T, s.store), 13
		for range rules { // more than the clock is read in the time of the task
			storetest.Need(s.store.Alert.CreateRule(s.Context(), busy.AsOwner, rule))(s)
		}
		for _, by := range []tenant.Scope{calm.AsOwner, operators} {
			storetest.Need(s.store.Alert.CreateRule(s.Context(), by, rule))(s)
		}
		raised := func(by tenant.Scope) int {
			return len(storetest.Need(s.store.Alert.Alerts(s.Context(), by, page.Page{}))(s).Items)
		}
		finder := s.finder(time.Time{})
		s.run(finder, 10*time.Second)
		storetest.Equal(s, "alerts of the busy tenant after a run", raised(busy.AsOwner), 1)
		storetest.Equal(s, "alerts of the calm tenant after a run", raised(calm.AsOwner), 1)
		storetest.Equal(s, "alerts of operators after a run", raised(operators), 2) // about both tenants
		for range rules - 1 {
			s.run(finder, 10*time.Second)
		}
		storetest.Equal(s, "alerts of the busy tenant after a run for each rule", raised(busy.AsOwner), rules)
	})
}

func TestFind_ContinuesWithTheOwnersThatTheLastRunDidNotReach(t *testing.T) {
	t.Parallel()
	each(t, func(s *stage) {
		f := storetest.NewCustomer(s, s.store, "many")
		s.must(s.store.Atomically(s.Context(), func(tx *store.Store) error {
			for i := range 500 { // a page, before the other tokens
				id := uuid.UUID{13: 1, 14: byte(i >> 8), 15: byte(i)}
				if _, err := tx.Token.CreateToken(s.Context(), system, tokendb.NewToken{
					Token: token.Token{ID: id, UserID: f.Owner.ID, Name: "x"}, Hash: storetest.Hash(id),
				}); err != nil {
					return err
				}
			}
			_, err := tx.Token.UpdateToken(s.Context(), f.AsOwner, f.Tokens[f.Owner.ID].ID,
				tokendb.Patch{Cap: storetest.USD(1)})
			return err
		}))
		s.uses(&f, money.USD)
		storetest.Need(s.store.Alert.CreateRule(s.Context(), f.AsOwner,
			core.Rule{Name: "quota", Kind: core.QuotaUsed, Subject: core.OfToken, Thresholds: []int{80}}))(s)
		finder := s.finder(time.Time{})
		for want := range 2 { // the token that is used up is on the second page
			s.run(finder, 40*time.Second) // one page
			list := storetest.Need(s.store.Alert.Alerts(s.Context(), f.AsOwner, page.Page{}))(s)
			storetest.Equal(s, "alerts", len(list.Items), want)
		}
	})
}
