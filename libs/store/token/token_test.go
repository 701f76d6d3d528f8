package token_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/quota"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/identity"
	quotadb "github.com/tollgate/tollgate/libs/store/quota"
	"github.com/tollgate/tollgate/libs/store/storetest"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
)

func TestRevokePurpose_RevokesOnlyThatPurpose(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		made := func(u tenant.User) token.Token {
			id := storetest.NewID()
			return storetest.Need(s.Token.CreateToken(background, tenant.ScopeOf(u), tokendb.NewToken{
				Token: token.Token{ID: id, UserID: u.ID, Name: "Playground", Purpose: token.ForPlayground},
				Hash:  storetest.Hash(id),
			}))(t)
		}
		mine, again, others := made(f.Member), made(f.Member), made(f.Owner)
		storetest.OK(t, s.Token.RevokePurpose(background, f.AsMember, f.Member.ID, token.ForPlayground))
		for _, row := range []struct {
			what  string
			token token.Token
			want  token.Status
		}{
			{"a token for the playground", mine, token.Revoked},
			{"a second token for the playground", again, token.Revoked},
			{"another user's token for the playground", others, token.Enabled},
			{"a token for calls", f.Tokens[f.Member.ID], token.Enabled},
		} {
			found := storetest.Need(s.Token.Token(background, platform, row.token.ID))(t)
			storetest.Equal(t, "status of "+row.what, found.Status, row.want)
			storetest.Equal(t, "purpose of "+row.what, found.Purpose, row.token.Purpose)
		}
		id := storetest.NewID()
		_, err := s.Token.CreateToken(background, f.AsMember, tokendb.NewToken{
			Token: token.Token{ID: id, UserID: f.Member.ID, Name: "x", Purpose: "fun"}, Hash: storetest.Hash(id),
		})
		storetest.Refuses(t, err, problem.InvalidType, "purpose")
	})
}

func TestToken_CreateUpdateRevoke(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		id, until := storetest.NewID(), time.Now().Add(time.Hour).UTC().Truncate(time.Microsecond)
		addresses := storetest.Need(token.ParseAddresses([]string{"10.1.2.3/8", "2001:db8::1"}))(t)
		made := storetest.Need(s.Token.CreateToken(background, f.AsMember, tokendb.NewToken{
			Token: token.Token{
				ID: id, UserID: f.Member.ID, Name: "laptop", Mask: "sk-tg-abc…wxyz", Models: []string{"m1", "gpt-*"},
				Addresses: addresses, ExpiresAt: until,
			}, Hash: storetest.Hash(id), Cap: new(money.USD),
		}))(t)
		storetest.Equal(t, "tenant", made.TenantID, f.Tenant.ID)
		if got := storetest.Need(s.Token.Token(background, f.AsMember, id))(t); !reflect.DeepEqual(got, made) {
			t.Errorf("got token %+v, want %+v", got, made)
		}
		caller := storetest.Need(s.Token.Caller(background, platform, storetest.Hash(id)))(t)
		if want := (&token.Caller{Token: made, User: f.Member, Tenant: f.Tenant, Limits: []quota.Limit{
			{Owner: f.Tenant.ID, Kind: quota.Wallet}, {Owner: id, Kind: quota.TokenCap},
		}, Remaining: []quota.Remaining{{AccountID: f.Tenant.ID, Amount: 10 * money.USD},
			{AccountID: id, Amount: money.USD}}}); !reflect.DeepEqual(caller, want) {
			t.Errorf("got caller %+v, want %+v", caller, want)
		}
		storetest.Need(s.Identity.UpdateUser(background, storetest.Confirmed(f.AsOwner), f.Member.ID,
			identity.UserPatch{Cap: &quotadb.Cap{Amount: new(money.USD)}}))(t)
		changed := storetest.Need(s.Token.UpdateToken(background, f.AsMember, id, tokendb.Patch{
			Name: new("desk"), Models: &[]string{}, Addresses: &[]string{"192.0.2.7"}, ExpiresAt: &time.Time{},
			Status: new(token.Disabled), Cap: &quotadb.Cap{},
		}))(t)
		caller = storetest.Need(s.Token.Caller(background, platform, storetest.Hash(id)))(t)
		if want := (&token.Caller{Token: changed, User: f.Member, Tenant: f.Tenant, Limits: []quota.Limit{
			{Owner: f.Tenant.ID, Kind: quota.Wallet}, {Owner: f.Member.ID, Kind: quota.UserCap},
		}, Remaining: []quota.Remaining{{AccountID: f.Tenant.ID, Amount: 10 * money.USD},
			{AccountID: f.Member.ID, Amount: money.USD}}}); !reflect.DeepEqual(caller, want) {
			t.Errorf("got caller %+v, want %+v", caller, want)
		}
		storetest.Equal(t, "name", changed.Name, "desk")
		storetest.Equal(t, "never expires", changed.ExpiresAt.IsZero(), true)
		storetest.Equal(t, "address", fmt.Sprint(changed.Addresses), "[192.0.2.7/32]")
		for range 2 {
			storetest.Need(s.Token.UpdateToken(background, f.AsMember, id, tokendb.Patch{Status: new(token.Revoked)}))(
				t)
		}
		for _, p := range []tokendb.Patch{{Status: new(token.Enabled)}, {Name: new("x")}, {Cap: &quotadb.Cap{}}} {
			_, err := s.Token.UpdateToken(background, platform, id, p)
			storetest.Refuses(t, err, problem.Conflict, "")
		}
		storetest.Equal(t, "tokens listed to the member",
			len(storetest.Need(s.Token.Tokens(background, f.AsMember, tokendb.Query{}))(t).Items), 1)
		storetest.Equal(t, "tokens listed to the member with revoked ones",
			len(storetest.Need(s.Token.Tokens(background, f.AsMember, tokendb.Query{Revoked: true}))(t).Items), 2)
		storetest.Equal(t, "tokens listed to an admin",
			len(storetest.Need(s.Token.Tokens(background, f.AsAdmin, tokendb.Query{}))(t).Items), 3)
		_, err := s.Token.Caller(background, platform, storetest.Hash(storetest.NewID()))
		storetest.Refuses(t, err, problem.NotFound, "")
	})
}

// Revoked tokens are never deleted, so frequent rotations would fill the database with their lists.
func TestToken_HasNoListsWhenRevoked(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		addresses := storetest.Need(token.ParseAddresses([]string{"192.0.2.7"}))(t)
		create := func(n tokendb.NewToken) token.Token {
			n.ID = storetest.NewID()
			n.Hash = storetest.Hash(n.ID)
			return storetest.Need(s.Token.CreateToken(background, f.AsMember, n))(t)
		}
		limited := token.Token{UserID: f.Member.ID, Name: "x", Models: []string{"m1", "gpt-*"}, Addresses: addresses}
		current := create(tokendb.NewToken{Token: limited})
		const rotations = 20
		for range rotations {
			previous, _, err := s.Token.RetireToken(background, f.AsMember, current.ID)
			storetest.OK(t, err)
			previous.Status = token.Enabled
			current = create(tokendb.NewToken{Token: previous, Replaces: current.ID})
		}
		storetest.Equal(t, "lists after the rotations", fmt.Sprint(current.Models, current.Addresses),
			"[m1 gpt-*] [192.0.2.7/32]")
		revoked := create(tokendb.NewToken{Token: limited})
		revoked = storetest.Need(s.Token.UpdateToken(background, f.AsMember, revoked.ID,
			tokendb.Patch{Status: new(token.Revoked)}))(t)
		storetest.Equal(t, "lists of the answer", len(revoked.Models)+len(revoked.Addresses), 0)
		limited.Purpose = token.ForPlayground
		create(tokendb.NewToken{Token: limited})
		storetest.OK(t, s.Token.RevokePurpose(background, f.AsMember, f.Member.ID, token.ForPlayground))

		list := storetest.Need(s.Token.Tokens(background, f.AsMember, tokendb.Query{Status: token.Revoked}))(t).Items
		storetest.Equal(t, "revoked tokens", len(list), rotations+2)
		for _, r := range list {
			if len(r.Models)+len(r.Addresses) > 0 {
				t.Errorf("a revoked token has models %v and addresses %v, want none", r.Models, r.Addresses)
			}
			// Empty lists permit everything, but the status is checked before them.
			caller := storetest.Need(s.Token.Caller(background, platform, storetest.Hash(r.ID)))(t)
			if err := caller.Usable(time.Now()); !problem.Is(err, problem.InvalidToken) {
				t.Errorf("a revoked token: got %v, want it refused", err)
			}
		}
	})
}

// UserEmails has the same rules.
func TestTokenNames_ShowsOnlyTokensThatTheScopeMayRead(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		a, b := storetest.NewCustomer(t, s, "acme"), storetest.NewCustomer(t, s, "beta")
		storetest.Need(s.Token.UpdateToken(background, platform, a.Tokens[a.Member.ID].ID,
			tokendb.Patch{Status: new(token.Revoked)}))(t)
		var tokens, users []uuid.UUID
		for _, u := range []tenant.User{a.Owner, a.Admin, a.Member, b.Owner} {
			tokens, users = append(tokens, a.Tokens[u.ID].ID, b.Tokens[u.ID].ID), append(users, u.ID)
		}
		for _, row := range []struct {
			name  string
			scope tenant.Scope
			seen  int
		}{
			{"platform", platform, 4}, {"owner", a.AsOwner, 3}, {"admin", a.AsAdmin, 3}, {"member", a.AsMember, 1},
			{"another tenant's owner", b.AsOwner, 1},
		} {
			storetest.Equal(t, row.name+" sees tokens",
				len(storetest.Need(s.Token.TokenNames(background, row.scope, tokens))(t)), row.seen)
			storetest.Equal(t, row.name+" sees users",
				len(storetest.Need(s.Identity.UserEmails(background, row.scope, users))(t)), row.seen)
		}
		storetest.Equal(t, "token",
			storetest.Need(s.Token.TokenNames(background, a.AsMember, tokens))(t)[a.Tokens[a.Member.ID].ID], "ci")
		storetest.Equal(t, "user", storetest.Need(s.Identity.UserEmails(background, a.AsMember, users))(t)[a.Member.ID],
			a.Member.Email)
		storetest.Equal(t, "names for no ids", len(storetest.Need(s.Token.TokenNames(background, platform, nil))(t))+
			len(storetest.Need(s.Identity.UserEmails(background, platform, nil))(t)), 0)
	})
}
