package identity

import (
	"context"
	"slices"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/email"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
	"github.com/tollgate/tollgate/libs/store/person"
)

// HasIssuers (system scope) reports whether a tenant has an issuer.
func (s *Store) HasIssuers(ctx context.Context, scope tenant.Scope) (_ bool, err error) {
	defer db.Wrap(&err, "look for issuers")

	if err := permission.Program(scope); err != nil {
		return false, err
	}
	return s.db.NewSelect().Model((*issuerRow)(nil)).Exists(ctx)
}

// IssuerBySlug (system scope) returns the issuer of the enabled tenant with the slug, or a NotFound problem.
func (s *Store) IssuerBySlug(ctx context.Context, scope tenant.Scope,
	slug string) (_ tenant.Tenant, _ tenant.Issuer, err error) {
	defer db.Wrap(&err, "read issuer by slug")

	if err := permission.Program(scope); err != nil {
		return tenant.Tenant{}, tenant.Issuer{}, err
	}
	return s.issuerWhere(ctx, s.db.NewSelect().Where("slug = ?", field.Clean(slug)))
}

// IssuerByDomain (system scope) returns the issuer of the enabled tenant for which an operator approved the domain, or
// a NotFound problem.
func (s *Store) IssuerByDomain(ctx context.Context, scope tenant.Scope,
	domain string) (_ tenant.Tenant, _ tenant.Issuer, err error) {
	defer db.Wrap(&err, "read issuer by domain")

	if err := permission.Program(scope); err != nil {
		return tenant.Tenant{}, tenant.Issuer{}, err
	}
	tenants := s.db.NewSelect().Model((*domainRow)(nil)).Column("tenant_id").
		Where("domain = ?", field.Clean(email.Normalize(domain))).Where("approved_at IS NOT NULL")
	return s.issuerWhere(ctx, s.db.NewSelect().Where("id IN (?)", tenants))
}

// issuerWhere returns the tenant that the query selects, and its issuer with the secret.
func (s *Store) issuerWhere(ctx context.Context,
	q *bun.SelectQuery) (t tenant.Tenant, issuer tenant.Issuer, err error) {
	var row person.TenantRow
	if err := q.Model(&row).Where("status = ?", tenant.Enabled).Scan(ctx); err != nil {
		return t, issuer, db.Missing(err, "issuer")
	}
	issuer, err = s.issuerOf(ctx, row.ID)
	return row.Core(), issuer, err
}

// Account (system scope) returns the user with the id, and the password hash.
func (s *Store) Account(ctx context.Context, scope tenant.Scope,
	id uuid.UUID) (_ tenant.User, passwordHash string, err error) {
	defer db.Wrap(&err, "read account")

	if err := permission.Program(scope); err != nil {
		return tenant.User{}, "", err
	}
	var row person.SecretUserRow
	if err := s.db.NewSelect().Model(&row).Where("id = ?", id).Scan(ctx); err != nil {
		return tenant.User{}, "", db.Missing(err, "user")
	}
	return row.Core(), row.PasswordHash, nil
}

// Arrival is a person whom the issuer of a tenant signs in for the first time.
type Arrival struct {
	TenantID uuid.UUID
	Email    string // which the issuer reports as verified
}

// Arrive (system scope) returns the account of the tenant with the address. If there is none, it makes one: that of an
// open invitation of the tenant, or a new one if the issuer creates members. Open invitations of the address count as
// accepted then. It returns a NotFound problem if the address is not in the issuer's domains, or has neither account
// nor invitation and the issuer creates none.
//
// It never looks at accounts of other tenants. The account that it makes only claims the address (see person.UserRow):
// the statement of a tenant's issuer is no proof to other tenants. The caller checks that the account is enabled.
func (s *Store) Arrive(ctx context.Context, scope tenant.Scope, a Arrival) (user tenant.User, err error) {
	defer db.Wrap(&err, "arrive by the issuer of a tenant")

	if err := field.First(permission.Program(scope), email.Check(a.Email)); err != nil {
		return tenant.User{}, err
	}
	a.Email = email.Normalize(a.Email)
	err = s.atomically(ctx, func(tx *Store) error {
		// Two sign-ins at once must not make two accounts.
		if err := person.LockCountedOfTenant(ctx, tx.db, a.TenantID); err != nil {
			return err
		}
		issuer, err := tx.issuerOf(ctx, a.TenantID)
		if err != nil {
			return err
		}
		if !admits(&issuer, a.Email) {
			return db.NoSuch("user")
		}
		if user, err = tx.userOfTenant(ctx, a.TenantID, a.Email); err == nil {
			if user.Status != tenant.Enabled {
				return nil
			}
			_, err = tx.takeInvitation(ctx, scope, a)
			return err
		}
		if !problem.Is(err, problem.NotFound) {
			return err
		}
		user, err = tx.newcomer(ctx, scope, a, issuer)
		return err
	})
	return user, err
}

// admits reports whether the domain of the address is one of the issuer's.
func admits(issuer *tenant.Issuer, address string) bool {
	return slices.ContainsFunc(issuer.Domains, func(d tenant.IssuerDomain) bool {
		return d.Name == email.Domain(address)
	})
}

// newcomer makes the account of a person without one.
func (s *Store) newcomer(ctx context.Context, scope tenant.Scope, a Arrival,
	issuer tenant.Issuer) (tenant.User, error) {
	n := NewUser{TenantID: a.TenantID, Email: a.Email, Claim: true, Role: issuer.DefaultRole,
		GroupID: issuer.DefaultGroupID}
	invitation, err := s.takeInvitation(ctx, scope, a)
	if err != nil {
		return tenant.User{}, err
	}
	if invitation != nil {
		n.Role, n.GroupID = invitation.Role, invitation.GroupID
	} else if !issuer.CreateMembers {
		return tenant.User{}, db.NoSuch("user")
	}
	return s.createUser(ctx, scope, n)
}

// takeInvitation marks the open invitation of the tenant for the address as accepted, so that its link no longer works,
// and returns it, or nil if there is none.
func (s *Store) takeInvitation(ctx context.Context, scope tenant.Scope, a Arrival) (*invitationRow, error) {
	var row invitationRow
	err := s.db.Lock(s.db.NewSelect().Model(&row).Where("tenant_id = ?", a.TenantID).Where("email = ?", a.Email).
		Where("status = ?", InvitationPending).Where("expires_at > ?", s.db.Now()).OrderExpr("id").Limit(1)).Scan(ctx)
	if err = db.Missing(err, "invitation"); err != nil {
		if problem.Is(err, problem.NotFound) {
			return nil, nil //nolint:nilnil // there is no invitation, which is not an error
		}
		return nil, err
	}
	row.Status = InvitationAccepted
	return &row, s.saveInvitation(ctx, scope, row, "invitation.accept")
}
