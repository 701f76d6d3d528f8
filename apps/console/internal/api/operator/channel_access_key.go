package operator

import (
	"context"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

// A program with an access key may configure channels, but it may not decide where prompts and credentials go. It
// cannot set credentials, or change what catalog.RouteChanges names: base URL, proxy, certificate authorities, headers
// that route requests, the tenant whose account it is, and parameters that may give the prompt to somebody else. It can
// create a channel only if it is disabled and has none of these except the base URL, and enable one only if it has
// credentials: so a person has looked at each base URL before the first prompt goes there.

// checkCreateByAccessKey refuses a new channel if the caller has an access key, which may not create it.
func checkCreateByAccessKey(ctx context.Context, c *catalog.Channel) error {
	if !api.HasAccessKey(ctx) {
		return nil
	}
	if len(c.Credentials) > 0 {
		return accessKeyMayNotSet("api_keys")
	}
	if fields := catalog.RouteChanges(&catalog.Channel{Type: c.Type, BaseURL: c.BaseURL}, c); len(fields) > 0 {
		return accessKeyMayNotSet(fields[0])
	}
	if c.Status != tenant.Disabled {
		return problem.New(problem.Forbidden, "An access key may create disabled channels only. A person adds the "+
			"credentials and enables the channel.").At("status")
	}
	return nil
}

// checkUpdateByAccessKey refuses a change of a channel if the caller has an access key, which may not make it.
func checkUpdateByAccessKey(ctx context.Context, before, after *catalog.Channel, body *ChannelPatch) error {
	if !api.HasAccessKey(ctx) {
		return nil
	}
	if body.APIKeys.Given() {
		return accessKeyMayNotSet("api_keys")
	}
	if len(body.Rotation.Add)+len(body.Rotation.Remove) > 0 {
		return accessKeyMayNotSet("rotation")
	}
	if fields := catalog.RouteChanges(before, after); len(fields) > 0 {
		return accessKeyMayNotSet(fields[0])
	}
	if enablesBare(before, after) {
		return problem.New(problem.Forbidden,
			"An access key may not enable a channel without credentials. Sign in instead.").At("status")
	}
	return nil
}

// accessKeyMayNotSet returns the problem of a field that an access key may not set.
func accessKeyMayNotSet(field string) error {
	return problem.New(problem.Forbidden, "An access key may not set %s. Sign in instead.", field).At(field)
}
