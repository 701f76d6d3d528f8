package console_test

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
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

// attacksOn returns attacks on the victim, at least one for every operation of the OpenAPI document. Paths, queries and
// bodies are made from the document, so that a new operation is attacked without a change here. The ids of the
// victim's resources are put wherever a path, a parameter or a field names such a resource.
func attacksOn(s *consoletest.Stack, victim *consoletest.Company) []attack {
	s.Helper()
	var all []attack
	operations(s.T, func(path, method string, op map[string]any) {
		a := attack{
			id: consoletest.Text(s, op, "operationId"), method: method, path: pathOf(s, victim, path), name: method +
				" " + path,
			operator: strings.HasPrefix(path, "/api/operator/"),
			public:   len(consoletest.As[[]any](s, op["security"])) == 0,
		}
		a.key = a.id
		a.admin = !a.public && slices.ContainsFunc([]string{"/api/members", "/api/ledger", "/api/statement",
			"/api/invitations", "/api/alert"}, func(prefix string) bool {
			return strings.HasPrefix(path, prefix)
		})
		a.body = newSampler(s.T, seedOf(a.id), fieldsOf(s, victim, a.id)).body(op)
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
func fieldsOf(s *consoletest.Stack, victim *consoletest.Company, operation string) map[string]any {
	fields := map[string]any{
		"tenant_id": victim.ID.String(), "from_tenant_id": victim.ID.String(), "to_tenant_id": s.Globex.ID.String(),
		"user_id": victim.Member.ID.String(), "token_id": victim.Token.ID.String(),
		"client_id":  victim.Client.ID.String(),
		"channel_id": s.Channel.ID.String(), "group_id": s.Group.ID.String(),
		"email": "intruder@example.com", "password": consoletest.Password, "old_password": consoletest.Password,
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
		fields["email"] = victim.Owner.Email
	case "setTenantIssuer": // refused without a call: the address is not public
		fields["issuer"], fields["domains"], fields["client_id"] = "https://127.0.0.1:1", []any{"evil.example"}, "console"
	case "createUsageExport": // exports of other users are out of reach, but the clients of their tokens are not
		fields["client_id"] = nil
	case "createAlertDestination": // changes nothing that others see, and is refused: the address is not public
		fields["url"], fields["user_id"] = "https://10.0.0.1/", nil
	case "updateAlertDestination":
		fields["url"] = "https://evil.example/"
	case "createAlertRule":
		fields["destinations"], fields["subject_id"], fields["subject"], fields["kind"] = nil, victim.Token.ID.String(),
			"token", "quota_used"
	case "updateAlertRule":
		fields["destinations"] = nil
	case "approveTenantIssuer":
		fields["default_group_id"] = s.Group.ID.String()
	case "updateOwnTenant":
		// These changes are permitted. Tests compare the tenants before and after, and an actor without a second factor
		// must not lock itself out.
		fields["name"], fields["require_second_factor"], fields["include_quota"], fields["metadata_tags"],
			fields["ignored_fields"] = s.Globex.Name, nil, nil, nil, nil
	case "explainRouting": // takes one id only
		fields["user_id"], fields["group_id"] = nil, nil
	}
	return fields
}

// pathOf returns the path with an id of a resource of the victim. For a kind of resource that company does not have, it
// takes the first item that somebody finds in the list at the path before the id.
func pathOf(s *consoletest.Stack, victim *consoletest.Company, path string) string {
	s.Helper()
	collection, rest, ok := strings.Cut(path, "{")
	if !ok {
		return path
	}
	_, rest, _ = strings.Cut(rest, "}")
	id, ok := map[string]string{
		"/api/invitations/": victim.Invitation.ID.String(), "/api/access-keys/": victim.Key.ID.String(),
		"/api/tokens/": victim.Token.ID.String(), "/api/usage-logs/": victim.Log.ID.String(),
		"/api/members/": victim.Member.ID.String(), "/api/operator/tenants/": victim.ID.String(),
		"/api/session/identities/": victim.Identity.ID.String(), "/api/session/passkeys/": victim.Passkey.ID.String(),
		"/api/operator/users/": victim.Owner.ID.String(), "/api/operator/groups/": s.Group.ID.String(),
		"/api/operator/channels/": s.Channel.ID.String(),
		"/api/jobs/":              victim.Job.ID.String(), "/api/operator/jobs/": victim.Job.ID.String(),
		"/api/operator/models/": "gpt-4o-mini",
		// All tenants share it; see TestVisibleModel_HidesWhatTheCallerMayNotUse.
		"/api/models/": "gpt-4o-mini",
	}[collection]
	switch {
	case collection == "/api/sessions/":
		id = sessionIn(s, victim).String()
	case !ok:
		id = firstOf(s, victim, strings.TrimSuffix(collection, "/"))
	}
	return collection + id + rest
}

// firstOf returns the id of the first item that a user of the victim or an operator finds in the list at the path. It
// returns a random id for a company that does not exist, and where there is no such list or item.
func firstOf(s *consoletest.Stack, victim *consoletest.Company, path string) string {
	s.Helper()
	for _, who := range []tenant.User{victim.Member, victim.Owner, s.Operator} {
		if victim.Member.Email == "" {
			break
		}
		r := s.As(who).Get(path)
		if found, _ := r.JSON["items"].([]any); r.StatusCode == http.StatusOK && len(found) > 0 {
			if id, ok := consoletest.As[map[string]any](s, found[0])["id"].(string); ok {
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
func (a attack) withIDParameters(op map[string]any, victim *consoletest.Company, s *consoletest.Stack) []attack {
	all := []attack{a}
	fields := fieldsOf(s, victim, a.id)
	parameters, _ := op["parameters"].([]any)
	for _, parameter := range parameters {
		name := consoletest.Text(s, parameter, "name")
		value, ok := fields[name].(string)
		if ok && consoletest.Text(s, parameter, "in") == "query" &&
			consoletest.At(s, parameter, "schema", "format") == "uuid" {
			withID := a
			withID.key += "?" + name
			withID.path += "?" + name + "=" + value
			all = append(all, withID)
		}
	}
	return all
}

// sendAttack sends the attack from an address of its own, where the stack trusts proxies, so that no allowance of an
// address stops it: a refusal because of too many requests would hide what the operation does.
func sendAttack(c *consoletest.Client, a attack) consoletest.Reply {
	c.Helper()
	number := c.Attacked.Add(1)
	c.Peer = netip.AddrFrom4([4]byte{10, byte(number >> 16), byte(number >> 8), byte(number)}).String()
	return c.Do(a.method, a.path, a.body)
}

// secretsOf returns values that nobody outside of the tenant may read.
func secretsOf(c *consoletest.Company) []string {
	return []string{
		c.Invitation.ID.String(), c.Invitation.Email, c.Key.ID.String(), c.Key.Mask, c.KeyValue, c.Job.ID.String(),
		c.Token.ID.String(), c.Token.Mask, c.Token.Name, c.Log.ID.String(), c.Owner.Email,
		c.Member.Email, c.Admin.Email,
		c.Owner.ID.String(), c.Member.ID.String(), c.Admin.ID.String(), c.Name, c.Passkey.Name, c.Passkey.ID.String(),
		c.Identity.ID.String(),
	}
}

// sessionIn returns the id of a session of the company's member, or a random id if the company does not exist.
func sessionIn(s *consoletest.Stack, c *consoletest.Company) uuid.UUID {
	s.Helper()
	if c.Member.Email == "" {
		return uuid.Must(uuid.NewV7())
	}
	return s.SessionOf(c.Member)
}

// missingCompany returns a company that does not exist: it has ids but no rows in the database.
func missingCompany() (c consoletest.Company) {
	id := func() uuid.UUID { return uuid.Must(uuid.NewV7()) }
	c.ID, c.Owner.ID, c.Admin.ID, c.Member.ID, c.Token.ID, c.Log.ID = id(), id(), id(), id(), id(), id()
	c.Passkey.ID, c.Identity.ID, c.Job.ID, c.Invitation.ID, c.Key.ID, c.Client.ID = id(), id(), id(), id(), id(), id()
	c.Owner.Email = "nobody@nowhere.example"
	return c
}

// attackRun configures runAttacks.
type attackRun struct {
	as    func() *consoletest.Client      // a new client for each attack, because some end their session
	then  func()                          // called after all clients are signed in; nil: nothing
	judge func(attack, consoletest.Reply) // checks a reply
	fixed []string                        // no attack may change a row with one of these ids and not by
	// Id of the caller, whose own new rows may name fixed ids, such as the filter of an export.
	by uuid.UUID
}

// bookkeeping are columns that even a refused request may change.
var bookkeeping = []string{"last_seen", "last_seen_at", "last_used", "last_used_at", "tries", "tried_at"}

// runAttacks sends the attacks. Attacks that succeed may change rows of their caller, but none that contains a fixed
// id. Attacks that are refused or only read must change no row at all, including those of the audit log: they are sent
// a second time, between two dumps of the database.
func runAttacks(s *consoletest.Stack, attacks []attack, w attackRun) {
	s.Helper()
	judge := w.judge
	if w.then == nil {
		var statuses []int
		attacks, statuses = sendOnce(s, attacks, w)
		repeated := 0
		judge = func(a attack, r consoletest.Reply) {
			if first := statuses[repeated]; r.StatusCode != first {
				s.Errorf("%s: got status %d, then %d: %s", a, first, r.StatusCode, r.Raw)
			}
			repeated++
		}
	}
	clients := make([]*consoletest.Client, len(attacks))
	for i := range clients {
		clients[i] = w.as()
	}
	if w.then != nil {
		w.then()
	}
	before := storetest.Dump(s, s.Database, bookkeeping...)
	for i, a := range attacks {
		if w.then == nil || !a.public {
			judge(a, sendAttack(clients[i], a))
		}
	}
	if changed := before.Changed(storetest.Dump(s, s.Database, bookkeeping...)); len(changed) > 0 {
		s.Errorf("%v changed, although each request was refused or only read: %v", changed, attacks)
	}
	for i, a := range attacks {
		if w.then != nil && a.public { // these may succeed
			judge(a, sendAttack(clients[i], a))
		}
	}
}

// sendOnce sends the attacks, judges the replies, and checks that no row of the victim has changed. It returns the
// attacks that were refused and those that only read, with the statuses of their replies.
func sendOnce(s *consoletest.Stack, attacks []attack, w attackRun) (harmless []attack, statuses []int) {
	s.Helper()
	before := storetest.Dump(s, s.Database, bookkeeping...).Naming(w.fixed, w.by.String())
	for _, a := range attacks {
		r := sendAttack(w.as(), a)
		w.judge(a, r)
		if r.StatusCode >= http.StatusInternalServerError || r.StatusCode == http.StatusTooManyRequests {
			s.Errorf("%s: got status %d: %s", a, r.StatusCode, r.Raw)
		}
		if r.StatusCode >= http.StatusBadRequest || a.method == http.MethodGet {
			harmless, statuses = append(harmless, a), append(statuses, r.StatusCode)
		}
	}
	after := storetest.Dump(s, s.Database, bookkeeping...).Naming(w.fixed, w.by.String())
	for _, table := range before.Changed(after) {
		s.Errorf("rows of the victim changed in %s: before %v, after %v", table, before[table], after[table])
	}
	return harmless, statuses
}

// ids returns the ids of the company, of its users and of their resources.
func ids(c *consoletest.Company) []string { return append(idsOfUsers(c), c.ID.String()) }

// idsOfUsers returns the ids of the company's users and of their resources.
func idsOfUsers(c *consoletest.Company) (ids []string) {
	for _, id := range []uuid.UUID{
		c.Token.ID, c.Log.ID, c.Job.ID, c.Invitation.ID, c.Key.ID, c.Passkey.ID, c.Identity.ID, c.Owner.ID,
		c.Admin.ID, c.Member.ID,
	} {
		ids = append(ids, id.String())
	}
	return ids
}

func (a attack) String() string { return a.method + " " + a.path }

// isDenied reports whether the reply denies access, as for resources that are not the caller's.
func isDenied(r consoletest.Reply) bool {
	return r.StatusCode == http.StatusForbidden || r.StatusCode == http.StatusNotFound
}

// shows returns the secrets that the reply contains, except those that the attack named in its path.
func (a attack) shows(r consoletest.Reply, secrets []string) (leaked []string) {
	answer := r.Raw + fmt.Sprint(r.Header)
	for _, secret := range secrets {
		if strings.Contains(answer, secret) && !strings.Contains(a.path, secret) {
			leaked = append(leaked, secret)
		}
	}
	return leaked
}

// state returns everything that an operator sees of the tenant and of the platform,
// and the jobs of the tenant's member. Tests compare it before and after attacks.
func state(s *consoletest.Stack, victim *consoletest.Company) string {
	s.Helper()
	operator := s.As(s.Operator)
	var all strings.Builder
	for _, path := range []string{
		"/api/operator/tenants/" + victim.ID.String(), "/api/operator/users?tenant_id=" + victim.ID.String(),
		"/api/tokens?include_revoked=true&tenant_id=" + victim.ID.String(), "/api/usage-logs?tenant_id=" +
			victim.ID.String(),
		"/api/operator/grants?tenant_id=" + victim.ID.String(), "/api/operator/groups", "/api/operator/group-rules",
		"/api/invitations?tenant_id=" + victim.ID.String(), "/api/access-keys?user_id=" + victim.Member.ID.String(),
		"/api/operator/channels", "/api/operator/models", "/api/operator/prices", "/api/operator/tenants",
	} {
		r := operator.Get(path)
		r.Want(s, http.StatusOK)
		all.WriteString(r.Raw)
	}
	all.WriteString(s.As(victim.Member).Get("/api/jobs").Raw) // operators do not see them
	return all.String()
}
