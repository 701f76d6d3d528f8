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
	acme, beta storetest.Customer
}

// eachErasable runs the test on each kind of database.
func eachErasable(t *testing.T, test func(t *testing.T, e *erasable)) {
	t.Helper()
	for kind, url := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			e := &erasable{url: url(t)}
			e.Store = storetest.Open(t, storedb.Options{URL: e.url})
			storetest.AddModel(t, e.Store, "m1")
			e.acme, e.beta = storetest.NewCustomer(t, e.Store, "acme"), storetest.NewCustomer(t, e.Store, "beta")
			for _, f := range []*storetest.Customer{&e.acme, &e.beta} {
				for _, u := range []tenant.User{f.Owner, f.Member} {
					e.addPersonalData(t, f, u)
				}
			}
			storetest.Drain(t, e.Store)
			storetest.DrainAttribution(t, e.Store, 0)
			test(t, e)
		})
	}
}

// addPersonalData gives the user a row in each table with personal data, with the address in each of its texts.
func (e *erasable) addPersonalData(t *testing.T, f *storetest.Customer, u tenant.User) {
	t.Helper()
	scope, own, soon := tenant.ScopeOf(u), f.Tokens[u.ID].ID, time.Now().Add(time.Hour)
	confirmed := storetest.Confirmed(scope)
	storetest.OK(t, e.Identity.SetLanguage(background, scope, language.Tag("zh-Hans")))
	storetest.OK(t, e.Signin.CreateSession(background, platform,
		signin.NewSession{UserID: u.ID, PasswordHash: "old", Hash: storetest.Hash(u.ID), ExpiresAt: soon}))
	storetest.MakeKey(t, e.Store, scope)
	storetest.OK(t, e.Signin.BeginTOTP(background, confirmed, []byte("sealed")))
	storetest.OK(t, e.Signin.ConfirmTOTP(background, confirmed,
		signin.Confirmation{Sealed: []byte("sealed"), Codes: [][32]byte{storetest.Hash(storetest.NewID())}}))
	storetest.Need(e.Signin.CreatePasskey(background, confirmed,
		signin.Passkey{CredentialID: u.ID[:], Name: u.Email, Credential: []byte("{}")}))(t)
	storetest.OK(t, e.Signin.LinkIdentity(background, platform,
		signin.Identity{UserID: u.ID, Issuer: "https://issuer.example", Subject: u.Email, Email: u.Email}))
	storetest.OK(t, e.Signin.CreateChallenge(background, platform,
		signin.Challenge{Hash: storetest.Hash(u.ID), Purpose: "test", UserID: u.ID, Tries: 1, ExpiresAt: soon}))
	storetest.Need(e.Identity.CreatePasswordReset(background, storetest.Confirmed(platform),
		identity.NewReset{UserID: u.ID, Hash: storetest.Hash(u.ID), ExpiresAt: soon}))(t)
	storetest.Need(e.Job.CreateJob(background, scope,
		jobdb.NewJob{Kind: job.UsageExport, Parameters: job.ExportParameters{Format: job.CSV}}))(t)
	mail := storetest.NewMail(f.Tenant.ID, "notice")
	mail.Content = []byte(u.Email)
	storetest.OK(t, e.Job.QueueMail(background, platform, mail))
	storetest.OK(t, e.Response.CreateResponse(background, platform, response.Response{
		ID: storetest.NewID(), TenantID: f.Tenant.ID, UserID: u.ID, TokenID: own, CreatedAt: time.Now(),
		ExpiresAt: soon, Input: []byte(`["` + u.Email + `"]`), Body: []byte("{}"),
	}))
	storetest.Need(e.Idempotency.Claim(background, platform,
		idempotency.Key{ID: storetest.NewID(), TenantID: f.Tenant.ID, TokenID: own, Hash: []byte("key"),
			Mark: []byte("request"), RelayID: storetest.NewID()}))(t)
	call := f.Call(u, "m1", 5)
	call.EndUser, call.Tags = u.Email, usage.Tags(`{"who":"`+u.Email+`"}`)
	storetest.Need(e.Metering.RecordEvents(background, platform, storetest.NewID(), []usage.Event{call}))(t)
	to := storetest.Need(e.Alert.CreateDestination(background, f.AsOwner,
		alertdb.NewDestination{ID: storetest.NewID(), Channel: alert.Mail, Name: "mail", MailTo: u.ID}))(t)
	newRule(t, e.Store, f.AsOwner, to.ID)
	about := storetest.Need(e.Alert.CreateRule(background, f.AsOwner, alert.Rule{
		Name: u.Email, Kind: alert.QuotaUsed, Subject: alert.OfUser, SubjectID: u.ID, Thresholds: []int{80},
		Destinations: []uuid.UUID{to.ID},
	}))(t)
	storetest.Need(e.Alert.Raise(background, platform, &about,
		[]*alert.Fact{{Kind: alert.QuotaUsed, Rule: "budgets", Subject: alert.OfUser, SubjectID: &u.ID,
			SubjectName: u.Email, Threshold: 80}}))(t)
	for _, statement := range []string{
		"UPDATE sessions SET agent = '%[1]s', address = '%[1]s' WHERE user_id = '%[2]s'",
		"UPDATE access_keys SET name = '%[1]s' WHERE user_id = '%[2]s'",
		"UPDATE tokens SET name = '%[1]s', models = '[\"%[1]s\"]', addresses = '[\"192.0.2.1/32\"]' " +
			"WHERE user_id = '%[2]s'",
	} {
		storetest.Exec(t, e.url, fmt.Sprintf(statement, u.Email, u.ID))
	}
	storetest.Need(e.Identity.CreateInvitation(background, storetest.Confirmed(f.AsOwner), identity.NewInvitation{
		TenantID: f.Tenant.ID, Email: "by-" + u.ID.String() + "@guest.example", Role: tenant.Member,
		Hash: storetest.Hash(storetest.NewID()), ExpiresAt: soon,
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
			storetest.OK(t, json.Unmarshal([]byte(row), &values))
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
		u := e.acme.Member
		before := storetest.Dump(t, e.url)
		found := containing(t, before, u.Email)
		if len(found) < 15 {
			t.Fatalf("the address is only in %v: the test does not show much", found)
		}
		done := storetest.Need(e.Erase.User(background, platform, u.ID, request(false)))(t)
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
		others := []uuid.UUID{e.beta.Tenant.ID, e.beta.Owner.ID, e.beta.Member.ID}
		if changed := rowsOf(before, others...).Changed(rowsOf(after, others...)); len(changed) > 0 {
			t.Errorf("rows of the other tenant were changed in %v", changed)
		}
		row := storetest.Need(e.Identity.User(background, platform, u.ID))(t)
		storetest.Equal(t, "address", row.Email, person.ErasedEmail(u.ID))
		storetest.Equal(t, "status", row.Status, tenant.Disabled)
		storetest.Equal(t, "language", row.Language, "")
		gone := storetest.Need(e.Token.Token(background, platform, e.acme.Tokens[u.ID].ID))(t)
		storetest.Equal(t, "token", gone.Status, token.Revoked)
		storetest.Equal(t, "lists of the token", len(gone.Models)+len(gone.Addresses), 0)
		storetest.Equal(t, "name", done.Name, u.Email)
		storetest.Equal(t, "breaks of the audit log",
			storetest.Need(e.Audit.Verify(background, platform, func(audit.Break) {}))(t).Breaks, 0)

		again := storetest.Need(e.Erase.User(background, platform, u.ID, request(false)))(t)
		storetest.Equal(t, "rows of a second erasure", again.Total(), 0)
		if changed := after.Changed(storetest.Dump(t, e.url)); len(changed) > 0 {
			t.Errorf("a second erasure changed %v", changed)
		}
	})
}

func TestErase_ChangesNothingInADryRun(t *testing.T) {
	t.Parallel()
	eachErasable(t, func(t *testing.T, e *erasable) {
		before := storetest.Dump(t, e.url)
		planned := storetest.Need(e.Erase.User(background, platform, e.acme.Member.ID, request(true)))(t)
		wholly := []erase.Erased{}
		whole := storetest.Need(e.Erase.Tenant(background, platform, e.acme.Tenant.ID, request(true),
			func(one erase.Erased) { wholly = append(wholly, one) }))(t)
		if changed := before.Changed(storetest.Dump(t, e.url)); len(changed) > 0 {
			t.Errorf("a dry run changed %v", changed)
		}
		done := storetest.Need(e.Erase.User(background, platform, e.acme.Member.ID, request(false)))(t)
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
			all = storetest.Changes(t, e.Store, 0)
			return all[len(all)-1].Version, all
		}
		version, _ := last()
		storetest.Need(e.Erase.User(background, platform, e.acme.Member.ID, request(false)))(t)
		_, all := last()
		announced := map[storedb.Topic]uuid.UUID{}
		for _, c := range all {
			if c.Version > version {
				announced[c.Topic] = c.Ref
			}
		}
		want := map[storedb.Topic]uuid.UUID{storedb.UserChanged: e.acme.Member.ID,
			storedb.TokenChanged: e.acme.Tokens[e.acme.Member.ID].ID}
		if !maps.Equal(announced, want) {
			t.Errorf("got the changes %v, want %v", announced, want)
		}
	})
}

func TestErase_RefusesTheLastOwnerAndTheLastOperator(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		operator := func(email string) tenant.User {
			return storetest.Need(s.Identity.CreateUser(background, storetest.Confirmed(platform),
				identity.NewUser{Email: email, Role: tenant.Operator}))(t)
		}
		first := operator("first@x.example")
		for _, u := range []tenant.User{f.Owner, first} {
			_, err := s.Erase.User(background, platform, u.ID, request(false))
			storetest.Refuses(t, err, problem.Conflict, "")
		}
		operator("second@x.example")
		storetest.Need(s.Erase.User(background, platform, first.ID, request(false)))(t)
		storetest.Need(s.Erase.User(background, platform, f.Admin.ID, request(false)))(t)
		_, err := s.Erase.User(background, platform, storetest.NewID(), request(false))
		storetest.Refuses(t, err, problem.NotFound, "")
		_, err = s.Erase.User(background, f.AsOwner, f.Member.ID, request(false))
		storetest.Refuses(t, err, problem.Forbidden, "")
	})
}

func TestErase_OfATenantContinuesAfterAnInterruption(t *testing.T) {
	t.Parallel()
	eachErasable(t, func(t *testing.T, e *erasable) {
		before := storetest.Dump(t, e.url)
		ctx, interrupt := context.WithCancel(background)
		if _, err := e.Erase.Tenant(ctx, platform, e.acme.Tenant.ID, request(false),
			func(erase.Erased) { interrupt() }); err == nil {
			t.Error("the erasure was not interrupted")
		}
		storetest.Equal(t, "status after the interruption",
			storetest.Need(e.Identity.Tenant(background, platform, e.acme.Tenant.ID))(t).Status, tenant.Disabled)
		users := 0
		storetest.Need(e.Erase.Tenant(background, platform, e.acme.Tenant.ID, request(false), func(one erase.Erased) {
			if one.Total() > 0 {
				users++
			}
		}))(t)
		storetest.Equal(t, "users that the second erasure found", users, 2)
		after := storetest.Dump(t, e.url)
		for _, u := range []tenant.User{e.acme.Owner, e.acme.Admin, e.acme.Member} {
			for _, column := range containing(t, after, u.Email) {
				if kept[column] == "" {
					t.Errorf("%s still has %s", column, u.Email)
				}
			}
		}
		row := storetest.Need(e.Identity.Tenant(background, platform, e.acme.Tenant.ID))(t)
		storetest.Equal(t, "slug", row.Slug, "erased-"+row.ID.String())
		enabled := tenant.Enabled
		_, err := e.Identity.UpdateTenant(background, storetest.AsOperator(t, e.Store), row.ID,
			identity.TenantPatch{Status: &enabled})
		storetest.Refuses(t, err, problem.Conflict, "status")
		storetest.Equal(t, "name", row.Name, person.ErasedName)
		for _, table := range []string{"usage_logs", "usage_rollups_daily", "usage_rollups_hourly",
			"accounts", "ledger"} {
			if !slices.Equal(before[table], after[table]) {
				t.Errorf("%s was changed", table)
			}
		}
		others := []uuid.UUID{e.beta.Tenant.ID, e.beta.Owner.ID, e.beta.Member.ID}
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
	storetest.Need(s.Erase.Users(background, platform, e.acme.Member.Email))(t)
	done := storetest.Need(s.Erase.User(background, platform, e.acme.Member.ID, request(false)))(t)
	if done.Total() < 10 {
		t.Errorf("got %v", done.Rows)
	}
	storetest.Need(s.Erase.Tenant(background, platform, e.acme.Tenant.ID, request(false), func(erase.Erased) {}))(t)
}

// An erasure runs in one transaction, on tables that grow with the calls of all tenants. With sequential scans and
// joins made expensive, Postgres uses one only where no index serves the condition.
func TestErase_FindsItsRowsByIndex(t *testing.T) {
	t.Parallel()
	e := newIsolatedStore(t)
	asked := &storetest.Statements{}
	s := e.store.Traced(asked)
	storetest.Need(s.Erase.Users(background, platform, e.acme.Member.Email))(t)
	storetest.Need(s.Erase.User(background, platform, e.acme.Member.ID, request(true)))(t)
	storetest.Need(s.Erase.Tenant(background, platform, e.acme.Tenant.ID, request(false), func(erase.Erased) {}))(t)
	conn := storetest.Need(pgx.Connect(background, e.url))(t)
	t.Cleanup(func() { storetest.OK(t, conn.Close(background)) })
	storetest.Need(conn.Exec(background,
		"SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off"))(t)
	explained := 0
	for _, statement := range asked.Seen {
		if verb, _, _ := strings.Cut(statement, " "); !slices.Contains([]string{"SELECT", "UPDATE", "DELETE"}, verb) {
			continue
		}
		explained++
		for _, table := range storetest.FullScans(t, conn, statement) {
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
	for line := range strings.Lines(string(storetest.Need(os.ReadFile("testdata/personal.golden"))(t))) {
		if column, decision, found := strings.Cut(strings.TrimSpace(line), " "); found {
			decided[column] = decision
		}
	}
	rows := storetest.Need(e.conn.Query(background, `
		SELECT c.relname || '.' || a.attname FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
		WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND a.attnum > 0
		AND NOT a.attisdropped AND a.atttypid::regtype::text IN ('text', 'jsonb', 'json', 'character varying', 'inet', 'cidr')`))(t)
	for _, column := range storetest.Need(pgx.CollectRows(rows, pgx.RowTo[string]))(t) {
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
