package boot

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

// Catalogue is a catalogue file: groups, models, channels, tenants and
// operators as they shall be. Keys that may be left out are pointers or nil
// slices; left out, they have a default where the thing is new, and are not
// touched where it exists.
type Catalogue struct {
	Groups    []CatalogueGroup
	Models    []CatalogueModel
	Channels  []CatalogueChannel
	Tenants   []CatalogueTenant
	Operators []CatalogueOperator

	lines map[string]int // of every key and entry, by path
}

// CatalogueGroup declares a user group, known by its name.
type CatalogueGroup struct {
	Name       string
	Multiplier *money.Factor // of all its prices
	Models     []string      // ids and prefixes with a trailing *
	Status     *tenant.Status
	Limits     limit.Change
}

// CatalogueModel declares a public model, known by its id.
type CatalogueModel struct {
	ID        string
	OwnedBy   string
	Price     pricing.Rates
	Free      bool
	MaxOutput *int64
	Status    *tenant.Status
	Limits    limit.Change
}

// CatalogueChannel declares an upstream, known by its name.
type CatalogueChannel struct {
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
	Settings     *CatalogueSettings
}

// CatalogueTenant declares a tenant, known by its slug.
type CatalogueTenant struct {
	Slug  string
	Name  string
	Quota money.Amount // granted when the tenant is made
	Caps  quota.Caps
	Users []CatalogueUser

	QuotaMode *tenant.QuotaMode
	Status    *tenant.Status
}

// CatalogueUser declares a user of a tenant, known by the e-mail address.
type CatalogueUser struct {
	Email    string
	Password string // set when the user is made; "": none, until he sets one by a link
	Role     tenant.Role
	Group    string
	Quota    *money.Amount // cap
	Caps     quota.Caps
	Limits   limit.Change
	Tokens   []CatalogueToken
}

// CatalogueToken declares a token, known by its user and name.
type CatalogueToken struct {
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

// CatalogueOperator declares an operator, known by the e-mail address.
type CatalogueOperator struct {
	Email    string
	Password string // set when the operator is made
}

// CatalogueFault is one thing that is wrong in a catalogue file. It names keys
// and never shows values that could be secret.
type CatalogueFault struct {
	Line int
	Key  string // path such as channels[0].models, "" for the file itself
	Text string
}

// CatalogueError lists everything that is wrong in a catalogue file, by line.
type CatalogueError struct {
	File   string
	Faults []CatalogueFault
}

// Error returns one line per fault: file:line: key: text.
func (e *CatalogueError) Error() string {
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

// CatalogueSource is what a catalogue is read from and checked with.
type CatalogueSource struct {
	File string // name for errors
	Text []byte
	// Lookup gives ${NAME} its value; nil where the text is of somebody who must
	// not read the environment: then ${NAME} is a fault.
	Lookup func(name string) (string, bool)
	// CheckChannel judges a channel by its type.
	CheckChannel func(*catalog.Channel) error
}

// ReadCatalogue reads the file at path, see ParseCatalogue.
func ReadCatalogue(path string, s CatalogueSource) (*Catalogue, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("catalogue: %w", err)
	}
	s.File, s.Text = path, text
	return ParseCatalogue(s)
}

// ParseCatalogue reads and checks a catalogue. All its faults come back at
// once in a *CatalogueError: unknown and repeated keys, values of the wrong
// kind, variables that are not set, and references to what is not declared.
func ParseCatalogue(s CatalogueSource) (*Catalogue, error) {
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
