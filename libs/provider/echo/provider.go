// Package echo implements a provider and its upstream in the process itself, without a network. It answers a chat
// completion with the text of the last user message and counts a word as a token. Demos, tests and benchmarks use it:
// the answers are predictable, cost nothing and need no credential.
//
// Provider validates channels of the type echo and builds requests with the URL scheme "echo". Transport is the
// http.RoundTripper that the relay registers for that scheme; it validates requests and streams answers as OpenAI does.
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

// Check permits no base URL, only the dialect chat, and none of the settings that would have no effect: those about
// connections and about differences from OpenAI's protocol.
func (Provider) Check(channel *catalog.Channel) error {
	if channel.BaseURL != "" {
		return problem.New(problem.InvalidType, "an echo channel has no base URL").At("base_url")
	}
	for _, dialect := range channel.Dialects {
		if dialect != catalog.Chat {
			return problem.New(problem.InvalidType, "an echo channel does not serve %q", dialect).At("dialects")
		}
	}
	s := &channel.Settings
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
		URL:    &url.URL{Scheme: Scheme, Host: Scheme, Path: chatPath},
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
