package person

import (
	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// NewRow is a new row of users with the columns that programs of the previous release read: email is the address of
// a user who can sign in with it. Other users have theirs in claimed_email, and a placeholder in email. A trigger
// derives address and owned_at from them.
type NewRow struct {
	bun.BaseModel `bun:"table:users,alias:r"`
	UserRow

	PasswordHash string `bun:"password_hash"`
	Email        string `bun:"email"` // unique
	ClaimedEmail string `bun:"claimed_email,nullzero"`
}

// New returns the row to insert for a user and the password hash. The user owns the address if OwnedAt is set, and
// otherwise claims it.
func New(user UserRow, passwordHash string) *NewRow {
	row := NewRow{UserRow: user, PasswordHash: passwordHash, Email: user.Address}
	if user.OwnedAt.IsZero() {
		row.Email, row.ClaimedEmail = Placeholder(user.ID), user.Address
	}
	return &row
}

// Own makes the query store an address with which the user can sign in, or the address of an erased user.
func Own(q *bun.UpdateQuery, address string) *bun.UpdateQuery {
	return q.Set("email = ?", address).Set("claimed_email = NULL")
}

// Claim makes the query store an address that the user only claims.
func Claim(q *bun.UpdateQuery, user UserRow) *bun.UpdateQuery {
	return q.Set("email = ?", Placeholder(user.ID)).Set("claimed_email = ?", user.Address)
}

// Placeholder returns the value of the column email of a user whose address is only claimed. It is unique, and no mail
// can be sent to it (RFC 2606).
func Placeholder(id uuid.UUID) string { return id.String() + "@claimed.invalid" }
