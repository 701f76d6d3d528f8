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

func TestPurposesAreRevokedByThemselves(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := found(t, s, "acme")
		made := func(u tenant.User) token.Token {
			id := newID()
			return need(s.Token.CreateToken(background, tenant.ScopeOf(u), tokendb.NewToken{
				Token: token.Token{ID: id, UserID: u.ID, Name: "Playground", Purpose: token.ForPlayground}, Hash: hash(id),
			}))(t)
		}
		mine, again, others := made(f.member), made(f.member), made(f.owner)
		ok(t, s.Token.RevokePurpose(background, f.asMe, f.member.ID, token.ForPlayground))
		for _, row := range []struct {
			what  string
			token token.Token
			want  token.Status
		}{
			{"a token for the playground", mine, token.Revoked}, {"another of them", again, token.Revoked},
			{"another user's", others, token.Enabled}, {"one for calls", f.tokens[f.member.ID], token.Enabled},
		} {
			found := need(s.Token.Token(background, platform, row.token.ID))(t)
			equal(t, row.what, found.Status, row.want)
			equal(t, row.what, found.Purpose, row.token.Purpose)
		}
		id := newID()
		_, err := s.Token.CreateToken(background, f.asMe, tokendb.NewToken{
			Token: token.Token{ID: id, UserID: f.member.ID, Name: "x", Purpose: "fun"}, Hash: hash(id),
		})
		refuses(t, err, problem.InvalidType, "purpose")
	})
}
