package response

import (
	"context"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
)

// Excerpt selects parts of responses.
type Excerpt struct {
	Inputs []uuid.UUID // ids of the responses whose Input is read
	Bodies []uuid.UUID // ids of the responses whose Body is read
}

// excerptOf selects the parts of the responses within reach that an Excerpt names, with their size. A query that
// reads only the sizes does not load the contents.
const excerptOf = `
	WITH excerpt (id, input, body, size) AS (
		SELECT id, CASE WHEN id IN (?0) THEN input END, CASE WHEN id IN (?1) THEN body END,
			CASE WHEN id IN (?0) THEN length(input) ELSE 0 END + CASE WHEN id IN (?1) THEN length(body) ELSE 0 END
		FROM responses WHERE id IN (?0, ?1) AND tenant_id = ?2 AND (?3 OR user_id = ?4) AND expires_at > ?5
	) `

// Excerpts (system scope) returns the selected parts of responses within reach, in no order. The responses have
// an ID and the selected parts, no other field. It leaves out responses that are unknown, deleted, expired or
// out of reach. It returns a TooLarge problem if the excerpt names more than MaxTurns ids or the
// parts have more than MaxTurnsBytes; then it loads no contents.
func (s *Store) Excerpts(ctx context.Context, scope tenant.Scope, reach tenant.Reach,
	excerpt Excerpt) (responses []Response, err error) {
	defer db.Wrap(&err, "read excerpts")

	if err := permission.Program(scope); err != nil {
		return nil, err
	}
	if len(excerpt.Inputs)+len(excerpt.Bodies) > MaxTurns {
		return nil, problem.New(problem.TooLarge,
			"The input refers to items of more than %d responses. Send the items themselves.", MaxTurns)
	}
	args := []any{bun.List(excerpt.Inputs), bun.List(excerpt.Bodies), reach.TenantID, reach.UserID == uuid.Nil,
		reach.UserID, s.db.Now()}
	err = s.db.Consistently(ctx, func(in *db.DB) error {
		var size int64
		if err := in.NewRaw(excerptOf+`SELECT coalesce(sum(size), 0) FROM excerpt`, args...).
			Scan(ctx, &size); err != nil {
			return err
		}
		if size > MaxTurnsBytes {
			return problem.New(problem.TooLarge,
				"The responses that the input refers to have more than %d bytes. Send the items themselves.",
				MaxTurnsBytes)
		}
		var rows []responseRow
		err := in.NewRaw(excerptOf+`SELECT id, input, body FROM excerpt`, args...).Scan(ctx, &rows)
		for i := range rows {
			responses = append(responses, Response{ID: rows[i].ID, Input: rows[i].Input, Body: rows[i].Body})
		}
		return err
	})
	return responses, err
}
