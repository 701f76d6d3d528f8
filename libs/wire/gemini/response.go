package gemini

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/param"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// response represents a complete response or a chunk of a stream; both have the same form. Citations, safety
// ratings, and the output of tools that are never requested here are not read.
type response struct {
	ID         string                          `json:"responseId"`
	Model      string                          `json:"modelVersion"`
	Created    string                          `json:"createTime"` // RFC 3339; only Vertex AI sends it
	Candidates []candidate                     `json:"candidates"`
	Feedback   promptFeedback                  `json:"promptFeedback"`
	Usage      rawjson.Lenient[*usageMetadata] `json:"usageMetadata"`
	Error      *Error                          `json:"error"`
}

// candidate represents one candidate of a response. Finish is "" in all chunks but the last.
type candidate struct {
	Index   int `json:"index"`
	Content struct {
		Parts []answerPart `json:"parts"`
	} `json:"content"`
	Finish    string    `json:"finishReason"`
	Message   string    `json:"finishMessage"`
	Grounding grounding `json:"groundingMetadata"`
}

// grounding holds the searches of the web that Google made for an answer.
type grounding = rawjson.Lenient[struct {
	Queries []rawjson.Word `json:"webSearchQueries"`
}]

// maxSearches bounds the number of searches. A larger number is not plausible.
const maxSearches = 10_000

// searches holds a hash of each different query of an answer, because the queries can be many and long.
type searches map[uint64]struct{}

// querySeed is the seed of the hashes.
var querySeed = maphash.MakeSeed()

// add adds queries, up to one more than maxSearches. Empty queries are free.
func (s searches) add(queries []rawjson.Word) {
	for _, query := range queries {
		if query != "" && len(s) <= maxSearches {
			s[maphash.String(querySeed, string(query))] = struct{}{}
		}
	}
}

// chargedBy returns the number of searches that Google charges for: with models before Gemini 3 one for an answer,
// later each different query.
func (s searches) chargedBy(model string) int64 {
	n := int64(len(s))
	if chargedPerAnswer.MatchString(model) {
		n = min(n, 1)
	}
	if n > maxSearches {
		return 0
	}
	return n
}

// chargedPerAnswer matches the models for which Google charges for an answer with searches, however many they were.
var chargedPerAnswer = regexp.MustCompile(`gemini-[12](\.|-|$)`)

// answerPart represents a part of the model's turn.
type answerPart struct {
	Text      string      `json:"text"`
	Thought   bool        `json:"thought"`
	Signature string      `json:"thoughtSignature"`
	Call      *answerCall `json:"functionCall"`
	Inline    *blob       `json:"inlineData"`

	// Content that the clients' dialects cannot express.
	File     jsontext.Value `json:"fileData"`
	Code     jsontext.Value `json:"executableCode"`
	Outcome  jsontext.Value `json:"codeExecutionResult"`
	Response jsontext.Value `json:"functionResponse"`
}

// answerCall represents a call. Its ID is usually absent.
type answerCall struct {
	ID   string         `json:"id"`
	Name string         `json:"name"`
	Args jsontext.Value `json:"args"`
}

// pictureType returns the media type of the picture that the part is, or "" if it is none.
func (p *answerPart) pictureType() string {
	if p.Inline == nil || p.Inline.Data == "" {
		return ""
	}
	if mediaType := param.ImageType(p.Inline.Type, p.Inline.Data); strings.HasPrefix(mediaType, "image/") {
		return mediaType
	}
	return ""
}

// unsupportedContent returns the JSON name of the content that no client's dialect can express, or "" if the part has
// none. It is not for pictures.
func (p *answerPart) unsupportedContent() string {
	if p.Inline != nil {
		return inlineData
	}
	for _, kind := range []struct {
		name  string
		value jsontext.Value
	}{
		{"fileData", p.File}, {"executableCode", p.Code}, {"codeExecutionResult", p.Outcome},
		{"functionResponse", p.Response},
	} {
		if len(kind.value) > 0 && kind.value.Kind() != 'n' {
			return kind.name
		}
	}
	return ""
}

const inlineData = "inlineData"

// promptFeedback reports why the prompt was blocked.
type promptFeedback struct {
	Blocked string `json:"blockReason"`
}

// Error represents the object inside Google's error envelope.
type Error struct {
	Code    jsontext.Value                 `json:"code"`
	Message string                         `json:"message"`
	Status  string                         `json:"status"`
	Details rawjson.Lenient[[]ErrorDetail] `json:"details"`
}

// ErrorDetail represents one detail of an error, such as the Reason "API_KEY_INVALID".
type ErrorDetail struct {
	Reason rawjson.Word `json:"reason"`
}

// ErrorOf returns the error that the body of a response reports, the zero Error for none.
func ErrorOf(body []byte) Error {
	if r, err := parse(body); err == nil && r.Error != nil {
		return *r.Error
	}
	return Error{}
}

// fault returns the error in the neutral form.
func (e *Error) fault() completion.UpstreamError {
	return completion.UpstreamError{Message: e.Message, Type: e.Status, Code: strings.Trim(string(e.Code), `"`)}
}

// parse reads a response or a chunk. A stream that was not requested as server-sent events reports its errors
// in an array, as does Google's endpoint for OpenAI's clients.
func parse(data []byte) (response, error) {
	var r response
	if data = bytes.TrimLeft(data, " \t\r\n"); len(data) > 0 && data[0] == '[' {
		var responses []response
		if err := json.Unmarshal(data, &responses, keepSpelling); err != nil {
			return r, err
		}
		for i := range responses {
			if responses[i].Error != nil {
				return responses[i], nil
			}
		}
		return r, errShape
	}
	err := json.Unmarshal(data, &r, keepSpelling)
	return r, err
}

// usageMetadata holds token counts. Each chunk of a stream has the totals so far.
type usageMetadata struct {
	Prompt      rawjson.Count  `json:"promptTokenCount"` // includes cached and audio tokens
	Cached      rawjson.Count  `json:"cachedContentTokenCount"`
	ToolPrompt  rawjson.Count  `json:"toolUsePromptTokenCount"` // not in Prompt
	Output      rawjson.Count  `json:"candidatesTokenCount"`
	Thoughts    rawjson.Count  `json:"thoughtsTokenCount"` // usually not in Output, see correctByTotal
	Total       rawjson.Count  `json:"totalTokenCount"`
	PromptKinds modalityCounts `json:"promptTokensDetails"`
	CachedKinds modalityCounts `json:"cacheTokensDetails"`
	ToolKinds   modalityCounts `json:"toolUsePromptTokensDetails"`
	OutputKinds modalityCounts `json:"candidatesTokensDetails"`

	Tier    rawjson.Word `json:"serviceTier"` // standard, flex, priority; only of the Gemini API
	Traffic rawjson.Word `json:"trafficType"` // ON_DEMAND, ON_DEMAND_PRIORITY, ON_DEMAND_FLEX ...; only of Vertex AI
}

// modalityCounts hold the tokens by modality.
type modalityCounts = rawjson.Lenient[[]struct {
	Modality rawjson.Word  `json:"modality"`
	Tokens   rawjson.Count `json:"tokenCount"`
}]

// usage returns the counts in classes that do not overlap, or nil if a total is not plausible.
func (m *usageMetadata) usage() *usage.Usage {
	if min(m.Prompt, m.Output, m.Thoughts, m.ToolPrompt) < 0 {
		return nil
	}
	m.correctByTotal()
	var u usage.Usage
	prompt, output, tool := int64(m.Prompt), int64(m.Output), int64(m.ToolPrompt)
	u.CachedInput = min(m.Cached.OrZero(), prompt)
	fresh := prompt - u.CachedInput
	toolAudio := min(tokensOf("AUDIO", m.ToolKinds), tool)
	audio := min(max(tokensOf("AUDIO", m.PromptKinds)-tokensOf("AUDIO", m.CachedKinds), 0), fresh)
	image := min(max(tokensOf("IMAGE", m.PromptKinds)-tokensOf("IMAGE", m.CachedKinds), 0), fresh-audio)
	u.AudioInput = audio + toolAudio
	u.Input = fresh + tool - u.AudioInput
	u.ImageInput = image + min(tokensOf("IMAGE", m.ToolKinds), tool-toolAudio)
	u.AudioOutput = min(tokensOf("AUDIO", m.OutputKinds), output)
	u.Output = output - u.AudioOutput
	u.ImageOutput = min(tokensOf("IMAGE", m.OutputKinds), u.Output)
	u.Reasoning = int64(m.Thoughts)
	u.ServiceTier = m.serviceTier()
	return &u
}

// correctByTotal corrects the counts by their total, which is what Google bills. Some versions count the thoughts in
// the candidates, too. Others state only in the total how many thoughts there were, or how many tokens the prompt or
// the candidates have. A total that none of this explains changes nothing.
func (m *usageMetadata) correctByTotal() {
	switch surplus := m.Total - m.Prompt - m.ToolPrompt - m.Output - m.Thoughts; {
	case m.Total <= 0 || surplus == 0:
	case surplus < 0:
		if surplus == -m.Thoughts && m.Output >= m.Thoughts {
			m.Output -= m.Thoughts
		}
	case m.Prompt == 0: // an answer has an input
		m.Prompt = surplus
	case m.Output == 0 && m.Thoughts == 0:
		m.Output = surplus
	case surplus == m.Cached: // the prompt is counted without the cache
		m.Prompt += surplus
	case m.Thoughts == 0:
		m.Thoughts = surplus
	}
}

// serviceTier returns the service tier. Vertex AI names the tier in the type of the traffic.
func (m *usageMetadata) serviceTier() string {
	tier := strings.TrimPrefix(strings.ToLower(string(cmp.Or(m.Tier, m.Traffic))), "on_demand_")
	if strings.HasSuffix(tier, "unspecified") {
		return ""
	}
	return usage.ServiceTierOf(tier)
}

// tokensOf returns the tokens of a modality, at most rawjson.MaxCount.
func tokensOf(modality rawjson.Word, details modalityCounts) (tokens int64) {
	for _, kind := range details.Value {
		if kind.Modality == modality {
			tokens = min(tokens+kind.Tokens.OrZero(), rawjson.MaxCount)
		}
	}
	return tokens
}

// finishReasons are the finish reasons that complete a response.
var finishReasons = map[string]completion.FinishReason{
	"STOP":                     completion.FinishStop,
	"MAX_TOKENS":               completion.FinishLength,
	"SAFETY":                   completion.FinishContentFilter,
	"RECITATION":               completion.FinishContentFilter,
	"LANGUAGE":                 completion.FinishContentFilter,
	"BLOCKLIST":                completion.FinishContentFilter,
	"PROHIBITED_CONTENT":       completion.FinishContentFilter,
	"SPII":                     completion.FinishContentFilter,
	"MODEL_ARMOR":              completion.FinishContentFilter,
	"IMAGE_SAFETY":             completion.FinishContentFilter,
	"IMAGE_PROHIBITED_CONTENT": completion.FinishContentFilter,
	"IMAGE_RECITATION":         completion.FinishContentFilter,

	// The model wrote a malformed call. Google bills its answer, and another one may be as wrong, so it ends as it is.
	"MALFORMED_FUNCTION_CALL": completion.FinishStop,
	"MALFORMED_RESPONSE":      completion.FinishStop,
	"UNEXPECTED_TOOL_CALL":    completion.FinishStop,
	"TOO_MANY_TOOL_CALLS":     completion.FinishStop,
}

// failures are the finish reasons that make a response a failure, whatever text came before.
var failures = map[string]bool{
	"FINISH_REASON_UNSPECIFIED": true,
	"OTHER":                     true,
	"MISSING_THOUGHT_SIGNATURE": true,
	"NO_IMAGE":                  true,
	"IMAGE_OTHER":               true,
}
