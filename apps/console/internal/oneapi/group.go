package oneapi

import (
	"maps"
	"slices"
	"strings"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/manifest"
)

// groups declares the groups of the price list, of channels, users and tokens.
func (m *importer) groups() {
	names := map[string]bool{}
	for name := range m.ratios.group {
		names[name] = true
	}
	for _, model := range m.served {
		maps.Copy(names, model.groups)
	}
	for _, table := range []string{"users", "tokens"} {
		for _, r := range m.dump.Rows[table] {
			if name := (row{r}).text("group"); name != "" && name != auto {
				names[name] = true
			}
		}
	}
	names[defaultGroup] = true
	for _, name := range slices.Sorted(maps.Keys(names)) {
		m.group(name)
	}
	m.walls()
}

const defaultGroup = "default"

func (m *importer) group(name string) {
	group := manifest.Group{Name: name, Models: []string{}}
	for _, id := range slices.Sorted(maps.Keys(m.served)) {
		if m.served[id].groups[name] {
			group.Models = append(group.Models, id)
		}
	}
	if len(group.Models) == len(m.served) && len(group.Models) > 0 {
		group.Models = []string{"*"}
	}
	if len(group.Models) == 0 {
		m.note("group", name, "no channel that is carried over serves it: its users see no model")
	}
	multiplier := money.One
	if ratio := m.ratios.group[name]; ratio != nil {
		factor, exact := rounded(ratio)
		if multiplier = money.Factor(factor); !exact {
			m.note("group", name, "its ratio of %s is rounded to %s", decimal(ratio), multiplier)
		}
	} else if len(m.ratios.group) > 0 {
		m.note("group", name, "has no ratio: it is 1, as there")
	}
	group.Multiplier = &multiplier
	m.manifest.Groups = append(m.manifest.Groups, group)
}

// walls tells of channels that were for some groups only: here a group is
// permitted models, and any channel that has the model serves it.
func (m *importer) walls() {
	for _, id := range slices.Sorted(maps.Keys(m.served)) {
		model := m.served[id]
		for _, channel := range slices.Sorted(maps.Keys(model.only)) {
			if groups := model.only[channel]; len(groups) < len(model.groups) {
				m.note("model", id, "the channel %q served it for %s only; here it serves every group that may use the model", channel, strings.Join(groups, ", "))
			}
		}
	}
}
