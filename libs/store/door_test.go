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

// doors are the ways to the rows that a tenant's scope reaches, and harmless
// else a method may use of its Store.
var (
	doors    = []string{"readAs", "writeAs"}
	harmless = []string{"db.Now", "db.Postgres"}
)

// scopeless are the exported methods of store.Store that need no scope.
var scopeless = []string{"Close", "Migrate", "Ping", "Connections", "Atomically"}

// Every method that a tenant's scope may call does nothing at the database but
// through readAs or writeAs, where row-level security is on. This reads the
// source: nothing has to be listed for a new method.
func TestTenantsMethodsGoThroughTheDoor(t *testing.T) {
	checked := 0
	for _, folder := range need(filepath.Glob("*"))(t) {
		methods := methodsOf(t, folder, "Store")
		through := throughTheDoor(methods)
		for name, m := range methods {
			switch {
			case !m.Name.IsExported():
			case m.scope == "":
				t.Errorf("%s: %s needs a tenant.Scope", folder, name)
			case !through[name]:
				t.Errorf("%s: %s: a tenant's scope may call it, but not all that it does is within readAs or writeAs", folder, name)
			default:
				checked++
			}
		}
	}
	if checked < 60 {
		t.Errorf("only %d methods were found", checked)
	}
}

// What store.Store does itself for a scope is for programs alone.
func TestMethodsOfTheRootAreForPrograms(t *testing.T) {
	for name, m := range methodsOf(t, ".", "Store") {
		if m.Name.IsExported() && !slices.Contains(scopeless, name) && !m.platforms() {
			t.Errorf("store.Store.%s does not begin with a check of its scope", name)
		}
	}
}

// throughTheDoor names the methods that use nothing but the doors, or check
// that the scope is a program's first. Methods that call only such methods are
// such methods.
func throughTheDoor(methods map[string]*method) map[string]bool {
	through := map[string]bool{}
	for {
		found := map[string]bool{}
		for name, m := range methods {
			found[name] = m.platforms() || m.usesOnly(func(used string) bool {
				return slices.Contains(doors, used) || slices.Contains(harmless, used) || through[used]
			})
		}
		if maps.Equal(found, through) {
			return through
		}
		through = found
	}
}

// method is one of a *Store or *DB, with the names of its receiver and its scope. What
// has one of these names in its body is taken for it.
type method struct {
	*ast.FuncDecl
	store, scope string
}

func methodsOf(t *testing.T, folder, of string) map[string]*method {
	t.Helper()
	files := need(filepath.Glob(filepath.Join(folder, "*.go")))(t)
	methods := map[string]*method{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file := need(parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution))(t)
		for _, declared := range file.Decls {
			if m, ok := declared.(*ast.FuncDecl); ok && m.Recv != nil && isPointerTo(m.Recv.List[0].Type, of) {
				methods[m.Name.Name] = &method{FuncDecl: m, store: m.Recv.List[0].Names[0].Name, scope: scopeOf(m)}
			}
		}
	}
	return methods
}

func isPointerTo(expression ast.Expr, name string) bool {
	pointer, ok := expression.(*ast.StarExpr)
	return ok && isNamed(pointer.X, name)
}

func isNamed(expression ast.Expr, name string) bool {
	ident, ok := expression.(*ast.Ident)
	return ok && ident.Name == name
}

func isSelected(expression ast.Expr, name string) bool {
	selected, ok := expression.(*ast.SelectorExpr)
	return ok && selected.Sel.Name == name
}

// scopeOf names the parameter that is a tenant.Scope, "" where none is.
func scopeOf(m *ast.FuncDecl) string {
	for _, field := range m.Type.Params.List {
		if typed, ok := field.Type.(*ast.SelectorExpr); ok && typed.Sel.Name == "Scope" {
			return field.Names[0].Name
		}
	}
	return ""
}

// uses calls see with what the method selects of its receiver, "db.X" for what it
// selects of the receiver's db and "" for the receiver itself, in the order of
// the source.
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

func (m *method) usesOnly(allowed func(string) bool) bool {
	only := true
	m.uses(func(used string, _ token.Pos) { only = only && allowed(used) })
	return only
}

// platforms reports whether the method begins with a check of its scope that
// no user of a tenant passes, and ends where it fails.
func (m *method) platforms() bool {
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

// guards reports whether the statement is "if err := check; err != nil { return",
// where the check may stand in field.First(...), and the condition before an "or".
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

// failed reports whether the condition holds wherever err is not nil.
func failed(condition ast.Expr) bool {
	compared, ok := condition.(*ast.BinaryExpr)
	if ok && compared.Op == token.LOR {
		return failed(compared.X) || failed(compared.Y)
	}
	return ok && compared.Op == token.NEQ && isNamed(compared.X, "err") && isNamed(compared.Y, "nil")
}

// checks reports whether the call is permission.Program(scope), or permission.Check(scope, ...)
// of an action that not even owners may do.
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
	owner := tenant.ScopeOf(tenant.User{ID: newID(), TenantID: newID(), Role: tenant.Owner})
	return permission.Check(owner, platforms[action.Sel.Name]) != nil
}

// outside begins the statements that may run before and after the tenant's
// part of a transaction: the change feed's, and how full the outbox is.
var outside = []string{
	"BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "RESET ROLE",
	"UPDATE change_feed SET version", `INSERT INTO "changes"`, "SELECT pg_notify", `SELECT count(*) FROM (SELECT 1 FROM "usage_outbox"`,
}

// What a tenant's user makes the store ask, he asks as the tenant's role.
func TestTenantsStatementsRunBehindTheWall(t *testing.T) {
	s := storetest.Open(t, db.Options{URL: storetest.Postgres(t)})
	asked := &statements{}
	f := found(t, s, "acme")
	sell(t, s, "m1")
	w := newWorld(t, s, f, f.call(f.owner, "m1", 5))
	w.s = s.Traced(asked)
	walled := 0
	for name, c := range w.calls() {
		for _, scope := range []tenant.Scope{f.asOwner, f.asMe} {
			asked.seen = nil
			_, _ = c.do(background, scope) // what it answers is judged elsewhere
			inside := false
			for _, statement := range asked.seen {
				switch {
				case strings.Contains(statement, "SET LOCAL ROLE tollgate_tenant"):
					inside = true
					walled++
				case slices.Contains([]string{"RESET ROLE", "COMMIT", "ROLLBACK"}, statement):
					inside = false
				case !inside && !begins(statement, outside):
					t.Errorf("%s by %v asks outside the wall: %s", name, scope, statement)
				}
			}
		}
	}
	if walled < 30 {
		t.Errorf("only %d transactions were behind the wall", walled)
	}
}

func begins(statement string, with []string) bool {
	return slices.ContainsFunc(with, func(prefix string) bool { return strings.HasPrefix(statement, prefix) })
}
