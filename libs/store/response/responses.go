package response

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/field"
)

// The bounds of stored responses.
const (
	MaxResponse   = 16 << 20 // bytes of one response, its input included
	MaxTurns      = 256      // turns of one conversation
	MaxTurnsBytes = 32 << 20 // bytes of one conversation
)

// responseMargin is the time for which a response is kept longer than needed. A new turn moves kept_until of the
// earlier turns only when less than the need is left, so a busy conversation writes its earlier turns
// about once in this time and not with each turn.
const responseMargin = 24 * time.Hour

// Response is one turn of a conversation: the new input of a call and its response.
type Response struct {
	ID         uuid.UUID // random, so that nobody can compute it from other ids
	TenantID   uuid.UUID
	UserID     uuid.UUID
	TokenID    uuid.UUID
	Model      string
	PreviousID uuid.UUID // the turn before; uuid.Nil for the first
	CreatedAt  time.Time
	ExpiresAt  time.Time
	Input      []byte // JSON: the items that were new in the call, without earlier turns
	Body       []byte // JSON: the response object as the client got it
}

// responseRow is a row of the table responses.
type responseRow struct {
	bun.BaseModel `bun:"table:responses,alias:r"`

	ID         uuid.UUID `bun:"id,pk,type:uuid"`
	TenantID   uuid.UUID `bun:"tenant_id,type:uuid"`
	UserID     uuid.UUID `bun:"user_id,type:uuid"`
	TokenID    uuid.UUID `bun:"token_id,type:uuid"`
	Model      string    `bun:"model"`
	PreviousID uuid.UUID `bun:"previous_id,type:uuid,nullzero"`
	CreatedAt  time.Time `bun:"created_at"`
	ExpiresAt  time.Time `bun:"expires_at"`
	KeptUntil  time.Time `bun:"kept_until"` // when Sweep deletes the row; never before expires_at
	Size       int64     `bun:"size"`       // of input and body in bytes
	Input      []byte    `bun:"input"`
	Body       []byte    `bun:"body"`
}

func (r *responseRow) core() Response {
	return Response{
		ID: r.ID, TenantID: r.TenantID, UserID: r.UserID, TokenID: r.TokenID, Model: r.Model, PreviousID: r.PreviousID,
		CreatedAt: r.CreatedAt.UTC(), ExpiresAt: r.ExpiresAt.UTC(), Input: r.Input, Body: r.Body,
	}
}

// chainOf selects a response of a tenant and all turns before it, as far as they are within reach. It stops one turn
// after the longest conversation that is allowed, so that the caller can detect one that is too long.
const chainOf = `
	WITH RECURSIVE chain (id, previous_id, size, depth) AS (
		SELECT id, previous_id, size, 1 FROM responses WHERE id = ?0 AND tenant_id = ?1 AND (?2 OR user_id = ?3)
		UNION ALL
		SELECT e.id, e.previous_id, e.size, c.depth + 1
		FROM chain AS c JOIN responses AS e ON e.id = c.previous_id AND e.tenant_id = ?1 AND (?2 OR e.user_id = ?3)
		WHERE c.depth <= ?4
	) `

// chain returns the arguments of chainOf.
func chain(reach tenant.Reach, id uuid.UUID) []any {
	return []any{id, reach.TenantID, reach.UserID == uuid.Nil, reach.UserID, MaxTurns}
}

// CreateResponse (system scope) stores a response and keeps the turns before it at least as long as the
// response. It returns a TooLarge problem for a response of more than MaxResponse bytes, and a Conflict
// problem if the id exists already.
func (s *Store) CreateResponse(ctx context.Context, scope tenant.Scope, r Response) (err error) {
	defer db.Wrap(&err, "create response")

	if err := permission.Program(scope); err != nil {
		return err
	}
	size := len(r.Input) + len(r.Body)
	if size > MaxResponse {
		return problem.New(problem.TooLarge, "The response has more than %d bytes.", MaxResponse)
	}
	expires := field.Micros(r.ExpiresAt)
	row := responseRow{
		ID: r.ID, TenantID: r.TenantID, UserID: r.UserID, TokenID: r.TokenID, Model: field.Clean(r.Model),
		PreviousID: r.PreviousID,
		CreatedAt:  field.Micros(r.CreatedAt), ExpiresAt: expires, KeptUntil: expires.Add(responseMargin),
		Size: int64(size), Input: r.Input, Body: r.Body,
	}
	return s.atomically(ctx, func(tx *Store) error {
		if row.PreviousID != uuid.Nil {
			_, err := tx.db.NewRaw(chainOf+
				`UPDATE responses SET kept_until = ?5 WHERE id IN (SELECT id FROM chain) AND kept_until < ?6`,
				append(chain(tenant.Reach{TenantID: row.TenantID}, row.PreviousID), row.KeptUntil, expires)...).
				Exec(ctx)
			if err != nil {
				return err
			}
		}
		return tx.db.Insert(ctx, &row, "id")
	})
}

// Response (system scope) returns a response within reach. It returns a NotFound problem if the response is
// unknown, deleted, expired or out of reach.
func (s *Store) Response(ctx context.Context, scope tenant.Scope, reach tenant.Reach,
	id uuid.UUID) (_ Response, err error) {
	defer db.Wrap(&err, "read response")

	if err := permission.Program(scope); err != nil {
		return Response{}, err
	}
	var row responseRow
	err = s.db.NewSelect().Model(&row).
		Where("r.id = ?", id).Where(within, reach.TenantID, reach.UserID == uuid.Nil, reach.UserID).
		Where("r.expires_at > ?", s.db.Now()).Scan(ctx)
	if err != nil {
		return Response{}, db.Missing(err, "response")
	}
	return row.core(), nil
}

// within is the condition for responses within reach.
const within = "tenant_id = ? AND (? OR user_id = ?)"

// link is a turn of a conversation without its contents.
type link struct {
	ID         uuid.UUID `bun:"id"`
	PreviousID uuid.UUID `bun:"previous_id,nullzero"`
	Size       int64     `bun:"size"`
}

// Conversation (system scope) returns a response within reach and all turns before it, the oldest first. It
// returns a NotFound problem if the response is unknown, deleted, expired or out of reach, or if an earlier turn
// was deleted or is out of reach. It returns a TooLarge problem, without loading contents, if the
// conversation exceeds MaxTurns or MaxTurnsBytes.
func (s *Store) Conversation(ctx context.Context, scope tenant.Scope, reach tenant.Reach,
	id uuid.UUID) (turns []Response, err error) {
	defer db.Wrap(&err, "read conversation")

	if err := permission.Program(scope); err != nil {
		return nil, err
	}
	err = s.db.Consistently(ctx, func(in *db.DB) error {
		var links []link
		err := in.NewRaw(chainOf+`SELECT id, previous_id, size FROM chain ORDER BY depth DESC`, chain(reach, id)...).
			Scan(ctx, &links)
		if err != nil {
			return err
		}
		if err := checkLinks(links); err != nil {
			return err
		}
		turns, err = s.turns(ctx, in, links)
		return err
	})
	return turns, err
}

// checkLinks checks that the turns, the oldest first, are complete and within the bounds. A first turn with a
// previous one means that a turn is missing.
func checkLinks(links []link) error {
	var size int64
	for _, l := range links {
		size += l.Size
	}
	switch {
	case len(links) > MaxTurns:
		return problem.New(problem.TooLarge, "The conversation has more than %d turns. Begin a new one.", MaxTurns)
	case len(links) == 0, links[0].PreviousID != uuid.Nil:
		return db.NoSuch("response")
	case size > MaxTurnsBytes:
		return problem.New(problem.TooLarge, "The conversation has more than %d bytes. Begin a new one.", MaxTurnsBytes)
	}
	return nil
}

// turns reads the contents of a conversation. It returns a NotFound problem if the last turn has expired.
// Earlier turns may have expired.
func (s *Store) turns(ctx context.Context, in *db.DB, links []link) ([]Response, error) {
	ids := make([]uuid.UUID, len(links))
	for i, l := range links {
		ids[i] = l.ID
	}
	var rows []responseRow
	if err := in.NewSelect().Model(&rows).Where("r.id IN (?)", bun.List(ids)).Scan(ctx); err != nil {
		return nil, err
	}
	turns := make([]Response, len(ids))
	for i := range rows {
		turns[slices.Index(ids, rows[i].ID)] = rows[i].core()
	}
	if tail := &turns[len(turns)-1]; !tail.ExpiresAt.After(s.db.Now()) {
		return nil, db.NoSuch("response")
	}
	return turns, nil
}

// DeleteResponse (system scope) deletes a response within reach. Conversations that contain the response cannot
// be read any more. It returns a NotFound problem if the response is unknown, deleted, expired or out of reach.
func (s *Store) DeleteResponse(ctx context.Context, scope tenant.Scope, reach tenant.Reach, id uuid.UUID) (err error) {
	defer db.Wrap(&err, "delete response")

	if err := permission.Program(scope); err != nil {
		return err
	}
	return s.atomically(ctx, func(tx *Store) error {
		result, err := tx.db.NewDelete().Model((*responseRow)(nil)).
			Where("id = ?", id).Where(within, reach.TenantID, reach.UserID == uuid.Nil, reach.UserID).
			Where("expires_at > ?", tx.db.Now()).Exec(ctx)
		if err != nil {
			return err
		}
		n, err := result.RowsAffected()
		if err == nil && n == 0 {
			return db.NoSuch("response")
		}
		return err
	})
}

// Sweep deletes responses whose kept_until has passed, see db.DB.Sweep.
func Sweep(ctx context.Context, d *db.DB) error {
	return d.Sweep(ctx, db.Expired{Model: (*responseRow)(nil), Column: "kept_until"})
}
