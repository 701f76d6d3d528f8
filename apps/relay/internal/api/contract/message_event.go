package contract

import "github.com/tollgate/tollgate/apps/relay/internal/envelope"

// MessageStreamEvent is the data of one event of a stream of Anthropic's API.
type MessageStreamEvent struct {
	oneOf[MessageStreamEvent] `discriminator:"type" doc:"The data of one event of a stream. The last event is message_stop or error"`
	Start                     messageStartEvent `value:"message_start"`
	BlockStart                messageBlockStart `value:"content_block_start"`
	BlockDelta                messageBlockDelta `value:"content_block_delta"`
	BlockStop                 messageBlockStop  `value:"content_block_stop"`
	Delta                     messageDeltaEvent `value:"message_delta"`
	Stop                      messageStopEvent  `value:"message_stop"`
	Ping                      messagePing       `value:"ping"`
	Error                     messageErrorEvent `value:"error"`
	Other                     messageOtherEvent `value:"other"`
}

type messageStartEvent struct {
	_       struct{} `doc:"The answer begins"`
	Type    string   `json:"type" enum:"message_start"`
	Message Message  `json:"message"`
}

type messageBlockStart struct {
	_            struct{}           `doc:"A content block begins"`
	Type         string             `json:"type" enum:"content_block_start"`
	Index        int64              `json:"index"`
	ContentBlock messageAnswerBlock `json:"content_block"`
}

type messageBlockDelta struct {
	_     struct{}     `doc:"A piece of a content block"`
	Type  string       `json:"type" enum:"content_block_delta"`
	Index int64        `json:"index"`
	Delta messageDelta `json:"delta"`
}

type messageDelta struct {
	_           struct{} `doc:"A piece of a content block: of a text, of thinking, of its signature, or of the JSON of a tool's input"`
	Type        string   `json:"type" known:"text_delta,thinking_delta,signature_delta,input_json_delta,citations_delta"`
	Text        string   `json:"text,omitempty"`
	Thinking    string   `json:"thinking,omitempty"`
	Signature   string   `json:"signature,omitempty"`
	PartialJSON string   `json:"partial_json,omitempty"`
}

type messageBlockStop struct {
	_     struct{} `doc:"A content block is complete"`
	Type  string   `json:"type" enum:"content_block_stop"`
	Index int64    `json:"index"`
}

type messageDeltaEvent struct {
	_     struct{}      `doc:"The answer is complete"`
	Type  string        `json:"type" enum:"message_delta"`
	Delta messageEnd    `json:"delta"`
	Usage *messageUsage `json:"usage,omitempty"`
}

type messageEnd struct {
	_            struct{} `doc:"Why the model stopped"`
	StopReason   string   `json:"stop_reason" null:"true" known:"end_turn,max_tokens,stop_sequence,tool_use,pause_turn,refusal,model_context_window_exceeded"`
	StopSequence string   `json:"stop_sequence,omitempty" null:"true"`
}

type messageStopEvent struct {
	_    struct{} `doc:"The end of the stream"`
	Type string   `json:"type" enum:"message_stop"`
}

type messagePing struct {
	_    struct{} `doc:"Keeps the connection alive"`
	Type string   `json:"type" enum:"ping"`
}

type messageErrorEvent struct {
	_         struct{}             `doc:"The error that ended the stream"`
	Type      string               `json:"type" enum:"error"`
	Error     envelope.ErrorObject `json:"error"`
	RequestID string               `json:"request_id,omitempty" doc:"The id of the request"`
}

type messageOtherEvent struct {
	_    struct{} `doc:"An event of a type that this document does not name"`
	Type string   `json:"type"`
}
