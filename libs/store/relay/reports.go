package relay

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
)

// Report is the state of a relay at a heartbeat, for operators to see.
type Report struct {
	Version       string
	State         string // serving, draining or stopped
	StartedAt     time.Time
	InFlight      int64     // requests being served
	SpoolEvents   int64     // events that are not recorded yet; -1: unknown
	SpoolBytes    int64     // size of these events on disk
	SpoolOldestAt time.Time // when the call of the oldest of them ended; zero: unknown or none
	BodyBytes     int64     // memory that request bodies use
	BodyMaxBytes  int64     // upper bound of BodyBytes; 0 in the report of an older relay
	BodyWaiting   int64     // requests that wait for memory
	BodyRefused   int64     // requests that found no memory, since the relay's start
}

// relayReportRow has the columns of a Report.
type relayReportRow struct {
	Version       string    `bun:"version"`
	State         string    `bun:"state"`
	StartedAt     time.Time `bun:"started_at,nullzero"`
	InFlight      int64     `bun:"in_flight"`
	SpoolEvents   int64     `bun:"spool_events"`
	SpoolBytes    int64     `bun:"spool_bytes"`
	SpoolOldestAt time.Time `bun:"spool_oldest_at,nullzero"`
	BodyBytes     int64     `bun:"body_bytes"`
	BodyMaxBytes  int64     `bun:"body_max_bytes"`
	BodyWaiting   int64     `bun:"body_waiting"`
	BodyRefused   int64     `bun:"body_refused"`
}

func relayReportRowOf(r Report) relayReportRow {
	r.StartedAt, r.SpoolOldestAt, r.Version = field.Micros(r.StartedAt), field.Micros(r.SpoolOldestAt),
		field.Clean(r.Version)
	return relayReportRow(r)
}

// Status is the last report of a relay with a summary of its leases.
type Status struct {
	ID     uuid.UUID
	SeenAt time.Time // last heartbeat
	Report
	Leases int          // number of leases that are not empty
	Leased money.Amount // total amount of these leases
}

// shownRelays is the greatest number of relays that Relays returns.
const shownRelays = 100

// Relays returns up to 100 relays, the one with the latest heartbeat first.
func (s *Store) Relays(ctx context.Context, scope tenant.Scope) (_ []Status, err error) {
	defer db.Wrap(&err, "read relays")

	if err := permission.Check(scope, permission.ReadPlatform); err != nil {
		return nil, err
	}
	var relays []Status
	err = s.db.Consistently(ctx, func(in *db.DB) error {
		var rows []relayRow
		if err := in.NewSelect().Model(&rows).OrderExpr("seen_at DESC").Limit(shownRelays).Scan(ctx); err != nil {
			return err
		}
		var leases []struct {
			RelayID uuid.UUID    `bun:"relay_id,type:uuid"`
			Leases  int          `bun:"leases"`
			Leased  money.Amount `bun:"leased"`
		}
		err := in.NewSelect().TableExpr("leases").
			ColumnExpr("relay_id, count(*) AS leases, CAST(sum(amount) AS bigint) AS leased").
			Where("amount > 0").GroupExpr("relay_id").Scan(ctx, &leases)
		if err != nil {
			return err
		}
		relays = make([]Status, len(rows))
		for i, row := range rows {
			relays[i] = Status{ID: row.ID, SeenAt: row.SeenAt, Report: Report(row.relayReportRow)}
			for _, h := range leases {
				if h.RelayID == row.ID {
					relays[i].Leases, relays[i].Leased = h.Leases, h.Leased
				}
			}
		}
		return nil
	})
	return relays, err
}

// LeasedKind sums the leases of all relays on accounts of one kind.
type LeasedKind struct {
	Kind   quota.Kind   `bun:"kind"`
	Leases int          `bun:"leases"`
	Amount money.Amount `bun:"amount"`
}

// LeasedAccount sums the leases of all relays on one account.
type LeasedAccount struct {
	AccountID uuid.UUID    `bun:"account_id,type:uuid"`
	Kind      quota.Kind   `bun:"kind"`
	TenantID  uuid.UUID    `bun:"tenant_id,type:uuid,nullzero"` // uuid.Nil: the account of an operator
	Leases    int          `bun:"leases"`
	Amount    money.Amount `bun:"amount"`
}

// shownAccounts is the greatest number of accounts that LeasesHeld returns.
const shownAccounts = 10

// LeasesHeld returns the sums of all leases by kind of account, and the ten accounts with the largest sums,
// the largest first.
func (s *Store) LeasesHeld(ctx context.Context,
	scope tenant.Scope) (kinds []LeasedKind, largest []LeasedAccount, err error) {
	defer db.Wrap(&err, "read leases held")

	if err := permission.Check(scope, permission.ReadPlatform); err != nil {
		return nil, nil, err
	}
	query := func() *bun.SelectQuery {
		return s.db.NewSelect().TableExpr("leases AS l").Join("JOIN accounts AS a ON a.id = l.account_id").
			Where("l.amount > 0").
			ColumnExpr("a.kind, count(*) AS leases, CAST(sum(l.amount) AS bigint) AS amount")
	}
	if err := query().GroupExpr("a.kind").OrderExpr("a.kind").Scan(ctx, &kinds); err != nil {
		return nil, nil, err
	}
	err = query().ColumnExpr("l.account_id, a.tenant_id").GroupExpr("l.account_id, a.kind, a.tenant_id").
		OrderExpr("amount DESC, l.account_id").Limit(shownAccounts).Scan(ctx, &largest)
	return kinds, largest, err
}
