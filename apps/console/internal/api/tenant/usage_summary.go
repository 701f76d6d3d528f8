package tenant

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/null"
	"github.com/tollgate/tollgate/apps/console/internal/api/tokencount"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store/metering"
	"github.com/tollgate/tollgate/libs/store/rollup"
)

// defaultRange is the length of a summary for which the request names no start.
const defaultRange = 30 * 24 * time.Hour

// UsageSummary holds usage added up over time and by one dimension.
type UsageSummary struct {
	From  time.Time         `json:"from" doc:"Start of the summary, inclusive"`
	To    time.Time         `json:"to" doc:"End of the summary, exclusive"`
	Items []UsageSummaryRow `json:"items" doc:"Ordered by start, then value"`
}

// UsageSummaryRow holds the usage of one value of the dimension in one hour, day or the whole range.
type UsageSummaryRow struct {
	Start    *time.Time             `json:"start" doc:"Start of the hour or day; null if the request has no bucket"`
	Value    string                 `json:"value" doc:"Id of the model, token, user, channel or tenant; empty if the request has no by"`
	Name     string                 `json:"name" doc:"Name of the token, channel or tenant, or e-mail address of the user; otherwise the same as value"`
	Requests int64                  `json:"requests" doc:"Number of requests, of all outcomes"`
	Partial  int64                  `json:"partial" doc:"Number of requests whose response ended early"`
	Failed   int64                  `json:"failed" doc:"Number of requests that failed"`
	Tokens   tokencount.TokenCounts `json:"tokens"`
	Quota    money.Amount           `json:"quota" doc:"Quota deducted"`

	Supplier *SupplierSums `json:"supplier,omitempty" doc:"What the upstreams charge; absent if the usage is broken down or filtered by user or token. Only operators see it"`
}

// SupplierSums compares what upstreams charge with the quota that was deducted. Amounts are in USD.
type SupplierSums struct {
	Cost     money.Amount `json:"cost" doc:"What the upstreams charge, as far as it is known. By channel, failed attempts count at their own channel"`
	Requests int64        `json:"requests" doc:"Number of requests whose cost is known"`
	Quota    money.Amount `json:"quota" doc:"Quota deducted for these requests"`
	Margin   money.Amount `json:"margin" doc:"This quota minus the cost; negative for a loss"`
}

type usageSummaryQuery struct {
	From   time.Time `query:"from" doc:"Start, inclusive, rounded down to the hour. Defaults to 30 days before to"`
	To     time.Time `query:"to" doc:"End, exclusive. Defaults to now"`
	Bucket string    `query:"bucket" enum:"hour,day" doc:"Length of the time steps; absent: one total for the range"`
	Zone   string    `query:"zone" maxLength:"64" default:"UTC" example:"Europe/Berlin" doc:"IANA name of the time zone whose days are the steps of bucket=day. A day begins with its first full hour in UTC, because usage is added up by the hour"`
	By     string    `query:"by" enum:"model,token,user,channel,tenant" doc:"Dimension to break the usage down by; absent: none. tenant is for operators"`
	UsageFilter
}

// UsageFilter selects the usage of a summary. Parameters that are absent do not limit the selection.
type UsageFilter struct {
	TenantID  uuid.UUID `query:"tenant_id" doc:"Only usage of this tenant. For operators"`
	UserID    uuid.UUID `query:"user_id" doc:"Only usage of this user"`
	TokenID   uuid.UUID `query:"token_id" doc:"Only usage of this token"`
	ChannelID uuid.UUID `query:"channel_id" doc:"Only requests for which this channel responded last"`
	Model     string    `query:"model" maxLength:"200" doc:"Only usage of this model"`
}

// in returns the summary of the selected usage in a range, without steps and without a dimension.
func (f *UsageFilter) in(from, to time.Time) metering.SummaryQuery {
	return metering.SummaryQuery{TenantID: f.TenantID, UserID: f.UserID, TokenID: f.TokenID, ChannelID: f.ChannelID,
		Model: f.Model, From: from, To: to}
}

func registerUsageSummary(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "getUsageSummary", Method: http.MethodGet, Path: "/usage-summary", Tag: "usage", Scope: token.ReadUsage,
		Summary: "Summarize usage over time and by dimension",
		Description: "Adds up the hourly and daily rollups, which follow the usage logs within seconds. A request " +
			"fails if its result has more than 10,000 rows or needs more than 1,000,000 rollups.",
		Errors: []int{http.StatusForbidden, http.StatusNotFound},
	}, h.getUsageSummary)
}

func (h *handlers) getUsageSummary(ctx context.Context, in *usageSummaryQuery) (*api.Answer[UsageSummary], error) {
	from, to, err := h.summaryRange(in.From, in.To)
	if err != nil {
		return nil, err
	}
	query := in.in(from, to)
	query.Bucket, query.By = metering.Bucket(in.Bucket), metering.Dimension(in.By)
	if query.Zone, err = zoneOf(in.Zone); err != nil {
		return nil, err
	}
	rows, err := h.summarize(ctx, query)
	if err != nil {
		return nil, err
	}
	return api.NewAnswer(UsageSummary{From: from, To: to, Items: rows}), nil
}

// zoneOf returns the time zone of an IANA name, or an InvalidType problem.
func zoneOf(name string) (*time.Location, error) {
	zone, err := time.LoadLocation(name)
	if err != nil || zone == time.Local { // the zone of this machine says nothing about the reader
		return nil, problem.New(problem.InvalidType,
			"zone must be the IANA name of a time zone, such as Europe/Berlin.").At("zone")
	}
	return zone, nil
}

// summaryRange fills in the default range. It rounds the start
// down to the hour, because usage is added up from hourly rollups.
func (h *handlers) summaryRange(from, to time.Time) (time.Time, time.Time, error) {
	if to.IsZero() {
		to = h.Now()
	}
	if from.IsZero() {
		from = to.Add(-defaultRange)
	}
	from, to = from.UTC().Truncate(time.Hour), to.UTC()
	return from, to, api.CheckRange(from, to)
}

// summarize returns the rows of a summary with their names, and with the suppliers' costs for operators.
func (h *handlers) summarize(ctx context.Context, query metering.SummaryQuery) ([]UsageSummaryRow, error) {
	rows, err := h.Store.Metering.UsageSummary(ctx, api.ScopeOf(ctx), query)
	if err != nil {
		return nil, err
	}
	var sums suppliedBy
	if api.CallerOf(ctx).User.Role == tenant.Operator && query.HasCosts() {
		if rows, sums, err = h.supplied(ctx, query, rows); err != nil {
			return nil, err
		}
	}
	names, err := h.summaryNames(ctx, query.By, rows)
	if err != nil {
		return nil, err
	}
	items := make([]UsageSummaryRow, 0, len(rows))
	for i := range rows {
		row := summaryRowOf(&rows[i], names)
		row.Supplier = sums.of(&rows[i])
		items = append(items, row)
	}
	return items, nil
}

// suppliedBy has the supplier's costs by the place of a row in a summary. It is nil for callers who may not see costs.
type suppliedBy map[summaryPlace]rollup.CostSums

type summaryPlace struct {
	start time.Time
	value string
}

// of returns the costs of a row, nil if there are no costs to show.
func (sums suppliedBy) of(row *metering.SummaryRow) *SupplierSums {
	if sums == nil {
		return nil
	}
	return supplierSumsOf(sums[summaryPlace{row.Start, row.Value}])
}

func supplierSumsOf(sums rollup.CostSums) *SupplierSums {
	return &SupplierSums{Cost: sums.SupplierCost, Requests: sums.Requests, Quota: sums.Quota,
		Margin: sums.Quota - sums.SupplierCost}
}

// supplied returns the supplier's costs of the query, and the rows with one more for each place that has costs alone.
func (h *handlers) supplied(ctx context.Context, query metering.SummaryQuery,
	rows []metering.SummaryRow) ([]metering.SummaryRow, suppliedBy, error) {
	costs, err := h.Store.Metering.SupplierCosts(ctx, api.ScopeOf(ctx), query)
	if err != nil {
		return nil, nil, err
	}
	sums := make(suppliedBy, len(costs))
	for _, c := range costs {
		sums[summaryPlace{c.Start, c.Value}] = c.CostSums
	}
	return metering.WithCosts(rows, costs), sums, nil
}

// summaryNames returns the names of the summary's values, by value. It returns
// nil for a dimension whose values are no ids of named resources, such as models.
func (h *handlers) summaryNames(ctx context.Context, dimension metering.Dimension,
	rows []metering.SummaryRow) (map[string]string, error) {
	lookUp := map[metering.Dimension]func(context.Context, tenant.Scope, []uuid.UUID) (map[uuid.UUID]string, error){
		metering.ByToken: h.Store.Token.TokenNames, metering.ByUser: h.Store.Identity.UserEmails,
		metering.ByChannel: h.Store.Metering.ChannelNames,
		metering.ByTenant:  h.Store.Identity.TenantNames,
	}[dimension]
	if lookUp == nil {
		return nil, nil
	}
	var ids []uuid.UUID
	for i := range rows {
		if id, err := uuid.Parse(rows[i].Value); err == nil {
			ids = append(ids, id)
		}
	}
	entries, err := lookUp(ctx, api.ScopeOf(ctx), distinct(ids))
	names := make(map[string]string, len(entries))
	for id, name := range entries {
		names[id.String()] = name
	}
	return names, err
}

// summaryRowOf returns the row as the API shows it. A value without a name, such as a model id, is its own name.
func summaryRowOf(row *metering.SummaryRow, names map[string]string) UsageSummaryRow {
	name, ok := names[row.Value]
	if !ok {
		name = row.Value
	}
	return UsageSummaryRow{
		Start: null.Time(row.Start), Value: row.Value, Name: name, Requests: row.Requests, Partial: row.Partial,
		Failed: row.Failed,
		Tokens: tokencount.Of(row.Usage), Quota: row.Quota,
	}
}
