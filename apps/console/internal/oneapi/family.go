package oneapi

import (
	"fmt"
	"strings"

	"github.com/tollgate/tollgate/libs/core/catalog"
)

// family is what a type of channel is here.
type family struct {
	kind    string // type of a channel here
	dialect catalog.Dialect
	base    string // where it is, when the channel does not say
	suffix  string // of the base URL, which there has none
	whole   bool   // the base URL there is that of the call, path and all
}

func compatible(base string) family { return under(base, "/v1") }

// under is a server that speaks OpenAI's protocol below another path than /v1.
func under(base, suffix string) family {
	return family{kind: "openai", dialect: catalog.Chat, base: base, suffix: suffix}
}

// shared are the types that mean the same in all programs of the family.
var shared = map[int64]family{
	1:  compatible("https://api.openai.com"),
	3:  {kind: "azure", dialect: catalog.Chat},
	6:  compatible("https://api.openaimax.com"),
	7:  compatible("https://api.ohmygpt.com"),
	9:  compatible("https://api.caipacity.com"),
	10: compatible("https://api.aiproxy.io"),
	12: compatible("https://api.api2gpt.com"),
	13: compatible("https://api.aigc2d.com"),
	14: {kind: "anthropic", dialect: catalog.Messages, base: "https://api.anthropic.com"},
	20: compatible("https://openrouter.ai/api"),
	24: {kind: "gemini", dialect: catalog.Gemini, base: "https://generativelanguage.googleapis.com", suffix: "/v1beta"},
	25: compatible("https://api.moonshot.cn"),
	31: compatible("https://api.lingyiwanwu.com"),
}

// families are the types that only one program has under these numbers, of
// those that speak OpenAI's protocol.
var families = map[string]map[int64]family{
	oneAPI: {
		2: compatible("https://oa.api2d.net"), 4: compatible("https://api.closeai-proxy.xyz"), 5: compatible("https://api.openai-sb.com"),
		8: compatible(""), 19: compatible("https://ai.360.cn"), 26: compatible("https://api.baichuan-ai.com"),
		28: compatible("https://api.mistral.ai"), 29: compatible("https://api.groq.com/openai"), 32: compatible("https://api.stepfun.com"),
		36: compatible("https://api.deepseek.com"), 39: compatible("https://api.together.xyz"),
		40: under("https://ark.cn-beijing.volces.com", "/api/v3"), 41: under("https://api.novita.ai/v3/openai", ""),
		44: compatible("https://api.siliconflow.cn"), 45: compatible("https://api.x.ai"), 47: under("https://qianfan.baidubce.com", "/v2"),
		48: compatible("https://spark-api-open.xf-yun.com"), 49: under("https://dashscope.aliyuncs.com", "/compatible-mode/v1"),
		50: under("", ""), 51: under("https://generativelanguage.googleapis.com/v1beta/openai", ""),
	},
	newAPI: {
		8: {kind: "openai", dialect: catalog.Chat, whole: true}, 17: under("https://dashscope.aliyuncs.com", "/compatible-mode/v1"),
		19: compatible("https://api.360.cn"), 26: under("https://open.bigmodel.cn", "/api/paas/v4"), 27: under("https://api.perplexity.ai", ""),
		40: compatible("https://api.siliconflow.cn"), 42: compatible("https://api.mistral.ai"), 43: compatible("https://api.deepseek.com"),
		45: under("https://ark.cn-beijing.volces.com", "/api/v3"), 46: under("https://qianfan.baidubce.com", "/v2"), 47: compatible(""),
		48: compatible("https://api.x.ai"), 53: compatible("https://llm.submodel.ai"),
	},
}

// family returns what the type is here.
func (m *importer) family(number int64) (family, bool) {
	f, known := shared[number]
	if !known {
		f, known = families[m.program][number]
	}
	return f, known
}

// plans are what new-api takes in the place of a base URL for subscriptions.
var plans = map[string]string{
	"glm-coding-plan":               "https://open.bigmodel.cn/api/coding/paas/v4",
	"glm-coding-plan-international": "https://api.z.ai/api/coding/paas/v4",
	"kimi-coding-plan":              "https://api.kimi.com/coding/v1",
	"doubao-coding-plan":            "https://ark.cn-beijing.volces.com/api/coding/v3",
}

// cloudflare is the gateway below which both programs leave the beginning of a
// path out.
const cloudflare = "https://gateway.ai.cloudflare.com"

// baseURL is where the channel's calls go; why says what is wrong with it.
func (m *importer) baseURL(r row, f *family) (base, why string) {
	number := r.number("type", 0)
	base = strings.TrimRight(nameOr(r.text("base_url"), f.base), "/")
	if plan := plans[base]; plan != "" && m.program == newAPI {
		return plan, ""
	}
	switch {
	case base == "":
		return "", fmt.Sprintf("it has no base URL, and its type %s has none of its own", m.typeName(number))
	case f.whole:
		cut, ends := strings.CutSuffix(base, "/chat/completions")
		if !ends || strings.Contains(cut, "{model}") {
			return "", "its base URL is that of one call, and not of a /chat/completions without the model's name"
		}
		return cut, ""
	case strings.HasPrefix(base, cloudflare) && f.kind == "azure":
		return "", "its base URL is Cloudflare's gateway to Azure, whose paths are not Azure's"
	case strings.HasPrefix(base, cloudflare) && number == 1, strings.HasSuffix(base, f.suffix):
		return base, ""
	}
	return base + f.suffix, ""
}

// typeNames are the names of types without a counterpart, for the notes.
var typeNames = map[string]map[int64]string{
	"": { // all programs
		11: "PaLM", 15: "Baidu", 16: "Zhipu", 18: "Xunfei", 21: "AI Proxy library", 22: "FastGPT", 23: "Tencent", 33: "AWS",
	},
	oneAPI: {
		17: "Ali", 27: "Minimax", 30: "Ollama", 34: "Coze", 35: "Cohere", 37: "Cloudflare", 38: "DeepL", 42: "Vertex AI",
		43: "proxy", 46: "Replicate",
	},
	newAPI: {
		2: "Midjourney", 4: "Ollama", 5: "Midjourney Plus", 34: "Cohere", 35: "MiniMax", 36: "Suno", 37: "Dify", 38: "Jina",
		39: "Cloudflare", 41: "Vertex AI", 44: "MokaAI", 49: "Coze", 50: "Kling", 51: "Jimeng", 52: "Vidu", 54: "Doubao video", 55: "Sora",
		56: "Replicate", 57: "Codex",
	},
}

func (m *importer) typeName(number int64) string {
	if name := nameOr(typeNames[m.program][number], typeNames[""][number]); name != "" {
		return fmt.Sprintf("%d (%s)", number, name)
	}
	return fmt.Sprint(number)
}
