package gemini

import (
	"slices"
	"strings"

	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/wire/gemini/thought"
)

// thinkingConfig represents the thinking settings. A model takes a level or a budget, see generations.
type thinkingConfig struct {
	Include bool   `json:"includeThoughts,omitzero"`
	Level   string `json:"thinkingLevel,omitzero"`
	Budget  *int64 `json:"thinkingBudget,omitzero"` // tokens
}

// generation describes what one generation of models accepts.
type generation struct {
	prefix   string // the beginning of the models' names
	canThink bool
	efforts  map[string]thinkingConfig // by the client's reasoning effort
	// Models from the third generation on want signatures, see thought.WantsSignature, and accept media in the results
	// of calls.
	isThirdOrLater bool
	// The models before the third generation refuse functions together with a format of the answer.
	noFormatWithTools bool
	// Later models refuse penalties other than 0: "Penalty is not enabled for this model",
	// google-gemini/cookbook#1290 and vercel/ai#8943.
	hasPenalties bool
	// Gemma 3 refuses a system instruction: "Developer instruction is not enabled", 0xPlaygrounds/rig#788.
	noInstruction bool
}

// generations lists the generations. The first entry with a matching prefix counts. The efforts are those
// that Google documents for its own OpenAI-compatible endpoint. "none" is missing where Google says that
// thinking cannot be turned off.
var generations = []generation{
	{prefix: "gemini-1", noFormatWithTools: true, hasPenalties: true},
	{prefix: "gemini-2.0", noFormatWithTools: true, hasPenalties: true},
	{prefix: "gemini-2.5-flash-image", noFormatWithTools: true}, // does not think: anomalyco/models.dev#576
	{prefix: "gemini-2.5-pro", noFormatWithTools: true, canThink: true,
		efforts: budgets(map[string]int64{"minimal": 1024, "low": 1024, "medium": 8192, "high": 24576})},
	{prefix: "gemini-2.5", noFormatWithTools: true, canThink: true,
		efforts: budgets(map[string]int64{"none": 0, "minimal": 1024, "low": 1024, "medium": 8192, "high": 24576})},
	{prefix: "gemini-3-flash", canThink: true, efforts: levels("MINIMAL")},
	// The models that draw, and the first Pro model of the third generation, have two levels: maximhq/bifrost#6280,
	// egoist/chatwise-releases#1206.
	{prefix: "gemini-3-pro", canThink: true, efforts: twoLevels("LOW")},
	{prefix: "gemini-3.1-flash-image", canThink: true, efforts: twoLevels("MINIMAL")},
	{prefix: "gemini-3.1-flash-lite-image", canThink: true, efforts: twoLevels("MINIMAL")},
	{prefix: "gemini-3.1-flash", canThink: true, efforts: levels("MINIMAL")},
	{prefix: "gemini-3.5-flash", canThink: true, efforts: levels("MINIMAL")},
	// Later generations, and names such as gemini-pro-latest.
	{prefix: "gemini-", canThink: true, efforts: levels("LOW")},
	{prefix: "gemma-3", noInstruction: true},
	{prefix: ""},
}

// generationOf returns the generation of a model by its name, which may have a path before it
// ("models/gemini-...").
func generationOf(model string) generation {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	for _, g := range generations {
		if strings.HasPrefix(name, g.prefix) {
			g.isThirdOrLater = thought.WantsSignature(name)
			return g
		}
	}
	return generation{}
}

// budgets returns the efforts of models that take a budget in tokens.
func budgets(tokens map[string]int64) map[string]thinkingConfig {
	efforts := make(map[string]thinkingConfig, len(tokens))
	for effort, n := range tokens {
		efforts[effort] = thinkingConfig{Budget: &n}
	}
	return efforts
}

// levels returns the efforts of models that take a level. lowest is the lowest level that the model has.
func levels(lowest string) map[string]thinkingConfig {
	return map[string]thinkingConfig{
		"minimal": {Level: lowest}, "low": {Level: "LOW"}, "medium": {Level: "MEDIUM"}, "high": {Level: "HIGH"},
	}
}

// twoLevels returns the efforts of models that take the lowest and the highest level only.
func twoLevels(lowest string) map[string]thinkingConfig {
	return map[string]thinkingConfig{
		"minimal": {Level: lowest}, "low": {Level: lowest}, "medium": {Level: "HIGH"}, "high": {Level: "HIGH"},
	}
}

// ThinkingBudget returns the tokens that EncodeRequest reserves for thinking when a client asks for the reasoning
// effort; 0 for a model that takes a level instead of a budget, and for an unknown effort.
func ThinkingBudget(model, effort string) int64 {
	if budget := generationOf(model).efforts[highest(effort)].Budget; budget != nil {
		return *budget
	}
	return 0
}

// highest returns the highest effort that Gemini has in place of OpenAI's, which is above it.
func highest(effort string) string {
	if effort == "xhigh" {
		return "high"
	}
	return effort
}

// knownEfforts are the efforts that some model has.
var knownEfforts = []string{"none", "minimal", "low", "medium", "high"}

// thinking returns the thinking config for the client's reasoning effort and summary, or nil for the model's
// own default. It leaves out an effort that the model does not have: any effort for a model that does not think, and
// the effort "none" for a model that always thinks. It refuses an unknown effort.
func (e *encoder) thinking() (*thinkingConfig, error) {
	reasoning := e.request.Reasoning
	effort := highest(reasoning.Effort)
	config, ok := e.generation.efforts[effort]
	switch {
	case ok, effort == "", effort == "none" && !e.generation.canThink:
	case !slices.Contains(knownEfforts, effort):
		return nil, e.request.UnsupportedField(conversation.FieldEffort)
	default:
		e.ignored = append(e.ignored, e.request.NameOf(conversation.FieldEffort))
	}
	// A model that does not think has no thoughts to summarize.
	config.Include = reasoning.Summary != "" && e.generation.canThink
	if config == (thinkingConfig{}) {
		return nil, nil
	}
	return &config, nil
}
