package echo

import (
	"net/http"
	"net/url"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/provider"
	"github.com/tollgate/tollgate/libs/wire/chat"
	"github.com/tollgate/tollgate/libs/wire/openai"
)

// Scheme is the URL scheme that Transport must be registered under.
const Scheme = "echo"

// Provider implements provider.Provider for channels of type echo.
type Provider struct{}

// Check wants neither a base URL nor another dialect than chat.
func (Provider) Check(channel *catalog.Channel) error {
	if channel.BaseURL != "" {
		return problem.New(problem.InvalidType, "an echo channel has no base URL").At("base_url")
	}
	for _, dialect := range channel.Dialects {
		if dialect != catalog.Chat {
			return problem.New(problem.InvalidType, "an echo channel does not serve %q", dialect).At("endpoints")
		}
	}
	return nil
}

// Request gives the client's body to the Transport, as a chat request where it
// is none.
func (Provider) Request(call provider.Call) (provider.Request, error) {
	out := provider.Request{
		Method: http.MethodPost,
		URL:    &url.URL{Scheme: Scheme, Host: Scheme, Path: "/chat/completions"},
		Header: http.Header{"Content-Type": {"application/json"}},
	}
	if call.Conversation == nil {
		out.Body = call.Request.Forward(call.UpstreamModel)
		return out, nil
	}
	body, err := chat.EncodeRequest(call.Conversation, chat.Options{Model: call.UpstreamModel})
	out.Body, out.Decoder = openai.NewBody(body), chat.NewDecoder()
	return out, err
}

// Fault is that of all families.
func (Provider) Fault(status int, _ []byte) provider.Fault { return provider.FaultOf(status) }
