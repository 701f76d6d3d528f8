package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/verify"
	"github.com/tollgate/tollgate/libs/core/money"
)

func TestVerifyOutput_AsTextAndJSON(t *testing.T) {
	t.Parallel()
	id, cost := uuid.MustParse("01900000-0000-7000-8000-000000000001"), money.Amount(893)
	wrong := verify.Difference{
		Log: id, TenantID: id, CreatedAt: time.Unix(1, 0).UTC(), Cost: 894, Quota: 890, Recomputed: &cost,
		Reason: "wrong cost",
	}
	unknown := wrong
	unknown.Recomputed, unknown.Reason = nil, "price does not exist"
	for _, row := range []struct {
		name       string
		line       any
		text, json string
	}{
		{"difference", wrong, id.String() + ": stored 0.000000894, recomputed 0.000000893: wrong cost\n",
			`{"id":"` + id.String() + `","tenant_id":"` + id.String() +
				`","created_at":"1970-01-01T00:00:01Z","stored_cost":"0.000000894","stored_quota":"0.00000089","recomputed_cost":"0.000000893","why":"wrong cost"}` + "\n"},
		{"unknown price", unknown, id.String() + ": stored 0.000000894, recomputed -: price does not exist\n",
			`{"id":"` + id.String() + `","tenant_id":"` + id.String() +
				`","created_at":"1970-01-01T00:00:01Z","stored_cost":"0.000000894","stored_quota":"0.00000089","recomputed_cost":null,"why":"price does not exist"}` + "\n"},
		{"summary", verify.Summary{Bills: 3, Quota: 2 * money.USD},
			"recomputed 3 charges of 2 USD in total, 0 are wrong\n",
			`{"bills":3,"differences":0,"quota":"2","shortfalls":0,"shortfall":"0","supplied":0,"supplier_cost":"0"}` +
				"\n"},
		{"summary with shortfalls", verify.Summary{Bills: 3, Differences: 1, Shortfalls: 2,
			Shortfall: 5}, "recomputed 3 charges of 0 USD in total, 1 are wrong\n" +
			"2 charges were not deducted in full because the quota ran out: 0.000000005 USD were not deducted\n",
			`{"bills":3,"differences":1,"quota":"0","shortfalls":2,"shortfall":"0.000000005","supplied":0,"supplier_cost":"0"}` + "\n"},
	} {
		var asText, asJSON strings.Builder
		describe(&asText, row.line)
		encode(&asJSON, row.line)
		if asText.String() != row.text {
			t.Errorf("%s: got text %q, want %q", row.name, asText.String(), row.text)
		}
		if asJSON.String() != row.json {
			t.Errorf("%s: got JSON %s, want %s", row.name, asJSON.String(), row.json)
		}
	}
}

func TestInstant_ReadsDatesAndTimes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2026-03-01": "2026-03-01T00:00:00Z", "2026-03-01T12:30:00+01:00": "2026-03-01T11:30:00Z",
		"": "", "yesterday": "", "2026-03-01 12:30": "", "9999-12-31T23:59:59-23:59": "",
	} {
		var m instant
		err := m.UnmarshalText([]byte(text))
		if (err != nil) != (want == "") || want != "" && m.UTC().Format(time.RFC3339) != want {
			t.Errorf("%q: got %v, %v, want %q", text, m, err, want)
		}
	}
}
