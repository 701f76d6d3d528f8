package tenant

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/null"
	"github.com/tollgate/tollgate/apps/console/internal/api/tokencount"
	"github.com/tollgate/tollgate/libs/core/attribution"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/metering"
)

// LogTokenCounts holds the token counts of one request. Its fields beyond TokenCounts are the parts of them in
// usage.Parts.
type LogTokenCounts struct {
	tokencount.TokenCounts
	usage usage.Usage
}

// MarshalJSON implements json.Marshaler.
func (c LogTokenCounts) MarshalJSON() ([]byte, error) {
	data, err := json.Marshal(c.TokenCounts)
	if err != nil {
		return nil, err
	}
	data = data[:len(data)-1]
	for i := range usage.Parts {
		data = fmt.Appendf(data, `,"%s":%d`, usage.Parts[i].Name, *usage.Parts[i].Count(&c.usage))
	}
	return append(data, '}'), nil
}

// TransformSchema implements huma.SchemaTransformer.
func (LogTokenCounts) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	for i := range usage.Parts {
		p := &usage.Parts[i]
		s.Properties[p.Name] = &huma.Schema{Type: huma.TypeInteger, Format: "int64",
			Description: "Part of " + p.Class + ": " + p.Doc}
		s.Required = append(s.Required, p.Name)
	}
	return s
}

// ToolCounts holds what the tools of one request did that the upstream ran. The tokens are in no class of TokenCounts.
type ToolCounts struct {
	WebSearch                 int64 `json:"web_search" doc:"Calls"`
	FileSearch                int64 `json:"file_search" doc:"Calls"`
	CodeInterpreter           int64 `json:"code_interpreter" doc:"Sessions"`
	ImageGenerationInput      int64 `json:"image_generation_input" doc:"Tokens of text"`
	ImageGenerationImageInput int64 `json:"image_generation_image_input" doc:"Tokens of images"`
	ImageGenerationOutput     int64 `json:"image_generation_output" doc:"Tokens of generated images"`
}

func toolCountsOf(t *usage.Tools) ToolCounts {
	return ToolCounts{
		WebSearch: t.WebSearchCalls, FileSearch: t.FileSearchCalls, CodeInterpreter: t.CodeInterpreterSessions,
		ImageGenerationInput: t.ImageGenerationInput, ImageGenerationImageInput: t.ImageGenerationImageInput,
		ImageGenerationOutput: t.ImageGenerationOutput,
	}
}

// UsageLog describes one finished request.
type UsageLog struct {
	ID          uuid.UUID      `json:"id" doc:"Id of the request, which the client also received in the header x-request-id"`
	CreatedAt   time.Time      `json:"created_at" doc:"When the request was accepted"`
	TenantID    uuid.UUID      `json:"tenant_id"`
	Tenant      string         `json:"tenant,omitempty" doc:"Name of the tenant. Only operators see it"`
	UserID      uuid.UUID      `json:"user_id"`
	UserEmail   string         `json:"user_email"`
	TokenID     uuid.UUID      `json:"token_id"`
	TokenName   string         `json:"token_name" doc:"Name of the token, even if the token is revoked"`
	Model       string         `json:"model" doc:"Public id of the model"`
	ChannelID   *uuid.UUID     `json:"channel_id" nullable:"true" doc:"The channel that responded last; null if none responded"`
	Channel     string         `json:"channel" doc:"Name of this channel; empty if none responded"`
	Endpoint    string         `json:"endpoint" doc:"The endpoint that the client called: chat, responses, messages or embeddings"`
	Stream      bool           `json:"stream" doc:"Whether the client asked for a stream"`
	Outcome     string         `json:"outcome" enum:"success,partial,failed" doc:"partial: the response ended early"`
	Error       string         `json:"error" doc:"Error code; empty on success"`
	Status      int            `json:"status" doc:"HTTP status that the client received"`
	Estimated   bool           `json:"estimated" doc:"The upstream reported no usage, so Tollgate counted the tokens itself"`
	Tokens      LogTokenCounts `json:"tokens"`
	Tools       ToolCounts     `json:"tools" doc:"What tools did that the upstream ran"`
	ServiceTier string         `json:"service_tier" doc:"The service tier that the answer names; empty if it is the ordinary one"`
	Cost        money.Amount   `json:"cost" doc:"Cost of the request by the price formula"`
	Quota       money.Amount   `json:"quota" doc:"Quota deducted. It is less than cost only if the quota ran out"`
	LatencyMS   int64          `json:"latency_ms" doc:"Time from the request to the end of the response"`
	FirstByteMS int64          `json:"first_byte_ms" doc:"Time from the request to the first byte of the response"`

	EndUser string            `json:"end_user" doc:"The end user that the request named in safety_identifier or user; empty if it named none"`
	Tags    map[string]string `json:"tags" maxProperties:"8" doc:"Tags of the request by name, from the headers x-tollgate-tag-NAME and from metadata"`

	IgnoredFields string `json:"ignored_fields" doc:"Paths, separated by commas, of what the relay ignored of the request: fields that the API of the channel does not have, and optional tools of the provider that no channel has. A plus sign and a number at the end count further ones; empty for none"`

	SupplierCost *money.Amount `json:"supplier_cost,omitempty" doc:"What the upstreams charge for the request, failed attempts included; absent if it is not known. Only operators see it"`
}

// UsageLogDetail is a UsageLog together with its receipt and the attempts to serve the request.
type UsageLogDetail struct {
	UsageLog
	PriceID       *uuid.UUID       `json:"price_id" nullable:"true" doc:"The price by which the request was charged; null if there was none"`
	RuleID        *uuid.UUID       `json:"rule_id" nullable:"true" doc:"The price rule of the group that applied; null if there was none"`
	Receipt       *pricing.Receipt `json:"receipt,omitempty" doc:"Shows how the cost was computed; absent if the request had no price"`
	Attempts      []Attempt        `json:"attempts" doc:"The channels that were tried, in order"`
	Client        *LogClient       `json:"client,omitempty" doc:"From where and with which program the request came; absent if that is not stored: see listTokenClients"`
	UpstreamModel string           `json:"upstream_model,omitempty" doc:"Id of the model at the upstream. Only operators see it"`

	CostID          *uuid.UUID       `json:"cost_id,omitempty" doc:"Version of the costs of the channel that responded. Only operators see it"`
	SupplierReceipt *pricing.Receipt `json:"supplier_receipt,omitempty" doc:"Shows how the cost of the channel that responded was computed; absent if it has no costs. Only operators see it"`
}

// Attempt describes one attempt to serve a request with a channel. Some
// fields are only shown to operators, because they reveal the upstream.
type Attempt struct {
	ChannelID uuid.UUID `json:"channel_id"`
	Channel   string    `json:"channel" doc:"Name of the channel"`
	Served    bool      `json:"served" doc:"Whether the response came from this attempt"`
	ElapsedMS int64     `json:"elapsed_ms" doc:"Time until the headers of the response or the failure"`
	Status    int       `json:"status,omitempty" doc:"HTTP status of the upstream. Only operators see it"`
	Error     string    `json:"error,omitempty" doc:"Error code of the failure. Only operators see it"`
	Message   string    `json:"message,omitempty" doc:"What the upstream said, or why it could not be called, without credentials. Only operators see it"`
	Key       string    `json:"key,omitempty" doc:"Mask of the credential. Only operators see it"`
	Reason    string    `json:"reason,omitempty" doc:"Why the channel was tried: kept, translated, trial or cooling, see explainRouting. Only operators see it"`
	Dialect   string    `json:"dialect,omitempty" doc:"Dialect of the upstream if the request was translated. Only operators see it"`

	Tokens       *LogTokenCounts `json:"tokens,omitempty" doc:"What the upstream reported although the attempt failed. Only operators see it"`
	SupplierCost *money.Amount   `json:"supplier_cost,omitempty" doc:"What the upstream charges for the attempt; absent if it charges nothing or its costs are not known. Only operators see it"`
}

// UsageLogFilter selects usage logs. Parameters that are absent do not limit the selection.
type UsageLogFilter struct {
	TenantID  uuid.UUID `query:"tenant_id" doc:"Only usage of this tenant. For operators"`
	UserID    uuid.UUID `query:"user_id" doc:"Only usage of this user"`
	TokenID   uuid.UUID `query:"token_id" doc:"Only usage of this token"`
	ChannelID uuid.UUID `query:"channel_id" doc:"Only requests for which this channel responded last"`
	Model     string    `query:"model" maxLength:"200" doc:"Only requests for this model"`
	Outcome   string    `query:"outcome" enum:"success,partial,failed" doc:"Only requests with this outcome"`
	Endpoint  string    `query:"endpoint" enum:"chat,responses,messages,embeddings" doc:"Only requests to this endpoint"`
	Error     string    `query:"error" maxLength:"200" doc:"Only requests with this error code. The search is faster if outcome is set too"`
	EndUser   string    `query:"end_user" maxLength:"128" doc:"Only requests for this end user"`
	ClientID  uuid.UUID `query:"client_id" doc:"Only requests from this client, see listTokenClients"`
	Tag       []string  `query:"tag,explode" maxItems:"8" doc:"Only requests with this tag, as name=value. Repeat the parameter for requests that have several tags"`
	From      time.Time `query:"from" doc:"Start, inclusive"`
	To        time.Time `query:"to" doc:"End, exclusive"`
}

// logQuery returns the filter as the store knows it, or a problem that names the invalid parameter.
func (h *handlers) logQuery(ctx context.Context, f *UsageLogFilter) (metering.LogQuery, error) {
	if err := api.CheckRange(f.From, f.To); err != nil {
		return metering.LogQuery{}, err
	}
	tags, err := attribution.ParseTags(f.Tag)
	if err != nil {
		return metering.LogQuery{}, err
	}
	query := metering.LogQuery{
		TenantID: f.TenantID, UserID: f.UserID, TokenID: f.TokenID, ChannelID: f.ChannelID, Model: f.Model,
		Outcome: usage.Outcome(f.Outcome), Dialect: f.Endpoint, Error: f.Error, EndUser: f.EndUser, Tags: tags,
		From: f.From, To: f.To,
	}
	if f.ClientID != uuid.Nil {
		client, err := h.client(ctx, f.ClientID)
		if err != nil {
			return metering.LogQuery{}, err
		}
		query.TokenID, query.ClientMarks = cmp.Or(query.TokenID, client.TokenID), h.marksOf(&client)
	}
	return query, nil
}

type usageLogQuery struct {
	api.PageQuery
	UsageLogFilter
	api.OrderQuery
	Sort      string    `query:"sort" enum:"created_at" doc:"What to sort by. Defaults to the newest requests first"`
	NewerThan uuid.UUID `query:"newer_than" doc:"Only usage logs with a greater id than this one. A request gets its id when it begins, but its log appears when it ends. To miss no log, pass the id of a log that is some minutes old, and skip the logs that you already have"`
}

func registerUsageLogs(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "listUsageLogs", Method: http.MethodGet, Path: "/usage-logs", Tag: "usage", Scope: token.ReadUsage,
		Summary: "List usage logs",
		Description: "Newest first, or oldest first with order=asc. A cursor is valid only with the order of its " +
			"page. Members see their own usage, admins and owners that of their tenant, operators all usage. " +
			"If the filters match only few of very many logs, a page can have fewer items than limit, or none, and " +
			"still have a next.",
		Errors: []int{http.StatusForbidden, http.StatusNotFound},
	}, h.listUsageLogs)
	api.Register(h.API, api.Operation{
		ID: "getUsageLog", Method: http.MethodGet, Path: "/usage-logs/{id}", Tag: "usage", Scope: token.ReadUsage,
		Summary:     "Get a usage log with its receipt",
		Description: "Returns the usage log with the computation of its cost and the channels that were tried.",
		Errors:      []int{http.StatusForbidden, http.StatusNotFound},
	}, h.getUsageLog)
	api.Register(h.API, api.Operation{
		ID: "getUsageLogTotals", Method: http.MethodGet, Path: "/usage-log-totals", Tag: "usage",
		Scope: token.ReadUsage, Summary: "Add up usage logs",
		Description: "Adds up the usage logs that listUsageLogs lists with the same filters. Whole hours are read " +
			"from the hourly and daily rollups, which follow the usage logs within seconds and outlive them. Filters " +
			"that the rollups do not have (outcome, endpoint, error, end_user, client_id, tag) and parts of hours " +
			"are read from at most 40,000 logs; if that is not enough, complete is false. A request fails if it " +
			"needs more than 1,000,000 rollups.",
		Errors: []int{http.StatusForbidden, http.StatusNotFound},
	}, h.getUsageLogTotals)
}

// listUsageLogs lists the usage logs that the caller's scope
// reaches, with the names of the resources to which they refer.
func (h *handlers) listUsageLogs(ctx context.Context, in *usageLogQuery) (*api.Answer[api.List[UsageLog]], error) {
	query, err := h.logQuery(ctx, &in.UsageLogFilter)
	if err != nil {
		return nil, err
	}
	query.NewerThan, query.Page = in.NewerThan, in.By(in.Sort, in.Page())
	var answer *api.Answer[api.List[UsageLog]]
	err = h.Store.ReadAs(ctx, api.ScopeOf(ctx), func(s *store.Store) error {
		page, err := s.Metering.UsageLogs(ctx, api.ScopeOf(ctx), query)
		if err != nil {
			return err
		}
		names, err := namesOf(ctx, s, page.Items...)
		if err != nil {
			return err
		}
		answer = api.PageOf(page, func(l *usage.Log) UsageLog { return usageLogOf(l, names) })
		return nil
	})
	return answer, err
}

// UsageLogTotals adds up the usage logs that a filter selects.
type UsageLogTotals struct {
	Requests int64                  `json:"requests" doc:"Number of requests, of all outcomes"`
	Partial  int64                  `json:"partial" doc:"Number of requests whose response ended early"`
	Failed   int64                  `json:"failed" doc:"Number of requests that failed"`
	Tokens   tokencount.TokenCounts `json:"tokens"`
	Quota    money.Amount           `json:"quota" doc:"Quota deducted"`
	Complete bool                   `json:"complete" doc:"false: the figures are those of the newest logs, because the filter selects more than are added up at once"`

	Supplier *SupplierSums `json:"supplier,omitempty" doc:"What the upstreams charge; absent if the figures need rollups by user or token. Only operators see it"`
}

// getUsageLogTotals adds up the usage logs that the caller's scope reaches.
func (h *handlers) getUsageLogTotals(ctx context.Context, in *UsageLogFilter) (*api.Answer[UsageLogTotals], error) {
	query, err := h.logQuery(ctx, in)
	if err != nil {
		return nil, err
	}
	totals, err := h.Store.Metering.UsageLogTotals(ctx, api.ScopeOf(ctx), query)
	if err != nil {
		return nil, err
	}
	body := UsageLogTotals{
		Requests: totals.Requests, Partial: totals.Partial, Failed: totals.Failed, Tokens: tokencount.Of(totals.Usage),
		Quota: totals.Quota, Complete: totals.Complete,
	}
	if totals.Costs != nil { // only operators get them from the store
		body.Supplier = supplierSumsOf(*totals.Costs)
	}
	return api.NewAnswer(body), nil
}

// logNames holds the names of the resources to which usage logs
// refer, by id. tenants is nil unless the caller is an operator.
type logNames struct {
	tokens, channels, users, tenants map[uuid.UUID]string
}

// namesOf loads the names for the logs, with one query for each kind of resource.
func namesOf(ctx context.Context, s *store.Store, logs ...usage.Log) (names logNames, err error) {
	var tokens, channels, users, tenants []uuid.UUID
	for i := range logs {
		tokens, channels = append(tokens, logs[i].TokenID), append(channels, logs[i].ChannelID)
		users, tenants = append(users, logs[i].UserID), append(tenants, logs[i].TenantID)
		for _, attempt := range logs[i].Attempts {
			channels = append(channels, attempt.ChannelID)
		}
	}
	if names.tokens, err = s.Token.TokenNames(ctx, api.ScopeOf(ctx), distinct(tokens)); err != nil {
		return names, err
	}
	if names.users, err = s.Identity.UserEmails(ctx, api.ScopeOf(ctx), distinct(users)); err != nil {
		return names, err
	}
	if api.CallerOf(ctx).User.Role == tenant.Operator {
		if names.tenants, err = s.Identity.TenantNames(ctx, api.ScopeOf(ctx), distinct(tenants)); err != nil {
			return names, err
		}
	}
	names.channels, err = s.Metering.ChannelNames(ctx, api.ScopeOf(ctx), distinct(channels))
	return names, err
}

// distinct returns the ids without duplicates and without uuid.Nil.
func distinct(ids []uuid.UUID) []uuid.UUID {
	isListed := map[uuid.UUID]bool{uuid.Nil: true}
	var list []uuid.UUID
	for _, id := range ids {
		if !isListed[id] {
			isListed[id] = true
			list = append(list, id)
		}
	}
	return list
}

func usageLogOf(l *usage.Log, names logNames) UsageLog {
	return UsageLog{
		ID: l.ID, CreatedAt: l.CreatedAt.UTC(), TenantID: l.TenantID, Tenant: names.tenants[l.TenantID],
		UserID: l.UserID, UserEmail: names.users[l.UserID], TokenID: l.TokenID,
		TokenName: names.tokens[l.TokenID], Model: l.Model, ChannelID: null.ID(l.ChannelID),
		Channel: names.channels[l.ChannelID], Endpoint: l.Dialect, Stream: l.Stream,
		EndUser: l.EndUser, Tags: l.Tags.Map(), Outcome: string(l.Outcome), Error: l.Error, Status: l.Status,
		Estimated: l.Estimated,
		Tokens:    logTokenCountsOf(l.Usage), Tools: toolCountsOf(&l.Usage.Tools), ServiceTier: l.Usage.ServiceTier,
		Cost: l.Cost, Quota: l.Quota,
		LatencyMS: l.Latency.Milliseconds(), FirstByteMS: l.FirstByte.Milliseconds(), IgnoredFields: l.IgnoredFields,
		SupplierCost: l.SupplierCost,
	}
}

func logTokenCountsOf(u usage.Usage) LogTokenCounts {
	return LogTokenCounts{tokencount.Of(u), u}
}

// getUsageLog returns a usage log with its receipt, which is computed again from
// the stored counts and versions. Only operators see facts about the upstream.
func (h *handlers) getUsageLog(ctx context.Context, in *api.ByID) (*api.Answer[UsageLogDetail], error) {
	var (
		log    usage.Log
		terms  pricing.Terms
		cost   pricing.ChannelCost
		client *LogClient
		names  logNames
	)
	err := h.Store.ReadAs(ctx, api.ScopeOf(ctx), func(s *store.Store) (err error) {
		if log, terms, err = s.Metering.UsageLog(ctx, api.ScopeOf(ctx), in.ID); err != nil {
			return err
		}
		if log.CostID != uuid.Nil {
			if cost, err = s.Catalog.ChannelCost(ctx, api.ScopeOf(ctx), log.CostID); err != nil {
				return err
			}
		}
		if client, err = h.clientOf(ctx, s, &log); err != nil {
			return err
		}
		names, err = namesOf(ctx, s, log)
		return err
	})
	if err != nil {
		return nil, err
	}
	detail := UsageLogDetail{
		UsageLog: usageLogOf(&log, names), PriceID: null.ID(log.PriceID), RuleID: null.ID(log.RuleID),
		UpstreamModel: log.UpstreamModel, Client: client,
	}
	if detail.Receipt, err = receiptOf(&log, terms); err != nil {
		return nil, err
	}
	if log.CostID != uuid.Nil { // only operators get one from the store
		detail.CostID = &log.CostID
		if detail.SupplierReceipt, err = supplierReceiptOf(&log, cost); err != nil {
			return nil, err
		}
	}
	detail.Attempts = attemptsOf(log.Attempts, names.channels)
	if api.CallerOf(ctx).User.Role != tenant.Operator {
		detail.hideUpstream()
	}
	return api.NewAnswer(detail), nil
}

// hideUpstream clears the fields that only operators may see.
func (d *UsageLogDetail) hideUpstream() {
	d.UpstreamModel = ""
	for i := range d.Attempts {
		try := &d.Attempts[i]
		try.Status, try.Error, try.Key, try.Reason, try.Dialect = 0, "", "", "", ""
		try.Message, try.Tokens, try.SupplierCost = "", nil, nil
	}
	d.SupplierCost, d.CostID, d.SupplierReceipt = nil, nil, nil
}

// receiptOf returns the computation of the cost, or nil for a request that had no price.
func receiptOf(l *usage.Log, terms pricing.Terms) (*pricing.Receipt, error) {
	if terms.Price.ID == uuid.Nil {
		return nil, nil
	}
	terms = terms.For(l.Outcome, l.Formula)
	receipt, err := terms.Receipt(l.Usage)
	return &receipt, err
}

// supplierReceiptOf returns the computation of what the channel that answered charges.
func supplierReceiptOf(l *usage.Log, cost pricing.ChannelCost) (*pricing.Receipt, error) {
	receipt, err := cost.Receipt(l.Usage, l.Outcome, l.Formula)
	return &receipt, err
}

// attemptsOf returns the attempts as the API shows them. An attempt without an error has served the request.
func attemptsOf(tries []usage.Attempt, channels map[uuid.UUID]string) []Attempt {
	attempts := make([]Attempt, 0, len(tries))
	for _, try := range tries {
		var tokens *LogTokenCounts
		if try.Usage != nil {
			counts := logTokenCountsOf(*try.Usage)
			tokens = &counts
		}
		attempts = append(attempts, Attempt{
			Tokens: tokens, SupplierCost: try.SupplierCost,
			ChannelID: try.ChannelID, Channel: channels[try.ChannelID], Served: try.Error == "",
			ElapsedMS: try.Elapsed.Milliseconds(), Status: try.Status, Error: try.Error,
			Message: try.Message, Key: try.Credential, Reason: try.Reason, Dialect: try.Dialect,
		})
	}
	return attempts
}
