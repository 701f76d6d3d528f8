package identity

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/email"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/person"
)

// InvitationStatus is the state of an invitation.
type InvitationStatus string

// The statuses of an invitation. Only a pending one can be accepted, renewed or revoked. Expiry is no status: a
// pending invitation whose ExpiresAt is past stays pending, and renewing it opens it again.
const (
	InvitationPending  InvitationStatus = "pending"
	InvitationAccepted InvitationStatus = "accepted"
	InvitationRevoked  InvitationStatus = "revoked"
)

// maxInvitations is the highest number of open invitations of a tenant, or of the platform.
const maxInvitations = 200

// Invitation asks a person to become a user. It is open while it is pending and has not expired.
type Invitation struct {
	ID        uuid.UUID
	TenantID  uuid.UUID // uuid.Nil: to become an operator
	UserID    uuid.UUID // the account that waits for the person; uuid.Nil: accepting makes one
	Email     string    // in the form of email.Normalize
	Role      tenant.Role
	GroupID   uuid.UUID
	Inviter   string // e-mail address of the inviting user, or a program's name
	Status    InvitationStatus
	CreatedAt time.Time
	SentAt    time.Time // when the current link was made
	ExpiresAt time.Time
}

// NewInvitation holds the parameters of CreateInvitation. The caller makes the secret of the link and keeps it
// out of the database.
type NewInvitation struct {
	TenantID  uuid.UUID // uuid.Nil for operators
	UserID    uuid.UUID // an account of the tenant that claims the address; uuid.Nil: accepting makes one
	Email     string
	Proof     tenant.Proof // that opening the link gives
	Role      tenant.Role
	GroupID   uuid.UUID // as in NewUser
	Hash      [32]byte  // SHA-256 of the secret in the link
	ExpiresAt time.Time
}

// invitationRow is a row of invitations.
type invitationRow struct {
	bun.BaseModel `bun:"table:invitations,alias:r"`

	ID        uuid.UUID        `bun:"id,pk,type:uuid"`
	Hash      []byte           `bun:"hash"`
	TenantID  uuid.UUID        `bun:"tenant_id,type:uuid,nullzero"`
	UserID    uuid.UUID        `bun:"user_id,type:uuid,nullzero"`
	Email     string           `bun:"email"`
	Proof     tenant.Proof     `bun:"proof"`
	Role      tenant.Role      `bun:"role"`
	GroupID   uuid.UUID        `bun:"group_id,type:uuid,nullzero"`
	Inviter   string           `bun:"inviter"`
	Status    InvitationStatus `bun:"status"`
	CreatedAt time.Time        `bun:"created_at"`
	SentAt    time.Time        `bun:"sent_at"`
	ExpiresAt time.Time        `bun:"expires_at"`
}

func (r invitationRow) key() string { return r.ID.String() }

// core returns the invitation without the hash.
func (r invitationRow) core() Invitation {
	return Invitation{
		ID: r.ID, TenantID: r.TenantID, UserID: r.UserID, Email: r.Email, Role: r.Role, GroupID: r.GroupID,
		Inviter: r.Inviter,
		Status:  r.Status, CreatedAt: r.CreatedAt, SentAt: r.SentAt, ExpiresAt: r.ExpiresAt,
	}
}

// open reports whether the invitation can be accepted now.
func (r invitationRow) open(now time.Time) bool {
	return r.Status == InvitationPending && r.ExpiresAt.After(now)
}

// CreateInvitation stores an invitation under the hash of its secret. A scope may invite whom it may create,
// see CreateUser. It returns a Conflict problem if a user within the scope's reach has the address, if an open
// invitation of the tenant has it, or if the tenant has 200 open invitations. A user of another tenant who has
// the address is not a Conflict problem: the inviter does not learn of that user, and AcceptInvitation fails
// instead.
func (s *Store) CreateInvitation(ctx context.Context, actor permission.Confirmed,
	n NewInvitation) (_ Invitation, err error) {
	defer db.Wrap(&err, "create invitation")

	scope := actor.Scope()
	n.Email = email.Normalize(n.Email)
	// The rules are those for creating the user, so that an invitation cannot go further.
	user := NewUser{TenantID: n.TenantID, Email: n.Email, Role: n.Role, GroupID: n.GroupID}
	if err := field.First(permission.Check(scope, permission.InviteMembers), checkNewUser(scope, user)); err != nil {
		return Invitation{}, err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return Invitation{}, err
	}
	now := s.db.Now()
	row := invitationRow{
		ID: id, Hash: n.Hash[:], TenantID: n.TenantID, UserID: n.UserID, Email: n.Email, Proof: n.Proof, Role: n.Role,
		GroupID: n.GroupID, Inviter: field.Clean(scope.Name()),
		Status: InvitationPending, CreatedAt: now, SentAt: now, ExpiresAt: field.Micros(n.ExpiresAt),
	}
	err = s.writeAs(ctx, scope, func(tx *Store) error {
		if err := tx.checkInvitation(ctx, scope, &row); err != nil {
			return err
		}
		if err := tx.db.Insert(ctx, &row, "invitation"); err != nil {
			return err
		}
		detail := field.Changes{"email": row.Email, "role": row.Role, "group_id": row.GroupID,
			"expires_at": row.ExpiresAt}
		return tx.db.Record(ctx, scope, db.Mutation{Action: "invitation.create", Tenant: row.TenantID,
			Target: id.String(), Detail: detail})
	})
	if err != nil {
		return Invitation{}, err
	}
	return row.core(), nil
}

// checkInvitation checks the tenant, sets the group, and returns a Conflict problem if the address is taken.
func (s *Store) checkInvitation(ctx context.Context, scope tenant.Scope, row *invitationRow) (err error) {
	if row.Role != tenant.Operator {
		if _, err := s.Tenant(ctx, scope, row.TenantID); err != nil {
			return err
		}
		if row.GroupID, err = s.groupFor(ctx, scope, row.GroupID); err != nil {
			return err
		}
	}
	if row.UserID == uuid.Nil {
		if err := s.checkInvitedEmail(ctx, scope, row); err != nil {
			return err
		}
	}
	return s.checkOpenInvitations(ctx, row)
}

// checkInvitedEmail returns a Conflict problem if a user of the same tenant has the address. A proven address is unique
// on the whole platform, but only operators may learn of users in other tenants.
func (s *Store) checkInvitedEmail(ctx context.Context, scope tenant.Scope, row *invitationRow) error {
	exists, err := s.inTenant(ctx, row.TenantID, row.Email)
	if err == nil && !exists && scope.Everywhere() {
		exists, err = owner(s.db.NewSelect().Model((*person.UserRow)(nil)), row.Email).
			Where("proof NOT IN (?)", bun.List([]tenant.Proof{tenant.Unproven, tenant.HandedOver})).Exists(ctx)
	}
	if err == nil && exists {
		return emailTaken()
	}
	return err
}

// checkOpenInvitations returns a Conflict problem if the address has an open invitation to the same tenant, or
// if the tenant has too many of them.
func (s *Store) checkOpenInvitations(ctx context.Context, row *invitationRow) error {
	if err := person.LockCountedOfTenant(ctx, s.db, row.TenantID); err != nil {
		return err
	}
	open := func() *bun.SelectQuery {
		q := s.db.NewSelect().Model((*invitationRow)(nil)).Where("status = ?", InvitationPending).
			Where("expires_at > ?", s.db.Now())
		if row.TenantID == uuid.Nil {
			return q.Where("tenant_id IS NULL")
		}
		return q.Where("tenant_id = ?", row.TenantID)
	}
	exists, err := open().Where("email = ?", row.Email).Exists(ctx)
	if err != nil {
		return err
	}
	if exists {
		return problem.New(problem.Conflict, "this address has an open invitation already: resend or revoke that one").
			At("email")
	}
	count, err := open().Count(ctx)
	if err == nil && count >= maxInvitations {
		return problem.New(problem.Conflict, "at most %d invitations can be open: revoke some first", maxInvitations)
	}
	return err
}

// Invitations lists the invitations of one tenant, or with uuid.Nil of all tenants that the scope reaches,
// newest first.
func (s *Store) Invitations(ctx context.Context, scope tenant.Scope, tenantID uuid.UUID,
	p page.Page) (_ page.List[Invitation], err error) {
	defer db.Wrap(&err, "read invitations")

	if err := permission.Check(scope, permission.InviteMembers); err != nil {
		return page.List[Invitation]{}, err
	}
	var list page.List[Invitation]
	err = s.readAs(ctx, scope, func(in *Store) error {
		q, err := db.InTenant(in.db.NewSelect(), scope, tenantID)
		if err != nil {
			return err
		}
		list, err = page.RowsOf(page.NewestFirst, invitationRow.key, invitationRow.core).Read(ctx, q, p)
		return err
	})
	return list, err
}

// RenewInvitation replaces the secret of a pending invitation, also of an expired one, and restarts its
// lifetime: it is valid for as long as the first link was. Opening the new link gives the proof. The old link stops
// working. An accepted or revoked invitation is a Conflict problem, and so is an expired one that CreateInvitation
// would refuse: it becomes open again.
func (s *Store) RenewInvitation(ctx context.Context, actor permission.Confirmed, id uuid.UUID, hash [32]byte,
	proof tenant.Proof) (_ Invitation, err error) {
	defer db.Wrap(&err, "renew invitation")

	scope := actor.Scope()
	return s.changeInvitation(ctx, scope, id, func(tx *Store, row *invitationRow) (string, error) {
		if row.Status != InvitationPending {
			return "", problem.New(problem.Conflict, "only pending invitations can be renewed: this one is %s",
				row.Status)
		}
		now := tx.db.Now()
		if !row.open(now) {
			if err := tx.checkOpenInvitations(ctx, row); err != nil {
				return "", err
			}
		}
		row.Hash, row.Proof, row.SentAt, row.ExpiresAt = hash[:], proof, now, now.Add(row.ExpiresAt.Sub(row.SentAt))
		return "invitation.resend", nil
	})
}

// RevokeInvitation makes the link of an invitation invalid. Revoking it again does nothing; an accepted
// invitation is a Conflict problem.
func (s *Store) RevokeInvitation(ctx context.Context, actor permission.Confirmed,
	id uuid.UUID) (_ Invitation, err error) {
	defer db.Wrap(&err, "revoke invitation")

	scope := actor.Scope()
	return s.changeInvitation(ctx, scope, id, func(_ *Store, row *invitationRow) (string, error) {
		switch row.Status {
		case InvitationAccepted:
			return "",
				problem.New(problem.Conflict, "an accepted invitation cannot be revoked: disable the user instead")
		case InvitationRevoked:
			return "", nil
		}
		row.Status = InvitationRevoked
		return "invitation.revoke", nil
	})
}

// changeInvitation locks an invitation that the scope reaches and whose role the scope may assign, and its tenant,
// calls change, and stores the row. change returns the action for the audit log, or "" if it changed nothing.
func (s *Store) changeInvitation(ctx context.Context, scope tenant.Scope, id uuid.UUID,
	change func(*Store, *invitationRow) (string, error)) (Invitation, error) {
	if err := permission.Check(scope, permission.InviteMembers); err != nil {
		return Invitation{}, err
	}
	var row invitationRow
	err := s.writeAs(ctx, scope, func(tx *Store) error {
		if err := tx.db.NewSelect().Model(&row).Where("id = ?", id).Scan(ctx); err != nil {
			return db.Missing(err, "invitation")
		}
		if !scope.Reaches(row.TenantID) {
			return db.NoSuch("invitation")
		}
		// The tenant before the invitation, as AcceptInvitation locks them.
		if err := person.LockCountedOfTenant(ctx, tx.db, row.TenantID); err != nil {
			return err
		}
		if err := tx.db.Lock(tx.db.NewSelect().Model(&row).Where("id = ?", id)).Scan(ctx); err != nil {
			return db.Missing(err, "invitation")
		}
		if err := checkAssignable(scope, row.Role); err != nil {
			return err
		}
		action, err := change(tx, &row)
		if err != nil || action == "" {
			return err
		}
		return tx.saveInvitation(ctx, scope, row, action)
	})
	if err != nil {
		return Invitation{}, err
	}
	return row.core(), nil
}

// saveInvitation stores the row and writes the action to the audit log.
func (s *Store) saveInvitation(ctx context.Context, scope tenant.Scope, row invitationRow, action string) error {
	if err := s.db.Update(ctx, s.db.NewUpdate().Model(&row).Column("hash", "proof", "status", "sent_at", "expires_at"),
		"invitation"); err != nil {
		return err
	}
	detail := field.Changes{"email": row.Email, "expires_at": row.ExpiresAt}
	return s.db.Record(ctx, scope, db.Mutation{Action: action, Tenant: row.TenantID, Target: row.ID.String(),
		Detail: detail})
}

// Invited (system scope) returns the open invitation with the hash of its secret, and its tenant, which is zero
// if the invitation is for an operator. It returns a NotFound problem if the invitation is accepted, revoked or
// expired, or if the tenant is disabled.
func (s *Store) Invited(ctx context.Context, scope tenant.Scope,
	hash [32]byte) (_ Invitation, _ tenant.Tenant, err error) {
	defer db.Wrap(&err, "read open invitation")

	if err := permission.Program(scope); err != nil {
		return Invitation{}, tenant.Tenant{}, err
	}
	row, invitedTo, err := s.invited(ctx, scope, s.db.NewSelect(), hash)
	return row.core(), invitedTo, err
}

// invited does the same as Invited with the query q, which may lock the row.
func (s *Store) invited(ctx context.Context, scope tenant.Scope, q *bun.SelectQuery,
	hash [32]byte) (row invitationRow, invitedTo tenant.Tenant, err error) {
	if err := q.Model(&row).Where("hash = ?", hash[:]).Scan(ctx); err != nil {
		return row, invitedTo, db.Missing(err, "invitation")
	}
	if row.TenantID != uuid.Nil {
		if invitedTo, err = s.Tenant(ctx, scope, row.TenantID); err != nil {
			return row, invitedTo, err
		}
	}
	if !row.open(s.db.Now()) || row.TenantID != uuid.Nil && invitedTo.Status != tenant.Enabled {
		return row, invitedTo, db.NoSuch("invitation")
	}
	return row, invitedTo, nil
}

// AcceptInvitation (system scope) creates the user of an open invitation with the password hash, or proves the address
// of the account that waits for the person and sets its password. It works once: of concurrent calls, one succeeds. It
// fails as Invited does, with a NotFound problem if the account waits no longer, and with a Conflict problem if another
// account has the address by now and does not yield to the proof of the invitation.
func (s *Store) AcceptInvitation(ctx context.Context, scope tenant.Scope, hash [32]byte,
	passwordHash string) (user tenant.User, err error) {
	defer db.Wrap(&err, "accept invitation")

	if err := permission.Program(scope); err != nil {
		return tenant.User{}, err
	}
	err = s.atomically(ctx, func(tx *Store) error {
		row, _, err := tx.invited(ctx, scope, tx.db.NewSelect(), hash)
		if err != nil {
			return err
		}
		switch { // before the invitation, as Arrive and ResetPassword lock them
		case row.UserID != uuid.Nil:
			_, _, err = person.LockUser(ctx, tx.db, person.UserRow{ID: row.UserID, TenantID: row.TenantID})
		case row.TenantID != uuid.Nil:
			err = person.LockCountedOfTenant(ctx, tx.db, row.TenantID)
		}
		if err != nil {
			return err
		}
		// The lock lets one of several concurrent calls see the invitation as open.
		if row, _, err = tx.invited(ctx, scope, tx.db.Lock(tx.db.NewSelect()), hash); err != nil {
			return err
		}
		if row.UserID != uuid.Nil {
			user, err = tx.settle(ctx, scope, row, passwordHash)
		} else {
			user, err = tx.createUser(ctx, scope, NewUser{
				TenantID: row.TenantID, Email: row.Email, Proof: row.Proof, PasswordHash: passwordHash, Role: row.Role,
				GroupID: row.GroupID,
			})
		}
		if err != nil {
			return err
		}
		row.Status = InvitationAccepted
		return tx.saveInvitation(ctx, scope, row, "invitation.accept")
	})
	return user, err
}

// settle hands the account that waits for the person over to that person. An account that was disabled meanwhile is a
// NotFound problem, as if there were no invitation. So is one with a proof: its person has it already, and an old link
// must not replace the password and open a session without the second factor.
func (s *Store) settle(ctx context.Context, scope tenant.Scope, row invitationRow,
	passwordHash string) (tenant.User, error) {
	user, err := person.FindUser(ctx, s.db, row.UserID)
	if err != nil {
		return tenant.User{}, err
	}
	if user.Status != tenant.Enabled || user.Proof != tenant.Unproven {
		return tenant.User{}, db.NoSuch("invitation")
	}
	if err := s.prove(ctx, scope, user.Core(), row.Proof); err != nil {
		return tenant.User{}, err
	}
	return s.updateUser(ctx, scope, row.UserID, UserPatch{PasswordHash: &passwordHash})
}

// closeInvitations marks the pending invitations for the account as accepted: its person has it by another way.
func (s *Store) closeInvitations(ctx context.Context, scope tenant.Scope, user tenant.User) error {
	var rows []invitationRow
	// The address is that of the account, and has an index.
	if err := s.db.Lock(s.db.NewSelect().Model(&rows).Where("email = ?", user.Email).Where("user_id = ?", user.ID).
		Where("status = ?", InvitationPending).OrderExpr("id")).Scan(ctx); err != nil {
		return err
	}
	for _, row := range rows {
		row.Status = InvitationAccepted
		if err := s.saveInvitation(ctx, scope, row, "invitation.accept"); err != nil {
			return err
		}
	}
	return nil
}

// Sweep deletes expired password resets, and invitations that expired more than person.ExpiredRetention ago.
func Sweep(ctx context.Context, tx *db.DB) error {
	if _, err := tx.NewDelete().Model((*resetRow)(nil)).Where("expires_at <= ?", tx.Now()).Exec(ctx); err != nil {
		return err
	}
	_, err := tx.NewDelete().Model((*invitationRow)(nil)).
		Where("expires_at <= ?", tx.Now().Add(-person.ExpiredRetention)).
		Exec(ctx)
	return err
}
