package mailer_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/mail"
	"github.com/tollgate/tollgate/libs/mailer"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/identity"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

func TestMain(m *testing.M) { os.Exit(storetest.Main(m)) }

var system = tenant.SystemScope("test")

// server is a Sender that refuses its first mails.
type server struct {
	mu      sync.Mutex
	refuses int // number of mails that it still refuses
	got     chan mail.Message
}

func newServer(refuses int) *server {
	return &server{refuses: refuses, got: make(chan mail.Message, 64)}
}

func (s *server) Send(_ context.Context, m mail.Message) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refuses > 0 {
		s.refuses--
		return errors.New("connection refused")
	}
	s.got <- m
	return nil
}

func (s *server) next(t *testing.T) mail.Message {
	t.Helper()
	select {
	case m := <-s.got:
		return m
	case <-time.After(time.Minute):
		t.Fatal("no mail arrived within a minute")
		return mail.Message{}
	}
}

// process is a process with a mailer, such as a console or a worker.
type process struct {
	*mailer.Mailer
	registry *prometheus.Registry
	log      *lockedBuffer
}

func newProcess(t *testing.T, s *store.Store, sender mailer.Sender) *process {
	t.Helper()
	p := &process{registry: prometheus.NewRegistry(), log: &lockedBuffer{}}
	var err error
	p.Mailer, err = mailer.New(mailer.Options{
		Store: s, Sealer: seal.New([32]byte{1}), Sender: sender, URL: "https://console.example", Registry: p.registry,
		Log: slog.New(slog.NewTextHandler(p.log, nil)), Poll: 10 * time.Millisecond, Retry: time.Microsecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// start starts the mailer and stops it, twice, when the test ends.
func (p *process) start(t *testing.T) {
	t.Helper()
	if err := p.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(p.Stop(context.Background()), p.Stop(context.Background())); err != nil {
			t.Error(err)
		}
	})
}

// results waits until the metric counts n invitations with the result.
func (p *process) results(t *testing.T, result string, n float64) {
	t.Helper()
	for deadline := time.After(time.Minute); ; {
		counted := 0.0
		families, err := p.registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		for _, family := range families {
			for _, m := range family.GetMetric() {
				if m.GetLabel()[0].GetValue() == "invitation" && m.GetLabel()[1].GetValue() == result {
					counted = m.GetCounter().GetValue()
				}
			}
		}
		if counted == n {
			return
		}
		select {
		case <-deadline:
			t.Fatalf("got %v invitations that are %s, want %v", counted, result, n)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// lockedBuffer is a bytes.Buffer that is safe for concurrent use.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// open returns a store on SQLite and the URL of its database.
func open(t *testing.T) (*store.Store, string) {
	t.Helper()
	url := storetest.SQLite(t)
	return storetest.Open(t, db.Options{URL: url, Log: slog.New(slog.DiscardHandler)}), url
}

// invite queues an invitation.
func (p *process) invite(t *testing.T, tx *store.Store) {
	t.Helper()
	queued, err := p.Invite(t.Context(), tx, uuid.Nil, mailer.Invitation{
		To: "ada@x.example", Inviter: "bob@x.example", Tenant: "<b>Müller & Söhne</b>",
		Link: p.InvitationLink("the-secret"), ExpiresAt: time.Now().Add(time.Hour),
	})
	if err != nil || !queued {
		t.Fatalf("Invite: got %v, error %v; want true", queued, err)
	}
}

// The process that queues the mail never starts its mailer.
func TestMailer_DeliversMailOfAProcessThatDied(t *testing.T) {
	t.Parallel()
	s, url := open(t)
	smtp := newServer(0)
	newProcess(t, s, smtp).invite(t, s)
	stored, err := s.Job.ClaimMail(t.Context(), system, 0) // a lease of no time, so the mail stays due
	if err != nil || stored == nil || bytes.Contains(stored.Content, []byte("the-secret")) ||
		bytes.Contains(stored.Content, []byte("ada@")) {
		t.Fatalf("got stored mail %+v, error %v; want sealed content", stored, err)
	}
	other := newProcess(t, s, smtp)
	other.start(t)
	m := smtp.next(t)
	if m.To != "ada@x.example" || !strings.Contains(m.Text, "https://console.example/invitation#the-secret") ||
		!strings.Contains(m.Text, "<b>Müller & Söhne</b>") {
		t.Errorf("got mail %+v", m)
	}
	if !strings.Contains(m.HTML, "&lt;b&gt;Müller &amp; Söhne&lt;/b&gt;") ||
		!strings.Contains(m.HTML, `href="https://console.example/invitation#the-secret"`) {
		t.Errorf("got HTML %s, want the name of the tenant escaped and the link", m.HTML)
	}
	other.results(t, "sent", 1)
	untilEmpty(t, url)
}

func TestMailer_RetriesUntilTheServerAnswers(t *testing.T) {
	t.Parallel()
	s, url := open(t)
	smtp := newServer(3)
	p := newProcess(t, s, smtp)
	p.start(t)
	p.invite(t, s)
	smtp.next(t)
	p.results(t, "retried", 3)
	p.results(t, "sent", 1)
	untilEmpty(t, url)
	if !strings.Contains(p.log.String(), "mail was not sent") || strings.Contains(p.log.String(), "the-secret") {
		t.Errorf("got log %s, want the failed attempts without the secret", p.log)
	}
}

func TestMailer_GivesUpAndReports(t *testing.T) {
	t.Parallel()
	s, url := open(t)
	smtp := newServer(1000)
	p := newProcess(t, s, smtp)
	p.start(t)
	p.invite(t, s)
	p.results(t, "given_up", 1)
	untilEmpty(t, url)
	if !strings.Contains(p.log.String(), "mail was given up") || !strings.Contains(p.log.String(), "attempts=10") {
		t.Errorf("got log %s, want the mail given up after 10 attempts", p.log)
	}
	if families, err := testutil.GatherAndCount(p.registry, "tollgate_mails_total"); err != nil || families != 2 {
		t.Errorf("got %d series, error %v; want 2, retried and given up", families, err)
	}
}

func TestMailer_GivesUpMailThatItCannotOpen(t *testing.T) {
	t.Parallel()
	s, url := open(t)
	newProcess(t, s, newServer(0)).invite(t, s)
	smtp := newServer(0)
	p, err := mailer.New(mailer.Options{
		Store: s, Sealer: seal.New([32]byte{2}), Sender: smtp, Log: slog.New(slog.DiscardHandler),
		Registry: prometheus.NewRegistry(), Poll: 10 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	(&process{Mailer: p}).start(t)
	untilEmpty(t, url)
	if len(smtp.got) != 0 {
		t.Error("a mail that another key sealed was sent")
	}
}

// Two retries send the same link, because the reset is created once.
func TestMailer_SendsAResetOnlyToAUsersAddress(t *testing.T) {
	t.Parallel()
	s, url := open(t)
	user, err := s.Identity.CreateUser(t.Context(), storetest.Confirmed(system),
		identity.NewUser{Email: "op@x.example", PasswordHash: "hash", Role: tenant.Operator})
	if err != nil {
		t.Fatal(err)
	}
	smtp := newServer(2)
	p := newProcess(t, s, smtp)
	for _, email := range []string{"nobody@x.example", "op@x.example"} {
		if err := p.RequestReset(t.Context(), email); err != nil {
			t.Fatal(err)
		}
	}
	p.start(t)
	m := smtp.next(t)
	_, after, found := strings.Cut(m.Text, "https://console.example/password-reset#")
	if m.To != "op@x.example" || !found {
		t.Fatalf("got mail %+v, want a reset link for op@x.example", m)
	}
	hash, valid := seal.HashSecret(strings.Fields(after)[0])
	if of, err := s.Identity.PasswordReset(t.Context(), system, hash); !valid || err != nil || of.ID != user.ID {
		t.Errorf("got a link of %s, error %v; want %s", of.Email, err, user.Email)
	}
	untilEmpty(t, url)
	if resets := storetest.Dump(t, url)["password_resets"]; len(resets) != 1 {
		t.Errorf("got %d resets after two retries, want 1", len(resets))
	}
	if len(smtp.got) != 0 {
		t.Errorf("got a second mail: %+v", <-smtp.got)
	}
}

func TestMailer_QueuesNothingWithoutAServer(t *testing.T) {
	t.Parallel()
	s, url := open(t)
	p := newProcess(t, s, nil)
	if queued, err := p.Invite(t.Context(), s, uuid.Nil, mailer.Invitation{}); queued || err != nil || p.Configured() {
		t.Errorf("Invite: got %v, error %v; want false", queued, err)
	}
	if err := p.RequestReset(t.Context(), "op@x.example"); err != nil {
		t.Error(err)
	}
	p.start(t)
	if stored := storetest.Dump(t, url)["mails"]; len(stored) != 0 {
		t.Errorf("got stored mails %v, want none", stored)
	}
}

// untilEmpty waits until no mail is queued.
func untilEmpty(t *testing.T, url string) {
	t.Helper()
	for deadline := time.After(time.Minute); ; {
		stored := storetest.Dump(t, url)["mails"]
		if len(stored) == 0 {
			return
		}
		select {
		case <-deadline:
			t.Fatalf("after a minute these mails are still queued: %v", stored)
		case <-time.After(5 * time.Millisecond):
		}
	}
}
