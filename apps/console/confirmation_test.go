package console_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// confirmed maps each operation that needs a recent confirmation to the condition under which it does. An operation
// that makes or changes people, roles, keys, credentials or ways to sign in belongs here; one that makes tokens does
// not.
var confirmed = map[string]string{
	"createMember": "always", "updateMember": "always", "createUser": "always", "updateUser": "always",
	"createInvitation": "always", "resendInvitation": "always", "revokeInvitation": "always",
	"createAccessKey": "always", "revokeAccessKey": "always",
	"changePassword": "always", "beginTOTP": "always", "confirmTOTP": "always", "disableTOTP": "always",
	"createRecoveryCodes": "always",
	"beginPasskey":        "always", "createPasskey": "always", "updatePasskey": "always", "deletePasskey": "always",
	"deleteIdentity":     "always",
	"resetMemberFactors": "always", "resetUserFactors": "always", "resetMemberPassword": "always",
	"resetUserPassword": "always",
	"setTenantIssuer":   "always", "deleteTenantIssuer": "always", "approveTenantIssuer": "always",

	"createChannel": "the body contains API keys, a proxy, certificate authorities, headers that route " +
		"requests, account_of or parameters that may give prompts to others",
	"updateChannel": "the request changes API keys, base_url, settings.proxy, settings.ca, " +
		"settings.account_of, headers that route requests or parameters that may give prompts to others",
	"createBillingAccount":   "the body contains a credential",
	"updateBillingAccount":   "the request changes base_url or credential",
	"createCatalogueImport":  "apply is true",
	"createAlertDestination": "channel is webhook or slack", "updateAlertDestination": "url is sent",
	"replaceAlertSecret": "always",
	"updateTenant":       "the body has require_second_factor", "updateOwnTenant": "the body has require_second_factor",
	"createGrant": largeAmount, "createAdjustment": largeAmount, "createTransfer": largeAmount,
	"createTenant": largeAmount,
}

const largeAmount = "the amounts of the session since its confirmation expired, this one included, add up (signs " +
	"ignored) to more than TOLLGATE_CONFIRM_AMOUNT"

// confirmationLife is the time for which a confirmation counts.
const confirmationLife = 15 * time.Minute

// needsConfirmation checks that the request is refused because the last confirmation is too old.
func (r reply) needsConfirmation(t testing.TB) {
	t.Helper()
	r.refused(t, http.StatusForbidden, "")
	equal(t, r.body, "confirmation_required", "code")
}

// confirm sends a proof of the user's identity.
func (c *client) confirm(proof map[string]any) reply {
	c.Helper()
	return c.post("/api/session/confirmation", proof)
}

// stale reports whether an operation that always needs a confirmation refuses the client for want of one.
func (c *client) stale() bool {
	c.Helper()
	return c.post("/api/invitations", map[string]any{}).body["code"] == "confirmation_required"
}

func TestConfirmation_IsDocumentedForEachOperationThatNeedsIt(t *testing.T) {
	seen := map[string]string{}
	operations(t, func(_, _ string, op map[string]any) {
		id := text(t, op, "operationId")
		condition, needs := op["x-confirmation"].(string)
		if told := strings.Contains(text(t, op, "description"), "see createConfirmation"); told != needs {
			t.Errorf("%s: the description names createConfirmation: %v, want %v", id, told, needs)
		}
		if !needs {
			return
		}
		seen[id] = condition
		if confirmed[id] != condition {
			t.Errorf("%s needs a confirmation: %q, want %q", id, condition, confirmed[id])
		}
		if at(t, op, "responses", "403") == nil {
			t.Errorf("%s does not document 403", id)
		}
	})
	for id := range confirmed {
		if seen[id] == "" {
			t.Errorf("%s needs no confirmation", id)
		}
	}
}

func TestConfirmation_GuardsExactlyTheDocumentedOperations(t *testing.T) {
	t.Parallel()
	s := setup(t)
	bodies := map[string]map[string]any{ // that meet the condition of their operation
		"createGrant":      {"tenant_id": s.acme.ID, "amount": "1000.000000001", "reason": "x"},
		"createAdjustment": {"tenant_id": s.acme.ID, "amount": "-1000.5", "reason": "x"},
		"createTransfer": {"from_tenant_id": s.acme.ID, "to_tenant_id": s.globex.ID,
			"amount": "1001", "reason": "x"},
		"createTenant":           {"slug": "rich", "name": "Rich", "quota": "5000"},
		"updateChannel":          {"rotation": map[string]any{"add": []string{"sk-x"}}},
		"updateTenant":           {"require_second_factor": true},
		"updateOwnTenant":        {"require_second_factor": false},
		"createCatalogueImport":  {"catalogue": "groups: []", "apply": true},
		"createAlertDestination": {"channel": "slack", "name": "x", "url": "https://hooks.example.com/x"},
		"updateAlertDestination": {"url": "https://hooks.example.com/x"},
		"createBillingAccount":   {"name": "x", "provider": "openai", "credential": "sk-x"},
		"updateBillingAccount":   {"credential": "sk-x"},
		"createChannel": {"name": "x", "type": "openai", "base_url": "https://x.example/v1",
			"api_keys": []string{"sk-x"}, "endpoints": []string{"chat"}, "models": map[string]string{}},
	}
	clients := map[bool]*client{true: s.as(s.operator), false: s.as(s.globex.owner)} // acme is the victim
	s.advance(confirmationLife)
	for _, a := range s.attacks(&s.acme) {
		// The latter two change the session of the test.
		if a.public || a.id == "createConfirmation" || a.id == "deleteSession" {
			continue
		}
		if body := bodies[a.id]; body != nil {
			a.body = body
		}
		r := clients[a.operator].attack(a)
		asked := r.StatusCode == http.StatusForbidden && r.body["code"] == "confirmation_required"
		if want := confirmed[a.id] != ""; asked != want {
			t.Errorf("%s (%s): asked for a confirmation: %v, want %v: %d %s", a.key, a, asked, want,
				r.StatusCode, r.raw)
		}
	}
}

// signInData names the columns that decide how a person signs in, by table. A nil list stands for all columns.
var signInData = map[string][]string{
	"users": {"email", "claimed_email", "proof", "password_hash", "role", "status"},
	"totps": nil, "recovery_codes": nil, "passkeys": nil, "identities": nil,
	"password_resets": nil, "invitations": nil, "access_keys": nil,
	"issuers": nil, "issuer_domains": nil, "tenants": {"require_second_factor", "require_issuer"},
}

// signInRows returns the rows of signInData as text.
func (s *stack) signInRows() string {
	s.Helper()
	var all strings.Builder
	dump := storetest.Dump(s, s.database, bookkeeping...)
	for _, table := range slices.Sorted(maps.Keys(signInData)) {
		if len(dump[table]) == 0 && !slices.Contains([]string{"issuers", "issuer_domains", "password_resets", "totps",
			"recovery_codes"}, table) {
			s.Fatalf("the table %s is empty or does not exist", table)
		}
		for _, row := range dump[table] {
			var values map[string]any
			s.must(json.Unmarshal([]byte(row), &values))
			maps.DeleteFunc(values, func(column string, _ any) bool {
				return signInData[table] != nil && column != "id" && !slices.Contains(signInData[table], column)
			})
			fmt.Fprintln(&all, table, values)
		}
	}
	return all.String()
}

// The test calls every operation for its caller's own tenant, and looks for changes of the data with which people sign
// in. So it finds an operation that needs a confirmation although no list has it.
func TestConfirmation_GuardsWhateverChangesHowAPersonSignsIn(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.user(s.globex.ID, "second-owner@example.com", tenant.Owner) // so that the first one can be changed
	changed := map[string]bool{}
	for operator, victim := range map[bool]*company{false: &s.acme, true: &s.globex} {
		who := s.acme.owner
		if operator {
			who = s.operator
		}
		for _, a := range s.attacks(victim) {
			if a.public || a.operator != operator {
				continue
			}
			me, before := s.as(who), s.signInRows()
			r := me.attack(a)
			if s.signInRows() == before {
				continue
			}
			changed[a.id] = true
			if confirmed[a.id] == "" {
				t.Errorf("%s changes how a person signs in, and needs no confirmation: %d %s", a, r.StatusCode, r.raw)
			}
		}
	}
	for _, id := range []string{"createMember", "updateMember", "createUser", "updateUser", "resetMemberPassword",
		"resetUserPassword", "createInvitation", "changePassword"} {
		if !changed[id] {
			t.Errorf("%s changed nothing: the test does not see what it does", id)
		}
	}
}

// The thief of a session must not take over other accounts with a link for a new password.
func TestPasswordReset_OfOthersNeedsAConfirmation(t *testing.T) {
	t.Parallel()
	s := setup(t)
	operator, owner := s.as(s.operator), s.as(s.acme.owner)
	s.advance(confirmationLife)
	operator.post("/api/operator/users/"+s.acme.owner.ID.String()+"/password-reset", nil).needsConfirmation(t)
	owner.post("/api/members/"+s.acme.member.ID.String()+"/password-reset", nil).needsConfirmation(t)
	if rows := storetest.Dump(t, s.database)["password_resets"]; len(rows) != 0 {
		t.Errorf("got the resets %v, want none", rows)
	}
	operator.confirm(map[string]any{"password": password}).want(t, http.StatusOK)
	operator.post("/api/operator/users/"+s.acme.owner.ID.String()+"/password-reset", nil).want(t, http.StatusCreated)
}

func TestConfirmation_IsNotNeededForSmallGrantsAndOtherFields(t *testing.T) {
	t.Parallel()
	s := setup(t)
	operator, second, member := s.as(s.operator), s.as(s.operator), s.as(s.acme.member)
	s.advance(time.Hour - time.Minute)
	operator.post("/api/operator/grants", map[string]any{"tenant_id": s.acme.ID, "amount": "1000", "reason": "x"}).
		want(t, http.StatusCreated)
	operator.patch("/api/operator/channels/"+s.channel.ID.String(), map[string]any{"weight": 2, "status": "disabled",
		"settings": map[string]any{"lacks": []string{"vision"}}}).want(t, http.StatusOK)
	operator.post("/api/operator/jobs/catalogue-import", map[string]any{"catalogue": "groups: []"}).
		want(t, http.StatusAccepted)
	member.post("/api/tokens", map[string]any{"name": "first"}).want(t, http.StatusCreated)

	s.config.ConfirmAmount = 5_000_000_000
	s.serve()
	second.post("/api/operator/grants", map[string]any{"tenant_id": s.acme.ID, "amount": "5.01", "reason": "x"}).
		needsConfirmation(t)
	second.post("/api/operator/grants", map[string]any{"tenant_id": s.acme.ID, "amount": "5", "reason": "x"}).
		want(t, http.StatusCreated)
}

// Somebody with a stolen session sends many grants just below the amount that needs a confirmation, to two consoles at
// once.
func TestConfirmation_CountsSmallGrantsOfASessionTogether(t *testing.T) {
	t.Parallel()
	onBoth(t, func(s *stack) {
		other := &stack{T: s.T, store: s.store, database: s.database, secret: s.secret, config: s.config, cost: s.cost}
		other.clockOffset.Store(int64(confirmationLife))
		other.serve()
		thief := s.as(s.operator)
		s.advance(confirmationLife)
		consoles := []*client{thief, {stack: other, cookie: thief.cookie}}
		grant := func(c *client, to uuid.UUID) reply {
			return c.post("/api/operator/grants", map[string]any{"tenant_id": to, "amount": "300", "reason": "paid"})
		}
		var wg sync.WaitGroup
		var granted atomic.Int64
		for i := range 4 {
			wg.Go(func() {
				for range 3 {
					r := grant(consoles[i%2], []uuid.UUID{s.acme.ID, s.globex.ID}[i/2])
					if r.StatusCode == http.StatusCreated {
						granted.Add(1)
					} else if r.body["code"] != "confirmation_required" {
						s.Errorf("got %d %s, want 201 or a demand for a confirmation", r.StatusCode, r.raw)
					}
				}
			})
		}
		wg.Wait()
		if got := granted.Load(); got != 3 {
			s.Errorf("the session granted 300 USD %d times without a confirmation, want 3 times", got)
		}
		thief.post("/api/operator/adjustments", map[string]any{"tenant_id": s.acme.ID, "amount": "-101",
			"reason": "x"}).needsConfirmation(s)
		thief.post("/api/operator/transfers", map[string]any{"from_tenant_id": s.acme.ID, "to_tenant_id": s.globex.ID,
			"amount": "101", "reason": "x"}).needsConfirmation(s)
		thief.post("/api/operator/tenants", map[string]any{"slug": "new", "name": "New", "quota": "101"}).
			needsConfirmation(s)
		thief.confirm(map[string]any{"password": password}).want(s, http.StatusOK)
		grant(thief, s.acme.ID).want(s, http.StatusCreated)
	})
}

func TestConfirmation_CountsForFifteenMinutesAndDoesNotExtendTheSession(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.stopClock()
	me, elsewhere := s.as(s.acme.owner), s.as(s.acme.owner)
	expires := text(t, me.get("/api/session").want(t, http.StatusOK), "expires_at")
	s.advance(confirmationLife - time.Second)
	if me.stale() {
		t.Error("a sign-in of 14:59 minutes ago does not count")
	}
	s.advance(time.Second)
	if !me.stale() {
		t.Fatal("a sign-in of 15 minutes ago counts")
	}
	body := me.confirm(map[string]any{"password": password}).want(t, http.StatusOK)
	if got := text(t, body, "confirmed_at"); got != s.now().UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano) {
		t.Errorf("confirmed at %s, want %s", got, s.now().UTC())
	}
	if me.stale() || !elsewhere.stale() {
		t.Errorf("got stale = %v, and %v for another session of the user; want false and true", me.stale(),
			elsewhere.stale())
	}
	equal(t, me.get("/api/session").want(t, http.StatusOK), expires, "expires_at")
	s.advance(confirmationLife)
	if !me.stale() {
		t.Error("a confirmation of 15 minutes ago counts")
	}
}

func TestConfirmation_AcceptsEachKindOfProof(t *testing.T) {
	t.Parallel()
	s := setup(t)
	user := s.acme.owner
	phone, app := s.register(user, "phone"), s.enrol(user)
	rows := []struct {
		name  string
		proof func(me *client) map[string]any
	}{
		{"password", func(*client) map[string]any { return map[string]any{"password": password} }},
		{"code", func(*client) map[string]any { return map[string]any{"code": app.code()} }},
		{"recovery code", func(*client) map[string]any { return map[string]any{"code": app.codes[0]} }},
		{"passkey", func(me *client) map[string]any {
			return map[string]any{"passkey": phone.assert(me.post("/api/session/confirmation/passkey", nil).
				want(t, http.StatusOK))}
		}},
	}
	sessions := make([]*client, len(rows))
	for i := range sessions {
		sessions[i] = s.as(user)
	}
	s.advance(confirmationLife)
	for i, row := range rows {
		me := sessions[i]
		if !me.stale() {
			t.Fatalf("%s: the session needs no confirmation", row.name)
		}
		me.confirm(row.proof(me)).want(t, http.StatusOK)
		if me.stale() {
			t.Errorf("%s: the proof does not count", row.name)
		}
	}
}

func TestConfirmation_ListsTheWaysOfTheUser(t *testing.T) {
	t.Parallel()
	s := setup(t)
	ways := func(u tenant.User) string {
		var names []string
		for _, name := range as[[]any](t,
			at(t, s.as(u).get("/api/session/confirmation").want(t, http.StatusOK), "methods")) {
			names = append(names, as[string](t, name))
		}
		return strings.Join(names, " ")
	}
	if got := ways(s.acme.owner); got != "password" {
		t.Errorf("got the ways %q, want the password", got)
	}
	s.register(s.acme.owner, "phone")
	s.enrol(s.acme.owner)
	if got := ways(s.acme.owner); got != "passkey password totp recovery_code" {
		t.Errorf("got the ways %q of a user with all factors", got)
	}
	key := &client{stack: s, key: s.acme.keyValue}
	key.get("/api/session/confirmation").refused(t, http.StatusForbidden, "")
	key.confirm(map[string]any{"password": password}).refused(t, http.StatusForbidden, "")
}

func TestConfirmation_RefusesProofsOfOthers(t *testing.T) {
	t.Parallel()
	s := setup(t)
	own, colleagues, foreign := s.register(s.acme.owner, "own"), s.register(s.acme.admin, "colleague's"),
		s.register(s.globex.owner, "foreign")
	app, otherApp := s.enrol(s.acme.owner), s.enrol(s.globex.owner)
	me, mine, colleague, stranger := s.as(s.acme.owner), s.as(s.acme.owner), s.as(s.acme.admin), s.as(s.globex.owner)
	s.advance(confirmationLife)
	ask := func(c *client) map[string]any {
		return c.post("/api/session/confirmation/passkey", nil).want(t, http.StatusOK)
	}
	used := map[string]any{"code": app.code()}
	mine.confirm(used).want(t, http.StatusOK)
	for _, row := range []struct {
		name, field string
		proof       map[string]any
	}{
		{"wrong password", "password", map[string]any{"password": "wrong horse battery"}},
		{"wrong code", "code", map[string]any{"code": "000000"}},
		{"code of another tenant's user", "code", map[string]any{"code": otherApp.code()}},
		{"code that was used before", "code", used},
		{"recovery code of another user", "code", map[string]any{"code": otherApp.codes[0]}},
		{"passkey of a colleague", "passkey", map[string]any{"passkey": colleagues.assert(ask(me))}},
		{"passkey of another tenant's user", "passkey", map[string]any{"passkey": foreign.assert(ask(me))}},
		{"own passkey for the session of a colleague", "passkey",
			map[string]any{"passkey": own.assert(ask(colleague))}},
		{"another user's proof for that user's session", "passkey",
			map[string]any{"passkey": foreign.assert(ask(stranger))}},
		{"own passkey for another session of the user", "passkey", map[string]any{"passkey": own.assert(ask(mine))}},
		{"own passkey for a sign-in", "passkey", map[string]any{"passkey": own.assert(s.begin())}},
		{"no proof", "password", map[string]any{}},
		{"two proofs", "password", map[string]any{"password": password, "code": "123456"}},
	} {
		r := me.confirm(row.proof)
		if r.StatusCode != http.StatusBadRequest || r.body["param"] != row.field || !me.stale() {
			t.Errorf("%s: got %d %s, want 400 for the field %s and no confirmation", row.name, r.StatusCode,
				r.raw, row.field)
		}
	}
	answer := own.assert(ask(me))
	me.confirm(map[string]any{"passkey": answer}).want(t, http.StatusOK)
	me.confirm(map[string]any{"passkey": answer}).refused(t, http.StatusBadRequest, "passkey")
	s.present(own.assert(ask(me))).refused(t, http.StatusUnauthorized, "credential")
}

func TestConfirmation_IsRefusedForAnEndedSession(t *testing.T) {
	t.Parallel()
	s := setup(t)
	me, ended := s.as(s.acme.owner), s.as(s.acme.owner)
	me.do(http.MethodDelete, "/api/sessions", nil).want(t, http.StatusNoContent)
	ended.confirm(map[string]any{"password": password}).refused(t, http.StatusUnauthorized, "")
	me.confirm(map[string]any{"password": password}).want(t, http.StatusOK)
}

// A thief of a session must not be able to guess the password or codes, and must not keep the user out.
func TestConfirmation_BoundsTheGuessesOfASession(t *testing.T) {
	t.Parallel()
	s := setup(t)
	app := s.enrol(s.acme.owner)
	thief, user := s.as(s.acme.owner), s.as(s.acme.owner)
	s.stopClock()
	tries := func(proof map[string]any) int {
		for n := range 40 {
			if thief.confirm(proof).StatusCode == http.StatusTooManyRequests {
				return n
			}
		}
		return 40
	}
	if got := tries(map[string]any{"password": "wrong horse battery"}); got != 10 {
		t.Errorf("the session could guess %d passwords, want 10", got)
	}
	thief.confirm(map[string]any{"password": password}).refused(t, http.StatusTooManyRequests, "")
	if got := tries(map[string]any{"code": "000000"}); got != 5 {
		t.Errorf("the session could guess %d codes, want 5", got)
	}
	s.advance(time.Minute)
	if got := tries(map[string]any{"code": "000000"}); got != 0 {
		t.Errorf("a minute later the session could guess %d more codes, want 0", got)
	}
	if got := tries(map[string]any{"code": app.codes[0]}); got != 0 {
		t.Errorf("the session could try %d recovery codes afterwards, want 0", got)
	}
	user.confirm(map[string]any{"password": password}).want(t, http.StatusOK)
	user.confirm(map[string]any{"code": app.code()}).want(t, http.StatusOK)
	s.anonymous().post("/api/session", credentials(s.acme.owner.Email, password)).want(t, http.StatusOK)
}

func TestConfirmation_CountsConcurrentGuesses(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.enrol(s.acme.owner)
	thief := s.as(s.acme.owner)
	s.stopClock()
	statuses := make(chan int)
	for range 30 {
		go func() { statuses <- thief.confirm(map[string]any{"code": "aaaa-bbbb-cccc-dddd"}).StatusCode }()
	}
	checked := 0
	for range 30 {
		if <-statuses == http.StatusBadRequest {
			checked++
		}
	}
	if checked != 5 {
		t.Errorf("%d guesses were checked, want 5", checked)
	}
}

func TestConfirmation_IsRecordedInTheAuditLog(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.as(s.acme.owner).confirm(map[string]any{"password": password}).want(t, http.StatusOK)
	entry := items(t, s.as(s.operator).get("/api/operator/audit-log?action=session.confirm").want(t, http.StatusOK))[0]
	equal(t, entry, s.acme.owner.ID.String(), "target")
	equal(t, entry, "password", "detail", "means")
	if _, err := uuid.Parse(text(t, entry, "detail", "session_id")); err != nil {
		t.Error(err)
	}
}
