package oneapi

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/tollgate/tollgate/libs/core/catalog"
)

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
	steps := map[string]bool{} // in the midst of a chain
	for _, public := range slices.Sorted(maps.Keys(models)) {
		upstream, through, ends := m.follow(renamed, public)
		if models[public] = upstream; !ends {
			models[public] = public
			m.note("channel", name, "its mapping of %q is not carried over: it goes in a circle", public)
		}
		for _, step := range through {
			steps[step] = true
		}
	}
	for _, public := range slices.Sorted(maps.Keys(renamed)) {
		if _, served := models[public]; !served && !steps[public] {
			m.note("channel", name, "its mapping of %q is not carried over: the channel does not serve that model", public)
		}
	}
	return models
}

// follow returns the name that a model has at the end of its mappings, and the
// names on the way there. one-api takes one step, and new-api all; ends is false
// where there are steps without end.
func (m *importer) follow(renamed map[string]string, public string) (upstream string, through []string, ends bool) {
	upstream = public
	for range len(renamed) {
		next := renamed[upstream]
		if next == "" || next == upstream {
			return upstream, through, true
		}
		upstream = next
		if m.program == oneAPI {
			return upstream, through, true
		}
		through = append(through, upstream)
	}
	return upstream, through, renamed[upstream] == "" || renamed[upstream] == upstream
}
