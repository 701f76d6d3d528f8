package rulestest

import (
	"encoding/json"
	"strings"
)

// geminiRequest is a request to Google's generateContent.
type geminiRequest struct {
	envelope          `json:"-"`
	SystemInstruction *geminiContent  `json:"systemInstruction"`
	Contents          []geminiContent `json:"contents"`
	Tools             []geminiTool    `json:"tools"`
	ToolConfig        *geminiConfig   `json:"toolConfig"`
	GenerationConfig  *generation     `json:"generationConfig"`
	SafetySettings    json.RawMessage `json:"safetySettings"`
	CachedContent     json.RawMessage `json:"cachedContent"`
	Labels            json.RawMessage `json:"labels"`
}

type geminiContent struct {
	Role  string       `json:"role"`
	Parts []geminiPart `json:"parts"`
}

type geminiPart struct {
	Text             *string         `json:"text"`
	InlineData       *geminiMedia    `json:"inlineData"`
	FileData         *geminiMedia    `json:"fileData"`
	FunctionCall     *geminiCall     `json:"functionCall"`
	FunctionResponse *geminiResponse `json:"functionResponse"`
	Thought          bool            `json:"thought"`
	ThoughtSignature string          `json:"thoughtSignature"`
}

type geminiMedia struct {
	MimeType    string `json:"mimeType"`
	Data        string `json:"data"`
	FileURI     string `json:"fileUri"`
	DisplayName string `json:"displayName"`
}

type geminiCall struct {
	ID   *string         `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

type geminiResponse struct {
	ID       *string         `json:"id"`
	Name     string          `json:"name"`
	Response json.RawMessage `json:"response"`
	Parts    []geminiPart    `json:"parts"`
}

type geminiTool struct {
	FunctionDeclarations []geminiFunction `json:"functionDeclarations"`
	GoogleSearch         json.RawMessage  `json:"googleSearch"`
	CodeExecution        json.RawMessage  `json:"codeExecution"`
	URLContext           json.RawMessage  `json:"urlContext"`
}

type geminiFunction struct {
	Name                 string          `json:"name"`
	Description          string          `json:"description"`
	Parameters           json.RawMessage `json:"parameters"`
	ParametersJSONSchema json.RawMessage `json:"parametersJsonSchema"`
	Response             json.RawMessage `json:"response"`
	ResponseJSONSchema   json.RawMessage `json:"responseJsonSchema"`
}

type geminiConfig struct {
	FunctionCallingConfig *struct {
		Mode                 string   `json:"mode"`
		AllowedFunctionNames []string `json:"allowedFunctionNames"`
	} `json:"functionCallingConfig"`
}

type generation struct {
	MaxOutputTokens    *int64           `json:"maxOutputTokens"`
	Temperature        *float64         `json:"temperature"`
	TopP               *float64         `json:"topP"`
	TopK               *float64         `json:"topK"`
	FrequencyPenalty   *float64         `json:"frequencyPenalty"`
	PresencePenalty    *float64         `json:"presencePenalty"`
	Seed               *int64           `json:"seed"`
	CandidateCount     *int64           `json:"candidateCount"`
	StopSequences      *[]string        `json:"stopSequences"`
	ResponseMimeType   string           `json:"responseMimeType"`
	ResponseSchema     json.RawMessage  `json:"responseSchema"`
	ResponseJSONSchema json.RawMessage  `json:"responseJsonSchema"`
	ResponseModalities json.RawMessage  `json:"responseModalities"`
	ThinkingConfig     *thinkingOptions `json:"thinkingConfig"`
}

type thinkingOptions struct {
	IncludeThoughts bool    `json:"includeThoughts"`
	ThinkingLevel   *string `json:"thinkingLevel"`
	ThinkingBudget  *int64  `json:"thinkingBudget"`
}

func (r *geminiRequest) extras() []error { return nil }

// model returns the model that the path names.
func (r *geminiRequest) model() string {
	_, name, _ := strings.Cut(r.url.Path, "/models/")
	name, _, _ = strings.Cut(name, ":")
	return name
}

// third reports whether the model is of the third generation or later.
func (r *geminiRequest) third() bool {
	name := r.model()
	return strings.HasPrefix(name, "gemini-") && !strings.HasPrefix(name, "gemini-1") &&
		!strings.HasPrefix(name, "gemini-2")
}

func (r *geminiRequest) config() *generation {
	if r.GenerationConfig == nil {
		return &generation{}
	}
	return r.GenerationConfig
}

// functions returns all declared functions.
func (r *geminiRequest) functions() (functions []geminiFunction) {
	for _, t := range r.Tools {
		functions = append(functions, t.FunctionDeclarations...)
	}
	return functions
}
