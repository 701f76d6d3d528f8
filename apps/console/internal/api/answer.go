package api

import (
	"context"

	"github.com/tollgate/tollgate/libs/fair"
)

// The most bytes of answers to reads of signed-in callers that the console holds at once, until each is sent. Like
// bodies, one tenant alone holds half of them at most. Lists end at 1 MiB, so these are 24 of the largest pages of one
// tenant, and slow clients cannot collect more of them. Answers to changes are not counted: they repeat the body, which
// is.
const (
	callerAnswerBytes = 48 << 20
	smallAnswer       = 64 << 10 // those up to this size are not counted
)

type answerKey struct{}

// heldAnswer is the answer to a request. It has room until release.
type heldAnswer struct {
	room *fair.Queue[string]
	key  string
	held []fair.Lease[string]
}

// HoldAnswer takes room for so many bytes of an answer until it is sent, or returns an Overloaded problem. Every answer
// to a read takes its size; handlers that return a stream call HoldAnswer with the most that they have in memory.
func HoldAnswer(ctx context.Context, size int) error {
	answer, _ := ctx.Value(answerKey{}).(*heldAnswer)
	if answer == nil || size <= smallAnswer {
		return nil
	}
	lease, err := answer.room.TryAcquire(int64(size), answer.key)
	if err != nil {
		return err
	}
	answer.held = append(answer.held, lease)
	return nil
}

func (a *heldAnswer) release() {
	for i := range a.held {
		a.held[i].Release()
	}
}
