package contract

import "github.com/danielgtaylor/huma/v2"

type responseMCPTool struct {
	_                 struct{}             `doc:"The tools of an MCP server, which the provider calls"`
	Type              string               `json:"type" enum:"mcp"`
	ServerLabel       string               `json:"server_label" doc:"A name of the server; calls repeat it"`
	ServerURL         string               `json:"server_url,omitempty" null:"true"`
	ServerDescription string               `json:"server_description,omitempty" null:"true"`
	ConnectorID       string               `json:"connector_id,omitempty" null:"true" known:"connector_dropbox,connector_gmail,connector_googlecalendar,connector_googledrive,connector_microsoftteams,connector_outlookcalendar,connector_outlookemail,connector_sharepoint" doc:"A service that the provider connects to, in place of server_url"`
	TunnelID          string               `json:"tunnel_id,omitempty" null:"true" doc:"A tunnel to the server, in place of server_url"`
	Authorization     string               `json:"authorization,omitempty" null:"true" doc:"An access token for the server"`
	Headers           map[string]string    `json:"headers,omitempty" null:"true" doc:"Headers that the provider sends to the server"`
	AllowedTools      *responseMCPAllowed  `json:"allowed_tools,omitempty" null:"true"`
	RequireApproval   *responseMCPApproval `json:"require_approval,omitempty" null:"true"`
	AllowedCallers    []string             `json:"allowed_callers,omitempty" null:"true" known:"direct,programmatic"`
	DeferLoading      bool                 `json:"defer_loading,omitempty" null:"true" doc:"Whether the model sees the tools only after it found them with a search"`
}

// responseMCPAllowed lists the tools of a server that the model may call.
type responseMCPAllowed struct {
	oneOf[responseMCPAllowed] `doc:"The tools of the server that the model may call: their names, or a filter"`
	Names                     responseMCPToolNames
	Filter                    responseMCPFilter
}

type responseMCPToolNames []string

// Schema implements huma.SchemaProvider.
func (responseMCPToolNames) Schema(r huma.Registry) *huma.Schema {
	return named[responseMCPToolNames](r, "Names of tools")
}

type responseMCPFilter struct {
	_         struct{} `doc:"Selects tools of an MCP server"`
	ToolNames []string `json:"tool_names,omitempty" null:"true"`
	ReadOnly  bool     `json:"read_only,omitempty" null:"true" doc:"Whether the server marks the tools as reading only"`
}

// responseMCPApproval says which calls need an approval of the caller.
type responseMCPApproval struct {
	oneOf[responseMCPApproval] `doc:"Which calls need an approval of the caller: always, never, or filters"`
	Setting                    responseMCPApprovalSetting
	Filters                    responseMCPApprovalFilters
}

type responseMCPApprovalSetting string

// Schema implements huma.SchemaProvider.
func (responseMCPApprovalSetting) Schema(r huma.Registry) *huma.Schema {
	return named[responseMCPApprovalSetting](r, "Whether every call needs an approval", "always", "never")
}

type responseMCPApprovalFilters struct {
	_      struct{}           `doc:"The tools whose calls always need an approval, and those whose calls never need one"`
	Always *responseMCPFilter `json:"always,omitempty" null:"true"`
	Never  *responseMCPFilter `json:"never,omitempty" null:"true"`
}

type responseMCPListTools struct {
	_           struct{}                `doc:"The tools that an MCP server has"`
	Type        string                  `json:"type" enum:"mcp_list_tools"`
	ID          string                  `json:"id,omitempty" null:"true"`
	ServerLabel string                  `json:"server_label"`
	Tools       []responseMCPServerTool `json:"tools"`
	Error       string                  `json:"error,omitempty" null:"true" doc:"Why the server did not list its tools"`
}

type responseMCPServerTool struct {
	_           struct{}       `doc:"A tool of an MCP server"`
	Name        string         `json:"name"`
	Description string         `json:"description,omitempty" null:"true"`
	InputSchema map[string]any `json:"input_schema" doc:"JSON schema of the tool's arguments"`
	Annotations map[string]any `json:"annotations,omitempty" null:"true" doc:"What the server says about the tool"`
}

type responseMCPApprovalRequest struct {
	_           struct{} `doc:"Asks the caller to approve a call"`
	Type        string   `json:"type" enum:"mcp_approval_request"`
	ID          string   `json:"id,omitempty" null:"true"`
	ServerLabel string   `json:"server_label"`
	Name        string   `json:"name"`
	Arguments   string   `json:"arguments" doc:"JSON"`
}

type responseMCPApprovalResponse struct {
	_                 struct{} `doc:"The caller's decision about a call"`
	Type              string   `json:"type" enum:"mcp_approval_response"`
	ID                string   `json:"id,omitempty" null:"true"`
	ApprovalRequestID string   `json:"approval_request_id"`
	Approve           bool     `json:"approve"`
	Reason            string   `json:"reason,omitempty" null:"true"`
}

type responseMCPCall struct {
	_                 struct{}          `doc:"A call of a tool of an MCP server"`
	Type              string            `json:"type" enum:"mcp_call"`
	ID                string            `json:"id,omitempty" null:"true"`
	ServerLabel       string            `json:"server_label"`
	Name              string            `json:"name"`
	Arguments         string            `json:"arguments" doc:"JSON"`
	Output            string            `json:"output,omitempty" null:"true" doc:"What the tool returned"`
	Error             *responseMCPError `json:"error,omitempty" null:"true"`
	Status            string            `json:"status,omitempty" null:"true" known:"in_progress,completed,incomplete,calling,failed"`
	ApprovalRequestID string            `json:"approval_request_id,omitempty" null:"true"`
}

// responseMCPError says why a call of a tool failed.
type responseMCPError struct {
	oneOf[responseMCPError] `doc:"Why the call failed: a text, or an object"`
	Text                    responseMCPErrorString
	Object                  responseMCPErrorObject
}

type responseMCPErrorString string

// Schema implements huma.SchemaProvider.
func (responseMCPErrorString) Schema(r huma.Registry) *huma.Schema {
	return named[responseMCPErrorString](r, "What went wrong")
}

// responseMCPErrorObject says why a call of a tool failed.
type responseMCPErrorObject struct {
	oneOf[responseMCPErrorObject] `discriminator:"type" doc:"Why the call failed"`
	Protocol                      responseMCPProtocolError   `value:"mcp_protocol_error,http_error"`
	Execution                     responseMCPExecutionError  `value:"mcp_tool_execution_error"`
	Other                         responseMCPUnexpectedError `value:"other"`
}

type responseMCPProtocolError struct {
	_       struct{} `doc:"The server could not be called"`
	Type    string   `json:"type" enum:"mcp_protocol_error,http_error"`
	Code    int64    `json:"code"`
	Message string   `json:"message"`
}

type responseMCPExecutionError struct {
	_       struct{} `doc:"The tool failed"`
	Type    string   `json:"type" enum:"mcp_tool_execution_error"`
	Content any      `json:"content" doc:"What the tool returned; any JSON"`
}

type responseMCPUnexpectedError struct {
	_    struct{} `doc:"An error of a type that this document does not name"`
	Type string   `json:"type"`
}
