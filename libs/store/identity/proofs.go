package identity

import (
	"cmp"
	"context"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
	"github.com/tollgate/tollgate/libs/store/person"
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
	if taken, err := s.inTenant(ctx, row.TenantID, row.Email); err != nil || taken {
		return field.First(err, emailTaken())
	}
	if scope.Everywhere() && !n.Claim {
		if err := s.release(ctx, scope, row.Email, row.ID); err != nil {
			return err
		}
		return s.db.Insert(ctx, &person.SecretUserRow{UserRow: *row, PasswordHash: n.PasswordHash}, "email")
	}
	return s.claimEmail(ctx, row, n)
}

// inTenant reports whether a user of the tenant has or claims the address; uuid.Nil stands for the operators.
func (s *Store) inTenant(ctx context.Context, tenantID uuid.UUID, address string) (bool, error) {
	q := s.db.NewSelect().Model((*person.UserRow)(nil)).Where("(email = ? OR claimed_email = ?)", address, address)
	if tenantID == uuid.Nil {
		return q.Where("tenant_id IS NULL").Exists(ctx)
	}
	return q.Where("tenant_id = ?", tenantID).Exists(ctx)
}

// claimEmail stores the row of the new user n with its address if nobody has the address and n may sign in, and with a
// claim to the address otherwise. It runs the same statements whether somebody has the address or not, so that their
// duration does not tell.
func (s *Store) claimEmail(ctx context.Context, row *person.UserRow, n NewUser) error {
	plain := *row
	row.Email, row.ClaimedEmail = person.Placeholder(row.ID), row.Email
	tries := []*person.UserRow{&plain, row}
	if n.Claim {
		tries = tries[1:]
	}
	for _, try := range tries {
		if _, err := s.db.NewInsert().Model(&person.SecretUserRow{UserRow: *try, PasswordHash: n.PasswordHash}).On("CONFLICT DO NOTHING").Exec(ctx); err != nil {
			return err
		}
	}
	return s.db.NewSelect().Model(row).WherePK().Scan(ctx)
}

// release takes the address from the account that has it without a proof, unless that is the user except. The account
// claims the address from then on, and its sessions end.
func (s *Store) release(ctx context.Context, scope tenant.Scope, address string, except uuid.UUID) error {
	var row person.UserRow
	err := s.db.Lock(s.db.NewSelect().Model(&row).Where("email = ?", address).Where("proof = ?", tenant.Unproven).Where("id <> ?", except)).Scan(ctx)
	if err = db.Missing(err, "user"); err != nil {
		if problem.Is(err, problem.NotFound) {
			return nil
		}
		return err
	}
	row.Email, row.ClaimedEmail = person.Placeholder(row.ID), row.Email
	if _, err := s.db.NewUpdate().Model(&row).Column("email", "claimed_email").WherePK().Exec(ctx); err != nil {
		return err
	}
	if err := s.endAccess(ctx, row.ID); err != nil {
		return err
	}
	return s.db.Record(ctx, scope, db.Mutation{Action: "user.release_email", Tenant: row.TenantID, Target: row.ID.String(), Detail: field.Changes{"email": address}})
}

// prove stores the proof of a user's address, and lets the user sign in with it. It returns a Conflict problem if another
// account has proven the address.
func (s *Store) prove(ctx context.Context, scope tenant.Scope, user tenant.User, proof tenant.Proof) error {
	if proof == tenant.Unproven || user.Proof == proof || user.Proof != tenant.Unproven && proof == tenant.HandedOver {
		return nil
	}
	if err := s.release(ctx, scope, user.Email, user.ID); err != nil {
		return err
	}
	row := person.UserRow{ID: user.ID, Email: user.Email, Proof: proof}
	if err := s.db.Update(ctx, s.db.NewUpdate().Model(&row).Column("email", "claimed_email", "proof"), "email"); err != nil {
		return err
	}
	return s.db.Record(ctx, scope, db.Mutation{Action: "user.prove_email", Tenant: user.TenantID, Target: user.ID.String(), Detail: field.Changes{"email": user.Email, "proof": proof}})
}
