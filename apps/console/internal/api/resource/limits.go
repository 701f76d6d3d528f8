package resource

import (
	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/libs/core/limit"
)

// Limits are how much may be called per minute, and at once.
type Limits struct {
	RequestsPerMinute int64 `json:"requests_per_minute" doc:"0: unlimited"`
	TokensPerMinute   int64 `json:"tokens_per_minute" doc:"0: unlimited"`
	Concurrency       int64 `json:"concurrency" doc:"Requests at once; 0: unlimited"`
}

// NewLimits are the Limits of something new.
type NewLimits struct {
	RequestsPerMinute int64 `json:"requests_per_minute,omitempty" minimum:"0" maximum:"1000000000" doc:"0 or absent: unlimited"`
	TokensPerMinute   int64 `json:"tokens_per_minute,omitempty" minimum:"0" maximum:"1000000000" doc:"0 or absent: unlimited"`
	Concurrency       int64 `json:"concurrency,omitempty" minimum:"0" maximum:"1000000000" doc:"Requests at once; 0 or absent: unlimited"`
}

// LimitsPatch changes the Limits that it names.
type LimitsPatch struct {
	RequestsPerMinute api.Nullable[int64] `json:"requests_per_minute,omitzero" minimum:"0" maximum:"1000000000" doc:"0 or null: unlimited"`
	TokensPerMinute   api.Nullable[int64] `json:"tokens_per_minute,omitzero" minimum:"0" maximum:"1000000000" doc:"0 or null: unlimited"`
	Concurrency       api.Nullable[int64] `json:"concurrency,omitzero" minimum:"0" maximum:"1000000000" doc:"Requests at once; 0 or null: unlimited"`
}

// Change returns the patch as the core takes it.
func (p LimitsPatch) Change() limit.Change {
	return limit.Change{
		RequestsPerMinute: numberOf(p.RequestsPerMinute), TokensPerMinute: numberOf(p.TokensPerMinute), Concurrency: numberOf(p.Concurrency),
	}
}

// numberOf is nil where the field is absent.
func numberOf(n api.Nullable[int64]) *int64 {
	if !n.Given() {
		return nil
	}
	number := api.Deref(n.Value())
	return &number
}

// Change is the change that gives a new thing its limits.
func (n *NewLimits) Change() limit.Change {
	return limit.Change{RequestsPerMinute: &n.RequestsPerMinute, TokensPerMinute: &n.TokensPerMinute, Concurrency: &n.Concurrency}
}
