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

func (a *API) registerChat(api huma.API) {
	operation := huma.Operation{
		OperationID: "createChatCompletion",
		Method:      http.MethodPost,
		Path:        "/v1/chat/completions",
		Summary:     "Create a chat completion",
		Description: "Creates a model response for a conversation. With `stream: true` the answer is a stream of `data:` events that ends with `data: [DONE]`; an error in mid-stream is an event with an `error` object, and no `[DONE]` follows.",
		Tags:        []string{"Chat"},
		Security:    bearerAuth,
		Parameters:  []*huma.Param{includeQuota()},
		Responses: withErrors(api, callErrors, &huma.Response{
			Description: "The completion: JSON, or a stream where `stream` is true",
			Headers:     callHeaders(),
			Content: map[string]*huma.MediaType{
				"application/json":  {Schema: schemaOf[ChatCompletion](api)},
				"text/event-stream": {Schema: schemaOf[ChatCompletionChunk](api)},
			},
		}),
	}
	huma.Register(api, operation, a.call(catalog.Chat, watched(telemetry.Chat, operation)))
	// Documented afterwards: Huma reads the body of an operation that has one,
	// and the line reads it itself, into memory that it can let go.
	api.OpenAPI().Paths[operation.Path].Post.RequestBody = &huma.RequestBody{
		Required: true,
		Content:  map[string]*huma.MediaType{"application/json": {Schema: schemaOf[ChatCompletionRequest](api)}},
	}
}

func includeQuota() *huma.Param {
	return &huma.Param{
		Name: "x-tollgate-include-quota", In: "header", Schema: &huma.Schema{Type: huma.TypeString, Enum: []any{"true"}},
		Description: "Adds `quota`, the USD deducted, to the final usage object of a stream, and asks for that object.",
	}
}

// route is what an operation's requests are known as.
type route struct {
	endpoint telemetry.Endpoint
	name     string
}

func watched(endpoint telemetry.Endpoint, operation huma.Operation) route {
	return route{endpoint, operation.Method + " " + operation.Path}
}

// at finds the request and notes what it asks for.
func (o route) at(w http.ResponseWriter) *exchange {
	e := exchangeOf(w)
	e.Endpoint, e.Route = o.endpoint, o.name
	return e
}

// call serves a model call with the pipeline, which writes the answer itself. An
// error that it returns is written here.
func (a *API) call(dialect catalog.Dialect, of route) func(context.Context, *struct{}) (*huma.StreamResponse, error) {
	response := &huma.StreamResponse{Body: func(ctx huma.Context) {
		r, w := humago.Unwrap(ctx)
		exchange := of.at(w)
		err := a.Serve(w, r, Call{
			ID: exchange.ID, Addr: web.ClientAddr(r, a.Trusted), Dialect: dialect, Started: exchange.Started, Report: &exchange.Request,
		})
		if err != nil {
			a.refuse(w, err)
		}
	}}
	return func(context.Context, *struct{}) (*huma.StreamResponse, error) { return response, nil }
}

// schemaOf refers to the schema of T, which clients know by its name.
func schemaOf[T any](api huma.API) *huma.Schema {
	return api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[T](), true, "")
}
