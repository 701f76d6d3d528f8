package api

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tollgate/tollgate/libs/core/catalog"
)

func (a *API) registerResponses(api huma.API) {
	operation := huma.Operation{
		OperationID: "createResponse",
		Method:      http.MethodPost,
		Path:        "/v1/responses",
		Summary:     "Create a response",
		Description: "Creates a model response. With `stream: true` the answer is a stream of events that ends with exactly one of `response.completed`, `response.incomplete` and `response.failed`; an answer that breaks off ends with `response.failed`.",
		Tags:        []string{"Responses"},
		Security:    bearerAuth,
		Parameters:  []*huma.Param{includeQuota()},
		Responses: withErrors(api, callErrors, &huma.Response{
			Description: "The response: JSON, or a stream where `stream` is true",
			Headers:     callHeaders(),
			Content: map[string]*huma.MediaType{
				"application/json":  {Schema: schemaOf[Response](api)},
				"text/event-stream": {Schema: responseEvents(api)},
			},
		}),
	}
	huma.Register(api, operation, a.call(catalog.Responses))
	api.OpenAPI().Paths[operation.Path].Post.RequestBody = &huma.RequestBody{
		Required: true,
		Content:  map[string]*huma.MediaType{"application/json": {Schema: schemaOf[ResponseRequest](api)}},
	}
}
