package store_test

import (
	"context"
	"flag"
	"fmt"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/job"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/audit"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
	storedb "github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/identity"
	jobdb "github.com/tollgate/tollgate/libs/store/job"
	"github.com/tollgate/tollgate/libs/store/metering"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/relay"
	"github.com/tollgate/tollgate/libs/store/response"
	"github.com/tollgate/tollgate/libs/store/signin"
	"github.com/tollgate/tollgate/libs/store/storetest"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing them")

// rolesStore is an isolatedStore whose programs have roles of their own.
type rolesStore struct {
	*isolatedStore
	as func(role string) (url string)
}

func newRolesStore(t *testing.T) *rolesStore {
	t.Helper()
	e := newIsolatedStore(t)
	return &rolesStore{isolatedStore: e, as: storetest.Roles(t, e.url)}
}

// open opens the store as a role.
func (e *rolesStore) open(t *testing.T, role string) *store.Store {
	t.Helper()
	s := storetest.Need(store.Open(background, storedb.Options{URL: e.as(role)}))(t)
	t.Cleanup(func() { storetest.OK(t, s.Close()) })
	return s
}

// connect opens a connection as a role.
func (e *rolesStore) connect(t *testing.T, role string) *pgx.Conn {
	t.Helper()
	conn := storetest.Need(pgx.Connect(background, e.as(role)))(t)
	t.Cleanup(func() { storetest.OK(t, conn.Close(background)) })
	return conn
}

// programs are the roles of programs at run time.
var programs = []string{"tollgate_console", "tollgate_relay", "tollgate_worker"}

// forbidden are statements that no role of a program may run.
var forbidden = map[string]string{
	"change an entry of the audit log": "UPDATE audit_log SET actor = 'somebody else'",
	"delete an entry of the audit log": "DELETE FROM audit_log",
	"empty the audit log":              "TRUNCATE audit_log",
	"change a link of the audit log":   "UPDATE audit_chain SET hash = ''",
	"delete a link of the audit log":   "DELETE FROM audit_chain",
	"move the anchor of a chain":       "UPDATE audit_anchors SET seq = 1",
	"move the beginning of the chains": "UPDATE audit_chain_start SET started_at = now()",
	"lock the audit log for a change":  "SELECT id FROM audit_log FOR UPDATE",
	"drop the audit log":               "DROP TABLE audit_log",
	"switch row-level security off":    "ALTER TABLE audit_log DISABLE ROW LEVEL SECURITY",
	"add a trigger to the audit log": "CREATE TRIGGER t BEFORE INSERT ON audit_log EXECUTE FUNCTION " +
		"refuse_ledger_change()",
	"change an entry of the ledger": "UPDATE ledger SET amount = 1",
	"delete an entry of the ledger": "DELETE FROM ledger",
	"change a usage log":            "UPDATE usage_logs SET quota = 0",
	"delete usage logs":             "DELETE FROM usage_logs",
	"create a table":                "CREATE TABLE mine (id int)",
	"create a function":             "CREATE FUNCTION mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
	"record a step of the schema":   "INSERT INTO bun_migrations (name) VALUES ('9999')",
	"become the owner": "SELECT set_config('role', (SELECT tableowner FROM pg_tables WHERE tablename = " +
		"'audit_log'), true)",
	"create a role":               "CREATE ROLE mine",
	"read a file of the server":   "SELECT pg_read_file('/etc/passwd')",
	"run a program on the server": "COPY (SELECT 1) TO PROGRAM 'true'",
	"ignore triggers":             "SET session_replication_role = replica",
}

// forbiddenTo are further statements, by the role that may not run them.
var forbiddenTo = map[string]map[string]string{
	"tollgate_console": {
		"delete old entries of the audit log": "SELECT prune_audit_log(NULL, '2020-01-01', 1)",
		"read stored prompts and answers":     "SELECT body FROM responses",
		"read answers of idempotency keys":    "SELECT answer FROM idempotency_keys",
		"record usage":                        "INSERT INTO usage_logs SELECT * FROM usage_logs",
		"change what a tenant has used":       "UPDATE accounts SET used = 0",
		"change a lease":                      "UPDATE leases SET amount = 0",
		"make a partition":                    "SELECT tollgate_make_partition('2030-01-01')",
		"drop a partition":                    "SELECT tollgate_drop_partition('2020-01-01')",
		"become the role of the worker":       "SET ROLE tollgate_worker",
		"read what the worker's role does":    "SET ROLE tollgate_worker_tenant",
	},
	"tollgate_relay": {
		"delete old entries of the audit log":     "SELECT prune_audit_log(NULL, '2020-01-01', 1)",
		"read password hashes":                    "SELECT password_hash FROM users",
		"read all columns of users":               "SELECT * FROM users",
		"test a password hash":                    "SELECT id FROM users WHERE password_hash LIKE '$argon2id$%'",
		"change a password":                       "UPDATE users SET password_hash = ''",
		"change a role":                           "UPDATE users SET role = 'owner'",
		"create a person":                         "INSERT INTO users SELECT * FROM users",
		"read second factors":                     "SELECT sealed FROM totps",
		"read recovery codes":                     "SELECT hash FROM recovery_codes",
		"read passkeys":                           "SELECT credential FROM passkeys",
		"read sessions":                           "SELECT hash FROM sessions",
		"read access keys":                        "SELECT hash FROM access_keys",
		"read invitations":                        "SELECT hash FROM invitations",
		"read password resets":                    "SELECT hash FROM password_resets",
		"read mail":                               "SELECT content FROM mails",
		"read jobs":                               "SELECT secret FROM jobs",
		"read the audit log":                      "SELECT action, detail FROM audit_log",
		"read the ledger":                         "SELECT * FROM ledger",
		"create a token":                          "INSERT INTO tokens SELECT * FROM tokens",
		"delete a token":                          "DELETE FROM tokens",
		"enable a token":                          "UPDATE tokens SET status = 'enabled'",
		"free a token from its limits":            "UPDATE tokens SET limit_requests = 0",
		"give a token to somebody else":           "UPDATE tokens SET user_id = id",
		"change a token's pepper alone":           "UPDATE tokens SET pepper_id = 'other'",
		"give a token another hash":               "UPDATE tokens SET hash = uuid_send(id)",
		"give a token another hash of its pepper": "UPDATE tokens SET hash = sha256(hash), pepper_id = pepper_id",
		"raise a limit":                           "UPDATE accounts SET granted = NULL",
		"change a channel's address":              "UPDATE channels SET base_url = 'https://attacker.example'",
		"change a channel's credentials":          "UPDATE channels SET keys = '[]'",
		"change a price":                          "UPDATE prices SET rates = '{}'",
		"read partitions without the table":       "SELECT * FROM usage_logs_default",
		"make a partition":                        "SELECT tollgate_make_partition('2030-01-01')",
		"drop a partition":                        "SELECT tollgate_drop_partition('2020-01-01')",
		"become the role of tenants":              "SET ROLE tollgate_tenant",
		"become the role of the worker":           "SET ROLE tollgate_worker",
		"become the role of the worker's tenants": "SET ROLE tollgate_worker_tenant",
		"undo that its leases were taken back":    "UPDATE relays SET reclaims = 0",
		"hide usage that waits for the rollups":   "DELETE FROM usage_outbox",
		"hide a difference that was found":        "DELETE FROM reconcile_drifts",
		"take a refused credential back into use": "DELETE FROM disabled_credentials",
	},
	"tollgate_worker": {
		"read password hashes":             "SELECT password_hash FROM users",
		"read all columns of users":        "SELECT * FROM users",
		"read second factors":              "SELECT sealed FROM totps",
		"read recovery codes":              "SELECT hash FROM recovery_codes",
		"read passkeys":                    "SELECT credential FROM passkeys",
		"read identities":                  "SELECT subject FROM identities",
		"read sessions":                    "SELECT hash FROM sessions",
		"extend a session":                 "UPDATE sessions SET expires_at = now()",
		"open a session":                   "INSERT INTO sessions SELECT * FROM sessions",
		"read access keys":                 "SELECT hash FROM access_keys",
		"create an access key":             "INSERT INTO access_keys SELECT * FROM access_keys",
		"read invitations":                 "SELECT hash FROM invitations",
		"read password resets":             "SELECT hash FROM password_resets",
		"read what sign-ins wait for":      "SELECT hash, data FROM challenges",
		"read the audit log":               "SELECT action, detail FROM audit_log",
		"read stored prompts and answers":  "SELECT input, body FROM responses",
		"read answers of idempotency keys": "SELECT answer FROM idempotency_keys",
		"give a token another hash":        "UPDATE tokens SET hash = uuid_send(id)",
		"give a token to somebody else":    "UPDATE tokens SET user_id = id",
		"record usage":                     "INSERT INTO usage_logs SELECT * FROM usage_logs",
		"lease quota":                      "UPDATE leases SET amount = 1",
		"create a partition without the function": "CREATE TABLE usage_logs_2099_01 PARTITION OF usage_logs FOR " +
			"VALUES FROM ('f0000000-0000-0000-0000-000000000000') TO (MAXVALUE)",
		"drop a partition without the function": "DROP TABLE usage_logs_default",
		"become the role of tenants":            "SET ROLE tollgate_tenant",
		"read password hashes as a tenant":      "SET ROLE tollgate_worker_tenant; SELECT password_hash FROM users",
		"read second factors as a tenant":       "SET ROLE tollgate_worker_tenant; SELECT * FROM totps",
		"read hashes of tokens as a tenant":     "SET ROLE tollgate_worker_tenant; SELECT hash FROM tokens",
		"read credentials as a tenant":          "SET ROLE tollgate_worker_tenant; SELECT keys FROM channels",
	},
}

// Each limit is tested by an attempt, which Postgres refuses because of a missing privilege.
func TestRoles_RefuseEachAttempt(t *testing.T) {
	e := newRolesStore(t)
	storetest.Need(e.store.Audit.Chain(background, platform, time.Time{}))(t)
	for _, role := range programs {
		conn := e.connect(t, role)
		for _, attempts := range []map[string]string{forbidden, forbiddenTo[role]} {
			for what, statement := range attempts {
				tx := storetest.Need(conn.Begin(background))(t)
				if _, err := tx.Exec(background, statement); !refusedByPrivilege(err) {
					t.Errorf("%s can %s: got error %v, want a missing privilege", role, what, err)
				}
				storetest.OK(t, tx.Rollback(background))
			}
		}
		var others int
		storetest.OK(t, conn.QueryRow(background, "SELECT count(*) FROM pg_roles WHERE rolname = current_user AND "+
			"(rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication)").Scan(&others))
		storetest.Equal(t, role+" has an attribute of administrators", others, 0)
	}
}

// The functions of the owner make partitions and drop months that have ended, and nothing else, whatever else the
// worker's session has.
func TestRoles_LetTheWorkerChangePartitionsOnly(t *testing.T) {
	e := newRolesStore(t)
	conn := e.connect(t, "tollgate_worker")
	// Objects of the same names in the session must not take the place of the real ones.
	for _, statement := range []string{
		"CREATE TEMPORARY TABLE usage_logs (id uuid) PARTITION BY RANGE (id)",
		"CREATE TEMPORARY TABLE usage_logs_default PARTITION OF usage_logs DEFAULT",
		"SET search_path = pg_temp, public",
	} {
		storetest.Need(conn.Exec(background, statement))(t)
	}
	partition := func(month string) (found bool) {
		storetest.OK(t, e.conn.QueryRow(background, "SELECT EXISTS (SELECT FROM pg_inherits WHERE inhparent = "+
			"'public.usage_logs'::regclass AND inhrelid = to_regclass($1))",
			"public.usage_logs_"+month).Scan(&found))
		return found
	}
	for _, month := range []string{"2019-03-17", "2088-07-01"} {
		storetest.Need(conn.Exec(background, "SELECT public.tollgate_make_partition($1::date)", month))(t)
	}
	storetest.Equal(t, "partition of March 2019", partition("2019_03"), true)
	storetest.Equal(t, "partition of July 2088", partition("2088_07"), true)
	storetest.Need(conn.Exec(background, "SELECT public.tollgate_drop_partition('2019-03-01')"))(t)
	storetest.Equal(t, "dropped partition", partition("2019_03"), false)
	for _, month := range []string{"2088-07-01", time.Now().UTC().Format(time.DateOnly)} {
		if _, err := conn.Exec(background, "SELECT public.tollgate_drop_partition($1::date)", month); err == nil {
			t.Errorf("the worker dropped the usage logs of %s, which has not ended", month)
		}
	}
}

// The relay's role runs the statements of a relay.
func TestRoles_PermitTheWorkOfARelay(t *testing.T) {
	e := newRolesStore(t)
	s, f, id := e.open(t, "tollgate_relay"), &e.acme, storetest.NewID()
	own := f.Tokens[f.Member.ID].ID
	_, channel := storetest.AddModel(t, e.store, "m1")
	storetest.OK(t, s.Ping(background))
	caller := storetest.Need(s.Token.Caller(background, platform, storetest.Hash(own)))(t)
	storetest.Equal(t, "user of the token", caller.User,
		storetest.Need(e.store.Identity.User(background, platform, f.Member.ID))(t))
	storetest.OK(t, s.Token.RehashToken(background, platform,
		tokendb.Rehash{ID: own, From: storetest.Hash(own), To: storetest.Hash(id), PepperID: "new"}))
	storetest.Need(s.Token.Caller(background, platform, storetest.Hash(id)))(t)
	storetest.Need(s.Catalog.Snapshot(background, platform))(t)
	storetest.Need(s.Relay.Beat(background, platform, id, relay.Report{State: "serving"}))(t)
	storetest.Need(s.Relay.LiveRelays(background, platform, time.Minute))(t)
	for _, limit := range caller.Limits {
		storetest.Need(s.Quota.GrantLease(background, platform, id, limit.Account(time.Now()),
			quota.LeaseRequest{Stamp: 1, Want: money.USD / 100}))(t)
	}
	storetest.OK(t, s.Quota.RecallQuota(background, platform, f.Tenant.ID))
	storetest.OK(t, s.Quota.ReleaseLeases(background, platform, id))
	event := f.Call(f.Member, "m1", 1)
	for range 2 { // the second time, the event is stored already
		storetest.Need(s.Metering.RecordEvents(background, platform, id,
			[]usage.Event{event, f.Call(f.Owner, "m1", 1)}))(t)
	}
	late := f.Call(f.Owner, "m1", 1) // of a month that retention could have dropped
	late.CreatedAt = time.Now().AddDate(0, -2, 0)
	late.ID = storetest.IDAt(late.ID, late.CreatedAt)
	storetest.Equal(t, "recorded events of an earlier month",
		storetest.Need(s.Metering.RecordEvents(background, platform, id, []usage.Event{late}))(t), 1)
	for range 2 { // the second time, the client is stored already
		storetest.OK(t, s.Client.Record(background, platform, []usage.Client{{TenantID: f.Tenant.ID,
			UserID: f.Member.ID, TokenID: own, Address: netip.MustParseAddr("192.0.2.1"), FirstAt: time.Now(),
			LastAt: time.Now(), Calls: 1}}, time.Hour))
	}
	storetest.OK(t, s.Catalog.PublishHealth(background, platform, id,
		[]catalogdb.ChannelHealth{{ChannelID: channel.ID, Model: "m1", State: "open", Until: time.Now()}}))
	storetest.Equal(t, "disabled the credential",
		storetest.Need(s.Catalog.DisableCredential(background, platform,
			catalogdb.Credential{ChannelID: channel.ID, Fingerprint: "x"}, catalog.ReasonDenied))(t), true)
	kept := response.Response{
		ID: storetest.NewID(), TenantID: f.Tenant.ID, UserID: f.Member.ID, TokenID: own, CreatedAt: time.Now(),
		ExpiresAt: time.Now().Add(time.Hour), Input: []byte("[]"), Body: []byte("{}"),
	}
	storetest.OK(t, s.Response.CreateResponse(background, platform, kept))
	reach := tenant.Reach{TenantID: f.Tenant.ID, UserID: f.Member.ID}
	next := kept
	next.ID, next.PreviousID = storetest.NewID(), kept.ID
	storetest.OK(t, s.Response.CreateResponse(background, platform, next))
	storetest.Need(s.Response.Conversation(background, platform, reach, next.ID))(t)
	storetest.OK(t, s.Response.DeleteResponse(background, platform, reach, next.ID))
	storetest.Changes(t, s, 0)
}

// Without the attribute BYPASSRLS, which not every administrator can give, a relay records usage in another way.
func TestRoles_PermitARelayWithoutCopy(t *testing.T) {
	e := newRolesStore(t)
	s := e.open(t, "tollgate_worker") // row-level security applies to it as to a relay without the attribute
	_, err := e.conn.Exec(background,
		`GRANT INSERT ON usage_logs, usage_outbox, usage_speed_outbox, usage_attribution_outbox, usage_export_batches TO tollgate_worker; GRANT UPDATE ON leases TO tollgate_worker`)
	storetest.OK(t, err)
	events := []usage.Event{e.acme.Call(e.acme.Member, "m1", 1), e.acme.Call(e.acme.Owner, "m1", 1)}
	storetest.Equal(t, "recorded events",
		storetest.Need(s.Metering.RecordEvents(background, platform, storetest.NewID(), events))(t), 2)
	storetest.Equal(t, "events that were recorded again",
		storetest.Need(s.Metering.RecordEvents(background, platform, storetest.NewID(), events))(t), 0)
}

// The worker's role runs the statements of a worker.
func TestRoles_PermitTheWorkOfAWorker(t *testing.T) {
	e := newRolesStore(t)
	s, f := e.open(t, "tollgate_worker"), &e.acme
	_, channel := storetest.AddModel(t, e.store, "m1")
	storetest.OK(t, s.Ping(background))
	storetest.Drain(t, s)
	storetest.DrainAttribution(t, s, 0)
	storetest.Need(s.Reconcile.Run(background, platform))(t)
	storetest.Need(s.Relay.ReclaimLeases(background, platform, time.Nanosecond))(t)
	storetest.OK(t, s.Metering.EnsurePartitions(background, platform))
	storetest.Need(s.Metering.DropUsageLogs(background, platform, 24*time.Hour))(t)
	storetest.Need(s.Metering.PlatformTotals(background, platform))(t)
	storetest.Need(s.Export.Begin(background, platform))(t)
	_, _, err := s.Export.Plan(background, platform, 1000)
	storetest.OK(t, err)
	object, _, err := s.Export.Next(background, platform)
	storetest.OK(t, err)
	storetest.Need(s.Metering.LogsByID(background, platform, object.Logs))(t)
	storetest.Need(e.store.Metering.RecordEvents(background, platform, storetest.NewID(),
		[]usage.Event{f.Call(f.Member, "m1", 1)}))(t)
	storetest.OK(t, s.Export.Written(background, platform, object.ID))
	_, _, err = s.Export.Plan(background, platform, 1000)
	storetest.OK(t, err)
	storetest.Need(s.Export.Status(background, platform))(t)
	console := e.open(t, "tollgate_console")
	storetest.Need(console.Export.Status(background, platform))(t)
	storetest.Equal(t, "export stopped by the console", storetest.Need(console.Export.Stop(background, platform))(t),
		true)
	storetest.Need(s.Audit.Prune(background, platform, 400*24*time.Hour))(t)
	// A manifest that it applies can take an address from an account.
	for _, table := range []string{"totps", "recovery_codes", "passkeys", "identities"} {
		storetest.OK(t, storetest.Try(t, e.as("tollgate_worker"),
			"DELETE FROM "+table+" WHERE user_id = gen_random_uuid()"))
	}
	if err := storetest.Try(t, e.as("tollgate_worker"),
		"SELECT prune_audit_log(NULL, now() - interval '29 days', 1)"); err == nil {
		t.Error("the worker may delete entries of the audit log of the last 30 days")
	}
	storetest.OK(t, s.Sweep(background, platform))
	storetest.OK(t, s.Client.Clear(background, platform))
	channels := storetest.Need(s.Catalog.Snapshot(background, platform))(t).Channels()
	storetest.Equal(t, "credentials for probes", len(channels[0].Credentials), 1)
	storetest.OK(t,
		s.Catalog.RecordProbe(background, platform,
			catalogdb.Probe{Credential: catalogdb.Credential{ChannelID: channel.ID, Fingerprint: "x"}, Status: 200,
				ProbedAt: time.Now()}))
	storetest.Need(s.Catalog.Probes(background, platform, channel.ID))(t)
	storetest.Need(s.Catalog.ChannelHealth(background, platform, channel.ID))(t)
	storetest.Need(s.Catalog.ChannelsServing(background, platform, time.Now()))(t)

	storetest.OK(t, s.Job.QueueMail(background, platform, storetest.NewMail(f.Tenant.ID, "reset")))
	mail := storetest.Need(s.Job.ClaimMail(background, platform, time.Hour))(t)
	storetest.Need(s.Identity.UserByEmail(background, platform, f.Member.Email))(t)
	storetest.Need(s.Identity.CreatePasswordReset(background, storetest.Confirmed(platform),
		identity.NewReset{UserID: f.Member.ID, Hash: storetest.SecretOf("x"), ExpiresAt: time.Now().Add(time.Hour)}))(t)
	storetest.OK(t, s.Job.EndMail(background, platform, mail))
	_, err = e.conn.Exec(background, "DELETE FROM job_parts")
	storetest.OK(t, err)
	for claim := storetest.Need(s.Job.ClaimJob(background, platform, []job.Kind{job.UsageExport}, time.Hour))(
		t); claim != nil; {
		storetest.OK(t, s.Job.SaveJob(background, platform, claim.Ref, jobdb.Step{Part: []byte("x")}))
		storetest.OK(t, s.Job.FinishJob(background, platform, claim.Ref, jobdb.End{Result: job.ExportResult{}}))
		claim = storetest.Need(s.Job.ClaimJob(background, platform, []job.Kind{job.UsageExport}, time.Hour))(t)
	}
}

// Exports of a tenant's user run behind row-level security, as a role that reads what exports show.
func TestRoles_ConfineTheWorkersExportsToTheirTenant(t *testing.T) {
	e := newRolesStore(t)
	s := e.open(t, "tollgate_worker")
	for _, scope := range []tenant.Scope{e.acme.AsOwner, e.acme.AsMember} {
		logs := storetest.Need(s.Metering.LogBatch(background, scope, metering.LogQuery{}))(t)
		if len(logs.Items) == 0 {
			t.Errorf("%v: got no usage log", scope)
		}
		users := storetest.Need(s.Identity.UserEmails(background, scope, ids(&e.acme, &e.beta)))(t)
		if users[e.acme.Member.ID] != e.acme.Member.Email || users[e.beta.Member.ID] != "" {
			t.Errorf("%v: got users %v", scope, users)
		}
		storetest.Need(s.Token.TokenNames(background, scope, ids(&e.acme)))(t)
		storetest.Need(s.Metering.ChannelNames(background, scope, ids(&e.acme)))(t)
	}
	conn := e.connect(t, "tollgate_worker")
	for _, table := range []string{"usage_logs", "usage_rollups_daily", "usage_outbox"} {
		tx := storetest.Need(conn.Begin(background))(t)
		_, err := tx.Exec(background,
			fmt.Sprintf("SET LOCAL ROLE tollgate_worker_tenant; SET LOCAL tollgate.tenant = '%s'", e.acme.Tenant.ID))
		storetest.OK(t, err)
		var own, others int
		storetest.OK(t, tx.QueryRow(background, "SELECT count(*) FILTER (WHERE tenant_id = $1), count(*) FILTER "+
			"(WHERE tenant_id <> $1) FROM "+table, e.acme.Tenant.ID).Scan(&own, &others))
		if own == 0 || others > 0 {
			t.Errorf("%s: got %d own rows and %d of others", table, own, others)
		}
		storetest.OK(t, tx.Rollback(background))
	}
}

// ids returns the ids of the users.
func ids(of ...*storetest.Customer) (all []uuid.UUID) {
	for _, f := range of {
		all = append(all, f.Owner.ID, f.Admin.ID, f.Member.ID)
	}
	return all
}

// The console's role runs the statements of the console; its API's tests run more of them.
func TestRoles_PermitTheWorkOfTheConsole(t *testing.T) {
	e := newRolesStore(t)
	s := e.open(t, "tollgate_console")
	storetest.OK(t, s.Ping(background))
	f := storetest.NewCustomer(t, s, "gamma")
	_, channel := storetest.AddModel(t, s, "m2")
	(&isolatedStore{store: s, url: e.url, conn: e.conn}).addIdentityRows(t, f.Owner)
	_, hashed, err := s.Identity.UserWithPassword(background, platform, f.Owner.Email)
	storetest.OK(t, err)
	storetest.Equal(t, "password", hashed, "old")
	storetest.OK(t, s.Signin.CreateSession(background, platform, signin.NewSession{UserID: f.Owner.ID,
		PasswordHash: "old", Hash: storetest.Hash(storetest.NewID()), ExpiresAt: time.Now().Add(time.Hour)}))
	storetest.Need(s.Identity.UpdateUser(background, storetest.Confirmed(f.AsOwner), f.Member.ID,
		identity.UserPatch{PasswordHash: new("new")}))(t)
	storetest.Need(s.Identity.Users(background, f.AsOwner, identity.UserFilter{TenantID: f.Tenant.ID}, page.Page{}))(t)
	storetest.Need(s.Token.UpdateToken(background, f.AsMember, f.Tokens[f.Member.ID].ID,
		tokendb.Patch{Name: new("mine")}))(t)
	storetest.Need(s.Catalog.UpdateChannel(background, platform, channel.ID, catalogdb.ChannelPatch{Weight: new(2)}))(t)
	storetest.Need(s.Audit.Chain(background, platform, time.Time{}))(t)
	sum := storetest.Need(s.Audit.Verify(background, platform, func(b audit.Break) { t.Errorf("broken: %v", b) }))(t)
	storetest.Equal(t, "entries without a link", sum.Unlinked, 0)
}

// rightsFile lists every right of the roles of programs. A table or a column that it does not list needs a decision:
// add it to libs/store/migrations/roles.sql, or do not, and run this test with -update.
const rightsFile = "testdata/roles.golden"

func TestRoles_GrantExactlyTheListedRights(t *testing.T) {
	e := newRolesStore(t)
	const columns = `
		SELECT format('%s.%s', c.relname, a.attname) || coalesce((
			SELECT string_agg(' ' || replace(r, 'tollgate_', '') || '=' || held, '' ORDER BY r) FROM (
				SELECT r, concat(
					CASE WHEN has_column_privilege(r, c.oid, a.attnum, 'SELECT') THEN 'S' END, CASE WHEN has_column_privilege(r, c.oid, a.attnum, 'INSERT') THEN 'I' END,
					CASE WHEN has_column_privilege(r, c.oid, a.attnum, 'UPDATE') THEN 'U' END, CASE WHEN has_column_privilege(r, c.oid, a.attnum, 'REFERENCES') THEN 'R' END) AS held
				FROM unnest($1::text[]) AS r) AS rights WHERE held <> ''), '') AS line
		FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped`
	const rows = `
		SELECT c.relname || ' (rows)' || coalesce((
			SELECT string_agg(' ' || replace(r, 'tollgate_', '') || '=' || held, '' ORDER BY r) FROM (
				SELECT r, concat(CASE WHEN has_table_privilege(r, c.oid, 'DELETE') THEN 'D' END,
					CASE WHEN has_table_privilege(r, c.oid, 'TRUNCATE') THEN 'T' END, CASE WHEN has_table_privilege(r, c.oid, 'TRIGGER') THEN 'G' END) AS held
				FROM unnest($1::text[]) AS r) AS rights WHERE held <> ''), '')
		FROM pg_class AS c`
	// Partitions of months need no rights.
	const tables = ` WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND c.relname !~ '^usage_logs_\d{4}_\d\d$'`
	found := storetest.Need(e.conn.Query(background, columns+tables+" UNION ALL "+rows+tables+" ORDER BY line",
		append(programs, "tollgate_worker_tenant")))(t)
	got := strings.Join(storetest.Need(pgx.CollectRows(found, pgx.RowTo[string]))(t), "\n") + "\n"
	if *update {
		storetest.OK(t, os.WriteFile(rightsFile, []byte(got), 0o644))
	}
	want := string(storetest.Need(os.ReadFile(rightsFile))(t))
	for _, line := range strings.Split(strings.TrimSpace(got), "\n") {
		if !strings.Contains("\n"+want, "\n"+line+"\n") {
			t.Errorf("%s does not list: %s", rightsFile, line)
		}
	}
	for _, line := range strings.Split(strings.TrimSpace(want), "\n") {
		if !strings.Contains("\n"+got, "\n"+line+"\n") {
			t.Errorf("%s lists what is not so: %s", rightsFile, line)
		}
	}
	var partitions int
	storetest.OK(t, e.conn.QueryRow(background, `SELECT count(*) FROM pg_class AS c, unnest($1::text[]) AS r
		WHERE c.relname ~ '^usage_logs_\d{4}_\d\d$' AND c.relkind = 'r' AND has_table_privilege(r, c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')`,
		append(programs, "tollgate_worker_tenant")).Scan(&partitions))
	storetest.Equal(t, "rights on partitions of months", partitions, 0)
}

// The file may run before the tables exist. The owner that it makes migrates, which grants the rights; later runs take
// back what the file does not name.
func TestRoles_RunBeforeAndAfterTheTables(t *testing.T) {
	database := storetest.Postgres(t)
	as := storetest.Roles(t, database)
	owner := storetest.Need(store.Open(background, storedb.Options{URL: as("tollgate_owner")}))(t)
	defer owner.Close() //nolint:errcheck // other tests check Close
	storetest.OK(t, owner.Migrate(background))
	for _, role := range programs {
		s := storetest.Need(store.Open(background, storedb.Options{URL: as(role)}))(t)
		storetest.OK(t, s.Ping(background))
		if err := s.Migrate(background); err == nil || !strings.Contains(err.Error(), "connect as tollgate_owner") {
			t.Errorf("%s migrates: got error %v, want the name of the owner", role, err)
		}
		storetest.OK(t, s.Close())
	}
	may := func(right string) (has bool) {
		conn := storetest.Need(pgx.Connect(background, database))(t)
		defer conn.Close(context.WithoutCancel(background)) //nolint:errcheck // the connection ends with the test
		storetest.OK(t, conn.QueryRow(background, "SELECT has_table_privilege('tollgate_relay', 'audit_log', $1)",
			right).Scan(&has))
		return has
	}
	storetest.Exec(t, database, "GRANT DELETE ON audit_log TO tollgate_relay")
	storetest.Equal(t, "a right that somebody added", may("DELETE"), true)
	storetest.OK(t, owner.Migrate(background))
	storetest.Equal(t, "the same after the next migration", may("DELETE"), false)
	storetest.Equal(t, "a right of the file", may("INSERT"), true)
}
