package store_test

import (
	"testing"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/storetest"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
)

func TestRevokePurpose_RevokesOnlyThatPurpose(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme")
		made := func(u tenant.User) token.Token {
			id := newID()
			return need(s.Token.CreateToken(background, tenant.ScopeOf(u), tokendb.NewToken{
				Token: token.Token{ID: id, UserID: u.ID, Name: "Playground", Purpose: token.ForPlayground},
				Hash:  hash(id),
			}))(t)
		}
		mine, again, others := made(f.member), made(f.member), made(f.owner)
		ok(t, s.Token.RevokePurpose(background, f.asMember, f.member.ID, token.ForPlayground))
		for _, row := range []struct {
			what  string
			token token.Token
			want  token.Status
		}{
			{"a token for the playground", mine, token.Revoked},
			{"a second token for the playground", again, token.Revoked},
			{"another user's token for the playground", others, token.Enabled},
			{"a token for calls", f.tokens[f.member.ID], token.Enabled},
		} {
			found := need(s.Token.Token(background, platform, row.token.ID))(t)
			equal(t, "status of "+row.what, found.Status, row.want)
			equal(t, "purpose of "+row.what, found.Purpose, row.token.Purpose)
		}
		id := newID()
		_, err := s.Token.CreateToken(background, f.asMember, tokendb.NewToken{
			Token: token.Token{ID: id, UserID: f.member.ID, Name: "x", Purpose: "fun"}, Hash: hash(id),
		})
		refuses(t, err, problem.InvalidType, "purpose")
	})
}
