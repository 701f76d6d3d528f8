package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/tollgate/tollgate/apps/relay/internal/api/contract"
	"github.com/tollgate/tollgate/apps/relay/internal/inbound"
	"github.com/tollgate/tollgate/apps/relay/internal/telemetry"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/provider"
)

// registerChat declares the operation that creates a chat completion.
func (a *API) registerChat(api huma.API) {
	operation := huma.Operation{
		OperationID: "createChatCompletion",
		Method:      http.MethodPost,
		Path:        "/v1/chat/completions",
		Summary:     "Create a chat completion",
		Description: "Creates a model response for a conversation. With `stream: true` the answer is a stream of " +
			"`data:` events that ends with `data: [DONE]`. If an error occurs after the stream has begun, the last " +
			"event contains an `error` object, and no `[DONE]` follows.",
		Tags:       []string{"Chat"},
		Security:   bearerAuth,
		Parameters: []*huma.Param{idempotencyKey(), includeQuota()},
		Responses: withErrors(api, createErrors, &huma.Response{
			Description: "The completion: a JSON object, or a stream of events if `stream` is true",
			Headers:     callHeaders(),
			Content: map[string]*huma.MediaType{
				"application/json":  {Schema: contract.Ref[contract.ChatCompletion](api)},
				"text/event-stream": contract.Events(contract.Ref[contract.ChatCompletionEvent](api)),
			},
		}),
	}
	huma.Register(api, operation, a.call(catalog.Chat, "", watched(telemetry.Chat, operation)))
	// The request body is added after Register. Huma would otherwise read the body itself, but the pipeline
	// reads it into memory that it can release early.
	api.OpenAPI().Paths[operation.Path].Post.RequestBody = &huma.RequestBody{
		Required: true,
		Content: map[string]*huma.MediaType{"application/json": {Schema: contract.Ref[contract.ChatCompletionRequest](
			api), Examples: contract.ChatExamples()}},
	}
}

// idempotencyKey describes the request header that makes a call safe to repeat.
func idempotencyKey() *huma.Param {
	shortest, longest := 1, 255
	return &huma.Param{
		Name: "idempotency-key", In: "header",
		Schema: &huma.Schema{Type: huma.TypeString, MinLength: &shortest, MaxLength: &longest},
		Description: "A value of your choice, such as a UUID, that makes the call safe to repeat. Within 24 hours, " +
			"a call of the same token with the same key and body gets the first answer again and is charged once. " +
			"While the gateway cannot reach its database, a call with a key gets 503.",
	}
}

// includeQuota describes the request header that asks for the quota in the answer.
func includeQuota() *huma.Param {
	return &huma.Param{
		Name: "x-tollgate-include-quota", In: "header",
		Schema: &huma.Schema{Type: huma.TypeString, Enum: []any{"true", "false"}},
		Description: "`true` adds `quota`, the amount deducted in USD, to the usage object of the answer. A stream " +
			"then has a usage object even if the request does not ask for one. `false` omits it if the tenant has " +
			"turned it on for all calls.",
	}
}

// route identifies an operation in logs, metrics and traces.
type route struct {
	endpoint telemetry.Endpoint
	name     string
}

// watched returns the route of an operation.
func watched(endpoint telemetry.Endpoint, operation huma.Operation) route {
	return route{endpoint, operation.Method + " " + operation.Path}
}

// at returns the request's exchange and records its route there.
func (o route) at(w http.ResponseWriter) *exchange {
	e := exchangeOf(w)
	e.Endpoint, e.Route = o.endpoint, o.name
	return e
}

// call returns the handler of a model call. The pipeline writes the answer itself; an error that it returns is
// written here.
func (a *API) call(dialect catalog.Dialect, operation provider.Operation,
	rt route) func(context.Context, *struct{}) (*huma.StreamResponse, error) {
	response := &huma.StreamResponse{Body: func(ctx huma.Context) {
		r, w := humago.Unwrap(ctx)
		exchange := rt.at(w)
		betas, err := a.dialectHeaders(w, r, dialect)
		if err != nil {
			a.refuseCall(w, r, err)
			return
		}
		err = a.Serve(w, r, inbound.Call{
			ID: exchange.ID, Addr: exchange.Addr, Dialect: dialect, Operation: operation, Betas: betas,
			Started: exchange.Started, Report: &exchange.Request, Slot: &exchange.slot,
		})
		if err != nil {
			a.refuseCall(w, r, err)
		}
	}}
	return func(context.Context, *struct{}) (*huma.StreamResponse, error) { return response, nil }
}
