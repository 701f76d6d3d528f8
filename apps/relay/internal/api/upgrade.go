package api

import (
	"net/http"
	"strings"

	"github.com/tollgate/tollgate/libs/core/problem"
)

// wantsWebSocket reports whether the client asks for a WebSocket.
func wantsWebSocket(r *http.Request) bool {
	for _, line := range r.Header["Upgrade"] {
		for protocol := range strings.SplitSeq(line, ",") {
			if strings.EqualFold(strings.TrimSpace(protocol), "websocket") {
				return true
			}
		}
	}
	return false
}

// refuseWebSocket answers a request for a WebSocket at once, so that the client falls back to HTTP. RFC 9110 demands
// that the status 426 names the protocol to use in Upgrade, and that Connection names that header. The connection is
// closed, because the request can have a body that nothing reads.
func (a *API) refuseWebSocket(w http.ResponseWriter) {
	header := w.Header()
	header["Upgrade"] = []string{"HTTP/1.1"}
	header["Connection"] = []string{"close", "Upgrade"} // net/http closes the connection if the first value is close
	a.refuse(w, problem.Of(problem.WebSocketUnsupported))
}
