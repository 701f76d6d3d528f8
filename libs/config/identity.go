package config

import (
	"net"
	"net/netip"
	"net/url"
	"strings"
	"time"
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
		"OIDC_ISSUER": c.OIDCIssuer, "OIDC_CLIENT_ID": c.OIDCClientID, "OIDC_CLIENT_SECRET": c.OIDCClientSecret, "CONSOLE_URL": c.ConsoleURL,
	} {
		if value == "" && !(name == "CONSOLE_URL" && c.Program == Standalone) { // standalone derives it
			f.add(Prefix+name, "is required for sign-in by OpenID Connect")
		}
	}
	if c.OIDCIssuer != "" && !IsIssuer(c.OIDCIssuer) {
		f.add(Prefix+"OIDC_ISSUER", "must be https://..., or http://... on this machine, without query")
	}
	for _, domain := range c.OIDCDomains {
		if domain == "" || strings.ContainsAny(domain, "@/ ") {
			f.add(Prefix+"OIDC_DOMAINS", "must be domains such as example.com, separated by commas")
		}
	}
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
