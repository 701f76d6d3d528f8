package oneapi

import (
	"fmt"

	"github.com/tollgate/tollgate/libs/core/catalog"
)

// family is what a type of channel is here.
type family struct {
	kind    string // type of a channel here
	dialect catalog.Dialect
	base    string // where it is, when the channel does not say
	suffix  string // of the base URL, which there has none
}

func compatible(base string) family {
	return family{kind: "openai", dialect: catalog.Chat, base: base, suffix: "/v1"}
}

// shared are the types that mean the same in all programs of the family.
var shared = map[int64]family{
	1:  compatible("https://api.openai.com"),
	3:  {kind: "azure", dialect: catalog.Chat},
	8:  compatible(""),
	14: {kind: "anthropic", dialect: catalog.Messages, base: "https://api.anthropic.com"},
	20: compatible("https://openrouter.ai/api"),
	24: {kind: "gemini", dialect: catalog.Gemini, base: "https://generativelanguage.googleapis.com", suffix: "/v1beta"},
	25: compatible("https://api.moonshot.cn"),
	31: compatible("https://api.lingyiwanwu.com"),
}

// ofOneAPI are types that only one-api has under these numbers, of those that
// speak OpenAI's protocol below their base URL and /v1.
var ofOneAPI = map[int64]family{
	4: compatible("https://api.closeai-proxy.xyz"), 5: compatible("https://api.openai-sb.com"), 6: compatible("https://api.openaimax.com"),
	7: compatible("https://api.ohmygpt.com"), 9: compatible("https://api.caipacity.com"), 10: compatible("https://api.aiproxy.io"),
	12: compatible("https://api.api2gpt.com"), 13: compatible("https://api.aigc2d.com"), 19: compatible("https://ai.360.cn"),
	26: compatible("https://api.baichuan-ai.com"), 28: compatible("https://api.mistral.ai"), 29: compatible("https://api.groq.com/openai"),
	32: compatible("https://api.stepfun.com"), 36: compatible("https://api.deepseek.com"), 39: compatible("https://api.together.xyz"),
	40: {kind: "openai", dialect: catalog.Chat, base: "https://ark.cn-beijing.volces.com", suffix: "/api/v3"},
	41: {kind: "openai", dialect: catalog.Chat, base: "https://api.novita.ai/v3/openai"},
	44: compatible("https://api.siliconflow.cn"), 45: compatible("https://api.x.ai"),
	50: {kind: "openai", dialect: catalog.Chat},
}

// family returns what the type is here.
func (m *importer) family(number int64) (family, bool) {
	f, known := shared[number]
	if !known && m.program == oneAPI {
		f, known = ofOneAPI[number]
	}
	return f, known
}

// names of types without a counterpart, for the notes.
var typeNames = map[int64]string{
	11: "PaLM", 15: "Baidu", 16: "Zhipu", 17: "Ali", 18: "Xunfei", 21: "AI Proxy library", 22: "FastGPT", 23: "Tencent", 27: "Minimax",
	30: "Ollama", 33: "AWS Claude", 34: "Coze", 35: "Cohere", 37: "Cloudflare", 38: "DeepL", 42: "Vertex AI", 43: "proxy",
}

func (m *importer) typeName(number int64) string {
	if name := typeNames[number]; name != "" && m.program == oneAPI {
		return fmt.Sprintf("%d (%s)", number, name)
	}
	return fmt.Sprint(number)
}
