package contract

// ResponseStreamEvent is the data of one event of a stream.
type ResponseStreamEvent struct {
	oneOf[ResponseStreamEvent] `discriminator:"type" doc:"The data of one event of a stream. The last event is response.completed, response.incomplete, response.failed or error"`
	State                      responseStateEvent          `value:"response.created,response.queued,response.in_progress,response.completed,response.incomplete,response.failed"`
	Item                       responseItemEvent           `value:"response.output_item.added,response.output_item.done"`
	Part                       responsePartEvent           `value:"response.content_part.added,response.content_part.done"`
	TextDelta                  responseTextDeltaEvent      `value:"response.output_text.delta"`
	TextDone                   responseTextDoneEvent       `value:"response.output_text.done"`
	Annotation                 responseAnnotationEvent     `value:"response.output_text.annotation.added"`
	RefusalDelta               responseRefusalDeltaEvent   `value:"response.refusal.delta"`
	RefusalDone                responseRefusalDoneEvent    `value:"response.refusal.done"`
	ReasoningDelta             responseReasoningDeltaEvent `value:"response.reasoning_text.delta"`
	ReasoningDone              responseReasoningDoneEvent  `value:"response.reasoning_text.done"`
	SummaryPart                responseSummaryPartEvent    `value:"response.reasoning_summary_part.added,response.reasoning_summary_part.done"`
	SummaryDelta               responseSummaryDeltaEvent   `value:"response.reasoning_summary_text.delta"`
	SummaryDone                responseSummaryDoneEvent    `value:"response.reasoning_summary_text.done"`
	ArgumentsDelta             responseArgumentsDeltaEvent `value:"response.function_call_arguments.delta,response.mcp_call_arguments.delta"`
	ArgumentsDone              responseArgumentsDoneEvent  `value:"response.function_call_arguments.done,response.mcp_call_arguments.done"`
	InputDelta                 responseInputDeltaEvent     `value:"response.custom_tool_call_input.delta"`
	InputDone                  responseInputDoneEvent      `value:"response.custom_tool_call_input.done"`
	CodeDelta                  responseCodeDeltaEvent      `value:"response.code_interpreter_call_code.delta"`
	CodeDone                   responseCodeDoneEvent       `value:"response.code_interpreter_call_code.done"`
	PartialImage               responsePartialImageEvent   `value:"response.image_generation_call.partial_image"`
	Progress                   responseProgressEvent       `value:"response.web_search_call.in_progress,response.web_search_call.searching,response.web_search_call.completed,response.file_search_call.in_progress,response.file_search_call.searching,response.file_search_call.completed,response.code_interpreter_call.in_progress,response.code_interpreter_call.interpreting,response.code_interpreter_call.completed,response.image_generation_call.in_progress,response.image_generation_call.generating,response.image_generation_call.completed,response.mcp_call.in_progress,response.mcp_call.completed,response.mcp_call.failed,response.mcp_list_tools.in_progress,response.mcp_list_tools.completed,response.mcp_list_tools.failed,response.compaction.compacting"`
	CommandAdded               responseCommandAddedEvent   `value:"response.shell_call_command.added"`
	CommandDelta               responseCommandDeltaEvent   `value:"response.shell_call_command.delta"`
	CommandDone                responseCommandDoneEvent    `value:"response.shell_call_command.done"`
	ShellDelta                 responseShellDeltaEvent     `value:"response.shell_call_output_content.delta"`
	ShellDone                  responseShellDoneEvent      `value:"response.shell_call_output_content.done"`
	AudioDelta                 responseAudioDeltaEvent     `value:"response.audio.delta,response.audio.transcript.delta"`
	AudioDone                  responseAudioDoneEvent      `value:"response.audio.done,response.audio.transcript.done"`
	Error                      responseErrorEvent          `value:"error"`
	Other                      responseOtherEvent          `value:"other"`
}

type responseStateEvent struct {
	_              struct{} `doc:"The response has a new state"`
	Type           string   `json:"type" enum:"response.created,response.queued,response.in_progress,response.completed,response.incomplete,response.failed"`
	SequenceNumber int64    `json:"sequence_number,omitempty" doc:"Counts the events of the stream from 0. Some upstreams leave it out"`
	Response       Response `json:"response"`
}

type responseItemEvent struct {
	_              struct{}           `doc:"An item begins or is complete"`
	Type           string             `json:"type" enum:"response.output_item.added,response.output_item.done"`
	SequenceNumber int64              `json:"sequence_number,omitempty" doc:"Counts the events of the stream from 0. Some upstreams leave it out"`
	OutputIndex    int64              `json:"output_index" doc:"The index of the item in the output"`
	Item           responseOutputItem `json:"item"`
}

type responsePartEvent struct {
	_              struct{}           `doc:"A part of an item begins or is complete"`
	Type           string             `json:"type" enum:"response.content_part.added,response.content_part.done"`
	SequenceNumber int64              `json:"sequence_number,omitempty" doc:"Counts the events of the stream from 0. Some upstreams leave it out"`
	ItemID         string             `json:"item_id" doc:"The id of the item"`
	OutputIndex    int64              `json:"output_index" doc:"The index of the item in the output"`
	ContentIndex   int64              `json:"content_index" doc:"The index of the part in the item's content"`
	Part           responseOutputPart `json:"part"`
}

type responseTextDeltaEvent struct {
	_              struct{}                   `doc:"A piece of a text"`
	Type           string                     `json:"type" enum:"response.output_text.delta"`
	SequenceNumber int64                      `json:"sequence_number,omitempty" doc:"Counts the events of the stream from 0. Some upstreams leave it out"`
	ItemID         string                     `json:"item_id" doc:"The id of the item"`
	OutputIndex    int64                      `json:"output_index" doc:"The index of the item in the output"`
	ContentIndex   int64                      `json:"content_index" doc:"The index of the part in the item's content"`
	Delta          string                     `json:"delta"`
	Logprobs       []responseTokenProbability `json:"logprobs,omitempty" null:"true" doc:"The probabilities of the tokens, if the request asked for them"`
	Obfuscation    string                     `json:"obfuscation,omitempty" doc:"Padding without meaning"`
}

type responseTextDoneEvent struct {
	_              struct{}                   `doc:"A text is complete"`
	Type           string                     `json:"type" enum:"response.output_text.done"`
	SequenceNumber int64                      `json:"sequence_number,omitempty" doc:"Counts the events of the stream from 0. Some upstreams leave it out"`
	ItemID         string                     `json:"item_id" doc:"The id of the item"`
	OutputIndex    int64                      `json:"output_index" doc:"The index of the item in the output"`
	ContentIndex   int64                      `json:"content_index" doc:"The index of the part in the item's content"`
	Text           string                     `json:"text" doc:"The complete text"`
	Logprobs       []responseTokenProbability `json:"logprobs,omitempty" null:"true" doc:"The probabilities of the tokens, if the request asked for them"`
}

type responseAnnotationEvent struct {
	_               struct{}            `doc:"A text has a new source"`
	Type            string              `json:"type" enum:"response.output_text.annotation.added"`
	SequenceNumber  int64               `json:"sequence_number,omitempty" doc:"Counts the events of the stream from 0. Some upstreams leave it out"`
	ItemID          string              `json:"item_id" doc:"The id of the item"`
	OutputIndex     int64               `json:"output_index" doc:"The index of the item in the output"`
	ContentIndex    int64               `json:"content_index" doc:"The index of the part in the item's content"`
	AnnotationIndex int64               `json:"annotation_index"`
	Annotation      *responseAnnotation `json:"annotation" null:"true"`
}

type responseRefusalDeltaEvent struct {
	_              struct{} `doc:"A piece of a refusal"`
	Type           string   `json:"type" enum:"response.refusal.delta"`
	SequenceNumber int64    `json:"sequence_number,omitempty" doc:"Counts the events of the stream from 0. Some upstreams leave it out"`
	ItemID         string   `json:"item_id" doc:"The id of the item"`
	OutputIndex    int64    `json:"output_index" doc:"The index of the item in the output"`
	ContentIndex   int64    `json:"content_index" doc:"The index of the part in the item's content"`
	Delta          string   `json:"delta"`
	Obfuscation    string   `json:"obfuscation,omitempty" doc:"Padding without meaning"`
}

type responseRefusalDoneEvent struct {
	_              struct{} `doc:"A refusal is complete"`
	Type           string   `json:"type" enum:"response.refusal.done"`
	SequenceNumber int64    `json:"sequence_number,omitempty" doc:"Counts the events of the stream from 0. Some upstreams leave it out"`
	ItemID         string   `json:"item_id" doc:"The id of the item"`
	OutputIndex    int64    `json:"output_index" doc:"The index of the item in the output"`
	ContentIndex   int64    `json:"content_index" doc:"The index of the part in the item's content"`
	Refusal        string   `json:"refusal" doc:"The complete refusal"`
}

type responseReasoningDeltaEvent struct {
	_              struct{} `doc:"A piece of the reasoning"`
	Type           string   `json:"type" enum:"response.reasoning_text.delta"`
	SequenceNumber int64    `json:"sequence_number,omitempty" doc:"Counts the events of the stream from 0. Some upstreams leave it out"`
	ItemID         string   `json:"item_id" doc:"The id of the item"`
	OutputIndex    int64    `json:"output_index" doc:"The index of the item in the output"`
	ContentIndex   int64    `json:"content_index" doc:"The index of the part in the item's content"`
	Delta          string   `json:"delta"`
	Obfuscation    string   `json:"obfuscation,omitempty" doc:"Padding without meaning"`
}

type responseReasoningDoneEvent struct {
	_              struct{} `doc:"A text of the reasoning is complete"`
	Type           string   `json:"type" enum:"response.reasoning_text.done"`
	SequenceNumber int64    `json:"sequence_number,omitempty" doc:"Counts the events of the stream from 0. Some upstreams leave it out"`
	ItemID         string   `json:"item_id" doc:"The id of the item"`
	OutputIndex    int64    `json:"output_index" doc:"The index of the item in the output"`
	ContentIndex   int64    `json:"content_index" doc:"The index of the part in the item's content"`
	Text           string   `json:"text" doc:"The complete text"`
}

type responseSummaryPartEvent struct {
	_              struct{}            `doc:"A part of a summary of the reasoning begins or is complete"`
	Type           string              `json:"type" enum:"response.reasoning_summary_part.added,response.reasoning_summary_part.done"`
	SequenceNumber int64               `json:"sequence_number,omitempty" doc:"Counts the events of the stream from 0. Some upstreams leave it out"`
	ItemID         string              `json:"item_id" doc:"The id of the item"`
	OutputIndex    int64               `json:"output_index" doc:"The index of the item in the output"`
	SummaryIndex   int64               `json:"summary_index" doc:"The index of the part in the item's summary"`
	Part           responseSummaryText `json:"part"`
	Status         string              `json:"status,omitempty" null:"true" known:"incomplete" doc:"incomplete if the part was cut off"`
}

type responseSummaryDeltaEvent struct {
	_              struct{} `doc:"A piece of a summary of the reasoning"`
	Type           string   `json:"type" enum:"response.reasoning_summary_text.delta"`
	SequenceNumber int64    `json:"sequence_number,omitempty" doc:"Counts the events of the stream from 0. Some upstreams leave it out"`
	ItemID         string   `json:"item_id" doc:"The id of the item"`
	OutputIndex    int64    `json:"output_index" doc:"The index of the item in the output"`
	SummaryIndex   int64    `json:"summary_index" doc:"The index of the part in the item's summary"`
	Delta          string   `json:"delta"`
	Obfuscation    string   `json:"obfuscation,omitempty" doc:"Padding without meaning"`
}

type responseSummaryDoneEvent struct {
	_              struct{} `doc:"A part of a summary of the reasoning is complete"`
	Type           string   `json:"type" enum:"response.reasoning_summary_text.done"`
	SequenceNumber int64    `json:"sequence_number,omitempty" doc:"Counts the events of the stream from 0. Some upstreams leave it out"`
	ItemID         string   `json:"item_id" doc:"The id of the item"`
	OutputIndex    int64    `json:"output_index" doc:"The index of the item in the output"`
	SummaryIndex   int64    `json:"summary_index" doc:"The index of the part in the item's summary"`
	Text           string   `json:"text" doc:"The complete text"`
}

type responseArgumentsDeltaEvent struct {
	_              struct{} `doc:"A piece of the arguments of a call"`
	Type           string   `json:"type" enum:"response.function_call_arguments.delta,response.mcp_call_arguments.delta"`
	SequenceNumber int64    `json:"sequence_number,omitempty" doc:"Counts the events of the stream from 0. Some upstreams leave it out"`
	ItemID         string   `json:"item_id" doc:"The id of the item"`
	OutputIndex    int64    `json:"output_index" doc:"The index of the item in the output"`
	Delta          string   `json:"delta"`
	Obfuscation    string   `json:"obfuscation,omitempty" doc:"Padding without meaning"`
}

type responseArgumentsDoneEvent struct {
	_              struct{} `doc:"The arguments of a call are complete"`
	Type           string   `json:"type" enum:"response.function_call_arguments.done,response.mcp_call_arguments.done"`
	SequenceNumber int64    `json:"sequence_number,omitempty" doc:"Counts the events of the stream from 0. Some upstreams leave it out"`
	ItemID         string   `json:"item_id" doc:"The id of the item"`
	OutputIndex    int64    `json:"output_index" doc:"The index of the item in the output"`
	Name           string   `json:"name,omitempty" doc:"The name of the function"`
	Arguments      string   `json:"arguments" doc:"JSON"`
}

type responseInputDeltaEvent struct {
	_              struct{} `doc:"A piece of the input of a custom tool"`
	Type           string   `json:"type" enum:"response.custom_tool_call_input.delta"`
	SequenceNumber int64    `json:"sequence_number,omitempty" doc:"Counts the events of the stream from 0. Some upstreams leave it out"`
	ItemID         string   `json:"item_id" doc:"The id of the item"`
	OutputIndex    int64    `json:"output_index" doc:"The index of the item in the output"`
	Delta          string   `json:"delta"`
	Obfuscation    string   `json:"obfuscation,omitempty" doc:"Padding without meaning"`
}

type responseInputDoneEvent struct {
	_              struct{} `doc:"The input of a custom tool is complete"`
	Type           string   `json:"type" enum:"response.custom_tool_call_input.done"`
	SequenceNumber int64    `json:"sequence_number,omitempty" doc:"Counts the events of the stream from 0. Some upstreams leave it out"`
	ItemID         string   `json:"item_id" doc:"The id of the item"`
	OutputIndex    int64    `json:"output_index" doc:"The index of the item in the output"`
	Input          string   `json:"input" doc:"The complete input"`
}

type responseCodeDeltaEvent struct {
	_              struct{} `doc:"A piece of code"`
	Type           string   `json:"type" enum:"response.code_interpreter_call_code.delta"`
	SequenceNumber int64    `json:"sequence_number,omitempty" doc:"Counts the events of the stream from 0. Some upstreams leave it out"`
	ItemID         string   `json:"item_id" doc:"The id of the item"`
	OutputIndex    int64    `json:"output_index" doc:"The index of the item in the output"`
	Delta          string   `json:"delta"`
	Obfuscation    string   `json:"obfuscation,omitempty" doc:"Padding without meaning"`
}

type responseCodeDoneEvent struct {
	_              struct{} `doc:"Code is complete"`
	Type           string   `json:"type" enum:"response.code_interpreter_call_code.done"`
	SequenceNumber int64    `json:"sequence_number,omitempty" doc:"Counts the events of the stream from 0. Some upstreams leave it out"`
	ItemID         string   `json:"item_id" doc:"The id of the item"`
	OutputIndex    int64    `json:"output_index" doc:"The index of the item in the output"`
	Code           string   `json:"code" doc:"The complete code"`
}

type responsePartialImageEvent struct {
	_                 struct{} `doc:"An unfinished image"`
	Type              string   `json:"type" enum:"response.image_generation_call.partial_image"`
	SequenceNumber    int64    `json:"sequence_number,omitempty" doc:"Counts the events of the stream from 0. Some upstreams leave it out"`
	ItemID            string   `json:"item_id" doc:"The id of the item"`
	OutputIndex       int64    `json:"output_index" doc:"The index of the item in the output"`
	PartialImageIndex int64    `json:"partial_image_index"`
	PartialImageB64   string   `json:"partial_image_b64" doc:"Base64"`
	Size              string   `json:"size,omitempty" null:"true"`
	Quality           string   `json:"quality,omitempty" null:"true"`
	Background        string   `json:"background,omitempty" null:"true"`
	OutputFormat      string   `json:"output_format,omitempty" null:"true"`
}

type responseProgressEvent struct {
	_              struct{} `doc:"An item of a tool of the provider has a new state"`
	Type           string   `json:"type" enum:"response.web_search_call.in_progress,response.web_search_call.searching,response.web_search_call.completed,response.file_search_call.in_progress,response.file_search_call.searching,response.file_search_call.completed,response.code_interpreter_call.in_progress,response.code_interpreter_call.interpreting,response.code_interpreter_call.completed,response.image_generation_call.in_progress,response.image_generation_call.generating,response.image_generation_call.completed,response.mcp_call.in_progress,response.mcp_call.completed,response.mcp_call.failed,response.mcp_list_tools.in_progress,response.mcp_list_tools.completed,response.mcp_list_tools.failed,response.compaction.compacting"`
	SequenceNumber int64    `json:"sequence_number,omitempty" doc:"Counts the events of the stream from 0. Some upstreams leave it out"`
	ItemID         string   `json:"item_id" doc:"The id of the item"`
	OutputIndex    int64    `json:"output_index" doc:"The index of the item in the output"`
}

type responseCommandAddedEvent struct {
	_              struct{} `doc:"A command of a shell begins"`
	Type           string   `json:"type" enum:"response.shell_call_command.added"`
	SequenceNumber int64    `json:"sequence_number,omitempty" doc:"Counts the events of the stream from 0. Some upstreams leave it out"`
	OutputIndex    int64    `json:"output_index" doc:"The index of the item in the output"`
	CommandIndex   int64    `json:"command_index"`
	Command        string   `json:"command"`
}

type responseCommandDeltaEvent struct {
	_              struct{} `doc:"A piece of a command of a shell"`
	Type           string   `json:"type" enum:"response.shell_call_command.delta"`
	SequenceNumber int64    `json:"sequence_number,omitempty" doc:"Counts the events of the stream from 0. Some upstreams leave it out"`
	OutputIndex    int64    `json:"output_index" doc:"The index of the item in the output"`
	CommandIndex   int64    `json:"command_index"`
	Delta          string   `json:"delta"`
	Obfuscation    string   `json:"obfuscation,omitempty" doc:"Padding without meaning"`
}

type responseCommandDoneEvent struct {
	_              struct{} `doc:"A command of a shell is complete"`
	Type           string   `json:"type" enum:"response.shell_call_command.done"`
	SequenceNumber int64    `json:"sequence_number,omitempty" doc:"Counts the events of the stream from 0. Some upstreams leave it out"`
	OutputIndex    int64    `json:"output_index" doc:"The index of the item in the output"`
	CommandIndex   int64    `json:"command_index"`
	Command        string   `json:"command"`
}

type responseShellDeltaEvent struct {
	_              struct{}           `doc:"A piece of what a command printed"`
	Type           string             `json:"type" enum:"response.shell_call_output_content.delta"`
	SequenceNumber int64              `json:"sequence_number,omitempty" doc:"Counts the events of the stream from 0. Some upstreams leave it out"`
	ItemID         string             `json:"item_id" doc:"The id of the item"`
	OutputIndex    int64              `json:"output_index" doc:"The index of the item in the output"`
	CommandIndex   int64              `json:"command_index"`
	Delta          responseShellPiece `json:"delta"`
}

type responseShellDoneEvent struct {
	_              struct{}              `doc:"The output of a command is complete"`
	Type           string                `json:"type" enum:"response.shell_call_output_content.done"`
	SequenceNumber int64                 `json:"sequence_number,omitempty" doc:"Counts the events of the stream from 0. Some upstreams leave it out"`
	ItemID         string                `json:"item_id" doc:"The id of the item"`
	OutputIndex    int64                 `json:"output_index" doc:"The index of the item in the output"`
	CommandIndex   int64                 `json:"command_index"`
	Output         []responseShellResult `json:"output"`
}

type responseAudioDeltaEvent struct {
	_              struct{} `doc:"A piece of a sound, in base64, or of its transcript"`
	Type           string   `json:"type" enum:"response.audio.delta,response.audio.transcript.delta"`
	SequenceNumber int64    `json:"sequence_number,omitempty" doc:"Counts the events of the stream from 0. Some upstreams leave it out"`
	Delta          string   `json:"delta"`
}

type responseAudioDoneEvent struct {
	_              struct{} `doc:"A sound or its transcript is complete"`
	Type           string   `json:"type" enum:"response.audio.done,response.audio.transcript.done"`
	SequenceNumber int64    `json:"sequence_number,omitempty" doc:"Counts the events of the stream from 0. Some upstreams leave it out"`
}

type responseErrorEvent struct {
	_              struct{}             `doc:"The upstream reports an error. The stream ends with it or with response.failed"`
	Type           string               `json:"type" enum:"error"`
	SequenceNumber int64                `json:"sequence_number,omitempty"`
	Code           string               `json:"code,omitempty" null:"true"`
	Message        string               `json:"message,omitempty"`
	Param          string               `json:"param,omitempty" null:"true" doc:"The request field that caused the error"`
	Error          *responseStreamError `json:"error,omitempty" doc:"The error, if the upstream reports it in an object of its own"`
}

type responseShellPiece struct {
	_      struct{} `doc:"A piece of what a command printed"`
	Stdout string   `json:"stdout,omitempty"`
	Stderr string   `json:"stderr,omitempty"`
}

type responseStreamError struct {
	_       struct{} `doc:"What went wrong"`
	Type    string   `json:"type,omitempty" null:"true"`
	Code    string   `json:"code,omitempty" null:"true"`
	Message string   `json:"message"`
	Param   string   `json:"param,omitempty" null:"true" doc:"The request field that caused the error"`
}

type responseOtherEvent struct {
	_              struct{} `doc:"An event of a type that this document does not name"`
	Type           string   `json:"type"`
	SequenceNumber int64    `json:"sequence_number,omitempty"`
}
