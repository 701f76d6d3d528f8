package probe

import (
	"net"
	"net/http"
	"time"

	"github.com/tollgate/tollgate/libs/provider/echo"
)

const connectTimeout = 5 * time.Second

// transport makes the connections of all probes. They are few: none is kept for long.
func transport() http.RoundTripper {
	t := &http.Transport{
		DialContext:         (&net.Dialer{Timeout: connectTimeout}).DialContext,
		TLSHandshakeTimeout: connectTimeout,
		ForceAttemptHTTP2:   true,
		IdleConnTimeout:     10 * time.Second,
	}
	t.RegisterProtocol(echo.Scheme, echo.NewTransport(time.Now))
	return t
}
