package contract

import "github.com/tollgate/tollgate/apps/relay/internal/envelope"

// ChatCompletion is a complete answer.
type ChatCompletion struct {
	_                 struct{}        `doc:"A complete answer"`
	ID                string          `json:"id"`
	Object            string          `json:"object" enum:"chat.completion"`
	Created           int64           `json:"created" doc:"Unix time in seconds"`
	Model             string          `json:"model"`
	Choices           []chatChoice    `json:"choices" doc:"The generated answers"`
	Usage             *chatUsage      `json:"usage,omitempty"`
	ServiceTier       string          `json:"service_tier,omitempty" null:"true" known:"auto,default,flex,scale,priority,fast" doc:"The service tier that served the call, if the upstream names it; a tier can have prices of its own" example:"default"`
	SystemFingerprint string          `json:"system_fingerprint,omitempty" null:"true" doc:"The configuration of the upstream that made the answer"`
	Metadata          metadata        `json:"metadata,omitempty" null:"true"`
	Moderation        *chatModeration `json:"moderation,omitempty" null:"true"`
}

// chatChoice is one generated answer.
type chatChoice struct {
	_            struct{}      `doc:"One generated answer"`
	Index        int64         `json:"index"`
	Message      chatGenerated `json:"message"`
	FinishReason string        `json:"finish_reason" known:"stop,length,tool_calls,content_filter,function_call" doc:"Why the model stopped. length: the upper bound, or the quota, was reached"`
	Logprobs     *chatLogprobs `json:"logprobs,omitempty" null:"true"`
}

// chatGenerated is a message that the model generated.
type chatGenerated struct {
	_                struct{}         `doc:"A message that the model generated"`
	Role             string           `json:"role" known:"assistant"`
	Content          string           `json:"content" null:"true" doc:"The text; null if there is none, for example because the model calls a tool"`
	Refusal          string           `json:"refusal,omitempty" null:"true" doc:"Why the model refused to answer"`
	ReasoningContent string           `json:"reasoning_content,omitempty" null:"true" doc:"The model's reasoning, if the upstream shows it. Not a field of OpenAI"`
	ToolCalls        []chatToolCall   `json:"tool_calls,omitempty" null:"true"`
	Annotations      []chatAnnotation `json:"annotations,omitempty" null:"true" doc:"The sources of the answer, for example pages of a web search"`
	Audio            *chatAudio       `json:"audio,omitempty" null:"true"`
	Images           []chatPicture    `json:"images,omitempty" null:"true" doc:"The pictures that the model drew. Not a field of OpenAI"`
	FunctionCall     *chatCalledOnce  `json:"function_call,omitempty" null:"true" deprecated:"true"`
}

// chatPicture is a picture that the model drew.
type chatPicture struct {
	_        struct{}       `doc:"A picture that the model drew"`
	Type     string         `json:"type" known:"image_url"`
	ImageURL chatPictureURL `json:"image_url"`
	Index    int64          `json:"index,omitempty" doc:"The number of the picture in the answer, from 0"`
}

type chatPictureURL struct {
	_   struct{} `doc:"Where a picture is"`
	URL string   `json:"url" doc:"The picture itself as a data URL. Some upstreams give a URL at which it can be fetched" example:"data:image/png;base64,iVBORw0KGgo="`
}

// chatAudio is a spoken answer.
type chatAudio struct {
	_          struct{} `doc:"A spoken answer. In a stream, a piece of it"`
	ID         string   `json:"id,omitempty" doc:"With this id a later request can refer to the audio"`
	Data       string   `json:"data,omitempty" doc:"The audio in base64"`
	Transcript string   `json:"transcript,omitempty"`
	ExpiresAt  int64    `json:"expires_at,omitempty" doc:"Until when the id is valid, as Unix time in seconds"`
}

// chatAnnotation names a source of a part of the content.
type chatAnnotation struct {
	oneOf[chatAnnotation] `discriminator:"type" doc:"A source of a part of the content"`
	URLCitation           chatURLAnnotation   `value:"url_citation"`
	Other                 chatOtherAnnotation `value:"other"`
}

type chatURLAnnotation struct {
	_           struct{}        `doc:"A web page as the source of a part of the content"`
	Type        string          `json:"type" enum:"url_citation"`
	URLCitation chatURLCitation `json:"url_citation"`
}

// chatURLCitation is a web page that a part of the content cites.
type chatURLCitation struct {
	_          struct{} `doc:"A web page that a part of the content cites"`
	URL        string   `json:"url"`
	Title      string   `json:"title,omitempty"`
	StartIndex int64    `json:"start_index,omitempty" doc:"The first character of the content that cites the page"`
	EndIndex   int64    `json:"end_index,omitempty" doc:"The last character of the content that cites the page"`
}

type chatOtherAnnotation struct {
	_    struct{} `doc:"A source of a type that this document does not name"`
	Type string   `json:"type"`
}

// chatLogprobs are the log probabilities of the tokens of one choice.
type chatLogprobs struct {
	_       struct{}       `doc:"The log probabilities of the tokens of a choice"`
	Content []tokenLogprob `json:"content,omitempty" null:"true"`
	Refusal []tokenLogprob `json:"refusal,omitempty" null:"true"`
}

// tokenLogprob is one token with its log probability.
type tokenLogprob struct {
	_           struct{}     `doc:"A token with its log probability, and the tokens that were most likely at its place"`
	Token       string       `json:"token"`
	Bytes       []int64      `json:"bytes,omitempty" null:"true" doc:"The bytes of the token in UTF-8"`
	Logprob     float64      `json:"logprob" doc:"The natural logarithm of the probability"`
	TopLogprobs []topLogprob `json:"top_logprobs,omitempty" null:"true"`
}

type topLogprob struct {
	_       struct{} `doc:"A likely token with its log probability"`
	Token   string   `json:"token"`
	Bytes   []int64  `json:"bytes,omitempty" null:"true" doc:"The bytes of the token in UTF-8"`
	Logprob float64  `json:"logprob" doc:"The natural logarithm of the probability"`
}

// ChatCompletionChunk is a piece of an answer.
type ChatCompletionChunk struct {
	_                 struct{}          `doc:"A piece of an answer"`
	ID                string            `json:"id"`
	Object            string            `json:"object" known:"chat.completion.chunk" doc:"Azure's first chunk, which has the results of its content filter, has an empty string"`
	Created           int64             `json:"created" doc:"Unix time in seconds"`
	Model             string            `json:"model"`
	Choices           []chatChunkChoice `json:"choices" doc:"What the chunk adds to each choice; empty in a chunk that has only the usage"`
	Usage             *chatUsage        `json:"usage,omitempty" null:"true" doc:"In the last chunk, if the request asks for it"`
	ServiceTier       string            `json:"service_tier,omitempty" null:"true" known:"auto,default,flex,scale,priority,fast" doc:"The service tier that served the call, if the upstream names it; a tier can have prices of its own" example:"default"`
	SystemFingerprint string            `json:"system_fingerprint,omitempty" null:"true" doc:"The configuration of the upstream that made the answer"`
	Obfuscation       string            `json:"obfuscation,omitempty" doc:"Random characters that hide the length of the text"`
	Moderation        *chatModeration   `json:"moderation,omitempty" null:"true"`
}

// chatChunkChoice is a piece of one choice.
type chatChunkChoice struct {
	_            struct{}      `doc:"A piece of a choice"`
	Index        int64         `json:"index"`
	Delta        chatDelta     `json:"delta"`
	FinishReason string        `json:"finish_reason,omitempty" null:"true" known:"stop,length,tool_calls,content_filter,function_call" doc:"In the last chunk of the choice: why the model stopped. Chunks of audio can lack it"`
	Logprobs     *chatLogprobs `json:"logprobs,omitempty" null:"true"`
}

// chatDelta is the part of a message that a chunk adds.
type chatDelta struct {
	_                struct{}            `doc:"The part of a message that a chunk adds"`
	Role             string              `json:"role,omitempty" known:"assistant,developer,system,tool,user"`
	Content          string              `json:"content,omitempty" null:"true"`
	Refusal          string              `json:"refusal,omitempty" null:"true"`
	ReasoningContent string              `json:"reasoning_content,omitempty" null:"true" doc:"A piece of the model's reasoning, if the upstream shows it. Not a field of OpenAI"`
	ToolCalls        []chatToolCallDelta `json:"tool_calls,omitempty" null:"true"`
	Annotations      []chatAnnotation    `json:"annotations,omitempty" null:"true" doc:"Sources of the answer"`
	Audio            *chatAudio          `json:"audio,omitempty" null:"true"`
	Images           []chatPicture       `json:"images,omitempty" null:"true" doc:"Further pictures, each as a whole. Not a field of OpenAI"`
	FunctionCall     *chatCalledOnce     `json:"function_call,omitempty" null:"true" deprecated:"true"`
}

// chatToolCallDelta is a piece of a tool call.
type chatToolCallDelta struct {
	_            struct{}         `doc:"A piece of a tool call. Only its first piece has the id, the type and the name"`
	Index        int64            `json:"index" doc:"The index of the call to which the piece belongs"`
	ID           string           `json:"id,omitempty"`
	Type         string           `json:"type,omitempty" known:"function,custom"`
	Function     *chatCalledOnce  `json:"function,omitempty"`
	Custom       *chatCustomDelta `json:"custom,omitempty"`
	ExtraContent *extraContent    `json:"extra_content,omitempty" null:"true"`
}

type chatCustomDelta struct {
	_     struct{} `doc:"A piece of a custom tool's call"`
	Name  string   `json:"name,omitempty"`
	Input string   `json:"input,omitempty"`
}

// chatModeration holds the findings of the provider in the request and in the answer.
type chatModeration struct {
	_      struct{}          `doc:"What the provider found in the request and in the answer, if the request asks for it"`
	Input  *moderationReport `json:"input,omitempty"`
	Output *moderationReport `json:"output,omitempty"`
}

// moderationReport is a result or an error.
type moderationReport struct {
	oneOf[moderationReport] `discriminator:"type" doc:"What was found, or why nothing could be"`
	Results                 moderationResults `value:"moderation_results"`
	Error                   moderationError   `value:"error"`
	Other                   moderationOther   `value:"other"`
}

type moderationResults struct {
	_       struct{}           `doc:"What was found"`
	Type    string             `json:"type" enum:"moderation_results"`
	Model   string             `json:"model" doc:"The model that checked"`
	Results []moderationResult `json:"results"`
}

type moderationResult struct {
	_                         struct{}            `doc:"What was found in one text or image"`
	Type                      string              `json:"type,omitempty" known:"moderation_result"`
	Model                     string              `json:"model,omitempty" doc:"The model that checked"`
	Flagged                   bool                `json:"flagged"`
	Categories                map[string]bool     `json:"categories" doc:"Whether the content belongs to each category"`
	CategoryScores            map[string]float64  `json:"category_scores" doc:"How sure the model is of each category, from 0 to 1"`
	CategoryAppliedInputTypes map[string][]string `json:"category_applied_input_types,omitempty" known:"text,image" doc:"For which kinds of input each category was checked"`
}

type moderationError struct {
	_       struct{} `doc:"Why nothing could be checked"`
	Type    string   `json:"type" enum:"error"`
	Code    string   `json:"code"`
	Message string   `json:"message"`
}

type moderationOther struct {
	_    struct{} `doc:"A report that this document does not name"`
	Type string   `json:"type"`
}

// ChatCompletionEvent is the data of one event of a stream before [DONE].
type ChatCompletionEvent struct {
	oneOf[ChatCompletionEvent] `doc:"The data of one event of a stream: a chunk, or the error that ended the stream. The data of the last event of a complete stream is [DONE]"`
	Chunk                      ChatCompletionChunk
	Error                      envelope.ErrorResponse
}
