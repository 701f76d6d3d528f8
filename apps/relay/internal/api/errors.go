package api

import (
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tollgate/tollgate/apps/relay/internal/api/contract"
	"github.com/tollgate/tollgate/apps/relay/internal/envelope"
)

// bearerAuth requires an API token, in either of two headers.
var bearerAuth = []map[string][]string{{"bearerAuth": {}}, {"apiKey": {}}}

// readErrors are the error statuses of a GET operation.
var readErrors = []int{
	http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests,
	http.StatusInternalServerError, http.StatusServiceUnavailable,
}

// callErrors are the error statuses of a model call.
var callErrors = append([]int{
	http.StatusBadRequest, http.StatusNotFound, http.StatusRequestTimeout, http.StatusRequestEntityTooLarge,
	http.StatusUnsupportedMediaType, http.StatusBadGateway, http.StatusGatewayTimeout,
}, readErrors...)

// createErrors are the error statuses of a model call that can have an idempotency key.
var createErrors = append([]int{http.StatusConflict}, callErrors...)

// storedErrors are the error statuses of an operation on an existing response.
var storedErrors = append([]int{
	http.StatusBadRequest, http.StatusNotFound, http.StatusRequestEntityTooLarge, http.StatusBadGateway,
	http.StatusGatewayTimeout,
}, readErrors...)

// errorTexts describe the error statuses in the OpenAPI document.
var errorTexts = map[int]string{
	http.StatusBadRequest: "The body is not valid JSON, a field is missing or has the wrong type, or no " +
		"channel supports a requested feature; `param` names the field",
	http.StatusUnauthorized: "The token is missing, malformed, unknown, revoked or expired",
	http.StatusForbidden:    "The client's address is not on the token's allowlist",
	http.StatusNotFound: "The model is unknown, disabled or not permitted for the token, or the " +
		"response is unknown",
	http.StatusRequestTimeout: "The request body was not received in time",
	http.StatusConflict: "The `Idempotency-Key` was used for another request, its first request is " +
		"still being served, or the answer of that request was not kept or was lost",
	http.StatusRequestEntityTooLarge: "The request body is too large",
	http.StatusUnsupportedMediaType:  "The content type is not application/json, or the body is compressed",
	http.StatusTooManyRequests: "The quota is used up or reserved by requests in flight, or a rate limit is " +
		"reached",
	http.StatusInternalServerError: "An internal error of the gateway",
	http.StatusBadGateway:          "The upstream failed",
	http.StatusServiceUnavailable:  "No channel is available, or the gateway is overloaded",
	http.StatusGatewayTimeout:      "The upstream did not answer in time",
}

// lateErrors are the error statuses that a call can have after its admission. By then its rate limits are known, and
// the relay may have changed the request.
var lateErrors = []int{
	http.StatusBadRequest, http.StatusNotFound, http.StatusConflict, http.StatusTooManyRequests,
	http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout,
}

// withErrors returns the responses of an operation: ok for the status 200, and an error response for each of
// the statuses. The lateErrors have the same headers about rate limits and changes of the request as ok.
func withErrors(api huma.API, statuses []int, ok *huma.Response) map[string]*huma.Response {
	responses := map[string]*huma.Response{"200": ok}
	answerHeaders := limitHeaders()
	maps.Copy(answerHeaders, changeHeaders())
	maps.DeleteFunc(answerHeaders, func(name string, _ *huma.Header) bool { return ok.Headers[name] == nil })
	for _, status := range statuses {
		headers := errorHeaders(status)
		if slices.Contains(lateErrors, status) {
			maps.Copy(headers, answerHeaders)
		}
		responses[strconv.Itoa(status)] = &huma.Response{
			Description: errorTexts[status],
			Headers:     headers,
			Content: map[string]*huma.MediaType{"application/json": {Schema: contract.Ref[envelope.ErrorResponse](
				api)}},
		}
	}
	return responses
}

// textHeader describes a header with a text value.
func textHeader(description string) *huma.Header {
	return &huma.Header{Description: description, Schema: &huma.Schema{Type: huma.TypeString}}
}

// commonHeaders are the headers of every response.
func commonHeaders() map[string]*huma.Header {
	return map[string]*huma.Header{
		"x-request-id": textHeader("The id of the request and of its usage log"),
		"x-tollgate-quota-remaining": textHeader("The quota in USD that the token could still spend, as far as the " +
			"relay knows; not present if it does not know yet, or for an invalid token"),
	}
}

// callHeaders are the headers of a successful model call.
func callHeaders() map[string]*huma.Header {
	headers := commonHeaders()
	headers["idempotent-replayed"] = textHeader("`true` if the answer is that of an earlier request with the same " +
		"`Idempotency-Key`. Nothing was charged again")
	headers["x-tollgate-original-request-id"] =
		textHeader("The id of that earlier request; only present on a replayed answer")
	headers["openai-processing-ms"] = textHeader("Milliseconds until the answer was ready, or until the stream began")
	headers["x-tollgate-channel"] = textHeader("The channel that answered")
	headers["x-tollgate-quota"] = textHeader("The amount deducted in USD; not present on streams")
	maps.Copy(headers, limitHeaders())
	maps.Copy(headers, changeHeaders())
	return headers
}

// changeHeaders describe what the relay changed in the request.
func changeHeaders() map[string]*huma.Header {
	return map[string]*huma.Header{
		"x-tollgate-output-cap": textHeader("The most output tokens of each choice, if the relay sent the " +
			"upstream an output cap because the quota pays for no more"),
		"x-tollgate-max-tool-calls": textHeader("The most calls of tools that the provider runs, if the relay sent " +
			"this limit because the request has none and a tool has a price"),
		"x-tollgate-service-tier": textHeader("The name of the ordinary service tier, if the relay asked the " +
			"upstream for it because the request leaves the tier to the provider and the model has no price for " +
			"those that it can choose"),
		"x-tollgate-ignored-fields": textHeader("The paths, separated by commas, of what the relay ignored of the " +
			"request: fields that only restrict the answer or give a hint and that the channel's API does not have, " +
			"and optional tools of a provider that no channel has. A plus sign and a number at the end count " +
			"further ones"),
	}
}

// limitHeaders describe the tightest limit per minute among those of the token, its user, its group and the
// model.
func limitHeaders() map[string]*huma.Header {
	return map[string]*huma.Header{
		"x-ratelimit-limit-requests": textHeader("Requests per minute of the tightest limit. The rate limit " +
			"headers are only present if a limit applies"),
		"x-ratelimit-remaining-requests": textHeader("Requests that can be sent at once"),
		"x-ratelimit-reset-requests": textHeader("Time until the full number of requests is available again, " +
			"such as `1s` or `6m0s`"),
		"x-ratelimit-limit-tokens":     textHeader("Tokens per minute of the tightest limit"),
		"x-ratelimit-remaining-tokens": textHeader("Tokens that can be used at once"),
		"x-ratelimit-reset-tokens": textHeader("Time until the full number of tokens is available again, such " +
			"as `20ms`"),
	}
}

// errorHeaders are the headers of an error response.
func errorHeaders(status int) map[string]*huma.Header {
	headers := commonHeaders()
	headers["x-should-retry"] = textHeader("`true` if the same request may succeed later")
	headers["retry-after"] = textHeader("Seconds to wait before a retry, if known")
	headers["retry-after-ms"] = textHeader("Milliseconds to wait before a retry, if known")
	switch status {
	case http.StatusTooManyRequests:
		maps.Copy(headers, limitHeaders())
	case http.StatusInternalServerError:
		headers["x-tollgate-channel"] = textHeader("The channel that answered, if the relay could not record the " +
			"call and therefore withheld the answer")
	}
	return headers
}
