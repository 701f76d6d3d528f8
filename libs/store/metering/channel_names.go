package metering

import (
	"context"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/rollup"
)

// ChannelNames returns the names of the given channels, by id, to show in usage logs. A scope may see the
// name of a channel that served its tenant, or for members: that served them. Other channels are left out.
func (s *Store) ChannelNames(ctx context.Context, scope tenant.Scope,
	ids []uuid.UUID) (_ map[uuid.UUID]string, err error) {
	defer db.Wrap(&err, "read channel names")

	if err := permission.Check(scope, permission.ReadUsage); err != nil {
		return nil, err
	}
	names := make(map[uuid.UUID]string, len(ids))
	if len(ids) == 0 {
		return names, nil
	}
	var rows []struct {
		ID   uuid.UUID `bun:"id,type:uuid"`
		Name string    `bun:"name"`
	}
	err = s.readAs(ctx, scope, func(in *Store) error {
		q := in.db.NewSelect().TableExpr("channels AS r").Column("id", "name").Where("r.id IN (?)", bun.List(ids))
		return thatServed(q, scope).Scan(ctx, &rows)
	})
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		names[row.ID] = row.Name
	}
	return names, nil
}

// thatServed limits a query of channels to those that served the scope's tenant or user, according to the
// rollups and the outbox.
func thatServed(q *bun.SelectQuery, scope tenant.Scope) *bun.SelectQuery {
	if scope.Everywhere() {
		return q
	}
	rollups, owner, id := rollup.Totals().Daily, "tenant_id", scope.Tenant()
	if userID, ok := scope.OnlyUser(); ok {
		rollups, owner, id = rollup.ByUser().Daily, "user_id", userID
	}
	const condition = "EXISTS (SELECT 1 FROM ? AS u WHERE u.channel_id = r.id AND u.? = ?)"
	return q.WhereGroup(" AND ", func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where(condition, bun.Ident(rollups), bun.Ident(owner), id).
			WhereOr(condition, bun.Ident("usage_outbox"), bun.Ident(owner), id)
	})
}
