// Package config reads and checks the environment variables with the prefix TOLLGATE_ that configure the programs. No
// other package reads them. Load returns a Config, or an Error that lists all faults at once without showing values.
// The contents of the gateway (tenants, models, channels) are not configured here but in the console and in the
// manifest.
package config

import (
	"encoding/base64"
	"fmt"
	"log/slog"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/seal"
)

// The names of the programs.
const (
	Relay      = "relay"
	Console    = "console"
	Worker     = "worker"
	Standalone = "standalone"
)

// Config is the configuration of every program. All programs read the same variables; the defaults of some, and which
// ones are required, differ by program (see Load). An empty variable counts as not set. A variable whose name looks
// like a misspelled one is a fault.
type Config struct {
	// Program is the name with which Load was called.
	Program string `env:"-"`

	// DatabaseURL is postgres://... or sqlite:PATH. The default of standalone is a SQLite file in the data
	// directory; the other programs require the variable.
	DatabaseURL string `env:"DATABASE_URL"`
	// DatabaseDirectURL is postgres://... of the same database without the connection pooler of DatabaseURL, for what
	// needs a session of its own: migrations, and the relay's notifications of changes. If it is empty, DatabaseURL
	// serves for that too.
	DatabaseDirectURL string `env:"DATABASE_DIRECT_URL"`
	// RedisURL names one server, Sentinels or a cluster; docs/redis.md has its forms. relay and worker require it. If
	// it is empty, standalone runs an embedded Redis, and console cannot wake workers: jobs then start when a worker
	// next looks for them.
	RedisURL string `env:"REDIS_URL"`
	// DataDir holds the spool, the relay's identity and standalone's files.
	DataDir string `env:"DATA_DIR" envDefault:"./data"`
	// RelayAddr is the listen address of the relay's API, whose base path is /v1. Each listen address may have port
	// 0, which picks a free port; the log line "listening" shows it.
	RelayAddr string `env:"RELAY_ADDR" envDefault:"127.0.0.1:8080"`
	// ConsoleAddr is the listen address of the console's API and pages.
	ConsoleAddr string `env:"CONSOLE_ADDR" envDefault:"127.0.0.1:8081"`
	// RelayURL is the base URL at which clients reach the relay, without /v1. The console shows it to browsers.
	// standalone derives it from RelayAddr. Elsewhere empty means unknown, and the console has no playground.
	RelayURL string `env:"RELAY_URL"`
	// PlaygroundRelayURL is the base URL at which the console itself reaches the relay, for its playground, without
	// /v1. If it is empty, RelayURL serves for that too.
	PlaygroundRelayURL string `env:"PLAYGROUND_RELAY_URL"`
	// ConsoleURL is the URL at which browsers reach the console: scheme, host and port. Links in mails, passkeys and
	// sign-in by OpenID Connect need it. standalone derives it from ConsoleAddr by default, with localhost in place
	// of a loopback address, because browsers offer no passkeys on IP addresses. If the port is 0, standalone sets
	// ConsoleURL after it listens.
	ConsoleURL string `env:"CONSOLE_URL"`
	// SMTPURL is the server to which console and worker send mail: smtp://user:password@host:587 (with STARTTLS,
	// unless the host is this machine) or smtps://user:password@host:465. If it is empty, no mail is sent.
	SMTPURL string `env:"SMTP_URL"`
	// MailFrom is the sender of mail: an address, or "Name <address>".
	MailFrom string `env:"MAIL_FROM"`
	// OpsAddr is the listen address of health checks, metrics and profiles. It must not be public.
	OpsAddr string `env:"OPS_ADDR"`
	// OpsHosts are host names, separated by commas, under which the endpoints of OpsAddr are reached. Addresses and
	// localhost are always permitted.
	OpsHosts []string `env:"OPS_HOSTS"`
	// Pprof adds profiles at /debug/pprof/ to the endpoints of OpsAddr.
	Pprof bool `env:"PPROF"`
	// SecretKey is the installation's secret key, 32 bytes in base64. It seals credentials and keys the hashes of
	// tokens. relay and console require it; worker needs it to probe channels and to import manifests; standalone
	// creates one in its data directory.
	SecretKey Secret `env:"SECRET_KEY"`
	// SecretKeyOld is the second key while SecretKey is being replaced: the previous one, or the next one. What it
	// sealed can be opened, and tokens hashed with it are found. Nothing new is sealed or hashed with it.
	SecretKeyOld Secret `env:"SECRET_KEY_OLD"`
	// ManifestFile is the manifest that standalone applies at its start. If it is empty, standalone applies the demo
	// manifest.
	ManifestFile string `env:"CONFIG"`
	// Durability sets how safely a usage event must be stored before the client gets the last byte of the response.
	Durability Durability `env:"DURABILITY" envDefault:"appended"`

	// LogLevel is debug, info, warn or error.
	LogLevel slog.Level `env:"LOG_LEVEL" envDefault:"info"`
	// LogFormat is json or text.
	LogFormat LogFormat `env:"LOG_FORMAT"`

	// AccessLog selects the requests for which relay and console write a log line. The default is errors in standalone
	// and on elsewhere.
	AccessLog AccessLog `env:"ACCESS_LOG"`
	// OTLPURL is the base URL of the collector that receives traces by OTLP over HTTP; /v1/traces is appended to it.
	// If it is empty, there are no traces.
	OTLPURL string `env:"OTLP_URL"`
	// TraceRatio is the fraction of the traces started by the program that is kept, 0 to 1. For a trace that a
	// caller started, the caller decides.
	TraceRatio float64 `env:"TRACE_RATIO" envDefault:"1"`
	// TraceUpstream passes the trace of a call on to the upstream.
	TraceUpstream bool `env:"TRACE_UPSTREAM"`

	// MaxBodyBytes is the largest request body. Larger ones get status 413.
	MaxBodyBytes int64 `env:"MAX_BODY_BYTES" envDefault:"33554432"`
	// BodyMemory is the memory in bytes that the request bodies and large answers in flight on one relay may use
	// together, at least four times MaxBodyBytes. If it is 0, the relay takes a quarter of the memory of its
	// container or machine, but not less than that lower bound.
	BodyMemory int64 `env:"BODY_MEMORY"`
	// MaxInFlight is the largest number of requests that a relay serves at once. Further ones get status 503.
	MaxInFlight int `env:"MAX_IN_FLIGHT" envDefault:"10000"`
	// BodyReadTimeout limits the time for reading a request body.
	BodyReadTimeout time.Duration `env:"BODY_READ_TIMEOUT" envDefault:"60s"`
	// UpstreamConnectTimeout limits one connection attempt, including TLS.
	UpstreamConnectTimeout time.Duration `env:"UPSTREAM_CONNECT_TIMEOUT" envDefault:"5s"`
	// UpstreamHTTP2 makes relays use HTTP/2 with upstreams that speak it. It costs more than HTTP/1.1 with many
	// connections.
	UpstreamHTTP2 bool `env:"UPSTREAM_HTTP2"`
	// UpstreamFirstByteTimeout limits the time until the first byte of an upstream's response.
	UpstreamFirstByteTimeout time.Duration `env:"UPSTREAM_FIRST_BYTE_TIMEOUT" envDefault:"600s"`
	// UpstreamIdleTimeout limits the silence of an upstream within a response.
	UpstreamIdleTimeout time.Duration `env:"UPSTREAM_IDLE_TIMEOUT" envDefault:"120s"`
	// RequestTimeout limits all attempts of a call together: until then a JSON response must be complete, or a
	// stream must have begun. It also limits the time in which a stream has nothing but comments and pings.
	RequestTimeout time.Duration `env:"REQUEST_TIMEOUT" envDefault:"15m"`
	// KeepaliveInterval is the silence after which a relay sends an SSE comment to the client of a stream, also before
	// an upstream has answered; 0: never.
	KeepaliveInterval time.Duration `env:"KEEPALIVE_INTERVAL" envDefault:"15s"`
	// MaxToolCalls is the limit of calls of priced tools that the provider runs, for a call that does not set one.
	MaxToolCalls int64 `env:"MAX_TOOL_CALLS" envDefault:"32"`
	// QuotaWait is the longest time for which a request waits for quota that requests in flight hold.
	QuotaWait time.Duration `env:"QUOTA_WAIT" envDefault:"5s"`
	// LeaseGrace is the time after which a relay that the database does not hear from loses its quota leases. The
	// relay stops spending them a tenth earlier, so it can serve without a database for nine tenths of this time.
	// Relays and workers must have the same value.
	LeaseGrace time.Duration `env:"LEASE_GRACE" envDefault:"1h"`
	// DrainTimeout limits the time that a program takes to stop. Requests that are still in flight then are aborted.
	DrainTimeout time.Duration `env:"DRAIN_TIMEOUT" envDefault:"30s"`
	// SpoolMaxBytes is the largest size of the usage events that wait on disk for the database. When it is reached,
	// the relay refuses requests so that no event is lost.
	SpoolMaxBytes int64 `env:"SPOOL_MAX_BYTES" envDefault:"1073741824"`
	// IdempotencyMaxAnswerBytes is the largest answer that is kept for an Idempotency-Key.
	IdempotencyMaxAnswerBytes int64 `env:"IDEMPOTENCY_MAX_ANSWER_BYTES" envDefault:"1048576"`
	// IdempotencyMaxTenantBytes is the largest size of the answers that are kept for the keys of one tenant together.
	IdempotencyMaxTenantBytes int64 `env:"IDEMPOTENCY_MAX_TENANT_BYTES" envDefault:"67108864"`
	// RecordDelay is the time for which a relay collects usage events before it records them in one transaction, at
	// most 10s.
	RecordDelay time.Duration `env:"RECORD_DELAY" envDefault:"75ms"`
	// TrustedProxies are the networks, separated by commas, of proxies whose X-Forwarded-For header is trusted.
	TrustedProxies []netip.Prefix `env:"TRUSTED_PROXIES"`
	// ClientIdleTimeout is the time after which relay and console close a connection on which no request comes.
	ClientIdleTimeout time.Duration `env:"CLIENT_IDLE_TIMEOUT" envDefault:"2m"`
	// ProxyProtocol makes relay, console and the operations address read headers of the PROXY protocol, versions 1 and
	// 2, on connections from TrustedProxies.
	ProxyProtocol bool `env:"PROXY_PROTOCOL"`
	// CORSOrigins are the origins of web pages that may call the relay's API from a browser.
	CORSOrigins Origins `env:"CORS_ORIGINS" envDefault:"*"`
	// EgressAllow are networks, separated by commas, in which upstreams and proxies are permitted although the
	// networks are not public. See core/address.
	EgressAllow []netip.Prefix `env:"EGRESS_ALLOW"`
	// ReconcileInterval is the time between two runs of the reconciliation, see core/usage/README.md.
	ReconcileInterval time.Duration `env:"RECONCILE_INTERVAL" envDefault:"5m"`
	// PricesURL is the address from which the worker fetches the file of the price catalog; "": it fetches none.
	PricesURL string `env:"PRICES_URL"`
	// PricesChecksum is the checksum that this file must have, in hexadecimal. If it is not set, the worker reads it
	// from the address with .sha256 appended to the path.
	PricesChecksum string `env:"PRICES_CHECKSUM"`
	// PricesInterval is the time between two fetches.
	PricesInterval time.Duration `env:"PRICES_INTERVAL" envDefault:"24h"`
	// ExportURL is the URL of the bucket, with an optional prefix, to which the worker exports usage logs with the
	// protocol of S3; "": it exports none.
	ExportURL string `env:"EXPORT_URL"`
	// ExportRegion is the region of the bucket, which requests are signed for.
	ExportRegion string `env:"EXPORT_REGION" envDefault:"us-east-1"`
	// ExportAccessKeyID and ExportSecretAccessKey are the credentials for the bucket.
	ExportAccessKeyID     string `env:"EXPORT_ACCESS_KEY_ID"`
	ExportSecretAccessKey string `env:"EXPORT_SECRET_ACCESS_KEY"`
	// ExportInterval is the time between two exports.
	ExportInterval time.Duration `env:"EXPORT_INTERVAL" envDefault:"5m"`
	// ExportMaxLogs is about the greatest number of usage logs in one object.
	ExportMaxLogs int `env:"EXPORT_MAX_LOGS" envDefault:"20000"`
	// UsageLogRetention is the shortest time for which usage logs are kept, in days such as 400d. If it is 0 or not
	// set, they are kept forever. Rollups and accounts are always kept.
	UsageLogRetention DaysOrNone `env:"USAGE_LOG_RETENTION"`
	// AuditRetention is the shortest time for which entries of the audit log are kept, in days such as 400d.
	AuditRetention Days `env:"AUDIT_RETENTION" envDefault:"400d"`
	// ResponseRetention is the time for which clients can retrieve the responses that the gateway itself stores for
	// them, in days such as 30d.
	ResponseRetention Days `env:"RESPONSE_RETENTION" envDefault:"30d"`
	// ClientRetention is the time for which the address and the User-Agent of a token's calls are kept after the last
	// call with them, in days such as 90d; 0: relays collect none, and workers delete those that there are.
	ClientRetention DaysOrNone `env:"CLIENT_RETENTION" envDefault:"90d"`
	// SessionTTL is the lifetime of a console session.
	SessionTTL time.Duration `env:"SESSION_TTL" envDefault:"168h"`
	// OperatorSecondFactor requires a second factor of all operators. Those without one can only set one up.
	OperatorSecondFactor bool `env:"OPERATOR_SECOND_FACTOR"`
	// SessionIdle ends a session that was not used for this time; 0: only SessionTTL ends it.
	SessionIdle time.Duration `env:"SESSION_IDLE" envDefault:"72h"`
	// MaxTokensPerUser is the largest number of tokens that a user can create without revoking some.
	MaxTokensPerUser int `env:"MAX_TOKENS_PER_USER" envDefault:"10000"`
	// ConfirmAmount is the largest amount, in USD, that an operator's session may grant, take back and move in total
	// without a recent confirmation. 0: each amount needs one.
	ConfirmAmount money.Amount `env:"CONFIRM_AMOUNT" envDefault:"1000"`
	// ConsoleSecureCookies marks the session cookie Secure, so that browsers send it over HTTPS only. The default is
	// false in standalone and true elsewhere.
	ConsoleSecureCookies bool `env:"CONSOLE_SECURE_COOKIES"`
	// OIDCIssuer is the URL of the OpenID Connect issuer with which users may sign in, "" for none. It needs
	// OIDCClientID, OIDCClientSecret and ConsoleURL.
	OIDCIssuer       string `env:"OIDC_ISSUER"`
	OIDCClientID     string `env:"OIDC_CLIENT_ID"`
	OIDCClientSecret string `env:"OIDC_CLIENT_SECRET"`
	// OIDCName is the text of the button that signs in with OIDCIssuer.
	OIDCName string `env:"OIDC_NAME" envDefault:"Single sign-on"`
	// OIDCDomains are domains of e-mail addresses, separated by commas. An identity of the issuer is linked to the
	// user with its address only if the address is in one of these domains. If the list is empty, every domain is
	// allowed.
	OIDCDomains []string `env:"OIDC_DOMAINS"`
	// OIDCTrustEmail makes an address count as verified if OIDCIssuer does not say whether it is. It needs OIDCDomains.
	OIDCTrustEmail bool `env:"OIDC_TRUST_EMAIL"`
	// OIDCRequiredClaims are claims that the ID tokens of OIDCIssuer must have: claim=value, separated by commas. A
	// claim that is named several times must have one of its values.
	OIDCRequiredClaims RequiredClaims `env:"OIDC_REQUIRED_CLAIMS"`
}

// LogValue returns the few values that are safe to log. URLs can contain passwords.
func (c Config) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("program", c.Program), slog.String("data_dir", c.DataDir),
		slog.String("durability", string(c.Durability)),
	)
}

// Durability says how safely a usage event must be stored before the client gets the last byte of its response.
type Durability string

// The durabilities, the least safe first.
const (
	Appended  Durability = "appended"  // in the spool file: survives a crash of the process
	Fsynced   Durability = "fsynced"   // flushed to disk: survives a crash of the machine
	Committed Durability = "committed" // in the database: survives the loss of the disk
)

// UnmarshalText accepts one of the three words.
func (d *Durability) UnmarshalText(text []byte) error {
	switch *d = Durability(text); *d {
	case Appended, Fsynced, Committed:
		return nil
	}
	return fault("must be appended, fsynced or committed")
}

// Sealer returns a sealer that seals with SecretKey, and opens with SecretKeyOld too if it is set.
func (c *Config) Sealer() *seal.Sealer {
	if c.SecretKeyOld.IsZero() {
		return seal.New(c.SecretKey)
	}
	return seal.NewRotating(c.SecretKey, c.SecretKeyOld)
}

// Days is a duration of whole days, written as in 400d.
type Days time.Duration

const maxDays = 36500

// UnmarshalText accepts a number of days from 1d to 36500d.
func (d *Days) UnmarshalText(text []byte) error {
	number, hasUnit := strings.CutSuffix(string(text), "d")
	days, err := strconv.ParseUint(number, 10, 16)
	if !hasUnit || err != nil || days == 0 || days > maxDays {
		return fault("must be a number of days from 1d to 36500d, such as 400d")
	}
	*d = Days(time.Duration(days) * 24 * time.Hour)
	return nil
}

// DaysOrNone is Days, or 0.
type DaysOrNone time.Duration

// UnmarshalText accepts 0, and what Days accepts.
func (d *DaysOrNone) UnmarshalText(text []byte) error {
	if string(text) == "0" || string(text) == "0d" {
		*d = 0
		return nil
	}
	if err := (*Days)(d).UnmarshalText(text); err != nil {
		return fault("must be 0 or a number of days from 1d to 36500d, such as 90d")
	}
	return nil
}

// LogFormat is the format of log lines.
type LogFormat string

// The formats.
const (
	JSON LogFormat = "json"
	Text LogFormat = "text"
)

// UnmarshalText accepts one of the two words.
func (f *LogFormat) UnmarshalText(text []byte) error {
	switch *f = LogFormat(text); *f {
	case JSON, Text:
		return nil
	}
	return fault("must be json or text")
}

// AccessLog selects the requests for which a program writes a log line.
type AccessLog string

// The choices.
const (
	AllRequests    AccessLog = "on"
	FailedRequests AccessLog = "errors" // requests that did not succeed
	NoRequests     AccessLog = "off"
)

// UnmarshalText accepts one of the three words.
func (a *AccessLog) UnmarshalText(text []byte) error {
	switch *a = AccessLog(text); *a {
	case AllRequests, FailedRequests, NoRequests:
		return nil
	}
	return fault("must be on, off or errors")
}

// Secret is the installation's secret key. fmt, log/slog and encoders see only "[secret]".
type Secret [32]byte

// IsZero reports whether the key is not set.
func (s Secret) IsZero() bool { return s == Secret{} }

// String hides the key from fmt and logs.
func (s Secret) String() string { return "[secret]" }

// GoString hides the key from %#v.
func (s Secret) GoString() string { return s.String() }

// MarshalText hides the key from encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Format hides the key from every verb of fmt.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(s.String())) }

// Base64 returns the key itself, in a form that UnmarshalText accepts.
func (s Secret) Base64() string { return base64.StdEncoding.EncodeToString(s[:]) }

// UnmarshalText accepts 32 bytes in base64, in the standard or URL alphabet, with or without padding. It refuses 32
// zero bytes.
func (s *Secret) UnmarshalText(text []byte) error {
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding,
		base64.RawURLEncoding} {
		raw, err := encoding.DecodeString(string(text))
		if err == nil && len(raw) == len(s) && Secret(raw) != (Secret{}) {
			*s = Secret(raw)
			return nil
		}
	}
	return fault("must be 32 random bytes in base64 (openssl rand -base64 32)")
}

// fault is an error whose text contains no value and may be shown as it is.
type fault string

func (f fault) Error() string { return string(f) }
