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

// Request forwards the client's body.
func (Provider) Request(call provider.Call) (provider.Request, error) {
	return provider.Request{
		Method: http.MethodPost,
		URL:    at(call.Base, paths[call.Dialect]),
		Header: header(call.Key),
		Body:   call.Request.Forward(call.UpstreamModel),
	}, nil
}

// Kept asks for a response under the path that it was made at.
func (Provider) Kept(kept provider.Kept) provider.Request {
	target := at(kept.Base, paths[catalog.Responses]+"/"+kept.ID+kept.Path)
	target.RawQuery = kept.Query
	return provider.Request{Method: kept.Method, URL: target, Header: header(kept.Key)}
}

func at(base *url.URL, path string) *url.URL {
	return &url.URL{Scheme: base.Scheme, Host: base.Host, Path: base.Path + path}
}

func header(key string) http.Header {
	header := http.Header{
		"Content-Type": jsonType,
		"User-Agent":   userAgent,
	}
	if key != "" {
		header["Authorization"] = []string{"Bearer " + key}
	}
	return header
}

// Fault is that of all families.
func (Provider) Fault(status int, _ []byte) provider.Fault { return provider.FaultOf(status) }

// Shared by all requests: net/http does not change header values.
var (
	jsonType  = []string{"application/json"}
	userAgent = []string{"tollgate"}
)
