package console_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/tenant"
)

// attack is how one operation is called to reach into another tenant: with
// its ids in path, query and body.
type attack struct {
	id, method, path string
	body             any
	operator         bool // for operators only
	admin            bool // for admins, owners and operators only
	own              bool // works on the caller's own things: may succeed, and changes nothing of others
}

// attacks returns an attack on victim for every operation of the document. An
// operation without one fails the test, so that a new one cannot be forgotten.
func (s *stack) attacks(victim *company) []attack {
	s.Helper()
	id := map[string]uuid.UUID{
		"/tokens/": victim.token.ID, "/usage-logs/": victim.log.ID, "/members/": victim.member.ID, "/operator/tenants/": victim.ID,
		"/operator/users/": victim.owner.ID, "/operator/groups/": s.group.ID, "/operator/channels/": s.channel.ID,
	}
	bodies := map[string]any{
		"createSession":           credentials("nobody@example.com", password),
		"changePassword":          map[string]any{"old_password": password, "new_password": "another horse battery"},
		"createToken":             map[string]any{"name": "stolen", "user_id": victim.member.ID},
		"updateToken":             map[string]any{"name": "stolen", "quota": nil, "caps": map[string]any{"day": "0"}, "limits": map[string]any{"concurrency": 1}, "status": "disabled"},
		"createMember":            map[string]any{"email": "intruder@example.com", "password": password, "role": "admin"},
		"updateMember":            map[string]any{"role": "admin", "status": "disabled", "quota": "0", "caps": map[string]any{"day": "0"}, "limits": map[string]any{"concurrency": 1}},
		"createTenant":            map[string]any{"slug": "mine", "name": "Mine", "quota": "100"},
		"updateTenant":            map[string]any{"status": "disabled", "caps": map[string]any{"day": "0"}},
		"createUser":              map[string]any{"tenant_id": victim.ID, "email": "intruder@example.com", "password": password, "role": "owner", "group_id": s.group.ID},
		"updateUser":              map[string]any{"password": "another horse battery", "limits": map[string]any{"concurrency": 1}},
		"createGroup":             map[string]any{"name": "cheap", "models": []string{"*"}, "multiplier": "0"},
		"updateGroup":             map[string]any{"multiplier": "0", "limits": map[string]any{"concurrency": 1}},
		"createGroupRule":         map[string]any{"group_id": s.group.ID, "multiplier": "0"},
		"createChannel":           map[string]any{"name": "trap", "type": "echo", "endpoints": []string{"chat"}, "models": map[string]string{"gpt-4o-mini": "x"}},
		"updateChannel":           map[string]any{"base_url": "https://evil.example/v1"},
		"createModel":             map[string]any{"id": "mine", "owned_by": "me", "free": true},
		"updateModel":             map[string]any{"free": true, "status": "disabled", "limits": map[string]any{"concurrency": 1}},
		"createPrice":             map[string]any{"model": "gpt-4o-mini", "price": map[string]any{"input": "0.01"}},
		"createGrant":             map[string]any{"tenant_id": victim.ID, "amount": "10", "reason": "mine now"},
		"createAdjustment":        map[string]any{"tenant_id": victim.ID, "amount": "-10", "reason": "mine now"},
		"createTransfer":          map[string]any{"from_tenant_id": victim.ID, "to_tenant_id": s.globex.ID, "amount": "1", "reason": "mine now"},
		"testChannel":             map[string]any{},
		"explainRouting":          map[string]any{"token_id": victim.token.ID, "model": "gpt-4o-mini"},
		"enableChannelCredential": map[string]any{"fingerprint": "f"},
	}
	own := []string{
		"createSession", "getSession", "deleteSession", "changePassword", "listTokens", "listUsageLogs", "getUsageSummary",
		"listVisibleModels", "getQuota", "listLedger", "listMembers", "createMember",
	}
	var all []attack
	operations(s.T, func(path, method string, op map[string]any) {
		a := attack{id: text(s, op, "operationId"), method: method, path: path}
		a.body = bodies[a.id]
		a.operator = strings.HasPrefix(path, "/api/operator/")
		a.admin = strings.HasPrefix(path, "/api/members") || path == "/api/ledger"
		a.own = slices.Contains(own, a.id)
		if op["requestBody"] != nil && a.body == nil {
			s.Errorf("%s: there is no attack body for it", a.id)
		}
		a.path = strings.Replace(a.path, "/operator/models/{id}", "/operator/models/gpt-4o-mini", 1)
		for prefix, value := range id {
			a.path = strings.Replace(a.path, "/api"+prefix+"{id}", "/api"+prefix+value.String(), 1)
		}
		if strings.Contains(a.path, "{") {
			s.Errorf("%s: nothing is known of %s", a.id, a.path)
		}
		all = append(all, a.aimed(op, victim, s)...)
	})
	return all
}

// aimed adds the attack once for every query parameter that takes an id.
func (a attack) aimed(op map[string]any, victim *company, s *stack) []attack {
	all := []attack{a}
	ids := map[string]uuid.UUID{
		"tenant_id": victim.ID, "user_id": victim.member.ID, "token_id": victim.token.ID, "channel_id": s.channel.ID, "group_id": s.group.ID,
	}
	parameters, _ := op["parameters"].([]any)
	for _, parameter := range parameters {
		name := text(s, parameter, "name")
		if value, ok := ids[name]; ok {
			aimed := a
			aimed.path += "?" + name + "=" + value.String()
			all = append(all, aimed)
		}
	}
	return all
}

// state is all that an operator sees of a tenant and of the platform.
func (s *stack) state(victim *company) string {
	s.Helper()
	operator := s.as(s.operator)
	var all strings.Builder
	for _, path := range []string{
		"/api/operator/tenants/" + victim.ID.String(), "/api/operator/users?tenant_id=" + victim.ID.String(),
		"/api/tokens?include_revoked=true&tenant_id=" + victim.ID.String(), "/api/usage-logs?tenant_id=" + victim.ID.String(),
		"/api/operator/grants?tenant_id=" + victim.ID.String(), "/api/operator/groups", "/api/operator/group-rules",
		"/api/operator/channels", "/api/operator/models", "/api/operator/prices", "/api/operator/tenants",
	} {
		r := operator.get(path)
		r.want(s, http.StatusOK)
		all.WriteString(r.raw)
	}
	return all.String()
}

func (c *client) attack(a attack) reply {
	c.Helper()
	return c.do(a.method, a.path, a.body)
}

// secretsOf are what nobody outside the tenant may read.
func (c *company) secretsOf() []string {
	return []string{
		c.token.ID.String(), c.token.Mask, c.token.Name, c.log.ID.String(), c.owner.Email, c.member.Email, c.admin.Email,
		c.owner.ID.String(), c.member.ID.String(), c.admin.ID.String(), c.Name,
	}
}

func TestNothingWorksWithoutASession(t *testing.T) {
	t.Parallel()
	s := setup(t)
	before := s.state(&s.acme)
	for _, a := range s.attacks(&s.acme) {
		r := s.anonymous().attack(a)
		if r.StatusCode != http.StatusUnauthorized || strings.Contains(r.raw, "acme") {
			t.Errorf("%s %s: status %d, want 401: %s", a.method, a.path, r.StatusCode, r.raw)
		}
	}
	if s.state(&s.acme) != before {
		t.Error("something was changed")
	}
}

func TestNoTenantReachesAnother(t *testing.T) {
	t.Parallel()
	s := setup(t)
	before := s.state(&s.acme)
	for _, who := range []tenant.User{s.globex.owner, s.globex.admin, s.globex.member} {
		for _, a := range s.attacks(&s.acme) {
			r := s.as(who).attack(a)
			denied := r.StatusCode == http.StatusForbidden || r.StatusCode == http.StatusNotFound
			if !denied && !a.own {
				t.Errorf("%s, %s %s: status %d, want 403 or 404: %s", who.Role, a.method, a.path, r.StatusCode, r.raw)
			}
			if r.StatusCode >= http.StatusInternalServerError {
				t.Errorf("%s, %s %s: status %d", who.Role, a.method, a.path, r.StatusCode)
			}
			for _, secret := range s.acme.secretsOf() {
				if strings.Contains(r.raw, secret) && !strings.Contains(a.path, secret) {
					t.Errorf("%s, %s %s shows %q: %s", who.Role, a.method, a.path, secret, r.raw)
				}
			}
		}
	}
	if s.state(&s.acme) != before {
		t.Error("something was changed")
	}
}

func TestMembersReachTheirOwnAlone(t *testing.T) {
	t.Parallel()
	s := setup(t)
	colleague := s.user(s.acme.ID, "colleague@acme.example", tenant.Member)
	before := s.state(&s.acme)
	for _, a := range s.attacks(&s.acme) {
		if a.id == "changePassword" {
			continue // his own, which is his to change
		}
		r := s.as(colleague).attack(a)
		denied := r.StatusCode == http.StatusForbidden || r.StatusCode == http.StatusNotFound
		if (a.operator || a.admin || !a.own) && !denied {
			t.Errorf("%s %s: status %d, want 403 or 404: %s", a.method, a.path, r.StatusCode, r.raw)
		}
		for _, secret := range []string{s.acme.token.Mask, s.acme.token.Name, s.acme.member.Email, s.acme.owner.Email} {
			if strings.Contains(r.raw, secret) {
				t.Errorf("%s %s shows %q: %s", a.method, a.path, secret, r.raw)
			}
		}
	}
	if s.state(&s.acme) != before {
		t.Error("something was changed")
	}
}

func TestOwnersAndAdminsDoNotRunThePlatform(t *testing.T) {
	t.Parallel()
	s := setup(t)
	before := s.state(&s.acme)
	for _, who := range []tenant.User{s.acme.owner, s.acme.admin} {
		for _, a := range s.attacks(&s.acme) {
			if !a.operator {
				continue
			}
			if r := s.as(who).attack(a); r.StatusCode != http.StatusForbidden && r.StatusCode != http.StatusNotFound {
				t.Errorf("%s, %s %s: status %d, want 403 or 404: %s", who.Role, a.method, a.path, r.StatusCode, r.raw)
			}
		}
	}
	if s.state(&s.acme) != before {
		t.Error("something was changed")
	}
}

func TestNoAnswerHoldsASecret(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for _, who := range []tenant.User{s.operator, s.acme.owner, s.acme.admin, s.acme.member} {
		for _, a := range s.attacks(&s.acme) {
			if a.method != http.MethodGet {
				continue
			}
			r := s.as(who).attack(a)
			for _, secret := range []string{credential, "argon2", "sealed", "password_hash", "sk-tg-0000000"} {
				if strings.Contains(r.raw, secret) {
					t.Errorf("%s, %s shows %q", who.Role, a.path, secret)
				}
			}
			if who.Role != tenant.Operator && strings.Contains(r.raw, "upstream.example") {
				t.Errorf("%s, %s shows a base URL", who.Role, a.path)
			}
		}
	}
}
