// Package upstream registers the operations of the console's API that call the upstream of a channel: tests of a
// channel, which may not be stored yet, the upstream's list of models, and the calls of the operators' playground. Only
// operators may use them.
//
// The calls are made by this process and not by a relay, so they are neither metered nor change a circuit breaker. They
// obey the policy of the operator's egress. Each is counted for the audit log, so that nobody tries addresses unseen.
//
// A stored credential goes nowhere new: a request that changes the destination of a stored channel is made without the
// stored credentials, as updateChannel would drop them.
package upstream

import (
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/api"
	"github.com/tollgate/tollgate/apps/console/internal/api/draft"
	"github.com/tollgate/tollgate/apps/console/internal/auditbuffer"
	"github.com/tollgate/tollgate/apps/console/internal/playground"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/probe"
	"github.com/tollgate/tollgate/libs/store"
)

// Options holds the dependencies of the operations.
type Options struct {
	Store  *store.Store
	Prober *probe.Prober

	Maker        draft.Maker
	CheckChannel func(*catalog.Channel) error // returns a problem of the first wrong field of a channel

	Calls *playground.Slots // of the calls of callChannel
	Now   func() time.Time
}

// handlers holds the handlers of the operations as methods.
type handlers struct {
	*api.API
	Options
}

// Register adds the operations to a.
func Register(a *api.API, o Options) {
	h := &handlers{API: a, Options: o}
	registerTests(h)
	registerModels(h)
	registerCalls(h)
}

// draft returns the channel of a body that is not stored: a new one, or the stored one with the id and the changes of
// the body. The stored credentials are dropped if the body changes where they would be sent, unless it has new ones.
func (h *handlers) draft(ctx context.Context, id *uuid.UUID, body *draft.NewChannel) (*catalog.Channel, error) {
	if err := permission.Check(api.ScopeOf(ctx), permission.WritePlatform); err != nil {
		return nil, err
	}
	before := catalog.Channel{Type: body.Type, BaseURL: body.BaseURL.Value()}
	if id != nil {
		row, err := draft.StoredChannel(ctx, h.Store, *id)
		if err != nil {
			return nil, err
		}
		before = *row
	}
	after, err := h.Maker.Channel(before, body)
	if err != nil {
		return nil, err
	}
	if len(body.APIKeys) == 0 && len(catalog.CredentialRouteChanges(&before, &after)) > 0 {
		after.Credentials, after.DisabledCredentials = nil, nil
	}
	fields := catalog.RouteChanges(&before, &after)
	if api.HasAccessKey(ctx) &&
		(id == nil || len(fields)+len(body.APIKeys) > 0 || len(after.Credentials) == 0) {
		return nil, problem.New(problem.Forbidden,
			"An access key may only use stored channels with credentials, as they are. Sign in instead.")
	}
	if len(fields) > 0 { // updateChannel would require it, too
		if _, err := h.Confirm(ctx); err != nil {
			return nil, err
		}
	}
	return &after, nil
}

// note counts a call of a channel for the audit log. The entry of a channel that is not stored has no target.
func (h *handlers) note(ctx context.Context, channel *catalog.Channel, key probe.Credential, target string) {
	e := auditbuffer.Event{Action: auditbuffer.ChannelTested, What: strings.TrimSpace(key.Mask + " " + target)}
	if channel.ID != uuid.Nil {
		e.Target = channel.ID.String()
	}
	h.Note(ctx, e)
}

// at returns the text with the host of the channel's base URL, for entries of the audit log about channels that are not
// stored as they are.
func at(text string, channel *catalog.Channel) string {
	base, err := url.Parse(channel.BaseURL)
	if err != nil || base.Host == "" {
		return text
	}
	return text + " at " + base.Host
}
