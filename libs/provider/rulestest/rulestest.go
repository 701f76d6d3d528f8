// Package rulestest checks requests as the providers check them: their form, values, order, references and limits.
// Tests use it in the place of the providers, so that a request which a provider would refuse fails a test instead of a
// call.
//
// Every rule is one entry of a table, with the place where it was found and the day on which it was read. The package
// does not import the encoders: it states what a provider accepts, and must not share their mistakes.
package rulestest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/tollgate/tollgate/libs/core/catalog"
)

// Read is the day on which the sources of all rules were read.
const Read = "2026-11-28"

// Provider is one whose rules the package knows.
type Provider string

// The providers. Compatible is a server with OpenAI's protocol that checks no more than form and references.
const (
	OpenAI     Provider = "openai"
	Azure      Provider = "azure"
	Compatible Provider = "compatible"
	Anthropic  Provider = "anthropic"
	AIStudio   Provider = "ai studio"
	VertexAI   Provider = "vertex ai"
)

// Request is a request as it reaches the provider.
type Request struct {
	URL    *url.URL
	Header http.Header
	Body   []byte
}

// Refusal is the provider's answer to a request that breaks a rule.
type Refusal struct {
	Rule   string // name of the rule
	Status int
	Body   []byte // the error as the provider writes it
}

// Error returns the name of the rule and the provider's error.
func (r *Refusal) Error() string { return r.Rule + ": " + string(r.Body) }

// Rule describes one rule.
type Rule struct {
	Provider Provider // a provider that has the rule
	Dialect  catalog.Dialect
	Name     string
	Source   string // URL, or repository and number of an issue or a pull request
	// Refuses and Accepts are examples: members that replace those of the smallest valid body of the dialect. The
	// member "@header" replaces headers, and "@url" the URL.
	Refuses, Accepts string
}

// rule is one rule of a dialect whose requests are decoded into R.
type rule[R any] struct {
	name, source     string
	only             []Provider // nil: all providers of the dialect
	refuses, accepts string
	check            func(R) *fault
}

// fault is a place of a request that breaks a rule.
type fault struct {
	at, text, code string
	status         int // 0: 400
}

func refuse(at, format string, args ...any) *fault {
	return &fault{at: at, text: fmt.Sprintf(format, args...)}
}

// envelope is the part of a request that is not in its body.
type envelope struct {
	provider Provider
	url      *url.URL
	header   http.Header
}

// Rules returns all rules.
func Rules() (rules []Rule) {
	rules = append(rules, describe(chatRules, catalog.Chat, OpenAI)...)
	rules = append(rules, describe(responsesRules, catalog.Responses, OpenAI)...)
	rules = append(rules, describe(messagesRules, catalog.Messages, Anthropic)...)
	return append(rules, describe(geminiRules, catalog.Gemini, AIStudio)...)
}

func describe[R any](rules []rule[R], dialect catalog.Dialect, usual Provider) (list []Rule) {
	for _, r := range rules {
		provider := usual
		if len(r.only) > 0 && !slices.Contains(r.only, usual) {
			provider = r.only[0]
		}
		list = append(list, Rule{provider, dialect, r.name, r.source, r.refuses, r.accepts})
	}
	return list
}

// DialectOf returns the dialect of a provider's endpoint by its path, "" for any other endpoint.
func DialectOf(p Provider, path string) catalog.Dialect {
	switch {
	case p == Anthropic && strings.HasSuffix(path, "/messages"):
		return catalog.Messages
	case (p == AIStudio || p == VertexAI) &&
		(strings.HasSuffix(path, ":generateContent") || strings.HasSuffix(path, ":streamGenerateContent")):
		return catalog.Gemini
	case p == Anthropic || p == AIStudio || p == VertexAI:
		return ""
	case strings.HasSuffix(path, "/chat/completions"):
		return catalog.Chat
	case strings.HasSuffix(path, "/responses"):
		return catalog.Responses
	}
	return ""
}

// Check returns the provider's refusal of a request, or nil if the provider accepts it. It knows the endpoints that
// generate text, and accepts requests to any other.
func Check(p Provider, r Request) *Refusal {
	env := envelope{p, r.URL, r.Header}
	switch DialectOf(p, r.URL.Path) { //nolint:exhaustive // the others have no rules
	case catalog.Chat:
		return apply(chatRules, &chatRequest{envelope: env}, env, r.Body)
	case catalog.Responses:
		return apply(responsesRules, &responsesRequest{envelope: env}, env, r.Body)
	case catalog.Messages:
		return apply(messagesRules, &messagesRequest{envelope: env}, env, r.Body)
	case catalog.Gemini:
		return apply(geminiRules, &geminiRequest{envelope: env}, env, r.Body)
	}
	return nil
}

// The names of the rules that decoding checks.
const (
	wellFormed  = "the body is an object of the documented types"
	knownFields = "the body has only documented fields"
)

// decoded is a request that is decoded from a body. extras returns the errors of fields that the decoders of its
// contents do not know.
type decoded interface{ extras() []error }

// apply decodes the body into the request and applies the rules in their order. The first that is broken counts.
func apply[R decoded](rules []rule[R], into R, env envelope, body []byte) *Refusal {
	err := strict(body, into)
	for _, rule := range rules {
		if rule.only != nil && !slices.Contains(rule.only, env.provider) {
			continue
		}
		var f *fault
		switch rule.name {
		case wellFormed:
			f = malformed(err)
		case knownFields:
			f = unknown(errors.Join(append([]error{err}, into.extras()...)...))
		default:
			f = rule.check(into)
		}
		if f != nil {
			return f.refusal(env.provider, rule.name)
		}
	}
	return nil
}

// content is a text or a list of parts of a message. Providers take a text for one part of text.
type content[P any] struct {
	given, null, plain bool
	text               string
	parts              []P
	extra              error // of fields that the parts do not have
}

// UnmarshalJSON implements json.Unmarshaler.
func (c *content[P]) UnmarshalJSON(raw []byte) error {
	*c = content[P]{given: true}
	switch raw[0] {
	case 'n':
		c.null = true
		return nil
	case '"':
		c.plain = true
		return json.Unmarshal(raw, &c.text)
	}
	if err := json.Unmarshal(raw, &c.parts); err != nil {
		return err
	}
	if err := strict(raw, &c.parts); unknown(err) != nil {
		c.extra = err
	}
	return nil
}

// strict decodes an object, and returns an error for fields that its type does not have.
func strict(raw []byte, into any) error {
	lenient := json.Unmarshal(raw, into)
	if lenient != nil {
		return lenient
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}

const unknownPrefix = "json: unknown field "

// unknown returns the fault of a field that is not documented, nil for any other error.
func unknown(err error) *fault {
	if err == nil {
		return nil
	}
	_, name, ok := strings.Cut(err.Error(), unknownPrefix)
	if !ok {
		return nil
	}
	name, _, _ = strings.Cut(strings.TrimPrefix(name, `"`), `"`)
	return &fault{at: name, text: "unknown field", code: "unknown_parameter"}
}

// malformed returns the fault of a body that cannot be decoded.
func malformed(err error) *fault {
	if err == nil || unknown(err) != nil {
		return nil
	}
	if wrong := new(json.UnmarshalTypeError); errors.As(err, &wrong) {
		return &fault{at: wrong.Field, text: "Invalid type: got " + wrong.Value, code: "invalid_type"}
	}
	return refuse("", "We could not parse the JSON body of your request: %v", err)
}

// refusal returns the provider's error for a fault.
func (f *fault) refusal(p Provider, rule string) *Refusal {
	status := f.status
	if status == 0 {
		status = http.StatusBadRequest
	}
	var body any
	switch p {
	case Anthropic:
		text := f.text
		if f.at != "" {
			text = f.at + ": " + text
		}
		kind := "invalid_request_error"
		if status == http.StatusUnauthorized {
			kind = "authentication_error"
		}
		body = map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": text},
			"request_id": "req_rules"}
	case AIStudio, VertexAI:
		text, name := f.text, "INVALID_ARGUMENT"
		if f.at != "" {
			text = "Invalid value at '" + f.at + "': " + text
		}
		if status != http.StatusBadRequest {
			name = "UNAUTHENTICATED"
		}
		body = map[string]any{"error": map[string]any{"code": status, "message": text, "status": name}}
	default:
		fields := map[string]any{"message": f.text, "type": "invalid_request_error", "param": nil, "code": nil}
		if f.at != "" {
			fields["param"], fields["message"] = f.at, "Invalid '"+f.at+"': "+f.text
		}
		if f.code != "" {
			fields["code"] = f.code
		}
		body = map[string]any{"error": fields}
	}
	raw, err := json.Marshal(body)
	if err != nil {
		panic(err) // cannot happen: the values are texts and numbers
	}
	return &Refusal{Rule: rule, Status: status, Body: raw}
}
