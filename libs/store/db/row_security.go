package db

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/tenant"
)

// defaultTenantRole is the database role that runs the statements of a tenant's user. Row-level security (see
// tollgate_wall in the baseline migration) limits it to the rows of one tenant, and for a member to the rows of one
// user, whatever a statement asks for and whichever database user connected.
const defaultTenantRole = "tollgate_tenant"

// readTenantRole sets the role that runs the statements of a tenant's user. A database user may have a role for that of
// its own, whose name is the user's with "_tenant": tollgate_worker uses tollgate_worker_tenant, which may read less
// (see migrations/roles.sql).
func (d *DB) readTenantRole(ctx context.Context) error {
	if !d.Postgres() {
		return nil
	}
	return d.NewRaw(`SELECT coalesce((SELECT quote_ident(rolname) FROM pg_roles
		WHERE rolname = current_user || '_tenant' AND pg_has_role(oid, 'MEMBER')), ?)`, defaultTenantRole).
		Scan(ctx, &d.tenantRole)
}

// reach selects the rows that Postgres lets statements see and change. The zero reach is all rows.
type reach struct {
	restricted bool // row-level security applies
	tenant     uuid.UUID
	limited    bool // to the rows of one user of the tenant
	user       uuid.UUID
}

// reachOf returns the reach of a scope. On SQLite, which has no row-level security, it is the zero reach.
func (d *DB) reachOf(scope tenant.Scope) reach {
	if scope.Everywhere() || !d.Postgres() {
		return reach{}
	}
	user, isLimited := scope.OnlyUser()
	return reach{restricted: true, tenant: scope.Tenant(), limited: isLimited, user: user}
}

// statement returns the SQL that applies the reach until the end of the transaction, with the role of tenants. The
// other values are UUIDs, so that they need no quoting.
func (r reach) statement(tenantRole string) string {
	if !r.restricted {
		return "RESET ROLE"
	}
	user := ""
	if r.limited {
		user = r.user.String()
	}
	return fmt.Sprintf("SET LOCAL ROLE %s; SET LOCAL tollgate.tenant = '%s'; SET LOCAL tollgate.\"user\" = '%s'",
		tenantRole, r.tenant, user)
}

// ReadAs runs do, which must only read, in a transaction where the database itself hides every row that the
// scope does not reach. All reads of do see one state of the database. For scopes that reach every tenant, and
// on SQLite, do runs on d directly and no statement is added. In a transaction, do joins it.
//
// Every method that a tenant's scope may call does all its work through ReadAs or WriteAs; a test checks that.
func (d *DB) ReadAs(ctx context.Context, scope tenant.Scope, do func(*DB) error) error {
	to := d.reachOf(scope)
	switch {
	case d.tx != nil:
		return d.within(ctx, to, do)
	case !to.restricted:
		return do(d)
	}
	conn, err := d.read.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // gives the connection back
	// BEGIN and the role are one round trip. If the ROLLBACK below fails, for example because ctx has ended, the
	// pool closes the connection instead of handing it out with the role still set.
	if _, err := conn.ExecContext(ctx, "BEGIN READ ONLY, ISOLATION LEVEL REPEATABLE READ; "+
		to.statement(d.tenantRole)); err != nil {
		return err
	}
	result := do(&DB{database: d.database, IDB: conn, tx: &transaction{reads: true, reach: to}})
	if _, err := conn.ExecContext(ctx, "ROLLBACK"); result == nil {
		return err
	}
	return result
}

// WriteAs runs a transaction as Atomically does, with row-level security: the database itself hides every row
// that the scope does not reach, and refuses to change one. For scopes that reach every tenant, and on
// SQLite, it is the same as Atomically.
func (d *DB) WriteAs(ctx context.Context, scope tenant.Scope, do func(*DB) error) error {
	return d.Atomically(ctx, func(tx *DB) error { return tx.within(ctx, tx.reachOf(scope), do) })
}

// Unrestricted runs do without row-level security, inside a transaction of ReadAs or WriteAs. Use it only for
// rows that no tenant may see, such as queued mail: do must check the reach by itself.
func (d *DB) Unrestricted(ctx context.Context, do func(*DB) error) error {
	if d.tx == nil {
		return do(d)
	}
	return d.within(ctx, reach{}, do)
}

// within runs do in the current transaction with another reach and restores the previous reach afterwards. It
// sends no statement if the transaction has the reach already.
func (d *DB) within(ctx context.Context, to reach, do func(*DB) error) error {
	if to == d.tx.reach {
		return do(d)
	}
	if err := d.applyReach(ctx, to); err != nil {
		return err
	}
	inner := *d.tx
	inner.reach = to
	if err := do(&DB{database: d.database, IDB: d.IDB, tx: &inner}); err != nil {
		_ = d.applyReach(ctx, d.tx.reach) // fails if the transaction has failed, whose end resets the role
		return err
	}
	return d.applyReach(ctx, d.tx.reach)
}

// applyReach applies a reach to the transaction.
func (d *DB) applyReach(ctx context.Context, to reach) error {
	_, err := d.NewRaw(to.statement(d.tenantRole)).Exec(ctx)
	return err
}
