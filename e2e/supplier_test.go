package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	openapi_types "github.com/oapi-codegen/runtime/types"

	"github.com/tollgate/tollgate/e2e/fakeupstream"
	"github.com/tollgate/tollgate/e2e/story"
	"github.com/tollgate/tollgate/e2e/wait"
	consoleclient "github.com/tollgate/tollgate/openapi/clients/go/console"
)

// TestSupplierInvoices_FollowTheProvider checks that a worker fetches all pages of each provider despite passing
// faults, reports the exact amount as a difference, and takes a correction over.
func TestSupplierInvoices_FollowTheProvider(t *testing.T) {
	t.Parallel()
	w := ownTestbed(t, nil)
	admin := w.signIn(t, operator)
	now := time.Now().UTC()
	day, missing := now.AddDate(0, 0, -4).Format(time.DateOnly), now.AddDate(0, 0, -3).Format(time.DateOnly)
	for _, provider := range []string{"openai", "anthropic", "openrouter"} {
		credential := "sk-admin-secret-of-" + provider
		row := fakeupstream.Billed{Day: day, Model: "elsewhere-2026-01-01", Key: "key_1",
			Amount: "12.3456789014999999999999", Input: 1000, Output: 50, Requests: 7}
		w.upstream.SetBill(t, fakeupstream.Bill{
			Credential: credential, Rows: []fakeupstream.Billed{row}, Missing: []string{missing},
			Faults: []fakeupstream.BillFault{fakeupstream.BillLimited, fakeupstream.BillDown, fakeupstream.BillCut},
		})
		made, err := admin.CreateBillingAccount(story.Context(t), consoleclient.NewBillingAccount{
			Name: provider, Provider: consoleclient.NewBillingAccountProvider(provider), BaseUrl: &w.upstream.URL,
			Credential: &credential,
		})
		story.Must(t, made, err)
		id := made.JSON201.Id
		expect := func(want string) {
			t.Helper()
			if provider != "openrouter" { // its report does not say which days are missing
				want = "pending  0, " + want
			}
			await(t, func() error {
				days, err := admin.ListSupplierDays(story.Context(t),
					&consoleclient.ListSupplierDaysParams{AccountId: &id})
				if err != nil {
					return err
				}
				var got []string
				for _, d := range days.JSON200.Items {
					if at := d.Day.Format(time.DateOnly); at == day || at == missing && provider != "openrouter" {
						got = append(got, fmt.Sprintf("%s %s %s", d.Status, d.Reason, d.Difference))
					}
				}
				if all := strings.Join(got, ", "); all != want {
					return fmt.Errorf("%s: got days %q, want %q", provider, all, want)
				}
				return nil
			})
		}
		expect("differs other_use 12.345678901")
		compared, err := admin.GetSupplierComparison(story.Context(t), id,
			&consoleclient.GetSupplierComparisonParams{Day: dateOf(t, day)})
		story.Must(t, compared, err)
		if models := compared.JSON200.Models; len(models) != 1 || models[0].Name != "elsewhere" ||
			*models[0].Provider.InputTokens != 1000 {
			t.Errorf("%s: got models %+v", provider, models)
		}
		row.Amount = "0.005"
		w.upstream.SetBill(t, fakeupstream.Bill{Credential: credential, Rows: []fakeupstream.Billed{row},
			Missing: []string{missing}})
		fetched, err := admin.FetchBillingAccount(story.Context(t), id)
		story.Must(t, fetched, err)
		expect("matches  0.005")
		if logs := w.Logs(10_000); strings.Contains(logs, credential) {
			t.Errorf("%s: a log has the billing credential", provider)
		}
	}
}

// dateOf returns the day as the client's type.
func dateOf(t *testing.T, day string) *openapi_types.Date {
	t.Helper()
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		t.Fatal(err)
	}
	return &openapi_types.Date{Time: at}
}

// await waits until the condition holds.
func await(t *testing.T, holds func() error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), story.Patience)
	defer cancel()
	if err := wait.Until(ctx, func(context.Context) error { return holds() }); err != nil {
		t.Fatal(err)
	}
}
