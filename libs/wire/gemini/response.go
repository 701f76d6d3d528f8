package gemini

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// response is an answer, or a chunk of one: the two have one shape. Citations,
// ratings and what belongs to tools that are never asked for is not read.
type response struct {
	ID         string         `json:"responseId"`
	Model      string         `json:"modelVersion"`
	Created    string         `json:"createTime"` // RFC 3339; Vertex AI alone has it
	Candidates []candidate    `json:"candidates"`
	Feedback   promptFeedback `json:"promptFeedback"`
	Usage      *usageMetadata `json:"usageMetadata"`
	Error      *apiError      `json:"error"`
}

type candidate struct {
	Index   int `json:"index"`
	Content struct {
		Parts []answerPart `json:"parts"`
	} `json:"content"`
	Finish  string `json:"finishReason"`
	Message string `json:"finishMessage"`
}

type answerPart struct {
	Text      string      `json:"text"`
	Thought   bool        `json:"thought"`
	Signature string      `json:"thoughtSignature"`
	Call      *answerCall `json:"functionCall"`

	// Content that no dialect of a client has a place for.
	Inline   jsontext.Value `json:"inlineData"`
	File     jsontext.Value `json:"fileData"`
	Code     jsontext.Value `json:"executableCode"`
	Outcome  jsontext.Value `json:"codeExecutionResult"`
	Response jsontext.Value `json:"functionResponse"`
}

type answerCall struct {
	ID   string         `json:"id"`
	Name string         `json:"name"`
	Args jsontext.Value `json:"args"`
}

// foreign names the content that cannot be passed on, "" for none.
func (p *answerPart) foreign() string {
	for _, kind := range []struct {
		name  string
		value jsontext.Value
	}{
		{"inlineData", p.Inline}, {"fileData", p.File}, {"executableCode", p.Code},
		{"codeExecutionResult", p.Outcome}, {"functionResponse", p.Response},
	} {
		if len(kind.value) > 0 && kind.value.Kind() != 'n' {
			return kind.name
		}
	}
	return ""
}

type promptFeedback struct {
	Blocked string `json:"blockReason"`
}

// apiError is the inside of Google's error envelope.
type apiError struct {
	Code    jsontext.Value `json:"code"`
	Message string         `json:"message"`
	Status  string         `json:"status"`
}

func (e *apiError) fault() completion.UpstreamError {
	return completion.UpstreamError{Message: e.Message, Type: e.Status, Code: strings.Trim(string(e.Code), `"`)}
}

// parse reads a response. Errors come in an array from a stream that was not
// asked for as events.
func parse(data []byte) (response, error) {
	var r response
	if data = bytes.TrimLeft(data, " \t\r\n"); len(data) > 0 && data[0] == '[' {
		var all []response
		if err := json.Unmarshal(data, &all, spelling); err != nil {
			return r, err
		}
		for i := range all {
			if all[i].Error != nil {
				return all[i], nil
			}
		}
		return r, errShape
	}
	err := json.Unmarshal(data, &r, spelling)
	return r, err
}

// usageMetadata counts tokens. Of a stream's chunks each has the sum so far.
type usageMetadata struct {
	Prompt      int64   `json:"promptTokenCount"` // the cached and those of audio among them
	Cached      int64   `json:"cachedContentTokenCount"`
	ToolPrompt  int64   `json:"toolUsePromptTokenCount"` // not in Prompt
	Output      int64   `json:"candidatesTokenCount"`
	Thoughts    int64   `json:"thoughtsTokenCount"` // not in Output
	PromptKinds []kinds `json:"promptTokensDetails"`
	CachedKinds []kinds `json:"cacheTokensDetails"`
	OutputKinds []kinds `json:"candidatesTokensDetails"`
}

type kinds struct {
	Modality string `json:"modality"`
	Tokens   int64  `json:"tokenCount"`
}

// usage counts every token once.
func (m *usageMetadata) usage() *usage.Usage {
	var u usage.Usage
	prompt, output := bounded(m.Prompt), bounded(m.Output)
	u.CachedInput = min(bounded(m.Cached), prompt)
	u.AudioInput = min(max(audio(m.PromptKinds)-audio(m.CachedKinds), 0), prompt-u.CachedInput)
	u.Input = prompt - u.CachedInput - u.AudioInput + bounded(m.ToolPrompt)
	u.AudioOutput = min(audio(m.OutputKinds), output)
	u.Output = output - u.AudioOutput
	u.Reasoning = bounded(m.Thoughts)
	return &u
}

// bounded keeps sums of counts from overflowing, whatever the upstream says.
func bounded(tokens int64) int64 { return min(max(tokens, 0), 1<<40) }

func audio(details []kinds) (tokens int64) {
	for _, kind := range details {
		if kind.Modality == "AUDIO" {
			tokens = bounded(tokens + bounded(kind.Tokens))
		}
	}
	return tokens
}

// finishes are the reasons for which an answer ends and is one.
var finishes = map[string]completion.FinishReason{
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
}

// failures are the reasons for which an answer ends and is none, whatever it
// has said by then.
var failures = map[string]bool{
	"FINISH_REASON_UNSPECIFIED": true,
	"OTHER":                     true,
	"MALFORMED_FUNCTION_CALL":   true,
	"MALFORMED_RESPONSE":        true,
	"UNEXPECTED_TOOL_CALL":      true,
	"TOO_MANY_TOOL_CALLS":       true,
	"MISSING_THOUGHT_SIGNATURE": true,
	"NO_IMAGE":                  true,
	"IMAGE_OTHER":               true,
}
