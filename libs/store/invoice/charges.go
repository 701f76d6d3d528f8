package invoice

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/invoice"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
)

// insertRows is the number of charges that one statement stores.
const insertRows = 500

// chargeRow is a row of supplier_charges.
type chargeRow struct {
	bun.BaseModel `bun:"table:supplier_charges,alias:r"`

	AccountID    uuid.UUID     `bun:"account_id,pk,type:uuid"`
	Day          string        `bun:"day,pk"`
	Model        string        `bun:"model,pk"`
	Key          string        `bun:"key,pk"`
	Amount       *money.Amount `bun:"amount"`
	InputTokens  *int64        `bun:"input_tokens"`
	OutputTokens *int64        `bun:"output_tokens"`
	Requests     *int64        `bun:"requests"`
}

func (r *chargeRow) core() invoice.Charge {
	return invoice.Charge{Day: invoice.Day(r.Day), Model: r.Model, Key: r.Key, Figures: invoice.Figures{
		Amount: r.Amount, InputTokens: r.InputTokens, OutputTokens: r.OutputTokens, Requests: r.Requests,
	}}
}

// dayRow is a row of supplier_days.
type dayRow struct {
	bun.BaseModel `bun:"table:supplier_days,alias:r"`

	AccountID uuid.UUID `bun:"account_id,pk,type:uuid"`
	Day       string    `bun:"day,pk"`
	FetchedAt time.Time `bun:"fetched_at,nullzero"`
}

// Fetched (system scope) stores a report: its charges replace those of the days that it reports, so that a repeated
// report changes nothing and a corrected one is taken over. Other days stay. The account is due again at dueAt.
//
// If the account was changed since the claim, Fetched, Failed and Rest do nothing: it is due at once, and the report
// may come from another address or belong to another credential.
func (s *Store) Fetched(ctx context.Context, scope tenant.Scope, c *Claim, r invoice.Report,
	dueAt time.Time) (err error) {
	defer db.Wrap(&err, "store supplier charges")

	if err := permission.Program(scope); err != nil {
		return err
	}
	return s.atomically(ctx, func(tx *Store) error {
		row, err := tx.lock(ctx, c.ID)
		if err != nil || !row.UpdatedAt.Equal(c.UpdatedAt) {
			return err
		}
		if err := tx.replace(ctx, c.ID, r); err != nil {
			return err
		}
		_, err = tx.db.NewUpdate().Model((*accountRow)(nil)).Set("due_at = ?", dueAt).
			Set("fetched_at = ?", tx.db.Now()).
			Set("failures = 0").Set("error = ''").Where("id = ?", c.ID).Exec(ctx)
		return err
	})
}

// Rest (system scope) makes an account due again at dueAt. Workers call it for accounts that are not fetched.
func (s *Store) Rest(ctx context.Context, scope tenant.Scope, c *Claim, dueAt time.Time) (err error) {
	defer db.Wrap(&err, "postpone billing account")

	if err := permission.Program(scope); err != nil {
		return err
	}
	return s.atomically(ctx, func(tx *Store) error {
		_, err := tx.db.NewUpdate().Model((*accountRow)(nil)).Set("due_at = ?", dueAt).Where("id = ?", c.ID).
			Where("updated_at = ?", c.UpdatedAt).Exec(ctx)
		return err
	})
}

// Upload stores a report that a person uploaded, as Fetched does, for an account of CSV files. The account is due at
// once. Other accounts are refused with a Conflict problem.
func (s *Store) Upload(ctx context.Context, scope tenant.Scope, id uuid.UUID, r invoice.Report) (err error) {
	defer db.Wrap(&err, "upload supplier charges")

	if err := permission.Check(scope, permission.WritePlatform); err != nil {
		return err
	}
	return s.atomically(ctx, func(tx *Store) error {
		account, err := tx.lock(ctx, id)
		if err != nil {
			return err
		}
		if account.Provider != invoice.Upload {
			return problem.New(problem.Conflict, "The charges of this account are fetched from the provider. Upload "+
				"files to an account with the provider csv.")
		}
		if err := tx.replace(ctx, id, r); err != nil {
			return err
		}
		now := tx.db.Now()
		if _, err := tx.db.NewUpdate().Model((*accountRow)(nil)).Set("due_at = ?", now).Set("fetched_at = ?", now).
			Where("id = ?", id).Exec(ctx); err != nil {
			return err
		}
		return tx.db.Record(ctx, scope, db.Mutation{Action: "billing_account.upload", Target: id.String(),
			Detail: field.Changes{"days": len(r.Days), "charges": len(r.Charges)}})
	})
}

// Failed (system scope) records that a fetch failed. The charges stay as they are.
func (s *Store) Failed(ctx context.Context, scope tenant.Scope, c *Claim, text string, dueAt time.Time) (err error) {
	defer db.Wrap(&err, "record failed fetch")

	if err := permission.Program(scope); err != nil {
		return err
	}
	return s.atomically(ctx, func(tx *Store) error {
		_, err := tx.db.NewUpdate().Model((*accountRow)(nil)).Set("due_at = ?", dueAt).Set("failures = failures + 1").
			Set("error = ?", field.Clean(text)).Where("id = ?", c.ID).Where("updated_at = ?", c.UpdatedAt).Exec(ctx)
		return err
	})
}

// lock locks an account until the end of the transaction, so that concurrent reports do not mix, and returns it.
func (s *Store) lock(ctx context.Context, id uuid.UUID) (row accountRow, err error) {
	err = s.db.Lock(s.db.NewSelect().Model(&row).Where("id = ?", id)).Scan(ctx)
	return row, db.Missing(err, "billing account")
}

// replace stores the charges of a report. The caller has locked the account.
func (s *Store) replace(ctx context.Context, id uuid.UUID, r invoice.Report) error {
	now := s.db.Now()
	var days []string
	var marks []dayRow
	for day := range r.Days {
		days = append(days, string(day))
		marks = append(marks, dayRow{AccountID: id, Day: string(day), FetchedAt: now})
	}
	if len(days) == 0 {
		return nil
	}
	if _, err := s.db.NewDelete().Model((*chargeRow)(nil)).Where("account_id = ?", id).
		Where("day IN (?)", bun.List(days)).Exec(ctx); err != nil {
		return err
	}
	rows := make([]chargeRow, 0, len(r.Charges))
	for i := range r.Charges {
		c := &r.Charges[i]
		rows = append(rows, chargeRow{
			AccountID: id, Day: string(c.Day), Model: field.Clean(c.Model), Key: field.Clean(c.Key),
			Amount: c.Amount, InputTokens: c.InputTokens, OutputTokens: c.OutputTokens, Requests: c.Requests,
		})
	}
	for part := range slices.Chunk(rows, insertRows) {
		if _, err := s.db.NewInsert().Model(&part).Exec(ctx); err != nil {
			return err
		}
	}
	_, err := s.db.NewInsert().Model(&marks).On("CONFLICT (account_id, day) DO UPDATE").
		Set("fetched_at = EXCLUDED.fetched_at").Exec(ctx)
	return err
}

// Charges returns the charges of one day, by model and key.
func (s *Store) Charges(ctx context.Context, scope tenant.Scope, id uuid.UUID,
	day invoice.Day) (_ []invoice.Charge, err error) {
	defer db.Wrap(&err, "read supplier charges")

	if err := permission.Check(scope, permission.ReadPlatform); err != nil {
		return nil, err
	}
	return s.charges(ctx, id, day)
}

func (s *Store) charges(ctx context.Context, id uuid.UUID, day invoice.Day) ([]invoice.Charge, error) {
	var rows []chargeRow
	if err := s.db.NewSelect().Model(&rows).Where("account_id = ?", id).Where("day = ?", string(day)).
		Scan(ctx); err != nil {
		return nil, err
	}
	charges := make([]invoice.Charge, len(rows))
	for i := range rows {
		charges[i] = rows[i].core()
	}
	slices.SortFunc(charges, func(a, b invoice.Charge) int {
		return strings.Compare(a.Model+"\x00"+a.Key, b.Model+"\x00"+b.Key)
	})
	return charges, nil
}
