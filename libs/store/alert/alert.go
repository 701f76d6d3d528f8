// Package alert stores the rules of alerts, the destinations that they report to, and the alerts with their deliveries.
//
//	rule (alert_rules) --worker finds a fact--> alert (alerts) + a delivery for each destination (alert_deliveries)
//	                                            one transaction; a second alert with the same mark is not inserted
//
//	waiting --Claim--> a worker sends it --End--> delivered, or failed after too many attempts
//	   ^                    |    \--HandOver--> the outbox of mail has it, and EndMailed ends it
//	   +------ Release -----+
//	   +------ Retry ------------------------------- failed
//
// A delivery survives the worker that claimed it: when the lease ends, another worker claims it. So an alert is
// delivered at least once, and carries the same id each time.
//
// Rules, destinations and alerts belong to a tenant, or to the operators (a null tenant_id). Each caller reaches only
// its own: operators do not see the rules and destinations of tenants.
//
// No transaction locks rows of other packages after those of this one, except the change feed and the audit log.
package alert

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/alert"
	"github.com/tollgate/tollgate/libs/core/language"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/person"
)

// Store reads and writes alerts. It is safe for concurrent use unless it was made from a transaction.
type Store struct{ db *db.DB }

// New returns the Store over a database, or over a transaction on it.
func New(d *db.DB) *Store { return &Store{db: d} }

// atomically runs a function as db.DB.Atomically does, with a Store on the transaction.
func (s *Store) atomically(ctx context.Context, do func(*Store) error) error {
	return s.db.Atomically(ctx, func(tx *db.DB) error { return do(New(tx)) })
}

// readAs runs a function as db.DB.ReadAs does, with a Store under the row-level security of the scope.
func (s *Store) readAs(ctx context.Context, scope tenant.Scope, do func(*Store) error) error {
	return s.db.ReadAs(ctx, scope, func(in *db.DB) error { return do(New(in)) })
}

// writeAs runs a function as db.DB.WriteAs does, with a Store under the row-level security of the scope.
func (s *Store) writeAs(ctx context.Context, scope tenant.Scope, do func(*Store) error) error {
	return s.db.WriteAs(ctx, scope, func(tx *db.DB) error { return do(New(tx)) })
}

// query is a bun query that has conditions.
type query[Q any] interface {
	Where(text string, args ...any) Q
}

// own limits a query to the rows of the tenant, or with uuid.Nil to those of the operators. The table has the alias r.
func own[Q query[Q]](q Q, tenantID uuid.UUID) Q {
	if tenantID == uuid.Nil {
		return q.Where("r.tenant_id IS NULL")
	}
	return q.Where("r.tenant_id = ?", tenantID)
}

// destinationRow is a row of alert_destinations without its secrets, which the role of tenants must not read.
type destinationRow struct {
	bun.BaseModel `bun:"table:alert_destinations,alias:r"`

	ID        uuid.UUID     `bun:"id,pk,type:uuid"`
	TenantID  uuid.UUID     `bun:"tenant_id,type:uuid,nullzero"`
	Kind      alert.Channel `bun:"kind"`
	Name      string        `bun:"name"`
	MailTo    uuid.UUID     `bun:"mail_to,type:uuid,nullzero"`
	Shown     string        `bun:"shown"`
	Language  language.Tag  `bun:"language"`
	Status    tenant.Status `bun:"status"`
	CreatedAt time.Time     `bun:"created_at"`
}

// secretRow is a row of alert_destinations with its secrets.
type secretRow struct {
	destinationRow `bun:",extend"`

	URL    []byte `bun:"url"`
	Secret []byte `bun:"secret"`
}

func (r destinationRow) key() string { return r.ID.String() }

func (r destinationRow) core() alert.Destination {
	return alert.Destination{
		ID: r.ID, TenantID: r.TenantID, Channel: r.Kind, Name: r.Name, MailTo: r.MailTo, Shown: r.Shown,
		Language: r.Language,
		Status:   r.Status, CreatedAt: r.CreatedAt.UTC(),
	}
}

// NewDestination holds the parameters of CreateDestination.
type NewDestination struct {
	ID          uuid.UUID // for which URL and Secret are sealed
	Channel     alert.Channel
	Name        string
	MailTo      uuid.UUID // of alert.Mail
	Shown       string    // of the other channels
	URL, Secret []byte    // sealed
	Language    language.Tag
}

// CreateDestination stores a destination of the scope's tenant, or of the operators. The user who gets the mails must
// be an enabled one of the tenant, or an operator, with a proven address: alerts are not sent to strangers.
func (s *Store) CreateDestination(ctx context.Context, scope tenant.Scope,
	n NewDestination) (_ alert.Destination, err error) {
	defer db.Wrap(&err, "create alert destination")

	if err := field.First(permission.Check(scope, permission.WriteAlerts), tenant.CheckName(n.Name)); err != nil {
		return alert.Destination{}, err
	}
	row := secretRow{destinationRow: destinationRow{
		ID: n.ID, TenantID: scope.Tenant(), Kind: n.Channel, Name: n.Name, MailTo: n.MailTo, Shown: n.Shown,
		Language: n.Language, Status: tenant.Enabled, CreatedAt: s.db.Now(),
	}, URL: n.URL, Secret: n.Secret}
	err = s.writeAs(ctx, scope, func(tx *Store) error {
		if err := tx.checkRoom(ctx, scope, "alert_destinations", alert.MaxDestinations); err != nil {
			return err
		}
		if n.Channel == alert.Mail {
			if row.Shown, err = tx.recipient(ctx, scope, n.MailTo); err != nil {
				return err
			}
		}
		if _, err := tx.db.NewInsert().Model(&row).Exec(ctx); err != nil {
			return err
		}
		return tx.db.Record(ctx, scope, db.Mutation{Action: "alert_destination.create", Tenant: scope.Tenant(),
			Target: row.ID.String(), Detail: field.Changes{
				"name": row.Name, "channel": row.Kind, "target": row.Shown,
			}})
	})
	if err != nil {
		return alert.Destination{}, err
	}
	return row.core(), nil
}

// checkRoom returns a Conflict problem if the table has as many rows of the scope as it may. It locks the tenant, or
// the operators, until the transaction ends, so that two rows cannot take the last place.
func (s *Store) checkRoom(ctx context.Context, scope tenant.Scope, table string, limit int) error {
	if err := person.LockCountedOfTenant(ctx, s.db, scope.Tenant()); err != nil {
		return err
	}
	n, err := own(s.db.NewSelect().TableExpr("? AS r", bun.Ident(table)), scope.Tenant()).Count(ctx)
	if err == nil && int(n) >= limit {
		return problem.New(problem.Conflict, "There may be at most %d. Delete one first.", limit)
	}
	return err
}

// recipient returns the address of a user who may get the alerts of the scope, or an InvalidType problem.
func (s *Store) recipient(ctx context.Context, scope tenant.Scope, id uuid.UUID) (address string, err error) {
	q := own(s.db.NewSelect().TableExpr("users AS r").ColumnExpr("r.address"), scope.Tenant()).
		Where("r.id = ?", id).Where("r.status = ?", tenant.Enabled).Where("r.proof <> ?", tenant.Unproven)
	if err := db.Missing(q.Scan(ctx, &address), "user"); problem.Is(err, problem.NotFound) {
		return "", problem.New(problem.InvalidType,
			"user_id must be an enabled user of your organization whose address is confirmed.").At("user_id")
	} else if err != nil {
		return "", err
	}
	return address, nil
}

// Destinations lists the destinations of the scope's tenant, or of the operators, oldest first.
func (s *Store) Destinations(ctx context.Context, scope tenant.Scope,
	p page.Page) (list page.List[alert.Destination], err error) {
	defer db.Wrap(&err, "read alert destinations")

	if err := permission.Check(scope, permission.ReadAlerts); err != nil {
		return list, err
	}
	err = s.readAs(ctx, scope, func(in *Store) error {
		list, err = page.RowsOf(page.OldestFirst, destinationRow.key, destinationRow.core).
			Read(ctx, own(in.db.NewSelect(), scope.Tenant()), p)
		return err
	})
	return list, err
}

// Destination returns a destination of the scope, or a NotFound problem.
func (s *Store) Destination(ctx context.Context, scope tenant.Scope, id uuid.UUID) (_ alert.Destination, err error) {
	defer db.Wrap(&err, "read alert destination")

	if err := permission.Check(scope, permission.ReadAlerts); err != nil {
		return alert.Destination{}, err
	}
	var row destinationRow
	err = s.readAs(ctx, scope,
		func(in *Store) error { return in.destination(ctx, scope, in.db.NewSelect().Model(&row), id) })
	return row.core(), err
}

// destination runs the query q, which may lock the row, for a destination of the scope, or returns a NotFound problem.
func (s *Store) destination(ctx context.Context, scope tenant.Scope, q *bun.SelectQuery, id uuid.UUID) error {
	return db.Missing(own(q, scope.Tenant()).Where("r.id = ?", id).Scan(ctx), "alert destination")
}

// DestinationPatch changes the fields that are not nil.
type DestinationPatch struct {
	Name   *string
	Status *tenant.Status
	Secret []byte // sealed; of a webhook
	URL    []byte // sealed; of a channel with a URL. Alerts that wait go to the new URL
	Shown  string // the part of URL that may be shown
}

// UpdateDestination changes a destination of the scope, or returns a NotFound problem.
func (s *Store) UpdateDestination(ctx context.Context, scope tenant.Scope, id uuid.UUID,
	p DestinationPatch) (_ alert.Destination, err error) {
	defer db.Wrap(&err, "update alert destination")

	if err := permission.Check(scope, permission.WriteAlerts); err != nil {
		return alert.Destination{}, err
	}
	var row secretRow
	err = s.writeAs(ctx, scope, func(tx *Store) error {
		if err := tx.destination(ctx, scope, tx.db.Lock(tx.db.NewSelect().Model(&row.destinationRow)), id); err != nil {
			return err
		}
		changes, columns := field.Changes{}, []string{"name", "status"}
		field.Assign(changes, "name", &row.Name, p.Name)
		field.Assign(changes, "status", &row.Status, p.Status)
		if p.Secret != nil {
			if row.Kind != alert.Webhook {
				return problem.New(problem.Conflict, "Only webhooks have a signing secret.")
			}
			row.Secret, changes["secret"], columns = p.Secret, true, append(columns, "secret")
		}
		if p.URL != nil {
			if row.Kind == alert.Mail {
				return problem.New(problem.Conflict, "A destination of mail has no url.").At("url")
			}
			changes.Note("target", row.Shown, p.Shown)
			row.URL, row.Shown, columns = p.URL, p.Shown, append(columns, "url", "shown")
		}
		if err := field.First(tenant.CheckName(row.Name), tenant.CheckStatus(row.Status)); err != nil ||
			len(changes) == 0 {
			return err
		}
		if _, err := tx.db.NewUpdate().Model(&row).Column(columns...).WherePK().Exec(ctx); err != nil {
			return err
		}
		return tx.db.Record(ctx, scope, db.Mutation{Action: "alert_destination.update", Tenant: scope.Tenant(),
			Target: id.String(), Detail: changes})
	})
	return row.core(), err
}

// DeleteDestination deletes a destination of the scope with its deliveries, and takes it out of the rules, or returns a
// NotFound problem.
func (s *Store) DeleteDestination(ctx context.Context, scope tenant.Scope, id uuid.UUID) (err error) {
	defer db.Wrap(&err, "delete alert destination")

	if err := permission.Check(scope, permission.WriteAlerts); err != nil {
		return err
	}
	return s.writeAs(ctx, scope, func(tx *Store) error {
		// The locks keep rules from getting the destination meanwhile: new ones, see checkRoom, and those that exist.
		if err := person.LockCountedOfTenant(ctx, tx.db, scope.Tenant()); err != nil {
			return err
		}
		var row destinationRow
		if err := tx.destination(ctx, scope, tx.db.NewSelect().Model(&row), id); err != nil {
			return err
		}
		if err := tx.removeDestinations(ctx, scope.Tenant(), id); err != nil {
			return err
		}
		return tx.db.Record(ctx, scope, db.Mutation{Action: "alert_destination.delete", Tenant: scope.Tenant(),
			Target: id.String(), Detail: field.Changes{"name": row.Name}})
	})
}

// removeDestinations deletes destinations of the tenant, or with uuid.Nil of the operators, and takes them out of the
// rules. The caller holds the lock of person.LockCountedOfTenant.
func (s *Store) removeDestinations(ctx context.Context, tenantID uuid.UUID, ids ...uuid.UUID) error {
	var rules []ruleRow
	if err := s.db.Lock(own(s.db.NewSelect().Model(&rules), tenantID).OrderExpr("r.id")).Scan(ctx); err != nil {
		return err
	}
	isGone := func(id uuid.UUID) bool { return slices.Contains(ids, id) }
	for i := range rules {
		if !slices.ContainsFunc(rules[i].Destinations, isGone) {
			continue
		}
		rules[i].Destinations = slices.DeleteFunc(rules[i].Destinations, isGone)
		if _, err := s.db.NewUpdate().Model(&rules[i]).Column("destinations").WherePK().Exec(ctx); err != nil {
			return err
		}
	}
	// The foreign key deletes their deliveries.
	_, err := s.db.NewDelete().Model((*destinationRow)(nil)).Where("id IN (?)", bun.List(ids)).Exec(ctx)
	return err
}

// ruleRow is a row of alert_rules.
type ruleRow struct {
	bun.BaseModel `bun:"table:alert_rules,alias:r"`

	ID           uuid.UUID     `bun:"id,pk,type:uuid"`
	TenantID     uuid.UUID     `bun:"tenant_id,type:uuid,nullzero"`
	Name         string        `bun:"name"`
	Kind         alert.Kind    `bun:"kind"`
	Subject      alert.Subject `bun:"subject"`
	SubjectID    uuid.UUID     `bun:"subject_id,type:uuid,nullzero"`
	Period       quota.Period  `bun:"period"`
	Thresholds   []int         `bun:"thresholds,type:jsonb"`
	Destinations []uuid.UUID   `bun:"destinations,type:jsonb"`
	Status       tenant.Status `bun:"status"`
	CreatedAt    time.Time     `bun:"created_at"`
}

func (r ruleRow) key() string { return r.ID.String() }

func (r ruleRow) core() alert.Rule {
	return alert.Rule{
		ID: r.ID, TenantID: r.TenantID, Name: r.Name, Kind: r.Kind, Subject: r.Subject, SubjectID: r.SubjectID,
		Period:     r.Period,
		Thresholds: r.Thresholds, Destinations: r.Destinations, Status: r.Status, CreatedAt: r.CreatedAt.UTC(),
	}
}

func ruleRowOf(r *alert.Rule) ruleRow {
	thresholds := field.OrEmpty(slices.Clone(r.Thresholds))
	slices.Sort(thresholds)
	return ruleRow{
		ID: r.ID, TenantID: r.TenantID, Name: r.Name, Kind: r.Kind, Subject: r.Subject, SubjectID: r.SubjectID,
		Period:     r.Period,
		Thresholds: slices.Compact(thresholds), Destinations: field.OrEmpty(r.Destinations), Status: r.Status,
		CreatedAt: r.CreatedAt,
	}
}

// changes returns the fields of a rule for the audit log.
func (r *ruleRow) changes() field.Changes {
	return field.Changes{
		"name": r.Name, "kind": r.Kind, "subject": r.Subject, "subject_id": r.SubjectID, "period": r.Period,
		"thresholds":   r.Thresholds,
		"destinations": r.Destinations, "status": r.Status,
	}
}

// CreateRule stores a rule of the scope's tenant, or of the operators. ID, TenantID and CreatedAt of r are ignored.
func (s *Store) CreateRule(ctx context.Context, scope tenant.Scope, r alert.Rule) (_ alert.Rule, err error) {
	defer db.Wrap(&err, "create alert rule")

	r.TenantID, r.Status, r.CreatedAt = scope.Tenant(), tenant.OrEnabled(r.Status), s.db.Now()
	if r.ID, err = uuid.NewV7(); err != nil {
		return alert.Rule{}, err
	}
	if err := field.First(permission.Check(scope, permission.WriteAlerts), r.Check()); err != nil {
		return alert.Rule{}, err
	}
	row := ruleRowOf(&r)
	err = s.writeAs(ctx, scope, func(tx *Store) error {
		if err := field.First(tx.checkRoom(ctx, scope, "alert_rules", alert.MaxRules),
			tx.checkReferences(ctx, scope, &row)); err != nil {
			return err
		}
		if _, err := tx.db.NewInsert().Model(&row).Exec(ctx); err != nil {
			return err
		}
		return tx.db.Record(ctx, scope, db.Mutation{Action: "alert_rule.create", Tenant: scope.Tenant(),
			Target: row.ID.String(), Detail: row.changes()})
	})
	if err != nil {
		return alert.Rule{}, err
	}
	return row.core(), nil
}

// checkReferences returns an InvalidType problem unless the subject and the destinations exist and the scope reaches
// them.
func (s *Store) checkReferences(ctx context.Context, scope tenant.Scope, r *ruleRow) error {
	if len(r.Destinations) > 0 {
		n, err := own(s.db.NewSelect().Model((*destinationRow)(nil)), scope.Tenant()).
			Where("r.id IN (?)", bun.List(r.Destinations)).Count(ctx)
		if err != nil {
			return err
		}
		if int(n) != len(r.Destinations) {
			return problem.New(problem.InvalidType, "destinations must be ids of your destinations, each once.").
				At("destinations")
		}
	}
	if r.SubjectID == uuid.Nil {
		return nil
	}
	q := s.db.NewSelect().TableExpr("? AS r", bun.Ident(string(r.Subject)+"s")).Where("r.id = ?", r.SubjectID)
	if scope.Tenant() != uuid.Nil {
		column := "tenant_id"
		if r.Subject == alert.OfTenant {
			column = "id"
		}
		q = q.Where("r.? = ?", bun.Ident(column), scope.Tenant())
	}
	n, err := q.Count(ctx)
	if err == nil && n == 0 {
		return problem.New(problem.InvalidType, "subject_id must be the id of a %s that you can see.", r.Subject).
			At("subject_id")
	}
	return err
}

// Rules lists the rules of the scope's tenant, or of the operators, oldest first.
func (s *Store) Rules(ctx context.Context, scope tenant.Scope, p page.Page) (list page.List[alert.Rule], err error) {
	defer db.Wrap(&err, "read alert rules")

	if err := permission.Check(scope, permission.ReadAlerts); err != nil {
		return list, err
	}
	err = s.readAs(ctx, scope, func(in *Store) error {
		list, err = page.RowsOf(page.OldestFirst, ruleRow.key, ruleRow.core).
			Read(ctx, own(in.db.NewSelect(), scope.Tenant()), p)
		return err
	})
	return list, err
}

// RulePatch changes the fields that are not nil. What a rule watches stays.
type RulePatch struct {
	Name         *string
	Thresholds   *[]int
	Destinations *[]uuid.UUID
	Status       *tenant.Status
}

// UpdateRule changes a rule of the scope, or returns a NotFound problem.
func (s *Store) UpdateRule(ctx context.Context, scope tenant.Scope, id uuid.UUID,
	p RulePatch) (_ alert.Rule, err error) {
	defer db.Wrap(&err, "update alert rule")

	if err := permission.Check(scope, permission.WriteAlerts); err != nil {
		return alert.Rule{}, err
	}
	var row ruleRow
	err = s.writeAs(ctx, scope, func(tx *Store) error {
		if err := tx.rule(ctx, scope, id, &row); err != nil {
			return err
		}
		changes := field.Changes{}
		field.Assign(changes, "name", &row.Name, p.Name)
		field.Assign(changes, "status", &row.Status, p.Status)
		field.AssignList(changes, "thresholds", &row.Thresholds, p.Thresholds)
		field.AssignList(changes, "destinations", &row.Destinations, p.Destinations)
		rule := row.core()
		row = ruleRowOf(&rule)
		if err := rule.Check(); err != nil || len(changes) == 0 {
			return err
		}
		if p.Destinations != nil {
			if err := tx.checkReferences(ctx, scope, &row); err != nil {
				return err
			}
		}
		if _, err := tx.db.NewUpdate().Model(&row).Column("name", "status", "thresholds", "destinations").WherePK().
			Exec(ctx); err != nil {
			return err
		}
		return tx.db.Record(ctx, scope, db.Mutation{Action: "alert_rule.update", Tenant: scope.Tenant(),
			Target: id.String(), Detail: changes})
	})
	return row.core(), err
}

// rule reads and locks a rule of the scope, or returns a NotFound problem.
func (s *Store) rule(ctx context.Context, scope tenant.Scope, id uuid.UUID, row *ruleRow) error {
	return db.Missing(s.db.Lock(own(s.db.NewSelect().Model(row), scope.Tenant()).Where("r.id = ?", id)).
		Scan(ctx), "alert rule")
}

// DeleteRule deletes a rule of the scope, or returns a NotFound problem. Its alerts stay.
func (s *Store) DeleteRule(ctx context.Context, scope tenant.Scope, id uuid.UUID) (err error) {
	defer db.Wrap(&err, "delete alert rule")

	if err := permission.Check(scope, permission.WriteAlerts); err != nil {
		return err
	}
	return s.writeAs(ctx, scope, func(tx *Store) error {
		var row ruleRow
		if err := tx.rule(ctx, scope, id, &row); err != nil {
			return err
		}
		if _, err := tx.db.NewDelete().Model(&row).WherePK().Exec(ctx); err != nil {
			return err
		}
		return tx.db.Record(ctx, scope, db.Mutation{Action: "alert_rule.delete", Tenant: scope.Tenant(),
			Target: id.String(), Detail: field.Changes{"name": row.Name}})
	})
}
