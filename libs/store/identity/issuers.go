package identity

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/claim"
	"github.com/tollgate/tollgate/libs/core/email"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
	"github.com/tollgate/tollgate/libs/store/person"
	"github.com/tollgate/tollgate/libs/store/signin"
)

// IssuerSettings holds the parameters of SetIssuer.
type IssuerSettings struct {
	URL, ClientID  string
	SealedSecret   []byte   // nil: the stored one, which stays valid for the same URL and client only
	Domains        []string // stored in the form of email.Normalize
	TrustEmail     bool
	RequiredClaims []claim.Requirement
	Enforced       bool // see tenant.Tenant.RequireIssuer
	CreateMembers  bool
	DefaultRole    tenant.Role
}

// issuerRow is a row of issuers. A tenant has at most one.
type issuerRow struct {
	bun.BaseModel `bun:"table:issuers,alias:r"`

	TenantID       uuid.UUID           `bun:"tenant_id,pk,type:uuid"`
	URL            string              `bun:"url"`
	ClientID       string              `bun:"client_id"`
	ClientSecret   []byte              `bun:"client_secret"`
	TrustEmail     bool                `bun:"trust_email"`
	RequiredClaims []claim.Requirement `bun:"required_claims,type:jsonb"`
	CreateMembers  bool                `bun:"create_members"`
	DefaultRole    tenant.Role         `bun:"default_role"`
	DefaultGroupID uuid.UUID           `bun:"default_group_id,type:uuid"`
	CreatedAt      time.Time           `bun:"created_at"`
	UpdatedAt      time.Time           `bun:"updated_at"`
}

// issuerColumns are the columns that users of the tenant may read: all but the secret.
var issuerColumns = []string{"tenant_id", "url", "client_id", "trust_email", "required_claims", "create_members",
	"default_role", "default_group_id", "created_at", "updated_at"}

// domainRow is a row of issuer_domains. One tenant at most has an approved row for a domain.
type domainRow struct {
	bun.BaseModel `bun:"table:issuer_domains,alias:r"`

	TenantID   uuid.UUID `bun:"tenant_id,pk,type:uuid"`
	Domain     string    `bun:"domain,pk"`
	ApprovedAt time.Time `bun:"approved_at,nullzero"`
}

func (r *issuerRow) core(domains []domainRow) tenant.Issuer {
	return tenant.Issuer{
		TenantID: r.TenantID, URL: r.URL, ClientID: r.ClientID, SealedSecret: r.ClientSecret, TrustEmail: r.TrustEmail,
		RequiredClaims: r.RequiredClaims,
		CreateMembers:  r.CreateMembers, DefaultRole: r.DefaultRole, DefaultGroupID: r.DefaultGroupID,
		CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC(),
		Domains: field.Map(domains, func(d domainRow) tenant.IssuerDomain {
			return tenant.IssuerDomain{Name: d.Domain, ApprovedAt: d.ApprovedAt.UTC()}
		}),
	}
}

// issuerOf reads the columns of a tenant's issuer with its domains, or returns a NotFound problem.
func (s *Store) issuerOf(ctx context.Context, tenantID uuid.UUID, columns ...string) (tenant.Issuer, error) {
	var row issuerRow
	if err := s.db.NewSelect().Model(&row).Column(columns...).Where("tenant_id = ?", tenantID).Scan(ctx); err != nil {
		return tenant.Issuer{}, db.Missing(err, "issuer")
	}
	var domains []domainRow
	if err := s.db.NewSelect().Model(&domains).Where("tenant_id = ?", tenantID).OrderExpr("domain").
		Scan(ctx); err != nil {
		return tenant.Issuer{}, err
	}
	return row.core(domains), nil
}

// Issuer returns the issuer of a tenant without the secret, for owners, admins and operators, or a NotFound problem.
func (s *Store) Issuer(ctx context.Context, scope tenant.Scope, tenantID uuid.UUID) (issuer tenant.Issuer, err error) {
	defer db.Wrap(&err, "read issuer")

	if err := permission.Check(scope, permission.ReadMembers); err != nil {
		return tenant.Issuer{}, err
	}
	err = s.readAs(ctx, scope, func(in *Store) error {
		if _, err := in.Tenant(ctx, scope, tenantID); err != nil {
			return err
		}
		issuer, err = in.issuerOf(ctx, tenantID, issuerColumns...)
		return err
	})
	return issuer, err
}

// SetIssuer stores the issuer of the scope's own tenant, for owners. Domains keep their approval. A MissingParameter
// problem says that the secret must be given: the stored one goes to no other issuer and client.
//
// Sessions of other users end if the new settings might not permit them: those that another issuer or client opened, or
// this one under other required claims, and those without the issuer if Enforced. Owners keep the latter, see
// tenant.Tenant.MustUseIssuer.
func (s *Store) SetIssuer(ctx context.Context, actor permission.Confirmed,
	n IssuerSettings) (_ tenant.Issuer, err error) {
	defer db.Wrap(&err, "set issuer")

	scope := actor.Scope()
	for i, domain := range n.Domains {
		n.Domains[i] = email.Normalize(domain)
	}
	slices.Sort(n.Domains)
	n.Domains = slices.Compact(n.Domains)
	n.RequiredClaims = field.OrEmpty(n.RequiredClaims)
	if err := field.First(checkOwnIssuer(scope), tenant.CheckIssuerDomains(n.Domains),
		tenant.CheckIssuerRole(n.DefaultRole), checkRequiredClaims(n.RequiredClaims)); err != nil {
		return tenant.Issuer{}, err
	}
	var issuer tenant.Issuer
	err = s.writeAs(ctx, scope, func(tx *Store) error {
		if err := person.LockCountedOfTenant(ctx, tx.db, scope.Tenant()); err != nil {
			return err
		}
		before, err := tx.issuerOf(ctx, scope.Tenant(), issuerColumns...)
		exists := err == nil
		if err != nil && !problem.Is(err, problem.NotFound) {
			return err
		}
		isSame := exists && before.URL == n.URL && before.ClientID == n.ClientID
		if !isSame && n.SealedSecret == nil {
			return problem.New(problem.MissingParameter, "client_secret is required for a new issuer or client").
				At("client_secret")
		}
		home, err := tx.Tenant(ctx, scope, scope.Tenant())
		if err != nil {
			return err
		}
		if err := tx.saveIssuer(ctx, scope, n, before); err != nil {
			return err
		}
		if exists && (!isSame || !claim.Equal(before.RequiredClaims, n.RequiredClaims)) {
			if err := tx.endIssuerSessions(ctx, scope); err != nil {
				return err
			}
		}
		if err := tx.requireIssuer(ctx, scope, n); err != nil {
			return err
		}
		if issuer, err = tx.issuerOf(ctx, scope.Tenant(), issuerColumns...); err != nil {
			return err
		}
		changes := settingsOf(&issuer, n.Enforced)
		if exists {
			earlier := settingsOf(&before, home.RequireIssuer)
			for _, name := range changes.Names() {
				changes.Note(name, earlier[name], changes[name])
			}
		}
		changes["client_secret_changed"] = n.SealedSecret != nil
		return tx.db.Record(ctx, scope, db.Mutation{Action: "issuer.set", Tenant: scope.Tenant(),
			Target: scope.Tenant().String(), Detail: changes})
	})
	return issuer, err
}

// settingsOf returns the settings of an issuer for the audit log.
func settingsOf(issuer *tenant.Issuer, enforced bool) field.Changes {
	domains := []string{}
	for _, domain := range issuer.Domains {
		domains = append(domains, domain.Name)
	}
	return field.Changes{
		"issuer": issuer.URL, "client_id": issuer.ClientID, "domains": domains, "enforced": enforced,
		"trust_email": issuer.TrustEmail, "required_claims": issuer.RequiredClaims,
		"create_members": issuer.CreateMembers, "default_role": issuer.DefaultRole,
		"default_group_id": issuer.DefaultGroupID,
	}
}

// checkOwnIssuer returns a Forbidden problem unless the scope may change the issuer of its own tenant.
func checkOwnIssuer(scope tenant.Scope) error {
	if err := permission.Check(scope, permission.WriteTenant); err != nil {
		return err
	}
	if scope.Tenant() == uuid.Nil {
		return problem.New(problem.Forbidden, "only an owner can set the issuer of a tenant")
	}
	return nil
}

// checkRequiredClaims returns an InvalidType problem of the field required_claims for requirements that claim.Check
// refuses.
func checkRequiredClaims(requirements []claim.Requirement) error {
	if err := claim.Check(requirements); err != nil {
		return problem.New(problem.InvalidType, "%s", err.Error()).At("required_claims")
	}
	return nil
}

// saveIssuer inserts the issuer of the scope's tenant, or updates it if before is not zero, and replaces its domains.
func (s *Store) saveIssuer(ctx context.Context, scope tenant.Scope, n IssuerSettings, before tenant.Issuer) error {
	now := s.db.Now()
	row := issuerRow{
		TenantID: scope.Tenant(), URL: n.URL, ClientID: n.ClientID, ClientSecret: n.SealedSecret,
		TrustEmail: n.TrustEmail, RequiredClaims: n.RequiredClaims,
		CreateMembers: n.CreateMembers, DefaultRole: n.DefaultRole, CreatedAt: now, UpdatedAt: now,
	}
	if before.TenantID != uuid.Nil {
		update := s.db.NewUpdate().Model(&row).Column("url", "client_id", "trust_email", "required_claims",
			"create_members", "default_role", "updated_at").WherePK()
		if n.SealedSecret != nil {
			update = update.Column("client_secret")
		}
		if _, err := update.Exec(ctx); err != nil {
			return err
		}
	} else {
		group, err := s.groupFor(ctx, scope, uuid.Nil)
		if err != nil {
			return err
		}
		row.DefaultGroupID = group
		if err := s.db.Insert(ctx, &row, "issuer"); err != nil {
			return err
		}
	}
	if _, err := s.db.NewDelete().Model((*domainRow)(nil)).Where("tenant_id = ?", row.TenantID).
		Where("domain NOT IN (?)", bun.List(n.Domains)).Exec(ctx); err != nil {
		return err
	}
	rows := make([]domainRow, len(n.Domains))
	for i, domain := range n.Domains {
		rows[i] = domainRow{TenantID: row.TenantID, Domain: domain}
	}
	// The role of tenants has no permission for the column approved_at.
	_, err := s.db.NewInsert().Model(&rows).ExcludeColumn("approved_at").On("CONFLICT DO NOTHING").Exec(ctx)
	return err
}

// requireIssuer stores whether users of the scope's tenant must use its issuer, and ends the sessions of those who must
// and did not.
func (s *Store) requireIssuer(ctx context.Context, scope tenant.Scope, n IssuerSettings) error {
	_, err := s.db.NewUpdate().Model((*person.TenantRow)(nil)).Set("require_issuer = ?", n.Enforced).
		Where("id = ?", scope.Tenant()).Exec(ctx)
	if err != nil || !n.Enforced {
		return err
	}
	free := s.db.NewSelect().Model((*person.UserRow)(nil)).Column("id").Where("tenant_id = ?", scope.Tenant()).
		Where("role = ?", tenant.Owner)
	_, err = s.db.NewDelete().Table("sessions").Where("tenant_id = ?", scope.Tenant()).
		Where("means <> ?", signin.ByTenantIssuer).Where("user_id NOT IN (?)", free).Exec(ctx)
	return err
}

// endIssuerSessions ends the sessions that the tenant's issuer opened, except those of the scope's own user, who is
// about to read the answer.
func (s *Store) endIssuerSessions(ctx context.Context, scope tenant.Scope) error {
	_, err := s.db.NewDelete().Table("sessions").Where("tenant_id = ?", scope.Tenant()).
		Where("means = ?", signin.ByTenantIssuer).Where("user_id <> ?", scope.Actor()).Exec(ctx)
	return err
}

// DeleteIssuer deletes the issuer of the scope's own tenant, for owners, or returns a NotFound problem. Users no longer
// need it, and the sessions that it opened end, except those of the scope's user.
func (s *Store) DeleteIssuer(ctx context.Context, actor permission.Confirmed) (err error) {
	defer db.Wrap(&err, "delete issuer")

	scope := actor.Scope()
	if err := checkOwnIssuer(scope); err != nil {
		return err
	}
	return s.writeAs(ctx, scope, func(tx *Store) error {
		if err := person.LockCountedOfTenant(ctx, tx.db, scope.Tenant()); err != nil {
			return err
		}
		before, err := tx.issuerOf(ctx, scope.Tenant(), issuerColumns...)
		if err != nil {
			return err
		}
		for _, row := range []any{(*domainRow)(nil), (*issuerRow)(nil)} {
			if _, err := tx.db.NewDelete().Model(row).Where("tenant_id = ?", scope.Tenant()).Exec(ctx); err != nil {
				return err
			}
		}
		if err := field.First(tx.requireIssuer(ctx, scope, IssuerSettings{}), tx.endIssuerSessions(ctx, scope)); err !=
			nil {
			return err
		}
		return tx.db.Record(ctx, scope, db.Mutation{Action: "issuer.delete", Tenant: scope.Tenant(),
			Target: scope.Tenant().String(), Detail: field.Changes{"issuer": before.URL}})
	})
}

// IssuerApproval holds the changes of ApproveIssuer. Fields that are nil change nothing.
type IssuerApproval struct {
	Domains        *[]string  // the approved ones among the issuer's domains; the approval of all others ends
	DefaultGroupID *uuid.UUID // group of the accounts that the issuer makes
}

// ApproveIssuer lets operators decide which domains of a tenant's issuer the sign-in page sends to it, and in which
// group new members are. A domain that the issuer does not have is an InvalidType problem, one that is approved for
// another tenant a Conflict problem.
func (s *Store) ApproveIssuer(ctx context.Context, actor permission.Confirmed, tenantID uuid.UUID,
	p IssuerApproval) (issuer tenant.Issuer, err error) {
	defer db.Wrap(&err, "approve issuer")

	scope := actor.Scope()
	if err := permission.Check(scope, permission.WritePlatform); err != nil {
		return tenant.Issuer{}, err
	}
	err = s.writeAs(ctx, scope, func(tx *Store) error {
		if err := person.LockCountedOfTenant(ctx, tx.db, tenantID); err != nil {
			return db.Missing(err, "tenant")
		}
		before, err := tx.issuerOf(ctx, tenantID, issuerColumns...)
		if err != nil {
			return err
		}
		changes := field.Changes{}
		if p.DefaultGroupID != nil {
			if err := db.Unknown(catalogdb.CheckGroup(ctx, tx.db, *p.DefaultGroupID), "default_group_id"); err != nil {
				return err
			}
			if _, err := tx.db.NewUpdate().Model((*issuerRow)(nil)).Set("default_group_id = ?", *p.DefaultGroupID).
				Where("tenant_id = ?", tenantID).Exec(ctx); err != nil {
				return err
			}
			changes.Note("default_group_id", before.DefaultGroupID, *p.DefaultGroupID)
		}
		if p.Domains != nil {
			if err := tx.approveDomains(ctx, &before, *p.Domains); err != nil {
				return err
			}
			approved := []string{}
			for _, domain := range before.Domains {
				if !domain.ApprovedAt.IsZero() {
					approved = append(approved, domain.Name)
				}
			}
			changes.Note("approved_domains", approved, *p.Domains)
		}
		if issuer, err = tx.issuerOf(ctx, tenantID, issuerColumns...); err != nil || len(changes) == 0 {
			return err
		}
		return tx.db.Record(ctx, scope,
			db.Mutation{Action: "issuer.approve", Tenant: tenantID, Target: tenantID.String(), Detail: changes})
	})
	return issuer, err
}

// approveDomains makes the domains the approved ones of the issuer.
func (s *Store) approveDomains(ctx context.Context, issuer *tenant.Issuer, names []string) error {
	targets := map[string]bool{}
	for _, name := range names {
		targets[email.Normalize(name)] = true
	}
	for _, domain := range issuer.Domains {
		want, is := targets[domain.Name], !domain.ApprovedAt.IsZero()
		delete(targets, domain.Name)
		if want == is {
			continue
		}
		row := domainRow{TenantID: issuer.TenantID, Domain: domain.Name}
		if want {
			row.ApprovedAt = s.db.Now()
		}
		if err := s.db.Update(ctx, s.db.NewUpdate().Model(&row).Column("approved_at"), "approved_domains"); err != nil {
			return err
		}
	}
	for name := range targets {
		return problem.New(problem.InvalidType, "the issuer does not have the domain %q", name).At("approved_domains")
	}
	return nil
}

// ResealIssuers (system scope) replaces the sealed client secrets of issuers, see db.DB.Reseal.
func (s *Store) ResealIssuers(ctx context.Context, scope tenant.Scope,
	do func(tenantID uuid.UUID, ciphertext []byte) ([]byte, error)) (_ int, err error) {
	defer db.Wrap(&err, "reseal issuers")

	if err := permission.Program(scope); err != nil {
		return 0, err
	}
	return s.db.Reseal(ctx, db.SealedColumn{Table: "issuers", ID: "tenant_id", Column: "client_secret"}, do)
}
