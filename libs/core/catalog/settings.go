package catalog

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"
)

// Settings are how a channel departs from what its type does by itself. The
// zero value departs in nothing.
type Settings struct {
	// Headers are set on each request to the upstream, over what the type sets.
	// They are shown to operators: credentials do not belong here.
	Headers map[string]string `json:"headers,omitempty"`
	// Parameters are set at the top level of each body; null takes one out.
	Parameters map[string]json.RawMessage `json:"parameters,omitempty"`
	// SystemPrompt is put before the instructions of each call.
	SystemPrompt string `json:"system_prompt,omitempty"`

	// APIVersion is the dated version that the upstream is asked for, where its
	// type has such.
	APIVersion string `json:"api_version,omitempty"`
	// Quirks are departures of a compatible server from its protocol.
	Quirks []Quirk `json:"quirks,omitempty"`
	// Lacks are the features that calls may ask for and the upstream has not.
	Lacks []Feature `json:"lacks,omitempty"`

	// Proxy is the sealed URL of the proxy (http, https, socks5) that leads to the
	// upstream, see CheckProxy; it may hold credentials.
	Proxy SealedSecret `json:"proxy,omitzero"`
	// CA are certificates in PEM that are trusted in place of the system's.
	CA string `json:"ca,omitempty"`
	// The time-outs are for one connection attempt, for the first byte of an
	// answer and for silence in one; 0: the relay's own.
	ConnectTimeout   time.Duration `json:"connect_timeout,omitempty"`
	FirstByteTimeout time.Duration `json:"first_byte_timeout,omitempty"`
	IdleTimeout      time.Duration `json:"idle_timeout,omitempty"`
}

// Quirk is a departure of a compatible server from OpenAI's protocol.
type Quirk string

// The quirks.
const (
	NoStreamOptions Quirk = "no_stream_options" // refuses stream_options
	OldMaxTokens    Quirk = "max_tokens"        // knows max_tokens and not max_completion_tokens
	NoDeveloper     Quirk = "system_role"       // knows the role system and not developer
	WantsReasoning  Quirk = "reasoning_content" // wants the reasoning of earlier turns back
)

// Feature is what a call may ask for and not every upstream has.
type Feature string

// The features.
const (
	Streaming        Feature = "stream"
	ToolCalling      Feature = "tools"
	Vision           Feature = "vision"
	StructuredOutput Feature = "structured_output"
)

// Has reports whether the server has the quirk.
func (s *Settings) Has(q Quirk) bool { return slices.Contains(s.Quirks, q) }

// Edits reports whether requests are changed beyond their headers.
func (s *Settings) Edits() bool {
	return s.SystemPrompt != "" || len(s.Parameters) > 0 || len(s.Quirks) > 0
}

// promptFrame bounds the bytes around a system prompt in a body.
const promptFrame = 64

// AddedBytes is the most bytes that the settings add to a request, and so the most
// input tokens.
func (s *Settings) AddedBytes() int64 {
	added := 0
	if s.SystemPrompt != "" {
		added += len(s.SystemPrompt) + promptFrame
	}
	for name, value := range s.Parameters {
		added += len(name) + len(value)
	}
	return int64(added)
}

// Equal reports whether both are the same as they are stored.
func (s *Settings) Equal(other *Settings) bool {
	a, errA := json.Marshal(s)
	b, errB := json.Marshal(other)
	return errA == nil && errB == nil && bytes.Equal(a, b)
}
