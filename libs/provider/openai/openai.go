// Package openai is the provider of OpenAI and of every server that speaks its
// protocol under some base URL.
package openai

import (
	"net/http"
	"net/url"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/provider"
)

// Provider implements provider.Provider.
type Provider struct{}

// paths under the base URL, by dialect.
var paths = map[catalog.Dialect]string{
	catalog.Chat:      "/chat/completions",
	catalog.Responses: "/responses",
}

// Check wants a base URL and dialects of OpenAI's own.
func (Provider) Check(channel *catalog.Channel) error {
	if channel.BaseURL == "" {
		return problem.New(problem.MissingParameter, "an openai channel needs a base URL").At("base_url")
	}
	for _, dialect := range channel.Dialects {
		if paths[dialect] == "" {
			return problem.New(problem.InvalidType, "an openai channel does not serve %q", dialect).At("endpoints")
		}
	}
	if channel.Settings.APIVersion != "" {
		return problem.New(problem.InvalidType, "an openai channel has no dated version: it stands in the base URL").At("settings.api_version")
	}
	return nil
}

// Request forwards the client's body, adapted by the channel's settings.
func (Provider) Request(call provider.Call) (provider.Request, error) {
	body, err := call.Request.Adapt(call.UpstreamModel, &call.Channel.Settings)
	if err != nil {
		return provider.Request{}, err
	}
	target := &url.URL{Scheme: call.Base.Scheme, Host: call.Base.Host, Path: call.Base.Path + paths[call.Dialect]}
	header := http.Header{
		"Content-Type": jsonType,
		"User-Agent":   userAgent,
	}
	if call.Key != "" {
		header["Authorization"] = []string{"Bearer " + call.Key}
	}
	return provider.Request{
		Method: http.MethodPost,
		URL:    target,
		Header: header,
		Body:   body,
	}, nil
}

// Fault is that of all families.
func (Provider) Fault(status int, _ []byte) provider.Fault { return provider.FaultOf(status) }

// Shared by all requests: net/http does not change header values.
var (
	jsonType  = []string{"application/json"}
	userAgent = []string{"tollgate"}
)
