package oneapi

import (
	"math/big"
	"strings"
)

// ownRatios are one-api's ratios of models that its options say nothing of, for
// the families that are carried over: facts about that program, by ratio.
var ownRatios = map[string][]string{
	"0.0125": {"text-embedding-004"},
	"0.01":   {"text-embedding-3-small"},
	"0.05":   {"text-embedding-ada-002"},
	"0.065":  {"text-embedding-3-large"},
	"0.071":  {"deepseek-chat", "deepseek-coder"},
	"0.075":  {"gpt-4o-mini", "gpt-4o-mini-2024-07-18"},
	"0.125":  {"claude-3-haiku-20240307", "open-mistral-7b"},
	"0.2":    {"babbage-002"},
	"0.25":   {"gpt-3.5-turbo", "gpt-3.5-turbo-0125", "command-r"},
	"0.35":   {"open-mixtral-8x7b"},
	"0.4":    {"claude-instant-1.2"},
	"0.5":    {"gpt-3.5-turbo-1106", "claude-3-5-haiku-20241022"},
	"0.75":   {"gpt-3.5-turbo-0301", "gpt-3.5-turbo-0613", "gpt-3.5-turbo-instruct"},
	"0.852":  {"moonshot-v1-8k"},
	"1":      {"davinci-002", "gemini-pro", "gemini-1.0-pro", "gemini-1.5-flash", "gemini-1.5-pro", "mistral-small-latest"},
	"1.25":   {"gpt-4o-2024-08-06"},
	"1.35":   {"mistral-medium-latest"},
	"1.5":    {"gpt-3.5-turbo-16k", "gpt-3.5-turbo-16k-0613", "claude-3-sonnet-20240229", "claude-3-5-sonnet-20240620", "claude-3-5-sonnet-20241022", "command-r-plus"},
	"1.704":  {"moonshot-v1-32k"},
	"2.5":    {"gpt-4o", "chatgpt-4o-latest", "gpt-4o-2024-05-13", "grok-beta"},
	"4":      {"claude-2.0", "claude-2.1", "mistral-large-latest"},
	"4.26":   {"moonshot-v1-128k"},
	"5":      {"gpt-4-1106-preview", "gpt-4-0125-preview", "gpt-4-turbo-preview", "gpt-4-turbo", "gpt-4-turbo-2024-04-09", "gpt-4-vision-preview"},
	"7.5":    {"claude-3-opus-20240229"},
	"15":     {"gpt-4", "gpt-4-0314", "gpt-4-0613"},
	"30":     {"gpt-4-32k", "gpt-4-32k-0314", "gpt-4-32k-0613"},
}

// defaultRatio returns nil for a model that is not known.
func defaultRatio(id string) *big.Rat {
	for ratio, models := range ownRatios {
		for _, model := range models {
			if model == id {
				r, _ := new(big.Rat).SetString(ratio) // the keys above are decimals
				return r
			}
		}
	}
	return nil
}

// completions are one-api's completion ratios by the beginning of a name, of
// which the first that fits counts.
var completions = []struct {
	prefix, suffix string
	ratio          *big.Rat
}{
	{"gpt-3.5-turbo-0125", "", big.NewRat(3, 1)}, {"gpt-3.5", "0125", big.NewRat(3, 1)}, {"gpt-3.5", "1106", big.NewRat(2, 1)}, {"gpt-3.5", "", big.NewRat(4, 3)},
	{"gpt-4o-mini", "", big.NewRat(4, 1)}, {"gpt-4o-2024-08-06", "", big.NewRat(4, 1)}, {"gpt-4-turbo", "", big.NewRat(3, 1)},
	{"gpt-4o", "", big.NewRat(3, 1)}, {"gpt-4", "preview", big.NewRat(3, 1)}, {"gpt-4", "", big.NewRat(2, 1)},
	{"chatgpt-4o-latest", "", big.NewRat(3, 1)}, {"claude-3", "", big.NewRat(5, 1)}, {"claude-", "", big.NewRat(3, 1)},
	{"mistral-", "", big.NewRat(3, 1)}, {"gemini-", "", big.NewRat(3, 1)}, {"deepseek-", "", big.NewRat(2, 1)},
	{"command-r-plus", "", big.NewRat(5, 1)}, {"command-r", "", big.NewRat(3, 1)}, {"grok-beta", "", big.NewRat(3, 1)},
}

func defaultCompletion(id string) *big.Rat {
	if id == "gpt-3.5-turbo" {
		return big.NewRat(3, 1)
	}
	for _, c := range completions {
		if strings.HasPrefix(id, c.prefix) && strings.HasSuffix(id, c.suffix) {
			return c.ratio
		}
	}
	return one
}
