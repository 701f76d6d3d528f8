package session_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/identity"
	"github.com/tollgate/tollgate/libs/store/page"
)

// hijack makes the owner of globex create a user with the address and a password that the owner knows.
func hijack(s *consoletest.Stack, address string) map[string]any {
	s.Helper()
	return s.As(s.Globex.Owner).
		Post("/api/members", map[string]any{"email": address, "password": consoletest.Password}).
		Want(s.T, http.StatusCreated)
}

// refusedSignIn checks that the password does not open a session of the address.
func refusedSignIn(s *consoletest.Stack, address, password string) {
	s.Helper()
	s.Anonymous().Post("/api/session", map[string]any{"email": address, "password": password}).
		Refused(s.T, http.StatusUnauthorized, "")
}

// A tenant makes an account for the address of a stranger, who then signs in through the platform's issuer.
func TestOIDC_DoesNotSignInToAnAccountThatAnotherTenantMade(t *testing.T) {
	t.Parallel()
	f := setupOIDC(t)
	hijack(f.Stack, "ceo@a.example")
	ceo := map[string]any{"sub": "ceo", "email": "ceo@a.example", "email_verified": true}
	f.wants("account of another tenant", f.signIn(ceo), "/sign-in?error=unproven")

	// The person's own account takes the address from the other one.
	f.As(f.Operator).Post("/api/operator/users", map[string]any{
		"tenant_id": f.Acme.ID, "email": "ceo@a.example", "password": consoletest.NewPassword, "role": "member",
		"group_id": f.Group.ID,
	}).Want(t, http.StatusCreated)
	response := f.signIn(ceo)
	f.wants("own account", response, "/usage-logs")
	me := &consoletest.Client{Stack: f.Stack, Cookie: cookieOf(response, "tollgate_session").Value}
	consoletest.Equal(t, me.Get("/api/session").Want(t, http.StatusOK), "acme", "tenant", "slug")
	refusedSignIn(f.Stack, "ceo@a.example", consoletest.Password)
	f.Stack.SignIn("ceo@a.example", consoletest.NewPassword)
}

// Without mail, the owner of a tenant makes an account for the address of a stranger, and opens the link for its new
// password.
func TestPasswordReset_LinkToOneselfDoesNotKeepAnAddressFromItsPerson(t *testing.T) {
	t.Parallel()
	f := setupOIDC(t)
	hijacked := consoletest.Text(t, hijack(f.Stack, "ceo@a.example"), "id")
	link := consoletest.Text(t, f.As(f.Globex.Owner).Post("/api/members/"+hijacked+"/password-reset", nil).
		Want(t, http.StatusCreated), "link")
	f.Anonymous().Post("/api/session/password-reset/complete",
		withSecret(secretIn(t, link, "password-reset"), consoletest.Password)).Want(t, http.StatusNoContent)
	hijacker := f.Stack.SignIn("ceo@a.example", consoletest.Password)
	own := consoletest.Text(t, f.As(f.Acme.Owner).Post("/api/members",
		map[string]any{"email": "ceo@a.example", "password": consoletest.NewPassword}).Want(t, http.StatusCreated),
		"id")

	// Both tenants claim the address: the issuer's statement does not tell to which of them the person wants to go.
	ceo := map[string]any{"sub": "ceo", "email": "ceo@a.example", "email_verified": true}
	f.wants("address that two tenants claim", f.signIn(ceo), "/sign-in?error=unproven")

	// A link of an operator is the better proof, and takes the address.
	link = consoletest.Text(t, f.As(f.Operator).Post("/api/operator/users/"+own+"/password-reset", nil).
		Want(t, http.StatusCreated), "link")
	f.Anonymous().Post("/api/session/password-reset/complete",
		withSecret(secretIn(t, link, "password-reset"), consoletest.NewPassword)).Want(t, http.StatusNoContent)
	hijacker.Get("/api/session").Refused(t, http.StatusUnauthorized, "")
	refusedSignIn(f.Stack, "ceo@a.example", consoletest.Password)
	f.wants("own account", f.signIn(ceo), "/usage-logs")
	me := f.Stack.SignIn("ceo@a.example", consoletest.NewPassword)
	consoletest.Equal(t, me.Get("/api/session").Want(t, http.StatusOK), "acme", "tenant", "slug")
	consoletest.Equal(t, f.As(f.Operator).Get("/api/operator/users/"+hijacked).Want(t, http.StatusOK), false,
		"email_proven")
}

func TestCreateUser_TakesAnAddressFromALinkToOneself(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	hijacked := consoletest.Text(t, hijack(s, "next@platform.example"), "id")
	link := consoletest.Text(t, s.As(s.Globex.Owner).Post("/api/members/"+hijacked+"/password-reset", nil).
		Want(t, http.StatusCreated), "link")
	s.Anonymous().Post("/api/session/password-reset/complete",
		withSecret(secretIn(t, link, "password-reset"), consoletest.Password)).Want(t, http.StatusNoContent)
	s.As(s.Operator).Post("/api/operator/users", map[string]any{"email": "next@platform.example",
		"password": consoletest.NewPassword, "role": "operator"}).Want(t, http.StatusCreated)
	refusedSignIn(s, "next@platform.example", consoletest.Password)
	consoletest.Equal(t, s.SignIn("next@platform.example", consoletest.NewPassword).Get("/api/session").
		Want(t, http.StatusOK), "operator", "user", "role")
}

// Without mail, the user who creates an invitation can open its link. Then the person signs in through the issuer.
func TestOIDC_TakesAnAccountFromThePersonWhoOpenedItsLink(t *testing.T) {
	t.Parallel()
	f := setupOIDC(t)
	link := consoletest.Text(t, f.As(f.Globex.Owner).Post("/api/invitations", invite("ceo@a.example", "member")).
		Want(t, http.StatusCreated), "link")
	r := f.Anonymous().Post("/api/invitations/accept", withSecret(secretIn(t, link, "invitation"),
		consoletest.Password))
	r.Want(t, http.StatusOK)
	hijacker := &consoletest.Client{Stack: f.Stack, Cookie: r.SessionCookie(t).Value}
	key := hijacker.Post("/api/access-keys", map[string]any{"name": "ci", "access": "read",
		"expires_at": time.Now().Add(time.Hour)}).Want(t, http.StatusCreated)
	withKey := &consoletest.Client{Stack: f.Stack, Key: consoletest.Text(t, key, "value")}
	withKey.Get("/api/session").Want(t, http.StatusOK)

	response := f.signIn(map[string]any{"sub": "ceo", "email": "ceo@a.example", "email_verified": true})
	f.wants("the person", response, "/usage-logs")
	me := &consoletest.Client{Stack: f.Stack, Cookie: cookieOf(response, "tollgate_session").Value}
	consoletest.Equal(t, me.Get("/api/session").Want(t, http.StatusOK), "ceo@a.example", "user", "email")
	refusedSignIn(f.Stack, "ceo@a.example", consoletest.Password)
	hijacker.Get("/api/session").Refused(t, http.StatusUnauthorized, "")
	withKey.Get("/api/session").Refused(t, http.StatusUnauthorized, "")
}

func TestCreateMember_DoesNotTellWhetherAnotherTenantHasTheAddress(t *testing.T) {
	t.Parallel()
	for _, mail := range []bool{false, true} {
		s := consoletest.Setup(t)
		if mail {
			s.WithMail()
		}
		owner := s.As(s.Globex.Owner)
		taken, free := hijack(s, "owner@acme.example"), hijack(s, "nobody@acme.example")
		if got, want := slices.Sorted(maps.Keys(taken)), slices.Sorted(maps.Keys(free)); !slices.Equal(got, want) {
			t.Errorf("mail %v: got the fields %v for a taken address and %v for a free one", mail, got, want)
		}
		for _, created := range []map[string]any{taken, free} {
			consoletest.Equal(t, created, false, "email_proven")
			consoletest.Equal(t, created, mail, "mailed")
			path := "/api/members/" + consoletest.Text(t, created, "id")
			consoletest.Equal(t, owner.Patch(path, map[string]any{"quota": "3"}).Want(t, http.StatusOK),
				created["email"], "email")
			found := consoletest.Items(t, owner.Get("/api/members?search="+consoletest.Text(t, created, "email")).
				Want(t, http.StatusOK))
			if len(found) != 1 {
				t.Errorf("mail %v: a search for %s finds %d members, want 1", mail, created["email"], len(found))
			}
			owner.Post("/api/members", map[string]any{"email": created["email"], "password": consoletest.Password}).
				Refused(t, http.StatusConflict, "email")
			owner.Post("/api/invitations", invite(consoletest.Text(t, created, "email"), "member")).
				Refused(t, http.StatusConflict, "email")
		}
		s.SignIn("owner@acme.example", consoletest.Password) // of acme, whose password is the same
		consoletest.Equal(t, s.As(s.Acme.Owner).Get("/api/session").Want(t, http.StatusOK), "acme", "tenant", "slug")
	}
}

func TestCreateMember_WaitsForAProofByMail(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	hijack(s, "new@acme.example") // before mail was configured
	box := s.WithMail()
	s.SignIn("new@acme.example", consoletest.Password)
	created := s.As(s.Acme.Owner).Post("/api/members", map[string]any{"email": "new@acme.example",
		"password": consoletest.NewPassword, "role": "admin", "quota": "5"}).Want(t, http.StatusCreated)
	secret := secretIn(t, letterTo(t, box, "new@acme.example"), "invitation")
	refusedSignIn(s, "new@acme.example", consoletest.NewPassword)

	const own = "a password of my own"
	r := s.Anonymous().Post("/api/invitations/accept", withSecret(secret, own))
	me := r.Want(t, http.StatusOK)
	consoletest.Equal(t, me, created["id"], "user", "id")
	consoletest.Equal(t, me, "new@acme.example", "user", "email")
	consoletest.Equal(t, me, "acme", "tenant", "slug")
	refusedSignIn(s, "new@acme.example", consoletest.Password) // the other tenant has lost the address
	s.SignIn("new@acme.example", own)
	found := consoletest.Items(t, s.As(s.Acme.Owner).Get("/api/members?search=new@").Want(t, http.StatusOK))
	if len(found) != 1 || consoletest.As[map[string]any](t, found[0])["email_proven"] != true {
		t.Errorf("got members %v, want one whose address is proven", found)
	}
	s.Anonymous().Post("/api/invitations/accept", withSecret(secret, own)).Refused(t, http.StatusNotFound, "")
}

// The mail of the invitation opens nothing once the person has the account by another link.
func TestInvitation_OpensNoAccountThatItsPersonHas(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	box, owner := s.WithMail(), s.As(s.Acme.Owner)
	created := owner.Post("/api/members", map[string]any{"email": "new@acme.example"}).Want(t, http.StatusCreated)
	invitation := secretIn(t, letterTo(t, box, "new@acme.example"), "invitation")
	owner.Post("/api/members/"+consoletest.Text(t, created, "id")+"/password-reset", nil).Want(t, http.StatusCreated)
	reset := secretIn(t, letterTo(t, box, "new@acme.example"), "password-reset")
	s.Anonymous().Post("/api/session/password-reset/complete", withSecret(reset, consoletest.NewPassword)).
		Want(t, http.StatusNoContent)

	s.Anonymous().Post("/api/invitations/lookup", map[string]any{"secret": invitation}).
		Refused(t, http.StatusNotFound, "")
	s.Anonymous().Post("/api/invitations/accept", withSecret(invitation, "a password of the finder")).
		Refused(t, http.StatusNotFound, "")
	s.SignIn("new@acme.example", consoletest.NewPassword)
	consoletest.Equal(t, owner.Get("/api/invitations").Want(t, http.StatusOK), "accepted", "items", 0, "status")
}

func TestCreateUser_RefusesAProvenAddress(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator := s.As(s.Operator)
	body := map[string]any{"tenant_id": s.Acme.ID, "email": "owner@globex.example", "password": consoletest.Password,
		"role": "member", "group_id": s.Group.ID}
	operator.Post("/api/operator/users", body).Refused(t, http.StatusConflict, "email")
	listed, err := s.Store.Identity.Users(t.Context(), consoletest.System, identity.UserFilter{TenantID: s.Globex.ID},
		page.Page{Limit: 200})
	s.Must(err)
	for _, user := range listed.Items {
		if user.Proof != tenant.Vouched {
			t.Errorf("%s has the proof %q, want %q", user.Email, user.Proof, tenant.Vouched)
		}
	}
}

// The link of a reset reaches the person who reads the address, and so proves it.
func TestPasswordReset_ProvesTheAddress(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	created := hijack(s, "new@x.example")
	box := s.WithMail()
	s.Anonymous().Post("/api/session/password-reset", map[string]any{"email": "new@x.example"}).
		Want(t, http.StatusAccepted)
	secret := secretIn(t, letterTo(t, box, "new@x.example"), "password-reset")
	s.Anonymous().Post("/api/session/password-reset/complete", withSecret(secret, consoletest.NewPassword)).
		Want(t, http.StatusNoContent)
	s.SignIn("new@x.example", consoletest.NewPassword)
	consoletest.Equal(t, s.As(s.Operator).Get("/api/operator/users/"+consoletest.Text(t, created, "id")).
		Want(t, http.StatusOK), true, "email_proven")
}

// The owner of another tenant claims the address of an operator. That account must open nothing: its device cookie used
// to give unlimited guesses at the operator's password.
func TestSignIn_ClaimedAddressIsNoAccount(t *testing.T) {
	t.Parallel()
	consoletest.OnBoth(t, func(s *consoletest.Stack) {
		s.StopClock()
		const operator = "operator@example.com"
		s.As(s.Globex.Owner).
			Post("/api/members", map[string]any{"email": operator, "password": consoletest.NewPassword}).
			Want(s.T, http.StatusCreated)
		for _, address := range []string{operator, strings.ToUpper(operator), " " + operator} {
			r := s.Anonymous().Post("/api/session", consoletest.Credentials(address, consoletest.NewPassword))
			r.Refused(s, http.StatusUnauthorized, "")
			if len(r.Cookies()) != 0 {
				s.Errorf("the sign-in with %s sets the cookies %v", address, r.Cookies())
			}
		}
		user, err := s.Store.Identity.UserByEmail(s.Context(), consoletest.System, operator)
		if err != nil || user.Role != tenant.Operator {
			s.Errorf("got the user %v, error %v, want the operator", user, err)
		}
	})
}

// An account without a proof, which another tenant made, is signed in to with a browser. That browser gets no guesses
// of its own at the account of the person who has proven the address since.
func TestSignIn_DeviceOfAnUnprovenAccountIsAStranger(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	s.StopClock()
	hijack(s, "ceo@a.example")
	r := s.Anonymous().Post("/api/session", consoletest.Credentials("ceo@a.example", consoletest.Password))
	r.Want(t, http.StatusOK)
	for _, cookie := range r.Cookies() {
		if cookie.Name == "tollgate_device" {
			t.Errorf("the unproven account gets the cookie %v", cookie)
		}
	}
}
