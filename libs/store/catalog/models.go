package catalog

import (
	"cmp"
	"context"
	"maps"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/limit"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
	"github.com/tollgate/tollgate/libs/store/page"
)

// ModelPatch changes the fields that are not nil. MaxOutput is the most output tokens of one response, by which
// relays reserve quota; 0 means catalog.DefaultMaxOutput.
type ModelPatch struct {
	OwnedBy   *string
	Status    *tenant.Status
	Free      *bool
	MaxOutput *int64
	Limits    limit.Change

	Routing *catalog.Routing

	ContextLength    *int64
	InputModalities  *[]catalog.Modality
	OutputModalities *[]catalog.Modality
}

// modelRow is a row of models. Its id is the public model name.
type modelRow struct {
	bun.BaseModel `bun:"table:models,alias:r"`

	ID        string            `bun:"id,pk"`
	OwnedBy   string            `bun:"owned_by"`
	Status    tenant.Status     `bun:"status"`
	Free      bool              `bun:"free"`
	MaxOutput int64             `bun:"max_output"`
	CreatedAt time.Time         `bun:"created_at"`
	Limits    field.RateColumns `bun:"embed:limit_"`

	Routing          catalog.Routing    `bun:"routing"`
	ContextLength    int64              `bun:"context_length"`
	InputModalities  []catalog.Modality `bun:"input_modalities,type:jsonb"`
	OutputModalities []catalog.Modality `bun:"output_modalities,type:jsonb"`
}

func (r modelRow) key() string { return r.ID }

func (r modelRow) core() catalog.Model {
	return catalog.Model{
		ID: r.ID, OwnedBy: r.OwnedBy, Status: r.Status, Free: r.Free, MaxOutput: r.MaxOutput,
		Limits: r.Limits.Core(), CreatedAt: r.CreatedAt, Routing: r.Routing,
		ContextLength: r.ContextLength,
		Modalities:    catalog.Modalities{Input: r.InputModalities, Output: r.OutputModalities},
	}
}

// noteFacts adds the context length and the modalities to the detail of an audit entry, as far as they are known.
func (r modelRow) noteFacts(detail field.Changes) {
	var unknown modelRow
	field.Assign(detail, "context_length", &unknown.ContextLength, &r.ContextLength)
	field.AssignList(detail, "modalities.input", &unknown.InputModalities, &r.InputModalities)
	field.AssignList(detail, "modalities.output", &unknown.OutputModalities, &r.OutputModalities)
}

// check returns a problem that names the first invalid field.
func (r modelRow) check() error {
	if r.OwnedBy != "" && tenant.CheckName(r.OwnedBy) != nil {
		return problem.New(problem.InvalidType, "owned_by must have at most 200 characters and no control characters").
			At("owned_by")
	}
	if !r.Routing.Valid() {
		return problem.New(problem.InvalidType, "routing must be one of: weighted, cheapest").At("routing")
	}
	return field.First(
		catalog.CheckModelID(r.ID), tenant.CheckStatus(r.Status), tenant.CheckLimits(r.Limits.Core()),
		catalog.CheckTokens("max_output", r.MaxOutput), catalog.CheckTokens("context_length", r.ContextLength),
		catalog.CheckModalities("modalities.input", r.InputModalities),
		catalog.CheckModalities("modalities.output", r.OutputModalities),
	)
}

// CreateModel stores a model with its first price, which holds from now on. The rates must charge something
// unless m.Free is set; a free model whose rates charge nothing gets no price. An id that exists already is a
// Conflict problem.
func (s *Store) CreateModel(ctx context.Context, scope tenant.Scope, m catalog.Model,
	rates pricing.Rates) (_ catalog.Model, err error) {
	defer db.Wrap(&err, "create model")

	return s.createModel(ctx, scope, m, rates, field.Changes{})
}

// createModel creates a model as CreateModel does. The entries of the audit log, of the model and of its price, get the
// detail too.
func (s *Store) createModel(ctx context.Context, scope tenant.Scope, m catalog.Model, rates pricing.Rates,
	also field.Changes) (_ catalog.Model, err error) {
	row := modelRow{
		ID: m.ID, OwnedBy: m.OwnedBy, Status: tenant.OrEnabled(m.Status), Free: m.Free, MaxOutput: m.MaxOutput,
		CreatedAt: s.db.Now(),
		Limits:    field.RateColumns(m.Limits), ContextLength: m.ContextLength,
		Routing:         cmp.Or(m.Routing, catalog.Weighted),
		InputModalities: field.OrEmpty(m.Modalities.Input), OutputModalities: field.OrEmpty(m.Modalities.Output),
	}
	if err := field.First(permission.Check(scope, permission.WritePlatform), row.check(),
		rates.Check(m.Free)); err != nil {
		return catalog.Model{}, err
	}
	err = s.atomically(ctx, func(tx *Store) error {
		if err := tx.db.Insert(ctx, &row, "id"); err != nil {
			return err
		}
		// A price that charges nothing would only be noise in the list of versions.
		if hasPrice := rates.Check(false) == nil; hasPrice {
			if _, err := tx.createPrice(ctx, scope, pricing.Price{Model: m.ID, Rates: rates},
				maps.Clone(also)); err != nil {
				return err
			}
		}
		tx.db.Announce(db.CatalogChanged, uuid.Nil)
		detail := field.Changes{"owned_by": row.OwnedBy, "status": row.Status, "free": row.Free,
			"max_output": row.MaxOutput, "routing": row.Routing}
		maps.Copy(detail, also)
		field.NoteRates(detail, m.Limits)
		row.noteFacts(detail)
		return tx.db.Record(ctx, scope, db.Mutation{Action: "model.create", Target: m.ID, Detail: detail})
	})
	if err != nil {
		return catalog.Model{}, err
	}
	return row.core(), nil
}

// UpdateModel changes a model, or returns a NotFound problem. A model whose current price charges nothing
// cannot cease to be free: create a price first.
func (s *Store) UpdateModel(ctx context.Context, scope tenant.Scope, id string,
	p ModelPatch) (_ catalog.Model, err error) {
	defer db.Wrap(&err, "update model")

	if err := permission.Check(scope, permission.WritePlatform); err != nil {
		return catalog.Model{}, err
	}
	var row modelRow
	err = s.atomically(ctx, func(tx *Store) (err error) {
		if row, err = tx.model(ctx, id); err != nil {
			return err
		}
		changes := field.Changes{}
		field.Assign(changes, "owned_by", &row.OwnedBy, p.OwnedBy)
		field.Assign(changes, "status", &row.Status, p.Status)
		field.Assign(changes, "free", &row.Free, p.Free)
		field.Assign(changes, "max_output", &row.MaxOutput, p.MaxOutput)
		field.Assign(changes, "routing", &row.Routing, p.Routing)
		field.Assign(changes, "context_length", &row.ContextLength, p.ContextLength)
		field.AssignList(changes, "modalities.input", &row.InputModalities, p.InputModalities)
		field.AssignList(changes, "modalities.output", &row.OutputModalities, p.OutputModalities)
		row.Limits.Assign(changes, p.Limits)
		row.InputModalities, row.OutputModalities = field.OrEmpty(row.InputModalities),
			field.OrEmpty(row.OutputModalities)
		if err := row.check(); err != nil || len(changes) == 0 {
			return err
		}
		if _, changedFree := changes["free"]; changedFree && !row.Free {
			if err := tx.checkPriced(ctx, id); err != nil {
				return err
			}
		}
		_, err = tx.db.NewUpdate().Model(&row).Column("owned_by", "status", "free", "max_output", "routing",
			"context_length", "input_modalities", "output_modalities").Column(field.RateNames[:]...).WherePK().Exec(ctx)
		if err != nil {
			return err
		}
		tx.db.Announce(db.CatalogChanged, uuid.Nil)
		return tx.db.Record(ctx, scope, db.Mutation{Action: "model.update", Target: id, Detail: changes})
	})
	if err != nil {
		return catalog.Model{}, err
	}
	return row.core(), nil
}

// checkPriced returns a MissingParameter problem unless the current price of the model charges something.
func (s *Store) checkPriced(ctx context.Context, model string) error {
	price, err := s.currentPrice(ctx, model)
	if err != nil {
		return err
	}
	return price.Rates.Check(false)
}

// currentPrice returns the price of the model that is in effect now, or a zero price if there is none.
func (s *Store) currentPrice(ctx context.Context, model string) (pricing.Price, error) {
	// The order of pricing.Book: the newest effective_from, and of equal ones the newest id.
	var rows []priceRow
	err := s.db.NewSelect().Model(&rows).Where("model = ?", model).Where("effective_from <= ?", s.db.Now()).
		Where("withdrawn_at IS NULL").
		OrderExpr("effective_from DESC, id DESC").Limit(1).Scan(ctx)
	if err != nil || len(rows) == 0 {
		return pricing.Price{}, err
	}
	return rows[0].core(), nil
}

// Models lists all models in the order of their ids.
func (s *Store) Models(ctx context.Context, scope tenant.Scope, p page.Page) (_ page.List[catalog.Model], err error) {
	defer db.Wrap(&err, "read models")

	if err := permission.Check(scope, permission.ReadPlatform); err != nil {
		return page.List[catalog.Model]{}, err
	}
	return page.RowsOf(page.ByName(catalog.CheckModelID), modelRow.key, modelRow.core).Read(ctx, s.db.NewSelect(), p)
}

// model reads a model, or returns a NotFound problem. In a transaction of Atomically it locks the model, so
// that the model does not become charged while a price is created, and that no price is created while the model
// becomes free. An id with NUL characters or invalid UTF-8, which Postgres cannot store, is NotFound: callers write the
// id into logs as they received it.
func (s *Store) model(ctx context.Context, id string) (row modelRow, err error) {
	if field.Clean(id) != id {
		return row, db.NoSuch("model")
	}
	err = s.db.Lock(s.db.NewSelect().Model(&row).Where("id = ?", id)).Scan(ctx)
	return row, db.Missing(err, "model")
}
