package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/limit"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

// YAML writes the catalogue as a file that reads back as the same catalogue.
// Nothing in it is a variable. Passwords, credentials and the values of tokens
// stand in it as they are: whoever stores it keeps it secret.
func (c *Manifest) YAML() []byte {
	var w writer
	section(&w, "groups", c.Groups, w.group)
	section(&w, "models", c.Models, w.model)
	section(&w, "channels", c.Channels, w.channel)
	section(&w, "tenants", c.Tenants, w.tenant)
	section(&w, "operators", c.Operators, w.operator)
	return w.Bytes()
}

// writer writes keys with their values in the flow style, which JSON
// is a part of, and lists of things one key a line.
type writer struct {
	bytes.Buffer
	indent string
	first  bool // the next key begins an entry
}

func section[T any](w *writer, name string, things []T, write func(*T)) {
	if len(things) == 0 {
		return
	}
	fmt.Fprintf(w, "%s%s:\n", w.indent, name)
	outer := w.indent
	w.indent += "    "
	for i := range things {
		w.first = true
		write(&things[i])
	}
	w.indent = outer
}

// key writes one key. Values are written as JSON, whose texts YAML reads alike.
func (w *writer) key(name string, value any) {
	before := w.indent
	if w.first {
		before = w.indent[:len(w.indent)-2] + "- "
		w.first = false
	}
	fmt.Fprintf(w, "%s%s: %s\n", before, name, flow(value))
}

// flow writes a value. A text never begins a variable.
func flow(value any) string {
	switch v := value.(type) {
	case string:
		var b bytes.Buffer
		encoder := json.NewEncoder(&b)
		encoder.SetEscapeHTML(false)
		_ = encoder.Encode(strings.ReplaceAll(v, "${", "$${")) // a string always encodes
		return strings.TrimSuffix(b.String(), "\n")
	case []string:
		return "[" + strings.Join(each(v, func(s string) string { return flow(s) }), ", ") + "]"
	case map[string]string:
		return "{" + strings.Join(each(slices.Sorted(maps.Keys(v)), func(k string) string { return quotedKey(k) + ": " + flow(v[k]) }), ", ") + "}"
	}
	return fmt.Sprint(value)
}

// flowText is written as it stands.
type flowText string

// flowJSON writes a value of JSON, whose texts begin no variables either: a
// brace after a dollar sign stands in texts alone.
func flowJSON(value json.RawMessage) string {
	return strings.ReplaceAll(string(value), "${", "$${")
}

// quotedKey writes a key, in which there are no variables.
func quotedKey(name string) string {
	quoted, _ := json.Marshal(name) // a string always marshals
	return string(quoted)
}

func each[T any, U any](list []T, do func(T) U) []U {
	out := make([]U, len(list))
	for i, one := range list {
		out[i] = do(one)
	}
	return out
}

// given writes a key that may be left out.
func given[T any](w *writer, name string, value *T) {
	if value != nil {
		w.key(name, flowOf(*value))
	}
}

// flowOf makes texts of what is written as one.
func flowOf(value any) any {
	switch v := value.(type) {
	case money.Amount:
		return v.String()
	case money.Factor:
		return v.String()
	case time.Time:
		return v.Format(time.RFC3339Nano)
	case tenant.Status:
		return string(v)
	case tenant.QuotaMode:
		return string(v)
	case catalog.Disconnect:
		return string(v)
	}
	return value
}

func (w *writer) group(g *Group) {
	w.key("name", g.Name)
	given(w, "multiplier", g.Multiplier)
	w.key("models", g.Models)
	given(w, "status", g.Status)
	w.limits(g.Limits)
}

func (w *writer) model(m *Model) {
	w.key("id", m.ID)
	w.key("owned_by", m.OwnedBy)
	r := &m.Price
	w.amounts("price", []namedAmount{
		{"input", r.Input}, {"cached_input", r.CachedInput}, {"cache_write", r.CacheWrite}, {"audio_input", r.AudioInput},
		{"output", r.Output}, {"reasoning", r.Reasoning}, {"audio_output", r.AudioOutput}, {"request", r.Request},
	})
	if m.Free {
		w.key("free", true)
	}
	given(w, "max_output_tokens", m.MaxOutput)
	given(w, "status", m.Status)
	w.limits(m.Limits)
}

func (w *writer) channel(c *Channel) {
	w.key("name", c.Name)
	w.key("type", c.Type)
	given(w, "base_url", c.BaseURL)
	given(w, "api_keys", c.Keys)
	w.key("endpoints", each(c.Endpoints, func(d catalog.Dialect) string { return string(d) }))
	w.key("models", c.Models)
	given(w, "priority", c.Priority)
	given(w, "weight", c.Weight)
	given(w, "status", c.Status)
	given(w, "on_disconnect", c.OnDisconnect)
	w.settings(c.Settings)
}

func (w *writer) settings(s *Settings) {
	if s == nil {
		return
	}
	var parts []string
	set := func(name string, value any) { parts = append(parts, name+": "+flow(value)) }
	text := func(name, value string) {
		if value != "" {
			set(name, value)
		}
	}
	wait := func(name string, d time.Duration) {
		if d != 0 {
			set(name, d.String())
		}
	}
	if len(s.Headers) > 0 {
		set("headers", s.Headers)
	}
	if len(s.Parameters) > 0 {
		set("parameters", flowText("{"+strings.Join(each(slices.Sorted(maps.Keys(s.Parameters)), func(name string) string {
			return quotedKey(name) + ": " + flowJSON(s.Parameters[name])
		}), ", ")+"}"))
	}
	text("system_prompt", s.SystemPrompt)
	text("api_version", s.APIVersion)
	if len(s.Quirks) > 0 {
		set("quirks", each(s.Quirks, func(q catalog.Quirk) string { return string(q) }))
	}
	if len(s.Lacks) > 0 {
		set("lacks", each(s.Lacks, func(f catalog.Feature) string { return string(f) }))
	}
	text("proxy", s.ProxyURL)
	text("ca", s.CA)
	wait("connect_timeout", s.ConnectTimeout)
	wait("first_byte_timeout", s.FirstByteTimeout)
	wait("idle_timeout", s.IdleTimeout)
	w.key("settings", flowText("{"+strings.Join(parts, ", ")+"}"))
}

func (w *writer) tenant(t *Tenant) {
	w.key("slug", t.Slug)
	w.key("name", t.Name)
	w.key("quota", t.Quota.String())
	w.caps(t.Caps)
	given(w, "quota_mode", t.QuotaMode)
	given(w, "status", t.Status)
	section(w, "users", t.Users, w.user)
}

func (w *writer) user(u *User) {
	w.key("email", u.Email)
	if u.Password != "" {
		w.key("password", u.Password)
	}
	w.key("role", string(u.Role))
	w.key("group", u.Group)
	given(w, "quota", u.Quota)
	w.caps(u.Caps)
	w.limits(u.Limits)
	section(w, "tokens", u.Tokens, w.token)
}

func (w *writer) token(t *Token) {
	w.key("name", t.Name)
	if t.Value != "" {
		w.key("value", t.Value)
	}
	if t.Models != nil {
		w.key("models", t.Models)
	}
	if t.Addresses != nil {
		addresses := make([]string, len(t.Addresses))
		for i, network := range t.Addresses {
			addresses[i] = network.String()
		}
		w.key("addresses", addresses)
	}
	given(w, "quota", t.Quota)
	w.caps(t.Caps)
	w.limits(t.Limits)
	given(w, "expires_at", t.ExpiresAt)
	given(w, "status", t.Status)
}

func (w *writer) operator(o *Operator) {
	w.key("email", o.Email)
	w.key("password", o.Password)
}

type namedAmount struct {
	name   string
	amount *money.Amount
}

// amounts writes those that are there under one key.
func (w *writer) amounts(name string, all []namedAmount) {
	var parts []string
	for _, one := range all {
		if one.amount != nil {
			parts = append(parts, one.name+": "+flow(one.amount.String()))
		}
	}
	if len(parts) > 0 {
		w.key(name, flowText("{"+strings.Join(parts, ", ")+"}"))
	}
}

func (w *writer) caps(c quota.Caps) {
	w.amounts("caps", []namedAmount{{"day", c.Day}, {"week", c.Week}, {"month", c.Month}})
}

func (w *writer) limits(c limit.Change) {
	var parts []string
	for _, one := range []struct {
		name string
		n    *int64
	}{{"requests_per_minute", c.RequestsPerMinute}, {"tokens_per_minute", c.TokensPerMinute}, {"concurrency", c.Concurrency}} {
		if one.n != nil {
			parts = append(parts, fmt.Sprintf("%s: %d", one.name, *one.n))
		}
	}
	if len(parts) > 0 {
		w.key("limits", flowText("{"+strings.Join(parts, ", ")+"}"))
	}
}
