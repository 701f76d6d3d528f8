package fakeupstream

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// request holds the fields of a chat completion request that affect the answer.
type request struct {
	Model         string    `json:"model"`
	Messages      []message `json:"messages"`
	Stream        bool      `json:"stream"`
	N             int       `json:"n"`
	MaxTokens     *int      `json:"max_tokens"`
	MaxCompletion *int      `json:"max_completion_tokens"`
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

// parseRequest parses a chat completion request. n defaults to 1.
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

// split returns the plain model name, and the script after the question mark; "" if there is none.
func (r *request) split() (name, script string) {
	name, script, _ = strings.Cut(r.Model, "?")
	return name, script
}

// counts holds token counts as OpenAI counts them: prompt includes cached, completion includes reasoning.
type counts struct {
	prompt, completion, cached, reasoning int
}

// limited returns the counts with at most limit completion tokens, and whether that changed them. nil is no limit.
func (c counts) limited(limit *int) (counts, bool) {
	if limit == nil || c.completion <= *limit {
		return c, false
	}
	c.completion, c.reasoning = *limit, min(c.reasoning, *limit)
	return c, true
}

// limit returns the output cap of the request, nil if it has none.
func (r *request) limit() *int {
	if r.MaxCompletion != nil {
		return r.MaxCompletion
	}
	return r.MaxTokens
}

var defaultCounts = counts{prompt: 9, completion: 12}

var directive = regexp.MustCompile(`usage:(\d+)/(\d+)(?:/(\d+))?(?:/(\d+))?`)

// counts returns the token counts of a directive such as "usage:7/13/2/3" (prompt, completion, cached,
// reasoning) in the first message that has one, else the defaults. With it a client chooses what it is billed
// for.
func (r *request) counts() counts {
	for _, m := range r.Messages {
		if groups := directive.FindSubmatch(m.Content); groups != nil {
			number := func(i int) int {
				n, _ := strconv.Atoi(string(groups[i])) // "" is 0
				return n
			}
			return counts{number(1), number(2), number(3), number(4)}
		}
	}
	return defaultCounts
}

var scriptDirective = regexp.MustCompile(`script:([^\s"\\]+)`)

// directive returns the script in the first message that has one; "" if there is none. With it a client chooses
// how its request fails.
func (r *request) directive() string {
	for _, m := range r.Messages {
		if groups := scriptDirective.FindSubmatch(m.Content); groups != nil {
			return string(groups[1])
		}
	}
	return ""
}

// callsTool reports whether the answer is a call of the first tool: the request has tools and no message with a
// tool's result.
func (r *request) callsTool() bool {
	for _, m := range r.Messages {
		if m.Role == "tool" {
			return false
		}
	}
	return len(r.Tools) > 0
}
