package oneapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tollgate/tollgate/apps/console/internal/sqldump"
	"github.com/tollgate/tollgate/libs/boot"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/provider/registry"
)

// servedModel is a model that some channel serves.
type servedModel struct {
	types  []int64 // of the channels; prices may differ by them
	groups map[string]bool
	owner  string
	only   map[string][]string // channels that serve some groups only, with these
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
		m.catalogue.Channels = append(m.catalogue.Channels, channel)
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

func (m *importer) channel(r row, name string) (c boot.CatalogueChannel, ok bool) {
	number := r.number("type", 0)
	family, known := m.family(number)
	if !known {
		m.note("channel", name, "is not carried over: channels of the type %s have no counterpart here", m.typeName(number))
		return c, false
	}
	c = boot.CatalogueChannel{Name: name, Type: family.kind, Endpoints: []catalog.Dialect{family.dialect}}
	base := strings.TrimRight(nameOr(r.text("base_url"), family.base), "/")
	if base == "" {
		m.note("channel", name, "is not carried over: it has no base URL, and its type %s has none of its own", m.typeName(number))
		return c, false
	}
	if family.suffix != "" && !strings.HasSuffix(base, family.suffix) {
		base += family.suffix
	}
	c.BaseURL = &base
	keys := trimmed(strings.Split(r.text("key"), "\n"))
	if len(keys) > 0 {
		c.Keys = &keys
	}
	c.Models = m.mapping(r, name)
	status, weight := tenant.Enabled, int(max(1, min(r.number("weight", 0), 1_000_000)))
	if r.number("status", 1) != 1 {
		status = tenant.Disabled
		m.note("channel", name, "is carried over disabled, as it was")
	}
	c.Status, c.Weight = &status, &weight
	m.channelSettings(r, &c)
	return m.checked(&c)
}

// checked leaves out a channel that could not be applied.
func (m *importer) checked(c *boot.CatalogueChannel) (boot.CatalogueChannel, bool) {
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

// mapping is what the channel calls the models that it serves.
func (m *importer) mapping(r row, name string) map[string]string {
	models := map[string]string{}
	for _, id := range trimmed(r.list("models", ",\n")) {
		if catalog.CheckModelID(id) != nil {
			m.note("channel", name, "its model %q is not carried over: that is no model id here", id)
			continue
		}
		models[id] = id
	}
	text := r.text("model_mapping")
	if text == "" {
		return models
	}
	renamed := map[string]string{}
	if err := json.Unmarshal([]byte(text), &renamed); err != nil {
		m.note("channel", name, "its model_mapping is not carried over: it is no JSON object of texts")
		return models
	}
	for _, public := range slices.Sorted(maps.Keys(renamed)) {
		if _, served := models[public]; served && renamed[public] != "" {
			models[public] = renamed[public]
		} else if !served {
			m.note("channel", name, "its mapping of %q is not carried over: the channel does not serve that model", public)
		}
	}
	return models
}

// channelConfig are the parts of one-api's column config that matter here.
type channelConfig struct {
	APIVersion string `json:"api_version"`
}

// elsewhere are columns that change what a channel does, and have to be set by
// hand here.
var elsewhere = []string{
	"status_code_mapping", "param_override", "header_override", "openai_organization", "setting", "settings", "other_settings",
}

// channelSettings carries over the system prompt and Azure's version, and tells
// of what else is set.
func (m *importer) channelSettings(r row, c *boot.CatalogueChannel) {
	var config channelConfig
	if text := r.text("config"); text != "" && json.Unmarshal([]byte(text), &config) != nil {
		m.note("channel", c.Name, "its config is not carried over: it is no JSON object")
	}
	s := boot.CatalogueSettings{}
	s.SystemPrompt = r.text("system_prompt")
	if c.Type == "azure" {
		s.APIVersion = nameOr(config.APIVersion, r.text("other"))
		if s.APIVersion == "" {
			m.note("channel", c.Name, "has no API version: Azure's newest paths are called; set settings.api_version for others")
		}
	}
	if s.SystemPrompt != "" || s.APIVersion != "" {
		c.Settings = &s
	}
	for _, column := range elsewhere {
		if text := r.text(column); text != "" && text != "{}" && text != "null" && text != "[]" {
			m.note("channel", c.Name, "its %s is not carried over: see the settings of channels", column)
		}
	}
}

// serve notes who may call the channel's models, and through whom.
func (m *importer) serve(r row, c *boot.CatalogueChannel) {
	groups := trimmed(r.list("group", ","))
	if len(groups) == 0 {
		groups = []string{"default"}
	}
	for public := range c.Models {
		model := m.served[public]
		if model == nil {
			model = &servedModel{groups: map[string]bool{}, owner: c.Type, only: map[string][]string{}}
			m.served[public] = model
		}
		if t := r.number("type", 0); !slices.Contains(model.types, t) {
			model.types = append(model.types, t)
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
