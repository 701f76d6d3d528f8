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
		_, err := s.store.Catalog.CreateModel(t.Context(), system, catalog.Model{ID: id, OwnedBy: "acme", Status: status}, pricing.Rates{Input: usd("1")})
		s.must(err)
	}
	_, err := s.store.Catalog.UpdateGroup(t.Context(), system, s.group.ID, catalogdb.GroupPatch{Models: &[]string{"gpt*", "disabled", "unserved"}})
	s.must(err)
	all := map[string]string{"gpt-4o-mini": "", "disabled": "model_disabled", "unserved": "not_served"}
	me, operator := s.as(s.acme.member), s.as(s.operator)
	path := "/api/tokens/" + s.acme.token.ID.String() + "/models"
	for name, row := range map[string]struct {
		got  reply
		want map[string]string
	}{
		"token of a member":        {me.get(path), all},
		"for an admin":             {s.as(s.acme.admin).get(path), all},
		"for an operator":          {operator.get(path), map[string]string{"gpt-4o-mini": "", "disabled": "model_disabled", "unserved": "not_served", "outside-group": "not_in_group"}},
		"preview":                  {me.post("/api/tokens/preview", map[string]any{}), all},
		"preview with a list":      {me.post("/api/tokens/preview", map[string]any{"models": []string{"gpt-4o*", "outside-group"}}), map[string]string{"gpt-4o-mini": "", "disabled": "not_in_token", "unserved": "not_in_token"}},
		"preview for another user": {s.as(s.acme.owner).post("/api/tokens/preview", map[string]any{"user_id": s.acme.member.ID}), all},
		"preview by an operator":   {operator.post("/api/tokens/preview", map[string]any{"user_id": s.acme.member.ID, "models": []string{"x"}}), map[string]string{"gpt-4o-mini": "not_in_token", "disabled": "not_in_token", "unserved": "not_in_token", "outside-group": "not_in_token"}},
	} {
		if diff := cmp.Diff(row.want, verdicts(t, row.got.want(t, http.StatusOK))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	me.post("/api/tokens/preview", map[string]any{"models": []string{"*x"}}).refused(t, http.StatusBadRequest, "models")
	operator.post("/api/tokens/preview", map[string]any{}).refused(t, http.StatusBadRequest, "user_id")
	me.post("/api/tokens/preview", map[string]any{"user_id": s.acme.owner.ID}).want(t, http.StatusForbidden)
}
