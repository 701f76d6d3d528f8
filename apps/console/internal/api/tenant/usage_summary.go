package tenant

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/metering"
)

// defaultRange is what a summary without from covers.
const defaultRange = 30 * 24 * time.Hour

// UsageSummary is usage added up.
type UsageSummary struct {
	From  time.Time         `json:"from"`
	To    time.Time         `json:"to"`
	Items []UsageSummaryRow `json:"items" doc:"In order of start and value"`
}

// UsageSummaryRow is one step of one value of the dimension.
type UsageSummaryRow struct {
	Start    *time.Time   `json:"start" doc:"Start of the hour or day; null where no bucket was asked for"`
	Value    string       `json:"value" doc:"A model id, or the id of a token, user, channel or tenant; empty where no dimension was asked for"`
	Name     string       `json:"name" doc:"Name of the token, channel or tenant, e-mail address of the user; otherwise the value"`
	Requests int64        `json:"requests" doc:"All outcomes"`
	Partial  int64        `json:"partial"`
	Failed   int64        `json:"failed"`
	Tokens   TokenCounts  `json:"tokens"`
	Quota    money.Amount `json:"quota"`
}

type usageSummaryQuery struct {
	From     time.Time `query:"from" doc:"Inclusive, rounded down to the hour; 30 days before to if absent"`
	To       time.Time `query:"to" doc:"Exclusive; now if absent"`
	Bucket   string    `query:"bucket" enum:"hour,day" doc:"Width of the time steps; one total if absent"`
	By       string    `query:"by" enum:"model,token,user,channel,tenant" doc:"What to break down by; tenant is for operators"`
	TenantID uuid.UUID `query:"tenant_id" doc:"Operators only"`
	UserID   uuid.UUID `query:"user_id" doc:"Only of this user"`
	TokenID  uuid.UUID `query:"token_id" doc:"Only of this token"`
	Model    string    `query:"model" maxLength:"200" doc:"Only of this model"`
}

func usageSummary(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "getUsageSummary", Method: http.MethodGet, Path: "/usage-summary", Tag: "usage", Summary: "Usage over time and by dimension",
		Description: "From the hourly and daily rollups, which follow the usage logs within seconds. At most 10,000 rows, made of at most 1,000,000 rollups.",
		Errors:      []int{http.StatusForbidden, http.StatusNotFound},
	}, h.getUsageSummary)
}

func (h *handlers) getUsageSummary(ctx context.Context, in *usageSummaryQuery) (*api.Answer[UsageSummary], error) {
	from, to := in.From, in.To
	if to.IsZero() {
		to = h.Now()
	}
	if from.IsZero() {
		from = to.Add(-defaultRange)
	}
	from, to = from.UTC().Truncate(time.Hour), to.UTC()
	if err := api.CheckRange(from, to); err != nil {
		return nil, err
	}
	rows, err := h.Store.Metering.UsageSummary(ctx, api.ScopeOf(ctx), metering.SummaryQuery{
		TenantID: in.TenantID, UserID: in.UserID, TokenID: in.TokenID, Model: in.Model,
		From: from, To: to, Bucket: metering.Bucket(in.Bucket), By: metering.Dimension(in.By),
	})
	if err != nil {
		return nil, err
	}
	names, err := h.summaryNames(ctx, metering.Dimension(in.By), rows)
	if err != nil {
		return nil, err
	}
	body := UsageSummary{From: from, To: to, Items: make([]UsageSummaryRow, 0, len(rows))}
	for i := range rows {
		body.Items = append(body.Items, summaryRowOf(&rows[i], names))
	}
	return api.NewAnswer(body), nil
}

// summaryNames returns the names of a summary's values, where they are ids of
// things with names.
func (h *handlers) summaryNames(ctx context.Context, by metering.Dimension, rows []metering.SummaryRow) (map[string]string, error) {
	lookUp := map[metering.Dimension]func(context.Context, tenant.Scope, []uuid.UUID) (map[uuid.UUID]string, error){
		metering.ByToken: h.Store.Token.TokenNames, metering.ByUser: h.Store.Identity.UserEmails, metering.ByChannel: h.Store.Metering.ChannelNames,
		metering.ByTenant: h.Store.Identity.TenantNames,
	}[by]
	if lookUp == nil {
		return nil, nil
	}
	var ids []uuid.UUID
	for i := range rows {
		if id, err := uuid.Parse(rows[i].Value); err == nil {
			ids = append(ids, id)
		}
	}
	found, err := lookUp(ctx, api.ScopeOf(ctx), distinct(ids))
	names := make(map[string]string, len(found))
	for id, name := range found {
		names[id.String()] = name
	}
	return names, err
}

func summaryRowOf(row *metering.SummaryRow, names map[string]string) UsageSummaryRow {
	name, named := names[row.Value]
	if !named {
		name = row.Value
	}
	return UsageSummaryRow{
		Start: api.NullableTime(row.Start), Value: row.Value, Name: name, Requests: row.Requests, Partial: row.Partial, Failed: row.Failed,
		Tokens: tokenCountsOf(row.Usage), Quota: row.Quota,
	}
}
