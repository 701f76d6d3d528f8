// Package view keeps the relay's picture of the catalogue: an immutable
// Snapshot with the channels made ready to be called, replaced as a whole
// whenever the change feed says so.
package view

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/provider"
)

// Source reads the catalogue.
type Source interface {
	Snapshot(ctx context.Context, scope tenant.Scope) (*catalog.Snapshot, error)
}

// Opener unseals channel credentials, and names them.
type Opener interface {
	OpenKey(key catalog.SealedKey) (string, error)
	Fingerprint(credential string) string
}

// Catalog is a Snapshot whose channels can be called. It is immutable.
type Catalog struct {
	*catalog.Snapshot
	targets map[uuid.UUID]*Target
}

// Target is a channel made ready.
type Target struct {
	Provider provider.Provider
	Base     *url.URL
	Keys     []Key
}

// Key is a credential of a channel.
type Key struct {
	Plain       string
	Mask        string
	Fingerprint string
	Disabled    bool // the upstream has refused it
}

// Refused reports whether the channel has credentials and none of them may be used.
func (t *Target) Refused() bool {
	for i := range t.Keys {
		if !t.Keys[i].Disabled {
			return false
		}
	}
	return len(t.Keys) > 0
}

// Target returns how to call the channel, nil where it cannot be called (its
// type is unknown to this version, or no credential could be unsealed).
func (c *Catalog) Target(id uuid.UUID) *Target { return c.targets[id] }

// View holds the current Catalog. It is safe for concurrent use.
type View struct {
	source  Source
	opener  Opener
	lookup  Lookup
	log     *slog.Logger
	scope   tenant.Scope
	current atomic.Pointer[Catalog]
}

// Lookup finds the provider of a channel type.
type Lookup func(channelType string) (provider.Provider, bool)

// New returns an empty View: Reload it before use.
func New(source Source, opener Opener, lookup Lookup, log *slog.Logger) *View {
	return &View{source: source, opener: opener, lookup: lookup, log: log, scope: tenant.SystemScope("relay")}
}

// Current returns the newest Catalog.
func (v *View) Current() *Catalog { return v.current.Load() }

// Reload reads the catalogue anew. On an error the old one stays.
func (v *View) Reload(ctx context.Context) error {
	snapshot, err := v.source.Snapshot(ctx, v.scope)
	if err != nil {
		return fmt.Errorf("read the catalogue: %w", err)
	}
	next := &Catalog{Snapshot: snapshot, targets: map[uuid.UUID]*Target{}}
	for _, channel := range snapshot.Channels() {
		target, err := v.ready(channel)
		if err != nil {
			v.log.Error("channel cannot be used", "channel", channel.Name, "error", err)
			continue
		}
		next.targets[channel.ID] = target
	}
	v.current.Store(next)
	return nil
}

func (v *View) ready(channel *catalog.Channel) (*Target, error) {
	p, ok := v.lookup(channel.Type)
	if !ok {
		return nil, fmt.Errorf("unknown type %q", channel.Type)
	}
	target := &Target{Provider: p}
	if channel.BaseURL != "" {
		base, err := url.Parse(channel.BaseURL)
		if err != nil {
			return nil, fmt.Errorf("base URL: %w", err)
		}
		for len(base.Path) > 0 && base.Path[len(base.Path)-1] == '/' {
			base.Path = base.Path[:len(base.Path)-1]
		}
		target.Base = base
	}
	for _, key := range channel.Keys {
		plain, err := v.opener.OpenKey(key)
		if err != nil {
			return nil, fmt.Errorf("unseal a credential: %w", err)
		}
		fingerprint := v.opener.Fingerprint(plain)
		target.Keys = append(target.Keys, Key{plain, key.Mask, fingerprint, channel.Disabled(fingerprint) != nil})
	}
	return target, nil
}

// Authorise returns the model and the terms it is priced by, or the one
// ModelNotFound problem for all that the bearer may not see.
func (c *Catalog) Authorise(bearer *token.Bearer, id string, now time.Time) (*catalog.Model, pricing.Terms, error) {
	model := c.Model(id)
	if model == nil || !permission.Visible(c.Snapshot, bearer, model, now) {
		return nil, pricing.Terms{}, problem.New(problem.ModelNotFound,
			"The model `%s` does not exist or you do not have access to it.", id).At("model")
	}
	terms, priced := c.Book.Terms(id, bearer.User.GroupID, now)
	if !priced { // a free model without a price
		terms = pricing.Free(bearer.User.GroupID)
	}
	return model, terms, nil
}

// Visible returns the models the bearer may use, in the order of their ids.
func (c *Catalog) Visible(bearer *token.Bearer, now time.Time) []*catalog.Model {
	var visible []*catalog.Model
	for _, model := range c.Models() {
		if permission.Visible(c.Snapshot, bearer, model, now) {
			visible = append(visible, model)
		}
	}
	return visible
}
