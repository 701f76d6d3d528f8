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

// Prefix begins every variable's name.
const Prefix = "TOLLGATE_"

// Error lists everything that is wrong with the environment. It names
// variables and never shows their values.
type Error struct {
	Faults []string // each begins with its variable
}

// Error returns one line per fault.
func (e *Error) Error() string {
	return "the configuration is not valid:\n  " + strings.Join(e.Faults, "\n  ")
}

// Load reads the configuration of a program from an environment in the form of
// os.Environ. It returns all faults at once in an *Error.
func Load(program string, environ []string) (Config, error) {
	return LoadWith(program, environ, required[program]...)
}

// required are the variables, without prefix, that each program cannot do
// without.
var required = map[string][]string{
	Relay:   {"DATABASE_URL", "REDIS_URL", "SECRET_KEY"},
	Console: {"DATABASE_URL", "SECRET_KEY"},
	Worker:  {"DATABASE_URL", "REDIS_URL"},
}

// LoadWith is Load for a command that requires other variables than its program:
// needed names them, without Prefix. They can be DATABASE_URL, REDIS_URL and
// SECRET_KEY.
func LoadWith(program string, environ []string, needed ...string) (Config, error) {
	given := ours(environ)
	c := Config{Program: program}
	faults := newFaults()
	faults.unknown(given)
	faults.parse(env.ParseWithOptions(&c, env.Options{
		Prefix: Prefix, Environment: withDefaults(program, given),
		FuncMap: map[reflect.Type]env.ParserFunc{reflect.TypeFor[[]netip.Prefix](): parseNetworks},
	}))
	if program == Standalone && c.DatabaseURL == "" {
		c.DatabaseURL = "sqlite:" + filepath.Join(c.DataDir, "tollgate.db")
	}
	if program == Standalone && c.ConsoleURL == "" {
		c.ConsoleURL = LocalURL(c.ConsoleAddr)
	}
	faults.check(&c, needed)
	c.ConsoleURL = strings.TrimSuffix(c.ConsoleURL, "/")
	return c, faults.err()
}

// ours keeps the variables with our prefix that have a value.
func ours(environ []string) map[string]string {
	given := map[string]string{}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, Prefix) && strings.TrimSpace(value) != "" {
			given[name] = strings.TrimSpace(value)
		}
	}
	return given
}

// opsAddrs are the defaults of OPS_ADDR, by program.
var opsAddrs = map[string]string{Relay: "127.0.0.1:8082", Console: "127.0.0.1:8083", Worker: "127.0.0.1:8084", Standalone: "127.0.0.1:8082"}

// OpsAddr returns the address of a program's health, metrics and profiles, for
// commands that need no other part of the configuration.
func OpsAddr(program string, environ []string) string {
	addr, _ := Lookup(environ, Prefix+"OPS_ADDR")
	if addr = strings.TrimSpace(addr); addr != "" {
		return addr
	}
	return opsAddrs[program]
}

// Lookup returns a variable of an environment in the form of os.Environ, and
// whether it is set. The last of several values counts.
func Lookup(environ []string, name string) (value string, ok bool) {
	for _, entry := range environ {
		if key, v, _ := strings.Cut(entry, "="); key == name {
			value, ok = v, true
		}
	}
	return value, ok
}

// withDefaults adds the defaults that differ by program.
func withDefaults(program string, given map[string]string) map[string]string {
	all := map[string]string{
		Prefix + "OPS_ADDR":               opsAddrs[program],
		Prefix + "CONSOLE_SECURE_COOKIES": strconv.FormatBool(program != Standalone),
		Prefix + "LOG_FORMAT":             string(JSON),
	}
	if program == Standalone {
		all[Prefix+"LOG_FORMAT"] = string(Text)
	}
	maps.Copy(all, given)
	return all
}

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

// faults collects what is wrong, by variable.
type faults struct {
	names  map[string]string // field -> variable
	order  []string          // variables as Config declares them
	texts  map[string][]string
	others []string
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

// fields yields the fields of Config that are variables.
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

// add notes a fault of a variable; the first one of each says enough.
func (f *faults) add(name, format string, args ...any) {
	if len(f.texts[name]) == 0 {
		f.texts[name] = append(f.texts[name], name+": "+fmt.Sprintf(format, args...))
	}
}

func (f *faults) err() error {
	var all []string
	for _, name := range f.order {
		all = append(all, f.texts[name]...)
	}
	if all = append(all, f.others...); len(all) == 0 {
		return nil
	}
	return &Error{Faults: all}
}

// kubernetes matches the variables that Kubernetes gives every container for
// services whose name begins like ours.
var kubernetes = regexp.MustCompile(`^TOLLGATE_(.*_)?(SERVICE_(HOST|PORT(_.*)?)|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$`)

// unknown finds misspelt variables. Others with our prefix are left alone: they
// may be for scripts beside us, such as a client's token.
func (f *faults) unknown(given map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if slices.Contains(f.order, name) || kubernetes.MatchString(name) {
			continue
		}
		if similar := spelling.Closest(name, f.order); similar != "" {
			f.others = append(f.others, name+": there is no such variable; did you mean "+similar+"?")
		}
	}
}

// parse translates the parser's errors, which name fields and quote values.
func (f *faults) parse(err error) {
	var all env.AggregateError
	if !errors.As(err, &all) {
		return
	}
	for _, one := range all.Errors {
		var parse env.ParseError
		if !errors.As(one, &parse) {
			f.others = append(f.others, one.Error())
			continue
		}
		var own fault
		if !errors.As(parse.Err, &own) {
			own = expectation(parse.Type)
		}
		f.add(f.names[parse.Name], "%s", own)
	}
}

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

// check finds what is missing or out of range.
func (f *faults) check(c *Config, needed []string) {
	f.positive(c)
	f.urls(c)
	f.identity(c)
	f.mail(c)
	f.traces(c)
	if c.ReconcileInterval > 0 && c.ReconcileInterval < time.Second {
		f.add(Prefix+"RECONCILE_INTERVAL", "must be at least 1s")
	}
	missing := map[string]bool{"DATABASE_URL": c.DatabaseURL == "", "REDIS_URL": c.RedisURL == "", "SECRET_KEY": c.SecretKey.IsZero()}
	for _, name := range needed {
		if missing[name] {
			f.add(Prefix+name, "%s needs it", c.Program)
		}
	}
	listening := map[string]string{"RELAY_ADDR": c.RelayAddr, "CONSOLE_ADDR": c.ConsoleAddr, "OPS_ADDR": c.OpsAddr}
	if !c.SecretKeyOld.IsZero() && (c.SecretKeyOld == c.SecretKey || c.SecretKey.IsZero() && c.Program != Standalone) {
		f.add(Prefix+"SECRET_KEY_OLD", "must be another key than SECRET_KEY, which it stands beside")
	}
	for name, address := range listening {
		if _, port, err := net.SplitHostPort(address); err != nil || !isPort(port) {
			f.add(Prefix+name, "must be host:port or :port")
		}
	}
}

func isPort(port string) bool {
	_, err := strconv.ParseUint(port, 10, 16)
	return err == nil
}

// positive refuses numbers and durations that are not above zero. QuotaWait
// may be zero: do not wait. UsageLogRetention is zero where it is not set.
func (f *faults) positive(c *Config) {
	value := reflect.ValueOf(c).Elem()
	for field := range fields() {
		v := value.FieldByIndex(field.Index)
		if !v.CanInt() || field.Type.String() == "slog.Level" {
			continue
		}
		if zeroable := field.Name == "QuotaWait" || field.Name == "UsageLogRetention"; v.Int() < 0 || v.Int() == 0 && !zeroable {
			f.add(f.names[field.Name], "must be greater than zero")
		}
	}
	if c.LeaseGrace > 0 && c.LeaseGrace < leastGrace {
		f.add(f.names["LeaseGrace"], "must be at least 2s")
	}
	if c.UsageLogRetention > 0 && c.UsageLogRetention < leastLogs {
		f.add(f.names["UsageLogRetention"], "must be at least 31d")
	}
}

// leastLogs is more than any relay's spool outlives: an event that is sent
// again after its log was dropped would count twice.
const leastLogs = Days(31 * 24 * time.Hour)

// leastGrace leaves room for a few signs of life.
const leastGrace = 2 * time.Second

func (f *faults) urls(c *Config) {
	path, sqlite := strings.CutPrefix(c.DatabaseURL, "sqlite:")
	switch shared := c.Program == Relay || c.Program == Worker; {
	case c.DatabaseURL == "":
	case sqlite && shared:
		f.add(Prefix+"DATABASE_URL", "must be postgres://...: %s shares its database with other programs", c.Program)
	case sqlite && path == "":
		f.add(Prefix+"DATABASE_URL", "sqlite: needs the path of a file")
	case !sqlite && !isURL(c.DatabaseURL, "postgres", "postgresql"):
		f.add(Prefix+"DATABASE_URL", "must be postgres://... or sqlite:PATH")
	}
	if c.RedisURL != "" && !isURL(c.RedisURL, "redis", "rediss", "unix") {
		f.add(Prefix+"REDIS_URL", "must be redis://..., rediss://... or unix://...")
	}
	f.base(&c.RelayURL, "RELAY_URL")
}

// base checks a base URL, which loses its last slash. Paths are added to it.
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

// mail wants all that mail needs, or nothing. What the server may be is checked
// further by libs/mail.
func (f *faults) mail(c *Config) {
	if c.SMTPURL == "" {
		return
	}
	if !isURL(c.SMTPURL, "smtp", "smtps") {
		f.add(Prefix+"SMTP_URL", "must be smtp://... or smtps://...")
	}
	if c.ConsoleURL == "" && c.Program != Standalone { // standalone derives it
		f.add(Prefix+"CONSOLE_URL", "mail needs it for its links")
	}
	if _, err := mail.ParseAddress(c.MailFrom); err != nil {
		f.add(Prefix+"MAIL_FROM", "must be an e-mail address: mail needs a sender")
	}
}

func isURL(raw string, schemes ...string) bool {
	u, err := url.Parse(raw)
	return err == nil && slices.Contains(schemes, u.Scheme) && (u.Host != "" || u.Path != "")
}
