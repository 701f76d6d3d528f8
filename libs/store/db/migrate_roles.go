package db

import (
	"context"
	"fmt"

	"github.com/tollgate/tollgate/libs/store/migrations"
)

// checkOwner returns an error if the tables exist and the database's user does not have the rights of their owner, as
// the roles of programs do not.
func (d *DB) checkOwner(ctx context.Context) error {
	var owners []string
	err := d.NewRaw("SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = to_regclass(?) AND NOT "+
		"pg_has_role(relowner, 'USAGE')", migrationsTable).
		Scan(ctx, &owners)
	if err == nil && len(owners) > 0 {
		err = fmt.Errorf("the database's user may not migrate: connect as %s, which owns the tables", owners[0])
	}
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}

// grantRoles runs migrations.Roles if an administrator has run it for this schema. Otherwise the programs have no roles
// of their own, or these are meant for another database of the server.
func (d *DB) grantRoles(ctx context.Context) error {
	var uses bool
	err := d.NewRaw(`SELECT EXISTS (SELECT FROM pg_namespace, aclexplode(nspacl) AS granted, pg_roles
		WHERE nspname = current_schema() AND granted.grantee = pg_roles.oid AND rolname = 'tollgate_relay')`).
		Scan(ctx, &uses)
	if err == nil && uses {
		_, err = d.pool.Exec(ctx, migrations.Roles)
	}
	if err != nil {
		return fmt.Errorf("migrate: grant rights to the roles of the programs: %w", err)
	}
	return nil
}
