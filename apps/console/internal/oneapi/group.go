package oneapi

import (
	"maps"
	"slices"
	"strings"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/manifest"
)

// groups declares every group that has a ratio or that a channel, user or token names, and the default group.
func (m *importer) groups() {
	names := map[string]bool{}
	for name := range m.ratios.group {
		names[name] = true
	}
	for _, model := range m.servedModels {
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
	m.restrictedChannels()
}

// defaultGroup is the group of users and channels that name none.
const defaultGroup = "default"

// group declares a group with the models of its channels and the multiplier of its ratio.
func (m *importer) group(name string) {
	group := manifest.Group{Name: name, Models: []string{}}
	for _, id := range slices.Sorted(maps.Keys(m.servedModels)) {
		if m.servedModels[id].groups[name] {
			group.Models = append(group.Models, id)
		}
	}
	if len(group.Models) == len(m.servedModels) && len(group.Models) > 0 {
		// A group that may use every model today should also get models that are added later.
		group.Models = []string{"*"}
	}
	if len(group.Models) == 0 {
		m.note("group", name, "no imported channel serves it, so its users may use no model")
	}
	multiplier := money.One
	if ratio := m.ratios.group[name]; ratio != nil {
		factor, exact := rounded(ratio)
		if multiplier = money.Factor(factor); !exact {
			m.note("group", name, "its ratio of %s is rounded to %s", decimal(ratio), multiplier)
		}
	} else if len(m.ratios.group) > 0 {
		m.note("group", name, "has no ratio: 1 is taken, as the old program does")
	}
	group.Multiplier = &multiplier
	m.manifest.Groups = append(m.manifest.Groups, group)
}

// restrictedChannels adds notes for channels that served a model for some groups only. In
// Tollgate a group is permitted models, not channels: every channel with the model serves it.
func (m *importer) restrictedChannels() {
	for _, id := range slices.Sorted(maps.Keys(m.servedModels)) {
		model := m.servedModels[id]
		for _, channel := range slices.Sorted(maps.Keys(model.channelGroups)) {
			if groups := model.channelGroups[channel]; len(groups) < len(model.groups) {
				m.note("model", id, "the channel %q served it for the groups %s only; in Tollgate the channel "+
					"serves every group that may use the model", channel, strings.Join(groups, ", "))
			}
		}
	}
}
