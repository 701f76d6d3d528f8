// Package snapshot holds the relay's immutable in-memory copy of groups, models, prices and channels. A change
// of the catalog replaces the Snapshot as a whole. A request takes one Snapshot at its beginning and uses it
// for all decisions, so that a concurrent change cannot mix old and new prices or channels in one request. The
// relay needs no database to read it.
package snapshot

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
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

// Source loads the catalog. The store implements it.
type Source interface {
	Snapshot(ctx context.Context, scope tenant.Scope) (*core.Snapshot, error)
}

// Opener decrypts the credentials of channels and the URLs of proxies. Fingerprint returns an identifier of a
// credential that doesn't reveal it.
type Opener interface {
	OpenCredential(key catalog.SealedSecret) (string, error)
	OpenProxy(proxy catalog.SealedSecret) (string, error)
	Fingerprint(credential string) string
}

// Snapshot is the catalog with a Target for each usable channel. It is immutable.
type Snapshot struct {
	*core.Snapshot
	targets  map[uuid.UUID]*Target
	addition map[string]int64 // by public model id
}

// Target returns how to call the channel. It returns nil if the channel cannot be called because its type is
// unknown to this version, its settings are invalid or a credential cannot be decrypted.
func (s *Snapshot) Target(id uuid.UUID) *Target { return s.targets[id] }

// Added returns the largest number of bytes that any channel of the model adds to a request by its settings.
func (s *Snapshot) Added(model string) int64 { return s.addition[model] }

// MaxOutput returns the upper bound of the output tokens of one answer of the model.
func (s *Snapshot) MaxOutput(model string) int64 {
	if m := s.Model(model); m != nil {
		return m.OutputBound()
	}
	return catalog.DefaultMaxOutput
}

// Loader loads the catalog and holds the current Snapshot. It is safe for concurrent use.
type Loader struct {
	Options
	scope   tenant.Scope
	current atomic.Pointer[Snapshot]
}

// Options configures a Loader. All fields are required.
type Options struct {
	Source Source
	Opener Opener
	Lookup Lookup
	Pool   *egress.Pool
	Log    *slog.Logger
}

// Lookup returns the provider of a channel type; false if the type is unknown.
type Lookup func(channelType string) (provider.Provider, bool)

// New returns a Loader without a Snapshot. Reload must succeed before the first use.
func New(o Options) *Loader {
	return &Loader{Options: o, scope: tenant.SystemScope("relay")}
}

// Current returns the newest Snapshot, nil before the first Reload.
func (l *Loader) Current() *Snapshot { return l.current.Load() }

// Reload loads the catalog and replaces the Snapshot. After an error the old Snapshot stays in use. A channel
// that cannot be used is logged and left out; it doesn't fail the Reload.
func (l *Loader) Reload(ctx context.Context) error {
	snapshot, err := l.Source.Snapshot(ctx, l.scope)
	if err != nil {
		return fmt.Errorf("read the catalog: %w", err)
	}
	next := &Snapshot{Snapshot: snapshot, targets: map[uuid.UUID]*Target{}, addition: added(snapshot)}
	// The pool keeps the transports that some channel uses, and the default one; it closes the others.
	inUse := map[egress.TransportConfig]bool{{}: true}
	for _, channel := range snapshot.Channels() {
		target, err := l.target(channel)
		if err != nil {
			l.Log.Error("channel is not usable", "channel", channel.Name, "error", err)
			continue
		}
		next.targets[channel.ID], inUse[target.transportConfig] = target, true
	}
	// The Snapshot is replaced first: until then, requests take transports that Retain may drop.
	l.current.Store(next)
	l.Pool.Retain(inUse)
	return nil
}

// added returns, for each model, the most bytes that one of its channels adds to a request.
func added(snapshot *core.Snapshot) map[string]int64 {
	sizes := map[string]int64{}
	for _, model := range snapshot.Models() {
		for _, channel := range snapshot.Serving(model.ID) {
			if n := channel.Settings.AddedBytes(); n > sizes[model.ID] {
				sizes[model.ID] = n
			}
		}
	}
	return sizes
}

// Authorize returns the model and the price terms for the caller. It returns the same ModelNotFound problem for
// an unknown model and for one that the caller may not use, so that a caller cannot find out which models
// exist.
func (s *Snapshot) Authorize(caller *token.Caller, id string, now time.Time) (*catalog.Model, pricing.Terms, error) {
	model := s.Model(id)
	if model == nil || !visibility.Visible(s.Snapshot, caller, model, now) {
		return nil, pricing.Terms{}, problem.New(problem.ModelNotFound,
			"The model `%s` does not exist or you do not have access to it.", id).At("model")
	}
	terms, ok := s.Book.Terms(id, caller.User.GroupID, now)
	if !ok { // a free model has no price
		terms = pricing.Free(caller.User.GroupID)
	}
	return model, terms, nil
}

// Visible returns the models that the caller may use, in the order of their ids.
func (s *Snapshot) Visible(caller *token.Caller, now time.Time) []*catalog.Model {
	var visible []*catalog.Model
	for _, model := range s.Models() {
		if visibility.Visible(s.Snapshot, caller, model, now) {
			visible = append(visible, model)
		}
	}
	return visible
}

// AnyFree reports whether the caller may use a model that costs nothing.
func (s *Snapshot) AnyFree(caller *token.Caller, now time.Time) bool {
	return slices.ContainsFunc(s.Visible(caller, now), func(model *catalog.Model) bool {
		terms, ok := s.Book.Terms(model.ID, caller.User.GroupID, now)
		cost, err := terms.Bound(pricing.MaxUsage{Input: 1 << 20, Output: 1 << 20})
		return !ok || err == nil && cost == 0
	})
}
