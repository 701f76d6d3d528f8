package pipeline

import (
	"slices"

	"github.com/tollgate/tollgate/apps/relay/internal/stored"
	"github.com/tollgate/tollgate/apps/relay/internal/upstream"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/routing"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

// omitOptionalTools omits tools from the request that a provider would run and that the client leaves optional, if no
// channel that could serve the call without them has them. A channel has them if it gets the client's bytes, because no
// other dialect can express them. The request stays as it is if the tenant, or each of these channels, refuses calls
// with omitted tools, and for other operations than a call.
func (rt router) omitOptionalTools(a *admission, origin stored.Origin) {
	if a.caller.Tenant.IgnoredFields == tenant.RefuseIgnored || a.operation != "" {
		return
	}
	request, paths := a.request.WithoutOptionalTools()
	if len(paths) == 0 {
		return
	}
	var buf [16]routing.Condition
	channels := makersOf(a.request, eligible(a.snapshot.ServingTo(a.caller.Tenant.Slug, a.model.ID), a.dialect, origin))
	query := upstream.ConditionQuery{Channels: channels, Model: a.request.Model, TenantID: a.caller.Tenant.ID}
	plan, usable := routing.Plan(routing.Query{
		Channels: channels, Conditions: rt.upstream.Conditions(buf[:0], a.snapshot, query, rt.now()),
		Dialect: a.dialect, Needs: needs(request), Affinity: 1, // the order does not matter
	})
	hasTools := func(c routing.Candidate) bool {
		return c.Native && !slices.Contains(c.Channel.Settings.Lacks, catalog.ToolCalling)
	}
	accepts := func(c routing.Candidate) bool { return acceptsOmission(c.Channel) }
	if !slices.ContainsFunc(plan[:usable], hasTools) && slices.ContainsFunc(plan[:usable], accepts) {
		a.request, a.omitsTools = request, true
	}
}

// acceptsOmission reports whether calls with omitted tools may go to the channel.
func acceptsOmission(c *catalog.Channel) bool {
	return c.Settings.IgnoredFields != tenant.RefuseIgnored
}

// acceptingOmission returns the channels to which calls with omitted tools may go.
func acceptingOmission(channels []*catalog.Channel) []*catalog.Channel {
	return slices.DeleteFunc(slices.Clone(channels), func(c *catalog.Channel) bool { return !acceptsOmission(c) })
}
