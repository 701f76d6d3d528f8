// Package manifest reads, checks, applies and writes the manifest: the YAML file
// that declares groups, models, channels, tenants and operators.
//
// Parse decodes and checks, Apply changes the database, YAML writes. The catalog is
// what the database then holds, and the snapshot is a relay's copy of that.
package manifest

import (
	"fmt"
	"net/netip"
	"os"
	"strings"
	"time"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/limit"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

// Manifest declares groups, models, channels, tenants and operators as they
// should be. Keys that a file may leave out are pointers or nil slices; left out,
// they have a default where the thing is new, and stay as they are where it exists.
type Manifest struct {
	Groups    []Group
	Models    []Model
	Channels  []Channel
	Tenants   []Tenant
	Operators []Operator

	lines map[string]int // of every key and entry, by path
}

// Group declares a user group. Its name identifies it.
type Group struct {
	Name       string
	Multiplier *money.Factor // of all its prices
	Models     []string      `yaml:"models,flow"` // ids and prefixes with a trailing *
	Status     *tenant.Status
	Limits     limit.Change `yaml:"limits,flow"`
}

// Model declares a public model. Its id identifies it.
type Model struct {
	ID        string
	OwnedBy   string        `yaml:"owned_by"`
	Price     pricing.Rates `yaml:"price,flow"`
	Free      bool
	MaxOutput *int64 `yaml:"max_output_tokens"`
	Status    *tenant.Status
	Limits    limit.Change `yaml:"limits,flow"`
}

// Channel declares an upstream. Its name identifies it.
type Channel struct {
	Name      string
	Type      string
	BaseURL   *string           `yaml:"base_url"`
	Keys      *[]string         `yaml:"api_keys,flow"`
	Endpoints []catalog.Dialect `yaml:"endpoints,flow"`
	Models    map[string]string `yaml:"models,flow"` // public id -> upstream id
	Priority  *int
	Weight    *int
	Status    *tenant.Status

	OnDisconnect *catalog.Disconnect `yaml:"on_disconnect"`
	Settings     *Settings           `yaml:"settings,flow"`
}

// Tenant declares a tenant. Its slug identifies it.
type Tenant struct {
	Slug  string
	Name  string
	Quota money.Amount // granted when the tenant is created
	Caps  quota.Caps   `yaml:"caps,flow"`

	QuotaMode *tenant.QuotaMode `yaml:"quota_mode"`
	Status    *tenant.Status
	Users     []User
}

// User declares a user of a tenant. The e-mail address identifies the user.
type User struct {
	Email    string
	Password string // set when the user is created; "": none, until the user sets one by a link
	Role     tenant.Role
	Group    string
	Quota    *money.Amount // cap
	Caps     quota.Caps    `yaml:"caps,flow"`
	Limits   limit.Change  `yaml:"limits,flow"`
	Tokens   []Token
}

// Token declares a token. Its user and its name identify it.
type Token struct {
	Name      string
	Value     string         // "": a new one
	Models    []string       `yaml:"models,flow"`
	Addresses []netip.Prefix `yaml:"addresses,flow"`
	Quota     *money.Amount  // cap
	Caps      quota.Caps     `yaml:"caps,flow"`
	Limits    limit.Change   `yaml:"limits,flow"`
	ExpiresAt *time.Time     `yaml:"expires_at"`
	Status    *tenant.Status // of a token that is not revoked
}

// Operator declares an operator. The e-mail address identifies the operator.
type Operator struct {
	Email    string
	Password string // set when the operator is created
}

// Fault is one thing that is wrong in a manifest. It names keys and never shows
// values that could be secret.
type Fault struct {
	Line int
	Key  string // path such as channels[0].models, "" for the file itself
	Text string
}

// Error lists all faults of a manifest, by line.
type Error struct {
	File   string
	Faults []Fault
}

// Error returns one line per fault: file:line: key: text.
func (e *Error) Error() string {
	lines := make([]string, len(e.Faults))
	for i, f := range e.Faults {
		key := f.Key
		if key != "" {
			key += ": "
		}
		lines[i] = fmt.Sprintf("%s:%d: %s%s", e.File, f.Line, key, f.Text)
	}
	return strings.Join(lines, "\n")
}

// Source is the text of a manifest, and how to read and check it.
type Source struct {
	File string // name for errors
	Text []byte
	// Lookup returns the value of ${NAME}. It is nil for a text from a caller who
	// must not read the environment: then ${NAME} is a fault.
	Lookup func(name string) (string, bool)
	// CheckChannel checks a channel by the rules of its type.
	CheckChannel func(*catalog.Channel) error
}

// Read reads the file at path, see Parse.
func Read(path string, s Source) (*Manifest, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read manifest: %w", err)
	}
	s.File, s.Text = path, text
	return Parse(s)
}

// Parse decodes and checks a manifest. It returns all faults at once in an
// *Error: unknown and duplicate keys, values of the wrong kind, variables that are
// not set, and references to things that are not declared.
func Parse(s Source) (*Manifest, error) {
	d := &decoder{lookup: s.Lookup, lines: map[string]int{}}
	m := d.decode(s.Text)
	m.lines = d.lines
	if len(d.faults) == 0 {
		d.check(m, s.CheckChannel)
	}
	if err := d.err(s.File); err != nil {
		return nil, err
	}
	return m, nil
}
