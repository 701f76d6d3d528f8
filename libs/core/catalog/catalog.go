// Package catalog defines what clients can call: public models, and the upstream channels that serve them with
// their dialects, credentials and settings. It validates the values that operators enter; it does not know
// which provider types exist. Groups, prices and the snapshot that joins them are in packages tenant, pricing
// and snapshot.
package catalog

import (
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/address"
	"github.com/tollgate/tollgate/libs/core/charge"
	"github.com/tollgate/tollgate/libs/core/limit"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

// Dialect is the wire protocol of a request and its response. Clients name that of their call by its endpoint.
type Dialect string

// The dialects.
const (
	Chat      Dialect = "chat"      // OpenAI chat completions
	Responses Dialect = "responses" // OpenAI responses
	Messages  Dialect = "messages"  // Anthropic messages
	Gemini    Dialect = "gemini"    // Google Gemini generateContent

	// Embeddings is the dialect of requests for vectors, whose answers have no generated text and no stream. No channel
	// has it in its list: see Channel.Speaks.
	Embeddings Dialect = "embeddings" // OpenAI embeddings
)

// Valid reports whether d is a dialect that a channel can list as its own.
func (d Dialect) Valid() bool {
	return d == Chat || d == Responses || d == Messages || d == Gemini
}

// DefaultMaxOutput is the upper bound, in tokens, of one response of a model that declares none.
const DefaultMaxOutput = 16_384

// Model is a public model: a name that clients call and that one or more channels serve.
type Model struct {
	ID        string // public id: the value of `model` in a client's request
	OwnedBy   string // shown in GET /v1/models
	Status    tenant.Status
	Free      bool         // the model can be called without a price
	MaxOutput int64        // most output tokens of one response; holds reserve as much. 0: DefaultMaxOutput
	Limits    limit.Limits // shared by all calls of one tenant to the model
	CreatedAt time.Time

	Routing Routing // "" means Weighted

	// Facts for clients, which no relay enforces.
	ContextLength int64 // most tokens of input and output together; 0: not known
	Modalities    Modalities
}

// Routing is the way in which calls of a model choose among channels of equal priority.
type Routing string

// The ways. Cheapest puts the channel first whose upstream charges the least for the estimated call.
const (
	Weighted Routing = "weighted" // by weight and load
	Cheapest Routing = "cheapest"
)

// Valid reports whether r is a known way.
func (r Routing) Valid() bool { return r == Weighted || r == Cheapest }

// OutputBound returns the most output tokens that one response can have. A hold reserves as much when the
// request itself sets no lower bound.
func (m *Model) OutputBound() int64 {
	if m.MaxOutput > 0 {
		return m.MaxOutput
	}
	return DefaultMaxOutput
}

var modelIDs = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,199}$`)

// CheckModelID returns an InvalidType problem unless id is 1 to 200 letters,
// digits and ._:/@+- that begin with a letter or digit.
func CheckModelID(id string) error {
	if !modelIDs.MatchString(id) {
		return problem.New(problem.InvalidType, "%q is not a model id: use 1 to 200 letters, digits and ._:/@+- "+
			"that begin with a letter or digit", id).At("id")
	}
	return nil
}

// Disconnect is a channel's policy for responses whose client disconnects before the end.
type Disconnect string

// The policies. With DisconnectCancel the relay cancels the upstream request and charges the tokens that it
// had received. With DisconnectDrain it reads the rest of the response, within bounds, to charge the usage
// that the upstream reports.
const (
	DisconnectCancel Disconnect = "cancel"
	DisconnectDrain  Disconnect = "drain"
)

// Valid reports whether d is a known policy.
func (d Disconnect) Valid() bool { return d == DisconnectCancel || d == DisconnectDrain }

// Channel is one configured upstream: where it is, how to call it, and which models it serves.
type Channel struct {
	ID          uuid.UUID
	Name        string            // unique
	Type        string            // name of a provider in the registry, such as "openai" or "echo"
	BaseURL     string            // "" for provider types that need none
	Credentials []SealedSecret    // API keys; no API returns their values
	Dialects    []Dialect         // dialects that the upstream speaks itself; others are translated
	Models      map[string]string // public model id -> upstream model id
	Priority    int               // channels with a lower number are tried first
	Weight      int               // share of the calls among channels of equal priority, 1 to 1,000,000
	Status      tenant.Status
	CreatedAt   time.Time
	Tags        []string // words of the operator, for lists of channels; tenants never see them

	OnDisconnect Disconnect    // "" means DisconnectCancel
	Unpriced     charge.Policy // "" means charge.Refuse
	Settings     Settings

	DisabledCredentials []DisabledCredential // set only in the channels of a snapshot
}

// SealedSecret is an encrypted (sealed) credential of a channel, or the encrypted URL of its proxy, with the
// masked form that may be shown. The JSON form is how the database stores it.
type SealedSecret struct {
	Sealed []byte `json:"sealed"`
	Mask   string `json:"mask"`
}

// Speaks reports whether the channel's upstream speaks d itself, so that bytes need no translation. An upstream that
// speaks one of OpenAI's dialects is taken to have OpenAI's embeddings too.
func (c *Channel) Speaks(d Dialect) bool {
	for _, dialect := range c.Dialects {
		if dialect == d || d == Embeddings && (dialect == Chat || dialect == Responses) {
			return true
		}
	}
	return false
}

// OpenTo reports whether calls of the tenant with the slug may go to the channel. Only Settings.AccountOf can forbid
// them. The slug "" stands for no tenant.
func (c *Channel) OpenTo(slug string) bool {
	return c.Settings.AccountOf == "" || c.Settings.AccountOf == slug
}

// Check returns the problem of the first field that is malformed, or nil if there is none. It does not check
// that the type exists (see package provider/registry), or that the type accepts the base URL (see
// provider.Provider).
func (c *Channel) Check() error {
	if err := tenant.CheckName(c.Name); err != nil {
		return err
	}
	if c.BaseURL != "" {
		if err := address.CheckURL("base_url", c.BaseURL); err != nil {
			return err
		}
	}
	if len(c.Dialects) == 0 {
		return problem.New(problem.MissingParameter, "a channel must have at least one dialect").At("dialects")
	}
	for _, d := range c.Dialects {
		if !d.Valid() {
			return problem.New(problem.InvalidType, "unknown dialect %q: use chat, responses, messages or gemini", d).
				At("dialects")
		}
	}
	if len(c.Models) == 0 {
		return problem.New(problem.MissingParameter, "a channel must serve at least one model").At("models")
	}
	for public, upstream := range c.Models {
		if CheckModelID(public) != nil || upstream == "" {
			return problem.New(problem.InvalidType,
				"invalid model mapping %q: %q: map a public model id to the upstream's model id", public, upstream).
				At("models")
		}
	}
	if err := c.CheckPaths(); err != nil {
		return err
	}
	if c.Weight < 1 || c.Weight > 1_000_000 {
		return problem.New(problem.InvalidType, "weight must be 1 to 1,000,000").At("weight")
	}
	if c.OnDisconnect != "" && !c.OnDisconnect.Valid() {
		return problem.New(problem.InvalidType, "on_disconnect must be one of: cancel, drain").At("on_disconnect")
	}
	if c.Unpriced != "" && !c.Unpriced.Valid() {
		return problem.New(problem.InvalidType, "unpriced must be one of: refuse, allow").At("unpriced")
	}
	if err := checkTags(c.Tags); err != nil {
		return err
	}
	return c.Settings.Check()
}

// CheckPaths returns the problem of the base URL, or of the first upstream model, that has the segments `.` or `..`: a
// request with them could go to another path of the host than the one for which the credentials were given. Programs
// that call the upstream check stored channels with it.
func (c *Channel) CheckPaths() error {
	if u, err := url.Parse(c.BaseURL); err == nil && address.HasDots(u.EscapedPath()) {
		return problem.New(problem.InvalidType, "the path of the base URL must not have the segments . and ..").
			At("base_url")
	}
	for _, public := range slices.Sorted(maps.Keys(c.Models)) {
		if address.HasDots(c.Models[public]) {
			return problem.New(problem.InvalidType,
				"the upstream's id of %q must not have the segments . and .., or control characters", public).
				At("models")
		}
	}
	return nil
}

// MatchAny reports whether one of the patterns matches the model. A pattern is a model id, a prefix followed
// by "*", or "*" for all models.
func MatchAny(patterns []string, model string) bool {
	for _, pattern := range patterns {
		if prefix, wild := strings.CutSuffix(pattern, "*"); pattern == model ||
			wild && strings.HasPrefix(model, prefix) {
			return true
		}
	}
	return false
}

// CheckPatterns returns an InvalidType problem for the first pattern that cannot match any model id.
func CheckPatterns(patterns []string) error {
	for _, pattern := range patterns {
		if prefix, wild := strings.CutSuffix(pattern, "*"); prefix == "" && wild {
			continue
		} else if CheckModelID(prefix) != nil {
			return problem.New(problem.InvalidType, "%q is neither a model id nor a prefix with a trailing *", pattern).
				At("models")
		}
	}
	return nil
}
