// Package snapshot joins groups, models, prices and channels into one immutable, indexed copy, as they were at one
// version of the change feed. A relay takes one Snapshot for each request, so all decisions about the request
// (visibility, price, routing) see the same data. The console uses snapshots to answer the same questions.
package snapshot

import (
	"cmp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

// Snapshot is an immutable copy of groups, models, prices and channels. It is
// safe for concurrent use.
type Snapshot struct {
	Version int64 // version of the change feed at which the data was read
	Book    *pricing.Book
	Costs   *pricing.CostBook // what the upstreams of channels charge; nil for tenants, who may not see it

	groups   map[uuid.UUID]*tenant.Group
	models   map[string]*catalog.Model
	sorted   []*catalog.Model // by id
	channels map[uuid.UUID]*catalog.Channel
	serving  map[string][]*catalog.Channel // enabled channels by public model, lowest priority number first
}

// New returns a snapshot of the given data, which a store read at one version. It keeps the slices; the caller must
// not change them afterwards.
func New(version int64, groups []tenant.Group, models []catalog.Model, channels []catalog.Channel,
	book *pricing.Book) *Snapshot {
	s := &Snapshot{
		Version: version, Book: book,
		groups:   make(map[uuid.UUID]*tenant.Group, len(groups)),
		models:   make(map[string]*catalog.Model, len(models)),
		channels: make(map[uuid.UUID]*catalog.Channel, len(channels)),
		serving:  map[string][]*catalog.Channel{},
	}
	for i := range groups {
		s.groups[groups[i].ID] = &groups[i]
	}
	for i := range models {
		s.models[models[i].ID] = &models[i]
		s.sorted = append(s.sorted, &models[i])
	}
	slices.SortFunc(s.sorted, func(a, b *catalog.Model) int { return strings.Compare(a.ID, b.ID) })
	for i := range channels {
		channel := &channels[i]
		s.channels[channel.ID] = channel
		if channel.Status != tenant.Enabled {
			continue
		}
		for model := range channel.Models {
			s.serving[model] = append(s.serving[model], channel)
		}
	}
	for _, list := range s.serving {
		slices.SortFunc(list, func(a, b *catalog.Channel) int {
			return cmp.Or(cmp.Compare(a.Priority, b.Priority), slices.Compare(a.ID[:], b.ID[:]))
		})
	}
	return s
}

// Group returns the group with the id, or nil if it does not exist.
func (s *Snapshot) Group(id uuid.UUID) *tenant.Group { return s.groups[id] }

// Model returns the model with the public id, or nil if it does not exist. It may be disabled.
func (s *Snapshot) Model(id string) *catalog.Model { return s.models[id] }

// Models returns all models, including disabled ones, sorted by id. The caller must not change the slice.
func (s *Snapshot) Models() []*catalog.Model { return s.sorted }

// Channels returns all channels, including disabled ones, in no particular order.
func (s *Snapshot) Channels() []*catalog.Channel {
	channels := make([]*catalog.Channel, 0, len(s.channels))
	for _, channel := range s.channels {
		channels = append(channels, channel)
	}
	return channels
}

// Channel returns the channel with the id, or nil if it does not exist. It may be disabled.
func (s *Snapshot) Channel(id uuid.UUID) *catalog.Channel { return s.channels[id] }

// MarksIDs reports whether the relay must mark the ids that the channel's upstream gives. A mark says which tenant may
// use the id, and at which channel. Ids need no mark if the account belongs to one tenant that has no other account of
// its own: calls of other tenants do not reach the account, and an id without a mark can belong to no other account.
func (s *Snapshot) MarksIDs(c *catalog.Channel) bool {
	if c.Settings.AccountOf == "" {
		return true
	}
	for _, channel := range s.channels {
		if channel.ID != c.ID && channel.Settings.AccountOf == c.Settings.AccountOf {
			return true
		}
	}
	return false
}

// Serving returns the enabled channels that serve the model, sorted by priority and then by id. The caller must not
// change the slice.
func (s *Snapshot) Serving(model string) []*catalog.Channel { return s.serving[model] }

// ServingTo returns the channels of Serving without those whose account belongs to another tenant than the one with the
// slug. The caller must not change the slice. Without such channels it allocates nothing.
func (s *Snapshot) ServingTo(tenant, model string) []*catalog.Channel {
	serving := s.serving[model]
	isClosed := func(c *catalog.Channel) bool { return !c.OpenTo(tenant) }
	if !slices.ContainsFunc(serving, isClosed) {
		return serving
	}
	return slices.DeleteFunc(slices.Clone(serving), isClosed)
}

// Serves reports whether ServingTo returns a channel.
func (s *Snapshot) Serves(tenant, model string) bool {
	return slices.ContainsFunc(s.serving[model], func(c *catalog.Channel) bool { return c.OpenTo(tenant) })
}
