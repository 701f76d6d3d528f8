package store_test

import (
	"context"
	"fmt"
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
	"github.com/tollgate/tollgate/libs/store/identity"
	"github.com/tollgate/tollgate/libs/store/storetest"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
)

var (
	background = context.Background()
	platform   = tenant.SystemScope("test") // the scope of a program, which may do everything
)

// need returns a function that returns value, or fails the test at once if err is not nil: need(f())(t) is
// the value of f.
func need[T any](value T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// ok fails the test at once if err is not nil.
func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// refuses checks that err is a problem of the kind at the field.
func refuses(t testing.TB, err error, kind problem.Kind, param string) {
	t.Helper()
	if !problem.Is(err, kind) || problem.From(err).Param != param {
		t.Errorf("got %v, want %s at %q", err, kind, param)
	}
}

// equal checks that got is want.
func equal[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func newID() uuid.UUID { return uuid.Must(uuid.NewV7()) }

// to returns a pointer to the value.
func to[T any](value T) *T { return &value }

// customer is a tenant with a user of each role, a token of each user, a group, and the scopes of the users.
type customer struct {
	tenant                     tenant.Tenant
	owner, admin, member       tenant.User
	tokens                     map[uuid.UUID]token.Token // by user
	group                      tenant.Group
	asOwner, asAdmin, asMember tenant.Scope // asMember: the member
}

// hash returns the hash that the tests give to the token, session or key with the id.
func hash(id uuid.UUID) (h [32]byte) {
	copy(h[:], id[:])
	return h
}

// newCustomer creates a customer with a wallet of 10 USD and a new group. The token of each user is named "ci".
func newCustomer(t testing.TB, s *store.Store, slug string) customer {
	t.Helper()
	f := customer{tokens: map[uuid.UUID]token.Token{}}
	f.group = need(s.Catalog.CreateGroup(background, platform, "group of "+slug, []string{"*"}))(t)
	f.tenant = need(s.Identity.CreateTenant(background, platform,
		identity.NewTenant{Slug: slug, Name: slug, Quota: 10 * money.USD}))(t)
	user := func(role tenant.Role) tenant.User {
		return need(s.Identity.CreateUser(background, storetest.Confirmed(platform), identity.NewUser{
			TenantID: f.tenant.ID, Email: fmt.Sprintf("%s@%s.example", role, slug), Role: role, GroupID: f.group.ID,
			PasswordHash: "old",
		}))(t)
	}
	f.owner, f.admin, f.member = user(tenant.Owner), user(tenant.Admin), user(tenant.Member)
	f.asOwner, f.asAdmin, f.asMember = tenant.ScopeOf(f.owner), tenant.ScopeOf(f.admin), tenant.ScopeOf(f.member)
	for _, u := range []tenant.User{f.owner, f.admin, f.member} {
		f.tokens[u.ID] = createToken(t, s, u)
	}
	return f
}

// createToken creates a token of the user.
func createToken(t testing.TB, s *store.Store, u tenant.User) token.Token {
	t.Helper()
	id := newID()
	return need(s.Token.CreateToken(background, platform, tokendb.NewToken{
		Token: token.Token{ID: id, UserID: u.ID, Name: "ci", Mask: "sk-tg-…"}, Hash: hash(id),
	}))(t)
}

// addModel creates a model with a price and a channel that serves it.
func addModel(t testing.TB, s *store.Store, id string) (catalog.Model, catalog.Channel) {
	t.Helper()
	model := need(s.Catalog.CreateModel(background, platform, catalog.Model{ID: id, OwnedBy: "acme"},
		pricing.Rates{ClassRates: pricing.ClassRates{Input: to(money.USD)}}))(t)
	return model, need(s.Catalog.CreateChannel(background, platform, catalog.Channel{
		Name: "channel of " + id, Type: "echo", BaseURL: "https://up.example/v1", Weight: 1,
		Credentials: []catalog.SealedSecret{{Sealed: []byte{0, 1, 255}, Mask: "sk-…"}},
		Dialects:    []catalog.Dialect{catalog.Chat}, Models: map[string]string{id: "up-" + id},
	}))(t)
}

// call returns the event of a call with the token of the user, which cost quota.
func (f *customer) call(u tenant.User, model string, quota money.Amount) usage.Event {
	id := newID()
	seconds, nanos := id.Time().UnixTime()
	return usage.Event{Log: usage.Log{
		ID: id, CreatedAt: time.Unix(seconds, nanos).UTC(), TenantID: f.tenant.ID, UserID: u.ID,
		TokenID: f.tokens[u.ID].ID,
		GroupID: f.group.ID, Model: model, Dialect: "chat", Outcome: usage.Success, Status: 200,
		Quota: quota, Cost: quota,
		EndUser: "user-1", IgnoredFields: "tools[0],messages[2].name", Tags: `{"feature":"search","team":"a\"b"}`,
		Formula: 1, Usage: usage.Usage{Input: 3, CachedInput: 5, CacheWrite: 7, AudioInput: 11, Output: 13,
			Reasoning: 17, AudioOutput: 19,
			Details: usage.Details{CacheWrite1h: 6, ImageInput: 2, ImageOutput: 12, ServiceTier: "flex",
				Tools: usage.Tools{WebSearchCalls: 21, FileSearchCalls: 22, CodeInterpreterSessions: 23,
					ImageGenerationInput: 24, ImageGenerationImageInput: 25, ImageGenerationOutput: 26}}},
	}}
}

// account returns the counters of an account.
func account(t testing.TB, s *store.Store, id uuid.UUID) (used, leased money.Amount) {
	t.Helper()
	a := need(s.Quota.Account(background, platform, id))(t)
	return a.Used, a.Leased
}
