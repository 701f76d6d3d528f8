package metering

import (
	"context"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
)

// DatabaseSize is the size of the database.
type DatabaseSize struct {
	Bytes      int64 // on disk
	Partitions int   // of the usage logs, the default partition included; 0 on SQLite
}

// Size returns the size of the database. It reads no rows, so it is fast.
func (s *Store) Size(ctx context.Context, scope tenant.Scope) (size DatabaseSize, err error) {
	defer db.Wrap(&err, "read size")

	if err := permission.Check(scope, permission.ReadPlatform); err != nil {
		return size, err
	}
	if !s.db.Postgres() {
		err = s.db.NewRaw("SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()").
			Scan(ctx, &size.Bytes)
		return size, err
	}
	err = s.db.NewRaw(`SELECT pg_database_size(current_database()),
		(SELECT count(*) FROM pg_inherits WHERE inhparent = 'usage_logs'::regclass)`).
		Scan(ctx, &size.Bytes, &size.Partitions)
	return size, err
}
