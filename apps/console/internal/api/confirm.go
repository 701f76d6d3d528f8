package api

import (
	"context"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/store/signin"
)

// Always is the value of Operation.Confirm of an operation that needs a confirmation at each call.
const Always = "always"

// confirmExtension is the field of an operation in the OpenAPI document that holds Operation.Confirm.
const confirmExtension = "x-confirmation"

// RequireConfirmation returns a ConfirmationRequired problem unless the caller has proven the identity in this session
// within signin.ConfirmationLife, and a Forbidden problem for an access key, which cannot prove who uses it. Handlers call it
// for operations that need a confirmation under a condition; Operation.Confirm protects a whole operation.
func (a *API) RequireConfirmation(ctx context.Context) error {
	if err := RequireSession(ctx); err != nil {
		return err
	}
	if !a.now().Before(CallerOf(ctx).ConfirmedAt.Add(signin.ConfirmationLife)) {
		return problem.Of(problem.ConfirmationRequired)
	}
	return nil
}

// description returns the description of the operation with what it says about confirmations.
func (op *Operation) description() string {
	switch op.Confirm {
	case "":
		return op.Description
	case Always:
		return op.Description + " Needs a confirmation that is not older than 15 minutes, see createConfirmation."
	}
	return op.Description + " Needs a confirmation that is not older than 15 minutes, see createConfirmation, if " + op.Confirm + "."
}

// extensions returns the fields of the operation in the OpenAPI document that the specification does not define.
func (op *Operation) extensions() map[string]any {
	all := map[string]any{}
	if op.Confirm != "" {
		all[confirmExtension] = op.Confirm
	}
	return all
}
