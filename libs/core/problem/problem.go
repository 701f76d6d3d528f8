// Package problem classifies the ways in which a request can fail, and defines the public part of each failure. Any
// package returns a Problem; the relay and the console turn it into a response.
//
// The table classes is the single source of the HTTP status, of `type` and `code` in the relay's error envelope, and
// of its retry advice. The console derives its RFC 9457 problem documents from the same kinds. The cause of a
// Problem goes to logs only.
package problem

import (
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Kind is the class of a failure. The zero value is Internal, so an error that no code classified reveals nothing.
type Kind uint8

// The kinds, grouped by their origin.
const (
	Internal Kind = iota

	InvalidToken         // no, malformed, unknown, revoked or expired token
	IPNotAllowed         // the caller's address is not on the token's allowlist
	ModelNotFound        // unknown, disabled or not permitted: all look the same
	InvalidJSON          // the body is not one JSON object
	MissingParameter     // a required field is absent
	InvalidType          // a field has the wrong JSON type or value
	UnsupportedParameter // no enabled channel can serve the feature
	TooLarge             // the body exceeds the limit
	UnsupportedMediaType // the body is not application/json
	ReadTimeout          // the client sent its body too slowly
	UnknownURL
	MethodNotAllowed
	WebSocketUnsupported // the client asks for a WebSocket
	PreviousNotFound     // the previous response is unknown or belongs to another tenant
	ResponseNotFound     // the requested response is unknown or belongs to another tenant
	ItemNotFound         // an item that the input refers to is unknown or belongs to another tenant
	ClientClosed         // the client disconnected before it had an answer

	IdempotencyKeyReused     // the token has used the Idempotency-Key for another request
	IdempotencyKeyInUse      // the first request with the Idempotency-Key is still being served
	IdempotencyAnswerNotKept // the first request with the Idempotency-Key was charged, and its answer was not kept

	QuotaExhausted // nothing is left of some account's quota
	QuotaInFlight  // requests in flight hold the quota that is left
	RateLimited

	UpstreamFailed
	UpstreamTimeout
	UpstreamBusy     // the upstream's own rate limit
	UpstreamRejected // a 4xx of the upstream that is the client's own fault
	// A 4xx of the upstream to a translated request, of which the client's own is not known to be the cause.
	TranslationRejected
	NoChannel  // no healthy channel
	Overloaded // shedding load

	Unauthenticated // console: no valid session
	Forbidden       // console: the role does not permit it
	NotFound        // console: not existing or not visible, which look the same
	Conflict        // console: the name is taken, or the state forbids it

	ConfirmationRequired // console: the user must prove the identity again
)

// Domain names the party that has to act so that a failure ends. Metrics and logs carry it.
type Domain string

// The domains. The set is complete: every Kind has one of these four.
const (
	DomainCaller   Domain = "caller"   // the caller: a faulty request, or a client that disconnected
	DomainPolicy   Domain = "policy"   // a rule of the operator or tenant: quota, limits, allowlists, roles
	DomainProvider Domain = "provider" // the upstream
	DomainGateway  Domain = "gateway"  // Tollgate itself, or its operation
)

// Class holds the public properties of a Kind.
type Class struct {
	Name   string // stable word in logs and metrics, and the slug of the title in the console's documents
	Domain Domain
	Status int    // HTTP status
	Type   string // `error.type` of the relay's envelope
	Code   string // `error.code` of the relay's envelope
	Retry  bool   // the value of x-should-retry
	Text   string // public text of a Problem without a Message
}

const (
	invalidRequest    = "invalid_request_error"
	insufficientQuota = "insufficient_quota"
	upstreamError     = "upstream_error"
	serverError       = "server_error"

	statusClientClosed = 499 // not a registered HTTP status; nginx logs it for clients that disconnect
)

var classes = [...]Class{
	Internal: {"internal_error", DomainGateway, http.StatusInternalServerError, serverError,
		"internal_error", true, "The server had an error while processing the request."},
	InvalidToken: {"invalid_api_key", DomainCaller, http.StatusUnauthorized, invalidRequest,
		"invalid_api_key", false, "Incorrect API key provided."},
	IPNotAllowed: {"ip_not_allowed", DomainPolicy, http.StatusForbidden, "permission_error",
		"ip_not_allowed", false,
		"This API key may not be used from this address. Call from an address on its allowlist."},
	ModelNotFound: {"model_not_found", DomainCaller, http.StatusNotFound, invalidRequest, "model_not_found",
		false, "The model does not exist or you do not have access to it."},
	InvalidJSON: {"invalid_json", DomainCaller, http.StatusBadRequest, invalidRequest, "invalid_json",
		false, "The request body is not valid JSON."},
	MissingParameter: {"missing_required_parameter", DomainCaller, http.StatusBadRequest, invalidRequest,
		"missing_required_parameter", false, "A required parameter is missing."},
	InvalidType: {"invalid_type", DomainCaller, http.StatusBadRequest, invalidRequest, "invalid_type",
		false, "A parameter has the wrong type or value."},
	UnsupportedParameter: {"unsupported_parameter", DomainCaller, http.StatusBadRequest, invalidRequest,
		"unsupported_parameter", false, "A parameter is not supported for this model."},
	TooLarge: {"request_too_large", DomainCaller, http.StatusRequestEntityTooLarge, invalidRequest,
		"request_too_large", false, "The request body is too large. Send a smaller one."},
	UnsupportedMediaType: {"unsupported_media_type", DomainCaller, http.StatusUnsupportedMediaType, invalidRequest,
		"unsupported_media_type", false, "The request body must be application/json."},
	ReadTimeout: {"request_timeout", DomainCaller, http.StatusRequestTimeout, invalidRequest,
		"request_timeout", true, "The request body was not received in time. Send the request again."},
	UnknownURL: {"unknown_url", DomainCaller, http.StatusNotFound, invalidRequest, "unknown_url", false,
		"Unknown request URL."},
	MethodNotAllowed: {"method_not_allowed", DomainCaller, http.StatusMethodNotAllowed, invalidRequest,
		"method_not_allowed", false, "This URL does not support the request's method."},
	WebSocketUnsupported: {"websocket_unsupported", DomainCaller, http.StatusUpgradeRequired, invalidRequest,
		"websocket_unsupported", false, "This server does not support WebSockets. Send the request over HTTP."},
	PreviousNotFound: {"previous_response_not_found", DomainCaller, http.StatusBadRequest, invalidRequest,
		"previous_response_not_found", false, "Previous response not found."},
	ResponseNotFound: {"response_not_found", DomainCaller, http.StatusNotFound, invalidRequest,
		"response_not_found", false, "Response not found."},
	ItemNotFound: {"item_not_found", DomainCaller, http.StatusNotFound, invalidRequest, "item_not_found",
		false, "Item not found."},
	ClientClosed: {"client_closed", DomainCaller, statusClientClosed, invalidRequest, "client_closed",
		false, "The client closed the request."},
	IdempotencyKeyReused: {"idempotency_key_reused", DomainCaller, http.StatusConflict, invalidRequest,
		"idempotency_key_reused", false,
		"This Idempotency-Key was used for another request. Send a new key with a new request."},
	IdempotencyKeyInUse: {"idempotency_key_in_use", DomainCaller, http.StatusConflict, invalidRequest,
		"idempotency_key_in_use", true, "The first request with this Idempotency-Key is still being served. Retry " +
			"later with the same key to get its answer."},
	IdempotencyAnswerNotKept: {"idempotency_answer_not_kept", DomainCaller, http.StatusConflict, invalidRequest,
		"idempotency_answer_not_kept", false, "The first request with this Idempotency-Key was served and charged, " +
			"but its answer was not kept. Send a new key if you want to pay for another answer."},
	QuotaExhausted: {"insufficient_quota", DomainPolicy, http.StatusTooManyRequests, insufficientQuota,
		"insufficient_quota", false, "The quota is used up. Ask for more quota before you retry."},
	QuotaInFlight: {"quota_in_flight", DomainPolicy, http.StatusTooManyRequests, insufficientQuota,
		"quota_in_flight", true, "The remaining quota is held by requests in flight. Retry when they have finished."},
	RateLimited: {"rate_limit_exceeded", DomainPolicy, http.StatusTooManyRequests, "rate_limit_error",
		"rate_limit_exceeded", true, "Too many requests. Retry later."},
	UpstreamFailed: {"upstream_error", DomainProvider, http.StatusBadGateway, upstreamError, "upstream_error",
		true, "The upstream failed to answer. Retry the request."},
	UpstreamTimeout: {"upstream_timeout", DomainProvider, http.StatusGatewayTimeout, upstreamError,
		"upstream_timeout", true, "The upstream did not answer in time. Retry the request."},
	UpstreamBusy: {"upstream_rate_limited", DomainProvider, http.StatusTooManyRequests, "rate_limit_error",
		"rate_limit_exceeded", true, "The rate limit of the upstream is reached. Retry later."},
	UpstreamRejected: {"upstream_rejected", DomainCaller, http.StatusBadRequest, invalidRequest,
		"upstream_rejected", false, "The upstream refused the request."},
	TranslationRejected: {"translation_rejected", DomainGateway, http.StatusBadGateway, upstreamError,
		"translation_rejected", false,
		"The upstream refused the request in the form to which the gateway translated it."},
	NoChannel: {"no_channel_available", DomainGateway, http.StatusServiceUnavailable, serverError,
		"no_channel_available", true, "No channel is available for this model. Retry later or use another model."},
	Overloaded: {"overloaded", DomainGateway, http.StatusServiceUnavailable, serverError, "overloaded", true,
		"The server is overloaded. Retry after a short time."},
	Unauthenticated: {"unauthenticated", DomainCaller, http.StatusUnauthorized, invalidRequest, "unauthenticated",
		false, "Sign in first."},
	Forbidden: {"forbidden", DomainPolicy, http.StatusForbidden, "permission_error", "forbidden", false,
		"Your role does not permit this."},
	NotFound: {"not_found", DomainCaller, http.StatusNotFound, invalidRequest, "not_found",
		false, "Not found."},
	Conflict: {"conflict", DomainCaller, http.StatusConflict, invalidRequest, "conflict", false,
		"The state of the resource does not permit this."},
	ConfirmationRequired: {"confirmation_required", DomainPolicy, http.StatusForbidden, "permission_error",
		"confirmation_required", false, "Confirm that it is you, and then send the request again."},
}

// Class returns the public properties of k; those of Internal if k is unknown.
func (k Kind) Class() Class {
	if int(k) >= len(classes) {
		return classes[Internal]
	}
	return classes[k]
}

// Kinds returns all kinds, Internal first.
func Kinds() []Kind {
	kinds := make([]Kind, len(classes))
	for i := range kinds {
		kinds[i] = Kind(i)
	}
	return kinds
}

// KindNamed returns the kind whose Class has the name word, and false if there is none.
func KindNamed(word string) (Kind, bool) {
	for i := range classes {
		if classes[i].Name == word {
			return Kind(i), true
		}
	}
	return Internal, false
}

// String returns the stable word of k for logs and metrics.
func (k Kind) String() string { return k.Class().Name }

// Problem is a classified failure. Clients can read all fields except Cause, which is for logs only.
type Problem struct {
	Kind       Kind
	Message    string         // replaces the text of the class, "" for none
	Code       string         // replaces the code of the class where OpenAI has a more precise one, "" for none
	Param      string         // path of the field at fault, "" for none
	RetryAfter time.Duration  // how long the client should wait before it retries, 0 for no advice
	Upstream   *UpstreamError // of an UpstreamRejected problem: the error that the client receives instead
	Cause      error          // private; nil for none
}

// UpstreamError is the error with which an upstream refused a request. Names of the operator's account have been
// removed. The client receives it in place of the text of the class.
type UpstreamError struct {
	Status  int // HTTP status, 4xx
	Message string
	Type    string
	Param   string // "" for null
	Code    string // "" for null
}

// New returns a Problem with a public message. The message must contain nothing that the caller may not see.
func New(kind Kind, format string, args ...any) *Problem {
	return &Problem{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// Of returns a Problem with the public text of its class.
func Of(kind Kind) *Problem { return &Problem{Kind: kind} }

// Wrap returns a Problem with err as its private cause and with the public text of its class.
func Wrap(kind Kind, err error) *Problem { return &Problem{Kind: kind, Cause: err} }

// At sets the path of the field at fault and returns p.
func (p *Problem) At(param string) *Problem {
	p.Param = param
	return p
}

// After sets the time to wait before a retry and returns p.
func (p *Problem) After(d time.Duration) *Problem {
	p.RetryAfter = d
	return p
}

// Text returns the public text: the message, or that of the class if there is none.
func (p *Problem) Text() string {
	if p.Message != "" {
		return p.Message
	}
	return p.Kind.Class().Text
}

// PublicCode returns the code for the client: that of the problem, or that of the class if there is none.
func (p *Problem) PublicCode() string {
	if p.Code != "" {
		return p.Code
	}
	return p.Kind.Class().Code
}

// Error returns the text with the private cause. It is for logs and must never reach a client.
func (p *Problem) Error() string {
	text := p.Kind.String() + ": " + p.Text()
	if p.Cause != nil {
		text += ": " + p.Cause.Error()
	}
	return text
}

// Unwrap returns the private cause.
func (p *Problem) Unwrap() error { return p.Cause }

// From returns the Problem in err's chain, or an Internal one with err as its cause. It returns nil for nil.
func From(err error) *Problem {
	if err == nil {
		return nil
	}
	var p *Problem
	if errors.As(err, &p) {
		return p
	}
	return Wrap(Internal, err)
}

// Is reports whether err is a Problem of the given kind.
func Is(err error, kind Kind) bool {
	if err == nil { // the usual case, without an allocation
		return false
	}
	var p *Problem
	return errors.As(err, &p) && p.Kind == kind
}
