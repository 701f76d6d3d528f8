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

func TestFieldsThatAreRefused(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := found(t, s, "acme")
		model, channel := sell(t, s, "m1")
		_, second := sell(t, s, "m2")
		free := need(s.Catalog.CreateModel(background, platform, catalog.Model{ID: "free", Free: true}, pricing.Rates{}))(t)
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
			{"tenant with a taken slug", newTenant(identity.NewTenant{Slug: "acme", Name: "x"}), problem.Conflict, "slug"},
			{"tenant with a bad slug", newTenant(identity.NewTenant{Slug: "A b", Name: "x"}), problem.InvalidType, "slug"},
			{"tenant without a name", newTenant(identity.NewTenant{Slug: "x"}), problem.InvalidType, "name"},
			{"tenant with negative quota", newTenant(identity.NewTenant{Slug: "x", Name: "x", Quota: -1}), problem.InvalidType, "quota"},
			{"group with a taken name", group("group of acme"), problem.Conflict, "name"},
			{"group with a bad pattern", group("x", "*x"), problem.InvalidType, "models"},
			{"group renamed to a taken name", regroup(need(s.Catalog.CreateGroup(background, platform, "y", nil))(t).ID, catalogdb.GroupPatch{Name: to("group of acme")}), problem.Conflict, "name"},
			{"group that is not there", regroup(newID(), catalogdb.GroupPatch{}), problem.NotFound, ""},
			{"group of no status", regroup(f.group.ID, catalogdb.GroupPatch{Status: to(tenant.Status(""))}), problem.InvalidType, "status"},
			{"model with a taken id", newModel(catalog.Model{ID: model.ID}, pricing.Rates{Input: usd}), problem.Conflict, "id"},
			{"model with a bad id", newModel(catalog.Model{ID: "a b"}, pricing.Rates{Input: usd}), problem.InvalidType, "id"},
			{"model without a price", newModel(catalog.Model{ID: "x"}, pricing.Rates{}), problem.MissingParameter, "price"},
			{"model with a negative price", newModel(catalog.Model{ID: "x", Free: true}, pricing.Rates{Input: negative}), problem.InvalidType, "price.input"},
			{"model with negative output", newModel(catalog.Model{ID: "x", MaxOutput: -1}, pricing.Rates{Input: usd}), problem.InvalidType, "max_output"},
			{"free model that becomes dear without a price", remodel(free.ID, catalogdb.ModelPatch{Free: to(false)}), problem.MissingParameter, "price"},
			{"model that is not there", remodel("x", catalogdb.ModelPatch{}), problem.NotFound, ""},
			{"price of an unknown model", price(pricing.Price{Model: "x", Rates: pricing.Rates{Input: usd}}), problem.InvalidType, "model"},
			{"price of the past", price(pricing.Price{Model: "m1", EffectiveFrom: yesterday, Rates: pricing.Rates{Input: usd}}), problem.InvalidType, "effective_from"},
			{"price of nothing", price(pricing.Price{Model: "m1"}), problem.MissingParameter, "price"},
			{"rule of an unknown group", rule(pricing.Rule{GroupID: newID()}), problem.InvalidType, "group_id"},
			{"rule of an unknown model", rule(pricing.Rule{GroupID: f.group.ID, Model: "x"}), problem.InvalidType, "model"},
			{"rule of the past", rule(pricing.Rule{GroupID: f.group.ID, EffectiveFrom: yesterday}), problem.InvalidType, "effective_from"},
			{"rule with a negative multiplier", rule(pricing.Rule{GroupID: f.group.ID, Multiplier: -1}), problem.InvalidType, "multiplier"},
			{"rule with a negative price", rule(pricing.Rule{GroupID: f.group.ID, Fixed: negative}), problem.InvalidType, "fixed"},
			{"channel with a taken name", newChannel(func(c *catalog.Channel) { c.Name = channel.Name }), problem.Conflict, "name"},
			{"channel without a type", newChannel(func(c *catalog.Channel) { c.Type = "" }), problem.MissingParameter, "type"},
			{"channel without models", newChannel(func(c *catalog.Channel) { c.Models = nil }), problem.MissingParameter, "models"},
			{"channel without weight", newChannel(func(c *catalog.Channel) { c.Weight = 0 }), problem.InvalidType, "weight"},
			{"channel with a NUL", newChannel(func(c *catalog.Channel) { c.Models = map[string]string{"m1": "\x00"} }), problem.InvalidType, "models"},
			{"channel renamed to a taken name", rechannel(second.ID, catalogdb.ChannelPatch{Name: &channel.Name}), problem.Conflict, "name"},
			{"channel that is not there", rechannel(newID(), catalogdb.ChannelPatch{}), problem.NotFound, ""},
			{"token with a taken value", newToken(tokendb.NewToken{Token: ofMember, Hash: hash(owned.ID)}), problem.Conflict, "value"},
			{"token without a name", newToken(tokendb.NewToken{Token: token.Token{UserID: f.member.ID}, Hash: hash(newID())}), problem.InvalidType, "name"},
			{"token with a bad pattern", newToken(tokendb.NewToken{Token: token.Token{UserID: f.member.ID, Name: "x", Models: []string{""}}, Hash: hash(newID())}), problem.InvalidType, "models"},
			{"token with a negative cap", newToken(tokendb.NewToken{Token: ofMember, Hash: hash(newID()), Cap: negative}), problem.InvalidType, "quota"},
			{"token of nobody", newToken(tokendb.NewToken{Token: token.Token{UserID: newID(), Name: "x"}, Hash: hash(newID())}), problem.NotFound, ""},
			{"token with bad addresses", retoken(tokendb.Patch{Addresses: &[]string{"x"}}), problem.InvalidType, "addresses[0]"},
			{"token of no status", retoken(tokendb.Patch{Status: to(token.Status("x"))}), problem.InvalidType, "status"},
		}
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) { refuses(t, c.err, c.kind, c.param) })
		}
	})
}

func TestTokens(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := found(t, s, "acme")
		id, until := newID(), time.Now().Add(time.Hour).UTC().Truncate(time.Microsecond)
		addresses := need(token.ParseAddresses([]string{"10.1.2.3/8", "2001:db8::1"}))(t)
		made := need(s.Token.CreateToken(background, f.asMe, tokendb.NewToken{
			Token: token.Token{
				ID: id, UserID: f.member.ID, Name: "laptop", Mask: "sk-tg-abc…wxyz", Models: []string{"m1", "gpt-*"},
				Addresses: addresses, ExpiresAt: until,
			}, Hash: hash(id), Cap: to(money.USD),
		}))(t)
		equal(t, "tenant", made.TenantID, f.tenant.ID)
		if got := need(s.Token.Token(background, f.asMe, id))(t); !reflect.DeepEqual(got, made) {
			t.Errorf("got %+v, want %+v", got, made)
		}
		bearer := need(s.Token.Caller(background, platform, hash(id)))(t)
		if want := (&token.Caller{Token: made, User: f.member, Tenant: f.tenant, Limits: []quota.Limit{
			{Owner: f.tenant.ID, Kind: quota.Wallet}, {Owner: id, Kind: quota.TokenCap},
		}}); !reflect.DeepEqual(bearer, want) {
			t.Errorf("got %+v, want %+v", bearer, want)
		}
		need(s.Identity.UpdateUser(background, f.asOwner, f.member.ID, identity.UserPatch{Cap: &quotadb.Cap{Amount: to(money.USD)}}))(t)
		changed := need(s.Token.UpdateToken(background, f.asMe, id, tokendb.Patch{
			Name: to("desk"), Models: &[]string{}, Addresses: &[]string{"192.0.2.7"}, ExpiresAt: &time.Time{},
			Status: to(token.Disabled), Cap: &quotadb.Cap{},
		}))(t)
		bearer = need(s.Token.Caller(background, platform, hash(id)))(t)
		if want := (&token.Caller{Token: changed, User: f.member, Tenant: f.tenant, Limits: []quota.Limit{
			{Owner: f.tenant.ID, Kind: quota.Wallet}, {Owner: f.member.ID, Kind: quota.UserCap},
		}}); !reflect.DeepEqual(bearer, want) {
			t.Errorf("got %+v, want %+v", bearer, want)
		}
		equal(t, "name", changed.Name, "desk")
		equal(t, "never expires", changed.ExpiresAt.IsZero(), true)
		equal(t, "address", fmt.Sprint(changed.Addresses), "[192.0.2.7/32]")
		for range 2 {
			need(s.Token.UpdateToken(background, f.asMe, id, tokendb.Patch{Status: to(token.Revoked)}))(t)
		}
		for _, p := range []tokendb.Patch{{Status: to(token.Enabled)}, {Name: to("x")}, {Cap: &quotadb.Cap{}}} {
			_, err := s.Token.UpdateToken(background, platform, id, p)
			refuses(t, err, problem.Conflict, "")
		}
		equal(t, "listed", len(need(s.Token.Tokens(background, f.asMe, tokendb.Query{}))(t).Items), 1)
		equal(t, "listed with the revoked", len(need(s.Token.Tokens(background, f.asMe, tokendb.Query{Revoked: true}))(t).Items), 2)
		equal(t, "listed to an admin", len(need(s.Token.Tokens(background, f.asAdmin, tokendb.Query{}))(t).Items), 3)
		_, err := s.Token.Caller(background, platform, hash(newID()))
		refuses(t, err, problem.NotFound, "")
	})
}

func TestFreeModelsAndPrices(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		need(s.Catalog.CreateModel(background, platform, catalog.Model{ID: "free", Free: true}, pricing.Rates{Input: to(money.Amount(0))}))(t)
		equal(t, "prices of a free model", len(need(s.Catalog.Prices(background, platform, "free", storepage.Page{}))(t).Items), 0)
		later := time.Now().Add(time.Hour).UTC().Truncate(time.Microsecond)
		need(s.Catalog.CreatePrice(background, platform, pricing.Price{Model: "free", Rates: pricing.Rates{Request: to(money.USD)}, EffectiveFrom: later}))(t)
		_, err := s.Catalog.UpdateModel(background, platform, "free", catalogdb.ModelPatch{Free: to(false)})
		refuses(t, err, problem.MissingParameter, "price")
		made := need(s.Catalog.CreatePrice(background, platform, pricing.Price{Model: "free", Rates: pricing.Rates{
			Input: to(money.Amount(1)), CachedInput: to(money.Amount(2)), CacheWrite: to(money.Amount(3)), AudioInput: to(money.Amount(4)),
			Output: to(money.Amount(5)), Reasoning: to(money.Amount(6)), AudioOutput: to(money.Amount(7)), Request: to(money.Amount(8)),
		}}))(t)
		need(s.Catalog.UpdateModel(background, platform, "free", catalogdb.ModelPatch{Free: to(false)}))(t)
		listed := need(s.Catalog.Prices(background, platform, "free", storepage.Page{}))(t).Items
		if len(listed) != 2 || !reflect.DeepEqual(listed[0], made) {
			t.Errorf("got %+v, want first %+v", listed, made)
		}
	})
}

// What people change is in the audit log, without secrets.
func TestAudit(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := found(t, s, "acme")
		_, channel := sell(t, s, "m1")
		need(s.Identity.UpdateUser(background, f.asOwner, f.member.ID, identity.UserPatch{PasswordHash: to("S3CRET"), Role: to(tenant.Admin)}))(t)
		need(s.Catalog.UpdateChannel(background, platform, channel.ID, catalogdb.ChannelPatch{Keys: &[]catalog.SealedSecret{{Sealed: []byte("S3CRET"), Mask: "S3CRET"}}}))(t)
		need(s.Token.UpdateToken(background, f.asMe, f.tokens[f.member.ID].ID, tokendb.Patch{Status: to(token.Revoked)}))(t)
		entries := need(s.Audit.List(background, platform, audit.Query{Page: storepage.Page{Limit: 200}}))(t).Items
		var actions []string
		for _, entry := range entries {
			actions = append(actions, entry.Action)
			if text := fmt.Sprint(entry); strings.Contains(text, "S3CRET") || strings.Contains(text, "old") {
				t.Errorf("a secret in %s", text)
			}
		}
		slices.Reverse(actions)
		equal(t, "actions", fmt.Sprint(actions), "[group.create quota.grant tenant.create user.create user.create user.create "+
			"token.create token.create token.create price.create model.create channel.create user.update channel.update token.update]")
		last, user := entries[0], entries[2]
		equal(t, "actor", last.Actor, f.member.Email)
		equal(t, "tenant", last.TenantID, f.tenant.ID)
		equal(t, "target", last.Target, f.tokens[f.member.ID].ID.String())
		equal(t, "detail", fmt.Sprint(last.Detail), "map[status:revoked]")
		equal(t, "detail of a user", fmt.Sprint(user.Detail), "map[password:changed role:admin]")
	})
}

func TestAtomically(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		undone := errors.New("undone")
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
			return undone
		})
		equal(t, "error", errors.Is(err, undone), true)
		equal(t, "nothing kept", len(names()), 0)
		equal(t, "nothing announced", len(changes(t, s, 0)), 0)

		ok(t, s.Atomically(background, func(tx *store.Store) error {
			ok(t, group(tx, "a"))
			inner := tx.Atomically(background, func(tx *store.Store) error {
				ok(t, group(tx, "b"))
				return undone
			})
			equal(t, "inner error", errors.Is(inner, undone), true)
			refuses(t, group(tx, "a"), problem.Conflict, "name") // and the transaction goes on
			equal(t, "seen inside", len(need(tx.Catalog.Groups(background, platform, storepage.Page{}))(t).Items), 1)
			return tx.Atomically(background, func(tx *store.Store) error { return group(tx, "c") })
		}))
		equal(t, "kept", fmt.Sprint(names()), "[a c]")
		equal(t, "announced once", len(changes(t, s, 0)), 1)

		func() {
			defer func() { _ = recover() }()
			_ = s.Atomically(background, func(tx *store.Store) error {
				ok(t, group(tx, "d"))
				panic("adapter")
			})
		}()
		equal(t, "after a panic", fmt.Sprint(names()), "[a c]")
	})
}

// Events are recorded inside a transaction like outside, twice in one too.
func TestEventsInsideATransaction(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := found(t, s, "acme")
		one, two := f.call(f.member, "m1", 1), f.call(f.member, "m1", 2)
		ok(t, s.Atomically(background, func(tx *store.Store) error {
			equal(t, "first", need(tx.Metering.RecordEvents(background, platform, newID(), []usage.Event{one}))(t), 1)
			equal(t, "second", need(tx.Metering.RecordEvents(background, platform, newID(), []usage.Event{one, two}))(t), 1)
			return nil
		}))
		used, _ := account(t, s, f.tenant.ID)
		equal(t, "used", used, 3)
	})
}

func TestPages(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := found(t, s, "acme")
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
			record() // what comes meanwhile moves nothing
			if query.After = page.Next; query.After == "" {
				equal(t, "pages", pages, 3)
				break
			}
		}
		if !reflect.DeepEqual(paged, before) {
			t.Errorf("paged %d logs, want %d", len(paged), len(before))
		}
		for i := range 7 {
			need(s.Catalog.CreateModel(background, platform, catalog.Model{ID: fmt.Sprintf("m-%d", 6-i), Free: true}, pricing.Rates{}))(t)
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
			_, err := s.Metering.UsageLogs(background, f.asMe, metering.LogQuery{Page: storepage.Page{After: after}})
			refuses(t, err, problem.InvalidType, "after")
		}
	})
}

func TestSummaryRefuses(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		for param, query := range map[string]metering.SummaryQuery{"bucket": {Bucket: "week"}, "by": {By: "colour"}} {
			_, err := s.Metering.UsageSummary(background, platform, query)
			refuses(t, err, problem.InvalidType, param)
		}
		_, err := s.Metering.UsageLogs(background, platform, metering.LogQuery{Outcome: "weird"})
		refuses(t, err, problem.InvalidType, "outcome")
		equal(t, "nothing used", len(need(s.Metering.UsageSummary(background, platform, metering.SummaryQuery{}))(t)), 0)
		f := found(t, s, "acme")
		for part := range 11 {
			var events []usage.Event
			for i := range 1000 {
				events = append(events, f.call(f.member, fmt.Sprintf("m%d-%d", part, i), 1))
			}
			need(s.Metering.RecordEvents(background, platform, newID(), events))(t)
		}
		for _, step := range []struct{ waiting, drained int }{{10_000, 10_000}, {1000, 1000}, {0, 0}} {
			equal(t, "waiting", need(s.Rollup.OutboxDepth(background, platform))(t), step.waiting)
			equal(t, "drained", need(s.Rollup.DrainOutbox(background, platform, 0))(t), step.drained)
		}
		_, err = s.Metering.UsageSummary(background, platform, metering.SummaryQuery{By: metering.ByModel})
		refuses(t, err, problem.InvalidType, "from")
		equal(t, "in one", need(s.Metering.UsageSummary(background, platform, metering.SummaryQuery{}))(t)[0].Requests, 11000)
	})
}
