package config

import (
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tollgate/tollgate/libs/core/money"
)

var (
	rawKey = []byte("\xfb\xff0123456789abcdef0123456789abcd")
	key    = base64.StdEncoding.EncodeToString(rawKey)
)

const (
	postgresURL = "TOLLGATE_DATABASE_URL=postgres://tollgate:hunter2@db/tollgate"
	redisURL    = "TOLLGATE_REDIS_URL=redis://:hunter2@cache:6379/0"
)

func faultsOf(t *testing.T, err error) []string {
	t.Helper()
	if err == nil {
		return nil
	}
	var all *Error
	if !errors.As(err, &all) {
		t.Fatalf("err = %v, want a *Error", err)
	}
	return all.Faults
}

func TestLoad_RequiresNothingForStandalone(t *testing.T) {
	t.Parallel()
	c, err := Load(Standalone, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := Config{
		Program: Standalone, DatabaseURL: "sqlite:data/tollgate.db", DataDir: "./data",
		RelayAddr: "127.0.0.1:8080", ConsoleAddr: "127.0.0.1:8081", OpsAddr: "127.0.0.1:8082",
		ConsoleURL: "http://localhost:8081", OIDCName: "Single sign-on",
		CORSOrigins: Origins{AnyOrigin}, Durability: Appended, LogLevel: slog.LevelInfo, LogFormat: Text,
		AccessLog: FailedRequests, TraceRatio: 1,
		MaxBodyBytes: 32 << 20, MaxInFlight: 10_000, BodyReadTimeout: time.Minute,
		UpstreamConnectTimeout: 5 * time.Second, UpstreamFirstByteTimeout: 10 * time.Minute,
		UpstreamIdleTimeout: 2 * time.Minute,
		RequestTimeout:      15 * time.Minute,
		KeepaliveInterval:   15 * time.Second, MaxToolCalls: 32, QuotaWait: 5 * time.Second, LeaseGrace: time.Hour,
		DrainTimeout:  30 * time.Second,
		SpoolMaxBytes: 1 << 30, IdempotencyMaxAnswerBytes: 1 << 20, IdempotencyMaxTenantBytes: 64 << 20,
		RecordDelay: 75 * time.Millisecond, ClientIdleTimeout: 2 * time.Minute, SessionTTL: 168 * time.Hour,
		SessionIdle: 72 * time.Hour, ResponseRetention: Days(30 * 24 * time.Hour),
		ClientRetention: DaysOrNone(90 * 24 * time.Hour),
		AuditRetention:  Days(400 * 24 * time.Hour), ReconcileInterval: 5 * time.Minute, PricesInterval: 24 * time.Hour,
		ExportRegion: "us-east-1", ExportInterval: 5 * time.Minute, ExportMaxLogs: 20_000,
		MaxTokensPerUser: 10_000, ConfirmAmount: 1000 * money.USD,
	}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Error(diff)
	}
}

func TestLoad_HasDefaultsByProgram(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		program, ops string
		secure       bool
		format       LogFormat
		lines        AccessLog
	}{
		{Relay, "127.0.0.1:8082", true, JSON, AllRequests},
		{Console, "127.0.0.1:8083", true, JSON, AllRequests},
		{Worker, "127.0.0.1:8084", true, JSON, AllRequests},
		{Standalone, "127.0.0.1:8082", false, Text, FailedRequests},
	} {
		c, err := Load(row.program, []string{postgresURL, redisURL, "TOLLGATE_SECRET_KEY=" + key})
		if err != nil {
			t.Errorf("%s: %v", row.program, err)
		}
		if c.OpsAddr != row.ops || c.ConsoleSecureCookies != row.secure || c.LogFormat != row.format ||
			c.AccessLog != row.lines {
			t.Errorf("%s: ops %s, secure cookies %v, format %s, access log %s; want %+v", row.program, c.OpsAddr,
				c.ConsoleSecureCookies, c.LogFormat, c.AccessLog, row)
		}
	}
}

func TestLoad_ReportsFaultsWithoutValues(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		program string
		environ []string
		want    []string
	}{
		{"relay without its required variables", Relay, nil, []string{
			"TOLLGATE_DATABASE_URL: is required by relay", "TOLLGATE_REDIS_URL: is required by relay",
			"TOLLGATE_SECRET_KEY: is required by relay"}},
		{"console without its required variables", Console, nil, []string{
			"TOLLGATE_DATABASE_URL: is required by console", "TOLLGATE_SECRET_KEY: is required by console"}},
		{"worker without its required variables", Worker, nil, []string{
			"TOLLGATE_DATABASE_URL: is required by worker", "TOLLGATE_REDIS_URL: is required by worker"}},
		{"an empty variable", Worker, []string{postgresURL, "TOLLGATE_REDIS_URL= "}, []string{
			"TOLLGATE_REDIS_URL: is required by worker"}},
		{"relay with SQLite", Relay, []string{"TOLLGATE_DATABASE_URL=sqlite:x.db", redisURL,
			"TOLLGATE_SECRET_KEY=" + key}, []string{
			"TOLLGATE_DATABASE_URL: must be postgres://...: relay shares its database with other programs"}},
		{"an unknown kind of database", Standalone, []string{"TOLLGATE_DATABASE_URL=mysql://hunter2@db"}, []string{
			"TOLLGATE_DATABASE_URL: must be postgres://... or sqlite:PATH"}},
		{"a direct URL of another kind", Standalone, []string{postgresURL,
			"TOLLGATE_DATABASE_DIRECT_URL=sqlite:x.db"}, []string{
			"TOLLGATE_DATABASE_DIRECT_URL: must be postgres://..."}},
		{"a direct URL with SQLite", Standalone,
			[]string{"TOLLGATE_DATABASE_DIRECT_URL=postgres://hunter2@db/tollgate"}, []string{
				"TOLLGATE_DATABASE_DIRECT_URL: needs DATABASE_URL of the same Postgres database"}},
		{"a SQLite file without a path", Standalone, []string{"TOLLGATE_DATABASE_URL=sqlite:"}, []string{
			"TOLLGATE_DATABASE_URL: must have the path of a file after sqlite:"}},
		{"a malformed Redis URL", Standalone, []string{"TOLLGATE_REDIS_URL=hunter2"}, []string{
			"TOLLGATE_REDIS_URL: must be redis://..., redis-sentinel://..., redis-cluster://..., the same with " +
				"rediss for TLS, or unix://..."}},
		{"a short secret key", Standalone, []string{"TOLLGATE_SECRET_KEY=aHVudGVyMg=="}, []string{
			"TOLLGATE_SECRET_KEY: must be 32 random bytes in base64 (openssl rand -base64 32)"}},
		{"a secret key of zeros", Standalone, []string{"TOLLGATE_SECRET_KEY=" +
			base64.StdEncoding.EncodeToString(make([]byte, 32))}, []string{
			"TOLLGATE_SECRET_KEY: must be 32 random bytes in base64 (openssl rand -base64 32)"}},
		{"unknown words", Standalone, []string{"TOLLGATE_DURABILITY=hunter2", "TOLLGATE_LOG_FORMAT=hunter2",
			"TOLLGATE_LOG_LEVEL=hunter2"}, []string{
			"TOLLGATE_DURABILITY: must be appended, fsynced or committed",
			"TOLLGATE_LOG_LEVEL: must be debug, info, warn or error",
			"TOLLGATE_LOG_FORMAT: must be json or text"}},
		{"memory for less than four bodies", Standalone, []string{"TOLLGATE_BODY_MEMORY=134217727"}, []string{
			"TOLLGATE_BODY_MEMORY: must be at least four times TOLLGATE_MAX_BODY_BYTES"}},
		{"memory for exactly four bodies", Standalone,
			[]string{"TOLLGATE_BODY_MEMORY=4000", "TOLLGATE_MAX_BODY_BYTES=1000"}, nil},
		{"a spool below the minimum", Standalone, []string{"TOLLGATE_SPOOL_MAX_BYTES=262143"},
			[]string{"TOLLGATE_SPOOL_MAX_BYTES: must be at least 262144"}},
		{"the smallest spool", Standalone, []string{"TOLLGATE_SPOOL_MAX_BYTES=262144"}, nil},
		{"malformed numbers", Standalone, []string{"TOLLGATE_MAX_BODY_BYTES=32MiB", "TOLLGATE_MAX_IN_FLIGHT=1.5",
			"TOLLGATE_CONSOLE_SECURE_COOKIES=hunter2"}, []string{
			"TOLLGATE_MAX_BODY_BYTES: must be a whole number", "TOLLGATE_MAX_IN_FLIGHT: must be a whole number",
			"TOLLGATE_CONSOLE_SECURE_COOKIES: must be true or false"}},
		{"numbers out of range", Standalone, []string{"TOLLGATE_MAX_BODY_BYTES=0", "TOLLGATE_MAX_IN_FLIGHT=-1",
			"TOLLGATE_DRAIN_TIMEOUT=0s"}, []string{
			"TOLLGATE_MAX_BODY_BYTES: must be greater than zero", "TOLLGATE_MAX_IN_FLIGHT: must be greater than zero",
			"TOLLGATE_DRAIN_TIMEOUT: must be greater than zero"}},
		{"a long delay of recording", Standalone, []string{"TOLLGATE_RECORD_DELAY=11s"},
			[]string{"TOLLGATE_RECORD_DELAY: must be at most 10s"}},
		{"durations without a unit", Standalone, []string{"TOLLGATE_QUOTA_WAIT=5", "TOLLGATE_SESSION_TTL=7d"}, []string{
			"TOLLGATE_QUOTA_WAIT: must be a duration such as 30s or 5m",
			"TOLLGATE_SESSION_TTL: must be a duration such as 30s or 5m"}},
		{"a retention without a unit", Standalone, []string{"TOLLGATE_USAGE_LOG_RETENTION=400"},
			[]string{retentionFault}},
		{"a retention in another unit", Standalone, []string{"TOLLGATE_USAGE_LOG_RETENTION=9600h"},
			[]string{retentionFault}},
		{"a retention below the minimum", Standalone, []string{"TOLLGATE_USAGE_LOG_RETENTION=30d"},
			[]string{"TOLLGATE_USAGE_LOG_RETENTION: must be at least 31d"}},
		{"an audit retention below the minimum", Standalone, []string{"TOLLGATE_AUDIT_RETENTION=30d"},
			[]string{"TOLLGATE_AUDIT_RETENTION: must be at least 31d"}},
		{"a retention above the maximum", Standalone, []string{"TOLLGATE_USAGE_LOG_RETENTION=36501d"},
			[]string{retentionFault}},
		{"a response retention of zero", Standalone, []string{"TOLLGATE_RESPONSE_RETENTION=0d"},
			[]string{"TOLLGATE_RESPONSE_RETENTION: must be a number of days from 1d to 36500d, such as 400d"}},
		{"a client retention in another unit", Standalone, []string{"TOLLGATE_CLIENT_RETENTION=0h"},
			[]string{"TOLLGATE_CLIENT_RETENTION: must be 0 or a number of days from 1d to 36500d, such as 90d"}},
		{"a negative retention", Standalone, []string{"TOLLGATE_USAGE_LOG_RETENTION=-400d"}, []string{retentionFault}},
		{"malformed variables of traces", Standalone, []string{"TOLLGATE_OTLP_URL=collector:4318",
			"TOLLGATE_TRACE_RATIO=1.5", "TOLLGATE_TRACE_UPSTREAM=perhaps"}, []string{
			"TOLLGATE_OTLP_URL: must be http://... or https://...", "TOLLGATE_TRACE_RATIO: must be from 0 to 1",
			"TOLLGATE_TRACE_UPSTREAM: must be true or false"}},
		{"a collector with credentials", Standalone, []string{"TOLLGATE_OTLP_URL=http://me:secret@collector:4318",
			"TOLLGATE_TRACE_RATIO=NaN"}, []string{
			"TOLLGATE_OTLP_URL: must have no credentials, query or fragment",
			"TOLLGATE_TRACE_RATIO: must be from 0 to 1"}},
		{"a trace ratio that is not a number", Standalone, []string{"TOLLGATE_TRACE_RATIO=all",
			"TOLLGATE_ACCESS_LOG=yes"}, []string{
			"TOLLGATE_ACCESS_LOG: must be on, off or errors", "TOLLGATE_TRACE_RATIO: must be a number such as 0.1"}},
		{"a reconciliation interval below the minimum", Standalone, []string{"TOLLGATE_RECONCILE_INTERVAL=999ms"},
			[]string{"TOLLGATE_RECONCILE_INTERVAL: must be at least 1s"}},
		{"malformed addresses", Standalone, []string{"TOLLGATE_RELAY_ADDR=8080", "TOLLGATE_OPS_ADDR=:http",
			"TOLLGATE_CONSOLE_ADDR=[::1]:99999"}, []string{
			"TOLLGATE_RELAY_ADDR: must be host:port or :port", "TOLLGATE_CONSOLE_ADDR: must be host:port or :port",
			"TOLLGATE_OPS_ADDR: must be host:port or :port"}},
		{"a relay URL without a scheme", Standalone, []string{"TOLLGATE_RELAY_URL=hunter2.example:8080"}, []string{
			"TOLLGATE_RELAY_URL: must be http://... or https://..."}},
		{"a relay URL with credentials", Standalone, []string{"TOLLGATE_RELAY_URL=https://me:hunter2@relay.example"},
			[]string{
				"TOLLGATE_RELAY_URL: must have no credentials, query or fragment"}},
		{"a relay URL with /v1", Standalone, []string{"TOLLGATE_RELAY_URL=https://relay.example/v1/"}, []string{
			"TOLLGATE_RELAY_URL: must not end in /v1, which is added to it"}},
		{"a relay URL of the playground with /v1", Console, []string{postgresURL, "TOLLGATE_SECRET_KEY=" + key,
			"TOLLGATE_PLAYGROUND_RELAY_URL=http://relay:8080/v1"}, []string{
			"TOLLGATE_PLAYGROUND_RELAY_URL: must not end in /v1, which is added to it"}},
		{"malformed networks", Standalone, []string{"TOLLGATE_TRUSTED_PROXIES=10.0.0.0/8,hunter2"}, []string{
			"TOLLGATE_TRUSTED_PROXIES: must be addresses or networks such as 10.0.0.0/8, separated by commas"}},
		{"the PROXY protocol of nobody", Standalone, []string{"TOLLGATE_PROXY_PROTOCOL=true"}, []string{
			"TOLLGATE_PROXY_PROTOCOL: needs TOLLGATE_TRUSTED_PROXIES: headers of other addresses are not read"}},
		{"an origin without a scheme", Relay, []string{postgresURL, redisURL, "TOLLGATE_SECRET_KEY=" + key,
			"TOLLGATE_CORS_ORIGINS=hunter2.example"}, []string{originsFault}},
		{"an origin with a path", Standalone,
			[]string{"TOLLGATE_CORS_ORIGINS=https://app.example,https://hunter2.example/app"}, []string{originsFault}},
		{"an origin with a wildcard", Standalone, []string{"TOLLGATE_CORS_ORIGINS=https://*.hunter2.example"},
			[]string{originsFault}},
		{"an origin with credentials", Standalone, []string{"TOLLGATE_CORS_ORIGINS=https://me:hunter2@app.example"},
			[]string{originsFault}},
		{"an origin with an empty port", Standalone, []string{"TOLLGATE_CORS_ORIGINS=https://app.example:"},
			[]string{originsFault}},
		{"an origin that no browser sends", Standalone, []string{"TOLLGATE_CORS_ORIGINS=https://b\u00fccher.example"},
			[]string{originsFault}},
		{"all origins and one", Standalone, []string{"TOLLGATE_CORS_ORIGINS=*,https://app.example"},
			[]string{originsFault}},
		{"a list with an empty entry", Standalone, []string{"TOLLGATE_CORS_ORIGINS=https://app.example,"},
			[]string{originsFault}},
		{"the origin of files", Standalone, []string{"TOLLGATE_CORS_ORIGINS=null"}, []string{originsFault}},
		{"mail without a sender", Standalone, []string{"TOLLGATE_SMTP_URL=smtp://ada:hunter2@mail.example"}, []string{
			"TOLLGATE_MAIL_FROM: must be an e-mail address: mail needs a sender"}},
		{"mail without a console URL", Console, []string{postgresURL, "TOLLGATE_SECRET_KEY=" + key,
			"TOLLGATE_SMTP_URL=smtp://ada:hunter2@mail.example", "TOLLGATE_MAIL_FROM=Tollgate <a@x.example>"}, []string{
			"TOLLGATE_CONSOLE_URL: is required for the links in mail"}},
		{"a malformed mail server", Standalone, []string{"TOLLGATE_SMTP_URL=hunter2.example:25",
			"TOLLGATE_MAIL_FROM=a@x.example"}, []string{
			"TOLLGATE_SMTP_URL: must be smtp://... or smtps://..."}},
		{"a console URL with a path", Standalone, []string{"TOLLGATE_CONSOLE_URL=https://x.example/console"}, []string{
			"TOLLGATE_CONSOLE_URL: must be http://... or https://..., with host and port only"}},
		{"a bucket without credentials", Worker, []string{postgresURL, redisURL,
			"TOLLGATE_EXPORT_URL=https://s3.example/hunter2"}, []string{
			"TOLLGATE_EXPORT_ACCESS_KEY_ID: is required with EXPORT_URL",
			"TOLLGATE_EXPORT_SECRET_ACCESS_KEY: is required with EXPORT_URL"}},
		{"a bucket without credentials for a program that does not export", Relay, []string{postgresURL, redisURL,
			"TOLLGATE_SECRET_KEY=" + key, "TOLLGATE_EXPORT_URL=s3://hunter2"}, []string{exportFault}},
		{"a bucket with credentials in the URL and values out of range", Standalone,
			[]string{"TOLLGATE_EXPORT_URL=https://a:hunter2@s3.example/b", "TOLLGATE_EXPORT_ACCESS_KEY_ID=hunter2",
				"TOLLGATE_EXPORT_SECRET_ACCESS_KEY=hunter2", "TOLLGATE_EXPORT_INTERVAL=9s",
				"TOLLGATE_EXPORT_MAX_LOGS=100001"}, []string{
				exportFault, "TOLLGATE_EXPORT_INTERVAL: must be at least 10s",
				"TOLLGATE_EXPORT_MAX_LOGS: must be at most 100000"}},
		{"a typing error", Standalone, []string{"TOLLGATE_REALY_ADDR=:1", "TOLLGATE_A_CLIENTS_TOKEN=hunter2"}, []string{
			"TOLLGATE_REALY_ADDR: there is no such variable; did you mean TOLLGATE_RELAY_ADDR?"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			_, err := Load(row.program, row.environ)
			if diff := cmp.Diff(row.want, faultsOf(t, err)); diff != "" {
				t.Error(diff)
			}
			if strings.Contains(fmt.Sprint(err), "hunter2") {
				t.Errorf("the error shows a value: %v", err)
			}
		})
	}
}

const exportFault = "TOLLGATE_EXPORT_URL: must be an http or https URL of a bucket, such as " +
	"https://s3.eu-central-1.amazonaws.com/BUCKET/PREFIX, without credentials and query"

const retentionFault = "TOLLGATE_USAGE_LOG_RETENTION: must be 0 or a number of days from 1d to 36500d, such as 90d"

const originsFault = "TOLLGATE_CORS_ORIGINS: must be *, none, or origins such as https://app.example.com, separated " +
	"by commas"

func TestCORSOrigins_HaveTheFormThatBrowsersSend(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		value string
		want  Origins
	}{
		{"", Origins{AnyOrigin}},
		{"*", Origins{AnyOrigin}},
		{"none", nil},
		{"https://app.example.com", Origins{"https://app.example.com"}},
		{"HTTPS://App.Example.com/, http://localhost:5173",
			Origins{"https://app.example.com", "http://localhost:5173"}},
		{"https://app.example:443,http://app.example:80,https://app.example",
			Origins{"https://app.example", "http://app.example"}},
		{"https://app.example:80,http://[::1]:3000", Origins{"https://app.example:80", "http://[::1]:3000"}},
		{"app://obsidian.md,chrome-extension://abcdefghijklmnop",
			Origins{"app://obsidian.md", "chrome-extension://abcdefghijklmnop"}},
	} {
		c, err := Load(Standalone, []string{"TOLLGATE_CORS_ORIGINS=" + row.value})
		if err != nil {
			t.Errorf("%q: %v", row.value, err)
		}
		if diff := cmp.Diff(row.want, c.CORSOrigins); diff != "" {
			t.Errorf("%q: %s", row.value, diff)
		}
	}
}

func TestConsoleURL_DependsOnAddressAndProgram(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		program, variable, want string
	}{
		{Standalone, "TOLLGATE_CONSOLE_ADDR=:9000", "http://localhost:9000"},
		{Standalone, "TOLLGATE_CONSOLE_ADDR=[::]:9000", "http://localhost:9000"},
		{Standalone, "TOLLGATE_CONSOLE_ADDR=[::1]:9000", "http://localhost:9000"},
		{Standalone, "TOLLGATE_CONSOLE_URL=https://console.example:8443/", "https://console.example:8443"},
		{Console, "TOLLGATE_CONSOLE_ADDR=:9000", ""},
	} {
		c, err := Load(row.program, []string{postgresURL, "TOLLGATE_SECRET_KEY=" + key, row.variable})
		if err != nil || c.ConsoleURL != row.want {
			t.Errorf("%s, %s: %q (%v), want %q", row.program, row.variable, c.ConsoleURL, err, row.want)
		}
	}
}

func TestLoad_ReportsAllFaultsAtOnce(t *testing.T) {
	t.Parallel()
	_, err := Load(Relay, []string{"TOLLGATE_DATABASE_URL=x", "TOLLGATE_DURABILITY=x", "TOLLGATE_DRAIN_TIMEOUT=x",
		"TOLLGATE_RELAY_ADRR=x"})
	if got := len(faultsOf(t, err)); got != 6 {
		t.Errorf("%d faults, want 6: %v", got, err)
	}
}

func TestLoad_AcceptsValidValues(t *testing.T) {
	t.Parallel()
	c, err := Load(Standalone, []string{
		"PATH=/bin", "TOLLGATE_TRUSTED_PROXIES=10.1.2.3/8, ::1,192.0.2.7", "TOLLGATE_QUOTA_WAIT=0s",
		"TOLLGATE_LOG_LEVEL=DEBUG",
		"TOLLGATE_USAGE_LOG_RETENTION=400d", "TOLLGATE_RESPONSE_RETENTION=1d", "TOLLGATE_RECONCILE_INTERVAL=1s",
		"TOLLGATE_CLIENT_RETENTION=0", "TOLLGATE_SESSION_IDLE=0", "TOLLGATE_CONFIRM_AMOUNT=0",
		"TOLLGATE_KEEPALIVE_INTERVAL=0",
		"TOLLGATE_RELAY_ADDR=:0", "TOLLGATE_DATA_DIR=/var/lib/tollgate", "TOLLGATE_CONFIG=manifest.yaml",
		"TOLLGATE_RELAY_URL=https://relay.example/gateway/", "TOLLGATE_SERVICE_HOST=10.0.0.1",
		"TOLLGATE_RELAY_PORT=tcp://10.0.0.1:80", "TOLLGATE_RELAY_PORT_80_TCP_ADDR=10.0.0.1",
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128"),
		netip.MustParsePrefix("192.0.2.7/32")}
	if fmt.Sprint(c.TrustedProxies) != fmt.Sprint(want) {
		t.Errorf("TrustedProxies = %v, want %v", c.TrustedProxies, want)
	}
	if c.UsageLogRetention != DaysOrNone(400*24*time.Hour) || c.ResponseRetention != Days(24*time.Hour) ||
		c.ReconcileInterval != time.Second || c.ClientRetention != 0 {
		t.Errorf("retention %v, interval %v, of clients %v", c.UsageLogRetention, c.ReconcileInterval,
			c.ClientRetention)
	}
	if c.SessionIdle != 0 || c.ConfirmAmount != 0 || c.KeepaliveInterval != 0 {
		t.Errorf("idle time %v, amount %v, keepalive %v, want 0", c.SessionIdle, c.ConfirmAmount, c.KeepaliveInterval)
	}
	if c.DatabaseURL != "sqlite:/var/lib/tollgate/tollgate.db" || c.ManifestFile != "manifest.yaml" ||
		c.LogLevel != slog.LevelDebug ||
		c.RelayURL != "https://relay.example/gateway" {
		t.Errorf("%+v", c)
	}
	for _, value := range []string{"0", "0d"} {
		c, err := Load(Standalone, []string{"TOLLGATE_USAGE_LOG_RETENTION=" + value})
		if err != nil || c.UsageLogRetention != 0 {
			t.Errorf("a retention of %s: got %v (%v), want 0", value, c.UsageLogRetention, err)
		}
	}
}

func TestSecretKey_AcceptsEveryBase64Alphabet(t *testing.T) {
	t.Parallel()
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding,
		base64.RawURLEncoding} {
		c, err := Load(Standalone, []string{"TOLLGATE_SECRET_KEY=" + encoding.EncodeToString(rawKey)})
		if err != nil || c.SecretKey != Secret(rawKey) {
			t.Errorf("%s: err = %v", encoding.EncodeToString(rawKey), err)
		}
	}
}

func TestSecret_IsNeverPrinted(t *testing.T) {
	t.Parallel()
	c, err := Load(Relay, []string{postgresURL, redisURL, "TOLLGATE_SECRET_KEY=" + key})
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("configuration", "config", c, "key", c.SecretKey)
	printed := log.String() + fmt.Sprintf("%v %+v %#v %s %x %d", c.SecretKey, c.SecretKey, c.SecretKey, c.SecretKey,
		c.SecretKey, c.SecretKey)
	for _, secret := range []string{key, "hunter2", fmt.Sprintf("%x", rawKey), fmt.Sprint(rawKey)} {
		if strings.Contains(printed, secret) {
			t.Errorf("%q shows %q", printed, secret)
		}
	}
}

// deploy/tollgate.env.example lists every variable with its default in standalone.
func TestEnvExample_ListsEveryVariableWithItsDefault(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../deploy/tollgate.env.example")
	if err != nil {
		t.Fatal(err)
	}
	var environ []string
	for _, match := range regexp.MustCompile(`(?m)^#?(TOLLGATE_[A-Z0-9_]+=.*)$`).
		FindAllStringSubmatch(string(text), -1) {
		environ = append(environ, match[1])
	}
	for field := range fields() {
		name := Prefix + field.Tag.Get("env") + "="
		if !strings.Contains(string(text), name) {
			t.Errorf("%s is not in the example", name)
		}
	}
	got, err := Load(Standalone, environ)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := Load(Standalone, nil)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the values in the example differ from the defaults (-default +example):\n%s", diff)
	}
}

// named returns the sorted variables that the pattern finds in a file under deploy.
func named(t *testing.T, file, pattern string) (names []string) {
	t.Helper()
	text, err := os.ReadFile("../../deploy/" + file)
	if err != nil {
		t.Fatal(err)
	}
	for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(text), -1) {
		names = append(names, match[1])
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// notInCompose gives the reason for each variable that compose.yaml does not pass to a program.
var notInCompose = map[string]string{
	"TOLLGATE_DATA_DIR":            "the images set it to the volume",
	"TOLLGATE_RELAY_ADDR":          "the images set it, and the balancer uses it",
	"TOLLGATE_CONSOLE_ADDR":        "the images set it, and the balancer uses it",
	"TOLLGATE_OPS_ADDR":            "the images set it, and the health checks use it",
	"TOLLGATE_CONFIG":              "only standalone reads it",
	"TOLLGATE_CLIENT_IDLE_TIMEOUT": "the balancer uses one connection for each request",
	"TOLLGATE_PROXY_PROTOCOL":      "the balancer sends X-Forwarded-For",
	"TOLLGATE_DRAIN_TIMEOUT":       "stop_grace_period must be longer, and is a constant",
	"TOLLGATE_DATABASE_DIRECT_URL": "no pooler is in front of the Postgres of compose.yaml",
}

// deploy/compose.yaml with compose.roles.yaml and the example environment use the same variables. The programs know all
// variables that compose.yaml passes to them, and it passes all that they know.
func TestComposeExample_MatchesComposeFile(t *testing.T) {
	t.Parallel()
	used := append(named(t, "compose.yaml", `\$\{([A-Z0-9_]+)`),
		named(t, "compose.roles.yaml", `[^$]\$\{([A-Z0-9_]+)`)...)
	used = append(used, "COMPOSE_FILES") // tools/compose reads it
	slices.Sort(used)
	used = slices.Compact(used)
	listed := named(t, "compose.env.example", `(?m)^#?([A-Z0-9_]+)=`)
	if diff := cmp.Diff(used, listed); diff != "" {
		t.Errorf("compose.yaml uses (-), the example lists (+):\n%s", diff)
	}
	var environ []string
	for _, name := range named(t, "compose.yaml", `(?m)^ +(TOLLGATE_[A-Z0-9_]+):`) {
		environ = append(environ, name)
		if !slices.ContainsFunc(slices.Collect(fields()), func(f reflect.StructField) bool {
			return Prefix+f.Tag.Get("env") == name
		}) {
			t.Errorf("no program knows %s", name)
		}
	}
	if len(environ) < 10 {
		t.Errorf("compose.yaml passes only %v to the programs", environ)
	}
	for field := range fields() {
		name := Prefix + field.Tag.Get("env")
		if passed, why := slices.Contains(environ, name), notInCompose[name]; passed == (why != "") {
			t.Errorf("compose.yaml passes %s: %v; the reason why it does not: %q", name, passed, why)
		}
	}
	needed := named(t, "compose.yaml", `\$\{([A-Z0-9_]+):\?`)
	if diff := cmp.Diff(needed, named(t, "compose.env.example", `(?m)^([A-Z0-9_]+)=$`)); diff != "" {
		t.Errorf("compose requires (-), the example leaves empty (+):\n%s", diff)
	}
}
