// Package idempotency stores the keys that clients send in the header Idempotency-Key, so that a call with such a key
// is charged at most once, and its answer can be sent again.
//
// A key belongs to a token. Its row is in one of three states:
//
//	running    the first call is being served; relay_id names the relay
//	answered   the first call has ended, and its answer is kept
//	charged    the first call has ended and was charged, but its answer is not kept, or was lost
//
// A call that ends without a charge deletes its row. A relay that was killed leaves rows that are running. The usage
// logs decide about them: by Resolve when the relay has started again, or by TakeOver when another relay needs the key
// before.
package idempotency

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
)

// Lifetime is how long a key is remembered.
const Lifetime = 24 * time.Hour

// attempts is how often Claim tries to insert a row.
const attempts = 3

// State is the state of a key.
type State string

// The states.
const (
	Running  State = "running"
	Answered State = "answered"
	Charged  State = "charged"
)

// Key is a key and its first call.
type Key struct {
	bun.BaseModel `bun:"table:idempotency_keys,alias:k"`

	ID       uuid.UUID `bun:"id,pk,type:uuid"` // of the first call
	TenantID uuid.UUID `bun:"tenant_id,type:uuid"`
	TokenID  uuid.UUID `bun:"token_id,type:uuid"`
	Hash     []byte    `bun:"key_hash"`
	Mark     []byte    `bun:"request_mark"` // keyed hash of the path and the body
	RelayID  uuid.UUID `bun:"relay_id,type:uuid"`
	State    State     `bun:"state"`
	Size     int64     `bun:"size"`        // of the answer in bytes; 0 for none
	Lost     bool      `bun:"answer_lost"` // charged, and the relay failed before the answer was kept
	Created  time.Time `bun:"created_at"`
	Expires  time.Time `bun:"expires_at"`
}

// Store reads and writes keys. It is safe for concurrent use unless it was made from a transaction.
type Store struct{ db *db.DB }

// New returns the Store over a database, or over a transaction on it.
func New(d *db.DB) *Store { return &Store{db: d} }

// Claim (system scope) stores the key as running, unless its token has the same key already. It returns the key that is
// stored now: the given one, if its ID is that of the call, or that of an earlier call. If three attempts to insert the
// key fail because rows of other calls come and go, it returns the key as Running with the zero ID, as if another call
// had it.
func (s *Store) Claim(ctx context.Context, scope tenant.Scope, key Key) (_ Key, err error) {
	defer db.Wrap(&err, "claim idempotency key")

	if err := permission.Program(scope); err != nil {
		return Key{}, err
	}
	for range attempts {
		var keys []Key
		err := s.db.Atomically(ctx, func(tx *db.DB) (err error) {
			keys, err = New(tx).claim(ctx, key)
			return err
		})
		if err != nil || len(keys) > 0 {
			return first(keys), err
		}
	}
	key.ID, key.State = uuid.Nil, Running
	return key, nil
}

// first returns the first key, or the zero Key.
func first(keys []Key) Key {
	if len(keys) == 0 {
		return Key{}
	}
	return keys[0]
}

// claim inserts the key if its token has no such key. It returns the key that is stored then, or nothing if the caller
// must try again.
func (s *Store) claim(ctx context.Context, key Key) (keys []Key, err error) {
	now := s.db.Now()
	key.State, key.Created, key.Expires = Running, now, now.Add(Lifetime)
	result, err := s.db.NewInsert().Model(&key).On("CONFLICT (token_id, key_hash) DO NOTHING").Exec(ctx)
	if err != nil {
		return nil, err
	}
	if n, err := result.RowsAffected(); err != nil || n > 0 {
		return []Key{key}, err
	}
	err = s.db.NewSelect().Model(&keys).Where("token_id = ?", key.TokenID).Where("key_hash = ?", key.Hash).Scan(ctx)
	if err != nil || len(keys) == 0 || keys[0].Expires.After(now) {
		return keys, err
	}
	_, err = s.db.NewDelete().Model((*Key)(nil)).Where("id = ?", keys[0].ID).Where("expires_at <= ?", now).Exec(ctx)
	return nil, err
}

// Answer (system scope) returns the sealed answer of a call, nil if there is none any more.
func (s *Store) Answer(ctx context.Context, scope tenant.Scope, id uuid.UUID) (answer []byte, err error) {
	defer db.Wrap(&err, "read answer of idempotency key")

	if err := permission.Program(scope); err != nil {
		return nil, err
	}
	var answers [][]byte
	err = s.db.NewSelect().Model((*Key)(nil)).Column("answer").Where("id = ?", id).Where("state = ?", Answered).
		Scan(ctx, &answers)
	if err != nil || len(answers) == 0 {
		return nil, err
	}
	return answers[0], nil
}

// Keep (system scope) ends the running key of a call. It keeps the sealed answer, or only that the call was charged if
// the answer is nil.
func (s *Store) Keep(ctx context.Context, scope tenant.Scope, id uuid.UUID, answer []byte) (err error) {
	defer db.Wrap(&err, "keep answer of idempotency key")

	if err := permission.Program(scope); err != nil {
		return err
	}
	state := Charged
	if answer != nil {
		state = Answered
	}
	return s.db.Atomically(ctx, func(tx *db.DB) error {
		return New(tx).end(ctx, id, Key{State: state, Size: int64(len(answer))}, answer)
	})
}

// end sets state, size and loss of the running key of a call, and its answer.
func (s *Store) end(ctx context.Context, id uuid.UUID, to Key, answer []byte) error {
	_, err := s.db.NewUpdate().Model((*Key)(nil)).
		Set("state = ?", to.State).Set("answer = ?", answer).Set("size = ?", to.Size).Set("answer_lost = ?", to.Lost).
		Where("id = ?", id).Where("state = ?", Running).Exec(ctx)
	return err
}

// Free (system scope) deletes the running key of a call that was not charged.
func (s *Store) Free(ctx context.Context, scope tenant.Scope, id uuid.UUID) (err error) {
	defer db.Wrap(&err, "free idempotency key")

	if err := permission.Program(scope); err != nil {
		return err
	}
	return s.db.Atomically(ctx, func(tx *db.DB) error {
		_, err := tx.NewDelete().Model((*Key)(nil)).Where("id = ?", id).Where("state = ?", Running).Exec(ctx)
		return err
	})
}

// AnswerBytes (system scope) returns how many bytes the answers of a tenant have together.
func (s *Store) AnswerBytes(ctx context.Context, scope tenant.Scope, tenantID uuid.UUID) (size int64, err error) {
	defer db.Wrap(&err, "sum kept answers")

	if err := permission.Program(scope); err != nil {
		return 0, err
	}
	err = s.db.NewSelect().Model((*Key)(nil)).ColumnExpr("coalesce(sum(size), 0)").
		Where("tenant_id = ?", tenantID).Where("size > 0").Scan(ctx, &size)
	return size, err
}

// Running (system scope) returns the calls of a relay whose keys are running.
func (s *Store) Running(ctx context.Context, scope tenant.Scope, relayID uuid.UUID) (ids []uuid.UUID, err error) {
	defer db.Wrap(&err, "list running idempotency keys")

	if err := permission.Program(scope); err != nil {
		return nil, err
	}
	err = s.db.NewSelect().Model((*Key)(nil)).Column("id").Where("relay_id = ?", relayID).
		Where("state = 'running'").Scan(ctx, &ids)
	return ids, err
}

// TakeOver (system scope) ends the running key of a call whose relay has disappeared, perhaps with the usage event of
// the call in its spool. record must record a usage log of the call that costs nothing, under its id, unless the call
// has one already. An event that the relay ships later is then ignored and not charged. The key is charged if the event
// was recorded before, and is freed otherwise. TakeOver does nothing if the key is not running.
func (s *Store) TakeOver(ctx context.Context, scope tenant.Scope, id uuid.UUID,
	record func(tx *db.DB) error) (err error) {
	defer db.Wrap(&err, "take over idempotency key")

	if err := permission.Program(scope); err != nil {
		return err
	}
	return s.db.Atomically(ctx, func(tx *db.DB) error {
		// A relay that is ending the key at this moment waits for this lock: either it sees that the key has gone, or
		// this transaction sees that the key is not running.
		var running []uuid.UUID
		q := tx.NewSelect().Model((*Key)(nil)).Column("id").Where("id = ?", id).Where("state = ?", Running)
		if err := tx.Lock(q).Scan(ctx, &running); err != nil || len(running) == 0 {
			return err
		}
		if err := record(tx); err != nil {
			return err
		}
		return New(tx).Resolve(ctx, scope, id)
	})
}

// Resolve (system scope) ends the running key of a call whose relay does not serve it any more. All usage events of the
// call must be in the usage logs. The key is charged, with its answer lost, if a log says so, and is freed otherwise.
func (s *Store) Resolve(ctx context.Context, scope tenant.Scope, id uuid.UUID) (err error) {
	defer db.Wrap(&err, "resolve idempotency key")

	if err := permission.Program(scope); err != nil {
		return err
	}
	return s.db.Atomically(ctx, func(tx *db.DB) error {
		exists, err := tx.NewSelect().Table("usage_logs").Where("id = ?", id).
			Where("outcome = 'success' OR quota > 0").Exists(ctx)
		switch {
		case err != nil:
			return err
		case exists:
			return New(tx).end(ctx, id, Key{State: Charged, Lost: true}, nil)
		}
		return New(tx).Free(ctx, scope, id)
	})
}

// Sweep deletes keys that have expired, see db.DB.Sweep.
func Sweep(ctx context.Context, d *db.DB) error {
	return d.Sweep(ctx, db.Expired{Model: (*Key)(nil), Column: "expires_at"})
}
