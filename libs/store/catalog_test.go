package store_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/audit"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
	"github.com/tollgate/tollgate/libs/store/identity"
	"github.com/tollgate/tollgate/libs/store/metering"
	storepage "github.com/tollgate/tollgate/libs/store/page"
	quotadb "github.com/tollgate/tollgate/libs/store/quota"
	"github.com/tollgate/tollgate/libs/store/storetest"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
)

func TestCatalog_RefusesInvalidFields(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme")
		model, channel := addModel(t, s, "m1")
		_, second := addModel(t, s, "m2")
		free := need(s.Catalog.CreateModel(background, platform, catalog.Model{ID: "free", Free: true},
			pricing.Rates{}))(t)
		yesterday, usd, negative := time.Now().Add(-24*time.Hour), to(money.USD), to(money.Amount(-1))
		owned := f.tokens[f.member.ID]
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
				n.ID = newID()
			}
			_, err := s.Token.CreateToken(background, platform, n)
			return err
		}
		retoken := func(p tokendb.Patch) error {
			_, err := s.Token.UpdateToken(background, platform, owned.ID, p)
			return err
		}
		ofMember := token.Token{UserID: f.member.ID, Name: "x"}
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
			{"group renamed to a taken name", regroup(need(s.Catalog.CreateGroup(background, platform, "y", nil))(t).ID,
				catalogdb.GroupPatch{Name: to("group of acme")}), problem.Conflict, "name"},
			{"unknown group", regroup(newID(), catalogdb.GroupPatch{}), problem.NotFound, ""},
			{"group with an unknown status", regroup(f.group.ID, catalogdb.GroupPatch{Status: to(tenant.Status(""))}),
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
			{"free model that loses free without a price", remodel(free.ID, catalogdb.ModelPatch{Free: to(false)}),
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
			{"rule of an unknown group", rule(pricing.Rule{GroupID: newID()}), problem.InvalidType, "group_id"},
			{"rule of an unknown model", rule(pricing.Rule{GroupID: f.group.ID, Model: "x"}),
				problem.InvalidType, "model"},
			{"rule with a start in the past", rule(pricing.Rule{GroupID: f.group.ID, EffectiveFrom: yesterday}),
				problem.InvalidType, "effective_from"},
			{"rule with a negative multiplier", rule(pricing.Rule{GroupID: f.group.ID, Multiplier: -1}),
				problem.InvalidType, "multiplier"},
			{"rule with a negative price", rule(pricing.Rule{GroupID: f.group.ID, Fixed: negative}),
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
			{"unknown channel", rechannel(newID(), catalogdb.ChannelPatch{}), problem.NotFound, ""},
			{"token with a taken value", newToken(tokendb.NewToken{Token: ofMember, Hash: hash(owned.ID)}),
				problem.Conflict, "value"},
			{"token without a name",
				newToken(tokendb.NewToken{Token: token.Token{UserID: f.member.ID}, Hash: hash(newID())}),
				problem.InvalidType, "name"},
			{"token with a bad pattern",
				newToken(tokendb.NewToken{Token: token.Token{UserID: f.member.ID, Name: "x", Models: []string{""}},
					Hash: hash(newID())}), problem.InvalidType, "models"},
			{"token with a negative cap",
				newToken(tokendb.NewToken{Token: ofMember, Hash: hash(newID()), Cap: negative}),
				problem.InvalidType, "quota"},
			{"token of an unknown user", newToken(tokendb.NewToken{Token: token.Token{UserID: newID(), Name: "x"},
				Hash: hash(newID())}), problem.NotFound, ""},
			{"token with bad addresses", retoken(tokendb.Patch{Addresses: &[]string{"x"}}), problem.InvalidType,
				"addresses[0]"},
			{"token with an unknown status", retoken(tokendb.Patch{Status: to(token.Status("x"))}),
				problem.InvalidType, "status"},
		}
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) { refuses(t, c.err, c.kind, c.param) })
		}
	})
}

func TestModel_KeepsContextLengthAndModalities(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		want := catalog.Modalities{Input: []catalog.Modality{"text", "image"}, Output: []catalog.Modality{"text"}}
		made := need(s.Catalog.CreateModel(background, platform,
			catalog.Model{ID: "seeing", Free: true, ContextLength: 128_000, Modalities: want}, pricing.Rates{}))(t)
		read := need(s.Catalog.Snapshot(background, platform))(t).Model("seeing")
		if read == nil || !reflect.DeepEqual(*read, made) || made.ContextLength != 128_000 ||
			!reflect.DeepEqual(made.Modalities, want) {
			t.Fatalf("created %+v, read %+v", made, read)
		}
		changed := need(s.Catalog.UpdateModel(background, platform, "seeing",
			catalogdb.ModelPatch{ContextLength: to(int64(0)), InputModalities: new([]catalog.Modality)}))(t)
		if changed.ContextLength != 0 || len(changed.Modalities.Input) != 0 || len(changed.Modalities.Output) != 1 {
			t.Errorf("changed to %+v", changed)
		}
	})
}

func TestToken_CreateUpdateRevoke(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme")
		id, until := newID(), time.Now().Add(time.Hour).UTC().Truncate(time.Microsecond)
		addresses := need(token.ParseAddresses([]string{"10.1.2.3/8", "2001:db8::1"}))(t)
		made := need(s.Token.CreateToken(background, f.asMember, tokendb.NewToken{
			Token: token.Token{
				ID: id, UserID: f.member.ID, Name: "laptop", Mask: "sk-tg-abc…wxyz", Models: []string{"m1", "gpt-*"},
				Addresses: addresses, ExpiresAt: until,
			}, Hash: hash(id), Cap: to(money.USD),
		}))(t)
		equal(t, "tenant", made.TenantID, f.tenant.ID)
		if got := need(s.Token.Token(background, f.asMember, id))(t); !reflect.DeepEqual(got, made) {
			t.Errorf("got token %+v, want %+v", got, made)
		}
		caller := need(s.Token.Caller(background, platform, hash(id)))(t)
		if want := (&token.Caller{Token: made, User: f.member, Tenant: f.tenant, Limits: []quota.Limit{
			{Owner: f.tenant.ID, Kind: quota.Wallet}, {Owner: id, Kind: quota.TokenCap},
		}, Left: []quota.Left{{Account: f.tenant.ID, Amount: 10 * money.USD},
			{Account: id, Amount: money.USD}}}); !reflect.DeepEqual(caller, want) {
			t.Errorf("got caller %+v, want %+v", caller, want)
		}
		need(s.Identity.UpdateUser(background, storetest.Confirmed(f.asOwner), f.member.ID,
			identity.UserPatch{Cap: &quotadb.Cap{Amount: to(money.USD)}}))(t)
		changed := need(s.Token.UpdateToken(background, f.asMember, id, tokendb.Patch{
			Name: to("desk"), Models: &[]string{}, Addresses: &[]string{"192.0.2.7"}, ExpiresAt: &time.Time{},
			Status: to(token.Disabled), Cap: &quotadb.Cap{},
		}))(t)
		caller = need(s.Token.Caller(background, platform, hash(id)))(t)
		if want := (&token.Caller{Token: changed, User: f.member, Tenant: f.tenant, Limits: []quota.Limit{
			{Owner: f.tenant.ID, Kind: quota.Wallet}, {Owner: f.member.ID, Kind: quota.UserCap},
		}, Left: []quota.Left{{Account: f.tenant.ID, Amount: 10 * money.USD},
			{Account: f.member.ID, Amount: money.USD}}}); !reflect.DeepEqual(caller, want) {
			t.Errorf("got caller %+v, want %+v", caller, want)
		}
		equal(t, "name", changed.Name, "desk")
		equal(t, "never expires", changed.ExpiresAt.IsZero(), true)
		equal(t, "address", fmt.Sprint(changed.Addresses), "[192.0.2.7/32]")
		for range 2 {
			need(s.Token.UpdateToken(background, f.asMember, id, tokendb.Patch{Status: to(token.Revoked)}))(t)
		}
		for _, p := range []tokendb.Patch{{Status: to(token.Enabled)}, {Name: to("x")}, {Cap: &quotadb.Cap{}}} {
			_, err := s.Token.UpdateToken(background, platform, id, p)
			refuses(t, err, problem.Conflict, "")
		}
		equal(t, "tokens listed to the member",
			len(need(s.Token.Tokens(background, f.asMember, tokendb.Query{}))(t).Items), 1)
		equal(t, "tokens listed to the member with revoked ones",
			len(need(s.Token.Tokens(background, f.asMember, tokendb.Query{Revoked: true}))(t).Items), 2)
		equal(t, "tokens listed to an admin",
			len(need(s.Token.Tokens(background, f.asAdmin, tokendb.Query{}))(t).Items), 3)
		_, err := s.Token.Caller(background, platform, hash(newID()))
		refuses(t, err, problem.NotFound, "")
	})
}

func TestUpdateModel_RequiresAPriceUnlessFree(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		need(s.Catalog.CreateModel(background, platform, catalog.Model{ID: "free", Free: true},
			pricing.Rates{ClassRates: pricing.ClassRates{Input: to(money.Amount(0))}}))(t)
		equal(t, "prices of a free model",
			len(need(s.Catalog.Prices(background, platform, "free", storepage.Page{}))(t).Items), 0)
		later := time.Now().Add(time.Hour).UTC().Truncate(time.Microsecond)
		need(s.Catalog.CreatePrice(background, platform, pricing.Price{Model: "free",
			Rates: pricing.Rates{ClassRates: pricing.ClassRates{Request: to(money.USD)}}, EffectiveFrom: later}))(t)
		_, err := s.Catalog.UpdateModel(background, platform, "free", catalogdb.ModelPatch{Free: to(false)})
		refuses(t, err, problem.MissingParameter, "price")
		made :=
			need(s.Catalog.CreatePrice(background, platform,
				pricing.Price{Model: "free", Rates: pricing.Rates{ClassRates: pricing.ClassRates{
					Input: to(money.Amount(1)), CachedInput: to(money.Amount(2)), CacheWrite: to(money.Amount(3)),
					CacheWrite1h: to(money.Amount(9)), ImageInput: to(money.Amount(10)),
					ImageOutput: to(money.Amount(11)), AudioInput: to(money.Amount(4)),
					Output: to(money.Amount(5)), Reasoning: to(money.Amount(6)), AudioOutput: to(money.Amount(7)),
					Request: to(money.Amount(8)),
				}, Tiers: []pricing.Tier{{AboveInput: 9, ClassRates: pricing.ClassRates{Input: to(money.Amount(2))}}},
					ServiceTiers: map[string]pricing.ServiceTier{
						"flex": {Multiplier: to(2 * money.One)},
						"priority": {ClassRates: pricing.ClassRates{Input: to(money.Amount(4))},
							Tiers: []pricing.Tier{{AboveInput: 7,
								ClassRates: pricing.ClassRates{Output: to(money.Amount(2))}}}},
					}, Tools: pricing.Tools{WebSearch: to(money.Amount(12)),
						ImageGeneration: pricing.ImageGeneration{Output: to(money.Amount(13))}}}}))(t)
		need(s.Catalog.UpdateModel(background, platform, "free", catalogdb.ModelPatch{Free: to(false)}))(t)
		listed := need(s.Catalog.Prices(background, platform, "free", storepage.Page{}))(t).Items
		if len(listed) != 2 || !reflect.DeepEqual(listed[0], made) {
			t.Errorf("got prices %+v, want two, the first %+v", listed, made)
		}
	})
}

func TestAudit_RecordsChangesWithoutSecrets(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme")
		_, channel := addModel(t, s, "m1")
		need(s.Identity.UpdateUser(background, storetest.Confirmed(f.asOwner), f.member.ID,
			identity.UserPatch{PasswordHash: to("S3CRET"), Role: to(tenant.Admin)}))(t)
		need(s.Catalog.UpdateChannel(background, platform, channel.ID,
			catalogdb.ChannelPatch{Keys: &[]catalog.SealedSecret{{Sealed: []byte("S3CRET"), Mask: "S3CRET"}}}))(t)
		need(s.Token.UpdateToken(background, f.asMember, f.tokens[f.member.ID].ID,
			tokendb.Patch{Status: to(token.Revoked)}))(t)
		entries := need(s.Audit.List(background, platform, audit.Query{Page: storepage.Page{Limit: 200}}))(t).Items
		var actions []string
		for _, entry := range entries {
			actions = append(actions, entry.Action)
			if text := fmt.Sprint(entry); strings.Contains(text, "S3CRET") || strings.Contains(text, "old") {
				t.Errorf("the audit log shows a secret: %s", text)
			}
		}
		slices.Reverse(actions)
		equal(t, "actions", fmt.Sprint(actions),
			"[group.create quota.grant tenant.create user.create user.create user.create "+
				"token.create token.create token.create price.create model.create channel.create user.update "+
				"channel.update token.update]")
		last, user := entries[0], entries[2]
		equal(t, "actor", last.Actor, f.member.Email)
		equal(t, "tenant", last.TenantID, f.tenant.ID)
		equal(t, "target", last.Target, f.tokens[f.member.ID].ID.String())
		equal(t, "detail", fmt.Sprint(last.Detail), "map[status:revoked]")
		equal(t, "detail of a user", fmt.Sprint(user.Detail), "map[password:changed role:admin]")
	})
}

func TestAtomically_KeepsAllOrNothingAndNests(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		errRollback := errors.New("rollback")
		group := func(s *store.Store, name string) error {
			_, err := s.Catalog.CreateGroup(background, platform, name, nil)
			return err
		}
		names := func() (names []string) {
			for _, g := range need(s.Catalog.Groups(background, platform, storepage.Page{}))(t).Items {
				names = append(names, g.Name)
			}
			return names
		}
		err := s.Atomically(background, func(tx *store.Store) error {
			ok(t, group(tx, "a"))
			return errRollback
		})
		equal(t, "the error is returned", errors.Is(err, errRollback), true)
		equal(t, "groups after the rollback", len(names()), 0)
		equal(t, "announcements after the rollback", len(changes(t, s, 0)), 0)

		ok(t, s.Atomically(background, func(tx *store.Store) error {
			ok(t, group(tx, "a"))
			inner := tx.Atomically(background, func(tx *store.Store) error {
				ok(t, group(tx, "b"))
				return errRollback
			})
			equal(t, "the inner error is returned", errors.Is(inner, errRollback), true)
			refuses(t, group(tx, "a"), problem.Conflict, "name") // the transaction continues after the error
			equal(t, "groups seen inside",
				len(need(tx.Catalog.Groups(background, platform, storepage.Page{}))(t).Items), 1)
			return tx.Atomically(background, func(tx *store.Store) error { return group(tx, "c") })
		}))
		equal(t, "groups after the commit", fmt.Sprint(names()), "[a c]")
		equal(t, "announcements after the commit", len(changes(t, s, 0)), 1)

		func() {
			defer func() { _ = recover() }()
			_ = s.Atomically(background, func(tx *store.Store) error {
				ok(t, group(tx, "d"))
				panic("adapter")
			})
		}()
		equal(t, "groups after a panic", fmt.Sprint(names()), "[a c]")
	})
}

// A repeat in the same transaction records nothing.
func TestRecordEvents_WorksInsideATransaction(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme")
		one, two := f.call(f.member, "m1", 1), f.call(f.member, "m1", 2)
		ok(t, s.Atomically(background, func(tx *store.Store) error {
			equal(t, "events of the first call",
				need(tx.Metering.RecordEvents(background, platform, newID(), []usage.Event{one}))(t), 1)
			equal(t, "events of the second call",
				need(tx.Metering.RecordEvents(background, platform, newID(), []usage.Event{one, two}))(t), 1)
			return nil
		}))
		used, _ := account(t, s, f.tenant.ID)
		equal(t, "used", used, 3)
	})
}

func TestPages_CoverAListOnceWhileItGrows(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme")
		record := func() {
			need(s.Metering.RecordEvents(background, platform, newID(), []usage.Event{f.call(f.member, "m1", 1)}))(t)
		}
		for range 10 {
			record()
		}
		before := need(s.Metering.UsageLogs(background, platform, metering.LogQuery{}))(t).Items
		var paged []usage.Log
		query := metering.LogQuery{Page: storepage.Page{Limit: 3}}
		for pages := 0; ; pages++ {
			page := need(s.Metering.UsageLogs(background, platform, query))(t)
			paged = append(paged, page.Items...)
			record() // newer rows do not shift the later pages
			if query.After = page.Next; query.After == "" {
				equal(t, "pages", pages, 3)
				break
			}
		}
		if !reflect.DeepEqual(paged, before) {
			t.Errorf("got %d logs over all pages, want the %d of the list", len(paged), len(before))
		}
		for i := range 7 {
			need(s.Catalog.CreateModel(background, platform, catalog.Model{ID: fmt.Sprintf("m-%d", 6-i), Free: true},
				pricing.Rates{}))(t)
		}
		var models []string
		for page := (storepage.Page{Limit: 3}); ; {
			found := need(s.Catalog.Models(background, platform, page))(t)
			for _, model := range found.Items {
				models = append(models, model.ID)
			}
			if page.After = found.Next; page.After == "" {
				break
			}
		}
		equal(t, "models", fmt.Sprint(models), "[m-0 m-1 m-2 m-3 m-4 m-5 m-6]")
		for _, limit := range []int{-1, 201} {
			_, err := s.Identity.Tenants(background, platform, storepage.Page{Limit: limit})
			refuses(t, err, problem.InvalidType, "limit")
		}
		for _, after := range []string{"x", "%", "bm90IGEgdXVpZA", strings.Repeat("A", 5000)} {
			_, err := s.Metering.UsageLogs(background, f.asMember,
				metering.LogQuery{Page: storepage.Page{After: after}})
			refuses(t, err, problem.InvalidType, "after")
		}
	})
}

func TestUsageSummary_RefusesInvalidAndTooLargeQueries(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		for param, query := range map[string]metering.SummaryQuery{"bucket": {Bucket: "week"}, "by": {By: "colour"}} {
			_, err := s.Metering.UsageSummary(background, platform, query)
			refuses(t, err, problem.InvalidType, param)
		}
		_, err := s.Metering.UsageLogs(background, platform, metering.LogQuery{Outcome: "weird"})
		refuses(t, err, problem.InvalidType, "outcome")
		equal(t, "rows without usage",
			len(need(s.Metering.UsageSummary(background, platform, metering.SummaryQuery{}))(t)), 0)
		f := newCustomer(t, s, "acme")
		for part := range 11 {
			var events []usage.Event
			for i := range 1000 {
				events = append(events, f.call(f.member, fmt.Sprintf("m%d-%d", part, i), 1))
			}
			need(s.Metering.RecordEvents(background, platform, newID(), events))(t)
		}
		for _, step := range []struct{ waiting, drained int }{{10_000, 10_000}, {1000, 1000}, {0, 0}} {
			equal(t, "rows in the outbox", need(s.Rollup.OutboxDepth(background, platform))(t), step.waiting)
			equal(t, "drained rows", need(s.Rollup.DrainOutbox(background, platform, 0))(t), step.drained)
		}
		_, err = s.Metering.UsageSummary(background, platform, metering.SummaryQuery{By: metering.ByModel})
		refuses(t, err, problem.InvalidType, "from")
		equal(t, "requests of the ungrouped summary",
			need(s.Metering.UsageSummary(background, platform, metering.SummaryQuery{}))(t)[0].Requests, 11000)
	})
}
