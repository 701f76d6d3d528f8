package session_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/mail/mailtest"
	"github.com/tollgate/tollgate/libs/store/erase"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// If a console stops between its response and the delivery of the mail, another process delivers the mail.
func TestMail_SurvivesTheConsoleThatQueuedIt(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	dying := httptest.NewServer(s.Mailing(mailtest.Listen(t, nil))) // not started, so it never delivers
	s.URL = dying.URL
	created := s.As(s.Acme.Admin).Post("/api/invitations", invite("new@acme.example", "member")).
		Want(t, http.StatusCreated)
	consoletest.Equal(t, created, true, "mailed")
	s.Anonymous().Post("/api/session/password-reset", map[string]any{"email": s.Acme.Member.Email}).
		Want(t, http.StatusAccepted)
	dying.Close()
	box := s.WithMail()
	letters := map[string]string{}
	for range 2 {
		letter := box.Next(t)
		_, parts := letter.Read(t)
		letters[letter.To] = parts["text/plain"]
	}
	secret := secretIn(t, letters["new@acme.example"], "invitation")
	s.Anonymous().Post("/api/invitations/accept", withSecret(secret, consoletest.NewPassword)).Want(t, http.StatusOK)
	secretIn(t, letters[s.Acme.Member.Email], "password-reset")
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
	s := consoletest.Setup(t)
	box := s.WithMail()
	created := s.As(s.Acme.Admin).Post("/api/invitations", invite("New@acme.example", "member")).
		Want(t, http.StatusCreated)
	consoletest.Equal(t, created, true, "mailed")
	consoletest.Equal(t, created, nil, "link")
	consoletest.Equal(t, created, "pending", "status")
	mailed := letterTo(t, box, "new@acme.example")
	if !strings.Contains(mailed, "admin@acme.example invites you to ACME") {
		t.Errorf("got mail %s, want one that names inviter and tenant", mailed)
	}
	secret := secretIn(t, mailed, "invitation")

	shown := s.Anonymous().Post("/api/invitations/lookup", map[string]any{"secret": secret}).Want(t, http.StatusOK)
	consoletest.Equal(t, shown, "ACME", "tenant")
	consoletest.Equal(t, shown, "new@acme.example", "email")
	consoletest.Equal(t, shown, "member", "role")
	s.Anonymous().Post("/api/invitations/accept", withSecret(secret, "short")).
		Refused(t, http.StatusBadRequest, "password")
	r := s.Anonymous().Post("/api/invitations/accept", withSecret(secret, consoletest.NewPassword))
	consoletest.Equal(t, r.Want(t, http.StatusOK), "new@acme.example", "user", "email")

	me := &consoletest.Client{Stack: s, Cookie: r.SessionCookie(t).Value}
	consoletest.Equal(t, me.Get("/api/sessions").Want(t, http.StatusOK), "invitation", "items", 0, "means")
	s.SignIn("new@acme.example", consoletest.NewPassword)
	s.Anonymous().Post("/api/invitations/accept", withSecret(secret, consoletest.NewPassword)).
		Refused(t, http.StatusNotFound, "")
	s.Anonymous().Post("/api/invitations/lookup", map[string]any{"secret": secret}).Refused(t, http.StatusNotFound, "")
	consoletest.Equal(t, s.As(s.Acme.Owner).Get("/api/invitations").Want(t, http.StatusOK), "accepted", "items", 0,
		"status")
}

func TestInvitation_ReturnsTheLinkWithoutMail(t *testing.T) {
	t.Parallel()
	s := consoletest.SetupFor(t, storetest.SQLite(t), config.Config{})
	created := s.As(s.Acme.Owner).Post("/api/invitations", invite("new@acme.example", "admin")).
		Want(t, http.StatusCreated)
	consoletest.Equal(t, created, false, "mailed")
	link := consoletest.Text(t, created, "link")
	if !strings.HasPrefix(link, "/invitation#") {
		t.Errorf("got link %s, want a path to /invitation#", link)
	}
	r := s.Anonymous().Post("/api/invitations/accept", withSecret(secretIn(t, link, "invitation"),
		consoletest.NewPassword))
	consoletest.Equal(t, r.Want(t, http.StatusOK), "admin", "user", "role")
}

func TestInvitation_FollowsTheRoleOfTheInviter(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	inTenant := func(email, role string) map[string]any {
		return map[string]any{"email": email, "role": role, "tenant_id": s.Acme.ID, "group_id": s.Group.ID}
	}
	for _, row := range []struct {
		name  string
		by    tenant.User
		body  map[string]any
		want  int
		param string
	}{
		{"member invites", s.Acme.Member, invite("a@x.example", "member"), http.StatusForbidden, ""},
		{"admin invites an owner", s.Acme.Admin, invite("a@x.example", "owner"), http.StatusForbidden, "role"},
		{"owner invites an operator", s.Acme.Owner, invite("a@x.example", "operator"), http.StatusBadRequest, "role"},
		{"owner invites to another tenant", s.Globex.Owner, inTenant("a@x.example", "member"), http.StatusNotFound, ""},
		{"owner invites an owner", s.Acme.Owner, invite("owner2@x.example", "owner"), http.StatusCreated, ""},
		{"invalid address", s.Acme.Owner, invite("nobody", "member"), http.StatusBadRequest, "email"},
		{"valid for two months", s.Acme.Owner, map[string]any{"email": "a@x.example", "role": "member",
			"valid_days": 60}, http.StatusBadRequest, "valid_days"},
		{"address of a user of the tenant", s.Acme.Owner, invite("MEMBER@acme.example", "member"),
			http.StatusConflict, "email"},
		{"address that is already invited", s.Acme.Owner, invite("guest@acme.example", "member"),
			http.StatusConflict, "email"},
		{"address that another tenant invited", s.Acme.Owner, invite("guest@globex.example", "member"),
			http.StatusCreated, ""},
		{"operator invites an operator", s.Operator, invite("op2@x.example", "operator"), http.StatusCreated, ""},
		{"operator invites a member", s.Operator, inTenant("m2@x.example", "member"), http.StatusCreated, ""},
		{"operator invites a member without a tenant", s.Operator, invite("m3@x.example", "member"),
			http.StatusBadRequest, "tenant_id"},
	} {
		r := s.As(row.by).Post("/api/invitations", row.body)
		if row.want == http.StatusCreated {
			r.Want(t, row.want)
		} else {
			r.Refused(t, row.want, row.param)
		}
	}
}

// Only the invitee learns that another tenant uses the e-mail address; the inviter does not.
func TestInvitation_DoesNotRevealUsersOfOtherTenants(t *testing.T) {
	t.Parallel()
	consoletest.OnBoth(t, func(s *consoletest.Stack) {
		created := s.As(s.Acme.Owner).Post("/api/invitations", invite("member@globex.example", "member")).
			Want(s, http.StatusCreated)
		consoletest.Equal(s, created, "pending", "status")
		secret := secretIn(s.T, consoletest.Text(s, created, "link"), "invitation")
		s.Anonymous().Post("/api/invitations/accept", withSecret(secret, consoletest.NewPassword)).
			Refused(s, http.StatusConflict, "email")
		operators := map[string]any{"email": "member@globex.example", "role": "member", "tenant_id": s.Acme.ID,
			"group_id": s.Group.ID}
		s.As(s.Operator).Post("/api/invitations", operators).Refused(s, http.StatusConflict, "email")
	})
}

func TestInvitation_CanBeResentAndRevoked(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	owner, admin := s.As(s.Acme.Owner), s.As(s.Acme.Admin)
	created := owner.Post("/api/invitations", invite("new@acme.example", "owner")).Want(t, http.StatusCreated)
	first, path := secretIn(t, consoletest.Text(t, created, "link"), "invitation"), "/api/invitations/"+
		consoletest.Text(t, created, "id")
	admin.Post(path+"/resend", nil).Refused(t, http.StatusForbidden, "role")
	admin.Post(path+"/revoke", nil).Refused(t, http.StatusForbidden, "role")

	second := secretIn(t, consoletest.Text(t, owner.Post(path+"/resend", nil).Want(t, http.StatusOK), "link"),
		"invitation")
	lookup := func(secret string) consoletest.Reply {
		return s.Anonymous().Post("/api/invitations/lookup", map[string]any{"secret": secret})
	}
	lookup(first).Refused(t, http.StatusNotFound, "")
	lookup(second).Want(t, http.StatusOK)
	consoletest.Equal(t, owner.Post(path+"/revoke", nil).Want(t, http.StatusOK), "revoked", "status")
	lookup(second).Refused(t, http.StatusNotFound, "")
	owner.Post(path+"/resend", nil).Refused(t, http.StatusConflict, "")
}

func TestLinkSecrets_AreThrottled(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	s.StopClock()
	for range 50 {
		r := s.Anonymous().Post("/api/invitations/lookup", map[string]any{"secret": "guess"})
		if r.StatusCode == http.StatusTooManyRequests {
			s.Anonymous().Post("/api/session/password-reset/lookup", map[string]any{"secret": "guess"}).
				Refused(t, http.StatusTooManyRequests, "")
			s.As(s.Acme.Owner).Get("/api/session").Want(t, http.StatusOK)
			return
		}
		r.Refused(t, http.StatusNotFound, "")
	}
	t.Error("50 guesses were not throttled")
}

// Programs behind one address share it with those that try a revoked key again and again.
func TestAccessKeys_OnlyWrongOnesAreThrottled(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	s.StopClock()
	wrong := &consoletest.Client{Stack: s, Key: token.NewAccessKey(uuid.New())}
	for range 30 {
		wrong.Get("/api/session").Refused(t, http.StatusUnauthorized, "")
	}
	r := wrong.Get("/api/session")
	r.Refused(t, http.StatusTooManyRequests, "")
	if r.Header.Get("Retry-After") != "2" {
		t.Errorf("got Retry-After %q, want 2", r.Header.Get("Retry-After"))
	}
	(&consoletest.Client{Stack: s, Key: s.Acme.KeyValue}).Get("/api/session").Want(t, http.StatusOK)
	s.Anonymous().Post("/api/invitations/lookup", map[string]any{"secret": "guess"}).
		Refused(t, http.StatusNotFound, "")
	wrong.Get("/api/session").Refused(t, http.StatusTooManyRequests, "")
	s.Advance(2 * time.Second)
	wrong.Get("/api/session").Refused(t, http.StatusUnauthorized, "")
}

func TestPasswordReset_SetsANewPasswordByMail(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	box, old := s.WithMail(), s.As(s.Acme.Member)
	s.Anonymous().Post("/api/session/password-reset", map[string]any{"email": "Member@acme.example "}).
		Want(t, http.StatusAccepted)
	secret := secretIn(t, letterTo(t, box, "member@acme.example"), "password-reset")
	consoletest.Equal(t, s.Anonymous().Post("/api/session/password-reset/lookup", map[string]any{"secret": secret}).
		Want(t, http.StatusOK), "member@acme.example", "email")
	old.Get("/api/session").Want(t, http.StatusOK)

	complete := func(password string) consoletest.Reply {
		return s.Anonymous().Post("/api/session/password-reset/complete", withSecret(secret, password))
	}
	complete("short").Refused(t, http.StatusBadRequest, "password")
	r := complete(consoletest.NewPassword)
	r.Want(t, http.StatusNoContent)
	for _, cookie := range r.Cookies() {
		if cookie.Name != "tollgate_device" {
			t.Errorf("got cookie %v, want only the cookie of the device", cookie)
		}
	}
	old.Get("/api/session").Refused(t, http.StatusUnauthorized, "")
	s.SignIn("member@acme.example", consoletest.NewPassword)
	complete(consoletest.NewPassword).Refused(t, http.StatusNotFound, "")
}

// The response is the same for every address, and only enabled users get mail.
func TestPasswordReset_DoesNotRevealUsers(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	box := s.WithMail()
	disabled := s.User(s.Acme.ID, "gone@acme.example", tenant.Member)
	s.As(s.Acme.Owner).Patch("/api/members/"+disabled.ID.String(), map[string]any{"status": "disabled"}).
		Want(t, http.StatusOK)
	for _, email := range []string{"nobody@acme.example", "gone@acme.example", "not an address\r\nBcc: x",
		"owner@acme.example"} {
		r := s.Anonymous().Post("/api/session/password-reset", map[string]any{"email": email})
		r.Want(t, http.StatusAccepted)
		if r.Raw != "" {
			t.Errorf("%s: got body %s, want none", email, r.Raw)
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
	s := consoletest.Setup(t)
	_, err := s.Store.Erase.User(t.Context(), consoletest.System, s.Acme.Member.ID, erase.Request{})
	s.Must(err)
	for by, path := range map[*consoletest.Client]string{s.As(s.Operator): "/api/operator/users/",
		s.As(s.Acme.Owner): "/api/members/"} {
		path += s.Acme.Member.ID.String()
		by.Patch(path, map[string]any{"status": "enabled"}).Refused(t, http.StatusConflict, "status")
		consoletest.Equal(t, by.Patch(path, map[string]any{"role": "admin"}).Want(t, http.StatusOK), "disabled",
			"status")
	}
}

func TestPasswordReset_IsThrottled(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	s.StopClock()
	box := s.WithMail()
	ask := func(email string) consoletest.Reply {
		return s.Anonymous().Post("/api/session/password-reset", map[string]any{"email": email})
	}
	for range 5 {
		ask("owner@acme.example").Want(t, http.StatusAccepted)
	}
	ask("member@acme.example").Want(t, http.StatusAccepted)
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
		r.Want(t, http.StatusAccepted)
	}
	t.Error("50 requests of one address were not throttled")
}

func TestPasswordResetLink_FollowsTheRolesOfBothUsers(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	for _, row := range []struct {
		name string
		by   tenant.User
		path string
		want int
	}{
		{"admin for a member", s.Acme.Admin, "/api/members/" + s.Acme.Member.ID.String(), http.StatusCreated},
		{"admin for an owner", s.Acme.Admin, "/api/members/" + s.Acme.Owner.ID.String(), http.StatusForbidden},
		{"owner for themself", s.Acme.Owner, "/api/members/" + s.Acme.Owner.ID.String(), http.StatusForbidden},
		{"owner for a user of another tenant", s.Acme.Owner, "/api/members/" + s.Globex.Member.ID.String(),
			http.StatusNotFound},
		{"owner for an operator", s.Acme.Owner, "/api/operator/users/" + s.Operator.ID.String(), http.StatusNotFound},
		{"member for a member", s.Acme.Member, "/api/members/" + s.Acme.Member.ID.String(), http.StatusForbidden},
		{"operator for an owner", s.Operator, "/api/operator/users/" + s.Acme.Owner.ID.String(), http.StatusCreated},
	} {
		r := s.As(row.by).Post(row.path+"/password-reset", nil)
		if r.StatusCode != row.want {
			t.Errorf("%s: got status %d, want %d: %s", row.name, r.StatusCode, row.want, r.Raw)
		}
	}
	created := s.As(s.Acme.Owner).Post("/api/members/"+s.Acme.Member.ID.String()+"/password-reset", nil).
		Want(t, http.StatusCreated)
	secret := secretIn(t, consoletest.Text(t, created, "link"), "password-reset")
	s.Anonymous().Post("/api/session/password-reset/complete", withSecret(secret, consoletest.NewPassword)).
		Want(t, http.StatusNoContent)
	s.SignIn("member@acme.example", consoletest.NewPassword)
}

// If mail is configured, only operators receive the link in the response; all others must read the mail.
func TestMailedLink_IsReturnedToOperatorsOnly(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	box := s.WithMail()
	created := s.As(s.Acme.Owner).Post("/api/members/"+s.Acme.Member.ID.String()+"/password-reset", nil).
		Want(t, http.StatusCreated)
	consoletest.Equal(t, created, nil, "link")
	consoletest.Equal(t, created, true, "mailed")
	letterTo(t, box, "member@acme.example")
	created = s.As(s.Operator).Post("/api/operator/users/"+s.Acme.Member.ID.String()+"/password-reset", nil).
		Want(t, http.StatusCreated)
	if mailed, link := secretIn(t, letterTo(t, box, "member@acme.example"), "password-reset"),
		consoletest.Text(t, created, "link"); link != "https://console.example/password-reset#"+mailed {
		t.Errorf("got link %s, want the mailed one", link)
	}
}
