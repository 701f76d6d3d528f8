package alert

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/alert"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/person"
)

// retention is the age at which an alert is deleted. After it, a fact that still holds is reported again.
const retention = 400 * 24 * time.Hour

// maxTests bounds the tests of one tenant in an hour, so that nobody fills a mailbox with them.
const maxTests = 10

// alertRow is a row of alerts.
type alertRow struct {
	bun.BaseModel `bun:"table:alerts,alias:r"`

	ID        uuid.UUID  `bun:"id,pk,type:uuid"`
	TenantID  uuid.UUID  `bun:"tenant_id,type:uuid,nullzero"`
	RuleID    uuid.UUID  `bun:"rule_id,type:uuid,nullzero"`
	Mark      string     `bun:"mark"`
	Facts     alert.Fact `bun:"facts,type:jsonb"`
	CreatedAt time.Time  `bun:"created_at"`
	ExpiresAt time.Time  `bun:"expires_at"`
}

func (r alertRow) key() string { return r.ID.String() }

func (r alertRow) core() alert.Alert {
	return alert.Alert{ID: r.ID, TenantID: r.TenantID, RuleID: r.RuleID, Fact: r.Facts, CreatedAt: r.CreatedAt.UTC()}
}

// deliveryRow is a row of alert_deliveries.
type deliveryRow struct {
	bun.BaseModel `bun:"table:alert_deliveries,alias:r"`

	ID            uuid.UUID   `bun:"id,pk,type:uuid"`
	AlertID       uuid.UUID   `bun:"alert_id,type:uuid"`
	TenantID      uuid.UUID   `bun:"tenant_id,type:uuid,nullzero"`
	DestinationID uuid.UUID   `bun:"destination_id,type:uuid"`
	State         alert.State `bun:"state"`
	Attempts      int         `bun:"attempts"`
	LeaseID       uuid.UUID   `bun:"lease_id,type:uuid,nullzero"`
	DueAt         time.Time   `bun:"due_at"`
	Error         string      `bun:"error"`
	EndedAt       time.Time   `bun:"ended_at,nullzero"`
}

func (r *deliveryRow) core() alert.Delivery {
	d := alert.Delivery{ID: r.ID, DestinationID: r.DestinationID, State: r.State, Attempts: r.Attempts, Error: r.Error,
		DueAt: r.DueAt.UTC()}
	if !r.EndedAt.IsZero() {
		d.EndedAt = r.EndedAt.UTC()
	}
	return d
}

// Raise (system scope) stores an alert for each fact of a rule that has none with the same mark yet, with a delivery
// for each enabled destination of the rule, in one transaction. It returns the number of new alerts. Beyond
// alert.MaxPerHour a rule raises nothing more: the worker finds the facts again later.
func (s *Store) Raise(ctx context.Context, scope tenant.Scope, rule *alert.Rule,
	facts []*alert.Fact) (count int, err error) {
	defer db.Wrap(&err, "raise alerts")

	if err := permission.Program(scope); err != nil || len(facts) == 0 {
		return 0, err
	}
	err = s.atomically(ctx, func(tx *Store) error {
		count = 0
		newFacts, err := tx.fresh(ctx, rule, facts)
		if err != nil || len(newFacts) == 0 {
			return err
		}
		recent, err := tx.db.NewSelect().Model((*alertRow)(nil)).Where("rule_id = ?", rule.ID).
			Where("created_at > ?", tx.db.Now().Add(-time.Hour)).Count(ctx)
		if err != nil {
			return err
		}
		for _, fact := range newFacts[:min(len(newFacts), max(0, alert.MaxPerHour-int(recent)))] {
			row := alertRow{TenantID: rule.TenantID, RuleID: rule.ID, Mark: fact.Mark(rule.ID), Facts: *fact}
			isNew, err := tx.insert(ctx, &row, rule.Destinations)
			if err != nil {
				return err
			}
			if isNew {
				count++
			}
		}
		return nil
	})
	return count, err
}

// fresh returns the facts whose marks no alert has.
func (s *Store) fresh(ctx context.Context, rule *alert.Rule, facts []*alert.Fact) (newFacts []*alert.Fact, err error) {
	byMark := make(map[string]bool, len(facts))
	marks := make([]string, len(facts))
	for i, fact := range facts {
		marks[i] = fact.Mark(rule.ID)
	}
	const chunk = 500
	for tail := marks; len(tail) > 0; {
		part := tail[:min(len(tail), chunk)]
		tail = tail[len(part):]
		var hits []string
		if err := s.db.NewSelect().Model((*alertRow)(nil)).Column("mark").Where("mark IN (?)", bun.List(part)).
			Scan(ctx, &hits); err != nil {
			return nil, err
		}
		for _, mark := range hits {
			byMark[mark] = true
		}
	}
	for i, fact := range facts {
		if !byMark[marks[i]] {
			byMark[marks[i]] = true
			newFacts = append(newFacts, fact)
		}
	}
	return newFacts, nil
}

// insert stores an alert with its deliveries and reports whether its mark was new.
func (s *Store) insert(ctx context.Context, row *alertRow, destinations []uuid.UUID) (isNew bool, err error) {
	now := s.db.Now()
	if row.ID, err = uuid.NewV7(); err != nil {
		return false, err
	}
	row.CreatedAt, row.ExpiresAt = now, now.Add(retention)
	result, err := s.db.NewInsert().Model(row).On("CONFLICT (mark) DO NOTHING").Exec(ctx)
	if err != nil {
		return false, err
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		return false, err
	}
	if len(destinations) == 0 {
		return true, nil
	}
	var targets []uuid.UUID
	q := own(s.db.NewSelect().Model((*destinationRow)(nil)).Column("id"), row.TenantID).
		Where("r.id IN (?)", bun.List(destinations)).Where("r.status = ?", tenant.Enabled)
	if err := q.OrderExpr("r.id").Scan(ctx, &targets); err != nil || len(targets) == 0 {
		return true, err
	}
	rows := make([]deliveryRow, len(targets))
	for i, target := range targets {
		rows[i] = deliveryRow{AlertID: row.ID, TenantID: row.TenantID, DestinationID: target,
			State: alert.Waiting, DueAt: now}
		if rows[i].ID, err = uuid.NewV7(); err != nil {
			return false, err
		}
	}
	_, err = s.db.NewInsert().Model(&rows).Exec(ctx)
	return true, err
}

// TestDestination stores a test alert for one destination of the scope. A worker delivers it as any other alert. It
// returns a NotFound problem for another destination, and a RateLimited problem after ten tests in an hour.
func (s *Store) TestDestination(ctx context.Context, scope tenant.Scope, id uuid.UUID) (_ alert.Alert, err error) {
	defer db.Wrap(&err, "test alert destination")

	if err := permission.Check(scope, permission.WriteAlerts); err != nil {
		return alert.Alert{}, err
	}
	testID, err := uuid.NewV7()
	if err != nil {
		return alert.Alert{}, err
	}
	row := alertRow{TenantID: scope.Tenant(), Mark: "test " + testID.String(), Facts: alert.Fact{Kind: alert.Test}}
	err = s.writeAs(ctx, scope, func(tx *Store) error {
		if err := person.LockCountedOfTenant(ctx, tx.db, scope.Tenant()); err != nil { // before the tests are counted
			return err
		}
		var destination destinationRow
		if err := tx.destination(ctx, scope, tx.db.NewSelect().Model(&destination), id); err != nil {
			return err
		}
		if destination.Status != tenant.Enabled {
			return problem.New(problem.Conflict, "The destination is disabled. Enable it first.")
		}
		recent, err := own(tx.db.NewSelect().Model((*alertRow)(nil)), scope.Tenant()).Where("r.rule_id IS NULL").
			Where("r.created_at > ?", tx.db.Now().Add(-time.Hour)).Count(ctx)
		if err != nil {
			return err
		}
		if recent >= maxTests {
			return problem.New(problem.RateLimited, "There may be %d tests in an hour. Try again later.", maxTests)
		}
		if _, err := tx.insert(ctx, &row, []uuid.UUID{id}); err != nil {
			return err
		}
		return tx.db.Record(ctx, scope, db.Mutation{Action: "alert_destination.test", Tenant: scope.Tenant(),
			Target: id.String()})
	})
	if err != nil {
		return alert.Alert{}, err
	}
	return row.core(), nil
}

// Alerts lists the alerts of the scope's tenant, or of the operators, with their deliveries, newest first.
func (s *Store) Alerts(ctx context.Context, scope tenant.Scope, p page.Page) (list page.List[alert.Alert], err error) {
	defer db.Wrap(&err, "read alerts")

	if err := permission.Check(scope, permission.ReadAlerts); err != nil {
		return list, err
	}
	err = s.readAs(ctx, scope, func(in *Store) error {
		list, err = page.RowsOf(page.NewestFirst, alertRow.key, alertRow.core).
			Read(ctx, own(in.db.NewSelect(), scope.Tenant()), p)
		if err != nil || len(list.Items) == 0 {
			return err
		}
		ids := make([]uuid.UUID, len(list.Items))
		byID := make(map[uuid.UUID]*alert.Alert, len(list.Items))
		for i := range list.Items {
			ids[i], byID[list.Items[i].ID] = list.Items[i].ID, &list.Items[i]
		}
		var rows []deliveryRow
		if err := own(in.db.NewSelect().Model(&rows), scope.Tenant()).Where("r.alert_id IN (?)", bun.List(ids)).
			OrderExpr("r.id").Scan(ctx); err != nil {
			return err
		}
		for i := range rows {
			item := byID[rows[i].AlertID]
			item.Deliveries = append(item.Deliveries, rows[i].core())
		}
		return nil
	})
	return list, err
}

// Retry makes the failed deliveries of an alert of the scope due again. It returns a NotFound problem for another
// alert, and a Conflict problem if no delivery has failed.
func (s *Store) Retry(ctx context.Context, scope tenant.Scope, id uuid.UUID) (err error) {
	defer db.Wrap(&err, "retry alert")

	if err := permission.Check(scope, permission.WriteAlerts); err != nil {
		return err
	}
	return s.writeAs(ctx, scope, func(tx *Store) error {
		var a alertRow
		if err := db.Missing(own(tx.db.NewSelect().Model(&a), scope.Tenant()).Where("r.id = ?", id).Scan(ctx),
			"alert"); err != nil {
			return err
		}
		row := deliveryRow{State: alert.Waiting, DueAt: tx.db.Now()}
		q := tx.db.NewUpdate().Model(&row).Column("state", "attempts", "due_at", "ended_at").
			Where("r.alert_id = ?", id).Where("r.state = ?", alert.Failed)
		result, err := own(q, scope.Tenant()).Exec(ctx)
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			return field.First(err, problem.New(problem.Conflict, "No delivery of the alert has failed."))
		}
		return tx.db.Record(ctx, scope, db.Mutation{Action: "alert.retry", Tenant: scope.Tenant(), Target: id.String()})
	})
}

// Sweep deletes alerts that have expired, see db.DB.Sweep. The foreign key deletes their deliveries.
func Sweep(ctx context.Context, d *db.DB) error {
	return d.Sweep(ctx, db.Expired{Model: (*alertRow)(nil), Column: "expires_at"})
}
