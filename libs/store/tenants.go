package store

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

// NewTenant is what CreateTenant makes.
type NewTenant struct {
	Slug, Name string
	Quota      money.Amount // granted at creation, >= 0
	Caps       quota.Caps
	QuotaMode  tenant.QuotaMode // "" is Hard
}

// TenantPatch changes the fields that are not nil.
type TenantPatch struct {
	Name   *string
	Status *tenant.Status
	Caps   CapsPatch

	QuotaMode *tenant.QuotaMode
}

type tenantRow struct {
	bun.BaseModel `bun:"table:tenants,alias:r"`

	ID        uuid.UUID     `bun:"id,pk,type:uuid"`
	Slug      string        `bun:"slug"`
	Name      string        `bun:"name"`
	Status    tenant.Status `bun:"status"`
	CreatedAt time.Time     `bun:"created_at"`

	QuotaMode tenant.QuotaMode `bun:"quota_mode"`
}

func (r tenantRow) key() string { return r.ID.String() }

func (r tenantRow) core() tenant.Tenant {
	return tenant.Tenant{ID: r.ID, Slug: r.Slug, Name: r.Name, Status: r.Status, QuotaMode: r.QuotaMode, CreatedAt: r.CreatedAt}
}

// capped is the tenant as an owner of caps.
func (r tenantRow) capped() capRow {
	return capRow{OwnerID: r.ID, Kind: quota.TenantCap, TenantID: r.ID}
}

// CreateTenant stores a tenant with its wallet.
func (s *Store) CreateTenant(ctx context.Context, scope tenant.Scope, n NewTenant) (tenant.Tenant, error) {
	if err := first(permission.Check(scope, permission.WritePlatform), tenant.CheckSlug(n.Slug), tenant.CheckName(n.Name)); err != nil {
		return tenant.Tenant{}, err
	}
	if n.Quota < 0 {
		return tenant.Tenant{}, problem.New(problem.InvalidType, "quota must not be negative").At("quota")
	}
	mode := cmp.Or(n.QuotaMode, tenant.Hard)
	if err := checkQuotaMode(mode); err != nil {
		return tenant.Tenant{}, err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return tenant.Tenant{}, err
	}
	row := tenantRow{ID: id, Slug: n.Slug, Name: n.Name, Status: tenant.Enabled, QuotaMode: mode, CreatedAt: s.now()}
	err = s.Atomically(ctx, func(tx *Store) error {
		if err := tx.insert(ctx, &row, "slug"); err != nil {
			return err
		}
		var opening money.Amount
		wallet := accountRow{ID: id, Kind: quota.Wallet, TenantID: id, Granted: &opening}
		if err := tx.openAccount(ctx, wallet); err != nil {
			return err
		}
		if n.Quota > 0 {
			if _, err := tx.GrantQuota(ctx, scope, id, n.Quota, "opening quota"); err != nil {
				return err
			}
		}
		noted := fields{"slug": n.Slug, "name": n.Name, "quota_mode": mode}
		if err := tx.setCaps(ctx, row.capped(), capsAt(n.Caps), noted); err != nil {
			return err
		}
		tx.announce(TenantChanged, id)
		return tx.audit(ctx, scope, deed{"tenant.create", id, id.String(), noted})
	})
	if err != nil {
		return tenant.Tenant{}, err
	}
	return row.core(), nil
}

func checkQuotaMode(mode tenant.QuotaMode) error {
	if !mode.Valid() {
		return problem.New(problem.InvalidType, "a quota mode is hard or soft").At("quota_mode")
	}
	return nil
}

// UpdateTenant changes a tenant. An owner may change what his own is called, and
// nothing else.
func (s *Store) UpdateTenant(ctx context.Context, scope tenant.Scope, id uuid.UUID, p TenantPatch) (tenant.Tenant, error) {
	ownName := p == TenantPatch{Name: p.Name} && id == scope.Tenant() && permission.Check(scope, permission.WriteTenant) == nil
	if err := permission.Check(scope, permission.WritePlatform); err != nil && !ownName {
		return tenant.Tenant{}, err
	}
	var row tenantRow
	err := s.writeAs(ctx, scope, func(tx *Store) error {
		if err := tx.lock(tx.db.NewSelect().Model(&row).Where("id = ?", id)).Scan(ctx); err != nil {
			return missing(err, "tenant")
		}
		changed := fields{}
		assign(changed, "name", &row.Name, p.Name)
		assign(changed, "status", &row.Status, p.Status)
		assign(changed, "quota_mode", &row.QuotaMode, p.QuotaMode)
		if err := first(tenant.CheckName(row.Name), checkStatus(row.Status), checkQuotaMode(row.QuotaMode)); err != nil {
			return err
		}
		if len(changed) > 0 {
			if _, err := tx.db.NewUpdate().Model(&row).Column(slices.Sorted(maps.Keys(changed))...).WherePK().Exec(ctx); err != nil {
				return err
			}
		}
		if err := tx.setCaps(ctx, row.capped(), p.Caps, changed); err != nil || len(changed) == 0 {
			return err
		}
		tx.announce(TenantChanged, id)
		return tx.audit(ctx, scope, deed{"tenant.update", id, id.String(), changed})
	})
	if err != nil {
		return tenant.Tenant{}, err
	}
	return row.core(), nil
}

// Tenant returns a tenant in reach.
func (s *Store) Tenant(ctx context.Context, scope tenant.Scope, id uuid.UUID) (tenant.Tenant, error) {
	return s.tenantWhere(ctx, scope, "id = ?", id)
}

// TenantBySlug returns a tenant in reach.
func (s *Store) TenantBySlug(ctx context.Context, scope tenant.Scope, slug string) (tenant.Tenant, error) {
	return s.tenantWhere(ctx, scope, "slug = ?", clean(slug))
}

func (s *Store) tenantWhere(ctx context.Context, scope tenant.Scope, where string, value any) (tenant.Tenant, error) {
	if err := permission.Check(scope, permission.ReadQuota); err != nil {
		return tenant.Tenant{}, err
	}
	var row tenantRow
	err := s.readAs(ctx, scope, func(in *Store) error {
		return in.db.NewSelect().Model(&row).Where(where, value).Scan(ctx)
	})
	if err != nil {
		return tenant.Tenant{}, missing(err, "tenant")
	}
	if !scope.Reaches(row.ID) {
		return tenant.Tenant{}, noSuch("tenant")
	}
	return row.core(), nil
}

// Tenants lists all tenants, oldest first. It searches slugs, names and ids.
func (s *Store) Tenants(ctx context.Context, scope tenant.Scope, page Page) (List[tenant.Tenant], error) {
	if err := permission.Check(scope, permission.ReadPlatform); err != nil {
		return List[tenant.Tenant]{}, err
	}
	return search[tenantRow, tenant.Tenant](ctx, s.db, s.db.NewSelect(), page, oldestFirst, searchable{texts: []string{"slug", "name"}})
}

// TenantNames returns the names of those of the given tenants that exist.
func (s *Store) TenantNames(ctx context.Context, scope tenant.Scope, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	if err := permission.Check(scope, permission.ReadPlatform); err != nil {
		return nil, err
	}
	names := make(map[uuid.UUID]string, len(ids))
	if len(ids) == 0 {
		return names, nil
	}
	var rows []tenantRow
	if err := s.db.NewSelect().Model(&rows).Column("id", "name").Where("id IN (?)", bun.List(ids)).Scan(ctx); err != nil {
		return nil, err
	}
	for _, row := range rows {
		names[row.ID] = row.Name
	}
	return names, nil
}
