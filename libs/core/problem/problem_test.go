package problem_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/core/problem"
)

// The test holds the error table of the relay (docs/errors.md), on which users rely.
func TestClass_MatchesThePublishedErrorTable(t *testing.T) {
	for _, row := range []struct {
		kind   problem.Kind
		status int
		kindOf string
		code   string
		retry  bool
	}{
		{problem.InvalidToken, 401, "invalid_request_error", "invalid_api_key", false},
		{problem.IPNotAllowed, 403, "permission_error", "ip_not_allowed", false},
		{problem.ModelNotFound, 404, "invalid_request_error", "model_not_found", false},
		{problem.InvalidJSON, 400, "invalid_request_error", "invalid_json", false},
		{problem.MissingParameter, 400, "invalid_request_error", "missing_required_parameter", false},
		{problem.InvalidType, 400, "invalid_request_error", "invalid_type", false},
		{problem.UnsupportedParameter, 400, "invalid_request_error", "unsupported_parameter", false},
		{problem.TooLarge, 413, "invalid_request_error", "request_too_large", false},
		{problem.UnsupportedMediaType, 415, "invalid_request_error", "unsupported_media_type", false},
		{problem.UnknownURL, 404, "invalid_request_error", "unknown_url", false},
		{problem.MethodNotAllowed, 405, "invalid_request_error", "method_not_allowed", false},
		{problem.WebSocketUnsupported, 426, "invalid_request_error", "websocket_unsupported", false},
		{problem.PreviousNotFound, 400, "invalid_request_error", "previous_response_not_found", false},
		{problem.ResponseNotFound, 404, "invalid_request_error", "response_not_found", false},
		{problem.ItemNotFound, 404, "invalid_request_error", "item_not_found", false},
		{problem.IdempotencyKeyReused, 409, "invalid_request_error", "idempotency_key_reused", false},
		{problem.IdempotencyKeyInUse, 409, "invalid_request_error", "idempotency_key_in_use", true},
		{problem.IdempotencyAnswerNotKept, 409, "invalid_request_error", "idempotency_answer_not_kept", false},
		{problem.QuotaExhausted, 429, "insufficient_quota", "insufficient_quota", false},
		{problem.QuotaInFlight, 429, "insufficient_quota", "quota_in_flight", true},
		{problem.RateLimited, 429, "rate_limit_error", "rate_limit_exceeded", true},
		{problem.UpstreamFailed, 502, "upstream_error", "upstream_error", true},
		{problem.UpstreamTimeout, 504, "upstream_error", "upstream_timeout", true},
		{problem.UpstreamBusy, 429, "rate_limit_error", "rate_limit_exceeded", true},
		{problem.TranslationRejected, 502, "upstream_error", "translation_rejected", false},
		{problem.NoChannel, 503, "server_error", "no_channel_available", true},
		{problem.Overloaded, 503, "server_error", "overloaded", true},
		{problem.Internal, 500, "server_error", "internal_error", true},
	} {
		c := row.kind.Class()
		if c.Status != row.status || c.Type != row.kindOf || c.Code != row.code || c.Retry != row.retry {
			t.Errorf("%s: %d %s %s %v; want %d %s %s %v", row.kind, c.Status, c.Type, c.Code, c.Retry, row.status,
				row.kindOf, row.code, row.retry)
		}
	}
}

func TestClass_IsCompleteForEveryKind(t *testing.T) {
	seen := map[string]bool{}
	for _, kind := range problem.Kinds() {
		c := kind.Class()
		if c.Name == "" || c.Status < 400 || c.Status > 599 || c.Type == "" || c.Code == "" ||
			!strings.HasSuffix(c.Text, ".") {
			t.Errorf("kind %d is incomplete: %+v", kind, c)
		}
		if seen[c.Name] {
			t.Errorf("two kinds are named %s", c.Name)
		}
		seen[c.Name] = true
		// The same request is translated in the same way.
		if c.Status >= 500 && c.Retry == (kind == problem.TranslationRejected) {
			t.Errorf("%s: Retry is %v for a fault of the gateway", c.Name, c.Retry)
		}
	}
}

func TestClass_HasADomainForEveryKind(t *testing.T) {
	domains := [...]problem.Domain{problem.DomainCaller, problem.DomainPolicy, problem.DomainProvider,
		problem.DomainGateway}
	for _, kind := range problem.Kinds() {
		if !slices.Contains(domains[:], kind.Class().Domain) {
			t.Errorf("%s has the unknown domain %q", kind, kind.Class().Domain)
		}
		if got, ok := problem.KindNamed(kind.String()); !ok || got != kind {
			t.Errorf("KindNamed(%s) = %v, %v", kind, got, ok)
		}
	}
	if _, ok := problem.KindNamed("nothing"); ok {
		t.Error("KindNamed finds a kind for an unknown word")
	}
	for kind, want := range map[problem.Kind]problem.Domain{
		problem.InvalidToken: problem.DomainCaller, problem.ClientClosed: problem.DomainCaller,
		problem.UpstreamRejected: problem.DomainCaller,
		problem.QuotaExhausted:   problem.DomainPolicy, problem.RateLimited: problem.DomainPolicy,
		problem.IPNotAllowed: problem.DomainPolicy,
		problem.UpstreamBusy: problem.DomainProvider, problem.UpstreamTimeout: problem.DomainProvider,
		problem.NoChannel: problem.DomainGateway, problem.Overloaded: problem.DomainGateway,
		problem.Internal: problem.DomainGateway,
	} {
		if got := kind.Class().Domain; got != want {
			t.Errorf("%s has the domain %s, want %s", kind, got, want)
		}
	}
}

func TestClass_IsInternalForAnUnknownKind(t *testing.T) {
	if got := problem.Kind(200).Class(); got != problem.Internal.Class() {
		t.Errorf("Kind(200) = %+v", got)
	}
	if (&problem.Problem{}).Kind != problem.Internal {
		t.Error("the zero Problem is not Internal")
	}
}

func TestText_NeverContainsTheCause(t *testing.T) {
	cause := errors.New("dial tcp 10.0.0.5:5432: password=hunter2")
	for _, row := range []struct {
		rule string
		p    *problem.Problem
		text string
	}{
		{"the text of the class", problem.Of(problem.NotFound), "Not found."},
		{"a problem with a message", problem.New(problem.Conflict, "the slug %q is taken", "acme"),
			`the slug "acme" is taken`},
		{"a problem with a cause", problem.Wrap(problem.Internal, cause), problem.Internal.Class().Text},
		{"an unclassified error", problem.From(cause), problem.Internal.Class().Text},
	} {
		if got := row.p.Text(); got != row.text {
			t.Errorf("%s: Text = %q, want %q", row.rule, got, row.text)
		}
	}
	if wrapped := problem.Wrap(problem.UpstreamFailed, cause); !strings.Contains(wrapped.Error(), "hunter2") ||
		!errors.Is(wrapped, cause) {
		t.Errorf("Error lacks the cause: %v", wrapped)
	}
}

func TestFrom_ReturnsTheOutermostProblem(t *testing.T) {
	inner := problem.New(problem.InvalidType, "no").At("model").After(time.Second)
	wrapped := fmt.Errorf("reading: %w", inner)
	if got := problem.From(wrapped); got != inner || got.Param != "model" || got.RetryAfter != time.Second {
		t.Errorf("From = %+v, want the problem in the chain", got)
	}
	if got := problem.From(nil); got != nil {
		t.Errorf("From(nil) = %v", got)
	}
	if got := problem.From(io.EOF); got.Kind != problem.Internal || !errors.Is(got, io.EOF) {
		t.Errorf("From(EOF) = %+v", got)
	}
	outer := problem.Wrap(problem.UpstreamFailed, inner)
	if got := problem.From(outer); got != outer {
		t.Errorf("From = %v, want the outermost problem", got)
	}
}

func TestIs_ComparesKinds(t *testing.T) {
	err := fmt.Errorf("x: %w", problem.Of(problem.NotFound))
	if !problem.Is(err, problem.NotFound) || problem.Is(err, problem.Conflict) || problem.Is(nil, problem.Internal) ||
		problem.Is(io.EOF, problem.Internal) {
		t.Error("Is does not compare kinds correctly")
	}
}
