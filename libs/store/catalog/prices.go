package catalog

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
	"github.com/tollgate/tollgate/libs/store/page"
)

// priceRow is a row of prices.
type priceRow struct {
	bun.BaseModel `bun:"table:prices,alias:r"`

	ID            uuid.UUID     `bun:"id,pk,type:uuid"`
	Model         string        `bun:"model"`
	EffectiveFrom time.Time     `bun:"effective_from"`
	Rates         pricing.Rates `bun:"rates,type:jsonb"`
	CreatedAt     time.Time     `bun:"created_at"`
	WithdrawnAt   time.Time     `bun:"withdrawn_at,nullzero"`
}

func (r priceRow) key() string { return r.ID.String() }

func (r priceRow) core() pricing.Price {
	return pricing.Price{
		ID: r.ID, Model: r.Model, EffectiveFrom: r.EffectiveFrom, Rates: r.Rates, CreatedAt: r.CreatedAt,
		WithdrawnAt: r.WithdrawnAt,
	}
}

// priceRowOf returns the row of a new version, which is not withdrawn.
func priceRowOf(p pricing.Price) priceRow {
	return priceRow{ID: p.ID, Model: p.Model, EffectiveFrom: p.EffectiveFrom, Rates: p.Rates, CreatedAt: p.CreatedAt}
}

// CreatePrice adds a version of a model's price. ID, CreatedAt and WithdrawnAt of p are ignored. A zero
// EffectiveFrom means now; an earlier time is an InvalidType problem, because it would change the price of
// requests that are charged already.
func (s *Store) CreatePrice(ctx context.Context, scope tenant.Scope, p pricing.Price) (_ pricing.Price, err error) {
	defer db.Wrap(&err, "create price")

	if err := permission.Check(scope, permission.WritePlatform); err != nil {
		return pricing.Price{}, err
	}
	return s.createPrice(ctx, scope, p, field.Changes{})
}

// createPrice adds a version as CreatePrice does. The entry of the audit log gets the detail too.
func (s *Store) createPrice(ctx context.Context, scope tenant.Scope, p pricing.Price,
	detail field.Changes) (_ pricing.Price, err error) {
	p.WithdrawnAt = time.Time{}
	err = s.atomically(ctx, func(tx *Store) (err error) {
		model, err := tx.model(ctx, p.Model)
		if err != nil {
			return db.Unknown(err, "model")
		}
		if err := p.Rates.Check(model.Free); err != nil {
			return err
		}
		if p.ID, p.CreatedAt, p.EffectiveFrom, err = tx.version(p.EffectiveFrom); err != nil {
			return err
		}
		row := priceRowOf(p)
		if _, err := tx.db.NewInsert().Model(&row).Exec(ctx); err != nil {
			return err
		}
		tx.db.Announce(db.CatalogChanged, uuid.Nil)
		detail["model"], detail["effective_from"], detail["rates"] = p.Model, p.EffectiveFrom, p.Rates
		return tx.db.Record(ctx, scope, db.Mutation{Action: "price.create", Target: p.ID.String(), Detail: detail})
	})
	if err != nil {
		return pricing.Price{}, err
	}
	return p, nil
}

// version returns the id and the times of a new version of a price or rule. from is the requested time; zero
// means now. A time before now is an InvalidType problem.
func (s *Store) version(from time.Time) (id uuid.UUID, created, effective time.Time, err error) {
	created = s.db.Now()
	effective = from.UTC().Truncate(time.Microsecond)
	if from.IsZero() {
		effective = created
	}
	if effective.Before(created) {
		err = problem.New(problem.InvalidType, "effective_from must not be in the past").At("effective_from")
		return id, created, effective, err
	}
	id, err = uuid.NewV7()
	return id, created, effective, err
}

// Prices lists the versions of one model's price, or with "" of all prices, newest first. Withdrawn ones are
// included.
func (s *Store) Prices(ctx context.Context, scope tenant.Scope, model string,
	p page.Page) (_ page.List[pricing.Price], err error) {
	defer db.Wrap(&err, "read prices")

	if err := permission.Check(scope, permission.ReadPlatform); err != nil {
		return page.List[pricing.Price]{}, err
	}
	q := s.db.NewSelect()
	if model != "" {
		q = q.Where("r.model = ?", field.Clean(model))
	}
	return page.RowsOf(page.NewestFirst, priceRow.key, priceRow.core).Read(ctx, q, p)
}

// ruleRow is a row of group_rules. Model is null in a rule for all models.
type ruleRow struct {
	bun.BaseModel `bun:"table:group_rules,alias:r"`

	ID            uuid.UUID     `bun:"id,pk,type:uuid"`
	GroupID       uuid.UUID     `bun:"group_id,type:uuid"`
	Model         string        `bun:"model,nullzero"`
	EffectiveFrom time.Time     `bun:"effective_from"`
	Multiplier    money.Factor  `bun:"multiplier"`
	Fixed         *money.Amount `bun:"fixed"`
	CreatedAt     time.Time     `bun:"created_at"`
	WithdrawnAt   time.Time     `bun:"withdrawn_at,nullzero"`
}

func (r ruleRow) key() string { return r.ID.String() }

func (r ruleRow) core() pricing.Rule {
	return pricing.Rule{
		ID: r.ID, GroupID: r.GroupID, Model: r.Model, EffectiveFrom: r.EffectiveFrom,
		Multiplier: r.Multiplier, Fixed: r.Fixed, CreatedAt: r.CreatedAt, WithdrawnAt: r.WithdrawnAt,
	}
}

// CreateRule adds a version of a price rule, which decides what a group pays. An empty Model means all
// models. The times are those of CreatePrice. The multiplier and the fixed price must not be negative.
func (s *Store) CreateRule(ctx context.Context, scope tenant.Scope, r pricing.Rule) (_ pricing.Rule, err error) {
	defer db.Wrap(&err, "create rule")

	if err := permission.Check(scope, permission.WritePlatform); err != nil {
		return pricing.Rule{}, err
	}
	r.WithdrawnAt = time.Time{}
	if r.Multiplier < 0 {
		return pricing.Rule{}, problem.New(problem.InvalidType, "multiplier must not be negative").At("multiplier")
	}
	if r.Fixed != nil && *r.Fixed < 0 {
		return pricing.Rule{}, problem.New(problem.InvalidType, "fixed must not be negative").At("fixed")
	}
	err = s.atomically(ctx, func(tx *Store) (err error) {
		if err := CheckGroup(ctx, tx.db, r.GroupID); err != nil {
			return db.Unknown(err, "group_id")
		}
		if r.Model != "" {
			if _, err := tx.model(ctx, r.Model); err != nil {
				return db.Unknown(err, "model")
			}
		}
		if r.ID, r.CreatedAt, r.EffectiveFrom, err = tx.version(r.EffectiveFrom); err != nil {
			return err
		}
		row := ruleRow{
			ID: r.ID, GroupID: r.GroupID, Model: r.Model, EffectiveFrom: r.EffectiveFrom,
			Multiplier: r.Multiplier, Fixed: r.Fixed, CreatedAt: r.CreatedAt,
		}
		if _, err := tx.db.NewInsert().Model(&row).Exec(ctx); err != nil {
			return err
		}
		tx.db.Announce(db.CatalogChanged, uuid.Nil)
		return tx.db.Record(ctx, scope, db.Mutation{Action: "rule.create", Target: r.ID.String(), Detail: field.Changes{
			"group_id": r.GroupID, "model": r.Model, "effective_from": r.EffectiveFrom, "multiplier": r.Multiplier,
			"fixed": r.Fixed,
		}})
	})
	if err != nil {
		return pricing.Rule{}, err
	}
	return r, nil
}

// RuleQuery selects rules. A zero field selects all. A Model selects the rules for that model, and not those
// for all models.
type RuleQuery struct {
	GroupID uuid.UUID
	Model   string
}

// Rules lists the versions of price rules, newest first. Withdrawn ones are included.
func (s *Store) Rules(ctx context.Context, scope tenant.Scope, query RuleQuery,
	p page.Page) (_ page.List[pricing.Rule], err error) {
	defer db.Wrap(&err, "read rules")

	if err := permission.Check(scope, permission.ReadPlatform); err != nil {
		return page.List[pricing.Rule]{}, err
	}
	q := s.db.NewSelect()
	if query.GroupID != uuid.Nil {
		q = q.Where("r.group_id = ?", query.GroupID)
	}
	if query.Model != "" {
		q = q.Where("r.model = ?", field.Clean(query.Model))
	}
	return page.RowsOf(page.NewestFirst, ruleRow.key, ruleRow.core).Read(ctx, q, p)
}

// FindPrice returns a version of a price, without a check of the scope, or a NotFound problem.
func FindPrice(ctx context.Context, tx *db.DB, id uuid.UUID) (pricing.Price, error) {
	var row priceRow
	err := tx.NewSelect().Model(&row).Where("id = ?", id).Scan(ctx)
	return row.core(), db.Missing(err, "price")
}

// FindRule returns a version of a price rule, without a check of the scope, or a NotFound problem.
func FindRule(ctx context.Context, tx *db.DB, id uuid.UUID) (pricing.Rule, error) {
	var row ruleRow
	err := tx.NewSelect().Model(&row).Where("id = ?", id).Scan(ctx)
	return row.core(), db.Missing(err, "group rule")
}
