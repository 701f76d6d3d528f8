package resource

import (
	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/null"
	"github.com/tollgate/tollgate/libs/core/limit"
)

// Limits holds rate limits: requests and tokens per minute, and concurrent requests.
type Limits struct {
	RequestsPerMinute int64 `json:"requests_per_minute" doc:"Requests per minute; 0: unlimited"`
	TokensPerMinute   int64 `json:"tokens_per_minute" doc:"Input and output tokens per minute; 0: unlimited"`
	Concurrency       int64 `json:"concurrency" doc:"Concurrent requests; 0: unlimited"`
}

// NewLimits holds the Limits of a resource that is created.
type NewLimits struct {
	RequestsPerMinute int64 `json:"requests_per_minute,omitempty" minimum:"0" maximum:"1000000000" doc:"Requests per minute; 0 or absent: unlimited"`
	TokensPerMinute   int64 `json:"tokens_per_minute,omitempty" minimum:"0" maximum:"1000000000" doc:"Input and output tokens per minute; 0 or absent: unlimited"`
	Concurrency       int64 `json:"concurrency,omitempty" minimum:"0" maximum:"1000000000" doc:"Concurrent requests; 0 or absent: unlimited"`
}

// LimitsPatch changes the Limits whose fields are present.
type LimitsPatch struct {
	RequestsPerMinute api.Nullable[int64] `json:"requests_per_minute,omitzero" minimum:"0" maximum:"1000000000" doc:"Requests per minute; 0 or null: unlimited"`
	TokensPerMinute   api.Nullable[int64] `json:"tokens_per_minute,omitzero" minimum:"0" maximum:"1000000000" doc:"Input and output tokens per minute; 0 or null: unlimited"`
	Concurrency       api.Nullable[int64] `json:"concurrency,omitzero" minimum:"0" maximum:"1000000000" doc:"Concurrent requests; 0 or null: unlimited"`
}

// Change returns the patch in the form of package limit.
func (p LimitsPatch) Change() limit.Change {
	return limit.Change{
		RequestsPerMinute: numberOf(p.RequestsPerMinute), TokensPerMinute: numberOf(p.TokensPerMinute),
		Concurrency: numberOf(p.Concurrency),
	}
}

// numberOf returns nil if the field is absent, and a pointer to 0 if it is null.
func numberOf(n api.Nullable[int64]) *int64 {
	if !n.Given() {
		return nil
	}
	number := null.Deref(n.Value())
	return &number
}

// Change returns the change that sets all limits of a new resource.
func (n *NewLimits) Change() limit.Change {
	return limit.Change{RequestsPerMinute: &n.RequestsPerMinute, TokensPerMinute: &n.TokensPerMinute,
		Concurrency: &n.Concurrency}
}
