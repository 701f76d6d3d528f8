package usage

import (
	"net/netip"
	"time"

	"github.com/google/uuid"
)

// Refusal is a call of a known token that was refused before a channel was called, so that it cost nothing and has no
// Log. Refusals are shown to the tenant, may be lost, and are part of no total.
type Refusal struct {
	ID        uuid.UUID // of the request
	TenantID  uuid.UUID
	UserID    uuid.UUID
	TokenID   uuid.UUID
	CreatedAt time.Time
	Dialect   string // of the endpoint that was called, as in Log
	Model     string // as the client named it; "" if the request was not read
	Status    int    // HTTP status that the client got
	Code      string // the reason, a word of package problem
	Param     string // path of the field at fault; "" for none
	Message   string // text of the error that the client got

	Address netip.Addr // of the client; invalid if it is not collected
	Agent   string     // of the client, see AgentOf; "" for none, or if it is not collected
}

// RefusalCount is the number of calls of a user that were refused in an hour for one reason, listed or not.
type RefusalCount struct {
	TenantID uuid.UUID
	UserID   uuid.UUID
	Hour     time.Time // UTC
	Code     string
	Calls    int64
}
