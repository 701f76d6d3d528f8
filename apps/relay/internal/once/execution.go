package once

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/idempotency"
)

// Execution is a first call with a key, or a replayed answer. The methods of a nil Execution, which a call without a
// key has, do nothing. An Execution is not safe for concurrent use.
type Execution struct {
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

// execute begins the execution of a first call.
func (k *Keys) execute(w http.ResponseWriter, r *http.Request, key idempotency.Key, call *Call) *Execution {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(r.Context()))
	unlink := context.AfterFunc(k.Requests, func() { cancel(context.Cause(k.Requests)) })
	e := &Execution{
		keys: k, caller: call.Caller, key: key, request: r.WithContext(ctx), notStored: call.NotStored,
		cancel: func(cause error) { unlink(); cancel(cause) },
	}
	e.tape = &tape{w: w, memory: call.Memory, limit: int(k.MaxAnswer), lost: call.NotStored, onLoss: e.end}
	return e
}

// Replayed returns the id of the first call if its answer was sent again, and ok false otherwise.
func (e *Execution) Replayed() (original uuid.UUID, ok bool) {
	if e == nil || !e.replayed {
		return uuid.Nil, false
	}
	return e.key.ID, true
}

// Take returns the writer and the request with which the call must be served. They do not depend on the client's
// connection.
func (e *Execution) Take(w http.ResponseWriter, r *http.Request) (http.ResponseWriter, *http.Request) {
	if e == nil {
		return w, r
	}
	return e.tape, e.request
}

// Metered notes what the call costs. It must be called before the usage event is stored.
func (e *Execution) Metered(log *usage.Log) {
	if e == nil {
		return
	}
	e.complete = log.Outcome == usage.Success
	e.charged = e.complete || log.Quota > 0
}

// Unrecorded must be called if the usage event could not be stored, before the client gets the error. It leaves the key
// running. The spool may have the event nevertheless, so repair asks the usage logs whether the call was charged.
func (e *Execution) Unrecorded() {
	if e == nil || e.ended {
		return
	}
	e.ended = true
	e.keys.leave(e.key.ID)
	e.keys.repairSoon()
}

// BufferEnd must be called before the end of the answer is written. The tape buffers it until Keep, unless the answer
// must not be kept: then the key ends here.
func (e *Execution) BufferEnd() {
	switch {
	case e == nil:
	case !e.complete || e.tape.lost:
		e.end()
	default:
		e.tape.buffer()
	}
}

// Keep must be called after the end of the answer was written. It stores the answer and then sends its end.
func (e *Execution) Keep() {
	if e == nil || e.ended {
		return
	}
	e.finish(e.tape.answer())
	e.tape.release()
}

// Release ends the execution, if it has not ended yet: it frees the key unless the call was charged.
func (e *Execution) Release() {
	if e == nil {
		return
	}
	e.end()
	e.cancel(nil)
}

// end ends the key without an answer. Only the first call has an effect.
func (e *Execution) end() { e.finish(nil) }

// finish ends the key. If the database does not answer, repair ends it later, without the answer.
func (e *Execution) finish(a *answer) {
	if e.ended {
		return
	}
	e.ended = true
	k := e.keys
	err := k.inTime(e.request.Context(), e.caller, func(ctx context.Context) error {
		if !e.charged {
			return k.Store.Free(ctx, k.Scope, e.key.ID)
		}
		ciphertext, err := k.sealed(ctx, &e.key, a)
		if err != nil {
			return err
		}
		return k.Store.Keep(ctx, k.Scope, e.key.ID, ciphertext)
	})
	k.leave(e.key.ID)
	if err != nil {
		k.Log.Warn("end idempotency key failed", "request_id", e.key.ID, "error", err)
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
