package fakeupstream

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

// vector is the vector of every input. All its numbers are exact with 32 bits.
var (
	vector       = []float32{0.5, -0.25, 0.125}
	vectorBase64 = base64.StdEncoding.EncodeToString([]byte{0, 0, 0, 0x3f, 0, 0, 0x80, 0xbe, 0, 0, 0, 0x3e})
)

// embed answers POST /v1/embeddings. A word of a text is a token, unless a text has a directive such as "usage:7/0".
func (u *Upstream) embed(w http.ResponseWriter, r *http.Request) {
	body, ok := u.receive(r)
	if !ok {
		return
	}
	var in struct {
		Model    string          `json:"model"`
		Input    json.RawMessage `json:"input"`
		Encoding string          `json:"encoding_format"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		writeJSON(w, http.StatusBadRequest, failure(&Script{Type: "invalid_request_error", Message: err.Error()}))
		return
	}
	if u.reply(w, r, body, in.Model, false) {
		return
	}
	data, tokens := []any{}, 0
	for i, n := range tokensOf(in.Input) {
		tokens += n
		entry := object{"object": "embedding", "index": i, "embedding": vector}
		if in.Encoding == "base64" {
			entry["embedding"] = vectorBase64
		}
		data = append(data, entry)
	}
	name, _, _ := strings.Cut(in.Model, "?")
	document := marshal(object{"object": "list", "data": data, "model": name,
		"usage": object{"prompt_tokens": tokens, "total_tokens": tokens}})
	u.serve(w, r, body, &answer{request: &request{Model: in.Model}, body: document}, func(*answer) {})
}

// tokensOf returns the tokens of each input.
func tokensOf(raw json.RawMessage) (counts []int) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []int{tokensIn(text)}
	}
	var tokens []int
	if json.Unmarshal(raw, &tokens) == nil {
		return []int{len(tokens)}
	}
	var inputs []json.RawMessage
	_ = json.Unmarshal(raw, &inputs) // anything else has no inputs
	for _, input := range inputs {
		counts = append(counts, tokensOf(input)...)
	}
	return counts
}

// tokensIn returns the tokens of a text.
func tokensIn(text string) int {
	if groups := directive.FindStringSubmatch(text); groups != nil {
		n, _ := strconv.Atoi(groups[1])
		return n
	}
	return max(1, len(strings.Fields(text)))
}
