package catalog

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/pricecatalog"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
)

// PriceFile is the stored file of the price catalog. Nobody has stored one if Text is empty; then pricecatalog.Builtin
// applies.
type PriceFile struct {
	Text      string
	SHA256    string    // of the text, in hexadecimal
	Source    string    // UploadedPrices, or the URL from which the worker fetched the file
	StoredAt  time.Time // zero if there is no text
	CheckedAt time.Time // when the worker last fetched the file; zero: never
	Fault     string    // why the last fetch failed; "" if it succeeded
}

// UploadedPrices is the source of a file that an operator uploaded.
const UploadedPrices = "upload"

// priceCatalogRow is the only row of price_catalog.
type priceCatalogRow struct {
	bun.BaseModel `bun:"table:price_catalog,alias:r"`

	ID        int       `bun:"id,pk"`
	File      string    `bun:"file,nullzero"`
	SHA256    string    `bun:"sha256"`
	Source    string    `bun:"source"`
	StoredAt  time.Time `bun:"stored_at,nullzero"`
	CheckedAt time.Time `bun:"checked_at,nullzero"`
	Fault     string    `bun:"fault"`
}

const priceCatalogID = 1

// SHA256 returns the checksum by which files of the price catalog are compared, in hexadecimal.
func SHA256(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// PriceFile reads the stored file of the price catalog.
func (s *Store) PriceFile(ctx context.Context, scope tenant.Scope) (_ PriceFile, err error) {
	defer db.Wrap(&err, "read price catalog")

	if err := permission.Check(scope, permission.ReadPlatform); err != nil {
		return PriceFile{}, err
	}
	var rows []priceCatalogRow
	if err := s.db.NewSelect().Model(&rows).Scan(ctx); err != nil || len(rows) == 0 {
		return PriceFile{}, err
	}
	r := rows[0]
	return PriceFile{Text: r.File, SHA256: r.SHA256, Source: r.Source, StoredAt: r.StoredAt, CheckedAt: r.CheckedAt,
		Fault: r.Fault}, nil
}

// ReplacePriceFile stores a file of the price catalog in place of the present one. A file that pricecatalog.Parse
// refuses is not stored. No price changes.
func (s *Store) ReplacePriceFile(ctx context.Context, scope tenant.Scope, text []byte, source string) (err error) {
	defer db.Wrap(&err, "replace price catalog")

	if err := permission.Check(scope, permission.WritePlatform); err != nil {
		return err
	}
	file, err := pricecatalog.Parse(text)
	if err != nil {
		return err
	}
	row := priceCatalogRow{ID: priceCatalogID, File: string(text), SHA256: SHA256(text), Source: source,
		StoredAt: s.db.Now()}
	columns := []string{"file", "sha256", "source", "stored_at"}
	if source != UploadedPrices {
		row.CheckedAt = row.StoredAt
		columns = append(columns, "checked_at", "fault")
	}
	return s.atomically(ctx, func(tx *Store) error {
		if err := tx.putPriceCatalog(ctx, &row, columns...); err != nil {
			return err
		}
		return tx.db.Record(ctx, scope, db.Mutation{Action: "price_catalog.replace", Target: row.SHA256,
			Detail: field.Changes{
				"source": source, "updated": file.Updated.Format(time.DateOnly), "entries": len(file.Entries),
			}})
	})
}

// DropPriceFile removes the stored file, so that the one that ships with the product applies again.
func (s *Store) DropPriceFile(ctx context.Context, scope tenant.Scope) (err error) {
	defer db.Wrap(&err, "remove price catalog")

	if err := permission.Check(scope, permission.WritePlatform); err != nil {
		return err
	}
	return s.atomically(ctx, func(tx *Store) error {
		if _, err := tx.db.NewDelete().Model((*priceCatalogRow)(nil)).Where("id = ?", priceCatalogID).
			Exec(ctx); err != nil {
			return err
		}
		return tx.db.Record(ctx, scope, db.Mutation{Action: "price_catalog.remove", Target: "price_catalog"})
	})
}

// NotePriceFetch records that the worker fetched the file, and why that failed; "" if the file is the stored one.
func (s *Store) NotePriceFetch(ctx context.Context, scope tenant.Scope, fault string) (err error) {
	defer db.Wrap(&err, "note the fetch of the price catalog")

	if err := permission.Program(scope); err != nil {
		return err
	}
	row := priceCatalogRow{ID: priceCatalogID, CheckedAt: s.db.Now(), Fault: field.Clean(fault)}
	return s.atomically(ctx, func(tx *Store) error { return tx.putPriceCatalog(ctx, &row, "checked_at", "fault") })
}

// putPriceCatalog writes the columns of the row.
func (s *Store) putPriceCatalog(ctx context.Context, row *priceCatalogRow, columns ...string) error {
	q := s.db.NewInsert().Model(row).On("CONFLICT (id) DO UPDATE")
	for _, column := range columns {
		q = q.Set("? = EXCLUDED.?", bun.Ident(column), bun.Ident(column))
	}
	_, err := q.Exec(ctx)
	return err
}

// PlannedPrice is a new price of one of several models.
type PlannedPrice struct {
	Model     string
	Rates     pricing.Rates
	CurrentID uuid.UUID // the current version with which the rates were compared; uuid.Nil if the model had no price
	Entry     string    // id of the entry of the price catalog, for the audit log; "": none
}

// CreatePrices adds a version for each of the prices, all or none. They take effect at from, which must not be in the
// past; zero means now. If the current price of a model is another version than the planned one, it returns a Conflict
// problem: the difference that the caller saw is not the one that would be made. The problem of a price names its
// model, and is at the path changes[i].model.
func (s *Store) CreatePrices(ctx context.Context, scope tenant.Scope, from time.Time,
	plans []PlannedPrice) (_ []pricing.Price, err error) {
	defer db.Wrap(&err, "create prices")

	if err := permission.Check(scope, permission.WritePlatform); err != nil {
		return nil, err
	}
	if !from.IsZero() && from.Before(s.db.Now()) {
		return nil, problem.New(problem.InvalidType, "effective_from must not be in the past").At("effective_from")
	}
	prices := make([]pricing.Price, 0, len(plans))
	err = s.atomically(ctx, func(tx *Store) error {
		prices = prices[:0]
		for i, plan := range plans {
			price, err := tx.schedule(ctx, scope, from, &plan)
			if err := atItem(err, plan.Model, fmt.Sprintf("changes[%d].model", i)); err != nil {
				return err
			}
			prices = append(prices, price)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return prices, nil
}

// schedule adds one version.
func (s *Store) schedule(ctx context.Context, scope tenant.Scope, from time.Time,
	plan *PlannedPrice) (pricing.Price, error) {
	if _, err := s.model(ctx, plan.Model); err != nil {
		return pricing.Price{}, db.Unknown(err, "model")
	}
	present, err := s.currentPrice(ctx, plan.Model)
	if err != nil {
		return pricing.Price{}, err
	}
	if present.ID != plan.CurrentID {
		return pricing.Price{},
			problem.New(problem.Conflict, "its price has changed since it was compared: compare again")
	}
	detail := field.Changes{}
	if plan.Entry != "" {
		detail["catalog_entry"] = plan.Entry
	}
	return s.createPrice(ctx, scope, pricing.Price{Model: plan.Model, Rates: plan.Rates, EffectiveFrom: from}, detail)
}

// OfferedModel is a model to create with the price of an entry of the catalog.
type OfferedModel struct {
	Model catalog.Model
	Rates pricing.Rates
	Entry string // id of the entry of the catalog, for the audit log
}

// CreateOfferedModels creates those of the models that do not exist, all or none, and returns their ids. It leaves the
// others as they are, with their prices.
func (s *Store) CreateOfferedModels(ctx context.Context, scope tenant.Scope,
	offers []OfferedModel) (_ []string, err error) {
	defer db.Wrap(&err, "create models of the price catalog")

	if err := permission.Check(scope, permission.WritePlatform); err != nil {
		return nil, err
	}
	var ids []string
	err = s.atomically(ctx, func(tx *Store) error {
		ids = nil
		existing, err := tx.existing(ctx, offers)
		if err != nil {
			return err
		}
		for i, offer := range offers {
			if slices.Contains(existing, offer.Model.ID) {
				continue
			}
			_, err := tx.createModel(ctx, scope, offer.Model, offer.Rates, field.Changes{"catalog_entry": offer.Entry})
			if err := atItem(err, offer.Model.ID, fmt.Sprintf("models[%d].model", i)); err != nil {
				return err
			}
			ids = append(ids, offer.Model.ID)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return ids, nil
}

// existing returns the ids of the offered models that exist.
func (s *Store) existing(ctx context.Context, offers []OfferedModel) (ids []string, err error) {
	if len(offers) == 0 {
		return nil, nil
	}
	candidates := make([]string, len(offers))
	for i := range offers {
		candidates[i] = offers[i].Model.ID
	}
	err = s.db.NewSelect().Model((*modelRow)(nil)).Column("id").Where("id IN (?)", bun.List(candidates)).Scan(ctx, &ids)
	return ids, err
}

// atItem returns the problem of one model of a list, with the name of the model, at the path of the item. Other errors
// it returns as they are.
func atItem(err error, model, path string) error {
	if fault := problem.From(err); err != nil && fault.Kind != problem.Internal {
		return problem.New(fault.Kind, "%s: %s", model, fault.Text()).At(path)
	}
	return err
}
