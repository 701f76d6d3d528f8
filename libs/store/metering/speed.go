package metering

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
	"github.com/tollgate/tollgate/libs/store/rollup"
)

// addSpeed adds an event to the sums of speeds by hour, tenant, model and time to the first token.
func (m *movement) addSpeed(event *usage.Event) {
	step, sums := event.Speed()
	key := rollup.SpeedKey{Start: event.Hour(), TenantID: event.TenantID, Model: field.Clean(event.Model), Step: step}
	if m.speeds == nil {
		m.speeds = map[rollup.SpeedKey]*usage.SpeedSums{}
	}
	if m.speeds[key] == nil {
		m.speeds[key] = &usage.SpeedSums{}
	}
	m.speeds[key].Merge(sums)
}

// speedOutbox returns the rows for the outbox of speeds.
func (m *movement) speedOutbox() []rollup.SpeedOutboxRow {
	rows := make([]rollup.SpeedOutboxRow, 0, len(m.speeds))
	for key, sums := range m.speeds {
		rows = append(rows, rollup.SpeedOutboxRowOf(key, *sums))
	}
	return rows
}

// speedArrays returns the rows of the outbox of speeds column by column, as arguments of hot.speeds.
func (m *movement) speedArrays() []any {
	rows := m.speedOutbox()
	n := len(rows)
	starts, tenants, models := make([]pgtype.Timestamptz, n), make([]pgtype.UUID, n), make([]string, n)
	steps, requests, failures, tokens, generation := make([]int64, n), make([]int64, n), make([]int64, n),
		make([]int64, n), make([]int64, n)
	for i := range rows {
		r := &rows[i]
		starts[i], tenants[i], models[i], steps[i] = pgtype.Timestamptz{Time: r.Start, Valid: true}, pgID(r.TenantID),
			r.Model, int64(r.Step)
		requests[i], failures[i], tokens[i], generation[i] = r.Requests, r.Failed, r.OutputTokens, r.GenerationMS
	}
	return []any{starts, tenants, models, steps, requests, failures, tokens, generation}
}

// ModelSpeed returns how fast and how reliable a model responded to the calls of the scope's tenant since an hour. It
// covers the calls of all users of the tenant, and therefore has no counts: members may not learn how much others call.
// from is at most rollup.SpeedRetention ago. Calls count when a worker has drained the outbox, usually after seconds. A
// scope without a tenant gets a NotFound problem.
func (s *Store) ModelSpeed(ctx context.Context, scope tenant.Scope, model string,
	from time.Time) (_ usage.Speed, err error) {
	defer db.Wrap(&err, "read model speed")

	if err := permission.Check(scope, permission.ReadModels); err != nil {
		return usage.Speed{}, err
	}
	if scope.Tenant() == uuid.Nil {
		return usage.Speed{}, db.NoSuch("tenant")
	}
	var rows []struct {
		Step int `bun:"step"`
		rollup.SpeedSumColumns
	}
	err = s.readAs(ctx, scope, func(in *Store) error {
		return in.db.NewSelect().TableExpr("usage_speeds_hourly AS r").Column("step").
			ColumnExpr("CAST(sum(requests) AS bigint) AS requests, CAST(sum(failed) AS bigint) AS failed").
			ColumnExpr("CAST(sum(output_tokens) AS bigint) AS output_tokens, CAST(sum(generation_ms) AS bigint) AS "+
				"generation_ms").
			Where("r.tenant_id = ? AND r.model = ? AND r.start >= ?", scope.Tenant(), field.Clean(model),
				from.UTC().Truncate(time.Hour)).
			Group("step").Scan(ctx, &rows)
	})
	if err != nil {
		return usage.Speed{}, err
	}
	steps := make(map[int]usage.SpeedSums, len(rows))
	for _, row := range rows {
		steps[row.Step] = usage.SpeedSums(row.SpeedSumColumns)
	}
	return usage.SpeedOf(steps), nil
}
