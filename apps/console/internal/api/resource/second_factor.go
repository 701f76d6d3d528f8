package resource

import (
	"context"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/libs/store/identity"
)

// SecondFactorRule returns the change that the field require_second_factor asks for, or nil if it is absent. It returns
// the problems of api.API.Confirm if it is present.
func SecondFactorRule(ctx context.Context, a *api.API, choice *api.Optional[bool]) (*identity.SecondFactorRule, error) {
	if !choice.Given() {
		return nil, nil
	}
	actor, err := a.Confirm(ctx)
	if err != nil {
		return nil, err
	}
	return &identity.SecondFactorRule{Required: choice.Value(), By: actor}, nil
}
