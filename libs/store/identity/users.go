package identity

import (
	"context"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/email"
	"github.com/tollgate/tollgate/libs/core/language"
	"github.com/tollgate/tollgate/libs/core/limit"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/person"
	quotadb "github.com/tollgate/tollgate/libs/store/quota"
)

// NewUser holds the parameters of CreateUser. An operator has the role Operator, no tenant and no group. Cap,
// Caps and Limits have the meaning of those of UserPatch.
type NewUser struct {
	TenantID     uuid.UUID
	Email        string // stored in the form of email.Normalize
	PasswordHash string
	// Proof of the address. Only operators and programs choose it, and "" means tenant.Vouched; accounts that others
	// make have none.
	Proof tenant.Proof
	Role  tenant.Role
	// Claim makes an account that cannot sign in until its person proves the address, by an invitation for it.
	Claim bool
	// GroupID is the user's group. Only operators choose it: others pass uuid.Nil or their own group, and the user
	// gets their group.
	GroupID uuid.UUID
	Cap     *money.Amount // nil: unlimited
	Caps    quota.Caps
	Limits  limit.Limits
}

// UserPatch changes the fields that are not nil. Cap is the most that the user's tokens may spend in all, Caps
// the same per day, week and month, Limits the rate limits of all the user's tokens together. A disabled user
// cannot sign in, and the user's tokens cannot call models.
type UserPatch struct {
	Role         *tenant.Role
	GroupID      *uuid.UUID
	Status       *tenant.Status
	PasswordHash *string
	// OldPasswordHash is the hash that the caller has checked the old password with; nil: no password was checked.
	OldPasswordHash *string
	Cap             *quotadb.Cap
	Caps            quotadb.CapsPatch
	Limits          limit.Change
}

// CreateUser stores a user with the account of the user's cap. Members may not call it; the rules for the
// others are in the package comment: only an owner or an operator creates owners, only an operator creates
// operators. An address that a user of the same tenant has is a Conflict problem.
//
// Users of a tenant must not learn who else is on the platform. If their new user's address belongs to an account of
// another tenant, they get the same result, and the new user claims the address (see person.UserRow). Operators and
// programs get a Conflict problem if the address is proven by more than a link that was handed over, and otherwise take
// it from the account that has it.
func (s *Store) CreateUser(ctx context.Context, actor permission.Confirmed, n NewUser) (_ tenant.User, err error) {
	defer db.Wrap(&err, "create user")

	return s.createUser(ctx, actor.Scope(), n)
}

// createUser does what CreateUser does, for callers that have another proof than a confirmation, such as the secret of
// a link.
func (s *Store) createUser(ctx context.Context, scope tenant.Scope, n NewUser) (_ tenant.User, err error) {
	n.Email = email.Normalize(n.Email)
	if err := checkNewUser(scope, n); err != nil {
		return tenant.User{}, err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return tenant.User{}, err
	}
	row := person.UserRow{
		ID: id, TenantID: n.TenantID, Address: n.Email, Proof: proofOf(scope, n), Role: n.Role,
		GroupID: n.GroupID, Status: tenant.Enabled, CreatedAt: s.db.Now(),
		Limits: field.RateColumns(n.Limits),
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
		if err := tx.insertUser(ctx, scope, &row, n); err != nil {
			return err
		}
		account := quotadb.AccountRow{ID: id, Kind: quota.UserCap, TenantID: n.TenantID, UserID: id, Granted: n.Cap}
		if err := quotadb.OpenAccount(ctx, tx.db, account); err != nil {
			return err
		}
		detail := field.Changes{"email": n.Email, "role": n.Role, "group_id": row.GroupID, "quota": n.Cap}
		field.NoteRates(detail, n.Limits)
		if err := quotadb.SetCaps(ctx, tx.db, quotadb.OfUser(row.TenantID, row.ID), nil, quotadb.CapsAt(n.Caps),
			detail); err != nil {
			return err
		}
		tx.db.Announce(db.UserChanged, id)
		return tx.db.Record(ctx, scope, db.Mutation{Action: "user.create", Tenant: n.TenantID, Target: id.String(),
			Detail: detail})
	})
	if err != nil {
		return tenant.User{}, err
	}
	return row.Core(), nil
}

// checkNewUser returns a problem unless the scope may create this user and its fields are valid.
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
	return field.First(checkAssignable(scope, n.Role), email.Check(n.Email), quotadb.CheckCap(n.Cap),
		tenant.CheckLimits(n.Limits))
}

// checkAssignable returns a problem unless the role exists and the scope may assign it.
func checkAssignable(scope tenant.Scope, role tenant.Role) error {
	switch {
	case role == tenant.Operator:
		return permission.Check(scope, permission.WritePlatform)
	case !role.Valid():
		return problem.New(problem.InvalidType, "role must be one of: owner, admin, member").At("role")
	case role == tenant.Owner && scope.Role() == tenant.Admin:
		return problem.New(problem.Forbidden, "only an owner can assign the role owner").At("role")
	}
	return nil
}

// groupFor returns the group of a new user: the wanted one for operators, and the caller's own for everybody
// else. A group that does not exist, or that the caller may not assign, is an InvalidType problem of group_id.
func (s *Store) groupFor(ctx context.Context, scope tenant.Scope, groupID uuid.UUID) (uuid.UUID, error) {
	if scope.Everywhere() {
		return groupID, db.Unknown(catalogdb.CheckGroup(ctx, s.db, groupID), "group_id")
	}
	creator, err := person.FindUser(ctx, s.db, scope.Actor())
	if err != nil {
		return uuid.Nil, err
	}
	// NotFound like for a group that does not exist: tenants must not learn which other groups there are.
	if groupID != uuid.Nil && groupID != creator.GroupID {
		return uuid.Nil, db.Unknown(db.NoSuch("group"), "group_id")
	}
	return creator.GroupID, nil
}

// UpdateUser changes a user. A change of the role, status or password deletes the user's sessions and password
// resets.
//
// Users may always change their own password alone. Admins cannot change owners, only operators change groups,
// and the role Operator can be neither given nor taken away. Demoting or disabling the last enabled owner of a
// tenant, or the last enabled operator, is a Conflict problem, and so is enabling a user who was erased. An owner who
// cannot sign in yet, because an invitation waits, does not count. If the password is not the one of OldPasswordHash
// any more, it returns an Unauthenticated problem: of two concurrent changes that know the old password, one succeeds.
func (s *Store) UpdateUser(ctx context.Context, actor permission.Confirmed, id uuid.UUID,
	p UserPatch) (_ tenant.User, err error) {
	defer db.Wrap(&err, "update user")

	return s.updateUser(ctx, actor.Scope(), id, p)
}

// updateUser does what UpdateUser does, for callers that have another proof than a confirmation, such as the secret of
// a link.
func (s *Store) updateUser(ctx context.Context, scope tenant.Scope, id uuid.UUID,
	p UserPatch) (_ tenant.User, err error) {
	// ownPassword is true if users change their own password and nothing else.
	ownPassword := p.PasswordHash != nil && p == UserPatch{PasswordHash: p.PasswordHash,
		OldPasswordHash: p.OldPasswordHash} && id == scope.Actor() && scope.Role() != ""
	if err := permission.Check(scope, permission.WriteMembers); err != nil && !ownPassword {
		return tenant.User{}, err
	}
	var row person.UserRow
	err = s.writeAs(ctx, scope, func(tx *Store) (err error) {
		if row, err = person.FindUser(ctx, tx.db, id); err != nil {
			return err
		}
		if !scope.Reaches(row.TenantID) {
			return db.NoSuch("user")
		}
		// The first read, without a lock, shows which other rows must be locked with this one: see person.LockUser.
		before, isLast, err := person.LockUser(ctx, tx.db, row)
		if err != nil {
			return err
		}
		if err := tx.checkOldPassword(ctx, id, p.OldPasswordHash); err != nil {
			return err
		}
		row = before
		changes := field.Changes{}
		field.Assign(changes, "role", &row.Role, p.Role)
		field.Assign(changes, "group_id", &row.GroupID, p.GroupID)
		field.Assign(changes, "status", &row.Status, p.Status)
		row.Limits.Assign(changes, p.Limits)
		if p.PasswordHash != nil {
			changes["password"] = "changed" // the audit log must not hold the hash
		}
		if err := tx.checkUserChange(ctx, scope, before, row); err != nil {
			return err
		}
		if isLast && (row.Role != before.Role || !row.Leads()) {
			return problem.New(problem.Conflict, "the last enabled %s cannot be demoted or disabled", before.Role)
		}
		return tx.saveUser(ctx, scope, row, userChange{changes: changes, passwordHash: p.PasswordHash,
			cap: p.Cap, caps: p.Caps})
	})
	if err != nil {
		return tenant.User{}, err
	}
	return row.Core(), nil
}

// checkOldPassword returns an Unauthenticated problem unless the user, whom the caller has locked, has the hash; nil
// stands for any. Row-level security hides all hashes.
func (s *Store) checkOldPassword(ctx context.Context, id uuid.UUID, hash *string) error {
	if hash == nil {
		return nil
	}
	return s.db.Unrestricted(ctx, func(tx *db.DB) error {
		isSame, err := tx.NewSelect().Model((*person.SecretUserRow)(nil)).Where("id = ?", id).
			Where("password_hash = ?", *hash).Exists(ctx)
		if err == nil && !isSame {
			return problem.Of(problem.Unauthenticated)
		}
		return err
	})
}

// SetLanguage sets the language of the user of the scope, and records the change in the audit log. The scope must be
// that of a user. A language that does not exist is an InvalidType problem.
func (s *Store) SetLanguage(ctx context.Context, scope tenant.Scope, tag language.Tag) (err error) {
	defer db.Wrap(&err, "set language")

	if scope.Role() == "" || scope.Actor() == uuid.Nil {
		return problem.New(problem.Forbidden, "only users have a language")
	}
	if !tag.Valid() {
		return problem.New(problem.InvalidType, "language must be one of: en, zh-Hans").At("language")
	}
	return s.writeAs(ctx, scope, func(tx *Store) error {
		if err := person.LockCounted(ctx, tx.db, scope.Actor()); err != nil {
			return err
		}
		row, err := person.FindUser(ctx, tx.db, scope.Actor())
		if err != nil || row.Language == tag {
			return err
		}
		changes := field.Changes{}
		field.Assign(changes, "language", &row.Language, &tag)
		if err := tx.db.Update(ctx, tx.db.NewUpdate().Model(&row).Column("language"), "user"); err != nil {
			return err
		}
		return tx.db.Record(ctx, scope, db.Mutation{Action: "user.update", Tenant: row.TenantID,
			Target: row.ID.String(), Detail: changes})
	})
}

// userChange holds the values that saveUser stores besides the row: the changed fields, for the audit log, the
// password's hash, and caps.
type userChange struct {
	changes      field.Changes
	passwordHash *string // nil: unchanged
	cap          *quotadb.Cap
	caps         quotadb.CapsPatch
}

// saveUser stores the changed fields and caps, ends the user's access if needed, and writes the audit log and
// the change feed if anything changed.
func (s *Store) saveUser(ctx context.Context, scope tenant.Scope, row person.UserRow, c userChange) error {
	if len(c.changes) > 0 {
		q := s.db.NewUpdate().Model(&row).Column("role", "group_id", "status").Column(field.RateNames[:]...).WherePK()
		if c.passwordHash != nil {
			q = q.Set("password_hash = ?", *c.passwordHash)
		}
		if _, err := q.Exec(ctx); err != nil {
			return err
		}
	}
	// Sessions that were opened before the change must not outlive it, in case an attacker holds one.
	for _, ending := range []string{"role", "status", "password"} {
		if _, ends := c.changes[ending]; ends {
			if err := s.endAccess(ctx, row.ID); err != nil {
				return err
			}
			break
		}
	}
	if err := quotadb.SetCaps(ctx, s.db, quotadb.OfUser(row.TenantID, row.ID), c.cap, c.caps, c.changes); err != nil ||
		len(c.changes) == 0 {
		return err
	}
	s.db.Announce(db.UserChanged, row.ID)
	return s.db.Record(ctx, scope, db.Mutation{Action: "user.update", Tenant: row.TenantID, Target: row.ID.String(),
		Detail: c.changes})
}

// checkUserChange returns a problem unless the new values are valid and the scope may make this change.
func (s *Store) checkUserChange(ctx context.Context, scope tenant.Scope, before, after person.UserRow) error {
	if scope.Role() == tenant.Admin && before.Role == tenant.Owner {
		return problem.New(problem.Forbidden, "only an owner can change an owner")
	}
	if err := field.First(tenant.CheckStatus(after.Status), tenant.CheckLimits(after.Limits.Core())); err != nil {
		return err
	}
	if after.Status == tenant.Enabled && before.Erased() {
		return problem.New(problem.Conflict, "the personal data of this user was erased, so the user cannot be "+
			"enabled again: create a new user").At("status")
	}
	if after.Role != before.Role {
		if before.Role == tenant.Operator || after.Role == tenant.Operator {
			return problem.New(problem.InvalidType, "the role operator can be neither assigned nor taken away").
				At("role")
		}
		if err := checkAssignable(scope, after.Role); err != nil {
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

// checkRegroup returns a problem unless the scope may move the user to its new group, and the group exists.
func (s *Store) checkRegroup(ctx context.Context, scope tenant.Scope, after person.UserRow) error {
	if !scope.Everywhere() {
		return problem.New(problem.Forbidden, "only an operator can change a user's group").At("group_id")
	}
	if after.Role == tenant.Operator {
		return problem.New(problem.InvalidType, "operators belong to no group").At("group_id")
	}
	return db.Unknown(catalogdb.CheckGroup(ctx, s.db, after.GroupID), "group_id")
}

// User returns a user that the scope reaches, or a NotFound problem. A member reaches only their own
// user record; any other id is a Forbidden problem.
func (s *Store) User(ctx context.Context, scope tenant.Scope, id uuid.UUID) (_ tenant.User, err error) {
	defer db.Wrap(&err, "read user")

	self := id == scope.Actor() && scope.Role() != ""
	if err := permission.Check(scope, permission.ReadMembers); err != nil && !self {
		return tenant.User{}, err
	}
	var row person.UserRow
	err = s.readAs(ctx, scope, func(in *Store) (err error) {
		row, err = person.FindUser(ctx, in.db, id)
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

// UserByEmail (system scope) returns the user who can sign in with the address, or a NotFound problem. The address may
// be unproven. Accounts that only claim the address (see person.UserRow) are not found. An address with NUL characters
// or invalid UTF-8 belongs to no user: sign-in counts guesses by the address as it was sent, so each such spelling of
// an address would get guesses of its own.
func (s *Store) UserByEmail(ctx context.Context, scope tenant.Scope, address string) (_ tenant.User, err error) {
	defer db.Wrap(&err, "read user by email")

	if err := permission.Program(scope); err != nil {
		return tenant.User{}, err
	}
	address = email.Normalize(address)
	if field.Clean(address) != address {
		return tenant.User{}, db.NoSuch("user")
	}
	var row person.UserRow
	err = owner(s.db.NewSelect().Model(&row), address).Scan(ctx)
	return row.Core(), db.Missing(err, "user")
}

// UserOfTenant (system scope) returns the user of the tenant who has or only claims the address, or a NotFound problem;
// uuid.Nil stands for the operators.
func (s *Store) UserOfTenant(ctx context.Context, scope tenant.Scope, tenantID uuid.UUID,
	address string) (_ tenant.User, err error) {
	defer db.Wrap(&err, "read user of a tenant by email")

	if err := permission.Program(scope); err != nil {
		return tenant.User{}, err
	}
	return s.userOfTenant(ctx, tenantID, email.Normalize(address))
}

// userOfTenant does the work of UserOfTenant for a normalized address. The user who has the address comes before others
// who claim it.
func (s *Store) userOfTenant(ctx context.Context, tenantID uuid.UUID, address string) (tenant.User, error) {
	var row person.UserRow
	err := ofTenant(s.db.NewSelect().Model(&row), tenantID, address).OrderExpr("owned_at IS NULL, id").Limit(1).
		Scan(ctx)
	return row.Core(), db.Missing(err, "user")
}

// UserWithPassword (system scope) returns the same user as UserByEmail with the hash of the password, for the console:
// the database refuses other programs if each has a role of its own.
func (s *Store) UserWithPassword(ctx context.Context, scope tenant.Scope,
	address string) (user tenant.User, passwordHash string, err error) {
	defer db.Wrap(&err, "read user with password")

	if err := permission.Program(scope); err != nil {
		return tenant.User{}, "", err
	}
	address = email.Normalize(address)
	if field.Clean(address) != address {
		return tenant.User{}, "", db.NoSuch("user")
	}
	var row person.SecretUserRow
	err = owner(s.db.NewSelect().Model(&row), address).Scan(ctx)
	if err != nil {
		return tenant.User{}, "", db.Missing(err, "user")
	}
	return row.Core(), row.PasswordHash, nil
}

// UserEmails returns the e-mail addresses of the given users by id. It leaves out users whose usage the scope
// does not reach: members reach themselves only.
func (s *Store) UserEmails(ctx context.Context, scope tenant.Scope,
	ids []uuid.UUID) (_ map[uuid.UUID]string, err error) {
	defer db.Wrap(&err, "read user emails")

	// Usage logs show who made a request, so a caller who may read usage may read these addresses.
	if err := permission.Check(scope, permission.ReadUsage); err != nil {
		return nil, err
	}
	emails := make(map[uuid.UUID]string, len(ids))
	if len(ids) == 0 {
		return emails, nil
	}
	var rows []person.UserRow
	err = s.readAs(ctx, scope, func(in *Store) error {
		return in.db.NewSelect().Model(&rows).Column("id", "tenant_id", "address").
			Where("id IN (?)", bun.List(ids)).Scan(ctx)
	})
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		if db.ReachesUser(scope, row.TenantID, row.ID) {
			emails[row.ID] = row.Address
		}
	}
	return emails, nil
}

// UserFilter selects users. Its zero value selects all that the scope reaches.
type UserFilter struct {
	TenantID uuid.UUID   // the users of this tenant; uuid.Nil: of all tenants, and operators
	Role     tenant.Role // the users with this role; empty: with any
}

// Users lists the users that match the filter, oldest first, or sorted by created_at. A search looks at e-mail
// addresses and ids. Members may not call it.
func (s *Store) Users(ctx context.Context, scope tenant.Scope, filter UserFilter,
	p page.Page) (_ page.List[tenant.User], err error) {
	defer db.Wrap(&err, "read users")

	if err := permission.Check(scope, permission.ReadMembers); err != nil {
		return page.List[tenant.User]{}, err
	}
	var list page.List[tenant.User]
	err = s.readAs(ctx, scope, func(in *Store) error {
		q, err := db.InTenant(in.db.NewSelect(), scope, filter.TenantID)
		if err != nil {
			return err
		}
		if filter.Role != "" {
			q.Where("role = ?", filter.Role)
		}
		list, err = page.RowsOf(page.OldestFirst, person.UserRow.Key, person.UserRow.Core).SortedBy().
			Search(ctx, in.db, q, p, page.Fields{Texts: []string{"address"}})
		return err
	})
	return list, err
}

// endAccess deletes the user's sessions and unfinished sign-ins, which package signin writes, and password resets.
func (s *Store) endAccess(ctx context.Context, userID uuid.UUID) error {
	for _, table := range []string{"sessions", "challenges"} {
		if _, err := s.db.NewDelete().Table(table).Where("user_id = ?", userID).Exec(ctx); err != nil {
			return err
		}
	}
	_, err := s.db.NewDelete().Model((*resetRow)(nil)).Where("user_id = ?", userID).Exec(ctx)
	return err
}
