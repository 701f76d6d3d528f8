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
	"github.com/tollgate/tollgate/libs/provider"
)

// registerCount declares the operation that counts the tokens of an input.
func (a *API) registerCount(api huma.API) {
	headers := commonHeaders()
	headers["x-tollgate-channel"] = textHeader("The channel that counted the tokens; not present if the gateway " +
		"did, whose number is an estimate")
	maps.Copy(headers, limitHeaders())
	operation := huma.Operation{
		OperationID: "countResponseInputTokens",
		Method:      http.MethodPost,
		Path:        "/v1/responses/input_tokens",
		Summary:     "Count the input tokens of a response",
		Description: "Returns the number of input tokens that a response would have. The operation is free of " +
			"charge, but counts as a request for the rate limits. A channel of the model counts the tokens if it " +
			"can. Otherwise the gateway estimates the number; for a conversation that a channel stores, it adds an " +
			"upper bound of the conversation's tokens.",
		Tags:     []string{"Responses"},
		Security: bearerAuth,
		Responses: withErrors(api, callErrors, &huma.Response{
			Description: "The number of tokens",
			Headers:     headers,
			Content: map[string]*huma.MediaType{"application/json": {Schema: contract.Ref[contract.InputTokenCount](
				api)}},
		}),
	}
	rt := watched(telemetry.TokenCount, operation)
	response := &huma.StreamResponse{Body: func(ctx huma.Context) {
		r, w := humago.Unwrap(ctx)
		if err := a.count(w, r, rt.at(w)); err != nil {
			a.refuseCall(w, r, err)
		}
	}}
	huma.Register(api, operation, func(context.Context, *struct{}) (*huma.StreamResponse, error) {
		return response, nil
	})
	api.OpenAPI().Paths[operation.Path].Post.RequestBody = &huma.RequestBody{
		Required: true,
		Content: map[string]*huma.MediaType{"application/json": {Schema: contract.Ref[contract.InputTokenCountRequest](
			api)}},
	}
}

// count serves a request to count tokens.
func (a *API) count(w http.ResponseWriter, r *http.Request, e *exchange) error {
	count, err := a.Count(w, r, inbound.Call{
		ID: e.ID, Addr: e.Addr, Dialect: catalog.Responses, Operation: provider.CountInput,
		Started: e.Started, Report: &e.Request, Slot: &e.slot,
	})
	if err != nil {
		return err
	}
	a.showRemaining(e)
	sendFree(w, count.Channel, count.Body)
	return nil
}

// registerCompact declares the operation that compacts a conversation.
func (a *API) registerCompact(api huma.API) {
	headers := callHeaders()
	for name := range changeHeaders() { // the relay changes only calls
		delete(headers, name)
	}
	operation := huma.Operation{
		OperationID: "compactResponse",
		Method:      http.MethodPost,
		Path:        "/v1/responses/compact",
		Summary:     "Compact a conversation",
		Description: "Replaces a long conversation by a shorter list of items, which can be the `input` of the next " +
			"response. A model does this, and the call is charged like a response. Only channels that speak " +
			"responses can have the operation; without such a channel the answer is 400 `unsupported_parameter`. " +
			"Encrypted content in the items can be read by the channel that made it, to which the next request is " +
			"sent.",
		Tags:       []string{"Responses"},
		Security:   bearerAuth,
		Parameters: []*huma.Param{idempotencyKey(), includeQuota()},
		Responses: withErrors(api, createErrors, &huma.Response{
			Description: "The compacted conversation",
			Headers:     headers,
			Content: map[string]*huma.MediaType{
				"application/json": {Schema: contract.Ref[contract.CompactedResponse](api)},
			},
		}),
	}
	huma.Register(api, operation, a.call(catalog.Responses, provider.Compact, watched(telemetry.Responses, operation)))
	api.OpenAPI().Paths[operation.Path].Post.RequestBody = &huma.RequestBody{
		Required: true,
		Content:  map[string]*huma.MediaType{"application/json": {Schema: contract.Ref[contract.CompactRequest](api)}},
	}
}
