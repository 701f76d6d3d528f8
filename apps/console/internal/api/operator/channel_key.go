package operator

import (
	"context"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

// A program with an access key may configure channels, but it may not decide where prompts and credentials go. It
// cannot set credentials, proxies and certificate authorities, or change a base URL. It can create a channel only if it
// is disabled, and enable one only if it has credentials: so a person has looked at each base URL before the first
// prompt goes there.

// checkNew refuses a channel that an access key may not create.
func checkNew(ctx context.Context, body *NewChannel) error {
	err := keyMayNotSet(ctx, map[string]bool{
		"api_keys": len(body.APIKeys) > 0, "settings.proxy": body.Settings.Proxy.Given(), "settings.ca": body.Settings.CA.Given(),
	})
	if err == nil && body.Status != string(tenant.Disabled) && api.RequireSession(ctx) != nil {
		err = problem.New(problem.Forbidden, "An access key may create disabled channels only. A person adds the credentials and enables the channel.").At("status")
	}
	return err
}

// checkPatch refuses a change of the current channel that an access key may not make.
func checkPatch(ctx context.Context, current *catalog.Channel, body *ChannelPatch) error {
	settings := body.Settings.Value()
	err := keyMayNotSet(ctx, map[string]bool{
		"base_url": body.BaseURL.Given(), "api_keys": body.APIKeys.Given(), "rotation": len(body.Rotation.Add)+len(body.Rotation.Remove) > 0,
		"settings.proxy": settings.Proxy.Given(), "settings.ca": settings.CA.Given(),
	})
	enables := body.Status.Value() == string(tenant.Enabled) && current.Status != tenant.Enabled
	if err == nil && enables && len(current.Credentials) == 0 && api.RequireSession(ctx) != nil {
		err = problem.New(problem.Forbidden, "An access key may not enable a channel without credentials. Sign in instead.").At("status")
	}
	return err
}

// keyMayNotSet returns a Forbidden problem if the request is authenticated with an access key and sets one of the
// fields.
func keyMayNotSet(ctx context.Context, fields map[string]bool) error {
	if api.RequireSession(ctx) == nil {
		return nil
	}
	for field, set := range fields {
		if set {
			return problem.New(problem.Forbidden, "An access key may not set %s. Sign in instead.", field).At(field)
		}
	}
	return nil
}
