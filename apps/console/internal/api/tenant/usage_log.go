package tenant

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/metering"
)

// TokenCounts holds numbers of tokens by class. The classes do not overlap: their sum is Total.
type TokenCounts struct {
	Input       int64 `json:"input" doc:"Input tokens that are in none of the other classes of input"`
	CachedInput int64 `json:"cached_input" doc:"Input tokens that the upstream read from its cache"`
	CacheWrite  int64 `json:"cache_write" doc:"Input tokens that the upstream wrote to its cache"`
	AudioInput  int64 `json:"audio_input" doc:"Input tokens of audio"`
	Output      int64 `json:"output" doc:"Output tokens that are in none of the other classes of output"`
	Reasoning   int64 `json:"reasoning" doc:"Output tokens of reasoning"`
	AudioOutput int64 `json:"audio_output" doc:"Output tokens of audio"`
	Total       int64 `json:"total" doc:"Sum of all classes"`
}

func tokenCountsOf(u usage.Usage) TokenCounts {
	return TokenCounts{
		Input: u.Input, CachedInput: u.CachedInput, CacheWrite: u.CacheWrite, AudioInput: u.AudioInput,
		Output: u.Output, Reasoning: u.Reasoning, AudioOutput: u.AudioOutput, Total: u.Total(),
	}
}

// LogTokenCounts holds the token counts of one request. Its fields beyond TokenCounts are parts of them.
type LogTokenCounts struct {
	TokenCounts
	CacheWrite1h int64 `json:"cache_write_1h" doc:"Part of cache_write: tokens that the upstream wrote to a cache that lives for one hour"`
	ImageInput   int64 `json:"image_input" doc:"Part of input: tokens of images that the upstream did not read from its cache"`
	ImageOutput  int64 `json:"image_output" doc:"Part of output: tokens of generated images"`
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
	Endpoint    string         `json:"endpoint" doc:"The endpoint that the client called: chat or responses"`
	Stream      bool           `json:"stream" doc:"Whether the client asked for a stream"`
	Outcome     string         `json:"outcome" enum:"success,partial,failed" doc:"partial: the response ended early"`
	Error       string         `json:"error" doc:"Error code; empty on success"`
	Status      int            `json:"status" doc:"HTTP status that the client received"`
	Estimated   bool           `json:"estimated" doc:"The upstream reported no usage, so Tollgate counted the tokens itself"`
	Tokens      LogTokenCounts `json:"tokens"`
	Cost        money.Amount   `json:"cost" doc:"Cost of the request by the price formula"`
	Quota       money.Amount   `json:"quota" doc:"Quota deducted. It is less than cost only if the quota ran out"`
	LatencyMS   int64          `json:"latency_ms" doc:"Time from the request to the end of the response"`
	FirstByteMS int64          `json:"first_byte_ms" doc:"Time from the request to the first byte of the response"`
}

// UsageLogDetail is a UsageLog together with its receipt and the attempts to serve the request.
type UsageLogDetail struct {
	UsageLog
	PriceID       *uuid.UUID       `json:"price_id" nullable:"true" doc:"The price by which the request was charged; null if there was none"`
	RuleID        *uuid.UUID       `json:"rule_id" nullable:"true" doc:"The price rule of the group that applied; null if there was none"`
	Receipt       *pricing.Receipt `json:"receipt,omitempty" doc:"Shows how the cost was computed; absent if the request had no price"`
	Attempts      []Attempt        `json:"attempts" doc:"The channels that were tried, in order"`
	UpstreamModel string           `json:"upstream_model,omitempty" doc:"Id of the model at the upstream. Only operators see it"`
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
	Key       string    `json:"key,omitempty" doc:"Mask of the credential. Only operators see it"`
	Reason    string    `json:"reason,omitempty" doc:"Why the channel was tried: kept, translated, trial or cooling, see explainRouting. Only operators see it"`
	Dialect   string    `json:"dialect,omitempty" doc:"Dialect of the upstream if the request was translated. Only operators see it"`
}

type usageLogQuery struct {
	api.PageQuery
	TenantID  uuid.UUID `query:"tenant_id" doc:"Only usage of this tenant. For operators"`
	UserID    uuid.UUID `query:"user_id" doc:"Only usage of this user"`
	TokenID   uuid.UUID `query:"token_id" doc:"Only usage of this token"`
	ChannelID uuid.UUID `query:"channel_id" doc:"Only requests for which this channel responded last"`
	Model     string    `query:"model" maxLength:"200" doc:"Only requests for this model"`
	Outcome   string    `query:"outcome" enum:"success,partial,failed" doc:"Only requests with this outcome"`
	Endpoint  string    `query:"endpoint" enum:"chat,responses" doc:"Only requests to this endpoint"`
	Error     string    `query:"error" maxLength:"200" doc:"Only requests with this error code. The search is faster if outcome is set too"`
	NewerThan uuid.UUID `query:"newer_than" doc:"Only usage logs with a greater id than this one. A request gets its id when it begins, but its log appears when it ends. To miss no log, pass the id of a log that is some minutes old, and skip the logs that you already have"`
	From      time.Time `query:"from" doc:"Start, inclusive"`
	To        time.Time `query:"to" doc:"End, exclusive"`
}

func usageLogs(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "listUsageLogs", Method: http.MethodGet, Path: "/usage-logs", Tag: "usage", Scope: token.ReadUsage, Summary: "List usage logs",
		Description: "Newest first. Members see their own usage, admins and owners that of their tenant, operators all usage. " +
			"If the filters match only few of very many logs, a page can have fewer items than limit, or none, and still have a next.",
		Errors: []int{http.StatusForbidden, http.StatusNotFound},
	}, h.listUsageLogs)
	api.Register(h.API, api.Operation{
		ID: "getUsageLog", Method: http.MethodGet, Path: "/usage-logs/{id}", Tag: "usage", Scope: token.ReadUsage, Summary: "Get a usage log with its receipt",
		Description: "Returns the usage log with the computation of its cost and the channels that were tried.",
		Errors:      []int{http.StatusForbidden, http.StatusNotFound},
	}, h.getUsageLog)
}

// listUsageLogs lists the usage logs that the caller's scope
// reaches, with the names of the resources to which they refer.
func (h *handlers) listUsageLogs(ctx context.Context, in *usageLogQuery) (*api.Answer[api.List[UsageLog]], error) {
	if err := api.CheckRange(in.From, in.To); err != nil {
		return nil, err
	}
	query := metering.LogQuery{
		TenantID: in.TenantID, UserID: in.UserID, TokenID: in.TokenID, ChannelID: in.ChannelID, Model: in.Model,
		Outcome: usage.Outcome(in.Outcome), Dialect: in.Endpoint, Error: in.Error, Newer: in.NewerThan,
		From: in.From, To: in.To, Page: in.Page(),
	}
	var answer *api.Answer[api.List[UsageLog]]
	err := h.Store.ReadAs(ctx, api.ScopeOf(ctx), func(s *store.Store) error {
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
	seen := map[uuid.UUID]bool{uuid.Nil: true}
	var once []uuid.UUID
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			once = append(once, id)
		}
	}
	return once
}

func usageLogOf(l *usage.Log, names logNames) UsageLog {
	return UsageLog{
		ID: l.ID, CreatedAt: l.CreatedAt.UTC(), TenantID: l.TenantID, Tenant: names.tenants[l.TenantID],
		UserID: l.UserID, UserEmail: names.users[l.UserID], TokenID: l.TokenID,
		TokenName: names.tokens[l.TokenID], Model: l.Model, ChannelID: api.NullableID(l.ChannelID), Channel: names.channels[l.ChannelID], Endpoint: l.Dialect, Stream: l.Stream,
		Outcome: string(l.Outcome), Error: l.Error, Status: l.Status, Estimated: l.Estimated,
		Tokens: LogTokenCounts{tokenCountsOf(l.Usage), l.Usage.CacheWrite1h, l.Usage.ImageInput, l.Usage.ImageOutput}, Cost: l.Cost, Quota: l.Quota,
		LatencyMS: l.Latency.Milliseconds(), FirstByteMS: l.FirstByte.Milliseconds(),
	}
}

// getUsageLog returns a usage log with its receipt, which is computed again from
// the stored counts and versions. Only operators see facts about the upstream.
func (h *handlers) getUsageLog(ctx context.Context, in *api.ByID) (*api.Answer[UsageLogDetail], error) {
	var (
		found usage.Log
		terms pricing.Terms
		names logNames
	)
	err := h.Store.ReadAs(ctx, api.ScopeOf(ctx), func(s *store.Store) (err error) {
		if found, terms, err = s.Metering.UsageLog(ctx, api.ScopeOf(ctx), in.ID); err != nil {
			return err
		}
		names, err = namesOf(ctx, s, found)
		return err
	})
	if err != nil {
		return nil, err
	}
	detail := UsageLogDetail{
		UsageLog: usageLogOf(&found, names), PriceID: api.NullableID(found.PriceID), RuleID: api.NullableID(found.RuleID), UpstreamModel: found.UpstreamModel,
	}
	if detail.Receipt, err = receiptOf(&found, terms); err != nil {
		return nil, err
	}
	detail.Attempts = attemptsOf(found.Attempts, names.channels)
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
	}
}

// receiptOf returns the computation of the cost, or nil for a request that had no price.
func receiptOf(l *usage.Log, terms pricing.Terms) (*pricing.Receipt, error) {
	if terms.Price.ID == uuid.Nil {
		return nil, nil
	}
	if l.Outcome == usage.Failed {
		terms = terms.OfFailed()
	}
	terms = terms.Under(l.Formula)
	receipt, err := terms.Receipt(l.Usage)
	return &receipt, err
}

// attemptsOf returns the attempts as the API shows them. An attempt without an error has served the request.
func attemptsOf(tries []usage.Attempt, channels map[uuid.UUID]string) []Attempt {
	attempts := make([]Attempt, 0, len(tries))
	for _, try := range tries {
		attempts = append(attempts, Attempt{
			ChannelID: try.ChannelID, Channel: channels[try.ChannelID], Served: try.Error == "",
			ElapsedMS: try.Elapsed.Milliseconds(), Status: try.Status, Error: try.Error,
			Key: try.Credential, Reason: try.Reason, Dialect: try.Dialect,
		})
	}
	return attempts
}
