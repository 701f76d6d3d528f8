package api

import (
	"context"

	"github.com/tollgate/tollgate/libs/core/permission"
)

// Always is the value of Operation.Confirm of an operation that needs a confirmation at each call.
const Always = "always"

// confirmExtension is the field of an operation in the OpenAPI document that holds Operation.Confirm.
const confirmExtension = "x-confirmation"

// Confirm returns the scope of a caller who has proven the identity in this session lately, and otherwise the problems of
// permission.Confirm. Handlers call it for operations that need a confirmation under a condition; for one that always needs
// it, Caller.Confirmed has the scope.
func (a *API) Confirm(ctx context.Context) (permission.Confirmed, error) {
	caller := CallerOf(ctx)
	return permission.Confirm(caller.Scope(), caller.ConfirmedAt, a.now())
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
