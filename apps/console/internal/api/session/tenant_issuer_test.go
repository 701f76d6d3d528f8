package session_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
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
	*consoletest.Stack
	provider *provider
}

// setupIssuer returns a stack in which acme has not set its issuer yet.
func setupIssuer(t *testing.T) *issuerStack { return setupIssuerOn(t, storetest.SQLite(t)) }

func setupIssuerOn(t *testing.T, database string) *issuerStack {
	t.Helper()
	p := newProvider(t)
	p.redirect += "/acme"
	s := consoletest.SetupFor(t, database, config.Config{ConsoleURL: "http://localhost:8081",
		EgressAllow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	return &issuerStack{Stack: s, provider: p}
}

// settings returns the settings of acme's issuer with the changes.
func (f *issuerStack) settings(changes map[string]any) map[string]any {
	all := map[string]any{"issuer": f.provider.URL, "client_id": clientID, "client_secret": clientSecret,
		"domains": []string{"acme.example"}}
	maps.Copy(all, changes)
	return all
}

// set sets the issuer of the user's tenant.
func (f *issuerStack) set(who tenant.User, changes map[string]any) consoletest.Reply {
	f.Helper()
	return f.As(who).Do(http.MethodPut, issuerPath, f.settings(changes))
}

// begin starts a sign-in with the query, and passes the nonce and the challenge to the provider.
func (f *issuerStack) begin(query string) (state string, flow *http.Cookie) {
	f.Helper()
	response := visit(f.Stack, "/api/session/oidc?return=/usage-logs&"+query)
	location, err := response.Location()
	f.Must(err)
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
	return visit(f.Stack, "/api/session/oidc/callback/acme?"+url.Values{"state": {state}, "code": {goodCode}}.Encode(),
		flow)
}

// person returns the claims of an account at the issuer whose address is verified.
func person(subject, email string) map[string]any {
	return map[string]any{"sub": subject, "email": email, "email_verified": true}
}

// enter signs in and returns the client with the new session.
func (f *issuerStack) enter(claims map[string]any) *consoletest.Client {
	f.Helper()
	response := f.signIn(claims)
	cookie := cookieOf(response, "tollgate_session")
	if cookie == nil {
		f.Fatalf("%v: got a redirect to %s, want a session", claims, response.Header.Get("Location"))
	}
	return &consoletest.Client{Stack: f.Stack, Cookie: cookie.Value}
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
			f.set(f.Acme.Owner, map[string]any{"domains": []string{"ACME.example", "globex.example"}}).
				Want(t, http.StatusOK)
			own := f.enter(person("1", "Member@Acme.example")).Get("/api/session").Want(t, http.StatusOK)
			consoletest.Equal(t, own, f.Acme.Member.ID.String(), "user", "id")

			// The address belongs to a member of another tenant.
			f.refusedFor("unknown", person("2", f.Globex.Member.Email))
			f.set(f.Acme.Owner, map[string]any{"domains": []string{"acme.example", "globex.example"},
				"create_members": true}).Want(t, http.StatusOK)
			response := f.signIn(person("2", f.Globex.Member.Email))
			if cookieOf(response, "tollgate_device") != nil {
				t.Error("the browser became a known device of another tenant's account")
			}
			claimed := (&consoletest.Client{Stack: f.Stack, Cookie: cookieOf(response, "tollgate_session").Value}).Get(
				"/api/session").Want(t, http.StatusOK)
			consoletest.Equal(t, claimed, "acme", "tenant", "slug")
			consoletest.Equal(t, claimed, "member", "user", "role")
			if consoletest.At(t, claimed, "user", "id") == f.Globex.Member.ID.String() {
				t.Error("acme's issuer signed in to an account of globex")
			}
			signedIn := f.Anonymous().Post("/api/session",
				map[string]any{"email": f.Globex.Member.Email, "password": consoletest.Password}).Want(t, http.StatusOK)
			consoletest.Equal(t, signedIn, f.Globex.Member.ID.String(), "user", "id")
			again := f.enter(person("2", "")).Get("/api/session").Want(t, http.StatusOK)
			consoletest.Equal(t, again, consoletest.At(t, claimed, "user", "id"), "user", "id")
		})
	}
}

// Both tenants, and the platform, may use the same issuer. Its subjects are different people for each.
func TestTenantIssuer_SharesNoAccountsWithAnotherUseOfTheSameIssuer(t *testing.T) {
	t.Parallel()
	f := setupIssuer(t)
	f.Must(f.Store.Signin.LinkIdentity(t.Context(), consoletest.System,
		signin.Identity{UserID: f.Globex.Owner.ID, Issuer: f.provider.URL, Subject: "1"}))
	f.Must(f.Store.Signin.LinkIdentity(t.Context(), consoletest.System,
		signin.Identity{UserID: f.Globex.Admin.ID, Issuer: f.provider.URL, OfTenant: true, Subject: "2"}))
	f.Must(f.Store.Signin.LinkIdentity(t.Context(), consoletest.System,
		signin.Identity{UserID: f.Operator.ID, Issuer: f.provider.URL, Subject: "3"}))
	f.set(f.Acme.Owner, map[string]any{"domains": []string{"acme.example", "globex.example", "example.com"}}).
		Want(t, http.StatusOK)
	f.refusedFor("unknown", person("1", f.Globex.Owner.Email))
	f.refusedFor("unknown", person("2", f.Globex.Admin.Email))
	f.refusedFor("unknown", person("3", f.Operator.Email))
}

// An issuer that sends the browser to another issuer must not receive the code of that one.
func TestTenantIssuer_HasACallbackOfItsOwn(t *testing.T) {
	t.Parallel()
	f := setupIssuer(t)
	f.set(f.Acme.Owner, nil).Want(t, http.StatusOK)
	f.provider.setClaims(person("1", f.Acme.Member.Email))
	for _, path := range []string{"", "/globex", "/acme/"} {
		state, flow := f.begin("tenant=acme")
		response := visit(f.Stack, "/api/session/oidc/callback"+path+"?"+
			url.Values{"state": {state}, "code": {goodCode}}.Encode(), flow)
		if cookieOf(response, "tollgate_session") != nil {
			t.Errorf("callback%s opened a session", path)
		}
	}
	state, flow := f.begin("tenant=acme")
	response := visit(f.Stack, "/api/session/oidc/callback/acme?"+url.Values{"state": {state}, "code": {goodCode},
		"iss": {"https://other.example"}}.Encode(), flow)
	if got := response.Header.Get("Location"); got != "/sign-in?error=rejected" {
		t.Errorf("response of another issuer: got a redirect to %s", got)
	}
}

// Without a code, no issuer is looked up, not even one that is gone.
func TestTenantIssuer_LooksForTheCodeFirst(t *testing.T) {
	t.Parallel()
	f := setupIssuer(t)
	f.set(f.Acme.Owner, nil).Want(t, http.StatusOK)
	state, flow := f.begin("tenant=acme")
	f.As(f.Acme.Owner).Do(http.MethodDelete, issuerPath, nil).Want(t, http.StatusNoContent)
	for query, want := range map[string]string{"": "denied", "&code=" + goodCode: "no_issuer"} {
		got := visit(f.Stack, "/api/session/oidc/callback/acme?state="+state+query, flow).Header.Get("Location")
		if got != "/sign-in?error="+want {
			t.Errorf("query %q: got a redirect to %s, want the reason %s", query, got, want)
		}
	}
}

func TestTenantIssuer_AuditLogHasTheSettingsBefore(t *testing.T) {
	t.Parallel()
	f := setupIssuer(t)
	f.set(f.Acme.Owner, nil).Want(t, http.StatusOK)
	f.set(f.Acme.Owner, map[string]any{"domains": []string{"acme.example", "sub.acme.example"}, "enforced": true}).
		Want(t, http.StatusOK)
	for _, domains := range [][]string{{"acme.example"}, {}} {
		f.As(f.Operator).Patch("/api/operator/tenants/"+f.Acme.ID.String()+"/issuer",
			map[string]any{"approved_domains": domains}).Want(t, http.StatusOK)
	}
	newest := func(action string) any {
		return consoletest.Items(t, f.As(f.Acme.Owner).Get("/api/audit-log?action="+action).Want(t, http.StatusOK))[0]
	}
	set := newest("issuer.set")
	consoletest.Equal(t, set, "sub.acme.example", "detail", "domains", 1)
	if got := fmt.Sprint(consoletest.At(t, set, "before", "domains")); got != "[acme.example]" {
		t.Errorf("got the domains %s before, want [acme.example]", got)
	}
	consoletest.Equal(t, set, true, "detail", "enforced")
	consoletest.Equal(t, set, false, "before", "enforced")
	consoletest.Equal(t, newest("issuer.approve"), "acme.example", "before", "approved_domains", 0)
}

func TestTenantIssuer_MakesMembersAtTheFirstSignIn(t *testing.T) {
	t.Parallel()
	f := setupIssuer(t)
	f.set(f.Acme.Owner, map[string]any{"create_members": true, "default_role": "owner"}).
		Refused(t, http.StatusBadRequest, "default_role")
	f.set(f.Acme.Owner, map[string]any{"domains": []string{"not a domain"}}).
		Refused(t, http.StatusBadRequest, "domains")
	f.set(f.Acme.Owner, map[string]any{"domains": []string{}}).Refused(t, http.StatusBadRequest, "domains")
	f.set(f.Acme.Owner, map[string]any{"create_members": true, "default_role": "admin"}).Want(t, http.StatusOK)
	f.refusedFor("unverified", map[string]any{"sub": "1", "email": "new@acme.example", "email_verified": false})
	f.refusedFor("unknown", person("1", "new@evil.example"))
	f.refusedFor("unknown", person("1", "new@sub.acme.example"))
	f.refusedFor("rejected", map[string]any{"sub": "1", "email": "new@acme.example", "email_verified": true,
		"azp": "another client"})

	made := f.enter(person("1", "New@Acme.example")).Get("/api/session").Want(t, http.StatusOK)
	consoletest.Equal(t, made, "new@acme.example", "user", "email")
	consoletest.Equal(t, made, "admin", "user", "role")
	consoletest.Equal(t, made, "acme", "tenant", "slug")
	found := consoletest.Items(t, f.As(f.Acme.Owner).Get("/api/members?search=new@acme.example").Want(t, http.StatusOK))
	if len(found) != 1 || consoletest.At(t, found[0], "group_id") != f.Group.ID.String() {
		t.Errorf("got members %v, want one in the default group", found)
	}
	f.refusedFor("taken", person("2", "new@acme.example")) // another person at the issuer
	log := f.As(f.Acme.Owner).Get("/api/audit-log")
	for _, action := range []string{"issuer.set", "user.create", "identity.link", "tenant_issuer"} {
		if !strings.Contains(log.Raw, action) {
			t.Errorf("the audit log lacks %s", action)
		}
	}
}

func TestTenantIssuer_AcceptsTheInvitationOfItsTenant(t *testing.T) {
	t.Parallel()
	f := setupIssuer(t)
	f.set(f.Acme.Owner, map[string]any{"domains": []string{"acme.example", "globex.example"}}).Want(t, http.StatusOK)
	secret := seal.NewSecret()
	_, err := f.Store.Identity.CreateInvitation(t.Context(), storetest.Confirmed(tenant.ScopeOf(f.Acme.Owner)),
		identity.NewInvitation{
			TenantID: f.Acme.ID, Email: "second@acme.example", Role: tenant.Owner, Hash: secret.Hash,
			ExpiresAt: time.Now().Add(time.Hour),
		})
	f.Must(err)
	made := f.enter(person("1", "second@acme.example")).Get("/api/session").Want(t, http.StatusOK)
	consoletest.Equal(t, made, "owner", "user", "role")
	f.Anonymous().Post("/api/invitations/lookup", map[string]any{"secret": secret.Value}).
		Refused(t, http.StatusNotFound, "")
	f.refusedFor("unknown", person("2", f.Globex.Invitation.Email))
}

// A person of the tenant made the account and may know its password. The issuer's statement takes the account over.
func TestTenantIssuer_TakesOverAnAccountThatAnotherPersonMade(t *testing.T) {
	t.Parallel()
	f := setupIssuer(t)
	f.set(f.Acme.Owner, nil).Want(t, http.StatusOK)
	f.As(f.Acme.Admin).Post("/api/members", map[string]any{"email": "ceo@acme.example",
		"password": consoletest.Password, "role": "member"}).Want(t, http.StatusCreated)
	f.enter(person("1", "ceo@acme.example")).Get("/api/session").Want(t, http.StatusOK)
	f.Anonymous().Post("/api/session", map[string]any{"email": "ceo@acme.example", "password": consoletest.Password}).
		Refused(t, http.StatusUnauthorized, "")
}

func TestTenantIssuer_Enforced(t *testing.T) {
	t.Parallel()
	f := setupIssuer(t)
	member, admin, owner, stranger := f.As(f.Acme.Member), f.As(f.Acme.Admin), f.As(f.Acme.Owner), f.As(f.Globex.Member)
	owner.Do(http.MethodPut, issuerPath, f.settings(map[string]any{"enforced": true})).Want(t, http.StatusOK)
	member.Get("/api/session").Refused(t, http.StatusUnauthorized, "")
	admin.Get("/api/session").Refused(t, http.StatusUnauthorized, "")
	owner.Get("/api/session").Want(t, http.StatusOK)
	stranger.Get("/api/session").Want(t, http.StatusOK)

	signIn := func(email string) consoletest.Reply {
		return f.Anonymous().Post("/api/session", map[string]any{"email": email, "password": consoletest.Password})
	}
	signIn(f.Acme.Member.Email).Refused(t, http.StatusForbidden, "")
	signIn(f.Acme.Admin.Email).Refused(t, http.StatusForbidden, "")
	signIn(f.Acme.Owner.Email).Want(t, http.StatusOK) // owners mend the settings when the issuer fails
	f.As(f.Acme.Member).Get("/api/session").Refused(t, http.StatusUnauthorized, "")
	wrong := f.Anonymous().
		Post("/api/session", map[string]any{"email": f.Acme.Member.Email, "password": "wrong horse battery"})
	wrong.Refused(t, http.StatusUnauthorized, "") // only who knows the password learns of the rule

	me := f.enter(person("1", f.Acme.Member.Email))
	me.Get("/api/session").Want(t, http.StatusOK)
	changed := me.Post("/api/session/password", map[string]any{"old_password": consoletest.Password,
		"new_password": consoletest.NewPassword})
	changed.Want(t, http.StatusNoContent)
	me = &consoletest.Client{Stack: f.Stack, Cookie: cookieOf(changed.Response, "tollgate_session").Value}
	me.Get("/api/session").Want(t, http.StatusOK)
	owner.Do(http.MethodPut, issuerPath, f.settings(map[string]any{"client_secret": "", "client_id": "another"})).
		Refused(t, http.StatusBadRequest, "client_secret")
	owner.Do(http.MethodDelete, issuerPath, nil).Want(t, http.StatusNoContent)
	me.Get("/api/session").Refused(t, http.StatusUnauthorized, "")
	f.Anonymous().Post("/api/session", map[string]any{"email": f.Acme.Member.Email,
		"password": consoletest.NewPassword}).
		Want(t, http.StatusOK)
	consoletest.Equal(t, owner.Get(issuerPath).Want(t, http.StatusOK), "", "issuer")
	consoletest.Equal(t, owner.Get(issuerPath).Want(t, http.StatusOK), false, "enforced")
}

func TestTenantIssuer_EnforcedRefusesThePlatformsIssuerAndInvitations(t *testing.T) {
	t.Parallel()
	platform := setupOIDC(t)
	platform.Config.EgressAllow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	platform.Serve()
	f := &issuerStack{Stack: platform.Stack, provider: newProvider(t)}
	f.set(f.Acme.Owner, map[string]any{"enforced": true}).Want(t, http.StatusOK)
	platform.wants("member", platform.signIn(verified(f.Acme.Member.Email)), "/sign-in?error=enforced")
	platform.wants("owner",
		platform.signIn(map[string]any{"sub": "2", "email": f.Acme.Owner.Email, "email_verified": true}), "/usage-logs")

	secret := seal.NewSecret()
	_, err := f.Store.Identity.CreateInvitation(t.Context(), storetest.Confirmed(tenant.ScopeOf(f.Acme.Owner)),
		identity.NewInvitation{
			TenantID: f.Acme.ID, Email: "second@acme.example", Role: tenant.Member, Hash: secret.Hash,
			ExpiresAt: time.Now().Add(time.Hour),
		})
	f.Must(err)
	f.Anonymous().Post("/api/invitations/accept", map[string]any{"secret": secret.Value,
		"password": "another horse battery"}).Refused(t, http.StatusConflict, "")
}

func TestTenantIssuer_IsFoundByAnApprovedDomainOnly(t *testing.T) {
	t.Parallel()
	f := setupIssuer(t)
	consoletest.Equal(t, f.Anonymous().Get("/api/session/methods").Want(t, http.StatusOK), false, "tenant_issuers")
	f.set(f.Acme.Owner, nil).Want(t, http.StatusOK)
	f.set(f.Globex.Owner, nil).Want(t, http.StatusOK) // names acme's domain too, and does not learn that acme has it
	consoletest.Equal(t, f.Anonymous().Get("/api/session/methods").Want(t, http.StatusOK), true, "tenant_issuers")
	none := func(query string) {
		t.Helper()
		if got := visit(f.Stack, "/api/session/oidc?"+query).Header.Get("Location"); got != "/sign-in?error=no_issuer" {
			t.Errorf("%s: got a redirect to %s", query, got)
		}
	}
	none("domain=acme.example")
	none("domain=nobody.example")
	none("tenant=nobody")

	of := func(c consoletest.Company) string { return "/api/operator/tenants/" + c.ID.String() + "/issuer" }
	operator, approval := f.As(f.Operator), map[string]any{"approved_domains": []string{"acme.example"}}
	operator.Patch(of(f.Acme), map[string]any{"approved_domains": []string{"globex.example"}}).
		Refused(t, http.StatusBadRequest, "approved_domains")
	approved := operator.Patch(of(f.Acme), approval).Want(t, http.StatusOK)
	consoletest.Equal(t, approved, true, "domains", 0, "approved")
	operator.Patch(of(f.Globex), approval).Refused(t, http.StatusConflict, "approved_domains")
	f.As(f.Acme.Owner).Patch(of(f.Acme), approval).Refused(t, http.StatusForbidden, "")
	f.begin("domain=ACME.example")

	// A page of another site cannot begin the sign-in.
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, f.URL+"/api/session/oidc?tenant=acme", nil)
	f.Must(err)
	request.Header.Set("Sec-Fetch-Site", "cross-site")
	response, err := http.DefaultTransport.RoundTrip(request)
	f.Must(err)
	f.Must(response.Body.Close())
	if got := response.Header.Get("Location"); got != "/sign-in?tenant=acme" {
		t.Errorf("cross-site: got a redirect to %s", got)
	}

	f.As(f.Acme.Owner).Do(http.MethodDelete, issuerPath, nil).Want(t, http.StatusNoContent)
	none("domain=acme.example")
	operator.Patch(of(f.Globex), approval).Want(t, http.StatusOK)
}

func TestTenantIssuer_IsSetByOwnersWhoConfirmed(t *testing.T) {
	t.Parallel()
	f := setupIssuer(t)
	f.set(f.Acme.Member, nil).Refused(t, http.StatusForbidden, "")
	f.set(f.Acme.Admin, nil).Refused(t, http.StatusForbidden, "")
	f.set(f.Operator, nil).Refused(t, http.StatusForbidden, "")
	_, key := f.AccessKey(f.Acme.Owner)
	program := &consoletest.Client{Stack: f.Stack, Key: key}
	program.Do(http.MethodPut, issuerPath, f.settings(nil)).Refused(t, http.StatusForbidden, "")
	program.Get(issuerPath).Refused(t, http.StatusForbidden, "")
	if f.provider.asked != 0 {
		t.Error("refused callers made the console call the issuer")
	}
	owner := f.As(f.Acme.Owner)
	f.Advance(16 * time.Minute)
	late := owner.Do(http.MethodPut, issuerPath, f.settings(nil))
	late.Refused(t, http.StatusForbidden, "")
	if !strings.Contains(late.Raw, "confirmation_required") {
		t.Errorf("got %s, want confirmation_required", late.Raw)
	}
	owner.Do(http.MethodDelete, issuerPath, nil).Refused(t, http.StatusForbidden, "")
}

// Each client of an issuer had sign-ins in progress of its own, so an owner who changed the client again and again took
// them from all other tenants.
func TestTenantIssuer_IsChangedAFewTimesOnly(t *testing.T) {
	t.Parallel()
	f := setupIssuer(t)
	f.set(f.Acme.Owner, nil).Want(t, http.StatusOK)
	changed := 0
	for i := range 20 {
		r := f.set(f.Acme.Owner, map[string]any{"client_id": fmt.Sprint("client-", i)})
		if r.StatusCode == http.StatusTooManyRequests {
			break
		}
		r.Want(t, http.StatusOK)
		changed++
	}
	if changed > 10 {
		t.Errorf("the client was changed %d times at once, want at most 10", changed)
	}
	// The same client.
	f.set(f.Acme.Owner, map[string]any{"client_id": fmt.Sprint("client-", changed-1), "create_members": true}).
		Want(t, http.StatusOK)
}

func TestTenantIssuer_NeverReturnsItsSecret(t *testing.T) {
	t.Parallel()
	f := setupIssuer(t)
	written := f.set(f.Acme.Owner, nil)
	consoletest.Equal(t, written.Want(t, http.StatusOK), "http://localhost:8081/api/session/oidc/callback/acme",
		"redirect_uri")
	operator, owner := f.As(f.Operator), f.As(f.Acme.Owner)
	for _, r := range []consoletest.Reply{
		written, owner.Get(issuerPath), f.As(f.Acme.Admin).Get(issuerPath), owner.Get("/api/audit-log"),
		operator.Get("/api/operator/tenants/" + f.Acme.ID.String() + "/issuer"),
		operator.Get("/api/operator/audit-log"),
	} {
		r.Want(t, http.StatusOK)
		if strings.Contains(r.Raw, clientSecret) || !strings.Contains(r.Raw, f.provider.URL) {
			t.Errorf("%s shows the secret or not the issuer: %s", r.Request.URL.Path, r.Raw)
		}
	}
	f.As(f.Acme.Member).Get(issuerPath).Refused(t, http.StatusForbidden, "")
	consoletest.Equal(t, f.As(f.Globex.Owner).Get(issuerPath).Want(t, http.StatusOK), "", "issuer")

	// The stored secret goes to no other issuer and no other client.
	other := newProvider(t)
	kept := f.settings(nil)
	delete(kept, "client_secret")
	owner.Do(http.MethodPut, issuerPath, kept).Want(t, http.StatusOK)
	f.enter(person("1", f.Acme.Member.Email))
	kept["client_id"] = "another"
	owner.Do(http.MethodPut, issuerPath, kept).Refused(t, http.StatusBadRequest, "client_secret")
	kept["client_id"], kept["issuer"] = clientID, other.URL
	owner.Do(http.MethodPut, issuerPath, kept).Refused(t, http.StatusBadRequest, "client_secret")
}

func TestTenantIssuer_RefusesAddressesThatAreNotPublic(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	s := consoletest.Setup(t)
	f := &issuerStack{Stack: s, provider: p}
	for _, issuer := range []string{
		p.URL, strings.Replace(p.URL, "127.0.0.1", "localhost", 1), "https://169.254.169.254",
		"https://[::ffff:169.254.169.254]", "https://10.0.0.1", "https://[fd00::1]",
		"https://2130706433", "https://0.0.0.0", "http://metadata.example", "https://user@example.com",
		"https://example.com?x", "ftp://example.com", "x",
	} {
		f.set(f.Acme.Owner, map[string]any{"issuer": issuer}).Refused(t, http.StatusBadRequest, "issuer")
		f.Advance(time.Minute) // the checks of a tenant are limited
		consoletest.Equal(t, f.As(f.Acme.Owner).Get(issuerPath).Want(t, http.StatusOK), "", "issuer")
	}
	if p.asked != 0 {
		t.Errorf("the console sent %d requests to this machine", p.asked)
	}
}

func TestTenantIssuer_ChecksTheDiscoveryDocument(t *testing.T) {
	t.Parallel()
	f := setupIssuer(t)
	f.StopClock()
	f.set(f.Acme.Owner, map[string]any{"issuer": f.provider.URL + "/other"}).Refused(t, http.StatusBadRequest, "issuer")
	f.provider.set(func() { f.provider.broken = true })
	var last consoletest.Reply
	for range 11 {
		if last = f.set(f.Acme.Owner, nil); last.StatusCode != http.StatusBadRequest {
			break
		}
	}
	last.Refused(t, http.StatusTooManyRequests, "")
	if strings.Contains(last.Raw, "broken issuer") {
		t.Errorf("the answer of the issuer is shown: %s", last.Raw)
	}
}

func TestTenantIssuer_ConfirmsTheIdentityOfItsUsers(t *testing.T) {
	t.Parallel()
	f := setupIssuer(t)
	f.set(f.Acme.Owner, map[string]any{"create_members": true, "default_role": "admin"}).Want(t, http.StatusOK)
	me := f.enter(person("1", "new@acme.example"))
	f.Advance(16 * time.Minute)
	shown := me.Get("/api/session/confirmation").Want(t, http.StatusOK)
	consoletest.Equal(t, shown, "oidc", "methods", 0)
	consoletest.Equal(t, shown, "/api/session/oidc/confirmation", "oidc", "path")
	response := visit(f.Stack, "/api/session/oidc/confirmation?return=/members", ownCookie(f.Stack, me))
	location, err := response.Location()
	f.Must(err)
	f.provider.set(func() {
		f.provider.nonce, f.provider.verifier = location.Query().Get("nonce"), location.Query().Get("code_challenge")
	})
	f.provider.setClaims(map[string]any{"sub": "1", "auth_time": f.Now().Unix(), "exp": f.Now().Add(time.Hour).Unix(),
		"iat": f.Now().Unix()})
	back := visit(f.Stack, "/api/session/oidc/callback/acme?"+url.Values{"state": {location.Query().Get("state")},
		"code": {goodCode}}.Encode(),
		cookieOf(response, "tollgate_oidc"), ownCookie(f.Stack, me))
	if got := back.Header.Get("Location"); got != "/members" {
		t.Fatalf("got a redirect to %s, want /members", got)
	}
	me.Post("/api/members", map[string]any{"email": "next@acme.example", "role": "member",
		"password": consoletest.Password}).
		Want(t, http.StatusCreated)
}
