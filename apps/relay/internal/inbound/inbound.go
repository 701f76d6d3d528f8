// Package inbound describes a model call as the relay's API receives it. Package api fills in a Call, and package
// pipeline serves it.
package inbound

import (
	"net/netip"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/telemetry"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/fair"
	"github.com/tollgate/tollgate/libs/provider"
	"github.com/tollgate/tollgate/libs/wire/openai"
)

// Call is a model call at its arrival.
type Call struct {
	ID        uuid.UUID  // identifies the request and its usage log
	Addr      netip.Addr // the client's address, for the token's address list
	Dialect   catalog.Dialect
	Operation provider.Operation // "": a call
	Betas     string             // features of the dialect messages that the client may have, see messages.AllowedBetas
	Started   time.Time
	Report    *telemetry.Request // filled in by the stages, for the log line and the metrics
	// Slot gets the place of the call among the requests in flight. The API releases it when the answer has ended.
	Slot *fair.Lease[uuid.UUID]
}

// Scan scans the body of the call.
func (c *Call) Scan(body []byte) (*openai.Request, error) {
	if c.Operation != "" {
		return openai.ScanOperation(body, c.Dialect)
	}
	return openai.ScanRequest(body, c.Dialect)
}

// Counted is the answer to a call that counts tokens.
type Counted struct {
	Body    []byte // JSON
	Channel string // name of the channel that counted, "" if the gateway did
}
