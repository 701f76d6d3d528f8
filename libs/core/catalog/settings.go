package catalog

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"github.com/tollgate/tollgate/libs/core/tenant"
)

// Settings change how a channel's type calls the upstream. The zero value changes nothing. The JSON form is
// how the database stores them; Check holds their bounds.
type Settings struct {
	// Headers are set on each request to the upstream and replace the headers that the type sets. Operators can
	// read them, so credentials do not belong here.
	Headers map[string]string `json:"headers,omitempty"`
	// Parameters are set at the top level of each request body. The value null removes the parameter.
	Parameters map[string]json.RawMessage `json:"parameters,omitempty"`
	// SystemPrompt is inserted before the instructions of each call.
	SystemPrompt string `json:"system_prompt,omitempty"`

	// APIVersion is the API version that requests ask for. Only types with dated versions use it.
	APIVersion string `json:"api_version,omitempty"`
	// Quirks are the differences of an OpenAI-compatible server from OpenAI's protocol.
	Quirks []Quirk `json:"quirks,omitempty"`
	// Lacks are the features that the upstream does not have. Calls that need such a feature go to other channels.
	Lacks []Feature `json:"lacks,omitempty"`

	// IgnoredFields is tenant.RefuseIgnored if the channel takes no calls with a field or a tool that the relay would
	// ignore. "" means tenant.ReportIgnored.
	IgnoredFields tenant.IgnoredFields `json:"ignored_fields,omitempty"`

	// AccountOf is the slug of the tenant to which the upstream's account belongs alone, "" if tenants share it. Only
	// this tenant's calls go to the channel, and they may refer to everything in the account.
	AccountOf string `json:"account_of,omitempty"`

	// Proxy is the sealed URL of the proxy (http, https or socks5) through which the upstream is called. It
	// may contain credentials. See CheckProxy.
	Proxy SealedSecret `json:"proxy,omitzero"`
	// CA holds PEM certificates that are trusted in place of the system's.
	CA string `json:"ca,omitempty"`
	// The timeouts limit one connection attempt, the wait for the first byte of a response, and silence
	// within a response. 0 means the relay's own timeout.
	ConnectTimeout   time.Duration `json:"connect_timeout,omitempty"`
	FirstByteTimeout time.Duration `json:"first_byte_timeout,omitempty"`
	IdleTimeout      time.Duration `json:"idle_timeout,omitempty"`
}

// Quirk is one difference of an OpenAI-compatible server from OpenAI's protocol.
type Quirk string

// The quirks.
const (
	NoStreamOptions Quirk = "no_stream_options" // rejects requests with stream_options
	OldMaxTokens    Quirk = "max_tokens"        // understands max_tokens but not max_completion_tokens
	NoDeveloper     Quirk = "system_role"       // understands the role system but not developer
	WantsReasoning  Quirk = "reasoning_content" // requires the reasoning of earlier turns in each request
)

// Feature is a capability that a call may need and that some upstreams lack.
type Feature string

// The features.
const (
	Streaming        Feature = "stream"
	ToolCalling      Feature = "tools"
	Vision           Feature = "vision"
	StructuredOutput Feature = "structured_output"
)

// Has reports whether the upstream has the quirk.
func (s *Settings) Has(q Quirk) bool { return slices.Contains(s.Quirks, q) }

// Edits reports whether the settings change request bodies, not only headers or the connection.
func (s *Settings) Edits() bool {
	return s.SystemPrompt != "" || len(s.Parameters) > 0 || len(s.Quirks) > 0
}

// promptFrame is an upper bound for the JSON around a system prompt in a request body, in bytes.
const promptFrame = 64

// AddedBytes returns how many bytes of text the settings add to a request body, without the JSON punctuation of
// parameters. A token has at least one byte, so this is an upper bound for the input tokens that they add;
// holds reserve quota for as many.
func (s *Settings) AddedBytes() int64 {
	size := 0
	if s.SystemPrompt != "" {
		size += len(s.SystemPrompt) + promptFrame
	}
	for name, value := range s.Parameters {
		size += len(name) + len(value)
	}
	return int64(size)
}

// Equal reports whether s and other have the same stored form. The sealed proxy is compared as ciphertext, so
// the same URL sealed twice is not equal.
func (s *Settings) Equal(other *Settings) bool {
	a, errA := json.Marshal(s)
	b, errB := json.Marshal(other)
	return errA == nil && errB == nil && bytes.Equal(a, b)
}
