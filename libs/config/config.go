// Package config reads and checks the environment variables that configure the
// programs. No other package reads them.
package config

import (
	"encoding/base64"
	"fmt"
	"log/slog"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/tollgate/tollgate/libs/seal"
)

// The programs.
const (
	Relay      = "relay"
	Console    = "console"
	Worker     = "worker"
	Standalone = "standalone"
)

// Config is the configuration of every program: environment variables with the
// prefix TOLLGATE_. An empty variable counts as not set, one that looks like a
// misspelt one is a fault. Each program reads the same variables; the defaults of addresses, and
// what is required, differ (see Load).
type Config struct {
	// Program is the name Load was called with.
	Program string `env:"-"`

	// DatabaseURL is postgres://... or sqlite:PATH. standalone keeps a SQLite
	// file in the data dir by default; the other programs require it.
	DatabaseURL string `env:"DATABASE_URL"`
	// RedisURL is redis://..., rediss://... or unix://...; empty is the embedded
	// Redis of standalone. relay and worker require it; with it, console wakes
	// workers for jobs at once.
	RedisURL string `env:"REDIS_URL"`
	// DataDir holds the spool, the relay's identity and standalone's files.
	DataDir string `env:"DATA_DIR" envDefault:"./data"`
	// RelayAddr is where the API listens; its base path is /v1. Each address may have
	// port 0, which picks a free one; the line "listening" in the log names it.
	RelayAddr string `env:"RELAY_ADDR" envDefault:"127.0.0.1:8080"`
	// ConsoleAddr is where the console's API and pages listen.
	ConsoleAddr string `env:"CONSOLE_ADDR" envDefault:"127.0.0.1:8081"`
	// RelayURL is the base URL at which clients, and the console's playground,
	// reach the relay, without /v1. standalone derives it from RelayAddr; empty is
	// unknown.
	RelayURL string `env:"RELAY_URL"`
	// ConsoleURL is where browsers reach the console: scheme, host and port. It is
	// what links in mails, passkeys and sign-in by OpenID Connect rest on. The
	// default of standalone is ConsoleAddr, with localhost for a loopback address,
	// on which browsers have no passkeys; where the port is 0, standalone sets it
	// once it listens.
	ConsoleURL string `env:"CONSOLE_URL"`
	// SMTPURL is the server that takes mail, from consoles and workers:
	// smtp://user:password@host:587 (with STARTTLS, unless the host is this
	// machine) or smtps://user:password@host:465. Without it no mail is sent.
	SMTPURL string `env:"SMTP_URL"`
	// MailFrom is the sender of mail: an address, or "Name <address>".
	MailFrom string `env:"MAIL_FROM"`
	// OpsAddr is where health, metrics and profiles listen. It must not be public.
	OpsAddr string `env:"OPS_ADDR"`
	// SecretKey is 32 bytes in base64: it seals credentials and peppers hashes.
	// relay and console require it, worker probes channels and imports manifests
	// with it; standalone
	// makes one in its data dir.
	SecretKey Secret `env:"SECRET_KEY"`
	// SecretKeyOld is the key before, or the one to come, while SecretKey is being
	// replaced: what it sealed opens, and tokens hashed with it are known. Nothing
	// is sealed or hashed with it.
	SecretKeyOld Secret `env:"SECRET_KEY_OLD"`
	// ManifestFile is applied at the start of standalone; without it, the demo
	// manifest is.
	ManifestFile string `env:"CONFIG"`
	// Durability is how long a finished request waits for its usage event.
	Durability Durability `env:"DURABILITY" envDefault:"appended"`

	// LogLevel is debug, info, warn or error.
	LogLevel slog.Level `env:"LOG_LEVEL" envDefault:"info"`
	// LogFormat is json or text.
	LogFormat LogFormat `env:"LOG_FORMAT"`

	// AccessLog is which requests get a line in the log of relay and console.
	AccessLog AccessLog `env:"ACCESS_LOG" envDefault:"on"`
	// OTLPURL is the base URL of the collector that takes traces by OTLP over HTTP,
	// to which /v1/traces is added. Without it there are no traces.
	OTLPURL string `env:"OTLP_URL"`
	// TraceRatio is the part of the traces that begin here which is kept, 0 to 1.
	// Of those that a caller began, the caller decides.
	TraceRatio float64 `env:"TRACE_RATIO" envDefault:"1"`
	// TraceUpstream sends upstreams the trace that a call is part of.
	TraceUpstream bool `env:"TRACE_UPSTREAM"`

	// MaxBodyBytes is the largest request body; beyond it is a 413.
	MaxBodyBytes int64 `env:"MAX_BODY_BYTES" envDefault:"33554432"`
	// MaxInFlight is how many requests a relay serves at once; beyond it is a 503.
	MaxInFlight int `env:"MAX_IN_FLIGHT" envDefault:"10000"`
	// BodyReadTimeout bounds the reading of a request body.
	BodyReadTimeout time.Duration `env:"BODY_READ_TIMEOUT" envDefault:"60s"`
	// UpstreamConnectTimeout bounds one connection attempt, TLS included.
	UpstreamConnectTimeout time.Duration `env:"UPSTREAM_CONNECT_TIMEOUT" envDefault:"5s"`
	// UpstreamFirstByteTimeout bounds the wait for an upstream's answer.
	UpstreamFirstByteTimeout time.Duration `env:"UPSTREAM_FIRST_BYTE_TIMEOUT" envDefault:"600s"`
	// UpstreamIdleTimeout bounds an upstream's silence in the middle of an answer.
	UpstreamIdleTimeout time.Duration `env:"UPSTREAM_IDLE_TIMEOUT" envDefault:"120s"`
	// RequestTimeout bounds all attempts of a call: by then a JSON answer must be
	// whole and a stream must have begun.
	RequestTimeout time.Duration `env:"REQUEST_TIMEOUT" envDefault:"15m"`
	// KeepaliveInterval is the silence after which a stream gets an SSE comment.
	KeepaliveInterval time.Duration `env:"KEEPALIVE_INTERVAL" envDefault:"15s"`
	// QuotaWait is how long a request waits for quota held by requests in flight.
	QuotaWait time.Duration `env:"QUOTA_WAIT" envDefault:"5s"`
	// LeaseGrace is how long a relay that is not heard of keeps its quota leases.
	// It stops spending them a tenth earlier, so it is also how long a relay
	// serves without a database. Relays and workers must have the same.
	LeaseGrace time.Duration `env:"LEASE_GRACE" envDefault:"1h"`
	// DrainTimeout bounds the end of a program: what is in flight then is cut.
	DrainTimeout time.Duration `env:"DRAIN_TIMEOUT" envDefault:"30s"`
	// SpoolMaxBytes is the most that unshipped usage events may take of the disk;
	// beyond it the relay refuses requests rather than lose events.
	SpoolMaxBytes int64 `env:"SPOOL_MAX_BYTES" envDefault:"1073741824"`
	// TrustedProxies are the networks, separated by commas, whose X-Forwarded-For
	// is believed.
	TrustedProxies []netip.Prefix `env:"TRUSTED_PROXIES"`
	// EgressAllow are the networks, separated by commas, in which upstreams and
	// proxies may be although they are not public. See core/address.
	EgressAllow []netip.Prefix `env:"EGRESS_ALLOW"`
	// ReconcileInterval is the time between two reconciliations of the books.
	ReconcileInterval time.Duration `env:"RECONCILE_INTERVAL" envDefault:"5m"`
	// UsageLogRetention is how long usage logs are kept at least, in days such
	// as 400d; without it, for ever. Rollups and accounts stay.
	UsageLogRetention Days `env:"USAGE_LOG_RETENTION"`
	// ResponseRetention is for how long clients find the responses that the gateway
	// itself keeps for them, in days such as 30d.
	ResponseRetention Days `env:"RESPONSE_RETENTION" envDefault:"30d"`
	// SessionTTL is how long a console session lives.
	SessionTTL time.Duration `env:"SESSION_TTL" envDefault:"168h"`
	// ConsoleSecureCookies marks the session cookie Secure, which browsers send
	// over HTTPS only. It is false in standalone and true elsewhere by default.
	ConsoleSecureCookies bool `env:"CONSOLE_SECURE_COOKIES"`
	// OIDCIssuer is the issuer of OpenID Connect that users may sign in with; it
	// needs OIDCClientID, OIDCClientSecret and ConsoleURL. "" for none.
	OIDCIssuer       string `env:"OIDC_ISSUER"`
	OIDCClientID     string `env:"OIDC_CLIENT_ID"`
	OIDCClientSecret string `env:"OIDC_CLIENT_SECRET"`
	// OIDCName is what the button to sign in with OIDCIssuer says.
	OIDCName string `env:"OIDC_NAME" envDefault:"Single sign-on"`
	// OIDCDomains are the domains, separated by commas, of the e-mail addresses
	// by which OIDCIssuer's users are linked to ours; without them, all are.
	OIDCDomains []string `env:"OIDC_DOMAINS"`
}

// LogValue keeps URLs, which may hold passwords, and the key out of logs.
func (c Config) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("program", c.Program), slog.String("data_dir", c.DataDir), slog.String("durability", string(c.Durability)),
	)
}

// Durability is how far a usage event must have come before the client is
// given its last byte.
type Durability string

// The durabilities.
const (
	Appended  Durability = "appended"  // in the spool: survives the process
	Fsynced   Durability = "fsynced"   // on the disk: survives the machine
	Committed Durability = "committed" // in the database: survives the disk
)

// UnmarshalText reads one of the three words.
func (d *Durability) UnmarshalText(text []byte) error {
	switch *d = Durability(text); *d {
	case Appended, Fsynced, Committed:
		return nil
	}
	return fault("must be appended, fsynced or committed")
}

// Sealer returns what seals with the secret key, and opens with the one before
// too.
func (c *Config) Sealer() *seal.Sealer {
	if c.SecretKeyOld.IsZero() {
		return seal.New(c.SecretKey)
	}
	return seal.NewRotating(c.SecretKey, c.SecretKeyOld)
}

// Days is a duration of whole days, written 400d.
type Days time.Duration

const maxDays = 36500

// UnmarshalText reads a number of days.
func (d *Days) UnmarshalText(text []byte) error {
	number, found := strings.CutSuffix(string(text), "d")
	days, err := strconv.ParseUint(number, 10, 16)
	if !found || err != nil || days == 0 || days > maxDays {
		return fault("must be a number of days from 1d to 36500d, such as 400d")
	}
	*d = Days(time.Duration(days) * 24 * time.Hour)
	return nil
}

// LogFormat is how log lines are written.
type LogFormat string

// The formats.
const (
	JSON LogFormat = "json"
	Text LogFormat = "text"
)

// UnmarshalText reads one of the two words.
func (f *LogFormat) UnmarshalText(text []byte) error {
	switch *f = LogFormat(text); *f {
	case JSON, Text:
		return nil
	}
	return fault("must be json or text")
}

// AccessLog is which requests get a line in the log.
type AccessLog string

// The choices.
const (
	AllRequests    AccessLog = "on"
	FailedRequests AccessLog = "errors" // those that did not succeed
	NoRequests     AccessLog = "off"
)

// UnmarshalText reads one of the three words.
func (a *AccessLog) UnmarshalText(text []byte) error {
	switch *a = AccessLog(text); *a {
	case AllRequests, FailedRequests, NoRequests:
		return nil
	}
	return fault("must be on, off or errors")
}

// Secret is the installation's secret key. It prints as "[secret]".
type Secret [32]byte

// IsZero reports whether there is none.
func (s Secret) IsZero() bool { return s == Secret{} }

// String hides the key from fmt and logs.
func (s Secret) String() string { return "[secret]" }

// GoString hides the key from %#v.
func (s Secret) GoString() string { return s.String() }

// MarshalText hides the key from encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Format hides the key from every verb of fmt.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(s.String())) }

// Base64 returns the key as UnmarshalText reads it.
func (s Secret) Base64() string { return base64.StdEncoding.EncodeToString(s[:]) }

// UnmarshalText reads 32 bytes of base64, standard or URL alphabet, padded or not.
func (s *Secret) UnmarshalText(text []byte) error {
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		raw, err := encoding.DecodeString(string(text))
		if err == nil && len(raw) == len(s) && Secret(raw) != (Secret{}) {
			*s = Secret(raw)
			return nil
		}
	}
	return fault("must be 32 random bytes in base64 (openssl rand -base64 32)")
}

// fault is an error whose text is safe and says all.
type fault string

func (f fault) Error() string { return string(f) }
