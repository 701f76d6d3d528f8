package oneapi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tollgate/tollgate/apps/console/internal/sqldump"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/manifest"
	"github.com/tollgate/tollgate/libs/provider/registry"
)

// servedModel is a model that some channel serves.
type servedModel struct {
	as     []pricedAs // in the order of the channels; prices may differ by them
	groups map[string]bool
	owner  string
	only   map[string][]string // channels that serve some groups only, with these

	differs bool // in price by the channel, and it is told
}

// pricedAs is what the old program looks a model's price up by. one-api takes
// the name that the channel maps the model to, and new-api the model's own.
type pricedAs struct {
	name        string
	channelType int64
}

// channels carries over the channels whose type has a counterpart.
func (m *importer) channels() {
	m.served = map[string]*servedModel{}
	names := map[string]bool{}
	rows := m.dump.Rows["channels"]
	first := highest(rows)
	for _, r := range rows {
		r := row{r}
		name := unique(names, nameOr(r.text("name"), "channel "+r.text("id")), r.text("id"))
		if r.deleted() {
			m.note("channel", name, "is deleted and not carried over")
			continue
		}
		channel, ok := m.channel(r, name)
		if !ok {
			continue
		}
		names[name] = true
		priority := int(first - bounded(r.number("priority", 0)))
		channel.Priority = &priority
		m.manifest.Channels = append(m.manifest.Channels, channel)
		m.serve(r, &channel)
	}
}

// maxPriority keeps differences of priorities small.
const maxPriority = 1_000_000_000

func bounded(n int64) int64 { return max(-maxPriority, min(n, maxPriority)) }

// highest is the priority that comes first there: here the lowest does.
func highest(rows []sqldump.Row) int64 {
	first := int64(0)
	for i, r := range rows {
		if p := bounded(row{r}.number("priority", 0)); i == 0 || p > first {
			first = p
		}
	}
	return first
}

func (m *importer) channel(r row, name string) (c manifest.Channel, ok bool) {
	number := r.number("type", 0)
	family, known := m.family(number)
	if !known {
		m.note("channel", name, "is not carried over: channels of the type %s have no counterpart here", m.typeName(number))
		return c, false
	}
	c = manifest.Channel{Name: name, Type: family.kind, Endpoints: []catalog.Dialect{family.dialect}}
	base, why := m.baseURL(r, &family)
	if why != "" {
		m.note("channel", name, "is not carried over: %s", why)
		return c, false
	}
	c.BaseURL = &base
	keys := m.keys(r, name)
	if len(keys) > 0 {
		c.Keys = &keys
	}
	c.Models = m.mapping(r, name)
	status, weight := tenant.Enabled, int(max(1, min(r.number("weight", 0), 1_000_000)))
	switch group, said := r.Row["group"]; {
	case r.number("status", enabled) != enabled:
		status = tenant.Disabled
		m.note("channel", name, "is carried over disabled, as it was")
	case said && !group.Null && strings.Trim(group.Text, ", ") == "":
		status = tenant.Disabled
		m.note("channel", name, "is carried over disabled: it has no group, so nobody could call it")
	case len(keys) == 0 && r.text("key") != "":
		status = tenant.Disabled
		m.note("channel", name, "is carried over disabled: it has no key that can be used")
	}
	c.Status, c.Weight = &status, &weight
	m.settings(r, &c)
	return m.checked(&c)
}

// checked leaves out a channel that could not be applied.
func (m *importer) checked(c *manifest.Channel) (manifest.Channel, bool) {
	probe := catalog.Channel{
		Name: c.Name, Type: c.Type, BaseURL: *c.BaseURL, Dialects: c.Endpoints, Models: c.Models, Weight: *c.Weight,
	}
	if c.Settings != nil {
		probe.Settings = c.Settings.Settings
	}
	if err := registry.Check(&probe); err != nil {
		m.note("channel", c.Name, "is not carried over: %s", problem.From(err).Text())
		return *c, false
	}
	return *c, true
}

// serve notes who may call the channel's models, and through whom.
func (m *importer) serve(r row, c *manifest.Channel) {
	groups := trimmed(r.list("group", ","))
	if len(groups) == 0 {
		groups = []string{"default"}
	}
	for public, upstream := range c.Models {
		as := pricedAs{public, r.number("type", 0)}
		if m.program == oneAPI {
			as.name = upstream
		}
		model := m.served[public]
		if model == nil {
			model = &servedModel{groups: map[string]bool{}, owner: c.Type, only: map[string][]string{}}
			m.served[public] = model
		}
		if !slices.Contains(model.as, as) {
			model.as = append(model.as, as)
		}
		for _, group := range groups {
			model.groups[group] = true
		}
		model.only[c.Name] = groups
	}
}

// unique returns name, or where it is taken, with something behind it.
func unique(taken map[string]bool, name, id string) string {
	if !taken[name] {
		return name
	}
	if id = nameOr(id, "2"); !taken[name+" "+id] {
		return name + " " + id
	}
	for n := 2; ; n++ {
		if longer := fmt.Sprintf("%s %s-%d", name, id, n); !taken[longer] {
			return longer
		}
	}
}

// nameOr returns text, or otherwise where it is empty.
func nameOr(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
