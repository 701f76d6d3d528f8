package tenant

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store/metering"
)

// UsagePage is the answer of getOrganizationCompletionsUsage, in the format of OpenAI's API.
type UsagePage struct {
	Object   string        `json:"object" enum:"page"`
	Data     []UsageBucket `json:"data" doc:"Oldest first. Buckets without usage have no results"`
	HasMore  bool          `json:"has_more"`
	NextPage *string       `json:"next_page" nullable:"true" doc:"The value of page for the following buckets; null if there are none"`
}

// UsageBucket is the usage of one day or hour.
type UsageBucket struct {
	Object    string              `json:"object" enum:"bucket"`
	StartTime int64               `json:"start_time" doc:"Start, inclusive, in Unix seconds"`
	EndTime   int64               `json:"end_time" doc:"End, exclusive, in Unix seconds"`
	Results   []CompletionsResult `json:"results"`
}

// CompletionsResult is the usage of one group of calls in a bucket.
type CompletionsResult struct {
	Object            string  `json:"object" enum:"organization.usage.completions.result"`
	InputTokens       int64   `json:"input_tokens" doc:"All input tokens: of text, images and audio, those read from and written to caches included"`
	InputCachedTokens int64   `json:"input_cached_tokens" doc:"Part of input_tokens that was read from a cache"`
	InputAudioTokens  int64   `json:"input_audio_tokens" doc:"Part of input_tokens"`
	OutputTokens      int64   `json:"output_tokens" doc:"All output tokens: of text, images and audio, those of reasoning included"`
	OutputAudioTokens int64   `json:"output_audio_tokens" doc:"Part of output_tokens"`
	Requests          int64   `json:"num_model_requests" doc:"Number of requests, failed ones included"`
	ProjectID         *string `json:"project_id" nullable:"true" doc:"Id of the tenant, if group_by has project_id"`
	UserID            *string `json:"user_id" nullable:"true" doc:"Id of the user, if group_by has user_id"`
	APIKeyID          *string `json:"api_key_id" nullable:"true" doc:"Id of the token, if group_by has api_key_id"`
	Model             *string `json:"model" nullable:"true" doc:"Id of the model, if group_by has model"`
}

// CostsPage is the answer of getOrganizationCosts, in the format of OpenAI's API.
type CostsPage struct {
	Object   string       `json:"object" enum:"page"`
	Data     []CostBucket `json:"data" doc:"Oldest first. Days without costs have no results"`
	HasMore  bool         `json:"has_more"`
	NextPage *string      `json:"next_page" nullable:"true" doc:"The value of page for the following days; null if there are none"`
}

// CostBucket holds the costs of one day.
type CostBucket struct {
	Object    string       `json:"object" enum:"bucket"`
	StartTime int64        `json:"start_time" doc:"Start, inclusive, in Unix seconds"`
	EndTime   int64        `json:"end_time" doc:"End, exclusive, in Unix seconds"`
	Results   []CostResult `json:"results"`
}

// CostResult holds the cost of one group of calls on a day.
type CostResult struct {
	Object    string     `json:"object" enum:"organization.costs.result"`
	Amount    CostAmount `json:"amount"`
	LineItem  *string    `json:"line_item" nullable:"true" doc:"Id of the model, if group_by has line_item"`
	ProjectID *string    `json:"project_id" nullable:"true" doc:"Id of the tenant, if group_by has project_id"`
}

// CostAmount is an amount of money as OpenAI's API writes it.
type CostAmount struct {
	Value    float64 `json:"value" doc:"Quota deducted. A number and not a text, as at OpenAI, so it is rounded beyond 15 digits"`
	Currency string  `json:"currency" enum:"usd"`
}

// BucketQuery holds the parameters that both operations have. OpenAI's clients repeat a list as name=a&name=b or as
// name[]=a&name[]=b, so lists have both names.
type BucketQuery struct {
	StartTime  int64    `query:"start_time" required:"true" minimum:"0" maximum:"7258118400" doc:"Start, inclusive, in Unix seconds; rounded down to the bucket"`
	EndTime    int64    `query:"end_time" minimum:"0" maximum:"7258118400" doc:"End, exclusive, in Unix seconds; rounded up to the bucket. Defaults to now"`
	Page       string   `query:"page" maxLength:"40" doc:"next_page of the page before"`
	ProjectIDs []string `query:"project_ids,explode" maxItems:"1" doc:"Only usage of this tenant. For operators"`
	Projects   []string `query:"project_ids[],explode" hidden:"true" maxItems:"1" doc:"The same as project_ids"`
}

type completionsUsageQuery struct {
	BucketQuery
	BucketWidth string   `query:"bucket_width" enum:"1h,1d" default:"1d" doc:"Length of a bucket"`
	GroupBy     []string `query:"group_by,explode" maxItems:"4" enum:"project_id,user_id,api_key_id,model" doc:"What the results are grouped by: one of user_id, api_key_id and model, and project_id. Operators who name no project can group by one only"`
	Groups      []string `query:"group_by[],explode" hidden:"true" maxItems:"4" enum:"project_id,user_id,api_key_id,model" doc:"The same as group_by"`
	UserIDs     []string `query:"user_ids,explode" maxItems:"1" doc:"Only usage of this user"`
	Users       []string `query:"user_ids[],explode" hidden:"true" maxItems:"1" doc:"The same as user_ids"`
	APIKeyIDs   []string `query:"api_key_ids,explode" maxItems:"1" doc:"Only usage of this token"`
	APIKeys     []string `query:"api_key_ids[],explode" hidden:"true" maxItems:"1" doc:"The same as api_key_ids"`
	ModelIDs    []string `query:"models,explode" maxItems:"1" doc:"Only usage of this model"`
	Models      []string `query:"models[],explode" hidden:"true" maxItems:"1" doc:"The same as models"`
	Limit       int      `query:"limit" minimum:"1" maximum:"168" doc:"Buckets of a page: up to 31 days, by default 7, or up to 168 hours, by default 24"`
}

type costsQuery struct {
	BucketQuery
	BucketWidth string   `query:"bucket_width" enum:"1d" default:"1d" doc:"Length of a bucket"`
	GroupBy     []string `query:"group_by,explode" maxItems:"2" enum:"project_id,line_item" doc:"What the results are grouped by. Operators who name no project can group by one only"`
	Groups      []string `query:"group_by[],explode" hidden:"true" maxItems:"2" enum:"project_id,line_item" doc:"The same as group_by"`
	Limit       int      `query:"limit" minimum:"1" maximum:"180" default:"7" doc:"Days of a page"`
}

func registerOrganization(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "getOrganizationCompletionsUsage", Method: http.MethodGet, Path: "/organization/usage/completions",
		Tag: "usage", Scope: token.ReadUsage,
		Summary: "Get usage in the format of OpenAI's API",
		Description: "For tools that are written for OpenAI's usage API: their base URL is that of the console with " +
			"/api. Members see their own usage, admins and owners that of their tenant, operators all usage. " +
			"A project is a tenant, and an API key is a token.",
		Errors: []int{http.StatusForbidden, http.StatusNotFound},
	}, h.completionsUsage)
	api.Register(h.API, api.Operation{
		ID: "getOrganizationCosts", Method: http.MethodGet, Path: "/organization/costs", Tag: "usage",
		Scope:   token.ReadUsage,
		Summary: "Get costs in the format of OpenAI's API",
		Description: "What was deducted by day, for tools that are written for OpenAI's costs API. Members see " +
			"their own costs, admins and owners those of their tenant, operators all. A line item is a model.",
		Errors: []int{http.StatusForbidden, http.StatusNotFound},
	}, h.organizationCosts)
}

// pageStep is the range of buckets of one page.
type pageStep struct {
	start, end time.Time // of the page
	rangeEnd   time.Time // end of the range
	width      time.Duration
}

// step returns the page that a query asks for, of at most limit buckets.
func (q *BucketQuery) step(width time.Duration, limit int, now time.Time) (pageStep, error) {
	end := now.UTC()
	if q.EndTime != 0 {
		end = time.Unix(q.EndTime, 0).UTC()
	}
	p := pageStep{start: time.Unix(q.StartTime, 0).UTC().Truncate(width), width: width}
	if p.rangeEnd = end.Truncate(width); p.rangeEnd.Before(end) {
		p.rangeEnd = p.rangeEnd.Add(width)
	}
	if !p.start.Before(p.rangeEnd) || !time.Unix(q.StartTime, 0).Before(end) {
		return p, problem.New(problem.InvalidType, "start_time must be before end_time.").At("start_time")
	}
	if q.Page != "" {
		text, ok := strings.CutPrefix(q.Page, "page_")
		seconds, err := strconv.ParseInt(text, 10, 64)
		at := time.Unix(seconds, 0).UTC()
		if !ok || err != nil || at.Before(p.start) || !at.Before(p.rangeEnd) || !at.Equal(at.Truncate(width)) {
			return p, problem.New(problem.InvalidType,
				"page must be the next_page of another page of the same request.").At("page")
		}
		p.start = at
	}
	if p.end = p.start.Add(time.Duration(limit) * width); p.end.After(p.rangeEnd) {
		p.end = p.rangeEnd
	}
	return p, nil
}

// next returns the cursor of the following page, nil for none.
func (p pageStep) next() *string {
	if !p.end.Before(p.rangeEnd) {
		return nil
	}
	cursor := "page_" + strconv.FormatInt(p.end.Unix(), 10)
	return &cursor
}

// grouping holds the dimension and the project by which results are grouped.
type grouping struct {
	dimension metering.Dimension
	project   *string // the one tenant of all results, if they are grouped by it
}

// value returns the value of a row if it belongs to the dimension, nil otherwise.
func (g grouping) value(dimension metering.Dimension, row *metering.SummaryRow) *string {
	if g.dimension != dimension {
		return nil
	}
	return &row.Value
}

// projectOf returns the tenant of a row, nil if the results are not grouped by it.
func (g grouping) projectOf(row *metering.SummaryRow) *string {
	if g.project != nil {
		return g.project
	}
	return g.value(metering.ByTenant, row)
}

// dimensionsOf are the dimensions that have OpenAI's names.
var dimensionsOf = map[string]metering.Dimension{
	"model": metering.ByModel, "line_item": metering.ByModel, "user_id": metering.ByUser,
	"api_key_id": metering.ByToken, "project_id": metering.ByTenant,
}

// groupingOf returns what to group by. Every result of one tenant has the same project, so that project_id needs no
// dimension then.
func groupingOf(names []string, tenantID uuid.UUID) (grouping, error) {
	var g grouping
	for _, name := range names {
		dimension := dimensionsOf[name]
		switch {
		case dimension == metering.ByTenant && tenantID != uuid.Nil:
			project := tenantID.String()
			g.project = &project
		case g.dimension != metering.ByNothing && g.dimension != dimension:
			return g, problem.New(problem.InvalidType, "group_by cannot combine these values: choose one of model, "+
				"line_item, user_id and api_key_id, and project_id only for one project.").At("group_by")
		default:
			g.dimension = dimension
		}
	}
	return g, nil
}

// idOf returns the id in a list of at most one, uuid.Nil if it is empty.
func idOf(name string, lists ...[]string) (uuid.UUID, error) {
	text, err := oneOf(name, lists...)
	if err != nil || text == "" {
		return uuid.Nil, err
	}
	id, err := uuid.Parse(text)
	if err != nil {
		return uuid.Nil, problem.New(problem.InvalidType, "%s must be the id of one resource.", name).At(name)
	}
	return id, nil
}

// oneOf returns the only value of the lists, "" if they are empty.
func oneOf(name string, lists ...[]string) (value string, err error) {
	for _, list := range lists {
		for _, item := range list {
			if value != "" && item != value {
				return "", problem.New(problem.InvalidType, "%s can have one value.", name).At(name)
			}
			value = item
		}
	}
	return value, nil
}

// tenantID returns the tenant that the usage is limited to: the caller's own or, for operators, that of project_ids.
// uuid.Nil means all tenants.
func (q *BucketQuery) tenantID(ctx context.Context) (uuid.UUID, error) {
	id, err := idOf("project_ids", q.ProjectIDs, q.Projects)
	if ownID := api.CallerOf(ctx).User.TenantID; err == nil && id == uuid.Nil {
		id = ownID
	}
	return id, err
}

// summaryQuery returns the query of the usage summary, without the range of time.
func (in *completionsUsageQuery) summaryQuery(ctx context.Context) (query metering.SummaryQuery, err error) {
	if query.TenantID, err = in.tenantID(ctx); err != nil {
		return query, err
	}
	if query.UserID, err = idOf("user_ids", in.UserIDs, in.Users); err != nil {
		return query, err
	}
	if query.TokenID, err = idOf("api_key_ids", in.APIKeyIDs, in.APIKeys); err != nil {
		return query, err
	}
	query.Model, err = oneOf("models", in.ModelIDs, in.Models)
	return query, err
}

func (h *handlers) completionsUsage(ctx context.Context, in *completionsUsageQuery) (*api.Answer[UsagePage], error) {
	query, err := in.summaryQuery(ctx)
	if err != nil {
		return nil, err
	}
	width, limit, maxBuckets := 24*time.Hour, 7, 31
	query.Bucket = metering.ByDay
	if in.BucketWidth == "1h" {
		width, limit, maxBuckets, query.Bucket = time.Hour, 24, 168, metering.ByHour
	}
	if in.Limit != 0 {
		limit = in.Limit
	}
	if limit > maxBuckets {
		return nil, problem.New(problem.InvalidType, "limit must be at most %d for this bucket_width.", maxBuckets).
			At("limit")
	}
	p, err := in.step(width, limit, h.Now())
	if err != nil {
		return nil, err
	}
	g, rows, err := h.summaryOf(ctx, query, append(in.GroupBy, in.Groups...), p)
	if err != nil {
		return nil, err
	}
	page := UsagePage{Object: "page", Data: []UsageBucket{}, NextPage: p.next(), HasMore: p.next() != nil}
	for start := p.start; start.Before(p.end); start = start.Add(width) {
		bucket := UsageBucket{Object: "bucket", StartTime: start.Unix(), EndTime: start.Add(width).Unix(),
			Results: []CompletionsResult{}}
		for ; len(rows) > 0 && rows[0].Start.Equal(start); rows = rows[1:] {
			row := &rows[0]
			bucket.Results = append(bucket.Results, CompletionsResult{
				Object: "organization.usage.completions.result", InputTokens: row.Usage.InputTotal(),
				InputCachedTokens: row.Usage.CachedInput,
				InputAudioTokens:  row.Usage.AudioInput, OutputTokens: row.Usage.OutputTotal(),
				OutputAudioTokens: row.Usage.AudioOutput,
				Requests:          row.Requests, ProjectID: g.projectOf(row), UserID: g.value(metering.ByUser, row),
				APIKeyID: g.value(metering.ByToken, row), Model: g.value(metering.ByModel, row),
			})
		}
		page.Data = append(page.Data, bucket)
	}
	return api.NewAnswer(page), nil
}

func (h *handlers) organizationCosts(ctx context.Context, in *costsQuery) (*api.Answer[CostsPage], error) {
	query := metering.SummaryQuery{Bucket: metering.ByDay}
	var err error
	if query.TenantID, err = in.tenantID(ctx); err != nil {
		return nil, err
	}
	p, err := in.step(24*time.Hour, in.Limit, h.Now())
	if err != nil {
		return nil, err
	}
	g, rows, err := h.summaryOf(ctx, query, append(in.GroupBy, in.Groups...), p)
	if err != nil {
		return nil, err
	}
	page := CostsPage{Object: "page", Data: []CostBucket{}, NextPage: p.next(), HasMore: p.next() != nil}
	for start := p.start; start.Before(p.end); start = start.Add(p.width) {
		bucket := CostBucket{Object: "bucket", StartTime: start.Unix(), EndTime: start.Add(p.width).Unix(),
			Results: []CostResult{}}
		for ; len(rows) > 0 && rows[0].Start.Equal(start); rows = rows[1:] {
			bucket.Results = append(bucket.Results, CostResult{
				Object:   "organization.costs.result",
				Amount:   CostAmount{Value: float64(rows[0].Quota) / 1e9, Currency: "usd"},
				LineItem: g.value(metering.ByModel, &rows[0]), ProjectID: g.projectOf(&rows[0]),
			})
		}
		page.Data = append(page.Data, bucket)
	}
	return api.NewAnswer(page), nil
}

// summaryOf reads the rows of a page, in the order of their buckets.
func (h *handlers) summaryOf(ctx context.Context, query metering.SummaryQuery, groupBy []string,
	p pageStep) (grouping, []metering.SummaryRow, error) {
	g, err := groupingOf(groupBy, query.TenantID)
	if err != nil {
		return g, nil, err
	}
	query.By, query.From, query.To = g.dimension, p.start, p.end
	rows, err := h.Store.Metering.UsageSummary(ctx, api.ScopeOf(ctx), query)
	return g, rows, err
}
