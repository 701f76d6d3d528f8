package contract

// responseInputItem is an item of the input.
type responseInputItem struct {
	oneOf[responseInputItem] `discriminator:"type" doc:"An item of the input: a message, a call, the result of a call, or other things that happened. Every item of an output can be an item of the next input"`
	Message                  responseInputMessage        `value:"message"`
	FunctionCall             responseFunctionCall        `value:"function_call"`
	FunctionOutput           responseFunctionCallOutput  `value:"function_call_output"`
	CustomCall               responseCustomToolCall      `value:"custom_tool_call"`
	CustomOutput             responseCustomToolOutput    `value:"custom_tool_call_output"`
	Reasoning                responseReasoningItem       `value:"reasoning"`
	Compaction               responseCompactionItem      `value:"compaction"`
	CompactionTrigger        responseCompactionTrigger   `value:"compaction_trigger"`
	Reference                responseItemReference       `value:"item_reference"`
	WebSearch                responseWebSearchCall       `value:"web_search_call"`
	FileSearch               responseFileSearchCall      `value:"file_search_call"`
	CodeInterpreter          responseCodeInterpreterCall `value:"code_interpreter_call"`
	ImageGeneration          responseImageGenerationCall `value:"image_generation_call"`
	Computer                 responseComputerCall        `value:"computer_call"`
	ComputerOutput           responseComputerOutput      `value:"computer_call_output"`
	Shell                    responseShellCall           `value:"shell_call"`
	ShellOutput              responseShellCallOutput     `value:"shell_call_output"`
	LocalShell               responseLocalShellCall      `value:"local_shell_call"`
	LocalShellOutput         responseLocalShellOutput    `value:"local_shell_call_output"`
	ApplyPatch               responseApplyPatchCall      `value:"apply_patch_call"`
	ApplyPatchOutput         responseApplyPatchOutput    `value:"apply_patch_call_output"`
	MCPTools                 responseMCPListTools        `value:"mcp_list_tools"`
	MCPRequest               responseMCPApprovalRequest  `value:"mcp_approval_request"`
	MCPResponse              responseMCPApprovalResponse `value:"mcp_approval_response"`
	MCPCall                  responseMCPCall             `value:"mcp_call"`
	ToolSearch               responseToolSearchCall      `value:"tool_search_call"`
	ToolSearchOutput         responseToolSearchOutput    `value:"tool_search_output"`
	AdditionalTools          responseAdditionalTools     `value:"additional_tools"`
	Configuration            responseConfigurationUpdate `value:"configuration_update"`
	Program                  responseProgram             `value:"program"`
	ProgramOutput            responseProgramOutput       `value:"program_output"`
	Other                    responseOtherInputItem      `value:"other"`
}

type responseOtherInputItem struct {
	_    struct{} `doc:"An item of a type that this document does not name"`
	Type string   `json:"type"`
}

// responseOutputItem is an item of the output.
type responseOutputItem struct {
	oneOf[responseOutputItem] `discriminator:"type" doc:"An item that the model generated: a message, a call, or other things that happened"`
	Message                   responseOutputMessage       `value:"message"`
	FunctionCall              responseFunctionCall        `value:"function_call"`
	FunctionOutput            responseFunctionCallOutput  `value:"function_call_output"`
	CustomCall                responseCustomToolCall      `value:"custom_tool_call"`
	CustomOutput              responseCustomToolOutput    `value:"custom_tool_call_output"`
	Reasoning                 responseReasoningItem       `value:"reasoning"`
	Compaction                responseCompactionItem      `value:"compaction"`
	WebSearch                 responseWebSearchCall       `value:"web_search_call"`
	FileSearch                responseFileSearchCall      `value:"file_search_call"`
	CodeInterpreter           responseCodeInterpreterCall `value:"code_interpreter_call"`
	ImageGeneration           responseImageGenerationCall `value:"image_generation_call"`
	Computer                  responseComputerCall        `value:"computer_call"`
	ComputerOutput            responseComputerOutput      `value:"computer_call_output"`
	Shell                     responseShellCall           `value:"shell_call"`
	ShellOutput               responseShellCallOutput     `value:"shell_call_output"`
	LocalShell                responseLocalShellCall      `value:"local_shell_call"`
	LocalShellOutput          responseLocalShellOutput    `value:"local_shell_call_output"`
	ApplyPatch                responseApplyPatchCall      `value:"apply_patch_call"`
	ApplyPatchOutput          responseApplyPatchOutput    `value:"apply_patch_call_output"`
	MCPTools                  responseMCPListTools        `value:"mcp_list_tools"`
	MCPRequest                responseMCPApprovalRequest  `value:"mcp_approval_request"`
	MCPResponse               responseMCPApprovalResponse `value:"mcp_approval_response"`
	MCPCall                   responseMCPCall             `value:"mcp_call"`
	ToolSearch                responseToolSearchCall      `value:"tool_search_call"`
	ToolSearchOutput          responseToolSearchOutput    `value:"tool_search_output"`
	AdditionalTools           responseAdditionalTools     `value:"additional_tools"`
	Program                   responseProgram             `value:"program"`
	ProgramOutput             responseProgramOutput       `value:"program_output"`
	Other                     responseOtherOutputItem     `value:"other"`
}

type responseOtherOutputItem struct {
	_    struct{} `doc:"An item of a type that this document does not name"`
	Type string   `json:"type"`
}

type responseInputMessage struct {
	_       struct{}        `doc:"A message of the conversation"`
	Type    string          `json:"type,omitempty" enum:"message" doc:"Can be left out"`
	Role    string          `json:"role" known:"user,assistant,system,developer"`
	Content responseContent `json:"content"`
	ID      string          `json:"id,omitempty" null:"true"`
	Status  string          `json:"status,omitempty" null:"true" known:"in_progress,completed,incomplete"`
	Phase   string          `json:"phase,omitempty" null:"true" known:"commentary,final_answer" doc:"Whether an assistant's message is a comment on its work or the answer"`
}

type responseOutputMessage struct {
	_       struct{}             `doc:"A message that the model generated"`
	Type    string               `json:"type" enum:"message"`
	ID      string               `json:"id"`
	Role    string               `json:"role" known:"assistant"`
	Content []responseOutputPart `json:"content"`
	Status  string               `json:"status,omitempty" null:"true" known:"in_progress,completed,incomplete"`
	Phase   string               `json:"phase,omitempty" null:"true" known:"commentary,final_answer" doc:"Whether the message is a comment on the work or the answer"`
}

type responseFunctionCall struct {
	_         struct{}        `doc:"A call of a function of the caller. The next input has its result in a function_call_output"`
	Type      string          `json:"type" enum:"function_call"`
	ID        string          `json:"id,omitempty" null:"true"`
	CallID    string          `json:"call_id" doc:"Connects the call with its result"`
	Name      string          `json:"name"`
	Namespace string          `json:"namespace,omitempty" null:"true" doc:"The group of the function"`
	Arguments string          `json:"arguments" doc:"JSON"`
	Status    string          `json:"status,omitempty" null:"true" known:"in_progress,completed,incomplete"`
	Caller    *responseCaller `json:"caller,omitempty" null:"true"`
	Async     bool            `json:"async,omitempty" null:"true" doc:"Whether the model continues before it has the result"`
	CreatedBy string          `json:"created_by,omitempty" null:"true"`
}

type responseFunctionCallOutput struct {
	_         struct{}        `doc:"The result of a function call"`
	Type      string          `json:"type" enum:"function_call_output"`
	ID        string          `json:"id,omitempty" null:"true"`
	CallID    string          `json:"call_id,omitempty" null:"true" doc:"The call_id of the function call"`
	Name      string          `json:"name,omitempty" null:"true"`
	Namespace string          `json:"namespace,omitempty" null:"true"`
	Output    responseContent `json:"output"`
	Status    string          `json:"status,omitempty" null:"true" known:"in_progress,completed,incomplete"`
	Caller    *responseCaller `json:"caller,omitempty" null:"true"`
	CreatedBy string          `json:"created_by,omitempty" null:"true"`
}

type responseCustomToolCall struct {
	_         struct{}        `doc:"A call of a custom tool of the caller"`
	Type      string          `json:"type" enum:"custom_tool_call"`
	ID        string          `json:"id,omitempty" null:"true"`
	CallID    string          `json:"call_id" doc:"Connects the call with its result"`
	Name      string          `json:"name"`
	Namespace string          `json:"namespace,omitempty" null:"true" doc:"The group of the tool"`
	Input     string          `json:"input"`
	Status    string          `json:"status,omitempty" null:"true" known:"in_progress,completed,incomplete"`
	Caller    *responseCaller `json:"caller,omitempty" null:"true"`
	Async     bool            `json:"async,omitempty" null:"true" doc:"Whether the model continues before it has the result"`
	CreatedBy string          `json:"created_by,omitempty" null:"true"`
}

type responseCustomToolOutput struct {
	_         struct{}        `doc:"The result of a call of a custom tool"`
	Type      string          `json:"type" enum:"custom_tool_call_output"`
	ID        string          `json:"id,omitempty" null:"true"`
	CallID    string          `json:"call_id" doc:"The call_id of the call"`
	Output    responseContent `json:"output"`
	Status    string          `json:"status,omitempty" null:"true" known:"in_progress,completed,incomplete"`
	Caller    *responseCaller `json:"caller,omitempty" null:"true"`
	CreatedBy string          `json:"created_by,omitempty" null:"true"`
}

// responseCaller says who made a call.
type responseCaller struct {
	oneOf[responseCaller] `discriminator:"type" doc:"Who made the call: the model itself, or a program that it wrote"`
	Direct                responseDirectCaller  `value:"direct"`
	Program               responseProgramCaller `value:"program"`
	Other                 responseOtherCaller   `value:"other"`
}

type responseDirectCaller struct {
	_    struct{} `doc:"The model made the call itself"`
	Type string   `json:"type" enum:"direct"`
}

type responseProgramCaller struct {
	_        struct{} `doc:"A program of the model made the call"`
	Type     string   `json:"type" enum:"program"`
	CallerID string   `json:"caller_id" doc:"The call_id of the program"`
}

type responseOtherCaller struct {
	_    struct{} `doc:"A caller that this document does not name"`
	Type string   `json:"type"`
}

type responseReasoningItem struct {
	_                struct{}                `doc:"Reasoning of the model. Return it with the next input, so that the model can continue it"`
	Type             string                  `json:"type" enum:"reasoning"`
	ID               string                  `json:"id,omitempty" null:"true"`
	Summary          []responseSummaryText   `json:"summary"`
	Content          []responseReasoningText `json:"content,omitempty" null:"true" doc:"The reasoning itself, if the model reveals it"`
	EncryptedContent string                  `json:"encrypted_content,omitempty" null:"true" doc:"The reasoning in a form that only the channel that made it can read; with include: reasoning.encrypted_content"`
	Status           string                  `json:"status,omitempty" null:"true" known:"in_progress,completed,incomplete"`
}

type responseSummaryText struct {
	_    struct{} `doc:"A part of a summary of the reasoning"`
	Type string   `json:"type" enum:"summary_text"`
	Text string   `json:"text"`
}

type responseCompactionItem struct {
	_                struct{} `doc:"An earlier part of the conversation in a short form"`
	Type             string   `json:"type" enum:"compaction"`
	ID               string   `json:"id,omitempty" null:"true"`
	EncryptedContent string   `json:"encrypted_content" doc:"Only the channel that made it can read it"`
	CreatedBy        string   `json:"created_by,omitempty" null:"true"`
}

type responseCompactionTrigger struct {
	_    struct{} `doc:"Compact the conversation up to here"`
	Type string   `json:"type" enum:"compaction_trigger"`
	ID   string   `json:"id,omitempty" null:"true"`
}

type responseItemReference struct {
	_    struct{} `doc:"An item that the provider stores" without:"content"`
	Type string   `json:"type,omitempty" enum:"item_reference" doc:"Can be left out"`
	ID   string   `json:"id"`
}

type responseToolSearchCall struct {
	_         struct{} `doc:"A search for tools"`
	Type      string   `json:"type" enum:"tool_search_call"`
	ID        string   `json:"id,omitempty" null:"true"`
	CallID    string   `json:"call_id,omitempty" null:"true"`
	Execution string   `json:"execution,omitempty" null:"true" known:"server,client" doc:"Who searches: the provider or the caller"`
	Arguments any      `json:"arguments" doc:"What is searched; any JSON"`
	Status    string   `json:"status,omitempty" null:"true" known:"in_progress,completed,incomplete"`
	CreatedBy string   `json:"created_by,omitempty" null:"true"`
}

type responseToolSearchOutput struct {
	_         struct{}       `doc:"The tools that a search found. The model can call them from here on"`
	Type      string         `json:"type" enum:"tool_search_output"`
	ID        string         `json:"id,omitempty" null:"true"`
	CallID    string         `json:"call_id,omitempty" null:"true"`
	Execution string         `json:"execution,omitempty" null:"true" known:"server,client" doc:"Who searched: the provider or the caller"`
	Tools     []responseTool `json:"tools"`
	Status    string         `json:"status,omitempty" null:"true" known:"in_progress,completed,incomplete"`
	CreatedBy string         `json:"created_by,omitempty" null:"true"`
}

type responseAdditionalTools struct {
	_     struct{}       `doc:"More tools, which the model can call from here on"`
	Type  string         `json:"type" enum:"additional_tools"`
	ID    string         `json:"id,omitempty" null:"true"`
	Role  string         `json:"role" known:"developer,user,assistant,system,tool,critic,discriminator,unknown"`
	Tools []responseTool `json:"tools"`
}

type responseConfigurationUpdate struct {
	_         struct{}                   `doc:"Settings that are in effect from here on"`
	Type      string                     `json:"type" enum:"configuration_update"`
	ID        string                     `json:"id,omitempty" null:"true"`
	Reasoning *responseReasoningUpdate   `json:"reasoning,omitempty" null:"true"`
	Text      *responseTextConfiguration `json:"text,omitempty" null:"true"`
}

type responseReasoningUpdate struct {
	_      struct{} `doc:"How much the model reasons from here on"`
	Effort string   `json:"effort,omitempty" null:"true" known:"none,minimal,low,medium,high,xhigh,max"`
}

type responseTextConfiguration struct {
	_      struct{}           `doc:"The form of the text from here on"`
	Format responseTextFormat `json:"format"`
}

type responseProgram struct {
	_           struct{} `doc:"A program that the model wrote to call tools"`
	Type        string   `json:"type" enum:"program"`
	ID          string   `json:"id,omitempty" null:"true"`
	CallID      string   `json:"call_id"`
	Code        string   `json:"code"`
	Fingerprint string   `json:"fingerprint" doc:"Proves that the model wrote the program"`
}

type responseProgramOutput struct {
	_      struct{} `doc:"The result of a program"`
	Type   string   `json:"type" enum:"program_output"`
	ID     string   `json:"id,omitempty" null:"true"`
	CallID string   `json:"call_id"`
	Result string   `json:"result"`
	Status string   `json:"status,omitempty" null:"true" known:"completed,incomplete"`
}
