package fakeupstream

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// request is what the upstream needs to know of a chat completion request.
type request struct {
	Model         string    `json:"model"`
	Messages      []message `json:"messages"`
	Stream        bool      `json:"stream"`
	N             int       `json:"n"`
	Tools         []tool    `json:"tools"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	ResponseFormat struct {
		Type string `json:"type"`
	} `json:"response_format"`
}

type message struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

type tool struct {
	Function struct {
		Name string `json:"name"`
	} `json:"function"`
}

func parseRequest(body []byte) (*request, error) {
	r := &request{N: 1}
	if err := json.Unmarshal(body, r); err != nil {
		return nil, fmt.Errorf("not a chat completion request: %w", err)
	}
	if r.N == 0 {
		r.N = 1
	}
	return r, nil
}

// split returns the model's plain name and the script that follows it after
// a question mark.
func (r *request) split() (name, script string) {
	name, script, _ = strings.Cut(r.Model, "?")
	return name, script
}

// counts are token counts in OpenAI's way of counting: cached tokens stand
// inside prompt, reasoning tokens inside completion.
type counts struct {
	prompt, completion, cached, reasoning int
}

var defaultCounts = counts{prompt: 9, completion: 12}

var directive = regexp.MustCompile(`usage:(\d+)/(\d+)(?:/(\d+))?(?:/(\d+))?`)

// counts reads a directive such as "usage:7/13/2/3" (prompt, completion,
// cached, reasoning) from the messages, so that a client can choose what it
// will be billed for.
func (r *request) counts() counts {
	for _, m := range r.Messages {
		if found := directive.FindSubmatch(m.Content); found != nil {
			number := func(i int) int {
				n, _ := strconv.Atoi(string(found[i])) // "" is 0
				return n
			}
			return counts{number(1), number(2), number(3), number(4)}
		}
	}
	return defaultCounts
}

// callsTool reports whether the answer is a call of the first tool: there is
// one, and no tool has answered yet.
func (r *request) callsTool() bool {
	for _, m := range r.Messages {
		if m.Role == "tool" {
			return false
		}
	}
	return len(r.Tools) > 0
}
