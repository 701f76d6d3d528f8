package audit

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
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

const (
	chainBatch = 500       // entries that one transaction links
	verifyPage = 2000      // links that are read at once
	linkGrace  = time.Hour // longer than any transaction that writes an entry
)

// linkRow is a row of audit_chain: the hash of an entry and of the link before it.
type linkRow struct {
	bun.BaseModel `bun:"table:audit_chain,alias:c"`

	TenantID uuid.UUID `bun:"tenant_id,pk,type:uuid"` // uuid.Nil: the platform
	Seq      int64     `bun:"seq,pk"`                 // 1, 2, 3 in each tenant
	EntryID  uuid.UUID `bun:"entry_id,type:uuid"`
	Hash     []byte    `bun:"hash"`
}

// startRow is the only row of audit_chain_start.
type startRow struct {
	bun.BaseModel `bun:"table:audit_chain_start,alias:r"`

	ID        int       `bun:"id,pk"`
	StartedAt time.Time `bun:"started_at"`
}

// next returns the link that follows r for the entry. Its hash covers every column of the entry as it is stored.
func (r *linkRow) next(e *db.AuditRow) (linkRow, error) {
	text, err := json.Marshal([]any{ // the keys of Detail are in order
		e.ID, e.TenantID, e.ActorID, e.Actor, e.Action, e.Target, e.Detail, e.Address, e.CreatedAt.UTC().
			Format(time.RFC3339Nano),
	})
	if err != nil {
		return linkRow{}, fmt.Errorf("encode entry %s: %w", e.ID, err)
	}
	sum := sha256.Sum256(append(bytes.Clone(r.Hash), text...))
	return linkRow{TenantID: e.TenantID, Seq: r.Seq + 1, EntryID: e.ID, Hash: sum[:]}, nil
}

// ErrOvertaken is the error of Chain if another process has linked the same entries at the same time. More may be left.
var ErrOvertaken = errors.New("another process linked the same entries")

// Chain (system scope) links up to 500 entries that have no link yet, oldest first, and returns their number. It looks
// at those that were written since a time, or in the hour before, as entries appear when their transactions end. The
// zero time means all. If another process links the same entries at the same time, one of the two links none and gets
// ErrOvertaken.
func (s *Store) Chain(ctx context.Context, scope tenant.Scope, since time.Time) (count int, err error) {
	defer db.Wrap(&err, "chain the audit log")

	if err := permission.Program(scope); err != nil {
		return 0, err
	}
	err = s.db.Atomically(ctx, func(tx *db.DB) error {
		entries, err := unlinked(ctx, tx, since.Add(-linkGrace))
		if err != nil || len(entries) == 0 {
			return err
		}
		heads, links := map[uuid.UUID]linkRow{}, make([]linkRow, 0, len(entries))
		for i := range entries {
			id := entries[i].TenantID
			head, ok := heads[id]
			if !ok {
				if head, err = headOf(ctx, tx, id); err != nil {
					return err
				}
			}
			if heads[id], err = head.next(&entries[i]); err != nil {
				return err
			}
			links = append(links, heads[id])
		}
		count = len(links)
		_, err = tx.NewInsert().Model(&links).Exec(ctx)
		return err
	})
	if db.Duplicate(err) {
		return 0, ErrOvertaken
	}
	return count, err
}

// unlinked returns the oldest entries that have no link, of those that were written since a time and since the chain
// began. Their ids tell when they were written, and CreatedAt when the event was: an entry of Append may have waited
// for the database.
func unlinked(ctx context.Context, d *db.DB, since time.Time) (entries []db.AuditRow, err error) {
	var start startRow
	if err := d.NewSelect().Model(&start).Where("id = 1").Scan(ctx); err != nil {
		return nil, err
	}
	if since.Before(start.StartedAt) {
		since = start.StartedAt
	}
	q := d.NewSelect().Model(&entries).Where("r.id >= ?", idFloor(since)).
		Where("r.created_at >= ?", start.StartedAt).
		Where("NOT EXISTS (SELECT 1 FROM audit_chain AS c WHERE c.entry_id = r.id)").OrderExpr("r.id").Limit(chainBatch)
	return entries, q.Scan(ctx)
}

// idFloor returns an id below those of all entries since a time. It allows for clocks that differ by up to a minute.
func idFloor(since time.Time) uuid.UUID { return field.IDFloor(since.Add(-time.Minute)) }

// headOf returns the last link of the tenant's chain, or the link before the first.
func headOf(ctx context.Context, d *db.DB, id uuid.UUID) (head linkRow, err error) {
	err = d.NewSelect().Model(&head).Where("tenant_id = ?", id).OrderExpr("seq DESC").Limit(1).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return linkRow{TenantID: id}, nil
	}
	return head, err
}

// Break is a place where the audit log is not as it was written.
type Break struct {
	TenantID uuid.UUID `json:"tenant_id"` // uuid.Nil: the platform
	EntryID  uuid.UUID `json:"entry_id"`
	Reason   string    `json:"why"`
}

// Verified is the result of Verify.
type Verified struct {
	Entries int `json:"entries"` // entries with a link
	Breaks  int `json:"breaks"`
	// Unlinked is the number of entries that wait for a link, at most 500. A running console leaves none for longer
	// than seconds.
	Unlinked int `json:"unlinked"`
	// Head is a hash over the last links of all chains. While the log only grows, Verify of a later time passes over
	// it: kept outside of the database, it shows that the newest entries were not removed together with their links.
	Head string `json:"head"`
}

// Verify (system scope) recomputes the chains of all tenants and reports each entry that was changed or removed
// after it got its link. Entries from before the chain began have no link and are not checked. The chain of a tenant
// begins at its anchor if Prune deleted links; Verify also reports anchors that no entry of Prune names.
func (s *Store) Verify(ctx context.Context, scope tenant.Scope, report func(Break)) (v Verified, err error) {
	defer db.Wrap(&err, "verify the audit log")

	if err := permission.Program(scope); err != nil {
		return v, err
	}
	add := func(b Break) {
		v.Breaks++
		report(b)
	}
	var tip linkRow // before the first of all chains
	heads := sha256.New()
	for {
		links, err := s.linksAfter(ctx, &tip)
		if err != nil {
			return v, err
		}
		for i := range links {
			if links[i].TenantID != tip.TenantID {
				_, _ = heads.Write(tip.Hash)
				tip = linkRow{TenantID: links[i].TenantID}
			}
			if links[i].Seq != tip.Seq+1 { // pruned before, or since the page before
				if tip, err = s.anchored(ctx, tip, add); err != nil {
					return v, err
				}
			}
			links[i].compare(&tip, add)
			tip = links[i].linkRow
			v.Entries++
		}
		if len(links) < verifyPage {
			break
		}
	}
	_, _ = heads.Write(tip.Hash)
	v.Head = fmt.Sprintf("%x", heads.Sum(nil))
	if err := s.reportEmpty(ctx, add); err != nil {
		return v, err
	}
	entries, err := unlinked(ctx, s.db, time.Time{})
	v.Unlinked = len(entries)
	return v, err
}

// linkedRow is a link with its entry, nil if that is missing.
type linkedRow struct {
	bun.BaseModel `bun:"table:audit_chain,alias:c"`
	linkRow

	Entry *db.AuditRow `bun:"rel:belongs-to,join:entry_id=id"`
}

// linksAfter returns the links after the last one, in the order of tenants and numbers.
func (s *Store) linksAfter(ctx context.Context, tip *linkRow) (links []linkedRow, err error) {
	err = s.db.NewSelect().Model(&links).Relation("Entry").
		Where("c.tenant_id > ? OR c.tenant_id = ? AND c.seq > ?", tip.TenantID, tip.TenantID, tip.Seq).
		OrderExpr("c.tenant_id, c.seq").Limit(verifyPage).Scan(ctx)
	return links, err
}

// compare reports how the link differs from the one that must follow tip.
func (r *linkedRow) compare(tip *linkRow, report func(Break)) {
	at := Break{TenantID: r.TenantID, EntryID: r.EntryID}
	if r.Seq != tip.Seq+1 {
		at.Reason = fmt.Sprintf("the links %d to %d before this entry are missing", tip.Seq+1, r.Seq-1)
		report(at)
		return // the hash of the link before is not known
	}
	if r.Entry == nil || r.Entry.ID == uuid.Nil {
		at.Reason = "the entry was removed"
		report(at)
		return
	}
	want, err := tip.next(r.Entry)
	if err != nil || want.TenantID != r.TenantID || !bytes.Equal(want.Hash, r.Hash) {
		at.Reason = "the entry or its link was changed"
		report(at)
	}
}
