package gemini

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// response represents a complete response or a chunk of a stream; both have the same form. Citations, safety
// ratings, and the output of tools that are never requested here are not read.
type response struct {
	ID         string         `json:"responseId"`
	Model      string         `json:"modelVersion"`
	Created    string         `json:"createTime"` // RFC 3339; only Vertex AI sends it
	Candidates []candidate    `json:"candidates"`
	Feedback   promptFeedback `json:"promptFeedback"`
	Usage      *usageMetadata `json:"usageMetadata"`
	Error      *apiError      `json:"error"`
}

// candidate represents one candidate of a response. Finish is "" in all chunks but the last.
type candidate struct {
	Index   int `json:"index"`
	Content struct {
		Parts []answerPart `json:"parts"`
	} `json:"content"`
	Finish  string `json:"finishReason"`
	Message string `json:"finishMessage"`
}

// answerPart represents a part of the model's turn.
type answerPart struct {
	Text      string      `json:"text"`
	Thought   bool        `json:"thought"`
	Signature string      `json:"thoughtSignature"`
	Call      *answerCall `json:"functionCall"`

	// Content that the clients' dialects cannot express.
	Inline   jsontext.Value `json:"inlineData"`
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

// foreign returns the JSON name of the content that no client's dialect can express, or "" if the part has
// none.
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

// promptFeedback reports why the prompt was blocked.
type promptFeedback struct {
	Blocked string `json:"blockReason"`
}

// apiError represents the object inside Google's error envelope.
type apiError struct {
	Code    jsontext.Value `json:"code"`
	Message string         `json:"message"`
	Status  string         `json:"status"`
}

// fault returns the error in the neutral form.
func (e *apiError) fault() completion.UpstreamError {
	return completion.UpstreamError{Message: e.Message, Type: e.Status, Code: strings.Trim(string(e.Code), `"`)}
}

// parse reads a response or a chunk. A stream that was not requested as server-sent events reports its errors
// in an array.
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

// usageMetadata holds token counts. Each chunk of a stream has the totals so far.
type usageMetadata struct {
	Prompt      int64   `json:"promptTokenCount"` // includes cached and audio tokens
	Cached      int64   `json:"cachedContentTokenCount"`
	ToolPrompt  int64   `json:"toolUsePromptTokenCount"` // not in Prompt
	Output      int64   `json:"candidatesTokenCount"`
	Thoughts    int64   `json:"thoughtsTokenCount"` // not in Output
	PromptKinds []kinds `json:"promptTokensDetails"`
	CachedKinds []kinds `json:"cacheTokensDetails"`
	OutputKinds []kinds `json:"candidatesTokensDetails"`
}

// kinds holds the tokens of one modality.
type kinds struct {
	Modality string `json:"modality"`
	Tokens   int64  `json:"tokenCount"`
}

// usage returns the counts in classes that do not overlap.
func (m *usageMetadata) usage() *usage.Usage {
	var u usage.Usage
	prompt, output := bounded(m.Prompt), bounded(m.Output)
	u.CachedInput = min(bounded(m.Cached), prompt)
	u.AudioInput = min(max(tokensOf("AUDIO", m.PromptKinds)-tokensOf("AUDIO", m.CachedKinds), 0), prompt-u.CachedInput)
	u.ImageInput = min(max(tokensOf("IMAGE", m.PromptKinds)-tokensOf("IMAGE", m.CachedKinds), 0), prompt-u.CachedInput-u.AudioInput)
	u.Input = prompt - u.CachedInput - u.AudioInput + bounded(m.ToolPrompt)
	u.AudioOutput = min(tokensOf("AUDIO", m.OutputKinds), output)
	u.Output = output - u.AudioOutput
	u.ImageOutput = min(tokensOf("IMAGE", m.OutputKinds), u.Output)
	u.Reasoning = bounded(m.Thoughts)
	return &u
}

// bounded limits a count from 0 to 2^40, so that no sum overflows, whatever the upstream sends.
func bounded(tokens int64) int64 { return min(max(tokens, 0), 1<<40) }

// tokensOf returns the tokens of a modality.
func tokensOf(modality string, details []kinds) (tokens int64) {
	for _, kind := range details {
		if kind.Modality == modality {
			tokens = bounded(tokens + bounded(kind.Tokens))
		}
	}
	return tokens
}

// finishes are the finish reasons that complete a response.
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

// failures are the finish reasons that make a response a failure, whatever text came before.
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
