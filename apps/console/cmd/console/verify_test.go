package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/verify"
	"github.com/tollgate/tollgate/libs/core/money"
)

func TestVerifySpeaksToPeopleAndPrograms(t *testing.T) {
	t.Parallel()
	id, cost := uuid.MustParse("01900000-0000-7000-8000-000000000001"), money.Amount(893)
	differs := verify.Difference{
		Log: id, TenantID: id, CreatedAt: time.Unix(1, 0).UTC(), Cost: 894, Quota: 890, Recomputed: &cost, Reason: "the cost is another",
	}
	unknown := differs
	unknown.Recomputed, unknown.Reason = nil, "there is no price"
	for _, row := range []struct {
		name         string
		line         any
		people, json string
	}{
		{"a difference", differs, id.String() + ": stored 0.000000894, recomputed 0.000000893: the cost is another\n",
			`{"id":"` + id.String() + `","tenant_id":"` + id.String() + `","created_at":"1970-01-01T00:00:01Z","stored_cost":"0.000000894","stored_quota":"0.00000089","recomputed_cost":"0.000000893","why":"the cost is another"}` + "\n"},
		{"an unknown version", unknown, id.String() + ": stored 0.000000894, recomputed -: there is no price\n",
			`{"id":"` + id.String() + `","tenant_id":"` + id.String() + `","created_at":"1970-01-01T00:00:01Z","stored_cost":"0.000000894","stored_quota":"0.00000089","recomputed_cost":null,"why":"there is no price"}` + "\n"},
		{"a summary", verify.Summary{Bills: 3, Quota: 2 * money.USD}, "3 bills of 2 USD recomputed, 0 differ\n",
			`{"bills":3,"differences":0,"quota":"2","shortfalls":0,"shortfall":"0"}` + "\n"},
		{"a summary with shortfalls", verify.Summary{Bills: 3, Differences: 1, Shortfalls: 2, Shortfall: 5}, "3 bills of 0 USD recomputed, 1 differ\n" +
			"2 bills were not paid in full, as where a grant ends: 0.000000005 USD were not deducted\n",
			`{"bills":3,"differences":1,"quota":"0","shortfalls":2,"shortfall":"0.000000005"}` + "\n"},
	} {
		var people, programs strings.Builder
		describe(&people, row.line)
		encode(&programs, row.line)
		if people.String() != row.people {
			t.Errorf("%s: %q, want %q", row.name, people.String(), row.people)
		}
		if programs.String() != row.json {
			t.Errorf("%s: %s, want %s", row.name, programs.String(), row.json)
		}
	}
}

func TestMoments(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2026-03-01": "2026-03-01T00:00:00Z", "2026-03-01T12:30:00+01:00": "2026-03-01T11:30:00Z",
		"": "", "yesterday": "", "2026-03-01 12:30": "",
	} {
		var m moment
		err := m.UnmarshalText([]byte(text))
		if (err != nil) != (want == "") || want != "" && m.UTC().Format(time.RFC3339) != want {
			t.Errorf("%q: %v, %v", text, m, err)
		}
	}
}
