package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/tollgate/tollgate/libs/core/alert"
	"github.com/tollgate/tollgate/libs/core/job"
	"github.com/tollgate/tollgate/libs/core/language"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	alertdb "github.com/tollgate/tollgate/libs/store/alert"
	"github.com/tollgate/tollgate/libs/store/audit"
	storedb "github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/erase"
	"github.com/tollgate/tollgate/libs/store/idempotency"
	"github.com/tollgate/tollgate/libs/store/identity"
	jobdb "github.com/tollgate/tollgate/libs/store/job"
	"github.com/tollgate/tollgate/libs/store/person"
	"github.com/tollgate/tollgate/libs/store/response"
	"github.com/tollgate/tollgate/libs/store/signin"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// kept maps the columns in which the address of an erased user may stay to the reasons. docs/security.md lists them.
var kept = map[string]string{
	"audit_log.actor":    "no entry is changed: the log is a chain, and its retention deletes entries",
	"audit_log.address":  "the same: the network address of the client",
	"audit_log.detail":   "the same",
	"audit_log.target":   "the same",
	"audit_days.address": "the network addresses of access keys: the rows are deleted on the next day",
	"audit_days.target":  "the same: ids of access keys",
	"ledger.actor":       "no entry of the ledger is changed",
	"ledger.reason":      "the same",
	"usage_logs.end_user": "the tenant chooses it; no usage log is changed, and their retention deletes " +
		"them",
	"usage_logs.tags":                "the same",
	"usage_attribution_daily.value":  "the sums of the usage logs",
	"usage_attribution_outbox.value": "the same, before a worker adds them up",
}

// erasable is a store with two customers, who have personal data everywhere.
type erasable struct {
	*store.Store
	url        string
	acme, beta customer
}

// eachErasable runs the test on each kind of database.
func eachErasable(t *testing.T, test func(t *testing.T, e *erasable)) {
	t.Helper()
	for kind, url := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			e := &erasable{url: url(t)}
			e.Store = storetest.Open(t, storedb.Options{URL: e.url})
			addModel(t, e.Store, "m1")
			e.acme, e.beta = newCustomer(t, e.Store, "acme"), newCustomer(t, e.Store, "beta")
			for _, f := range []*customer{&e.acme, &e.beta} {
				for _, u := range []tenant.User{f.owner, f.member} {
					e.addPersonalData(t, f, u)
				}
			}
			drain(t, e.Store)
			drainAttribution(t, e.Store, 0)
			test(t, e)
		})
	}
}

// addPersonalData gives the user a row in each table with personal data, with the address in each of its texts.
func (e *erasable) addPersonalData(t *testing.T, f *customer, u tenant.User) {
	t.Helper()
	scope, own, soon := tenant.ScopeOf(u), f.tokens[u.ID].ID, time.Now().Add(time.Hour)
	confirmed := storetest.Confirmed(scope)
	ok(t, e.Identity.SetLanguage(background, scope, language.Tag("zh-Hans")))
	ok(t, e.Signin.CreateSession(background, platform,
		signin.NewSession{UserID: u.ID, PasswordHash: "old", Hash: hash(u.ID), ExpiresAt: soon}))
	makeKey(t, e.Store, scope)
	ok(t, e.Signin.BeginTOTP(background, confirmed, []byte("sealed")))
	ok(t, e.Signin.ConfirmTOTP(background, confirmed,
		signin.Confirmation{Sealed: []byte("sealed"), Codes: [][32]byte{hash(newID())}}))
	need(e.Signin.CreatePasskey(background, confirmed,
		signin.Passkey{CredentialID: u.ID[:], Name: u.Email, Credential: []byte("{}")}))(t)
	ok(t, e.Signin.LinkIdentity(background, platform, signin.Identity{UserID: u.ID, Issuer: "https://issuer.example",
		Subject: u.Email, Email: u.Email}))
	ok(t, e.Signin.CreateChallenge(background, platform,
		signin.Challenge{Hash: hash(u.ID), Purpose: "test", UserID: u.ID, Tries: 1, ExpiresAt: soon}))
	need(e.Identity.CreatePasswordReset(background, storetest.Confirmed(platform),
		identity.NewReset{UserID: u.ID, Hash: hash(u.ID), ExpiresAt: soon}))(t)
	need(e.Job.CreateJob(background, scope,
		jobdb.NewJob{Kind: job.UsageExport, Parameters: job.ExportParameters{Format: job.CSV}}))(t)
	mail := newMail(f.tenant.ID, "notice")
	mail.Content = []byte(u.Email)
	ok(t, e.Job.QueueMail(background, platform, mail))
	ok(t, e.Response.CreateResponse(background, platform, response.Response{
		ID: newID(), TenantID: f.tenant.ID, UserID: u.ID, TokenID: own, CreatedAt: time.Now(), ExpiresAt: soon,
		Input: []byte(`["` + u.Email + `"]`), Body: []byte("{}"),
	}))
	need(e.Idempotency.Claim(background, platform, idempotency.Key{ID: newID(), TenantID: f.tenant.ID, TokenID: own,
		Hash: []byte("key"), Mark: []byte("request"), RelayID: newID()}))(t)
	call := f.call(u, "m1", 5)
	call.EndUser, call.Tags = u.Email, usage.Tags(`{"who":"`+u.Email+`"}`)
	need(e.Metering.RecordEvents(background, platform, newID(), []usage.Event{call}))(t)
	to := need(e.Alert.CreateDestination(background, f.asOwner, alertdb.NewDestination{ID: newID(), Channel: alert.Mail,
		Name: "mail", MailTo: u.ID}))(t)
	newRule(t, e.Store, f.asOwner, to.ID)
	about := need(e.Alert.CreateRule(background, f.asOwner, alert.Rule{
		Name: u.Email, Kind: alert.QuotaUsed, Subject: alert.OfUser, SubjectID: u.ID, Thresholds: []int{80},
		Destinations: []uuid.UUID{to.ID},
	}))(t)
	need(e.Alert.Raise(background, platform, &about,
		[]*alert.Fact{{Kind: alert.QuotaUsed, Rule: "budgets", Subject: alert.OfUser, SubjectID: &u.ID,
			SubjectName: u.Email, Threshold: 80}}))(t)
	for _, statement := range []string{
		"UPDATE sessions SET agent = '%[1]s', address = '%[1]s' WHERE user_id = '%[2]s'",
		"UPDATE access_keys SET name = '%[1]s' WHERE user_id = '%[2]s'",
		"UPDATE tokens SET name = '%[1]s', addresses = '[\"192.0.2.1/32\"]' WHERE user_id = '%[2]s'",
	} {
		storetest.Exec(t, e.url, fmt.Sprintf(statement, u.Email, u.ID))
	}
	need(e.Identity.CreateInvitation(background, storetest.Confirmed(f.asOwner), identity.NewInvitation{
		TenantID: f.tenant.ID, Email: "by-" + u.ID.String() + "@guest.example", Role: tenant.Member,
		Hash: hash(newID()), ExpiresAt: soon,
	}))(t)
	storetest.Exec(t, e.url, fmt.Sprintf("UPDATE invitations SET inviter = '%s' WHERE email LIKE 'by-%s%%'", u.Email,
		u.ID))
}

// request is a request that reads mails as newMail makes them.
func request(dry bool) erase.Request {
	return erase.Request{DryRun: dry, Recipient: func(_ uuid.UUID, content []byte) string { return string(content) }}
}

// containing returns the columns whose values contain the text, as "table.column".
func containing(t *testing.T, dump storetest.Contents, text string) (columns []string) {
	t.Helper()
	for table, rows := range dump {
		for _, row := range rows {
			values := map[string]json.RawMessage{}
			ok(t, json.Unmarshal([]byte(row), &values))
			for column, value := range values {
				if name := table + "." + column; strings.Contains(string(value), text) &&
					!slices.Contains(columns, name) {
					columns = append(columns, name)
				}
			}
		}
	}
	slices.Sort(columns)
	return columns
}

// rowsOf returns the rows of a dump that mention one of the ids.
func rowsOf(dump storetest.Contents, ids ...uuid.UUID) storetest.Contents {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = id.String()
	}
	return dump.Naming(texts, "\x00")
}

func TestErase_LeavesTheAddressOfAUserInTheListedColumnsOnly(t *testing.T) {
	t.Parallel()
	eachErasable(t, func(t *testing.T, e *erasable) {
		u := e.acme.member
		before := storetest.Dump(t, e.url)
		found := containing(t, before, u.Email)
		if len(found) < 15 {
			t.Fatalf("the address is only in %v: the test does not show much", found)
		}
		done := need(e.Erase.User(background, platform, u.ID, request(false)))(t)
		after := storetest.Dump(t, e.url)
		for _, column := range containing(t, after, u.Email) {
			if kept[column] == "" {
				t.Errorf("%s still has the address", column)
			}
		}
		for _, table := range []string{"sessions", "challenges", "password_resets", "passkeys", "totps",
			"recovery_codes", "identities", "access_keys", "responses", "jobs"} {
			if rows := rowsOf(after, u.ID)[table]; len(rows) > 0 {
				t.Errorf("%s still has rows of the user: %v", table, rows)
			}
		}
		for _, table := range []string{"usage_logs", "usage_rollups_daily", "usage_rollups_hourly",
			"usage_totals_daily", "accounts", "caps", "ledger", "usage_attribution_daily"} {
			if !slices.Equal(before[table], after[table]) {
				t.Errorf("%s was changed", table)
			}
		}
		others := []uuid.UUID{e.beta.tenant.ID, e.beta.owner.ID, e.beta.member.ID}
		if changed := rowsOf(before, others...).Changed(rowsOf(after, others...)); len(changed) > 0 {
			t.Errorf("rows of the other tenant were changed in %v", changed)
		}
		row := need(e.Identity.User(background, platform, u.ID))(t)
		equal(t, "address", row.Email, person.ErasedEmail(u.ID))
		equal(t, "status", row.Status, tenant.Disabled)
		equal(t, "language", row.Language, "")
		equal(t, "token", need(e.Token.Token(background, platform, e.acme.tokens[u.ID].ID))(t).Status, token.Revoked)
		equal(t, "name", done.Name, u.Email)
		equal(t, "breaks of the audit log", need(e.Audit.Verify(background, platform, func(audit.Break) {}))(t).Breaks,
			0)

		again := need(e.Erase.User(background, platform, u.ID, request(false)))(t)
		equal(t, "rows of a second erasure", again.Total(), 0)
		if changed := after.Changed(storetest.Dump(t, e.url)); len(changed) > 0 {
			t.Errorf("a second erasure changed %v", changed)
		}
	})
}

func TestErase_ChangesNothingInADryRun(t *testing.T) {
	t.Parallel()
	eachErasable(t, func(t *testing.T, e *erasable) {
		before := storetest.Dump(t, e.url)
		planned := need(e.Erase.User(background, platform, e.acme.member.ID, request(true)))(t)
		wholly := []erase.Erased{}
		whole := need(e.Erase.Tenant(background, platform, e.acme.tenant.ID, request(true),
			func(one erase.Erased) { wholly = append(wholly, one) }))(t)
		if changed := before.Changed(storetest.Dump(t, e.url)); len(changed) > 0 {
			t.Errorf("a dry run changed %v", changed)
		}
		done := need(e.Erase.User(background, platform, e.acme.member.ID, request(false)))(t)
		if !slices.Equal(planned.Rows, done.Rows) {
			t.Errorf("the dry run says %v, and %v were erased", planned.Rows, done.Rows)
		}
		if len(wholly) != 3 || whole.Total() == 0 {
			t.Errorf("the dry run of the tenant says %v and %v", wholly, whole)
		}
	})
}

func TestErase_AnnouncesWhatRelaysMustLearn(t *testing.T) {
	t.Parallel()
	eachErasable(t, func(t *testing.T, e *erasable) {
		last := func() (version int64, all []storedb.Change) {
			all, _, err := e.Changes(background, platform, 0, 0)
			ok(t, err)
			return all[len(all)-1].Version, all
		}
		version, _ := last()
		need(e.Erase.User(background, platform, e.acme.member.ID, request(false)))(t)
		_, all := last()
		announced := map[storedb.Topic]uuid.UUID{}
		for _, c := range all {
			if c.Version > version {
				announced[c.Topic] = c.Ref
			}
		}
		want := map[storedb.Topic]uuid.UUID{storedb.UserChanged: e.acme.member.ID,
			storedb.TokenChanged: e.acme.tokens[e.acme.member.ID].ID}
		if !maps.Equal(announced, want) {
			t.Errorf("got the changes %v, want %v", announced, want)
		}
	})
}

func TestErase_RefusesTheLastOwnerAndTheLastOperator(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme")
		operator := func(email string) tenant.User {
			return need(s.Identity.CreateUser(background, storetest.Confirmed(platform),
				identity.NewUser{Email: email, Role: tenant.Operator}))(t)
		}
		first := operator("first@x.example")
		for _, u := range []tenant.User{f.owner, first} {
			_, err := s.Erase.User(background, platform, u.ID, request(false))
			refuses(t, err, problem.Conflict, "")
		}
		operator("second@x.example")
		need(s.Erase.User(background, platform, first.ID, request(false)))(t)
		need(s.Erase.User(background, platform, f.admin.ID, request(false)))(t)
		_, err := s.Erase.User(background, platform, newID(), request(false))
		refuses(t, err, problem.NotFound, "")
		_, err = s.Erase.User(background, f.asOwner, f.member.ID, request(false))
		refuses(t, err, problem.Forbidden, "")
	})
}

func TestErase_OfATenantContinuesAfterAnInterruption(t *testing.T) {
	t.Parallel()
	eachErasable(t, func(t *testing.T, e *erasable) {
		before := storetest.Dump(t, e.url)
		ctx, interrupt := context.WithCancel(background)
		if _, err := e.Erase.Tenant(ctx, platform, e.acme.tenant.ID, request(false),
			func(erase.Erased) { interrupt() }); err == nil {
			t.Error("the erasure was not interrupted")
		}
		equal(t, "status after the interruption",
			need(e.Identity.Tenant(background, platform, e.acme.tenant.ID))(t).Status, tenant.Disabled)
		users := 0
		need(e.Erase.Tenant(background, platform, e.acme.tenant.ID, request(false), func(one erase.Erased) {
			if one.Total() > 0 {
				users++
			}
		}))(t)
		equal(t, "users that the second erasure found", users, 2)
		after := storetest.Dump(t, e.url)
		for _, u := range []tenant.User{e.acme.owner, e.acme.admin, e.acme.member} {
			for _, column := range containing(t, after, u.Email) {
				if kept[column] == "" {
					t.Errorf("%s still has %s", column, u.Email)
				}
			}
		}
		row := need(e.Identity.Tenant(background, platform, e.acme.tenant.ID))(t)
		equal(t, "slug", row.Slug, "erased-"+row.ID.String())
		equal(t, "name", row.Name, person.ErasedName)
		for _, table := range []string{"usage_logs", "usage_rollups_daily", "usage_rollups_hourly",
			"accounts", "ledger"} {
			if !slices.Equal(before[table], after[table]) {
				t.Errorf("%s was changed", table)
			}
		}
		others := []uuid.UUID{e.beta.tenant.ID, e.beta.owner.ID, e.beta.member.ID}
		if changed := rowsOf(before, others...).Changed(rowsOf(after, others...)); len(changed) > 0 {
			t.Errorf("rows of the other tenant were changed in %v", changed)
		}
	})
}

// The console's role erases without the right to read stored prompts and answers.
func TestErase_RunsAsTheRoleOfTheConsole(t *testing.T) {
	t.Parallel()
	e := newRolesStore(t)
	s := e.open(t, "tollgate_console")
	need(s.Erase.Users(background, platform, e.acme.member.Email))(t)
	done := need(s.Erase.User(background, platform, e.acme.member.ID, request(false)))(t)
	if done.Total() < 10 {
		t.Errorf("got %v", done.Rows)
	}
	need(s.Erase.Tenant(background, platform, e.acme.tenant.ID, request(false), func(erase.Erased) {}))(t)
}

// An erasure runs in one transaction, on tables that grow with the calls of all tenants. With sequential scans and
// joins made expensive, Postgres uses one only where no index serves the condition.
func TestErase_FindsItsRowsByIndex(t *testing.T) {
	t.Parallel()
	e := newIsolatedStore(t)
	asked := &statements{}
	s := e.store.Traced(asked)
	need(s.Erase.Users(background, platform, e.acme.member.Email))(t)
	need(s.Erase.User(background, platform, e.acme.member.ID, request(true)))(t)
	need(s.Erase.Tenant(background, platform, e.acme.tenant.ID, request(false), func(erase.Erased) {}))(t)
	conn := need(pgx.Connect(background, e.url))(t)
	t.Cleanup(func() { ok(t, conn.Close(background)) })
	need(conn.Exec(background, "SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off"))(t)
	explained := 0
	for _, statement := range asked.seen {
		if verb, _, _ := strings.Cut(statement, " "); !slices.Contains([]string{"SELECT", "UPDATE", "DELETE"}, verb) {
			continue
		}
		var raw []byte
		ok(t, conn.QueryRow(background, "EXPLAIN (FORMAT JSON) "+statement).Scan(&raw))
		var plans []struct{ Plan plan }
		ok(t, json.Unmarshal(raw, &plans))
		explained++
		for _, table := range plans[0].Plan.scanned() {
			t.Errorf("%s: reads all of %s", statement, table)
		}
	}
	if explained < 40 {
		t.Errorf("%d statements were explained: the test does not show much", explained)
	}
}

// Each column that can hold a text has a line in testdata/personal.golden: "erased" by an erasure, "kept" with a reason
// in kept, or "none" if it says nothing about a person. A new column fails the test until somebody has decided about
// it.
func TestErase_DecidesAboutEachTextColumn(t *testing.T) {
	t.Parallel()
	e := newIsolatedStore(t)
	decided := map[string]string{}
	for line := range strings.Lines(string(need(os.ReadFile("testdata/personal.golden"))(t))) {
		if column, decision, found := strings.Cut(strings.TrimSpace(line), " "); found {
			decided[column] = decision
		}
	}
	rows := need(e.conn.Query(background, `
		SELECT c.relname || '.' || a.attname FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
		WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND a.attnum > 0
		AND NOT a.attisdropped AND a.atttypid::regtype::text IN ('text', 'jsonb', 'json', 'character varying', 'inet', 'cidr')`))(t)
	for _, column := range need(pgx.CollectRows(rows, pgx.RowTo[string]))(t) {
		if decision := decided[column]; !slices.Contains([]string{"erased", "kept", "none"}, decision) ||
			(decision == "kept") != (kept[column] != "") {
			t.Errorf("%s: got the decision %q: say in testdata/personal.golden whether an erasure erases it, keeps "+
				"it for a reason, or whether it has none to erase", column, decision)
		}
		delete(decided, column)
	}
	for column := range decided {
		t.Errorf("testdata/personal.golden has %s, which does not exist", column)
	}
}
