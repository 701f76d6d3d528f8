package console_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/tenant"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
)

// verdicts returns the reasons in a response by model, and checks that models without a reason are visible.
func verdicts(t *testing.T, body any) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, item := range items(t, body) {
		all[text(t, item, "id")] = text(t, item, "reason")
		equal(t, item, text(t, item, "reason") == "", "visible")
	}
	return all
}

func TestTokenModels_GiveTheReasonForEachModel(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for _, id := range []string{"disabled", "unserved", "outside-group"} {
		status := tenant.Enabled
		if id == "disabled" {
			status = tenant.Disabled
		}
		_, err := s.store.Catalog.CreateModel(t.Context(), system, catalog.Model{ID: id, OwnedBy: "acme",
			Status: status}, pricing.Rates{ClassRates: pricing.ClassRates{Input: usd("1")}})
		s.must(err)
	}
	_, err := s.store.Catalog.UpdateGroup(t.Context(), system, s.group.ID,
		catalogdb.GroupPatch{Models: &[]string{"gpt*", "disabled", "unserved"}})
	s.must(err)
	all := map[string]string{"gpt-4o-mini": "", "disabled": "model_disabled", "unserved": "not_served"}
	me, operator := s.as(s.acme.member), s.as(s.operator)
	path := "/api/tokens/" + s.acme.token.ID.String() + "/models"
	for name, row := range map[string]struct {
		got  reply
		want map[string]string
	}{
		"token of a member": {me.get(path), all},
		"for an admin":      {s.as(s.acme.admin).get(path), all},
		"for an operator": {operator.get(path), map[string]string{"gpt-4o-mini": "",
			"disabled": "model_disabled", "unserved": "not_served", "outside-group": "not_in_group"}},
		"preview": {me.post("/api/tokens/preview", map[string]any{}), all},
		"preview with a list": {me.post("/api/tokens/preview",
			map[string]any{"models": []string{"gpt-4o*", "outside-group"}}),
			map[string]string{"gpt-4o-mini": "", "disabled": "not_in_token", "unserved": "not_in_token"}},
		"preview for another user": {s.as(s.acme.owner).
			post("/api/tokens/preview", map[string]any{"user_id": s.acme.member.ID}), all},
		"preview by an operator": {operator.post("/api/tokens/preview",
			map[string]any{"user_id": s.acme.member.ID, "models": []string{"x"}}),
			map[string]string{"gpt-4o-mini": "not_in_token", "disabled": "not_in_token", "unserved": "not_in_token",
				"outside-group": "not_in_token"}},
	} {
		if diff := cmp.Diff(row.want, verdicts(t, row.got.want(t, http.StatusOK))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	me.post("/api/tokens/preview", map[string]any{"models": []string{"*x"}}).refused(t, http.StatusBadRequest, "models")
	operator.post("/api/tokens/preview", map[string]any{}).refused(t, http.StatusBadRequest, "user_id")
	me.post("/api/tokens/preview", map[string]any{"user_id": s.acme.owner.ID}).want(t, http.StatusForbidden)
}

// Models that only the account of one tenant serves are unknown to all other tenants.
func TestModels_OfATenantsOwnAccountAreHiddenFromOthers(t *testing.T) {
	t.Parallel()
	onBoth(t, func(s *stack) {
		operator := s.as(s.operator)
		for _, id := range []string{"private", "both"} {
			_, err := s.store.Catalog.CreateModel(s.Context(), system, catalog.Model{ID: id, OwnedBy: "acme",
				Status: tenant.Enabled}, pricing.Rates{ClassRates: pricing.ClassRates{Input: usd("1")}})
			s.must(err)
		}
		channel := map[string]any{
			"name": "acme's account", "type": "openai", "base_url": "https://upstream.example/v1",
			"endpoints": []string{"responses"},
			"models":    map[string]string{"private": "private", "both": "both"},
			"settings":  map[string]any{"account_of": "acme"},
		}
		operator.post("/api/operator/channels", channel).want(s, http.StatusCreated)
		channel["name"], channel["models"], channel["settings"] = "shared", map[string]string{"both": "both"},
			map[string]any{}
		operator.post("/api/operator/channels", channel).want(s, http.StatusCreated)

		ids := func(body any) (all []string) {
			for _, item := range items(s, body) {
				all = append(all, text(s, item, "id"))
			}
			return all
		}
		everything, others := []string{"both", "gpt-4o-mini", "private"}, []string{"both", "gpt-4o-mini"}
		for _, row := range []struct {
			company *company
			want    []string
		}{{&s.acme, everything}, {&s.globex, others}} {
			for _, who := range []tenant.User{row.company.owner, row.company.member} {
				me := s.as(who)
				for name, r := range map[string]reply{
					"models":  me.get("/api/models"),
					"token":   me.get("/api/tokens/" + row.company.token.ID.String() + "/models"),
					"preview": me.post("/api/tokens/preview", map[string]any{}),
				} {
					if diff := cmp.Diff(row.want, ids(r.want(s, http.StatusOK))); diff != "" {
						s.Errorf("%s of %s (-want +got):\n%s", name, who.Email, diff)
					}
				}
			}
			verdict := map[bool]string{true: "", false: "not_served"}[row.company == &s.acme]
			if got := verdicts(s.T, operator.get("/api/tokens/"+row.company.token.ID.String()+"/models").
				want(s, http.StatusOK))["private"]; got != verdict {
				s.Errorf("for an operator, the model has the reason %q for a token of %s, want %q", got,
					row.company.Slug, verdict)
			}
		}
	})
}

func TestChannel_IsTheAccountOfATenantThatExists(t *testing.T) {
	t.Parallel()
	s := setup(t)
	operator, path := s.as(s.operator), "/api/operator/channels/"+s.channel.ID.String()
	account := func(slug string) map[string]any {
		return map[string]any{"settings": map[string]any{"account_of": slug}}
	}
	operator.patch(path, account("acme")).want(t, http.StatusOK)
	operator.patch(path, account("nobody")).refused(t, http.StatusBadRequest, "settings.account_of")
	equal(t, operator.get(path).want(t, http.StatusOK), "acme", "settings", "account_of")
	made := account("nobody")
	made["name"], made["type"], made["base_url"], made["endpoints"], made["models"] = "new", "openai",
		"https://x.example/v1", []string{"chat"}, map[string]string{"gpt-4o-mini": "x"}
	operator.post("/api/operator/channels", made).refused(t, http.StatusBadRequest, "settings.account_of")
	operator.patch(path, account("")).want(t, http.StatusOK)
	equal(t, operator.get(path).want(t, http.StatusOK), "", "settings", "account_of")
}
