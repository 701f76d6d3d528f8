package e2e

import (
	"context"
	"net/http"
	"strings"
	"testing"

	consoleclient "github.com/tollgate/tollgate/e2e/client/console"
	relayclient "github.com/tollgate/tollgate/e2e/client/relay"
)

// The client generated from openapi/relay.yaml makes a first call, and the one
// generated from openapi/console.yaml shows it.
func TestGeneratedClients(t *testing.T) {
	w := commonWorld(t)
	client, err := relayclient.NewClientWithResponses(w.Relay.URL, relayclient.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+acmeToken)
		return nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	post := func(body string) *relayclient.CreateChatCompletionResult {
		t.Helper()
		got, err := client.CreateChatCompletionWithBodyWithResponse(testContext(t), nil, jsonType, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	good := post(ask("gpt-4o-mini", someCounts))
	if good.JSON200 == nil || good.Headers200 == nil {
		t.Fatalf("%s: %s", good.Status(), good.Body)
	}
	if bad := post(ask("gpt-99", someCounts)); bad.JSON404 == nil || bad.JSON404.Error.Code == nil || *bad.JSON404.Error.Code != "model_not_found" {
		t.Errorf("%s: %s", bad.Status(), bad.Body)
	}
	if models, err := client.ListModelsWithResponse(testContext(t)); err != nil || models.JSON200 == nil || len(models.JSON200.Data) != len(offers()) {
		t.Errorf("models: %v", err)
	}
	if model, err := client.RetrieveModelWithResponse(testContext(t), "acme/llama-3:70b"); err != nil || model.JSON200 == nil || model.JSON200.Id != "acme/llama-3:70b" {
		t.Errorf("model: %v: %s", err, model.Body)
	}
	owner := w.signIn(t, acmeOwner)
	owner.awaitLog(t, good.HTTPResponse.Header.Get("X-Request-Id"))
	list, err := owner.ListUsageLogsWithResponse(testContext(t), &consoleclient.ListUsageLogsParams{Limit: whole()})
	must(t, list, err)
	if len(list.JSON200.Items) == 0 {
		t.Error("no usage logs")
	}
	wallet, err := owner.GetQuotaWithResponse(testContext(t), nil)
	must(t, wallet, err)
	if wallet.JSON200.Wallet == nil || *wallet.JSON200.Wallet.Granted != "10000" {
		t.Errorf("quota: %s", wallet.Body)
	}
}
