package identity

import (
	"cmp"
	"context"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/person"
	quotadb "github.com/tollgate/tollgate/libs/store/quota"
)

// NewTenant holds the parameters of CreateTenant. Slug is a unique short name (see tenant.CheckSlug) and never
// changes, Name has 1 to 200 characters. Caps are spending limits per day, week and month, in addition to the
// quota.
type NewTenant struct {
	Slug, Name    string
	Quota         money.Amount // granted at creation, at least 0
	Caps          quota.Caps
	QuotaMode     tenant.QuotaMode     // "": tenant.QuotaHard
	OutputCap     tenant.OutputCap     // "": tenant.OutputCapAuto
	IgnoredFields tenant.IgnoredFields // "": tenant.ReportIgnored
	IncludeQuota  bool
	MetadataTags  string               // as attribution.NamesOf returns it
	Session       quotadb.SessionLimit // for the quota
}

// TenantPatch changes the fields that are not nil. A disabled tenant cannot call models, and its users cannot
// sign in. Granting quota is not part of it: see package quota.
type TenantPatch struct {
	Name   *string
	Status *tenant.Status
	Caps   quotadb.CapsPatch

	QuotaMode *tenant.QuotaMode
	OutputCap *tenant.OutputCap

	IgnoredFields *tenant.IgnoredFields
	IncludeQuota  *bool
	MetadataTags  *string // as attribution.NamesOf returns it

	RequireSecondFactor *SecondFactorRule
}

// SecondFactorRule says whether the users of a tenant need a second factor, and whose decision that is: that of the
// scope which changes the tenant.
type SecondFactorRule struct {
	Required bool
	By       permission.Confirmed
}

// CreateTenant stores a tenant with its account, caps and opening quota. Only operators and programs may call
// it. A slug that exists already is a Conflict problem.
func (s *Store) CreateTenant(ctx context.Context, scope tenant.Scope, n NewTenant) (_ tenant.Tenant, err error) {
	defer db.Wrap(&err, "create tenant")

	if err := field.First(permission.Check(scope, permission.WritePlatform), tenant.CheckSlug(n.Slug),
		tenant.CheckName(n.Name)); err != nil {
		return tenant.Tenant{}, err
	}
	if n.Quota < 0 {
		return tenant.Tenant{}, problem.New(problem.InvalidType, "quota must not be negative").At("quota")
	}
	mode, outputCap := cmp.Or(n.QuotaMode, tenant.QuotaHard), cmp.Or(n.OutputCap, tenant.OutputCapAuto)
	ignoredFields := cmp.Or(n.IgnoredFields, tenant.ReportIgnored)
	if err := field.First(checkQuotaMode(mode), checkOutputCap(outputCap), checkIgnoredFields(ignoredFields)); err !=
		nil {
		return tenant.Tenant{}, err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return tenant.Tenant{}, err
	}
	row := person.TenantRow{
		ID: id, Slug: n.Slug, Name: n.Name, Status: tenant.Enabled, QuotaMode: mode, OutputCap: outputCap,
		IncludeQuota:  n.IncludeQuota,
		IgnoredFields: ignoredFields, MetadataTags: n.MetadataTags, CreatedAt: s.db.Now(),
	}
	err = s.atomically(ctx, func(tx *Store) error {
		if err := tx.db.Insert(ctx, &row, "slug"); err != nil {
			return err
		}
		// The account starts at 0 and gets the opening quota as an entry of the ledger: a trigger keeps the granted
		// quota equal to the sum of the ledger.
		var nothing money.Amount
		wallet := quotadb.AccountRow{ID: id, Kind: quota.Wallet, TenantID: id, Granted: &nothing}
		if err := quotadb.OpenAccount(ctx, tx.db, wallet); err != nil {
			return err
		}
		if n.Quota > 0 {
			opening := quotadb.NewEntry{TenantID: id, Kind: quotadb.Grant, Amount: n.Quota, Reason: "opening quota",
				Session: n.Session}
			if _, err := quotadb.New(tx.db).AddEntry(ctx, scope, opening); err != nil {
				if p := problem.From(err); p.Param == "amount" {
					return p.At("quota") // as the caller knows it
				}
				return err
			}
		}
		detail := field.Changes{"slug": n.Slug, "name": n.Name, "quota_mode": mode, "output_cap": outputCap,
			"ignored_fields": ignoredFields, "include_quota": n.IncludeQuota, "metadata_tags": n.MetadataTags}
		if err := quotadb.SetCaps(ctx, tx.db, quotadb.OfTenant(row.ID), nil, quotadb.CapsAt(n.Caps),
			detail); err != nil {
			return err
		}
		tx.db.Announce(db.TenantChanged, id)
		return tx.db.Record(ctx, scope, db.Mutation{Action: "tenant.create", Tenant: id, Target: id.String(),
			Detail: detail})
	})
	if err != nil {
		return tenant.Tenant{}, err
	}
	return row.Core(), nil
}

// checkQuotaMode returns an InvalidType problem for an unknown mode.
func checkQuotaMode(mode tenant.QuotaMode) error {
	if !mode.Valid() {
		return problem.New(problem.InvalidType, "quota_mode must be one of: hard, soft").At("quota_mode")
	}
	return nil
}

// checkOutputCap returns an InvalidType problem for an unknown value.
func checkOutputCap(outputCap tenant.OutputCap) error {
	if !outputCap.Valid() {
		return problem.New(problem.InvalidType, "output_cap must be one of: auto, off").At("output_cap")
	}
	return nil
}

// checkIgnoredFields returns an InvalidType problem for an unknown value.
func checkIgnoredFields(policy tenant.IgnoredFields) error {
	if !policy.Valid() {
		return problem.New(problem.InvalidType, "ignored_fields must be one of: report, refuse").At("ignored_fields")
	}
	return nil
}

// UpdateTenant changes a tenant. An owner may change only the name of their own tenant, whether its users need a second
// factor, whether answers show the quota, whether fields may be ignored, and the keys of metadata that are tags;
// an operator may change every field of every tenant.
func (s *Store) UpdateTenant(ctx context.Context, scope tenant.Scope, id uuid.UUID,
	p TenantPatch) (_ tenant.Tenant, err error) {
	defer db.Wrap(&err, "update tenant")

	// isOwn is true if an owner changes what owners may change of their own tenant.
	isOwn := p == TenantPatch{Name: p.Name, IncludeQuota: p.IncludeQuota, IgnoredFields: p.IgnoredFields,
		MetadataTags: p.MetadataTags, RequireSecondFactor: p.RequireSecondFactor} && id == scope.Tenant() &&
		permission.Check(scope, permission.WriteTenant) == nil
	if err := permission.Check(scope, permission.WritePlatform); err != nil && !isOwn {
		return tenant.Tenant{}, err
	}
	if p.RequireSecondFactor != nil && p.RequireSecondFactor.By.Scope() != scope {
		return tenant.Tenant{}, problem.Of(problem.ConfirmationRequired)
	}
	var row person.TenantRow
	err = s.writeAs(ctx, scope, func(tx *Store) error {
		if err := tx.db.Lock(tx.db.NewSelect().Model(&row).Where("id = ?", id)).Scan(ctx); err != nil {
			return db.Missing(err, "tenant")
		}
		changes := field.Changes{}
		field.Assign(changes, "name", &row.Name, p.Name)
		field.Assign(changes, "status", &row.Status, p.Status)
		field.Assign(changes, "quota_mode", &row.QuotaMode, p.QuotaMode)
		field.Assign(changes, "output_cap", &row.OutputCap, p.OutputCap)
		field.Assign(changes, "include_quota", &row.IncludeQuota, p.IncludeQuota)
		field.Assign(changes, "ignored_fields", &row.IgnoredFields, p.IgnoredFields)
		field.Assign(changes, "metadata_tags", &row.MetadataTags, p.MetadataTags)
		if rule := p.RequireSecondFactor; rule != nil {
			field.Assign(changes, "require_second_factor", &row.RequireSecondFactor, &rule.Required)
		}
		if err := field.First(
			changes.Check("name", tenant.CheckName(row.Name)), tenant.CheckStatus(row.Status),
			checkQuotaMode(row.QuotaMode), checkOutputCap(row.OutputCap),
			checkIgnoredFields(row.IgnoredFields),
		); err != nil {
			return err
		}
		if row.Status == tenant.Enabled && row.Erased() {
			return problem.New(problem.Conflict, "the personal data of this tenant was erased, so the tenant cannot "+
				"be enabled again: create a new tenant").At("status")
		}
		// The names in changed are those of the columns.
		if len(changes) > 0 {
			if _, err := tx.db.NewUpdate().Model(&row).Column(changes.Names()...).WherePK().Exec(ctx); err != nil {
				return err
			}
		}
		if err := quotadb.SetCaps(ctx, tx.db, quotadb.OfTenant(row.ID), nil, p.Caps, changes); err != nil ||
			len(changes) == 0 {
			return err
		}
		tx.db.Announce(db.TenantChanged, id)
		return tx.db.Record(ctx, scope, db.Mutation{Action: "tenant.update", Tenant: id, Target: id.String(),
			Detail: changes})
	})
	if err != nil {
		return tenant.Tenant{}, err
	}
	return row.Core(), nil
}

// Tenant returns a tenant that the scope reaches, or a NotFound problem.
func (s *Store) Tenant(ctx context.Context, scope tenant.Scope, id uuid.UUID) (_ tenant.Tenant, err error) {
	defer db.Wrap(&err, "read tenant")

	return s.tenantWhere(ctx, scope, "id = ?", id)
}

// TenantBySlug returns the tenant with the slug if the scope reaches it, or a NotFound problem.
func (s *Store) TenantBySlug(ctx context.Context, scope tenant.Scope, slug string) (_ tenant.Tenant, err error) {
	defer db.Wrap(&err, "read tenant by slug")

	return s.tenantWhere(ctx, scope, "slug = ?", field.Clean(slug))
}

// tenantWhere returns the one tenant that the condition selects.
func (s *Store) tenantWhere(ctx context.Context, scope tenant.Scope, where string, value any) (tenant.Tenant, error) {
	// ReadQuota is a permission of every role: all users of a tenant may read it.
	if err := permission.Check(scope, permission.ReadQuota); err != nil {
		return tenant.Tenant{}, err
	}
	var row person.TenantRow
	err := s.readAs(ctx, scope, func(in *Store) error {
		return in.db.NewSelect().Model(&row).Where(where, value).Scan(ctx)
	})
	if err != nil {
		return tenant.Tenant{}, db.Missing(err, "tenant")
	}
	if !scope.Reaches(row.ID) {
		return tenant.Tenant{}, db.NoSuch("tenant")
	}
	return row.Core(), nil
}

// Tenants lists all tenants, oldest first, or sorted by created_at or name. A search looks at slugs, names and ids.
// Only operators and programs may call it.
func (s *Store) Tenants(ctx context.Context, scope tenant.Scope, p page.Page) (_ page.List[tenant.Tenant], err error) {
	defer db.Wrap(&err, "read tenants")

	if err := permission.Check(scope, permission.ReadPlatform); err != nil {
		return page.List[tenant.Tenant]{}, err
	}
	rows := page.RowsOf(page.OldestFirst, person.TenantRow.Key, person.TenantRow.Core).
		SortedBy(page.Text("name", func(r person.TenantRow) string { return r.Name }))
	return rows.Search(ctx, s.db, s.db.NewSelect(), p, page.Fields{Texts: []string{"slug", "name"}})
}

// TenantNames returns the names of the given tenants by id. It leaves out ids that do not exist. Only operators
// and programs may call it.
func (s *Store) TenantNames(ctx context.Context, scope tenant.Scope,
	ids []uuid.UUID) (_ map[uuid.UUID]string, err error) {
	defer db.Wrap(&err, "read tenant names")

	if err := permission.Check(scope, permission.ReadPlatform); err != nil {
		return nil, err
	}
	names := make(map[uuid.UUID]string, len(ids))
	if len(ids) == 0 {
		return names, nil
	}
	var rows []person.TenantRow
	if err := s.db.NewSelect().Model(&rows).Column("id", "name").Where("id IN (?)", bun.List(ids)).
		Scan(ctx); err != nil {
		return nil, err
	}
	for _, row := range rows {
		names[row.ID] = row.Name
	}
	return names, nil
}
