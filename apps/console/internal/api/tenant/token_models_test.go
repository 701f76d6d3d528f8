package tenant_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/tenant"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
)

// verdicts returns the reasons in a response by model, and checks that models without a reason are visible.
func verdicts(t *testing.T, body any) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, item := range consoletest.Items(t, body) {
		all[consoletest.Text(t, item, "id")] = consoletest.Text(t, item, "reason")
		consoletest.Equal(t, item, consoletest.Text(t, item, "reason") == "", "visible")
	}
	return all
}

func TestTokenModels_GiveTheReasonForEachModel(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	for _, id := range []string{"disabled", "unserved", "outside-group"} {
		status := tenant.Enabled
		if id == "disabled" {
			status = tenant.Disabled
		}
		_, err := s.Store.Catalog.CreateModel(t.Context(), consoletest.System, catalog.Model{ID: id, OwnedBy: "acme",
			Status: status}, pricing.Rates{ClassRates: pricing.ClassRates{Input: consoletest.USD("1")}})
		s.Must(err)
	}
	_, err := s.Store.Catalog.UpdateGroup(t.Context(), consoletest.System, s.Group.ID,
		catalogdb.GroupPatch{Models: &[]string{"gpt*", "disabled", "unserved"}})
	s.Must(err)
	all := map[string]string{"gpt-4o-mini": "", "disabled": "model_disabled", "unserved": "not_served"}
	me, operator := s.As(s.Acme.Member), s.As(s.Operator)
	path := "/api/tokens/" + s.Acme.Token.ID.String() + "/models"
	for name, row := range map[string]struct {
		got  consoletest.Reply
		want map[string]string
	}{
		"token of a member": {me.Get(path), all},
		"for an admin":      {s.As(s.Acme.Admin).Get(path), all},
		"for an operator": {operator.Get(path), map[string]string{"gpt-4o-mini": "",
			"disabled": "model_disabled", "unserved": "not_served", "outside-group": "not_in_group"}},
		"preview": {me.Post("/api/tokens/preview", map[string]any{}), all},
		"preview with a list": {me.Post("/api/tokens/preview",
			map[string]any{"models": []string{"gpt-4o*", "outside-group"}}),
			map[string]string{"gpt-4o-mini": "", "disabled": "not_in_token", "unserved": "not_in_token"}},
		"preview for another user": {s.As(s.Acme.Owner).
			Post("/api/tokens/preview", map[string]any{"user_id": s.Acme.Member.ID}), all},
		"preview by an operator": {operator.Post("/api/tokens/preview",
			map[string]any{"user_id": s.Acme.Member.ID, "models": []string{"x"}}),
			map[string]string{"gpt-4o-mini": "not_in_token", "disabled": "not_in_token", "unserved": "not_in_token",
				"outside-group": "not_in_token"}},
	} {
		if diff := cmp.Diff(row.want, verdicts(t, row.got.Want(t, http.StatusOK))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	me.Post("/api/tokens/preview", map[string]any{"models": []string{"*x"}}).Refused(t, http.StatusBadRequest, "models")
	operator.Post("/api/tokens/preview", map[string]any{}).Refused(t, http.StatusBadRequest, "user_id")
	me.Post("/api/tokens/preview", map[string]any{"user_id": s.Acme.Owner.ID}).Want(t, http.StatusForbidden)
}

// Models that only the account of one tenant serves are unknown to all other tenants.
func TestModels_OfATenantsOwnAccountAreHiddenFromOthers(t *testing.T) {
	t.Parallel()
	consoletest.OnBoth(t, func(s *consoletest.Stack) {
		operator := s.As(s.Operator)
		for _, id := range []string{"private", "both"} {
			_, err := s.Store.Catalog.CreateModel(s.Context(), consoletest.System,
				catalog.Model{ID: id, OwnedBy: "acme",
					Status: tenant.Enabled}, pricing.Rates{ClassRates: pricing.ClassRates{Input: consoletest.USD("1")}})
			s.Must(err)
		}
		channel := map[string]any{
			"name": "acme's account", "type": "openai", "base_url": "https://upstream.example/v1",
			"endpoints": []string{"responses"},
			"models":    map[string]string{"private": "private", "both": "both"},
			"settings":  map[string]any{"account_of": "acme"},
		}
		operator.Post("/api/operator/channels", channel).Want(s, http.StatusCreated)
		channel["name"], channel["models"], channel["settings"] = "shared", map[string]string{"both": "both"},
			map[string]any{}
		operator.Post("/api/operator/channels", channel).Want(s, http.StatusCreated)

		ids := func(body any) (all []string) {
			for _, item := range consoletest.Items(s, body) {
				all = append(all, consoletest.Text(s, item, "id"))
			}
			return all
		}
		everything, others := []string{"both", "gpt-4o-mini", "private"}, []string{"both", "gpt-4o-mini"}
		for _, row := range []struct {
			company *consoletest.Company
			want    []string
		}{{&s.Acme, everything}, {&s.Globex, others}} {
			for _, who := range []tenant.User{row.company.Owner, row.company.Member} {
				me := s.As(who)
				for name, r := range map[string]consoletest.Reply{
					"models":  me.Get("/api/models"),
					"token":   me.Get("/api/tokens/" + row.company.Token.ID.String() + "/models"),
					"preview": me.Post("/api/tokens/preview", map[string]any{}),
				} {
					if diff := cmp.Diff(row.want, ids(r.Want(s, http.StatusOK))); diff != "" {
						s.Errorf("%s of %s (-want +got):\n%s", name, who.Email, diff)
					}
				}
			}
			verdict := map[bool]string{true: "", false: "not_served"}[row.company == &s.Acme]
			if got := verdicts(s.T, operator.Get("/api/tokens/"+row.company.Token.ID.String()+"/models").
				Want(s, http.StatusOK))["private"]; got != verdict {
				s.Errorf("for an operator, the model has the reason %q for a token of %s, want %q", got,
					row.company.Slug, verdict)
			}
		}
	})
}

func TestChannel_IsTheAccountOfATenantThatExists(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator, path := s.As(s.Operator), "/api/operator/channels/"+s.Channel.ID.String()
	account := func(slug string) map[string]any {
		return map[string]any{"settings": map[string]any{"account_of": slug}}
	}
	operator.Patch(path, account("acme")).Want(t, http.StatusOK)
	operator.Patch(path, account("nobody")).Refused(t, http.StatusBadRequest, "settings.account_of")
	consoletest.Equal(t, operator.Get(path).Want(t, http.StatusOK), "acme", "settings", "account_of")
	made := account("nobody")
	made["name"], made["type"], made["base_url"], made["endpoints"], made["models"] = "new", "openai",
		"https://x.example/v1", []string{"chat"}, map[string]string{"gpt-4o-mini": "x"}
	operator.Post("/api/operator/channels", made).Refused(t, http.StatusBadRequest, "settings.account_of")
	operator.Patch(path, account("")).Want(t, http.StatusOK)
	consoletest.Equal(t, operator.Get(path).Want(t, http.StatusOK), "", "settings", "account_of")
}
