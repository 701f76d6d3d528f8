// Package manifest reads, checks, applies and writes the manifest: the YAML file that declares groups, models,
// channels, tenants and operators.
//
//	YAML text --- Parse ---> Manifest --- Apply ---> database (the catalog) ---> snapshots of the relays
//	YAML text <--- YAML ---- Manifest
//
// Parse works in two passes: shape.go decodes the text into a Manifest and reports unknown keys and values of the wrong
// kind; if there are no such faults, check.go validates the values and the references between entries. Both report all
// faults at once, each with its line and key, and never show a value that could be secret.
//
// Apply creates what is missing and changes what differs, in one transaction. It never deletes: an entry that is
// removed from the file stays in the database. Applying a manifest twice changes nothing the second time.
package manifest

import (
	"fmt"
	"io"
	"net/netip"
	"os"
	"strings"
	"time"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/charge"
	"github.com/tollgate/tollgate/libs/core/limit"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

// Manifest declares the desired state of groups, models, channels, tenants and operators. Optional keys are pointers or
// nil slices. If the file omits an optional key, a new resource gets the default, and an existing one keeps its value.
type Manifest struct {
	Groups    []Group
	Models    []Model
	Channels  []Channel
	Tenants   []Tenant
	Operators []Operator

	lines map[string]int // path of each key and entry -> its line in the file
}

// Group declares a user group. The name identifies it.
type Group struct {
	Name       string
	Multiplier *money.Factor // of the group's price rule for all models
	Models     []string      `yaml:"models,flow"` // patterns, see catalog.MatchAny
	Status     *tenant.Status
	Limits     limit.Change `yaml:"limits,flow"`
}

// Model declares a public model. The id identifies it.
type Model struct {
	ID        string
	OwnedBy   string        `yaml:"owned_by"`
	Price     pricing.Rates `yaml:"price,flow"`
	Free      bool
	MaxOutput *int64 `yaml:"max_output_tokens"`
	Status    *tenant.Status
	Limits    limit.Change `yaml:"limits,flow"`

	Routing *catalog.Routing

	ContextLength *int64      `yaml:"context_length"`
	Modalities    *Modalities `yaml:"modalities,flow"`
}

// Modalities declares what a model reads and writes.
type Modalities struct {
	Input  []catalog.Modality
	Output []catalog.Modality
}

// Channel declares an upstream. The name identifies it.
type Channel struct {
	Name     string
	Type     string
	BaseURL  *string           `yaml:"base_url"`
	Keys     *[]string         `yaml:"api_keys,flow"`
	Dialects []catalog.Dialect `yaml:"dialects,flow"`
	Models   map[string]string `yaml:"models,flow"` // public id -> upstream id
	Priority *int
	Weight   *int
	Status   *tenant.Status
	Tags     []string `yaml:"tags,flow"` // nil: unchanged

	OnDisconnect *catalog.Disconnect `yaml:"on_disconnect"`
	Unpriced     *charge.Policy      `yaml:"unpriced"` // nil: a new channel refuses, an existing one keeps its value
	Settings     *Settings           `yaml:"settings,flow"`

	Costs map[string]Cost `yaml:"costs,flow"` // what the upstream charges, by upstream id of the model
}

// Cost declares what a channel's upstream charges for one model.
type Cost struct {
	pricing.Rates `yaml:",inline"`
	Factor        *money.Factor // what is paid of the rates; nil: 1
}

// Tenant declares a tenant. The slug identifies it.
type Tenant struct {
	Slug  string
	Name  string
	Quota money.Amount // granted when the tenant is created; ignored if it exists
	Caps  quota.Caps   `yaml:"caps,flow"`

	QuotaMode     *tenant.QuotaMode     `yaml:"quota_mode"`
	OutputCap     *tenant.OutputCap     `yaml:"output_cap"`
	IncludeQuota  *bool                 `yaml:"include_quota"`
	IgnoredFields *tenant.IgnoredFields `yaml:"ignored_fields"`
	MetadataTags  []string              `yaml:"metadata_tags,flow"` // nil: unchanged
	Status        *tenant.Status
	Users         []User
}

// User declares a user of a tenant. The e-mail address identifies the user.
type User struct {
	Email    string
	Password string // set when the user is created; "": the user has none until they set one through a link
	Role     tenant.Role
	Group    string        // name of a group in the same manifest
	Quota    *money.Amount // lifetime cap
	Caps     quota.Caps    `yaml:"caps,flow"`
	Limits   limit.Change  `yaml:"limits,flow"`
	Tokens   []Token
}

// Token declares a token. The user and the name identify it.
type Token struct {
	Name      string
	Value     string         // set when the token is created; "": Apply generates one
	Models    []string       `yaml:"models,flow"`
	Addresses []netip.Prefix `yaml:"addresses,flow"`
	Quota     *money.Amount  // lifetime cap
	Caps      quota.Caps     `yaml:"caps,flow"`
	Limits    limit.Change   `yaml:"limits,flow"`
	ExpiresAt *time.Time     `yaml:"expires_at"`
	Status    *tenant.Status // ignored if the token is revoked
}

// Operator declares an operator. The e-mail address identifies the operator.
type Operator struct {
	Email    string
	Password string // set when the operator is created
}

// Fault is one fault of a manifest. It names keys and never shows a value that could be secret.
type Fault struct {
	Line int    // from 1
	Key  string // path such as channels[0].models, "" for the file itself
	Text string
}

// Error lists all faults of a manifest, sorted by line.
type Error struct {
	File   string
	Faults []Fault
}

// Error returns one line for each fault, in the form file:line: key: text.
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

// Source is the text of a manifest together with the functions that Parse needs.
type Source struct {
	File string // name of the file in errors
	Text []byte
	// Lookup returns the value of ${NAME}. It is nil for a text from a caller who must not read the program's
	// environment, such as an operator who imports a manifest in the console; then ${NAME} is a fault.
	Lookup func(name string) (string, bool)
	// CheckChannel validates a channel by the rules of its type. It is usually registry.Check.
	CheckChannel func(*catalog.Channel) error
}

// MaxBytes is the greatest size of a manifest file. It is bounded because the YAML parser takes up to 300 times as
// much memory.
const MaxBytes = 16 << 20

// Read reads the file at path and parses it. It ignores File and Text of s. The error is an *Error if the file has more
// than MaxBytes.
func Read(path string, s Source) (*Manifest, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read manifest: %w", err)
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read manifest: %w", err)
	}
	if len(text) > MaxBytes {
		return nil,
			&Error{File: path, Faults: []Fault{{Line: 1, Text: fmt.Sprintf("has more than %d MiB", MaxBytes>>20)}}}
	}
	s.File, s.Text = path, text
	return Parse(s)
}

// Parse decodes and checks a manifest. The error is an *Error with all faults: unknown and duplicate keys, values of
// the wrong kind, variables that are not set, invalid values, and references to entries that the manifest does not
// declare. An empty text is an empty manifest.
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
