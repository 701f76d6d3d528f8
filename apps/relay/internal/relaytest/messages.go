package relaytest

import (
	"bytes"
	"io"
	"net/http"
	"strings"
)

// MessagesManifest has the models of Manifest on a channel of the type anthropic. The model flat is on a channel
// that speaks chat, and the model renamed on both.
var MessagesManifest = strings.NewReplacer(
	"{name: first, type: openai, base_url: \"${FIRST}/v1\"", "{name: first, type: anthropic, base_url: \"${FIRST}/v1\"",
	"endpoints: [chat], models: {cheap: cheap, flat: flat, renamed: upstream-name",
	"endpoints: [messages], models: {cheap: cheap, renamed: upstream-name",
	"endpoints: [chat], models: {cheap: cheap}, priority: 1",
	"endpoints: [chat], models: {flat: flat, renamed: renamed}, priority: 1",
).Replace(Manifest)

// A message, and the events of a stream that says the same.
const (
	MessageAnswer = `{"id":"msg_up","type":"message","role":"assistant","model":"cheap","content":[{"type":"text","text":"hi there"}],"stop_reason":"end_turn","stop_sequence":null,` +
		`"usage":{"input_tokens":1000,"cache_creation_input_tokens":30,"cache_read_input_tokens":20,"cache_creation":{"ephemeral_5m_input_tokens":20,"ephemeral_1h_input_tokens":10},"output_tokens":500,"service_tier":"standard"}}`
	MessageStart = "event: message_start\ndata: " +
		"{\"type\":\"message_start\",\"message\":{\"id\":\"msg_up\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"cheap\",\"content\":[],\"stop_reason\":null,\"stop_sequence\":null," +
		"\"usage\":{\"input_tokens\":1000,\"cache_creation_input_tokens\":30,\"cache_read_input_tokens\":20,\"cache_creation\":{\"ephemeral_5m_input_tokens\":20,\"ephemeral_1h_input_tokens\":10},\"output_tokens\":1}}}\n\n"
	messagePing  = "event: ping\ndata: {\"type\": \"ping\"}\n\n"
	MessageBlock = "event: content_block_start\ndata: " +
		"{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n"
	MessageHi = "event: content_block_delta\ndata: " +
		"{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"hi there\"}}\n\n"
	MessageClose = "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n"
	MessageDelta = "event: message_delta\ndata: " +
		"{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\",\"stop_sequence\":null},\"usage\":{\"output_tokens\":500}}\n\n"
	MessageStop  = "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
	MessageWhole = MessageStart + messagePing + MessageBlock + MessageHi + MessageClose + MessageDelta + MessageStop
)

// SendMessage is an upstream of the dialect messages that behaves well.
func SendMessage(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	switch {
	case strings.HasSuffix(r.URL.Path, "/count_tokens"):
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"input_tokens":42}`)
	case bytes.Contains(body, []byte(`"stream":true`)):
		Stream(w, MessageWhole)
	default:
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, MessageAnswer)
	}
}
