package rulestest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// The members of examples.
const (
	googleUser   = `{"role": "user", "parts": [{"text": "hi"}]}`
	googleCall   = `{"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "x"}`
	googleResult = `{"functionResponse": {"name": "f", "response": {"result": "ok"}}}`
	googleTools  = `"tools": [{"functionDeclarations": [{"name": "f"}, {"name": "g"}]}]`
)

// googleThird begins an example of a model of the third generation.
var googleThird = googleModel("gemini-3-flash-preview")

// googleModel begins an example of a model.
func googleModel(name string) string {
	return `"@url": "https://generativelanguage.googleapis.com/v1beta/models/` + name + `:generateContent", `
}

// googleTurns returns an example of contents after a user's: each is the parts of one, the model's first.
func googleTurns(contents ...string) string {
	turns := []string{googleUser}
	for i, parts := range contents {
		role := "model"
		if i%2 == 1 {
			role = "user"
		}
		turns = append(turns, `{"role": "`+role+`", "parts": [`+parts+`]}`)
	}
	return googleTools + `, "contents": [` + strings.Join(turns, ", ") + `]`
}

// googleMedia returns an example of media of a type.
func googleMedia(kind string) string {
	return `"contents": [{"role": "user", "parts": [{"inlineData": {"mimeType": "` + kind + `", "data": "AAAA"}}]}]`
}

func googleConfig(members string) string { return `"generationConfig": {` + members + `}` }

var google = []Provider{AIStudio, VertexAI}

const declarationOf = "https://cloud.google.com/vertex-ai/generative-ai/docs/reference/java/latest/com.google.cloud.vertexai.api.FunctionDeclarationOrBuilder"

var geminiRules = []rule[*geminiRequest]{
	{wellFormed, "looplj/axonhub#874", google, `"contents": "hi"`, ``, nil},
	{knownFields, "musistudio/claude-code-router#1262", google, `"messages": []`, ``, nil},
	{"a key is in the header x-goog-api-key or Authorization", "google-gemini/gemini-cli#16543", google,
		`"@header": {"X-Goog-Api-Key": "", "Authorization": ""}`, ``, func(r *geminiRequest) *fault {
			if r.header.Get("X-Goog-Api-Key") == "" && r.header.Get("Authorization") == "" {
				return &fault{text: "Method doesn't allow unregistered callers.", status: http.StatusForbidden}
			}
			return nil
		}},
	{"Vertex AI has no ids of calls", "looplj/axonhub#874", []Provider{VertexAI},
		googleTurns(strings.Replace(googleCall, `"name"`, `"id": "a", "name"`, 1), googleResult),
		googleTurns(googleCall, googleResult),
		eachPart(func(p *geminiPart, at string) *fault {
			if p.FunctionCall != nil && p.FunctionCall.ID != nil {
				return refuse(at+".function_call",
					`Invalid JSON payload received. Unknown name "id" at '%s.function_call': Cannot find field.`, at)
			}
			return nil
		})},
	{"Vertex AI has no ids of results", "langchain-ai/langchainjs#10266", []Provider{VertexAI}, googleTurns(googleCall,
		strings.Replace(googleResult, `"name"`, `"id": "a", "name"`, 1)), googleTurns(googleCall, googleResult),
		eachPart(func(p *geminiPart, at string) *fault {
			if p.FunctionResponse != nil && p.FunctionResponse.ID != nil {
				return refuse(at+".function_response",
					`Invalid JSON payload received. Unknown name "id" at '%s.function_response': Cannot find field.`,
					at)
			}
			return nil
		})},
	{"there are contents", "genkit-ai/genkit#3690", google, `"contents": []`, ``, func(r *geminiRequest) *fault {
		if len(r.Contents) == 0 {
			return refuse("", "* GenerateContentRequest.contents: contents is not specified")
		}
		return nil
	}},
	{"roles are user and model", "crewAIInc/crewAI#6973", google,
		`"contents": [{"role": "assistant", "parts": [{"text": "hi"}]}]`, ``,
		eachContent(func(c *geminiContent, _ string) *fault {
			if c.Role != "user" && c.Role != "model" {
				return refuse("", "Please use a valid role: user, model.")
			}
			return nil
		})},
	{"contents have parts", "genkit-ai/genkit#3690", google, `"contents": [{"role": "user", "parts": []}]`, ``,
		eachContent(func(c *geminiContent, _ string) *fault {
			if len(c.Parts) == 0 {
				return refuse("", "Unable to submit request because it must include at least one parts field, which "+
					"describes the prompt input.")
			}
			return nil
		})},
	{"a part has one kind of data", "router-for-me/CLIProxyAPI#1292", google,
		`"contents": [{"role": "user", "parts": [{}]}]`, ``, eachPart(func(p *geminiPart, at string) *fault {
			count := 0
			for _, is := range []bool{p.Text != nil, p.InlineData != nil, p.FileData != nil, p.FunctionCall != nil,
				p.FunctionResponse != nil} {
				if is {
					count++
				}
			}
			if count != 1 {
				return refuse("", "* GenerateContentRequest.%s.data: required oneof field 'data' must have one "+
					"initialized field", at)
			}
			return nil
		})},
	{"texts are not empty", "google-gemini/deprecated-generative-ai-python#697", google,
		`"contents": [{"role": "user", "parts": [{"text": ""}]}]`, ``, eachPart(func(p *geminiPart, _ string) *fault {
			if p.Text != nil && *p.Text == "" && p.ThoughtSignature == "" {
				return refuse("", "Unable to submit request because it has an empty text parameter. Add a value to "+
					"the parameter and try again.")
			}
			return nil
		})},
	{"the first contents are the user's", "google-gemini/gemini-cli#11814", google,
		`"contents": [{"role": "model", "parts": [{"text": "hi"}]}, ` + googleUser +
			`]`, ``, func(r *geminiRequest) *fault {
			if r.Contents[0].Role != "user" {
				return refuse("", "Please ensure that multiturn requests begin with a user role.")
			}
			return nil
		}},
	{"the last contents are the user's", "crewAIInc/crewAI#6973", google, googleTurns(`{"text": "hi"}`), ``,
		func(r *geminiRequest) *fault {
			if r.Contents[len(r.Contents)-1].Role != "user" {
				return refuse("", "Please ensure that multiturn requests end with a user role or a function response.")
			}
			return nil
		}},
	{"calls come directly after the user or results", "google-gemini/gemini-cli#26486", google,
		`"contents": [` + googleUser + `, {"role": "model", "parts": [{"text": "a"}]}, {"role": "model", "parts": [` +
			googleCall + `]}, {"role": "user", "parts": [` + googleResult + `]}]`,
		googleTurns(googleCall, googleResult),
		func(r *geminiRequest) *fault {
			for i := range r.Contents {
				if calls(r.Contents[i].Parts) > 0 && (i == 0 || r.Contents[i-1].Role != "user") {
					return refuse("", "Please ensure that function call turn comes immediately after a user turn or "+
						"after a function response turn.")
				}
			}
			return nil
		}},
	{"results come directly after calls", "langchain-ai/langchain#27799", google, googleTurns(`{"text": "a"}`,
		googleResult), googleTurns(googleCall, googleResult), func(r *geminiRequest) *fault {
		for i := range r.Contents {
			if results(r.Contents[i].Parts) > 0 && (i == 0 || calls(r.Contents[i-1].Parts) == 0) {
				return refuse("",
					"Please ensure that function response turn comes immediately after a function call turn.")
			}
		}
		return nil
	}},
	{"there are as many results as calls", "google-gemini/gemini-cli#4217", google, googleTurns(googleCall+", "+
		googleCall, googleResult), googleTurns(googleCall+", "+googleCall, googleResult+", "+googleResult),
		func(r *geminiRequest) *fault {
			for i := range r.Contents {
				n := calls(r.Contents[i].Parts)
				if n > 0 && (i+1 == len(r.Contents) || results(r.Contents[i+1].Parts) != n) {
					return refuse("", "Please ensure that the number of function response parts is equal to the "+
						"number of function call parts of the function call turn.")
				}
			}
			return nil
		}},
	{"contents with results have nothing else", "anomalyco/opencode#43479", google, googleTurns(googleCall,
		googleResult+`, {"text": "go on"}`), googleTurns(googleCall,
		googleResult), eachContent(func(c *geminiContent, _ string) *fault {
		if n := results(c.Parts); n > 0 && n != len(c.Parts) {
			return refuse("", "Please ensure that the number of function response parts is equal to the number of "+
				"function call parts of the function call turn.")
		}
		return nil
	})},
	{"results name the function of their call", "vectorize-io/hindsight#187", google, googleTurns(googleCall,
		strings.Replace(googleResult, `"f"`, `""`, 1)), googleTurns(googleCall,
		googleResult), eachPart(func(p *geminiPart, at string) *fault {
		if p.FunctionResponse != nil && p.FunctionResponse.Name == "" {
			return refuse("", "GenerateContentRequest.%s.function_response.name: Name cannot be empty.", at)
		}
		return nil
	})},
	{"functions have a name that begins with a letter or _, at most 64", "google-gemini/gemini-cli#2966", google,
		`"tools": [{"functionDeclarations": [{"name": "1st"}]}]`,
		`"tools": [{"functionDeclarations": [{"name": "_1.a:b-c"}]}]`, func(r *geminiRequest) *fault {
			for i, f := range r.functions() {
				if !isGoogleName(f.Name) {
					return refuse("", "* GenerateContentRequest.tools[0].function_declarations[%d].name: Invalid "+
						"function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, "+
						"0-9), underscores (_), dots (.), colons (:) or dashes (-), with a maximum length of 64.", i)
				}
			}
			return nil
		}},
	{"calls and results name a function as it may be named", declarationOf, google,
		strings.ReplaceAll(googleTurns(googleCall, googleResult), `"name": "f", "`, `"name": "f b", "`),
		googleTurns(googleCall, googleResult),
		eachPart(func(p *geminiPart, at string) *fault {
			if p.FunctionCall != nil && !isGoogleName(p.FunctionCall.Name) || p.FunctionResponse != nil &&
				!isGoogleName(p.FunctionResponse.Name) {
				return refuse("", "GenerateContentRequest.%s: Invalid function name.", at)
			}
			return nil
		})},
	{"functions have different names", "quoted in public code: Duplicate function declaration found", google,
		strings.Replace(googleTools, `"g"`, `"f"`, 1), googleTools, func(r *geminiRequest) *fault {
			names := map[string]bool{}
			for _, f := range r.functions() {
				if names[f.Name] {
					return refuse("", "Duplicate function declaration found: %s", f.Name)
				}
				names[f.Name] = true
			}
			return nil
		}},
	{"a function has one kind of parameters", declarationOf, google,
		`"tools": [{"functionDeclarations": [{"name": "f", "parameters": {"type": "OBJECT"}, "parametersJsonSchema": {"type": "object"}}]}]`, `"tools": [{"functionDeclarations": [{"name": "f", "parametersJsonSchema": {"type": "object"}}]}]`,
		func(r *geminiRequest) *fault {
			for _, f := range r.functions() {
				if f.Parameters != nil && f.ParametersJSONSchema != nil {
					return refuse("", "Only one of parameters and parameters_json_schema may be set.")
				}
			}
			return nil
		}},
	{"allowed functions are declared", declarationOf, google,
		`"toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["x"]}}, ` + googleTools,
		`"toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["f"]}}, ` + googleTools,
		func(r *geminiRequest) *fault {
			if r.ToolConfig == nil || r.ToolConfig.FunctionCallingConfig == nil {
				return nil
			}
			for _, name := range r.ToolConfig.FunctionCallingConfig.AllowedFunctionNames {
				if !slices.ContainsFunc(r.functions(), func(f geminiFunction) bool { return f.Name == name }) {
					return refuse("", "The function %s of allowed_function_names is not declared.", name)
				}
			}
			return nil
		}},
	{"arguments of calls are an object", "router-for-me/CLIProxyAPI#2001", google,
		googleTurns(strings.Replace(googleCall, `{}`, `[]`, 1), googleResult), googleTurns(googleCall,
			googleResult), eachPart(func(p *geminiPart, at string) *fault {
			if p.FunctionCall != nil && p.FunctionCall.Args != nil && object(p.FunctionCall.Args) == nil {
				return refuse(at+".function_call.args", "Proto field is not repeating, cannot start list.")
			}
			return nil
		})},
	{"results are an object", declarationOf, google, googleTurns(googleCall,
		strings.Replace(googleResult, `{"result": "ok"}`, `"ok"`, 1)), googleTurns(googleCall,
		googleResult), eachPart(func(p *geminiPart, at string) *fault {
		if p.FunctionResponse != nil && object(p.FunctionResponse.Response) == nil {
			return refuse(at+".function_response.response", "(type.googleapis.com/google.protobuf.Struct)")
		}
		return nil
	})},
	{"results of the third generation have no $ref", "googleapis/python-genai#2792", google,
		googleThird + googleTurns(googleCall, strings.Replace(googleResult, `"ok"`, `{"$ref": "#/a"}`, 1)),
		googleThird + googleTurns(googleCall, strings.Replace(googleResult, `"ok"`, `"{\"$ref\": \"#/a\"}"`, 1)),
		func(r *geminiRequest) *fault {
			return eachPart(func(p *geminiPart, _ string) *fault {
				if p.FunctionResponse != nil && r.third() && refers(object(p.FunctionResponse.Response)) {
					return refuse("", "The referenced name in function_response.response does not match to a "+
						"display_name in the function_response.parts.")
				}
				return nil
			})(r)
		}},
	{"calls of the third generation are signed", "lbjlaq/Antigravity-Manager#938", google,
		googleThird + googleTurns(strings.Replace(googleCall, `, "thoughtSignature": "x"`, ``, 1), googleResult),
		googleThird + googleTurns(googleCall, googleResult), func(r *geminiRequest) *fault {
			for i, c := range r.Contents {
				at := slices.IndexFunc(c.Parts, func(p geminiPart) bool { return p.FunctionCall != nil })
				if at >= 0 && r.third() && c.Parts[at].ThoughtSignature == "" {
					return refuse("", "Function call is missing a thought_signature in functionCall parts. "+
						"Additional data, function call `default_api:%s`, position %d.",
						c.Parts[at].FunctionCall.Name, i+1)
				}
			}
			return nil
		}},
	{"results have media from the third generation on", "googleapis/python-genai#2792", google,
		googleTurns(googleCall, strings.Replace(googleResult, `}}}`,
			`}, "parts": [{"inlineData": {"mimeType": "image/png", "data": "AAAA"}}]}}`, 1)),
		googleThird + googleTurns(googleCall, strings.Replace(googleResult, `}}}`,
			`}, "parts": [{"inlineData": {"mimeType": "image/png", "data": "AAAA"}}]}}`, 1)),
		func(r *geminiRequest) *fault {
			return eachPart(func(p *geminiPart, _ string) *fault {
				if p.FunctionResponse != nil && len(p.FunctionResponse.Parts) > 0 && !r.third() {
					return refuse("", "Multimodal function response is not supported for this model.")
				}
				return nil
			})(r)
		}},
	{"media have a known type, in lower case", "ogkalu2/comic-translate#399", google, googleMedia("image/jpg"),
		googleMedia("image/jpeg"), eachPart(func(p *geminiPart, _ string) *fault {
			media := []*geminiMedia{p.InlineData, p.FileData}
			if p.FunctionResponse != nil {
				for i := range p.FunctionResponse.Parts {
					media = append(media, p.FunctionResponse.Parts[i].InlineData)
				}
			}
			for _, m := range media {
				if m != nil && (m.MimeType != "" || m == p.InlineData) && !slices.Contains(googleTypes, m.MimeType) {
					return refuse("", "Unsupported MIME type: %s", m.MimeType)
				}
			}
			return nil
		})},
	{"the models before 2.5 and gemini-2.5-flash-image do not think", "anomalyco/models.dev#576", google,
		googleModel("gemini-2.5-flash-image") + googleConfig(`"thinkingConfig": {"thinkingBudget": 0}`),
		googleConfig(`"thinkingConfig": {"thinkingBudget": 0}`), func(r *geminiRequest) *fault {
			if r.config().ThinkingConfig != nil && !r.third() && (!strings.HasPrefix(r.model(), "gemini-2.5") ||
				strings.HasPrefix(r.model(), "gemini-2.5-flash-image")) {
				return refuse("", "Thinking is not enabled for this model")
			}
			return nil
		}},
	{"a level of thinking is for the third generation", "Kilo-Org/kilocode#5139", google,
		googleConfig(`"thinkingConfig": {"thinkingLevel": "LOW"}`), googleThird +
			googleConfig(`"thinkingConfig": {"thinkingLevel": "LOW"}`), func(r *geminiRequest) *fault {
			if t := r.config().ThinkingConfig; t != nil && t.ThinkingLevel != nil && !r.third() {
				return refuse("", "Thinking level is not supported for this model.")
			}
			return nil
		}},
	{"models that draw, and gemini-3-pro, have two levels of thinking", "maximhq/bifrost#6280", google,
		googleModel("gemini-3.1-flash-image") + googleConfig(`"thinkingConfig": {"thinkingLevel": "LOW"}`),
		googleModel("gemini-3.1-flash-image") + googleConfig(`"thinkingConfig": {"thinkingLevel": "MINIMAL"}`),
		func(r *geminiRequest) *fault {
			t := r.config().ThinkingConfig
			if t == nil || t.ThinkingLevel == nil {
				return nil
			}
			for prefix, levels := range googleLevels {
				if strings.HasPrefix(r.model(), prefix) && !slices.Contains(levels, *t.ThinkingLevel) {
					return refuse("", "Thinking level %s is not supported for this model. Please retry with other "+
						"thinking level.", *t.ThinkingLevel)
				}
			}
			return nil
		}},
	{"thinking has a level or a budget", "sterlp/eclipse-peon-ai#115", google,
		googleThird + googleConfig(`"thinkingConfig": {"thinkingLevel": "LOW", "thinkingBudget": 1024}`), googleThird +
			googleConfig(`"thinkingConfig": {"thinkingLevel": "LOW"}`), func(r *geminiRequest) *fault {
			if t := r.config().ThinkingConfig; t != nil && t.ThinkingLevel != nil && t.ThinkingBudget != nil {
				return refuse("", "You can only set only one of thinking budget and thinking level.")
			}
			return nil
		}},
	{"a thinking budget is within the model's bounds", "juspay/neurolink#1707", google,
		googleConfig(`"thinkingConfig": {"thinkingBudget": 24577}`),
		googleConfig(`"thinkingConfig": {"thinkingBudget": 0}`), func(r *geminiRequest) *fault {
			t := r.config().ThinkingConfig
			if t == nil || t.ThinkingBudget == nil || *t.ThinkingBudget == -1 {
				return nil
			}
			lower, upper := int64(0), int64(24576)
			if strings.HasPrefix(r.model(), "gemini-2.5-pro") {
				lower, upper = 128, 32768
			}
			if *t.ThinkingBudget < lower || *t.ThinkingBudget > upper {
				return refuse("", "The thinking budget %d is invalid. Please choose a value between %d and %d.",
					*t.ThinkingBudget, lower, upper)
			}
			return nil
		}},
	{"penalties are for the generations before 2.5", "google-gemini/cookbook#1290", google,
		googleConfig(`"presencePenalty": 0.5`), googleModel("gemini-2.0-flash") +
			googleConfig(`"presencePenalty": 0.5`), func(r *geminiRequest) *fault {
			older := strings.HasPrefix(r.model(), "gemini-1") || strings.HasPrefix(r.model(), "gemini-2.0")
			for _, value := range []*float64{r.config().FrequencyPenalty, r.config().PresencePenalty} {
				if value != nil && *value != 0 && !older {
					return refuse("", "Penalty is not enabled for this model")
				}
			}
			return nil
		}},
	{"a seed has 32 bits", "https://ai.google.dev/api/generate-content#generationconfig", google,
		googleConfig(`"seed": 2147483648`), googleConfig(`"seed": -2147483648`), func(r *geminiRequest) *fault {
			if seed := r.config().Seed; seed != nil && *seed != int64(int32(*seed)) {
				return refuse("generation_config.seed", "(TYPE_INT32), %d", *seed)
			}
			return nil
		}},
	{"there are at most 5 stop sequences, 16 on Vertex AI",
		"https://git.drupalcode.org/project/gemini_provider/-/work_items/3502139", google,
		googleConfig(`"stopSequences": ["a", "b", "c", "d", "e", "f"]`),
		googleConfig(`"stopSequences": ["a", "b", "c", "d", "e"]`), func(r *geminiRequest) *fault {
			limit := 5
			if r.provider == VertexAI {
				limit = 16
			}
			if list := r.config().StopSequences; list != nil && (len(*list) == 0 || len(*list) > limit) {
				return refuse("", "Unable to submit request because it has a stopSequences value of %d but the "+
					"supported range is from 1 (inclusive) to %d (exclusive).", len(*list), limit+1)
			}
			return nil
		}},
	{"JSON and functions exclude each other before the third generation", "googleapis/python-genai#867", google,
		googleConfig(`"responseMimeType": "application/json"`) + ", " + googleTools, googleThird +
			googleConfig(`"responseMimeType": "application/json"`) + ", " + googleTools, func(r *geminiRequest) *fault {
			if r.config().ResponseMimeType == "application/json" && len(r.functions()) > 0 && !r.third() {
				return refuse("", "Function calling with a response mime type: 'application/json' is unsupported")
			}
			return nil
		}},
	{"a schema wants the type JSON", "googleapis/python-genai#867", google,
		googleConfig(`"responseJsonSchema": {"type": "object"}`),
		googleConfig(`"responseMimeType": "application/json", "responseJsonSchema": {"type": "object"}`),
		func(r *geminiRequest) *fault {
			if c := r.config(); (c.ResponseSchema != nil || c.ResponseJSONSchema != nil) &&
				c.ResponseMimeType != "application/json" {
				return refuse("", "response_schema is only supported with response_mime_type application/json")
			}
			return nil
		}},
	{"members next to $ref in a schema begin with $", "google-gemini/gemini-cli#4758", google,
		googleReference(`"$ref": "#/$defs/a", "description": "d"`), googleReference(`"$ref": "#/$defs/a", "$comment": "d"`),
		func(r *geminiRequest) *fault {
			schemas := []json.RawMessage{r.config().ResponseJSONSchema}
			for _, f := range r.functions() {
				schemas = append(schemas, f.ParametersJSONSchema)
			}
			for _, schema := range schemas {
				if f := nodes(object(schema), "", bareReference); f != nil {
					return f
				}
			}
			return nil
		}},
	{"Gemma 3 has no system instruction", "0xPlaygrounds/rig#788", google,
		googleModel("gemma-3-27b-it") + `"systemInstruction": {"parts": [{"text": "hi"}]}`,
		`"systemInstruction": {"parts": [{"text": "hi"}]}`, func(r *geminiRequest) *fault {
			if r.SystemInstruction != nil && strings.HasPrefix(r.model(), "gemma-3") {
				return refuse("", "Developer instruction is not enabled for models/%s", r.model())
			}
			return nil
		}},
	{"the system instruction has texts only", "genkit-ai/genkit#3690", google,
		`"systemInstruction": {"parts": [{"inlineData": {"mimeType": "image/png", "data": "AAAA"}}]}`,
		`"systemInstruction": {"parts": [{"text": "hi"}]}`, func(r *geminiRequest) *fault {
			if r.SystemInstruction == nil {
				return nil
			}
			if len(r.SystemInstruction.Parts) == 0 || slices.ContainsFunc(r.SystemInstruction.Parts,
				func(p geminiPart) bool { return p.Text == nil || *p.Text == "" }) {
				return refuse("system_instruction", "Unable to submit request because it must have a text parameter.")
			}
			return nil
		}},
}

// googleTypes are the types of media that both of Google's services take, from QuantumNous/new-api#1139 and
// EvanZhouDev/gemini-ai#3.
var googleTypes = []string{
	"image/png", "image/jpeg", "image/webp", "image/heic", "image/heif", "application/pdf", "text/plain",
	"audio/mp3", "audio/mpeg", "audio/wav", "audio/aac", "audio/ogg", "audio/flac", "audio/aiff",
	"video/mp4", "video/mpeg", "video/mpg", "video/webm", "video/quicktime", "video/mov", "video/avi", "video/wmv",
	"video/flv", "video/mpegps", "video/3gpp",
}

// googleLevels are the levels of thinking of models that do not have all, by the beginnings of their names.
var googleLevels = map[string][]string{
	"gemini-3-pro": {"LOW", "HIGH"}, "gemini-3.1-flash-image": {"MINIMAL", "HIGH"},
	"gemini-3.1-flash-lite-image": {"MINIMAL", "HIGH"}, "gemini-3.1-pro": {"LOW", "MEDIUM", "HIGH"},
}

// googleReference returns an example of a function with a property that has the members.
func googleReference(members string) string {
	return `"tools": [{"functionDeclarations": [{"name": "f", "parametersJsonSchema": {"type": "object", "properties": ` +
		`{"p": {` + members + `}}, "$defs": {"a": {"type": "string"}}}}]}]`
}

// bareReference finds a reference next to a member whose name does not begin with $.
func bareReference(node map[string]any, at string) *fault {
	if _, isReference := node["$ref"].(string); isReference {
		for key := range node {
			if !strings.HasPrefix(key, "$") {
				return refuse("", "schema at %s can only contain properties starting with '$' when $ref is present",
					strings.TrimPrefix(at, "."))
			}
		}
	}
	return nil
}

func isGoogleName(name string) bool {
	return isName(name, 64, ".:") && strings.ContainsRune(letters+"_", rune(name[0]))
}

func calls(parts []geminiPart) (n int) {
	for _, p := range parts {
		if p.FunctionCall != nil {
			n++
		}
	}
	return n
}

func results(parts []geminiPart) (n int) {
	for _, p := range parts {
		if p.FunctionResponse != nil {
			n++
		}
	}
	return n
}

// refers reports whether a value has the key $ref at any depth.
func refers(value any) bool {
	switch value := value.(type) {
	case map[string]any:
		for key, inner := range value {
			if key == "$ref" || refers(inner) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(value, refers)
	}
	return false
}

func eachContent(check func(c *geminiContent, at string) *fault) func(*geminiRequest) *fault {
	return func(r *geminiRequest) *fault {
		for i := range r.Contents {
			if f := check(&r.Contents[i], fmt.Sprintf("contents[%d]", i)); f != nil {
				return f
			}
		}
		return nil
	}
}

func eachPart(check func(p *geminiPart, at string) *fault) func(*geminiRequest) *fault {
	return eachContent(func(c *geminiContent, at string) *fault {
		for i := range c.Parts {
			if f := check(&c.Parts[i], fmt.Sprintf("%s.parts[%d]", at, i)); f != nil {
				return f
			}
		}
		return nil
	})
}
