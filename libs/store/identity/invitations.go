package identity

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/person"
)

// InvitationStatus says what became of an invitation.
type InvitationStatus string

// The statuses. A pending one may have expired.
const (
	InvitationPending  InvitationStatus = "pending"
	InvitationAccepted InvitationStatus = "accepted"
	InvitationRevoked  InvitationStatus = "revoked"
)

// maxInvitations is how many of a tenant are open at once.
const maxInvitations = 200

// Invitation asks a person to become a user.
type Invitation struct {
	ID        uuid.UUID
	TenantID  uuid.UUID // uuid.Nil: to run the platform
	Email     string    // lower case
	Role      tenant.Role
	GroupID   uuid.UUID
	Inviter   string // e-mail address
	Status    InvitationStatus
	CreatedAt time.Time
	SentAt    time.Time // when its link was made
	ExpiresAt time.Time
}

// NewInvitation is what CreateInvitation stores.
type NewInvitation struct {
	TenantID  uuid.UUID // uuid.Nil for operators
	Email     string
	Role      tenant.Role
	GroupID   uuid.UUID // as in NewUser
	Hash      [32]byte  // of the secret in the link
	ExpiresAt time.Time
}

type invitationRow struct {
	bun.BaseModel `bun:"table:invitations,alias:r"`

	ID        uuid.UUID        `bun:"id,pk,type:uuid"`
	Hash      []byte           `bun:"hash"`
	TenantID  uuid.UUID        `bun:"tenant_id,type:uuid,nullzero"`
	Email     string           `bun:"email"`
	Role      tenant.Role      `bun:"role"`
	GroupID   uuid.UUID        `bun:"group_id,type:uuid,nullzero"`
	Inviter   string           `bun:"inviter"`
	Status    InvitationStatus `bun:"status"`
	CreatedAt time.Time        `bun:"created_at"`
	SentAt    time.Time        `bun:"sent_at"`
	ExpiresAt time.Time        `bun:"expires_at"`
}

func (r invitationRow) key() string { return r.ID.String() }

func (r invitationRow) core() Invitation {
	return Invitation{
		ID: r.ID, TenantID: r.TenantID, Email: r.Email, Role: r.Role, GroupID: r.GroupID, Inviter: r.Inviter,
		Status: r.Status, CreatedAt: r.CreatedAt, SentAt: r.SentAt, ExpiresAt: r.ExpiresAt,
	}
}

func (r invitationRow) open(now time.Time) bool {
	return r.Status == InvitationPending && r.ExpiresAt.After(now)
}

// CreateInvitation stores an invitation under the hash of its secret. Who may
// make a user may invite him, see CreateUser. It is a Conflict where there is a
// user in reach with the address, or an invitation that is open. That somebody
// out of reach has the address is told to who accepts, not to who invites.
func (s *Store) CreateInvitation(ctx context.Context, scope tenant.Scope, n NewInvitation) (_ Invitation, err error) {
	defer db.Wrap(&err, "create invitation")

	n.Email = strings.ToLower(n.Email)
	asked := NewUser{TenantID: n.TenantID, Email: n.Email, Role: n.Role, GroupID: n.GroupID}
	if err := field.First(permission.Check(scope, permission.InviteMembers), checkNewUser(scope, asked)); err != nil {
		return Invitation{}, err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return Invitation{}, err
	}
	now := s.db.Now()
	row := invitationRow{
		ID: id, Hash: n.Hash[:], TenantID: n.TenantID, Email: n.Email, Role: n.Role, GroupID: n.GroupID, Inviter: field.Clean(scope.Name()),
		Status: InvitationPending, CreatedAt: now, SentAt: now, ExpiresAt: field.Micros(n.ExpiresAt),
	}
	err = s.writeAs(ctx, scope, func(tx *Store) error {
		if err := tx.mayInvite(ctx, scope, &row); err != nil {
			return err
		}
		if err := tx.db.Insert(ctx, &row, "invitation"); err != nil {
			return err
		}
		noted := field.Changes{"email": row.Email, "role": row.Role, "group_id": row.GroupID, "expires_at": row.ExpiresAt}
		return tx.db.Record(ctx, scope, db.Mutation{Action: "invitation.create", Tenant: row.TenantID, Target: id.String(), Detail: noted})
	})
	if err != nil {
		return Invitation{}, err
	}
	return row.core(), nil
}

// mayInvite finds tenant and group, and what is in the way.
func (s *Store) mayInvite(ctx context.Context, scope tenant.Scope, row *invitationRow) (err error) {
	if row.Role != tenant.Operator {
		if _, err := s.Tenant(ctx, scope, row.TenantID); err != nil {
			return err
		}
		if row.GroupID, err = s.groupFor(ctx, scope, row.GroupID); err != nil {
			return err
		}
	}
	taken := s.db.NewSelect().Model((*person.UserRow)(nil)).Where("email = ?", row.Email)
	if !scope.Everywhere() {
		taken = taken.Where("tenant_id = ?", row.TenantID)
	}
	exists, err := taken.Exists(ctx)
	if err != nil {
		return err
	}
	if exists {
		return problem.New(problem.Conflict, "this email is taken").At("email")
	}
	return s.roomToInvite(ctx, row)
}

func (s *Store) roomToInvite(ctx context.Context, row *invitationRow) error {
	open := func() *bun.SelectQuery {
		q := s.db.NewSelect().Model((*invitationRow)(nil)).Where("status = ?", InvitationPending).Where("expires_at > ?", s.db.Now())
		if row.TenantID == uuid.Nil {
			return q.Where("tenant_id IS NULL")
		}
		return q.Where("tenant_id = ?", row.TenantID)
	}
	invited, err := open().Where("email = ?", row.Email).Exists(ctx)
	if err != nil {
		return err
	}
	if invited {
		return problem.New(problem.Conflict, "this address is invited already: send that invitation again, or revoke it").At("email")
	}
	count, err := open().Count(ctx)
	if err == nil && count >= maxInvitations {
		return problem.New(problem.Conflict, "there are %d open invitations: revoke some", maxInvitations)
	}
	return err
}

// Invitations lists those to one tenant, or to all that the scope reaches for
// uuid.Nil, newest first.
func (s *Store) Invitations(ctx context.Context, scope tenant.Scope, tenantID uuid.UUID, asked page.Page) (_ page.List[Invitation], err error) {
	defer db.Wrap(&err, "read invitations")

	if err := permission.Check(scope, permission.InviteMembers); err != nil {
		return page.List[Invitation]{}, err
	}
	var found page.List[Invitation]
	err = s.readAs(ctx, scope, func(in *Store) error {
		q, err := db.InTenant(in.db.NewSelect(), scope, tenantID)
		if err != nil {
			return err
		}
		found, err = page.RowsOf(page.NewestFirst, invitationRow.key, invitationRow.core).Read(ctx, q, asked)
		return err
	})
	return found, err
}

// RenewInvitation gives a pending invitation a new secret and its whole time
// again. The old secret is void.
func (s *Store) RenewInvitation(ctx context.Context, scope tenant.Scope, id uuid.UUID, hash [32]byte) (_ Invitation, err error) {
	defer db.Wrap(&err, "read renew invitation")

	return s.changeInvitation(ctx, scope, id, func(tx *Store, row *invitationRow) (string, error) {
		if row.Status != InvitationPending {
			return "", problem.New(problem.Conflict, "the invitation is %s", row.Status)
		}
		now := tx.db.Now()
		row.Hash, row.SentAt, row.ExpiresAt = hash[:], now, now.Add(row.ExpiresAt.Sub(row.SentAt))
		return "invitation.resend", nil
	})
}

// RevokeInvitation voids an invitation. Revoking it again does nothing; an
// accepted one is a Conflict.
func (s *Store) RevokeInvitation(ctx context.Context, scope tenant.Scope, id uuid.UUID) (_ Invitation, err error) {
	defer db.Wrap(&err, "revoke invitation")

	return s.changeInvitation(ctx, scope, id, func(_ *Store, row *invitationRow) (string, error) {
		switch row.Status {
		case InvitationAccepted:
			return "", problem.New(problem.Conflict, "the invitation is accepted")
		case InvitationRevoked:
			return "", nil
		}
		row.Status = InvitationRevoked
		return "invitation.revoke", nil
	})
}

// changeInvitation changes one in reach, to a role that the scope may give.
// change returns what it did, "" for nothing.
func (s *Store) changeInvitation(ctx context.Context, scope tenant.Scope, id uuid.UUID, change func(*Store, *invitationRow) (string, error)) (Invitation, error) {
	if err := permission.Check(scope, permission.InviteMembers); err != nil {
		return Invitation{}, err
	}
	var row invitationRow
	err := s.writeAs(ctx, scope, func(tx *Store) error {
		if err := tx.db.Lock(tx.db.NewSelect().Model(&row).Where("id = ?", id)).Scan(ctx); err != nil {
			return db.Missing(err, "invitation")
		}
		if !scope.Reaches(row.TenantID) {
			return db.NoSuch("invitation")
		}
		if err := mayGive(scope, row.Role); err != nil {
			return err
		}
		did, err := change(tx, &row)
		if err != nil || did == "" {
			return err
		}
		return tx.saveInvitation(ctx, scope, row, did)
	})
	if err != nil {
		return Invitation{}, err
	}
	return row.core(), nil
}

func (s *Store) saveInvitation(ctx context.Context, scope tenant.Scope, row invitationRow, did string) error {
	if err := s.db.Update(ctx, s.db.NewUpdate().Model(&row).Column("hash", "status", "sent_at", "expires_at"), "invitation"); err != nil {
		return err
	}
	noted := field.Changes{"email": row.Email, "expires_at": row.ExpiresAt}
	return s.db.Record(ctx, scope, db.Mutation{Action: did, Tenant: row.TenantID, Target: row.ID.String(), Detail: noted})
}

// Invited (system scope) returns the open invitation with the hash of its
// secret, and the tenant it is to, which is zero for operators. It is NotFound
// where the invitation is used, revoked or expired, or the tenant disabled.
func (s *Store) Invited(ctx context.Context, scope tenant.Scope, hash [32]byte) (_ Invitation, _ tenant.Tenant, err error) {
	defer db.Wrap(&err, "read invited")

	if err := permission.Program(scope); err != nil {
		return Invitation{}, tenant.Tenant{}, err
	}
	row, home, err := s.invited(ctx, scope, s.db.NewSelect(), hash)
	return row.core(), home, err
}

func (s *Store) invited(ctx context.Context, scope tenant.Scope, q *bun.SelectQuery, hash [32]byte) (row invitationRow, home tenant.Tenant, err error) {
	if err := q.Model(&row).Where("hash = ?", hash[:]).Scan(ctx); err != nil {
		return row, home, db.Missing(err, "invitation")
	}
	if row.TenantID != uuid.Nil {
		if home, err = s.Tenant(ctx, scope, row.TenantID); err != nil {
			return row, home, err
		}
	}
	if !row.open(s.db.Now()) || row.TenantID != uuid.Nil && home.Status != tenant.Enabled {
		return row, home, db.NoSuch("invitation")
	}
	return row, home, nil
}

// AcceptInvitation (system scope) makes the user that an open invitation is
// for, once. It fails as Invited does, and is a Conflict where somebody has the
// address by now.
func (s *Store) AcceptInvitation(ctx context.Context, scope tenant.Scope, hash [32]byte, passwordHash string) (user tenant.User, err error) {
	defer db.Wrap(&err, "accept invitation")

	if err := permission.Program(scope); err != nil {
		return tenant.User{}, err
	}
	err = s.atomically(ctx, func(tx *Store) error {
		row, _, err := tx.invited(ctx, scope, tx.db.Lock(tx.db.NewSelect()), hash)
		if err != nil {
			return err
		}
		user, err = tx.CreateUser(ctx, scope, NewUser{
			TenantID: row.TenantID, Email: row.Email, PasswordHash: passwordHash, Role: row.Role, GroupID: row.GroupID,
		})
		if err != nil {
			return err
		}
		row.Status = InvitationAccepted
		return tx.saveInvitation(ctx, scope, row, "invitation.accept")
	})
	return user, err
}

// Sweep deletes invitations that expired long ago, and password resets that
// expired.
func Sweep(ctx context.Context, tx *db.DB) error {
	if _, err := tx.NewDelete().Model((*resetRow)(nil)).Where("expires_at <= ?", tx.Now()).Exec(ctx); err != nil {
		return err
	}
	_, err := tx.NewDelete().Model((*invitationRow)(nil)).Where("expires_at <= ?", tx.Now().Add(-person.ExpiredKept)).Exec(ctx)
	return err
}
