package store_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/identity"
	"github.com/tollgate/tollgate/libs/store/metering"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/storetest"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
)

func TestSearch_FindsByPartOfTheName(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f, other := storetest.NewCustomer(t, s, "acme"), storetest.NewCustomer(t, s, "beta")
		for _, name := range []string{"Deploy_key", "deployXkey", "100% mine", "wow!", "Ünder"} {
			id := storetest.NewID()
			storetest.Need(s.Token.CreateToken(background, platform, tokendb.NewToken{
				Token: token.Token{ID: id, UserID: f.Member.ID, Name: name, Mask: "sk-tg-abc…" + name[:2]},
				Hash:  storetest.Hash(id),
			}))(t)
		}
		mine := f.Tokens[f.Member.ID]
		for _, row := range []struct {
			scope tenant.Scope
			words string
			want  string
		}{
			{f.AsMember, "deploy", "deployXkey Deploy_key"}, {f.AsMember, "DEPLOY_", "Deploy_key"},
			{f.AsMember, "0% m", "100% mine"}, {f.AsMember, "%", "100% mine"},
			{f.AsMember, "!", "wow!"}, {f.AsMember, "Ünder", "Ünder"}, {f.AsMember, "sk-tg-abc…wo", "wow!"},
			{f.AsMember, "sk-tg-abc", ""}, {f.AsMember, mine.ID.String(), "ci"},
			{f.AsMember, "' OR 1=1", ""}, {f.AsMember, "?", ""}, {f.AsMember, "\\", ""}, {f.AsOwner, "ci", "ci ci ci"},
			{other.AsOwner, "deploy", ""}, {other.AsOwner, mine.ID.String(), ""},
			{platform, "Deploy", "deployXkey Deploy_key"},
		} {
			var names []string
			for _, item := range storetest.Need(s.Token.Tokens(background, row.scope,
				tokendb.Query{Page: page.Page{Search: row.words}}))(t).Items {
				names = append(names, item.Name)
			}
			storetest.Equal(t, fmt.Sprintf("tokens found for %q by %v", row.words, row.scope),
				strings.Join(names, " "), row.want)
		}
		one := storetest.Need(s.Token.Tokens(background, f.AsMember,
			tokendb.Query{Page: page.Page{Search: "deploy", Limit: 1}}))(t)
		two := storetest.Need(s.Token.Tokens(background, f.AsMember,
			tokendb.Query{Page: page.Page{Search: "deploy", Limit: 1, After: one.Next}}))(t)
		storetest.Equal(t, "token on the second page", two.Items[0].Name, "Deploy_key")
		storetest.Equal(t, "cursor after the second page", two.Next, "")
		_, err := s.Token.Tokens(background, f.AsMember,
			tokendb.Query{Page: page.Page{Search: strings.Repeat("x", 201)}})
		storetest.Refuses(t, err, problem.InvalidType, "search")
		_, err = s.Catalog.Groups(background, platform, page.Page{Search: "x"})
		storetest.Refuses(t, err, problem.InvalidType, "search")
		storetest.Equal(t, "users found by an owner",
			len(storetest.Need(s.Identity.Users(background, f.AsOwner, identity.UserFilter{},
				page.Page{Search: "MEMBER@"}))(t).Items), 1)
		storetest.Equal(t, "users found by the platform",
			len(storetest.Need(s.Identity.Users(background, platform, identity.UserFilter{},
				page.Page{Search: "member@"}))(t).Items), 2)
		storetest.Equal(t, "tenant found",
			storetest.Need(s.Identity.Tenants(background, platform, page.Page{Search: "ACM"}))(t).Items[0].ID,
			f.Tenant.ID)
	})
}

func TestUsers_FiltersByRole(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		storetest.NewCustomer(t, s, "globex")
		storetest.Need(s.Identity.CreateUser(background, storetest.Confirmed(platform),
			identity.NewUser{Email: "op@x.example", Role: tenant.Operator}))(t)
		for _, row := range []struct {
			scope  tenant.Scope
			filter identity.UserFilter
			want   string
		}{
			{platform, identity.UserFilter{Role: tenant.Operator}, "op@x.example"},
			{platform, identity.UserFilter{Role: tenant.Owner, TenantID: f.Tenant.ID}, f.Owner.Email},
			{platform, identity.UserFilter{Role: tenant.Operator, TenantID: f.Tenant.ID}, ""},
			{f.AsOwner, identity.UserFilter{Role: tenant.Operator}, ""},
			{f.AsOwner, identity.UserFilter{Role: tenant.Owner}, f.Owner.Email},
		} {
			var found []string
			for _, user := range storetest.Need(s.Identity.Users(background, row.scope, row.filter,
				page.Page{Search: "@"}))(t).Items {
				found = append(found, user.Email)
			}
			storetest.Equal(t, fmt.Sprintf("users found for %+v by %v", row.filter, row.scope),
				strings.Join(found, " "), row.want)
		}
	})
}

func TestTokens_FiltersByStatus(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		revoked, disabled := token.Revoked, token.Disabled
		storetest.Need(s.Token.UpdateToken(background, platform, f.Tokens[f.Owner.ID].ID,
			tokendb.Patch{Status: &revoked}))(t)
		storetest.Need(s.Token.UpdateToken(background, platform, f.Tokens[f.Admin.ID].ID,
			tokendb.Patch{Status: &disabled}))(t)
		for status, want := range map[token.Status]uuid.UUID{
			token.Enabled: f.Tokens[f.Member.ID].ID, token.Disabled: f.Tokens[f.Admin.ID].ID,
			token.Revoked: f.Tokens[f.Owner.ID].ID,
		} {
			listed := storetest.Need(s.Token.Tokens(background, f.AsOwner,
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
		f := storetest.NewCustomer(t, s, "acme")
		const many = 12_000
		storetest.OK(t, store.ManyTokens(background, s, f.Tokens[f.Member.ID], many))
		// The names of two tokens contain it, 1999 and 11999.
		first := storetest.Need(s.Token.Tokens(background, f.AsMember, tokendb.Query{Page: page.Page{Search: "1999"}}))(
			t)
		storetest.Equal(t, "tokens on the first page", len(first.Items), 1)
		storetest.Equal(t, "token on the first page", first.Items[0].Name, "token 11999")
		second := storetest.Need(s.Token.Tokens(background, f.AsMember,
			tokendb.Query{Page: page.Page{Search: "1999", After: first.Next}}))(t)
		storetest.Equal(t, "tokens on the second page", len(second.Items), 1)
		storetest.Equal(t, "token on the second page", second.Items[0].Name, "token 1999")
		storetest.Equal(t, "cursor after the second page", second.Next, "")
	})
}

func TestPages_CoverAListOnceWhileItGrows(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		record := func() {
			storetest.Need(s.Metering.RecordEvents(background, platform, storetest.NewID(),
				[]usage.Event{f.Call(f.Member, "m1", 1)}))(t)
		}
		for range 10 {
			record()
		}
		before := storetest.Need(s.Metering.UsageLogs(background, platform, metering.LogQuery{}))(t).Items
		var paged []usage.Log
		query := metering.LogQuery{Page: page.Page{Limit: 3}}
		for pages := 0; ; pages++ {
			page := storetest.Need(s.Metering.UsageLogs(background, platform, query))(t)
			paged = append(paged, page.Items...)
			record() // newer rows do not shift the later pages
			if query.After = page.Next; query.After == "" {
				storetest.Equal(t, "pages", pages, 3)
				break
			}
		}
		if !reflect.DeepEqual(paged, before) {
			t.Errorf("got %d logs over all pages, want the %d of the list", len(paged), len(before))
		}
		for i := range 7 {
			storetest.Need(s.Catalog.CreateModel(background, platform,
				catalog.Model{ID: fmt.Sprintf("m-%d", 6-i), Free: true}, pricing.Rates{}))(t)
		}
		var models []string
		for page := (page.Page{Limit: 3}); ; {
			found := storetest.Need(s.Catalog.Models(background, platform, page))(t)
			for _, model := range found.Items {
				models = append(models, model.ID)
			}
			if page.After = found.Next; page.After == "" {
				break
			}
		}
		storetest.Equal(t, "models", fmt.Sprint(models), "[m-0 m-1 m-2 m-3 m-4 m-5 m-6]")
		for _, limit := range []int{-1, 201} {
			_, err := s.Identity.Tenants(background, platform, page.Page{Limit: limit})
			storetest.Refuses(t, err, problem.InvalidType, "limit")
		}
		for _, after := range []string{"x", "%", "bm90IGEgdXVpZA", strings.Repeat("A", 5000)} {
			_, err := s.Metering.UsageLogs(background, f.AsMember,
				metering.LogQuery{Page: page.Page{After: after}})
			storetest.Refuses(t, err, problem.InvalidType, "after")
		}
	})
}
