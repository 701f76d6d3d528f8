package identity

import (
	"cmp"
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
	"github.com/tollgate/tollgate/libs/store/person"
	"github.com/tollgate/tollgate/libs/store/signin"
)

// proofOf returns the proof of a new user's address: see NewUser.
func proofOf(scope tenant.Scope, n NewUser) tenant.Proof {
	if !scope.Everywhere() || n.Claim {
		return tenant.Unproven
	}
	return cmp.Or(n.Proof, tenant.Vouched)
}

// emailTaken returns the error for an address that the caller may know to be taken.
func emailTaken() error { return problem.New(problem.Conflict, "this email is taken").At("email") }

// insertUser stores the row of the new user n by the rules of CreateUser.
func (s *Store) insertUser(ctx context.Context, scope tenant.Scope, row *person.UserRow, n NewUser) error {
	// Two new users with the address must not both find it free; of operators it is unique.
	if row.TenantID != uuid.Nil {
		if err := person.LockCountedOfTenant(ctx, s.db, row.TenantID); err != nil {
			return err
		}
	}
	if exists, err := s.inTenant(ctx, row.TenantID, row.Address); err != nil || exists {
		return field.First(err, emailTaken())
	}
	if scope.Everywhere() && !n.Claim {
		if err := s.release(ctx, scope, *row); err != nil {
			return err
		}
		row.OwnedAt = row.CreatedAt
		return s.db.Insert(ctx, &person.SecretUserRow{UserRow: *row, PasswordHash: n.PasswordHash}, "email")
	}
	return s.claimAddress(ctx, row, n)
}

// inTenant reports whether a user of the tenant has or claims the address.
func (s *Store) inTenant(ctx context.Context, tenantID uuid.UUID, address string) (bool, error) {
	return ofTenant(s.db.NewSelect().Model((*person.UserRow)(nil)), tenantID, address).Exists(ctx)
}

// ofTenant limits the query to the users of the tenant who have or claim the address. uuid.Nil stands for the
// operators.
func ofTenant(q *bun.SelectQuery, tenantID uuid.UUID, address string) *bun.SelectQuery {
	q = q.Where("address = ?", address)
	if tenantID == uuid.Nil {
		return q.Where("tenant_id IS NULL")
	}
	return q.Where("tenant_id = ?", tenantID)
}

// owner limits the query to the user who can sign in with the address.
func owner(q *bun.SelectQuery, address string) *bun.SelectQuery {
	return q.Where("address = ?", address).Where("owned_at IS NOT NULL")
}

// claimAddress stores the row of the new user n, who owns the address if nobody does and n may sign in, and claims the
// address otherwise. It runs the same statements whether somebody has the address or not, so that their
// duration does not tell.
func (s *Store) claimAddress(ctx context.Context, row *person.UserRow, n NewUser) error {
	owned := *row
	owned.OwnedAt = row.CreatedAt
	tries := []person.UserRow{owned, *row}
	if n.Claim {
		tries = tries[1:]
	}
	for _, try := range tries {
		if _, err := s.db.NewInsert().Model(&person.SecretUserRow{UserRow: try, PasswordHash: n.PasswordHash}).
			On("CONFLICT DO NOTHING").Exec(ctx); err != nil {
			return err
		}
	}
	return s.db.NewSelect().Model(row).WherePK().Scan(ctx)
}

// Yields reports whether an account with the proof loses its address to an account that gives a proof by a mail, an
// operator or an issuer. Who makes a link may open it, so a link that was handed over says little about the person who
// reads the address.
func Yields(proof tenant.Proof) bool { return proof == tenant.Unproven || proof == tenant.HandedOver }

// release takes the address of the user to from another account that owns it, if the proof of that account yields and
// the user's does not. The account claims the address from then on, has no proof and opens nothing: its sessions end,
// and its factors, passkeys, identities and access keys are deleted. A link that was handed over takes nothing: a
// tenant could make one for the address of another tenant's member, open it itself, and so end that member's sign-in.
// The caller then finds the address taken.
func (s *Store) release(ctx context.Context, scope tenant.Scope, to person.UserRow) error {
	if Yields(to.Proof) {
		return nil
	}
	var row person.UserRow
	err := s.db.Lock(owner(s.db.NewSelect().Model(&row), to.Address).
		Where("proof IN (?)", bun.List([]tenant.Proof{tenant.Unproven, tenant.HandedOver})).
		Where("id <> ?", to.ID)).Scan(ctx)
	if err = db.Missing(err, "user"); err != nil {
		if problem.Is(err, problem.NotFound) {
			return nil
		}
		return err
	}
	row.OwnedAt, row.Proof = time.Time{}, tenant.Unproven
	if _, err := s.db.NewUpdate().Model(&row).Column("owned_at", "proof").WherePK().Exec(ctx); err != nil {
		return err
	}
	if err := signin.RemoveAccess(ctx, s.db, row.ID); err != nil {
		return err
	}
	return s.db.Record(ctx, scope, db.Mutation{Action: "user.release_email", Tenant: row.TenantID,
		Target: row.ID.String(), Detail: field.Changes{"email": to.Address,
			"removed": "factors, passkeys, identities, access keys and sessions"}})
}

// ClaimedElsewhere (system scope) reports whether another account claims the address of the user.
func (s *Store) ClaimedElsewhere(ctx context.Context, scope tenant.Scope, user tenant.User) (_ bool, err error) {
	defer db.Wrap(&err, "look for claims of an address")

	if err := permission.Program(scope); err != nil {
		return false, err
	}
	return s.db.NewSelect().Model((*person.UserRow)(nil)).Where("address = ?", user.Email).
		Where("owned_at IS NULL").Where("id <> ?", user.ID).Exists(ctx)
}

// prove stores the proof of a user's address, and lets the user sign in with it. It returns a Conflict problem if
// another account has proven the address, or if the proof is a link that was handed over and another account can sign
// in with the address.
func (s *Store) prove(ctx context.Context, scope tenant.Scope, user tenant.User, proof tenant.Proof) error {
	if proof == tenant.Unproven || user.Proof == proof || user.Proof != tenant.Unproven && proof == tenant.HandedOver {
		return nil
	}
	row := person.UserRow{ID: user.ID, Address: user.Email, Proof: proof}
	if err := s.release(ctx, scope, row); err != nil {
		return err
	}
	update := s.db.NewUpdate().Model(&row).Column("proof").Set("owned_at = COALESCE(owned_at, ?)", s.db.Now())
	if err := s.db.Update(ctx, update, "email"); err != nil {
		return err
	}
	return s.db.Record(ctx, scope, db.Mutation{Action: "user.prove_email", Tenant: user.TenantID,
		Target: user.ID.String(), Detail: field.Changes{"email": user.Email, "proof": proof}})
}
