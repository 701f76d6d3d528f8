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
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/metering"
)

// TokenCounts are tokens by class. The classes do not overlap.
type TokenCounts struct {
	Input       int64 `json:"input"`
	CachedInput int64 `json:"cached_input"`
	CacheWrite  int64 `json:"cache_write"`
	AudioInput  int64 `json:"audio_input"`
	Output      int64 `json:"output"`
	Reasoning   int64 `json:"reasoning"`
	AudioOutput int64 `json:"audio_output"`
	Total       int64 `json:"total"`
}

func tokenCountsOf(u usage.Usage) TokenCounts {
	return TokenCounts{
		Input: u.Input, CachedInput: u.CachedInput, CacheWrite: u.CacheWrite, AudioInput: u.AudioInput,
		Output: u.Output, Reasoning: u.Reasoning, AudioOutput: u.AudioOutput, Total: u.Total(),
	}
}

// UsageLog is one finished request.
type UsageLog struct {
	ID          uuid.UUID    `json:"id" doc:"Also the x-request-id that the client was given"`
	CreatedAt   time.Time    `json:"created_at"`
	TenantID    uuid.UUID    `json:"tenant_id"`
	Tenant      string       `json:"tenant,omitempty" doc:"Its name; operators only"`
	UserID      uuid.UUID    `json:"user_id"`
	UserEmail   string       `json:"user_email"`
	TokenID     uuid.UUID    `json:"token_id"`
	TokenName   string       `json:"token_name" doc:"Its name, also where it was revoked"`
	Model       string       `json:"model"`
	ChannelID   *uuid.UUID   `json:"channel_id" nullable:"true" doc:"The channel that answered last; null where none did"`
	Channel     string       `json:"channel" doc:"Its name; empty where none answered"`
	Endpoint    string       `json:"endpoint" doc:"chat or responses"`
	Stream      bool         `json:"stream"`
	Outcome     string       `json:"outcome" enum:"success,partial,failed"`
	Error       string       `json:"error" doc:"Word of the failure; empty on success"`
	Status      int          `json:"status" doc:"HTTP status that the client was given"`
	Estimated   bool         `json:"estimated" doc:"The upstream reported no usage: the tokens were counted here"`
	Tokens      TokenCounts  `json:"tokens"`
	Cost        money.Amount `json:"cost" doc:"What the price formula says"`
	Quota       money.Amount `json:"quota" doc:"What was deducted: less than cost only where a grant ended first"`
	LatencyMS   int64        `json:"latency_ms"`
	FirstByteMS int64        `json:"first_byte_ms"`
}

// UsageLogDetail is a UsageLog with its bill and the channels tried.
type UsageLogDetail struct {
	UsageLog
	PriceID       *uuid.UUID       `json:"price_id" nullable:"true" doc:"Version of the price; null where nothing was charged by one"`
	RuleID        *uuid.UUID       `json:"rule_id" nullable:"true" doc:"Version of the group rule; null where none applied"`
	Receipt       *pricing.Receipt `json:"receipt,omitempty" doc:"How the cost came about; absent where the call was not priced"`
	Attempts      []Attempt        `json:"attempts"`
	UpstreamModel string           `json:"upstream_model,omitempty" doc:"Operators only"`
}

// Attempt is one try of one channel.
type Attempt struct {
	ChannelID uuid.UUID `json:"channel_id"`
	Channel   string    `json:"channel" doc:"Its name"`
	Served    bool      `json:"served" doc:"Whether the answer came from it"`
	ElapsedMS int64     `json:"elapsed_ms" doc:"Until its headers or its failure"`
	Status    int       `json:"status,omitempty" doc:"HTTP status of the upstream; operators only"`
	Error     string    `json:"error,omitempty" doc:"Word of the failure; operators only"`
	Key       string    `json:"key,omitempty" doc:"Mask of the credential; operators only"`
	Reason    string    `json:"reason,omitempty" doc:"Why the channel was tried: kept, translated, trial or cooling; operators only"`
	Dialect   string    `json:"dialect,omitempty" doc:"What the upstream speaks, where the call was translated; operators only"`
}

type usageLogQuery struct {
	api.PageQuery
	TenantID  uuid.UUID `query:"tenant_id" doc:"Operators only"`
	UserID    uuid.UUID `query:"user_id" doc:"Only of this user"`
	TokenID   uuid.UUID `query:"token_id" doc:"Only of this token"`
	ChannelID uuid.UUID `query:"channel_id" doc:"Only of those that this channel answered last"`
	Model     string    `query:"model" maxLength:"200" doc:"Only of this model"`
	Outcome   string    `query:"outcome" enum:"success,partial,failed" doc:"Only of this outcome"`
	Endpoint  string    `query:"endpoint" enum:"chat,responses" doc:"Only of this endpoint"`
	Error     string    `query:"error" maxLength:"200" doc:"Word of the failure; together with an outcome the search is short"`
	NewerThan uuid.UUID `query:"newer_than" doc:"Id of a log: only those with a greater one. Ids are made when calls begin, and logs appear when they end: to miss none, pass the id of a log some minutes old, and pass over what is known"`
	From      time.Time `query:"from" doc:"Inclusive"`
	To        time.Time `query:"to" doc:"Exclusive"`
}

func usageLogs(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "listUsageLogs", Method: http.MethodGet, Path: "/usage-logs", Tag: "usage", Summary: "List usage logs",
		Description: "Newest first. Members see their own, admins and owners their tenant's, operators all. " +
			"A page of filters that match next to nothing may be short, or empty, and still have a next.",
		Errors: []int{http.StatusForbidden, http.StatusNotFound},
	}, h.listUsageLogs)
	api.Register(h.API, api.Operation{
		ID: "getUsageLog", Method: http.MethodGet, Path: "/usage-logs/{id}", Tag: "usage", Summary: "Get a usage log with its receipt",
		Description: "What the call cost and how that came about, and which channels were tried.",
		Errors:      []int{http.StatusForbidden, http.StatusNotFound},
	}, h.getUsageLog)
}

func (h *handlers) listUsageLogs(ctx context.Context, in *usageLogQuery) (*api.Answer[api.List[UsageLog]], error) {
	if err := api.CheckRange(in.From, in.To); err != nil {
		return nil, err
	}
	page, err := h.Store.Metering.UsageLogs(ctx, api.ScopeOf(ctx), metering.LogQuery{
		TenantID: in.TenantID, UserID: in.UserID, TokenID: in.TokenID, ChannelID: in.ChannelID, Model: in.Model,
		Outcome: usage.Outcome(in.Outcome), Dialect: in.Endpoint, Error: in.Error, Newer: in.NewerThan,
		From: in.From, To: in.To, Page: in.Page(),
	})
	if err != nil {
		return nil, err
	}
	names, err := h.logNames(ctx, page.Items...)
	if err != nil {
		return nil, err
	}
	return api.PageOf(page, func(l *usage.Log) UsageLog { return usageLogOf(l, names) }), nil
}

// logNames are the names of what logs refer to.
type logNames struct {
	tokens, channels, users, tenants map[uuid.UUID]string
}

func (h *handlers) logNames(ctx context.Context, logs ...usage.Log) (names logNames, err error) {
	var tokens, channels, users, tenants []uuid.UUID
	for i := range logs {
		tokens, channels = append(tokens, logs[i].TokenID), append(channels, logs[i].ChannelID)
		users, tenants = append(users, logs[i].UserID), append(tenants, logs[i].TenantID)
		for _, attempt := range logs[i].Attempts {
			channels = append(channels, attempt.ChannelID)
		}
	}
	if names.tokens, err = h.Store.Token.TokenNames(ctx, api.ScopeOf(ctx), distinct(tokens)); err != nil {
		return names, err
	}
	if names.users, err = h.Store.Identity.UserEmails(ctx, api.ScopeOf(ctx), distinct(users)); err != nil {
		return names, err
	}
	if api.CallerOf(ctx).User.Role == tenant.Operator {
		if names.tenants, err = h.Store.Identity.TenantNames(ctx, api.ScopeOf(ctx), distinct(tenants)); err != nil {
			return names, err
		}
	}
	names.channels, err = h.Store.Metering.ChannelNames(ctx, api.ScopeOf(ctx), distinct(channels))
	return names, err
}

// distinct returns each id once, and uuid.Nil not at all.
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
		Tokens: tokenCountsOf(l.Usage), Cost: l.Cost, Quota: l.Quota,
		LatencyMS: l.Latency.Milliseconds(), FirstByteMS: l.FirstByte.Milliseconds(),
	}
}

func (h *handlers) getUsageLog(ctx context.Context, in *api.ByID) (*api.Answer[UsageLogDetail], error) {
	found, terms, err := h.Store.Metering.UsageLog(ctx, api.ScopeOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	names, err := h.logNames(ctx, found)
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

// hideUpstream takes out what the upstreams said.
func (d *UsageLogDetail) hideUpstream() {
	d.UpstreamModel = ""
	for i := range d.Attempts {
		try := &d.Attempts[i]
		try.Status, try.Error, try.Key, try.Reason, try.Dialect = 0, "", "", "", ""
	}
}

func receiptOf(l *usage.Log, terms pricing.Terms) (*pricing.Receipt, error) {
	if l.Outcome == usage.Failed || terms.Price.ID == uuid.Nil {
		return nil, nil
	}
	receipt, err := terms.Receipt(l.Usage)
	return &receipt, err
}

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
