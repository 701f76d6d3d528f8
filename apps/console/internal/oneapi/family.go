package oneapi

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/tollgate/tollgate/libs/core/catalog"
)

// family is the configuration in Tollgate of a channel type of the old program.
type family struct {
	kind    string // channel type in Tollgate
	dialect catalog.Dialect
	base    string // base URL if the channel has none
	suffix  string // path that Tollgate's base URL needs and the old program's lacks
	whole   bool   // the channel's base URL is the complete URL of a call
}

// compatible returns the family of a server that speaks OpenAI's protocol below /v1.
func compatible(base string) family { return under(base, "/v1") }

// under returns the family of a server that speaks OpenAI's protocol below the path suffix.
func under(base, suffix string) family {
	return family{kind: "openai", dialect: catalog.Chat, base: base, suffix: suffix}
}

// sharedFamilies holds the channel types that have the same number in both programs.
var sharedFamilies = map[int64]family{
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

// families holds the channel types that only one of the programs
// has, or has under another number, by program and number.
var families = map[string]map[int64]family{
	oneAPI: {
		2: compatible("https://oa.api2d.net"), 4: compatible("https://api.closeai-proxy.xyz"),
		5: compatible("https://api.openai-sb.com"),
		8: compatible(""), 19: compatible("https://ai.360.cn"), 26: compatible("https://api.baichuan-ai.com"),
		28: compatible("https://api.mistral.ai"), 29: compatible("https://api.groq.com/openai"),
		32: compatible("https://api.stepfun.com"),
		36: compatible("https://api.deepseek.com"), 39: compatible("https://api.together.xyz"),
		40: under("https://ark.cn-beijing.volces.com", "/api/v3"), 41: under("https://api.novita.ai/v3/openai", ""),
		44: compatible("https://api.siliconflow.cn"), 45: compatible("https://api.x.ai"),
		47: under("https://qianfan.baidubce.com", "/v2"),
		48: compatible("https://spark-api-open.xf-yun.com"),
		49: under("https://dashscope.aliyuncs.com", "/compatible-mode/v1"),
		50: under("", ""), 51: under("https://generativelanguage.googleapis.com/v1beta/openai", ""),
	},
	newAPI: {
		8:  {kind: "openai", dialect: catalog.Chat, whole: true},
		17: under("https://dashscope.aliyuncs.com", "/compatible-mode/v1"),
		19: compatible("https://api.360.cn"), 26: under("https://open.bigmodel.cn", "/api/paas/v4"),
		27: under("https://api.perplexity.ai", ""),
		40: compatible("https://api.siliconflow.cn"), 42: compatible("https://api.mistral.ai"),
		43: compatible("https://api.deepseek.com"),
		45: under("https://ark.cn-beijing.volces.com", "/api/v3"), 46: under("https://qianfan.baidubce.com", "/v2"),
		47: compatible(""),
		48: compatible("https://api.x.ai"), 53: compatible("https://llm.submodel.ai"),
	},
}

// family returns the family of a channel type. It returns false for a type that Tollgate cannot call.
func (m *importer) family(number int64) (family, bool) {
	f, ok := sharedFamilies[number]
	if !ok {
		f, ok = families[m.program][number]
	}
	return f, ok
}

// plans maps the names of subscriptions, which new-api accepts instead of a base URL, to base URLs.
var plans = map[string]string{
	"glm-coding-plan":               "https://open.bigmodel.cn/api/coding/paas/v4",
	"glm-coding-plan-international": "https://api.z.ai/api/coding/paas/v4",
	"kimi-coding-plan":              "https://api.kimi.com/coding/v1",
	"doubao-coding-plan":            "https://ark.cn-beijing.volces.com/api/coding/v3",
}

// cloudflare is the address of Cloudflare's AI gateway. For channels
// with it, both programs leave out the first part of the path.
const cloudflare = "https://gateway.ai.cloudflare.com"

// baseURL returns the base URL of the channel for Tollgate, or the reason why the channel cannot be imported.
func (m *importer) baseURL(r row, f *family) (base, reason string) {
	number := r.number("type", 0)
	base = strings.TrimRight(cmp.Or(r.text("base_url"), f.base), "/")
	if plan := plans[base]; plan != "" && m.program == newAPI {
		return plan, ""
	}
	switch {
	case base == "":
		return "", fmt.Sprintf("it has no base URL, and its type %s has no default", m.typeName(number))
	case f.whole:
		cut, ends := strings.CutSuffix(base, "/chat/completions")
		if !ends || strings.Contains(cut, "{model}") {
			return "", "its base URL is the URL of one call; only URLs that end in /chat/completions and do not " +
				"contain {model} can be imported"
		}
		return cut, ""
	case strings.HasPrefix(base, cloudflare) && f.kind == "azure":
		return "", "its base URL is Cloudflare's gateway to Azure, whose paths differ from Azure's"
	case strings.HasPrefix(base, cloudflare) && number == 1, strings.HasSuffix(base, f.suffix):
		return base, ""
	}
	return base + f.suffix, ""
}

// typeNames holds the names of channel types that cannot be imported, for the notes. The key "" is for both programs.
var typeNames = map[string]map[int64]string{
	"": { // all programs
		11: "PaLM", 15: "Baidu", 16: "Zhipu", 18: "Xunfei", 21: "AI Proxy library", 22: "FastGPT",
		23: "Tencent", 33: "AWS",
	},
	oneAPI: {
		17: "Ali", 27: "Minimax", 30: "Ollama", 34: "Coze", 35: "Cohere", 37: "Cloudflare", 38: "DeepL",
		42: "Vertex AI",
		43: "proxy", 46: "Replicate",
	},
	newAPI: {
		2: "Midjourney", 4: "Ollama", 5: "Midjourney Plus", 34: "Cohere", 35: "MiniMax", 36: "Suno",
		37: "Dify", 38: "Jina",
		39: "Cloudflare", 41: "Vertex AI", 44: "MokaAI", 49: "Coze", 50: "Kling", 51: "Jimeng", 52: "Vidu",
		54: "Doubao video", 55: "Sora",
		56: "Replicate", 57: "Codex",
	},
}

// typeName returns the number of a channel type, with its name if it is known.
func (m *importer) typeName(number int64) string {
	if name := cmp.Or(typeNames[m.program][number], typeNames[""][number]); name != "" {
		return fmt.Sprintf("%d (%s)", number, name)
	}
	return fmt.Sprint(number)
}
