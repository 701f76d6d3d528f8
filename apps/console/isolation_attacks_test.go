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

// attack is a call of one operation with the ids of another tenant in path, query
// and body.
type attack struct {
	key              string // one attack's alone
	id, method, path string
	body             any
	operator         bool // for operators only
	admin            bool // for admins, owners and operators only
	public           bool // needs no session, and shows nothing but what a secret is good for
	own              bool // works on the caller's own things: may succeed, and changes nothing of others
}

// What attacks name that is nowhere, or not yet; the same in each.
var (
	secretOfNothing = seal.NewSecret().Value
	inAnHour        = time.Now().Add(time.Hour)
)

// attacks returns an attack on victim for every operation of the document. An
// operation without one fails the test, so that a new one cannot be forgotten.
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
			s.Errorf("%s: there is no attack body for it", a.id)
		}
		a.key = a.id
		a.path = strings.Replace(a.path, "/operator/models/{id}", "/operator/models/gpt-4o-mini", 1)
		for prefix, value := range id {
			a.path = strings.Replace(a.path, "/api"+prefix+"{id}", "/api"+prefix+value.String(), 1)
		}
		if strings.Contains(a.path, "{") {
			s.Errorf("%s: nothing is known of %s", a.id, a.path)
		}
		all = append(all, a.aimed(op, victim, s)...)
	})
	slices.SortFunc(all, func(a, b attack) int { return cmp.Or(cmp.Compare(a.turn(), b.turn()), cmp.Compare(a.key, b.key)) })
	return all
}

// turn puts what ends all sessions of its caller behind the rest.
func (a attack) turn() int { return 1 + slices.Index(endings, a.id) }

var endings = []string{"changePassword", "endOtherSessions"}

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
			aimed.key += "?" + name
			aimed.path += "?" + name + "=" + value.String()
			all = append(all, aimed)
		}
	}
	return all
}

func (c *client) attack(a attack) reply {
	c.Helper()
	return c.do(a.method, a.path, a.body)
}

// secretsOf are what nobody outside the tenant may read.
func (c *company) secretsOf() []string {
	return []string{
		c.invitation.ID.String(), c.invitation.Email, c.key.ID.String(), c.key.Mask, c.keyValue, c.job.ID.String(),
		c.token.ID.String(), c.token.Mask, c.token.Name, c.log.ID.String(), c.owner.Email, c.member.Email, c.admin.Email,
		c.owner.ID.String(), c.member.ID.String(), c.admin.ID.String(), c.Name, c.passkey.Name, c.passkey.ID.String(), c.identity.ID.String(),
	}
}

// sessionIn is the id of a session of the company's member, of none where there
// is no such member.
func (s *stack) sessionIn(c *company) uuid.UUID {
	s.Helper()
	if c.member.Email == "" {
		return uuid.Must(uuid.NewV7())
	}
	return s.sessionOf(c.member)
}

// nobody is a company of which nothing is there but ids.
func nobody() (c company) {
	id := func() uuid.UUID { return uuid.Must(uuid.NewV7()) }
	c.ID, c.owner.ID, c.admin.ID, c.member.ID, c.token.ID, c.log.ID = id(), id(), id(), id(), id(), id()
	c.passkey.ID, c.identity.ID, c.job.ID, c.invitation.ID, c.key.ID = id(), id(), id(), id(), id()
	c.owner.Email = "nobody@nowhere.example"
	return c
}

// onBoth runs the test on a stack on each kind of database: isolated by the store
// alone, and by the row-level security of Postgres too.
func onBoth(t *testing.T, test func(s *stack)) {
	t.Helper()
	for kind, database := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			test(setupOn(t, database(t)))
		})
	}
}

// walk is a way along all attacks.
type walk struct {
	as    func() *client // a new one for each attack, for some end their session
	then  func()         // what happens once all are signed in; nil: nothing
	judge func(attack, reply)
}

// bookkeeping are columns that a call may move that is refused.
var bookkeeping = []string{"last_seen", "last_seen_at", "last_used", "last_used_at", "tries", "tried_at"}

// walkAlong makes the attacks and looks at every table in between: what is
// refused, and what only reads, must leave no trace, in the audit log neither.
// Attacks that must fail are looked at together, up to one that may succeed.
func (s *stack) walkAlong(attacks []attack, w walk) {
	s.Helper()
	clients := make([]*client, len(attacks))
	for i := range clients {
		clients[i] = w.as()
	}
	if w.then != nil {
		w.then()
	}
	var traceless []attack
	before := storetest.Dump(s, s.database, bookkeeping...)
	look := func() {
		after := storetest.Dump(s, s.database, bookkeeping...)
		if changed := before.Changed(after); len(traceless) > 0 && len(changed) > 0 {
			s.Errorf("refused or read only, and yet %v changed: one of %v", changed, traceless)
		}
		before, traceless = after, nil
	}
	for i, a := range attacks {
		mayWrite := a.own && a.method != http.MethodGet
		if mayWrite || a.turn() > 0 {
			look()
		}
		if a.turn() > 0 && w.then == nil { // the one before has ended its session
			clients[i] = w.as()
			before = storetest.Dump(s, s.database, bookkeeping...)
		}
		r := clients[i].attack(a)
		w.judge(a, r)
		if r.StatusCode >= http.StatusInternalServerError {
			s.Errorf("%s: status %d: %s", a, r.StatusCode, r.raw)
		}
		if r.StatusCode >= http.StatusBadRequest || a.method == http.MethodGet {
			traceless = append(traceless, a)
		}
		if mayWrite {
			look()
		}
	}
	look()
}

func (a attack) String() string { return a.method + " " + a.path }

// isDenied is how everything looks that is not the caller's.
func isDenied(r reply) bool {
	return r.StatusCode == http.StatusForbidden || r.StatusCode == http.StatusNotFound
}

// shows reports which of the secrets the answer tells that the attack did not name.
func (a attack) shows(r reply, secrets []string) (told []string) {
	answer := r.raw + fmt.Sprint(r.Header)
	for _, secret := range secrets {
		if strings.Contains(answer, secret) && !strings.Contains(a.path, secret) {
			told = append(told, secret)
		}
	}
	return told
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
		"/api/invitations?tenant_id=" + victim.ID.String(), "/api/access-keys?user_id=" + victim.member.ID.String(),
		"/api/operator/channels", "/api/operator/models", "/api/operator/prices", "/api/operator/tenants",
	} {
		r := operator.get(path)
		r.want(s, http.StatusOK)
		all.WriteString(r.raw)
	}
	all.WriteString(s.as(victim.member).get("/api/jobs").raw) // which are nobody else's
	return all.String()
}
