package manifest

import (
	"errors"
	"net/netip"
	"slices"
	"strconv"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/charge"
	"github.com/tollgate/tollgate/libs/core/displaytext"
	"github.com/tollgate/tollgate/libs/core/limit"
	"github.com/tollgate/tollgate/libs/core/moment"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
)

// Descriptions of values for faults; "must be " precedes them.
const (
	expectAmount = "a decimal of USD with at most 9 places, not negative"
	expectFactor = "a decimal with at most 9 places, not negative"
	expectStatus = "enabled or disabled"
)

// errExpected is the error of the parse functions below. Its text is never shown: the fault names the expected values.
var errExpected = errors.New("not what was expected")

// decode decodes the text into a Manifest. It checks which keys the file has and the kind of each value, but not
// whether the values are valid.
func (d *decoder) decode(text []byte) *Manifest {
	m := &Manifest{}
	root := d.root(text)
	if root == nil {
		return m
	}
	d.object(root, "", keys{
		"groups":    listOf(d, &m.Groups, d.group),
		"models":    listOf(d, &m.Models, d.model),
		"channels":  listOf(d, &m.Channels, d.channel),
		"tenants":   listOf(d, &m.Tenants, d.tenant),
		"operators": listOf(d, &m.Operators, d.operator),
	})
	return m
}

// group decodes a group. This and the following functions each decode one kind of entry; the last arguments of d.object
// are its required keys.
func (d *decoder) group(node ast.Node, path string) (g Group) {
	d.object(node, path, keys{
		"name":       d.text(&g.Name),
		"multiplier": optional(d, &g.Multiplier, money.ParseFactor, expectFactor),
		"models":     listOf(d, &g.Models, d.string),
		"status":     optional(d, &g.Status, parseStatus, expectStatus),
		"limits":     d.limits(&g.Limits),
	}, "name", "models")
	return g
}

func (d *decoder) model(node ast.Node, path string) (m Model) {
	d.object(node, path, keys{
		"id":                d.text(&m.ID),
		"owned_by":          d.text(&m.OwnedBy),
		"price":             func(node ast.Node, path string) { d.object(node, path, d.rates(&m.Price)) },
		"free":              d.truth(&m.Free),
		"max_output_tokens": d.whole(func(n int64) { m.MaxOutput = &n }),
		"status":            optional(d, &m.Status, parseStatus, expectStatus),
		"limits":            d.limits(&m.Limits),
		"context_length":    d.whole(func(n int64) { m.ContextLength = &n }),
		"modalities":        d.modalities(&m.Modalities),
		"routing":           optional(d, &m.Routing, parseRouting, "weighted or cheapest"),
	}, "id", "owned_by")
	return m
}

// modalities returns a reader that sets what a model reads and writes.
func (d *decoder) modalities(out **Modalities) reader {
	return func(node ast.Node, path string) {
		*out = &Modalities{}
		modality := func(node ast.Node, at string) catalog.Modality { return catalog.Modality(d.string(node, at)) }
		d.object(node, path, keys{"input": listOf(d, &(*out).Input, modality),
			"output": listOf(d, &(*out).Output, modality)}, "input", "output")
	}
}

// rates returns the keys of the rates of a price, or of a channel's costs.
func (d *decoder) rates(r *pricing.Rates) keys {
	rates := d.classRates(&r.ClassRates)
	rates["tiers"] = listOf(d, &r.Tiers, d.tier)
	rates["service_tiers"] = func(node ast.Node, path string) {
		r.ServiceTiers = map[string]pricing.ServiceTier{}
		d.each(node, path, func(name string, value ast.Node, at string) {
			r.ServiceTiers[name] = d.serviceTier(value, at)
		})
	}
	rates["tools"] = d.tools(&r.Tools)
	return rates
}

// costs returns a reader that sets what the upstream of a channel charges.
func (d *decoder) costs(c *Channel) reader {
	return func(node ast.Node, path string) {
		c.Costs = map[string]Cost{}
		d.each(node, path, func(model string, value ast.Node, at string) {
			var cost Cost
			rates := d.rates(&cost.Rates)
			rates["factor"] = optional(d, &cost.Factor, money.ParseFactor, expectFactor)
			d.object(value, at, rates)
			c.Costs[model] = cost
		})
	}
}

// classRates returns the keys of the rates by class.
func (d *decoder) classRates(r *pricing.ClassRates) keys {
	rates := keys{}
	for name, rate := range r.Fields() {
		rates[name] = optional(d, rate, parseAmount, expectAmount)
	}
	return rates
}

func (d *decoder) tier(node ast.Node, path string) (t pricing.Tier) {
	rates := d.classRates(&t.ClassRates)
	rates["above_input"] = d.whole(func(n int64) { t.AboveInput = n })
	d.object(node, path, rates, "above_input")
	return t
}

func (d *decoder) serviceTier(node ast.Node, path string) (t pricing.ServiceTier) {
	rates := d.classRates(&t.ClassRates)
	rates["multiplier"] = optional(d, &t.Multiplier, money.ParseFactor, expectFactor)
	rates["tiers"] = listOf(d, &t.Tiers, d.tier)
	d.object(node, path, rates)
	return t
}

// tools returns a reader that sets the prices of tools.
func (d *decoder) tools(t *pricing.Tools) reader {
	return func(node ast.Node, path string) {
		d.object(node, path, keys{
			"web_search":       optional(d, &t.WebSearch, parseAmount, expectAmount),
			"file_search":      optional(d, &t.FileSearch, parseAmount, expectAmount),
			"code_interpreter": optional(d, &t.CodeInterpreter, parseAmount, expectAmount),
			"image_generation": func(node ast.Node, path string) {
				d.object(node, path, keys{
					"input":       optional(d, &t.ImageGeneration.Input, parseAmount, expectAmount),
					"image_input": optional(d, &t.ImageGeneration.ImageInput, parseAmount, expectAmount),
					"output":      optional(d, &t.ImageGeneration.Output, parseAmount, expectAmount),
				})
			},
		})
	}
}

// formerDialects is the former name of the key dialects of a channel. It stays valid.
const formerDialects = "endpoints"

// channel decodes a channel. An empty list of keys differs from an omitted one, which leaves the keys as they are.
func (d *decoder) channel(node ast.Node, path string) (c Channel) {
	dialect := func(n ast.Node, at string) catalog.Dialect { return catalog.Dialect(d.string(n, at)) }
	var dialects []catalog.Dialect
	mapping := d.object(node, path, keys{
		"name":     d.text(&c.Name),
		"type":     d.text(&c.Type),
		"base_url": func(node ast.Node, path string) { url := d.string(node, path); c.BaseURL = &url },
		"api_keys": func(node ast.Node, path string) {
			c.Keys = new([]string)
			listOf(d, c.Keys, d.string)(node, path)
		},
		"dialects":     listOf(d, &c.Dialects, dialect),
		formerDialects: listOf(d, &dialects, dialect),
		"models":       d.texts(&c.Models),
		"priority":     d.whole(func(n int64) { p := int(n); c.Priority = &p }),
		"weight":       d.whole(func(n int64) { w := int(n); c.Weight = &w }),
		"status":       optional(d, &c.Status, parseStatus, expectStatus),
		"tags": func(node ast.Node, path string) {
			listOf(d, &c.Tags, d.string)(node, path)
			c.Tags = displaytext.Trim(c.Tags)
		},

		"on_disconnect": optional(d, &c.OnDisconnect, parseDisconnect, "cancel or drain"),
		"unpriced":      optional(d, &c.Unpriced, parseUnpriced, "refuse or allow"),
		"settings":      d.settings(&c.Settings),
		"costs":         d.costs(&c),
	}, "name", "type", "models")
	switch {
	case !mapping: // a fault already
	case !d.has(path, formerDialects):
		if !d.has(path, "dialects") {
			d.fault(lineOf(node), join(path, "dialects"), "is missing")
		}
	case !d.has(path, "dialects"):
		c.Dialects = dialects
	case !slices.Equal(c.Dialects, dialects):
		d.faultAt(join(path, formerDialects),
			"differs from dialects, of which it is the former name: keep dialects only")
	}
	return c
}

func (d *decoder) tenant(node ast.Node, path string) (t Tenant) {
	d.object(node, path, keys{
		"slug":  d.text(&t.Slug),
		"name":  d.text(&t.Name),
		"quota": value(d, &t.Quota, parseAmount, expectAmount),
		"caps":  d.caps(&t.Caps),
		"users": listOf(d, &t.Users, d.user),

		"quota_mode":     optional(d, &t.QuotaMode, parseQuotaMode, "hard or soft"),
		"output_cap":     optional(d, &t.OutputCap, parseOutputCap, "auto or off"),
		"ignored_fields": optional(d, &t.IgnoredFields, parseIgnoredFields, expectIgnoredFields),
		"include_quota":  optional(d, &t.IncludeQuota, strconv.ParseBool, "true or false"),
		"metadata_tags":  listOf(d, &t.MetadataTags, d.string),
		"status":         optional(d, &t.Status, parseStatus, expectStatus),
	}, "slug", "name")
	return t
}

func (d *decoder) user(node ast.Node, path string) (u User) {
	d.object(node, path, keys{
		"email":    d.text(&u.Email),
		"password": d.text(&u.Password),
		"role":     value(d, &u.Role, parseRole, "owner, admin or member"),
		"group":    d.text(&u.Group),
		"quota":    optional(d, &u.Quota, parseAmount, expectAmount),
		"caps":     d.caps(&u.Caps),
		"limits":   d.limits(&u.Limits),
		"tokens":   listOf(d, &u.Tokens, d.token),
	}, "email", "role", "group")
	return u
}

func (d *decoder) token(node ast.Node, path string) (t Token) {
	d.object(node, path, keys{
		"name":       d.text(&t.Name),
		"value":      d.text(&t.Value),
		"models":     listOf(d, &t.Models, d.string),
		"addresses":  listOf(d, &t.Addresses, d.network),
		"quota":      optional(d, &t.Quota, parseAmount, expectAmount),
		"caps":       d.caps(&t.Caps),
		"limits":     d.limits(&t.Limits),
		"expires_at": optional(d, &t.ExpiresAt, parseTime, "a time such as 2030-12-31T00:00:00Z"),
		"status":     optional(d, &t.Status, parseStatus, expectStatus),
	}, "name")
	return t
}

// caps returns a reader that sets c to the budgets by day, week and month.
func (d *decoder) caps(c *quota.Caps) reader {
	return func(node ast.Node, path string) {
		amount := func(out **money.Amount) reader { return optional(d, out, parseAmount, expectAmount) }
		d.object(node, path, keys{"day": amount(&c.Day), "week": amount(&c.Week), "month": amount(&c.Month)})
	}
}

// limits returns a reader that sets c to the rate limits.
func (d *decoder) limits(c *limit.Change) reader {
	return func(node ast.Node, path string) {
		to := func(out **int64) reader { return d.whole(func(n int64) { *out = &n }) }
		d.object(node, path, keys{
			"requests_per_minute": to(&c.RequestsPerMinute), "tokens_per_minute": to(&c.TokensPerMinute),
			"concurrency": to(&c.Concurrency),
		})
	}
}

// network decodes an address or a network.
func (d *decoder) network(node ast.Node, path string) netip.Prefix {
	text := d.string(node, path)
	networks, err := token.ParseAddresses([]string{text})
	if err != nil {
		d.fault(lineOf(node), path, "must be an address or a network such as 10.0.0.0/8")
		return netip.Prefix{}
	}
	return networks[0]
}

func (d *decoder) operator(node ast.Node, path string) (o Operator) {
	d.object(node, path, keys{
		"email": d.text(&o.Email), "password": d.text(&o.Password),
	}, "email", "password")
	return o
}

// parseAmount parses an amount with money.Parse and refuses a negative amount.
func parseAmount(text string) (money.Amount, error) {
	amount, err := money.Parse(text)
	if err == nil && amount < 0 {
		err = money.ErrNegative
	}
	return amount, err
}

func parseStatus(text string) (tenant.Status, error) {
	if status := tenant.Status(text); status.Valid() {
		return status, nil
	}
	return "", errExpected
}

func parseQuotaMode(text string) (tenant.QuotaMode, error) {
	if mode := tenant.QuotaMode(text); mode.Valid() {
		return mode, nil
	}
	return "", errExpected
}

func parseOutputCap(text string) (tenant.OutputCap, error) {
	if outputCap := tenant.OutputCap(text); outputCap.Valid() {
		return outputCap, nil
	}
	return "", errExpected
}

const expectIgnoredFields = "report or refuse"

func parseIgnoredFields(text string) (tenant.IgnoredFields, error) {
	if policy := tenant.IgnoredFields(text); policy.Valid() {
		return policy, nil
	}
	return "", errExpected
}

func parseDisconnect(text string) (catalog.Disconnect, error) {
	if policy := catalog.Disconnect(text); policy.Valid() {
		return policy, nil
	}
	return "", errExpected
}

func parseRouting(text string) (catalog.Routing, error) {
	if routing := catalog.Routing(text); routing.Valid() {
		return routing, nil
	}
	return "", errExpected
}

func parseUnpriced(text string) (charge.Policy, error) {
	if policy := charge.Policy(text); policy.Valid() {
		return policy, nil
	}
	return "", errExpected
}

func parseRole(text string) (tenant.Role, error) {
	if role := tenant.Role(text); role.Valid() {
		return role, nil
	}
	return "", errExpected
}

// parseTime parses a time of the years 1970 to 9998 in RFC 3339 and truncates it to microseconds, the precision of
// Postgres. Otherwise the stored time would differ from the declared one, and each Apply would report a change.
func parseTime(text string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err == nil {
		err = moment.Check(t)
	}
	return t.UTC().Truncate(time.Microsecond), err
}
