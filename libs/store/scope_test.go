package store_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// entryPoints are the methods that turn row-level security on for a scope. harmless is what else a method may
// use of its Store.
var (
	entryPoints = []string{"readAs", "writeAs"}
	harmless    = []string{"db.Now", "db.Postgres", "snapshots"}
)

// scopeless are the exported methods of store.Store that need no scope. ReadAs has one, but only the methods that its
// function calls read.
var scopeless = []string{"Close", "Migrate", "Ping", "Connections", "Atomically", "ReadAs"}

// Every method that the scope of a tenant may call uses the database only through readAs or writeAs, under
// row-level security. The test reads the source, so new methods need not be listed.
func TestMethodsOfTenants_UseReadAsOrWriteAs(t *testing.T) {
	checked := 0
	for _, folder := range storetest.Need(filepath.Glob("*"))(t) {
		methods := methodsOf(t, folder, "Store")
		through := usingReadAsOrWriteAs(methods)
		for name, m := range methods {
			switch {
			case !m.Name.IsExported():
			case m.scope == "":
				t.Errorf("%s: %s has no parameter of type tenant.Scope or permission.Confirmed", folder, name)
			case !through[name]:
				t.Errorf("%s: %s: the scope of a tenant may call it, but it uses the database outside readAs and "+
					"writeAs", folder, name)
			default:
				checked++
			}
		}
	}
	if checked < 60 {
		t.Errorf("got %d methods, want at least 60", checked)
	}
}

// The methods of store.Store itself that take a scope are for programs alone.
func TestMethodsOfTheRoot_CheckTheScope(t *testing.T) {
	for name, m := range methodsOf(t, ".", "Store") {
		if m.Name.IsExported() && !slices.Contains(scopeless, name) && !m.programsOnly() {
			t.Errorf("store.Store.%s does not begin with a check of its scope", name)
		}
	}
}

// usingReadAsOrWriteAs returns the names of the methods that use only the entry points, or check first that
// the scope is a program's. A method that calls only such methods is one, too.
func usingReadAsOrWriteAs(methods map[string]*method) map[string]bool {
	through := map[string]bool{}
	for {
		found := map[string]bool{}
		for name, m := range methods {
			found[name] = m.programsOnly() || m.usesOnly(func(used string) bool {
				return slices.Contains(entryPoints, used) || slices.Contains(harmless, used) || through[used]
			})
		}
		if maps.Equal(found, through) {
			return through
		}
		through = found
	}
}

// method is a method of a *Store or *DB with the names of its receiver and of its scope. Every identifier
// with such a name in the body counts as the receiver or the scope.
type method struct {
	*ast.FuncDecl
	store, scope string
}

// methodsOf returns the methods of a type in the package of a folder, without test files.
func methodsOf(t *testing.T, folder, of string) map[string]*method {
	t.Helper()
	files := storetest.Need(filepath.Glob(filepath.Join(folder, "*.go")))(t)
	methods := map[string]*method{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file := storetest.Need(parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution))(t)
		for _, declared := range file.Decls {
			if m, ok := declared.(*ast.FuncDecl); ok && m.Recv != nil && isPointerTo(m.Recv.List[0].Type, of) {
				methods[m.Name.Name] = &method{FuncDecl: m, store: m.Recv.List[0].Names[0].Name, scope: scopeOf(m)}
			}
		}
	}
	return methods
}

// isPointerTo reports whether the expression is *name.
func isPointerTo(expression ast.Expr, name string) bool {
	pointer, ok := expression.(*ast.StarExpr)
	return ok && isNamed(pointer.X, name)
}

// isNamed reports whether the expression is the identifier name.
func isNamed(expression ast.Expr, name string) bool {
	ident, ok := expression.(*ast.Ident)
	return ok && ident.Name == name
}

// isSelected reports whether the expression is X.name.
func isSelected(expression ast.Expr, name string) bool {
	selected, ok := expression.(*ast.SelectorExpr)
	return ok && selected.Sel.Name == name
}

// scopeOf returns the name of the parameter of type tenant.Scope, or of the variable for the scope of a
// permission.Confirmed, or "".
func scopeOf(m *ast.FuncDecl) string {
	for _, field := range m.Type.Params.List {
		switch {
		case isSelected(field.Type, "Scope"):
			return field.Names[0].Name
		case isSelected(field.Type, "Confirmed"):
			return "scope"
		}
	}
	return ""
}

// uses calls see for each use of the receiver in the body, in the order of the source: with the selected
// name, with "db.X" for a selection of the receiver's db, and with "" for the receiver itself.
func (m *method) uses(see func(used string, at token.Pos)) {
	seen := map[*ast.Ident]bool{}
	ast.Inspect(m.Body, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.SelectorExpr:
			seen[node.Sel] = true
			if of, ok := node.X.(*ast.SelectorExpr); ok && of.Sel.Name == "db" && isNamed(of.X, m.store) {
				see("db."+node.Sel.Name, node.Pos())
				return false
			}
			if of, ok := node.X.(*ast.Ident); ok && of.Name == m.store {
				seen[of] = true
				see(node.Sel.Name, node.Pos())
			}
		case *ast.Ident:
			if node.Name == m.store && !seen[node] {
				see("", node.Pos())
			}
		}
		return true
	})
}

// usesOnly reports whether all uses of the receiver are allowed.
func (m *method) usesOnly(allowed func(string) bool) bool {
	only := true
	m.uses(func(used string, _ token.Pos) { only = only && allowed(used) })
	return only
}

// programsOnly reports whether the method begins with a check of its scope that no user of a tenant passes,
// and returns if the check fails.
func (m *method) programsOnly() bool {
	checked := token.Pos(0)
	for _, statement := range m.Body.List {
		if guard, ok := statement.(*ast.IfStmt); ok && checked == 0 && m.guards(guard) {
			checked = guard.Pos()
		}
	}
	first := true
	m.uses(func(used string, at token.Pos) {
		first = first && (at > checked || slices.Contains(harmless, used))
	})
	return checked != 0 && first
}

// guards reports whether the statement is "if err := check; err != nil { ... return }". The check may be an
// argument of field.First, and the condition may continue with "or".
func (m *method) guards(guard *ast.IfStmt) bool {
	asked, ok := guard.Init.(*ast.AssignStmt)
	if !ok || len(asked.Rhs) != 1 || !failed(guard.Cond) {
		return false
	}
	call, ok := asked.Rhs[0].(*ast.CallExpr)
	if !ok {
		return false
	}
	checks := m.checks(call)
	if isSelected(call.Fun, "First") {
		checks = slices.ContainsFunc(call.Args, func(argument ast.Expr) bool {
			call, ok := argument.(*ast.CallExpr)
			return ok && m.checks(call)
		})
	}
	_, returns := guard.Body.List[len(guard.Body.List)-1].(*ast.ReturnStmt)
	return checks && returns
}

// failed reports whether the condition is true whenever err is not nil.
func failed(condition ast.Expr) bool {
	compared, ok := condition.(*ast.BinaryExpr)
	if ok && compared.Op == token.LOR {
		return failed(compared.X) || failed(compared.Y)
	}
	return ok && compared.Op == token.NEQ && isNamed(compared.X, "err") && isNamed(compared.Y, "nil")
}

// checks reports whether the call is permission.Program(scope), or permission.Check(scope, action) with an
// action that no owner may do.
func (m *method) checks(call *ast.CallExpr) bool {
	if len(call.Args) == 0 || !isNamed(call.Args[0], m.scope) {
		return false
	}
	if isSelected(call.Fun, "Program") {
		return true
	}
	called, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || called.Sel.Name != "Check" || len(call.Args) != 2 {
		return false
	}
	action, ok := call.Args[1].(*ast.SelectorExpr)
	platforms := map[string]permission.Action{
		"ReadPlatform": permission.ReadPlatform, "WritePlatform": permission.WritePlatform,
		"ReadAudit": permission.ReadAudit, "RunPlatform": permission.RunPlatform,
	}
	if !ok || platforms[action.Sel.Name] == "" {
		return false
	}
	owner := tenant.ScopeOf(tenant.User{ID: storetest.NewID(), TenantID: storetest.NewID(), Role: tenant.Owner})
	return permission.Check(owner, platforms[action.Sel.Name]) != nil
}

// outside has the beginnings of the statements that may run outside the tenant's part of a transaction: those
// of transactions, of the change feed, the one that counts the outbox, and the one that reads which months
// were deleted.
var outside = []string{
	"BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "RESET ROLE",
	"UPDATE change_feed SET version", `INSERT INTO "changes"`, "SELECT pg_notify",
	`SELECT count(*) FROM (SELECT 1 FROM "usage_outbox"`,
	`SELECT "r"."id", "r"."dropped_before" FROM "usage_retention"`,
}

// Every statement for a user of a tenant runs under the database role of tenants.
func TestStatementsOfTenants_RunUnderTheTenantsRole(t *testing.T) {
	s := storetest.Open(t, db.Options{URL: storetest.Postgres(t)})
	asked := &storetest.Statements{}
	f := storetest.NewCustomer(t, s, "acme")
	storetest.AddModel(t, s, "m1")
	w := newIsolation(t, s, f, f.Call(f.Owner, "m1", 5))
	w.s = s.Traced(asked)
	walled := 0
	for name, c := range w.calls() {
		for _, scope := range []tenant.Scope{f.AsOwner, f.AsMember} {
			asked.Seen = nil
			_, _ = c.do(background, scope) // other tests check the results
			inside := false
			for _, statement := range asked.Seen {
				switch {
				case strings.Contains(statement, "SET LOCAL ROLE tollgate_tenant"):
					inside = true
					walled++
				case slices.Contains([]string{"RESET ROLE", "COMMIT", "ROLLBACK"}, statement):
					inside = false
				case !inside && !begins(statement, outside):
					t.Errorf("%s by %v sends a statement without row-level security: %s", name, scope, statement)
				}
			}
		}
	}
	if walled < 30 {
		t.Errorf("got %d transactions with row-level security, want at least 30", walled)
	}
}

// begins reports whether the statement begins with one of the prefixes.
func begins(statement string, with []string) bool {
	return slices.ContainsFunc(with, func(prefix string) bool { return strings.HasPrefix(statement, prefix) })
}
