package stored

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

// Database is the Backend of responses that no channel stores. It is safe for concurrent use.
type Database struct {
	Responses *Responses
}

// Do reads or deletes the response. It returns an Overloaded problem if the database doesn't answer.
func (d *Database) Do(ctx context.Context, request Request) (Result, error) {
	id, ok := ParseID(request.ID)
	if !ok {
		return Result{}, problem.Of(problem.ResponseNotFound)
	}
	body, err := d.do(ctx, request, id)
	if problem.Is(err, problem.NotFound) {
		err = problem.Of(problem.ResponseNotFound)
	}
	if err != nil || request.Operation != Stream {
		return Result{Body: body}, err
	}
	return Result{Stream: replay{output.NewReplay(body, request.After)}}, nil
}

// replay is the stream of a response that is in memory, so that Next never waits.
type replay struct{ *output.Replay }

// LastRead returns the zero time, because nothing arrives.
func (replay) LastRead() (never time.Time) { return never }

// CancelSilent does nothing.
func (replay) CancelSilent() {}

// copies are the most copies of a response that an operation has in memory. A stream has two of its last event besides
// the response.
var copies = [...]int{Retrieve: 1, Delete: 1, ListInput: 1, Cancel: 1, Stream: 3}

// do performs the operation on the response with the id.
func (d *Database) do(ctx context.Context, request Request, id uuid.UUID) ([]byte, error) {
	if request.Operation == Delete {
		return fmt.Appendf(nil, `{"id":%q,"object":"response","deleted":true}`, request.ID),
			d.Responses.remove(ctx, request.Reach, id)
	}
	response, err := d.Responses.load(ctx, request.Reach, id)
	if err == nil { // the size is known only now; until here, the connections to the database bound the memory
		err = request.Memory.Grow(ctx, int64(len(response.Input)+copies[request.Operation]*len(response.Body)))
	}
	switch {
	case err != nil:
		return nil, err
	case request.Operation == ListInput:
		return inputPage(id, response.Input, request.Query)
	case request.Operation == Cancel: // the database only has complete responses
		return nil, problem.New(problem.InvalidType, "Cannot cancel a synchronous response.")
	}
	return response.Body, nil
}
