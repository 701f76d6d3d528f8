// Package snapshot holds the relay's immutable in-memory copy of groups, models,
// prices and channels. A change of the catalog replaces it as a whole. A
// request takes one Snapshot and uses it throughout.
package snapshot

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/problem"
	core "github.com/tollgate/tollgate/libs/core/snapshot"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/core/visibility"
	"github.com/tollgate/tollgate/libs/egress"
	"github.com/tollgate/tollgate/libs/provider"
)

// Source reads the catalog.
type Source interface {
	Snapshot(ctx context.Context, scope tenant.Scope) (*core.Snapshot, error)
}

// Opener unseals channel credentials and the URLs of proxies, and names the
// credentials.
type Opener interface {
	OpenCredential(key catalog.SealedSecret) (string, error)
	OpenProxy(proxy catalog.SealedSecret) (string, error)
	Fingerprint(credential string) string
}

// Snapshot is a catalog with a Target for each channel. It is immutable.
type Snapshot struct {
	*core.Snapshot
	targets map[uuid.UUID]*Target
	added   map[string]int64 // by model
}

// Target returns how to call the channel, nil where it cannot be called (its
// type is unknown to this version, or no credential could be unsealed).
func (c *Snapshot) Target(id uuid.UUID) *Target { return c.targets[id] }

// Added is the largest number of bytes that a channel of the model adds to a
// request.
func (c *Snapshot) Added(model string) int64 { return c.added[model] }

// MaxOutput is the most tokens that one answer of the model may have.
func (c *Snapshot) MaxOutput(model string) int64 {
	if m := c.Model(model); m != nil {
		return m.OutputBound()
	}
	return catalog.DefaultMaxOutput
}

// Loader reads the catalog and keeps the current Snapshot. It is safe for
// concurrent use.
type Loader struct {
	Options
	scope   tenant.Scope
	current atomic.Pointer[Snapshot]
}

// Options of a Loader.
type Options struct {
	Source Source
	Opener Opener
	Lookup Lookup
	Pool   *egress.Pool
	Log    *slog.Logger
}

// Lookup finds the provider of a channel type.
type Lookup func(channelType string) (provider.Provider, bool)

// New returns a Loader without a Snapshot. Call Reload before use.
func New(o Options) *Loader {
	return &Loader{Options: o, scope: tenant.SystemScope("relay")}
}

// Current returns the newest Snapshot, nil before the first Reload.
func (v *Loader) Current() *Snapshot { return v.current.Load() }

// Reload reads the catalog anew. On an error the old one stays.
func (v *Loader) Reload(ctx context.Context) error {
	snapshot, err := v.Source.Snapshot(ctx, v.scope)
	if err != nil {
		return fmt.Errorf("read the catalog: %w", err)
	}
	next := &Snapshot{Snapshot: snapshot, targets: map[uuid.UUID]*Target{}, added: added(snapshot)}
	ways := map[egress.TransportConfig]bool{{}: true}
	for _, channel := range snapshot.Channels() {
		target, err := v.target(channel)
		if err != nil {
			v.Log.Error("channel cannot be used", "channel", channel.Name, "error", err)
			continue
		}
		next.targets[channel.ID], ways[target.way] = target, true
	}
	v.current.Store(next)
	v.Pool.Retain(ways)
	return nil
}

// added finds, for each model, the channel that adds most to a request.
func added(snapshot *core.Snapshot) map[string]int64 {
	most := map[string]int64{}
	for _, model := range snapshot.Models() {
		for _, channel := range snapshot.Serving(model.ID) {
			if n := channel.Settings.AddedBytes(); n > most[model.ID] {
				most[model.ID] = n
			}
		}
	}
	return most
}

// Authorise returns the model and the terms it is priced by, or the one
// ModelNotFound problem for all that the caller may not see.
func (c *Snapshot) Authorise(caller *token.Caller, id string, now time.Time) (*catalog.Model, pricing.Terms, error) {
	model := c.Model(id)
	if model == nil || !visibility.Visible(c.Snapshot, caller, model, now) {
		return nil, pricing.Terms{}, problem.New(problem.ModelNotFound,
			"The model `%s` does not exist or you do not have access to it.", id).At("model")
	}
	terms, priced := c.Book.Terms(id, caller.User.GroupID, now)
	if !priced { // a free model without a price
		terms = pricing.Free(caller.User.GroupID)
	}
	return model, terms, nil
}

// Visible returns the models the caller may use, in the order of their ids.
func (c *Snapshot) Visible(caller *token.Caller, now time.Time) []*catalog.Model {
	var visible []*catalog.Model
	for _, model := range c.Models() {
		if visibility.Visible(c.Snapshot, caller, model, now) {
			visible = append(visible, model)
		}
	}
	return visible
}
