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

// Path returns where below an OpenAI base URL a dialect is spoken, "" where it
// is not OpenAI's own.
func Path(dialect catalog.Dialect) string { return paths[dialect] }

// Request sends the call to the path of its dialect.
func (Provider) Request(call provider.Call) (provider.Request, error) {
	payload, err := PayloadOf(call)
	if err != nil {
		return provider.Request{}, err
	}
	header := header(call.Credential)
	header["Content-Type"] = jsonType
	return provider.Request{
		Method:  http.MethodPost,
		URL:     at(call.Base, paths[payload.Dialect]),
		Header:  header,
		Body:    payload.Body,
		Decoder: payload.Decoder,
	}, nil
}

// StoredRequest asks for a response under the path that it was made at.
func (Provider) StoredRequest(kept provider.StoredResponse) provider.Request {
	target := at(kept.Base, paths[catalog.Responses]+"/"+kept.ID+kept.Path)
	target.RawQuery = kept.Query
	return provider.Request{Method: kept.Method, URL: target, Header: header(kept.Credential)}
}

func at(base *url.URL, path string) *url.URL {
	return &url.URL{Scheme: base.Scheme, Host: base.Host, Path: base.Path + path}
}

// Probe lists the models, which every credential may.
func (Provider) Probe(call provider.Call) provider.Request {
	return provider.Request{
		Method: http.MethodGet,
		URL:    at(call.Base, "/models"),
		Header: header(call.Credential),
	}
}

// Fault is that of all families, but for a 429 that no rest ends: the account
// has spent its quota.
func (Provider) Fault(status int, body []byte) provider.Fault {
	if status == http.StatusTooManyRequests {
		if reason, certain := provider.DisabledReasonOf(status, body); certain && reason == catalog.ReasonUnpaid {
			return provider.CredentialFault
		}
	}
	return provider.FaultOf(status)
}

func header(key string) http.Header {
	h := http.Header{"User-Agent": userAgent}
	if key != "" {
		h["Authorization"] = []string{"Bearer " + key}
	}
	return h
}

// Shared by all requests: net/http does not change header values.
var (
	jsonType  = []string{"application/json"}
	userAgent = []string{"tollgate"}
)
