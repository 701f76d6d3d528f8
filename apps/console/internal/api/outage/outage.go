// Package outage finds the enabled models without a healthy channel.
package outage

import (
	"slices"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/snapshot"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

// maxItems is the largest number of models in a response.
const maxItems = 100

// UnservedModels lists the enabled models without a healthy channel.
type UnservedModels struct {
	Count int             `json:"count" doc:"Number of these models; 0 if each enabled model has a healthy channel"`
	Items []UnservedModel `json:"items" maxItems:"100" doc:"The first 100, ordered by model"`
}

// UnservedModel is an enabled model that no healthy channel serves.
type UnservedModel struct {
	Model    string `json:"model" doc:"Id of the model"`
	Reason   string `json:"reason" enum:"no_channel,disabled,failing" doc:"no_channel: no channel has the model. disabled: all channels that have it are disabled. failing: no credential of the enabled ones works: each is disabled, cannot be decrypted, or failed its last probe"`
	Channels int    `json:"channels" doc:"Number of the channels that have the model, whatever their status"`
}

// Of returns the enabled models of the snapshot of which each enabled channel fails, ordered by id. failing reports
// whether a channel fails; it is called for each channel of a model.
func Of(s *snapshot.Snapshot, failing func(*catalog.Channel) bool) UnservedModels {
	models := UnservedModels{Items: []UnservedModel{}}
	channels := map[string]int{} // the channels of each model, whatever their status
	for _, channel := range s.Channels() {
		for model := range channel.Models {
			channels[model]++
		}
	}
	for _, model := range s.Models() {
		serving := s.Serving(model.ID)
		works := func(c *catalog.Channel) bool { return !failing(c) }
		if model.Status != tenant.Enabled || slices.ContainsFunc(serving, works) {
			continue
		}
		models.Count++
		if len(models.Items) < maxItems {
			models.Items = append(models.Items, UnservedModel{Model: model.ID, Channels: channels[model.ID],
				Reason: reasonOf(len(serving), channels[model.ID])})
		}
	}
	return models
}

// reasonOf returns why a model has no healthy channel, by the number of its enabled channels and of all its channels.
func reasonOf(enabled, total int) string {
	switch {
	case total == 0:
		return "no_channel"
	case enabled == 0:
		return "disabled"
	}
	return "failing"
}
