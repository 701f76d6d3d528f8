package oneapi

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/tollgate/tollgate/libs/core/catalog"
)

// mapping returns the models that the channel serves: public id to upstream id.
func (m *importer) mapping(r row, name string) map[string]string {
	models := map[string]string{}
	for _, id := range trimmed(r.list("models", ",\n")) {
		if catalog.CheckModelID(id) != nil {
			m.note("channel", name, "its model %q is not imported: this is not a valid model id in Tollgate", id)
			continue
		}
		models[id] = id
	}
	text := r.text("model_mapping")
	if text == "" {
		return models
	}
	targets := map[string]string{}
	if err := json.Unmarshal([]byte(text), &targets); err != nil {
		m.note("channel", name, "its model_mapping is not imported: it is not a JSON object of strings")
		return models
	}
	steps := map[string]bool{} // names in the middle of a chain of mappings
	for _, public := range slices.Sorted(maps.Keys(models)) {
		upstream, through, ends := m.follow(targets, public)
		if models[public] = upstream; !ends {
			models[public] = public
			m.note("channel", name, "its mapping of %q is not imported: it is circular", public)
		}
		for _, step := range through {
			steps[step] = true
		}
	}
	for _, public := range slices.Sorted(maps.Keys(targets)) {
		if _, ok := models[public]; !ok && !steps[public] {
			m.note("channel", name, "its mapping of %q is not imported: the channel does not serve this model", public)
		}
	}
	return models
}

// follow returns the upstream name to which a model is mapped, and the names between. one-api applies
// one mapping only; new-api follows the chain to its end. ends is false if the chain is circular.
func (m *importer) follow(targets map[string]string, public string) (upstream string, through []string, ends bool) {
	upstream = public
	for range len(targets) {
		next := targets[upstream]
		if next == "" || next == upstream {
			return upstream, through, true
		}
		upstream = next
		if m.program == oneAPI {
			return upstream, through, true
		}
		through = append(through, upstream)
	}
	return upstream, through, targets[upstream] == "" || targets[upstream] == upstream
}
