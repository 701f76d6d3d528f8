package metering

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
)

// tokensPerRead is the greatest number of tokens that one statement of LastUses has.
const tokensPerRead = 500

// LastUses returns the time of the latest usage log of each token, by the id of the token. token.Token.LastUsed is the
// hour of that call; LastUses reads one row of an index for each token instead of writing the token with every call.
// A token without LastUsed is not in the result, and a token whose usage logs are deleted has its LastUsed. The scope
// must reach the tokens: those of others get their LastUsed.
func (s *Store) LastUses(ctx context.Context, scope tenant.Scope,
	tokens []token.Token) (_ map[uuid.UUID]time.Time, err error) {
	defer db.Wrap(&err, "read last uses of tokens")

	if err := permission.Check(scope, permission.ReadTokens); err != nil {
		return nil, err
	}
	lastUses := make(map[uuid.UUID]time.Time, len(tokens))
	var uses []tokenUse
	for i := range tokens {
		if t := &tokens[i]; !t.LastUsed.IsZero() {
			lastUses[t.ID] = t.LastUsed
			if db.ReachesUser(scope, t.TenantID, t.UserID) {
				uses = append(uses, tokenUse{t.ID, field.IDFloor(t.LastUsed.Add(-field.ClockSlack))})
			}
		}
	}
	err = s.readAs(ctx, scope, func(in *Store) error {
		for part := range slices.Chunk(uses, tokensPerRead) {
			if err := in.readLastUses(ctx, part, lastUses); err != nil {
				return err
			}
		}
		return nil
	})
	return lastUses, err
}

// tokenUse is a token that was used, and the lowest id that the usage log of its latest call can have.
type tokenUse struct {
	ID    uuid.UUID `bun:"id,type:uuid"`
	Floor uuid.UUID `bun:"floor,type:uuid"`
}

// readLastUses sets the times of the tokens in lastUses that are later. The floor lets the database skip the partitions
// of earlier months.
func (s *Store) readLastUses(ctx context.Context, uses []tokenUse, lastUses map[uuid.UUID]time.Time) error {
	var rows []struct {
		ID uuid.UUID `bun:"id,type:uuid"`
		At time.Time `bun:"at,nullzero"`
	}
	query := s.db.NewSelect().TableExpr("usage_logs AS r").Column("r.created_at").
		Where("r.token_id = v.id").Where("r.id >= v.floor").OrderExpr("r.id DESC").Limit(1)
	err := s.db.NewSelect().With("v", s.db.NewValues(&uses)).TableExpr("v").Column("v.id").
		ColumnExpr("(?) AS at", query).Scan(ctx, &rows)
	for _, row := range rows {
		if row.At.After(lastUses[row.ID]) {
			lastUses[row.ID] = row.At.UTC()
		}
	}
	return err
}
