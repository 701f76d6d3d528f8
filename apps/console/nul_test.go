package console_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// withNUL returns copies of a JSON value, each with a NUL character, which Postgres refuses in every statement and in
// JSON, in another text or name.
func withNUL(value any) (all []any) {
	switch value := value.(type) {
	case string:
		return []any{value + "\x00"}
	case []any:
		for i := range value {
			for _, changed := range withNUL(value[i]) {
				clone := slices.Clone(value)
				clone[i] = changed
				all = append(all, clone)
			}
		}
	case map[string]any:
		for name := range value {
			for _, changed := range withNUL(value[name]) {
				clone := maps.Clone(value)
				clone[name] = changed
				all = append(all, clone)
			}
			renamed := maps.Clone(value)
			renamed[name+"\x00"] = value[name]
			all = append(all, renamed)
		}
	}
	return all
}

// Every text of every body is sent to a console on Postgres with a NUL character, by callers of every kind. All are
// refused. None may cause an internal error, also not later: the events of the requests are written to the audit log.
func TestText_WithANULCausesNoInternalError(t *testing.T) {
	t.Parallel()
	s := consoletest.SetupOn(t, storetest.Postgres(t))
	// Calls must not leave the machine.
	storetest.Exec(t, s.Database, "UPDATE channels SET base_url = 'http://127.0.0.1:1/v1'")
	fields := fieldsOf(s, &s.Acme, "")
	fields["base_url"], fields["status"], fields["role"], fields["require_second_factor"] = "http://127.0.0.1:1/v1",
		"enabled", "owner", nil
	sample, sent, read := newSampler(t, 1, fields), 0, 0
	operations(t, func(path, method string, op map[string]any) {
		q := request{id: consoletest.Text(t, op, "operationId"), method: method, path: pathOf(s, &s.Acme, path),
			documented: consoletest.As[map[string]any](t, op["responses"])}
		bodies := withNUL(sample.body(op))
		for _, me := range []*consoletest.Client{s.Anonymous(), s.As(s.Acme.Owner), s.As(s.Operator)} {
			for _, body := range bodies {
				q.body = body
				sent++
				r := sendDocumented(me, q)
				if r.StatusCode < http.StatusMultipleChoices {
					t.Errorf("%s: got status %d, want a refusal", q, r.StatusCode)
				}
				if r.StatusCode <= http.StatusBadRequest {
					read++
				}
			}
		}
	})
	if sent < 300 || read < sent/4 {
		t.Errorf("sent %d requests, of which %d were read, want at least 300 and a quarter", sent, read)
	}
	s.Must(s.App.Stop(t.Context()))
	if found := consoletest.Items(t, s.As(s.Operator).Get("/api/operator/audit-log?action=audit_log.lost").
		Want(t, http.StatusOK)); len(found) != 0 {
		t.Errorf("events were lost: %v", found)
	}
}

// Guesses are counted by the address as it was sent. An address with NUL characters must not reach the account without
// them, or each such spelling would get guesses of its own.
func TestSignIn_RefusesAnAddressWithANUL(t *testing.T) {
	t.Parallel()
	consoletest.OnBoth(t, func(s *consoletest.Stack) {
		for _, address := range []string{s.Acme.Owner.Email + "\x00", "\x00" + s.Acme.Owner.Email,
			strings.Replace(s.Acme.Owner.Email, "@", "\x00@", 1)} {
			s.Anonymous().Post("/api/session", consoletest.Credentials(address, consoletest.Password)).
				Refused(s.T, http.StatusBadRequest, "email")
		}
		s.Anonymous().Post("/api/session", consoletest.Credentials(s.Acme.Owner.Email, consoletest.Password)).
			Want(s.T, http.StatusOK)
	})
}
