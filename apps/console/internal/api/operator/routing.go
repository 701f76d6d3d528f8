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
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/routing"
	"github.com/tollgate/tollgate/libs/core/snapshot"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/core/visibility"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
)

// RoutingQuestion is the body of explainRouting: a call, as far as routing cares.
type RoutingQuestion struct {
	TokenID uuid.UUID `json:"token_id,omitzero" doc:"Who calls: a token, or a user, or any user of a group"`
	UserID  uuid.UUID `json:"user_id,omitzero"`
	GroupID uuid.UUID `json:"group_id,omitzero"`

	Model            string `json:"model" minLength:"1" maxLength:"200"`
	Endpoint         string `json:"endpoint,omitempty" enum:"chat,responses" default:"chat"`
	Stream           bool   `json:"stream,omitempty"`
	Tools            bool   `json:"tools,omitempty"`
	Vision           bool   `json:"vision,omitempty"`
	StructuredOutput bool   `json:"structured_output,omitempty"`
}

// RoutingAnswer tells what becomes of the call.
type RoutingAnswer struct {
	Visible  bool           `json:"visible" doc:"Whether the caller may use the model"`
	Verdict  string         `json:"verdict" enum:"visible,token_not_usable,unknown_model,not_in_token,group_disabled,not_in_group,model_disabled,not_served,not_priced" doc:"Why not"`
	Refusal  *RoutingRefuse `json:"refusal,omitempty" doc:"What the caller is answered where no channel can serve the call; absent otherwise"`
	Channels []RoutedTo     `json:"channels" doc:"All channels; first those that are tried, in order"`
}

// RoutingRefuse is a relay's error.
type RoutingRefuse struct {
	Status int    `json:"status"`
	Code   string `json:"code"`
	Param  string `json:"param"`
}

// RoutedTo is a channel's part in the plan.
type RoutedTo struct {
	ChannelID uuid.UUID `json:"channel_id"`
	Channel   string    `json:"channel" doc:"Its name"`
	Order     int       `json:"order" doc:"1 is tried first; 0: not at all. Within a tier chance decides by weight, and load: shown is the likeliest order"`
	Priority  int       `json:"priority"`
	Weight    int       `json:"weight"`
	Native    bool      `json:"native" doc:"Speaks the endpoint's dialect: nothing is translated"`
	Reason    string    `json:"reason" enum:"kept,translated,trial,cooling,no_credential,not_ready,disabled,model_not_served,lacks_stream,lacks_tools,lacks_vision,lacks_structured_output" doc:"Why it is tried or not"`

	Credentials []CredentialHealth `json:"credentials"`
	Relays      []RelayHealth      `json:"relays" doc:"What relays see of the model on the channel that is not well"`
}

func routingExplanations(h *handlers) {
	api.Register(h.API, api.Operation{
		ID: "explainRouting", Method: http.MethodPost, Path: "/operator/routing/explain", Tag: "operator", Summary: "What would become of a call",
		Description: "Nothing is called. Health is what relays said last, at its worst.",
		Errors:      []int{http.StatusNotFound},
	}, h.explainRouting)
}

func (h *handlers) explainRouting(ctx context.Context, in *struct{ Body RoutingQuestion }) (*api.Answer[RoutingAnswer], error) {
	if err := api.OperatorsOnly(ctx); err != nil {
		return nil, err
	}
	if in.Body.Endpoint == "" {
		in.Body.Endpoint = string(catalog.Chat)
	}
	e := explanation{handlers: h, ask: &in.Body, now: h.Now()}
	if err := e.read(ctx); err != nil {
		return nil, err
	}
	verdict, err := e.verdict(ctx)
	if err != nil {
		return nil, err
	}
	said := RoutingAnswer{Visible: verdict == maySee, Verdict: verdict}
	said.Channels, said.Refusal = e.channels()
	return api.NewAnswer(said), nil
}

// explanation is what an answer is made of.
type explanation struct {
	*handlers
	ask      *RoutingQuestion
	now      time.Time
	snapshot *snapshot.Snapshot
	ills     map[uuid.UUID][]catalogdb.ChannelHealth // of the model on the channel
	probes   map[uuid.UUID][]catalogdb.Probe
}

func (e *explanation) read(ctx context.Context) (err error) {
	if e.snapshot, err = e.Store.Catalog.Snapshot(ctx, api.ScopeOf(ctx)); err != nil {
		return err
	}
	ills, err := e.Store.Catalog.ChannelHealth(ctx, api.ScopeOf(ctx), uuid.Nil)
	if err != nil {
		return err
	}
	e.ills, e.probes = map[uuid.UUID][]catalogdb.ChannelHealth{}, map[uuid.UUID][]catalogdb.Probe{}
	for i := range ills {
		channel := e.snapshot.Channel(ills[i].ChannelID)
		if channel != nil && channel.Models[e.ask.Model] == ills[i].Model {
			e.ills[channel.ID] = append(e.ills[channel.ID], ills[i])
		}
	}
	probes, err := e.Store.Catalog.Probes(ctx, api.ScopeOf(ctx), uuid.Nil)
	for _, p := range probes {
		e.probes[p.ChannelID] = append(e.probes[p.ChannelID], p)
	}
	return err
}

const maySee = "visible"

// verdict tells whether the caller may use the model.
func (e *explanation) verdict(ctx context.Context) (string, error) {
	bearer, err := e.bearer(ctx)
	if err != nil {
		return "", err
	}
	model := e.snapshot.Model(e.ask.Model)
	usable := e.ask.TokenID == uuid.Nil || bearer.Usable(e.now) == nil
	switch {
	case !usable:
		return "token_not_usable", nil
	case model == nil:
		return "unknown_model", nil
	}
	if hidden := visibility.WhyHidden(e.snapshot, bearer, model, e.now); hidden != visibility.NotHidden {
		return string(hidden), nil
	}
	return maySee, nil
}

// bearer is who calls: the token with its user, the user, or one of the group.
func (e *explanation) bearer(ctx context.Context) (bearer *token.Caller, err error) {
	given := 0
	for _, id := range []uuid.UUID{e.ask.TokenID, e.ask.UserID, e.ask.GroupID} {
		if id != uuid.Nil {
			given++
		}
	}
	if given != 1 {
		return nil, problem.New(problem.InvalidType, "Give one of token_id, user_id and group_id.").At("token_id")
	}
	bearer = &token.Caller{User: tenant.User{GroupID: e.ask.GroupID}}
	userID := e.ask.UserID
	if e.ask.TokenID != uuid.Nil {
		if bearer.Token, err = e.Store.Token.Token(ctx, api.ScopeOf(ctx), e.ask.TokenID); err != nil {
			return nil, err
		}
		if bearer.Tenant, err = e.Store.Identity.Tenant(ctx, api.ScopeOf(ctx), bearer.Token.TenantID); err != nil {
			return nil, err
		}
		userID = bearer.Token.UserID
	}
	if userID != uuid.Nil {
		bearer.User, err = e.Store.Identity.User(ctx, api.ScopeOf(ctx), userID)
	}
	return bearer, err
}

// channels plans the call as a relay does, and adds what no relay looks at.
func (e *explanation) channels() ([]RoutedTo, *RoutingRefuse) {
	serving := slices.Clone(e.snapshot.Serving(e.ask.Model))
	slices.SortStableFunc(serving, func(a, b *catalog.Channel) int { return cmp.Compare(b.Weight, a.Weight) })
	conditions := make([]routing.Condition, len(serving))
	for i, channel := range serving {
		conditions[i].State = e.state(channel)
	}
	dialect := catalog.Dialect(e.ask.Endpoint)
	plan, usable := routing.Plan(routing.Query{
		Channels: serving, Conditions: conditions, Dialect: dialect, Pick: func(uint64) uint64 { return 0 },
		Needs: routing.Needs{Stream: e.ask.Stream, Tools: e.ask.Tools, Vision: e.ask.Vision, StructuredOutput: e.ask.StructuredOutput},
	})
	all := make([]RoutedTo, 0, len(e.snapshot.Channels()))
	for i, candidate := range plan {
		routed := e.routedTo(candidate.Channel, candidate.Reason)
		if i < usable {
			routed.Order = i + 1
		}
		all = append(all, routed)
	}
	all = append(all, e.others(serving)...)
	if usable > 0 {
		return all, nil
	}
	refusal := routing.Refuse(plan, dialect)
	class := refusal.Kind.Class()
	return all, &RoutingRefuse{Status: class.Status, Code: class.Code, Param: refusal.Param}
}

// others are the channels that are not asked, by name.
func (e *explanation) others(serving []*catalog.Channel) (all []RoutedTo) {
	for _, channel := range e.snapshot.Channels() {
		switch _, serves := channel.Models[e.ask.Model]; {
		case slices.Contains(serving, channel):
		case serves:
			all = append(all, e.routedTo(channel, routing.Disabled))
		default:
			all = append(all, e.routedTo(channel, routing.NotServing))
		}
	}
	slices.SortFunc(all, func(a, b RoutedTo) int { return strings.Compare(a.Channel, b.Channel) })
	return all
}

func (e *explanation) routedTo(channel *catalog.Channel, reason routing.Reason) RoutedTo {
	routed := RoutedTo{
		ChannelID: channel.ID, Channel: channel.Name, Priority: channel.Priority, Weight: channel.Weight,
		Native: channel.Speaks(catalog.Dialect(e.ask.Endpoint)), Reason: reason.String(),
		Credentials: e.credentialsOf(channel, e.probes[channel.ID]), Relays: []RelayHealth{},
	}
	for i := range e.ills[channel.ID] {
		routed.Relays = append(routed.Relays, relayHealthOf(&e.ills[channel.ID][i]))
	}
	return routed
}

// state is the worst that any relay sees of the model on the channel.
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
	seen := map[uuid.UUID]map[string]routing.State{}
	for i := range e.ills[channel.ID] {
		ill := &e.ills[channel.ID][i]
		if seen[ill.RelayID] == nil {
			seen[ill.RelayID] = map[string]routing.State{}
		}
		seen[ill.RelayID][ill.Fingerprint] = e.stateOf(ill)
	}
	for _, states := range seen {
		worst = max(worst, states[""], best(states, usable))
	}
	return worst
}

// stateOf is what a relay's word has become since it was said.
func (e *explanation) stateOf(ill *catalogdb.ChannelHealth) routing.State {
	if e.now.Before(ill.Until) {
		return routing.Open
	}
	return routing.HalfOpen
}

// best is the state of the best of the credentials; those that nothing is said
// of are well.
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
