package audit

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
)

// Pruning is the action of the entry that Prune writes.
const Pruning = "audit_log.prune"

const (
	minKeep      = 31 * 24 * time.Hour // the function of Postgres refuses less than 30 days
	pruneDay     = 24 * time.Hour
	pruneBatch   = 2000 // entries with a link, and entries without one, that one transaction deletes
	pruneBatches = 200  // transactions of one run besides the first of each tenant
)

// anchorRow is a row of audit_anchors: the last link of a tenant that was deleted. Its number is 0 if none was.
type anchorRow struct {
	bun.BaseModel `bun:"table:audit_anchors,alias:r"`

	TenantID uuid.UUID `bun:"tenant_id,pk,type:uuid"`
	Seq      int64     `bun:"seq"`
	Hash     []byte    `bun:"hash"`
}

// pruned holds the number of entries that one transaction deleted, and the last link. Seq is 0 if it deleted no link.
type pruned struct {
	Seq     int64  `bun:"last_seq"`
	Hash    []byte `bun:"last_hash"`
	Deleted int64  `bun:"deleted"`
}

// Prune (system scope) deletes the entries of whole days (UTC) that ended more than keep ago, at least 31 days, and
// returns their number. It deletes in batches, at least one for each tenant and at most 200 more; the next call
// continues. The newest link of each tenant stays. Each batch writes an entry to the log of the tenant. Concurrent
// calls are safe.
func (s *Store) Prune(ctx context.Context, scope tenant.Scope, keep time.Duration) (count int64, err error) {
	defer db.Wrap(&err, "prune the audit log")

	if err := permission.Program(scope); err != nil {
		return 0, err
	}
	if keep < minKeep {
		return 0, errors.New("keep must be at least 31 days")
	}
	before := s.db.Now().Add(-keep).Truncate(pruneDay)
	var tenants []uuid.UUID
	if err := s.db.NewSelect().Model((*db.AuditRow)(nil)).ColumnExpr("DISTINCT coalesce(r.tenant_id, ?)", uuid.Nil).
		Where("r.id < ?", idFloor(before)).Scan(ctx, &tenants); err != nil {
		return 0, err
	}
	batches := pruneBatches
	for i := 0; i < len(tenants); {
		var result pruned
		if err := s.db.Atomically(ctx, func(tx *db.DB) error {
			result, err = New(tx).pruneBatch(ctx, scope, tenants[i], before)
			return err
		}); err != nil {
			return count, err
		}
		count += result.Deleted
		if result.Deleted < pruneBatch || batches == 0 {
			i++
		} else {
			batches--
		}
	}
	return count, nil
}

// pruneBatch deletes one batch of a tenant's entries, and records it in the log.
func (s *Store) pruneBatch(ctx context.Context, scope tenant.Scope, id uuid.UUID,
	before time.Time) (result pruned, err error) {
	if s.db.Postgres() {
		err = s.db.NewRaw("SELECT coalesce(last_seq, 0) AS last_seq, last_hash, deleted FROM prune_audit_log(?, ?, ?)",
			id, before, pruneBatch).Scan(ctx, &result)
	} else {
		result, err = s.deleteOldest(ctx, id, idFloor(before))
	}
	if err != nil || result.Deleted == 0 && result.Seq == 0 {
		return result, err
	}
	m := db.Mutation{Action: Pruning, Tenant: id, Detail: field.Changes{"before": before, "entries": result.Deleted}}
	if result.Seq > 0 {
		m.Target = (&anchorRow{Seq: result.Seq, Hash: result.Hash}).name()
	}
	return result, s.db.Record(ctx, scope, m)
}

// deleteOldest does on SQLite what the function prune_audit_log does on Postgres.
func (s *Store) deleteOldest(ctx context.Context, id, bound uuid.UUID) (result pruned, err error) {
	var links []linkRow
	if err := s.db.NewSelect().Model(&links).Where("tenant_id = ?", id).OrderExpr("seq").Limit(pruneBatch + 1).
		Scan(ctx); err != nil {
		return result, err
	}
	// The newest link stays.
	n := 0
	for n < min(len(links)-1, pruneBatch) && links[n].EntryID.String() < bound.String() {
		n++
	}
	if n > 0 {
		link := links[n-1]
		result.Seq, result.Hash = link.Seq, link.Hash
		anchor := anchorRow{TenantID: id, Seq: link.Seq, Hash: link.Hash}
		if _, err := s.db.NewInsert().Model(&anchor).On("CONFLICT (tenant_id) DO UPDATE").
			Set("seq = EXCLUDED.seq, hash = EXCLUDED.hash").Exec(ctx); err != nil {
			return result, err
		}
		if result.Deleted, err = affected(s.db.NewDelete().Model((*db.AuditRow)(nil)).
			Where("r.id IN (SELECT c.entry_id FROM audit_chain AS c WHERE c.tenant_id = ? AND c.seq <= ?)", id,
				link.Seq).Exec(ctx)); err != nil {
			return result, err
		}
		if _, err := s.db.NewDelete().Model((*linkRow)(nil)).Where("tenant_id = ? AND seq <= ?", id, link.Seq).
			Exec(ctx); err != nil {
			return result, err
		}
	}
	ids := s.db.NewSelect().Model((*db.AuditRow)(nil)).Column("r.id").
		Where("r.tenant_id IS ?", uuid.NullUUID{UUID: id, Valid: id != uuid.Nil}).Where("r.id < ?", bound).
		Where("NOT EXISTS (SELECT 1 FROM audit_chain AS c WHERE c.entry_id = r.id)").Limit(pruneBatch)
	count, err := affected(s.db.NewDelete().Model((*db.AuditRow)(nil)).Where("id IN (?)", ids).Exec(ctx))
	result.Deleted += count
	return result, err
}

// affected returns the number of rows that a statement changed.
func affected(result sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// anchored returns the place from which the chain continues after the link tip: tip itself, or the last link that
// Prune deleted, if that has a higher number. It reports an anchor that no entry of the tenant's log confirms.
func (s *Store) anchored(ctx context.Context, tip linkRow, report func(Break)) (linkRow, error) {
	from := tip
	err := s.db.Consistently(ctx, func(in *db.DB) error {
		var anchor anchorRow
		err := in.NewSelect().Model(&anchor).Where("tenant_id = ?", tip.TenantID).Where("seq > ?", tip.Seq).Scan(ctx)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		from.Seq, from.Hash = anchor.Seq, anchor.Hash
		ok, err := anchor.confirmed(ctx, in)
		if err == nil && !ok {
			report(Break{TenantID: tip.TenantID,
				Reason: fmt.Sprintf("the links up to %d are missing, and no entry says that they were pruned",
					anchor.Seq)})
		}
		return err
	})
	return from, err
}

// confirmed reports whether an entry of Prune in the tenant's log names the anchor.
func (a *anchorRow) confirmed(ctx context.Context, d *db.DB) (bool, error) {
	q := d.NewSelect().Model((*db.AuditRow)(nil)).Where("r.action = ?", Pruning).Where("r.target = ?", a.name())
	if a.TenantID == uuid.Nil {
		return q.Where("r.tenant_id IS NULL").Exists(ctx)
	}
	return q.Where("r.tenant_id = ?", a.TenantID).Exists(ctx)
}

// name returns the target of the entry that names the anchor.
func (a *anchorRow) name() string { return fmt.Sprintf("%d:%x", a.Seq, a.Hash) }

// reportEmpty reports each tenant that has an anchor and no link: Prune leaves the newest one.
func (s *Store) reportEmpty(ctx context.Context, report func(Break)) error {
	var anchors []anchorRow
	err := s.db.NewSelect().Model(&anchors).Where("r.seq > 0").
		Where("NOT EXISTS (SELECT 1 FROM audit_chain AS c WHERE c.tenant_id = r.tenant_id)").Scan(ctx)
	for i := range anchors {
		report(Break{TenantID: anchors[i].TenantID,
			Reason: fmt.Sprintf("all links after %d are missing", anchors[i].Seq)})
	}
	return err
}
