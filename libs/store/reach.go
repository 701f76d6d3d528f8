package store

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
func (d *database) reachOf(scope tenant.Scope) reach {
	if scope.Everywhere() || !d.postgres() {
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

// readAs runs do, which only reads, where the database itself shows what the
// scope reaches and nothing else. Every method that a tenant's scope may call
// does all its work through here or through writeAs; a test holds that. For
// scopes that reach everywhere it adds no statement.
func (s *Store) readAs(ctx context.Context, scope tenant.Scope, do func(*Store) error) error {
	to := s.reachOf(scope)
	switch {
	case s.tx != nil:
		return s.within(ctx, to, do)
	case !to.walled:
		return do(s)
	}
	conn, err := s.read.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // gives the connection back
	// One round trip. The pool closes a connection whose transaction has not ended.
	if _, err := conn.ExecContext(ctx, "BEGIN READ ONLY, ISOLATION LEVEL REPEATABLE READ; "+to.statement()); err != nil {
		return err
	}
	done := do(&Store{database: s.database, db: conn, tx: &transaction{reads: true, reach: to}})
	if _, err := conn.ExecContext(ctx, "ROLLBACK"); done == nil {
		return err
	}
	return done
}

// writeAs is Atomically where the database itself lets do see and change what
// the scope reaches and nothing else.
func (s *Store) writeAs(ctx context.Context, scope tenant.Scope, do func(*Store) error) error {
	return s.Atomically(ctx, func(tx *Store) error { return tx.within(ctx, tx.reachOf(scope), do) })
}

// within runs do in the transaction with the reach, and then goes on with the
// one before.
func (s *Store) within(ctx context.Context, to reach, do func(*Store) error) error {
	if to == s.tx.reach {
		return do(s)
	}
	if err := move(ctx, s.db, to); err != nil {
		return err
	}
	inner := *s.tx
	inner.reach = to
	if err := do(&Store{database: s.database, db: s.db, tx: &inner}); err != nil {
		_ = move(ctx, s.db, s.tx.reach) // fails where the transaction has: its end takes it back
		return err
	}
	return move(ctx, s.db, s.tx.reach)
}

func move(ctx context.Context, db bun.IDB, to reach) error {
	_, err := db.NewRaw(to.statement()).Exec(ctx)
	return err
}
