package console_test

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// attack is a request to one operation that names resources of a victim tenant in its path, query and body.
type attack struct {
	key              string // identifies the attack
	id, method, path string
	body             any
	operator         bool // only operators may call it
	admin            bool // only admins, owners and operators may call it
	public           bool // needs no session
	own              bool // works on the caller's own resources: it may succeed, but must not change those of others
}

// A secret that belongs to nothing, and a time in the future. They
// are the same in all attacks, so that attacks can be compared.
var (
	secretOfNothing = seal.NewSecret().Value
	inAnHour        = time.Now().Add(time.Hour)
)

// attacks returns attacks on the victim, at least one for every operation of
// the OpenAPI document. An operation with a body or a path parameter that is
// not listed here fails the test, so that a new operation cannot be forgotten.
func (s *stack) attacks(victim *company) []attack {
	s.Helper()
	id := map[string]uuid.UUID{
		"/invitations/": victim.invitation.ID, "/access-keys/": victim.key.ID,
		"/sessions/": s.sessionIn(victim),
		"/tokens/":   victim.token.ID, "/usage-logs/": victim.log.ID, "/members/": victim.member.ID, "/operator/tenants/": victim.ID,
		"/session/identities/": victim.identity.ID, "/session/passkeys/": victim.passkey.ID,
		"/operator/users/": victim.owner.ID, "/operator/groups/": s.group.ID, "/operator/channels/": s.channel.ID,
		"/jobs/": victim.job.ID, "/operator/jobs/": victim.job.ID,
		"/operator/prices/": uuid.Must(uuid.NewV7()), "/operator/group-rules/": uuid.Must(uuid.NewV7()),
	}
	bodies := map[string]any{
		"createSession":                  credentials("nobody@example.com", password),
		"changePassword":                 map[string]any{"old_password": password, "new_password": "another horse battery"},
		"createToken":                    map[string]any{"name": "stolen", "user_id": victim.member.ID},
		"previewToken":                   map[string]any{"models": []string{"*"}, "user_id": victim.member.ID},
		"updateToken":                    map[string]any{"name": "stolen", "quota": nil, "caps": map[string]any{"day": "0"}, "limits": map[string]any{"concurrency": 1}, "status": "disabled"},
		"createMember":                   map[string]any{"email": "intruder@example.com", "password": password, "role": "admin"},
		"updateMember":                   map[string]any{"role": "admin", "status": "disabled", "quota": "0", "caps": map[string]any{"day": "0"}, "limits": map[string]any{"concurrency": 1}},
		"createTenant":                   map[string]any{"slug": "mine", "name": "Mine", "quota": "100"},
		"updateTenant":                   map[string]any{"status": "disabled", "caps": map[string]any{"day": "0"}},
		"createUser":                     map[string]any{"tenant_id": victim.ID, "email": "intruder@example.com", "password": password, "role": "owner", "group_id": s.group.ID},
		"updateUser":                     map[string]any{"password": "another horse battery", "limits": map[string]any{"concurrency": 1}},
		"createGroup":                    map[string]any{"name": "cheap", "models": []string{"*"}, "multiplier": "0"},
		"updateGroup":                    map[string]any{"multiplier": "0", "limits": map[string]any{"concurrency": 1}},
		"createGroupRule":                map[string]any{"group_id": s.group.ID, "multiplier": "0"},
		"createChannel":                  map[string]any{"name": "trap", "type": "echo", "endpoints": []string{"chat"}, "models": map[string]string{"gpt-4o-mini": "x"}},
		"updateChannel":                  map[string]any{"base_url": "https://evil.example/v1", "rotation": map[string]any{"add": []string{"sk-of-the-intruder"}}},
		"createModel":                    map[string]any{"id": "mine", "owned_by": "me", "free": true},
		"updateModel":                    map[string]any{"free": true, "status": "disabled", "limits": map[string]any{"concurrency": 1}},
		"createPrice":                    map[string]any{"model": "gpt-4o-mini", "price": map[string]any{"input": "0.01"}},
		"createGrant":                    map[string]any{"tenant_id": victim.ID, "amount": "10", "reason": "mine now"},
		"createAdjustment":               map[string]any{"tenant_id": victim.ID, "amount": "-10", "reason": "mine now"},
		"createTransfer":                 map[string]any{"from_tenant_id": victim.ID, "to_tenant_id": s.globex.ID, "amount": "1", "reason": "mine now"},
		"updateOwnTenant":                map[string]any{"name": s.globex.Name},
		"testChannel":                    map[string]any{},
		"createPlaygroundChatCompletion": map[string]any{"model": "gpt-4o-mini", "messages": []any{}},
		"createPlaygroundResponse":       map[string]any{"model": "gpt-4o-mini", "input": "x"},
		"explainRouting":                 map[string]any{"token_id": victim.token.ID, "model": "gpt-4o-mini"},
		"enableChannelCredential":        map[string]any{"fingerprint": "f"},
		"createSecondFactor":             map[string]any{"challenge": "x", "code": "123456"},
		"beginTOTP":                      map[string]any{"password": password},
		"confirmTOTP":                    map[string]any{"code": "123456"},
		"disableTOTP":                    map[string]any{"password": password, "code": "123456"},
		"createRecoveryCodes":            map[string]any{"password": password, "code": "123456"},
		"createUsageExport":              map[string]any{"format": "csv", "tenant_id": victim.ID, "user_id": victim.member.ID},
		"createInvitation":               map[string]any{"tenant_id": victim.ID, "email": "intruder@example.com", "role": "owner", "group_id": s.group.ID},
		"lookUpInvitation":               map[string]any{"secret": secretOfNothing},
		"acceptInvitation":               map[string]any{"secret": secretOfNothing, "password": password},
		"requestPasswordReset":           map[string]any{"email": victim.owner.Email},
		"lookUpPasswordReset":            map[string]any{"secret": secretOfNothing},
		"completePasswordReset":          map[string]any{"secret": secretOfNothing, "password": password},
		"createAccessKey":                map[string]any{"name": "ci", "access": "write", "expires_at": inAnHour},
		"createPasskeySession":           map[string]any{"credential": map[string]any{"id": "x"}},
		"askPasskey":                     map[string]any{"challenge": "x"},
		"beginPasskey":                   map[string]any{"password": password},
		"createPasskey":                  map[string]any{"name": "mine", "credential": map[string]any{"id": "x"}},
		"updatePasskey":                  map[string]any{"name": "mine"},
		"createPriceSimulation":          map[string]any{"rule": map[string]any{"group_id": s.group.ID, "multiplier": "0"}},
		"createCatalogueImport":          map[string]any{"catalogue": "operators: [{email: me@example.com, password: mine}]", "apply": true},
	}
	own := []string{
		"getPlatform", "getOwnTenant", "updateOwnTenant",
		"createPlaygroundToken", "createPlaygroundChatCompletion", "createPlaygroundResponse", "listPlaygroundModels",
		"listSessions", "endOtherSessions", "listInvitations", "listAccessKeys", "createAccessKey",
		"createSession", "getSession", "deleteSession", "changePassword", "listTokens", "listUsageLogs", "getUsageSummary",
		"listJobs", "createUsageExport",
		"listVisibleModels", "getQuota", "listLedger", "listMembers", "createMember",
		"createSecondFactor", "getFactors", "beginTOTP", "confirmTOTP", "disableTOTP", "createRecoveryCodes",
		"getSignInMethods", "beginPasskeySession", "createPasskeySession", "askPasskey", "beginPasskey", "createPasskey", "listPasskeys",
		"listIdentities",
	}
	var all []attack
	operations(s.T, func(path, method string, op map[string]any) {
		a := attack{id: text(s, op, "operationId"), method: method, path: path}
		a.body = bodies[a.id]
		a.operator = strings.HasPrefix(path, "/api/operator/")
		a.public = slices.Contains(public, a.id)
		a.admin = strings.HasPrefix(path, "/api/members") || path == "/api/ledger" || a.id == "updateOwnTenant" ||
			strings.HasPrefix(path, "/api/invitations") && !a.public
		a.own = slices.Contains(own, a.id) || a.public
		if op["requestBody"] != nil && a.body == nil {
			s.Errorf("%s has no body in attacks: add one", a.id)
		}
		a.key = a.id
		a.path = strings.Replace(a.path, "/operator/models/{id}", "/operator/models/gpt-4o-mini", 1)
		for prefix, value := range id {
			a.path = strings.Replace(a.path, "/api"+prefix+"{id}", "/api"+prefix+value.String(), 1)
		}
		if strings.Contains(a.path, "{") {
			s.Errorf("%s: attacks has no id for the path %s: add one", a.id, a.path)
		}
		all = append(all, a.withIDParameters(op, victim, s)...)
	})
	slices.SortFunc(all, func(a, b attack) int { return cmp.Or(cmp.Compare(a.order(), b.order()), cmp.Compare(a.key, b.key)) })
	return all
}

// order returns the position of the attack: attacks that end all sessions of their caller come last.
func (a attack) order() int { return 1 + slices.Index(sessionEnding, a.id) }

// sessionEnding are the operations that end sessions of their caller.
var sessionEnding = []string{"changePassword", "endOtherSessions"}

// withIDParameters returns the attack, and a copy of it for every query parameter of the operation that takes an id.
func (a attack) withIDParameters(op map[string]any, victim *company, s *stack) []attack {
	all := []attack{a}
	ids := map[string]uuid.UUID{
		"tenant_id": victim.ID, "user_id": victim.member.ID, "token_id": victim.token.ID, "channel_id": s.channel.ID, "group_id": s.group.ID,
	}
	parameters, _ := op["parameters"].([]any)
	for _, parameter := range parameters {
		name := text(s, parameter, "name")
		if value, ok := ids[name]; ok {
			withID := a
			withID.key += "?" + name
			withID.path += "?" + name + "=" + value.String()
			all = append(all, withID)
		}
	}
	return all
}

func (c *client) attack(a attack) reply {
	c.Helper()
	return c.do(a.method, a.path, a.body)
}

// secretsOf returns values that nobody outside of the tenant may read.
func (c *company) secretsOf() []string {
	return []string{
		c.invitation.ID.String(), c.invitation.Email, c.key.ID.String(), c.key.Mask, c.keyValue, c.job.ID.String(),
		c.token.ID.String(), c.token.Mask, c.token.Name, c.log.ID.String(), c.owner.Email, c.member.Email, c.admin.Email,
		c.owner.ID.String(), c.member.ID.String(), c.admin.ID.String(), c.Name, c.passkey.Name, c.passkey.ID.String(), c.identity.ID.String(),
	}
}

// sessionIn returns the id of a session of the company's member, or a random id if the company does not exist.
func (s *stack) sessionIn(c *company) uuid.UUID {
	s.Helper()
	if c.member.Email == "" {
		return uuid.Must(uuid.NewV7())
	}
	return s.sessionOf(c.member)
}

// missingCompany returns a company that does not exist: it has ids but no rows in the database.
func missingCompany() (c company) {
	id := func() uuid.UUID { return uuid.Must(uuid.NewV7()) }
	c.ID, c.owner.ID, c.admin.ID, c.member.ID, c.token.ID, c.log.ID = id(), id(), id(), id(), id(), id()
	c.passkey.ID, c.identity.ID, c.job.ID, c.invitation.ID, c.key.ID = id(), id(), id(), id(), id()
	c.owner.Email = "nobody@nowhere.example"
	return c
}

// onBoth runs the test on each kind of database. On SQLite only the
// store isolates tenants; on Postgres row-level security does too.
func onBoth(t *testing.T, test func(s *stack)) {
	t.Helper()
	for kind, database := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			test(setupOn(t, database(t)))
		})
	}
}

// attackRun configures runAttacks.
type attackRun struct {
	as    func() *client      // returns a new client for each attack, because some attacks end their session
	then  func()              // called after all clients are signed in; may be nil
	judge func(attack, reply) // checks a reply
}

// bookkeeping are columns that even a refused request may change.
var bookkeeping = []string{"last_seen", "last_seen_at", "last_used", "last_used_at", "tries", "tried_at"}

// runAttacks sends the attacks and compares all tables of the database in between.
// Requests that are refused or only read must not change anything, including the
// audit log. To save time, it compares once for several such attacks in a row.
func (s *stack) runAttacks(attacks []attack, w attackRun) {
	s.Helper()
	clients := make([]*client, len(attacks))
	for i := range clients {
		clients[i] = w.as()
	}
	if w.then != nil {
		w.then()
	}
	var mustNotWrite []attack
	before := storetest.Dump(s, s.database, bookkeeping...)
	compare := func() {
		after := storetest.Dump(s, s.database, bookkeeping...)
		if changed := before.Changed(after); len(mustNotWrite) > 0 && len(changed) > 0 {
			s.Errorf("%v changed, although all of these requests were refused or only read: %v", changed, mustNotWrite)
		}
		before, mustNotWrite = after, nil
	}
	for i, a := range attacks {
		mayWrite := a.own && a.method != http.MethodGet
		if mayWrite || a.order() > 0 {
			compare()
		}
		if a.order() > 0 && w.then == nil { // the previous attack has ended the session
			clients[i] = w.as()
			before = storetest.Dump(s, s.database, bookkeeping...)
		}
		r := clients[i].attack(a)
		w.judge(a, r)
		if r.StatusCode >= http.StatusInternalServerError {
			s.Errorf("%s: got status %d: %s", a, r.StatusCode, r.raw)
		}
		if r.StatusCode >= http.StatusBadRequest || a.method == http.MethodGet {
			mustNotWrite = append(mustNotWrite, a)
		}
		if mayWrite {
			compare()
		}
	}
	compare()
}

func (a attack) String() string { return a.method + " " + a.path }

// isDenied reports whether the reply denies access, as for resources that are not the caller's.
func isDenied(r reply) bool {
	return r.StatusCode == http.StatusForbidden || r.StatusCode == http.StatusNotFound
}

// shows returns the secrets that the reply contains, except those that the attack named in its path.
func (a attack) shows(r reply, secrets []string) (leaked []string) {
	answer := r.raw + fmt.Sprint(r.Header)
	for _, secret := range secrets {
		if strings.Contains(answer, secret) && !strings.Contains(a.path, secret) {
			leaked = append(leaked, secret)
		}
	}
	return leaked
}

// state returns everything that an operator sees of the tenant and of the platform,
// and the jobs of the tenant's member. Tests compare it before and after attacks.
func (s *stack) state(victim *company) string {
	s.Helper()
	operator := s.as(s.operator)
	var all strings.Builder
	for _, path := range []string{
		"/api/operator/tenants/" + victim.ID.String(), "/api/operator/users?tenant_id=" + victim.ID.String(),
		"/api/tokens?include_revoked=true&tenant_id=" + victim.ID.String(), "/api/usage-logs?tenant_id=" + victim.ID.String(),
		"/api/operator/grants?tenant_id=" + victim.ID.String(), "/api/operator/groups", "/api/operator/group-rules",
		"/api/invitations?tenant_id=" + victim.ID.String(), "/api/access-keys?user_id=" + victim.member.ID.String(),
		"/api/operator/channels", "/api/operator/models", "/api/operator/prices", "/api/operator/tenants",
	} {
		r := operator.get(path)
		r.want(s, http.StatusOK)
		all.WriteString(r.raw)
	}
	all.WriteString(s.as(victim.member).get("/api/jobs").raw) // operators do not see them
	return all.String()
}
