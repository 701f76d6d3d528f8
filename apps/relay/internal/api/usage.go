package api

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/api/contract"
	"github.com/tollgate/tollgate/apps/relay/internal/telemetry"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/metering"
	quotadb "github.com/tollgate/tollgate/libs/store/quota"
)

// UsageStore reads what a token may spend and what it has spent. A relay reads it for this operation only: no model
// call waits for it.
type UsageStore interface {
	Balances(ctx context.Context, owner uuid.UUID) ([]quotadb.Balance, error)
	UsageSummary(ctx context.Context, query metering.SummaryQuery) ([]metering.SummaryRow, error)
}

// TokenUsage is the answer of getUsage.
type TokenUsage struct {
	Object   string        `json:"object" enum:"usage"`
	Currency string        `json:"currency" known:"usd"`
	From     string        `json:"from" doc:"First day of the range, in UTC" example:"2026-11-01"`
	To       string        `json:"to" doc:"Last day of the range" example:"2026-11-30"`
	Budgets  []TokenBudget `json:"budgets" doc:"What the token may spend: in total, then in each period that has a budget, the shortest first. The quota of its user and tenant can be smaller, see the header x-tollgate-quota-remaining"`
	Data     []DayUsage    `json:"data" doc:"What the token has used, by day and model, for the days of this page. Days without calls are left out"`
	HasMore  bool          `json:"has_more" doc:"Whether the range has later days"`
	NextPage *string       `json:"next_page" nullable:"true" doc:"The value of page for the following days; null if there are none"`
}

// TokenBudget is one limit on what a token may spend.
type TokenBudget struct {
	Period  string        `json:"period" known:"total,day,week,month"`
	Granted *money.Amount `json:"granted" nullable:"true" doc:"The most that the token may spend in the period, in USD; null: unlimited"`
	Used    money.Amount  `json:"used" doc:"Spent in the period"`
	Left    *money.Amount `json:"left" nullable:"true" doc:"What is left, at least 0; null: unlimited"`
	Resets  *time.Time    `json:"resets" nullable:"true" doc:"When the next period begins; null: never"`
}

// DayUsage holds the usage of one model by a token on one day.
type DayUsage struct {
	Date         string       `json:"date" doc:"The day, in UTC" example:"2026-11-23"`
	Model        string       `json:"model"`
	Requests     int64        `json:"requests" doc:"Number of calls, failed ones included"`
	Failed       int64        `json:"failed" doc:"Number of calls that failed"`
	InputTokens  int64        `json:"input_tokens" doc:"Input tokens of all classes"`
	OutputTokens int64        `json:"output_tokens" doc:"Output tokens of all classes"`
	Quota        money.Amount `json:"quota" doc:"Quota deducted, in USD"`
}

const (
	usageDays    = 30  // days of the default range
	maxUsageDays = 366 // days of a range
	maxPageDays  = 31  // days of a page, and the default

	usageTimeout = 5 * time.Second
	usageReads   = 4 // reads of the database at the same time
	usageOfOne   = 2 // of them for one tenant
)

// usageSlots bounds how many reads of usage run at the same time, in all and for each tenant, so that they cannot take
// the connections from which the relay records usage. The zero value is ready to use.
type usageSlots struct {
	mu      sync.Mutex
	all     int
	tenants map[uuid.UUID]int
}

// enter returns the function that ends the read, or a RateLimited or Overloaded problem.
func (g *usageSlots) enter(tenantID uuid.UUID) (leave func(), err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.tenants[tenantID] >= usageOfOne:
		return nil, problem.New(problem.RateLimited, "Your organization reads usage %d times at once already. Retry "+
			"when one of these requests has finished.", usageOfOne).After(time.Second)
	case g.all >= usageReads:
		return nil, problem.Of(problem.Overloaded).After(time.Second)
	}
	if g.tenants == nil {
		g.tenants = map[uuid.UUID]int{}
	}
	g.all++
	g.tenants[tenantID]++
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.all--
		if g.tenants[tenantID]--; g.tenants[tenantID] == 0 {
			delete(g.tenants, tenantID)
		}
	}, nil
}

// registerUsage declares the operation that shows a token's own usage.
func (a *API) registerUsage(api huma.API) {
	text := &huma.Schema{Type: huma.TypeString}
	operation := huma.Operation{
		OperationID: "getUsage",
		Method:      http.MethodGet,
		Path:        "/v1/usage",
		Summary:     "Get the usage of the token",
		Description: "Returns what the token may spend, and what it has used by day and model. It shows nothing of " +
			"other tokens. Usage appears seconds after a call. At most two requests of an organization are served " +
			"at the same time.",
		Tags:     []string{"Usage"},
		Security: bearerAuth,
		Parameters: []*huma.Param{
			{Name: "from", In: "query", Schema: text, Description: "First day, as YYYY-MM-DD in UTC. The default is " +
				"29 days before `to`", Example: "2026-11-01"},
			{Name: "to", In: "query", Schema: text, Description: "Last day, at most 365 days after `from`. The " +
				"default is today"},
			{Name: "limit", In: "query", Schema: &huma.Schema{Type: huma.TypeInteger},
				Description: "The largest number of days of a page, from 1 to 31. The default is 31"},
			{Name: "page", In: "query", Schema: text, Description: "`next_page` of the page before"},
		},
		Responses: withErrors(api, append([]int{http.StatusBadRequest}, readErrors...), &huma.Response{
			Description: "The budgets and the usage",
			Headers:     commonHeaders(),
			Content:     map[string]*huma.MediaType{"application/json": {Schema: contract.Ref[TokenUsage](api)}},
		}),
	}
	huma.Register(api, operation, a.plain(watched(telemetry.Usage, operation), a.getUsage))
}

// getUsage returns the budgets of the caller's token and a page of its usage.
func (a *API) getUsage(w http.ResponseWriter, r *http.Request) error {
	caller, err := a.authenticate(w, r)
	if err != nil {
		return err
	}
	days, err := usagePageOf(r.URL.Query(), time.Now())
	if err != nil {
		return err
	}
	leave, err := a.usage.enter(caller.Tenant.ID)
	if err != nil {
		return err
	}
	defer leave()
	ctx, cancel := context.WithTimeout(r.Context(), usageTimeout)
	defer cancel()
	answer, err := a.readUsage(ctx, caller, days)
	if err != nil && (db.Transient(err) || ctx.Err() != nil) {
		return problem.Wrap(problem.Overloaded, err).After(time.Second)
	}
	if err != nil {
		return err
	}
	return writeJSON(w, answer)
}

// readUsage reads the budgets and the usage from the database.
func (a *API) readUsage(ctx context.Context, caller *token.Caller, days usagePage) (TokenUsage, error) {
	answer := TokenUsage{
		Object: "usage", Currency: "usd", From: days.from.Format(time.DateOnly), To: days.to.Format(time.DateOnly),
		Budgets: []TokenBudget{}, Data: []DayUsage{},
	}
	balances, err := a.Usage.Balances(ctx, caller.Token.ID)
	if err != nil {
		return answer, fmt.Errorf("get usage: %w", err)
	}
	for i := range balances {
		answer.Budgets = append(answer.Budgets, budgetOf(&balances[i]))
	}
	rows, err := a.Usage.UsageSummary(ctx, metering.SummaryQuery{
		TenantID: caller.Tenant.ID, UserID: caller.User.ID, TokenID: caller.Token.ID,
		From: days.start, To: days.end, Bucket: metering.ByDay, By: metering.ByModel,
	})
	if err != nil {
		return answer, fmt.Errorf("get usage: %w", err)
	}
	for _, row := range rows {
		answer.Data = append(answer.Data, DayUsage{
			Date: row.Start.Format(time.DateOnly), Model: row.Value, Requests: row.Requests, Failed: row.Failed,
			InputTokens: row.Usage.InputTotal(), OutputTokens: row.Usage.OutputTotal(), Quota: row.Quota,
		})
	}
	if !days.end.After(days.to) {
		nextPage := days.end.Format(time.DateOnly)
		answer.HasMore, answer.NextPage = true, &nextPage
	}
	return answer, nil
}

// budgetOf returns a balance as the API shows it.
func budgetOf(b *quotadb.Balance) TokenBudget {
	budget := TokenBudget{Period: "total", Granted: b.Granted, Used: b.Used}
	if b.Limit.Period != "" {
		budget.Period = string(b.Limit.Period)
	}
	if tokens := b.Remaining(); tokens != nil {
		amount := max(0, *tokens)
		budget.Left = &amount
	}
	if !b.Resets.IsZero() {
		resets := b.Resets.UTC()
		budget.Resets = &resets
	}
	return budget
}

// usagePage is the range of days of a request, and the part of it on one page. All times are midnights in UTC.
type usagePage struct {
	from, to   time.Time // first and last day of the range
	start, end time.Time // the page has the days of [start, end)
}

// usagePageOf reads the query parameters. Errors are InvalidType problems that name the parameter.
func usagePageOf(query url.Values, now time.Time) (days usagePage, err error) {
	if days.to, err = dayOf(query, "to", now.UTC().Truncate(24*time.Hour)); err != nil {
		return days, err
	}
	if days.from, err = dayOf(query, "from", days.to.AddDate(0, 0, 1-usageDays)); err != nil {
		return days, err
	}
	if days.from.After(days.to) || days.to.Sub(days.from) >= maxUsageDays*24*time.Hour {
		return days, problem.New(problem.InvalidType, "from must be at most %d days before to, and not after it.",
			maxUsageDays-1).At("from")
	}
	if days.start, err = dayOf(query, "page", days.from); err != nil {
		return days, err
	}
	if days.start.Before(days.from) || days.start.After(days.to) {
		return days, problem.New(problem.InvalidType, "page must be the next_page of another page of the same range.").
			At("page")
	}
	limit := maxPageDays
	if text := query.Get("limit"); text != "" {
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 || limit > maxPageDays {
			return days, problem.New(problem.InvalidType, "limit must be a number from 1 to %d.", maxPageDays).
				At("limit")
		}
	}
	days.end = days.start.AddDate(0, 0, limit)
	if limitDay := days.to.AddDate(0, 0, 1); days.end.After(limitDay) {
		days.end = limitDay
	}
	return days, nil
}

// dayOf reads the day in a query parameter. A parameter that is absent or empty has the default.
func dayOf(query url.Values, name string, fallback time.Time) (time.Time, error) {
	text := query.Get(name)
	if text == "" {
		return fallback, nil
	}
	day, err := time.Parse(time.DateOnly, text)
	if err != nil || day.Year() < 2000 || day.Year() > 2200 {
		return day, problem.New(problem.InvalidType, "%s must be a day as YYYY-MM-DD.", name).At(name)
	}
	return day, nil
}
