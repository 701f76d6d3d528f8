package console_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/seal"
	storerelay "github.com/tollgate/tollgate/libs/store/relay"
)

func TestOperatorTenants_CreateEditAndRefuse(t *testing.T) {
	t.Parallel()
	s := setup(t)
	operator := s.as(s.operator)
	created := operator.post("/api/operator/tenants",
		map[string]any{"slug": "initech", "name": "Initech", "quota": "2.50"}).want(t, http.StatusCreated)
	equal(t, created, "2.5", "quota", "granted")
	path := "/api/operator/tenants/" + text(t, created, "id")
	equal(t, operator.patch(path, map[string]any{"name": "Initech Ltd"}).want(t, http.StatusOK), "Initech Ltd", "name")
	equal(t, operator.patch(path, map[string]any{"status": "disabled"}).want(t, http.StatusOK), "disabled", "status")
	equal(t, operator.get(path).want(t, http.StatusOK), "initech", "slug")
	equal(t, created, "hard", "quota_mode")
	equal(t, operator.patch(path, map[string]any{"quota_mode": "soft"}).want(t, http.StatusOK), "soft", "quota_mode")
	equal(t, operator.get(path).want(t, http.StatusOK), "soft", "quota_mode")
	equal(t, created, "auto", "output_cap")
	equal(t, operator.patch(path, map[string]any{"output_cap": "off"}).want(t, http.StatusOK), "off", "output_cap")
	equal(t, operator.get(path).want(t, http.StatusOK), "off", "output_cap")
	equal(t, created, "report", "ignored_fields")
	equal(t, operator.patch(path, map[string]any{"ignored_fields": "refuse"}).want(t, http.StatusOK), "refuse",
		"ignored_fields")
	equal(t, created, false, "include_quota")
	equal(t, operator.patch(path, map[string]any{"include_quota": true}).want(t, http.StatusOK), true, "include_quota")
	operator.patch(path, map[string]any{"metadata_tags": []string{"team", "feature"}}).want(t, http.StatusOK)
	equal(t, operator.get(path).want(t, http.StatusOK), "feature", "metadata_tags", 1)
	operator.patch(path, map[string]any{"metadata_tags": []string{"Team"}}).
		refused(t, http.StatusBadRequest, "metadata_tags")
	if listed := items(t, operator.get("/api/operator/tenants").want(t, http.StatusOK)); len(listed) != 3 {
		t.Errorf("got %d tenants, want 3", len(listed))
	}
	for _, row := range []struct {
		body   string
		status int
		param  string
	}{
		{`{"slug":"initech","name":"x"}`, 409, "slug"}, {`{"slug":"Not A Slug","name":"x"}`, 400, "slug"},
		{`{"slug":"x"}`, 400, "name"}, {`{"slug":"x","name":"x","quota":"-1"}`, 400, "quota"},
		{`{"slug":"x","name":"x","id":"x"}`, 400, "id"},
		{`{"slug":"x","name":"x","quota_mode":"gentle"}`, 400, "quota_mode"},
		{`{"slug":"x","name":"x","output_cap":"on"}`, 400, "output_cap"},
	} {
		operator.post("/api/operator/tenants", row.body).refused(t, row.status, row.param)
	}
	operator.get("/api/operator/tenants/01900000-0000-7000-8000-000000000000").refused(t, http.StatusNotFound, "")
}

func TestOperatorUsers_CreateEditAndRefuse(t *testing.T) {
	t.Parallel()
	s := setup(t)
	operator := s.as(s.operator)
	created := operator.post("/api/operator/users", map[string]any{
		"tenant_id": s.acme.ID, "email": "New@Acme.example", "password": password, "role": "owner",
		"group_id": s.group.ID,
	}).want(t, http.StatusCreated)
	equal(t, created, "new@acme.example", "email")
	s.signIn("new@acme.example", password)
	path := "/api/operator/users/" + text(t, created, "id")
	vip := operator.post("/api/operator/groups",
		map[string]any{"name": "vip", "models": []string{"*"}, "multiplier": "0.5"}).want(t, http.StatusCreated)
	edited := operator.patch(path, map[string]any{"group_id": vip["id"], "quota": "3", "role": "member"}).
		want(t, http.StatusOK)
	equal(t, edited, vip["id"], "group_id")
	equal(t, edited, "3", "quota", "granted")
	equal(t, operator.get(path).want(t, http.StatusOK), "member", "role")

	second := operator.post("/api/operator/users", map[string]any{"email": "second@example.com", "password": password,
		"role": "operator"}).want(t, http.StatusCreated)
	equal(t, second, nil, "tenant_id")
	s.signIn("second@example.com", password).get("/api/operator/tenants").want(t, http.StatusOK)

	if listed := items(t, operator.get("/api/operator/users?tenant_id="+s.acme.ID.String()).
		want(t, 200)); len(listed) != 4 {
		t.Errorf("got %d users of acme, want 4", len(listed))
	}
	for _, row := range []struct{ body, param string }{
		{`{"email":"a@acme.example","password":"correct horse battery","role":"member"}`, "tenant_id"},
		{`{"email":"a@acme.example","password":"correct horse battery","role":"member","tenant_id":"` +
			s.acme.ID.String() + `"}`, "group_id"},
		{`{"email":"a@acme.example","password":"correct horse battery","role":"operator","tenant_id":"` +
			s.acme.ID.String() + `"}`, "tenant_id"},
		{`{"email":"a@acme.example","password":"correct horse battery","role":"king"}`, "role"},
	} {
		operator.post("/api/operator/users", row.body).refused(t, http.StatusBadRequest, row.param)
	}
	operator.patch(path, map[string]any{"password": "short"}).refused(t, http.StatusBadRequest, "password")
	operator.patch(path, map[string]any{"role": "operator"}).refused(t, http.StatusBadRequest, "role")
}

func TestOperatorGroups_CreateEditAndRefuse(t *testing.T) {
	t.Parallel()
	s := setup(t)
	operator := s.as(s.operator)
	created := operator.post("/api/operator/groups", map[string]any{"name": "vip", "models": []string{"gpt-*"},
		"multiplier": "0.5"}).want(t, http.StatusCreated)
	equal(t, created, "0.5", "multiplier")
	path := "/api/operator/groups/" + text(t, created, "id")
	edited := operator.patch(path, map[string]any{"multiplier": "0.4", "models": []string{"*"}, "name": "very vip"}).
		want(t, http.StatusOK)
	equal(t, edited, "0.4", "multiplier")
	equal(t, edited, "*", "models", 0)
	rules := operator.get("/api/operator/group-rules?group_id="+text(t, created, "id")).want(t, http.StatusOK)
	equal(t, rules, "0.4", "items", 0, "multiplier")
	equal(t, rules, "0.5", "items", 1, "multiplier")
	rule := operator.post("/api/operator/group-rules", map[string]any{
		"group_id": created["id"], "model": "gpt-4o-mini", "multiplier": "2", "effective_from": "2099-01-01T00:00:00Z",
	}).want(t, http.StatusCreated)
	equal(t, rule, "2099-01-01T00:00:00Z", "effective_from")
	equal(t, rule, nil, "fixed")
	flat := operator.post("/api/operator/group-rules", map[string]any{"group_id": created["id"], "fixed": "0.02"}).
		want(t, http.StatusCreated)
	equal(t, flat, "0.02", "fixed")
	equal(t, operator.get("/api/operator/groups").want(t, 200), "0.02", "items", 1, "fixed")
	if listed := items(t, operator.get("/api/operator/groups").want(t, 200)); len(listed) != 2 {
		t.Errorf("got %d groups, want 2", len(listed))
	}
	for _, row := range []struct {
		path, body string
		status     int
		param      string
	}{
		{"groups", `{"name":"very vip","models":["*"]}`, 409, "name"},
		{"groups", `{"name":"x","models":["*x"]}`, 400, "models"},
		{"groups", `{"name":"x","models":["*"],"multiplier":"-1"}`, 400, "multiplier"},
		{"groups", `{"name":"x","models":["*"],"multiplier":1}`, 400, "multiplier"},
		{"groups", `{"name":"x"}`, 400, "models"},
		{"group-rules", `{"group_id":"` + s.group.ID.String() + `","effective_from":"2001-01-01T00:00:00Z"}`, 400,
			"effective_from"},
		{"group-rules", `{"group_id":"` + s.group.ID.String() + `","fixed":"-1"}`, 400, "fixed"},
		{"group-rules", `{}`, 400, "group_id"},
	} {
		operator.post("/api/operator/"+row.path, row.body).refused(t, row.status, row.param)
	}
}

func TestOperatorChannels_CreateEditAndRefuse(t *testing.T) {
	t.Parallel()
	s := setup(t)
	operator := s.as(s.operator)
	body := map[string]any{
		"name": "second", "type": "openai", "base_url": "https://second.example/v1", "api_keys": []string{credential},
		"dialects": []string{"chat"}, "models": map[string]string{"gpt-4o-mini": "mini"}, "priority": 1,
	}
	r := operator.post("/api/operator/channels", body)
	created := r.want(t, http.StatusCreated)
	equal(t, created, "sk-u…6789", "api_key_masks", 0)
	equal(t, created, 1.0, "weight")
	equal(t, created, "enabled", "status")
	equal(t, created, "cancel", "on_disconnect")
	id := text(t, created, "id")
	path := "/api/operator/channels/" + id

	equal(t, created, "refuse", "unpriced")
	equal(t, operator.patch(path, map[string]any{"unpriced": "allow"}).want(t, http.StatusOK), "allow", "unpriced")
	operator.patch(path, map[string]any{"unpriced": "free"}).refused(t, http.StatusBadRequest, "unpriced")
	equal(t, operator.patch(path, map[string]any{"on_disconnect": "drain"}).want(t, http.StatusOK), "drain",
		"on_disconnect")
	equal(t, operator.get(path).want(t, http.StatusOK), "drain", "on_disconnect")
	operator.patch(path, map[string]any{"on_disconnect": "ignore"}).refused(t, http.StatusBadRequest, "on_disconnect")

	edited := operator.patch(path, map[string]any{"weight": 5, "status": "disabled",
		"models": map[string]string{"gpt-4o-mini": "other"}}).want(t, http.StatusOK)
	equal(t, edited, 5.0, "weight")
	equal(t, edited, "other", "models", "gpt-4o-mini")
	equal(t, edited, "sk-u…6789", "api_key_masks", 0)
	operator.patch(path, map[string]any{"api_keys": []string{"sk-replaced-credential-9876543210"}}).
		want(t, http.StatusOK)
	channels, err := s.store.Catalog.Channels(t.Context(), system, storePage)
	s.must(err)
	for _, channel := range channels.Items {
		if channel.ID.String() != id {
			continue
		}
		if plain, err := seal.New(s.secret).OpenCredential(channel.Credentials[0]); err != nil ||
			plain != "sk-replaced-credential-9876543210" {
			t.Errorf("got the stored credential %q, %v, want the replaced one", plain, err)
		}
	}
	for _, path := range []string{path, "/api/operator/channels", "/api/operator/audit-log"} {
		if r := operator.get(path); strings.Contains(r.raw, "upstream-credential") ||
			strings.Contains(r.raw, "replaced-credential") {
			t.Errorf("%s shows a credential: %s", path, r.raw)
		}
	}
	for _, row := range []struct {
		field string
		value any
		param string
	}{
		{"type", "carrier-pigeon", "type"}, {"base_url", "ftp://x", "base_url"},
		{"base_url", "https://u:p@x", "base_url"}, {"base_url", "", "base_url"},
		{"dialects", []string{}, "dialects"}, {"dialects", []string{"smoke"}, "dialects[0]"},
		{"dialects", []string{"gemini"}, "dialects"}, {"dialects", nil, "dialects"},
		{"models", map[string]string{}, "models"},
		{"weight", 0, "weight"}, {"api_keys", []string{"sk-u…6789"}, "api_keys[0]"},
		{"api_keys", []string{""}, "api_keys[0]"},
		{"name", "", "name"}, {"status", "asleep", "status"}, {"sealed", "x", "sealed"},
	} {
		changed := map[string]any{row.field: row.value}
		for key, value := range body {
			if _, ok := changed[key]; !ok {
				changed[key] = value
			}
		}
		changed["name"] = "third"
		if row.field == "name" {
			changed["name"] = row.value
		}
		operator.post("/api/operator/channels", changed).refused(t, http.StatusBadRequest, row.param)
		if row.field != "type" {
			operator.patch(path, map[string]any{row.field: row.value}).refused(t, http.StatusBadRequest, row.param)
		}
	}
	operator.post("/api/operator/channels", body).refused(t, http.StatusConflict, "name")
}

// Endpoints is the former name of the field dialects, and clients that use it keep working.
func TestOperatorChannels_AcceptTheFormerNameOfDialects(t *testing.T) {
	t.Parallel()
	s := setup(t)
	as := s.as(s.operator)
	const path = "/api/operator/channels"
	chat, both := []string{"chat"}, []string{"chat", "responses"}
	body := func(name string, lists map[string]any) map[string]any {
		lists["name"], lists["type"], lists["base_url"] = name, "openai", "https://former.example/v1"
		lists["models"] = map[string]string{"gpt-4o-mini": "mini"}
		return lists
	}
	shows := func(channel any, want ...any) {
		t.Helper()
		for _, field := range []string{"dialects", "endpoints"} {
			if diff := cmp.Diff(any(want), at(t, channel, field)); diff != "" {
				t.Errorf("%s (-want +got): %s", field, diff)
			}
		}
	}
	shows(as.post(path, body("by dialects", map[string]any{"dialects": chat})).want(t, http.StatusCreated), "chat")
	shows(as.post(path, body("by both", map[string]any{"dialects": both, "endpoints": both})).
		want(t, http.StatusCreated), "chat", "responses")
	created := as.post(path, body("by endpoints", map[string]any{"endpoints": chat})).want(t, http.StatusCreated)
	shows(created, "chat")

	one := path + "/" + text(t, created, "id")
	shows(as.patch(one, map[string]any{"endpoints": both}).want(t, http.StatusOK), "chat", "responses")
	shows(as.patch(one, map[string]any{"dialects": chat, "endpoints": chat}).want(t, http.StatusOK), "chat")
	shows(as.patch(one, map[string]any{"dialects": both}).want(t, http.StatusOK), "chat", "responses")
	shows(as.patch(one, map[string]any{"weight": 2}).want(t, http.StatusOK), "chat", "responses")

	// A refusal names the field that the body has.
	for _, row := range []struct {
		lists map[string]any
		param string
	}{
		{map[string]any{"dialects": both, "endpoints": chat}, "endpoints"},
		{map[string]any{"dialects": chat, "endpoints": []string{}}, "endpoints"},
		{map[string]any{"endpoints": []string{}}, "endpoints"},
		{map[string]any{"endpoints": []string{"smoke"}}, "endpoints[0]"},
		{map[string]any{"endpoints": []string{"gemini"}}, "endpoints"},
	} {
		as.patch(one, row.lists).refused(t, http.StatusBadRequest, row.param)
		as.post(path, body("refused", row.lists)).refused(t, http.StatusBadRequest, row.param)
	}
	as.post(path, body("neither", map[string]any{})).refused(t, http.StatusBadRequest, "dialects")
}

func TestOperatorModels_CreateEditAndRefuse(t *testing.T) {
	t.Parallel()
	s := setup(t)
	operator := s.as(s.operator)
	created := operator.post("/api/operator/models", map[string]any{"id": "acme/flat-model", "owned_by": "acme",
		"price": map[string]any{"request": "0.01"}}).want(t, http.StatusCreated)
	equal(t, created, "0.01", "price", "request")
	equal(t, created, 16384.0, "max_output")
	edited := operator.patch("/api/operator/models/acme%2Fflat-model",
		map[string]any{"status": "disabled", "max_output": 100}).want(t, http.StatusOK)
	equal(t, edited, "disabled", "status")
	equal(t, edited, 100.0, "max_output")
	equal(t, edited, 0.0, "context_length")
	modalities := map[string]any{"input": []string{"text", "image"}, "output": []string{"text"}}
	edited = operator.patch("/api/operator/models/acme%2Fflat-model",
		map[string]any{"context_length": 128000, "modalities": modalities}).want(t, http.StatusOK)
	equal(t, edited, 128000.0, "context_length")
	equal(t, edited, "image", "modalities", "input", 1)
	edited = operator.patch("/api/operator/models/acme%2Fflat-model",
		map[string]any{"modalities": map[string]any{"input": []string{}, "output": []string{"audio"}}}).
		want(t, http.StatusOK)
	equal(t, edited, 128000.0, "context_length")
	equal(t, edited, "audio", "modalities", "output", 0)
	operator.post("/api/operator/models", map[string]any{"id": "gratis", "owned_by": "acme", "free": true}).
		want(t, http.StatusCreated)

	price := operator.post("/api/operator/prices", map[string]any{"model": "acme/flat-model",
		"price": map[string]any{"request": "0.02"}}).want(t, http.StatusCreated)
	equal(t, price, "0.02", "price", "request")
	prices := operator.get("/api/operator/prices?model=acme/flat-model").want(t, http.StatusOK)
	equal(t, prices, price["id"], "items", 0, "id")
	equal(t, prices, "0.01", "items", 1, "price", "request")
	if listed := items(t, operator.get("/api/operator/models").want(t, 200)); len(listed) != 3 {
		t.Errorf("got %d models, want 3", len(listed))
	}
	for _, row := range []struct {
		path, body string
		status     int
		param      string
	}{
		{"models", `{"id":"gpt-4o-mini","owned_by":"x","price":{"input":"1"}}`, 409, "id"},
		{"models", `{"id":"has space","owned_by":"x","price":{"input":"1"}}`, 400, "id"},
		{"models", `{"id":"x","owned_by":"x","free":true,"context_length":-1}`, 400, "context_length"},
		{"models", `{"id":"x","owned_by":"x","free":true,"modalities":{"input":["smell"],"output":[]}}`, 400,
			"modalities.input[0]"},
		{"models", `{"id":"x","owned_by":"x","free":true,"modalities":{"input":["text","text"],"output":[]}}`, 400,
			"modalities.input"},
		{"models", `{"id":"priceless","owned_by":"x"}`, 400, "price"},
		{"models", `{"id":"x","owned_by":"x","price":{"input":"-1"}}`, 400, "price.input"},
		{"models", `{"id":"x","owned_by":"x","price":{"inputs":"1"}}`, 400, "price.inputs"},
		{"models", `{"id":"x","owned_by":"x","price":{"input":0.15}}`, 400, "price.input"},
		{"prices", `{"model":"gpt-4o-mini","price":{"input":"1"},"effective_from":"2001-01-01T00:00:00Z"}`, 400,
			"effective_from"},
		{"prices", `{"model":"gpt-4o-mini","price":{}}`, 400, "price"},
		{"prices", `{"model":"gpt-4o-mini"}`, 400, "price"},
	} {
		operator.post("/api/operator/"+row.path, row.body).refused(t, row.status, row.param)
	}
	if r := operator.post("/api/operator/prices", `{"model":"unknown","price":{"input":"1"}}`); r.StatusCode !=
		http.StatusNotFound && r.StatusCode != http.StatusBadRequest {
		t.Errorf("price of an unknown model: got status %d, want 400 or 404", r.StatusCode)
	}
	operator.patch("/api/operator/models/unknown", map[string]any{"status": "disabled"}).
		refused(t, http.StatusNotFound, "")
}

func TestOperatorGrants_AreRecordedAndAudited(t *testing.T) {
	t.Parallel()
	s := setup(t)
	operator := s.as(s.operator)
	entry := operator.post("/api/operator/grants", map[string]any{"tenant_id": s.acme.ID, "amount": "5.25",
		"reason": "invoice 7"}).want(t, http.StatusCreated)
	equal(t, entry, "5.25", "amount")
	equal(t, entry, s.operator.Email, "actor")
	operator.post("/api/operator/adjustments",
		map[string]any{"tenant_id": s.acme.ID, "amount": "-1", "reason": "correction"}).want(t, http.StatusCreated)
	equal(t, operator.get("/api/operator/audit-log?limit=1").want(t, http.StatusOK), s.operator.Email,
		"items", 0, "actor")
	equal(t, s.as(s.acme.member).get("/api/quota").want(t, http.StatusOK), "14.25", "wallet", "granted")
	equal(t, operator.get("/api/operator/grants?tenant_id="+s.acme.ID.String()).want(t, http.StatusOK), "-1",
		"items", 0, "amount")
	for _, row := range []struct{ body, param string }{
		{`{"tenant_id":"` + s.acme.ID.String() + `","amount":"0","reason":"x"}`, "amount"},
		{`{"tenant_id":"` + s.acme.ID.String() + `","amount":"-1","reason":"x"}`, "amount"},
		{`{"tenant_id":"` + s.acme.ID.String() + `","amount":"1"}`, "reason"},
		{`{"amount":"1","reason":"x"}`, "tenant_id"},
	} {
		operator.post("/api/operator/grants", row.body).refused(t, http.StatusBadRequest, row.param)
	}
	operator.post("/api/operator/grants", map[string]any{"tenant_id": s.group.ID, "amount": "1", "reason": "x"}).
		want(t, http.StatusNotFound)

	health := operator.get("/api/operator/health").want(t, http.StatusOK)
	equal(t, health, "ok", "database")
	equal(t, health, 2.0, "outbox_depth") // one call of each company
	if as[float64](t, health["change_version"]) <= 0 {
		t.Errorf("got change_version <= 0: %v", health)
	}
}

// Operators see the drift that reconciliation finds: here the rollup
// of an hour contains a call, but the usage log has another time.
func TestHealth_ShowsDriftFoundByReconciliation(t *testing.T) {
	t.Parallel()
	s := setup(t)
	operator := s.as(s.operator)
	health := operator.get("/api/operator/health").want(t, http.StatusOK)
	equal(t, health, nil, "reconciliation", "checked_at")
	equal(t, health, 0.0, "reconciliation", "drift_count")

	stray := usage.Event{Log: usage.Log{
		ID: uuid.Must(uuid.NewV7()), CreatedAt: time.Now().Add(-3 * time.Hour), TenantID: s.acme.ID,
		UserID: s.acme.member.ID, TokenID: s.acme.token.ID,
		Model: "gpt-4o-mini", Outcome: usage.Success, Cost: 5, Quota: 5,
	}}
	_, err := s.store.Metering.RecordEvents(t.Context(), system, stray.ID, []usage.Event{stray})
	s.must(err)
	_, err = s.store.Rollup.DrainOutbox(t.Context(), system, 0)
	s.must(err)
	_, err = s.store.Reconcile.Run(t.Context(), system)
	s.must(err)
	health = operator.get("/api/operator/health").want(t, http.StatusOK)
	if as[string](t, as[map[string]any](t, health["reconciliation"])["checked_at"]) == "" {
		t.Error("got an empty checked_at")
	}
	equal(t, health, 2.0, "reconciliation", "drift_count") // quota and requests
	for i, measure := range []string{"quota", "requests"} {
		equal(t, health, "logs_hourly", "reconciliation", "drifts", i, "check")
		equal(t, health, measure, "reconciliation", "drifts", i, "measure")
		equal(t, health, s.acme.ID.String(), "reconciliation", "drifts", i, "tenant_id")
		equal(t, health, stray.Hour().Format(time.RFC3339), "reconciliation", "drifts", i, "start")
		equal(t, health, nil, "reconciliation", "drifts", i, "account_id")
		equal(t, health, 0.0, "reconciliation", "drifts", i, "expected")
		equal(t, health, []float64{5, 1}[i], "reconciliation", "drifts", i, "found")
	}
	s.as(s.acme.owner).get("/api/operator/health").want(t, http.StatusForbidden)
}

func TestScheduledPrice_CanBeWithdrawn(t *testing.T) {
	t.Parallel()
	s := setup(t)
	operator := s.as(s.operator)
	later := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	scheduled := operator.post("/api/operator/prices", map[string]any{"model": "gpt-4o-mini",
		"price": map[string]any{"input": "1"}, "effective_from": later}).want(t, 201)
	equal(t, scheduled, "scheduled", "state")
	now := operator.post("/api/operator/prices",
		map[string]any{"model": "gpt-4o-mini", "price": map[string]any{"input": "2"}}).want(t, 201)
	states := func(path string) (all []string) {
		for _, item := range items(t, operator.get(path).want(t, 200)) {
			all = append(all, text(t, item, "state"))
		}
		return all
	}
	if got := states("/api/operator/prices?model=gpt-4o-mini"); !slices.Equal(got,
		[]string{"current", "scheduled", "past"}) {
		t.Errorf("got the states %q of prices, want current, scheduled, past", got)
	}
	withdrawn := operator.post("/api/operator/prices/"+text(t, scheduled, "id")+"/withdraw", nil).want(t, 200)
	equal(t, withdrawn, "withdrawn", "state")
	operator.post("/api/operator/prices/"+text(t, now, "id")+"/withdraw", nil).refused(t, http.StatusConflict, "")
	operator.post("/api/operator/prices/"+s.acme.ID.String()+"/withdraw", nil).refused(t, http.StatusNotFound, "")

	rule := operator.post("/api/operator/group-rules", map[string]any{"group_id": s.group.ID, "model": "gpt-4o-mini",
		"multiplier": "2", "effective_from": later}).want(t, 201)
	equal(t, rule, "scheduled", "state")
	equal(t, operator.post("/api/operator/group-rules/"+text(t, rule, "id")+"/withdraw", nil).want(t, 200),
		"withdrawn", "state")
	if got := states("/api/operator/group-rules?group_id=" + s.group.ID.String()); !slices.Equal(got,
		[]string{"withdrawn", "current"}) {
		t.Errorf("got the states %q of rules, want withdrawn, current", got)
	}
	if got := states("/api/operator/group-rules?model=gpt-4o-mini"); !slices.Equal(got, []string{"withdrawn"}) {
		t.Errorf("got the states %q of rules for the model, want withdrawn", got)
	}
}

func TestHealth_ShowsRelaysAndLeases(t *testing.T) {
	t.Parallel()
	s := setup(t)
	relay := uuid.Must(uuid.NewV7())
	_, err := s.store.Relay.Beat(t.Context(), system, relay, storerelay.Report{Version: "v1", State: "serving",
		InFlight: 2, SpoolEvents: -1, SpoolBytes: 9, BodyBytes: 5, BodyMaxBytes: 20, BodyWaiting: 1, BodyRefused: 3})
	s.must(err)
	_, err = s.store.Quota.GrantLease(t.Context(), system, relay, quota.AccountRef{ID: s.acme.ID},
		quota.LeaseRequest{Stamp: 1, Claim: *usd("2"), Need: 1})
	s.must(err)
	health := s.as(s.operator).get("/api/operator/health").want(t, http.StatusOK)
	equal(t, health, "unknown", "queues", "status")
	equal(t, health, relay.String(), "relays", 0, "id")
	equal(t, health, "serving", "relays", 0, "state")
	equal(t, health, 2.0, "relays", 0, "in_flight")
	equal(t, health, 1.0, "relays", 0, "leases")
	equal(t, health, text(t, health, "leases", "kinds", 0, "amount"), "relays", 0, "leased")
	equal(t, health, nil, "relays", 0, "spool", "events")
	equal(t, health, 9.0, "relays", 0, "spool", "bytes")
	equal(t, health, 5.0, "relays", 0, "body_memory", "bytes")
	equal(t, health, 20.0, "relays", 0, "body_memory", "max_bytes")
	equal(t, health, 1.0, "relays", 0, "body_memory", "waiting")
	equal(t, health, 3.0, "relays", 0, "body_memory", "refused")
	equal(t, health, "tenant", "leases", "kinds", 0, "kind")
	equal(t, health, s.acme.ID.String(), "leases", "largest", 0, "tenant_id")
	if as[float64](t, at(t, health, "storage", "bytes")) <= 0 {
		t.Errorf("got storage %v, want bytes > 0", health["storage"])
	}
}

func TestUnpricedCalls_AreForOperatorsOnly(t *testing.T) {
	t.Parallel()
	s := setup(t)
	answer := s.as(s.operator).get("/api/operator/unpriced-calls").want(t, http.StatusOK)
	if listed := items(t, answer); len(listed) != 0 {
		t.Errorf("got %v, want no calls", listed)
	}
	s.as(s.operator).get("/api/operator/unpriced-calls?channel_id=x").refused(t, http.StatusBadRequest, "channel_id")
	for _, user := range []tenant.User{s.acme.owner, s.acme.admin, s.acme.member} {
		s.as(user).get("/api/operator/unpriced-calls").want(t, http.StatusForbidden)
	}
}
