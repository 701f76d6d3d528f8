package config

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestConsoleURL_IsDerivedInStandalone(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		address, given, want string
	}{
		{"127.0.0.1:8081", "", "http://localhost:8081"},
		{"[::1]:80", "", "http://localhost:80"},
		{":8081", "", "http://localhost:8081"},
		{"0.0.0.0:8081", "", "http://localhost:8081"},
		{"192.0.2.1:8081", "", "http://192.0.2.1:8081"},
		{"console.internal:8081", "", "http://console.internal:8081"},
		{"127.0.0.1:0", "", ""},
		{"127.0.0.1:8081", "https://console.example.com/", "https://console.example.com"},
		{"127.0.0.1:8081", "http://[2001:db8::1]:9000", "http://[2001:db8::1]:9000"},
	} {
		c, err := Load(Standalone,
			[]string{"TOLLGATE_CONSOLE_ADDR=" + row.address, "TOLLGATE_CONSOLE_URL=" + row.given})
		if err != nil || c.ConsoleURL != row.want {
			t.Errorf("%s and %q: %q, %v; want %q", row.address, row.given, c.ConsoleURL, err, row.want)
		}
	}
	c, err := Load(Console, []string{postgresURL, "TOLLGATE_SECRET_KEY=" + key})
	if err != nil || c.ConsoleURL != "" {
		t.Errorf("console without the variable has the URL %q, %v, want none", c.ConsoleURL, err)
	}
}

// standalone sets the URL when it listens. Variables that need the URL must be accepted before that.
func TestConsoleURL_IsNotRequiredIfThePortIsZero(t *testing.T) {
	t.Parallel()
	_, err := Load(Standalone, []string{
		"TOLLGATE_CONSOLE_ADDR=127.0.0.1:0", "TOLLGATE_SMTP_URL=smtp://127.0.0.1:25", "TOLLGATE_MAIL_FROM=a@b.example",
		"TOLLGATE_OIDC_ISSUER=https://id.example", "TOLLGATE_OIDC_CLIENT_ID=a", "TOLLGATE_OIDC_CLIENT_SECRET=b",
	})
	if err != nil {
		t.Error(err)
	}
}

func TestConsoleURL_RefusesMalformedURLs(t *testing.T) {
	t.Parallel()
	for _, given := range []string{
		"console.example.com", "ftp://console.example.com", "https://", "https://x.example/console",
		"https://x.example?a=b", "https://x.example/?",
		"https://x.example#a", "https://user@x.example", "https://x.example:99999", "https:x.example", "//x.example",
	} {
		_, err := Load(Standalone, []string{"TOLLGATE_CONSOLE_URL=" + given})
		want := []string{"TOLLGATE_CONSOLE_URL: must be http://... or https://..., with host and port only"}
		if diff := cmp.Diff(want, faultsOf(t, err)); diff != "" {
			t.Errorf("%s: %s", given, diff)
		}
	}
}

func TestOIDC_RequiresAllItsVariables(t *testing.T) {
	t.Parallel()
	base := []string{postgresURL, "TOLLGATE_SECRET_KEY=" + key}
	with := func(some []string, more ...string) []string { return slices.Concat(some, more) }
	whole := with(base, "TOLLGATE_CONSOLE_URL=https://x.example", "TOLLGATE_OIDC_ISSUER=https://id.example/realm",
		"TOLLGATE_OIDC_CLIENT_ID=tollgate", "TOLLGATE_OIDC_CLIENT_SECRET=s",
		"TOLLGATE_OIDC_DOMAINS=a.example,b.example")
	c, err := Load(Console, whole)
	if err != nil || len(c.OIDCDomains) != 2 || c.OIDCName != "Single sign-on" {
		t.Errorf("%+v, %v", c.OIDCDomains, err)
	}
	const required = ": is required for sign-in by OpenID Connect"
	const shared = "TOLLGATE_OIDC_ISSUER: " + sharedIssuer
	const public = "TOLLGATE_OIDC_TRUST_EMAIL: must not be true for an issuer at which anybody can have an account"
	const must = "TOLLGATE_OIDC_ISSUER: must be https://..., or http://... on this machine, without query"
	for _, row := range []struct {
		name  string
		given []string
		want  []string
	}{
		{"only the issuer", with(base, "TOLLGATE_OIDC_ISSUER=https://id.example"), []string{
			"TOLLGATE_CONSOLE_URL" + required, "TOLLGATE_OIDC_CLIENT_ID" + required,
			"TOLLGATE_OIDC_CLIENT_SECRET" + required,
		}},
		{"only the client id", with(base, "TOLLGATE_CONSOLE_URL=https://x.example",
			"TOLLGATE_OIDC_CLIENT_ID=a"), []string{
			"TOLLGATE_OIDC_ISSUER" + required, "TOLLGATE_OIDC_CLIENT_SECRET" + required,
		}},
		{"issuer without TLS", with(whole, "TOLLGATE_OIDC_ISSUER=http://id.example"), []string{must}},
		{"issuer with a query", with(whole, "TOLLGATE_OIDC_ISSUER=https://id.example?a=b"), []string{must}},
		{"issuer on this machine", with(whole, "TOLLGATE_OIDC_ISSUER=http://127.0.0.1:5556/dex"), nil},
		{"an address in place of a domain", with(whole, "TOLLGATE_OIDC_DOMAINS=a@b.example"), []string{
			"TOLLGATE_OIDC_DOMAINS: must be domains such as example.com, separated by commas",
		}},
		{"one Entra ID tenant whose addresses are trusted", with(whole, "TOLLGATE_OIDC_TRUST_EMAIL=true",
			"TOLLGATE_OIDC_ISSUER=https://login.microsoftonline.com/11111111-1111-4111-8111-111111111111/v2.0"), nil},
		{"all Entra ID tenants", with(whole, "TOLLGATE_OIDC_ISSUER=https://login.microsoftonline.com/common/v2.0"),
			[]string{shared}},
		{"all organizations, whose addresses are trusted", with(whole, "TOLLGATE_OIDC_TRUST_EMAIL=true",
			"TOLLGATE_OIDC_ISSUER=https://LOGIN.microsoftonline.com/Organizations/v2.0"), []string{shared, public}},
		{"private Microsoft accounts whose addresses are trusted", with(whole, "TOLLGATE_OIDC_TRUST_EMAIL=true",
			"TOLLGATE_OIDC_ISSUER=https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0"),
			[]string{public}},
		{"addresses of all domains are trusted", with(whole[:len(whole)-1], "TOLLGATE_OIDC_TRUST_EMAIL=true"), []string{
			"TOLLGATE_OIDC_TRUST_EMAIL: needs TOLLGATE_OIDC_DOMAINS, the domains of the issuer's own people",
		}},
		{"another issuer with the path common", with(whole, "TOLLGATE_OIDC_ISSUER=https://id.example/common"), nil},
		{"required claims", with(whole, "TOLLGATE_OIDC_REQUIRED_CLAIMS=hd=a.example,groups=x,groups=y"), nil},
		{"required claims without a value", with(whole, "TOLLGATE_OIDC_REQUIRED_CLAIMS=hd"), []string{
			"TOLLGATE_OIDC_REQUIRED_CLAIMS: must be claim=value, separated by commas: at most 10 claims with at " +
				"most 50 values each",
		}},
	} {
		_, err := Load(Console, row.given)
		if diff := cmp.Diff(row.want, faultsOf(t, err)); diff != "" {
			t.Errorf("%s: %s", row.name, diff)
		}
	}
}
