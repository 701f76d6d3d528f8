package console_test

import (
	"context"
	"log/slog"
	"maps"
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
	"github.com/tollgate/tollgate/libs/store/erase"
)

const newPassword = "another horse battery"

// withMail starts a console on the stack's store that delivers mail to the returned inbox.
func (s *stack) withMail() *mailtest.Inbox {
	s.Helper()
	box := mailtest.Listen(s, nil)
	app := s.mailing(box)
	s.must(app.Start(s.Context()))
	s.Cleanup(func() { s.must(app.Stop(context.Background())) })
	s.url = "http://" + app.Addr().String()
	return box
}

// mailing returns a console on the stack's store that sends
// mail to the server. It delivers nothing until it is started.
func (s *stack) mailing(box *mailtest.Inbox) *console.Console {
	s.Helper()
	app, err := console.New(console.Options{
		Config: config.Config{
			SecretKey: s.secret, SessionTTL: time.Hour, ConsoleAddr: "127.0.0.1:0",
			ConsoleURL: "https://console.example",
			SMTPURL:    "smtp://" + box.Address, MailFrom: "Tollgate <tollgate@console.example>",
		},
		Store: s.store, Log: slog.New(slog.NewTextHandler(s.Output(), nil)), Registry: prometheus.NewRegistry(),
		PasswordCost: s.cost,
	})
	s.must(err)
	return app
}

// If a console stops between its response and the delivery of the mail, another process delivers the mail.
func TestMail_SurvivesTheConsoleThatQueuedIt(t *testing.T) {
	t.Parallel()
	s := setup(t)
	dying := httptest.NewServer(s.mailing(mailtest.Listen(t, nil))) // not started, so it never delivers
	s.url = dying.URL
	created := s.as(s.acme.admin).post("/api/invitations", invite("new@acme.example", "member")).
		want(t, http.StatusCreated)
	equal(t, created, true, "mailed")
	s.anonymous().post("/api/session/password-reset", map[string]any{"email": s.acme.member.Email}).
		want(t, http.StatusAccepted)
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

// secretIn returns the secret of the link to the page in the text: the part after #.
func secretIn(t *testing.T, text, page string) string {
	t.Helper()
	found := links.FindStringSubmatch(text)
	if len(found) < 4 || found[2] != page {
		t.Fatalf("got no link to %s in %q", page, text)
	}
	return found[3]
}

// letterTo waits for a mail to the address and returns its
// plain text. It checks that the HTML part has the same link.
func letterTo(t *testing.T, box *mailtest.Inbox, to string) string {
	t.Helper()
	letter := box.Next(t)
	_, parts := letter.Read(t)
	if letter.To != to || secretIn(t, parts["text/html"], pageOf(parts["text/plain"])) != secretIn(t,
		parts["text/plain"], pageOf(parts["text/plain"])) {
		t.Errorf("got a mail to %s, want to %s: %q", letter.To, to, parts)
	}
	return parts["text/plain"]
}

// pageOf returns the page to which the link in the text leads.
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

func TestInvitation_IsMailedAndAcceptedOnce(t *testing.T) {
	t.Parallel()
	s := setup(t)
	box := s.withMail()
	created := s.as(s.acme.admin).post("/api/invitations", invite("New@acme.example", "member")).
		want(t, http.StatusCreated)
	equal(t, created, true, "mailed")
	equal(t, created, nil, "link")
	equal(t, created, "pending", "status")
	mailed := letterTo(t, box, "new@acme.example")
	if !strings.Contains(mailed, "admin@acme.example invites you to ACME") {
		t.Errorf("got mail %s, want one that names inviter and tenant", mailed)
	}
	secret := secretIn(t, mailed, "invitation")

	shown := s.anonymous().post("/api/invitations/lookup", map[string]any{"secret": secret}).want(t, http.StatusOK)
	equal(t, shown, "ACME", "tenant")
	equal(t, shown, "new@acme.example", "email")
	equal(t, shown, "member", "role")
	s.anonymous().post("/api/invitations/accept", withSecret(secret, "short")).
		refused(t, http.StatusBadRequest, "password")
	r := s.anonymous().post("/api/invitations/accept", withSecret(secret, newPassword))
	equal(t, r.want(t, http.StatusOK), "new@acme.example", "user", "email")

	me := &client{stack: s, cookie: r.sessionCookie(t).Value}
	equal(t, me.get("/api/sessions").want(t, http.StatusOK), "invitation", "items", 0, "means")
	s.signIn("new@acme.example", newPassword)
	s.anonymous().post("/api/invitations/accept", withSecret(secret, newPassword)).refused(t, http.StatusNotFound, "")
	s.anonymous().post("/api/invitations/lookup", map[string]any{"secret": secret}).refused(t, http.StatusNotFound, "")
	equal(t, s.as(s.acme.owner).get("/api/invitations").want(t, http.StatusOK), "accepted", "items", 0, "status")
}

func TestInvitation_ReturnsTheLinkWithoutMail(t *testing.T) {
	t.Parallel()
	s := setupWith(t, config.Config{})
	created := s.as(s.acme.owner).post("/api/invitations", invite("new@acme.example", "admin")).
		want(t, http.StatusCreated)
	equal(t, created, false, "mailed")
	link := text(t, created, "link")
	if !strings.HasPrefix(link, "/invitation#") {
		t.Errorf("got link %s, want a path to /invitation#", link)
	}
	r := s.anonymous().post("/api/invitations/accept", withSecret(secretIn(t, link, "invitation"), newPassword))
	equal(t, r.want(t, http.StatusOK), "admin", "user", "role")
}

func TestInvitation_FollowsTheRoleOfTheInviter(t *testing.T) {
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
		{"member invites", s.acme.member, invite("a@x.example", "member"), http.StatusForbidden, ""},
		{"admin invites an owner", s.acme.admin, invite("a@x.example", "owner"), http.StatusForbidden, "role"},
		{"owner invites an operator", s.acme.owner, invite("a@x.example", "operator"), http.StatusBadRequest, "role"},
		{"owner invites to another tenant", s.globex.owner, inTenant("a@x.example", "member"), http.StatusNotFound, ""},
		{"owner invites an owner", s.acme.owner, invite("owner2@x.example", "owner"), http.StatusCreated, ""},
		{"invalid address", s.acme.owner, invite("nobody", "member"), http.StatusBadRequest, "email"},
		{"valid for two months", s.acme.owner, map[string]any{"email": "a@x.example", "role": "member",
			"valid_days": 60}, http.StatusBadRequest, "valid_days"},
		{"address of a user of the tenant", s.acme.owner, invite("MEMBER@acme.example", "member"),
			http.StatusConflict, "email"},
		{"address that is already invited", s.acme.owner, invite("guest@acme.example", "member"),
			http.StatusConflict, "email"},
		{"address that another tenant invited", s.acme.owner, invite("guest@globex.example", "member"),
			http.StatusCreated, ""},
		{"operator invites an operator", s.operator, invite("op2@x.example", "operator"), http.StatusCreated, ""},
		{"operator invites a member", s.operator, inTenant("m2@x.example", "member"), http.StatusCreated, ""},
		{"operator invites a member without a tenant", s.operator, invite("m3@x.example", "member"),
			http.StatusBadRequest, "tenant_id"},
	} {
		r := s.as(row.by).post("/api/invitations", row.body)
		if row.want == http.StatusCreated {
			r.want(t, row.want)
		} else {
			r.refused(t, row.want, row.param)
		}
	}
}

// Only the invitee learns that another tenant uses the e-mail address; the inviter does not.
func TestInvitation_DoesNotRevealUsersOfOtherTenants(t *testing.T) {
	t.Parallel()
	onBoth(t, func(s *stack) {
		created := s.as(s.acme.owner).post("/api/invitations", invite("member@globex.example", "member")).
			want(s, http.StatusCreated)
		equal(s, created, "pending", "status")
		secret := secretIn(s.T, text(s, created, "link"), "invitation")
		s.anonymous().post("/api/invitations/accept", withSecret(secret, newPassword)).
			refused(s, http.StatusConflict, "email")
		operators := map[string]any{"email": "member@globex.example", "role": "member", "tenant_id": s.acme.ID,
			"group_id": s.group.ID}
		s.as(s.operator).post("/api/invitations", operators).refused(s, http.StatusConflict, "email")
	})
}

func TestInvitation_CanBeResentAndRevoked(t *testing.T) {
	t.Parallel()
	s := setup(t)
	owner, admin := s.as(s.acme.owner), s.as(s.acme.admin)
	created := owner.post("/api/invitations", invite("new@acme.example", "owner")).want(t, http.StatusCreated)
	first, path := secretIn(t, text(t, created, "link"), "invitation"), "/api/invitations/"+text(t, created, "id")
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

func TestLinkSecrets_AreThrottled(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.stopClock()
	for range 50 {
		r := s.anonymous().post("/api/invitations/lookup", map[string]any{"secret": "guess"})
		if r.StatusCode == http.StatusTooManyRequests {
			s.anonymous().post("/api/session/password-reset/lookup", map[string]any{"secret": "guess"}).
				refused(t, http.StatusTooManyRequests, "")
			(&client{stack: s, key: s.acme.keyValue}).get("/api/session").refused(t, http.StatusTooManyRequests, "")
			s.as(s.acme.owner).get("/api/session").want(t, http.StatusOK)
			return
		}
		r.refused(t, http.StatusNotFound, "")
	}
	t.Error("50 guesses were not throttled")
}

func TestPasswordReset_SetsANewPasswordByMail(t *testing.T) {
	t.Parallel()
	s := setup(t)
	box, old := s.withMail(), s.as(s.acme.member)
	s.anonymous().post("/api/session/password-reset", map[string]any{"email": "Member@acme.example "}).
		want(t, http.StatusAccepted)
	secret := secretIn(t, letterTo(t, box, "member@acme.example"), "password-reset")
	equal(t, s.anonymous().post("/api/session/password-reset/lookup", map[string]any{"secret": secret}).
		want(t, http.StatusOK), "member@acme.example", "email")
	old.get("/api/session").want(t, http.StatusOK)

	complete := func(password string) reply {
		return s.anonymous().post("/api/session/password-reset/complete", withSecret(secret, password))
	}
	complete("short").refused(t, http.StatusBadRequest, "password")
	r := complete(newPassword)
	r.want(t, http.StatusNoContent)
	for _, cookie := range r.Cookies() {
		if cookie.Name != "tollgate_device" {
			t.Errorf("got cookie %v, want only the cookie of the device", cookie)
		}
	}
	old.get("/api/session").refused(t, http.StatusUnauthorized, "")
	s.signIn("member@acme.example", newPassword)
	complete(newPassword).refused(t, http.StatusNotFound, "")
}

// The response is the same for every address, and only enabled users get mail.
func TestPasswordReset_DoesNotRevealUsers(t *testing.T) {
	t.Parallel()
	s := setup(t)
	box := s.withMail()
	disabled := s.user(s.acme.ID, "gone@acme.example", tenant.Member)
	s.as(s.acme.owner).patch("/api/members/"+disabled.ID.String(), map[string]any{"status": "disabled"}).
		want(t, http.StatusOK)
	for _, email := range []string{"nobody@acme.example", "gone@acme.example", "not an address\r\nBcc: x",
		"owner@acme.example"} {
		r := s.anonymous().post("/api/session/password-reset", map[string]any{"email": email})
		r.want(t, http.StatusAccepted)
		if r.raw != "" {
			t.Errorf("%s: got body %s, want none", email, r.raw)
		}
	}
	letterTo(t, box, "owner@acme.example") // requested last, so the earlier requests were skipped
	if len(box.Letters) > 0 {
		t.Error("got a second mail, want one")
	}
}

// An erasure cannot be undone: nobody could sign in to an account without an address.
func TestUser_IsNotEnabledAgainAfterAnErasure(t *testing.T) {
	t.Parallel()
	s := setup(t)
	_, err := s.store.Erase.User(t.Context(), system, s.acme.member.ID, erase.Request{})
	s.must(err)
	for by, path := range map[*client]string{s.as(s.operator): "/api/operator/users/",
		s.as(s.acme.owner): "/api/members/"} {
		path += s.acme.member.ID.String()
		by.patch(path, map[string]any{"status": "enabled"}).refused(t, http.StatusConflict, "status")
		equal(t, by.patch(path, map[string]any{"role": "admin"}).want(t, http.StatusOK), "disabled", "status")
	}
}

func TestPasswordReset_IsThrottled(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.stopClock()
	box := s.withMail()
	ask := func(email string) reply {
		return s.anonymous().post("/api/session/password-reset", map[string]any{"email": email})
	}
	for range 5 {
		ask("owner@acme.example").want(t, http.StatusAccepted)
	}
	ask("member@acme.example").want(t, http.StatusAccepted)
	mails := map[string]int{} // mails have no order: the mailer sends several at a time
	for range 4 {
		mails[box.Next(t).To]++
	}
	if want := map[string]int{"owner@acme.example": 3, "member@acme.example": 1}; !maps.Equal(mails, want) {
		t.Errorf("got mails %v, want %v", mails, want)
	}
	for range 50 {
		r := ask("nobody@acme.example")
		if r.StatusCode == http.StatusTooManyRequests {
			if r.Header.Get("Retry-After") == "" {
				t.Error("got no Retry-After header")
			}
			return
		}
		r.want(t, http.StatusAccepted)
	}
	t.Error("50 requests of one address were not throttled")
}

func TestPasswordResetLink_FollowsTheRolesOfBothUsers(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for _, row := range []struct {
		name string
		by   tenant.User
		path string
		want int
	}{
		{"admin for a member", s.acme.admin, "/api/members/" + s.acme.member.ID.String(), http.StatusCreated},
		{"admin for an owner", s.acme.admin, "/api/members/" + s.acme.owner.ID.String(), http.StatusForbidden},
		{"owner for themself", s.acme.owner, "/api/members/" + s.acme.owner.ID.String(), http.StatusForbidden},
		{"owner for a user of another tenant", s.acme.owner, "/api/members/" + s.globex.member.ID.String(),
			http.StatusNotFound},
		{"owner for an operator", s.acme.owner, "/api/operator/users/" + s.operator.ID.String(), http.StatusNotFound},
		{"member for a member", s.acme.member, "/api/members/" + s.acme.member.ID.String(), http.StatusForbidden},
		{"operator for an owner", s.operator, "/api/operator/users/" + s.acme.owner.ID.String(), http.StatusCreated},
	} {
		r := s.as(row.by).post(row.path+"/password-reset", nil)
		if r.StatusCode != row.want {
			t.Errorf("%s: got status %d, want %d: %s", row.name, r.StatusCode, row.want, r.raw)
		}
	}
	created := s.as(s.acme.owner).post("/api/members/"+s.acme.member.ID.String()+"/password-reset", nil).
		want(t, http.StatusCreated)
	secret := secretIn(t, text(t, created, "link"), "password-reset")
	s.anonymous().post("/api/session/password-reset/complete", withSecret(secret, newPassword)).
		want(t, http.StatusNoContent)
	s.signIn("member@acme.example", newPassword)
}

// If mail is configured, only operators receive the link in the response; all others must read the mail.
func TestMailedLink_IsReturnedToOperatorsOnly(t *testing.T) {
	t.Parallel()
	s := setup(t)
	box := s.withMail()
	created := s.as(s.acme.owner).post("/api/members/"+s.acme.member.ID.String()+"/password-reset", nil).
		want(t, http.StatusCreated)
	equal(t, created, nil, "link")
	equal(t, created, true, "mailed")
	letterTo(t, box, "member@acme.example")
	created = s.as(s.operator).post("/api/operator/users/"+s.acme.member.ID.String()+"/password-reset", nil).
		want(t, http.StatusCreated)
	if mailed, link := secretIn(t, letterTo(t, box, "member@acme.example"), "password-reset"),
		text(t, created, "link"); link != "https://console.example/password-reset#"+mailed {
		t.Errorf("got link %s, want the mailed one", link)
	}
}
