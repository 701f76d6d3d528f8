package upstream

import (
	"bytes"
	"net/http"
	"strings"

	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

// isHere reports whether an error response that the provider takes for the fault of the request concerns this upstream
// alone: its limit of the size, its account, or a proxy before it. Another channel may serve the request. Nobody is to
// blame for it, so that no caller can make a channel pause.
func isHere(status int, body []byte) bool {
	switch status {
	case http.StatusConflict, http.StatusRequestEntityTooLarge, http.StatusMisdirectedRequest, http.StatusTooEarly,
		statusClientClosed:
		return true
	}
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")) { // the page of a proxy: APIs answer in JSON
		return true
	}
	e := output.ScanError(body)
	return e != nil && strings.HasPrefix(e.Message, "Your organization must be verified")
}

// statusClientClosed is the status of nginx for a client that has disconnected. The client of a proxy is this program
// or another proxy.
const statusClientClosed = 499
