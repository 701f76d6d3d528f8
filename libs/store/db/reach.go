package db

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/tenant"
)

// tenantRole is whom statements within one tenant's reach run as. Row-level
// security, see the migration 0014_walls, shows it the rows of that tenant
// alone, and for a member those of that user: whatever a statement asks for,
// and whoever connected.
const tenantRole = "tollgate_tenant"

// reach is whose rows Postgres lets statements see and change: everybody's in
// the zero reach.
type reach struct {
	walled  bool
	tenant  uuid.UUID
	limited bool // to the user's own things
	user    uuid.UUID
}

// reachOf is the reach of a scope. SQLite has no such wall.
func (d *DB) reachOf(scope tenant.Scope) reach {
	if scope.Everywhere() || !d.Postgres() {
		return reach{}
	}
	user, limited := scope.OnlyUser()
	return reach{walled: true, tenant: scope.Tenant(), limited: limited, user: user}
}

// statement takes a transaction into the reach until it ends.
func (r reach) statement() string {
	if !r.walled {
		return "RESET ROLE"
	}
	user := ""
	if r.limited {
		user = r.user.String()
	}
	return fmt.Sprintf("SET LOCAL ROLE %s; SET LOCAL tollgate.tenant = '%s'; SET LOCAL tollgate.\"user\" = '%s'", tenantRole, r.tenant, user)
}

// ReadAs runs do, which only reads, where the database itself shows what the
// scope reaches and nothing else. Every method that a tenant's scope may call
// does all its work through here or through WriteAs; a test holds that. For
// scopes that reach everywhere it adds no statement.
func (d *DB) ReadAs(ctx context.Context, scope tenant.Scope, do func(*DB) error) error {
	to := d.reachOf(scope)
	switch {
	case d.tx != nil:
		return d.within(ctx, to, do)
	case !to.walled:
		return do(d)
	}
	conn, err := d.read.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // gives the connection back
	// One round trip. The pool closes a connection whose transaction has not ended.
	if _, err := conn.ExecContext(ctx, "BEGIN READ ONLY, ISOLATION LEVEL REPEATABLE READ; "+to.statement()); err != nil {
		return err
	}
	done := do(&DB{database: d.database, IDB: conn, tx: &transaction{reads: true, reach: to}})
	if _, err := conn.ExecContext(ctx, "ROLLBACK"); done == nil {
		return err
	}
	return done
}

// WriteAs is Atomically where the database itself lets do see and change what
// the scope reaches and nothing else.
func (d *DB) WriteAs(ctx context.Context, scope tenant.Scope, do func(*DB) error) error {
	return d.Atomically(ctx, func(tx *DB) error { return tx.within(ctx, tx.reachOf(scope), do) })
}

// Unrestricted runs do where the database shows everybody's rows, whatever
// reach the transaction has.
func (d *DB) Unrestricted(ctx context.Context, do func(*DB) error) error {
	if d.tx == nil {
		return do(d)
	}
	return d.within(ctx, reach{}, do)
}

// within runs do in the transaction with the reach, and then goes on with the
// one before.
func (d *DB) within(ctx context.Context, to reach, do func(*DB) error) error {
	if to == d.tx.reach {
		return do(d)
	}
	if err := move(ctx, d.IDB, to); err != nil {
		return err
	}
	inner := *d.tx
	inner.reach = to
	if err := do(&DB{database: d.database, IDB: d.IDB, tx: &inner}); err != nil {
		_ = move(ctx, d.IDB, d.tx.reach) // fails where the transaction has: its end takes it back
		return err
	}
	return move(ctx, d.IDB, d.tx.reach)
}

func move(ctx context.Context, db bun.IDB, to reach) error {
	_, err := db.NewRaw(to.statement()).Exec(ctx)
	return err
}
