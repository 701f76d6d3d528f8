package contract

import "github.com/danielgtaylor/huma/v2"

// responseToolChoice says whether the model must call tools, and which.
type responseToolChoice struct {
	oneOf[responseToolChoice] `doc:"Whether the model must call tools, and which: a mode, or an object that names tools"`
	Mode                      responseToolMode
	Tool                      responseToolSelection
}

type responseToolMode string

// Schema implements huma.SchemaProvider.
func (responseToolMode) Schema(r huma.Registry) *huma.Schema {
	return named[responseToolMode](r, "none: no tool. auto: the model decides. required: at least one tool", "none",
		"auto", "required")
}

// responseToolSelection names the tools that the model must call.
type responseToolSelection struct {
	oneOf[responseToolSelection] `discriminator:"type" doc:"The tools that the model must or may call"`
	Function                     responseChosenFunction   `value:"function"`
	Custom                       responseChosenCustomTool `value:"custom"`
	Allowed                      responseAllowedTools     `value:"allowed_tools"`
	MCP                          responseChosenMCP        `value:"mcp"`
	Provider                     responseChosenProvider   `value:"web_search,web_search_preview,web_search_preview_2025_03_11,file_search,code_interpreter,image_generation,computer,computer_use,computer_use_preview,shell,apply_patch,programmatic_tool_calling"`
	Other                        responseOtherSelection   `value:"other"`
}

type responseChosenFunction struct {
	_    struct{} `doc:"The model must call this function"`
	Type string   `json:"type" enum:"function"`
	Name string   `json:"name"`
}

type responseChosenCustomTool struct {
	_    struct{} `doc:"The model must call this custom tool"`
	Type string   `json:"type" enum:"custom"`
	Name string   `json:"name"`
}

type responseAllowedTools struct {
	_     struct{}         `doc:"The model may only call these of the request's tools"`
	Type  string           `json:"type" enum:"allowed_tools"`
	Mode  string           `json:"mode" known:"auto,required" doc:"Whether it may or must call them"`
	Tools []map[string]any `json:"tools" doc:"Each tool with its type and what identifies it, such as the name of a function"`
}

type responseChosenMCP struct {
	_           struct{} `doc:"The model must call this MCP server"`
	Type        string   `json:"type" enum:"mcp"`
	ServerLabel string   `json:"server_label,omitempty" doc:"The label of the server; can be left out if the request has one"`
	Name        string   `json:"name,omitempty" null:"true" doc:"A tool of the server"`
}

type responseChosenProvider struct {
	_    struct{} `doc:"The model must call this tool of the provider"`
	Type string   `json:"type" enum:"web_search,web_search_preview,web_search_preview_2025_03_11,file_search,code_interpreter,image_generation,computer,computer_use,computer_use_preview,shell,apply_patch,programmatic_tool_calling"`
}

type responseOtherSelection struct {
	_    struct{} `doc:"A choice that this document does not name"`
	Type string   `json:"type"`
}
