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
	return nil
}

// Path returns where below an OpenAI base URL a dialect is spoken, "" where it
// is not OpenAI's own.
func Path(dialect catalog.Dialect) string { return paths[dialect] }

// Request sends the call to the path of its dialect.
func (Provider) Request(call provider.Call) (provider.Request, error) {
	payload, err := PayloadOf(call)
	if err != nil {
		return provider.Request{}, err
	}
	target := &url.URL{Scheme: call.Base.Scheme, Host: call.Base.Host, Path: call.Base.Path + paths[payload.Dialect]}
	header := http.Header{
		"Content-Type": jsonType,
		"User-Agent":   userAgent,
	}
	if call.Key != "" {
		header["Authorization"] = []string{"Bearer " + call.Key}
	}
	return provider.Request{
		Method:  http.MethodPost,
		URL:     target,
		Header:  header,
		Body:    payload.Body,
		Decoder: payload.Decoder,
	}, nil
}

// Fault is that of all families.
func (Provider) Fault(status int, _ []byte) provider.Fault { return provider.FaultOf(status) }

// Shared by all requests: net/http does not change header values.
var (
	jsonType  = []string{"application/json"}
	userAgent = []string{"tollgate"}
)
