package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/limit"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

// GroupPatch changes the fields that are not nil.
type GroupPatch struct {
	Name   *string
	Models *[]string
	Status *tenant.Status
	Limits limit.Change
}

type groupRow struct {
	bun.BaseModel `bun:"table:groups,alias:r"`

	ID        uuid.UUID     `bun:"id,pk,type:uuid"`
	Name      string        `bun:"name"`
	Models    []string      `bun:"models,type:jsonb"`
	Status    tenant.Status `bun:"status"`
	CreatedAt time.Time     `bun:"created_at"`
	Limits    limitColumns  `bun:"embed:limit_"`
}

func (r groupRow) key() string { return r.ID.String() }

func (r groupRow) core() tenant.Group {
	return tenant.Group{ID: r.ID, Name: r.Name, Models: r.Models, Status: r.Status, Limits: r.Limits.core(), CreatedAt: r.CreatedAt}
}

// CreateGroup stores a group whose users may use the models that the patterns
// name.
func (s *Store) CreateGroup(ctx context.Context, scope tenant.Scope, name string, models []string) (tenant.Group, error) {
	if err := first(permission.Check(scope, permission.WritePlatform), tenant.CheckName(name), catalog.CheckPatterns(models)); err != nil {
		return tenant.Group{}, err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return tenant.Group{}, err
	}
	row := groupRow{ID: id, Name: name, Models: orEmpty(models), Status: tenant.Enabled, CreatedAt: s.now()}
	err = s.Atomically(ctx, func(tx *Store) error {
		if err := tx.insert(ctx, &row, "name"); err != nil {
			return err
		}
		tx.announce(CatalogChanged, uuid.Nil)
		return tx.audit(ctx, scope, deed{"group.create", uuid.Nil, id.String(), fields{"name": name, "models": row.Models}})
	})
	if err != nil {
		return tenant.Group{}, err
	}
	return row.core(), nil
}

// UpdateGroup changes a group.
func (s *Store) UpdateGroup(ctx context.Context, scope tenant.Scope, id uuid.UUID, p GroupPatch) (tenant.Group, error) {
	if err := permission.Check(scope, permission.WritePlatform); err != nil {
		return tenant.Group{}, err
	}
	var row groupRow
	err := s.Atomically(ctx, func(tx *Store) error {
		if err := tx.lock(tx.db.NewSelect().Model(&row).Where("id = ?", id)).Scan(ctx); err != nil {
			return missing(err, "group")
		}
		changed := fields{}
		assign(changed, "name", &row.Name, p.Name)
		assignList(changed, "models", &row.Models, p.Models)
		assign(changed, "status", &row.Status, p.Status)
		row.Limits.assign(changed, p.Limits)
		err := first(tenant.CheckName(row.Name), catalog.CheckPatterns(row.Models), checkStatus(row.Status), row.Limits.core().Check())
		if err != nil || len(changed) == 0 {
			return err
		}
		if err := tx.update(ctx, tx.db.NewUpdate().Model(&row).Column("name", "models", "status").Column(limitNames[:]...), "name"); err != nil {
			return err
		}
		tx.announce(CatalogChanged, uuid.Nil)
		return tx.audit(ctx, scope, deed{"group.update", uuid.Nil, id.String(), changed})
	})
	if err != nil {
		return tenant.Group{}, err
	}
	return row.core(), nil
}

// Groups lists all groups, oldest first.
func (s *Store) Groups(ctx context.Context, scope tenant.Scope, page Page) (List[tenant.Group], error) {
	if err := permission.Check(scope, permission.ReadPlatform); err != nil {
		return List[tenant.Group]{}, err
	}
	return list[groupRow, tenant.Group](ctx, s.db.NewSelect(), &[]groupRow{}, page, oldestFirst)
}

// checkGroup returns a NotFound problem unless there is the group.
func (s *Store) checkGroup(ctx context.Context, id uuid.UUID) error {
	exists, err := s.db.NewSelect().Model((*groupRow)(nil)).Where("id = ?", id).Exists(ctx)
	if err == nil && !exists {
		return noSuch("group")
	}
	return err
}
