package oneapi

import (
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/manifest"
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
	own    string          // his group
	values map[string]bool // of all tokens so far
	rows   []row
}

// auto is the group of tokens that try several.
const auto = "auto"

// group is the one that a token pays as. One that may not be used is not: then
// the token pays as its user does, and why tells of it.
func (t *tokenReader) group(r row) (group, why string) {
	group = r.text("group")
	switch {
	case group == "" || group == t.own || group == auto:
		return t.own, ""
	case !t.mayUse(t.own, group):
		return t.own, fmt.Sprintf("its group %q is none that its user may use", group)
	case t.ratios.group != nil && t.ratios.group[group] == nil:
		return t.own, fmt.Sprintf("its group %q has no ratio any more", group)
	}
	return group, ""
}

// mayUse reports whether the tokens of a user of one group may be of another.
func (m *importer) mayUse(own, group string) bool {
	_, usable := m.usable[group]
	special := m.usableBy[own]
	if _, taken := special["-:"+group]; taken {
		usable = false
	}
	_, added := special["+:"+group]
	_, named := special[group]
	return usable || added || named
}

// groups are those that the tokens pay as: their user's own, unless they say
// another.
func (t *tokenReader) groups() []string {
	all := map[string]bool{}
	for _, r := range t.rows {
		group, _ := t.group(r)
		all[group] = true
	}
	return firsts(all, t.own)
}

// read returns the tokens of a group.
func (t *tokenReader) read(group string) (tokens []manifest.Token) {
	names := map[string]bool{}
	for _, r := range t.rows {
		if paid, _ := t.group(r); paid != group {
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

func (t *tokenReader) token(r row, name string) (c manifest.Token, ok bool) {
	c = manifest.Token{Name: name, Value: keyPrefix + strings.TrimPrefix(r.text("key"), keyPrefix)}
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
	if r.text("group") == auto {
		t.tell(name, "chose among groups there: here it is of its user's own, %s", t.own)
	}
	if _, why := t.group(r); why != "" {
		t.disable(&c, why)
	}
	t.quota(r, &c)
	t.expiry(r, &c)
	t.scope(r, &c)
	return c, true
}

func (t *tokenReader) disable(c *manifest.Token, why string) {
	disabled := tenant.Disabled
	c.Status = &disabled
	t.tell(c.Name, "is carried over disabled: %s", why)
}

// status carries over what somebody decided. Expired and exhausted tokens are so
// by their expiry and quota here, if they are.
func (t *tokenReader) status(r row, c *manifest.Token) {
	at := r.number("expired_time", never)
	switch status := r.number("status", tokenEnabled); {
	case status == tokenEnabled:
	case status == tokenExpired && at > 0 && at < t.Now.Unix():
	case status == tokenExhausted && !r.truth("unlimited_quota") && r.number("remain_quota", 0) <= 0:
	default:
		t.disable(c, "it was")
	}
}

func (t *tokenReader) quota(r row, c *manifest.Token) {
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

// never is the expiry of tokens that have none, and maxUnix the last second of
// the year 9999.
const (
	never   = -1
	maxUnix = 253_402_300_799
)

func (t *tokenReader) expiry(r row, c *manifest.Token) {
	switch seconds := r.number("expired_time", never); {
	case seconds > 0 && seconds <= maxUnix:
		at := time.Unix(seconds, 0).UTC()
		c.ExpiresAt = &at
	case seconds <= 0 && seconds != never:
		t.disable(c, "it had expired")
	}
}

// scope carries over which models may be called from where. A list that cannot
// be read whole permits nothing: to leave it out would permit everything.
func (t *tokenReader) scope(r row, c *manifest.Token) {
	models := trimmed(r.list("models", ",\n"))
	if r.truth("model_limits_enabled") {
		limits := trimmed(r.list("model_limits", ",\n"))
		if models = append(models, limits...); len(limits) == 0 {
			t.disable(c, "it is limited to some models and names none")
		}
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
