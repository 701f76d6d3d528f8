package contract

import "github.com/danielgtaylor/huma/v2"

// EmbeddingRequest is the body of a request for embeddings.
type EmbeddingRequest struct {
	_              struct{}       `doc:"A request for embeddings"`
	Model          string         `json:"model" doc:"The id of a model that the token can use" example:"text-embedding-3-small" minLength:"1"`
	Input          embeddingInput `json:"input"`
	Dimensions     int64          `json:"dimensions,omitempty" null:"true" minimum:"1" doc:"The number of dimensions of the vectors, for models that can shorten them"`
	EncodingFormat string         `json:"encoding_format,omitempty" null:"true" known:"float,base64" doc:"float: an array of numbers, the default. base64: the 32-bit numbers in little-endian order, in base64"`
	User           string         `json:"user,omitempty" null:"true" doc:"A stable pseudonym of the end user"`
}

// embeddingInput is one input or several. Its variants, and those of its items, differ in their JSON type, so that
// generated clients can tell them apart.
type embeddingInput struct {
	oneOf[embeddingInput] `doc:"A text, an array of texts, an array of the token ids of one text, or an array of such arrays. Providers limit the number of inputs; OpenAI's limit is 2,048"`
	Text                  embeddingText
	Items                 embeddingItems
}

type embeddingText string

func (embeddingText) Schema(r huma.Registry) *huma.Schema {
	return named[embeddingText](r, "A text")
}

type embeddingItems []embeddingItem

func (embeddingItems) Schema(r huma.Registry) *huma.Schema {
	return named[embeddingItems](r, "Several texts, the tokens of one text, or the tokens of several texts")
}

type embeddingItem struct {
	oneOf[embeddingItem] `doc:"A text, a token, or the tokens of a text. All items of an input are of one kind"`
	Text                 embeddingText
	Token                embeddingToken
	Tokens               embeddingTokens
}

type embeddingToken int64

func (embeddingToken) Schema(r huma.Registry) *huma.Schema {
	return named[embeddingToken](r, "The id of a token")
}

type embeddingTokens []int64

func (embeddingTokens) Schema(r huma.Registry) *huma.Schema {
	return named[embeddingTokens](r, "The tokens of one text")
}

// EmbeddingList is the answer to a request for embeddings.
type EmbeddingList struct {
	_      struct{}       `doc:"The vectors of the inputs"`
	Object string         `json:"object" enum:"list"`
	Data   []embedding    `json:"data" doc:"The vectors, in the order of the inputs"`
	Model  string         `json:"model" doc:"The model that the upstream names"`
	Usage  embeddingUsage `json:"usage"`
}

type embedding struct {
	_         struct{}        `doc:"The vector of one input"`
	Object    string          `json:"object" enum:"embedding"`
	Index     int64           `json:"index" doc:"The place of the input in the request"`
	Embedding embeddingVector `json:"embedding"`
}

// embeddingVector is a vector in one of its encodings.
type embeddingVector struct {
	oneOf[embeddingVector] `doc:"A vector, in the encoding of the request"`
	Numbers                embeddingNumbers
	Base64                 embeddingBase64
}

type embeddingNumbers []float64

func (embeddingNumbers) Schema(r huma.Registry) *huma.Schema {
	return named[embeddingNumbers](r, "The numbers of a vector")
}

type embeddingBase64 string

func (embeddingBase64) Schema(r huma.Registry) *huma.Schema {
	return named[embeddingBase64](r, "The 32-bit numbers of a vector in little-endian order, in base64")
}

type embeddingUsage struct {
	_            struct{} `doc:"The tokens of the inputs"`
	PromptTokens int64    `json:"prompt_tokens" doc:"The tokens of all inputs. An estimate if the channel is translated and its upstream reports none"`
	TotalTokens  int64    `json:"total_tokens" doc:"The same, because there is no output"`
	Quota        string   `json:"quota,omitempty" doc:"The amount deducted in USD; only if the request has the header x-tollgate-include-quota, or the tenant has turned it on for all calls"`
}

// EmbeddingExamples returns bodies of requests for embeddings.
func EmbeddingExamples() map[string]*huma.Example {
	return map[string]*huma.Example{
		"text": example("A text", `{
			"model": "text-embedding-3-small",
			"input": "The capital of Portugal is Lisbon."
		}`),
		"texts": example("Several texts, with short vectors in base64", `{
			"model": "text-embedding-3-small",
			"input": ["The capital of Portugal is Lisbon.", "Lisbon has 545,000 inhabitants."],
			"dimensions": 256,
			"encoding_format": "base64"
		}`),
	}
}
