package api

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/throttle"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/fair"
)

// The largest bodies in bytes. An operation that needs more than the default of its kind says so in Operation.Body.
const (
	publicBody = 16 << 10 // of a client that is not signed in
	smallBody  = 64 << 10 // of most operations

	ListBody     = 512 << 10 // for lists of 1,000 models and 1,000 addresses
	DocumentBody = 1 << 20   // for manifests, certificates and prompts
	ForwardBody  = 4 << 20   // for calls that are passed on to the relay
)

// The most bytes of bodies that the console holds at once: those of clients that are not signed in, and those of
// all others. A body counts with its length from the start until its request is answered, and one without a length
// with the bytes that have arrived.
const (
	publicBodies = 4 << 20
	callerBodies = 16 << 20
)

// The most bytes of answers to reads of signed-in callers that the console holds at once, until each is sent. Like bodies, one
// tenant alone holds half of them at most. Lists end at 1 MiB, so these are 24 of the largest pages of one tenant, and slow
// clients cannot collect more of them. Answers to changes are not counted: they repeat the body, which is.
const (
	callerAnswers = 48 << 20
	smallAnswer   = 64 << 10 // those up to this size are not counted
)

// requestBytes is the number of bytes that a request with a body takes besides the body. So one address
// with many unfinished requests takes at most a quarter of the connections of the console, and all addresses together
// half of them.
const requestBytes = 2 << 10

// overloadRetry is the time after which a client that found no room or no slot may try again.
const overloadRetry = time.Second

// newRoom returns room for so many bytes of bodies or answers. A key holds as much as is free afterwards: one alone half
// of the room, each of two a third. So whatever a flood holds, a small body of another key finds room. Nobody waits for it.
func newRoom(size int64) *fair.Queue[string] {
	return fair.New(fair.Options[string]{Total: size, Headroom: true, RetryAfter: overloadRetry})
}

// admit is the first middleware of an operation, after authenticate. Before anything of the body is read, it checks
// that the role of the caller permits op.Needs, and that the caller has confirmed lately if op.Confirm asks for it. Then
// it bounds the body.
func (a *API) admit(op Operation) func(huma.Context, func(huma.Context)) {
	limit := op.bodyLimit()
	return func(ctx huma.Context, next func(huma.Context)) {
		request, _ := humago.Unwrap(ctx)
		caller := CallerOf(ctx.Context())
		room, key := a.roomOf(ctx, caller)
		defer a.pauseRefusal(ctx, key)
		if caller != nil {
			answer := &heldAnswer{room: a.answers, key: key}
			defer answer.release()
			ctx = huma.WithValue(ctx, answerKey{}, answer)
		}
		if err := a.limitChanges(&op, caller); err != nil {
			a.refuseUnread(ctx, err)
			return
		}
		defer a.countChange(ctx, &op, caller)
		if op.Needs != "" {
			if err := permission.Check(caller.Scope(), op.Needs); err != nil {
				a.refuseUnread(ctx, err)
				return
			}
		}
		if op.Confirm == Always {
			confirmed, err := a.Confirm(ctx.Context())
			if err != nil {
				a.refuseUnread(ctx, err)
				return
			}
			caller.Confirmed = confirmed
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
		held, err := room.TryAcquire(requestBytes+max(0, request.ContentLength), key)
		if err != nil {
			a.refuseUnread(ctx, err)
			return
		}
		defer held.Release()
		request.Body = &boundedBody{ReadCloser: request.Body, limit: limit, left: limit, known: request.ContentLength >= 0, held: &held}
		releaseSlot(ctx)
		next(ctx)
	}
}

// roomOf returns the room for the bodies of a caller, nil for a client that is not signed in, and its key: the network
// of that client, the tenant of the caller, or an operator.
func (a *API) roomOf(ctx huma.Context, caller *Caller) (room *fair.Queue[string], key string) {
	switch {
	case caller == nil:
		return a.public, throttle.Network(a.clientOf(ctx).Address)
	case caller.User.TenantID == uuid.Nil:
		return a.callers, caller.User.ID.String()
	}
	return a.callers, caller.User.TenantID.String()
}

// bodyLimit returns the largest body of the operation in bytes.
func (op *Operation) bodyLimit() int64 {
	switch {
	case op.Body > 0:
		return op.Body
	case op.Public:
		return publicBody
	}
	return smallBody
}

func tooLarge(limit int64) error {
	return problem.New(problem.TooLarge, "The request body is larger than %d bytes, the limit of this operation.", limit)
}

// boundedBody is the body of a request. All errors of Read except time-outs are problems, because others would make Huma
// report an internal error.
type boundedBody struct {
	io.ReadCloser
	limit, left int64               // bytes that the body may have, and may still have
	known       bool                // the length is known, and held has room for it
	held        *fair.Lease[string] // room for the body
}

// Read reads from the body. It fails if the body exceeds the limit, or if there is no room for more.
func (b *boundedBody) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 { // one more byte shows that the body is too large
		p = p[:b.left+1]
	}
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, tooLarge(b.limit)
	}
	if !b.known {
		if err := b.held.Grow(int64(n)); err != nil {
			return 0, err
		}
	}
	return n, readError(err)
}

type answerKey struct{}

// heldAnswer is the answer to a request. It has room until release.
type heldAnswer struct {
	room *fair.Queue[string]
	key  string
	held []fair.Lease[string]
}

// Hold takes room for so many bytes of an answer until it is sent, or returns an Overloaded problem. Every answer to a read
// takes its size; handlers that return a stream call Hold with the most that they have in memory.
func Hold(ctx context.Context, size int) error {
	answer, _ := ctx.Value(answerKey{}).(*heldAnswer)
	if answer == nil || size <= smallAnswer {
		return nil
	}
	held, err := answer.room.TryAcquire(int64(size), answer.key)
	if err != nil {
		return err //nolint:wrapcheck // a problem for the client
	}
	answer.held = append(answer.held, held)
	return nil
}

func (a *heldAnswer) release() {
	for i := range a.held {
		a.held[i].Release()
	}
}

// limitChanges returns a RateLimited problem for a change by a user who has made too many of them. Each change is an entry
// of the audit log, which nobody may delete.
func (a *API) limitChanges(op *Operation, caller *Caller) error {
	if caller == nil || op.Method == http.MethodGet {
		return nil
	}
	return a.throttle.Check(throttle.ChangesByUser, caller.User.ID.String(), a.now())
}

// countChange counts a change that has succeeded.
func (a *API) countChange(ctx huma.Context, op *Operation, caller *Caller) {
	if caller != nil && op.Method != http.MethodGet && ctx.Status() < http.StatusMultipleChoices {
		a.throttle.Charge(throttle.ChangesByUser, caller.User.ID.String(), a.now())
	}
}

// readError returns the error of a read from a connection as a problem, unless it is the end or a time-out.
func readError(err error) error {
	var network net.Error
	if err == nil || errors.Is(err, io.EOF) || errors.As(err, &network) && network.Timeout() {
		return err
	}
	return &problem.Problem{Kind: problem.InvalidJSON, Message: "The request body is incomplete or malformed: the connection ended before all of it was received.", Cause: err}
}
