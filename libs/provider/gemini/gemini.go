// Package gemini is the provider of Google's models, by the Gemini API or by
// any server that speaks it under some base URL, such as Vertex AI under
// ".../publishers/google".
package gemini

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/provider"
	wire "github.com/tollgate/tollgate/libs/wire/gemini"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// Provider implements provider.Provider.
type Provider struct{}

// The Gemini API's own address.
const (
	officialHost = "generativelanguage.googleapis.com"
	officialPath = "/v1beta"
)

// Check wants the dialect gemini alone, and no setting of OpenAI's protocol. A
// base URL may be left out.
func (Provider) Check(channel *catalog.Channel) error {
	for _, dialect := range channel.Dialects {
		if dialect != catalog.Gemini {
			return problem.New(problem.InvalidType, "a gemini channel does not serve %q", dialect).At("endpoints")
		}
	}
	switch {
	case channel.Settings.APIVersion != "":
		return problem.New(problem.InvalidType, "a gemini channel has no dated version: it stands in the base URL").At("settings.api_version")
	case len(channel.Settings.Quirks) > 0:
		return problem.New(problem.InvalidType, "a gemini channel has no quirks").At("settings.quirks")
	}
	return nil
}

// Request translates the call.
func (Provider) Request(call provider.Call) (provider.Request, error) {
	if call.Conversation == nil {
		return provider.Request{}, problem.New(problem.UnsupportedParameter, "a gemini channel does not serve %q untranslated", call.Dialect)
	}
	body, err := wire.EncodeRequest(call.Conversation, wire.Options{Model: call.UpstreamModel})
	if err != nil {
		return provider.Request{}, err
	}
	return provider.Request{
		Method:  http.MethodPost,
		URL:     target(call),
		Header:  header(call.Credential),
		Body:    rawjson.NewBody(body),
		Decoder: wire.NewDecoder(call.Conversation),
	}, nil
}

// Probe lists a model, which every credential may.
func (Provider) Probe(call provider.Call) provider.Request {
	root := rootOf(call)
	return provider.Request{
		Method: http.MethodGet,
		URL:    &url.URL{Scheme: root.Scheme, Host: root.Host, Path: root.Path + "/models", RawQuery: "pageSize=1"},
		Header: header(call.Credential),
	}
}

// rootOf is the base URL, or the Gemini API's own.
func rootOf(call provider.Call) *url.URL {
	if call.Base != nil {
		return call.Base
	}
	return &url.URL{Scheme: "https", Host: officialHost, Path: officialPath}
}

func target(call provider.Call) *url.URL {
	root := rootOf(call)
	model := strings.TrimPrefix(call.UpstreamModel, "models/")
	if call.Conversation.Stream {
		return at(root, model+":streamGenerateContent", "alt=sse")
	}
	return at(root, model+":generateContent", "")
}

func at(root *url.URL, method, query string) *url.URL {
	return &url.URL{
		Scheme: root.Scheme, Host: root.Host, RawQuery: query,
		Path: root.Path + "/models/" + method,
	}
}

// header gives the key, which must not stand in the URL: URLs get logged.
// OAuth's access tokens, as Vertex AI takes them, begin with "ya29.".
func header(key string) http.Header {
	h := http.Header{"Content-Type": jsonType, "User-Agent": userAgent}
	switch {
	case strings.HasPrefix(key, "ya29."):
		h["Authorization"] = []string{"Bearer " + key}
	case key != "":
		h["X-Goog-Api-Key"] = []string{key}
	}
	return h
}

// Fault is that of all families, but that Google answers 400 to a key that it
// does not know and to an account that it does not serve, and 404 to a model:
// another channel may do better.
func (Provider) Fault(status int, body []byte) provider.Fault {
	switch status {
	case http.StatusBadRequest:
		return refusal(body)
	case http.StatusNotFound:
		return provider.ServerFault
	case http.StatusServiceUnavailable: // overloaded
		return provider.BusyFault
	}
	return provider.FaultOf(status)
}

// refusal tells whose fault a 400 is.
func refusal(body []byte) provider.Fault {
	var answer struct {
		Error struct {
			Message string `json:"message"`
			Status  string `json:"status"`
			Details []struct {
				Reason string `json:"reason"`
			} `json:"details"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &answer) != nil {
		return provider.ClientFault
	}
	for _, detail := range answer.Error.Details {
		if detail.Reason == "API_KEY_INVALID" {
			return provider.CredentialFault
		}
	}
	switch {
	case strings.HasPrefix(answer.Error.Message, "API key not valid"):
		return provider.CredentialFault
	case answer.Error.Status == "FAILED_PRECONDITION": // a country without the free tier
		return provider.ServerFault
	}
	return provider.ClientFault
}

// Shared by all requests: net/http does not change header values.
var (
	jsonType  = []string{"application/json"}
	userAgent = []string{"tollgate"}
)
