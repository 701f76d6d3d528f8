package supplier

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/null"
	"github.com/tollgate/tollgate/libs/core/invoice"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/token"
	invoicedb "github.com/tollgate/tollgate/libs/store/invoice"
)

// The bounds of what the operations on days return.
const (
	daysByDefault = 31
	maxDays       = 92
	maxLines      = 1_000 // models of a day, and keys of a model
)

// SupplierDay is the result of the comparison of one account and UTC day.
type SupplierDay struct { //nolint:revive // the name of its schema in OpenAPI
	AccountID     uuid.UUID     `json:"account_id"`
	Day           string        `json:"day" format:"date" doc:"UTC day"`
	Status        string        `json:"status" enum:"matches,differs,pending" doc:"matches: the amounts differ by at most one cent or half a percent. pending: the provider has not reported the day yet"`
	Reason        string        `json:"reason" enum:",no_rates,no_model,other_use,missing_calls,not_charged,estimated,unpriced_class,rates_differ,unknown" doc:"Likely reason of the difference; empty if nothing differs"`
	Amount        *money.Amount `json:"amount" nullable:"true" doc:"What the provider charged; null if it states nothing"`
	SupplierCost  money.Amount  `json:"supplier_cost" doc:"Supplier cost of our usage logs, as far as it is known"`
	Difference    money.Amount  `json:"difference" doc:"amount less supplier_cost; 0 while the day is pending"`
	Requests      int64         `json:"requests" doc:"Number of calls in our usage logs"`
	UnpricedCalls int64         `json:"unpriced_calls" doc:"Of these, the number of calls without a supplier cost"`
	FetchedAt     *time.Time    `json:"fetched_at" nullable:"true" doc:"When the provider last reported the day; null: never"`
	ComparedAt    time.Time     `json:"compared_at"`
}

func supplierDayOf(r *invoicedb.Result) SupplierDay {
	return SupplierDay{
		AccountID: r.AccountID, Day: string(r.Day), Status: string(r.Status), Reason: string(r.Reason),
		Amount: r.Amount, SupplierCost: r.OwnCost,
		Difference: r.Difference, Requests: r.Requests, UnpricedCalls: r.Unpriced, FetchedAt: null.Time(r.FetchedAt),
		ComparedAt: r.ComparedAt,
	}
}

// SupplierDays holds the results of several days.
type SupplierDays struct { //nolint:revive // the name of its schema in OpenAPI
	Items []SupplierDay `json:"items" doc:"Newest day first"`
}

// SupplierComparison is the comparison of one day by model and key.
type SupplierComparison struct { //nolint:revive // the name of its schema in OpenAPI
	SupplierDay
	Models []SupplierModel `json:"models" doc:"The largest difference first, at most 1,000"`
}

// SupplierModel compares one model of a day.
type SupplierModel struct { //nolint:revive // the name of its schema in OpenAPI
	SupplierLine
	Keys []SupplierLine `json:"keys" doc:"The same for each key, if the account has keys; at most 1,000"`
}

// SupplierLine compares the figures of both sides.
type SupplierLine struct { //nolint:revive // the name of its schema in OpenAPI
	Name       string          `json:"name" doc:"Model without the date of its snapshot, or mask of a key. For keys that are not ours, the id at the provider. Empty for charges that the provider attributes to none"`
	Ours       bool            `json:"ours" doc:"Whether it is a model that we called, or a key of the account"`
	Status     string          `json:"status" enum:"matches,differs,pending"`
	Reason     string          `json:"reason" enum:",no_rates,no_model,other_use,missing_calls,not_charged,estimated,unpriced_class,rates_differ,unknown"`
	Difference *money.Amount   `json:"difference" nullable:"true" doc:"The provider's amount less ours; null if the provider states the amount elsewhere"`
	Provider   SupplierFigures `json:"provider"`
	Own        SupplierOwn     `json:"own"`
}

// SupplierFigures are the figures of the provider. A figure that it does not report is null.
type SupplierFigures struct { //nolint:revive // the name of its schema in OpenAPI
	Amount       *money.Amount `json:"amount" nullable:"true"`
	InputTokens  *int64        `json:"input_tokens" nullable:"true"`
	OutputTokens *int64        `json:"output_tokens" nullable:"true"`
	Requests     *int64        `json:"requests" nullable:"true"`
}

// SupplierOwn are the figures of our usage logs.
type SupplierOwn struct { //nolint:revive // the name of its schema in OpenAPI
	SupplierCost   money.Amount `json:"supplier_cost"`
	InputTokens    int64        `json:"input_tokens"`
	OutputTokens   int64        `json:"output_tokens"`
	Requests       int64        `json:"requests"`
	UnpricedCalls  int64        `json:"unpriced_calls" doc:"Calls without a supplier cost"`
	EstimatedCalls int64        `json:"estimated_calls" doc:"Calls whose counts are estimates"`
}

func supplierLineOf(l *invoice.Line) SupplierLine {
	return SupplierLine{
		Name: l.Name, Ours: l.Ours, Status: string(l.Status), Reason: string(l.Reason), Difference: l.Difference,
		Provider: SupplierFigures(l.Provider),
		Own: SupplierOwn{
			SupplierCost: l.Own.Cost, InputTokens: l.Own.InputTokens, OutputTokens: l.Own.OutputTokens,
			Requests:      l.Own.Requests,
			UnpricedCalls: l.Own.Unpriced, EstimatedCalls: l.Own.Estimated,
		},
	}
}

type supplierDayQuery struct {
	AccountID uuid.UUID `query:"account_id" doc:"Only days of this billing account"`
	From      string    `query:"from" format:"date" doc:"First UTC day. Defaults to 30 days before to; at most 91 days before it"`
	To        string    `query:"to" format:"date" doc:"Last UTC day. Defaults to today"`
	Status    string    `query:"status" enum:"matches,differs,pending" doc:"Only days with this result"`
}

type supplierComparisonQuery struct {
	api.ByID
	Day string `query:"day" format:"date" doc:"UTC day. Defaults to yesterday"`
}

// registerSupplierDays registers the operations on comparisons.
func registerSupplierDays(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "listSupplierDays", Method: http.MethodGet, Path: "/operator/supplier-days", Tag: "suppliers",
		Scope: token.ReadTenants, Summary: "List the comparisons of days",
		Description: "For each billing account and UTC day: what the provider charged, the supplier cost of our " +
			"usage logs, and the difference with its likely reason.",
		Errors: []int{http.StatusForbidden},
	}, h.listSupplierDays)
	api.Register(h.API, api.Operation{
		ID: "getSupplierComparison", Method: http.MethodGet, Path: "/operator/billing-accounts/{id}/comparison",
		Tag: "suppliers", Scope: token.ReadTenants, Summary: "Compare a day by model and key",
		Description: "Returns both sides of the comparison of one day, by model and, if the account has keys, by key.",
		Errors:      []int{http.StatusForbidden, http.StatusNotFound},
	}, h.getSupplierComparison)
}

// dayOf returns the day of a field, or an InvalidType problem.
func dayOf(text, field string) (invoice.Day, error) {
	day, ok := invoice.ParseDay(text)
	if !ok {
		return "", problem.New(problem.InvalidType, "%s must be a day such as 2026-11-23", field).At(field)
	}
	return day, nil
}

func (h *handlers) listSupplierDays(ctx context.Context, in *supplierDayQuery) (*api.Answer[SupplierDays], error) {
	if err := api.OperatorsOnly(ctx); err != nil {
		return nil, err
	}
	query := invoicedb.Query{AccountID: in.AccountID, To: invoice.DayOf(h.Now()), Status: invoice.Status(in.Status)}
	var err error
	if in.To != "" {
		if query.To, err = dayOf(in.To, "to"); err != nil {
			return nil, err
		}
	}
	query.From = query.To.Add(1 - daysByDefault)
	if in.From != "" {
		if query.From, err = dayOf(in.From, "from"); err != nil {
			return nil, err
		}
	}
	if query.From > query.To || query.From < query.To.Add(1-maxDays) {
		return nil, problem.New(problem.InvalidType, "from must be 0 to 91 days before to").At("from")
	}
	rows, err := h.Store.Invoice.Days(ctx, api.ScopeOf(ctx), query)
	if err != nil {
		return nil, err
	}
	days := SupplierDays{Items: make([]SupplierDay, 0, len(rows))}
	for i := range rows {
		days.Items = append(days.Items, supplierDayOf(&rows[i]))
	}
	return api.NewAnswer(days), nil
}

func (h *handlers) getSupplierComparison(ctx context.Context,
	in *supplierComparisonQuery) (*api.Answer[SupplierComparison], error) {
	if err := api.OperatorsOnly(ctx); err != nil {
		return nil, err
	}
	day := invoice.DayOf(h.Now()).Add(-1)
	if in.Day != "" {
		var err error
		if day, err = dayOf(in.Day, "day"); err != nil {
			return nil, err
		}
	}
	comparison, result, err := h.Store.Invoice.Comparison(ctx, api.ScopeOf(ctx), in.ID, day)
	if err != nil {
		return nil, err
	}
	answer := SupplierComparison{SupplierDay: supplierDayOf(&result), Models: []SupplierModel{}}
	for i := range comparison.Lines[:min(len(comparison.Lines), maxLines)] {
		line := &comparison.Lines[i]
		model := SupplierModel{SupplierLine: supplierLineOf(line), Keys: []SupplierLine{}}
		for k := range line.Keys[:min(len(line.Keys), maxLines)] {
			model.Keys = append(model.Keys, supplierLineOf(&line.Keys[k]))
		}
		answer.Models = append(answer.Models, model)
	}
	return api.NewAnswer(answer), nil
}
