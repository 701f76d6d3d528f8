package tap

import (
	"context"
	"net/http"
)

// Deliver is Opening.Deliver for a stream of which the client has nothing yet.
func Deliver(ctx context.Context, w http.ResponseWriter, o Options) (*Delivery, Result) {
	return Open(w, o.Dialect, o.Timeouts, o.Buffers).Deliver(ctx, o)
}
