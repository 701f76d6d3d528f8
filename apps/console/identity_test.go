package console_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/apps/console"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/mail/mailtest"
)

const newPassword = "another horse battery"

// withMail serves the stack's store by a console that sends mail.
func (s *stack) withMail() *mailtest.Inbox {
	s.Helper()
	box := mailtest.Listen(s, nil)
	app := s.mailing(box)
	s.must(app.Start(s.Context()))
	s.Cleanup(func() { s.must(app.Stop(context.Background())) })
	s.url = "http://" + app.Addr().String()
	return box
}

// mailing returns a console that sends mail by the server, once it is started.
func (s *stack) mailing(box *mailtest.Inbox) *console.Console {
	s.Helper()
	app, err := console.New(console.Options{
		Config: config.Config{
			SecretKey: s.secret, SessionTTL: time.Hour, ConsoleAddr: "127.0.0.1:0", ConsoleURL: "https://console.example",
			SMTPURL: "smtp://" + box.Address, MailFrom: "Tollgate <tollgate@console.example>",
		},
		Store: s.store, Log: slog.New(slog.NewTextHandler(s.Output(), nil)), Registry: prometheus.NewRegistry(),
	})
	s.must(err)
	return app
}

// A console that dies between its answer and the delivery loses no mail: another
// process delivers it.
func TestMail_SurvivesTheConsoleThatQueuedIt(t *testing.T) {
	t.Parallel()
	s := setup(t)
	dying := httptest.NewServer(s.mailing(mailtest.Listen(t, nil))) // it never delivers
	s.url = dying.URL
	made := s.as(s.acme.admin).post("/api/invitations", invite("new@acme.example", "member")).want(t, http.StatusCreated)
	equal(t, made, true, "mailed")
	s.anonymous().post("/api/session/password-reset", map[string]any{"email": s.acme.member.Email}).want(t, http.StatusAccepted)
	dying.Close()
	box := s.withMail()
	letters := map[string]string{}
	for range 2 {
		letter := box.Next(t)
		_, parts := letter.Read(t)
		letters[letter.To] = parts["text/plain"]
	}
	secret := secretIn(t, letters["new@acme.example"], "invitation")
	s.anonymous().post("/api/invitations/accept", withSecret(secret, newPassword)).want(t, http.StatusOK)
	secretIn(t, letters[s.acme.member.Email], "password-reset")
}

var links = regexp.MustCompile(`(https://console\.example)?/([a-z-]+)#([A-Za-z0-9_-]{43})(\s|"|$)`)

// secretIn is the fragment of the one link in the text, to the page.
func secretIn(t *testing.T, text, page string) string {
	t.Helper()
	found := links.FindStringSubmatch(text)
	if len(found) < 4 || found[2] != page {
		t.Fatalf("no link to %s in %q", page, text)
	}
	return found[3]
}

// letterTo waits for a letter to the address, and returns its plain text.
func letterTo(t *testing.T, box *mailtest.Inbox, to string) string {
	t.Helper()
	letter := box.Next(t)
	_, parts := letter.Read(t)
	if letter.To != to || secretIn(t, parts["text/html"], pageOf(parts["text/plain"])) != secretIn(t, parts["text/plain"], pageOf(parts["text/plain"])) {
		t.Errorf("to %s: %q", letter.To, parts)
	}
	return parts["text/plain"]
}

func pageOf(text string) string {
	if strings.Contains(text, "/invitation#") {
		return "invitation"
	}
	return "password-reset"
}

func invite(email, role string) map[string]any { return map[string]any{"email": email, "role": role} }

func withSecret(secret, password string) map[string]any {
	return map[string]any{"secret": secret, "password": password}
}

func TestAnInvitationIsMailedAndAccepted(t *testing.T) {
	t.Parallel()
	s := setup(t)
	box := s.withMail()
	made := s.as(s.acme.admin).post("/api/invitations", invite("New@acme.example", "member")).want(t, http.StatusCreated)
	equal(t, made, true, "mailed")
	equal(t, made, nil, "link")
	equal(t, made, "pending", "status")
	mailed := letterTo(t, box, "new@acme.example")
	if !strings.Contains(mailed, "admin@acme.example invites you to ACME") {
		t.Errorf("letter = %s", mailed)
	}
	secret := secretIn(t, mailed, "invitation")

	shown := s.anonymous().post("/api/invitations/lookup", map[string]any{"secret": secret}).want(t, http.StatusOK)
	equal(t, shown, "ACME", "tenant")
	equal(t, shown, "new@acme.example", "email")
	equal(t, shown, "member", "role")
	s.anonymous().post("/api/invitations/accept", withSecret(secret, "short")).refused(t, http.StatusBadRequest, "password")
	r := s.anonymous().post("/api/invitations/accept", withSecret(secret, newPassword))
	equal(t, r.want(t, http.StatusOK), "new@acme.example", "user", "email")

	me := &client{stack: s, cookie: r.sessionCookie(t).Value}
	equal(t, me.get("/api/sessions").want(t, http.StatusOK), "invitation", "items", 0, "means")
	s.signIn("new@acme.example", newPassword)
	s.anonymous().post("/api/invitations/accept", withSecret(secret, newPassword)).refused(t, http.StatusNotFound, "")
	s.anonymous().post("/api/invitations/lookup", map[string]any{"secret": secret}).refused(t, http.StatusNotFound, "")
	equal(t, s.as(s.acme.owner).get("/api/invitations").want(t, http.StatusOK), "accepted", "items", 0, "status")
}

func TestWithoutMailTheInviterIsShownTheLink(t *testing.T) {
	t.Parallel()
	s := setupWith(t, config.Config{})
	made := s.as(s.acme.owner).post("/api/invitations", invite("new@acme.example", "admin")).want(t, http.StatusCreated)
	equal(t, made, false, "mailed")
	link := text(t, made, "link")
	if !strings.HasPrefix(link, "/invitation#") {
		t.Errorf("link = %s", link)
	}
	r := s.anonymous().post("/api/invitations/accept", withSecret(secretIn(t, link, "invitation"), newPassword))
	equal(t, r.want(t, http.StatusOK), "admin", "user", "role")
}

func TestWhoMayInviteWhom(t *testing.T) {
	t.Parallel()
	s := setup(t)
	inTenant := func(email, role string) map[string]any {
		return map[string]any{"email": email, "role": role, "tenant_id": s.acme.ID, "group_id": s.group.ID}
	}
	for _, row := range []struct {
		name  string
		by    tenant.User
		body  map[string]any
		want  int
		param string
	}{
		{"a member", s.acme.member, invite("a@x.example", "member"), http.StatusForbidden, ""},
		{"an admin an owner", s.acme.admin, invite("a@x.example", "owner"), http.StatusForbidden, "role"},
		{"an owner an operator", s.acme.owner, invite("a@x.example", "operator"), http.StatusBadRequest, "role"},
		{"an owner elsewhere", s.globex.owner, inTenant("a@x.example", "member"), http.StatusNotFound, ""},
		{"an owner an owner", s.acme.owner, invite("owner2@x.example", "owner"), http.StatusCreated, ""},
		{"an address that is none", s.acme.owner, invite("nobody", "member"), http.StatusBadRequest, "email"},
		{"for two months", s.acme.owner, map[string]any{"email": "a@x.example", "role": "member", "valid_days": 60}, http.StatusBadRequest, "valid_days"},
		{"a user", s.acme.owner, invite("MEMBER@acme.example", "member"), http.StatusConflict, "email"},
		{"somebody twice", s.acme.owner, invite("guest@acme.example", "member"), http.StatusConflict, "email"},
		{"whom another tenant invited", s.acme.owner, invite("guest@globex.example", "member"), http.StatusCreated, ""},
		{"an operator an operator", s.operator, invite("op2@x.example", "operator"), http.StatusCreated, ""},
		{"an operator a member", s.operator, inTenant("m2@x.example", "member"), http.StatusCreated, ""},
		{"an operator a member of nothing", s.operator, invite("m3@x.example", "member"), http.StatusBadRequest, "tenant_id"},
	} {
		r := s.as(row.by).post("/api/invitations", row.body)
		if row.want == http.StatusCreated {
			r.want(t, row.want)
		} else {
			r.refused(t, row.want, row.param)
		}
	}
}

// That an address is taken in another tenant is told to who opens the link, not
// to who invites.
func TestWhoInvitesLearnsNothingOfOthers(t *testing.T) {
	t.Parallel()
	onBoth(t, func(s *stack) {
		made := s.as(s.acme.owner).post("/api/invitations", invite("member@globex.example", "member")).want(s, http.StatusCreated)
		equal(s, made, "pending", "status")
		secret := secretIn(s.T, text(s, made, "link"), "invitation")
		s.anonymous().post("/api/invitations/accept", withSecret(secret, newPassword)).refused(s, http.StatusConflict, "email")
		operators := map[string]any{"email": "member@globex.example", "role": "member", "tenant_id": s.acme.ID, "group_id": s.group.ID}
		s.as(s.operator).post("/api/invitations", operators).refused(s, http.StatusConflict, "email")
	})
}

func TestInvitationsAreSentAgainAndRevoked(t *testing.T) {
	t.Parallel()
	s := setup(t)
	owner, admin := s.as(s.acme.owner), s.as(s.acme.admin)
	made := owner.post("/api/invitations", invite("new@acme.example", "owner")).want(t, http.StatusCreated)
	first, path := secretIn(t, text(t, made, "link"), "invitation"), "/api/invitations/"+text(t, made, "id")
	admin.post(path+"/resend", nil).refused(t, http.StatusForbidden, "role")
	admin.post(path+"/revoke", nil).refused(t, http.StatusForbidden, "role")

	second := secretIn(t, text(t, owner.post(path+"/resend", nil).want(t, http.StatusOK), "link"), "invitation")
	lookup := func(secret string) reply {
		return s.anonymous().post("/api/invitations/lookup", map[string]any{"secret": secret})
	}
	lookup(first).refused(t, http.StatusNotFound, "")
	lookup(second).want(t, http.StatusOK)
	equal(t, owner.post(path+"/revoke", nil).want(t, http.StatusOK), "revoked", "status")
	lookup(second).refused(t, http.StatusNotFound, "")
	owner.post(path+"/resend", nil).refused(t, http.StatusConflict, "")
}

func TestGuessingSecretsIsThrottled(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for range 50 {
		r := s.anonymous().post("/api/invitations/lookup", map[string]any{"secret": "guess"})
		if r.StatusCode == http.StatusTooManyRequests {
			s.anonymous().post("/api/session/password-reset/lookup", map[string]any{"secret": "guess"}).refused(t, http.StatusTooManyRequests, "")
			(&client{stack: s, key: s.acme.keyValue}).get("/api/session").refused(t, http.StatusTooManyRequests, "")
			s.as(s.acme.owner).get("/api/session").want(t, http.StatusOK)
			return
		}
		r.refused(t, http.StatusNotFound, "")
	}
	t.Error("50 guesses passed")
}

func TestAForgottenPasswordIsSetByMail(t *testing.T) {
	t.Parallel()
	s := setup(t)
	box, old := s.withMail(), s.as(s.acme.member)
	s.anonymous().post("/api/session/password-reset", map[string]any{"email": "Member@acme.example "}).want(t, http.StatusAccepted)
	secret := secretIn(t, letterTo(t, box, "member@acme.example"), "password-reset")
	equal(t, s.anonymous().post("/api/session/password-reset/lookup", map[string]any{"secret": secret}).want(t, http.StatusOK), "member@acme.example", "email")
	old.get("/api/session").want(t, http.StatusOK)

	complete := func(password string) reply {
		return s.anonymous().post("/api/session/password-reset/complete", withSecret(secret, password))
	}
	complete("short").refused(t, http.StatusBadRequest, "password")
	r := complete(newPassword)
	r.want(t, http.StatusNoContent)
	if len(r.Cookies()) > 0 {
		t.Errorf("a session was opened: %v", r.Cookies())
	}
	old.get("/api/session").refused(t, http.StatusUnauthorized, "")
	s.signIn("member@acme.example", newPassword)
	complete(newPassword).refused(t, http.StatusNotFound, "")
}

// The answer is the same for everybody, and mail goes to users alone.
func TestPasswordResetsTellNothing(t *testing.T) {
	t.Parallel()
	s := setup(t)
	box := s.withMail()
	disabled := s.user(s.acme.ID, "gone@acme.example", tenant.Member)
	s.as(s.acme.owner).patch("/api/members/"+disabled.ID.String(), map[string]any{"status": "disabled"}).want(t, http.StatusOK)
	for _, email := range []string{"nobody@acme.example", "gone@acme.example", "not an address\r\nBcc: x", "owner@acme.example"} {
		r := s.anonymous().post("/api/session/password-reset", map[string]any{"email": email})
		r.want(t, http.StatusAccepted)
		if r.raw != "" {
			t.Errorf("%s: %s", email, r.raw)
		}
	}
	letterTo(t, box, "owner@acme.example") // the last of those asked for: the others were passed over
	if len(box.Letters) > 0 {
		t.Error("there is another letter")
	}
}

func TestPasswordResetsAreThrottled(t *testing.T) {
	t.Parallel()
	s := setup(t)
	box := s.withMail()
	ask := func(email string) reply {
		return s.anonymous().post("/api/session/password-reset", map[string]any{"email": email})
	}
	for range 5 {
		ask("owner@acme.example").want(t, http.StatusAccepted)
	}
	ask("member@acme.example").want(t, http.StatusAccepted)
	for range 3 {
		letterTo(t, box, "owner@acme.example")
	}
	letterTo(t, box, "member@acme.example")
	for range 50 {
		r := ask("nobody@acme.example")
		if r.StatusCode == http.StatusTooManyRequests {
			if r.Header.Get("Retry-After") == "" {
				t.Error("no Retry-After")
			}
			return
		}
		r.want(t, http.StatusAccepted)
	}
	t.Error("50 requests of one address passed")
}

func TestWhoMakesLinksForPasswords(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for _, row := range []struct {
		name string
		by   tenant.User
		path string
		want int
	}{
		{"an admin for a member", s.acme.admin, "/api/members/" + s.acme.member.ID.String(), http.StatusCreated},
		{"an admin for an owner", s.acme.admin, "/api/members/" + s.acme.owner.ID.String(), http.StatusForbidden},
		{"an owner for himself", s.acme.owner, "/api/members/" + s.acme.owner.ID.String(), http.StatusForbidden},
		{"an owner for another tenant's", s.acme.owner, "/api/members/" + s.globex.member.ID.String(), http.StatusNotFound},
		{"an owner for an operator", s.acme.owner, "/api/operator/users/" + s.operator.ID.String(), http.StatusNotFound},
		{"a member for a member", s.acme.member, "/api/members/" + s.acme.member.ID.String(), http.StatusForbidden},
		{"an operator for an owner", s.operator, "/api/operator/users/" + s.acme.owner.ID.String(), http.StatusCreated},
	} {
		r := s.as(row.by).post(row.path+"/password-reset", nil)
		if r.StatusCode != row.want {
			t.Errorf("%s: status %d, want %d: %s", row.name, r.StatusCode, row.want, r.raw)
		}
	}
	made := s.as(s.acme.owner).post("/api/members/"+s.acme.member.ID.String()+"/password-reset", nil).want(t, http.StatusCreated)
	secret := secretIn(t, text(t, made, "link"), "password-reset")
	s.anonymous().post("/api/session/password-reset/complete", withSecret(secret, newPassword)).want(t, http.StatusNoContent)
	s.signIn("member@acme.example", newPassword)
}

// Where there is mail, only who reads it may have the link; operators may always.
func TestLinksThatAreMailedAreNotShown(t *testing.T) {
	t.Parallel()
	s := setup(t)
	box := s.withMail()
	made := s.as(s.acme.owner).post("/api/members/"+s.acme.member.ID.String()+"/password-reset", nil).want(t, http.StatusCreated)
	equal(t, made, nil, "link")
	equal(t, made, true, "mailed")
	letterTo(t, box, "member@acme.example")
	made = s.as(s.operator).post("/api/operator/users/"+s.acme.member.ID.String()+"/password-reset", nil).want(t, http.StatusCreated)
	if mailed, link := secretIn(t, letterTo(t, box, "member@acme.example"), "password-reset"), text(t, made, "link"); link != "https://console.example/password-reset#"+mailed {
		t.Errorf("link = %s", link)
	}
}
