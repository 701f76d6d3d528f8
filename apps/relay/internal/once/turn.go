package once

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/idempotency"
)

// Turn is the turn of a first call with a key, or a replayed answer. The methods of a nil Turn, which a call without a
// key has, do nothing. A Turn is not safe for concurrent use.
type Turn struct {
	keys     *Keys
	caller   *token.Caller
	key      idempotency.Key
	replayed bool

	tape      *tape
	request   *http.Request
	cancel    context.CancelCauseFunc
	notStored bool

	complete bool // the answer is complete
	charged  bool // the call was charged, or may have been
	ended    bool // the key is not running any more
}

// turn begins the turn of a first call.
func (k *Keys) turn(w http.ResponseWriter, r *http.Request, key idempotency.Key, call *Call) *Turn {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(r.Context()))
	unlink := context.AfterFunc(k.Requests, func() { cancel(context.Cause(k.Requests)) })
	t := &Turn{
		keys: k, caller: call.Caller, key: key, request: r.WithContext(ctx), notStored: call.NotStored,
		cancel: func(cause error) { unlink(); cancel(cause) },
	}
	t.tape = &tape{w: w, memory: call.Memory, limit: int(k.MaxAnswer), lost: call.NotStored, onLoss: t.end}
	return t
}

// Replayed returns the id of the first call if its answer was sent again, and ok false otherwise.
func (t *Turn) Replayed() (original uuid.UUID, ok bool) {
	if t == nil || !t.replayed {
		return uuid.Nil, false
	}
	return t.key.ID, true
}

// Take returns the writer and the request with which the call must be served. They do not depend on the client's
// connection.
func (t *Turn) Take(w http.ResponseWriter, r *http.Request) (http.ResponseWriter, *http.Request) {
	if t == nil {
		return w, r
	}
	return t.tape, t.request
}

// Metered notes what the call costs. It must be called before the usage event is stored.
func (t *Turn) Metered(log *usage.Log) {
	if t == nil {
		return
	}
	t.complete = log.Outcome == usage.Success
	t.charged = t.complete || log.Quota > 0
}

// Hold must be called before the end of the answer is written. The tape holds it back until Keep, unless the answer
// must not be kept: then the key ends here.
func (t *Turn) Hold() {
	switch {
	case t == nil:
	case !t.complete || t.tape.lost:
		t.end()
	default:
		t.tape.hold()
	}
}

// Keep must be called after the end of the answer was written. It stores the answer and then sends its end.
func (t *Turn) Keep() {
	if t == nil || t.ended {
		return
	}
	t.finish(t.tape.answer())
	t.tape.release()
}

// Release ends the turn, if it has not ended yet: it frees the key unless the call was charged.
func (t *Turn) Release() {
	if t == nil {
		return
	}
	t.end()
	t.cancel(nil)
}

// end ends the key without an answer. Only the first call has an effect.
func (t *Turn) end() { t.finish(nil) }

// finish ends the key. If the database does not answer, repair ends it later, without the answer.
func (t *Turn) finish(a *answer) {
	if t.ended {
		return
	}
	t.ended = true
	k := t.keys
	err := k.inTime(t.request.Context(), t.caller, func(ctx context.Context) error {
		if !t.charged {
			return k.Store.Free(ctx, k.Scope, t.key.ID)
		}
		ciphertext, err := k.sealed(ctx, &t.key, a)
		if err != nil {
			return err
		}
		return k.Store.Keep(ctx, k.Scope, t.key.ID, ciphertext)
	})
	k.leave(t.key.ID)
	if err != nil {
		k.Log.Warn("end idempotency key failed", "request_id", t.key.ID, "error", err)
		k.repairSoon()
	}
}

// sealed returns the sealed answer; nil if there is none, or the answers of the tenant have no room for it.
func (k *Keys) sealed(ctx context.Context, key *idempotency.Key, a *answer) ([]byte, error) {
	if a == nil {
		return nil, nil
	}
	ciphertext := k.Sealer.SealState(a.bytes(), purpose(key))
	fits, err := k.fits(ctx, key.TenantID, int64(len(ciphertext)))
	if err != nil || !fits {
		return nil, err
	}
	return ciphertext, nil
}
