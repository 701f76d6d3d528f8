package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/storetest"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
)

func TestSearchingLists(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f, other := found(t, s, "acme"), found(t, s, "beta")
		for _, name := range []string{"Deploy_key", "deployXkey", "100% mine", "wow!", "Ünder"} {
			id := newID()
			need(s.Token.CreateToken(background, platform, tokendb.NewToken{
				Token: token.Token{ID: id, UserID: f.member.ID, Name: name, Mask: "sk-tg-abc…" + name[:2]}, Hash: hash(id),
			}))(t)
		}
		mine := f.tokens[f.member.ID]
		for _, row := range []struct {
			scope tenant.Scope
			words string
			want  string
		}{
			{f.asMe, "deploy", "deployXkey Deploy_key"}, {f.asMe, "DEPLOY_", "Deploy_key"}, {f.asMe, "0% m", "100% mine"}, {f.asMe, "%", "100% mine"},
			{f.asMe, "!", "wow!"}, {f.asMe, "Ünder", "Ünder"}, {f.asMe, "sk-tg-abc…wo", "wow!"}, {f.asMe, "sk-tg-abc", ""}, {f.asMe, mine.ID.String(), "ci"},
			{f.asMe, "' OR 1=1", ""}, {f.asMe, "?", ""}, {f.asMe, "\\", ""}, {f.asOwner, "ci", "ci ci ci"}, {other.asOwner, "deploy", ""}, {other.asOwner, mine.ID.String(), ""},
			{platform, "Deploy", "deployXkey Deploy_key"},
		} {
			var names []string
			for _, item := range need(s.Token.Tokens(background, row.scope, tokendb.Query{Page: page.Page{Search: row.words}}))(t).Items {
				names = append(names, item.Name)
			}
			equal(t, fmt.Sprintf("%q by %v", row.words, row.scope), strings.Join(names, " "), row.want)
		}
		one := need(s.Token.Tokens(background, f.asMe, tokendb.Query{Page: page.Page{Search: "deploy", Limit: 1}}))(t)
		two := need(s.Token.Tokens(background, f.asMe, tokendb.Query{Page: page.Page{Search: "deploy", Limit: 1, After: one.Next}}))(t)
		equal(t, "the second page", two.Items[0].Name, "Deploy_key")
		equal(t, "the end", two.Next, "")
		_, err := s.Token.Tokens(background, f.asMe, tokendb.Query{Page: page.Page{Search: strings.Repeat("x", 201)}})
		refuses(t, err, problem.InvalidType, "search")
		_, err = s.Catalog.Groups(background, platform, page.Page{Search: "x"})
		refuses(t, err, problem.InvalidType, "search")
		equal(t, "users", len(need(s.Identity.Users(background, f.asOwner, uuid.Nil, page.Page{Search: "MEMBER@"}))(t).Items), 1)
		equal(t, "users of all", len(need(s.Identity.Users(background, platform, uuid.Nil, page.Page{Search: "member@"}))(t).Items), 2)
		equal(t, "tenants", need(s.Identity.Tenants(background, platform, page.Page{Search: "ACM"}))(t).Items[0].ID, f.tenant.ID)
	})
}

func TestTokensByStatus(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := found(t, s, "acme")
		revoked, disabled := token.Revoked, token.Disabled
		need(s.Token.UpdateToken(background, platform, f.tokens[f.owner.ID].ID, tokendb.Patch{Status: &revoked}))(t)
		need(s.Token.UpdateToken(background, platform, f.tokens[f.admin.ID].ID, tokendb.Patch{Status: &disabled}))(t)
		for status, want := range map[token.Status]uuid.UUID{
			token.Enabled: f.tokens[f.member.ID].ID, token.Disabled: f.tokens[f.admin.ID].ID, token.Revoked: f.tokens[f.owner.ID].ID,
		} {
			listed := need(s.Token.Tokens(background, f.asOwner, tokendb.Query{Status: status, Page: page.Page{Search: "c"}}))(t).Items
			if len(listed) != 1 || listed[0].ID != want {
				t.Errorf("%s: %+v", status, listed)
			}
		}
	})
}

// A search among very many things examines some of them, and says where to go on.
func TestSearchIsBounded(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := found(t, s, "acme")
		const many = 12_000
		ok(t, store.ManyTokens(background, s, f.tokens[f.member.ID], many))
		first := need(s.Token.Tokens(background, f.asMe, tokendb.Query{Page: page.Page{Search: "1999"}}))(t) // 1999 and 11999
		equal(t, "the first page", len(first.Items), 1)
		equal(t, "its token", first.Items[0].Name, "token 11999")
		second := need(s.Token.Tokens(background, f.asMe, tokendb.Query{Page: page.Page{Search: "1999", After: first.Next}}))(t)
		equal(t, "the second page", len(second.Items), 1)
		equal(t, "its token", second.Items[0].Name, "token 1999")
		equal(t, "the end", second.Next, "")
	})
}
