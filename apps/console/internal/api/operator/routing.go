package operator

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/charge"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/routing"
	"github.com/tollgate/tollgate/libs/core/snapshot"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/core/visibility"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
)

// RoutingQuestion is the body of explainRouting. It describes a call by the properties that routing depends on.
type RoutingQuestion struct {
	TokenID uuid.UUID `json:"token_id,omitzero" doc:"The token of the caller. Send exactly one of token_id, user_id and group_id"`
	UserID  uuid.UUID `json:"user_id,omitzero" doc:"The user that calls, with any token"`
	GroupID uuid.UUID `json:"group_id,omitzero" doc:"The group of the user that calls"`

	Model            string `json:"model" minLength:"1" maxLength:"200" doc:"Public id of the model"`
	Endpoint         string `json:"endpoint,omitempty" enum:"chat,responses,messages,embeddings" default:"chat"`
	Stream           bool   `json:"stream,omitempty" doc:"Whether the call asks for a stream"`
	Tools            bool   `json:"tools,omitempty" doc:"Whether the call has tools"`
	Vision           bool   `json:"vision,omitempty" doc:"Whether the call has images"`
	StructuredOutput bool   `json:"structured_output,omitempty" doc:"Whether the call asks for JSON of a schema"`
	Unpriced         bool   `json:"unpriced,omitempty" doc:"Whether the call could cause a charge without a price, such as a service tier or a tool that the provider runs"`

	InputTokens  int64 `json:"input_tokens,omitempty" minimum:"0" maximum:"1000000000" default:"1000" doc:"Estimated input, for models that are routed to the cheapest channel"`
	OutputTokens int64 `json:"output_tokens,omitempty" minimum:"0" maximum:"1000000000" default:"1000" doc:"Estimated output, for models that are routed to the cheapest channel"`
}

// RoutingAnswer explains how a relay would route the call.
type RoutingAnswer struct {
	Visible  bool           `json:"visible" doc:"Whether the caller may use the model"`
	Verdict  string         `json:"verdict" enum:"visible,token_not_usable,unknown_model,not_in_token,group_disabled,not_in_group,model_disabled,not_served,not_priced" doc:"visible, or why the caller may not use the model"`
	Routing  string         `json:"routing" enum:"weighted,cheapest" doc:"The model's setting: how calls choose among channels of equal priority"`
	Refusal  *RoutingRefuse `json:"refusal,omitempty" doc:"The error that the caller gets if no channel can serve the call; absent otherwise"`
	Channels []RoutedTo     `json:"channels" doc:"All channels. Those that would be tried come first, in that order"`
}

// RoutingRefuse describes the error with which a relay refuses the call.
type RoutingRefuse struct {
	Status int    `json:"status" doc:"HTTP status"`
	Code   string `json:"code" doc:"Error code"`
	Param  string `json:"param" doc:"The field of the request that no channel can serve; empty if there is none"`
}

// RoutedTo describes the place of one channel in the routing plan.
type RoutedTo struct {
	ChannelID uuid.UUID `json:"channel_id"`
	Channel   string    `json:"channel" doc:"Name of the channel"`
	Order     int       `json:"order" doc:"1 is tried first; 0 means not at all. Channels with the same priority are drawn at random, by weight and load: this is the most likely order"`
	Priority  int       `json:"priority"`
	Weight    int       `json:"weight"`
	Native    bool      `json:"native" doc:"Whether the channel speaks the dialect of the endpoint, so that nothing is translated"`
	Reason    string    `json:"reason" enum:"kept,translated,cheapest,trial,cooling,no_credential,not_ready,disabled,model_not_served,lacks_stream,lacks_tools,lacks_vision,lacks_structured_output,lacks_endpoint,refuses_unpriced" doc:"Why the channel is tried or not. kept: it is healthy. translated: it speaks another dialect. cheapest: its upstream charges the least of its priority. trial, cooling: it failed recently. no_credential: all credentials are disabled. not_ready: its type is unknown or a credential cannot be decrypted. lacks_endpoint: it can neither speak the dialect of the endpoint nor be translated from it. Other lacks_...: it does not support a feature of the call. refuses_unpriced: the call could cause a charge without a price"`

	SupplierCost *money.Amount `json:"supplier_cost,omitempty" doc:"What the upstream charges for the estimated call; absent if the channel has no costs for the model"`

	Credentials []CredentialHealth `json:"credentials"`
	Relays      []RelayHealth      `json:"relays" doc:"Faults that relays report for the model on this channel"`
}

func registerRoutingExplanations(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "explainRouting", Method: http.MethodPost, Path: "/operator/routing/explain", Tag: "operator",
		Scope: token.ReadCatalog, Summary: "Explain how a call would be routed",
		Description: "Calls no upstream. If relays report different states of a channel, the worst one is used.",
		Errors:      []int{http.StatusNotFound}, NoEntry: true,
	}, h.explainRouting)
}

// explainRouting computes the verdict on the caller and the plan of channels from one snapshot and
// the last reports of the relays. The plan is computed even if the caller may not use the model.
func (h *handlers) explainRouting(ctx context.Context,
	in *struct{ Body RoutingQuestion }) (*api.Answer[RoutingAnswer], error) {
	if err := api.OperatorsOnly(ctx); err != nil {
		return nil, err
	}
	if in.Body.Endpoint == "" {
		in.Body.Endpoint = string(catalog.Chat)
	}
	if in.Body.InputTokens == 0 && in.Body.OutputTokens == 0 {
		in.Body.InputTokens, in.Body.OutputTokens = 1000, 1000
	}
	e := explanation{handlers: h, question: &in.Body, now: h.Now()}
	if err := e.read(ctx); err != nil {
		return nil, err
	}
	caller, err := e.caller(ctx)
	if err != nil {
		return nil, err
	}
	verdict := e.verdict(caller)
	answer := RoutingAnswer{Visible: verdict == verdictVisible, Verdict: verdict, Routing: string(e.routing())}
	answer.Channels, answer.Refusal = e.channels(caller)
	return api.NewAnswer(answer), nil
}

// explanation holds the data from which a RoutingAnswer is computed. It is used for one request.
type explanation struct {
	*handlers
	question *RoutingQuestion
	now      time.Time
	snapshot *snapshot.Snapshot
	// Reports of relays about the model or the whole channel, by channel.
	faults map[uuid.UUID][]catalogdb.ChannelHealth
	tenant tenant.Tenant                   // of the caller; zero if the question names only a group
	probes map[uuid.UUID][]catalogdb.Probe // last probes, by channel
}

// read loads the snapshot, the reports of relays about the model, and the probes.
func (e *explanation) read(ctx context.Context) (err error) {
	if e.snapshot, err = e.Store.Catalog.Snapshot(ctx, api.ScopeOf(ctx)); err != nil {
		return err
	}
	reports, err := e.Store.Catalog.ChannelHealth(ctx, api.ScopeOf(ctx), uuid.Nil)
	if err != nil {
		return err
	}
	e.faults, e.probes = map[uuid.UUID][]catalogdb.ChannelHealth{}, map[uuid.UUID][]catalogdb.Probe{}
	for i := range reports {
		channel := e.snapshot.Channel(reports[i].ChannelID)
		if channel != nil && (reports[i].Model == "" || channel.Models[e.question.Model] == reports[i].Model) {
			e.faults[channel.ID] = append(e.faults[channel.ID], reports[i])
		}
	}
	probes, err := e.Store.Catalog.Probes(ctx, api.ScopeOf(ctx), uuid.Nil)
	for _, p := range probes {
		e.probes[p.ChannelID] = append(e.probes[p.ChannelID], p)
	}
	return err
}

// verdictVisible is the verdict for a caller who may use the model.
const verdictVisible = "visible"

// verdict returns verdictVisible if the caller may use the model, or the reason why not.
func (e *explanation) verdict(caller *token.Caller) string {
	model := e.snapshot.Model(e.question.Model)
	usable := e.question.TokenID == uuid.Nil || caller.Usable(e.now) == nil
	switch {
	case !usable:
		return "token_not_usable"
	case model == nil:
		return "unknown_model"
	}
	if reason := visibility.WhyHidden(e.snapshot, caller, model, e.now); reason != visibility.NotHidden {
		return string(reason)
	}
	return verdictVisible
}

// caller returns the caller that the question names: a token with its user
// and tenant, a user without a token, or an unknown user of the group.
func (e *explanation) caller(ctx context.Context) (caller *token.Caller, err error) {
	n := 0
	for _, id := range []uuid.UUID{e.question.TokenID, e.question.UserID, e.question.GroupID} {
		if id != uuid.Nil {
			n++
		}
	}
	if n != 1 {
		return nil, problem.New(problem.InvalidType, "Send exactly one of token_id, user_id and group_id.").
			At("token_id")
	}
	caller = &token.Caller{User: tenant.User{GroupID: e.question.GroupID}}
	userID := e.question.UserID
	if e.question.TokenID != uuid.Nil {
		if caller.Token, err = e.Store.Token.Token(ctx, api.ScopeOf(ctx), e.question.TokenID); err != nil {
			return nil, err
		}
		userID = caller.Token.UserID
	}
	if userID == uuid.Nil {
		return caller, nil
	}
	if caller.User, err = e.Store.Identity.User(ctx, api.ScopeOf(ctx), userID); err != nil ||
		caller.User.TenantID == uuid.Nil {
		return caller, err
	}
	caller.Tenant, err = e.Store.Identity.Tenant(ctx, api.ScopeOf(ctx), caller.User.TenantID)
	e.tenant = caller.Tenant
	return caller, err
}

// channels plans the call as a relay does, and appends the channels that a relay would not consider.
// It returns the refusal of the relay if no channel can be used. The random source always picks the
// first of the channels, which are sorted by weight, so that the plan has the most likely order.
func (e *explanation) channels(caller *token.Caller) ([]RoutedTo, *RoutingRefuse) {
	serving := slices.Clone(e.snapshot.ServingTo(e.tenant.Slug, e.question.Model))
	slices.SortStableFunc(serving, func(a, b *catalog.Channel) int { return cmp.Compare(b.Weight, a.Weight) })
	conditions := make([]routing.Condition, len(serving))
	for i, channel := range serving {
		conditions[i].State = e.state(channel)
	}
	var costs []money.Amount
	if e.routing() == catalog.Cheapest {
		for _, channel := range serving {
			cost := routing.UnknownCost
			if estimate := e.cost(channel); estimate != nil {
				cost = *estimate
			}
			costs = append(costs, cost)
		}
	}
	dialect := catalog.Dialect(e.question.Endpoint)
	needs := routing.Needs{Stream: e.question.Stream, Tools: e.question.Tools, Vision: e.question.Vision,
		StructuredOutput: e.question.StructuredOutput, Model: e.question.Model}
	terms, _ := e.snapshot.Book.Terms(e.question.Model, caller.User.GroupID, e.now)
	needs.UnpricedOfModels = terms.UnpricedOfModels()
	if e.question.Unpriced {
		needs.Unpriced = []charge.Charge{{Kind: charge.OtherTool}}
	}
	plan, usable := routing.Plan(routing.Query{
		Channels: serving, Conditions: conditions, Costs: costs, Dialect: dialect,
		Pick: func(uint64) uint64 { return 0 }, Needs: needs,
	})
	list := make([]RoutedTo, 0, len(e.snapshot.Channels()))
	for i, candidate := range plan {
		route := e.routedTo(candidate.Channel, candidate.Reason)
		if i < usable {
			route.Order = i + 1
		}
		list = append(list, route)
	}
	list = append(list, e.others(serving)...)
	if usable > 0 {
		return list, nil
	}
	refusal := needs.Refuse(plan, dialect)
	class := refusal.Kind.Class()
	return list, &RoutingRefuse{Status: class.Status, Code: class.Code, Param: refusal.Param}
}

// routing returns the model's setting.
func (e *explanation) routing() catalog.Routing {
	if model := e.snapshot.Model(e.question.Model); model != nil {
		return cmp.Or(model.Routing, catalog.Weighted)
	}
	return catalog.Weighted
}

// cost returns what the channel's upstream charges for the estimated call, nil if it is not known.
func (e *explanation) cost(channel *catalog.Channel) *money.Amount {
	cost, ok := e.snapshot.Costs.Estimate(channel.ID, channel.Models[e.question.Model], pricing.Estimated{
		Input: e.question.InputTokens, Output: e.question.OutputTokens, At: e.now,
	})
	if !ok {
		return nil
	}
	return &cost
}

// others returns the channels that are disabled or do not serve the model to the caller's tenant, ordered by name.
func (e *explanation) others(serving []*catalog.Channel) (list []RoutedTo) {
	for _, channel := range e.snapshot.Channels() {
		switch _, serves := channel.Models[e.question.Model]; {
		case slices.Contains(serving, channel):
		case serves && channel.OpenTo(e.tenant.Slug):
			list = append(list, e.routedTo(channel, routing.Disabled))
		default:
			list = append(list, e.routedTo(channel, routing.NotServing))
		}
	}
	slices.SortFunc(list, func(a, b RoutedTo) int { return strings.Compare(a.Channel, b.Channel) })
	return list
}

// routedTo describes a channel with the reason that routing gives for it.
func (e *explanation) routedTo(channel *catalog.Channel, reason routing.Reason) RoutedTo {
	route := RoutedTo{
		ChannelID: channel.ID, Channel: channel.Name, Priority: channel.Priority, Weight: channel.Weight,
		Native: channel.Speaks(catalog.Dialect(e.question.Endpoint)), Reason: reason.String(),
		SupplierCost: e.cost(channel), Credentials: e.credentialsOf(channel, e.probes[channel.ID]),
		Relays: []RelayHealth{},
	}
	for i := range e.faults[channel.ID] {
		route.Relays = append(route.Relays, relayHealthOf(&e.faults[channel.ID][i]))
	}
	return route
}

// state returns the worst state that any relay reports to the caller's tenant for the model on the channel. For one
// relay, that is the worse of two states: the state of the channel as a whole, and the state of its best usable
// credential.
func (e *explanation) state(channel *catalog.Channel) (worst routing.State) {
	var usable []string
	for _, key := range e.Prober.Credentials(channel) {
		if key.Fingerprint == "" {
			return routing.Unusable
		}
		if channel.Disabled(key.Fingerprint) == nil {
			usable = append(usable, key.Fingerprint)
		}
	}
	if !e.KnownType(channel.Type) {
		return routing.Unusable
	}
	if len(channel.Credentials) > 0 && len(usable) == 0 {
		return routing.NoCredentialLeft
	}
	byRelay := map[uuid.UUID]map[string]routing.State{} // states by fingerprint; "" is the channel as a whole
	for i := range e.faults[channel.ID] {
		fault := &e.faults[channel.ID][i]
		if len(fault.Tenants) > 0 && !slices.Contains(fault.Tenants, e.tenant.ID) {
			continue
		}
		if byRelay[fault.RelayID] == nil {
			byRelay[fault.RelayID] = map[string]routing.State{}
		}
		states := byRelay[fault.RelayID]
		states[fault.Fingerprint] = max(states[fault.Fingerprint], e.stateOf(fault))
	}
	for _, states := range byRelay {
		worst = max(worst, states[""], best(states, usable))
	}
	return worst
}

// stateOf returns the state of a reported circuit breaker as of now: an open breaker has become half-open if its time
// is over. A channel that cannot be reached stays open until a probe reaches it.
func (e *explanation) stateOf(fault *catalogdb.ChannelHealth) routing.State {
	if fault.Model == "" || e.now.Before(fault.Until) {
		return routing.Open
	}
	return routing.HalfOpen
}

// best returns the best state of the usable credentials. A credential without a report is healthy, that is, closed.
func best(states map[string]routing.State, usable []string) routing.State {
	if len(usable) == 0 {
		return routing.Closed
	}
	state := routing.Open
	for _, fingerprint := range usable {
		state = min(state, states[fingerprint])
	}
	return state
}
