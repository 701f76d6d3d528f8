package session_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/core/claim"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// address stands for the address of the person in the claims of a row.
const address = "ADDRESS"

// providerRow is a sign-in with the claims of a provider.
type providerRow struct {
	name     string
	trust    bool                // whether addresses are trusted that the issuer does not mark
	required []claim.Requirement // claims
	token    map[string]any      // claims of the ID token
	userinfo map[string]any      // of the userinfo endpoint
	want     string              // the query of the sign-in page; "": a session
}

func requires(name string, values ...string) []claim.Requirement {
	return []claim.Requirement{{Claim: name, Values: values}}
}

func with(claims map[string]any, more map[string]any) map[string]any {
	all := maps.Clone(claims)
	maps.Copy(all, more)
	return all
}

// The claims that providers send to a client of the authorization code flow with the scopes openid and email, as their
// documents describe them. docs/identity-providers.md names the documents.
var (
	entra = map[string]any{
		"email": address, "tid": "11111111-1111-4111-8111-111111111111", "oid": "22222222-2222-4222-8222-222222222222",
		"preferred_username": address, "ver": "2.0", "rh": "0.A", "uti": "u",
	}
	entraUserinfo = map[string]any{"email": address, "name": "A B", "family_name": "B", "given_name": "A",
		"picture": "https://graph.microsoft.com/v1.0/me/photo/$value"}
	google = map[string]any{"azp": clientID, "email": address, "email_verified": true,
		"hd": "acme.example", "at_hash": "h"}
	googlePrivate = map[string]any{"azp": clientID, "email": address, "email_verified": true, "at_hash": "h"}
	oktaThin      = map[string]any{"ver": 1, "jti": "ID.x", "amr": []string{"pwd", "mfa"}, "idp": "00o1",
		"auth_time": 1, "at_hash": "h"}
	oktaUserinfo = map[string]any{"email": address, "email_verified": true}
	keycloak     = map[string]any{"azp": clientID, "typ": "ID", "sid": "s", "acr": "1", "email": address,
		"email_verified": true, "preferred_username": "ab"}
	dex = map[string]any{"at_hash": "h", "c_hash": "h", "email": address, "email_verified": true}
	// Entra ID sends it in place of groups to a person with more than 200.
	groupOverage = map[string]any{
		"_claim_names":   map[string]any{"groups": "src1"},
		"_claim_sources": map[string]any{"src1": map[string]any{"endpoint": "https://graph.microsoft.com/v1.0/users/1/getMemberObjects"}},
	}
	noVerification = "error=unverified"
)

func hugeGroups(last string) (groups []string) {
	for i := range 5000 {
		groups = append(groups, fmt.Sprintf("%08d-0000-4000-8000-000000000000", i))
	}
	return append(groups, last)
}

func providerRows() []providerRow {
	return []providerRow{
		{"Entra ID sends nothing about the address", false, nil, entra, entraUserinfo, noVerification},
		{"Entra ID with xms_edov", false, nil, with(entra, map[string]any{"xms_edov": true}), entraUserinfo, ""},
		{"Entra ID with xms_edov as text", false, nil, with(entra, map[string]any{"xms_edov": "true"}), nil, ""},
		{"Entra ID with xms_edov as a number", false, nil, with(entra, map[string]any{"xms_edov": 1}), nil, ""},
		{"Entra ID with xms_edov as the text of a number", false, nil, with(entra, map[string]any{"xms_edov": "1"}),
			nil, ""},
		{"Entra ID with xms_edov false", false, nil, with(entra, map[string]any{"xms_edov": false}), entraUserinfo,
			noVerification},
		{"Entra ID with xms_edov in another spelling", false, nil, with(entra, map[string]any{"XMS_EDOV": true}), nil,
			noVerification},
		{"Entra ID, trusted", true, nil, entra, entraUserinfo, ""},
		{"Entra ID, trusted, with xms_edov false", true, nil, with(entra, map[string]any{"xms_edov": false}),
			entraUserinfo, noVerification},
		{"Entra ID without an address", true, nil, map[string]any{"tid": "t", "preferred_username": address,
			"ver": "2.0"}, map[string]any{}, "error=no_email"},
		{"Entra ID with the address of a foreign domain, trusted", true, nil,
			with(entra, map[string]any{"email": "x@evil.example"}), nil, "error=unknown"},
		{"Entra ID of the tenant", true, requires("tid", "11111111-1111-4111-8111-111111111111"), entra, nil, ""},
		{"Entra ID of another tenant", true, requires("tid", "33333333-3333-4333-8333-333333333333"), entra, nil,
			"claim=tid&error=requirement"},
		{"Entra ID, member", true, requires("acct", "0"), with(entra, map[string]any{"acct": 0}), nil, ""},
		{"Entra ID, guest", true, requires("acct", "0"), with(entra, map[string]any{"acct": 1}), nil,
			"claim=acct&error=requirement"},
		{"Entra ID with roles", true, requires("roles", "Tollgate.User"),
			with(entra, map[string]any{"roles": []string{"Other", "Tollgate.User"}}), nil, ""},
		{"Entra ID with too many groups for the token", true, requires("groups", "g"), with(entra, groupOverage), nil,
			"claim=groups&error=requirement"},
		{"many groups", true, requires("groups", "g"), with(entra, map[string]any{"groups": hugeGroups("g")}), nil, ""},
		{"many groups without the required one", true, requires("groups", "g"),
			with(entra, map[string]any{"groups": hugeGroups("f")}), nil, "claim=groups&error=requirement"},

		{"Google Workspace", false, requires("hd", "acme.example"), google, nil, ""},
		{"another Google Workspace", false, requires("hd", "acme.example"),
			with(google, map[string]any{"hd": "evil.example"}), nil, "claim=hd&error=requirement"},
		{"private Google account", false, requires("hd", "acme.example"), googlePrivate, nil,
			"claim=hd&error=requirement"},
		{"private Google account, hd of userinfo", false, requires("hd", "acme.example"), googlePrivate,
			map[string]any{"hd": "acme.example"}, "claim=hd&error=requirement"},
		{"hd is empty", false, requires("hd", "acme.example"), with(google, map[string]any{"hd": ""}), nil,
			"claim=hd&error=requirement"},

		{"Okta without claims in the ID token", false, nil, oktaThin, oktaUserinfo, ""},
		{"Okta with the address in the ID token only", false, nil, with(oktaThin, map[string]any{"email": address}),
			oktaUserinfo, ""},
		{"Okta, address not verified", true, nil, oktaThin, map[string]any{"email": address, "email_verified": false},
			noVerification},
		{"Okta with the group", false, requires("groups", "tollgate"),
			with(oktaThin, map[string]any{"groups": []string{"Everyone", "tollgate"}}), oktaUserinfo, ""},
		{"Okta without the group", false, requires("groups", "tollgate"),
			with(oktaThin, map[string]any{"groups": []string{"Everyone"}}), oktaUserinfo,
			"claim=groups&error=requirement"},

		{"Keycloak", false, nil, keycloak, nil, ""},
		{"Keycloak, address not verified", false, nil, with(keycloak, map[string]any{"email_verified": false}),
			map[string]any{"email": address, "email_verified": true}, noVerification},
		{"Keycloak, address not verified, trusted", true, nil, with(keycloak, map[string]any{"email_verified": false}),
			nil, noVerification},
		{"Keycloak, address not verified, with an attribute xms_edov", true, nil,
			with(keycloak, map[string]any{"email_verified": false, "xms_edov": true}), nil, noVerification},
		{"Keycloak with the path of the group", false, requires("groups", "/tollgate"),
			with(keycloak, map[string]any{"groups": []string{"/tollgate"}}), nil, ""},
		{"Keycloak with a group of the same name", false, requires("groups", "/tollgate"),
			with(keycloak, map[string]any{"groups": []string{"/other/tollgate"}}), nil,
			"claim=groups&error=requirement"},

		{"GitHub through Dex", false, requires("groups", "acme:gateway"),
			with(dex, map[string]any{"groups": []string{"acme:gateway"}}), nil, ""},
		{"GitHub through Dex, another team", false, requires("groups", "acme:gateway"),
			with(dex, map[string]any{"groups": []string{"acme:other"}}), nil, "claim=groups&error=requirement"},
		{"GitHub through Dex without the scope groups", false, requires("groups", "acme:gateway"), dex, nil,
			"claim=groups&error=requirement"},

		{"userinfo marks another address", false, nil, entra,
			map[string]any{"email": "other@acme.example", "email_verified": true}, noVerification},
		{"userinfo denies the address, trusted", true, nil, entra,
			map[string]any{"email": address, "email_verified": false}, noVerification},
		{"userinfo denies another address, trusted", true, nil, entra,
			map[string]any{"email": "other@acme.example", "email_verified": false}, ""},
		{"email_verified is null, trusted", true, nil, with(entra, map[string]any{"email_verified": nil}), nil, ""},
		{"email_verified is a text, trusted", true, nil, with(entra, map[string]any{"email_verified": "yes"}), nil,
			noVerification},
		{"email_verified is an object, trusted", true, nil,
			with(entra, map[string]any{"email_verified": map[string]any{}}), nil, noVerification},
		{"email is a list", true, nil, with(entra, map[string]any{"email": []string{address}}), nil, "error=rejected"},
	}
}

// claimsFor returns the claims for the person with the address.
func claimsFor(claims map[string]any, email string) map[string]any {
	all := maps.Clone(claims)
	for name, value := range all {
		if value == address {
			all[name] = email
		}
	}
	return all
}

func (r providerRow) check(t *testing.T, p *provider, signIn func(claims map[string]any) *http.Response, email string) {
	t.Helper()
	p.set(func() { p.details = claimsFor(r.userinfo, email) })
	response := signIn(with(claimsFor(r.token, email), map[string]any{"sub": r.name}))
	got, signedIn := response.Header.Get("Location"), cookieOf(response, "tollgate_session") != nil
	if r.want == "" && !signedIn || r.want != "" && (signedIn || got != "/sign-in?"+r.want) {
		t.Errorf("%s: signed in: %v, redirect to %s; want %q", r.name, signedIn, got, r.want)
	}
}

func TestIdentityProviders_SignInThroughThePlatformsIssuer(t *testing.T) {
	t.Parallel()
	f := setupOIDC(t, "acme.example")
	for i, row := range providerRows() {
		f.Config.OIDCTrustEmail, f.Config.OIDCRequiredClaims = row.trust, row.required
		f.Serve()
		if f.scope = ""; strings.Contains(fmt.Sprint(row.required), "groups") {
			f.scope = "openid email groups"
		}
		email := fmt.Sprintf("person-%d@acme.example", i)
		f.User(f.Acme.ID, email, tenant.Member)
		row.check(t, f.provider, f.signIn, email)
	}
}

func TestIdentityProviders_SignInThroughTheIssuerOfATenant(t *testing.T) {
	t.Parallel()
	f := setupIssuer(t)
	for i, row := range providerRows() {
		f.set(f.Acme.Owner, map[string]any{"create_members": true, "trust_email": row.trust,
			"required_claims": row.required}).Want(t, http.StatusOK)
		row.check(t, f.provider, f.signIn, fmt.Sprintf("person-%d@acme.example", i))
	}
}

// A person who is linked loses the sign-in together with the claim, and a confirmation needs the claim too.
func TestRequiredClaims_ApplyToLinkedIdentities(t *testing.T) {
	t.Parallel()
	f := setupOIDC(t, "acme.example")
	f.Config.OIDCRequiredClaims = requires("groups", "staff")
	f.Serve()
	f.scope = "openid email groups"
	linked := map[string]any{"sub": "1", "email": f.Acme.Owner.Email, "email_verified": true,
		"groups": []string{"staff"}}
	me := &consoletest.Client{Stack: f.Stack, Cookie: cookieOf(f.signIn(linked), "tollgate_session").Value}
	f.wants("again", f.signIn(linked), "/usage-logs")
	f.wants("without the group", f.signIn(with(linked, map[string]any{"groups": []string{"secret-group"}})),
		"/sign-in?claim=groups&error=requirement")
	f.wants("without groups", f.signIn(map[string]any{"sub": "1"}), "/sign-in?claim=groups&error=requirement")
	f.Advance(consoletest.ConfirmationLife)
	again := with(linked, map[string]any{"auth_time": f.Now().Unix(), "exp": f.Now().Add(time.Hour).Unix(),
		"iat": f.Now().Unix()})
	if got := f.confirmAs(me, me, with(again, map[string]any{"groups": []string{}})); got !=
		"/confirmed?claim=groups&error=requirement" {
		t.Errorf("confirmation without the group: got %s", got)
	}
	if got := f.confirmAs(me, me, again); got != "/confirmed" {
		t.Errorf("confirmation with the group: got %s", got)
	}
}

// The audit log tells administrators what is missing and which setting allows it, without values of claims.
func TestRefusedClaims_AreInTheAuditLog(t *testing.T) {
	t.Parallel()
	f := setupIssuer(t)
	f.StopClock() // an entry counts the attempts of one minute
	owner := f.As(f.Acme.Owner)
	f.set(f.Acme.Owner, map[string]any{"required_claims": requires("hd", "acme.example")}).Want(t, http.StatusOK)
	f.refusedFor("requirement", map[string]any{"sub": "1", "email": "ceo@acme.example", "hd": "secret.example"})
	f.set(f.Acme.Owner, nil).Want(t, http.StatusOK)
	f.refusedFor("unverified", map[string]any{"sub": "1", "email": "ceo@acme.example"})
	f.refusedFor("unverified", map[string]any{"sub": "1", "email": "ceo@acme.example", "email_verified": false})
	f.refusedFor("no_email", map[string]any{"sub": "1"})
	f.Must(f.App.Stop(t.Context()))
	found := consoletest.Items(t, owner.Get("/api/audit-log?limit=200&action=session.refused").Want(t, http.StatusOK))
	if len(found) != 1 {
		t.Fatalf("got %v, want one entry", found)
	}
	consoletest.Equal(t, found[0], 3.0, "detail", "accounts", "ceo@acme.example")
	raw := fmt.Sprint(found)
	for _, want := range []string{
		"requirement: the claim hd has none of the required values; permit the person at the issuer, or change " +
			"required_claims of the tenant's issuer",
		"unverified: email_verified is missing, or xms_edov of Entra ID; let the issuer send it, or set trust_email " +
			"of the tenant's issuer",
		"unverified: email_verified, or xms_edov of Entra ID, is not true; verify the address at the issuer. No " +
			"setting allows it",
		"no_email: the claim email is missing; let the issuer send it for the scope email",
	} {
		if !strings.Contains(raw, want) {
			t.Errorf("the audit log lacks %q: %s", want, raw)
		}
	}
	if strings.Contains(raw, "secret.example") {
		t.Errorf("the audit log shows the value of the claim: %s", raw)
	}
}

func TestTenantIssuer_ChecksTheSettingsOfClaims(t *testing.T) {
	t.Parallel()
	for kind, database := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			f := setupIssuerOn(t, database(t))
			for _, host := range []string{"login.microsoftonline.com", "LOGIN.microsoftonline.us",
				"login.partner.microsoftonline.cn"} {
				for _, name := range []string{"common", "organizations", "Consumers", "{tenantid}"} {
					r := f.set(f.Acme.Owner, map[string]any{"issuer": "https://" + host + "/" + name + "/v2.0"})
					r.Refused(t, http.StatusBadRequest, "issuer")
					if !strings.Contains(r.Raw, "TENANT_ID") {
						t.Errorf("%s/%s: got %s", host, name, r.Raw)
					}
				}
			}
			f.set(f.Acme.Owner,
				map[string]any{"trust_email": true,
					"issuer": "https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0"}).
				Refused(t, http.StatusBadRequest, "trust_email")
			if f.provider.asked != 0 {
				t.Error("a refused issuer was called")
			}
			for _, wrong := range []any{requires("h d", "x"), requires("hd"), requires("hd", ""),
				append(requires("hd", "x"), requires("hd", "y")...), requires("hd", strings.Repeat("x", 301))} {
				if r := f.set(f.Acme.Owner, map[string]any{"required_claims": wrong}); r.StatusCode !=
					http.StatusBadRequest || !strings.Contains(r.Raw, "required_claims") {
					t.Errorf("%v: got %d %s", wrong, r.StatusCode, r.Raw)
				}
			}
			written := f.set(f.Acme.Owner, map[string]any{"trust_email": true,
				"required_claims": requires("groups", "a", "b")}).Want(t, http.StatusOK)
			consoletest.Equal(t, written, true, "trust_email")
			consoletest.Equal(t, written, "b", "required_claims", 0, "values", 1)
			shown := f.As(f.Acme.Admin).Get(issuerPath).Want(t, http.StatusOK)
			consoletest.Equal(t, shown, "groups", "required_claims", 0, "claim")
			if log := f.As(f.Acme.Owner).Get("/api/audit-log?action=issuer.set").Raw; !strings.Contains(log,
				`"trust_email":true`) ||
				!strings.Contains(log, `"required_claims":[{"claim":"groups","values":["a","b"]}]`) {
				t.Errorf("the audit log lacks the settings: %s", log)
			}
			consoletest.Equal(t, f.set(f.Acme.Owner, nil).Want(t, http.StatusOK), false, "trust_email")
		})
	}
}

// The sessions that the issuer opened might not be permitted any more.
func TestTenantIssuer_EndsItsSessionsWhenRequiredClaimsChange(t *testing.T) {
	t.Parallel()
	f := setupIssuer(t)
	f.set(f.Acme.Owner, nil).Want(t, http.StatusOK)
	me, other := f.enter(person("1", f.Acme.Member.Email)), f.As(f.Acme.Admin)
	f.set(f.Acme.Owner, map[string]any{"trust_email": true}).Want(t, http.StatusOK)
	me.Get("/api/session").Want(t, http.StatusOK)
	f.set(f.Acme.Owner, map[string]any{"required_claims": requires("hd", "acme.example")}).Want(t, http.StatusOK)
	me.Get("/api/session").Refused(t, http.StatusUnauthorized, "")
	other.Get("/api/session").Want(t, http.StatusOK) // it did not come from the issuer
	f.refusedFor("requirement", person("1", f.Acme.Member.Email))
	me = f.enter(with(person("1", f.Acme.Member.Email), map[string]any{"hd": "acme.example"}))
	f.set(f.Acme.Owner, map[string]any{"create_members": true, "required_claims": requires("hd", "acme.example")}).
		Want(t, http.StatusOK)
	me.Get("/api/session").Want(t, http.StatusOK)
}

// A tenant that trusts every address of its issuer signs in to accounts of its own, whatever the issuer says.
func TestTenantIssuer_TrustsAddressesForItsTenantOnly(t *testing.T) {
	t.Parallel()
	f := setupIssuer(t)
	f.set(f.Acme.Owner, map[string]any{
		"trust_email": true, "create_members": true,
		"domains": []string{"acme.example", "globex.example", "example.com"},
	}).Want(t, http.StatusOK)
	for i, victim := range []tenant.User{f.Globex.Owner, f.Globex.Member, f.Operator} {
		for n, claims := range []map[string]any{{}, {"xms_edov": true}, {"email_verified": true}} {
			subject := fmt.Sprint("s", i, n)
			response := f.signIn(with(claims, map[string]any{"sub": subject, "email": victim.Email}))
			if cookieOf(response, "tollgate_device") != nil {
				t.Errorf("%s: the browser became a known device", victim.Email)
			}
			cookie := cookieOf(response, "tollgate_session")
			if cookie == nil {
				continue // another person at the issuer has the address
			}
			me := (&consoletest.Client{Stack: f.Stack, Cookie: cookie.Value}).Get("/api/session").Want(t, http.StatusOK)
			consoletest.Equal(t, me, "acme", "tenant", "slug")
			consoletest.Equal(t, me, "member", "user", "role")
		}
		f.Anonymous().Post("/api/session", map[string]any{"email": victim.Email, "password": consoletest.Password}).
			Want(t, http.StatusOK)
	}
}

// Both kinds of issuers at once: what a tenant trusts does not count at the platform's issuer.
func TestPlatformIssuer_DoesNotTrustWhatATenantTrusts(t *testing.T) {
	t.Parallel()
	platform := setupOIDC(t, "acme.example")
	platform.Config.EgressAllow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	platform.Serve()
	f := &issuerStack{Stack: platform.Stack, provider: platform.provider}
	f.set(f.Acme.Owner, map[string]any{"trust_email": true}).Want(t, http.StatusOK)
	platform.wants("platform", platform.signIn(map[string]any{"sub": "1", "email": f.Acme.Owner.Email}),
		"/sign-in?error=unverified")
}

// The console reads at most 1 MiB of a response.
func TestOIDC_RefusesATooLargeToken(t *testing.T) {
	t.Parallel()
	f := setupOIDC(t)
	response := f.signIn(with(verified(f.Acme.Owner.Email),
		map[string]any{"groups": []string{strings.Repeat("x", 2<<20)}}))
	if got := response.Header.Get("Location"); got != "/sign-in?error=rejected" ||
		cookieOf(response, "tollgate_session") != nil {
		t.Errorf("got %s", got)
	}
}

// A failing userinfo endpoint must not make an address trusted: it might deny it.
func TestOIDC_AsksUserinfoBeforeItTrustsAnAddress(t *testing.T) {
	t.Parallel()
	f := setupOIDC(t, "acme.example")
	f.Config.OIDCTrustEmail = true
	f.Serve()
	f.provider.set(func() { f.provider.details = map[string]any{"email": 1} })
	f.wants("malformed userinfo", f.signIn(map[string]any{"sub": "1", "email": f.Acme.Owner.Email}),
		"/sign-in?error=unavailable")
	f.provider.set(func() { f.provider.details = nil })
	f.wants("userinfo has no address", f.signIn(map[string]any{"sub": "1", "email": f.Acme.Owner.Email}), "/usage-logs")
	f.provider.set(func() { f.provider.details = map[string]any{"email": 1} })
	f.wants("a linked person needs no userinfo", f.signIn(map[string]any{"sub": "1", "email": f.Acme.Owner.Email}),
		"/usage-logs")
}
