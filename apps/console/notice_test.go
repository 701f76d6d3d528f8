package console_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

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
	s := setup(t)
	box := s.withMail()
	owner := s.acme.owner.Email
	first := s.anonymous().post("/api/session", credentials(owner, password))
	first.want(t, http.StatusOK)
	noticeTo(t, box, owner, "was not used for your account before")
	again := &client{stack: s, device: cookieOf(first.Response, "tollgate_device").Value}
	r := again.post("/api/session", credentials(owner, password))
	r.want(t, http.StatusOK) // a known device: no notice

	me := &client{stack: s, cookie: r.sessionCookie(t).Value}
	me.post("/api/session/password", map[string]any{"old_password": "wrong", "new_password": newPassword}).
		refused(t, http.StatusBadRequest, "old_password")
	changed := me.post("/api/session/password", map[string]any{"old_password": password, "new_password": newPassword})
	changed.want(t, http.StatusNoContent)
	noticeTo(t, box, owner, "The password of your account was changed.")

	me = &client{stack: s, cookie: changed.sessionCookie(t).Value}
	key := map[string]any{"name": "ci", "access": "read", "expires_at": time.Now().Add(time.Hour)}
	me.post("/api/access-keys", key).want(t, http.StatusCreated)
	noticeTo(t, box, owner, "An access key was created")
	s.as(s.operator).patch("/api/operator/users/"+s.acme.owner.ID.String(), map[string]any{"password": password}).
		want(t, http.StatusOK)
	noticeTo(t, box, owner, "The password of your account was changed.")
	me.post("/api/members/"+s.acme.member.ID.String()+"/reset-factors", nil).refused(t, http.StatusUnauthorized, "")
	s.as(s.acme.owner).post("/api/members/"+s.acme.member.ID.String()+"/reset-factors", nil).
		want(t, http.StatusNoContent)
	noticeTo(t, box, s.acme.member.Email, "removed the second factor")
}

func TestSession_KeepsTheLanguageOfTheUser(t *testing.T) {
	t.Parallel()
	s := setup(t)
	box := s.withMail()
	me, owner := s.as(s.acme.owner), s.acme.owner.Email
	equal(t, me.get("/api/session").want(t, http.StatusOK), nil, "user", "language")
	me.patch("/api/session", map[string]any{"language": "fr"}).refused(t, http.StatusBadRequest, "language")
	s.anonymous().patch("/api/session", map[string]any{"language": "en"}).refused(t, http.StatusUnauthorized, "")
	equal(t, me.patch("/api/session", map[string]any{"language": "zh-Hans"}).want(t, http.StatusOK), "zh-Hans",
		"user", "language")
	equal(t, me.get("/api/session").want(t, http.StatusOK), "zh-Hans", "user", "language")

	me.post("/api/access-keys", map[string]any{"name": "ci", "access": "read",
		"expires_at": time.Now().Add(time.Hour)}).want(t, http.StatusCreated)
	noticeTo(t, box, owner, "您的账户创建了访问密钥。")
	me.post("/api/invitations", invite("new@acme.example", "member")).want(t, http.StatusCreated)
	if text := letterTo(t, box, "new@acme.example"); !strings.Contains(text, owner+" 邀请您加入 ") {
		t.Errorf("got the invitation %q, want it in the language of its inviter", text)
	}
	s.anonymous().post("/api/session/password-reset", map[string]any{"email": owner}).want(t, http.StatusAccepted)
	if text := letterTo(t, box, owner); !strings.Contains(text, "60 分钟内有效") {
		t.Errorf("got the reset %q, want it in the language of the user", text)
	}
}

func TestNotices_DoNotFillAMailbox(t *testing.T) {
	t.Parallel()
	s := setup(t)
	box := s.withMail()
	me := s.as(s.acme.owner)
	for i := range 15 {
		key := map[string]any{"name": fmt.Sprint("key ", i), "access": "read", "expires_at": time.Now().Add(time.Hour)}
		me.post("/api/access-keys", key).want(t, http.StatusCreated)
	}
	for range 10 {
		noticeTo(t, box, s.acme.owner.Email, "An access key was created")
	}
	s.anonymous().post("/api/session", credentials(s.acme.admin.Email, password)).want(t, http.StatusOK)
	noticeTo(t, box, s.acme.admin.Email, "was not used for your account before")
}
