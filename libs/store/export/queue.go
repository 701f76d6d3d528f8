package export

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/store/db"
)

// Enqueue returns the statement for Postgres that queues logs, in the transaction that inserts them. Its arguments are
// Arguments. While the export is off, it inserts nothing.
//
// Begin relies on the lock that the statement takes on the table even then.
func Enqueue() string {
	return `
		INSERT INTO usage_export_batches (queued_at, first_id, last_id, logs, ids)
		SELECT $1::timestamptz, $2::uuid, $3::uuid, $4::integer, $5::bytea FROM usage_export`
}

// Arguments returns the arguments of Enqueue for logs that were inserted at a time. The ids are sorted, and there is at
// least one.
func Arguments(now time.Time, ids []uuid.UUID) []any {
	return []any{now, ids[0], ids[len(ids)-1], len(ids), pack(ids)}
}

// EnqueueIn does on either database what the statement Enqueue does. The ids are sorted, and there is at least one.
func EnqueueIn(ctx context.Context, tx *db.DB, ids []uuid.UUID) error {
	_, err := tx.NewRaw("INSERT INTO usage_export_batches (queued_at, first_id, last_id, logs, ids) SELECT ?, ?, ?, "+
		"?, ? FROM usage_export",
		Arguments(tx.Now(), ids)...).Exec(ctx)
	return err
}

// pack returns the ids as bytes.
func pack(ids []uuid.UUID) []byte {
	packed := make([]byte, 0, len(ids)*len(uuid.UUID{}))
	for i := range ids {
		packed = append(packed, ids[i][:]...)
	}
	return packed
}

// unpack returns the ids that pack made the bytes of.
func unpack(packed []byte) []uuid.UUID {
	ids := make([]uuid.UUID, len(packed)/len(uuid.UUID{}))
	for i := range ids {
		copy(ids[i][:], packed[i*len(uuid.UUID{}):])
	}
	return ids
}

// sortIDs sorts the ids in the order of both databases.
func sortIDs(ids []uuid.UUID) {
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
}

func less(a, b uuid.UUID) bool { return bytes.Compare(a[:], b[:]) < 0 }
