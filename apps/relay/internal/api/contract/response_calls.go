package contract

type responseWebSearchCall struct {
	_      struct{}           `doc:"A search of the web by the provider"`
	Type   string             `json:"type" enum:"web_search_call"`
	ID     string             `json:"id,omitempty" null:"true"`
	Action *responseWebAction `json:"action,omitempty" null:"true"`
	Status string             `json:"status,omitempty" null:"true" known:"in_progress,searching,completed,incomplete,failed"`
}

// responseWebAction is a step of a search of the web.
type responseWebAction struct {
	oneOf[responseWebAction] `discriminator:"type" doc:"A step of a search of the web"`
	Search                   responseWebQuery       `value:"search"`
	Open                     responseWebOpen        `value:"open_page"`
	Find                     responseWebFind        `value:"find_in_page"`
	Other                    responseOtherWebAction `value:"other"`
}

type responseWebQuery struct {
	_       struct{}            `doc:"Searches for pages"`
	Type    string              `json:"type" enum:"search"`
	Query   string              `json:"query,omitempty" null:"true" doc:"Older form of queries"`
	Queries []string            `json:"queries,omitempty" null:"true"`
	Sources []responseWebSource `json:"sources,omitempty" null:"true" doc:"The pages that were found; with include: web_search_call.action.sources"`
}

type responseWebSource struct {
	_    struct{} `doc:"A page that was found"`
	Type string   `json:"type" known:"url"`
	URL  string   `json:"url,omitempty" null:"true"`
}

type responseWebOpen struct {
	_    struct{} `doc:"Opens a page"`
	Type string   `json:"type" enum:"open_page"`
	URL  string   `json:"url,omitempty" null:"true"`
}

type responseWebFind struct {
	_       struct{} `doc:"Searches in a page"`
	Type    string   `json:"type" enum:"find_in_page"`
	URL     string   `json:"url,omitempty" null:"true"`
	Pattern string   `json:"pattern,omitempty" null:"true"`
}

type responseOtherWebAction struct {
	_    struct{} `doc:"A step that this document does not name"`
	Type string   `json:"type"`
}

type responseFileSearchCall struct {
	_       struct{}              `doc:"A search in files that the provider stores"`
	Type    string                `json:"type" enum:"file_search_call"`
	ID      string                `json:"id,omitempty" null:"true"`
	Queries []string              `json:"queries"`
	Results []responseFoundInFile `json:"results,omitempty" null:"true" doc:"With include: file_search_call.results"`
	Status  string                `json:"status,omitempty" null:"true" known:"in_progress,searching,completed,incomplete,failed"`
}

type responseFoundInFile struct {
	_          struct{}                     `doc:"A place that a search found in a file"`
	FileID     string                       `json:"file_id,omitempty" null:"true"`
	Filename   string                       `json:"filename,omitempty" null:"true"`
	Score      float64                      `json:"score,omitempty" null:"true" doc:"How well the place fits, from 0 to 1"`
	Text       string                       `json:"text,omitempty" null:"true"`
	Attributes map[string]responseAttribute `json:"attributes,omitempty" null:"true"`
}

type responseCodeInterpreterCall struct {
	_           struct{}             `doc:"Code that the model ran in a container of the provider"`
	Type        string               `json:"type" enum:"code_interpreter_call"`
	ID          string               `json:"id,omitempty" null:"true"`
	ContainerID string               `json:"container_id,omitempty" null:"true"`
	Code        string               `json:"code,omitempty" null:"true"`
	Outputs     []responseCodeOutput `json:"outputs,omitempty" null:"true" doc:"With include: code_interpreter_call.outputs"`
	Status      string               `json:"status,omitempty" null:"true" known:"in_progress,completed,incomplete,interpreting,failed"`
}

// responseCodeOutput is a text or an image that code made.
type responseCodeOutput struct {
	oneOf[responseCodeOutput] `discriminator:"type" doc:"What code printed or drew"`
	Logs                      responseCodeLogs        `value:"logs"`
	Image                     responseCodeImage       `value:"image"`
	Other                     responseOtherCodeOutput `value:"other"`
}

type responseCodeLogs struct {
	_    struct{} `doc:"What code printed"`
	Type string   `json:"type" enum:"logs"`
	Logs string   `json:"logs"`
}

type responseCodeImage struct {
	_    struct{} `doc:"An image that code made"`
	Type string   `json:"type" enum:"image"`
	URL  string   `json:"url"`
}

type responseOtherCodeOutput struct {
	_    struct{} `doc:"An output of a type that this document does not name"`
	Type string   `json:"type"`
}

type responseImageGenerationCall struct {
	_             struct{}            `doc:"An image that the model generated"`
	Type          string              `json:"type" enum:"image_generation_call"`
	ID            string              `json:"id,omitempty" null:"true"`
	Result        string              `json:"result,omitempty" null:"true" doc:"The image in base64"`
	Status        string              `json:"status,omitempty" null:"true" known:"in_progress,completed,generating,failed"`
	Action        string              `json:"action,omitempty" null:"true" known:"generate,edit,auto"`
	Size          string              `json:"size,omitempty" null:"true"`
	Quality       string              `json:"quality,omitempty" null:"true" known:"low,medium,high,xhigh,max,auto"`
	Background    string              `json:"background,omitempty" null:"true" known:"transparent,opaque,auto"`
	OutputFormat  string              `json:"output_format,omitempty" null:"true" known:"png,webp,jpeg,gif,svg"`
	RevisedPrompt string              `json:"revised_prompt,omitempty" null:"true" doc:"The prompt that the image was made from"`
	SVGUsage      *responseSVGUsage   `json:"svg_usage,omitempty" null:"true"`
	Error         *responseImageError `json:"error,omitempty" null:"true"`
}

type responseSVGUsage struct {
	_               struct{} `doc:"The tokens of the model that wrote an SVG drawing"`
	Model           string   `json:"model"`
	InputTokens     int64    `json:"input_tokens"`
	OutputTokens    int64    `json:"output_tokens"`
	ReasoningTokens int64    `json:"reasoning_tokens"`
	TotalTokens     int64    `json:"total_tokens"`
}

type responseImageError struct {
	_                 struct{}              `doc:"Why there is no image"`
	Type              string                `json:"type,omitempty" null:"true"`
	Code              string                `json:"code,omitempty" null:"true"`
	Message           string                `json:"message"`
	Param             string                `json:"param,omitempty" null:"true"`
	ModerationDetails *responseImageRefusal `json:"moderation_details,omitempty" null:"true"`
}

type responseImageRefusal struct {
	_               struct{} `doc:"What the moderation objected to"`
	Categories      []string `json:"categories"`
	ModerationStage string   `json:"moderation_stage" known:"input,output,unknown"`
}

type responseComputerCall struct {
	_                   struct{}                 `doc:"Actions that the caller performs on a computer. The next input has a screenshot in a computer_call_output"`
	Type                string                   `json:"type" enum:"computer_call"`
	ID                  string                   `json:"id,omitempty" null:"true"`
	CallID              string                   `json:"call_id" doc:"Connects the call with its result"`
	Action              *responseComputerAction  `json:"action,omitempty" null:"true"`
	Actions             []responseComputerAction `json:"actions,omitempty" null:"true" doc:"Several actions, in order"`
	PendingSafetyChecks []responseSafetyCheck    `json:"pending_safety_checks,omitempty" null:"true" doc:"What a person must confirm before the caller performs the actions"`
	Status              string                   `json:"status,omitempty" null:"true" known:"in_progress,completed,incomplete"`
}

type responseSafetyCheck struct {
	_       struct{} `doc:"Something that a person must confirm"`
	ID      string   `json:"id"`
	Code    string   `json:"code,omitempty" null:"true"`
	Message string   `json:"message,omitempty" null:"true"`
}

type responseComputerOutput struct {
	_                        struct{}              `doc:"The screen after the actions of a computer_call"`
	Type                     string                `json:"type" enum:"computer_call_output"`
	ID                       string                `json:"id,omitempty" null:"true"`
	CallID                   string                `json:"call_id" doc:"The call_id of the call"`
	Output                   responseScreenshot    `json:"output"`
	AcknowledgedSafetyChecks []responseSafetyCheck `json:"acknowledged_safety_checks,omitempty" null:"true" doc:"What a person confirmed"`
	Status                   string                `json:"status,omitempty" null:"true" known:"completed,incomplete,failed,in_progress"`
	CreatedBy                string                `json:"created_by,omitempty" null:"true"`
}

type responseScreenshot struct {
	_        struct{} `doc:"An image of a screen: image_url or file_id"`
	Type     string   `json:"type" known:"computer_screenshot"`
	ImageURL string   `json:"image_url,omitempty" null:"true" doc:"A URL, or the image itself as a data URL"`
	FileID   string   `json:"file_id,omitempty" null:"true"`
}

// responseComputerAction is an action on a computer.
type responseComputerAction struct {
	oneOf[responseComputerAction] `discriminator:"type" doc:"An action on a computer"`
	Click                         responseComputerClick       `value:"click"`
	Point                         responseComputerPoint       `value:"double_click,move"`
	Drag                          responseComputerDrag        `value:"drag"`
	Keypress                      responseComputerKeypress    `value:"keypress"`
	Scroll                        responseComputerScroll      `value:"scroll"`
	Text                          responseComputerText        `value:"type"`
	Screenshot                    responseComputerPause       `value:"screenshot,wait"`
	Other                         responseOtherComputerAction `value:"other"`
}

type responseComputerClick struct {
	_      struct{} `doc:"A click"`
	Type   string   `json:"type" enum:"click"`
	Button string   `json:"button" known:"left,right,wheel,back,forward"`
	X      int64    `json:"x"`
	Y      int64    `json:"y"`
	Keys   []string `json:"keys,omitempty" null:"true" doc:"Keys to hold down"`
}

type responseComputerPoint struct {
	_    struct{} `doc:"A double click, or a move of the pointer"`
	Type string   `json:"type" enum:"double_click,move"`
	X    int64    `json:"x"`
	Y    int64    `json:"y"`
	Keys []string `json:"keys,omitempty" null:"true" doc:"Keys to hold down"`
}

type responseComputerDrag struct {
	_    struct{}              `doc:"A move of the pointer with its button held down"`
	Type string                `json:"type" enum:"drag"`
	Path []responseScreenPoint `json:"path"`
	Keys []string              `json:"keys,omitempty" null:"true" doc:"Keys to hold down"`
}

type responseScreenPoint struct {
	_ struct{} `doc:"A point of the screen, in pixels from its upper left corner"`
	X int64    `json:"x"`
	Y int64    `json:"y"`
}

type responseComputerKeypress struct {
	_    struct{} `doc:"Keys pressed together"`
	Type string   `json:"type" enum:"keypress"`
	Keys []string `json:"keys"`
}

type responseComputerScroll struct {
	_       struct{} `doc:"A scroll at a point"`
	Type    string   `json:"type" enum:"scroll"`
	X       int64    `json:"x"`
	Y       int64    `json:"y"`
	ScrollX int64    `json:"scroll_x" doc:"Pixels to the right"`
	ScrollY int64    `json:"scroll_y" doc:"Pixels down"`
	Keys    []string `json:"keys,omitempty" null:"true" doc:"Keys to hold down"`
}

type responseComputerText struct {
	_    struct{} `doc:"A text to type"`
	Type string   `json:"type" enum:"type"`
	Text string   `json:"text"`
}

type responseComputerPause struct {
	_    struct{} `doc:"A screenshot, or a pause"`
	Type string   `json:"type" enum:"screenshot,wait"`
}

type responseOtherComputerAction struct {
	_    struct{} `doc:"An action that this document does not name"`
	Type string   `json:"type"`
}
