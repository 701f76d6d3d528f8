// Package azure implements the provider for Azure OpenAI: OpenAI's protocol with other paths and headers. The upstream
// model of a channel is the name of a deployment in the Azure resource.
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

// dated matches the API versions of the older paths (/openai/deployments/NAME). The newer paths (/openai/v1) have no
// dated versions: they accept none, "v1" and "preview".
var dated = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}(-preview)?$`)

// Check requires a base URL, OpenAI's dialects, and a well-formed API version.
func (Provider) Check(channel *catalog.Channel) error {
	if channel.BaseURL == "" {
		return problem.New(problem.MissingParameter, "an azure channel needs a base URL").At("base_url")
	}
	for _, dialect := range channel.Dialects {
		if openai.Path(dialect) == "" {
			return problem.New(problem.InvalidType, "an azure channel does not serve %q", dialect).At("dialects")
		}
	}
	switch version := channel.Settings.APIVersion; {
	case version == "", version == "v1", version == "preview", dated.MatchString(version):
		return nil
	}
	return problem.New(problem.InvalidType, "api_version must be v1, preview or a date such as 2025-04-01-preview").
		At("settings.api_version")
}

// Request returns the request that an openai channel would send, with Azure's path and header.
func (Provider) Request(call provider.Call) (provider.Request, error) {
	if err := provider.CheckSegment(call.UpstreamModel); err != nil {
		return provider.Request{}, err
	}
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
		Dialect: payload.Dialect,
		Ignored: payload.Ignored,
		Decoder: payload.Decoder,
		Stop:    payload.Stop,
	}, nil
}

// target returns the URL for requests in the dialect. With a dated version chat and embeddings have a path for each
// deployment; everywhere else the body names the deployment as its model.
func target(call provider.Call, dialect catalog.Dialect) *url.URL {
	deployment, path := "", openai.Path(dialect)+string(call.Operation)
	if dated.MatchString(call.Channel.Settings.APIVersion) && dialect != catalog.Responses {
		deployment = call.UpstreamModel
	}
	return at(call.Channel, call.Base, deployment, path)
}

// at returns the URL of a path of the resource, or of a deployment unless its name is empty.
func at(channel *catalog.Channel, base *url.URL, deployment, path string) *url.URL {
	version := channel.Settings.APIVersion
	root := &url.URL{Scheme: base.Scheme, Host: base.Host, Path: resource(base.Path) + "/openai"}
	if !dated.MatchString(version) { // no version, v1 or preview: the newer paths
		root.Path += "/v1"
	}
	u := root
	if deployment != "" {
		u = provider.URL(root, "/deployments/", deployment, path)
	} else {
		u.Path += path
	}
	if version != "" {
		u.RawQuery = url.Values{"api-version": {version}}.Encode()
	}
	return u
}

// StoredRequest returns the request for a stored response. Its path is below the one that created the response.
func (Provider) StoredRequest(response provider.StoredResponse) provider.Request {
	u := target(provider.Call{Channel: response.Channel, Base: response.Base}, catalog.Responses)
	query := u.RawQuery
	u = provider.URL(u, "/", response.ID, response.Path)
	u.RawQuery = query
	if query := response.Query; query != "" {
		u.RawQuery = strings.TrimPrefix(u.RawQuery+"&"+query, "&")
	}
	return provider.Request{Method: response.Method, URL: u, Header: header(response.Credential)}
}

// Probe lists the models of the resource, which every valid credential permits.
func (Provider) Probe(call provider.Call) provider.Request {
	return provider.Request{Method: http.MethodGet, URL: at(call.Channel, call.Base, "", "/models"),
		Header: header(call.Credential)}
}

// Models lists the models that the resource may deploy. Azure has no list of the deployments for a key of the resource.
func (p Provider) Models(call provider.Call) provider.Request { return p.Probe(call) }

// header returns the header of a request. Azure expects the key in a header of its own.
func header(key string) http.Header {
	h := http.Header{"User-Agent": userAgent}
	if key != "" {
		h["Api-Key"] = []string{key}
	}
	return h
}

// resource returns the path of a base URL without the suffixes /openai/v1 and /openai. Microsoft's documents show base
// URLs with and without them.
func resource(base string) string {
	base = strings.TrimSuffix(base, "/openai/v1")
	return strings.TrimSuffix(base, "/openai")
}

// Fault applies the shared rules with one exception: a 404 for a missing deployment or path is the fault of the
// channel, and another channel may have the model. Any other 404, such as the answer for an unknown stored response, is
// the fault of the client.
func (Provider) Fault(status int, body []byte) provider.Fault {
	if status != http.StatusNotFound {
		return provider.FaultOf(status)
	}
	if e := output.ScanError(body); e == nil || e.Code == "DeploymentNotFound" || e.Code == "404" {
		return provider.ServerFault
	}
	return provider.ClientFault
}

// Header values that all requests share. Sharing is safe because net/http does not change them.
var (
	jsonType  = []string{"application/json"}
	userAgent = []string{"tollgate"}
)
