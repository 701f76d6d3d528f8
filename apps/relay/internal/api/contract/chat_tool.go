package contract

import "github.com/danielgtaylor/huma/v2"

// chatTool is a tool that the model may call.
type chatTool struct {
	oneOf[chatTool] `discriminator:"type" doc:"A tool that the model may call"`
	Function        chatFunctionTool `value:"function"`
	Custom          chatCustomTool   `value:"custom"`
	Other           chatOtherTool    `value:"other"`
}

type chatFunctionTool struct {
	_            struct{}      `doc:"A function of the caller"`
	Type         string        `json:"type" enum:"function"`
	Function     chatFunction  `json:"function"`
	CacheControl *cacheControl `json:"cache_control,omitempty" null:"true"`
}

// chatFunction describes a function that the model may call.
type chatFunction struct {
	_           struct{}       `doc:"A function that the model may call"`
	Name        string         `json:"name" example:"get_weather"`
	Description string         `json:"description,omitempty" doc:"When and how to call the function. The model reads it"`
	Parameters  map[string]any `json:"parameters,omitempty" null:"true" doc:"A JSON schema of the arguments"`
	Strict      bool           `json:"strict,omitempty" null:"true" doc:"Whether the arguments must match the schema exactly"`
}

type chatCustomTool struct {
	_      struct{}   `doc:"A tool of the caller whose input is a text"`
	Type   string     `json:"type" enum:"custom"`
	Custom customTool `json:"custom"`
}

type customTool struct {
	_           struct{}          `doc:"A tool whose input is a text"`
	Name        string            `json:"name"`
	Description string            `json:"description,omitempty" doc:"When and how to call the tool. The model reads it"`
	Format      *chatCustomFormat `json:"format,omitempty"`
}

// chatCustomFormat is the format of the input of a custom tool.
type chatCustomFormat struct {
	oneOf[chatCustomFormat] `discriminator:"type" doc:"The format of a custom tool's input. The default is any text"`
	Text                    chatTextFormat    `value:"text"`
	Grammar                 chatGrammarFormat `value:"grammar"`
}

type chatTextFormat struct {
	_    struct{} `doc:"Any text"`
	Type string   `json:"type" enum:"text"`
}

type chatGrammarFormat struct {
	_       struct{}    `doc:"A text of a grammar"`
	Type    string      `json:"type" enum:"grammar"`
	Grammar chatGrammar `json:"grammar"`
}

type chatGrammar struct {
	_          struct{} `doc:"A grammar"`
	Syntax     string   `json:"syntax" known:"lark,regex"`
	Definition string   `json:"definition"`
}

type chatOtherTool struct {
	_    struct{} `doc:"A tool of a type that this document does not name"`
	Type string   `json:"type"`
}

// chatToolChoice says whether the model must call tools, and which.
type chatToolChoice struct {
	oneOf[chatToolChoice] `doc:"Whether the model must call tools, and which"`
	Mode                  chatToolMode
	Named                 chatNamedToolChoice
}

type chatToolMode string

// Schema implements huma.SchemaProvider.
func (chatToolMode) Schema(r huma.Registry) *huma.Schema {
	return named[chatToolMode](r, "none: call no tool. auto: the model decides. required: call at least one", "none",
		"auto", "required")
}

// chatNamedToolChoice names the tools to call.
type chatNamedToolChoice struct {
	oneOf[chatNamedToolChoice] `discriminator:"type" doc:"The tool that the model must call, or the tools that it may call"`
	Function                   chatFunctionChoice `value:"function"`
	Custom                     chatCustomChoice   `value:"custom"`
	Allowed                    chatAllowedTools   `value:"allowed_tools"`
	Other                      chatOtherChoice    `value:"other"`
}

type chatFunctionChoice struct {
	_        struct{}     `doc:"The function that the model must call"`
	Type     string       `json:"type" enum:"function"`
	Function chatToolName `json:"function"`
}

type chatCustomChoice struct {
	_      struct{}     `doc:"The custom tool that the model must call"`
	Type   string       `json:"type" enum:"custom"`
	Custom chatToolName `json:"custom"`
}

type chatToolName struct {
	_    struct{} `doc:"A tool of the request"`
	Name string   `json:"name"`
}

type chatAllowedTools struct {
	_            struct{}         `doc:"The tools of the request that the model may call"`
	Type         string           `json:"type" enum:"allowed_tools"`
	AllowedTools chatAllowedNames `json:"allowed_tools"`
}

type chatAllowedNames struct {
	_     struct{}            `doc:"The tools that the model may call, and whether it must call one"`
	Mode  string              `json:"mode" known:"auto,required"`
	Tools []chatToolReference `json:"tools"`
}

type chatToolReference struct {
	_        struct{}      `doc:"A tool of the request, by its type and name"`
	Type     string        `json:"type" known:"function,custom"`
	Function *chatToolName `json:"function,omitempty"`
	Custom   *chatToolName `json:"custom,omitempty"`
}

type chatOtherChoice struct {
	_    struct{} `doc:"A choice of a type that this document does not name"`
	Type string   `json:"type"`
}

// chatFunctionMode is the older form of a tool choice.
type chatFunctionMode struct {
	oneOf[chatFunctionMode] `doc:"Older form of tool_choice"`
	Mode                    chatFunctionModeName
	Name                    chatToolName
}

type chatFunctionModeName string

// Schema implements huma.SchemaProvider.
func (chatFunctionModeName) Schema(r huma.Registry) *huma.Schema {
	return named[chatFunctionModeName](r, "none: call no function. auto: the model decides", "none", "auto")
}

// chatToolCall is a call of a tool.
type chatToolCall struct {
	oneOf[chatToolCall] `discriminator:"type" doc:"A call of a tool"`
	Function            chatFunctionCall `value:"function"`
	Custom              chatCustomCall   `value:"custom"`
	Other               chatOtherCall    `value:"other"`
}

type chatFunctionCall struct {
	_            struct{}      `doc:"A call of a function"`
	ID           string        `json:"id"`
	Type         string        `json:"type" enum:"function"`
	Function     chatCalled    `json:"function"`
	ExtraContent *extraContent `json:"extra_content,omitempty" null:"true"`
}

// chatCalled is the name and the arguments of a function call.
type chatCalled struct {
	_         struct{} `doc:"The name and the arguments of a function call"`
	Name      string   `json:"name"`
	Arguments string   `json:"arguments" doc:"The arguments as JSON. A model can write invalid JSON"`
}

// chatCalledOnce is a function call in the older form.
type chatCalledOnce struct {
	_         struct{} `doc:"A function call in the older form"`
	Name      string   `json:"name,omitempty"`
	Arguments string   `json:"arguments,omitempty" doc:"The arguments as JSON; in a stream, a piece of them"`
}

type chatCustomCall struct {
	_      struct{}   `doc:"A call of a custom tool"`
	ID     string     `json:"id"`
	Type   string     `json:"type" enum:"custom"`
	Custom customCall `json:"custom"`
}

type customCall struct {
	_     struct{} `doc:"The name and the input of a custom tool's call"`
	Name  string   `json:"name"`
	Input string   `json:"input"`
}

type chatOtherCall struct {
	_    struct{} `doc:"A call of a type that this document does not name"`
	ID   string   `json:"id,omitempty"`
	Type string   `json:"type"`
}

// extraContent is Google's place for what OpenAI has no field for.
type extraContent struct {
	_      struct{}     `doc:"What Google's models want back with the call. Not a field of OpenAI"`
	Google *googleExtra `json:"google,omitempty"`
}

type googleExtra struct {
	_                struct{} `doc:"What Google's models want back with the call"`
	ThoughtSignature string   `json:"thought_signature,omitempty" doc:"The sealed reasoning that led to the call"`
}
