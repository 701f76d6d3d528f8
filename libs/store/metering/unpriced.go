package metering

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/charge"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/db"
)

// UnpricedDays is the number of days, with today, for which UnpricedCalls has numbers.
const UnpricedDays = 7

// slots is the number of rows of a channel and kind. A day uses the row of the day so many days before, so that the
// table does not grow, and has room for events that arrive late.
const slots = UnpricedDays + 1

const secondsPerDay = 24 * 60 * 60

// unpricedCall identifies a row of unpriced_calls.
type unpricedCall struct {
	channel uuid.UUID
	kind    charge.Kind
	day     int64 // since 1970, UTC
}

// addUnpriced counts the charges of a call that have no price.
func (m *movement) addUnpriced(log *usage.Log) {
	if log.Unpriced == 0 || log.ChannelID == uuid.Nil {
		return
	}
	if m.unpriced == nil {
		m.unpriced = map[unpricedCall]int64{}
	}
	for kind := range charge.Kinds(log.Unpriced).All() {
		m.unpriced[unpricedCall{log.ChannelID, kind, log.CreatedAt.Unix() / secondsPerDay}]++
	}
}

// countUnpriced adds the numbers of a batch to unpriced_calls. All relays do so in the same order, so that their
// transactions do not deadlock.
func (s *Store) countUnpriced(ctx context.Context, m *movement) error {
	rows := slices.SortedFunc(maps.Keys(m.unpriced), func(a, b unpricedCall) int {
		return cmp.Or(bytes.Compare(a.channel[:], b.channel[:]), cmp.Compare(a.kind, b.kind), cmp.Compare(a.day, b.day))
	})
	for _, row := range rows {
		_, err := s.db.NewRaw(`
			INSERT INTO unpriced_calls (channel_id, kind, slot, day, calls) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (channel_id, kind, slot) DO UPDATE SET
				calls = CASE WHEN unpriced_calls.day = excluded.day THEN unpriced_calls.calls + excluded.calls
					WHEN unpriced_calls.day < excluded.day THEN excluded.calls ELSE unpriced_calls.calls END,
				day = CASE WHEN unpriced_calls.day < excluded.day THEN excluded.day ELSE unpriced_calls.day END`,
			row.channel, int64(row.kind), row.day%slots, row.day, m.unpriced[row]).Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// UnpricedCalls is the number of calls of a channel with a charge for which the model had no price.
type UnpricedCalls struct {
	ChannelID uuid.UUID
	Kind      charge.Kind
	Calls     int64
}

// UnpricedCalls returns the numbers of the last UnpricedDays days (UTC) by channel and kind, the largest first: of one
// channel, or of all for uuid.Nil. Only operators and programs may call it. It returns at most limit numbers.
func (s *Store) UnpricedCalls(ctx context.Context, scope tenant.Scope, channel uuid.UUID,
	limit int64) (calls []UnpricedCalls, err error) {
	defer db.Wrap(&err, "read unpriced calls")

	if err := permission.Check(scope, permission.ReadPlatform); err != nil {
		return nil, err
	}
	today := s.db.Now().UTC().Truncate(24*time.Hour).Unix() / secondsPerDay
	q := s.db.NewSelect().TableExpr("unpriced_calls AS r").
		ColumnExpr("r.channel_id, r.kind, CAST(sum(r.calls) AS bigint) AS calls").
		Where("r.day > ?", today-UnpricedDays).
		GroupExpr("r.channel_id, r.kind").OrderExpr("calls DESC, r.channel_id, r.kind").Limit(limit)
	if channel != uuid.Nil {
		q = q.Where("r.channel_id = ?", channel)
	}
	var rows []struct {
		ChannelID uuid.UUID `bun:"channel_id,type:uuid"`
		Kind      int64     `bun:"kind"`
		Calls     int64     `bun:"calls"`
	}
	if err := q.Scan(ctx, &rows); err != nil {
		return nil, err
	}
	for _, row := range rows {
		calls = append(calls, UnpricedCalls{row.ChannelID, charge.Kind(row.Kind), row.Calls})
	}
	return calls, nil
}
