// Package catalog holds what can be called: public models, the upstream
// channels that serve them, and the Snapshot a relay routes by.
package catalog

import (
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/limit"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

// Dialect is a wire protocol.
type Dialect string

// The dialects.
const (
	Chat      Dialect = "chat"      // OpenAI chat completions
	Responses Dialect = "responses" // OpenAI responses
	Messages  Dialect = "messages"  // Anthropic
	Gemini    Dialect = "gemini"
)

// Valid reports whether d is a known dialect.
func (d Dialect) Valid() bool {
	return d == Chat || d == Responses || d == Messages || d == Gemini
}

// DefaultMaxOutput is the output bound, in tokens, of models that declare none.
const DefaultMaxOutput = 16_384

// Model is a public model.
type Model struct {
	ID        string // public id, what clients send as `model`
	OwnedBy   string
	Status    tenant.Status
	Free      bool         // may have no price
	MaxOutput int64        // most tokens of one answer, for holds; 0: DefaultMaxOutput
	Limits    limit.Limits // of all calls of one tenant together
	CreatedAt time.Time
}

// OutputBound returns the most tokens that one answer may have.
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
		return problem.New(problem.InvalidType, "%q is not a model id", id).At("id")
	}
	return nil
}

// Disconnect says what becomes of an answer whose client has left.
type Disconnect string

// The policies. Cancel: the upstream is cancelled, and what came is charged.
// Drain: it is read on within bounds, so that its own usage is charged.
const (
	DisconnectCancel Disconnect = "cancel"
	DisconnectDrain  Disconnect = "drain"
)

// Valid reports whether d is a known policy.
func (d Disconnect) Valid() bool { return d == DisconnectCancel || d == DisconnectDrain }

// Channel is one configured upstream.
type Channel struct {
	ID          uuid.UUID
	Name        string // unique
	Type        string // "openai", "echo": a name of the provider registry
	BaseURL     string
	Credentials []SealedSecret    // API keys; no API shows them
	Dialects    []Dialect         // endpoints served natively
	Models      map[string]string // public model id -> upstream model id
	Priority    int               // lower first
	Weight      int               // share within the priority, >= 1
	Status      tenant.Status
	CreatedAt   time.Time

	OnDisconnect Disconnect // "" is Cancel
	Settings     Settings

	DisabledCredentials []DisabledCredential // only in a Snapshot
}

// SealedSecret is a sealed credential of a channel, or the sealed URL of its proxy,
// with a mask to show.
type SealedSecret struct {
	Sealed []byte `json:"sealed"`
	Mask   string `json:"mask"`
}

// Speaks reports whether the channel serves d natively.
func (c *Channel) Speaks(d Dialect) bool {
	for _, own := range c.Dialects {
		if own == d {
			return true
		}
	}
	return false
}

// Check returns the problem of the first field that is not well formed. That
// the type exists and needs a base URL or not is its provider's to say.
func (c *Channel) Check() error {
	if err := tenant.CheckName(c.Name); err != nil {
		return err
	}
	if c.BaseURL != "" {
		u, err := url.Parse(c.BaseURL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || strings.ContainsAny(c.BaseURL, "?#") {
			return problem.New(problem.InvalidType, "the base URL must be an http(s) URL without credentials, query or fragment").At("base_url")
		}
		if err := checkHost("base_url", u.Hostname()); err != nil {
			return err
		}
	}
	if len(c.Dialects) == 0 {
		return problem.New(problem.MissingParameter, "a channel serves at least one endpoint").At("endpoints")
	}
	for _, d := range c.Dialects {
		if !d.Valid() {
			return problem.New(problem.InvalidType, "unknown endpoint %q", d).At("endpoints")
		}
	}
	if len(c.Models) == 0 {
		return problem.New(problem.MissingParameter, "a channel serves at least one model").At("models")
	}
	for public, upstream := range c.Models {
		if CheckModelID(public) != nil || upstream == "" {
			return problem.New(problem.InvalidType, "bad model mapping %q: %q", public, upstream).At("models")
		}
	}
	if c.Weight < 1 || c.Weight > 1_000_000 {
		return problem.New(problem.InvalidType, "a weight is 1 to 1,000,000").At("weight")
	}
	if c.OnDisconnect != "" && !c.OnDisconnect.Valid() {
		return problem.New(problem.InvalidType, "a policy is cancel or drain").At("on_disconnect")
	}
	return c.Settings.Check()
}

// MatchAny reports whether a list of model ids and patterns names the model:
// "*" names all, a trailing "*" a prefix.
func MatchAny(patterns []string, model string) bool {
	for _, pattern := range patterns {
		if prefix, wild := strings.CutSuffix(pattern, "*"); pattern == model || wild && strings.HasPrefix(model, prefix) {
			return true
		}
	}
	return false
}

// CheckPatterns returns an InvalidType problem for an entry that can name no model.
func CheckPatterns(patterns []string) error {
	for _, pattern := range patterns {
		if prefix, wild := strings.CutSuffix(pattern, "*"); prefix == "" && wild {
			continue
		} else if CheckModelID(prefix) != nil {
			return problem.New(problem.InvalidType, "%q is neither a model id nor a prefix with a trailing *", pattern).At("models")
		}
	}
	return nil
}
