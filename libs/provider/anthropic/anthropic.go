// Package anthropic implements the provider for Anthropic's Messages API, and for servers with a compatible API. Calls
// of clients that speak the dialect messages pass unchanged; others are translated.
package anthropic

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/provider"
	"github.com/tollgate/tollgate/libs/wire/messages"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// Provider implements provider.Provider.
type Provider struct{}

const (
	defaultHost    = "api.anthropic.com"
	defaultVersion = "2023-06-01"
	versionPath    = "/v1"
)

// Check permits only the dialect messages. The base URL is optional.
func (Provider) Check(channel *catalog.Channel) error {
	for _, dialect := range channel.Dialects {
		if dialect != catalog.Messages {
			return problem.New(problem.InvalidType, "an anthropic channel does not serve %q", dialect).At("dialects")
		}
	}
	return nil
}

// Request passes the call on to /v1/messages, or translates it.
func (Provider) Request(call provider.Call) (provider.Request, error) {
	if call.Conversation == nil {
		return forward(call)
	}
	body, ignored, err := messages.EncodeRequest(call.Conversation,
		messages.Options{Model: call.UpstreamModel, Tier: call.ServiceTier, MaxOutput: call.MaxOutput})
	if err != nil {
		return provider.Request{}, err
	}
	return provider.Request{
		Method:  http.MethodPost,
		URL:     at(call.Base, "/messages"),
		Header:  header(call),
		Body:    rawjson.NewBody(body),
		Dialect: catalog.Messages,
		Ignored: ignored,
		Decoder: messages.NewDecoder(call.Conversation),
		Stop:    messages.BlankStops(call.Conversation),
	}, nil
}

// forward returns the request with the client's bytes, adapted to the channel's settings. Thinking that another family
// made is left out, because the API refuses its signatures, see openai.Request.WithoutForeignThinking.
func forward(call provider.Call) (provider.Request, error) {
	if call.Dialect != catalog.Messages {
		return provider.Request{}, problem.New(problem.UnsupportedParameter,
			"an anthropic channel cannot serve %q without translation", call.Dialect)
	}
	request, ignored, err := call.Request.WithoutForeignThinking()
	if err != nil {
		return provider.Request{}, err
	}
	settings, path := &call.Channel.Settings, "/messages"
	if call.Operation == provider.CountInput {
		path += "/count_tokens"
		settings = provider.SettingsOf(call)
	}
	body, err := request.Adapt(call.UpstreamModel, settings)
	if err != nil {
		return provider.Request{}, err
	}
	h := header(call)
	if call.Betas != "" {
		h["Anthropic-Beta"] = []string{call.Betas}
	}
	return provider.Request{Method: http.MethodPost, URL: at(call.Base, path), Header: h, Body: body,
		Dialect: catalog.Messages, Ignored: ignored}, nil
}

// ThinkingBudget returns the thinking budget of a translated call.
func (Provider) ThinkingBudget(upstreamModel, effort string, maxOutput int64) int64 {
	return messages.ThinkingBudget(upstreamModel, effort, maxOutput)
}

// Probe lists one model, which every valid credential permits.
func (Provider) Probe(call provider.Call) provider.Request { return list(call, "1") }

// Models lists the models, as many as the API returns at once.
func (Provider) Models(call provider.Call) provider.Request { return list(call, "1000") }

// list returns the request for the first models, at most limit.
func list(call provider.Call, limit string) provider.Request {
	u := at(call.Base, "/models")
	u.RawQuery = "limit=" + limit
	return provider.Request{Method: http.MethodGet, URL: u, Header: header(call)}
}

// at returns the URL of a path of the API. base may end in /v1 or not; nil stands for Anthropic's own API.
func at(base *url.URL, path string) *url.URL {
	u := url.URL{Scheme: "https", Host: defaultHost}
	if base != nil {
		u = url.URL{Scheme: base.Scheme, Host: base.Host, Path: base.Path}
	}
	if !strings.HasSuffix(u.Path, versionPath) {
		u.Path += versionPath
	}
	u.Path += path
	return &u
}

// header returns the header of a request. The keys are in canonical form, because the code sets them directly in the
// map.
func header(call provider.Call) http.Header {
	h := http.Header{
		"Content-Type":      jsonType,
		"User-Agent":        userAgent,
		"Anthropic-Version": apiVersion,
	}
	if version := call.Channel.Settings.APIVersion; version != "" {
		h["Anthropic-Version"] = []string{version}
	}
	if call.Credential != "" {
		h["X-Api-Key"] = []string{call.Credential}
	}
	return h
}

// Header values that all requests share. Sharing is safe because net/http does not change them.
var (
	jsonType   = []string{"application/json"}
	userAgent  = []string{"tollgate"}
	apiVersion = []string{defaultVersion}
)

// statusOverloaded is Anthropic's own status for overload, which HTTP does not define.
const statusOverloaded = 529

// Fault applies the shared rules with three exceptions: 400 can mean an account without credit; 404 means that this
// account does not have the model, which another channel may have; 529 means overload.
func (Provider) Fault(status int, body []byte) provider.Fault {
	switch {
	case status == statusOverloaded:
		return provider.BusyFault
	case status == http.StatusNotFound:
		return provider.ServerFault
	case status == http.StatusBadRequest && isUnpaid(body):
		return provider.CredentialFault
	}
	return provider.FaultOf(status)
}

// unpaid holds parts of Anthropic's messages for used-up credit and for a reached spend limit. These errors have the
// type of any other bad request, so only the text tells them apart.
var unpaid = [...]string{"credit balance is too low", "reached your specified API usage limits"}

// isUnpaid reports whether the body of a 400 means that the account has no money left.
func isUnpaid(body []byte) bool {
	var answer struct {
		Error struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &answer) != nil {
		return false
	}
	for _, words := range unpaid {
		if strings.Contains(answer.Error.Message, words) {
			return true
		}
	}
	return answer.Error.Type == "billing_error"
}
