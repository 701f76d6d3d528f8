package pipeline

import (
	"net/http"

	"github.com/tollgate/tollgate/apps/relay/internal/inbound"
	"github.com/tollgate/tollgate/apps/relay/internal/memory"
	"github.com/tollgate/tollgate/apps/relay/internal/once"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai"
)

// once begins the execution of a call with an Idempotency-Key, or sends the answer of the first call with the key. It
// returns nil for a call without a key.
func (p *Pipeline) once(w http.ResponseWriter, r *http.Request, in inbound.Call, caller *token.Caller,
	request *openai.Request, use *memory.Use) (*once.Execution, error) {
	if r.Header[once.Header] == nil {
		return nil, nil //nolint:nilnil // an Execution may be nil
	}
	w.Header()[remainingHeader] = []string{p.Admit.Remaining(caller).String()}
	execution, err := p.Once.Begin(w, r, once.Call{
		ID: in.ID, Caller: caller, Body: request.Body(), Variant: r.Header.Get(includeQuota),
		NotStored: request.NotStored, Memory: use,
		Log: usage.Log{
			TenantID: caller.Tenant.ID, UserID: caller.User.ID, TokenID: caller.Token.ID, GroupID: caller.User.GroupID,
			Model: request.Model, Dialect: string(in.Dialect), Stream: request.Stream,
		},
	})
	if original, ok := execution.Replayed(); ok {
		in.Report.Replayed = original
	}
	return execution, err
}

// finish sends the rest of the answer. If the call has an Idempotency-Key, the key ends before the answer does.
func finish(execution *once.Execution, answer ending, event *usage.Event) error {
	execution.BufferEnd()
	err := answer.finish(event)
	execution.Keep()
	return err
}
