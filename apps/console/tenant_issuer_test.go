package console_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store/identity"
	"github.com/tollgate/tollgate/libs/store/signin"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

const issuerPath = "/api/tenant/issuer"

// issuerStack is a stack whose tenants may have issuers on this machine, and an issuer for acme.
type issuerStack struct {
	*stack
	provider *provider
}

// setupIssuer returns a stack in which acme has not set its issuer yet.
func setupIssuer(t *testing.T) *issuerStack { return setupIssuerOn(t, storetest.SQLite(t)) }

func setupIssuerOn(t *testing.T, database string) *issuerStack {
	t.Helper()
	p := newProvider(t)
	p.redirect += "/acme"
	s := setupFor(t, database, config.Config{ConsoleURL: "http://localhost:8081",
		EgressAllow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	return &issuerStack{stack: s, provider: p}
}

// settings returns the settings of acme's issuer with the changes.
func (f *issuerStack) settings(changes map[string]any) map[string]any {
	all := map[string]any{"issuer": f.provider.URL, "client_id": clientID, "client_secret": clientSecret,
		"domains": []string{"acme.example"}}
	maps.Copy(all, changes)
	return all
}

// set sets the issuer of the user's tenant.
func (f *issuerStack) set(who tenant.User, changes map[string]any) reply {
	f.Helper()
	return f.as(who).do(http.MethodPut, issuerPath, f.settings(changes))
}

// begin starts a sign-in with the query, and passes the nonce and the challenge to the provider.
func (f *issuerStack) begin(query string) (state string, flow *http.Cookie) {
	f.Helper()
	response := f.visit("/api/session/oidc?return=/usage-logs&" + query)
	location, err := response.Location()
	f.must(err)
	if !strings.HasPrefix(location.String(), f.provider.URL+"/auth?") ||
		location.Query().Get("redirect_uri") != f.provider.redirect {
		f.Fatalf("%s: got a redirect to %s, want the issuer", query, location)
	}
	f.provider.set(func() {
		f.provider.nonce, f.provider.verifier = location.Query().Get("nonce"), location.Query().Get("code_challenge")
	})
	return location.Query().Get("state"), cookieOf(response, "tollgate_oidc")
}

// signIn makes a complete sign-in at acme's issuer with the claims.
func (f *issuerStack) signIn(claims map[string]any) *http.Response {
	f.Helper()
	f.provider.setClaims(claims)
	state, flow := f.begin("tenant=acme")
	return f.visit("/api/session/oidc/callback/acme?"+url.Values{"state": {state}, "code": {goodCode}}.Encode(), flow)
}

// person returns the claims of an account at the issuer whose address is verified.
func person(subject, email string) map[string]any {
	return map[string]any{"sub": subject, "email": email, "email_verified": true}
}

// enter signs in and returns the client with the new session.
func (f *issuerStack) enter(claims map[string]any) *client {
	f.Helper()
	response := f.signIn(claims)
	cookie := cookieOf(response, "tollgate_session")
	if cookie == nil {
		f.Fatalf("%v: got a redirect to %s, want a session", claims, response.Header.Get("Location"))
	}
	return &client{stack: f.stack, cookie: cookie.Value}
}

// refusedFor checks that a sign-in with the claims is refused for the reason.
func (f *issuerStack) refusedFor(reason string, claims map[string]any) {
	f.Helper()
	response := f.signIn(claims)
	if got := response.Header.Get("Location"); !strings.HasSuffix(got, "error="+reason) ||
		cookieOf(response, "tollgate_session") != nil {
		f.Errorf("%v: got a redirect to %s, want the error %s", claims, got, reason)
	}
}

func TestTenantIssuer_SignsInItsTenantOnly(t *testing.T) {
	t.Parallel()
	for kind, database := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			f := setupIssuerOn(t, database(t))
			f.set(f.acme.owner, map[string]any{"domains": []string{"ACME.example", "globex.example"}}).
				want(t, http.StatusOK)
			own := f.enter(person("1", "Member@Acme.example")).get("/api/session").want(t, http.StatusOK)
			equal(t, own, f.acme.member.ID.String(), "user", "id")

			// The address belongs to a member of another tenant.
			f.refusedFor("unknown", person("2", f.globex.member.Email))
			f.set(f.acme.owner, map[string]any{"domains": []string{"acme.example", "globex.example"},
				"create_members": true}).want(t, http.StatusOK)
			response := f.signIn(person("2", f.globex.member.Email))
			if cookieOf(response, "tollgate_device") != nil {
				t.Error("the browser became a known device of another tenant's account")
			}
			claimed := (&client{stack: f.stack, cookie: cookieOf(response, "tollgate_session").Value}).get(
				"/api/session").want(t, http.StatusOK)
			equal(t, claimed, "acme", "tenant", "slug")
			equal(t, claimed, "member", "user", "role")
			if at(t, claimed, "user", "id") == f.globex.member.ID.String() {
				t.Error("acme's issuer signed in to an account of globex")
			}
			signedIn := f.anonymous().post("/api/session",
				map[string]any{"email": f.globex.member.Email, "password": password}).want(t, http.StatusOK)
			equal(t, signedIn, f.globex.member.ID.String(), "user", "id")
			again := f.enter(person("2", "")).get("/api/session").want(t, http.StatusOK)
			equal(t, again, at(t, claimed, "user", "id"), "user", "id")
		})
	}
}

// Both tenants, and the platform, may use the same issuer. Its subjects are different people for each.
func TestTenantIssuer_SharesNoAccountsWithAnotherUseOfTheSameIssuer(t *testing.T) {
	t.Parallel()
	f := setupIssuer(t)
	f.must(f.store.Signin.LinkIdentity(t.Context(), system,
		signin.Identity{UserID: f.globex.owner.ID, Issuer: f.provider.URL, Subject: "1"}))
	f.must(f.store.Signin.LinkIdentity(t.Context(), system,
		signin.Identity{UserID: f.globex.admin.ID, Issuer: f.provider.URL, OfTenant: true, Subject: "2"}))
	f.must(f.store.Signin.LinkIdentity(t.Context(), system,
		signin.Identity{UserID: f.operator.ID, Issuer: f.provider.URL, Subject: "3"}))
	f.set(f.acme.owner, map[string]any{"domains": []string{"acme.example", "globex.example", "example.com"}}).
		want(t, http.StatusOK)
	f.refusedFor("unknown", person("1", f.globex.owner.Email))
	f.refusedFor("unknown", person("2", f.globex.admin.Email))
	f.refusedFor("unknown", person("3", f.operator.Email))
}

// An issuer that sends the browser to another issuer must not receive the code of that one.
func TestTenantIssuer_HasACallbackOfItsOwn(t *testing.T) {
	t.Parallel()
	f := setupIssuer(t)
	f.set(f.acme.owner, nil).want(t, http.StatusOK)
	f.provider.setClaims(person("1", f.acme.member.Email))
	for _, path := range []string{"", "/globex", "/acme/"} {
		state, flow := f.begin("tenant=acme")
		response := f.visit("/api/session/oidc/callback"+path+"?"+
			url.Values{"state": {state}, "code": {goodCode}}.Encode(), flow)
		if cookieOf(response, "tollgate_session") != nil {
			t.Errorf("callback%s opened a session", path)
		}
	}
	state, flow := f.begin("tenant=acme")
	response := f.visit("/api/session/oidc/callback/acme?"+url.Values{"state": {state}, "code": {goodCode},
		"iss": {"https://other.example"}}.Encode(), flow)
	if got := response.Header.Get("Location"); got != "/sign-in?error=rejected" {
		t.Errorf("response of another issuer: got a redirect to %s", got)
	}
}

func TestTenantIssuer_MakesMembersAtTheFirstSignIn(t *testing.T) {
	t.Parallel()
	f := setupIssuer(t)
	f.set(f.acme.owner, map[string]any{"create_members": true, "default_role": "owner"}).
		refused(t, http.StatusBadRequest, "default_role")
	f.set(f.acme.owner, map[string]any{"domains": []string{"not a domain"}}).
		refused(t, http.StatusBadRequest, "domains")
	f.set(f.acme.owner, map[string]any{"domains": []string{}}).refused(t, http.StatusBadRequest, "domains")
	f.set(f.acme.owner, map[string]any{"create_members": true, "default_role": "admin"}).want(t, http.StatusOK)
	f.refusedFor("unverified", map[string]any{"sub": "1", "email": "new@acme.example", "email_verified": false})
	f.refusedFor("unknown", person("1", "new@evil.example"))
	f.refusedFor("unknown", person("1", "new@sub.acme.example"))
	f.refusedFor("rejected", map[string]any{"sub": "1", "email": "new@acme.example", "email_verified": true,
		"azp": "another client"})

	made := f.enter(person("1", "New@Acme.example")).get("/api/session").want(t, http.StatusOK)
	equal(t, made, "new@acme.example", "user", "email")
	equal(t, made, "admin", "user", "role")
	equal(t, made, "acme", "tenant", "slug")
	found := items(t, f.as(f.acme.owner).get("/api/members?search=new@acme.example").want(t, http.StatusOK))
	if len(found) != 1 || at(t, found[0], "group_id") != f.group.ID.String() {
		t.Errorf("got members %v, want one in the default group", found)
	}
	f.refusedFor("taken", person("2", "new@acme.example")) // another person at the issuer
	log := f.as(f.acme.owner).get("/api/audit-log")
	for _, action := range []string{"issuer.set", "user.create", "identity.link", "tenant_issuer"} {
		if !strings.Contains(log.raw, action) {
			t.Errorf("the audit log lacks %s", action)
		}
	}
}

func TestTenantIssuer_AcceptsTheInvitationOfItsTenant(t *testing.T) {
	t.Parallel()
	f := setupIssuer(t)
	f.set(f.acme.owner, map[string]any{"domains": []string{"acme.example", "globex.example"}}).want(t, http.StatusOK)
	secret := seal.NewSecret()
	_, err := f.store.Identity.CreateInvitation(t.Context(), storetest.Confirmed(tenant.ScopeOf(f.acme.owner)),
		identity.NewInvitation{
			TenantID: f.acme.ID, Email: "second@acme.example", Role: tenant.Owner, Hash: secret.Hash,
			ExpiresAt: time.Now().Add(time.Hour),
		})
	f.must(err)
	made := f.enter(person("1", "second@acme.example")).get("/api/session").want(t, http.StatusOK)
	equal(t, made, "owner", "user", "role")
	f.anonymous().post("/api/invitations/lookup", map[string]any{"secret": secret.Value}).
		refused(t, http.StatusNotFound, "")
	f.refusedFor("unknown", person("2", f.globex.invitation.Email))
}

// A person of the tenant made the account and may know its password. The issuer's statement takes the account over.
func TestTenantIssuer_TakesOverAnAccountThatAnotherPersonMade(t *testing.T) {
	t.Parallel()
	f := setupIssuer(t)
	f.set(f.acme.owner, nil).want(t, http.StatusOK)
	f.as(f.acme.admin).post("/api/members", map[string]any{"email": "ceo@acme.example", "password": password,
		"role": "member"}).want(t, http.StatusCreated)
	f.enter(person("1", "ceo@acme.example")).get("/api/session").want(t, http.StatusOK)
	f.anonymous().post("/api/session", map[string]any{"email": "ceo@acme.example", "password": password}).
		refused(t, http.StatusUnauthorized, "")
}

func TestTenantIssuer_Enforced(t *testing.T) {
	t.Parallel()
	f := setupIssuer(t)
	member, admin, owner, stranger := f.as(f.acme.member), f.as(f.acme.admin), f.as(f.acme.owner), f.as(f.globex.member)
	owner.do(http.MethodPut, issuerPath, f.settings(map[string]any{"enforced": true})).want(t, http.StatusOK)
	member.get("/api/session").refused(t, http.StatusUnauthorized, "")
	admin.get("/api/session").refused(t, http.StatusUnauthorized, "")
	owner.get("/api/session").want(t, http.StatusOK)
	stranger.get("/api/session").want(t, http.StatusOK)

	signIn := func(email string) reply {
		return f.anonymous().post("/api/session", map[string]any{"email": email, "password": password})
	}
	signIn(f.acme.member.Email).refused(t, http.StatusForbidden, "")
	signIn(f.acme.admin.Email).refused(t, http.StatusForbidden, "")
	signIn(f.acme.owner.Email).want(t, http.StatusOK) // owners mend the settings when the issuer fails
	f.as(f.acme.member).get("/api/session").refused(t, http.StatusUnauthorized, "")
	wrong := f.anonymous().
		post("/api/session", map[string]any{"email": f.acme.member.Email, "password": "wrong horse battery"})
	wrong.refused(t, http.StatusUnauthorized, "") // only who knows the password learns of the rule

	me := f.enter(person("1", f.acme.member.Email))
	me.get("/api/session").want(t, http.StatusOK)
	changed := me.post("/api/session/password", map[string]any{"old_password": password, "new_password": newPassword})
	changed.want(t, http.StatusNoContent)
	me = &client{stack: f.stack, cookie: cookieOf(changed.Response, "tollgate_session").Value}
	me.get("/api/session").want(t, http.StatusOK)
	owner.do(http.MethodPut, issuerPath, f.settings(map[string]any{"client_secret": "", "client_id": "another"})).
		refused(t, http.StatusBadRequest, "client_secret")
	owner.do(http.MethodDelete, issuerPath, nil).want(t, http.StatusNoContent)
	me.get("/api/session").refused(t, http.StatusUnauthorized, "")
	f.anonymous().post("/api/session", map[string]any{"email": f.acme.member.Email, "password": newPassword}).
		want(t, http.StatusOK)
	equal(t, owner.get(issuerPath).want(t, http.StatusOK), "", "issuer")
	equal(t, owner.get(issuerPath).want(t, http.StatusOK), false, "enforced")
}

func TestTenantIssuer_EnforcedRefusesThePlatformsIssuerAndInvitations(t *testing.T) {
	t.Parallel()
	platform := setupOIDC(t)
	platform.config.EgressAllow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	platform.serve()
	f := &issuerStack{stack: platform.stack, provider: newProvider(t)}
	f.set(f.acme.owner, map[string]any{"enforced": true}).want(t, http.StatusOK)
	platform.wants("member", platform.signIn(verified(f.acme.member.Email)), "/sign-in?error=enforced")
	platform.wants("owner",
		platform.signIn(map[string]any{"sub": "2", "email": f.acme.owner.Email, "email_verified": true}), "/usage-logs")

	secret := seal.NewSecret()
	_, err := f.store.Identity.CreateInvitation(t.Context(), storetest.Confirmed(tenant.ScopeOf(f.acme.owner)),
		identity.NewInvitation{
			TenantID: f.acme.ID, Email: "second@acme.example", Role: tenant.Member, Hash: secret.Hash,
			ExpiresAt: time.Now().Add(time.Hour),
		})
	f.must(err)
	f.anonymous().post("/api/invitations/accept", map[string]any{"secret": secret.Value,
		"password": "another horse battery"}).refused(t, http.StatusConflict, "")
}

func TestTenantIssuer_IsFoundByAnApprovedDomainOnly(t *testing.T) {
	t.Parallel()
	f := setupIssuer(t)
	equal(t, f.anonymous().get("/api/session/methods").want(t, http.StatusOK), false, "tenant_issuers")
	f.set(f.acme.owner, nil).want(t, http.StatusOK)
	f.set(f.globex.owner, nil).want(t, http.StatusOK) // names acme's domain too, and does not learn that acme has it
	equal(t, f.anonymous().get("/api/session/methods").want(t, http.StatusOK), true, "tenant_issuers")
	none := func(query string) {
		t.Helper()
		if got := f.visit("/api/session/oidc?" + query).Header.Get("Location"); got != "/sign-in?error=no_issuer" {
			t.Errorf("%s: got a redirect to %s", query, got)
		}
	}
	none("domain=acme.example")
	none("domain=nobody.example")
	none("tenant=nobody")

	of := func(c company) string { return "/api/operator/tenants/" + c.ID.String() + "/issuer" }
	operator, approval := f.as(f.operator), map[string]any{"approved_domains": []string{"acme.example"}}
	operator.patch(of(f.acme), map[string]any{"approved_domains": []string{"globex.example"}}).
		refused(t, http.StatusBadRequest, "approved_domains")
	approved := operator.patch(of(f.acme), approval).want(t, http.StatusOK)
	equal(t, approved, true, "domains", 0, "approved")
	operator.patch(of(f.globex), approval).refused(t, http.StatusConflict, "approved_domains")
	f.as(f.acme.owner).patch(of(f.acme), approval).refused(t, http.StatusForbidden, "")
	f.begin("domain=ACME.example")

	// A page of another site cannot begin the sign-in.
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, f.url+"/api/session/oidc?tenant=acme", nil)
	f.must(err)
	request.Header.Set("Sec-Fetch-Site", "cross-site")
	response, err := http.DefaultTransport.RoundTrip(request)
	f.must(err)
	f.must(response.Body.Close())
	if got := response.Header.Get("Location"); got != "/sign-in?tenant=acme" {
		t.Errorf("cross-site: got a redirect to %s", got)
	}

	f.as(f.acme.owner).do(http.MethodDelete, issuerPath, nil).want(t, http.StatusNoContent)
	none("domain=acme.example")
	operator.patch(of(f.globex), approval).want(t, http.StatusOK)
}

func TestTenantIssuer_IsSetByOwnersWhoConfirmed(t *testing.T) {
	t.Parallel()
	f := setupIssuer(t)
	f.set(f.acme.member, nil).refused(t, http.StatusForbidden, "")
	f.set(f.acme.admin, nil).refused(t, http.StatusForbidden, "")
	f.set(f.operator, nil).refused(t, http.StatusForbidden, "")
	_, key := f.accessKey(f.acme.owner)
	program := &client{stack: f.stack, key: key}
	program.do(http.MethodPut, issuerPath, f.settings(nil)).refused(t, http.StatusForbidden, "")
	program.get(issuerPath).refused(t, http.StatusForbidden, "")
	if f.provider.asked != 0 {
		t.Error("refused callers made the console call the issuer")
	}
	owner := f.as(f.acme.owner)
	f.advance(16 * time.Minute)
	late := owner.do(http.MethodPut, issuerPath, f.settings(nil))
	late.refused(t, http.StatusForbidden, "")
	if !strings.Contains(late.raw, "confirmation_required") {
		t.Errorf("got %s, want confirmation_required", late.raw)
	}
	owner.do(http.MethodDelete, issuerPath, nil).refused(t, http.StatusForbidden, "")
}

// Each client of an issuer had sign-ins in progress of its own, so an owner who changed the client again and again took
// them from all other tenants.
func TestTenantIssuer_IsChangedAFewTimesOnly(t *testing.T) {
	t.Parallel()
	f := setupIssuer(t)
	f.set(f.acme.owner, nil).want(t, http.StatusOK)
	changed := 0
	for i := range 20 {
		r := f.set(f.acme.owner, map[string]any{"client_id": fmt.Sprint("client-", i)})
		if r.StatusCode == http.StatusTooManyRequests {
			break
		}
		r.want(t, http.StatusOK)
		changed++
	}
	if changed > 10 {
		t.Errorf("the client was changed %d times at once, want at most 10", changed)
	}
	// The same client.
	f.set(f.acme.owner, map[string]any{"client_id": fmt.Sprint("client-", changed-1), "create_members": true}).
		want(t, http.StatusOK)
}

func TestTenantIssuer_NeverReturnsItsSecret(t *testing.T) {
	t.Parallel()
	f := setupIssuer(t)
	written := f.set(f.acme.owner, nil)
	equal(t, written.want(t, http.StatusOK), "http://localhost:8081/api/session/oidc/callback/acme", "redirect_uri")
	operator, owner := f.as(f.operator), f.as(f.acme.owner)
	for _, r := range []reply{
		written, owner.get(issuerPath), f.as(f.acme.admin).get(issuerPath), owner.get("/api/audit-log"),
		operator.get("/api/operator/tenants/" + f.acme.ID.String() + "/issuer"),
		operator.get("/api/operator/audit-log"),
	} {
		r.want(t, http.StatusOK)
		if strings.Contains(r.raw, clientSecret) || !strings.Contains(r.raw, f.provider.URL) {
			t.Errorf("%s shows the secret or not the issuer: %s", r.Request.URL.Path, r.raw)
		}
	}
	f.as(f.acme.member).get(issuerPath).refused(t, http.StatusForbidden, "")
	equal(t, f.as(f.globex.owner).get(issuerPath).want(t, http.StatusOK), "", "issuer")

	// The stored secret goes to no other issuer and no other client.
	other := newProvider(t)
	kept := f.settings(nil)
	delete(kept, "client_secret")
	owner.do(http.MethodPut, issuerPath, kept).want(t, http.StatusOK)
	f.enter(person("1", f.acme.member.Email))
	kept["client_id"] = "another"
	owner.do(http.MethodPut, issuerPath, kept).refused(t, http.StatusBadRequest, "client_secret")
	kept["client_id"], kept["issuer"] = clientID, other.URL
	owner.do(http.MethodPut, issuerPath, kept).refused(t, http.StatusBadRequest, "client_secret")
}

func TestTenantIssuer_RefusesAddressesThatAreNotPublic(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	s := setup(t)
	f := &issuerStack{stack: s, provider: p}
	for _, issuer := range []string{
		p.URL, strings.Replace(p.URL, "127.0.0.1", "localhost", 1), "https://169.254.169.254",
		"https://[::ffff:169.254.169.254]", "https://10.0.0.1", "https://[fd00::1]",
		"https://2130706433", "https://0.0.0.0", "http://metadata.example", "https://user@example.com",
		"https://example.com?x", "ftp://example.com", "x",
	} {
		f.set(f.acme.owner, map[string]any{"issuer": issuer}).refused(t, http.StatusBadRequest, "issuer")
		f.advance(time.Minute) // the checks of a tenant are limited
		equal(t, f.as(f.acme.owner).get(issuerPath).want(t, http.StatusOK), "", "issuer")
	}
	if p.asked != 0 {
		t.Errorf("the console sent %d requests to this machine", p.asked)
	}
}

func TestTenantIssuer_ChecksTheDiscoveryDocument(t *testing.T) {
	t.Parallel()
	f := setupIssuer(t)
	f.stopClock()
	f.set(f.acme.owner, map[string]any{"issuer": f.provider.URL + "/other"}).refused(t, http.StatusBadRequest, "issuer")
	f.provider.set(func() { f.provider.broken = true })
	var last reply
	for range 11 {
		if last = f.set(f.acme.owner, nil); last.StatusCode != http.StatusBadRequest {
			break
		}
	}
	last.refused(t, http.StatusTooManyRequests, "")
	if strings.Contains(last.raw, "broken issuer") {
		t.Errorf("the answer of the issuer is shown: %s", last.raw)
	}
}

func TestTenantIssuer_ConfirmsTheIdentityOfItsUsers(t *testing.T) {
	t.Parallel()
	f := setupIssuer(t)
	f.set(f.acme.owner, map[string]any{"create_members": true, "default_role": "admin"}).want(t, http.StatusOK)
	me := f.enter(person("1", "new@acme.example"))
	f.advance(16 * time.Minute)
	shown := me.get("/api/session/confirmation").want(t, http.StatusOK)
	equal(t, shown, "oidc", "methods", 0)
	equal(t, shown, "/api/session/oidc/confirmation", "oidc", "path")
	response := f.visit("/api/session/oidc/confirmation?return=/members", f.cookieOf(me))
	location, err := response.Location()
	f.must(err)
	f.provider.set(func() {
		f.provider.nonce, f.provider.verifier = location.Query().Get("nonce"), location.Query().Get("code_challenge")
	})
	f.provider.setClaims(map[string]any{"sub": "1", "auth_time": f.now().Unix(), "exp": f.now().Add(time.Hour).Unix(),
		"iat": f.now().Unix()})
	back := f.visit("/api/session/oidc/callback/acme?"+url.Values{"state": {location.Query().Get("state")},
		"code": {goodCode}}.Encode(),
		cookieOf(response, "tollgate_oidc"), f.cookieOf(me))
	if got := back.Header.Get("Location"); got != "/members" {
		t.Fatalf("got a redirect to %s, want /members", got)
	}
	me.post("/api/members", map[string]any{"email": "next@acme.example", "role": "member", "password": password}).
		want(t, http.StatusCreated)
}
