package pipeline

import (
	"context"
	"log/slog"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/stored"
	"github.com/tollgate/tollgate/apps/relay/internal/upstream"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/usage"
	responsedb "github.com/tollgate/tollgate/libs/store/response"
)

// recorder stores the data that must outlive a call: its usage event, and a response that no upstream stores.
type recorder struct {
	spool     Spool
	responses *stored.Responses
	log       *slog.Logger
}

// record appends the event to the spool, whether or not the client is still connected. It logs the cause of a
// failure; the error that it returns contains no cause, so that none can reach the client.
func (rc recorder) record(ctx context.Context, event *usage.Event) error {
	if err := rc.spool.Append(context.WithoutCancel(ctx), event); err != nil {
		rc.log.Error("store usage event failed", "request_id", event.ID, "error", err)
		return problem.Of(problem.Internal)
	}
	return nil
}

// fail records a call that no channel answered, and returns the failure. It ignores a failure of the spool: the
// call costs nothing, so no bill is lost.
func (rc recorder) fail(x *exchange, failure *upstream.Failure) error {
	x.fail(failure)
	_ = rc.spool.Append(context.Background(), &usage.Event{Log: x.log, Leased: []uuid.UUID{}})
	return failure
}

// save saves a response that no channel stores. It never fails the call.
func (rc recorder) save(ctx context.Context, x *exchange, answer answer) {
	if x.input == nil {
		return
	}
	previous, _ := stored.ParseID(x.previous) // the zero id if a channel stores the previous response
	answer.save(func(response []byte) error {
		err := rc.responses.Save(ctx, responsedb.Response{
			ID: x.responseID, TenantID: x.log.TenantID, UserID: x.log.UserID, TokenID: x.log.TokenID,
			Model:      x.log.Model,
			PreviousID: previous, CreatedAt: x.log.CreatedAt, Input: x.input, Body: response,
		})
		if err != nil {
			rc.log.Warn("store response failed", "request_id", x.log.ID, "error", err)
		}
		return err
	})
}
