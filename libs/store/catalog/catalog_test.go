package catalog_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
	"github.com/tollgate/tollgate/libs/store/identity"
	storepage "github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/storetest"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
)

func TestCatalog_RefusesInvalidFields(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		model, channel := storetest.AddModel(t, s, "m1")
		_, second := storetest.AddModel(t, s, "m2")
		free := storetest.Need(s.Catalog.CreateModel(background, platform, catalog.Model{ID: "free", Free: true},
			pricing.Rates{}))(t)
		yesterday, usd, negative := time.Now().Add(-24*time.Hour), new(money.USD), new(money.Amount(-1))
		owned := f.Tokens[f.Member.ID]
		newTenant := func(n identity.NewTenant) error {
			_, err := s.Identity.CreateTenant(background, platform, n)
			return err
		}
		group := func(name string, models ...string) error {
			_, err := s.Catalog.CreateGroup(background, platform, name, models)
			return err
		}
		regroup := func(id uuid.UUID, p catalogdb.GroupPatch) error {
			_, err := s.Catalog.UpdateGroup(background, platform, id, p)
			return err
		}
		newModel := func(m catalog.Model, r pricing.Rates) error {
			_, err := s.Catalog.CreateModel(background, platform, m, r)
			return err
		}
		remodel := func(id string, p catalogdb.ModelPatch) error {
			_, err := s.Catalog.UpdateModel(background, platform, id, p)
			return err
		}
		price := func(p pricing.Price) error { _, err := s.Catalog.CreatePrice(background, platform, p); return err }
		rule := func(r pricing.Rule) error { _, err := s.Catalog.CreateRule(background, platform, r); return err }
		newChannel := func(change func(*catalog.Channel)) error {
			c := channel
			c.Name = "new"
			change(&c)
			_, err := s.Catalog.CreateChannel(background, platform, c)
			return err
		}
		rechannel := func(id uuid.UUID, p catalogdb.ChannelPatch) error {
			_, err := s.Catalog.UpdateChannel(background, platform, id, p)
			return err
		}
		newToken := func(n tokendb.NewToken) error {
			if n.ID == uuid.Nil {
				n.ID = storetest.NewID()
			}
			_, err := s.Token.CreateToken(background, platform, n)
			return err
		}
		retoken := func(p tokendb.Patch) error {
			_, err := s.Token.UpdateToken(background, platform, owned.ID, p)
			return err
		}
		ofMember := token.Token{UserID: f.Member.ID, Name: "x"}
		cases := []struct {
			name  string
			err   error
			kind  problem.Kind
			param string
		}{
			{"tenant with a taken slug", newTenant(identity.NewTenant{Slug: "acme", Name: "x"}),
				problem.Conflict, "slug"},
			{"tenant with a bad slug", newTenant(identity.NewTenant{Slug: "A b", Name: "x"}),
				problem.InvalidType, "slug"},
			{"tenant without a name", newTenant(identity.NewTenant{Slug: "x"}), problem.InvalidType, "name"},
			{"tenant with negative quota", newTenant(identity.NewTenant{Slug: "x", Name: "x", Quota: -1}),
				problem.InvalidType, "quota"},
			{"group with a taken name", group("group of acme"), problem.Conflict, "name"},
			{"group with a bad pattern", group("x", "*x"), problem.InvalidType, "models"},
			{"group renamed to a taken name",
				regroup(storetest.Need(s.Catalog.CreateGroup(background, platform, "y", nil))(t).ID,
					catalogdb.GroupPatch{Name: new("group of acme")}), problem.Conflict, "name"},
			{"unknown group", regroup(storetest.NewID(), catalogdb.GroupPatch{}), problem.NotFound, ""},
			{"group with an unknown status", regroup(f.Group.ID, catalogdb.GroupPatch{Status: new(tenant.Status(""))}),
				problem.InvalidType, "status"},
			{"model with a taken id", newModel(catalog.Model{ID: model.ID},
				pricing.Rates{ClassRates: pricing.ClassRates{Input: usd}}), problem.Conflict, "id"},
			{"model with a bad id", newModel(catalog.Model{ID: "a b"},
				pricing.Rates{ClassRates: pricing.ClassRates{Input: usd}}), problem.InvalidType, "id"},
			{"model without a price", newModel(catalog.Model{ID: "x"}, pricing.Rates{}),
				problem.MissingParameter, "price"},
			{"model with a negative price", newModel(catalog.Model{ID: "x", Free: true},
				pricing.Rates{ClassRates: pricing.ClassRates{Input: negative}}), problem.InvalidType, "price.input"},
			{"model with negative output", newModel(catalog.Model{ID: "x", MaxOutput: -1},
				pricing.Rates{ClassRates: pricing.ClassRates{Input: usd}}), problem.InvalidType, "max_output"},
			{"model with a negative context", newModel(catalog.Model{ID: "x", Free: true, ContextLength: -1},
				pricing.Rates{}), problem.InvalidType, "context_length"},
			{"model with an unknown modality",
				newModel(catalog.Model{ID: "x", Free: true,
					Modalities: catalog.Modalities{Output: []catalog.Modality{"smell"}}}, pricing.Rates{}),
				problem.InvalidType, "modalities.output"},
			{"model that reads text twice",
				remodel(free.ID, catalogdb.ModelPatch{InputModalities: &[]catalog.Modality{"text", "text"}}),
				problem.InvalidType, "modalities.input"},
			{"free model that loses free without a price", remodel(free.ID, catalogdb.ModelPatch{Free: new(false)}),
				problem.MissingParameter, "price"},
			{"unknown model", remodel("x", catalogdb.ModelPatch{}), problem.NotFound, ""},
			{"price of an unknown model",
				price(pricing.Price{Model: "x", Rates: pricing.Rates{ClassRates: pricing.ClassRates{Input: usd}}}),
				problem.InvalidType, "model"},
			{"price with a start in the past",
				price(pricing.Price{Model: "m1", EffectiveFrom: yesterday,
					Rates: pricing.Rates{ClassRates: pricing.ClassRates{Input: usd}}}), problem.InvalidType,
				"effective_from"},
			{"price without rates", price(pricing.Price{Model: "m1"}), problem.MissingParameter, "price"},
			{"rule of an unknown group", rule(pricing.Rule{GroupID: storetest.NewID()}),
				problem.InvalidType, "group_id"},
			{"rule of an unknown model", rule(pricing.Rule{GroupID: f.Group.ID, Model: "x"}),
				problem.InvalidType, "model"},
			{"rule with a start in the past", rule(pricing.Rule{GroupID: f.Group.ID, EffectiveFrom: yesterday}),
				problem.InvalidType, "effective_from"},
			{"rule with a negative multiplier", rule(pricing.Rule{GroupID: f.Group.ID, Multiplier: -1}),
				problem.InvalidType, "multiplier"},
			{"rule with a negative price", rule(pricing.Rule{GroupID: f.Group.ID, Fixed: negative}),
				problem.InvalidType, "fixed"},
			{"channel with a taken name", newChannel(func(c *catalog.Channel) { c.Name = channel.Name }),
				problem.Conflict, "name"},
			{"channel without a type", newChannel(func(c *catalog.Channel) { c.Type = "" }),
				problem.MissingParameter, "type"},
			{"channel without models", newChannel(func(c *catalog.Channel) { c.Models = nil }),
				problem.MissingParameter, "models"},
			{"channel without weight", newChannel(func(c *catalog.Channel) { c.Weight = 0 }),
				problem.InvalidType, "weight"},
			{"channel with a NUL", newChannel(func(c *catalog.Channel) { c.Models = map[string]string{"m1": "\x00"} }),
				problem.InvalidType, "models"},
			{"channel renamed to a taken name", rechannel(second.ID, catalogdb.ChannelPatch{Name: &channel.Name}),
				problem.Conflict, "name"},
			{"unknown channel", rechannel(storetest.NewID(), catalogdb.ChannelPatch{}), problem.NotFound, ""},
			{"token with a taken value", newToken(tokendb.NewToken{Token: ofMember, Hash: storetest.Hash(owned.ID)}),
				problem.Conflict, "value"},
			{"token without a name",
				newToken(tokendb.NewToken{Token: token.Token{UserID: f.Member.ID},
					Hash: storetest.Hash(storetest.NewID())}), problem.InvalidType, "name"},
			{"token with a bad pattern",
				newToken(tokendb.NewToken{Token: token.Token{UserID: f.Member.ID, Name: "x", Models: []string{""}},
					Hash: storetest.Hash(storetest.NewID())}), problem.InvalidType, "models"},
			{"token with a negative cap",
				newToken(tokendb.NewToken{Token: ofMember, Hash: storetest.Hash(storetest.NewID()), Cap: negative}),
				problem.InvalidType, "quota"},
			{"token of an unknown user",
				newToken(tokendb.NewToken{Token: token.Token{UserID: storetest.NewID(), Name: "x"},
					Hash: storetest.Hash(storetest.NewID())}), problem.NotFound, ""},
			{"token with bad addresses", retoken(tokendb.Patch{Addresses: &[]string{"x"}}), problem.InvalidType,
				"addresses[0]"},
			{"token with an unknown status", retoken(tokendb.Patch{Status: new(token.Status("x"))}),
				problem.InvalidType, "status"},
		}
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) { storetest.Refuses(t, c.err, c.kind, c.param) })
		}
	})
}

func TestModel_KeepsContextLengthAndModalities(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		want := catalog.Modalities{Input: []catalog.Modality{"text", "image"}, Output: []catalog.Modality{"text"}}
		made := storetest.Need(s.Catalog.CreateModel(background, platform,
			catalog.Model{ID: "seeing", Free: true, ContextLength: 128_000, Modalities: want}, pricing.Rates{}))(t)
		read := storetest.Need(s.Catalog.Snapshot(background, platform))(t).Model("seeing")
		if read == nil || !reflect.DeepEqual(*read, made) || made.ContextLength != 128_000 ||
			!reflect.DeepEqual(made.Modalities, want) {
			t.Fatalf("created %+v, read %+v", made, read)
		}
		changed := storetest.Need(s.Catalog.UpdateModel(background, platform, "seeing",
			catalogdb.ModelPatch{ContextLength: new(int64(0)), InputModalities: new([]catalog.Modality)}))(t)
		if changed.ContextLength != 0 || len(changed.Modalities.Input) != 0 || len(changed.Modalities.Output) != 1 {
			t.Errorf("changed to %+v", changed)
		}
	})
}

func TestUpdateModel_RequiresAPriceUnlessFree(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		storetest.Need(s.Catalog.CreateModel(background, platform, catalog.Model{ID: "free", Free: true},
			pricing.Rates{ClassRates: pricing.ClassRates{Input: new(money.Amount(0))}}))(t)
		storetest.Equal(t, "prices of a free model",
			len(storetest.Need(s.Catalog.Prices(background, platform, "free", storepage.Page{}))(t).Items), 0)
		later := time.Now().Add(time.Hour).UTC().Truncate(time.Microsecond)
		storetest.Need(s.Catalog.CreatePrice(background, platform, pricing.Price{Model: "free",
			Rates: pricing.Rates{ClassRates: pricing.ClassRates{Request: new(money.USD)}}, EffectiveFrom: later}))(t)
		_, err := s.Catalog.UpdateModel(background, platform, "free", catalogdb.ModelPatch{Free: new(false)})
		storetest.Refuses(t, err, problem.MissingParameter, "price")
		made := storetest.Need(s.Catalog.CreatePrice(background, platform,
			pricing.Price{Model: "free", Rates: pricing.Rates{ClassRates: pricing.ClassRates{
				Input: new(money.Amount(1)), CachedInput: new(money.Amount(2)), CacheWrite: new(money.Amount(3)),
				CacheWrite1h: new(money.Amount(9)), ImageInput: new(money.Amount(10)),
				ImageOutput: new(money.Amount(11)), AudioInput: new(money.Amount(4)),
				Output: new(money.Amount(5)), Reasoning: new(money.Amount(6)), AudioOutput: new(money.Amount(7)),
				Request: new(money.Amount(8)),
			}, Tiers: []pricing.Tier{{AboveInput: 9, ClassRates: pricing.ClassRates{Input: new(money.Amount(2))}}},
				ServiceTiers: map[string]pricing.ServiceTier{
					"flex": {Multiplier: new(2 * money.One)},
					"priority": {ClassRates: pricing.ClassRates{Input: new(money.Amount(4))},
						Tiers: []pricing.Tier{{AboveInput: 7,
							ClassRates: pricing.ClassRates{Output: new(money.Amount(2))}}}},
				}, Tools: pricing.Tools{WebSearch: new(money.Amount(12)),
					ImageGeneration: pricing.ImageGeneration{Output: new(money.Amount(13))}}}}))(t)
		storetest.Need(s.Catalog.UpdateModel(background, platform, "free", catalogdb.ModelPatch{Free: new(false)}))(t)
		listed := storetest.Need(s.Catalog.Prices(background, platform, "free", storepage.Page{}))(t).Items
		if len(listed) != 2 || !reflect.DeepEqual(listed[0], made) {
			t.Errorf("got prices %+v, want two, the first %+v", listed, made)
		}
	})
}

func TestChannelNames_ShowsOnlyChannelsThatServedTheTenant(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		a, b := storetest.NewCustomer(t, s, "acme"), storetest.NewCustomer(t, s, "beta")
		_, served := storetest.AddModel(t, s, "m1")
		_, idle := storetest.AddModel(t, s, "m2")
		event := a.Call(a.Member, "m1", 1)
		event.ChannelID = served.ID
		storetest.Need(s.Metering.RecordEvents(background, platform, storetest.NewID(), []usage.Event{event}))(t)
		ids := []uuid.UUID{served.ID, idle.ID, storetest.NewID()}
		for range 2 { // from the outbox, then from the rollups
			storetest.Equal(t, "platform", len(storetest.Need(s.Metering.ChannelNames(background, platform, ids))(t)),
				2)
			storetest.Equal(t, "member",
				storetest.Need(s.Metering.ChannelNames(background, a.AsMember, ids))(t)[served.ID], served.Name)
			storetest.Equal(t, "admin", len(storetest.Need(s.Metering.ChannelNames(background, a.AsAdmin, ids))(t)), 1)
			storetest.Equal(t, "another tenant",
				len(storetest.Need(s.Metering.ChannelNames(background, b.AsOwner, ids))(t)), 0)
			storetest.Drain(t, s)
		}
	})
}

func TestSnapshot_HidesPlatformDataFromTenants(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		a, b := storetest.NewCustomer(t, s, "acme"), storetest.NewCustomer(t, s, "beta")
		_, channel := storetest.AddModel(t, s, "m1")
		storetest.Need(s.Catalog.CreateRule(background, platform, pricing.Rule{GroupID: b.Group.ID, Multiplier: 2}))(t)
		whole := storetest.Need(s.Catalog.Snapshot(background, platform))(t)
		if got := whole.Channel(channel.ID); !reflect.DeepEqual(*got, channel) {
			t.Errorf("got %+v, want %+v", got, channel)
		}
		shown := storetest.Need(s.Catalog.Snapshot(background, a.AsMember))(t)
		got := shown.Channel(channel.ID)
		if got.BaseURL != "" || got.Credentials != nil || got.Models["m1"] != "" || len(shown.Serving("m1")) != 1 {
			t.Errorf("got channel %+v in the snapshot of a tenant, want no base URL, credentials or upstream models",
				got)
		}
		storetest.Equal(t, "the snapshot has the own group", shown.Group(a.Group.ID) != nil, true)
		storetest.Equal(t, "the snapshot has the group of another tenant", shown.Group(b.Group.ID) != nil, false)
		terms, priced := shown.Book.Terms("m1", b.Group.ID, time.Now())
		storetest.Equal(t, "priced", priced, true)
		storetest.Equal(t, "multiplier of another group", terms.Rule.Multiplier, money.One)
		storetest.Equal(t, "version", whole.Version, shown.Version)
		storetest.Need(s.Catalog.UpdateChannel(background, platform, channel.ID,
			catalogdb.ChannelPatch{Models: &map[string]string{"m1": "x"}}))(t)
		later := storetest.Need(s.Catalog.Snapshot(background, platform))(t)
		storetest.Equal(t, "version after a change", later.Version, whole.Version+1)
		if got, want := later.Model("m1"), storetest.Need(s.Catalog.Snapshot(background, platform))(t).
			Model("m1"); !reflect.DeepEqual(got, want) {
			t.Errorf("model after the change: got %+v, want %+v", got, want)
		}
	})
}
