package store_test

import (
	"context"
	"time"

	"github.com/tollgate/tollgate/libs/store/storetest"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/tenant"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/erase"
	storepage "github.com/tollgate/tollgate/libs/store/page"
)

// catalogCalls returns calls of the methods on groups, models, prices and channels, for the tests of isolation.
func (w isolation) catalogCalls() map[string]call {
	s, a, id, page := w.s, w.acme, storetest.NewID(), storepage.Page{}
	return map[string]call{
		"CreateGroup": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Catalog.CreateGroup(ctx, by, "x", nil)
			return true, err
		}},
		"UpdateGroup": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Catalog.UpdateGroup(ctx, by, a.Group.ID, catalogdb.GroupPatch{Name: new("x")})
			return true, err
		}},
		"Groups": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Catalog.Groups(ctx, by, page)
			return true, err
		}},
		"CreateModel": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Catalog.CreateModel(ctx, by, catalog.Model{ID: "x", Free: true}, pricing.Rates{})
			return true, err
		}},
		"UpdateModel": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Catalog.UpdateModel(ctx, by, "m1", catalogdb.ModelPatch{OwnedBy: new("x")})
			return true, err
		}},
		"Models": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Catalog.Models(ctx, by, page)
			return true, err
		}},
		"CreatePrice": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Catalog.CreatePrice(ctx, by, pricing.Price{Model: "m1"})
			return true, err
		}},
		"Prices": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Catalog.Prices(ctx, by, "m1", page)
			return true, err
		}},
		"CreateRule": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Catalog.CreateRule(ctx, by, pricing.Rule{GroupID: a.Group.ID})
			return true, err
		}},
		"CreatePrices": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Catalog.CreatePrices(ctx, by, time.Time{}, []catalogdb.PlannedPrice{{Model: "m1"}})
			return true, err
		}},
		"WithdrawPrice": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Catalog.WithdrawPrice(ctx, by, id)
			return true, err
		}},
		"CreateChannelCost": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Catalog.CreateChannelCost(ctx, by, pricing.ChannelCost{ChannelID: id, UpstreamModel: "up-m1",
				Factor: 900_000_000, Rates: pricing.Rates{ClassRates: pricing.ClassRates{Input: new(money.USD)}}})
			return true, err
		}},
		"ChannelCosts": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Catalog.ChannelCosts(ctx, by, id, page)
			return true, err
		}},
		"ChannelCost": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Catalog.ChannelCost(ctx, by, id)
			return true, err
		}},
		"WithdrawChannelCost": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Catalog.WithdrawChannelCost(ctx, by, id)
			return true, err
		}},
		"WithdrawRule": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Catalog.WithdrawRule(ctx, by, id)
			return true, err
		}},
		"Rules": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Catalog.Rules(ctx, by, catalogdb.RuleQuery{GroupID: a.Group.ID}, page)
			return true, err
		}},
		"CreateChannel": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Catalog.CreateChannel(ctx, by, catalog.Channel{Name: "x", Type: "echo", Weight: 1,
				Dialects: []catalog.Dialect{"chat"}, Models: map[string]string{"m1": "x"}})
			return true, err
		}},
		"UpdateChannel": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Catalog.UpdateChannel(ctx, by, id, catalogdb.ChannelPatch{Name: new("x")})
			return true, err
		}},
		"Channel": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Catalog.Channel(ctx, by, id)
			return true, err
		}},
		"Channels": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Catalog.Channels(ctx, by, nil, page)
			return true, err
		}},
		"ChannelNames": {none, func(ctx context.Context, by tenant.Scope) (bool, error) {
			names, err := s.Metering.ChannelNames(ctx, by, []uuid.UUID{id})
			return len(names) > 0, err
		}},
		"Snapshot": {verdicts{empty, empty, empty, allowed, allowed,
			denied}, func(ctx context.Context, by tenant.Scope) (bool, error) {
			snapshot, err := s.Catalog.Snapshot(ctx, by)
			return err == nil && snapshot.Group(a.Group.ID) != nil, err
		}},
		"Changes": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, _, _, err := s.Changes(ctx, by, db.Change{}, 0)
			return true, err
		}},
		"Listen": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			return true, s.Listen(ctx, by, func() {})
		}},
		"Sweep": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			return true, s.Sweep(ctx, by)
		}},
		"Erase.Users": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Erase.Users(ctx, by, a.Owner.Email)
			return true, err
		}},
		"Erase.User": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Erase.User(ctx, by, a.Owner.ID, erase.Request{})
			return true, err
		}},
		"Erase.Tenant": {onlyPlatform, func(ctx context.Context, by tenant.Scope) (bool, error) {
			_, err := s.Erase.Tenant(ctx, by, a.Tenant.ID, erase.Request{}, func(erase.Erased) {})
			return true, err
		}},
	}
}
