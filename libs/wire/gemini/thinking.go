package gemini

import (
	"strings"

	"github.com/tollgate/tollgate/libs/core/conversation"
)

type thinkingConfig struct {
	Include bool   `json:"includeThoughts,omitzero"`
	Level   string `json:"thinkingLevel,omitzero"`
	Budget  *int64 `json:"thinkingBudget,omitzero"` // tokens
}

// generation is what differs between the generations of models.
type generation struct {
	prefix  string // of the models' names
	thinks  bool
	efforts map[string]thinkingConfig // what a client may ask for
	// third: of the third generation or later. These refuse a step whose first
	// call has no signature, and take media in the results of calls.
	third bool
}

// generations, the first match counts. The efforts are those that Google
// documents for its own OpenAI-compatible endpoint; "none" is left out where
// it says that thinking cannot be turned off.
var generations = []generation{
	{prefix: "gemini-1"},
	{prefix: "gemini-2.0"},
	{prefix: "gemini-2.5-pro", thinks: true, efforts: budgets(map[string]int64{"minimal": 1024, "low": 1024, "medium": 8192, "high": 24576})},
	{prefix: "gemini-2.5", thinks: true, efforts: budgets(map[string]int64{"none": 0, "minimal": 1024, "low": 1024, "medium": 8192, "high": 24576})},
	{prefix: "gemini-3-flash", thinks: true, efforts: levels("MINIMAL"), third: true},
	{prefix: "gemini-3.1-flash", thinks: true, efforts: levels("MINIMAL"), third: true},
	{prefix: "gemini-3.5-flash", thinks: true, efforts: levels("MINIMAL"), third: true},
	{prefix: "gemini-", thinks: true, efforts: levels("LOW"), third: true}, // later ones, and names such as gemini-pro-latest
	{prefix: ""},
}

func generationOf(model string) generation {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	for _, g := range generations {
		if strings.HasPrefix(name, g.prefix) {
			return g
		}
	}
	return generation{}
}

func budgets(tokens map[string]int64) map[string]thinkingConfig {
	efforts := make(map[string]thinkingConfig, len(tokens))
	for effort, n := range tokens {
		efforts[effort] = thinkingConfig{Budget: &n}
	}
	return efforts
}

// levels are those of models whose least level is the one given.
func levels(least string) map[string]thinkingConfig {
	return map[string]thinkingConfig{
		"minimal": {Level: least}, "low": {Level: "LOW"}, "medium": {Level: "MEDIUM"}, "high": {Level: "HIGH"},
	}
}

// thinking returns nil for the model's own default.
func (e *encoder) thinking() (*thinkingConfig, error) {
	asked := e.request.Reasoning
	config, known := e.generation.efforts[asked.Effort]
	idle := asked.Effort == "none" && !e.generation.thinks
	if asked.Effort != "" && !known && !idle {
		return nil, e.request.UnsupportedField(conversation.FieldEffort)
	}
	// A model that does not think has no thoughts to sum up.
	config.Include = asked.Summary != "" && e.generation.thinks
	if config == (thinkingConfig{}) {
		return nil, nil
	}
	return &config, nil
}
