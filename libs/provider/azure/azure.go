// Package azure is the provider of OpenAI's models at Microsoft: OpenAI's
// protocol under other paths. What a channel calls an upstream model is a
// deployment there.
package azure

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/provider"
	"github.com/tollgate/tollgate/libs/provider/openai"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

// Provider implements provider.Provider.
type Provider struct{}

// dated are the versions of the older paths. The newer ones have no date:
// none, "v1" and "preview" are the versions that they know.
var dated = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}(-preview)?$`)

// Check wants a base URL, dialects of OpenAI's own and a version that Azure
// could know.
func (Provider) Check(channel *catalog.Channel) error {
	if channel.BaseURL == "" {
		return problem.New(problem.MissingParameter, "an azure channel needs a base URL").At("base_url")
	}
	for _, dialect := range channel.Dialects {
		if openai.Path(dialect) == "" {
			return problem.New(problem.InvalidType, "an azure channel does not serve %q", dialect).At("endpoints")
		}
	}
	switch version := channel.Settings.APIVersion; {
	case version == "", version == "v1", version == "preview", dated.MatchString(version):
		return nil
	}
	return problem.New(problem.InvalidType, "an API version is a date such as 2025-04-01-preview, v1 or preview").At("settings.api_version")
}

// Request sends what an openai channel would, to Azure's path for it.
func (Provider) Request(call provider.Call) (provider.Request, error) {
	payload, err := openai.PayloadOf(call)
	if err != nil {
		return provider.Request{}, err
	}
	header := header(call.Credential)
	header["Content-Type"] = jsonType
	return provider.Request{
		Method:  http.MethodPost,
		URL:     target(call, payload.Dialect),
		Header:  header,
		Body:    payload.Body,
		Decoder: payload.Decoder,
	}, nil
}

func target(call provider.Call, dialect catalog.Dialect) *url.URL {
	version := call.Channel.Settings.APIVersion
	u := &url.URL{Scheme: call.Base.Scheme, Host: call.Base.Host, Path: resource(call.Base.Path) + "/openai"}
	switch {
	case !dated.MatchString(version):
		u.Path += "/v1"
	case dialect == catalog.Chat:
		u.Path += "/deployments/" + call.UpstreamModel
	}
	u.Path += openai.Path(dialect)
	if version != "" {
		u.RawQuery = url.Values{"api-version": {version}}.Encode()
	}
	return u
}

// StoredRequest asks for a response under the path that it was made at.
func (Provider) StoredRequest(kept provider.StoredResponse) provider.Request {
	u := target(provider.Call{Channel: kept.Channel, Base: kept.Base}, catalog.Responses)
	u.Path += "/" + kept.ID + kept.Path
	if query := kept.Query; query != "" {
		u.RawQuery = strings.TrimPrefix(u.RawQuery+"&"+query, "&")
	}
	return provider.Request{Method: kept.Method, URL: u, Header: header(kept.Credential)}
}

// Probe lists the models of the resource, which every credential may.
func (Provider) Probe(call provider.Call) provider.Request {
	u := &url.URL{Scheme: call.Base.Scheme, Host: call.Base.Host, Path: resource(call.Base.Path) + "/openai"}
	version := call.Channel.Settings.APIVersion
	if !dated.MatchString(version) {
		u.Path += "/v1"
	}
	u.Path += "/models"
	if version != "" {
		u.RawQuery = url.Values{"api-version": {version}}.Encode()
	}
	return provider.Request{Method: http.MethodGet, URL: u, Header: header(call.Credential)}
}

func header(key string) http.Header {
	h := http.Header{"User-Agent": userAgent}
	if key != "" {
		h["Api-Key"] = []string{key}
	}
	return h
}

// resource returns the path of the Azure resource, which a base URL may lead
// beyond: Microsoft shows it in all these forms.
func resource(base string) string {
	base = strings.TrimSuffix(base, "/openai/v1")
	return strings.TrimSuffix(base, "/openai")
}

// Fault is that of all families, but that a deployment or a path that is not
// there is the channel's: another channel may have the model.
func (Provider) Fault(status int, body []byte) provider.Fault {
	if status != http.StatusNotFound {
		return provider.FaultOf(status)
	}
	if e := output.ScanError(body); e == nil || e.Code == "DeploymentNotFound" || e.Code == "404" {
		return provider.ServerFault
	}
	return provider.ClientFault
}

// Shared by all requests: net/http does not change header values.
var (
	jsonType  = []string{"application/json"}
	userAgent = []string{"tollgate"}
)
