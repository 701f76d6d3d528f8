// Package gemini implements the provider for Google's Gemini API, and for servers that speak it under another base URL,
// such as Vertex AI under ".../publishers/google". Clients do not speak this dialect, so every call is translated.
// Embeddings use Google's own methods and not its API for OpenAI's clients, because that has another base URL and
// another header for the key.
package gemini

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/provider"
	wire "github.com/tollgate/tollgate/libs/wire/gemini"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// Provider implements provider.Provider.
type Provider struct{}

// The host and path of the Gemini API.
const (
	officialHost = "generativelanguage.googleapis.com"
	officialPath = "/v1beta"
)

// Check permits only the dialect gemini, and no settings that belong to OpenAI's protocol. The base URL is optional.
func (Provider) Check(channel *catalog.Channel) error {
	for _, dialect := range channel.Dialects {
		if dialect != catalog.Gemini {
			return problem.New(problem.InvalidType, "a gemini channel does not serve %q", dialect).At("dialects")
		}
	}
	switch {
	case channel.Settings.APIVersion != "":
		return problem.New(problem.InvalidType, "a gemini channel has no API version: put it into the base URL").
			At("settings.api_version")
	case len(channel.Settings.Quirks) > 0:
		return problem.New(problem.InvalidType, "a gemini channel has no quirks").At("settings.quirks")
	}
	return nil
}

// Request translates the call into a request to generateContent, or to streamGenerateContent for a stream.
func (Provider) Request(call provider.Call) (provider.Request, error) {
	if err := provider.CheckSegment(call.UpstreamModel); err != nil {
		return provider.Request{}, err
	}
	if call.Dialect == catalog.Embeddings {
		return embeddings(call)
	}
	if call.Conversation == nil {
		return provider.Request{}, problem.New(problem.UnsupportedParameter,
			"a gemini channel cannot serve %q without translation", call.Dialect)
	}
	body, ignored, err := wire.EncodeRequest(call.Conversation,
		wire.Options{Model: call.UpstreamModel, VertexAI: isVertexAI(call.Base)})
	if err != nil {
		return provider.Request{}, err
	}
	return provider.Request{
		Method:  http.MethodPost,
		URL:     target(call),
		Header:  header(call.Credential),
		Body:    rawjson.NewBody(body),
		Dialect: catalog.Gemini,
		Ignored: ignored,
		Decoder: wire.NewDecoder(call.Conversation),
	}, nil
}

// isVertexAI reports whether a base URL is one of Vertex AI: its host is, or its path has the publisher of the models.
func isVertexAI(base *url.URL) bool {
	return base != nil && (strings.HasSuffix(base.Hostname(), "aiplatform.googleapis.com") ||
		strings.Contains(base.Path+"/", "/publishers/google/"))
}

// embeddings translates a request for embeddings into one to embedContent or batchEmbedContents.
func embeddings(call provider.Call) (provider.Request, error) {
	model := strings.TrimPrefix(call.UpstreamModel, "models/")
	body, err := wire.EncodeEmbeddings(call.Request.Body(), call.Request.Model, model)
	if err != nil {
		return provider.Request{}, err
	}
	method := ":embedContent"
	if body.Batch {
		method = ":batchEmbedContents"
	}
	return provider.Request{
		Method:     http.MethodPost,
		URL:        at(rootOf(call), model, method),
		Header:     header(call.Credential),
		Body:       rawjson.NewBody(body.Body),
		Dialect:    catalog.Gemini,
		Ignored:    body.Ignored,
		Embeddings: body.Decode,
	}, nil
}

// ThinkingBudget returns the thinking budget of a translated call.
func (Provider) ThinkingBudget(upstreamModel, effort string, _ int64) int64 {
	return wire.ThinkingBudget(upstreamModel, effort)
}

// Probe lists one model, which every valid credential permits.
func (Provider) Probe(call provider.Call) provider.Request { return list(call, "1") }

// Models lists the models, as many as the API returns at once.
func (Provider) Models(call provider.Call) provider.Request { return list(call, "1000") }

// list returns the request for the first models, at most size.
func list(call provider.Call, size string) provider.Request {
	root := rootOf(call)
	return provider.Request{
		Method: http.MethodGet,
		URL: &url.URL{Scheme: root.Scheme, Host: root.Host, Path: root.Path + "/models",
			RawQuery: "pageSize=" + size},
		Header: header(call.Credential),
	}
}

// rootOf returns the base URL of the call, by default that of the Gemini API.
func rootOf(call provider.Call) *url.URL {
	if call.Base != nil {
		return call.Base
	}
	return &url.URL{Scheme: "https", Host: officialHost, Path: officialPath}
}

// target returns the URL of the call. The upstream model may have the prefix "models/", as Google's lists show it.
func target(call provider.Call) *url.URL {
	model := strings.TrimPrefix(call.UpstreamModel, "models/")
	if call.Conversation.Stream {
		u := at(rootOf(call), model, ":streamGenerateContent")
		u.RawQuery = "alt=sse"
		return u
	}
	return at(rootOf(call), model, ":generateContent")
}

// at returns the URL of a method of a model, such as ":generateContent".
func at(root *url.URL, model, method string) *url.URL {
	return provider.URL(root, "/models/", model, method)
}

// header returns the header with the credential. Google also accepts the key in the URL, but URLs appear in logs. A
// credential that begins with "ya29." is an OAuth access token, which Vertex AI requires.
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

// Fault applies the shared rules with these exceptions: Google answers 400 to an unknown key and to an account that it
// does not serve, 404 to an unknown model, and 503 when it is overloaded. Another channel may succeed in all these
// cases.
func (Provider) Fault(status int, body []byte) provider.Fault {
	switch status {
	case http.StatusBadRequest:
		return refusal(body)
	case http.StatusNotFound:
		return provider.ServerFault
	case http.StatusServiceUnavailable: // Google's status for overload
		return provider.BusyFault
	}
	return provider.FaultOf(status)
}

// refusal classifies a 400 by the reason in its body.
func refusal(body []byte) provider.Fault {
	e := wire.ErrorOf(body)
	for _, detail := range e.Details.Value {
		if detail.Reason == "API_KEY_INVALID" {
			return provider.CredentialFault
		}
	}
	switch {
	case strings.HasPrefix(e.Message, "API key not valid"):
		return provider.CredentialFault
	case e.Status == "FAILED_PRECONDITION": // the account's country has no free tier
		return provider.ServerFault
	}
	return provider.ClientFault
}

// Header values that all requests share. Sharing is safe because net/http does not change them.
var (
	jsonType  = []string{"application/json"}
	userAgent = []string{"tollgate"}
)
