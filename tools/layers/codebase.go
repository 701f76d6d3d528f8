// Package layers holds the import rules of the codebase: which package may import
// which, and which package alone may use a library. Each rule is a pure function of
// a Codebase; the package's test loads the real one and applies all rules.
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

// Prefix begins every import path of the codebase; the rest is the package's
// folder.
const Prefix = "github.com/tollgate/tollgate/"

// Codebase holds all packages of all modules.
type Codebase []Package

// Package is one folder of Go files, whatever their build tags.
type Package struct {
	Path  string // folder from the root, such as "libs/core/money"
	Files []File
}

// File is one Go file.
type File struct {
	Name    string // from the root
	Test    bool   // _test.go, or in a package that exists for tests (storetest)
	Imports []string
	Uses    []Use // of imported names
	Inits   int   // init functions
	Exports int   // exported types, functions, methods, constants and variables
}

// Use is one mention of an imported name.
type Use struct {
	Name string // import path and name, such as "os.Getenv"
	Line int
}

// own returns the folder of an import path, and whether it is in this codebase.
func own(importPath string) (folder string, ok bool) { return strings.CutPrefix(importPath, Prefix) }

// under reports whether folder is parent or lies below it.
func under(folder, parent string) bool {
	return folder == parent || strings.HasPrefix(folder, parent+"/")
}

// Load reads every Go file below root, except those of folders that hold no
// product code.
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

func outside(folder string) bool {
	base := path.Base(folder)
	return folder != "." && strings.HasPrefix(base, ".") || base == "node_modules" || base == "testdata" || folder == "data" || folder == "bin"
}

// baseName guesses a package's name from its path: "math/rand/v2" is rand.
func baseName(importPath string) string {
	base := path.Base(importPath)
	if rest, versioned := strings.CutPrefix(base, "v"); versioned && strings.Trim(rest, "0123456789") == "" && importPath != base {
		return path.Base(path.Dir(importPath))
	}
	return base
}

// Parse reads one file.
func Parse(name string, source []byte) (File, error) {
	files := token.NewFileSet()
	tree, err := parser.ParseFile(files, name, source, 0)
	if err != nil {
		return File{}, fmt.Errorf("reading %s: %w", name, err)
	}
	file := File{Name: name, Test: strings.HasSuffix(name, "_test.go") || strings.HasSuffix(path.Dir(name), "test")}
	imported := map[string]string{} // by the name it has in the file
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
		case *ast.SelectorExpr:
			if x, ok := node.X.(*ast.Ident); ok && x.Obj == nil && imported[x.Name] != "" { // a resolved name is a variable's
				file.Uses = append(file.Uses, Use{imported[x.Name] + "." + node.Sel.Name, files.Position(node.Pos()).Line})
			}
		}
		return true
	})
	return file, nil
}

// exports counts the exported names that a declaration declares, methods included.
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
