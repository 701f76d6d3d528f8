package oneapi

import (
	"cmp"
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

// servedModel collects facts about a model that imported channels serve.
type servedModel struct {
	priceKeys     []priceKey          // different ones, in the order of the channels
	groups        map[string]bool     // groups of its channels
	owner         string              // type of the first channel
	channelGroups map[string][]string // groups of each channel

	differs bool // a note says already that its price differs between channels
}

// priceKey is the key with which the old program looks up the price of a model.
// one-api uses the name to which the channel maps the model, new-api the public id.
type priceKey struct {
	name        string
	channelType int64
}

// channels imports the channels whose type Tollgate can call.
func (m *importer) channels() {
	m.servedModels = map[string]*servedModel{}
	names := map[string]bool{}
	rows := m.dump.Rows["channels"]
	top, weighted := highest(rows), m.weighted(rows)
	for _, r := range rows {
		r := row{r}
		name := unique(names, cmp.Or(r.text("name"), "channel "+r.text("id")), " ", r.text("id"))
		if r.deleted() {
			m.note("channel", name, "is deleted and not imported")
			continue
		}
		channel, ok := m.channel(r, name)
		if !ok {
			continue
		}
		names[name] = true
		priority := int(top - bounded(r.number("priority", 0)))
		channel.Priority = &priority
		m.manifest.Channels = append(m.manifest.Channels, channel)
		m.serve(r, &channel)
		m.withoutDots(r, &channel)
		if *channel.Status == tenant.Enabled && r.number("weight", 0) == 0 &&
			slices.ContainsFunc(r.tiers(), func(t tier) bool { return weighted[t] }) {
			m.note("channel", name, "its weight of 0 becomes 1: it may now get calls for which new-api preferred "+
				"channels with a higher weight")
		}
	}
}

// tier is a model on the channels of one priority.
type tier struct {
	model    string
	priority int64
}

// tiers returns the tiers of a channel.
func (r row) tiers() (tiers []tier) {
	for _, model := range trimmed(r.list("models", ",\n")) {
		tiers = append(tiers, tier{model, r.number("priority", 0)})
	}
	return tiers
}

// weighted returns the tiers that have an enabled channel with a weight above 0. In these, new-api
// gives no call to channels with the weight 0; one-api does not look at weights.
func (m *importer) weighted(rows []sqldump.Row) map[tier]bool {
	weighted := map[tier]bool{}
	for _, r := range rows {
		r := row{r}
		if m.program == oneAPI || r.deleted() || r.number("status", enabled) != enabled || r.number("weight", 0) <= 0 {
			continue
		}
		for _, t := range r.tiers() {
			weighted[t] = true
		}
	}
	return weighted
}

// maxPriority bounds priorities, so that differences of them cannot overflow.
const maxPriority = 1_000_000_000

// bounded limits n to the range from -maxPriority to maxPriority.
func bounded(n int64) int64 { return max(-maxPriority, min(n, maxPriority)) }

// highest returns the highest priority of the channels. The old program tries it
// first; Tollgate tries the lowest first, so priorities are subtracted from it.
func highest(rows []sqldump.Row) int64 {
	top := int64(0)
	for i, r := range rows {
		if p := bounded(row{r}.number("priority", 0)); i == 0 || p > top {
			top = p
		}
	}
	return top
}

// channel converts a channel. ok is false if it cannot be imported; a note says why.
func (m *importer) channel(r row, name string) (c manifest.Channel, ok bool) {
	number := r.number("type", 0)
	family, isKnown := m.family(number)
	if !isKnown {
		m.note("channel", name, "is not imported: Tollgate cannot call channels of the type %s", m.typeName(number))
		return c, false
	}
	c = manifest.Channel{Name: name, Type: family.kind, Dialects: []catalog.Dialect{family.dialect}}
	base, reason := m.baseURL(r, &family)
	if reason != "" {
		m.note("channel", name, "is not imported: %s", reason)
		return c, false
	}
	c.BaseURL = &base
	keys := m.keys(r, name)
	if len(keys) > 0 {
		c.Keys = &keys
	}
	c.Models = m.mapping(r, name)
	// The old program's weights start at 0, Tollgate's at 1.
	status, weight := tenant.Enabled, int(max(1, min(r.number("weight", 0), 1_000_000)))
	switch group, hasGroup := r.Value("group"); {
	case r.number("status", enabled) != enabled:
		status = tenant.Disabled
		m.note("channel", name, "is imported as disabled, because it was disabled")
	case hasGroup && !group.Null && strings.Trim(group.Text, ", ") == "":
		status = tenant.Disabled
		m.note("channel", name, "is imported as disabled: it has no group, so nobody could use it")
	case len(keys) == 0 && r.text("key") != "":
		status = tenant.Disabled
		m.note("channel", name, "is imported as disabled: it has no usable key")
	}
	c.Status, c.Weight = &status, &weight
	m.settings(r, &c)
	return m.checked(&c)
}

// checked returns false and adds a note if the channel would not pass the checks of a manifest.
func (m *importer) checked(c *manifest.Channel) (manifest.Channel, bool) {
	probe := catalog.Channel{
		Name: c.Name, Type: c.Type, BaseURL: *c.BaseURL, Dialects: c.Dialects, Models: c.Models, Weight: *c.Weight,
	}
	if c.Settings != nil {
		probe.Settings = c.Settings.Settings
	}
	if err := registry.Check(&probe); err != nil {
		m.note("channel", c.Name, "is not imported: %s", problem.From(err).Text())
		return *c, false
	}
	return *c, true
}

// serve records the groups and the price key of each model that the channel serves.
func (m *importer) serve(r row, c *manifest.Channel) {
	groups := trimmed(r.list("group", ","))
	if len(groups) == 0 {
		groups = []string{"default"}
	}
	for public, upstream := range c.Models {
		key := priceKey{public, r.number("type", 0)}
		if m.program == oneAPI {
			key.name = upstream
		}
		model := m.servedModels[public]
		if model == nil {
			model = &servedModel{groups: map[string]bool{}, owner: c.Type, channelGroups: map[string][]string{}}
			m.servedModels[public] = model
		}
		if !slices.Contains(model.priceKeys, key) {
			model.priceKeys = append(model.priceKeys, key)
		}
		for _, group := range groups {
			model.groups[group] = true
		}
		model.channelGroups[c.Name] = groups
	}
}

// dotsKept is the creation time from which new-api keeps the dots in the
// names of an Azure channel's deployments: 10 May 2025.
const dotsKept = 1746835200

// withoutDots removes the dots from the names of an Azure channel's deployments, as the old program
// does when it calls them. It comes after serve, because prices are found under the names with dots.
func (m *importer) withoutDots(r row, c *manifest.Channel) {
	if c.Type != "azure" || m.program == newAPI && r.number("created_time", 0) >= dotsKept {
		return
	}
	var deployments []string
	for public, upstream := range c.Models {
		if name := strings.ReplaceAll(upstream, ".", ""); name != upstream {
			c.Models[public] = name
			deployments = append(deployments, name)
		}
	}
	if len(deployments) > 0 {
		slices.Sort(deployments)
		m.note("channel", c.Name, "the dots in the names of these deployments are removed, as %s did: %s", m.program,
			strings.Join(slices.Compact(deployments), ", "))
	}
}

// unique returns name, or if it is taken, name with the separator, the id and if necessary a number appended.
func unique(names map[string]bool, name, separator, id string) string {
	if !names[name] {
		return name
	}
	name += separator + cmp.Or(id, "2")
	if !names[name] {
		return name
	}
	for n := 2; ; n++ {
		if longer := fmt.Sprintf("%s-%d", name, n); !names[longer] {
			return longer
		}
	}
}
