package console_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

// hijack makes the owner of globex create a user with the address and a password that the owner knows.
func (s *stack) hijack(address string) map[string]any {
	s.Helper()
	return s.as(s.globex.owner).post("/api/members", map[string]any{"email": address, "password": password}).
		want(s.T, http.StatusCreated)
}

// refusedSignIn checks that the password does not open a session of the address.
func (s *stack) refusedSignIn(address, password string) {
	s.Helper()
	s.anonymous().post("/api/session", map[string]any{"email": address, "password": password}).
		refused(s.T, http.StatusUnauthorized, "")
}

// A tenant makes an account for the address of a stranger, who then signs in through the platform's issuer.
func TestOIDC_DoesNotSignInToAnAccountThatAnotherTenantMade(t *testing.T) {
	t.Parallel()
	f := setupOIDC(t)
	f.hijack("ceo@a.example")
	ceo := map[string]any{"sub": "ceo", "email": "ceo@a.example", "email_verified": true}
	f.wants("account of another tenant", f.signIn(ceo), "/sign-in?error=unproven")

	// The person's own account takes the address from the other one.
	f.as(f.operator).post("/api/operator/users", map[string]any{
		"tenant_id": f.acme.ID, "email": "ceo@a.example", "password": newPassword, "role": "member",
		"group_id": f.group.ID,
	}).want(t, http.StatusCreated)
	response := f.signIn(ceo)
	f.wants("own account", response, "/usage-logs")
	me := &client{stack: f.stack, cookie: cookieOf(response, "tollgate_session").Value}
	equal(t, me.get("/api/session").want(t, http.StatusOK), "acme", "tenant", "slug")
	f.refusedSignIn("ceo@a.example", password)
	f.stack.signIn("ceo@a.example", newPassword)
}

// Without mail, the owner of a tenant makes an account for the address of a stranger, and opens the link for its new
// password.
func TestPasswordReset_LinkToOneselfDoesNotKeepAnAddressFromItsPerson(t *testing.T) {
	t.Parallel()
	f := setupOIDC(t)
	hijacked := text(t, f.hijack("ceo@a.example"), "id")
	link := text(t, f.as(f.globex.owner).post("/api/members/"+hijacked+"/password-reset", nil).
		want(t, http.StatusCreated), "link")
	f.anonymous().post("/api/session/password-reset/complete",
		withSecret(secretIn(t, link, "password-reset"), password)).want(t, http.StatusNoContent)
	hijacker := f.stack.signIn("ceo@a.example", password)
	own := text(t, f.as(f.acme.owner).post("/api/members",
		map[string]any{"email": "ceo@a.example", "password": newPassword}).want(t, http.StatusCreated), "id")

	// Both tenants claim the address: the issuer's statement does not tell to which of them the person wants to go.
	ceo := map[string]any{"sub": "ceo", "email": "ceo@a.example", "email_verified": true}
	f.wants("address that two tenants claim", f.signIn(ceo), "/sign-in?error=unproven")

	// A link of an operator is the better proof, and takes the address.
	link = text(t, f.as(f.operator).post("/api/operator/users/"+own+"/password-reset", nil).want(t, http.StatusCreated),
		"link")
	f.anonymous().post("/api/session/password-reset/complete",
		withSecret(secretIn(t, link, "password-reset"), newPassword)).want(t, http.StatusNoContent)
	hijacker.get("/api/session").refused(t, http.StatusUnauthorized, "")
	f.refusedSignIn("ceo@a.example", password)
	f.wants("own account", f.signIn(ceo), "/usage-logs")
	me := f.stack.signIn("ceo@a.example", newPassword)
	equal(t, me.get("/api/session").want(t, http.StatusOK), "acme", "tenant", "slug")
	equal(t, f.as(f.operator).get("/api/operator/users/"+hijacked).want(t, http.StatusOK), false, "email_proven")
}

func TestCreateUser_TakesAnAddressFromALinkToOneself(t *testing.T) {
	t.Parallel()
	s := setup(t)
	hijacked := text(t, s.hijack("next@platform.example"), "id")
	link := text(t, s.as(s.globex.owner).post("/api/members/"+hijacked+"/password-reset", nil).
		want(t, http.StatusCreated), "link")
	s.anonymous().post("/api/session/password-reset/complete",
		withSecret(secretIn(t, link, "password-reset"), password)).want(t, http.StatusNoContent)
	s.as(s.operator).post("/api/operator/users", map[string]any{"email": "next@platform.example",
		"password": newPassword, "role": "operator"}).want(t, http.StatusCreated)
	s.refusedSignIn("next@platform.example", password)
	equal(t, s.signIn("next@platform.example", newPassword).get("/api/session").want(t, http.StatusOK),
		"operator", "user", "role")
}

// Without mail, the user who creates an invitation can open its link. Then the person signs in through the issuer.
func TestOIDC_TakesAnAccountFromThePersonWhoOpenedItsLink(t *testing.T) {
	t.Parallel()
	f := setupOIDC(t)
	link := text(t, f.as(f.globex.owner).post("/api/invitations", invite("ceo@a.example", "member")).
		want(t, http.StatusCreated), "link")
	r := f.anonymous().post("/api/invitations/accept", withSecret(secretIn(t, link, "invitation"), password))
	r.want(t, http.StatusOK)
	hijacker := &client{stack: f.stack, cookie: r.sessionCookie(t).Value}
	key := hijacker.post("/api/access-keys", map[string]any{"name": "ci", "access": "read",
		"expires_at": time.Now().Add(time.Hour)}).want(t, http.StatusCreated)
	withKey := &client{stack: f.stack, key: text(t, key, "value")}
	withKey.get("/api/session").want(t, http.StatusOK)

	response := f.signIn(map[string]any{"sub": "ceo", "email": "ceo@a.example", "email_verified": true})
	f.wants("the person", response, "/usage-logs")
	me := &client{stack: f.stack, cookie: cookieOf(response, "tollgate_session").Value}
	equal(t, me.get("/api/session").want(t, http.StatusOK), "ceo@a.example", "user", "email")
	f.refusedSignIn("ceo@a.example", password)
	hijacker.get("/api/session").refused(t, http.StatusUnauthorized, "")
	withKey.get("/api/session").refused(t, http.StatusUnauthorized, "")
}

func TestCreateMember_DoesNotTellWhetherAnotherTenantHasTheAddress(t *testing.T) {
	t.Parallel()
	for _, mail := range []bool{false, true} {
		s := setup(t)
		if mail {
			s.withMail()
		}
		owner := s.as(s.globex.owner)
		taken, free := s.hijack("owner@acme.example"), s.hijack("nobody@acme.example")
		if got, want := slices.Sorted(maps.Keys(taken)), slices.Sorted(maps.Keys(free)); !slices.Equal(got, want) {
			t.Errorf("mail %v: got the fields %v for a taken address and %v for a free one", mail, got, want)
		}
		for _, created := range []map[string]any{taken, free} {
			equal(t, created, false, "email_proven")
			equal(t, created, mail, "mailed")
			path := "/api/members/" + text(t, created, "id")
			equal(t, owner.patch(path, map[string]any{"quota": "3"}).want(t, http.StatusOK), created["email"], "email")
			found := items(t, owner.get("/api/members?search="+text(t, created, "email")).want(t, http.StatusOK))
			if len(found) != 1 {
				t.Errorf("mail %v: a search for %s finds %d members, want 1", mail, created["email"], len(found))
			}
			owner.post("/api/members", map[string]any{"email": created["email"], "password": password}).
				refused(t, http.StatusConflict, "email")
			owner.post("/api/invitations", invite(text(t, created, "email"), "member")).
				refused(t, http.StatusConflict, "email")
		}
		s.signIn("owner@acme.example", password) // of acme, whose password is the same
		equal(t, s.as(s.acme.owner).get("/api/session").want(t, http.StatusOK), "acme", "tenant", "slug")
	}
}

func TestCreateMember_WaitsForAProofByMail(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.hijack("new@acme.example") // before mail was configured
	box := s.withMail()
	s.signIn("new@acme.example", password)
	created := s.as(s.acme.owner).post("/api/members", map[string]any{"email": "new@acme.example",
		"password": newPassword, "role": "admin", "quota": "5"}).want(t, http.StatusCreated)
	secret := secretIn(t, letterTo(t, box, "new@acme.example"), "invitation")
	s.refusedSignIn("new@acme.example", newPassword)

	const own = "a password of my own"
	r := s.anonymous().post("/api/invitations/accept", withSecret(secret, own))
	me := r.want(t, http.StatusOK)
	equal(t, me, created["id"], "user", "id")
	equal(t, me, "new@acme.example", "user", "email")
	equal(t, me, "acme", "tenant", "slug")
	s.refusedSignIn("new@acme.example", password) // the other tenant has lost the address
	s.signIn("new@acme.example", own)
	found := items(t, s.as(s.acme.owner).get("/api/members?search=new@").want(t, http.StatusOK))
	if len(found) != 1 || as[map[string]any](t, found[0])["email_proven"] != true {
		t.Errorf("got members %v, want one whose address is proven", found)
	}
	s.anonymous().post("/api/invitations/accept", withSecret(secret, own)).refused(t, http.StatusNotFound, "")
}

func TestCreateUser_RefusesAProvenAddress(t *testing.T) {
	t.Parallel()
	s := setup(t)
	operator := s.as(s.operator)
	body := map[string]any{"tenant_id": s.acme.ID, "email": "owner@globex.example", "password": password,
		"role": "member", "group_id": s.group.ID}
	operator.post("/api/operator/users", body).refused(t, http.StatusConflict, "email")
	listed, err := s.store.Identity.Users(t.Context(), system, s.globex.ID, storePage)
	s.must(err)
	for _, user := range listed.Items {
		if user.Proof != tenant.Vouched {
			t.Errorf("%s has the proof %q, want %q", user.Email, user.Proof, tenant.Vouched)
		}
	}
}

// The link of a reset reaches the person who reads the address, and so proves it.
func TestPasswordReset_ProvesTheAddress(t *testing.T) {
	t.Parallel()
	s := setup(t)
	created := s.hijack("new@x.example")
	box := s.withMail()
	s.anonymous().post("/api/session/password-reset", map[string]any{"email": "new@x.example"}).
		want(t, http.StatusAccepted)
	secret := secretIn(t, letterTo(t, box, "new@x.example"), "password-reset")
	s.anonymous().post("/api/session/password-reset/complete", withSecret(secret, newPassword)).
		want(t, http.StatusNoContent)
	s.signIn("new@x.example", newPassword)
	equal(t, s.as(s.operator).get("/api/operator/users/"+text(t, created, "id")).want(t, http.StatusOK),
		true, "email_proven")
}

// The owner of another tenant claims the address of an operator. The placeholder of that account must open nothing: its
// device cookie used to give unlimited guesses at the operator's password.
func TestSignIn_PlaceholderOfAClaimedAddressIsNoAccount(t *testing.T) {
	t.Parallel()
	onBoth(t, func(s *stack) {
		s.stopClock()
		claimed := s.hijack("operator@example.com")
		placeholder := text(s, claimed, "id") + "@claimed.invalid"
		for _, address := range []string{placeholder, strings.ToUpper(placeholder), " " + placeholder} {
			r := s.anonymous().post("/api/session", credentials(address, password))
			r.refused(s, http.StatusUnauthorized, "")
			if len(r.Cookies()) != 0 {
				s.Errorf("the sign-in with %s sets the cookies %v", address, r.Cookies())
			}
		}
		if _, err := s.store.Identity.UserByEmail(s.Context(), system, placeholder); !problem.Is(err,
			problem.NotFound) {
			s.Errorf("got error %v for the placeholder, want a NotFound problem", err)
		}
		box := s.withMail()
		s.anonymous().post("/api/session/password-reset", map[string]any{"email": placeholder}).
			want(s, http.StatusAccepted)
		s.anonymous().post("/api/session/password-reset", map[string]any{"email": "owner@acme.example"}).
			want(s, http.StatusAccepted)
		letterTo(s.T, box, "owner@acme.example") // the first mail: requests are served in order
	})
}

// An account without a proof, which another tenant made, is signed in to with a browser. That browser gets no guesses
// of its own at the account of the person who has proven the address since.
func TestSignIn_DeviceOfAnUnprovenAccountIsAStranger(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.stopClock()
	s.hijack("ceo@a.example")
	r := s.anonymous().post("/api/session", credentials("ceo@a.example", password))
	r.want(t, http.StatusOK)
	for _, cookie := range r.Cookies() {
		if cookie.Name == "tollgate_device" {
			t.Errorf("the unproven account gets the cookie %v", cookie)
		}
	}
}
