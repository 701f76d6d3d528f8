package console_test

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// attack is a request to one operation that names resources of a victim tenant in its path, query and body.
type attack struct {
	key              string // identifies the attack
	id, method, path string
	name             string // the method and the path of the document, as the audit log names the operation
	body             any
	operator         bool // only operators may call it
	admin            bool // only admins, owners and operators may call it
	public           bool // needs no session
}

// A secret that belongs to nothing, and a time in the future. They
// are the same in all attacks, so that attacks can be compared.
var (
	secretOfNothing = seal.NewSecret().Value
	inAnHour        = time.Now().Add(time.Hour)
)

// attacks returns attacks on the victim, at least one for every operation of the OpenAPI document. Paths, queries and
// bodies are made from the document, so that a new operation is attacked without a change here. The ids of the
// victim's resources are put wherever a path, a parameter or a field names such a resource.
func (s *stack) attacks(victim *company) []attack {
	s.Helper()
	var all []attack
	operations(s.T, func(path, method string, op map[string]any) {
		a := attack{
			id: text(s, op, "operationId"), method: method, path: s.pathOf(victim, path), name: method + " " + path,
			operator: strings.HasPrefix(path, "/api/operator/"), public: len(as[[]any](s, op["security"])) == 0,
		}
		a.key = a.id
		a.admin = !a.public && slices.ContainsFunc([]string{"/api/members", "/api/ledger", "/api/invitations",
			"/api/alert"}, func(prefix string) bool {
			return strings.HasPrefix(path, prefix)
		})
		a.body = newSampler(s.T, seedOf(a.id), s.fieldsOf(victim, a.id)).body(op)
		all = append(all, a.withIDParameters(op, victim, s)...)
	})
	slices.SortFunc(all,
		func(a, b attack) int { return cmp.Or(cmp.Compare(a.order(), b.order()), cmp.Compare(a.key, b.key)) })
	return all
}

// seedOf returns a seed for the bodies of an operation.
func seedOf(id string) uint64 {
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(id))
	return sum.Sum64()
}

// fieldsOf returns the values of fields in the attacks on the victim: ids of the victim's resources, and texts
// that the server accepts in fields whose schema allows more.
func (s *stack) fieldsOf(victim *company, operation string) map[string]any {
	fields := map[string]any{
		"tenant_id": victim.ID.String(), "from_tenant_id": victim.ID.String(), "to_tenant_id": s.globex.ID.String(),
		"user_id": victim.member.ID.String(), "token_id": victim.token.ID.String(),
		"channel_id": s.channel.ID.String(), "group_id": s.group.ID.String(),
		"email": "intruder@example.com", "password": password, "old_password": password,
		"new_password": "another horse battery",
		"secret":       secretOfNothing, "slug": "mine", "type": "echo", "base_url": "https://evil.example/v1",
		"model":  "gpt-4o-mini",
		"models": []any{"*"}, "addresses": []any{"192.0.2.1"}, "role": "admin", "status": "disabled",
		"proxy": "", "ca": "",
		"tag": []any{"team=search"}, "to": time.Now().Add(-time.Hour).UTC().Truncate(time.Hour).Format(time.RFC3339),
		"from": "2026-01-01T00:00:00Z",
		"csv":  "day,amount\n2026-01-01,1\n", "catalogue": "operators: [{email: me@example.com, password: mine}]",
	}
	switch operation {
	case "requestPasswordReset":
		fields["email"] = victim.owner.Email
	case "setTenantIssuer": // refused without a call: the address is not public
		fields["issuer"], fields["domains"] = "https://127.0.0.1:1", []any{"evil.example"}
	case "createAlertDestination": // changes nothing that others see, and is refused: the address is not public
		fields["url"], fields["user_id"] = "https://10.0.0.1/", nil
	case "updateAlertDestination":
		fields["url"] = "https://evil.example/"
	case "createAlertRule":
		fields["destinations"], fields["subject_id"], fields["subject"], fields["kind"] = nil, victim.token.ID.String(),
			"token", "quota_used"
	case "updateAlertRule":
		fields["destinations"] = nil
	case "approveTenantIssuer":
		fields["default_group_id"] = s.group.ID.String()
	case "updateOwnTenant":
		// These changes are permitted. Tests compare the tenants before and after, and an actor without a second factor
		// must not lock itself out.
		fields["name"], fields["require_second_factor"], fields["include_quota"], fields["metadata_tags"],
			fields["ignored_fields"] = s.globex.Name, nil, nil, nil, nil
	case "explainRouting": // takes one id only
		fields["user_id"], fields["group_id"] = nil, nil
	}
	return fields
}

// pathOf returns the path with an id of a resource of the victim. For a kind of resource that company does not have, it
// takes the first item that somebody finds in the list at the path before the id.
func (s *stack) pathOf(victim *company, path string) string {
	s.Helper()
	collection, rest, ok := strings.Cut(path, "{")
	if !ok {
		return path
	}
	_, rest, _ = strings.Cut(rest, "}")
	id, ok := map[string]string{
		"/api/invitations/": victim.invitation.ID.String(), "/api/access-keys/": victim.key.ID.String(),
		"/api/tokens/": victim.token.ID.String(), "/api/usage-logs/": victim.log.ID.String(),
		"/api/members/": victim.member.ID.String(), "/api/operator/tenants/": victim.ID.String(),
		"/api/session/identities/": victim.identity.ID.String(), "/api/session/passkeys/": victim.passkey.ID.String(),
		"/api/operator/users/": victim.owner.ID.String(), "/api/operator/groups/": s.group.ID.String(),
		"/api/operator/channels/": s.channel.ID.String(),
		"/api/jobs/":              victim.job.ID.String(), "/api/operator/jobs/": victim.job.ID.String(),
		"/api/operator/models/": "gpt-4o-mini",
		// All tenants share it; see TestVisibleModel_HidesWhatTheCallerMayNotUse.
		"/api/models/": "gpt-4o-mini",
	}[collection]
	switch {
	case collection == "/api/sessions/":
		id = s.sessionIn(victim).String()
	case !ok:
		id = s.firstOf(victim, strings.TrimSuffix(collection, "/"))
	}
	return collection + id + rest
}

// firstOf returns the id of the first item that a user of the victim or an operator finds in the list at the path. It
// returns a random id for a company that does not exist, and where there is no such list or item.
func (s *stack) firstOf(victim *company, path string) string {
	s.Helper()
	for _, who := range []tenant.User{victim.member, victim.owner, s.operator} {
		if victim.member.Email == "" {
			break
		}
		r := s.as(who).get(path)
		if found, _ := r.body["items"].([]any); r.StatusCode == http.StatusOK && len(found) > 0 {
			if id, ok := as[map[string]any](s, found[0])["id"].(string); ok {
				return id
			}
		}
	}
	return uuid.Must(uuid.NewV7()).String()
}

// order returns the position of the attack: attacks that end all sessions of their caller come last.
func (a attack) order() int { return 1 + slices.Index(sessionEnding, a.id) }

// sessionEnding are the operations that end sessions of their caller.
var sessionEnding = []string{"changePassword", "endOtherSessions"}

// withIDParameters returns the attack, and a copy of it for every query parameter of the operation that takes an id.
func (a attack) withIDParameters(op map[string]any, victim *company, s *stack) []attack {
	all := []attack{a}
	fields := s.fieldsOf(victim, a.id)
	parameters, _ := op["parameters"].([]any)
	for _, parameter := range parameters {
		name := text(s, parameter, "name")
		value, ok := fields[name].(string)
		if ok && text(s, parameter, "in") == "query" && at(s, parameter, "schema", "format") == "uuid" {
			withID := a
			withID.key += "?" + name
			withID.path += "?" + name + "=" + value
			all = append(all, withID)
		}
	}
	return all
}

// attack sends the attack from an address of its own, where the stack trusts proxies, so that no allowance of an
// address stops it: a refusal because of too many requests would hide what the operation does.
func (c *client) attack(a attack) reply {
	c.Helper()
	number := c.attacked.Add(1)
	c.peer = netip.AddrFrom4([4]byte{10, byte(number >> 16), byte(number >> 8), byte(number)}).String()
	return c.do(a.method, a.path, a.body)
}

// secretsOf returns values that nobody outside of the tenant may read.
func (c *company) secretsOf() []string {
	return []string{
		c.invitation.ID.String(), c.invitation.Email, c.key.ID.String(), c.key.Mask, c.keyValue, c.job.ID.String(),
		c.token.ID.String(), c.token.Mask, c.token.Name, c.log.ID.String(), c.owner.Email,
		c.member.Email, c.admin.Email,
		c.owner.ID.String(), c.member.ID.String(), c.admin.ID.String(), c.Name, c.passkey.Name, c.passkey.ID.String(),
		c.identity.ID.String(),
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
			test(setupFor(t, database(t), config.Config{ConsoleURL: "http://localhost:8081",
				TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}))
		})
	}
}

// attackRun configures runAttacks.
type attackRun struct {
	as    func() *client      // returns a new client for each attack, because some attacks end their session
	then  func()              // called after all clients are signed in; nil: nothing
	judge func(attack, reply) // checks a reply
	fixed []string            // ids: no attack may change a row that contains one of them and not the id of by
	// Id of the caller, whose own new rows may name fixed ids, such as the filter of an export.
	by uuid.UUID
}

// bookkeeping are columns that even a refused request may change.
var bookkeeping = []string{"last_seen", "last_seen_at", "last_used", "last_used_at", "tries", "tried_at"}

// runAttacks sends the attacks. Attacks that succeed may change rows of their caller, but none that contains a fixed
// id. Attacks that are refused or only read must change no row at all, including those of the audit log: they are sent
// a second time, between two dumps of the database.
func (s *stack) runAttacks(attacks []attack, w attackRun) {
	s.Helper()
	judge := w.judge
	if w.then == nil {
		var statuses []int
		attacks, statuses = s.sendOnce(attacks, w)
		repeated := 0
		judge = func(a attack, r reply) {
			if first := statuses[repeated]; r.StatusCode != first {
				s.Errorf("%s: got status %d, then %d: %s", a, first, r.StatusCode, r.raw)
			}
			repeated++
		}
	}
	clients := make([]*client, len(attacks))
	for i := range clients {
		clients[i] = w.as()
	}
	if w.then != nil {
		w.then()
	}
	before := storetest.Dump(s, s.database, bookkeeping...)
	for i, a := range attacks {
		if w.then == nil || !a.public {
			judge(a, clients[i].attack(a))
		}
	}
	if changed := before.Changed(storetest.Dump(s, s.database, bookkeeping...)); len(changed) > 0 {
		s.Errorf("%v changed, although each request was refused or only read: %v", changed, attacks)
	}
	for i, a := range attacks {
		if w.then != nil && a.public { // these may succeed
			judge(a, clients[i].attack(a))
		}
	}
}

// sendOnce sends the attacks, judges the replies, and checks that no row of the victim has changed. It returns the
// attacks that were refused and those that only read, with the statuses of their replies.
func (s *stack) sendOnce(attacks []attack, w attackRun) (harmless []attack, statuses []int) {
	s.Helper()
	before := storetest.Dump(s, s.database, bookkeeping...).Naming(w.fixed, w.by.String())
	for _, a := range attacks {
		r := w.as().attack(a)
		w.judge(a, r)
		if r.StatusCode >= http.StatusInternalServerError || r.StatusCode == http.StatusTooManyRequests {
			s.Errorf("%s: got status %d: %s", a, r.StatusCode, r.raw)
		}
		if r.StatusCode >= http.StatusBadRequest || a.method == http.MethodGet {
			harmless, statuses = append(harmless, a), append(statuses, r.StatusCode)
		}
	}
	after := storetest.Dump(s, s.database, bookkeeping...).Naming(w.fixed, w.by.String())
	for _, table := range before.Changed(after) {
		s.Errorf("rows of the victim changed in %s: before %v, after %v", table, before[table], after[table])
	}
	return harmless, statuses
}

// ids returns the ids of the company, of its users and of their resources.
func (c *company) ids() []string { return append(c.idsOfUsers(), c.ID.String()) }

// idsOfUsers returns the ids of the company's users and of their resources.
func (c *company) idsOfUsers() (ids []string) {
	for _, id := range []uuid.UUID{
		c.token.ID, c.log.ID, c.job.ID, c.invitation.ID, c.key.ID, c.passkey.ID, c.identity.ID, c.owner.ID,
		c.admin.ID, c.member.ID,
	} {
		ids = append(ids, id.String())
	}
	return ids
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
		"/api/tokens?include_revoked=true&tenant_id=" + victim.ID.String(), "/api/usage-logs?tenant_id=" +
			victim.ID.String(),
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
