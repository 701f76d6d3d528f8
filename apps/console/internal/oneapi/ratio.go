package oneapi

import (
	"math/big"
	"strings"
)

// oneAPIRatios holds one-api's default ratios, which it uses for models that its
// options do not name: models by ratio. They are facts about that program, taken
// from its source (relay/billing/ratio), for the channel types that can be imported.
var oneAPIRatios = map[string][]string{
	"0.000025": {"llama-3.1-8b-instant", "llama-guard-3-8b", "llama3-8b-8192"},
	"0.000035": {"gemma-7b-it"},
	"0.000071": {"step-1-flash"},
	"0.0001":   {"gemma2-9b-it"},
	"0.00012":  {"mixtral-8x7b-32768"},
	"0.000295": {"llama-3.1-70b-versatile", "llama3-70b-8192"},
	"0.000355": {"step-1-8k", "step-1v-8k"},
	"0.001065": {"step-1-32k", "step-1v-32k"},
	"0.002698": {"step-2-16k"},
	"0.00284":  {"step-1-128k"},
	"0.006745": {"step-1-256k"},
	"0.01":     {"text-embedding-3-small"},
	"0.0125":   {"text-embedding-004"},
	"0.01875":  {"gemini-1.5-flash-8b"},
	"0.0213":   {"qwen-turbo", "qwen-turbo-latest"},
	"0.0375": {"gemini-1.5-flash", "gemini-1.5-flash-001", "gemini-2.0-flash-exp",
		"gemini-2.0-flash-lite-preview-02-05", "gemini-2.0-flash-thinking-exp-01-21"},
	"0.05":   {"text-embedding-ada-002", "mistral-embed"},
	"0.0568": {"qwen-plus", "qwen-plus-latest"},
	"0.0625": {"gemini-1.0-pro"},
	"0.065":  {"text-embedding-3-large"},
	"0.07":   {"deepseek-chat"},
	"0.071":  {"deepseek-coder", "deepseek-v3"},
	"0.075":  {"gpt-4o-mini", "gpt-4o-mini-2024-07-18", "gemini-2.0-flash", "gemini-2.0-flash-001"},
	"0.125":  {"claude-3-haiku-20240307", "open-mistral-7b", "gemini-pro"},
	"0.142":  {"deepseek-r1"},
	"0.1704": {"qwen-max", "qwen-max-latest"},
	"0.1775": {"yi-34b-chat-0205"},
	"0.2":    {"babbage-002"},
	"0.25":   {"gpt-3.5-turbo", "gpt-3.5-turbo-0125", "command-r"},
	"0.275":  {"deepseek-reasoner"},
	"0.35":   {"open-mixtral-8x7b"},
	"0.4":    {"claude-instant-1.2"},
	"0.426":  {"yi-vl-plus"},
	"0.5":    {"gpt-3.5-turbo-1106", "claude-3-5-haiku-20241022", "claude-3-5-haiku-latest"},
	"0.568":  {"Baichuan2-Turbo"},
	"0.625":  {"gemini-1.5-pro", "gemini-1.5-pro-001", "gemini-2.0-pro-exp-02-05"},
	"0.75":   {"gpt-3.5-turbo-0301", "gpt-3.5-turbo-0613", "gpt-3.5-turbo-instruct"},
	"0.852":  {"moonshot-v1-8k", "yi-34b-chat-200k", "ERNIE-3.5-8K"},
	"0.8572": {"360GPT_S2_V9"},
	"1":      {"davinci-002", "mistral-small-latest"},
	"1.136":  {"Baichuan2-Turbo-192k"},
	"1.25":   {"gpt-4o-2024-08-06", "gpt-4o-2024-11-20"},
	"1.2858": {"SparkDesk", "SparkDesk-v3.5", "SparkDesk-v4.0"},
	"1.35":   {"mistral-medium-latest"},
	"1.5": {"gpt-3.5-turbo-16k", "gpt-3.5-turbo-16k-0613", "claude-3-sonnet-20240229", "claude-3-5-sonnet-20240620",
		"claude-3-5-sonnet-20241022", "claude-3-5-sonnet-latest", "command-r-plus", "o1-mini", "o1-mini-2024-09-12",
		"o3-mini", "o3-mini-2025-01-31"},
	"1.704": {"moonshot-v1-32k"},
	"2.5":   {"gpt-4o", "chatgpt-4o-latest", "gpt-4o-2024-05-13", "grok-beta"},
	"4":     {"claude-2.0", "claude-2.1", "mistral-large-latest"},
	"4.26":  {"moonshot-v1-128k"},
	"5": {"gpt-4-1106-preview", "gpt-4-0125-preview", "gpt-4-turbo-preview", "gpt-4-turbo",
		"gpt-4-turbo-2024-04-09", "gpt-4-vision-preview"},
	"7.5":  {"claude-3-opus-20240229", "o1", "o1-2024-12-17", "o1-preview", "o1-preview-2024-09-12"},
	"8.52": {"ERNIE-4.0-8K"},
	"15":   {"gpt-4", "gpt-4-0314", "gpt-4-0613"},
	"30":   {"gpt-4-32k", "gpt-4-32k-0314", "gpt-4-32k-0613"},
}

// oneAPIRatio returns one-api's default ratio of a model, or nil if it has none.
func oneAPIRatio(id string) *big.Rat {
	for ratio, models := range oneAPIRatios {
		for _, model := range models {
			if model == id {
				r, _ := new(big.Rat).SetString(ratio) // the keys above are decimals
				return r
			}
		}
	}
	return nil
}

// oneAPICompletionRatios holds one-api's default completion ratios. The first
// row whose prefix and suffix match the name of the model applies.
var oneAPICompletionRatios = []struct {
	prefix, suffix string
	ratio          *big.Rat
}{
	{"gpt-3.5-turbo-0125", "", big.NewRat(3, 1)}, {"gpt-3.5", "0125", big.NewRat(3, 1)},
	{"gpt-3.5", "1106", big.NewRat(2, 1)}, {"gpt-3.5", "", big.NewRat(4, 3)},
	{"gpt-4o-2024-05-13", "", big.NewRat(3, 1)}, {"gpt-4o", "", big.NewRat(4, 1)},
	{"gpt-4-turbo", "", big.NewRat(3, 1)},
	{"o1", "", big.NewRat(4, 1)}, {"gpt-4", "preview", big.NewRat(3, 1)}, {"gpt-4", "", big.NewRat(2, 1)},
	{"chatgpt-4o-latest", "", big.NewRat(3, 1)}, {"claude-3", "", big.NewRat(5, 1)}, {"claude-", "", big.NewRat(3, 1)},
	{"mistral-", "", big.NewRat(3, 1)}, {"gemini-", "", big.NewRat(3, 1)}, {"deepseek-", "", big.NewRat(2, 1)},
	{"command-r-plus", "", big.NewRat(5, 1)}, {"command-r", "", big.NewRat(3, 1)}, {"grok-beta", "", big.NewRat(3, 1)},
	{"llama3-8b-8192", "", big.NewRat(2, 1)}, {"llama3-70b-8192", "", big.NewRat(79, 59)},
}

// oneAPICompletionRatio returns one-api's default completion ratio of a model; 1 if no row matches.
func oneAPICompletionRatio(id string) *big.Rat {
	if id == "gpt-3.5-turbo" {
		return big.NewRat(3, 1)
	}
	for _, c := range oneAPICompletionRatios {
		if strings.HasPrefix(id, c.prefix) && strings.HasSuffix(id, c.suffix) {
			return c.ratio
		}
	}
	return one
}

// newAPICompletionRatios holds new-api's default completion ratios. The first row whose conditions all
// match the name of the model applies. A fixed ratio applies even if the options name another one.
var newAPICompletionRatios = []struct {
	exact, prefix, part, suffix string
	ratio                       *big.Rat
	fixed                       bool
}{
	{suffix: "-all", ratio: big.NewRat(2, 1)}, {suffix: "-gizmo-*", ratio: big.NewRat(2, 1)},
	{exact: "gpt-4o-2024-05-13", ratio: big.NewRat(3, 1), fixed: true},
	{prefix: "gpt-4o-mini-tts", ratio: big.NewRat(20, 1)},
	{prefix: "gpt-4o", ratio: big.NewRat(4, 1)},
	{prefix: "gpt-5.4-nano", ratio: big.NewRat(25, 4), fixed: true},
	{prefix: "gpt-5.4", ratio: big.NewRat(6, 1), fixed: true},
	{prefix: "gpt-5.", ratio: big.NewRat(6, 1)}, {prefix: "gpt-5", ratio: big.NewRat(8, 1), fixed: true},
	{prefix: "gpt-4.5-preview", ratio: big.NewRat(2, 1), fixed: true},
	{prefix: "gpt-4-turbo", ratio: big.NewRat(3, 1), fixed: true},
	{prefix: "gpt-", ratio: big.NewRat(2, 1)},
	{prefix: "o1", ratio: big.NewRat(4, 1), fixed: true}, {prefix: "o3", ratio: big.NewRat(4, 1), fixed: true},
	{exact: "chatgpt-4o-latest", ratio: big.NewRat(3, 1), fixed: true},
	{part: "claude-3", ratio: big.NewRat(5, 1), fixed: true},
	{part: "claude-sonnet-", ratio: big.NewRat(5, 1), fixed: true},
	{part: "claude-opus-", ratio: big.NewRat(5, 1), fixed: true},
	{part: "claude-haiku-", ratio: big.NewRat(5, 1), fixed: true},
	{prefix: "mistral-", ratio: big.NewRat(3, 1), fixed: true},
	{prefix: "gemini-1.5", ratio: big.NewRat(4, 1), fixed: true},
	{prefix: "gemini-2.0", ratio: big.NewRat(4, 1), fixed: true},
	{prefix: "gemini-2.5-pro", ratio: big.NewRat(8, 1)}, {prefix: "gemini-2.5-flash-preview", suffix: "-nothinking",
		ratio: big.NewRat(4, 1)},
	{prefix: "gemini-2.5-flash-preview", ratio: big.NewRat(70, 3)},
	{prefix: "gemini-2.5-flash-lite", ratio: big.NewRat(4, 1)},
	{prefix: "gemini-2.5-flash", ratio: big.NewRat(25, 3)},
	{prefix: "gemini-robotics-er-1.5", ratio: big.NewRat(25, 3)},
	{prefix: "gemini-3-pro-image", ratio: big.NewRat(60, 1)}, {prefix: "gemini-3-pro", ratio: big.NewRat(6, 1)},
	{prefix: "gemini-", ratio: big.NewRat(4, 1)},
	{exact: "command-r-plus-08-2024", ratio: big.NewRat(4, 1), fixed: true},
	{exact: "command-r-plus", ratio: big.NewRat(5, 1), fixed: true},
	{exact: "command-r-08-2024", ratio: big.NewRat(4, 1), fixed: true},
	{exact: "command-r", ratio: big.NewRat(3, 1), fixed: true},
	{prefix: "command", ratio: big.NewRat(4, 1)},
	{prefix: "ERNIE-Speed-", ratio: big.NewRat(2, 1), fixed: true},
	{prefix: "ERNIE-Lite-", ratio: big.NewRat(2, 1), fixed: true},
	{prefix: "ERNIE-Character", ratio: big.NewRat(2, 1), fixed: true},
	{prefix: "ERNIE-Functions", ratio: big.NewRat(2, 1), fixed: true},
	{exact: "llama2-70b-4096", ratio: big.NewRat(5, 4), fixed: true},
	{exact: "llama3-8b-8192", ratio: big.NewRat(2, 1), fixed: true},
	{exact: "llama3-70b-8192", ratio: big.NewRat(79, 59), fixed: true},
}

// newAPIAudioRatios holds new-api's default ratios of the price of audio input to that of input, by model.
var newAPIAudioRatios = table{
	"gpt-4o-audio-preview": big.NewRat(16, 1), "gpt-4o-mini-audio-preview": big.NewRat(6667, 100),
	"gpt-4o-realtime-preview": big.NewRat(8, 1), "gpt-4o-mini-realtime-preview": big.NewRat(1667, 100),
	"gpt-4o-mini-tts": big.NewRat(25, 1),
}

// newAPIAudioCompletionRatios holds new-api's default ratios of the price of audio output to that of audio input.
var newAPIAudioCompletionRatios = table{
	"gpt-4o-realtime": big.NewRat(2, 1), "gpt-4o-mini-realtime": big.NewRat(2, 1), "gpt-4o-mini-tts": one,
	"tts-1": new(big.Rat), "tts-1-hd": new(big.Rat), "tts-1-1106": new(big.Rat), "tts-1-hd-1106": new(big.Rat),
}

// newAPICompletionRatio returns new-api's default completion ratio of a model; 1 if no row matches.
func newAPICompletionRatio(id string) (ratio *big.Rat, isFixed bool) {
	for _, c := range newAPICompletionRatios {
		if (c.exact == "" || c.exact == id) && strings.HasPrefix(id, c.prefix) && strings.Contains(id, c.part) &&
			strings.HasSuffix(id, c.suffix) {
			return c.ratio, c.fixed
		}
	}
	return one, false
}
