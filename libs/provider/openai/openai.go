// Package openai implements the provider for OpenAI, and for servers that speak its protocol under another base URL.
// Such servers may differ from the protocol in ways that the channel's quirks describe.
package openai

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/provider"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

// Provider implements provider.Provider.
type Provider struct{}

// paths maps OpenAI's dialects to their paths under the base URL.
var paths = map[catalog.Dialect]string{
	catalog.Chat:       "/chat/completions",
	catalog.Responses:  "/responses",
	catalog.Embeddings: "/embeddings",
}

// Check requires a base URL and permits only OpenAI's dialects.
func (Provider) Check(channel *catalog.Channel) error {
	if channel.BaseURL == "" {
		return problem.New(problem.MissingParameter, "an openai channel needs a base URL").At("base_url")
	}
	for _, dialect := range channel.Dialects {
		if paths[dialect] == "" {
			return problem.New(problem.InvalidType, "an openai channel does not serve %q", dialect).At("dialects")
		}
	}
	if channel.Settings.APIVersion != "" {
		return problem.New(problem.InvalidType, "an openai channel has no API version: put it into the base URL").
			At("settings.api_version")
	}
	return nil
}

// Path returns the path of a dialect under an OpenAI base URL, or "" for dialects of other families.
func Path(dialect catalog.Dialect) string { return paths[dialect] }

// Request returns the request of the call to the path of its dialect.
func (Provider) Request(call provider.Call) (provider.Request, error) {
	payload, err := PayloadOf(call)
	if err != nil {
		return provider.Request{}, err
	}
	header := header(call.Credential)
	header["Content-Type"] = jsonType
	return provider.Request{
		Method:  http.MethodPost,
		URL:     at(call.Base, paths[payload.Dialect]+string(call.Operation)),
		Header:  header,
		Body:    payload.Body,
		Dialect: payload.Dialect,
		Ignored: payload.Ignored,
		Decoder: payload.Decoder,
		Stop:    payload.Stop,
	}, nil
}

// StoredRequest returns the request for a stored response.
func (Provider) StoredRequest(response provider.StoredResponse) provider.Request {
	target := provider.URL(response.Base, paths[catalog.Responses]+"/", response.ID, response.Path)
	target.RawQuery = response.Query
	return provider.Request{Method: response.Method, URL: target, Header: header(response.Credential)}
}

// at returns the URL of a path under the base URL.
func at(base *url.URL, path string) *url.URL {
	return &url.URL{Scheme: base.Scheme, Host: base.Host, Path: base.Path + path}
}

// Probe lists the models, which every valid credential permits.
func (Provider) Probe(call provider.Call) provider.Request {
	return provider.Request{
		Method: http.MethodGet,
		URL:    at(call.Base, "/models"),
		Header: header(call.Credential),
	}
}

// Models lists all models.
func (p Provider) Models(call provider.Call) provider.Request { return p.Probe(call) }

// statusCapacity is Groq's own status for a service tier without capacity.
const statusCapacity = 498

// Fault applies the shared rules with these exceptions: a 429 for a used-up quota of the account is a CredentialFault,
// because waiting does not help, and one for a request that is larger than the whole limit of a minute is a
// ClientFault. Compatible servers answer 400 for an account without money, and xAI and Google for an
// unknown key. 498 means overload.
func (Provider) Fault(status int, body []byte) provider.Fault {
	switch status {
	case statusCapacity:
		return provider.BusyFault
	case http.StatusTooManyRequests, http.StatusBadRequest:
		if reason, certain := provider.DisabledReasonOf(status, body); certain && reason == catalog.ReasonUnpaid {
			return provider.CredentialFault
		}
		e := output.ScanError(body)
		switch { // by the beginning of the message, which is not the client's text
		case e == nil:
		case status == http.StatusTooManyRequests && strings.HasPrefix(e.Message, "Request too large"):
			return provider.ClientFault
		case status == http.StatusBadRequest && (strings.HasPrefix(e.Message, "Incorrect API key provided") ||
			strings.HasPrefix(e.Message, "API key not valid")):
			return provider.CredentialFault
		}
	}
	return provider.FaultOf(status)
}

// header returns the header of a request without a body. Compatible servers on the local machine often need no key.
func header(key string) http.Header {
	h := http.Header{"User-Agent": userAgent}
	if key != "" {
		h["Authorization"] = []string{"Bearer " + key}
	}
	return h
}

// Header values that all requests share. Sharing is safe because net/http does not change them.
var (
	jsonType  = []string{"application/json"}
	userAgent = []string{"tollgate"}
)
