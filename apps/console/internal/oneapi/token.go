package oneapi

import (
	"cmp"
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

// keyPrefix is the prefix with which clients send a key. The table holds keys without it.
const keyPrefix = "sk-"

// The states of tokens in the old program.
const (
	tokenEnabled   = 1
	tokenExpired   = 3
	tokenExhausted = 4
)

// tokenReader reads the tokens of one user.
type tokenReader struct {
	*importer
	owner    string          // name of the user
	ownGroup string          // group of the user
	values   map[string]bool // values of all tokens so far, of all users
	rows     []row           // rows of the user's tokens
}

// auto is the group of a token for which new-api chooses among several groups.
const auto = "auto"

// group returns the group whose price the token pays. If the token names a group
// that its user may not use, it returns the user's own group, and the reason.
func (t *tokenReader) group(r row) (group, reason string) {
	group = r.text("group")
	switch {
	case group == "" || group == t.ownGroup || group == auto:
		return t.ownGroup, ""
	case !t.mayUse(t.ownGroup, group):
		return t.ownGroup, fmt.Sprintf("its user may not use its group %q", group)
	case t.ratios.group != nil && t.ratios.group[group] == nil:
		return t.ownGroup, fmt.Sprintf("its group %q has no ratio", group)
	}
	return group, ""
}

// mayUse reports whether a user of userGroup may have tokens of the group. usableBy[userGroup] changes
// the groups that all users may use: an entry "-:NAME" removes a group, "+:NAME" or "NAME" adds one.
func (m *importer) mayUse(userGroup, group string) bool {
	_, usable := m.usable[group]
	special := m.usableBy[userGroup]
	if _, removed := special["-:"+group]; removed {
		usable = false
	}
	_, added := special["+:"+group]
	_, named := special[group]
	return usable || added || named
}

// groups returns the groups whose prices the user's tokens pay. The user's own group is the first.
func (t *tokenReader) groups() []string {
	set := map[string]bool{}
	for _, r := range t.rows {
		group, _ := t.group(r)
		set[group] = true
	}
	return ownFirst(set, t.ownGroup)
}

// read returns the tokens that pay the price of the group.
func (t *tokenReader) read(group string) (tokens []manifest.Token) {
	names := map[string]bool{}
	for _, r := range t.rows {
		if paid, _ := t.group(r); paid != group {
			continue
		}
		name := cmp.Or(r.text("name"), "token "+r.text("id"))
		if tenant.CheckName(name) != nil {
			name = plain(name)
		}
		if names[name] {
			longer := unique(names, name, " ", r.text("id"))
			t.noteToken(name, "another token of the user has this name: it is renamed to %q", longer)
			name = longer
		}
		if entry, ok := t.token(r, name); ok {
			names[name] = true
			tokens = append(tokens, entry)
		}
	}
	return tokens
}

// noteToken adds a note about a token of the user.
func (t *tokenReader) noteToken(name, format string, args ...any) {
	t.note("token", name+" of "+t.owner, format, args...)
}

// token converts a token. ok is false if it cannot be imported; a note says why.
func (t *tokenReader) token(r row, name string) (c manifest.Token, ok bool) {
	c = manifest.Token{Name: name, Value: keyPrefix + strings.TrimPrefix(r.text("key"), keyPrefix)}
	switch err := token.CheckImported(c.Value); {
	case r.deleted():
		t.noteToken(name, "is deleted and not imported")
		return c, false
	case err != nil:
		t.noteToken(name, "is not imported: %s (with its prefix %s the key has %d)", problem.From(err).Text(),
			keyPrefix, len(c.Value))
		return c, false
	case t.values[c.Value]:
		t.noteToken(name, "is not imported: another token has the same key")
		return c, false
	}
	t.values[c.Value] = true
	// From here on a token is imported in any case: a setting that cannot be imported disables it, so that it
	// never permits more than before.
	t.status(r, &c)
	if r.text("group") == auto {
		t.noteToken(name, "chose among several groups: in Tollgate it has its user's group, %s", t.ownGroup)
	}
	if _, reason := t.group(r); reason != "" {
		t.disable(&c, reason)
	}
	t.quota(r, &c)
	t.expiry(r, &c)
	t.scope(r, &c)
	return c, true
}

// disable marks the token as disabled and adds a note with the reason.
func (t *tokenReader) disable(c *manifest.Token, reason string) {
	status := tenant.Disabled
	c.Status = &status
	t.noteToken(c.Name, "is imported as disabled: %s", reason)
}

// status disables a token that was not enabled. It leaves a token enabled if its state is expired or exhausted
// and its expiry or quota still implies that: then the imported expiry or quota has the same effect.
func (t *tokenReader) status(r row, c *manifest.Token) {
	at := r.number("expired_time", never)
	switch status := r.number("status", tokenEnabled); {
	case status == tokenEnabled:
	case status == tokenExpired && at > 0 && at < t.Now.Unix():
	case status == tokenExhausted && !r.truth("unlimited_quota") && r.number("remain_quota", 0) <= 0:
	default:
		t.disable(c, "it was disabled")
	}
}

// quota imports the remaining quota of the token; an unlimited token gets none.
func (t *tokenReader) quota(r row, c *manifest.Token) {
	if r.truth("unlimited_quota") {
		return
	}
	units := r.number("remain_quota", 0)
	if units < 0 {
		units = 0
		t.noteToken(c.Name, "has spent more than its quota: it has no quota left")
	}
	var amount money.Amount
	amount, exact := rounded(t.usd(units))
	if !exact {
		t.noteToken(c.Name, "its quota is rounded to %s USD", amount)
	}
	c.Quota = &amount
}

const (
	never = -1 // expiry of tokens that do not expire
	// Last second of the year 9998, the last that a manifest may have; later expiries mean never.
	maxUnix = 253_370_764_799
)

// expiry imports the expiry of the token. A time of 0 or less, except never, means that the token has expired.
func (t *tokenReader) expiry(r row, c *manifest.Token) {
	switch seconds := r.number("expired_time", never); {
	case seconds > 0 && seconds <= maxUnix:
		at := time.Unix(seconds, 0).UTC()
		c.ExpiresAt = &at
	case seconds <= 0 && seconds != never:
		t.disable(c, "it had expired")
	}
}

// scope imports the permitted models and client addresses of the token. A token with a list
// that cannot be read completely is disabled, because an empty list would permit everything.
func (t *tokenReader) scope(r row, c *manifest.Token) {
	models := trimmed(r.list("models", ",\n"))
	if r.truth("model_limits_enabled") {
		limits := trimmed(r.list("model_limits", ",\n"))
		if models = append(models, limits...); len(limits) == 0 {
			t.disable(c, "it is limited to certain models but its list is empty")
		}
	}
	if len(models) > 0 {
		if catalog.CheckPatterns(models) != nil {
			t.disable(c, "its list of models contains names that are not valid in Tollgate")
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
