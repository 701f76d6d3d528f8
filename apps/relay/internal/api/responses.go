package api

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tollgate/tollgate/apps/relay/internal/stored"
	"github.com/tollgate/tollgate/apps/relay/internal/telemetry"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
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
	huma.Register(api, operation, a.call(catalog.Responses, watched(telemetry.Responses, operation)))
	api.OpenAPI().Paths[operation.Path].Post.RequestBody = &huma.RequestBody{
		Required: true,
		Content:  map[string]*huma.MediaType{"application/json": {Schema: schemaOf[ResponseRequest](api)}},
	}
	for _, declared := range storedOperations() {
		a.registerStored(api, declared)
	}
}

const responsePath = "/v1/responses/{response_id}"

// storedOperation is an operation on a response that was made before.
type storedOperation struct {
	id, method, path, summary string
	operation                 stored.Operation
	query                     []*huma.Param
	answer                    func(huma.API) *huma.Schema
}

func storedOperations() []storedOperation {
	text, number := &huma.Schema{Type: huma.TypeString}, &huma.Schema{Type: huma.TypeInteger}
	include := &huma.Param{Name: "include", In: "query", Schema: &huma.Schema{Type: huma.TypeArray, Items: text}, Description: "What else the answer is to have"}
	return []storedOperation{
		{"retrieveResponse", http.MethodGet, responsePath, "Retrieve a response", stored.Retrieve, []*huma.Param{include}, schemaOf[Response]},
		{"deleteResponse", http.MethodDelete, responsePath, "Delete a response", stored.Delete, nil, schemaOf[DeletedResponse]},
		{"listResponseInputItems", http.MethodGet, responsePath + "/input_items", "List what a response was made from", stored.ListInput, []*huma.Param{
			include,
			{Name: "after", In: "query", Schema: text, Description: "The id of the item to begin after"},
			{Name: "limit", In: "query", Schema: number, Description: "How many items at most: 1 to 100, otherwise 20"},
			{Name: "order", In: "query", Schema: &huma.Schema{Type: huma.TypeString, Enum: []any{"asc", "desc"}}, Description: "Oldest or newest first"},
		}, schemaOf[ResponseItemList]},
		{"cancelResponse", http.MethodPost, responsePath + "/cancel", "Cancel a response", stored.Cancel, nil, schemaOf[Response]},
	}
}

func (a *API) registerStored(api huma.API, declared storedOperation) {
	headers := commonHeaders()
	headers["x-tollgate-channel"] = textHeader("The channel that keeps the response; not there where the gateway does")
	operation := huma.Operation{
		OperationID: declared.id,
		Method:      declared.method,
		Path:        declared.path,
		Summary:     declared.summary,
		Description: "Asks whoever keeps the response: the channel that made it, or the gateway itself. Free of charge. Ids of other tenants are not found.",
		Tags:        []string{"Responses"},
		Security:    bearerAuth,
		Parameters: append([]*huma.Param{
			{Name: "response_id", In: "path", Required: true, Schema: &huma.Schema{Type: huma.TypeString}, Description: "The id that createResponse answered with"},
		}, declared.query...),
		Responses: withErrors(api, keptErrors, &huma.Response{
			Description: "What there is of the response",
			Headers:     headers,
			Content:     map[string]*huma.MediaType{"application/json": {Schema: declared.answer(api)}},
		}),
	}
	serve := func(w http.ResponseWriter, r *http.Request) error { return a.serveStored(w, r, declared.operation) }
	huma.Register(api, operation, a.plain(watched(telemetry.Response, operation), serve))
}

// serveStored serves every caller of the tenant. The models that the token may use
// do not matter, because nothing is generated.
func (a *API) serveStored(w http.ResponseWriter, r *http.Request, operation stored.Operation) error {
	caller, err := a.authenticate(w, r)
	if err != nil {
		return err
	}
	if stream := r.URL.Query()["stream"]; operation == stored.Retrieve && slices.ContainsFunc(stream, isTrue) {
		return problem.New(problem.UnsupportedParameter, "Unsupported parameter: 'stream'. A stream cannot be taken up again.").At("stream")
	}
	request := stored.Request{Tenant: caller.Tenant.ID, ID: r.PathValue("response_id"), Operation: operation}
	if r.Method == http.MethodGet {
		request.Query = r.URL.RawQuery
	}
	result, err := a.Stored.Do(r.Context(), request)
	if err != nil {
		return err
	}
	header := w.Header()
	if result.Channel != "" {
		header["X-Tollgate-Channel"] = []string{result.Channel}
	}
	header.Set("Content-Type", "application/json")
	header.Set("Content-Length", strconv.Itoa(len(result.Body)))
	_, _ = w.Write(result.Body) // a client that is gone needs no answer
	return nil
}

func isTrue(value string) bool {
	yes, err := strconv.ParseBool(value)
	return err == nil && yes
}
