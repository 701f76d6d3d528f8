// Package person reads users and tenants for the packages that store objects of users: identity, signin, token
// and job. Its functions run in the caller's transaction and check no scope: callers check what they return.
// Rows are written by package identity.
package person

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/language"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
)

// SeenEvery is the precision of times of last use. A row is updated at most once in this time, which keeps
// requests from writing to the database each time.
const SeenEvery = time.Minute

// ExpiredRetention is the time for which lists still show an invitation or access key after it expired.
const ExpiredRetention = 90 * 24 * time.Hour

// UserRow is a row of users without the password hash, which most programs may not read (see migrations/roles.sql). An
// operator has no tenant and no group.
//
// One account at most can sign in with an address: the one that owns it, which has OwnedAt. Others may claim the same
// address until its person proves it to one of them.
type UserRow struct {
	bun.BaseModel `bun:"table:users,alias:r"`

	ID       uuid.UUID `bun:"id,pk,type:uuid"`
	TenantID uuid.UUID `bun:"tenant_id,type:uuid,nullzero"`
	Address  string    `bun:"address"` // in the form of email.Normalize; unique among users with OwnedAt
	// Time from which the user can sign in with the address; zero: the user only claims it, or was erased.
	OwnedAt   time.Time         `bun:"owned_at,nullzero"`
	Proof     tenant.Proof      `bun:"proof"`
	Role      tenant.Role       `bun:"role"`
	GroupID   uuid.UUID         `bun:"group_id,type:uuid,nullzero"`
	Status    tenant.Status     `bun:"status"`
	Language  language.Tag      `bun:"language"` // "": none chosen
	CreatedAt time.Time         `bun:"created_at"`
	Limits    field.RateColumns `bun:"embed:limit_"`
	// Nil for operators, and unless the query asks for it.
	Tenant *TenantRow `bun:"rel:belongs-to,join:tenant_id=id"`
}

// Key returns the key by which lists are sorted.
func (r UserRow) Key() string { return r.ID.String() }

// SecretUserRow is a row of users with the password hash.
type SecretUserRow struct {
	bun.BaseModel `bun:"table:users,alias:r"`
	UserRow

	PasswordHash string `bun:"password_hash"`
}

// Core returns the user.
func (r UserRow) Core() tenant.User {
	return tenant.User{
		ID: r.ID, TenantID: r.TenantID, Email: r.Address, Proof: r.Proof, Role: r.Role,
		GroupID: r.GroupID, Status: r.Status, Language: r.Language, Limits: r.Limits.Core(), CreatedAt: r.CreatedAt,
	}
}

// ErasedName replaces the names of tokens and tenants that were erased.
const ErasedName = "erased"

// ErasedEmail returns the address of a user whose personal data was erased. It is unique, and no mail can be sent to it
// (RFC 2606).
func ErasedEmail(id uuid.UUID) string { return id.String() + "@erased.invalid" }

// Erased reports whether the personal data of the user was erased.
func (r UserRow) Erased() bool { return r.Address == ErasedEmail(r.ID) }

// TenantRow is a row of tenants.
type TenantRow struct {
	bun.BaseModel `bun:"table:tenants,alias:r"`

	ID        uuid.UUID     `bun:"id,pk,type:uuid"`
	Slug      string        `bun:"slug"`
	Name      string        `bun:"name"`
	Status    tenant.Status `bun:"status"`
	CreatedAt time.Time     `bun:"created_at"`

	QuotaMode tenant.QuotaMode `bun:"quota_mode"`
	OutputCap tenant.OutputCap `bun:"output_cap"`

	IgnoredFields tenant.IgnoredFields `bun:"ignored_fields"`

	IncludeQuota bool   `bun:"include_quota"`
	MetadataTags string `bun:"metadata_tags"`

	RequireSecondFactor bool `bun:"require_second_factor"`
	RequireIssuer       bool `bun:"require_issuer"`
}

// ErasedSlug returns the slug of a tenant whose personal data was erased.
func ErasedSlug(id uuid.UUID) string { return "erased-" + id.String() }

// Erased reports whether the personal data of the tenant was erased.
func (r TenantRow) Erased() bool { return r.Slug == ErasedSlug(r.ID) }

// Key returns the key by which lists are sorted.
func (r TenantRow) Key() string { return r.ID.String() }

// Core returns the tenant.
func (r TenantRow) Core() tenant.Tenant {
	return tenant.Tenant{
		ID: r.ID, Slug: r.Slug, Name: r.Name, Status: r.Status, QuotaMode: r.QuotaMode, OutputCap: r.OutputCap,
		CreatedAt:     r.CreatedAt,
		IgnoredFields: r.IgnoredFields, IncludeQuota: r.IncludeQuota, MetadataTags: r.MetadataTags,
		RequireSecondFactor: r.RequireSecondFactor, RequireIssuer: r.RequireIssuer,
	}
}

// FindUser reads a user without a check of the caller's reach. It returns a NotFound problem if there is no
// such user.
func FindUser(ctx context.Context, tx *db.DB, id uuid.UUID) (row UserRow, err error) {
	err = tx.NewSelect().Model(&row).Where("id = ?", id).Scan(ctx)
	return row, db.Missing(err, "user")
}

// LockCounted locks the user until the end of the transaction. A caller that adds one of a bounded number of things to
// a user locks the user before it counts them: no other transaction can then add one between the count and the insert.
// It returns a NotFound problem if there is no such user.
func LockCounted(ctx context.Context, tx *db.DB, userID uuid.UUID) error {
	var id uuid.UUID
	err := tx.Lock(tx.NewSelect().Model((*UserRow)(nil)).Column("id").Where("id = ?", userID)).Scan(ctx, &id)
	return db.Missing(err, "user")
}

// LockCountedOfTenant does the same for a tenant. For uuid.Nil it locks all operators, who share what belongs to no
// tenant.
func LockCountedOfTenant(ctx context.Context, tx *db.DB, tenantID uuid.UUID) error {
	var ids []uuid.UUID
	if tenantID == uuid.Nil {
		return tx.Lock(tx.NewSelect().Model((*UserRow)(nil)).Column("id").Where("tenant_id IS NULL").OrderExpr("id")).
			Scan(ctx, &ids)
	}
	return tx.Lock(tx.NewSelect().Model((*TenantRow)(nil)).Column("id").Where("id = ?", tenantID)).Scan(ctx, &ids)
}

// Enabled returns the user of a row that was read with its relation Tenant, and the tenant, which is zero for
// operators. It returns a NotFound problem if the user or the tenant is disabled.
func Enabled(row *UserRow) (user tenant.User, t tenant.Tenant, err error) {
	user = row.Core()
	if user.Status != tenant.Enabled {
		return user, t, db.NoSuch("user")
	}
	if user.TenantID == uuid.Nil { // an operator
		return user, t, nil
	}
	if t = row.Tenant.Core(); t.Status != tenant.Enabled {
		err = db.NoSuch("tenant")
	}
	return user, t, err
}

// LockUser locks the user and reads it again. It also locks the enabled owners of the user's tenant, or the
// enabled operators for a user without a tenant. isLast reports whether the user is one of them and none of the others
// can sign in.
//
// A caller that takes away one of these roles checks isLast. The locks make that check safe: two
// transactions cannot both take away one of the last two. All rows are locked in the order of their ids.
// current is zero if the user no longer exists.
func LockUser(ctx context.Context, tx *db.DB, user UserRow) (current UserRow, isLast bool, err error) {
	var rows []UserRow
	peers := tx.NewSelect().Model(&rows).Where("id = ?", user.ID).OrderExpr("id")
	if user.TenantID == uuid.Nil {
		peers = peers.WhereOr("tenant_id IS NULL AND status = ?", tenant.Enabled)
	} else {
		peers = peers.WhereOr("tenant_id = ? AND role = ? AND status = ?", user.TenantID, tenant.Owner, tenant.Enabled)
	}
	if err := tx.Lock(peers).Scan(ctx); err != nil {
		return user, false, err
	}
	owned, claims := false, []uuid.UUID{}
	for _, row := range rows {
		switch {
		case row.ID == user.ID:
			current = row
		case !row.Leads(): // it was changed while this transaction waited for the lock
		case row.OwnedAt.IsZero():
			claims = append(claims, row.ID)
		default:
			owned = true
		}
	}
	if !current.Leads() || owned || len(claims) == 0 {
		return current, current.Leads() && !owned, nil
	}
	// Who only claims the address waits for an invitation, unless the issuer of the tenant signs the person in.
	linked, err := tx.NewSelect().Table("identities").Where("user_id IN (?)", bun.List(claims)).Count(ctx)
	return current, linked == 0, err
}

// Leads reports whether the user is an enabled owner or an enabled operator. Each tenant, and the platform,
// needs at least one.
func (r UserRow) Leads() bool {
	return (r.Role == tenant.Owner || r.Role == tenant.Operator) && r.Status == tenant.Enabled
}
