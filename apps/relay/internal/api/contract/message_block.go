package contract

// messageBlock is a content block of a request.
type messageBlock struct {
	oneOf[messageBlock] `discriminator:"type" doc:"A content block of a request"`
	Text                messageTextBlock     `value:"text"`
	Image               messageImageBlock    `value:"image"`
	Document            messageDocumentBlock `value:"document"`
	ToolUse             messageToolUse       `value:"tool_use"`
	ToolResult          messageToolResult    `value:"tool_result"`
	Thinking            messageThought       `value:"thinking"`
	RedactedThinking    messageRedacted      `value:"redacted_thinking"`
	Other               messageOtherBlock    `value:"other"`
}

type messageTextBlock struct {
	_            struct{}      `doc:"A text"`
	Type         string        `json:"type" enum:"text"`
	Text         string        `json:"text"`
	CacheControl *cacheControl `json:"cache_control,omitempty" null:"true"`
}

type messageImageBlock struct {
	_            struct{}      `doc:"An image"`
	Type         string        `json:"type" enum:"image"`
	Source       messageSource `json:"source"`
	CacheControl *cacheControl `json:"cache_control,omitempty" null:"true"`
}

type messageDocumentBlock struct {
	_            struct{}      `doc:"A PDF or a text"`
	Type         string        `json:"type" enum:"document"`
	Source       messageSource `json:"source"`
	Title        string        `json:"title,omitempty" null:"true"`
	Context      string        `json:"context,omitempty" null:"true" doc:"What the document is about; it is not cited"`
	CacheControl *cacheControl `json:"cache_control,omitempty" null:"true"`
}

// messageSource is the content of an image or a document.
type messageSource struct {
	oneOf[messageSource] `discriminator:"type" doc:"The content of an image or a document"`
	Base64               messageBytes       `value:"base64"`
	URL                  messageAddress     `value:"url"`
	Text                 messagePlainText   `value:"text"`
	Other                messageOtherSource `value:"other"`
}

type messageBytes struct {
	_         struct{} `doc:"The bytes in base64"`
	Type      string   `json:"type" enum:"base64"`
	MediaType string   `json:"media_type" example:"image/png"`
	Data      string   `json:"data"`
}

type messageAddress struct {
	_    struct{} `doc:"An address from which the provider reads the content"`
	Type string   `json:"type" enum:"url"`
	URL  string   `json:"url"`
}

type messagePlainText struct {
	_         struct{} `doc:"A text"`
	Type      string   `json:"type" enum:"text"`
	MediaType string   `json:"media_type" example:"text/plain"`
	Data      string   `json:"data"`
}

type messageOtherSource struct {
	_    struct{} `doc:"Content of a type that this document does not name"`
	Type string   `json:"type"`
}

type messageToolResult struct {
	_            struct{}        `doc:"The result of a tool call"`
	Type         string          `json:"type" enum:"tool_result"`
	ToolUseID    string          `json:"tool_use_id" doc:"The id of the call"`
	Content      *messageContent `json:"content,omitempty" null:"true"`
	IsError      bool            `json:"is_error,omitempty" null:"true" doc:"Whether the tool failed"`
	CacheControl *cacheControl   `json:"cache_control,omitempty" null:"true"`
}

type messageToolUse struct {
	_            struct{}       `doc:"A call of a tool"`
	Type         string         `json:"type" enum:"tool_use"`
	ID           string         `json:"id"`
	Name         string         `json:"name"`
	Input        map[string]any `json:"input"`
	CacheControl *cacheControl  `json:"cache_control,omitempty" null:"true"`
}

type messageThought struct {
	_         struct{} `doc:"What the model thought. Send the block back unchanged: only the upstream that made it can read its signature"`
	Type      string   `json:"type" enum:"thinking"`
	Thinking  string   `json:"thinking"`
	Signature string   `json:"signature"`
}

type messageRedacted struct {
	_    struct{} `doc:"What the model thought, encrypted. Send the block back unchanged"`
	Type string   `json:"type" enum:"redacted_thinking"`
	Data string   `json:"data"`
}

type messageOtherBlock struct {
	_    struct{} `doc:"A block of a type that this document does not name, such as the result of a tool that the provider ran"`
	Type string   `json:"type"`
}
