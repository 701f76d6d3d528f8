package config

import (
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/tollgate/tollgate/libs/core/claim"
)

// LocalURL returns the URL at which a browser on the same machine reaches a listen address. It returns "" for a
// malformed address, and for port 0, because the real port is known only after listening.
func LocalURL(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil || port == "0" || !isPort(port) {
		return ""
	}
	if addr, err := netip.ParseAddr(host); host == "" || err == nil && (addr.IsLoopback() || addr.IsUnspecified()) {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// minIdle is the shortest time after which an unused session may end. Times of use have a precision of a minute.
const minIdle = 5 * time.Minute

// identity checks the variables for the console's URL, its sessions, and sign-in by OpenID Connect.
func (f *faults) identity(c *Config) {
	if c.ConsoleURL != "" && !isOrigin(c.ConsoleURL) {
		f.add(Prefix+"CONSOLE_URL", "must be http://... or https://..., with host and port only")
	}
	if c.SessionIdle != 0 && c.SessionIdle < minIdle {
		f.add(Prefix+"SESSION_IDLE", "must be 0, or at least 5m")
	}
	if c.OIDCIssuer == "" && c.OIDCClientID == "" && c.OIDCClientSecret == "" {
		return
	}
	for name, value := range map[string]string{
		"OIDC_ISSUER": c.OIDCIssuer, "OIDC_CLIENT_ID": c.OIDCClientID, "OIDC_CLIENT_SECRET": c.OIDCClientSecret,
		"CONSOLE_URL": c.ConsoleURL,
	} {
		if value == "" && !(name == "CONSOLE_URL" && c.Program == Standalone) { // standalone derives it
			f.add(Prefix+name, "is required for sign-in by OpenID Connect")
		}
	}
	if c.OIDCIssuer != "" && !IsIssuer(c.OIDCIssuer) {
		f.add(Prefix+"OIDC_ISSUER", "must be https://..., or http://... on this machine, without query")
	}
	if IsSharedIssuer(c.OIDCIssuer) {
		f.add(Prefix+"OIDC_ISSUER", "%s", sharedIssuer)
	}
	if c.OIDCTrustEmail && len(c.OIDCDomains) == 0 {
		f.add(Prefix+"OIDC_TRUST_EMAIL", "needs "+Prefix+"OIDC_DOMAINS, the domains of the issuer's own people")
	}
	if c.OIDCTrustEmail && IsPublicIssuer(c.OIDCIssuer) {
		f.add(Prefix+"OIDC_TRUST_EMAIL", "must not be true for an issuer at which anybody can have an account")
	}
	for _, domain := range c.OIDCDomains {
		if domain == "" || strings.ContainsAny(domain, "@/ ") {
			f.add(Prefix+"OIDC_DOMAINS", "must be domains such as example.com, separated by commas")
		}
	}
}

// RequiredClaims are the claims that ID tokens must have.
type RequiredClaims []claim.Requirement

// UnmarshalText reads the form of claim.Parse.
func (r *RequiredClaims) UnmarshalText(text []byte) error {
	requirements, err := claim.Parse(string(text))
	if err != nil {
		return fault("must be claim=value, separated by commas: at most 10 claims with at most 50 values each")
	}
	*r = requirements
	return nil
}

// isOrigin reports whether raw is an HTTP URL of scheme, host and optional port, followed by nothing but a slash.
func isOrigin(raw string) bool {
	u, err := url.Parse(raw)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" || u.Path != "" && u.Path != "/" {
		return false
	}
	bare := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	return *u == bare && (u.Port() == "" || isPort(u.Port()))
}

// IsIssuer reports whether raw can be the URL of an issuer: HTTPS, so that nobody on the network can pose as the
// issuer, or HTTP on this machine.
func IsIssuer(raw string) bool {
	u, err := url.Parse(raw)
	if err != nil || u.Hostname() == "" || u.User != nil || strings.ContainsAny(raw, "?#") {
		return false
	}
	addr, err := netip.ParseAddr(u.Hostname())
	local := u.Hostname() == "localhost" || err == nil && addr.IsLoopback()
	return u.Scheme == "https" || u.Scheme == "http" && local
}

// sharedIssuer is the fault of an issuer's URL for which IsSharedIssuer is true.
const sharedIssuer = "must name one Entra ID tenant, https://login.microsoftonline.com/TENANT_ID/v2.0: common, " +
	"organizations and consumers stand for many"

// microsoftAccounts is the id of the Entra ID tenant of all personal Microsoft accounts.
const microsoftAccounts = "9188040d-6c67-4c5b-b112-36a304b66dad"

// entraHosts are the hosts of Entra ID's issuers, of all its clouds.
var entraHosts = []string{"login.microsoftonline.com", "login.microsoftonline.us", "login.partner.microsoftonline.cn",
	"login.chinacloudapi.cn", "login.windows.net", "sts.windows.net"}

// IsSharedIssuer reports whether the URL is one of Entra ID that stands for many tenants. Their ID tokens have other
// issuers, those of their tenants.
func IsSharedIssuer(raw string) bool {
	return entraTenantIn(raw, "common", "organizations", "consumers", "{tenantid}")
}

// IsPublicIssuer reports whether everybody can have an account at the issuer with the URL, as far as it is known and
// the issuer does not say whether addresses are verified.
func IsPublicIssuer(raw string) bool {
	return IsSharedIssuer(raw) || entraTenantIn(raw, microsoftAccounts)
}

// entraTenantIn reports whether the URL is that of an issuer of Entra ID with one of the names in its path.
func entraTenantIn(raw string, names ...string) bool {
	u, err := url.Parse(raw)
	if err != nil || !slices.Contains(entraHosts, strings.ToLower(u.Hostname())) {
		return false
	}
	return slices.ContainsFunc(strings.Split(strings.ToLower(u.Path), "/"),
		func(part string) bool { return slices.Contains(names, part) })
}
