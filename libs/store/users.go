package store

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/limit"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

// NewUser is what CreateUser makes. Operators have the role Operator, no
// tenant and no group.
type NewUser struct {
	TenantID     uuid.UUID
	Email        string // stored in lower case
	PasswordHash string
	Role         tenant.Role
	GroupID      uuid.UUID     // who is no operator makes users of his own group only; uuid.Nil means that
	Cap          *money.Amount // nil: unlimited
	Caps         quota.Caps
	Limits       limit.Limits
}

// UserPatch changes the fields that are not nil.
type UserPatch struct {
	Role         *tenant.Role
	GroupID      *uuid.UUID
	Status       *tenant.Status
	PasswordHash *string
	Cap          *Cap
	Caps         CapsPatch
	Limits       limit.Change
}

type userRow struct {
	bun.BaseModel `bun:"table:users,alias:r"`

	ID           uuid.UUID     `bun:"id,pk,type:uuid"`
	TenantID     uuid.UUID     `bun:"tenant_id,type:uuid,nullzero"`
	Email        string        `bun:"email"`
	PasswordHash string        `bun:"password_hash"`
	Role         tenant.Role   `bun:"role"`
	GroupID      uuid.UUID     `bun:"group_id,type:uuid,nullzero"`
	Status       tenant.Status `bun:"status"`
	CreatedAt    time.Time     `bun:"created_at"`
	Limits       limitColumns  `bun:"embed:limit_"`
}

func (r userRow) key() string { return r.ID.String() }

func (r userRow) core() tenant.User {
	return tenant.User{
		ID: r.ID, TenantID: r.TenantID, Email: r.Email, Role: r.Role,
		GroupID: r.GroupID, Status: r.Status, Limits: r.Limits.core(), CreatedAt: r.CreatedAt,
	}
}

// capped is the user as an owner of caps.
func (r userRow) capped() capRow {
	return capRow{OwnerID: r.ID, Kind: quota.UserCap, TenantID: r.TenantID, UserID: r.ID}
}

// CreateUser stores a user with the account of its cap. Only an owner or an
// operator makes owners, only an operator makes operators.
func (s *Store) CreateUser(ctx context.Context, scope tenant.Scope, n NewUser) (tenant.User, error) {
	n.Email = strings.ToLower(n.Email)
	if err := checkNewUser(scope, n); err != nil {
		return tenant.User{}, err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return tenant.User{}, err
	}
	row := userRow{
		ID: id, TenantID: n.TenantID, Email: n.Email, PasswordHash: n.PasswordHash, Role: n.Role,
		GroupID: n.GroupID, Status: tenant.Enabled, CreatedAt: s.now(),
		Limits: limitColumns(n.Limits),
	}
	err = s.writeAs(ctx, scope, func(tx *Store) error {
		if n.Role != tenant.Operator {
			if _, err := tx.Tenant(ctx, scope, n.TenantID); err != nil {
				return err
			}
			if row.GroupID, err = tx.groupFor(ctx, scope, n.GroupID); err != nil {
				return err
			}
		}
		if err := tx.insert(ctx, &row, "email"); err != nil {
			return err
		}
		account := accountRow{ID: id, Kind: quota.UserCap, TenantID: n.TenantID, UserID: id, Granted: n.Cap}
		if err := tx.openAccount(ctx, account); err != nil {
			return err
		}
		noted := fields{"email": n.Email, "role": n.Role, "group_id": row.GroupID, "quota": n.Cap}
		noteLimits(noted, n.Limits)
		if err := tx.setCaps(ctx, row.capped(), capsAt(n.Caps), noted); err != nil {
			return err
		}
		tx.announce(UserChanged, id)
		return tx.audit(ctx, scope, deed{"user.create", n.TenantID, id.String(), noted})
	})
	if err != nil {
		return tenant.User{}, err
	}
	return row.core(), nil
}

func checkNewUser(scope tenant.Scope, n NewUser) error {
	if err := permission.Check(scope, permission.WriteMembers); err != nil {
		return err
	}
	if n.Role == tenant.Operator {
		if n.TenantID != uuid.Nil || n.GroupID != uuid.Nil {
			return problem.New(problem.InvalidType, "operators belong to no tenant and no group").At("role")
		}
	} else if !scope.Reaches(n.TenantID) {
		return noSuch("tenant")
	}
	return first(mayGive(scope, n.Role), tenant.CheckEmail(n.Email), checkCap(n.Cap), n.Limits.Check())
}

// mayGive tells whether the scope may make somebody of the role.
func mayGive(scope tenant.Scope, role tenant.Role) error {
	switch {
	case role == tenant.Operator:
		return permission.Check(scope, permission.WritePlatform)
	case !role.Valid():
		return problem.New(problem.InvalidType, "a role is owner, admin or member").At("role")
	case role == tenant.Owner && scope.Role() == tenant.Admin:
		return problem.New(problem.Forbidden, "only an owner makes owners").At("role")
	}
	return nil
}

// groupFor returns the group of a new user: whichever an operator names, and
// the maker's own for everybody else.
func (s *Store) groupFor(ctx context.Context, scope tenant.Scope, wanted uuid.UUID) (uuid.UUID, error) {
	if scope.Everywhere() {
		return wanted, unknown(s.checkGroup(ctx, wanted), "group_id")
	}
	maker, err := s.user(ctx, scope.Actor())
	if err != nil {
		return uuid.Nil, err
	}
	if wanted != uuid.Nil && wanted != maker.GroupID {
		return uuid.Nil, unknown(noSuch("group"), "group_id")
	}
	return maker.GroupID, nil
}

// UpdateUser changes a user. Changing a user's role, status or password ends
// his sessions and password resets. A user may always change his own password; admins do not touch
// owners; only operators change groups; the last enabled owner of a tenant,
// and the last enabled operator, can neither be demoted nor disabled.
func (s *Store) UpdateUser(ctx context.Context, scope tenant.Scope, id uuid.UUID, p UserPatch) (tenant.User, error) {
	ownPassword := p.PasswordHash != nil && p == UserPatch{PasswordHash: p.PasswordHash} && id == scope.Actor() && scope.Role() != ""
	if err := permission.Check(scope, permission.WriteMembers); err != nil && !ownPassword {
		return tenant.User{}, err
	}
	var row userRow
	err := s.writeAs(ctx, scope, func(tx *Store) (err error) {
		if row, err = tx.user(ctx, id); err != nil {
			return err
		}
		if !scope.Reaches(row.TenantID) {
			return noSuch("user")
		}
		before, leads, err := tx.lockUser(ctx, row)
		if err != nil {
			return err
		}
		row = before
		changed := fields{}
		assign(changed, "role", &row.Role, p.Role)
		assign(changed, "group_id", &row.GroupID, p.GroupID)
		assign(changed, "status", &row.Status, p.Status)
		assign(changed, "password", &row.PasswordHash, p.PasswordHash)
		row.Limits.assign(changed, p.Limits)
		if _, secret := changed["password"]; secret {
			changed["password"] = "changed"
		}
		if err := tx.checkUserChange(ctx, scope, before, row); err != nil {
			return err
		}
		if before.leads() && leads == 1 && (row.Role != before.Role || !row.leads()) {
			return problem.New(problem.Conflict, "the last enabled %s must stay", before.Role)
		}
		return tx.saveUser(ctx, scope, row, userChange{changed: changed, cap: p.Cap, caps: p.Caps})
	})
	if err != nil {
		return tenant.User{}, err
	}
	return row.core(), nil
}

type userChange struct {
	changed fields
	cap     *Cap
	caps    CapsPatch
}

func (s *Store) saveUser(ctx context.Context, scope tenant.Scope, row userRow, c userChange) error {
	if len(c.changed) > 0 {
		_, err := s.db.NewUpdate().Model(&row).Column("role", "group_id", "status", "password_hash").Column(limitNames[:]...).WherePK().Exec(ctx)
		if err != nil {
			return err
		}
	}
	for _, ending := range []string{"role", "status", "password"} {
		if _, ends := c.changed[ending]; ends {
			if err := s.endAccess(ctx, row.ID); err != nil {
				return err
			}
			break
		}
	}
	if err := s.setCap(ctx, row.ID, c.cap, c.changed); err != nil {
		return err
	}
	if err := s.setCaps(ctx, row.capped(), c.caps, c.changed); err != nil || len(c.changed) == 0 {
		return err
	}
	s.announce(UserChanged, row.ID)
	return s.audit(ctx, scope, deed{"user.update", row.TenantID, row.ID.String(), c.changed})
}

// checkUserChange holds the rules of who may make what of whom.
func (s *Store) checkUserChange(ctx context.Context, scope tenant.Scope, before, after userRow) error {
	if scope.Role() == tenant.Admin && before.Role == tenant.Owner {
		return problem.New(problem.Forbidden, "only an owner changes owners")
	}
	if err := first(checkStatus(after.Status), after.Limits.core().Check()); err != nil {
		return err
	}
	if after.Role != before.Role {
		if before.Role == tenant.Operator || after.Role == tenant.Operator {
			return problem.New(problem.InvalidType, "operators stay operators, and nobody else becomes one").At("role")
		}
		if err := mayGive(scope, after.Role); err != nil {
			return err
		}
	}
	if after.GroupID != before.GroupID {
		if err := s.checkRegroup(ctx, scope, after); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) checkRegroup(ctx context.Context, scope tenant.Scope, after userRow) error {
	if !scope.Everywhere() {
		return problem.New(problem.Forbidden, "only an operator changes a user's group").At("group_id")
	}
	if after.Role == tenant.Operator {
		return problem.New(problem.InvalidType, "operators belong to no group").At("group_id")
	}
	return unknown(s.checkGroup(ctx, after.GroupID), "group_id")
}

// lockUser reads the user again under a lock, together with the enabled owners
// of his tenant (or the enabled operators), so that two of them cannot leave
// at once. All are locked in the order of their ids.
func (s *Store) lockUser(ctx context.Context, user userRow) (fresh userRow, leads int, err error) {
	var rows []userRow
	peers := s.db.NewSelect().Model(&rows).Where("id = ?", user.ID).OrderExpr("id")
	if user.TenantID == uuid.Nil {
		peers = peers.WhereOr("tenant_id IS NULL AND status = ?", tenant.Enabled)
	} else {
		peers = peers.WhereOr("tenant_id = ? AND role = ? AND status = ?", user.TenantID, tenant.Owner, tenant.Enabled)
	}
	if err := s.lock(peers).Scan(ctx); err != nil {
		return user, 0, err
	}
	for _, row := range rows {
		if row.ID == user.ID {
			fresh = row
		}
		if row.leads() {
			leads++
		}
	}
	return fresh, leads, nil
}

// leads reports whether a tenant, or the platform, would miss this user.
func (r userRow) leads() bool {
	return (r.Role == tenant.Owner || r.Role == tenant.Operator) && r.Status == tenant.Enabled
}

// User returns a user in reach: members reach themselves alone.
func (s *Store) User(ctx context.Context, scope tenant.Scope, id uuid.UUID) (tenant.User, error) {
	self := id == scope.Actor() && scope.Role() != ""
	if err := permission.Check(scope, permission.ReadMembers); err != nil && !self {
		return tenant.User{}, err
	}
	var row userRow
	err := s.readAs(ctx, scope, func(in *Store) (err error) {
		row, err = in.user(ctx, id)
		return err
	})
	if err != nil {
		return tenant.User{}, err
	}
	if !scope.Reaches(row.TenantID) {
		return tenant.User{}, noSuch("user")
	}
	return row.core(), nil
}

// user reads a user whoever asks.
func (s *Store) user(ctx context.Context, id uuid.UUID) (row userRow, err error) {
	err = s.db.NewSelect().Model(&row).Where("id = ?", id).Scan(ctx)
	return row, missing(err, "user")
}

// UserByEmail needs a system scope: it serves sign-in and the catalogue.
func (s *Store) UserByEmail(ctx context.Context, scope tenant.Scope, email string) (user tenant.User, passwordHash string, err error) {
	if err := run(scope); err != nil {
		return tenant.User{}, "", err
	}
	var row userRow
	err = s.db.NewSelect().Model(&row).Where("email = ?", clean(strings.ToLower(email))).Scan(ctx)
	if err != nil {
		return tenant.User{}, "", missing(err, "user")
	}
	return row.core(), row.PasswordHash, nil
}

// UserEmails returns the e-mail addresses of those of the given users whose
// usage is in reach: members reach themselves alone.
func (s *Store) UserEmails(ctx context.Context, scope tenant.Scope, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	if err := permission.Check(scope, permission.ReadUsage); err != nil {
		return nil, err
	}
	emails := make(map[uuid.UUID]string, len(ids))
	if len(ids) == 0 {
		return emails, nil
	}
	var rows []userRow
	err := s.readAs(ctx, scope, func(in *Store) error {
		return in.db.NewSelect().Model(&rows).Column("id", "tenant_id", "email").Where("id IN (?)", bun.List(ids)).Scan(ctx)
	})
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		if reachesUser(scope, row.TenantID, row.ID) {
			emails[row.ID] = row.Email
		}
	}
	return emails, nil
}

// Users lists the users of one tenant, or of all that the scope reaches for
// uuid.Nil, oldest first. It searches e-mail addresses and ids.
func (s *Store) Users(ctx context.Context, scope tenant.Scope, tenantID uuid.UUID, page Page) (List[tenant.User], error) {
	if err := permission.Check(scope, permission.ReadMembers); err != nil {
		return List[tenant.User]{}, err
	}
	var found List[tenant.User]
	err := s.readAs(ctx, scope, func(in *Store) error {
		q, err := inTenant(in.db.NewSelect(), scope, tenantID)
		if err != nil {
			return err
		}
		found, err = search[userRow, tenant.User](ctx, in.db, q, page, oldestFirst, searchable{texts: []string{"email"}})
		return err
	})
	return found, err
}
