package api

import (
	"maps"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tollgate/tollgate/apps/relay/internal/envelope"
)

var bearerAuth = []map[string][]string{{"bearerAuth": {}}}

// readErrors are the statuses that a GET can fail with.
var readErrors = []int{
	http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests,
	http.StatusInternalServerError, http.StatusServiceUnavailable,
}

// callErrors are the statuses that a model call can fail with.
var callErrors = append([]int{
	http.StatusBadRequest, http.StatusNotFound, http.StatusRequestTimeout, http.StatusRequestEntityTooLarge,
	http.StatusUnsupportedMediaType, http.StatusBadGateway, http.StatusGatewayTimeout,
}, readErrors...)

// keptErrors are the statuses that asking for a response can fail with.
var keptErrors = append([]int{
	http.StatusBadRequest, http.StatusNotFound, http.StatusBadGateway, http.StatusGatewayTimeout,
}, readErrors...)

// errorTexts say what a status stands for.
var errorTexts = map[int]string{
	http.StatusBadRequest:            "The body is not valid JSON, a field is missing or of the wrong type, or no channel can serve the feature; `param` names the field",
	http.StatusUnauthorized:          "No, malformed, unknown, revoked or expired token",
	http.StatusForbidden:             "The address is not on the token's allowlist",
	http.StatusNotFound:              "The model is unknown, disabled or not permitted, or the response is unknown",
	http.StatusRequestTimeout:        "The body was not received in time",
	http.StatusRequestEntityTooLarge: "The body is too large",
	http.StatusUnsupportedMediaType:  "The body is not application/json",
	http.StatusTooManyRequests:       "The quota is used up or held by requests in flight, or a rate limit is reached",
	http.StatusInternalServerError:   "A fault of the gateway",
	http.StatusBadGateway:            "The upstream failed",
	http.StatusServiceUnavailable:    "No channel is available, or the gateway is shedding load",
	http.StatusGatewayTimeout:        "The upstream did not answer in time",
}

func withErrors(api huma.API, statuses []int, ok *huma.Response) map[string]*huma.Response {
	responses := map[string]*huma.Response{"200": ok}
	for _, status := range statuses {
		responses[strconv.Itoa(status)] = &huma.Response{
			Description: errorTexts[status],
			Headers:     errorHeaders(status),
			Content:     map[string]*huma.MediaType{"application/json": {Schema: schemaOf[envelope.ErrorResponse](api)}},
		}
	}
	return responses
}

func textHeader(description string) *huma.Header {
	return &huma.Header{Description: description, Schema: &huma.Schema{Type: huma.TypeString}}
}

func commonHeaders() map[string]*huma.Header {
	return map[string]*huma.Header{"x-request-id": textHeader("The id of the request, and of its usage log")}
}

func callHeaders() map[string]*huma.Header {
	headers := commonHeaders()
	headers["openai-processing-ms"] = textHeader("Milliseconds until the answer began")
	headers["x-tollgate-channel"] = textHeader("The channel that answered")
	headers["x-tollgate-quota"] = textHeader("USD deducted; not on streams")
	maps.Copy(headers, limitHeaders())
	return headers
}

// limitHeaders tell of the tightest limit per minute of the token, its user, its
// group or the model.
func limitHeaders() map[string]*huma.Header {
	return map[string]*huma.Header{
		"x-ratelimit-limit-requests":     textHeader("Requests per minute of the tightest limit; these headers are there only where a limit applies"),
		"x-ratelimit-remaining-requests": textHeader("Requests that are left now"),
		"x-ratelimit-reset-requests":     textHeader("Time until all requests are left again, such as `1s` or `6m0s`"),
		"x-ratelimit-limit-tokens":       textHeader("Tokens per minute of the tightest limit"),
		"x-ratelimit-remaining-tokens":   textHeader("Tokens that are left now"),
		"x-ratelimit-reset-tokens":       textHeader("Time until all tokens are left again, such as `20ms`"),
	}
}

func errorHeaders(status int) map[string]*huma.Header {
	headers := commonHeaders()
	headers["x-should-retry"] = textHeader("`true` where the same request may succeed later")
	headers["retry-after"] = textHeader("Seconds to wait before a retry, where known")
	headers["retry-after-ms"] = textHeader("The same in milliseconds")
	if status == http.StatusTooManyRequests {
		maps.Copy(headers, limitHeaders())
	}
	return headers
}
