package api

import (
	"context"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/tollgate/tollgate/apps/relay/internal/telemetry"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/web"
)

// registerChat declares the operation that creates a chat completion.
func (a *API) registerChat(api huma.API) {
	operation := huma.Operation{
		OperationID: "createChatCompletion",
		Method:      http.MethodPost,
		Path:        "/v1/chat/completions",
		Summary:     "Create a chat completion",
		Description: "Creates a model response for a conversation. With `stream: true` the answer is a stream of `data:` events that ends with `data: [DONE]`. If an error occurs after the stream has begun, the last event contains an `error` object, and no `[DONE]` follows.",
		Tags:        []string{"Chat"},
		Security:    bearerAuth,
		Parameters:  []*huma.Param{includeQuota()},
		Responses: withErrors(api, callErrors, &huma.Response{
			Description: "The completion: a JSON object, or a stream of events if `stream` is true",
			Headers:     callHeaders(),
			Content: map[string]*huma.MediaType{
				"application/json":  {Schema: schemaOf[ChatCompletion](api)},
				"text/event-stream": {Schema: schemaOf[ChatCompletionChunk](api)},
			},
		}),
	}
	huma.Register(api, operation, a.call(catalog.Chat, watched(telemetry.Chat, operation)))
	// The request body is added after Register. Huma would otherwise read the body itself, but the pipeline
	// reads it into memory that it can release early.
	api.OpenAPI().Paths[operation.Path].Post.RequestBody = &huma.RequestBody{
		Required: true,
		Content:  map[string]*huma.MediaType{"application/json": {Schema: schemaOf[ChatCompletionRequest](api)}},
	}
}

// includeQuota describes the request header that asks for the quota in a stream.
func includeQuota() *huma.Param {
	return &huma.Param{
		Name: "x-tollgate-include-quota", In: "header", Schema: &huma.Schema{Type: huma.TypeString, Enum: []any{"true"}},
		Description: "Adds `quota`, the amount deducted in USD, to the final usage object of a stream. The stream then has a usage object even if the request does not ask for one.",
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
func (a *API) call(dialect catalog.Dialect, of route) func(context.Context, *struct{}) (*huma.StreamResponse, error) {
	response := &huma.StreamResponse{Body: func(ctx huma.Context) {
		r, w := humago.Unwrap(ctx)
		exchange := of.at(w)
		err := a.Serve(w, r, Call{
			ID: exchange.ID, Addr: web.ClientAddr(r, a.Trusted), Dialect: dialect, Started: exchange.Started, Report: &exchange.Request,
		})
		if err != nil {
			a.refuseCall(w, r, err)
		}
	}}
	return func(context.Context, *struct{}) (*huma.StreamResponse, error) { return response, nil }
}

// schemaOf returns a reference to the schema of T. The schema is named after T, and generated clients use that
// name.
func schemaOf[T any](api huma.API) *huma.Schema {
	return api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[T](), true, "")
}
