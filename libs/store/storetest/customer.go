package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/identity"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
)

var background = context.Background()

// Platform is the scope of a program, which may do everything.
var Platform = tenant.SystemScope("test")

// NewID returns a new UUIDv7.
func NewID() uuid.UUID { return uuid.Must(uuid.NewV7()) }

// Customer is a tenant with a user of each role, a token of each user, a group, and the scopes of the users.
type Customer struct {
	Tenant                     tenant.Tenant
	Owner, Admin, Member       tenant.User
	Tokens                     map[uuid.UUID]token.Token // by user
	Group                      tenant.Group
	AsOwner, AsAdmin, AsMember tenant.Scope
}

// Hash returns the hash that the tests give to the token, session or key with the id.
func Hash(id uuid.UUID) (h [32]byte) {
	copy(h[:], id[:])
	return h
}

// NewCustomer creates a customer with a wallet of 10 USD and a new group. The token of each user is named "ci".
func NewCustomer(t testing.TB, s *store.Store, slug string) Customer {
	t.Helper()
	f := Customer{Tokens: map[uuid.UUID]token.Token{}}
	f.Group = Need(s.Catalog.CreateGroup(background, Platform, "group of "+slug, []string{"*"}))(t)
	f.Tenant = Need(s.Identity.CreateTenant(background, Platform,
		identity.NewTenant{Slug: slug, Name: slug, Quota: 10 * money.USD}))(t)
	user := func(role tenant.Role) tenant.User {
		return Need(s.Identity.CreateUser(background, Confirmed(Platform), identity.NewUser{
			TenantID: f.Tenant.ID, Email: fmt.Sprintf("%s@%s.example", role, slug), Role: role, GroupID: f.Group.ID,
			PasswordHash: "old",
		}))(t)
	}
	f.Owner, f.Admin, f.Member = user(tenant.Owner), user(tenant.Admin), user(tenant.Member)
	f.AsOwner, f.AsAdmin, f.AsMember = tenant.ScopeOf(f.Owner), tenant.ScopeOf(f.Admin), tenant.ScopeOf(f.Member)
	for _, u := range []tenant.User{f.Owner, f.Admin, f.Member} {
		f.Tokens[u.ID] = CreateToken(t, s, u)
	}
	return f
}

// CreateToken creates a token of the user.
func CreateToken(t testing.TB, s *store.Store, u tenant.User) token.Token {
	t.Helper()
	id := NewID()
	return Need(s.Token.CreateToken(background, Platform, tokendb.NewToken{
		Token: token.Token{ID: id, UserID: u.ID, Name: "ci", Mask: "sk-tg-…"}, Hash: Hash(id),
	}))(t)
}

// AddModel creates a model with a price and a channel that serves it.
func AddModel(t testing.TB, s *store.Store, id string) (catalog.Model, catalog.Channel) {
	t.Helper()
	model := Need(s.Catalog.CreateModel(background, Platform, catalog.Model{ID: id, OwnedBy: "acme"},
		pricing.Rates{ClassRates: pricing.ClassRates{Input: new(money.USD)}}))(t)
	return model, Need(s.Catalog.CreateChannel(background, Platform, catalog.Channel{
		Name: "channel of " + id, Type: "echo", BaseURL: "https://up.example/v1", Weight: 1,
		Credentials: []catalog.SealedSecret{{Sealed: []byte{0, 1, 255}, Mask: "sk-…"}},
		Dialects:    []catalog.Dialect{catalog.Chat}, Models: map[string]string{id: "up-" + id},
	}))(t)
}

// Call returns the event of a call with the token of the user, which cost quota.
func (f *Customer) Call(u tenant.User, model string, quota money.Amount) usage.Event {
	id := NewID()
	seconds, nanos := id.Time().UnixTime()
	return usage.Event{Log: usage.Log{
		ID: id, CreatedAt: time.Unix(seconds, nanos).UTC(), TenantID: f.Tenant.ID, UserID: u.ID,
		TokenID: f.Tokens[u.ID].ID,
		GroupID: f.Group.ID, Model: model, Dialect: "chat", Outcome: usage.Success, Status: 200,
		Quota: quota, Cost: quota,
		Client: -1 << 62, EndUser: "user-1", IgnoredFields: "tools[0],messages[2].name", Tags: `{"feature":"search","team":"a\"b"}`,
		Formula: 1, Usage: usage.Usage{Input: 3, CachedInput: 5, CacheWrite: 7, AudioInput: 11, Output: 13,
			Reasoning: 17, AudioOutput: 19,
			Details: usage.Details{CacheWrite1h: 6, ImageInput: 2, ImageOutput: 12, ServiceTier: "flex",
				Tools: usage.Tools{WebSearchCalls: 21, FileSearchCalls: 22, CodeInterpreterSessions: 23,
					ImageGenerationInput: 24, ImageGenerationImageInput: 25, ImageGenerationOutput: 26}}},
	}}
}

// Account returns the counters of an account.
func Account(t testing.TB, s *store.Store, id uuid.UUID) (used, leased money.Amount) {
	t.Helper()
	a := Need(s.Quota.Account(background, Platform, id))(t)
	return a.Used, a.Leased
}

// IDAt returns the UUIDv7 with the time t and the random bits of id.
func IDAt(id uuid.UUID, t time.Time) uuid.UUID {
	millis := t.UnixMilli()
	for i := range 6 {
		id[i] = byte(millis >> (40 - 8*i))
	}
	return id
}

// AsOperator creates an operator and returns the operator's scope.
func AsOperator(t *testing.T, s *store.Store) tenant.Scope {
	t.Helper()
	return tenant.ScopeOf(Need(s.Identity.CreateUser(background, Confirmed(Platform), identity.NewUser{
		Email: "operator@example.com", Role: tenant.Operator, PasswordHash: "x",
	}))(t))
}
