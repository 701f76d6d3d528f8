package openai_test

import (
	"net/url"
	"testing"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/provider"
	"github.com/tollgate/tollgate/libs/provider/openai"
)

func TestFault_ClassifiesErrorResponses(t *testing.T) {
	for _, row := range []struct {
		status  int
		body    string
		fault   provider.Fault
		reason  catalog.DisabledReason
		certain bool
	}{
		{200, `{}`, provider.NoFault, "", false},
		{400, `{"error":{"code":"invalid_value"}}`, provider.ClientFault, "", false},
		{401, `{"error":{"message":"no","code":"invalid_api_key"}}`, provider.CredentialFault,
			catalog.ReasonDenied, true},
		{401, `{"error":{"message":"no"}}`, provider.CredentialFault, catalog.ReasonDenied, false},
		{401, `<html>`, provider.CredentialFault, catalog.ReasonDenied, false},
		{401, `{"error":{"message":"no","code":"account_deactivated"}}`, provider.CredentialFault,
			catalog.ReasonDenied, true},
		{402, ``, provider.CredentialFault, catalog.ReasonUnpaid, true},
		{403, `{"error":{"message":"country"}}`, provider.CredentialFault, catalog.ReasonDenied, false},
		{429, `{"error":{"type":"requests","code":"rate_limit_exceeded"}}`, provider.BusyFault, "", false},
		{429, ``, provider.BusyFault, "", false},
		{429, `{"error":{"type":"tokens","code":"rate_limit_exceeded","message":"Request too large for gpt-4o on tokens per min"}}`,
			provider.ClientFault, "", false},
		{429, `{"error":{"type":"tokens","code":"rate_limit_exceeded","message":"Rate limit reached for gpt-4o on tokens per min"}}`,
			provider.BusyFault, "", false},
		{429, `{"error":{"type":"insufficient_quota","code":"insufficient_quota"}}`, provider.CredentialFault,
			catalog.ReasonUnpaid, true},
		{429, `{"error":{"type":"insufficient_quota","code":null}}`, provider.CredentialFault,
			catalog.ReasonUnpaid, true},
		{429, `{"error":{"code":"billing_hard_limit_reached"}}`, provider.CredentialFault, catalog.ReasonUnpaid, true},
		{400, `{"error":{"code":"billing_hard_limit_reached"}}`, provider.CredentialFault, catalog.ReasonUnpaid, true},
		{400, `{"error":{"code":"Arrearage","message":"Access denied"}}`, provider.CredentialFault,
			catalog.ReasonUnpaid, true},
		{400, `{"code":"Client specified an invalid argument","error":"Incorrect API key provided: xa***."}`,
			provider.CredentialFault, catalog.ReasonDenied, false},
		{400, `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key."}}]`,
			provider.CredentialFault, catalog.ReasonDenied, false},
		{400, `{"error":{"message":"Invalid value: Incorrect API key provided"}}`, provider.ClientFault, "", false},
		{498, `{"error":{"message":"capacity"}}`, provider.BusyFault, "", false},
		{500, `{"error":{"code":"insufficient_quota"}}`, provider.ServerFault, "", false},
	} {
		if got := (openai.Provider{}).Fault(row.status, []byte(row.body)); got != row.fault {
			t.Errorf("%d %s: fault %d, want %d", row.status, row.body, got, row.fault)
		}
		if row.fault != provider.CredentialFault {
			continue
		}
		if reason, certain := provider.DisabledReasonOf(row.status, []byte(row.body)); reason != row.reason ||
			certain != row.certain {
			t.Errorf("%d %s: %s, certain %v", row.status, row.body, reason, certain)
		}
	}
}

func TestProbe_ListsModels(t *testing.T) {
	base, err := url.Parse("https://api.example/v1")
	if err != nil {
		t.Fatal(err)
	}
	probe := openai.Provider{}.Probe(provider.Call{Base: base, Credential: "k"})
	if probe.Method != "GET" || probe.URL.String() != "https://api.example/v1/models" ||
		probe.Header.Get("Authorization") != "Bearer k" {
		t.Errorf("%s %s %v", probe.Method, probe.URL, probe.Header)
	}
}
