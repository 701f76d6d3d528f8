package catalog

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/limit"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
	"github.com/tollgate/tollgate/libs/store/page"
)

// GroupPatch changes the fields that are not nil. Models replaces all patterns. Users of a disabled group
// cannot call any model.
type GroupPatch struct {
	Name   *string
	Models *[]string
	Status *tenant.Status
	Limits limit.Change
}

// groupRow is a row of groups. Models holds patterns, see CreateGroup.
type groupRow struct {
	bun.BaseModel `bun:"table:groups,alias:r"`

	ID        uuid.UUID         `bun:"id,pk,type:uuid"`
	Name      string            `bun:"name"`
	Models    []string          `bun:"models,type:jsonb"`
	Status    tenant.Status     `bun:"status"`
	CreatedAt time.Time         `bun:"created_at"`
	Limits    field.RateColumns `bun:"embed:limit_"`
}

func (r groupRow) key() string { return r.ID.String() }

func (r groupRow) core() tenant.Group {
	return tenant.Group{ID: r.ID, Name: r.Name, Models: r.Models, Status: r.Status, Limits: r.Limits.Core(),
		CreatedAt: r.CreatedAt}
}

// CreateGroup stores a group whose users may use the models that the patterns match: a model id, a prefix such
// as "gpt-4o*", or "*" for all. A name that exists already is a Conflict problem.
func (s *Store) CreateGroup(ctx context.Context, scope tenant.Scope, name string,
	models []string) (_ tenant.Group, err error) {
	defer db.Wrap(&err, "create group")

	if err := field.First(permission.Check(scope, permission.WritePlatform), tenant.CheckName(name),
		catalog.CheckPatterns(models)); err != nil {
		return tenant.Group{}, err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return tenant.Group{}, err
	}
	row := groupRow{ID: id, Name: name, Models: field.OrEmpty(models), Status: tenant.Enabled, CreatedAt: s.db.Now()}
	err = s.atomically(ctx, func(tx *Store) error {
		if err := tx.db.Insert(ctx, &row, "name"); err != nil {
			return err
		}
		tx.db.Announce(db.CatalogChanged, uuid.Nil)
		return tx.db.Record(ctx, scope, db.Mutation{Action: "group.create", Target: id.String(),
			Detail: field.Changes{"name": name, "models": row.Models}})
	})
	if err != nil {
		return tenant.Group{}, err
	}
	return row.core(), nil
}

// UpdateGroup changes a group, or returns a NotFound problem. A patch that changes nothing writes nothing.
func (s *Store) UpdateGroup(ctx context.Context, scope tenant.Scope, id uuid.UUID,
	p GroupPatch) (_ tenant.Group, err error) {
	defer db.Wrap(&err, "update group")

	if err := permission.Check(scope, permission.WritePlatform); err != nil {
		return tenant.Group{}, err
	}
	var row groupRow
	err = s.atomically(ctx, func(tx *Store) error {
		if err := tx.db.Lock(tx.db.NewSelect().Model(&row).Where("id = ?", id)).Scan(ctx); err != nil {
			return db.Missing(err, "group")
		}
		changes := field.Changes{}
		field.Assign(changes, "name", &row.Name, p.Name)
		field.AssignList(changes, "models", &row.Models, p.Models)
		field.Assign(changes, "status", &row.Status, p.Status)
		row.Limits.Assign(changes, p.Limits)
		err := field.First(changes.Check("name", tenant.CheckName(row.Name)), catalog.CheckPatterns(row.Models),
			tenant.CheckStatus(row.Status), tenant.CheckLimits(row.Limits.Core()))
		if err != nil || len(changes) == 0 {
			return err
		}
		if err := tx.db.Update(ctx, tx.db.NewUpdate().Model(&row).Column("name", "models", "status").
			Column(field.RateNames[:]...), "name"); err != nil {
			return err
		}
		tx.db.Announce(db.CatalogChanged, uuid.Nil)
		return tx.db.Record(ctx, scope, db.Mutation{Action: "group.update", Target: id.String(), Detail: changes})
	})
	if err != nil {
		return tenant.Group{}, err
	}
	return row.core(), nil
}

// Groups lists all groups, oldest first.
func (s *Store) Groups(ctx context.Context, scope tenant.Scope, p page.Page) (_ page.List[tenant.Group], err error) {
	defer db.Wrap(&err, "read groups")

	if err := permission.Check(scope, permission.ReadPlatform); err != nil {
		return page.List[tenant.Group]{}, err
	}
	return page.RowsOf(page.OldestFirst, groupRow.key, groupRow.core).Read(ctx, s.db.NewSelect(), p)
}

// Group returns a group, or a NotFound problem.
func (s *Store) Group(ctx context.Context, scope tenant.Scope, id uuid.UUID) (_ tenant.Group, err error) {
	defer db.Wrap(&err, "read group")

	if err := permission.Check(scope, permission.ReadPlatform); err != nil {
		return tenant.Group{}, err
	}
	var row groupRow
	if err := s.db.NewSelect().Model(&row).Where("id = ?", id).Scan(ctx); err != nil {
		return tenant.Group{}, db.Missing(err, "group")
	}
	return row.core(), nil
}

// CheckGroup returns a NotFound problem if there is no such group. A disabled group exists.
func CheckGroup(ctx context.Context, tx *db.DB, id uuid.UUID) error {
	exists, err := tx.NewSelect().Model((*groupRow)(nil)).Where("id = ?", id).Exists(ctx)
	if err == nil && !exists {
		return db.NoSuch("group")
	}
	return err
}
