package store_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/job"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	storedb "github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/idempotency"
	"github.com/tollgate/tollgate/libs/store/identity"
	jobdb "github.com/tollgate/tollgate/libs/store/job"
	"github.com/tollgate/tollgate/libs/store/metering"
	quotadb "github.com/tollgate/tollgate/libs/store/quota"
	"github.com/tollgate/tollgate/libs/store/response"
	"github.com/tollgate/tollgate/libs/store/signin"
	"github.com/tollgate/tollgate/libs/store/storetest"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
)

// refusedByPrivilege reports whether Postgres refused a statement because of a missing privilege. It gives
// the same error for rows that row-level security forbids to write.
func refusedByPrivilege(err error) bool {
	pg := (*pgconn.PgError)(nil)
	return errors.As(err, &pg) && pg.Code == "42501"
}

// isolatedStore is a store on Postgres with two customers. Each has rows in every table that has rows of tenants.
type isolatedStore struct {
	store      *store.Store
	url        string
	conn       *pgx.Conn // without row-level security
	acme, beta storetest.Customer
}

func newIsolatedStore(t *testing.T) *isolatedStore {
	t.Helper()
	e := &isolatedStore{url: storetest.Postgres(t)}
	e.store = storetest.Open(t, storedb.Options{URL: e.url})
	e.conn = storetest.Need(pgx.Connect(background, e.url))(t)
	t.Cleanup(func() { storetest.OK(t, e.conn.Close(background)) })
	e.acme, e.beta = storetest.NewCustomer(t, e.store, "acme"), storetest.NewCustomer(t, e.store, "beta")
	for _, f := range []*storetest.Customer{&e.acme, &e.beta} {
		e.addRows(t, f)
	}
	storetest.Drain(t, e.store)
	storetest.DrainAttribution(t, e.store, 0)
	for _, f := range []*storetest.Customer{&e.acme, &e.beta} { // for the outbox
		storetest.Need(e.store.Metering.RecordEvents(background, platform, storetest.NewID(),
			[]usage.Event{f.Call(f.Owner, "m1", 1), f.Call(f.Member, "m1", 1)}))(t)
	}
	return e
}

// addRows adds rows of the customer to the tables that newCustomer leaves empty.
func (e *isolatedStore) addRows(t *testing.T, f *storetest.Customer) {
	t.Helper()
	s := e.store
	storetest.Need(s.Identity.UpdateTenant(background, platform, f.Tenant.ID,
		identity.TenantPatch{Caps: quotadb.CapsPatch{Day: storetest.USD(1)}}))(t)
	for _, u := range []tenant.User{f.Owner, f.Member} {
		storetest.Need(s.Identity.UpdateUser(background, storetest.Confirmed(platform), u.ID,
			identity.UserPatch{Caps: quotadb.CapsPatch{Day: storetest.USD(1)}}))(t)
		storetest.OK(t, s.Signin.CreateSession(background, platform, signin.NewSession{UserID: u.ID,
			PasswordHash: "old", Hash: storetest.Hash(u.ID), ExpiresAt: time.Now().Add(time.Hour)}))
		storetest.OK(t, s.Response.CreateResponse(background, platform, response.Response{
			ID: storetest.NewID(), TenantID: f.Tenant.ID, UserID: u.ID, TokenID: f.Tokens[u.ID].ID,
			CreatedAt: time.Now(), ExpiresAt: time.Now().Add(time.Hour),
			Input: []byte("[]"), Body: []byte("{}"),
		}))
		storetest.Need(s.Idempotency.Claim(background, platform, idempotency.Key{
			ID: storetest.NewID(), TenantID: f.Tenant.ID, TokenID: f.Tokens[u.ID].ID, Hash: []byte("key"),
			Mark: []byte("request"), RelayID: storetest.NewID(),
		}))(t)
		storetest.Need(s.Metering.RecordEvents(background, platform, storetest.NewID(),
			[]usage.Event{f.Call(u, "m1", 1)}))(t)
		storetest.OK(t, s.Refusal.Record(background, platform,
			[]usage.Refusal{{ID: storetest.NewID(), TenantID: f.Tenant.ID, UserID: u.ID, CreatedAt: time.Now()}},
			[]usage.RefusalCount{{TenantID: f.Tenant.ID, UserID: u.ID, Hour: time.Now(), Code: "overloaded",
				Calls: 1}}))
		storetest.OK(t, s.Client.Record(background, platform, []usage.Client{{TenantID: f.Tenant.ID, UserID: u.ID,
			TokenID: f.Tokens[u.ID].ID, FirstAt: time.Now(), LastAt: time.Now(), Calls: 1}}, time.Hour))
		e.addIdentityRows(t, u)
	}
	storetest.Invite(t, s, f, "guest@"+f.Tenant.Slug+".example")
	storetest.Need(s.Token.UpdateToken(background, f.AsMember, f.Tokens[f.Member.ID].ID,
		tokendb.Patch{Name: new("mine")}))(t)
	storetest.OK(t, s.Job.QueueMail(background, platform, storetest.NewMail(f.Tenant.ID, "invitation")))
	setIssuer(t, s, f)
	hook := newHook(t, s, f.AsOwner)
	newRule(t, s, f.AsOwner, hook.ID)
	storetest.Need(s.Alert.TestDestination(background, f.AsOwner, hook.ID))(t)
	_, err := e.conn.Exec(background, `
		INSERT INTO reconcile_drifts (check_name, start, tenant_id, account_id, measure, expected, found, difference, first_seen, last_seen)
		VALUES ('wallet', now(), $1, $1, 'used', 1, 2, 1, now(), now())`, f.Tenant.ID)
	storetest.OK(t, err)
	for _, table := range []string{"usage_cost_outbox", "usage_costs_hourly", "usage_costs_daily"} {
		_, err := e.conn.Exec(background, `INSERT INTO `+table+
			` (start, tenant_id, model, channel_id, requests, quota, supplier_cost)
			VALUES (now(), $1, 'm1', $1, 1, 2, 1)`, f.Tenant.ID)
		storetest.OK(t, err)
	}
	for _, table := range []string{"usage_speed_outbox", "usage_speeds_hourly"} {
		_, err := e.conn.Exec(background, `INSERT INTO `+table+
			` (start, tenant_id, model, step, requests, failed, output_tokens, generation_ms)
			VALUES (now(), $1, 'm1', 1, 1, 0, 2, 1)`, f.Tenant.ID)
		storetest.OK(t, err)
	}
}

// setIssuer sets the issuer of the customer with the domain of its addresses.
func setIssuer(t *testing.T, s *store.Store, f *storetest.Customer) tenant.Issuer {
	t.Helper()
	return storetest.Need(s.Identity.SetIssuer(background, storetest.Confirmed(f.AsOwner), identity.IssuerSettings{
		URL: "https://issuer.example", ClientID: "tollgate", SealedSecret: []byte("sealed"),
		Domains: []string{f.Tenant.Slug + ".example"}, DefaultRole: tenant.Member,
	}))(t)
}

// addIdentityRows adds rows of the user to the tables of identities and jobs.
func (e *isolatedStore) addIdentityRows(t *testing.T, u tenant.User) {
	t.Helper()
	s, scope := e.store, tenant.ScopeOf(u)
	storetest.MakeKey(t, s, scope)
	storetest.OK(t, s.Signin.BeginTOTP(background, storetest.Confirmed(scope), []byte("sealed")))
	storetest.OK(t, s.Signin.ConfirmTOTP(background, storetest.Confirmed(scope),
		signin.Confirmation{Sealed: []byte("sealed"), Codes: [][32]byte{storetest.Hash(storetest.NewID())}}))
	storetest.Need(s.Signin.CreatePasskey(background, storetest.Confirmed(scope),
		signin.Passkey{CredentialID: u.ID[:], Name: "laptop", Credential: []byte("{}")}))(t)
	storetest.OK(t, s.Signin.LinkIdentity(background, platform,
		signin.Identity{UserID: u.ID, Issuer: "https://issuer.example", Subject: u.Email}))
	storetest.OK(t, s.Signin.CreateChallenge(background, platform, signin.Challenge{Hash: storetest.Hash(u.ID),
		Purpose: "test", UserID: u.ID, Tries: 1, ExpiresAt: time.Now().Add(time.Hour)}))
	storetest.Need(s.Identity.CreatePasswordReset(background, storetest.Confirmed(platform),
		identity.NewReset{UserID: u.ID, Hash: storetest.Hash(u.ID), ExpiresAt: time.Now().Add(time.Hour)}))(t)
	asked := storetest.Need(s.Job.CreateJob(background, scope,
		jobdb.NewJob{Kind: job.UsageExport, Parameters: job.ExportParameters{Format: job.CSV}}))(t)
	_, err := e.conn.Exec(background,
		"INSERT INTO job_parts SELECT id, 0, tenant_id, user_id, '' FROM jobs WHERE id = $1", asked.ID)
	storetest.OK(t, err)
}

// tenantTables returns the tables with a column tenant_id or user_id, and the table tenants, as the catalog
// of Postgres lists them.
func (e *isolatedStore) tenantTables(t *testing.T) []string {
	t.Helper()
	rows := storetest.Need(e.conn.Query(background, `
		SELECT DISTINCT c.relname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
		JOIN information_schema.columns AS k ON k.table_schema = n.nspname AND k.table_name = c.relname
		WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') AND NOT c.relispartition
		AND (k.column_name IN ('tenant_id', 'user_id') OR c.relname = 'tenants') ORDER BY 1`))(t)
	return storetest.Need(pgx.CollectRows(rows, pgx.RowTo[string]))(t)
}

// A table with a column tenant_id or user_id needs row-level security: the migration that creates it must
// call tollgate_wall with the privileges of the tenant's role, or with an empty string for none.
func TestRowSecurity_CoversEveryTableOfTenants(t *testing.T) {
	e := newIsolatedStore(t)
	tables := e.tenantTables(t)
	if len(tables) < 15 {
		t.Fatalf("got tables %v, want at least 15", tables)
	}
	for _, table := range tables {
		var enabled, policy bool
		storetest.OK(t, e.conn.QueryRow(background, `
			SELECT relrowsecurity, EXISTS (SELECT FROM pg_policy WHERE polrelid = c.oid AND polname = 'own' AND NOT polpermissive AND polcmd = '*')
			FROM pg_class AS c WHERE oid = $1::regclass`, table).Scan(&enabled, &policy))
		if !enabled || !policy {
			t.Errorf("%s has no row-level security", table)
		}
	}
}

// shared lists all privileges of the tenant's role on tables without row-level security.
var shared = []string{
	"change_feed SELECT", "group_rules SELECT", "groups SELECT", "models SELECT", "prices SELECT",
	"channels.account_of SELECT", "channels.created_at SELECT", "channels.dialects SELECT", "channels.id SELECT",
	"channels.models SELECT", "channels.name SELECT",
	"channels.on_disconnect SELECT", "channels.priority SELECT", "channels.status SELECT", "channels.type SELECT",
	"channels.weight SELECT",
}

func TestRowSecurity_GrantsTheTenantRoleOnlyListedPrivileges(t *testing.T) {
	e := newIsolatedStore(t)
	rows := storetest.Need(e.conn.Query(background, `
		SELECT table_name || ' ' || privilege_type FROM information_schema.table_privileges
		WHERE grantee = 'tollgate_tenant' AND NOT table_name = ANY ($1)
		UNION ALL
		SELECT table_name || '.' || column_name || ' ' || privilege_type FROM information_schema.column_privileges AS c
		WHERE grantee = 'tollgate_tenant' AND NOT table_name = ANY ($1) AND NOT EXISTS (
			SELECT FROM information_schema.table_privileges AS t
			WHERE t.grantee = c.grantee AND t.table_name = c.table_name AND t.privilege_type = c.privilege_type)`,
		e.tenantTables(t)))(t)
	granted := storetest.Need(pgx.CollectRows(rows, pgx.RowTo[string]))(t)
	slices.Sort(granted)
	want := slices.Sorted(slices.Values(shared))
	if !slices.Equal(granted, want) {
		t.Errorf("got privileges %v, want %v", granted, want)
	}
	var login bool
	storetest.OK(t, e.conn.QueryRow(background, "SELECT rolcanlogin OR rolsuper OR rolbypassrls OR rolcreaterole "+
		"FROM pg_roles WHERE rolname = 'tollgate_tenant'").Scan(&login))
	storetest.Equal(t, "the role may sign in or has other rights", login, false)
}

// visible counts the rows of a table that a scope gets when it selects all: own are the rows of the tenant or
// user, others are all further rows.
func (e *isolatedStore) visible(t *testing.T, scope tenant.Scope, table string) (others, own int, err error) {
	t.Helper()
	err = e.store.ReadRowsAs(background, scope, func(db bun.IDB) error {
		var rows []string
		if err := db.NewRaw("SELECT to_jsonb(r)::text FROM ? AS r", bun.Ident(table)).
			Scan(background, &rows); err != nil {
			return err
		}
		for _, row := range rows {
			if e.belongs(scope, row) {
				own++
				continue
			}
			others++
			t.Logf("%s: %v gets the row %s", table, scope, row)
		}
		return nil
	})
	return others, own, err
}

// belongs reports whether a row, as JSON, names acme and no other tenant, and no other user if the scope is a member's.
func (e *isolatedStore) belongs(scope tenant.Scope, row string) bool {
	foreign := []uuid.UUID{e.beta.Tenant.ID, e.beta.Owner.ID, e.beta.Admin.ID, e.beta.Member.ID}
	if _, limited := scope.OnlyUser(); limited {
		foreign = append(foreign, e.acme.Owner.ID, e.acme.Admin.ID)
	}
	named := func(id uuid.UUID) bool { return strings.Contains(row, id.String()) }
	return !slices.ContainsFunc(foreign, named) &&
		slices.ContainsFunc([]uuid.UUID{e.acme.Tenant.ID, e.acme.Owner.ID, e.acme.Admin.ID, e.acme.Member.ID}, named)
}

// A statement without a condition gets only the rows of the scope.
func TestRowSecurity_HidesRowsOfOthersWithoutACondition(t *testing.T) {
	e := newIsolatedStore(t)
	closed := []string{"alert_destinations", "audit_anchors", "audit_chain", "audit_days", "challenges",
		"idempotency_keys", "issuers", "mails", "password_resets", "reconcile_drifts", "responses",
		"usage_attribution_outbox", "usage_cost_outbox", "usage_costs_daily", "usage_costs_hourly",
		"usage_speed_outbox"}
	// Hidden from members.
	managed := []string{"alert_deliveries", "alert_rules", "alerts", "invitations", "issuer_domains", "ledger",
		"usage_attribution_daily", "usage_totals_daily", "usage_totals_hourly"}
	for _, table := range e.tenantTables(t) {
		for _, scope := range []tenant.Scope{e.acme.AsOwner, e.acme.AsAdmin, e.acme.AsMember} {
			others, own, err := e.visible(t, scope, table)
			switch {
			case slices.Contains(closed, table):
				if !refusedByPrivilege(err) {
					t.Errorf("%s by %v: got error %v, want a missing privilege", table, scope, err)
				}
			case err != nil || others > 0:
				t.Errorf("%s by %v: got %d rows of others, error %v; want none", table, scope, others, err)
			case (own == 0) != (scope.Role() == tenant.Member && slices.Contains(managed, table)):
				t.Errorf("%s by %v: got %d own rows", table, scope, own)
			}
		}
		if others, _, err := e.visible(t, tenant.Scope{}, table); others > 0 || err != nil && !refusedByPrivilege(err) {
			t.Errorf("%s by the empty scope: got %d rows, error %v; want none", table, others, err)
		}
	}
}

// A tenant can neither change nor take over rows of others, nor create rows for them.
func TestRowSecurity_RefusesWritesToRowsOfOthers(t *testing.T) {
	e := newIsolatedStore(t)
	storetest.Need(e.store.Audit.Chain(background, platform, time.Time{}))(t)
	storetest.Need(e.conn.Exec(background,
		"INSERT INTO audit_anchors SELECT DISTINCT tenant_id, 0, ''::bytea FROM audit_chain"))(t)
	write := func(statement string, args ...any) (changed int64, err error) {
		err = e.store.WriteAs(background, e.acme.AsOwner, func(db bun.IDB) error {
			done, err := db.NewRaw(statement, args...).Exec(background)
			if err != nil {
				return err
			}
			changed, err = done.RowsAffected()
			return errors.Join(err, errRollback)
		})
		if errors.Is(err, errRollback) {
			err = nil
		}
		return changed, err
	}
	for _, table := range e.tenantTables(t) {
		var row []byte
		foreign := "SELECT to_jsonb(r)::text FROM %s AS r WHERE to_jsonb(r)::text ~ $1 LIMIT 1"
		pattern := e.beta.Tenant.ID.String() + "|" + e.beta.Owner.ID.String()
		storetest.OK(t, e.conn.QueryRow(background, fmt.Sprintf(foreign, table), pattern).Scan(&row))
		if _, err := write("INSERT INTO ?0 SELECT * FROM jsonb_populate_record(NULL::?0, ?1)", bun.Ident(table),
			string(row)); !refusedByPrivilege(err) {
			t.Errorf("%s: insert a row of another tenant: got error %v, want a missing privilege", table, err)
		}
		if n, err := write("DELETE FROM ?0 AS r WHERE to_jsonb(r)::text ~ ?1", bun.Ident(table), pattern); n > 0 ||
			err != nil && !refusedByPrivilege(err) {
			t.Errorf("%s: got %d deleted rows of another tenant, error %v; want none", table, n, err)
		}
	}
	for what, statement := range map[string]string{
		"names of tokens":        "UPDATE tokens SET name = 'x' WHERE tenant_id = ?0",
		"roles of users":         "UPDATE users SET role = 'member' WHERE tenant_id = ?0",
		"limits of accounts":     "UPDATE accounts SET granted = 0 WHERE tenant_id = ?0",
		"caps":                   "UPDATE caps SET amount = 0 WHERE tenant_id = ?0",
		"sessions":               "DELETE FROM sessions WHERE user_id IN (SELECT id FROM users WHERE tenant_id = ?0)",
		"sessions, without more": "DELETE FROM sessions WHERE user_id = ?1",
		"second factors":         "DELETE FROM totps WHERE user_id = ?1",
		"passkeys":               "DELETE FROM passkeys WHERE user_id = ?1",
		"identities":             "DELETE FROM identities WHERE user_id = ?1",
		"access keys":            "DELETE FROM access_keys WHERE user_id = ?1",
		"password resets":        "DELETE FROM password_resets WHERE user_id = ?1",
		"challenges":             "DELETE FROM challenges WHERE user_id = ?1",
		"jobs":                   "UPDATE jobs SET status = 'cancelled' WHERE user_id = ?1",
		"files of jobs":          "DELETE FROM job_parts WHERE user_id = ?1",
		"invitations":            "UPDATE invitations SET status = 'revoked' WHERE tenant_id = ?0",
		"issuers":                "UPDATE issuers SET url = 'https://evil.example' WHERE tenant_id = ?0",
		"domains of issuers":     "DELETE FROM issuer_domains WHERE tenant_id = ?0",
	} {
		if n, err := write(statement, e.beta.Tenant.ID, e.beta.Owner.ID); n > 0 || err != nil {
			t.Errorf("%s: got %d changed rows of another tenant, error %v; want none", what, n, err)
		}
	}
	for what, statement := range map[string]string{
		"tenant of a token":    "UPDATE tokens SET tenant_id = ?0",
		"tenant of a user":     "UPDATE users SET tenant_id = ?0",
		"used of an account":   "UPDATE accounts SET used = 0",
		"a tenant":             "UPDATE tenants SET status = 'enabled'",
		"the ledger":           "INSERT INTO ledger SELECT * FROM ledger",
		"the audit log":        "DELETE FROM audit_log",
		"usage logs":           "DELETE FROM usage_logs",
		"prices":               "DELETE FROM prices",
		"leases":               "SELECT * FROM leases",
		"secrets of resets":    "SELECT hash FROM password_resets",
		"challenges":           "SELECT * FROM challenges",
		"an identity":          "UPDATE identities SET subject = 'x'",
		"a session":            "UPDATE sessions SET expires_at = now()",
		"a key's scopes":       "UPDATE access_keys SET scopes = '[\"billing:write\"]'",
		"a key's grant limit":  "UPDATE access_keys SET grant_limit = 1",
		"an invitation's role": "UPDATE invitations SET role = 'owner'",
		"an issuer's secret":   "SELECT client_secret FROM issuers",
		"a domain's approval":  "UPDATE issuer_domains SET approved_at = now()",
		"an approved domain": "INSERT INTO issuer_domains (tenant_id, domain, approved_at) SELECT id, " +
			"'x.example', now() FROM tenants",
		"credentials of channels": "SELECT keys FROM channels",
		"addresses of channels":   "SELECT base_url FROM channels",
		"changes":                 "SELECT * FROM changes",
		"a mail":                  "INSERT INTO mails (tenant_id) SELECT id FROM tenants",
		"mails that wait":         "DELETE FROM mails",
		"a partition":             "SELECT * FROM usage_logs_default",
	} {
		if _, err := write(statement, e.beta.Tenant.ID); !refusedByPrivilege(err) {
			t.Errorf("%s: got error %v, want a missing privilege", what, err)
		}
	}
}

var errRollback = errors.New("rollback")

// The role without the setting that names a tenant sees no rows.
func TestRowSecurity_ShowsNothingWithoutATenant(t *testing.T) {
	e := newIsolatedStore(t)
	for _, setting := range []string{"", "SET LOCAL tollgate.tenant = ''; SET LOCAL tollgate.\"user\" = ''"} {
		tx := storetest.Need(e.conn.Begin(background))(t)
		_, err := tx.Exec(background, "SET LOCAL ROLE tollgate_tenant; "+setting)
		storetest.OK(t, err)
		for _, table := range []string{"tokens", "users", "tenants", "sessions", "usage_logs", "usage_rollups_hourly",
			"ledger", "accounts", "caps", "audit_log"} {
			var n int
			storetest.OK(t, tx.QueryRow(background, "SELECT count(*) FROM "+table).Scan(&n))
			storetest.Equal(t, "rows of "+table, n, 0)
		}
		storetest.OK(t, tx.Rollback(background))
	}
}

// Partitions that are created later need no privileges: statements use their table.
func TestRowSecurity_CoversLaterPartitions(t *testing.T) {
	e := newIsolatedStore(t)
	later := time.Now().AddDate(0, 6, 0)
	future := storetest.Need(store.Open(background,
		storedb.Options{URL: e.url, Now: func() time.Time { return later }}))(t)
	defer future.Close() //nolint:errcheck // other tests check Close
	storetest.OK(t, future.Metering.EnsurePartitions(background, platform))
	for _, f := range []*storetest.Customer{&e.acme, &e.beta} {
		event := f.Call(f.Member, "m1", 1)
		event.ID, event.CreatedAt = storetest.IDAt(event.ID, later), later
		storetest.Need(future.Metering.RecordEvents(background, platform, storetest.NewID(), []usage.Event{event}))(t)
	}
	found := storetest.Need(future.Metering.UsageLogs(background, e.acme.AsMember,
		metering.LogQuery{From: later.Add(-time.Second)}))(t)
	storetest.Equal(t, "logs of the later month", len(found.Items), 1)
	others, own, err := e.visible(t, e.acme.AsOwner, "usage_logs")
	if others != 0 || own != 5 || err != nil {
		t.Errorf("got %d own and %d other logs, error %v; want 5 own", own, others, err)
	}
	if _, _, err := e.visible(t, e.acme.AsOwner, "usage_logs_"+later.UTC().
		Format("2006_01")); !refusedByPrivilege(err) {
		t.Errorf("select from a partition: got error %v, want a missing privilege", err)
	}
}

// However a transaction with row-level security ends, later statements on its connection run without it, and
// vice versa.
func TestReadAs_EndsWithItsTransaction(t *testing.T) {
	url := storetest.Postgres(t)
	s := storetest.Open(t, storedb.Options{URL: url, MaxConns: 2})
	f := storetest.NewCustomer(t, s, "acme")
	as := func(db bun.IDB) (role string) {
		storetest.OK(t, db.NewRaw("SELECT current_user").Scan(background, &role))
		return role
	}
	var before string
	storetest.OK(t, s.ReadRowsAs(background, platform, func(db bun.IDB) error { before = as(db); return nil }))
	for name, do := range map[string]func(context.Context, context.CancelFunc, bun.IDB) error{
		"by success":                func(context.Context, context.CancelFunc, bun.IDB) error { return nil },
		"by an error of the caller": func(context.Context, context.CancelFunc, bun.IDB) error { return errRollback },
		"by an error of the database": func(ctx context.Context, _ context.CancelFunc, db bun.IDB) error {
			return db.NewRaw("SELECT 1/0").Scan(ctx, new(int))
		},
		"by cancellation before a statement": func(ctx context.Context, cancel context.CancelFunc, db bun.IDB) error {
			cancel()
			return db.NewRaw("SELECT 1").Scan(ctx, new(int))
		},
		"by cancellation after the last statement": func(_ context.Context, cancel context.CancelFunc,
			_ bun.IDB) error {
			cancel()
			return nil
		},
	} {
		for range 3 {
			for _, runAs := range []func(context.Context, tenant.Scope, func(bun.IDB) error) error{s.ReadRowsAs,
				s.WriteAs} {
				ctx, cancel := context.WithCancel(background)
				_ = runAs(ctx, f.AsOwner, func(db bun.IDB) error {
					storetest.Equal(t, name+": role inside", as(db), "tollgate_tenant")
					return do(ctx, cancel, db)
				})
				cancel()
				storetest.OK(t, s.ReadRowsAs(background, platform, func(db bun.IDB) error {
					storetest.Equal(t, name+": role afterwards", as(db), before)
					return nil
				}))
			}
		}
	}
	storetest.OK(t, s.Atomically(background, func(tx *store.Store) error {
		_ = tx.WriteAs(background, f.AsOwner, func(db bun.IDB) error {
			storetest.Equal(t, "role in a nested write", as(db), "tollgate_tenant")
			return errRollback
		})
		_ = tx.ReadRowsAs(background, f.AsMember, func(db bun.IDB) error {
			storetest.Equal(t, "role in a nested read", as(db), "tollgate_tenant")
			return errRollback
		})
		return tx.ReadRowsAs(background, platform,
			func(db bun.IDB) error { storetest.Equal(t, "role after the nested ones", as(db), before); return nil })
	}))
}

// Roles belong to the cluster, so several databases create the same role concurrently.
func TestMigrate_ConcurrentDatabasesOfOneCluster(t *testing.T) {
	var wg sync.WaitGroup
	for range 6 {
		url := storetest.Postgres(t)
		wg.Go(func() {
			s, err := store.Open(background, storedb.Options{URL: url})
			if err == nil {
				err = errors.Join(s.Migrate(background), s.Close())
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// The owner of a database without the right to create roles gets an error that names the missing grant. With
// the grant, row-level security works.
func TestMigrate_NamesTheMissingGrantToAnOwnerWithoutRoles(t *testing.T) {
	storetest.Open(t, storedb.Options{URL: storetest.Postgres(t)}) // creates the role
	admin := storetest.Postgres(t)
	plain := fmt.Sprintf("plain_%d", time.Now().UnixNano())
	config := storetest.Need(pgx.ParseConfig(admin))(t)
	name := config.Database
	storetest.Exec(t, admin, fmt.Sprintf("CREATE ROLE %s LOGIN; ALTER DATABASE %s OWNER TO %s", plain, name, plain))
	t.Cleanup(func() {
		storetest.Exec(t, admin,
			fmt.Sprintf("DROP OWNED BY %s; REASSIGN OWNED BY %[1]s TO CURRENT_USER; DROP ROLE %[1]s", plain))
	})
	address := storetest.Need(url.Parse(admin))(t)
	address.User = url.User(plain)

	s := storetest.Need(store.Open(background, storedb.Options{URL: address.String()}))(t)
	t.Cleanup(func() { storetest.OK(t, s.Close()) })
	err := s.Migrate(background)
	if err == nil || !strings.Contains(err.Error(), "GRANT tollgate_tenant TO "+plain) {
		t.Fatalf("got error %v, want one that names the missing grant", err)
	}
	storetest.Exec(t, admin, "GRANT tollgate_tenant TO "+plain)
	storetest.OK(t, s.Migrate(background))
	acme, beta := storetest.NewCustomer(t, s, "acme"), storetest.NewCustomer(t, s, "beta")
	mine := storetest.Need(s.Token.Tokens(background, acme.AsOwner, tokendb.Query{}))(t)
	storetest.Equal(t, "tokens", len(mine.Items), 3)
	storetest.OK(t, s.ReadRowsAs(background, beta.AsOwner, func(db bun.IDB) error {
		var n int
		err := db.NewRaw("SELECT count(*) FROM tokens").Scan(background, &n)
		storetest.Equal(t, "tokens that one tenant sees", n, 3)
		return err
	}))
	storetest.Need(s.Metering.RecordEvents(background, platform, storetest.NewID(),
		[]usage.Event{acme.Call(acme.Member, "m1", 1)}))(t)
}
