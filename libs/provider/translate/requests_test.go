package translate_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/conversation"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/provider/rulestest"
	"github.com/tollgate/tollgate/libs/provider/translate"
	"github.com/tollgate/tollgate/libs/wire/chat"
	"github.com/tollgate/tollgate/libs/wire/gemini"
	"github.com/tollgate/tollgate/libs/wire/messages"
	"github.com/tollgate/tollgate/libs/wire/responses"
)

// target is a provider that speaks another dialect.
type target struct {
	provider rulestest.Provider
	dialect  catalog.Dialect
	model    string
}

var targets = []target{
	{rulestest.Anthropic, catalog.Messages, "claude-3-5-haiku-20241022"},
	{rulestest.Anthropic, catalog.Messages, "claude-sonnet-4-5"},
	{rulestest.Anthropic, catalog.Messages, "claude-opus-4-6"},
	{rulestest.Anthropic, catalog.Messages, "claude-opus-4-8"},
	{rulestest.AIStudio, catalog.Gemini, "gemini-2.0-flash"},
	{rulestest.AIStudio, catalog.Gemini, "gemini-2.5-flash"},
	{rulestest.AIStudio, catalog.Gemini, "gemini-2.5-pro"},
	{rulestest.AIStudio, catalog.Gemini, "gemini-3-pro-preview"},
	{rulestest.VertexAI, catalog.Gemini, "gemini-2.5-flash"},
	{rulestest.VertexAI, catalog.Gemini, "gemini-3-flash-preview"},
	{rulestest.OpenAI, catalog.Chat, "gpt-4o"},
	{rulestest.Azure, catalog.Chat, "gpt-4o"},
	{rulestest.OpenAI, catalog.Chat, "gpt-5"},
	{rulestest.OpenAI, catalog.Chat, "o3"},
	{rulestest.OpenAI, catalog.Responses, "gpt-4o"},
	{rulestest.OpenAI, catalog.Responses, "gpt-5"},
}

// send returns the request to the target.
func (to target) send(r *conversation.Request) (rulestest.Request, error) {
	out := rulestest.Request{Header: http.Header{
		"Authorization": {"Bearer a"}, "Api-Key": {"a"}, "X-Api-Key": {"a"}, "X-Goog-Api-Key": {"a"},
		"Anthropic-Version": {"2023-06-01"},
	}}
	path := "/v1/chat/completions"
	var err error
	switch to.dialect {
	case catalog.Messages:
		path = "/v1/messages"
		out.Body, _, err = messages.EncodeRequest(r, messages.Options{Model: to.model})
	case catalog.Gemini:
		path = "/v1beta/models/" + to.model + ":generateContent"
		out.Body, _, err = gemini.EncodeRequest(r,
			gemini.Options{Model: to.model, VertexAI: to.provider == rulestest.VertexAI})
	case catalog.Responses:
		path = "/v1/responses"
		out.Body, _, err = responses.EncodeRequest(r, responses.Options{Model: to.model})
	default:
		out.Body, _, err = chat.EncodeRequest(r, chat.Options{Model: to.model})
	}
	out.URL = &url.URL{Scheme: "https", Host: "upstream.example", Path: path}
	return out, err
}

// at returns what a JSON value has at a path such as messages[0].content, and whether it has something there.
func at(value any, path string) (any, bool) {
	for path != "" {
		path = strings.TrimPrefix(path, ".")
		if inside, found := strings.CutPrefix(path, "["); found {
			index, rest, _ := strings.Cut(inside, "]")
			list, isList := value.([]any)
			n, err := strconv.Atoi(index)
			if !isList || err != nil || n >= len(list) {
				return nil, false
			}
			value, path = list[n], rest
			continue
		}
		end := strings.IndexAny(path, ".[")
		if end < 0 {
			end = len(path)
		}
		fields, isObject := value.(object)
		next, given := fields[path[:end]]
		if !isObject || !given {
			return nil, false
		}
		value, path = next, path[end:]
	}
	return value, true
}

// isPicture reports whether a value is a part with an image.
func isPicture(value any) bool {
	part, _ := value.(object)
	return part["image_url"] != nil
}

// lacks reports whether the target cannot read a picture: Gemini reads no GIF, and results have pictures on some
// targets only.
func (to target) lacks(client catalog.Dialect, path string, picture any) bool {
	part, _ := picture.(object)
	url := fmt.Sprint(part["image_url"])
	return to.dialect == catalog.Gemini && strings.Contains(url, "image/gif") || client == catalog.Responses &&
		strings.Contains(path, ".output[")
}

// outcomes counts what happened to requests.
type outcomes struct{ sent, refused int }

// reaches checks one request: the target accepts what is sent and no word is lost, or the client gets a problem with a
// path that exists in its own body.
func (to target) reaches(a *asked, counts map[target]*outcomes) error {
	body, err := json.Marshal(a.body)
	if err != nil {
		return err
	}
	var own any
	if err := json.Unmarshal(body, &own); err != nil {
		return err
	}
	var out rulestest.Request
	r, err := translate.DecodeRequest(body, a.dialect)
	if err == nil {
		out, err = to.send(r)
	}
	if err != nil {
		counts[to].refused++
		var p *problem.Problem
		if !errors.As(err, &p) || p.Param == "" {
			return fmt.Errorf("%s: the client gets %w without a path\n%s", to.model, err, body)
		}
		refused, given := at(own, p.Param)
		if !given || isPicture(refused) && !to.lacks(a.dialect, p.Param, refused) {
			return fmt.Errorf("%s: the client gets %w, whose path is not in its body or has what the model reads\n%s",
				to.model, err, body)
		}
		return nil
	}
	counts[to].sent++
	if refused := rulestest.Check(to.provider, out); refused != nil {
		return fmt.Errorf("%s refuses: %w\nthe client sent\n%s\nthe upstream got\n%s", to.model,
			refused, body, out.Body)
	}
	for _, forms := range a.words {
		found := false
		for _, form := range forms {
			found = found || strings.Contains(string(out.Body), form)
		}
		if !found && strings.Contains(string(body), forms[len(forms)-1]) {
			return fmt.Errorf("%s: the word %q is lost\nthe client sent\n%s\nthe upstream got\n%s", to.model,
				forms, body, out.Body)
		}
	}
	return nil
}

// translates checks a request on all targets of other dialects.
func translates(a *asked, counts map[target]*outcomes) error {
	for _, to := range targets {
		if to.dialect == a.dialect {
			continue
		}
		if err := to.reaches(a, counts); err != nil {
			return err
		}
	}
	return nil
}

func newCounts() map[target]*outcomes {
	counts := map[target]*outcomes{}
	for _, to := range targets {
		counts[to] = &outcomes{}
	}
	return counts
}

func TestRequests_FollowTheRulesOfEveryProvider(t *testing.T) {
	for name, generate := range map[string]func(*choices) *asked{"chat": chatRequest, "responses": responsesRequest,
		"messages": messagesRequest} {
		t.Run(name, func(t *testing.T) {
			counts := newCounts()
			search(t, 1500, 200, func(c *choices) error { return translates(generate(c), counts) })
			for to, n := range counts {
				t.Logf("%s %s: %d sent, %d refused", to.provider, to.model, n.sent, n.refused)
				if all := n.sent + n.refused; all > 0 && 4*n.sent < all {
					t.Errorf("%s: only %d of %d requests were sent: the others test nothing", to.model, n.sent, all)
				}
			}
		})
	}
}

func FuzzRequests(f *testing.F) {
	f.Add([]byte{}, true)
	f.Fuzz(func(t *testing.T, data []byte, ofChat bool) {
		generate := responsesRequest
		if ofChat {
			generate = chatRequest
		}
		if err := translates(generate(&choices{data}), newCounts()); err != nil {
			t.Error(err)
		}
	})
}
