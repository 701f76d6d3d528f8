package upstream

import (
	"context"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/draft"
	"github.com/tollgate/tollgate/apps/console/internal/playground"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/snapshot"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/probe"
)

const (
	maxCalls         = 32 // calls in flight of all operators
	maxOperatorCalls = 4  // calls in flight of one operator
)

// NewSlots returns the slots for the calls of callChannel.
func NewSlots(metrics prometheus.Registerer) *playground.Slots {
	return playground.NewSlots(playground.Bounds{Name: "operator_playground", Total: maxCalls,
		PerUser: maxOperatorCalls}, metrics)
}

// ChannelCall is the body of callChannel: a chat completions request. Only the fields that matter to this API are
// documented here; the relay's own OpenAPI document describes all of them.
type ChannelCall struct {
	Model    string           `json:"model" doc:"Public id of one of the channel's models"`
	Messages []map[string]any `json:"messages" doc:"The conversation, with the system prompt as its first message"`
	Stream   bool             `json:"stream,omitempty" doc:"Whether the upstream is asked for a stream. The answer of this operation is a stream of events in either case"`

	MaxCompletionTokens int64   `json:"max_completion_tokens,omitempty" doc:"Most output tokens"`
	Temperature         float64 `json:"temperature,omitempty"`

	_ struct{} `additionalProperties:"true"`
}

// ChannelCallEvent is the data of an event of callChannel: a chunk of a chat completion, or the receipt.
type ChannelCallEvent struct {
	Receipt *ChannelCallReceipt `json:"receipt,omitempty" doc:"In the last event only. All other events are chunks of a chat completion, which the relay's own OpenAPI document describes"`
	_       struct{}            `additionalProperties:"true"`
}

// channelCallInput holds the parameters of a call. The body is not among them: the handler reads it after it has taken
// a slot, so that refused calls hold no bodies in memory.
type channelCallInput struct {
	api.ByID
	Fingerprint string `query:"fingerprint" maxLength:"64" doc:"Fingerprint of the credential to use. Defaults to the first enabled one"`
}

func registerCalls(h *handlers) {
	op := api.Operation{
		ID: "callChannel", Method: http.MethodPost, Path: "/operator/channels/{id}/call", Tag: "operator",
		Scope: token.WriteChannels, Summary: "Call a model of a channel",
		Description: "Sends a chat completions request to the upstream of the channel, which may be disabled, in a " +
			"dialect that the channel speaks, as the relay would. The call is not charged to a tenant and has no " +
			"usage log, and its result does not change the channel's health. The answer is a stream of server-sent " +
			"events: the chunks of a chat completion, [DONE] if the answer is complete, and at the end an event " +
			"named receipt, whose data has the field receipt. Errors of the upstream are " +
			"in the receipt. An operator may have at most 4 calls in flight. A call ends when the client " +
			"disconnects, when the upstream is silent for 2 minutes, and after 10 minutes. An access key may call " +
			"channels with credentials only, and gets no error messages of the upstream.",
		Errors: []int{http.StatusNotFound, http.StatusTooManyRequests},
		Needs:  permission.WritePlatform, Body: api.DocumentBody, NoEntry: true,
	}
	api.Register(h.API, op, h.callChannel)
	// The body is documented only after the registration, because Huma would read a body that it knows.
	document := h.Document()
	schemas := document.Components.Schemas
	operation := document.Paths["/api"+op.Path].Post
	operation.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
		"application/json": {Schema: schemas.Schema(reflect.TypeFor[ChannelCall](), true, "")}}}
	operation.Responses["200"] = &huma.Response{Description: "The answer and its receipt, as server-sent events",
		Content: map[string]*huma.MediaType{
			"text/event-stream": {Schema: schemas.Schema(reflect.TypeFor[ChannelCallEvent](), true, "")}}}
}

// callChannel answers within the StreamResponse, where the handler may write as the answer arrives.
func (h *handlers) callChannel(_ context.Context, in *channelCallInput) (*huma.StreamResponse, error) {
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		r, w := humago.Unwrap(ctx)
		if err := h.serveCall(w, r.WithContext(ctx.Context()), in); err != nil {
			h.Refuse(ctx, err)
		}
	}}, nil
}

// serveCall makes the call and writes the answer. It returns an error only if it has written nothing.
func (h *handlers) serveCall(w http.ResponseWriter, r *http.Request, in *channelCallInput) error {
	ctx := r.Context()
	slot, err := h.Calls.Acquire(api.CallerOf(ctx).User.ID)
	if err != nil {
		return err
	}
	defer slot.Release()
	body, err := playground.ReadBody(w, r)
	if err != nil {
		return err
	}
	channel, key, err := h.called(ctx, in)
	if err != nil {
		return err
	}
	catalogs, err := h.Store.Catalog.Snapshot(ctx, api.ScopeOf(ctx))
	if err != nil {
		return err
	}
	chat, err := h.Prober.NewChat(channel, key, body, func(model string) int64 { return outputBound(catalogs, model) })
	if err != nil {
		return err
	}
	at := h.Now()
	h.note(ctx, channel, key, chat.Model)
	events := newEventWriter(w)
	defer events.close()
	result := chat.Run(ctx, events)
	receipt := newReceipt(&result)
	receipt.Mask = key.Mask
	receipt.charge(catalogs, &calledModel{channel: channel, id: chat.Model, at: at}, &result)
	if api.HasAccessKey(ctx) { // it may be the answer of any server that the console reaches
		receipt.Detail = ""
	}
	events.end(&receipt)
	return nil
}

// called returns the channel and the credential of a call.
func (h *handlers) called(ctx context.Context, in *channelCallInput) (*catalog.Channel, probe.Credential, error) {
	channel, err := draft.StoredChannel(ctx, h.Store, in.ID)
	if err != nil {
		return nil, probe.Credential{}, err
	}
	key, err := h.testKey(channel, in.Fingerprint)
	if err != nil {
		return nil, key, err
	}
	if api.HasAccessKey(ctx) && key.Fingerprint == "" { // nobody has looked at its base URL yet
		return nil, key, problem.New(problem.Forbidden,
			"An access key may not call a channel without credentials. Sign in instead.")
	}
	return channel, key, nil
}

// outputBound returns the most output tokens of an answer of the model, as the relay knows them.
func outputBound(s *snapshot.Snapshot, model string) int64 {
	if m := s.Model(model); m != nil {
		return m.OutputBound()
	}
	return catalog.DefaultMaxOutput
}
