package oneapi

import (
	"net/netip"
	"strings"
	"time"

	"github.com/tollgate/tollgate/libs/boot"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
)

// keyPrefix is what clients send before the key that the table holds.
const keyPrefix = "sk-"

// The states of tokens there.
const (
	tokenEnabled   = 1
	tokenExpired   = 3
	tokenExhausted = 4
)

// tokenReader reads the tokens of one user.
type tokenReader struct {
	*importer
	of     string          // the user
	values map[string]bool // of all tokens so far
	rows   []row
}

func (t *tokenReader) group(r row, own string) string { return nameOr(r.text("group"), own) }

// groups are those that the tokens pay as: their user's own, unless they say
// another.
func (t *tokenReader) groups(own string) []string {
	all := map[string]bool{}
	for _, r := range t.rows {
		all[t.group(r, own)] = true
	}
	return firsts(all, own)
}

// read returns the tokens of a group.
func (t *tokenReader) read(group, own string) (tokens []boot.CatalogueToken) {
	names := map[string]bool{}
	for _, r := range t.rows {
		if t.group(r, own) != group {
			continue
		}
		name := nameOr(r.text("name"), "token "+r.text("id"))
		if tenant.CheckName(name) != nil {
			name = plain(name)
		}
		if names[name] {
			longer := unique(names, name, r.text("id"))
			t.tell(name, "another token of the user has this name: it is %q here", longer)
			name = longer
		}
		if one, ok := t.token(r, name); ok {
			names[name] = true
			tokens = append(tokens, one)
		}
	}
	return tokens
}

func (t *tokenReader) tell(name, format string, args ...any) {
	t.note("token", name+" of "+t.of, format, args...)
}

func (t *tokenReader) token(r row, name string) (c boot.CatalogueToken, ok bool) {
	c = boot.CatalogueToken{Name: name, Value: keyPrefix + strings.TrimPrefix(r.text("key"), keyPrefix)}
	switch err := token.CheckImported(c.Value); {
	case r.deleted():
		t.tell(name, "is deleted and not carried over")
		return c, false
	case err != nil:
		t.tell(name, "is not carried over: %s (the key with its %s has %d)", problem.From(err).Text(), keyPrefix, len(c.Value))
		return c, false
	case t.values[c.Value]:
		t.tell(name, "is not carried over: another token has the same key")
		return c, false
	}
	t.values[c.Value] = true
	t.status(r, &c)
	t.quota(r, &c)
	t.expiry(r, &c)
	t.scope(r, &c)
	return c, true
}

func (t *tokenReader) disable(c *boot.CatalogueToken, why string) {
	disabled := tenant.Disabled
	c.Status = &disabled
	t.tell(c.Name, "is carried over disabled: %s", why)
}

// status carries over what somebody decided. Expired and exhausted tokens are so
// by their expiry and quota here.
func (t *tokenReader) status(r row, c *boot.CatalogueToken) {
	switch r.number("status", tokenEnabled) {
	case tokenEnabled, tokenExpired, tokenExhausted:
	default:
		t.disable(c, "it was")
	}
}

func (t *tokenReader) quota(r row, c *boot.CatalogueToken) {
	if r.truth("unlimited_quota") {
		return
	}
	units := r.number("remain_quota", 0)
	if units < 0 {
		units = 0
		t.tell(c.Name, "has spent more than its quota there: it has none left here")
	}
	var amount money.Amount
	amount, exact := rounded(t.usd(units))
	if !exact {
		t.tell(c.Name, "its quota is rounded to %s USD", amount)
	}
	c.Quota = &amount
}

// maxUnix is the last second of the year 9999.
const maxUnix = 253_402_300_799

func (t *tokenReader) expiry(r row, c *boot.CatalogueToken) {
	seconds := r.number("expired_time", -1)
	switch {
	case seconds > 0 && seconds <= maxUnix:
		at := time.Unix(seconds, 0).UTC()
		c.ExpiresAt = &at
	case r.number("status", tokenEnabled) == tokenExpired:
		t.disable(c, "it had expired")
	}
}

// scope carries over which models may be called from where. A list that cannot
// be read whole permits nothing: to leave it out would permit everything.
func (t *tokenReader) scope(r row, c *boot.CatalogueToken) {
	models := trimmed(r.list("models", ",\n"))
	if r.truth("model_limits_enabled") {
		models = append(models, trimmed(r.list("model_limits", ",\n"))...)
	}
	if len(models) > 0 {
		if catalog.CheckPatterns(models) != nil {
			t.disable(c, "its list of models has names that are none here")
		} else {
			c.Models = models
		}
	}
	networks := append(trimmed(r.list("subnet", ",\n ")), trimmed(r.list("allow_ips", ",\n "))...)
	addresses := make([]netip.Prefix, 0, len(networks))
	for _, network := range networks {
		prefixes, err := token.ParseAddresses([]string{network})
		if err != nil {
			t.disable(c, "its list of networks cannot be read")
			return
		}
		addresses = append(addresses, prefixes...)
	}
	if len(addresses) > 0 {
		c.Addresses = addresses
	}
}
