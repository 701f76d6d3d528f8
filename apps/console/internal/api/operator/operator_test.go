package operator_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store/page"
	storerelay "github.com/tollgate/tollgate/libs/store/relay"
)

func TestOperatorTenants_CreateEditAndRefuse(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator := s.As(s.Operator)
	created := operator.Post("/api/operator/tenants",
		map[string]any{"slug": "initech", "name": "Initech", "quota": "2.50"}).Want(t, http.StatusCreated)
	consoletest.Equal(t, created, "2.5", "quota", "granted")
	path := "/api/operator/tenants/" + consoletest.Text(t, created, "id")
	consoletest.Equal(t, operator.Patch(path, map[string]any{"name": "Initech Ltd"}).Want(t, http.StatusOK),
		"Initech Ltd", "name")
	consoletest.Equal(t, operator.Patch(path, map[string]any{"status": "disabled"}).Want(t, http.StatusOK), "disabled",
		"status")
	consoletest.Equal(t, operator.Get(path).Want(t, http.StatusOK), "initech", "slug")
	consoletest.Equal(t, created, "hard", "quota_mode")
	consoletest.Equal(t, operator.Patch(path, map[string]any{"quota_mode": "soft"}).Want(t, http.StatusOK), "soft",
		"quota_mode")
	consoletest.Equal(t, operator.Get(path).Want(t, http.StatusOK), "soft", "quota_mode")
	consoletest.Equal(t, created, "auto", "output_cap")
	consoletest.Equal(t, operator.Patch(path, map[string]any{"output_cap": "off"}).Want(t, http.StatusOK), "off",
		"output_cap")
	consoletest.Equal(t, operator.Get(path).Want(t, http.StatusOK), "off", "output_cap")
	consoletest.Equal(t, created, "report", "ignored_fields")
	consoletest.Equal(t, operator.Patch(path, map[string]any{"ignored_fields": "refuse"}).Want(t, http.StatusOK),
		"refuse", "ignored_fields")
	consoletest.Equal(t, created, false, "include_quota")
	consoletest.Equal(t, operator.Patch(path, map[string]any{"include_quota": true}).Want(t, http.StatusOK), true,
		"include_quota")
	operator.Patch(path, map[string]any{"metadata_tags": []string{"team", "feature"}}).Want(t, http.StatusOK)
	consoletest.Equal(t, operator.Get(path).Want(t, http.StatusOK), "feature", "metadata_tags", 1)
	operator.Patch(path, map[string]any{"metadata_tags": []string{"Team"}}).
		Refused(t, http.StatusBadRequest, "metadata_tags")
	if listed := consoletest.Items(t, operator.Get("/api/operator/tenants").Want(t, http.StatusOK)); len(listed) != 3 {
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
		operator.Post("/api/operator/tenants", row.body).Refused(t, row.status, row.param)
	}
	operator.Get("/api/operator/tenants/01900000-0000-7000-8000-000000000000").Refused(t, http.StatusNotFound, "")
}

func TestOperatorUsers_CreateEditAndRefuse(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator := s.As(s.Operator)
	created := operator.Post("/api/operator/users", map[string]any{
		"tenant_id": s.Acme.ID, "email": "New@Acme.example", "password": consoletest.Password, "role": "owner",
		"group_id": s.Group.ID,
	}).Want(t, http.StatusCreated)
	consoletest.Equal(t, created, "new@acme.example", "email")
	s.SignIn("new@acme.example", consoletest.Password)
	path := "/api/operator/users/" + consoletest.Text(t, created, "id")
	vip := operator.Post("/api/operator/groups",
		map[string]any{"name": "vip", "models": []string{"*"}, "multiplier": "0.5"}).Want(t, http.StatusCreated)
	edited := operator.Patch(path, map[string]any{"group_id": vip["id"], "quota": "3", "role": "member"}).
		Want(t, http.StatusOK)
	consoletest.Equal(t, edited, vip["id"], "group_id")
	consoletest.Equal(t, edited, "3", "quota", "granted")
	consoletest.Equal(t, operator.Get(path).Want(t, http.StatusOK), "member", "role")

	second := operator.Post("/api/operator/users", map[string]any{"email": "second@example.com",
		"password": consoletest.Password, "role": "operator"}).Want(t, http.StatusCreated)
	consoletest.Equal(t, second, nil, "tenant_id")
	s.SignIn("second@example.com", consoletest.Password).Get("/api/operator/tenants").Want(t, http.StatusOK)

	if listed := consoletest.Items(t, operator.Get("/api/operator/users?tenant_id="+s.Acme.ID.String()).
		Want(t, 200)); len(listed) != 4 {
		t.Errorf("got %d users of acme, want 4", len(listed))
	}
	for _, user := range consoletest.Items(t, operator.Get("/api/operator/users?role=operator").Want(t, 200)) {
		consoletest.Equal(t, user, "operator", "role")
	}
	consoletest.Equal(t, operator.Get("/api/operator/users?role=operator&search=second").Want(t, 200),
		second["id"], "items", 0, "id")
	operator.Get("/api/operator/users?role=king").Refused(t, http.StatusBadRequest, "role")
	for _, row := range []struct{ body, param string }{
		{`{"email":"a@acme.example","password":"correct horse battery","role":"member"}`, "tenant_id"},
		{`{"email":"a@acme.example","password":"correct horse battery","role":"member","tenant_id":"` +
			s.Acme.ID.String() + `"}`, "group_id"},
		{`{"email":"a@acme.example","password":"correct horse battery","role":"operator","tenant_id":"` +
			s.Acme.ID.String() + `"}`, "tenant_id"},
		{`{"email":"a@acme.example","password":"correct horse battery","role":"king"}`, "role"},
	} {
		operator.Post("/api/operator/users", row.body).Refused(t, http.StatusBadRequest, row.param)
	}
	operator.Patch(path, map[string]any{"password": "short"}).Refused(t, http.StatusBadRequest, "password")
	operator.Patch(path, map[string]any{"role": "operator"}).Refused(t, http.StatusBadRequest, "role")
}

func TestOperatorGroups_CreateEditAndRefuse(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator := s.As(s.Operator)
	created := operator.Post("/api/operator/groups", map[string]any{"name": "vip", "models": []string{"gpt-*"},
		"multiplier": "0.5"}).Want(t, http.StatusCreated)
	consoletest.Equal(t, created, "0.5", "multiplier")
	path := "/api/operator/groups/" + consoletest.Text(t, created, "id")
	edited := operator.Patch(path, map[string]any{"multiplier": "0.4", "models": []string{"*"}, "name": "very vip"}).
		Want(t, http.StatusOK)
	consoletest.Equal(t, edited, "0.4", "multiplier")
	consoletest.Equal(t, edited, "*", "models", 0)
	rules := operator.Get("/api/operator/group-rules?group_id="+consoletest.Text(t, created, "id")).
		Want(t, http.StatusOK)
	consoletest.Equal(t, rules, "0.4", "items", 0, "multiplier")
	consoletest.Equal(t, rules, "0.5", "items", 1, "multiplier")
	rule := operator.Post("/api/operator/group-rules", map[string]any{
		"group_id": created["id"], "model": "gpt-4o-mini", "multiplier": "2", "effective_from": "2099-01-01T00:00:00Z",
	}).Want(t, http.StatusCreated)
	consoletest.Equal(t, rule, "2099-01-01T00:00:00Z", "effective_from")
	consoletest.Equal(t, rule, nil, "fixed")
	flat := operator.Post("/api/operator/group-rules", map[string]any{"group_id": created["id"], "fixed": "0.02"}).
		Want(t, http.StatusCreated)
	consoletest.Equal(t, flat, "0.02", "fixed")
	consoletest.Equal(t, operator.Get("/api/operator/groups").Want(t, 200), "0.02", "items", 1, "fixed")
	if listed := consoletest.Items(t, operator.Get("/api/operator/groups").Want(t, 200)); len(listed) != 2 {
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
		{"group-rules", `{"group_id":"` + s.Group.ID.String() + `","effective_from":"2001-01-01T00:00:00Z"}`, 400,
			"effective_from"},
		{"group-rules", `{"group_id":"` + s.Group.ID.String() + `","fixed":"-1"}`, 400, "fixed"},
		{"group-rules", `{}`, 400, "group_id"},
	} {
		operator.Post("/api/operator/"+row.path, row.body).Refused(t, row.status, row.param)
	}
}

func TestOperatorChannels_CreateEditAndRefuse(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator := s.As(s.Operator)
	body := map[string]any{
		"name": "second", "type": "openai", "base_url": "https://second.example/v1",
		"api_keys": []string{consoletest.Credential},
		"dialects": []string{"chat"}, "models": map[string]string{"gpt-4o-mini": "mini"}, "priority": 1,
	}
	r := operator.Post("/api/operator/channels", body)
	created := r.Want(t, http.StatusCreated)
	consoletest.Equal(t, created, "sk-u…6789", "api_key_masks", 0)
	consoletest.Equal(t, created, 1.0, "weight")
	consoletest.Equal(t, created, "enabled", "status")
	consoletest.Equal(t, created, "cancel", "on_disconnect")
	id := consoletest.Text(t, created, "id")
	path := "/api/operator/channels/" + id

	consoletest.Equal(t, created, "refuse", "unpriced")
	consoletest.Equal(t, operator.Patch(path, map[string]any{"unpriced": "allow"}).Want(t, http.StatusOK), "allow",
		"unpriced")
	operator.Patch(path, map[string]any{"unpriced": "free"}).Refused(t, http.StatusBadRequest, "unpriced")
	consoletest.Equal(t, operator.Patch(path, map[string]any{"on_disconnect": "drain"}).Want(t, http.StatusOK), "drain",
		"on_disconnect")
	consoletest.Equal(t, operator.Get(path).Want(t, http.StatusOK), "drain", "on_disconnect")
	operator.Patch(path, map[string]any{"on_disconnect": "ignore"}).Refused(t, http.StatusBadRequest, "on_disconnect")

	edited := operator.Patch(path, map[string]any{"weight": 5, "status": "disabled",
		"models": map[string]string{"gpt-4o-mini": "other"}}).Want(t, http.StatusOK)
	consoletest.Equal(t, edited, 5.0, "weight")
	consoletest.Equal(t, edited, "other", "models", "gpt-4o-mini")
	consoletest.Equal(t, edited, "sk-u…6789", "api_key_masks", 0)
	operator.Patch(path, map[string]any{"api_keys": []string{"sk-replaced-credential-9876543210"}}).
		Want(t, http.StatusOK)
	channels, err := s.Store.Catalog.Channels(t.Context(), consoletest.System, nil, page.Page{Limit: 200})
	s.Must(err)
	for _, channel := range channels.Items {
		if channel.ID.String() != id {
			continue
		}
		if plain, err := seal.New(s.Secret).OpenCredential(channel.Credentials[0]); err != nil ||
			plain != "sk-replaced-credential-9876543210" {
			t.Errorf("got the stored credential %q, %v, want the replaced one", plain, err)
		}
	}
	for _, path := range []string{path, "/api/operator/channels", "/api/operator/audit-log"} {
		if r := operator.Get(path); strings.Contains(r.Raw, "upstream-credential") ||
			strings.Contains(r.Raw, "replaced-credential") {
			t.Errorf("%s shows a credential: %s", path, r.Raw)
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
		operator.Post("/api/operator/channels", changed).Refused(t, http.StatusBadRequest, row.param)
		if row.field != "type" {
			operator.Patch(path, map[string]any{row.field: row.value}).Refused(t, http.StatusBadRequest, row.param)
		}
	}
	operator.Post("/api/operator/channels", body).Refused(t, http.StatusConflict, "name")
}

// Endpoints is the former name of the field dialects, and clients that use it keep working.
func TestOperatorChannels_AcceptTheFormerNameOfDialects(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	as := s.As(s.Operator)
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
			if diff := cmp.Diff(any(want), consoletest.At(t, channel, field)); diff != "" {
				t.Errorf("%s (-want +got): %s", field, diff)
			}
		}
	}
	shows(as.Post(path, body("by dialects", map[string]any{"dialects": chat})).Want(t, http.StatusCreated), "chat")
	shows(as.Post(path, body("by both", map[string]any{"dialects": both, "endpoints": both})).
		Want(t, http.StatusCreated), "chat", "responses")
	created := as.Post(path, body("by endpoints", map[string]any{"endpoints": chat})).Want(t, http.StatusCreated)
	shows(created, "chat")

	one := path + "/" + consoletest.Text(t, created, "id")
	shows(as.Patch(one, map[string]any{"endpoints": both}).Want(t, http.StatusOK), "chat", "responses")
	shows(as.Patch(one, map[string]any{"dialects": chat, "endpoints": chat}).Want(t, http.StatusOK), "chat")
	shows(as.Patch(one, map[string]any{"dialects": both}).Want(t, http.StatusOK), "chat", "responses")
	shows(as.Patch(one, map[string]any{"weight": 2}).Want(t, http.StatusOK), "chat", "responses")

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
		as.Patch(one, row.lists).Refused(t, http.StatusBadRequest, row.param)
		as.Post(path, body("refused", row.lists)).Refused(t, http.StatusBadRequest, row.param)
	}
	as.Post(path, body("neither", map[string]any{})).Refused(t, http.StatusBadRequest, "dialects")
}

func TestOperatorModels_CreateEditAndRefuse(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator := s.As(s.Operator)
	created := operator.Post("/api/operator/models", map[string]any{"id": "acme/flat-model", "owned_by": "acme",
		"price": map[string]any{"request": "0.01"}}).Want(t, http.StatusCreated)
	consoletest.Equal(t, created, "0.01", "price", "request")
	consoletest.Equal(t, created, 16384.0, "max_output")
	edited := operator.Patch("/api/operator/models/acme%2Fflat-model",
		map[string]any{"status": "disabled", "max_output": 100}).Want(t, http.StatusOK)
	consoletest.Equal(t, edited, "disabled", "status")
	consoletest.Equal(t, edited, 100.0, "max_output")
	consoletest.Equal(t, edited, 0.0, "context_length")
	modalities := map[string]any{"input": []string{"text", "image"}, "output": []string{"text"}}
	edited = operator.Patch("/api/operator/models/acme%2Fflat-model",
		map[string]any{"context_length": 128000, "modalities": modalities}).Want(t, http.StatusOK)
	consoletest.Equal(t, edited, 128000.0, "context_length")
	consoletest.Equal(t, edited, "image", "modalities", "input", 1)
	edited = operator.Patch("/api/operator/models/acme%2Fflat-model",
		map[string]any{"modalities": map[string]any{"input": []string{}, "output": []string{"audio"}}}).
		Want(t, http.StatusOK)
	consoletest.Equal(t, edited, 128000.0, "context_length")
	consoletest.Equal(t, edited, "audio", "modalities", "output", 0)
	operator.Post("/api/operator/models", map[string]any{"id": "gratis", "owned_by": "acme", "free": true}).
		Want(t, http.StatusCreated)

	price := operator.Post("/api/operator/prices", map[string]any{"model": "acme/flat-model",
		"price": map[string]any{"request": "0.02"}}).Want(t, http.StatusCreated)
	consoletest.Equal(t, price, "0.02", "price", "request")
	prices := operator.Get("/api/operator/prices?model=acme/flat-model").Want(t, http.StatusOK)
	consoletest.Equal(t, prices, price["id"], "items", 0, "id")
	consoletest.Equal(t, prices, "0.01", "items", 1, "price", "request")
	if listed := consoletest.Items(t, operator.Get("/api/operator/models").Want(t, 200)); len(listed) != 3 {
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
		operator.Post("/api/operator/"+row.path, row.body).Refused(t, row.status, row.param)
	}
	if r := operator.Post("/api/operator/prices", `{"model":"unknown","price":{"input":"1"}}`); r.StatusCode !=
		http.StatusNotFound && r.StatusCode != http.StatusBadRequest {
		t.Errorf("price of an unknown model: got status %d, want 400 or 404", r.StatusCode)
	}
	operator.Patch("/api/operator/models/unknown", map[string]any{"status": "disabled"}).
		Refused(t, http.StatusNotFound, "")
}

func TestOperatorGrants_AreRecordedAndAudited(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator := s.As(s.Operator)
	entry := operator.Post("/api/operator/grants", map[string]any{"tenant_id": s.Acme.ID, "amount": "5.25",
		"reason": "invoice 7"}).Want(t, http.StatusCreated)
	consoletest.Equal(t, entry, "5.25", "amount")
	consoletest.Equal(t, entry, s.Operator.Email, "actor")
	operator.Post("/api/operator/adjustments",
		map[string]any{"tenant_id": s.Acme.ID, "amount": "-1", "reason": "correction"}).Want(t, http.StatusCreated)
	consoletest.Equal(t, operator.Get("/api/operator/audit-log?limit=1").Want(t, http.StatusOK), s.Operator.Email,
		"items", 0, "actor")
	consoletest.Equal(t, s.As(s.Acme.Member).Get("/api/quota").Want(t, http.StatusOK), "14.25", "wallet", "granted")
	consoletest.Equal(t, operator.Get("/api/operator/grants?tenant_id="+s.Acme.ID.String()).Want(t, http.StatusOK),
		"-1", "items", 0, "amount")
	for _, row := range []struct{ body, param string }{
		{`{"tenant_id":"` + s.Acme.ID.String() + `","amount":"0","reason":"x"}`, "amount"},
		{`{"tenant_id":"` + s.Acme.ID.String() + `","amount":"-1","reason":"x"}`, "amount"},
		{`{"tenant_id":"` + s.Acme.ID.String() + `","amount":"1"}`, "reason"},
		{`{"amount":"1","reason":"x"}`, "tenant_id"},
	} {
		operator.Post("/api/operator/grants", row.body).Refused(t, http.StatusBadRequest, row.param)
	}
	operator.Post("/api/operator/grants", map[string]any{"tenant_id": s.Group.ID, "amount": "1", "reason": "x"}).
		Want(t, http.StatusNotFound)

	health := operator.Get("/api/operator/health").Want(t, http.StatusOK)
	consoletest.Equal(t, health, "ok", "database")
	consoletest.Equal(t, health, 2.0, "outbox_depth") // one call of each company
	if consoletest.As[float64](t, health["change_version"]) <= 0 {
		t.Errorf("got change_version <= 0: %v", health)
	}
}

// Operators see the drift that reconciliation finds: here the rollup
// of an hour contains a call, but the usage log has another time.
func TestHealth_ShowsDriftFoundByReconciliation(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator := s.As(s.Operator)
	health := operator.Get("/api/operator/health").Want(t, http.StatusOK)
	consoletest.Equal(t, health, nil, "reconciliation", "checked_at")
	consoletest.Equal(t, health, 0.0, "reconciliation", "drift_count")

	stray := usage.Event{Log: usage.Log{
		ID: uuid.Must(uuid.NewV7()), CreatedAt: time.Now().Add(-3 * time.Hour), TenantID: s.Acme.ID,
		UserID: s.Acme.Member.ID, TokenID: s.Acme.Token.ID,
		Model: "gpt-4o-mini", Outcome: usage.Success, Cost: 5, Quota: 5,
	}}
	_, err := s.Store.Metering.RecordEvents(t.Context(), consoletest.System, stray.ID, []usage.Event{stray})
	s.Must(err)
	_, err = s.Store.Rollup.DrainOutbox(t.Context(), consoletest.System, 0)
	s.Must(err)
	_, err = s.Store.Reconcile.Run(t.Context(), consoletest.System)
	s.Must(err)
	health = operator.Get("/api/operator/health").Want(t, http.StatusOK)
	if consoletest.As[string](t, consoletest.As[map[string]any](t, health["reconciliation"])["checked_at"]) == "" {
		t.Error("got an empty checked_at")
	}
	consoletest.Equal(t, health, 2.0, "reconciliation", "drift_count") // quota and requests
	for i, measure := range []string{"quota", "requests"} {
		consoletest.Equal(t, health, "logs_hourly", "reconciliation", "drifts", i, "check")
		consoletest.Equal(t, health, measure, "reconciliation", "drifts", i, "measure")
		consoletest.Equal(t, health, s.Acme.ID.String(), "reconciliation", "drifts", i, "tenant_id")
		consoletest.Equal(t, health, stray.Hour().Format(time.RFC3339), "reconciliation", "drifts", i, "start")
		consoletest.Equal(t, health, nil, "reconciliation", "drifts", i, "account_id")
		consoletest.Equal(t, health, 0.0, "reconciliation", "drifts", i, "expected")
		consoletest.Equal(t, health, []float64{5, 1}[i], "reconciliation", "drifts", i, "found")
	}
	s.As(s.Acme.Owner).Get("/api/operator/health").Want(t, http.StatusForbidden)
}

func TestScheduledPrice_CanBeWithdrawn(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator := s.As(s.Operator)
	later := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	scheduled := operator.Post("/api/operator/prices", map[string]any{"model": "gpt-4o-mini",
		"price": map[string]any{"input": "1"}, "effective_from": later}).Want(t, 201)
	consoletest.Equal(t, scheduled, "scheduled", "state")
	now := operator.Post("/api/operator/prices",
		map[string]any{"model": "gpt-4o-mini", "price": map[string]any{"input": "2"}}).Want(t, 201)
	states := func(path string) (all []string) {
		for _, item := range consoletest.Items(t, operator.Get(path).Want(t, 200)) {
			all = append(all, consoletest.Text(t, item, "state"))
		}
		return all
	}
	if got := states("/api/operator/prices?model=gpt-4o-mini"); !slices.Equal(got,
		[]string{"current", "scheduled", "past"}) {
		t.Errorf("got the states %q of prices, want current, scheduled, past", got)
	}
	withdrawn := operator.Post("/api/operator/prices/"+consoletest.Text(t, scheduled, "id")+"/withdraw", nil).
		Want(t, 200)
	consoletest.Equal(t, withdrawn, "withdrawn", "state")
	operator.Post("/api/operator/prices/"+consoletest.Text(t, now, "id")+"/withdraw", nil).
		Refused(t, http.StatusConflict, "")
	operator.Post("/api/operator/prices/"+s.Acme.ID.String()+"/withdraw", nil).Refused(t, http.StatusNotFound, "")

	rule := operator.Post("/api/operator/group-rules", map[string]any{"group_id": s.Group.ID, "model": "gpt-4o-mini",
		"multiplier": "2", "effective_from": later}).Want(t, 201)
	consoletest.Equal(t, rule, "scheduled", "state")
	consoletest.Equal(t, operator.Post("/api/operator/group-rules/"+consoletest.Text(t, rule, "id")+"/withdraw", nil).
		Want(t, 200), "withdrawn", "state")
	if got := states("/api/operator/group-rules?group_id=" + s.Group.ID.String()); !slices.Equal(got,
		[]string{"withdrawn", "current"}) {
		t.Errorf("got the states %q of rules, want withdrawn, current", got)
	}
	if got := states("/api/operator/group-rules?model=gpt-4o-mini"); !slices.Equal(got, []string{"withdrawn"}) {
		t.Errorf("got the states %q of rules for the model, want withdrawn", got)
	}
}

func TestHealth_ShowsRelaysAndLeases(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	relay := uuid.Must(uuid.NewV7())
	_, err := s.Store.Relay.Beat(t.Context(), consoletest.System, relay,
		storerelay.Report{Version: "v1", State: "serving",
			InFlight: 2, SpoolEvents: -1, SpoolBytes: 9, BodyBytes: 5, BodyMaxBytes: 20, BodyWaiting: 1,
			BodyRefused: 3})
	s.Must(err)
	_, err = s.Store.Quota.GrantLease(t.Context(), consoletest.System, relay, quota.AccountRef{ID: s.Acme.ID},
		quota.LeaseRequest{Stamp: 1, Claim: *consoletest.USD("2"), Need: 1})
	s.Must(err)
	health := s.As(s.Operator).Get("/api/operator/health").Want(t, http.StatusOK)
	consoletest.Equal(t, health, "unknown", "queues", "status")
	consoletest.Equal(t, health, relay.String(), "relays", 0, "id")
	consoletest.Equal(t, health, "serving", "relays", 0, "state")
	consoletest.Equal(t, health, 2.0, "relays", 0, "in_flight")
	consoletest.Equal(t, health, 1.0, "relays", 0, "leases")
	consoletest.Equal(t, health, consoletest.Text(t, health, "leases", "kinds", 0, "amount"), "relays", 0, "leased")
	consoletest.Equal(t, health, nil, "relays", 0, "spool", "events")
	consoletest.Equal(t, health, 9.0, "relays", 0, "spool", "bytes")
	consoletest.Equal(t, health, 5.0, "relays", 0, "body_memory", "bytes")
	consoletest.Equal(t, health, 20.0, "relays", 0, "body_memory", "max_bytes")
	consoletest.Equal(t, health, 1.0, "relays", 0, "body_memory", "waiting")
	consoletest.Equal(t, health, 3.0, "relays", 0, "body_memory", "refused")
	consoletest.Equal(t, health, "tenant", "leases", "kinds", 0, "kind")
	consoletest.Equal(t, health, s.Acme.ID.String(), "leases", "largest", 0, "tenant_id")
	if consoletest.As[float64](t, consoletest.At(t, health, "storage", "bytes")) <= 0 {
		t.Errorf("got storage %v, want bytes > 0", health["storage"])
	}
}

func TestUnpricedCalls_AreForOperatorsOnly(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	answer := s.As(s.Operator).Get("/api/operator/unpriced-calls").Want(t, http.StatusOK)
	if listed := consoletest.Items(t, answer); len(listed) != 0 {
		t.Errorf("got %v, want no calls", listed)
	}
	s.As(s.Operator).Get("/api/operator/unpriced-calls?channel_id=x").Refused(t, http.StatusBadRequest, "channel_id")
	for _, user := range []tenant.User{s.Acme.Owner, s.Acme.Admin, s.Acme.Member} {
		s.As(user).Get("/api/operator/unpriced-calls").Want(t, http.StatusForbidden)
	}
}
