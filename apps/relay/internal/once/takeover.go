package once

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/idempotency"
	"github.com/tollgate/tollgate/libs/store/metering"
)

// outlived reports whether the stored key may be one of a relay that has disappeared: it is running on another relay
// since more than a lease.
func (k *Keys) outlived(existing *idempotency.Key) bool {
	return existing.State == idempotency.Running && existing.RelayID != k.RelayID &&
		k.Now().Sub(existing.Created) > k.Lease
}

// gone reports whether a relay has disappeared: it sent no heartbeat for a lease, and all of this relay's own
// heartbeats succeeded in that time. After an outage of the database the heartbeats of living relays are old, too, so
// this relay first waits for a lease, in which they send the next one.
func (k *Keys) gone(ctx context.Context, relayID uuid.UUID) (bool, error) {
	silent, err := k.Relays.Silent(ctx, k.Scope, relayID, k.Lease)
	// Steady is read after the answer, so that it covers an outage during the wait for it.
	return silent && k.Steady() >= k.Lease, err
}

// answerLost returns the problem of a call whose first call was charged before its relay failed.
func answerLost() *problem.Problem {
	p := problem.New(problem.IdempotencyAnswerNotKept, "The first request with this Idempotency-Key was charged, "+
		"but its answer was lost when a server failed. Send a new key if you want to pay for another answer.")
	p.Code = "idempotency_answer_lost"
	return p
}

// takeOver ends the stored key and claims it again, for the call with the new key, if the relay of the stored key has
// disappeared. It returns what is stored then.
func (k *Keys) takeOver(ctx context.Context, existing *idempotency.Key, key idempotency.Key,
	call *Call) (now idempotency.Key, err error) {
	now = *existing
	entry := call.Log
	entry.ID, entry.CreatedAt, entry.RelayID = existing.ID, existing.Created, existing.RelayID
	entry.Outcome, entry.Status, entry.Error = usage.Failed, http.StatusInternalServerError,
		problem.Internal.Class().Name
	err = k.inTime(ctx, call.Caller, func(ctx context.Context) error {
		gone, err := k.gone(ctx, existing.RelayID)
		if err != nil || !gone {
			return err
		}
		err = k.Store.TakeOver(ctx, k.Scope, entry.ID, func(tx *db.DB) error {
			_, err := metering.New(tx).
				RecordEvents(ctx, k.Scope, k.RelayID, []usage.Event{{Log: entry, Leased: []uuid.UUID{}}})
			return err
		})
		if err != nil {
			return err
		}
		k.Log.Warn("idempotency key taken over from a relay without heartbeats", "request_id", entry.ID,
			"relay", entry.RelayID)
		now, err = k.Store.Claim(ctx, k.Scope, key)
		return err
	})
	return now, err
}
