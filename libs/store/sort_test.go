package store_test

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/audit"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/identity"
	"github.com/tollgate/tollgate/libs/store/metering"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/storetest"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
)

// bothWays returns the sort by the column, upward and downward.
func bothWays(column string) []page.Sort { return []page.Sort{{By: column}, {By: column, Desc: true}} }

// walk reads all pages of a list, four items each, and calls between after each page.
func walk[T any](t *testing.T, sort page.Sort, read func(page.Page) (page.List[T], error), between func()) (all []T) {
	t.Helper()
	asked := page.Page{Limit: 4, Sort: sort}
	for range 500 {
		found := storetest.Need(read(asked))(t)
		all = append(all, found.Items...)
		if asked.After = found.Next; asked.After == "" {
			return all
		}
		between()
	}
	t.Fatal("the list does not end")
	return nil
}

func nothing() {}

// newToken creates a token of the user with the name, last used at the time if it is not zero.
func newToken(t *testing.T, s *store.Store, u tenant.User, name string, used time.Time) {
	t.Helper()
	id := storetest.NewID()
	storetest.Need(s.Token.CreateToken(background, platform,
		tokendb.NewToken{Token: token.Token{ID: id, UserID: u.ID, Name: name, Mask: "sk-tg-…"},
			Hash: storetest.Hash(id)}))(t)
	if !used.IsZero() {
		storetest.OK(t, store.UseToken(background, s, id, used))
	}
}

// byColumn compares tokens in the upward order of the column.
func byColumn(column string) func(a, b token.Token) int {
	return func(a, b token.Token) int {
		first := 0
		switch column {
		case "name":
			first = cmp.Compare(a.Name, b.Name)
		case "last_used":
			first = a.LastUsed.Compare(b.LastUsed)
		}
		return cmp.Or(first, cmp.Compare(a.ID.String(), b.ID.String()))
	}
}

func TestTokens_AreOnOnePageEachInEveryOrder(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f, other := storetest.NewCustomer(t, s, "acme"), storetest.NewCustomer(t, s, "beta")
		hour := time.Date(2026, 7, 1, 10, 0, 0, 0, time.UTC)
		for i := range 23 {
			var used time.Time
			if i%3 > 0 { // every third was never used
				used = hour.Add(time.Duration(i%5) * time.Hour)
			}
			newToken(t, s, []tenant.User{f.Member, f.Owner, other.Member}[i%3], fmt.Sprintf("name %c", 'a'+i*7%11),
				used)
		}
		for _, by := range []tenant.Scope{f.AsMember, f.AsOwner, platform} {
			for _, sort := range slices.Concat(bothWays("created_at"), bothWays("name"), bothWays("last_used"),
				[]page.Sort{{}}) {
				for _, search := range []string{"", "name"} {
					what := fmt.Sprintf("%+v of %v, search %q", sort, by, search)
					read := func(asked page.Page) (page.List[token.Token], error) {
						asked.Search = search
						return s.Token.Tokens(background, by, tokendb.Query{Page: asked})
					}
					before := walk(t, sort, read, nothing)
					compare := byColumn(sort.By)
					if sort.Desc || sort == (page.Sort{}) {
						upward := compare
						compare = func(a, b token.Token) int { return upward(b, a) }
					}
					if len(before) < 8 || !slices.IsSortedFunc(before, compare) {
						t.Errorf("%s: %d tokens are not in order: %v", what, len(before), tokenNames(before))
					}
					added := 0
					during := walk(t, sort, read, func() {
						if added++; added <= 2 {
							newToken(t, s, f.Member, "name f", hour.Add(2*time.Hour))
						}
					})
					seen := map[uuid.UUID]int{}
					for _, one := range during {
						seen[one.ID]++
					}
					for id, times := range seen {
						if times != 1 {
							t.Errorf("%s: token %s is listed %d times", what, id, times)
						}
					}
					for _, one := range before {
						if seen[one.ID] == 0 {
							t.Errorf("%s: token %s is missing", what, one.Name)
						}
					}
				}
			}
		}
	})
}

// tokenNames returns the names of the tokens.
func tokenNames(tokens []token.Token) (all []string) {
	for _, one := range tokens {
		all = append(all, one.Name)
	}
	return all
}

func TestSort_OfTenantsMembersAndAudit(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		for _, slug := range []string{"cc", "aa", "bb", "ab", "zz"} {
			storetest.Need(s.Identity.CreateTenant(background, platform, identity.NewTenant{Slug: slug, Name: slug}))(t)
		}
		slugs := func(sort page.Sort) string {
			var all []string
			for _, one := range walk(t, sort, func(p page.Page) (page.List[tenant.Tenant], error) {
				return s.Identity.Tenants(background, platform, p)
			}, nothing) {
				all = append(all, one.Slug)
			}
			return strings.Join(all, " ")
		}
		storetest.Equal(t, "tenants", slugs(page.Sort{}), "acme cc aa bb ab zz")
		storetest.Equal(t, "tenants by name", slugs(page.Sort{By: "name"}), "aa ab acme bb cc zz")
		storetest.Equal(t, "tenants by name, downward", slugs(page.Sort{By: "name", Desc: true}), "zz cc bb acme ab aa")
		storetest.Equal(t, "newest tenants", slugs(page.Sort{By: "created_at", Desc: true}), "zz ab bb aa cc acme")

		users := walk(t, page.Sort{By: "created_at", Desc: true}, func(p page.Page) (page.List[tenant.User], error) {
			return s.Identity.Users(background, f.AsOwner, identity.UserFilter{}, p)
		}, nothing)
		storetest.Equal(t, "newest user", users[0].ID, f.Member.ID)
		storetest.Equal(t, "oldest user", users[2].ID, f.Owner.ID)
		newest := walk(t, page.Sort{}, func(p page.Page) (page.List[audit.Entry], error) {
			return s.Audit.List(background, f.AsOwner, audit.Query{Page: p})
		}, nothing)
		oldest := walk(t, page.Sort{By: "created_at"}, func(p page.Page) (page.List[audit.Entry], error) {
			return s.Audit.List(background, f.AsOwner, audit.Query{Page: p})
		}, nothing)
		slices.Reverse(oldest)
		if len(newest) < 5 || !slices.EqualFunc(newest, oldest, func(a, b audit.Entry) bool { return a.ID == b.ID }) {
			t.Errorf("got %d entries newest first, and the others in another order", len(newest))
		}
	})
}

func TestSort_RefusesWhatTheListDoesNotHave(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		tokens := func(asked page.Page) error {
			_, err := s.Token.Tokens(background, f.AsOwner, tokendb.Query{Page: asked})
			return err
		}
		next := func(sort page.Sort) string {
			return storetest.Need(s.Token.Tokens(background, f.AsOwner,
				tokendb.Query{Page: page.Page{Limit: 1, Sort: sort}}))(t).Next
		}
		sorts := slices.Concat(bothWays("created_at"), bothWays("name"), bothWays("last_used"), []page.Sort{{}})
		for _, from := range sorts {
			for _, to := range sorts {
				if from == to {
					storetest.OK(t, tokens(page.Page{After: next(from), Sort: to}))
				} else {
					storetest.Refuses(t, tokens(page.Page{After: next(from), Sort: to}), problem.InvalidType, "after")
				}
			}
		}
		for _, forged := range []string{"name ASC", "name ASC\x00x\x00y", "name ASC\x00" + storetest.NewID().String(),
			"name ASC\x00" + storetest.NewID().String() + "\x00\xff", "name ASC\x00" + storetest.NewID().
				String() + "\x00a\x00b"} {
			storetest.Refuses(t, tokens(page.Page{After: cursor(forged), Sort: page.Sort{By: "name"}}),
				problem.InvalidType, "after")
		}
		for _, at := range []string{"yesterday", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59-23:59"} {
			storetest.Refuses(t,
				tokens(page.Page{After: cursor("last_used ASC\x00" + storetest.NewID().String() + "\x00" + at),
					Sort: page.Sort{By: "last_used"}}), problem.InvalidType, "after")
		}
		id := storetest.NewID().String()
		for _, forged := range []string{"\x00", "urn:uuid:" + id, "{" + id + "}", strings.ReplaceAll(id, "-", "")} {
			storetest.Refuses(t, tokens(page.Page{After: cursor(forged)}), problem.InvalidType, "after")
		}
		storetest.OK(t, tokens(page.Page{After: cursor(strings.ToUpper(id))}))
		storetest.Refuses(t, tokens(page.Page{Sort: page.Sort{By: "hash"}}), problem.InvalidType, "sort")
		_, err := s.Catalog.Groups(background, platform, page.Page{Sort: page.Sort{By: "name"}})
		storetest.Refuses(t, err, problem.InvalidType, "sort")
		_, err = s.Metering.UsageLogs(background, f.AsOwner,
			metering.LogQuery{Page: page.Page{Sort: page.Sort{By: "quota"}}})
		storetest.Refuses(t, err, problem.InvalidType, "sort")
	})
}

func TestTokens_OfSQLiteIgnoreTheCaseOfNames(t *testing.T) {
	s := storetest.Open(t, db.Options{URL: storetest.SQLite(t)})
	f := storetest.NewCustomer(t, s, "acme")
	for _, name := range []string{"Beta", "alpha", "Gamma", "BETA"} {
		newToken(t, s, f.Member, name, time.Time{})
	}
	got := tokenNames(walk(t, page.Sort{By: "name"}, func(p page.Page) (page.List[token.Token], error) {
		return s.Token.Tokens(background, f.AsMember, tokendb.Query{Page: p})
	}, nothing))
	storetest.Equal(t, "names", strings.Join(got, " "), "alpha Beta BETA ci Gamma")
}

// cursor returns the cursor of a page, which holds the text.
func cursor(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }

// Deep pages of 12,000 tokens are read from an index, in its order.
func TestSort_IsThatOfAnIndex(t *testing.T) {
	url := storetest.Postgres(t)
	s := storetest.Open(t, db.Options{URL: url})
	conn := storetest.Need(pgx.Connect(background, url))(t)
	t.Cleanup(func() { storetest.OK(t, conn.Close(background)) })
	f := storetest.NewCustomer(t, s, "acme")
	storetest.OK(t, store.ManyTokens(background, s, f.Tokens[f.Member.ID], 12_000))
	for i := range 300 {
		storetest.Need(s.Identity.CreateTenant(background, platform,
			identity.NewTenant{Slug: fmt.Sprintf("t%d", i), Name: fmt.Sprintf("tenant %d", i)}))(t)
	}
	for _, statement := range []string{"UPDATE tokens SET last_used = now() - hashtext(name) % 1000 * interval '1 " +
		"hour' WHERE hashtext(mask || name) % 3 > 0", "VACUUM ANALYZE"} {
		_, err := conn.Exec(background, statement)
		storetest.OK(t, err)
	}
	asked := &storetest.Statements{}
	traced := s.Traced(asked)
	workOf := func(ask func()) storetest.Work {
		asked.Seen = nil
		ask()
		return storetest.Explain(t, conn, asked.Seen)
	}
	for _, sort := range slices.Concat(bothWays("created_at"), bothWays("name"), bothWays("last_used")) {
		for what, by := range map[string]tenant.Scope{"a member": f.AsMember, "an owner": f.AsOwner,
			"an operator": platform} {
			deep := page.Page{Limit: 200, Sort: sort}
			for range 20 {
				deep.After = storetest.Need(s.Token.Tokens(background, by, tokendb.Query{Page: deep}))(t).Next
			}
			done := workOf(func() { storetest.Need(traced.Token.Tokens(background, by, tokendb.Query{Page: deep}))(t) })
			if done.Rows > 400 || done.Sorts > 0 || done.Scans != nil {
				t.Errorf("tokens of %s by %+v: got %+v, want at most 400 rows from an index", what, sort, done)
			}
		}
	}
	for _, sort := range slices.Concat(bothWays("created_at"), bothWays("name")) {
		first := storetest.Need(s.Identity.Tenants(background, platform, page.Page{Limit: 5, Sort: sort}))(t)
		done := workOf(func() {
			storetest.Need(traced.Identity.Tenants(background, platform,
				page.Page{Limit: 5, Sort: sort, After: first.Next}))(t)
		})
		if done.Rows > 10 || done.Sorts > 0 || done.Scans != nil {
			t.Errorf("tenants by %+v: got %+v, want at most 10 rows from an index", sort, done)
		}
	}
}
