package store_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/action"
	"github.com/tollgate/tollgate/libs/core/limit"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/tenant"
	tokencore "github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/audit"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
	"github.com/tollgate/tollgate/libs/store/identity"
	"github.com/tollgate/tollgate/libs/store/page"
	quotadb "github.com/tollgate/tollgate/libs/store/quota"
	"github.com/tollgate/tollgate/libs/store/storetest"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
)

func TestAudit_KeepsTheValuesBeforeAChange(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		id := f.Tokens[f.Member.ID].ID
		for _, row := range []struct {
			change        tokendb.Patch
			before, after string
		}{
			{tokendb.Patch{Cap: &quotadb.Cap{Amount: new(3 * money.USD)}}, "map[quota:<nil>]", "map[quota:3]"},
			{tokendb.Patch{Cap: &quotadb.Cap{Amount: new(5 * money.USD)}}, "map[quota:3]", "map[quota:5]"},
			{tokendb.Patch{Caps: quotadb.CapsPatch{Day: &quotadb.Cap{Amount: new(money.USD)}}}, "map[caps.day:<nil>]",
				"map[caps.day:1]"},
			{tokendb.Patch{Caps: quotadb.CapsPatch{Day: &quotadb.Cap{}}}, "map[caps.day:1]", "map[caps.day:<nil>]"},
			{tokendb.Patch{Limits: limit.Change{RequestsPerMinute: new(int64(7))}}, "map[limits.requests_per_minute:0]",
				"map[limits.requests_per_minute:7]"},
			{tokendb.Patch{Models: &[]string{"m1"}, Status: new(tokencore.Disabled)}, "map[models:[] status:enabled]",
				"map[models:[m1] status:disabled]"},
		} {
			storetest.Need(s.Token.UpdateToken(background, f.AsMember, id, row.change))(t)
			entry := storetest.Need(s.Audit.List(background, f.AsOwner,
				audit.Query{Target: id.String(), Page: page.Page{Limit: 1}}))(t).Items[0]
			storetest.Equal(t, "values before", fmt.Sprint(entry.Before), row.before)
			storetest.Equal(t, "values after", fmt.Sprint(entry.Detail), row.after)
		}
		storetest.Need(s.Catalog.UpdateGroup(background, platform, f.Group.ID, catalogdb.GroupPatch{Name: new("pro")}))(
			t)
		entry := storetest.Need(s.Audit.List(background, platform, audit.Query{Action: "group.update"}))(t).Items[0]
		storetest.Equal(t, "fields before", len(entry.Before), 1)
		for _, created := range storetest.Need(s.Audit.List(background, platform,
			audit.Query{Action: "token.create"}))(t).Items {
			storetest.Equal(t, "values before the creation", len(created.Before), 0)
		}
	})
}

// Databases of the tests ignore points when they sort, as most do.
func TestAudit_ListsTheActionsOfAKind(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		for i, name := range []string{"access_key.use", "channel.update", "channel_cost.create",
			"channel.credential.disable", "channel.create"} {
			storetest.OK(t, s.Audit.Append(background, platform, []audit.Entry{{Action: name, Target: "t",
				CreatedAt: storetest.Noon.Add(time.Duration(i) * time.Second)}}))
		}
		for kind, want := range map[string]string{
			"channel":      "[channel.create channel.credential.disable channel.update]",
			"channel_cost": "[channel_cost.create]", "chan": "[]", "channel.": "[]", "%": "[]",
		} {
			var got []string
			list := storetest.Need(s.Audit.List(background, platform, audit.Query{Action: kind}))(t)
			for _, entry := range list.Items {
				got = append(got, entry.Action)
			}
			storetest.Equal(t, "entries of the kind "+kind, fmt.Sprint(got), want)
		}
	})
}

func TestNames_AreThoseThatTheScopeMayRead(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f, other := storetest.NewCustomer(t, s, "acme"), storetest.NewCustomer(t, s, "globex")
		storetest.AddModel(t, s, "m1")
		storetest.Need(s.Identity.UpdateUser(background, storetest.Confirmed(f.AsOwner), f.Member.ID,
			identity.UserPatch{Role: new(tenant.Admin)}))(t)
		all := storetest.Need(s.Audit.List(background, platform, audit.Query{Page: page.Page{Limit: 200}}))(t).Items
		names := storetest.Need(s.Audit.Names(background, platform, all))(t)
		ofToken, ofOther := f.Tokens[f.Member.ID], other.Tokens[other.Member.ID]
		for id, name := range map[uuid.UUID]string{
			f.Tenant.ID: f.Tenant.Name, f.Member.ID: f.Member.Email, f.Group.ID: f.Group.Name, ofToken.ID: ofToken.Name,
			ofOther.ID: ofOther.Name,
		} {
			storetest.Equal(t, "name for operators", names[id], name)
		}
		// Even if entries of others came into the list, their names would not.
		names = storetest.Need(s.Audit.Names(background, f.AsOwner, all))(t)
		storetest.Equal(t, "name of the own token", names[ofToken.ID], ofToken.Name)
		storetest.Equal(t, "name of the own member", names[f.Member.ID], f.Member.Email)
		for _, id := range []uuid.UUID{ofOther.ID, other.Member.ID, other.Tenant.ID} {
			storetest.Equal(t, "name of another tenant's object", names[id], "")
		}
		for i := range all {
			if strings.HasPrefix(all[i].Action, "channel.") {
				storetest.Equal(t, "name of a channel", names[uuid.MustParse(all[i].Target)], "")
			}
		}
		if _, err := s.Audit.Names(background, f.AsMember, all); err == nil {
			t.Error("a member may read the names")
		}
	})
}

// The text of the console for each action comes from the list of package action. A test of the console finds actions of
// the list without a text, and this one actions that are missing in the list.
func TestActions_AreAllInTheList(t *testing.T) {
	t.Parallel()
	var written []string
	for _, module := range []string{"..", "../../apps"} {
		storetest.OK(t, filepath.WalkDir(module, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && entry.Name() == "node_modules":
				return fs.SkipDir
			case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			written = append(written, mutationsIn(t, path)...)
			return nil
		}))
	}
	if len(written) < 40 {
		t.Fatalf("found only %d actions in the code: %v", len(written), written)
	}
	for _, name := range written {
		if !action.Known(name) {
			t.Errorf("the code writes %s, which is not in the list of package action", name)
		}
	}
	// These are put together from parts, or named by a constant.
	composed := []string{
		"quota.grant", "quota.adjustment", "quota.transfer", "price.withdraw", "rule.withdraw", "channel_cost.withdraw",
		"invitation.accept", "invitation.resend", "invitation.revoke", "user.prove_email", "user.take_over",
		"session.refused", "request.refused", "tenant.read", "access_key.use", "audit_log.lost", "audit_log.prune",
		"channel.test",
	}
	for _, one := range action.All() {
		if name := string(one); !slices.Contains(written, name) && !slices.Contains(composed, name) {
			t.Errorf("no code writes %s", name)
		}
	}
}

// mutationsIn returns the actions that the literals of db.Mutation in a file have.
func mutationsIn(t *testing.T, path string) (found []string) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	storetest.OK(t, err)
	ast.Inspect(file, func(node ast.Node) bool {
		literal, is := node.(*ast.CompositeLit)
		if !is || !isMutation(literal.Type) {
			return true
		}
		for _, element := range literal.Elts {
			pair, is := element.(*ast.KeyValueExpr)
			if !is {
				continue
			}
			name, isName := pair.Key.(*ast.Ident)
			value, isText := pair.Value.(*ast.BasicLit)
			if isName && isText && name.Name == "Action" {
				text, err := strconv.Unquote(value.Value)
				storetest.OK(t, err)
				found = append(found, text)
			}
		}
		return true
	})
	return found
}

func isMutation(of ast.Expr) bool {
	selector, is := of.(*ast.SelectorExpr)
	return is && selector.Sel.Name == "Mutation"
}
