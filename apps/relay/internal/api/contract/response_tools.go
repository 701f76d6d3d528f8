package contract

import "github.com/danielgtaylor/huma/v2"

// responseTool is a tool that the model may call.
type responseTool struct {
	oneOf[responseTool] `discriminator:"type" doc:"A tool that the model may call. The caller runs functions, custom tools and local tools; the provider runs the others"`
	Function            responseFunctionTool         `value:"function"`
	Custom              responseCustomTool           `value:"custom"`
	Namespace           responseNamespaceTool        `value:"namespace"`
	WebSearch           responseWebSearchTool        `value:"web_search,web_search_2025_08_26"`
	WebPreview          responseWebSearchPreviewTool `value:"web_search_preview,web_search_preview_2025_03_11"`
	FileSearch          responseFileSearchTool       `value:"file_search"`
	CodeInterpreter     responseCodeInterpreterTool  `value:"code_interpreter"`
	ImageGeneration     responseImageGenerationTool  `value:"image_generation"`
	MCP                 responseMCPTool              `value:"mcp"`
	Computer            responseComputerTool         `value:"computer"`
	ComputerPreview     responseComputerPreviewTool  `value:"computer_use_preview"`
	Shell               responseShellTool            `value:"shell"`
	LocalShell          responseLocalShellTool       `value:"local_shell"`
	ApplyPatch          responseApplyPatchTool       `value:"apply_patch"`
	ToolSearch          responseToolSearchTool       `value:"tool_search"`
	Programmatic        responseProgrammaticTool     `value:"programmatic_tool_calling"`
	Other               responseOtherTool            `value:"other"`
}

type responseFunctionTool struct {
	_              struct{}       `doc:"A function of the caller"`
	Type           string         `json:"type" enum:"function"`
	Name           string         `json:"name" example:"get_weather"`
	Description    string         `json:"description,omitempty" null:"true" doc:"When and how to call the function; the model reads it"`
	Parameters     map[string]any `json:"parameters,omitempty" null:"true" doc:"JSON schema of the function's arguments"`
	Strict         bool           `json:"strict,omitempty" null:"true" doc:"Whether the arguments must match the schema exactly. Defaults to true"`
	OutputSchema   map[string]any `json:"output_schema,omitempty" null:"true" doc:"JSON schema of the function's result"`
	AllowedCallers []string       `json:"allowed_callers,omitempty" null:"true" known:"direct,programmatic"`
	DeferLoading   bool           `json:"defer_loading,omitempty" null:"true" doc:"Whether the model sees the tool only after it found the tool with a search"`
	Async          bool           `json:"async,omitempty" null:"true" doc:"Whether the model continues before it has the result"`
}

type responseCustomTool struct {
	_              struct{}              `doc:"A tool of the caller whose input is text"`
	Type           string                `json:"type" enum:"custom"`
	Name           string                `json:"name"`
	Description    string                `json:"description,omitempty" null:"true" doc:"When and how to call the tool; the model reads it"`
	Format         *responseCustomFormat `json:"format,omitempty" null:"true"`
	AllowedCallers []string              `json:"allowed_callers,omitempty" null:"true" known:"direct,programmatic"`
	DeferLoading   bool                  `json:"defer_loading,omitempty" null:"true" doc:"Whether the model sees the tool only after it found the tool with a search"`
	Async          bool                  `json:"async,omitempty" null:"true" doc:"Whether the model continues before it has the result"`
}

// responseCustomFormat is the format of the input of a custom tool.
type responseCustomFormat struct {
	oneOf[responseCustomFormat] `discriminator:"type" doc:"The format of a custom tool's input. The default is any text"`
	Text                        responsePlainText         `value:"text"`
	Grammar                     responseGrammar           `value:"grammar"`
	Other                       responseOtherCustomFormat `value:"other"`
}

type responseGrammar struct {
	_          struct{} `doc:"Text of a grammar"`
	Type       string   `json:"type" enum:"grammar"`
	Syntax     string   `json:"syntax" known:"lark,regex"`
	Definition string   `json:"definition" doc:"The grammar itself"`
}

type responseOtherCustomFormat struct {
	_    struct{} `doc:"A format that this document does not name"`
	Type string   `json:"type"`
}

type responseNamespaceTool struct {
	_           struct{}                `doc:"A group of tools of the caller. Calls have the group's name as their namespace"`
	Type        string                  `json:"type" enum:"namespace"`
	Name        string                  `json:"name"`
	Description string                  `json:"description,omitempty" null:"true" doc:"What the tools are for; the model reads it"`
	Tools       []responseNamespaceItem `json:"tools"`
}

// responseNamespaceItem is a tool of a group.
type responseNamespaceItem struct {
	oneOf[responseNamespaceItem] `discriminator:"type" doc:"A tool of a group"`
	Function                     responseFunctionTool       `value:"function"`
	Custom                       responseCustomTool         `value:"custom"`
	Other                        responseOtherNamespaceItem `value:"other"`
}

type responseOtherNamespaceItem struct {
	_    struct{} `doc:"A tool of a type that this document does not name"`
	Type string   `json:"type"`
}

type responseWebSearchTool struct {
	_                 struct{}             `doc:"A search of the web"`
	Type              string               `json:"type" enum:"web_search,web_search_2025_08_26"`
	SearchContextSize string               `json:"search_context_size,omitempty" null:"true" known:"low,medium,high" doc:"How much of the found pages the model reads"`
	UserLocation      *responseLocation    `json:"user_location,omitempty" null:"true"`
	Filters           *responseDomainRules `json:"filters,omitempty" null:"true"`
	ExternalWebAccess bool                 `json:"external_web_access,omitempty" null:"true" doc:"Whether the tool may load pages. Without it, it only uses what the provider has stored"`
}

type responseWebSearchPreviewTool struct {
	_                  struct{}          `doc:"A search of the web, older version"`
	Type               string            `json:"type" enum:"web_search_preview,web_search_preview_2025_03_11"`
	SearchContextSize  string            `json:"search_context_size,omitempty" null:"true" known:"low,medium,high" doc:"How much of the found pages the model reads"`
	SearchContentTypes []string          `json:"search_content_types,omitempty" null:"true" known:"text,image"`
	UserLocation       *responseLocation `json:"user_location,omitempty" null:"true"`
}

type responseLocation struct {
	_        struct{} `doc:"Where the user is, so that a search can prefer results nearby"`
	Type     string   `json:"type,omitempty" null:"true" known:"approximate"`
	City     string   `json:"city,omitempty" null:"true"`
	Region   string   `json:"region,omitempty" null:"true"`
	Country  string   `json:"country,omitempty" null:"true" doc:"Two-letter code of the country" example:"DE"`
	Timezone string   `json:"timezone,omitempty" null:"true" example:"Europe/Berlin"`
}

type responseDomainRules struct {
	_              struct{} `doc:"The sites that a search may use"`
	AllowedDomains []string `json:"allowed_domains,omitempty" null:"true" doc:"Domains, with their subdomains"`
}

type responseFileSearchTool struct {
	_              struct{}               `doc:"A search in files that the provider stores"`
	Type           string                 `json:"type" enum:"file_search"`
	VectorStoreIDs []string               `json:"vector_store_ids"`
	MaxNumResults  int64                  `json:"max_num_results,omitempty" null:"true"`
	RankingOptions *responseRanking       `json:"ranking_options,omitempty" null:"true"`
	Filters        *responseFileCondition `json:"filters,omitempty" null:"true"`
}

type responseRanking struct {
	_              struct{}              `doc:"How results are ranked"`
	Ranker         string                `json:"ranker,omitempty" null:"true" known:"auto,default-2024-11-15"`
	ScoreThreshold float64               `json:"score_threshold,omitempty" null:"true" doc:"The lowest score of a result, from 0 to 1"`
	HybridSearch   *responseHybridSearch `json:"hybrid_search,omitempty" null:"true"`
}

type responseHybridSearch struct {
	_               struct{} `doc:"The weights of the two kinds of search"`
	EmbeddingWeight float64  `json:"embedding_weight" doc:"Weight of the search by meaning"`
	TextWeight      float64  `json:"text_weight" doc:"Weight of the search by words"`
}

// responseFileCondition is a condition on the attributes of a file.
type responseFileCondition struct {
	oneOf[responseFileCondition] `discriminator:"type" doc:"A condition on the attributes of a file"`
	Comparison                   responseFileComparison `value:"eq,ne,gt,gte,lt,lte,in,nin"`
	Compound                     responseFileCompound   `value:"and,or"`
}

type responseFileComparison struct {
	_     struct{}          `doc:"Compares an attribute with a value"`
	Type  string            `json:"type" enum:"eq,ne,gt,gte,lt,lte,in,nin"`
	Key   string            `json:"key" doc:"The name of the attribute"`
	Value responseFileValue `json:"value"`
}

// responseFileValue is a value that an attribute of a file is compared with.
type responseFileValue struct {
	oneOf[responseFileValue] `doc:"A value that an attribute of a file is compared with. The comparisons in and nin have a list"`
	Text                     responseAttributeText
	Number                   responseAttributeNumber
	Flag                     responseAttributeFlag
	List                     responseAttributeList
}

// responseAttribute is an attribute of a file.
type responseAttribute struct {
	oneOf[responseAttribute] `doc:"An attribute of a file"`
	Text                     responseAttributeText
	Number                   responseAttributeNumber
	Flag                     responseAttributeFlag
}

type responseAttributeText string

// Schema implements huma.SchemaProvider.
func (responseAttributeText) Schema(r huma.Registry) *huma.Schema {
	return named[responseAttributeText](r, "An attribute that is a text")
}

type responseAttributeNumber float64

// Schema implements huma.SchemaProvider.
func (responseAttributeNumber) Schema(r huma.Registry) *huma.Schema {
	return named[responseAttributeNumber](r, "An attribute that is a number")
}

type responseAttributeFlag bool

// Schema implements huma.SchemaProvider.
func (responseAttributeFlag) Schema(r huma.Registry) *huma.Schema {
	return named[responseAttributeFlag](r, "An attribute that is true or false")
}

type responseAttributeList []responseListedValue

// Schema implements huma.SchemaProvider.
func (responseAttributeList) Schema(r huma.Registry) *huma.Schema {
	return named[responseAttributeList](r, "Texts and numbers")
}

// responseListedValue is a value of a list.
type responseListedValue struct {
	oneOf[responseListedValue] `doc:"A text or a number"`
	Text                       responseAttributeText
	Number                     responseAttributeNumber
}

type responseFileCompound struct {
	_       struct{}                `doc:"Combines conditions"`
	Type    string                  `json:"type" enum:"and,or"`
	Filters []responseFileCondition `json:"filters"`
}

type responseCodeInterpreterTool struct {
	_              struct{}              `doc:"Runs Python code in a container of the provider"`
	Type           string                `json:"type" enum:"code_interpreter"`
	Container      responseCodeContainer `json:"container"`
	AllowedCallers []string              `json:"allowed_callers,omitempty" null:"true" known:"direct,programmatic"`
}

// responseCodeContainer is the container that runs code.
type responseCodeContainer struct {
	oneOf[responseCodeContainer] `doc:"The id of a container, or the settings of a new one"`
	ID                           responseContainerID
	Auto                         responseAutoContainer
}

type responseContainerID string

// Schema implements huma.SchemaProvider.
func (responseContainerID) Schema(r huma.Registry) *huma.Schema {
	return named[responseContainerID](r, "The id of a container")
}

type responseAutoContainer struct {
	_             struct{}               `doc:"The settings of a new container"`
	Type          string                 `json:"type" enum:"auto"`
	FileIDs       []string               `json:"file_ids,omitempty" null:"true" doc:"Files to copy into the container"`
	MemoryLimit   string                 `json:"memory_limit,omitempty" null:"true" known:"1g,4g,16g,64g"`
	NetworkPolicy *responseNetworkPolicy `json:"network_policy,omitempty" null:"true"`
}

type responseImageGenerationTool struct {
	_                 struct{}              `doc:"Generates images"`
	Type              string                `json:"type" enum:"image_generation"`
	Model             string                `json:"model,omitempty" null:"true" known:"gpt-image-1,gpt-image-1-mini,gpt-image-1.5,gpt-image-2,chatgpt-image-latest"`
	Action            string                `json:"action,omitempty" null:"true" known:"generate,edit,auto"`
	Size              string                `json:"size,omitempty" null:"true" known:"1024x1024,1024x1536,1536x1024,auto" doc:"Width and height in pixels"`
	Quality           string                `json:"quality,omitempty" null:"true" known:"low,medium,high,xhigh,max,auto"`
	Background        string                `json:"background,omitempty" null:"true" known:"transparent,opaque,auto"`
	OutputFormat      string                `json:"output_format,omitempty" null:"true" known:"png,webp,jpeg,gif,svg"`
	OutputCompression int64                 `json:"output_compression,omitempty" null:"true" doc:"From 0 to 100, for formats that compress"`
	PartialImages     int64                 `json:"partial_images,omitempty" null:"true" doc:"How many unfinished images a stream contains, from 0 to 3"`
	InputFidelity     string                `json:"input_fidelity,omitempty" null:"true" known:"high,low" doc:"How closely an edited image follows the given one"`
	InputImageMask    *responseImageSource  `json:"input_image_mask,omitempty" null:"true"`
	Moderation        string                `json:"moderation,omitempty" null:"true" known:"auto,low"`
	Complexity        string                `json:"complexity,omitempty" null:"true" known:"low,medium,high" doc:"The complexity of a drawing"`
	FrameCount        int64                 `json:"frame_count,omitempty" null:"true" doc:"The number of frames of an animation"`
	FrameDurationMS   int64                 `json:"frame_duration_ms,omitempty" null:"true" doc:"How long an animation shows each frame, in milliseconds"`
	SVG               *responseSVGGenerator `json:"svg,omitempty" null:"true"`
}

type responseImageSource struct {
	_        struct{} `doc:"An image: an uploaded file, or a URL"`
	FileID   string   `json:"file_id,omitempty" null:"true"`
	ImageURL string   `json:"image_url,omitempty" null:"true" doc:"A URL, or the image itself as a data URL"`
}

type responseSVGGenerator struct {
	_         struct{}              `doc:"The model that writes SVG drawings"`
	Model     string                `json:"model,omitempty" null:"true"`
	Reasoning *responseSVGReasoning `json:"reasoning,omitempty" null:"true"`
}

type responseSVGReasoning struct {
	_      struct{} `doc:"How much the model reasons about a drawing"`
	Effort string   `json:"effort,omitempty" null:"true" known:"none,minimal,low,medium,high,xhigh,max"`
}

type responseComputerTool struct {
	_    struct{} `doc:"A computer that the caller operates for the model"`
	Type string   `json:"type" enum:"computer"`
}

type responseComputerPreviewTool struct {
	_             struct{} `doc:"A computer that the caller operates for the model, older version"`
	Type          string   `json:"type" enum:"computer_use_preview"`
	DisplayWidth  int64    `json:"display_width" doc:"Pixels"`
	DisplayHeight int64    `json:"display_height" doc:"Pixels"`
	Environment   string   `json:"environment" known:"windows,mac,linux,ubuntu,browser"`
}

type responseApplyPatchTool struct {
	_              struct{} `doc:"Edits of files, which the caller applies"`
	Type           string   `json:"type" enum:"apply_patch"`
	AllowedCallers []string `json:"allowed_callers,omitempty" null:"true" known:"direct,programmatic"`
}

type responseToolSearchTool struct {
	_           struct{}       `doc:"A search among the tools that the model does not see at first"`
	Type        string         `json:"type" enum:"tool_search"`
	Execution   string         `json:"execution,omitempty" null:"true" known:"server,client" doc:"Who searches: the provider or the caller"`
	Description string         `json:"description,omitempty" null:"true"`
	Parameters  map[string]any `json:"parameters,omitempty" null:"true" doc:"JSON schema of the arguments of a search by the caller"`
}

type responseProgrammaticTool struct {
	_    struct{} `doc:"Lets the model call tools from a program that it writes"`
	Type string   `json:"type" enum:"programmatic_tool_calling"`
}

type responseOtherTool struct {
	_    struct{} `doc:"A tool of a type that this document does not name"`
	Type string   `json:"type"`
}
