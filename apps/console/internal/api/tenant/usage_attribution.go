package tenant

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store/metering"
	"github.com/tollgate/tollgate/libs/store/rollup"
)

// UsageAttribution holds the usage of a tenant by end user or by the values of a tag.
type UsageAttribution struct {
	From  time.Time         `json:"from" doc:"Start of the first day, inclusive"`
	To    time.Time         `json:"to" doc:"End of the last day, exclusive"`
	Items []AttributedUsage `json:"items" doc:"The values with the most quota, the largest first"`
	Other AttributionSums   `json:"other" doc:"All other calls with the tag, or with an end user"`
	Tags  []TagUsage        `json:"tags" doc:"The tags of these days, the largest first"`

	OtherTags AttributionSums `json:"other_tags" doc:"Tags beyond the first 32 of a day. A call counts once for each of them"`
}

// AttributionSums are the sums of a set of calls.
type AttributionSums struct {
	Requests     int64        `json:"requests" doc:"Number of requests, of all outcomes"`
	InputTokens  int64        `json:"input_tokens" doc:"Input tokens of all classes"`
	OutputTokens int64        `json:"output_tokens" doc:"Output tokens of all classes"`
	Quota        money.Amount `json:"quota" doc:"Quota deducted"`
}

// AttributedUsage is the usage of one value.
type AttributedUsage struct {
	Value string `json:"value" doc:"Value of the tag, or the end user"`
	AttributionSums
}

// TagUsage is the usage of all calls with a tag.
type TagUsage struct {
	Name string `json:"name" doc:"Name of the tag"`
	AttributionSums
}

// defaultAttributed is the number of values for which a request without a limit asks.
const defaultAttributed = 10

type usageAttributionQuery struct {
	From     time.Time `query:"from" doc:"Start, inclusive, rounded down to the day (UTC). Defaults to 30 days before to"`
	To       time.Time `query:"to" doc:"End, exclusive, rounded up to the day (UTC). Defaults to now"`
	Tag      string    `query:"tag" maxLength:"32" doc:"Name of the tag whose values are summed; absent: end users"`
	Limit    int       `query:"limit" minimum:"1" maximum:"100" default:"10" doc:"Greatest number of items"`
	TenantID uuid.UUID `query:"tenant_id" doc:"Only usage of this tenant. Operators must name one"`
}

func registerUsageAttribution(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "getUsageAttribution", Method: http.MethodGet, Path: "/usage-attribution", Tag: "usage",
		Scope: token.ReadUsage, Summary: "Summarize usage by end user or tag",
		Description: "For admins, owners and operators. Adds up daily sums, which follow the usage logs within " +
			"seconds. A day has sums for up to 32 tags and, of each, for up to 200 values. The sum of items and " +
			"other is exact. A value that was not among the largest of a day all the time can have less than its " +
			"usage; the rest is in other.",
		Errors: []int{http.StatusForbidden, http.StatusNotFound},
	}, h.getUsageAttribution)
}

func (h *handlers) getUsageAttribution(ctx context.Context,
	in *usageAttributionQuery) (*api.Answer[UsageAttribution], error) {
	const (
		day      = 24 * time.Hour
		lastYear = 9998 // JSON has no times after 9999
	)
	from, to := in.From, in.To
	if to.IsZero() {
		to = h.Now()
	}
	if from.IsZero() {
		from = to.Add(-defaultRange)
	}
	if err := api.CheckRange(from, to); err != nil {
		return nil, err
	}
	from, to = from.UTC().Truncate(day), to.UTC().Add(day-1).Truncate(day)
	if to.Year() > lastYear {
		return nil, problem.New(problem.InvalidType, "to must be before the year %d", lastYear+1).At("to")
	}
	result, err := h.Store.Metering.Attribution(ctx, api.ScopeOf(ctx),
		metering.AttributionQuery{TenantID: in.TenantID, Tag: in.Tag, From: from, To: to, Limit: in.Limit})
	if err != nil {
		return nil, err
	}
	body := UsageAttribution{
		From: from, To: to, Items: make([]AttributedUsage, len(result.Items)), Other: attributionSumsOf(result.Other),
		Tags: make([]TagUsage, len(result.Tags)), OtherTags: attributionSumsOf(result.Beyond),
	}
	for i, item := range result.Items {
		body.Items[i] = AttributedUsage{item.Value, attributionSumsOf(item.AttributionSums)}
	}
	for i, tag := range result.Tags {
		body.Tags[i] = TagUsage{tag.Name, attributionSumsOf(tag.AttributionSums)}
	}
	return api.NewAnswer(body), nil
}

func attributionSumsOf(s rollup.AttributionSums) AttributionSums {
	return AttributionSums{Requests: s.Requests, InputTokens: s.InputTokens,
		OutputTokens: s.OutputTokens, Quota: s.Quota}
}
