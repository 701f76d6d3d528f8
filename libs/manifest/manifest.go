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

// Manifest is a catalogue file: groups, models, channels, tenants and
// operators as they shall be. Keys that may be left out are pointers or nil
// slices; left out, they have a default where the thing is new, and are not
// touched where it exists.
type Manifest struct {
	Groups    []Group
	Models    []Model
	Channels  []Channel
	Tenants   []Tenant
	Operators []Operator

	lines map[string]int // of every key and entry, by path
}

// Group declares a user group, known by its name.
type Group struct {
	Name       string
	Multiplier *money.Factor // of all its prices
	Models     []string      // ids and prefixes with a trailing *
	Status     *tenant.Status
	Limits     limit.Change
}

// Model declares a public model, known by its id.
type Model struct {
	ID        string
	OwnedBy   string
	Price     pricing.Rates
	Free      bool
	MaxOutput *int64
	Status    *tenant.Status
	Limits    limit.Change
}

// Channel declares an upstream, known by its name.
type Channel struct {
	Name      string
	Type      string
	BaseURL   *string
	Keys      *[]string
	Endpoints []catalog.Dialect
	Models    map[string]string // public id -> upstream id
	Priority  *int
	Weight    *int
	Status    *tenant.Status

	OnDisconnect *catalog.Disconnect
	Settings     *Settings
}

// Tenant declares a tenant, known by its slug.
type Tenant struct {
	Slug  string
	Name  string
	Quota money.Amount // granted when the tenant is made
	Caps  quota.Caps
	Users []User

	QuotaMode *tenant.QuotaMode
	Status    *tenant.Status
}

// User declares a user of a tenant, known by the e-mail address.
type User struct {
	Email    string
	Password string // set when the user is made; "": none, until he sets one by a link
	Role     tenant.Role
	Group    string
	Quota    *money.Amount // cap
	Caps     quota.Caps
	Limits   limit.Change
	Tokens   []Token
}

// Token declares a token, known by its user and name.
type Token struct {
	Name      string
	Value     string // "": one is made
	Models    []string
	Addresses []netip.Prefix
	Quota     *money.Amount // cap
	Caps      quota.Caps
	Limits    limit.Change
	ExpiresAt *time.Time
	Status    *tenant.Status // of one that is not revoked
}

// Operator declares an operator, known by the e-mail address.
type Operator struct {
	Email    string
	Password string // set when the operator is made
}

// Fault is one thing that is wrong in a catalogue file. It names keys
// and never shows values that could be secret.
type Fault struct {
	Line int
	Key  string // path such as channels[0].models, "" for the file itself
	Text string
}

// Error lists everything that is wrong in a catalogue file, by line.
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

// Source is what a catalogue is read from and checked with.
type Source struct {
	File string // name for errors
	Text []byte
	// Lookup gives ${NAME} its value; nil where the text is of somebody who must
	// not read the environment: then ${NAME} is a fault.
	Lookup func(name string) (string, bool)
	// CheckChannel judges a channel by its type.
	CheckChannel func(*catalog.Channel) error
}

// Read reads the file at path, see Parse.
func Read(path string, s Source) (*Manifest, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("catalogue: %w", err)
	}
	s.File, s.Text = path, text
	return Parse(s)
}

// Parse reads and checks a catalogue. All its faults come back at
// once in a *Error: unknown and repeated keys, values of the wrong
// kind, variables that are not set, and references to what is not declared.
func Parse(s Source) (*Manifest, error) {
	d := &decoder{lookup: s.Lookup, lines: map[string]int{}}
	c := d.decode(s.Text)
	c.lines = d.lines
	if len(d.faults) == 0 {
		d.check(c, s.CheckChannel)
	}
	if err := d.err(s.File); err != nil {
		return nil, err
	}
	return c, nil
}
