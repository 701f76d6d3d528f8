package quota

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
)

// keyLimitRow holds the columns of access_keys that bound what a key may grant. Package token writes the other ones.
type keyLimitRow struct {
	bun.BaseModel `bun:"table:access_keys,alias:r"`

	ID         uuid.UUID    `bun:"id,pk,type:uuid"`
	GrantLimit money.Amount `bun:"grant_limit"` // per day
	// The day (UTC) of the last entry, as 2006-01-02; "" before the first one.
	GrantedOn string       `bun:"granted_on"`
	Granted   money.Amount `bun:"granted"` // on that day
}

// chargeKey adds the amount of a new ledger entry to what the scope's access key has granted today (UTC). It returns a
// Forbidden problem if that would exceed the key's limit. Taking quota back counts like granting it, because it can
// stop a tenant. It does nothing for a scope without an access key.
func (s *Store) chargeKey(ctx context.Context, scope tenant.Scope, amount money.Amount) error {
	if scope.Key() == uuid.Nil {
		return nil
	}
	amount = max(amount, -amount)
	var key keyLimitRow
	if err := s.db.Lock(s.db.NewSelect().Model(&key).Where("id = ?", scope.Key())).Scan(ctx); err != nil {
		return db.Missing(err, "access key")
	}
	if today := s.db.Now().Format(time.DateOnly); key.GrantedOn != today {
		key.GrantedOn, key.Granted = today, 0
	}
	if room := key.GrantLimit - key.Granted; amount > room {
		return problem.New(problem.Forbidden,
			"The access key may grant, adjust and transfer %s a day (UTC), and has %s left today.", key.GrantLimit,
			room).At("amount")
	}
	key.Granted += amount
	_, err := s.db.NewUpdate().Model(&key).Column("granted_on", "granted").WherePK().Exec(ctx)
	return err
}
