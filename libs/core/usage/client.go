package usage

import (
	"net/netip"
	"strings"
	"time"

	"github.com/google/uuid"
)

// MaxAgent is the greatest number of bytes of a Client's Agent.
const MaxAgent = 256

// AgentOf returns a header User-Agent as a Client has it: at most MaxAgent bytes of UTF-8.
func AgentOf(header string) string {
	return strings.ToValidUTF8(header[:min(len(header), MaxAgent)], "") // the cut may be in a character
}

// Client is a program that called models with a token: an address and a User-Agent. Clients answer who uses a token.
// They may be lost, and are part of no total.
type Client struct {
	ID       uuid.UUID // of the stored client; uuid.Nil for one that relays send
	TenantID uuid.UUID
	UserID   uuid.UUID
	TokenID  uuid.UUID
	Address  netip.Addr // invalid: all further clients of the token together
	Agent    string     // see AgentOf; "" for none, and for further clients
	FirstAt  time.Time  // when the first call arrived
	LastAt   time.Time  // when the latest call arrived
	Calls    int64      // that reached a channel, whether they succeeded or not
}

// Add counts the calls of another Client with the same token, address and agent.
func (c *Client) Add(other *Client) {
	if other.FirstAt.Before(c.FirstAt) {
		c.FirstAt = other.FirstAt
	}
	if other.LastAt.After(c.LastAt) {
		c.LastAt = other.LastAt
	}
	c.Calls += other.Calls
}

// Further returns the Client without its address and agent, which counts for all further clients of the token.
func (c Client) Further() Client {
	c.Address, c.Agent = netip.Addr{}, ""
	return c
}
