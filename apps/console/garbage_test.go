package console_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

// request is a request to an operation, with the responses that the operation documents.
type request struct {
	id, method, path string
	body             any
	documented       map[string]any // documented responses by status
}

func (q request) String() string {
	return fmt.Sprintf("%s %s %.300v", q.method, q.path, q.body)
}

// sendDocumented sends the request and checks that the status is documented, and that an error is a problem document.
func sendDocumented(c *consoletest.Client, q request) consoletest.Reply {
	c.Helper()
	r := c.Do(q.method, q.path, q.body)
	switch {
	case r.StatusCode >= http.StatusInternalServerError && r.StatusCode != http.StatusServiceUnavailable:
		c.Errorf("%s: got status %d: %s", q, r.StatusCode, r.Raw)
	case q.documented[strconv.Itoa(r.StatusCode)] == nil:
		c.Errorf("%s: got status %d is not documented: %s", q, r.StatusCode, r.Raw)
	case r.StatusCode >= http.StatusBadRequest && (r.Header.Get("Content-Type") != "application/problem+json" ||
		r.JSON["code"] == nil || r.JSON["detail"] == nil):
		c.Errorf("%s: got %s, want a problem document", q, r.Raw)
	}
	return r
}

// malformed are strings that are not ids.
var malformed = []string{
	"x", "0", "-1", "null", "undefined", "%00", "%20", "%ff", "..%2f..%2fetc%2fpasswd", "%27%20OR%20%271%27=%271",
	"%25", "*", "%E2%80%AE",
	"00000000-0000-0000-0000-00000000000", "g0000000-0000-0000-0000-000000000000",
	"{01900000-0000-7000-8000-000000000001}",
	"urn:uuid:01900000-0000-7000-8000-000000000001", strings.Repeat("a", 4000),
}

func TestMalformedIDs_AreRefused(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	ids := 0
	operations(t, func(path, method string, op map[string]any) {
		if !strings.Contains(path, "{") {
			return
		}
		ids++
		before, after, _ := strings.Cut(path, "{")
		_, after, _ = strings.Cut(after, "}")
		for _, who := range []tenant.User{s.Operator, s.Acme.Owner} {
			me := s.As(who)
			for _, id := range malformed {
				q := request{
					id: consoletest.Text(t, op, "operationId"), method: method, path: before + id + after,
					documented: consoletest.As[map[string]any](t, op["responses"]),
				}
				if op["requestBody"] != nil {
					q.body = map[string]any{}
				}
				if r := sendDocumented(me, q); r.StatusCode != http.StatusBadRequest && !isDenied(r) {
					t.Errorf("%s, %s: got status %d, want 400, 403 or 404", who.Role, q, r.StatusCode)
				}
			}
		}
	})
	if ids < 10 {
		t.Errorf("got %d operations with an id in their path, want at least 10", ids)
	}
}

// garbage are unusual values for query parameters.
var garbage = []string{
	"", "x", "-1", "0", "99999999999999999999", "1e999", "NaN", "true", "null", "%00", "%ff%fe",
	"%27%3B%20DROP%20TABLE%20users%3B--",
	"[]", "{}", "2026-13-45T99:99:99Z", "9999-12-31T23:59:59Z", "9999-12-31T23:59:59-23:59",
	"0000-01-01T00:00:00%2B23:59", "0001-01-01T00:00:00Z", "01900000-0000-7000-8000-000000000001",
	strings.Repeat("9", 3000),
}

func TestQueryParameters_WithGarbageGiveDocumentedResponses(t *testing.T) {
	t.Parallel()
	consoletest.OnBoth(t, func(s *consoletest.Stack) {
		operations(s.T, func(path, method string, op map[string]any) {
			if method != http.MethodGet {
				return
			}
			path = strings.NewReplacer("/operator/models/{id}", "/operator/models/none", "{id}", uuid.NewString()).
				Replace(path)
			for _, who := range []tenant.User{s.Operator, s.Acme.Owner, s.Acme.Member} {
				me := s.As(who)
				for _, query := range queriesOf(s.T, op) {
					sendDocumented(me, request{method: method, path: path + "?" + query,
						documented: consoletest.As[map[string]any](s.T, op["responses"])})
				}
			}
		})
	})
}

// queriesOf returns a query for each query parameter of the operation and each value of garbage.
func queriesOf(t *testing.T, op map[string]any) []string {
	queries := []string{"no_such_parameter=1", "limit=1&limit=2", "&&&=&%00=%00", strings.Repeat("a=1&", 200)}
	parameters, _ := op["parameters"].([]any)
	for _, parameter := range parameters {
		if consoletest.At(t, parameter, "in") != "query" {
			continue
		}
		for _, value := range garbage {
			queries = append(queries, url.QueryEscape(consoletest.Text(t, parameter, "name"))+"="+value)
		}
	}
	return queries
}

// bodies are texts that are not a valid body of any operation.
var bodies = []string{
	"", " ", "null", "true", "0", `"text"`, "[]", "[{}]", "{", `{"`, `{"a":`, `{}{}`, `{"no_such_field":1}`, "\x00",
	"\xff\xfe", `{"a":"\ud800"}`,
	strings.Repeat("[", 20_000), strings.Repeat(`{"a":`, 20_000), `{"name":"` + strings.Repeat("x", 100_000) + `"}`,
}

// values are unusual values for a field of a body.
var values = []any{
	nil, true, 0, -1, 1.5, 1e300, "", " ", "x", "\x00", "\u202e", "a\nb", strings.Repeat("x", 5000), []any{},
	[]any{nil}, []any{1, "x", map[string]any{}},
	map[string]any{}, map[string]any{"": nil}, map[string]any{"day": "-1"}, "-1", "99999999999999999999.9",
	"0.0000000001", "NaN", "9999-12-31T23:59:59Z",
	"9999-12-31T23:59:59-23:59", "0000-01-01T00:00:00+23:59", "2016-12-31T23:59:60Z", 9007199254740993,
	"0001-01-01T00:00:00Z",
	"01900000-0000-7000-8000-000000000001", "*", []any{"*", "*"}, "operator", "revoked",
}

// Every operation with a body is called with invalid bodies, and with valid bodies in which one
// field has an unusual value. None of them may cause an internal error or an undocumented response.
func TestBodies_WithGarbageGiveDocumentedResponses(t *testing.T) {
	t.Parallel()
	consoletest.OnBoth(t, func(s *consoletest.Stack) {
		missing := missingCompany()
		for _, a := range attacksOn(s, &missing) {
			if a.body == nil || a.key != a.id || slices.Contains(calling, a.id) {
				continue
			}
			for _, who := range []tenant.User{s.Operator, s.Acme.Owner} {
				sendGarbage(s, a, s.As(who))
			}
		}
	})
}

// calling are the operations that would call an upstream.
var calling = []string{"testChannel", "testChannelDraft", "listUpstreamModels", "callChannel"}

// guessed are the operations that check a password. Only the invalid bodies
// are sent to them, because each check costs a hash and is throttled.
var guessed = []string{"createSession", "changePassword", "beginTOTP", "disableTOTP",
	"createRecoveryCodes", "beginPasskey"}

// sendGarbage sends the attack with invalid bodies, and with each field of its body replaced by unusual values.
func sendGarbage(s *consoletest.Stack, a attack, me *consoletest.Client) {
	s.Helper()
	q := request{id: a.id, method: a.method, path: a.path, documented: documented(s, a.id)}
	for _, body := range bodies {
		q.body = body
		r := sendDocumented(me, q)
		if r.StatusCode < http.StatusBadRequest {
			s.Errorf("%s: got status %d", q, r.StatusCode)
		}
		if r.StatusCode == http.StatusRequestEntityTooLarge {
			s.Advance(time.Second) // otherwise the console would delay the next ones for a second each
		}
	}
	if slices.Contains(guessed, a.id) {
		return
	}
	good, ok := a.body.(map[string]any)
	if !ok {
		s.Fatalf("%s: got a body of type %T, want a map", a, a.body)
	}
	for _, field := range slices.Sorted(maps.Keys(good)) {
		for _, value := range values {
			changed := maps.Clone(good)
			changed[field] = value
			q.body = changed
			sendDocumented(me, q)
		}
	}
}

// documented returns the documented responses of an operation by status.
func documented(s *consoletest.Stack, id string) (responses map[string]any) {
	operations(s.T, func(_, _ string, op map[string]any) {
		if op["operationId"] == id {
			responses = consoletest.As[map[string]any](s.T, op["responses"])
		}
	})
	return responses
}
