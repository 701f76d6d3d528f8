package upstream

import (
	"bytes"
	"net/http"
	"strings"

	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

// isChannelOnly reports whether an error response concerns only this channel, although the provider takes it for the
// fault of the request: the upstream limits the size, its account may not use the model, or a proxy before it refuses.
// Another channel may serve the request. The response counts neither against the channel nor against the caller, so no
// caller can open a circuit breaker by it.
func isChannelOnly(status int, body []byte) bool {
	switch status {
	case http.StatusConflict, http.StatusRequestEntityTooLarge, http.StatusMisdirectedRequest, http.StatusTooEarly,
		http.StatusTooManyRequests, statusClientClosed: // 429: the request is larger than the account's limit
		return true
	}
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")) { // an HTML page of a proxy: APIs answer in JSON
		return true
	}
	e := output.ScanError(body)
	return e != nil && strings.HasPrefix(e.Message, "Your organization must be verified")
}

// statusClientClosed is the status of nginx for a client that has disconnected. The client of a proxy is this program
// or another proxy.
const statusClientClosed = 499
