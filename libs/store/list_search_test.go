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

func TestSearch_FindsByPartOfTheName(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f, other := newCustomer(t, s, "acme"), newCustomer(t, s, "beta")
		for _, name := range []string{"Deploy_key", "deployXkey", "100% mine", "wow!", "Ünder"} {
			id := newID()
			need(s.Token.CreateToken(background, platform, tokendb.NewToken{
				Token: token.Token{ID: id, UserID: f.member.ID, Name: name, Mask: "sk-tg-abc…" + name[:2]},
				Hash:  hash(id),
			}))(t)
		}
		mine := f.tokens[f.member.ID]
		for _, row := range []struct {
			scope tenant.Scope
			words string
			want  string
		}{
			{f.asMember, "deploy", "deployXkey Deploy_key"}, {f.asMember, "DEPLOY_", "Deploy_key"},
			{f.asMember, "0% m", "100% mine"}, {f.asMember, "%", "100% mine"},
			{f.asMember, "!", "wow!"}, {f.asMember, "Ünder", "Ünder"}, {f.asMember, "sk-tg-abc…wo", "wow!"},
			{f.asMember, "sk-tg-abc", ""}, {f.asMember, mine.ID.String(), "ci"},
			{f.asMember, "' OR 1=1", ""}, {f.asMember, "?", ""}, {f.asMember, "\\", ""}, {f.asOwner, "ci", "ci ci ci"},
			{other.asOwner, "deploy", ""}, {other.asOwner, mine.ID.String(), ""},
			{platform, "Deploy", "deployXkey Deploy_key"},
		} {
			var names []string
			for _, item := range need(s.Token.Tokens(background, row.scope,
				tokendb.Query{Page: page.Page{Search: row.words}}))(t).Items {
				names = append(names, item.Name)
			}
			equal(t, fmt.Sprintf("tokens found for %q by %v", row.words, row.scope), strings.Join(names, " "), row.want)
		}
		one := need(s.Token.Tokens(background, f.asMember, tokendb.Query{Page: page.Page{Search: "deploy", Limit: 1}}))(
			t)
		two := need(s.Token.Tokens(background, f.asMember,
			tokendb.Query{Page: page.Page{Search: "deploy", Limit: 1, After: one.Next}}))(t)
		equal(t, "token on the second page", two.Items[0].Name, "Deploy_key")
		equal(t, "cursor after the second page", two.Next, "")
		_, err := s.Token.Tokens(background, f.asMember,
			tokendb.Query{Page: page.Page{Search: strings.Repeat("x", 201)}})
		refuses(t, err, problem.InvalidType, "search")
		_, err = s.Catalog.Groups(background, platform, page.Page{Search: "x"})
		refuses(t, err, problem.InvalidType, "search")
		equal(t, "users found by an owner",
			len(need(s.Identity.Users(background, f.asOwner, uuid.Nil, page.Page{Search: "MEMBER@"}))(t).Items), 1)
		equal(t, "users found by the platform",
			len(need(s.Identity.Users(background, platform, uuid.Nil, page.Page{Search: "member@"}))(t).Items), 2)
		equal(t, "tenant found",
			need(s.Identity.Tenants(background, platform, page.Page{Search: "ACM"}))(t).Items[0].ID, f.tenant.ID)
	})
}

func TestTokens_FiltersByStatus(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme")
		revoked, disabled := token.Revoked, token.Disabled
		need(s.Token.UpdateToken(background, platform, f.tokens[f.owner.ID].ID, tokendb.Patch{Status: &revoked}))(t)
		need(s.Token.UpdateToken(background, platform, f.tokens[f.admin.ID].ID, tokendb.Patch{Status: &disabled}))(t)
		for status, want := range map[token.Status]uuid.UUID{
			token.Enabled: f.tokens[f.member.ID].ID, token.Disabled: f.tokens[f.admin.ID].ID,
			token.Revoked: f.tokens[f.owner.ID].ID,
		} {
			listed := need(s.Token.Tokens(background, f.asOwner,
				tokendb.Query{Status: status, Page: page.Page{Search: "c"}}))(t).Items
			if len(listed) != 1 || listed[0].ID != want {
				t.Errorf("%s: got tokens %+v, want %s alone", status, listed, want)
			}
		}
	})
}

// A page of a search may end early with a cursor.
func TestSearch_ExaminesABoundedNumberPerPage(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme")
		const many = 12_000
		ok(t, store.ManyTokens(background, s, f.tokens[f.member.ID], many))
		// The names of two tokens contain it, 1999 and 11999.
		first := need(s.Token.Tokens(background, f.asMember, tokendb.Query{Page: page.Page{Search: "1999"}}))(t)
		equal(t, "tokens on the first page", len(first.Items), 1)
		equal(t, "token on the first page", first.Items[0].Name, "token 11999")
		second := need(s.Token.Tokens(background, f.asMember,
			tokendb.Query{Page: page.Page{Search: "1999", After: first.Next}}))(t)
		equal(t, "tokens on the second page", len(second.Items), 1)
		equal(t, "token on the second page", second.Items[0].Name, "token 1999")
		equal(t, "cursor after the second page", second.Next, "")
	})
}
