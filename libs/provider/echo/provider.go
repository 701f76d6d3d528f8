package echo

import (
	"net/http"
	"net/url"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/provider"
	"github.com/tollgate/tollgate/libs/wire/chat"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// Scheme is the URL scheme that Transport must be registered under.
const Scheme = "echo"

// Provider implements provider.Provider for channels of type echo.
type Provider struct{}

// Check permits no base URL and only the dialect chat.
func (Provider) Check(channel *catalog.Channel) error {
	if channel.BaseURL != "" {
		return problem.New(problem.InvalidType, "an echo channel has no base URL").At("base_url")
	}
	for _, dialect := range channel.Dialects {
		if dialect != catalog.Chat {
			return problem.New(problem.InvalidType, "an echo channel does not serve %q", dialect).At("dialects")
		}
	}
	return checkSettings(&channel.Settings)
}

// checkSettings refuses settings that would have no effect: those about connections and about differences from OpenAI's
// protocol.
func checkSettings(s *catalog.Settings) error {
	for field, set := range map[string]bool{
		"api_version": s.APIVersion != "", "quirks": len(s.Quirks) > 0, "proxy": s.Proxy.Mask != "", "ca": s.CA != "",
		"connect_timeout": s.ConnectTimeout != 0,
	} {
		if set {
			return problem.New(problem.InvalidType, "an echo channel does not support %s", field).
				At("settings." + field)
		}
	}
	return nil
}

// Request returns a request that the Transport answers. A request in another dialect is translated into chat.
func (Provider) Request(call provider.Call) (provider.Request, error) {
	out := provider.Request{
		Method: http.MethodPost,
		URL:    &url.URL{Scheme: Scheme, Host: Scheme, Path: "/chat/completions"},
		Header: http.Header{"Content-Type": {"application/json"}}, Dialect: catalog.Chat,
	}
	if call.Dialect == catalog.Embeddings {
		out.URL.Path, out.Dialect = embeddingsPath, call.Dialect
	}
	var err error
	if call.Conversation == nil {
		out.Body, err = call.Request.Adapt(call.UpstreamModel, provider.SettingsOf(call))
		return out, err
	}
	body, ignored, err := chat.EncodeRequest(call.Conversation, chat.Options{Model: call.UpstreamModel})
	out.Body, out.Ignored, out.Decoder = rawjson.NewBody(body), ignored, chat.NewDecoder(nil)
	return out, err
}

// Fault applies the rules that all families share.
func (Provider) Fault(status int, _ []byte) provider.Fault { return provider.FaultOf(status) }
