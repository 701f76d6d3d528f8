package identity

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
	"github.com/tollgate/tollgate/libs/store/audit"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/page"
	quotadb "github.com/tollgate/tollgate/libs/store/quota"
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
	Cap          *quotadb.Cap
	Caps         quotadb.CapsPatch
	Limits       limit.Change
}

type UserRow struct {
	bun.BaseModel `bun:"table:users,alias:r"`

	ID           uuid.UUID           `bun:"id,pk,type:uuid"`
	TenantID     uuid.UUID           `bun:"tenant_id,type:uuid,nullzero"`
	Email        string              `bun:"email"`
	PasswordHash string              `bun:"password_hash"`
	Role         tenant.Role         `bun:"role"`
	GroupID      uuid.UUID           `bun:"group_id,type:uuid,nullzero"`
	Status       tenant.Status       `bun:"status"`
	CreatedAt    time.Time           `bun:"created_at"`
	Limits       quotadb.RateColumns `bun:"embed:limit_"`
}

func (r UserRow) key() string { return r.ID.String() }

func (r UserRow) Core() tenant.User {
	return tenant.User{
		ID: r.ID, TenantID: r.TenantID, Email: r.Email, Role: r.Role,
		GroupID: r.GroupID, Status: r.Status, Limits: r.Limits.Core(), CreatedAt: r.CreatedAt,
	}
}

// Capped is the user as an owner of caps.
func (r UserRow) Capped() quotadb.CapRow {
	return quotadb.CapRow{OwnerID: r.ID, Kind: quota.UserCap, TenantID: r.TenantID, UserID: r.ID}
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
	row := UserRow{
		ID: id, TenantID: n.TenantID, Email: n.Email, PasswordHash: n.PasswordHash, Role: n.Role,
		GroupID: n.GroupID, Status: tenant.Enabled, CreatedAt: s.db.Now(),
		Limits: quotadb.RateColumns(n.Limits),
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
		if err := tx.db.Insert(ctx, &row, "email"); err != nil {
			return err
		}
		account := quotadb.AccountRow{ID: id, Kind: quota.UserCap, TenantID: n.TenantID, UserID: id, Granted: n.Cap}
		if err := quotadb.OpenAccount(ctx, tx.db, account); err != nil {
			return err
		}
		noted := audit.Fields{"email": n.Email, "role": n.Role, "group_id": row.GroupID, "quota": n.Cap}
		quotadb.NoteRates(noted, n.Limits)
		if err := quotadb.SetCaps(ctx, tx.db, row.Capped(), quotadb.CapsAt(n.Caps), noted); err != nil {
			return err
		}
		tx.db.Announce(db.UserChanged, id)
		return audit.Record(ctx, tx.db, scope, audit.Mutation{Action: "user.create", Tenant: n.TenantID, Target: id.String(), Detail: noted})
	})
	if err != nil {
		return tenant.User{}, err
	}
	return row.Core(), nil
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
		return db.NoSuch("tenant")
	}
	return db.First(mayGive(scope, n.Role), tenant.CheckEmail(n.Email), quotadb.CheckCap(n.Cap), n.Limits.Check())
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
		return wanted, db.Unknown(catalogdb.CheckGroup(ctx, s.db, wanted), "group_id")
	}
	maker, err := FindUser(ctx, s.db, scope.Actor())
	if err != nil {
		return uuid.Nil, err
	}
	if wanted != uuid.Nil && wanted != maker.GroupID {
		return uuid.Nil, db.Unknown(db.NoSuch("group"), "group_id")
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
	var row UserRow
	err := s.writeAs(ctx, scope, func(tx *Store) (err error) {
		if row, err = FindUser(ctx, tx.db, id); err != nil {
			return err
		}
		if !scope.Reaches(row.TenantID) {
			return db.NoSuch("user")
		}
		before, leads, err := LockUser(ctx, tx.db, row)
		if err != nil {
			return err
		}
		row = before
		changed := audit.Fields{}
		audit.Assign(changed, "role", &row.Role, p.Role)
		audit.Assign(changed, "group_id", &row.GroupID, p.GroupID)
		audit.Assign(changed, "status", &row.Status, p.Status)
		audit.Assign(changed, "password", &row.PasswordHash, p.PasswordHash)
		row.Limits.Assign(changed, p.Limits)
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
	return row.Core(), nil
}

type userChange struct {
	changed audit.Fields
	cap     *quotadb.Cap
	caps    quotadb.CapsPatch
}

func (s *Store) saveUser(ctx context.Context, scope tenant.Scope, row UserRow, c userChange) error {
	if len(c.changed) > 0 {
		_, err := s.db.NewUpdate().Model(&row).Column("role", "group_id", "status", "password_hash").Column(quotadb.RateNames[:]...).WherePK().Exec(ctx)
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
	if err := quotadb.SetCap(ctx, s.db, row.ID, c.cap, c.changed); err != nil {
		return err
	}
	if err := quotadb.SetCaps(ctx, s.db, row.Capped(), c.caps, c.changed); err != nil || len(c.changed) == 0 {
		return err
	}
	s.db.Announce(db.UserChanged, row.ID)
	return audit.Record(ctx, s.db, scope, audit.Mutation{Action: "user.update", Tenant: row.TenantID, Target: row.ID.String(), Detail: c.changed})
}

// checkUserChange holds the rules of who may make what of whom.
func (s *Store) checkUserChange(ctx context.Context, scope tenant.Scope, before, after UserRow) error {
	if scope.Role() == tenant.Admin && before.Role == tenant.Owner {
		return problem.New(problem.Forbidden, "only an owner changes owners")
	}
	if err := db.First(db.CheckStatus(after.Status), after.Limits.Core().Check()); err != nil {
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

func (s *Store) checkRegroup(ctx context.Context, scope tenant.Scope, after UserRow) error {
	if !scope.Everywhere() {
		return problem.New(problem.Forbidden, "only an operator changes a user's group").At("group_id")
	}
	if after.Role == tenant.Operator {
		return problem.New(problem.InvalidType, "operators belong to no group").At("group_id")
	}
	return db.Unknown(catalogdb.CheckGroup(ctx, s.db, after.GroupID), "group_id")
}

// LockUser reads the user again under a lock, together with the enabled owners
// of the tenant (or the enabled operators), so that two of them cannot leave
// at once. All are locked in the order of their ids.
func LockUser(ctx context.Context, tx *db.DB, user UserRow) (fresh UserRow, leads int, err error) {
	var rows []UserRow
	peers := tx.NewSelect().Model(&rows).Where("id = ?", user.ID).OrderExpr("id")
	if user.TenantID == uuid.Nil {
		peers = peers.WhereOr("tenant_id IS NULL AND status = ?", tenant.Enabled)
	} else {
		peers = peers.WhereOr("tenant_id = ? AND role = ? AND status = ?", user.TenantID, tenant.Owner, tenant.Enabled)
	}
	if err := tx.Lock(peers).Scan(ctx); err != nil {
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
func (r UserRow) leads() bool {
	return (r.Role == tenant.Owner || r.Role == tenant.Operator) && r.Status == tenant.Enabled
}

// User returns a user in reach: members reach themselves alone.
func (s *Store) User(ctx context.Context, scope tenant.Scope, id uuid.UUID) (tenant.User, error) {
	self := id == scope.Actor() && scope.Role() != ""
	if err := permission.Check(scope, permission.ReadMembers); err != nil && !self {
		return tenant.User{}, err
	}
	var row UserRow
	err := s.readAs(ctx, scope, func(in *Store) (err error) {
		row, err = FindUser(ctx, in.db, id)
		return err
	})
	if err != nil {
		return tenant.User{}, err
	}
	if !scope.Reaches(row.TenantID) {
		return tenant.User{}, db.NoSuch("user")
	}
	return row.Core(), nil
}

// FindUser reads a user whoever asks.
func FindUser(ctx context.Context, tx *db.DB, id uuid.UUID) (row UserRow, err error) {
	err = tx.NewSelect().Model(&row).Where("id = ?", id).Scan(ctx)
	return row, db.Missing(err, "user")
}

// UserByEmail needs a system scope: it serves sign-in and the manifest.
func (s *Store) UserByEmail(ctx context.Context, scope tenant.Scope, email string) (user tenant.User, passwordHash string, err error) {
	if err := db.ProgramOnly(scope); err != nil {
		return tenant.User{}, "", err
	}
	var row UserRow
	err = s.db.NewSelect().Model(&row).Where("email = ?", db.Clean(strings.ToLower(email))).Scan(ctx)
	if err != nil {
		return tenant.User{}, "", db.Missing(err, "user")
	}
	return row.Core(), row.PasswordHash, nil
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
	var rows []UserRow
	err := s.readAs(ctx, scope, func(in *Store) error {
		return in.db.NewSelect().Model(&rows).Column("id", "tenant_id", "email").Where("id IN (?)", bun.List(ids)).Scan(ctx)
	})
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		if db.ReachesUser(scope, row.TenantID, row.ID) {
			emails[row.ID] = row.Email
		}
	}
	return emails, nil
}

// Users lists the users of one tenant, or of all that the scope reaches for
// uuid.Nil, oldest first. It searches e-mail addresses and ids.
func (s *Store) Users(ctx context.Context, scope tenant.Scope, tenantID uuid.UUID, asked page.Page) (page.List[tenant.User], error) {
	if err := permission.Check(scope, permission.ReadMembers); err != nil {
		return page.List[tenant.User]{}, err
	}
	var found page.List[tenant.User]
	err := s.readAs(ctx, scope, func(in *Store) error {
		q, err := db.InTenant(in.db.NewSelect(), scope, tenantID)
		if err != nil {
			return err
		}
		found, err = page.RowsOf(page.OldestFirst, UserRow.key, UserRow.Core).Search(ctx, in.db, q, asked, page.Fields{Texts: []string{"email"}})
		return err
	})
	return found, err
}

// FindPerson returns the user with his tenant; a NotFound problem where one of
// them is disabled.
func FindPerson(ctx context.Context, tx *db.DB, scope tenant.Scope, row *UserRow) (user tenant.User, home tenant.Tenant, err error) {
	user = row.Core()
	if user.Status != tenant.Enabled {
		return user, home, db.NoSuch("user")
	}
	if user.TenantID == uuid.Nil {
		return user, home, nil
	}
	if home, err = New(tx).Tenant(ctx, scope, user.TenantID); err == nil && home.Status != tenant.Enabled {
		err = db.NoSuch("tenant")
	}
	return user, home, err
}

// SeenEvery is the precision of the moment at which something was used last.
const SeenEvery = time.Minute

// endAccess ends the sessions and password resets of a user. Both belong to
// package signin, which imports this one.
func (s *Store) endAccess(ctx context.Context, userID uuid.UUID) error {
	for _, table := range []string{"sessions", "password_resets"} {
		if _, err := s.db.NewDelete().Table(table).Where("user_id = ?", userID).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}
