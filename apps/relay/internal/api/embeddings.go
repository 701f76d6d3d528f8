package api

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tollgate/tollgate/apps/relay/internal/api/contract"
	"github.com/tollgate/tollgate/apps/relay/internal/telemetry"
	"github.com/tollgate/tollgate/libs/core/catalog"
)

// registerEmbeddings declares the operation that creates embeddings.
func (a *API) registerEmbeddings(api huma.API) {
	headers := callHeaders()
	for name := range changeHeaders() { // the relay changes only calls that generate text
		delete(headers, name)
	}
	operation := huma.Operation{
		OperationID: "createEmbedding",
		Method:      http.MethodPost,
		Path:        "/v1/embeddings",
		Summary:     "Create embeddings",
		Description: "Returns a vector for each input. Only the input is charged. Channels that speak one of " +
			"OpenAI's dialects get the request unchanged; it is translated for channels that speak gemini, which " +
			"take up to 100 texts and no tokens. Other channels cannot serve it: if a model has only such channels, " +
			"the answer is 400 `unsupported_parameter`.",
		Tags:       []string{"Embeddings"},
		Security:   bearerAuth,
		Parameters: []*huma.Param{idempotencyKey(), includeQuota()},
		Responses: withErrors(api, createErrors, &huma.Response{
			Description: "The vectors, in the order of the inputs",
			Headers:     headers,
			Content: map[string]*huma.MediaType{"application/json": {Schema: contract.Ref[contract.EmbeddingList](
				api)}},
		}),
	}
	huma.Register(api, operation, a.call(catalog.Embeddings, "", watched(telemetry.Embeddings, operation)))
	api.OpenAPI().Paths[operation.Path].Post.RequestBody = &huma.RequestBody{
		Required: true,
		Content: map[string]*huma.MediaType{"application/json": {Schema: contract.Ref[contract.EmbeddingRequest](api),
			Examples: contract.EmbeddingExamples()}},
	}
}
