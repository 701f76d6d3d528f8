package store_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// unconfirmed names the methods of the stores with which people sign in that write although they take no
// permission.Confirmed, and why.
var unconfirmed = map[string]string{
	// For programs, which have checked another proof.
	"identity.AcceptInvitation": "the secret of a link is the proof",
	"identity.ResetPassword":    "the secret of a link is the proof",
	"identity.Arrive":           "the statement of an issuer is the proof",
	"signin.LinkIdentity":       "the statement of an issuer is the proof",
	"signin.UseIdentity":        "the statement of an issuer is the proof",
	"signin.CreateSession":      "opens a session after a sign-in",
	"signin.ConfirmSession":     "stores that the identity was proven",
	"signin.TryTOTP":            "counts a guess", "signin.UseTOTP": "uses a code up",
	"signin.UseRecoveryCode": "uses a code up", "signin.UsePasskey": "stores its counter",
	"signin.CreateChallenge": "a sign-in in progress", "signin.TryChallenge": "a sign-in in progress",
	"signin.TakeChallenge":    "a sign-in in progress",
	"signin.SetChallengeData": "a sign-in in progress", "signin.SeeSession": "stores when the session was last seen",
	"token.SeeAccessKey": "stores when the key was last used",
	// Take nothing over: with a stolen session one can only end it.
	"signin.EndSession": "ends sessions", "signin.EndSessions": "ends sessions",
	"signin.DeleteSession": "ends sessions",
	// Changes no way to sign in.
	"identity.CreateTenant": "makes no user",
	"identity.UpdateTenant": "its SecondFactorRule has a permission.Confirmed",
	"identity.SetLanguage":  "changes the language",
}

// A method that changes how a person signs in takes a permission.Confirmed, so that only an operation which asks for a
// confirmation can call it.
func TestStore_MethodsThatChangeHowAPersonSignsInTakeAConfirmation(t *testing.T) {
	t.Parallel()
	var found []string
	for pkg, pattern := range map[string]string{"identity": "*.go", "signin": "*.go", "token": "access_keys.go"} {
		writers := writersOf(t, filepath.Join(pkg, pattern))
		if len(writers) < 3 {
			t.Errorf("%s has %d methods that write: the test does not find them", pkg, len(writers))
		}
		for name, method := range writers {
			if !ast.IsExported(name) {
				continue
			}
			name = pkg + "." + name
			found = append(found, name)
			confirmed := takes(method, "permission", "Confirmed")
			if _, exempt := unconfirmed[name]; confirmed == exempt {
				t.Errorf("%s: takes a permission.Confirmed: %v, is in the list of exceptions: %v", name,
					confirmed, exempt)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(unconfirmed)) {
		if !slices.Contains(found, name) {
			t.Errorf("%s is an exception, and does not write or does not exist", name)
		}
	}
}

// Only the confirmation of the console, and programs that act for nobody who is signed in, make a permission.Confirmed.
func TestConfirmed_IsMadeByTheConfirmationAndByPrograms(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"apps/console/internal/api/caller.go": "Confirm", "libs/store/storetest/confirmed.go": "Confirm",
		"libs/manifest/people.go": "ByProgram", "libs/mailer/deliver.go": "ByProgram",
	}
	got := map[string]string{}
	root := filepath.Join("..", "..")
	for _, folder := range []string{"apps", "libs", "tools"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if entry.Name() == "node_modules" {
				return fs.SkipDir
			}
			if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return nil
			}
			source, err := os.ReadFile(path)
			for _, maker := range []string{"Confirm", "ByProgram"} {
				if strings.Contains(string(source), "permission."+maker+"(") {
					got[strings.TrimPrefix(filepath.ToSlash(path), "../../")] = maker
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("these make a permission.Confirmed: %v, want %v", got, want)
	}
}

// writersOf returns the methods of Store in the files that write to the database, directly or through others of them.
func writersOf(t *testing.T, pattern string) map[string]*ast.FuncDecl {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: %d files: %v", pattern, len(paths), err)
	}
	calls := map[string][]string{} // the names that each function of the package calls
	methods := map[string]*ast.FuncDecl{}
	for _, path := range paths {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range file.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if !ok || function.Body == nil {
				continue
			}
			if function.Recv != nil {
				methods[function.Name.Name] = function
			}
			ast.Inspect(function.Body, func(n ast.Node) bool {
				switch called := n.(type) {
				case *ast.SelectorExpr:
					calls[function.Name.Name] = append(calls[function.Name.Name], called.Sel.Name)
				case *ast.Ident:
					calls[function.Name.Name] = append(calls[function.Name.Name], called.Name)
				}
				return true
			})
		}
	}
	writes := map[string]bool{"NewInsert": true, "NewUpdate": true, "NewDelete": true, "Insert": true}
	for grown := true; grown; {
		grown = false
		for name, called := range calls {
			if !writes[name] && slices.ContainsFunc(called, func(n string) bool { return writes[n] }) {
				writes[name], grown = true, true
			}
		}
	}
	maps.DeleteFunc(methods, func(name string, _ *ast.FuncDecl) bool { return !writes[name] })
	return methods
}

// takes reports whether a parameter of the function has the type.
func takes(function *ast.FuncDecl, pkg, name string) bool {
	return slices.ContainsFunc(function.Type.Params.List, func(p *ast.Field) bool {
		of, ok := p.Type.(*ast.SelectorExpr)
		if !ok {
			return false
		}
		in, ok := of.X.(*ast.Ident)
		return ok && in.Name == pkg && of.Sel.Name == name
	})
}
