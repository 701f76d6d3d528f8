package config

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"

	"github.com/tollgate/tollgate/libs/core/spelling"
	"github.com/tollgate/tollgate/libs/core/token"
)

// Prefix is the prefix of the name of every variable.
const Prefix = "TOLLGATE_"

// Error lists all faults of the environment. It names variables and never shows their values.
type Error struct {
	Faults []string // one line each, which begins with the name of the variable
}

// Error returns a heading and one line for each fault.
func (e *Error) Error() string {
	return "the configuration is not valid:\n  " + strings.Join(e.Faults, "\n  ")
}

// Load returns the configuration of a program from an environment in the form of os.Environ. The error is an *Error
// with all faults.
func Load(program string, environ []string) (Config, error) {
	return LoadWith(program, environ, required[program]...)
}

// required lists the variables, without prefix, that each program requires.
var required = map[string][]string{
	Relay:   {"DATABASE_URL", "REDIS_URL", "SECRET_KEY"},
	Console: {"DATABASE_URL", "SECRET_KEY"},
	Worker:  {"DATABASE_URL", "REDIS_URL"},
}

// LoadWith is like Load, for a command that requires other variables than its program. variables holds their names
// without Prefix; they can be DATABASE_URL, REDIS_URL and SECRET_KEY.
func LoadWith(program string, environ []string, variables ...string) (Config, error) {
	values := withPrefix(environ)
	c := Config{Program: program}
	faults := newFaults()
	faults.unknown(values)
	faults.parse(env.ParseWithOptions(&c, env.Options{
		Prefix: Prefix, Environment: withDefaults(program, values),
		FuncMap: map[reflect.Type]env.ParserFunc{reflect.TypeFor[[]netip.Prefix](): parseNetworks},
	}))
	if program == Standalone && c.DatabaseURL == "" {
		c.DatabaseURL = "sqlite:" + filepath.Join(c.DataDir, "tollgate.db")
	}
	if program == Standalone && c.ConsoleURL == "" {
		c.ConsoleURL = LocalURL(c.ConsoleAddr)
	}
	faults.check(&c, variables)
	c.ConsoleURL = strings.TrimSuffix(c.ConsoleURL, "/")
	return c, faults.err()
}

// withPrefix returns the variables with the prefix that have a value other than blanks.
func withPrefix(environ []string) map[string]string {
	values := map[string]string{}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, Prefix) && strings.TrimSpace(value) != "" {
			values[name] = strings.TrimSpace(value)
		}
	}
	return values
}

// opsAddrs holds the default of OPS_ADDR for each program. They differ so that all programs can run on one machine.
var opsAddrs = map[string]string{Relay: "127.0.0.1:8082", Console: "127.0.0.1:8083", Worker: "127.0.0.1:8084",
	Standalone: "127.0.0.1:8082"}

// OpsAddr returns the listen address of a program's health checks, for commands that need no other part of the
// configuration. It checks nothing.
func OpsAddr(program string, environ []string) string {
	addr, _ := Lookup(environ, Prefix+"OPS_ADDR")
	if addr = strings.TrimSpace(addr); addr != "" {
		return addr
	}
	return opsAddrs[program]
}

// Lookup returns the value of a variable in an environment in the form of os.Environ, and whether it is set. If the
// variable occurs several times, the last value counts, as in os/exec.
func Lookup(environ []string, name string) (value string, ok bool) {
	for _, entry := range environ {
		if key, v, _ := strings.Cut(entry, "="); key == name {
			value, ok = v, true
		}
	}
	return value, ok
}

// withDefaults returns the given variables and, where they are missing, the defaults that differ by program.
func withDefaults(program string, values map[string]string) map[string]string {
	environment := map[string]string{
		Prefix + "OPS_ADDR":               opsAddrs[program],
		Prefix + "CONSOLE_SECURE_COOKIES": strconv.FormatBool(program != Standalone),
		Prefix + "LOG_FORMAT":             string(JSON),
		Prefix + "ACCESS_LOG":             string(AllRequests),
	}
	if program == Standalone {
		environment[Prefix+"LOG_FORMAT"] = string(Text)
		// Its addresses and passwords must stay in sight on a terminal.
		environment[Prefix+"ACCESS_LOG"] = string(FailedRequests)
	}
	maps.Copy(environment, values)
	return environment
}

// parseNetworks parses networks that are separated by commas. It has the form that the env package requires.
func parseNetworks(list string) (any, error) {
	entries := strings.Split(list, ",")
	for i, entry := range entries {
		entries[i] = strings.TrimSpace(entry)
	}
	networks, err := token.ParseAddresses(entries)
	if err != nil {
		return nil, fault("must be addresses or networks such as 10.0.0.0/8, separated by commas")
	}
	return networks, nil
}

// faults collects the faults of an environment. It reports them in the order in which Config declares the variables.
type faults struct {
	names  map[string]string   // field of Config -> name of its variable
	order  []string            // names of the variables, in the order of Config
	texts  map[string][]string // name of a variable -> its fault
	others []string            // faults that belong to no variable of Config
}

func newFaults() *faults {
	f := &faults{names: map[string]string{}, texts: map[string][]string{}}
	for field := range fields() {
		name := Prefix + field.Tag.Get("env")
		f.names[field.Name] = name
		f.order = append(f.order, name)
	}
	return f
}

// fields yields the fields of Config that are set by variables.
func fields() func(func(reflect.StructField) bool) {
	t := reflect.TypeFor[Config]()
	return func(yield func(reflect.StructField) bool) {
		for i := range t.NumField() {
			if field := t.Field(i); field.Tag.Get("env") != "-" && !yield(field) {
				return
			}
		}
	}
}

// add records a fault of a variable. It keeps only the first one, because others often follow from it.
func (f *faults) add(name, format string, args ...any) {
	if len(f.texts[name]) == 0 {
		f.texts[name] = append(f.texts[name], name+": "+fmt.Sprintf(format, args...))
	}
}

// err returns an *Error with all faults, or nil if there are none.
func (f *faults) err() error {
	var texts []string
	for _, name := range f.order {
		texts = append(texts, f.texts[name]...)
	}
	if texts = append(texts, f.others...); len(texts) == 0 {
		return nil
	}
	return &Error{Faults: texts}
}

// kubernetes matches the variables that Kubernetes sets in every container for services whose name begins with
// "tollgate", such as TOLLGATE_RELAY_SERVICE_HOST.
var kubernetes = regexp.MustCompile(
	`^TOLLGATE_(.*_)?(SERVICE_(HOST|PORT(_.*)?)|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$`)

// unknown records variables that look misspelled. It ignores other unknown variables with the prefix: they may belong
// to scripts around the programs, for example a client's token.
func (f *faults) unknown(values map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if slices.Contains(f.order, name) || kubernetes.MatchString(name) {
			continue
		}
		if similar := spelling.Closest(name, f.order); similar != "" {
			f.others = append(f.others, name+": there is no such variable; did you mean "+similar+"?")
		}
	}
}

// parse translates the errors of the env package, which name fields of Config and quote values, into faults that name
// variables and quote nothing.
func (f *faults) parse(err error) {
	var aggregate env.AggregateError
	if !errors.As(err, &aggregate) {
		return
	}
	for _, cause := range aggregate.Errors {
		var parse env.ParseError
		if !errors.As(cause, &parse) {
			f.others = append(f.others, cause.Error())
			continue
		}
		var reason fault
		if !errors.As(parse.Err, &reason) {
			reason = expectation(parse.Type)
		}
		f.add(f.names[parse.Name], "%s", reason)
	}
}

// expectation returns the text of the fault for a value that cannot be parsed as the type t.
func expectation(t reflect.Type) fault {
	switch {
	case t.String() == "time.Duration":
		return "must be a duration such as 30s or 5m"
	case t.String() == "slog.Level":
		return "must be debug, info, warn or error"
	case t.Kind() == reflect.Bool:
		return "must be true or false"
	case t.Kind() == reflect.Float64:
		return "must be a number such as 0.1"
	case t.Kind() == reflect.Int || t.Kind() == reflect.Int64:
		return "must be a whole number"
	}
	return "has a value that cannot be read"
}

// check records variables that are missing, malformed or out of range.
func (f *faults) check(c *Config, variables []string) {
	f.positive(c)
	f.urls(c)
	f.identity(c)
	f.mail(c)
	f.traces(c)
	if c.ReconcileInterval > 0 && c.ReconcileInterval < time.Second {
		f.add(Prefix+"RECONCILE_INTERVAL", "must be at least 1s")
	}
	f.prices(c)
	f.export(c)
	isMissing := map[string]bool{"DATABASE_URL": c.DatabaseURL == "", "REDIS_URL": c.RedisURL == "",
		"SECRET_KEY": c.SecretKey.IsZero()}
	for _, name := range variables {
		if isMissing[name] {
			f.add(Prefix+name, "is required by %s", c.Program)
		}
	}
	listening := map[string]string{"RELAY_ADDR": c.RelayAddr, "CONSOLE_ADDR": c.ConsoleAddr, "OPS_ADDR": c.OpsAddr}
	if !c.SecretKeyOld.IsZero() && (c.SecretKeyOld == c.SecretKey || c.SecretKey.IsZero() && c.Program != Standalone) {
		f.add(Prefix+"SECRET_KEY_OLD", "must differ from SECRET_KEY, which must be set too")
	}
	for i, host := range c.OpsHosts {
		c.OpsHosts[i] = strings.TrimSpace(host)
		if c.OpsHosts[i] == "" || strings.ContainsAny(c.OpsHosts[i], ":/ *") {
			f.add(Prefix+"OPS_HOSTS", "must be host names without scheme or port, separated by commas")
		}
	}
	for name, address := range listening {
		if _, port, err := net.SplitHostPort(address); err != nil || !isPort(port) {
			f.add(Prefix+name, "must be host:port or :port")
		}
	}
}

// minPricesInterval is the shortest time between two fetches of the price catalog. Providers publish prices days ahead.
const minPricesInterval = time.Minute

// prices records faults of the address and the checksum of the price catalog.
func (f *faults) prices(c *Config) {
	if u, err := url.Parse(c.PricesURL); c.PricesURL != "" && (err != nil || !isURL(c.PricesURL, "http", "https") ||
		u.User != nil) {
		f.add(Prefix+"PRICES_URL", "must be an http or https URL without credentials")
	}
	if c.PricesChecksum != "" &&
		(len(c.PricesChecksum) != 64 || strings.Trim(strings.ToLower(c.PricesChecksum), "0123456789abcdef") != "") {
		f.add(Prefix+"PRICES_CHECKSUM", "must be 64 hexadecimal digits")
	}
	if c.PricesChecksum != "" && c.PricesURL == "" {
		f.add(Prefix+"PRICES_CHECKSUM", "needs PRICES_URL")
	}
	if c.PricesInterval > 0 && c.PricesInterval < minPricesInterval {
		f.add(Prefix+"PRICES_INTERVAL", "must be at least 1m")
	}
}

// The bounds of the export: intervals that need no further queue, and objects that fit into memory.
const (
	minExportInterval = 10 * time.Second
	maxExportLogs     = 100_000
)

// export records faults of the bucket of usage logs.
func (f *faults) export(c *Config) {
	if u, err := url.Parse(c.ExportURL); c.ExportURL != "" &&
		(err != nil || !isURL(c.ExportURL, "http", "https") || u.User != nil || u.RawQuery != "" || u.Fragment != "") {
		f.add(Prefix+"EXPORT_URL", "must be an http or https URL of a bucket, such as "+
			"https://s3.eu-central-1.amazonaws.com/BUCKET/PREFIX, without credentials and query")
	}
	// Others may share the environment without the credentials.
	exports := c.ExportURL != "" && (c.Program == Worker || c.Program == Standalone)
	for name, value := range map[string]string{"EXPORT_ACCESS_KEY_ID": c.ExportAccessKeyID,
		"EXPORT_SECRET_ACCESS_KEY": c.ExportSecretAccessKey} {
		if exports && value == "" {
			f.add(Prefix+name, "is required with EXPORT_URL")
		}
	}
	if c.ExportInterval > 0 && c.ExportInterval < minExportInterval {
		f.add(Prefix+"EXPORT_INTERVAL", "must be at least 10s")
	}
	if c.ExportMaxLogs > maxExportLogs {
		f.add(Prefix+"EXPORT_MAX_LOGS", "must be at most 100000")
	}
}

func isPort(port string) bool {
	_, err := strconv.ParseUint(port, 10, 16)
	return err == nil
}

// zeroable holds the numbers and durations that may be zero: do not wait, confirm each grant, send no comments, not
// set, store nothing, and never end.
var zeroable = []string{"QuotaWait", "ConfirmAmount", "KeepaliveInterval", "UsageLogRetention", "BodyMemory",
	"ClientRetention", "SessionIdle"}

// positive records numbers and durations that are not greater than zero, except those that may be zero.
func (f *faults) positive(c *Config) {
	value := reflect.ValueOf(c).Elem()
	for field := range fields() {
		v := value.FieldByIndex(field.Index)
		if !v.CanInt() || field.Type.String() == "slog.Level" {
			continue
		}
		if v.Int() < 0 || v.Int() == 0 && !slices.Contains(zeroable, field.Name) {
			f.add(f.names[field.Name], "must be greater than zero")
		}
	}
	if c.LeaseGrace > 0 && c.LeaseGrace < minLeaseGrace {
		f.add(f.names["LeaseGrace"], "must be at least 2s")
	}
	if c.RecordDelay > maxRecordDelay {
		f.add(f.names["RecordDelay"], "must be at most 10s")
	}
	if c.BodyMemory > 0 && c.BodyMemory/MinBodies < c.MaxBodyBytes {
		f.add(f.names["BodyMemory"], "must be at least four times %sMAX_BODY_BYTES", Prefix)
	}
	if c.SpoolMaxBytes > 0 && c.SpoolMaxBytes < minSpoolBytes {
		f.add(f.names["SpoolMaxBytes"], "must be at least 262144")
	}
	if c.UsageLogRetention > 0 && c.UsageLogRetention < minLogRetention {
		f.add(f.names["UsageLogRetention"], "must be at least 31d")
	}
	if c.AuditRetention > 0 && c.AuditRetention < minAuditRetention {
		f.add(f.names["AuditRetention"], "must be at least 31d")
	}
}

// MinBodies is the number of bodies of MaxBodyBytes for which BodyMemory must have room.
const MinBodies = 4

// minSpoolBytes is the smallest SpoolMaxBytes. A relay refuses calls while less than a sixteenth of its spool is free,
// so that the events of the calls in flight find room there. In a smaller spool that is room for a few events only, and
// calls whose events find none are served without being charged.
const minSpoolBytes = 256 << 10

// minLogRetention is the shortest retention of usage logs. It is longer than events stay in a relay's spool: an event
// that is sent again after its log was deleted would be counted twice.
const minLogRetention = DaysOrNone(31 * 24 * time.Hour)

// minAuditRetention is the shortest retention of the audit log: the database refuses to delete entries of the last 30
// days.
const minAuditRetention = Days(31 * 24 * time.Hour)

// maxRecordDelay is the longest RecordDelay: a page of usage logs should not lack the calls of the last minute.
const maxRecordDelay = 10 * time.Second

// minLeaseGrace is the shortest LeaseGrace. It leaves time for a few heartbeats.
const minLeaseGrace = 2 * time.Second

// redisSchemes are the schemes of the Redis URL.
var redisSchemes = []string{"redis", "rediss", "unix", "redis-sentinel", "rediss-sentinel", "redis-cluster",
	"rediss-cluster"}

// urls checks the URLs of the database, of Redis and of the relay. Relays and workers cannot use SQLite: several
// processes, often on several machines, share their database.
func (f *faults) urls(c *Config) {
	if c.ProxyProtocol && len(c.TrustedProxies) == 0 {
		f.add(Prefix+"PROXY_PROTOCOL", "needs "+Prefix+"TRUSTED_PROXIES: headers of other addresses are not read")
	}
	path, sqlite := strings.CutPrefix(c.DatabaseURL, "sqlite:")
	switch shared := c.Program == Relay || c.Program == Worker; {
	case c.DatabaseURL == "":
	case sqlite && shared:
		f.add(Prefix+"DATABASE_URL", "must be postgres://...: %s shares its database with other programs", c.Program)
	case sqlite && path == "":
		f.add(Prefix+"DATABASE_URL", "must have the path of a file after sqlite:")
	case !sqlite && !isURL(c.DatabaseURL, "postgres", "postgresql"):
		f.add(Prefix+"DATABASE_URL", "must be postgres://... or sqlite:PATH")
	}
	switch direct := c.DatabaseDirectURL; {
	case direct == "":
	case !isURL(direct, "postgres", "postgresql"):
		f.add(Prefix+"DATABASE_DIRECT_URL", "must be postgres://...")
	case sqlite || c.DatabaseURL == "":
		f.add(Prefix+"DATABASE_DIRECT_URL", "needs DATABASE_URL of the same Postgres database")
	}
	// libs/queue reads the rest of the URL. It may name several hosts, which net/url does not accept.
	if scheme, _, ok := strings.Cut(c.RedisURL, "://"); c.RedisURL != "" &&
		!(ok && slices.Contains(redisSchemes, scheme)) {
		f.add(Prefix+"REDIS_URL", "must be redis://..., redis-sentinel://..., redis-cluster://..., the same with "+
			"rediss for TLS, or unix://...")
	}
	f.base(&c.RelayURL, "RELAY_URL")
	f.base(&c.PlaygroundRelayURL, "PLAYGROUND_RELAY_URL")
}

// base checks a base URL and removes trailing slashes from it, because paths are appended to it.
func (f *faults) base(raw *string, name string) {
	*raw = strings.TrimRight(*raw, "/")
	u, err := url.Parse(*raw)
	switch {
	case *raw == "":
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		f.add(Prefix+name, "must be http://... or https://...")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		f.add(Prefix+name, "must have no credentials, query or fragment")
	case strings.HasSuffix(u.Path, "/v1"):
		f.add(Prefix+name, "must not end in /v1, which is added to it")
	}
}

// ProxyNetworks returns the networks of proxies whose PROXY protocol headers are read.
func (c *Config) ProxyNetworks() []netip.Prefix {
	if !c.ProxyProtocol {
		return nil
	}
	return c.TrustedProxies
}

// mail checks the variables for mail: if SMTP_URL is set, the others must be set too. libs/mail checks the URL of the
// server in more detail.
func (f *faults) mail(c *Config) {
	if c.SMTPURL == "" {
		return
	}
	if !isURL(c.SMTPURL, "smtp", "smtps") {
		f.add(Prefix+"SMTP_URL", "must be smtp://... or smtps://...")
	}
	if c.ConsoleURL == "" && c.Program != Standalone { // standalone derives it
		f.add(Prefix+"CONSOLE_URL", "is required for the links in mail")
	}
	if _, err := mail.ParseAddress(c.MailFrom); err != nil {
		f.add(Prefix+"MAIL_FROM", "must be an e-mail address: mail needs a sender")
	}
}

// isURL reports whether raw is a URL with one of the schemes, and with a host or (for unix sockets) a path.
func isURL(raw string, schemes ...string) bool {
	u, err := url.Parse(raw)
	return err == nil && slices.Contains(schemes, u.Scheme) && (u.Host != "" || u.Path != "")
}
