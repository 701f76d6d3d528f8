package contract

import "github.com/danielgtaylor/huma/v2"

// responseContent is the content of a message, or what a tool returned.
type responseContent struct {
	oneOf[responseContent] `doc:"A text, or a list of parts such as texts, images and files"`
	Text                   responseContentString
	Parts                  responseContentList
}

type responseContentString string

// Schema implements huma.SchemaProvider.
func (responseContentString) Schema(r huma.Registry) *huma.Schema {
	return named[responseContentString](r, "A text")
}

type responseContentList []responseContentPart

// Schema implements huma.SchemaProvider.
func (responseContentList) Schema(r huma.Registry) *huma.Schema {
	return named[responseContentList](r, "A list of parts")
}

// responseContentPart is a part of the content of a message.
type responseContentPart struct {
	oneOf[responseContentPart] `discriminator:"type" doc:"A part of the content of a message. Messages of the assistant have output_text, refusal and reasoning_text, the others have input_text, input_image, input_file and input_audio"`
	Text                       responseInputText     `value:"input_text"`
	Image                      responseInputImage    `value:"input_image"`
	File                       responseInputFile     `value:"input_file"`
	Audio                      responseInputAudio    `value:"input_audio"`
	Output                     responseOutputText    `value:"output_text"`
	Refusal                    responseRefusal       `value:"refusal"`
	Reasoning                  responseReasoningText `value:"reasoning_text"`
	Other                      responseOtherPart     `value:"other"`
}

type responseInputText struct {
	_                     struct{}                 `doc:"A text for the model"`
	Type                  string                   `json:"type" enum:"input_text"`
	Text                  string                   `json:"text"`
	PromptCacheBreakpoint *responseCacheBreakpoint `json:"prompt_cache_breakpoint,omitempty" null:"true"`
}

type responseInputImage struct {
	_                     struct{}                 `doc:"An image for the model: image_url or file_id"`
	Type                  string                   `json:"type" enum:"input_image"`
	ImageURL              string                   `json:"image_url,omitempty" null:"true" doc:"A URL, or the image itself as a data URL"`
	FileID                string                   `json:"file_id,omitempty" null:"true" doc:"The id of a file that the provider stores"`
	Detail                string                   `json:"detail,omitempty" null:"true" known:"low,high,auto,original" doc:"How closely the model looks. The default is auto"`
	PromptCacheBreakpoint *responseCacheBreakpoint `json:"prompt_cache_breakpoint,omitempty" null:"true"`
}

type responseInputFile struct {
	_                     struct{}                 `doc:"A file for the model: file_data, file_url or file_id"`
	Type                  string                   `json:"type" enum:"input_file"`
	FileData              string                   `json:"file_data,omitempty" null:"true" doc:"The file as a data URL"`
	FileURL               string                   `json:"file_url,omitempty" null:"true"`
	FileID                string                   `json:"file_id,omitempty" null:"true" doc:"The id of a file that the provider stores"`
	Filename              string                   `json:"filename,omitempty" null:"true"`
	Detail                string                   `json:"detail,omitempty" null:"true" known:"auto,low,high" doc:"How closely the model looks at the pages"`
	PromptCacheBreakpoint *responseCacheBreakpoint `json:"prompt_cache_breakpoint,omitempty" null:"true"`
}

type responseInputAudio struct {
	_          struct{}          `doc:"A sound for the model"`
	Type       string            `json:"type" enum:"input_audio"`
	InputAudio responseAudioData `json:"input_audio"`
}

type responseAudioData struct {
	_      struct{} `doc:"A sound"`
	Data   string   `json:"data" doc:"Base64"`
	Format string   `json:"format" known:"mp3,wav"`
}

type responseCacheBreakpoint struct {
	_    struct{} `doc:"The provider caches the prompt up to the part that has this"`
	Mode string   `json:"mode" known:"explicit"`
	TTL  string   `json:"ttl,omitempty" null:"true" known:"30m,12h"`
}

type responseOtherPart struct {
	_    struct{} `doc:"A part of a type that this document does not name"`
	Type string   `json:"type"`
}

// responseOutputPart is a part of what the model generated.
type responseOutputPart struct {
	oneOf[responseOutputPart] `discriminator:"type" doc:"A part of what the model generated"`
	Text                      responseOutputText      `value:"output_text"`
	Refusal                   responseRefusal         `value:"refusal"`
	Reasoning                 responseReasoningText   `value:"reasoning_text"`
	Other                     responseOtherOutputPart `value:"other"`
}

type responseOutputText struct {
	_           struct{}                   `doc:"A text that the model generated"`
	Type        string                     `json:"type" enum:"output_text"`
	Text        string                     `json:"text"`
	Annotations []responseAnnotation       `json:"annotations,omitempty" null:"true" doc:"The sources of the text"`
	Logprobs    []responseTokenProbability `json:"logprobs,omitempty" null:"true" doc:"The probabilities of the tokens, if the request asked for them"`
}

type responseRefusal struct {
	_       struct{} `doc:"The model refused to answer"`
	Type    string   `json:"type" enum:"refusal"`
	Refusal string   `json:"refusal" doc:"What the model said"`
}

type responseReasoningText struct {
	_    struct{} `doc:"A text of the model's reasoning"`
	Type string   `json:"type" enum:"reasoning_text"`
	Text string   `json:"text"`
}

type responseOtherOutputPart struct {
	_    struct{} `doc:"A part of a type that this document does not name"`
	Type string   `json:"type"`
}

// responseAnnotation names a source of a text.
type responseAnnotation struct {
	oneOf[responseAnnotation] `discriminator:"type" doc:"A source of a text"`
	URL                       responseURLCitation     `value:"url_citation"`
	File                      responseFileCitation    `value:"file_citation"`
	Container                 responseContainerFile   `value:"container_file_citation"`
	Path                      responseFilePath        `value:"file_path"`
	Other                     responseOtherAnnotation `value:"other"`
}

type responseURLCitation struct {
	_          struct{} `doc:"A web page"`
	Type       string   `json:"type" enum:"url_citation"`
	URL        string   `json:"url"`
	Title      string   `json:"title,omitempty" null:"true"`
	StartIndex int64    `json:"start_index,omitempty" null:"true" doc:"The first character of the text that cites the page"`
	EndIndex   int64    `json:"end_index,omitempty" null:"true" doc:"The end of the text that cites the page"`
}

type responseFileCitation struct {
	_        struct{} `doc:"A file of a file search"`
	Type     string   `json:"type" enum:"file_citation"`
	FileID   string   `json:"file_id"`
	Filename string   `json:"filename,omitempty" null:"true"`
	Index    int64    `json:"index,omitempty" null:"true" doc:"The character of the text that cites the file"`
}

type responseContainerFile struct {
	_           struct{} `doc:"A file in a container that ran code"`
	Type        string   `json:"type" enum:"container_file_citation"`
	ContainerID string   `json:"container_id"`
	FileID      string   `json:"file_id"`
	Filename    string   `json:"filename,omitempty" null:"true"`
	StartIndex  int64    `json:"start_index,omitempty" null:"true" doc:"The first character of the text that names the file"`
	EndIndex    int64    `json:"end_index,omitempty" null:"true" doc:"The end of the text that names the file"`
}

type responseFilePath struct {
	_      struct{} `doc:"A file that the model made"`
	Type   string   `json:"type" enum:"file_path"`
	FileID string   `json:"file_id"`
	Index  int64    `json:"index,omitempty" null:"true" doc:"The character of the text that names the file"`
}

type responseOtherAnnotation struct {
	_    struct{} `doc:"An annotation of a type that this document does not name"`
	Type string   `json:"type"`
}

// responseTokenProbability is the probability of a token.
type responseTokenProbability struct {
	_           struct{}                         `doc:"The probability of a token"`
	Token       string                           `json:"token"`
	Logprob     float64                          `json:"logprob" doc:"The logarithm of the probability"`
	Bytes       []int64                          `json:"bytes,omitempty" null:"true" doc:"The token in UTF-8"`
	TopLogprobs []responseAlternativeProbability `json:"top_logprobs,omitempty" null:"true" doc:"The most likely tokens at this position"`
}

type responseAlternativeProbability struct {
	_       struct{} `doc:"A token that was likely at a position"`
	Token   string   `json:"token,omitempty"`
	Logprob float64  `json:"logprob,omitempty" doc:"The logarithm of the probability"`
	Bytes   []int64  `json:"bytes,omitempty" null:"true" doc:"The token in UTF-8"`
}
