package api

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/throttle"
	"github.com/tollgate/tollgate/libs/core/address"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/fair"
)

// admit is the first middleware of an operation, after authenticate. Before anything of the body is read, it checks
// that the role of the caller permits op.Needs, and that the caller has confirmed lately if op.Confirm asks for it.
// Then it bounds the body.
func (a *API) admit(op Operation) func(huma.Context, func(huma.Context)) {
	limit := op.bodyLimit()
	return func(ctx huma.Context, next func(huma.Context)) {
		request, _ := humago.Unwrap(ctx)
		caller := CallerOf(ctx.Context())
		room, key := a.roomOf(ctx, caller)
		defer a.pauseRefusal(ctx, key)
		if caller != nil {
			answer := &heldAnswer{room: a.callerAnswers, key: key}
			defer answer.release()
			ctx = huma.WithValue(ctx, answerKey{}, answer)
		}
		if caller != nil && op.changes() {
			if err := a.throttle.Take(throttle.ChangesByUser, changerOf(caller), a.now()); err != nil {
				a.refuseUnread(ctx, err)
				return
			}
			defer a.returnChange(ctx, caller)
		}
		if op.Needs != "" {
			if err := permission.Check(caller.Scope(), op.Needs); err != nil {
				a.refuseUnread(ctx, err)
				return
			}
		}
		if op.Confirm == Always {
			confirmation, err := a.Confirm(ctx.Context())
			if err != nil {
				a.refuseUnread(ctx, err)
				return
			}
			caller.Confirmed = confirmation
		}
		if request.Body == nil || request.Body == http.NoBody {
			releaseSlot(ctx)
			next(ctx)
			return
		}
		if ctx.Header("Content-Type") == "" { // a page of another site can send such a body without a preflight request
			a.refuseUnread(ctx, problem.Of(problem.UnsupportedMediaType))
			return
		}
		if request.ContentLength > limit {
			a.refuseUnread(ctx, tooLarge(limit))
			return
		}
		lease, err := room.TryAcquire(requestBytes+max(0, request.ContentLength), key)
		if err != nil {
			a.refuseUnread(ctx, err)
			return
		}
		defer lease.Release()
		request.Body = &boundedBody{ReadCloser: request.Body, limit: limit, left: limit,
			known: request.ContentLength >= 0, held: &lease}
		releaseSlot(ctx)
		next(ctx)
	}
}

// roomOf returns the room for the bodies of a caller, nil for a client that is not signed in, and its key: the network
// of that client, the tenant of the caller, or an operator.
func (a *API) roomOf(ctx huma.Context, caller *Caller) (room *fair.Queue[string], key string) {
	switch {
	case caller == nil:
		return a.publicBodies, address.Network(a.clientOf(ctx).Address)
	case caller.User.TenantID == uuid.Nil:
		return a.callerBodies, caller.User.ID.String()
	}
	return a.callerBodies, caller.User.TenantID.String()
}

// returnChange gives back the change that was counted before the body was read, unless it has succeeded. Each change is
// an entry of the audit log, which nobody may delete. To count afterwards would bound nothing: thousands of requests
// could wait for the ends of their bodies while one more change is allowed.
func (a *API) returnChange(ctx huma.Context, caller *Caller) {
	if ctx.Status() >= http.StatusMultipleChoices {
		a.throttle.Return(throttle.ChangesByUser, changerOf(caller), a.now())
	}
}

// changerOf names who makes the changes of the caller: the user, or the access keys of the user. A key must not use up
// the changes with which its user revokes it. The keys count together, because a user can always make another one.
func changerOf(caller *Caller) string {
	if caller.key != nil {
		return "keys of " + caller.User.ID.String()
	}
	return caller.User.ID.String()
}
