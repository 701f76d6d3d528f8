// Package layers checks the import rules of the codebase: which package may import which, and which library
// only one package may use. Each rule is a pure function of a Codebase. Load reads the real codebase by
// parsing its Go files, without building it, and the package's test applies all rules to it. The sizes of
// packages and the longest chain of imports are rules too. rules.go and sizes.go hold the rules; their Reason
// says what each rule is for.
package layers

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Prefix begins every import path of the codebase. The rest of the path is the package's folder.
const Prefix = "github.com/tollgate/tollgate/"

// Codebase holds all packages of all modules, sorted by their paths.
type Codebase []Package

// Package represents a folder of Go files, whatever their build tags.
type Package struct {
	Path  string // folder from the root, such as "libs/core/money"
	Files []File
}

// File represents one Go file.
type File struct {
	Name    string // path from the root
	Test    bool   // a _test.go file, or a file of a package for tests, as storetest
	Imports []string
	Uses    []Use // mentions of imported names
	Tags    []Use // tags of struct fields, by their whole texts
	Inits   int   // number of init functions
	Exports int   // number of exported types, functions, methods, constants and variables
}

// Use represents one mention of an imported name, or one tag.
type Use struct {
	Name string // import path and name, for example "os.Getenv"
	Line int
}

// own returns the folder of an import path, and whether it is in this codebase.
func own(importPath string) (folder string, ok bool) { return strings.CutPrefix(importPath, Prefix) }

// under reports whether folder is parent or lies below it.
func under(folder, parent string) bool {
	return folder == parent || strings.HasPrefix(folder, parent+"/")
}

// Load reads every Go file below root, except those in folders without product code, see outside.
func Load(root string) (Codebase, error) {
	packages := map[string]*Package{}
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		folder, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if outside(filepath.ToSlash(folder)) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		source, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		file, err := Parse(filepath.ToSlash(folder), source)
		if err != nil {
			return err
		}
		dir := path.Dir(file.Name)
		if packages[dir] == nil {
			packages[dir] = &Package{Path: dir}
		}
		packages[dir].Files = append(packages[dir].Files, file)
		return nil
	})
	codebase := make(Codebase, 0, len(packages))
	for _, p := range packages {
		codebase = append(codebase, *p)
	}
	slices.SortFunc(codebase, func(a, b Package) int { return strings.Compare(a.Path, b.Path) })
	return codebase, err
}

// outside reports whether a folder is skipped: hidden folders, dependencies of npm, test data, the folders that the
// programs and the Makefile write to, and the folder of those who follow the pages of docs.
func outside(folder string) bool {
	base := path.Base(folder)
	return folder != "." && strings.HasPrefix(base, ".") || base == "node_modules" || base == "testdata" ||
		folder == "data" || folder == "bin" || folder == "example"
}

// forTests reports whether a package is for tests, as storetest: its name ends so.
func forTests(folder string) bool { return strings.HasSuffix(folder, "test") }

// baseName guesses a package's name from its path: "math/rand/v2" is rand.
func baseName(importPath string) string {
	base := path.Base(importPath)
	if rest, versioned := strings.CutPrefix(base, "v"); versioned && strings.Trim(rest, "0123456789") == "" &&
		importPath != base {
		return path.Base(path.Dir(importPath))
	}
	return base
}

// Parse reads one file. name is its path from the root. It finds uses by the names of imports, so a dot
// import hides them.
func Parse(name string, source []byte) (File, error) {
	files := token.NewFileSet()
	tree, err := parser.ParseFile(files, name, source, 0)
	if err != nil {
		return File{}, fmt.Errorf("reading %s: %w", name, err)
	}
	file := File{Name: name, Test: strings.HasSuffix(name, "_test.go") || forTests(path.Dir(name))}
	imported := map[string]string{} // import paths by their names in the file
	for _, spec := range tree.Imports {
		importPath, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return File{}, fmt.Errorf("reading %s: %w", name, err)
		}
		file.Imports = append(file.Imports, importPath)
		if spec.Name != nil {
			imported[spec.Name.Name] = importPath
		} else {
			imported[baseName(importPath)] = importPath
		}
	}
	for _, declaration := range tree.Decls {
		file.Exports += exports(declaration)
	}
	ast.Inspect(tree, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.FuncDecl:
			if node.Recv == nil && node.Name.Name == "init" {
				file.Inits++
			}
		case *ast.Field:
			if node.Tag != nil {
				file.Tags = append(file.Tags, Use{node.Tag.Value, files.Position(node.Tag.Pos()).Line})
			}
		case *ast.SelectorExpr:
			// x.Obj is set for a local variable that hides the import
			if x, ok := node.X.(*ast.Ident); ok && x.Obj == nil && imported[x.Name] != "" {
				file.Uses = append(file.Uses,
					Use{imported[x.Name] + "." + node.Sel.Name, files.Position(node.Pos()).Line})
			}
		}
		return true
	})
	return file, nil
}

// exports returns the number of exported names that a declaration declares, methods included.
func exports(declaration ast.Decl) (n int) {
	count := func(names ...*ast.Ident) {
		for _, name := range names {
			if name.IsExported() {
				n++
			}
		}
	}
	switch declaration := declaration.(type) {
	case *ast.FuncDecl:
		count(declaration.Name)
	case *ast.GenDecl:
		for _, spec := range declaration.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				count(spec.Name)
			case *ast.ValueSpec:
				count(spec.Names...)
			}
		}
	}
	return n
}
