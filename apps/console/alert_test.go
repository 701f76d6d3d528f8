package console_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
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
	consoletest.OnBoth(t, func(s *consoletest.Stack) {
		me := s.As(s.Acme.Owner)
		made := me.Post("/api/alert-destinations", hookBody()).Want(t, http.StatusCreated)
		secret, id := consoletest.Text(t, made, "secret"), consoletest.Text(t, made, "destination", "id")
		if !strings.HasPrefix(secret, alert.SecretPrefix) {
			t.Errorf("got secret %q", secret)
		}
		consoletest.Equal(t, made, "https://hooks.example.com", "destination", "target")
		rule := me.Post("/api/alert-rules", quotaRule(id)).Want(t, http.StatusCreated)
		consoletest.Equal(t, rule, "lifetime", "period")
		ruleID := consoletest.Text(t, rule, "id")
		me.Post("/api/alert-destinations/"+id+"/test", nil).Want(t, http.StatusAccepted)
		me.Patch("/api/alert-rules/"+ruleID, map[string]any{"thresholds": []int{95, 80}}).Want(t, http.StatusOK)
		me.Patch("/api/alert-destinations/"+id, map[string]any{"name": "pager 2"}).Want(t, http.StatusOK)
		again := consoletest.Text(t, me.Post("/api/alert-destinations/"+id+"/secret", nil).Want(t, http.StatusOK),
			"secret")
		if again == secret {
			t.Error("the secret was not replaced")
		}
		for _, path := range []string{"/api/alert-destinations", "/api/alert-rules", "/api/alerts"} {
			r := me.Get(path)
			r.Want(t, http.StatusOK)
			if strings.Contains(r.Raw, secret) || strings.Contains(r.Raw, again) ||
				strings.Contains(r.Raw, "secret-part") {
				t.Errorf("%s shows a secret: %s", path, r.Raw)
			}
		}
		alerts := me.Get("/api/alerts").Want(t, http.StatusOK)
		consoletest.Equal(t, alerts, "test", "items", 0, "kind")
		consoletest.Equal(t, alerts, "waiting", "items", 0, "deliveries", 0, "state")
		me.Post("/api/alerts/"+consoletest.Text(t, alerts, "items", 0, "id")+"/retry", nil).
			Refused(t, http.StatusConflict, "")
		me.Do(http.MethodDelete, "/api/alert-rules/"+ruleID, nil).Want(t, http.StatusNoContent)
		me.Do(http.MethodDelete, "/api/alert-destinations/"+id, nil).Want(t, http.StatusNoContent)

		entries, err := s.Store.Audit.List(t.Context(), consoletest.System,
			audit.Query{TenantID: s.Acme.ID, Page: page.Page{Limit: 200}})
		s.Must(err)
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
	consoletest.OnBoth(t, func(s *consoletest.Stack) {
		me := s.As(s.Acme.Owner)
		made := me.Post("/api/alert-destinations", hookBody()).Want(t, http.StatusCreated)
		id := consoletest.Text(t, made, "destination", "id")
		stored := func() (url, secret string) {
			_, err := s.Store.Alert.ResealURLs(t.Context(), consoletest.System,
				func(of uuid.UUID, sealed []byte) ([]byte, error) {
					if of.String() == id {
						url = string(sealed)
					}
					return nil, nil
				})
			s.Must(err)
			_, err = s.Store.Alert.ResealSecrets(t.Context(), consoletest.System,
				func(of uuid.UUID, sealed []byte) ([]byte, error) {
					if of.String() == id {
						secret = string(sealed)
					}
					return nil, nil
				})
			s.Must(err)
			return url, secret
		}
		oldURL, oldSecret := stored()
		r := me.Patch("/api/alert-destinations/"+id,
			map[string]any{"url": "https://other.example.com/another-secret-part"})
		consoletest.Equal(t, r.Want(t, http.StatusOK), "https://other.example.com", "target")
		if strings.Contains(r.Raw, "secret-part") {
			t.Errorf("the answer shows the URL: %s", r.Raw)
		}
		if newURL, secret := stored(); newURL == oldURL || secret != oldSecret {
			t.Errorf("URL changed: %v, secret changed: %v; want true and false", newURL != oldURL, secret != oldSecret)
		}
		entry := me.Get("/api/audit-log?action=alert_destination.update").Want(t, http.StatusOK)
		consoletest.Equal(t, entry, "https://hooks.example.com", "items", 0, "before", "target")
		consoletest.Equal(t, entry, "https://other.example.com", "items", 0, "detail", "target")

		me.Patch("/api/alert-destinations/"+id, map[string]any{"url": "https://10.0.0.1/"}).
			Refused(t, http.StatusBadRequest, "url")
		s.As(s.Globex.Owner).Patch("/api/alert-destinations/"+id, map[string]any{"url": "https://other.example.com/"}).
			Refused(t, http.StatusNotFound, "")
		s.Advance(consoletest.ConfirmationLife)
		me.Patch("/api/alert-destinations/"+id, map[string]any{"url": "https://third.example.com/"}).
			NeedsConfirmation(t)
		me.Post("/api/alert-destinations", hookBody()).NeedsConfirmation(t)
		_, before := stored()
		me.Post("/api/alert-destinations/"+id+"/secret", nil).NeedsConfirmation(t)
		if _, after := stored(); after != before {
			t.Error("a refused request replaced the secret")
		}
		me.Patch("/api/alert-destinations/"+id, map[string]any{"name": "pager 2"}).Want(t, http.StatusOK)
		me.Post("/api/session/confirmation", map[string]any{"password": consoletest.Password}).Want(t, http.StatusOK)
		me.Post("/api/alert-destinations/"+id+"/secret", nil).Want(t, http.StatusOK)
	})
}

func TestAlerts_RefuseWhatIsNotPermitted(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	me := s.As(s.Acme.Admin)
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
			"user_id": s.Globex.Owner.ID}, "user_id"},
		"mail with a URL": {map[string]any{"channel": "mail", "name": "x", "url": "https://example.com/"},
			"url"},
		"an unknown channel": {map[string]any{"channel": "pigeon", "name": "x"}, "channel"},
		"an unsupported language": {map[string]any{"channel": "slack", "name": "x", "url": "https://example.com/",
			"language": "fr"}, "language"},
	} {
		t.Log(name)
		me.Post("/api/alert-destinations", row.body).Refused(t, http.StatusBadRequest, row.param)
	}
	// Mail is not configured.
	me.Post("/api/alert-destinations", map[string]any{"channel": "mail", "name": "x", "user_id": s.Acme.Admin.ID}).
		Refused(t, http.StatusConflict, "channel")
	me.Post("/api/alert-rules", map[string]any{"name": "x", "kind": "drift"}).Refused(t, http.StatusBadRequest, "kind")
	me.Post("/api/alert-rules", map[string]any{"name": "x", "kind": "quota_used", "subject": "token",
		"subject_id": s.Globex.Token.ID, "thresholds": []int{80}}).Refused(t, http.StatusBadRequest, "subject_id")
	for range alert.MaxDestinations - 1 { // the company has one already
		me.Post("/api/alert-destinations", hookBody()).Want(t, http.StatusCreated)
	}
	me.Post("/api/alert-destinations", hookBody()).Refused(t, http.StatusConflict, "")
	s.As(s.Acme.Member).Get("/api/alerts").Refused(t, http.StatusForbidden, "")
	s.As(s.Acme.Member).Post("/api/alert-rules", quotaRule()).Refused(t, http.StatusForbidden, "")

	operator := s.As(s.Operator)
	operator.Post("/api/alert-rules", map[string]any{"name": "drift", "kind": "drift"}).Want(t, http.StatusCreated)
	consoletest.Equal(t, operator.Get("/api/alert-rules").Want(t, http.StatusOK), "drift", "items", 0, "kind")
	if found := consoletest.As[[]any](t, operator.Get("/api/alert-destinations").
		Want(t, http.StatusOK)["items"]); len(found) != 0 {
		t.Errorf("an operator sees destinations of a tenant: %v", found)
	}
}

func TestAlerts_ReachTheMailboxOfAMember(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	s.WithMail()
	me := s.As(s.Acme.Owner)
	made := me.Post("/api/alert-destinations",
		map[string]any{"channel": "mail", "name": "me", "user_id": s.Acme.Admin.ID}).Want(t, http.StatusCreated)
	consoletest.Equal(t, made, s.Acme.Admin.Email, "destination", "target")
	me.Post("/api/alert-destinations", map[string]any{"channel": "mail", "name": "x", "user_id": s.Globex.Owner.ID}).
		Refused(t, http.StatusBadRequest, "user_id")
	claimed, err := s.Store.Alert.ClaimDelivery(t.Context(), tenant.SystemScope("test"), time.Hour)
	if err != nil || claimed != nil {
		t.Errorf("got %v, error %v; want nothing to deliver", claimed, err)
	}
}
