package console_test

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

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
	onBoth(t, func(s *stack) {
		sample, refused, stored := newSampler(s.T, 1, s.fieldsOf(&s.acme, "")), 0, 0
		callers := []*client{s.as(s.acme.owner), s.as(s.acme.member), s.as(s.operator)}
		check := func(q request, field, edge string) {
			for _, me := range callers {
				r := me.sendDocumented(q)
				switch {
				case r.StatusCode == http.StatusBadRequest && r.body["param"] == field:
					refused++
				case !edges[edge] && r.StatusCode != http.StatusBadRequest && !isDenied(r):
					s.Errorf("%s: got status %d, want 400 at %s: %.300s", q, r.StatusCode, field, r.raw)
				case edges[edge] && r.StatusCode < http.StatusMultipleChoices && q.body != nil && r.body[field] != nil:
					want, got := edge, text(s, r.body, field)
					if !sameTime(want, got) {
						s.Errorf("%s: stored %s as %s", q, want, got)
					}
					stored++
				}
			}
		}
		operations(s.T, func(path, method string, op map[string]any) {
			q := request{id: text(s, op, "operationId"), method: method, path: s.pathOf(&s.acme, path),
				documented: as[map[string]any](s, op["responses"])}
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
				if schema, ok := at(s, parameter, "schema").(map[string]any); !ok || schema["format"] != "date-time" {
					continue
				}
				for edge := range edges {
					with, field := q, text(s, parameter, "name")
					with.path += "?" + url.QueryEscape(field) + "=" + url.QueryEscape(edge)
					check(with, field, edge)
				}
			}
		})
		if refused < 500 || stored < 5 {
			s.Errorf("%d times were refused and %d stored, want at least 500 and 5", refused, stored)
		}
		s.listsAnswer()
	})
}

// sameTime reports whether the texts are the same time, as precise as Postgres stores it.
func sameTime(a, b string) bool {
	first, err := time.Parse(time.RFC3339Nano, a)
	second, other := time.Parse(time.RFC3339Nano, b)
	return err == nil && other == nil && first.Truncate(time.Microsecond).Equal(second.Truncate(time.Microsecond))
}

// listsAnswer checks that every operation that reads without an id succeeds or is denied.
func (s *stack) listsAnswer() {
	s.Helper()
	operations(s.T, func(path, method string, _ map[string]any) {
		if method != http.MethodGet || strings.Contains(path, "{") {
			return
		}
		for _, who := range []tenant.User{s.operator, s.acme.owner, s.acme.member} {
			if r := s.as(who).
				get(path + map[bool]string{true: "?include_revoked=true"}[path == "/api/tokens"]); r.StatusCode >=
				http.StatusInternalServerError {
				s.Errorf("GET %s by %s: got status %d: %s", path, who.Role, r.StatusCode, r.raw)
			}
		}
	})
}

func TestTokens_WithTheZeroTimeAreNotCreated(t *testing.T) {
	t.Parallel()
	s := setup(t)
	me := s.as(s.acme.member)
	zero := map[string]any{"name": "x", "expires_at": "0001-01-01T00:00:00Z"}
	me.post("/api/tokens", zero).refused(t, http.StatusBadRequest, "expires_at")
	me.patch("/api/tokens/"+s.acme.token.ID.String(), zero).refused(t, http.StatusBadRequest, "expires_at")
	never := me.patch("/api/tokens/"+s.acme.token.ID.String(), map[string]any{"expires_at": nil}).want(t, http.StatusOK)
	equal(t, never, nil, "expires_at")
}

func TestNumbers_ThatPagesCannotReadAreRefused(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for _, limit := range []string{"9007199254740993", "9223372036854775807", "9223372036854775808", "1e300"} {
		r := s.as(s.acme.owner).post("/api/tokens", `{"name":"x","limits":{"requests_per_minute":`+limit+`}}`)
		if r.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: got status %d: %s", limit, r.StatusCode, r.raw)
		}
	}
}
