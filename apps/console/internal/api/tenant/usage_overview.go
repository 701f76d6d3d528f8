package tenant

import (
	"context"
	"net/http"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/metering"
)

// UsageOverview holds the summaries of one range that an overview shows together.
type UsageOverview struct {
	From       time.Time        `json:"from" doc:"Start of the range, inclusive"`
	To         time.Time        `json:"to" doc:"End of the range, exclusive"`
	Total      UsageSummaryRow  `json:"total" doc:"All usage of the range"`
	Previous   UsageSummaryRow  `json:"previous" doc:"All usage of the period of the same length before the range"`
	Series     UsageBreakdown   `json:"series" doc:"Usage of each hour or day by the dimension series, ordered by start, then value"`
	Breakdowns []UsageBreakdown `json:"breakdowns" doc:"Usage of the range by each dimension of by, in their order"`
	Failures   []UsageLog       `json:"failures" doc:"The latest failed requests of the range, as many as the parameter failures asks for"`

	Attribution *UsageAttribution `json:"attribution,omitempty" doc:"What getUsageAttribution returns for end users; absent unless the parameter attribution asks for it"`
}

// UsageBreakdown holds the usage of a range by one dimension.
type UsageBreakdown struct {
	By    string            `json:"by" enum:"model,token,user,channel,tenant" doc:"The dimension"`
	Items []UsageSummaryRow `json:"items" doc:"Ordered by value"`
	Fault string            `json:"fault,omitempty" doc:"Why items is empty although there may be usage: the breakdown exceeds a limit of getUsageSummary"`
}

type usageOverviewQuery struct {
	From   time.Time `query:"from" doc:"Start, inclusive, rounded down to the hour. Defaults to 30 days before to"`
	To     time.Time `query:"to" doc:"End, exclusive. Defaults to now"`
	Bucket string    `query:"bucket" enum:"hour,day" default:"day" doc:"Length of the time steps of series"`
	Zone   string    `query:"zone" maxLength:"64" default:"UTC" example:"Europe/Berlin" doc:"IANA name of the time zone whose days are the steps of series with bucket=day, as in getUsageSummary"`
	Series string    `query:"series" enum:"model,token,user,channel,tenant" default:"model" doc:"Dimension of series. tenant is for operators"`
	By     []string  `query:"by,explode" enum:"model,token,user,channel,tenant" maxItems:"5" uniqueItems:"true" doc:"Dimensions of breakdowns. tenant is for operators"`
	UsageFilter

	Failures    int  `query:"failures" minimum:"0" maximum:"20" doc:"Greatest number of failures"`
	Attribution bool `query:"attribution" doc:"Adds the usage by end user of the whole days (UTC) of the range, without the other filters than tenant_id. For admins, owners and, of the tenant tenant_id, operators"`
}

func registerUsageOverview(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "getUsageOverview", Method: http.MethodGet, Path: "/usage-overview", Tag: "usage", Scope: token.ReadUsage,
		Summary: "Summarize usage in several ways at once",
		Description: "Returns in one response what several calls of getUsageSummary return: the total, the total of " +
			"the previous period, a series over time, and breakdowns; on request also the latest failures and the " +
			"usage by end user. The limits of getUsageSummary apply to each of them: the request fails if a total " +
			"exceeds them, and a series or breakdown that does has a fault.",
		Errors: []int{http.StatusForbidden, http.StatusNotFound},
	}, h.getUsageOverview)
}

// getUsageOverview reads one summary after the other, so that a page occupies one connection of the database.
func (h *handlers) getUsageOverview(ctx context.Context, in *usageOverviewQuery) (*api.Answer[UsageOverview], error) {
	from, to, err := h.summaryRange(in.From, in.To)
	if err != nil {
		return nil, err
	}
	zone, err := zoneOf(in.Zone)
	if err != nil {
		return nil, err
	}
	body := UsageOverview{From: from, To: to, Breakdowns: make([]UsageBreakdown, 0, len(in.By)), Failures: []UsageLog{}}
	if body.Total, err = h.total(ctx, in.in(from, to)); err != nil {
		return nil, err
	}
	if body.Previous, err = h.total(ctx, in.in(from.Add(from.Sub(to)), from)); err != nil {
		return nil, err
	}
	series := in.in(from, to)
	series.Bucket, series.Zone, series.By = metering.Bucket(in.Bucket), zone, metering.Dimension(in.Series)
	if body.Series, err = h.breakdown(ctx, series); err != nil {
		return nil, err
	}
	for _, dimension := range in.By {
		query := in.in(from, to)
		query.By = metering.Dimension(dimension)
		breakdown, err := h.breakdown(ctx, query)
		if err != nil {
			return nil, err
		}
		body.Breakdowns = append(body.Breakdowns, breakdown)
	}
	return h.withRequested(ctx, in, body)
}

// withRequested adds the parts of an overview that it has on request only.
func (h *handlers) withRequested(ctx context.Context, in *usageOverviewQuery,
	body UsageOverview) (*api.Answer[UsageOverview], error) {
	if in.Failures > 0 {
		failures := UsageLogFilter{
			TenantID: in.TenantID, UserID: in.UserID, TokenID: in.TokenID, ChannelID: in.ChannelID, Model: in.Model,
			Outcome: string(usage.Failed), From: body.From, To: body.To,
		}
		page, err := h.listUsageLogs(ctx, &usageLogQuery{PageQuery: api.PageQuery{Limit: in.Failures},
			UsageLogFilter: failures})
		if err != nil {
			return nil, err
		}
		body.Failures = page.Body.Items
	}
	if in.Attribution {
		answer, err := h.getUsageAttribution(ctx,
			&usageAttributionQuery{From: body.From, To: body.To, Limit: defaultAttributed, TenantID: in.TenantID})
		if err != nil {
			return nil, err
		}
		body.Attribution = &answer.Body
	}
	return api.NewAnswer(body), nil
}

// breakdown returns a summary by a dimension. One that is too large has a fault instead of rows, so that the rest of
// the overview is shown.
func (h *handlers) breakdown(ctx context.Context, query metering.SummaryQuery) (UsageBreakdown, error) {
	rows, err := h.summarize(ctx, query)
	if problem.Is(err, problem.InvalidType) {
		return UsageBreakdown{By: string(query.By), Items: []UsageSummaryRow{}, Fault: problem.From(err).Text()}, nil
	}
	return UsageBreakdown{By: string(query.By), Items: rows}, err
}

// total returns the sum of all usage of a query that has no dimension. It is zero for a query without usage.
func (h *handlers) total(ctx context.Context, query metering.SummaryQuery) (UsageSummaryRow, error) {
	rows, err := h.summarize(ctx, query)
	if err != nil || len(rows) == 0 {
		return UsageSummaryRow{}, err
	}
	return rows[0], nil
}
