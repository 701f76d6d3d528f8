package api

import (
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tollgate/tollgate/apps/relay/internal/api/contract"
	"github.com/tollgate/tollgate/apps/relay/internal/memory"
	"github.com/tollgate/tollgate/apps/relay/internal/stored"
	"github.com/tollgate/tollgate/apps/relay/internal/telemetry"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/permission"
)

// registerResponses declares the operations on responses.
func (a *API) registerResponses(api huma.API) {
	operation := huma.Operation{
		OperationID: "createResponse",
		Method:      http.MethodPost,
		Path:        "/v1/responses",
		Summary:     "Create a response",
		Description: "Creates a model response. With `stream: true` the answer is a stream of events that ends with " +
			"exactly one of `response.completed`, `response.incomplete` and `response.failed`. If the upstream " +
			"fails after the stream has begun, the last event is `response.failed`, or `error` if the stream has no " +
			"response yet.",
		Tags:       []string{"Responses"},
		Security:   bearerAuth,
		Parameters: []*huma.Param{idempotencyKey(), includeQuota()},
		Responses: withErrors(api, createErrors, &huma.Response{
			Description: "The response: a JSON object, or a stream of events if `stream` is true",
			Headers:     callHeaders(),
			Content: map[string]*huma.MediaType{
				"application/json":  {Schema: contract.Ref[contract.Response](api)},
				"text/event-stream": contract.Events(contract.Ref[contract.ResponseStreamEvent](api)),
			},
		}),
	}
	huma.Register(api, operation, a.call(catalog.Responses, "", watched(telemetry.Responses, operation)))
	api.OpenAPI().Paths[operation.Path].Post.RequestBody = &huma.RequestBody{
		Required: true,
		Content: map[string]*huma.MediaType{"application/json": {Schema: contract.Ref[contract.ResponseRequest](api),
			Examples: contract.ResponseExamples()}},
	}
	a.registerCount(api)
	a.registerCompact(api)
	for _, op := range storedOperations() {
		a.registerStored(api, op)
	}
}

const responsePath = "/v1/responses/{response_id}"

// storedOperation declares an operation on an existing response.
type storedOperation struct {
	id, method, path, summary string
	operation                 stored.Operation
	query                     []*huma.Param
	answer                    func(huma.API) *huma.Schema
}

// storedOperations returns the operations on an existing response.
func storedOperations() []storedOperation {
	text, number := &huma.Schema{Type: huma.TypeString}, &huma.Schema{Type: huma.TypeInteger}
	include := &huma.Param{Name: "include", In: "query", Schema: contract.Include(),
		Description: "Additional data to include in the answer"}
	return []storedOperation{
		{"retrieveResponse", http.MethodGet, responsePath, "Retrieve a response", stored.Retrieve, []*huma.Param{
			include,
			{Name: "stream", In: "query", Schema: &huma.Schema{Type: huma.TypeBoolean},
				Description: "`true` returns the events of the response as a stream. A channel decides whether it " +
					"has the stream of a response that it stores"},
			{Name: "starting_after", In: "query", Schema: number, Description: "Of a stream: the sequence number of " +
				"an event; the stream begins after it"},
			{Name: "include_obfuscation", In: "query", Schema: &huma.Schema{Type: huma.TypeBoolean},
				Description: "Of a stream: `false` leaves out the random characters that hide the lengths of texts. " +
					"It has no effect on responses that the gateway stores"},
		}, contract.Ref[contract.Response]},
		{"deleteResponse", http.MethodDelete, responsePath, "Delete a response", stored.Delete, nil,
			contract.Ref[contract.DeletedResponse]},
		{"listResponseInputItems", http.MethodGet, responsePath + "/input_items", "List the input items of a response",
			stored.ListInput, []*huma.Param{
				include,
				{Name: "after", In: "query", Schema: text, Description: "The id of an item; the page begins after it"},
				{Name: "limit", In: "query", Schema: number, Description: "The largest number of items to return, " +
					"from 1 to 100. The default is 20"},
				{Name: "order", In: "query", Schema: &huma.Schema{Type: huma.TypeString, Enum: []any{"asc", "desc"}},
					Description: "`asc` for oldest first, `desc` for newest first. The default is `desc`"},
			}, contract.Ref[contract.ResponseItemList]},
		{"cancelResponse", http.MethodPost, responsePath + "/cancel", "Cancel a response", stored.Cancel, nil,
			contract.Ref[contract.Response]},
	}
}

// registerStored registers one operation on an existing response.
func (a *API) registerStored(api huma.API, op storedOperation) {
	headers := commonHeaders()
	headers["x-tollgate-channel"] =
		textHeader("The channel that stores the response; not present if the gateway stores it")
	content := map[string]*huma.MediaType{"application/json": {Schema: op.answer(api)}}
	if op.operation == stored.Retrieve {
		content["text/event-stream"] = contract.Events(contract.Ref[contract.ResponseStreamEvent](api))
	}
	operation := huma.Operation{
		OperationID: op.id,
		Method:      op.method,
		Path:        op.path,
		Summary:     op.summary,
		Description: "The response is stored by the channel that made it, or by the gateway. The operation is free " +
			"of charge. Users can use the responses of their own tokens, owners and admins those of the whole " +
			"tenant; any other id is not found.",
		Tags:     []string{"Responses"},
		Security: bearerAuth,
		Parameters: append([]*huma.Param{
			{Name: "response_id", In: "path", Required: true, Schema: &huma.Schema{Type: huma.TypeString},
				Description: "The id that createResponse returned"},
		}, op.query...),
		Responses: withErrors(api, storedErrors, &huma.Response{
			Description: "The result of the operation",
			Headers:     headers,
			Content:     content,
		}),
	}
	serve := func(w http.ResponseWriter, r *http.Request) error { return a.serveStored(w, r, op.operation) }
	huma.Register(api, operation, a.plain(watched(telemetry.Response, operation), serve))
}

// serveStored serves the callers whose reach includes the response. It doesn't check which models the token may use,
// because nothing is generated.
func (a *API) serveStored(w http.ResponseWriter, r *http.Request, operation stored.Operation) error {
	caller, err := a.authenticate(w, r)
	if err != nil {
		return err
	}
	// Nothing yet: the response's size is unknown.
	use, err := a.Memory.Take(r.Context(), memory.Body{Tenant: caller.Tenant.ID})
	if err != nil {
		return err
	}
	defer use.Release()
	request := stored.Request{Reach: permission.Responses(caller.User), ID: r.PathValue("response_id"),
		Operation: operation, Memory: use}
	if r.Method == http.MethodGet {
		request.Query = r.URL.RawQuery
	}
	if operation == stored.Retrieve {
		if err := asStream(r, &request); err != nil {
			return err
		}
	}
	if request.Operation == stored.Stream {
		return a.sendStream(w, r, request)
	}
	result, err := a.Stored.Do(r.Context(), request)
	if err != nil {
		return err
	}
	sendFree(w, result.Channel, result.Body)
	return nil
}

// sendFree sends the JSON of an operation that is free. channel is "" if the gateway has done it without a channel.
func sendFree(w http.ResponseWriter, channel string, body []byte) {
	header := w.Header()
	if channel != "" {
		header["X-Tollgate-Channel"] = []string{channel}
	}
	header.Set("Content-Type", "application/json")
	header.Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body) // the client may have disconnected
}
