package api

import (
	"context"
	"maps"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/tollgate/tollgate/apps/relay/internal/api/contract"
	"github.com/tollgate/tollgate/apps/relay/internal/inbound"
	"github.com/tollgate/tollgate/apps/relay/internal/telemetry"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/provider"
	"github.com/tollgate/tollgate/libs/wire/messages"
)

// The versions of Anthropic's API. The later one does not document temperature, top_p and top_k any more. Otherwise
// both have the same format.
const (
	messagesVersion      = "2023-06-01"
	laterMessagesVersion = "2026-10-21"
)

// registerMessages declares the operations of Anthropic's API.
func (a *API) registerMessages(api huma.API) {
	headers := messageHeaders(callHeaders())
	headers["x-tollgate-left-out-betas"] = textHeader("The features in the request's header `anthropic-beta`, " +
		"separated by commas, that the relay does not pass on")
	operation := huma.Operation{
		OperationID: "createMessage",
		Method:      http.MethodPost,
		Path:        "/v1/messages",
		Summary:     "Create a message",
		Description: "Creates a model response for a conversation, in the format of Anthropic's API. With `stream: " +
			"true` the answer is a stream of events that ends with `message_stop`. If an error occurs after the " +
			"stream has begun, the last event is `error`. On channels that speak messages the request passes " +
			"unchanged; for other channels it is translated, and what cannot be translated is refused with 400.",
		Tags:       []string{"Messages"},
		Security:   bearerAuth,
		Parameters: []*huma.Param{versionHeader(), betaHeader(), betaQuery(), idempotencyKey(), includeQuota()},
		Responses: withMessageErrors(api, createErrors, &huma.Response{
			Description: "The message: a JSON object, or a stream of events if `stream` is true",
			Headers:     headers,
			Content: map[string]*huma.MediaType{
				"application/json":  {Schema: contract.Ref[contract.Message](api)},
				"text/event-stream": contract.Events(contract.Ref[contract.MessageStreamEvent](api)),
			},
		}),
	}
	huma.Register(api, operation, a.call(catalog.Messages, "", watched(telemetry.Messages, operation)))
	api.OpenAPI().Paths[operation.Path].Post.RequestBody = &huma.RequestBody{
		Required: true,
		Content: map[string]*huma.MediaType{"application/json": {Schema: contract.Ref[contract.MessageRequest](api),
			Examples: contract.MessageExamples()}},
	}
	a.registerMessageCount(api)
}

// registerMessageCount declares the operation that counts the tokens of a message.
func (a *API) registerMessageCount(api huma.API) {
	headers := messageHeaders(commonHeaders())
	headers["x-tollgate-channel"] = textHeader("The channel that counted the tokens; not present if the gateway " +
		"did, whose number is an estimate")
	headers["x-tollgate-left-out-betas"] = textHeader("The features in the request's header `anthropic-beta`, " +
		"separated by commas, that the relay does not pass on")
	maps.Copy(headers, limitHeaders())
	operation := huma.Operation{
		OperationID: "countMessageTokens",
		Method:      http.MethodPost,
		Path:        "/v1/messages/count_tokens",
		Summary:     "Count the input tokens of a message",
		Description: "Returns the number of input tokens that a message would have, with its system prompt and its " +
			"tools. The operation is free of charge, but counts as a request for the rate limits. A channel of the " +
			"model counts the tokens if it speaks messages. Otherwise the gateway estimates the number.",
		Tags:       []string{"Messages"},
		Security:   bearerAuth,
		Parameters: []*huma.Param{versionHeader(), betaHeader(), betaQuery()},
		Responses: withMessageErrors(api, callErrors, &huma.Response{
			Description: "The number of tokens",
			Headers:     headers,
			Content: map[string]*huma.MediaType{
				"application/json": {Schema: contract.Ref[contract.MessageTokenCount](api)},
			},
		}),
	}
	rt := watched(telemetry.TokenCount, operation)
	response := &huma.StreamResponse{Body: func(ctx huma.Context) {
		r, w := humago.Unwrap(ctx)
		if err := a.countMessage(w, r, rt.at(w)); err != nil {
			a.refuseCall(w, r, err)
		}
	}}
	huma.Register(api, operation, func(context.Context, *struct{}) (*huma.StreamResponse, error) {
		return response, nil
	})
	api.OpenAPI().Paths[operation.Path].Post.RequestBody = &huma.RequestBody{
		Required: true,
		Content: map[string]*huma.MediaType{"application/json": {Schema: contract.Ref[contract.MessageCountRequest](
			api)}},
	}
}

// countMessage serves a request to count the tokens of a message.
func (a *API) countMessage(w http.ResponseWriter, r *http.Request, e *exchange) error {
	betas, err := a.dialectHeaders(w, r, catalog.Messages)
	if err != nil {
		return err
	}
	count, err := a.Count(w, r, inbound.Call{
		ID: e.ID, Addr: e.Addr, Dialect: catalog.Messages, Operation: provider.CountInput,
		Betas: betas, Started: e.Started, Report: &e.Request, Slot: &e.slot,
	})
	if err != nil {
		return err
	}
	a.showRemaining(e)
	sendFree(w, count.Channel, count.Body)
	return nil
}

// leftOutBetas is the response header with the features that the relay does not pass on.
const leftOutBetas = "X-Tollgate-Left-Out-Betas"

// dialectHeaders reads the headers that only requests of the dialect messages have. It returns the features that the
// client asks for and may have, and shows the others. The error is an InvalidType problem of an unknown version of the
// API.
func (*API) dialectHeaders(w http.ResponseWriter, r *http.Request, dialect catalog.Dialect) (betas string, err error) {
	if dialect != catalog.Messages {
		return "", nil
	}
	switch r.Header.Get("Anthropic-Version") {
	case "", messagesVersion, laterMessagesVersion:
	default:
		return "", problem.New(problem.InvalidType, "Unknown version of the API: anthropic-version must be %s or %s.",
			messagesVersion, laterMessagesVersion).At("anthropic-version")
	}
	betas, unknownBetas := messages.AllowedBetas(r.Header["Anthropic-Beta"])
	if unknownBetas != "" {
		w.Header()[leftOutBetas] = []string{unknownBetas}
	}
	return betas, nil
}

// betaHeader describes the header by which clients ask for features that Anthropic is trying out.
func betaHeader() *huma.Param {
	return &huma.Param{
		Name: "anthropic-beta", In: "header", Schema: &huma.Schema{Type: huma.TypeString},
		Description: "Features of Anthropic's API, separated by commas. The relay passes on those on its list, see " +
			"the guide for Anthropic's clients",
	}
}

// betaQuery describes the parameter that Anthropic's SDKs send with their beta interfaces.
func betaQuery() *huma.Param {
	return &huma.Param{
		Name: "beta", In: "query", Schema: &huma.Schema{Type: huma.TypeBoolean},
		Description: "Anthropic's SDKs send it with their beta interfaces. It changes nothing",
	}
}

// messageHeaders adds the header with the id of the request under the name that it has in Anthropic's API.
func messageHeaders(headers map[string]*huma.Header) map[string]*huma.Header {
	headers["request-id"] =
		textHeader("The id of the request, as in x-request-id. Only in answers for clients of Anthropic's API")
	return headers
}

// withMessageErrors does the same as withErrors for an operation that clients of Anthropic's API call.
func withMessageErrors(api huma.API, statuses []int, ok *huma.Response) map[string]*huma.Response {
	responses := withErrors(api, statuses, ok)
	for status, response := range responses {
		if status != "200" {
			messageHeaders(response.Headers)
			if betas := ok.Headers["x-tollgate-left-out-betas"]; betas != nil {
				response.Headers["x-tollgate-left-out-betas"] = betas
			}
		}
	}
	return responses
}
