package session_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/mail/mailtest"
)

// noticeTo waits for the next mail, which must be a notice to the address with the sentence.
func noticeTo(t *testing.T, box *mailtest.Inbox, to, sentence string) {
	t.Helper()
	letter := box.Next(t)
	_, parts := letter.Read(t)
	if letter.To != to || !strings.Contains(parts["text/plain"], sentence) ||
		!strings.Contains(parts["text/plain"], "https://console.example/settings/security") {
		t.Errorf("got a mail to %s: %q; want one to %s with %q", letter.To, parts["text/plain"], to, sentence)
	}
}

func TestNotices_ReportNewDevicesAndChangesOfTheAccount(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	box := s.WithMail()
	owner := s.Acme.Owner.Email
	first := s.Anonymous().Post("/api/session", consoletest.Credentials(owner, consoletest.Password))
	first.Want(t, http.StatusOK)
	noticeTo(t, box, owner, "was not used for your account before")
	again := &consoletest.Client{Stack: s, Device: cookieOf(first.Response, "tollgate_device").Value}
	r := again.Post("/api/session", consoletest.Credentials(owner, consoletest.Password))
	r.Want(t, http.StatusOK) // a known device: no notice

	me := &consoletest.Client{Stack: s, Cookie: r.SessionCookie(t).Value}
	me.Post("/api/session/password", map[string]any{"old_password": "wrong", "new_password": consoletest.NewPassword}).
		Refused(t, http.StatusBadRequest, "old_password")
	changed := me.Post("/api/session/password", map[string]any{"old_password": consoletest.Password,
		"new_password": consoletest.NewPassword})
	changed.Want(t, http.StatusNoContent)
	noticeTo(t, box, owner, "The password of your account was changed.")

	me = &consoletest.Client{Stack: s, Cookie: changed.SessionCookie(t).Value}
	key := map[string]any{"name": "ci", "access": "read", "expires_at": time.Now().Add(time.Hour)}
	me.Post("/api/access-keys", key).Want(t, http.StatusCreated)
	noticeTo(t, box, owner, "An access key was created")
	s.As(s.Operator).Patch("/api/operator/users/"+s.Acme.Owner.ID.String(),
		map[string]any{"password": consoletest.Password}).
		Want(t, http.StatusOK)
	noticeTo(t, box, owner, "The password of your account was changed.")
	me.Post("/api/members/"+s.Acme.Member.ID.String()+"/reset-factors", nil).Refused(t, http.StatusUnauthorized, "")
	s.As(s.Acme.Owner).Post("/api/members/"+s.Acme.Member.ID.String()+"/reset-factors", nil).
		Want(t, http.StatusNoContent)
	noticeTo(t, box, s.Acme.Member.Email, "removed the second factor")
}

func TestSession_KeepsTheLanguageOfTheUser(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	box := s.WithMail()
	me, owner := s.As(s.Acme.Owner), s.Acme.Owner.Email
	consoletest.Equal(t, me.Get("/api/session").Want(t, http.StatusOK), nil, "user", "language")
	me.Patch("/api/session", map[string]any{"language": "fr"}).Refused(t, http.StatusBadRequest, "language")
	s.Anonymous().Patch("/api/session", map[string]any{"language": "en"}).Refused(t, http.StatusUnauthorized, "")
	consoletest.Equal(t, me.Patch("/api/session", map[string]any{"language": "zh-Hans"}).Want(t, http.StatusOK),
		"zh-Hans", "user", "language")
	consoletest.Equal(t, me.Get("/api/session").Want(t, http.StatusOK), "zh-Hans", "user", "language")

	me.Post("/api/access-keys", map[string]any{"name": "ci", "access": "read",
		"expires_at": time.Now().Add(time.Hour)}).Want(t, http.StatusCreated)
	noticeTo(t, box, owner, "您的账户创建了访问密钥。")
	me.Post("/api/invitations", invite("new@acme.example", "member")).Want(t, http.StatusCreated)
	if text := letterTo(t, box, "new@acme.example"); !strings.Contains(text, owner+" 邀请您加入 ") {
		t.Errorf("got the invitation %q, want it in the language of its inviter", text)
	}
	s.Anonymous().Post("/api/session/password-reset", map[string]any{"email": owner}).Want(t, http.StatusAccepted)
	if text := letterTo(t, box, owner); !strings.Contains(text, "60 分钟内有效") {
		t.Errorf("got the reset %q, want it in the language of the user", text)
	}
}

func TestNotices_DoNotFillAMailbox(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	box := s.WithMail()
	me := s.As(s.Acme.Owner)
	for i := range 15 {
		key := map[string]any{"name": fmt.Sprint("key ", i), "access": "read", "expires_at": time.Now().Add(time.Hour)}
		me.Post("/api/access-keys", key).Want(t, http.StatusCreated)
	}
	for range 10 {
		noticeTo(t, box, s.Acme.Owner.Email, "An access key was created")
	}
	s.Anonymous().Post("/api/session", consoletest.Credentials(s.Acme.Admin.Email, consoletest.Password)).
		Want(t, http.StatusOK)
	noticeTo(t, box, s.Acme.Admin.Email, "was not used for your account before")
}
