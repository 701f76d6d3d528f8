package console_test

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

// edges are times at the edges of what layers can store and write, with whether a request may have them.
var edges = map[string]bool{
	"9999-12-31T23:59:59-23:59":      false, // the year 10000 in UTC
	"9999-12-31T23:59:59Z":           false,
	"9999-01-01T00:00:00Z":           false,
	"9998-12-31T23:59:59-00:01":      false, // the year 9999 in UTC
	"9998-12-31T23:59:59Z":           true,
	"9999-01-01T00:00:00+00:01":      true, // the year 9998 in UTC
	"1970-01-01T00:00:00Z":           true,
	"1970-01-01T00:00:00+23:59":      false, // the year 1969 in UTC
	"0001-01-01T00:00:00Z":           false, // the zero time of Go
	"0001-01-01T00:00:00.000000001Z": false,
	"0000-01-01T00:00:00Z":           false,
	"0000-01-01T00:00:00+23:59":      false, // before the year 0 in UTC
	"2016-12-31T23:59:60Z":           false, // a leap second, which Go cannot read
	"2030-01-01T00:00:00+24:00":      true,  // which Go reads in queries, and refuses in JSON
	"2030-01-01T00:00:00.1234567Z":   true,
	"10000-01-01T00:00:00Z":          false,
}

// withTime returns copies of a JSON value, each with another of its times replaced, by the path of the time.
func withTime(value any, replacement string) map[string]any {
	all := map[string]any{}
	switch value := value.(type) {
	case string:
		if _, err := time.Parse(time.RFC3339, value); err == nil {
			all[""] = replacement
		}
	case []any:
		for i := range value {
			for _, changed := range withTime(value[i], replacement) {
				clone := slices.Clone(value)
				clone[i] = changed
				all["[]"] = clone
			}
		}
	case map[string]any:
		for name := range value {
			for path, changed := range withTime(value[name], replacement) {
				clone := maps.Clone(value)
				clone[name] = changed
				all[strings.TrimSuffix(name+"."+path, ".")] = clone
			}
		}
	}
	return all
}

// Every time of every operation, in the body and in the query, is sent with each edge, by callers of every kind. Edges
// beyond the bounds are refused with 400 at their field. Other edges that are stored read back equal. Afterwards all
// lists answer: a token that expires in the year 10000 stopped those of its tenant and of operators.
func TestTimes_BeyondTheBoundsAreRefusedAtTheirField(t *testing.T) {
	t.Parallel()
	consoletest.OnBoth(t, func(s *consoletest.Stack) {
		sample, refused, stored := newSampler(s.T, 1, fieldsOf(s, &s.Acme, "")), 0, 0
		callers := []*consoletest.Client{s.As(s.Acme.Owner), s.As(s.Acme.Member), s.As(s.Operator)}
		check := func(q request, field, edge string) {
			for _, me := range callers {
				r := sendDocumented(me, q)
				switch {
				case r.StatusCode == http.StatusBadRequest && r.JSON["param"] == field:
					refused++
				case !edges[edge] && r.StatusCode != http.StatusBadRequest && !isDenied(r):
					s.Errorf("%s: got status %d, want 400 at %s: %.300s", q, r.StatusCode, field, r.Raw)
				case edges[edge] && r.StatusCode < http.StatusMultipleChoices && q.body != nil && r.JSON[field] != nil:
					want, got := edge, consoletest.Text(s, r.JSON, field)
					if !sameTime(want, got) {
						s.Errorf("%s: stored %s as %s", q, want, got)
					}
					stored++
				}
			}
		}
		operations(s.T, func(path, method string, op map[string]any) {
			q := request{id: consoletest.Text(s, op, "operationId"), method: method, path: pathOf(s, &s.Acme, path),
				documented: consoletest.As[map[string]any](s, op["responses"])}
			body := sample.body(op)
			for edge := range edges {
				for field, changed := range withTime(body, edge) {
					with := q
					with.body = changed
					check(with, field, edge)
				}
			}
			parameters, _ := op["parameters"].([]any)
			for _, parameter := range parameters {
				if schema, ok := consoletest.At(s, parameter, "schema").(map[string]any); !ok ||
					schema["format"] != "date-time" {
					continue
				}
				for edge := range edges {
					with, field := q, consoletest.Text(s, parameter, "name")
					with.path += "?" + url.QueryEscape(field) + "=" + url.QueryEscape(edge)
					check(with, field, edge)
				}
			}
		})
		if refused < 500 || stored < 5 {
			s.Errorf("%d times were refused and %d stored, want at least 500 and 5", refused, stored)
		}
		listsAnswer(s)
	})
}

// sameTime reports whether the texts are the same time, as precise as Postgres stores it.
func sameTime(a, b string) bool {
	first, err := time.Parse(time.RFC3339Nano, a)
	second, other := time.Parse(time.RFC3339Nano, b)
	return err == nil && other == nil && first.Truncate(time.Microsecond).Equal(second.Truncate(time.Microsecond))
}

// listsAnswer checks that every operation that reads without an id succeeds or is denied.
func listsAnswer(s *consoletest.Stack) {
	s.Helper()
	operations(s.T, func(path, method string, _ map[string]any) {
		if method != http.MethodGet || strings.Contains(path, "{") {
			return
		}
		for _, who := range []tenant.User{s.Operator, s.Acme.Owner, s.Acme.Member} {
			if r := s.As(who).
				Get(path + map[bool]string{true: "?include_revoked=true"}[path == "/api/tokens"]); r.StatusCode >=
				http.StatusInternalServerError {
				s.Errorf("GET %s by %s: got status %d: %s", path, who.Role, r.StatusCode, r.Raw)
			}
		}
	})
}

func TestTokens_WithTheZeroTimeAreNotCreated(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	me := s.As(s.Acme.Member)
	zero := map[string]any{"name": "x", "expires_at": "0001-01-01T00:00:00Z"}
	me.Post("/api/tokens", zero).Refused(t, http.StatusBadRequest, "expires_at")
	me.Patch("/api/tokens/"+s.Acme.Token.ID.String(), zero).Refused(t, http.StatusBadRequest, "expires_at")
	never := me.Patch("/api/tokens/"+s.Acme.Token.ID.String(), map[string]any{"expires_at": nil}).Want(t, http.StatusOK)
	consoletest.Equal(t, never, nil, "expires_at")
}

func TestNumbers_ThatPagesCannotReadAreRefused(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	for _, limit := range []string{"9007199254740993", "9223372036854775807", "9223372036854775808", "1e300"} {
		r := s.As(s.Acme.Owner).Post("/api/tokens", `{"name":"x","limits":{"requests_per_minute":`+limit+`}}`)
		if r.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: got status %d: %s", limit, r.StatusCode, r.Raw)
		}
	}
}
