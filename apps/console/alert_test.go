package console_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/alert"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/audit"
	"github.com/tollgate/tollgate/libs/store/page"
)

// hookBody is the body of a webhook destination.
func hookBody() map[string]any {
	return map[string]any{"channel": "webhook", "name": "pager",
		"url": "https://hooks.example.com/services/secret-part"}
}

// quotaRule is the body of a rule about the tenant's quota.
func quotaRule(to ...any) map[string]any {
	return map[string]any{"name": "quota", "kind": "quota_used", "subject": "tenant", "thresholds": []int{50, 80},
		"destinations": to}
}

func TestAlerts_ShowSecretsOnceAndHistory(t *testing.T) {
	t.Parallel()
	onBoth(t, func(s *stack) {
		me := s.as(s.acme.owner)
		made := me.post("/api/alert-destinations", hookBody()).want(t, http.StatusCreated)
		secret, id := text(t, made, "secret"), text(t, made, "destination", "id")
		if !strings.HasPrefix(secret, alert.SecretPrefix) {
			t.Errorf("got secret %q", secret)
		}
		equal(t, made, "https://hooks.example.com", "destination", "target")
		rule := me.post("/api/alert-rules", quotaRule(id)).want(t, http.StatusCreated)
		equal(t, rule, "lifetime", "period")
		ruleID := text(t, rule, "id")
		me.post("/api/alert-destinations/"+id+"/test", nil).want(t, http.StatusAccepted)
		me.patch("/api/alert-rules/"+ruleID, map[string]any{"thresholds": []int{95, 80}}).want(t, http.StatusOK)
		me.patch("/api/alert-destinations/"+id, map[string]any{"name": "pager 2"}).want(t, http.StatusOK)
		again := text(t, me.post("/api/alert-destinations/"+id+"/secret", nil).want(t, http.StatusOK), "secret")
		if again == secret {
			t.Error("the secret was not replaced")
		}
		for _, path := range []string{"/api/alert-destinations", "/api/alert-rules", "/api/alerts"} {
			r := me.get(path)
			r.want(t, http.StatusOK)
			if strings.Contains(r.raw, secret) || strings.Contains(r.raw, again) ||
				strings.Contains(r.raw, "secret-part") {
				t.Errorf("%s shows a secret: %s", path, r.raw)
			}
		}
		alerts := me.get("/api/alerts").want(t, http.StatusOK)
		equal(t, alerts, "test", "items", 0, "kind")
		equal(t, alerts, "waiting", "items", 0, "deliveries", 0, "state")
		me.post("/api/alerts/"+text(t, alerts, "items", 0, "id")+"/retry", nil).refused(t, http.StatusConflict, "")
		me.do(http.MethodDelete, "/api/alert-rules/"+ruleID, nil).want(t, http.StatusNoContent)
		me.do(http.MethodDelete, "/api/alert-destinations/"+id, nil).want(t, http.StatusNoContent)

		entries, err := s.store.Audit.List(t.Context(), system,
			audit.Query{TenantID: s.acme.ID, Page: page.Page{Limit: 200}})
		s.must(err)
		actions := map[string]bool{}
		for _, e := range entries.Items {
			actions[e.Action] = true
			for _, value := range e.Detail {
				if shown, _ := value.(string); strings.Contains(shown, "secret-part") ||
					strings.Contains(shown, secret) {
					t.Errorf("%s has a secret: %v", e.Action, e.Detail)
				}
			}
		}
		for _, action := range []string{
			"alert_destination.create", "alert_destination.update", "alert_destination.test",
			"alert_destination.delete", "alert_rule.create", "alert_rule.update", "alert_rule.delete",
		} {
			if !actions[action] {
				t.Errorf("the audit log lacks %s", action)
			}
		}
	})
}

func TestAlertDestination_GetsANewURLAndKeepsItsSecret(t *testing.T) {
	t.Parallel()
	onBoth(t, func(s *stack) {
		me := s.as(s.acme.owner)
		made := me.post("/api/alert-destinations", hookBody()).want(t, http.StatusCreated)
		id := text(t, made, "destination", "id")
		stored := func() (url, secret string) {
			_, err := s.store.Alert.ResealURLs(t.Context(), system, func(of uuid.UUID, sealed []byte) ([]byte, error) {
				if of.String() == id {
					url = string(sealed)
				}
				return nil, nil
			})
			s.must(err)
			_, err = s.store.Alert.ResealSecrets(t.Context(), system,
				func(of uuid.UUID, sealed []byte) ([]byte, error) {
					if of.String() == id {
						secret = string(sealed)
					}
					return nil, nil
				})
			s.must(err)
			return url, secret
		}
		oldURL, oldSecret := stored()
		r := me.patch("/api/alert-destinations/"+id,
			map[string]any{"url": "https://other.example.com/another-secret-part"})
		equal(t, r.want(t, http.StatusOK), "https://other.example.com", "target")
		if strings.Contains(r.raw, "secret-part") {
			t.Errorf("the answer shows the URL: %s", r.raw)
		}
		if newURL, secret := stored(); newURL == oldURL || secret != oldSecret {
			t.Errorf("URL changed: %v, secret changed: %v; want true and false", newURL != oldURL, secret != oldSecret)
		}
		entry := me.get("/api/audit-log?action=alert_destination.update").want(t, http.StatusOK)
		equal(t, entry, "https://hooks.example.com", "items", 0, "before", "target")
		equal(t, entry, "https://other.example.com", "items", 0, "detail", "target")

		me.patch("/api/alert-destinations/"+id, map[string]any{"url": "https://10.0.0.1/"}).
			refused(t, http.StatusBadRequest, "url")
		s.as(s.globex.owner).patch("/api/alert-destinations/"+id, map[string]any{"url": "https://other.example.com/"}).
			refused(t, http.StatusNotFound, "")
		s.advance(confirmationLife)
		me.patch("/api/alert-destinations/"+id, map[string]any{"url": "https://third.example.com/"}).
			needsConfirmation(t)
		me.post("/api/alert-destinations", hookBody()).needsConfirmation(t)
		_, before := stored()
		me.post("/api/alert-destinations/"+id+"/secret", nil).needsConfirmation(t)
		if _, after := stored(); after != before {
			t.Error("a refused request replaced the secret")
		}
		me.patch("/api/alert-destinations/"+id, map[string]any{"name": "pager 2"}).want(t, http.StatusOK)
		me.confirm(map[string]any{"password": password}).want(t, http.StatusOK)
		me.post("/api/alert-destinations/"+id+"/secret", nil).want(t, http.StatusOK)
	})
}

func TestAlerts_RefuseWhatIsNotPermitted(t *testing.T) {
	t.Parallel()
	s := setup(t)
	me := s.as(s.acme.admin)
	for name, row := range map[string]struct {
		body  map[string]any
		param string
	}{
		"a private address": {map[string]any{"channel": "webhook", "name": "x", "url": "https://10.0.0.1/"},
			"url"},
		"the metadata service": {map[string]any{"channel": "slack", "name": "x", "url": "http://169.254.169.254/"},
			"url"},
		"no TLS": {map[string]any{"channel": "webhook", "name": "x", "url": "http://example.com/"},
			"url"},
		"a user of another": {map[string]any{"channel": "webhook", "name": "x", "url": "https://example.com/",
			"user_id": s.globex.owner.ID}, "user_id"},
		"mail with a URL": {map[string]any{"channel": "mail", "name": "x", "url": "https://example.com/"},
			"url"},
		"an unknown channel": {map[string]any{"channel": "pigeon", "name": "x"}, "channel"},
		"an unsupported language": {map[string]any{"channel": "slack", "name": "x", "url": "https://example.com/",
			"language": "fr"}, "language"},
	} {
		t.Log(name)
		me.post("/api/alert-destinations", row.body).refused(t, http.StatusBadRequest, row.param)
	}
	// Mail is not configured.
	me.post("/api/alert-destinations", map[string]any{"channel": "mail", "name": "x", "user_id": s.acme.admin.ID}).
		refused(t, http.StatusConflict, "channel")
	me.post("/api/alert-rules", map[string]any{"name": "x", "kind": "drift"}).refused(t, http.StatusBadRequest, "kind")
	me.post("/api/alert-rules", map[string]any{"name": "x", "kind": "quota_used", "subject": "token",
		"subject_id": s.globex.token.ID, "thresholds": []int{80}}).refused(t, http.StatusBadRequest, "subject_id")
	for range alert.MaxDestinations - 1 { // the company has one already
		me.post("/api/alert-destinations", hookBody()).want(t, http.StatusCreated)
	}
	me.post("/api/alert-destinations", hookBody()).refused(t, http.StatusConflict, "")
	s.as(s.acme.member).get("/api/alerts").refused(t, http.StatusForbidden, "")
	s.as(s.acme.member).post("/api/alert-rules", quotaRule()).refused(t, http.StatusForbidden, "")

	operator := s.as(s.operator)
	operator.post("/api/alert-rules", map[string]any{"name": "drift", "kind": "drift"}).want(t, http.StatusCreated)
	equal(t, operator.get("/api/alert-rules").want(t, http.StatusOK), "drift", "items", 0, "kind")
	if found := as[[]any](t, operator.get("/api/alert-destinations").want(t, http.StatusOK)["items"]); len(found) != 0 {
		t.Errorf("an operator sees destinations of a tenant: %v", found)
	}
}

func TestAlerts_ReachTheMailboxOfAMember(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.withMail()
	me := s.as(s.acme.owner)
	made := me.post("/api/alert-destinations",
		map[string]any{"channel": "mail", "name": "me", "user_id": s.acme.admin.ID}).want(t, http.StatusCreated)
	equal(t, made, s.acme.admin.Email, "destination", "target")
	me.post("/api/alert-destinations", map[string]any{"channel": "mail", "name": "x", "user_id": s.globex.owner.ID}).
		refused(t, http.StatusBadRequest, "user_id")
	claimed, err := s.store.Alert.ClaimDelivery(t.Context(), tenant.SystemScope("test"), time.Hour)
	if err != nil || claimed != nil {
		t.Errorf("got %v, error %v; want nothing to deliver", claimed, err)
	}
}
