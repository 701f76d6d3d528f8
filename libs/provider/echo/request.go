package echo

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// request holds the fields of a chat completion request that the answer depends on. It ignores all others.
type request struct {
	Model    string     `json:"model"`
	Messages *[]message `json:"messages"`
	Stream   bool       `json:"stream"`
	Options  struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	N                   *int64 `json:"n"`
	MaxTokens           *int64 `json:"max_tokens"`
	MaxCompletionTokens *int64 `json:"max_completion_tokens"`
}

type message struct {
	Role    string         `json:"role"`
	Content jsontext.Value `json:"content"`
}

// maxChoices is OpenAI's limit for n.
const maxChoices = 128

// refusal is the object under "error" in OpenAI's error responses.
type refusal struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    *string `json:"code"`
}

// validRequest is a valid request.
type validRequest struct {
	model  string
	text   string // complete text of the answer
	prompt int64  // words of all messages
	n      int64  // number of choices
	limit  int64  // most words of each choice, 0 for no limit
	stream bool
	usage  bool // the stream has a chunk with the usage
}

// contentType returns the media type of the answer.
func (a *validRequest) contentType() string {
	if a.stream {
		return "text/event-stream; charset=utf-8"
	}
	return "application/json"
}

// parseRequest validates a request. It returns either the request or the error that OpenAI would answer.
func parseRequest(body []byte) (*validRequest, *refusal) {
	var r request
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, malformed(err)
	}
	if r.Model == "" {
		return nil, &refusal{Message: "you must provide a model parameter"}
	}
	if r.Messages == nil {
		return nil, refused("Missing required parameter: 'messages'.", "messages", "missing_required_parameter")
	}
	if len(*r.Messages) == 0 {
		return nil, refused("Invalid 'messages': empty array. Expected an array with minimum length 1.",
			"messages", "empty_array")
	}
	a := &validRequest{model: r.Model, n: 1, stream: r.Stream, usage: r.Options.IncludeUsage}
	for _, field := range []struct {
		name string
		most int64
		from *int64
		into *int64
	}{
		{"n", maxChoices, r.N, &a.n},
		// The second of the two limits wins if both are given.
		{"max_tokens", 1 << 53, r.MaxTokens, &a.limit},
		{"max_completion_tokens", 1 << 53, r.MaxCompletionTokens, &a.limit},
	} {
		if field.from == nil {
			continue
		}
		if *field.from < 1 || *field.from > field.most {
			return nil, refused("Invalid '"+field.name+"': integer out of range.", field.name, "invalid_value")
		}
		*field.into = *field.from
	}
	a.read(*r.Messages)
	return a, nil
}

// read counts the words of the messages and sets the answer to the text of the last user message, or to "ok" if that
// has no words.
func (a *validRequest) read(messages []message) {
	for _, m := range messages {
		text := textOf(m.Content)
		a.prompt += words(text)
		if m.Role == "user" {
			a.text = text
		}
	}
	if words(a.text) == 0 {
		a.text = "ok"
	}
}

// textOf returns the text of a message's content: the string itself, or the joined text parts of an array.
func textOf(content jsontext.Value) string {
	switch content.Kind() {
	case '"':
		var text string
		if json.Unmarshal(content, &text) == nil {
			return text
		}
	case '[':
		var parts []struct {
			Text string `json:"text"`
		}
		if json.Unmarshal(content, &parts) == nil {
			var text strings.Builder
			for _, part := range parts {
				text.WriteString(part.Text)
			}
			return text.String()
		}
	}
	return ""
}

// malformed returns the refusal for a body that is not JSON or has a field of the wrong type.
func malformed(err error) *refusal {
	if semantic := new(json.SemanticError); errors.As(err, &semantic) {
		param := strings.Trim(strings.ReplaceAll(string(semantic.JSONPointer), "/", "."), ".")
		if param != "" {
			return refused("Invalid type for '"+param+"'.", param, "invalid_type")
		}
	}
	return &refusal{Message: "We could not parse the JSON body of your request."}
}

// refused returns the refusal for one field.
func refused(message, param, code string) *refusal {
	return &refusal{Message: message, Param: &param, Code: &code}
}

// refuse returns the error response with the refusal as its body.
func refuse(r *http.Request, status int, reason refusal) *http.Response {
	reason.Type = "invalid_request_error"
	body, err := stdjson.Marshal(map[string]refusal{"error": reason})
	if err != nil {
		body = []byte(`{"error":{"message":"","type":"invalid_request_error","param":null,"code":null}}`)
	}
	response := respond(r, status, "application/json", io.NopCloser(bytes.NewReader(body)))
	response.ContentLength = int64(len(body))
	return response
}
