package provider

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/tollgate/tollgate/libs/core/catalog"
)

// SettingsOf returns the channel's settings for a call. The parameters of a channel are meant for calls that generate
// text: operations and embeddings get only those that replace a value of the client, because upstreams refuse fields
// that they do not have. Embeddings have no system prompt and none of the fields that quirks concern either.
func SettingsOf(call Call) *catalog.Settings {
	settings, generates := &call.Channel.Settings, call.Dialect != catalog.Embeddings
	if generates && (call.Operation == "" || len(settings.Parameters) == 0) {
		return settings
	}
	clone := *settings
	if !generates {
		clone.SystemPrompt, clone.Quirks = "", nil
	}
	if len(settings.Parameters) == 0 {
		return &clone
	}
	members := call.Request.Members(slices.Collect(maps.Keys(settings.Parameters))...)
	clone.Parameters = maps.Clone(settings.Parameters)
	maps.DeleteFunc(clone.Parameters, func(name string, _ json.RawMessage) bool { return members[name] == nil })
	return &clone
}
