// Command packages writes docs/packages.md to its standard output: each package of the repository with the first
// sentence of its comment. It runs in the root of the repository.
package main

import (
	"bufio"
	"fmt"
	"go/build"
	"go/doc"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// sections are the folders with packages, in the order of the page.
var sections = []string{"apps/relay", "apps/console", "apps/worker", "apps/standalone", "libs", "libs/core",
	"libs/wire", "libs/provider", "libs/store", "openapi/clients/go", "e2e", "tools"}

const head = `# Packages

Each package with the first sentence of its comment; ` + "`go doc`" + ` shows the rest. ` + "`make generate`" + ` writes this page.
[architecture.md](architecture.md) shows how they work together.
`

func main() {
	out := bufio.NewWriter(os.Stdout)
	if err := write(out); err != nil {
		fmt.Fprintln(os.Stderr, "packages:", err)
		os.Exit(1)
	}
	if err := out.Flush(); err != nil {
		fmt.Fprintln(os.Stderr, "packages:", err)
		os.Exit(1)
	}
}

func write(out *bufio.Writer) error {
	_, _ = out.WriteString(head)
	for _, section := range sections {
		_, _ = fmt.Fprintf(out, "\n## %s\n\n| package | what it does |\n|---|---|\n", section)
		err := filepath.WalkDir(section, func(folder string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case !entry.IsDir():
				return nil
			case skip(section, folder, entry.Name()):
				return filepath.SkipDir
			}
			return writePackage(out, folder)
		})
		if err != nil {
			return fmt.Errorf("read %s: %w", section, err)
		}
	}
	return nil
}

// skip reports whether a folder below a section has no packages, or has a section of its own.
func skip(section, folder, name string) bool {
	if name == "node_modules" || name == "testdata" || strings.HasPrefix(name, ".") {
		return true
	}
	for _, other := range sections {
		if other != section && other == folder {
			return true
		}
	}
	return false
}

// writePackage writes the row of the package in a folder, if it has one that is not for tests only.
func writePackage(out *bufio.Writer, folder string) error {
	pkg, err := build.Default.ImportDir(folder, 0)
	if _, none := err.(*build.NoGoError); none { //nolint:errorlint // ImportDir does not wrap it
		return nil
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", folder, err)
	}
	if len(pkg.GoFiles) == 0 {
		return nil
	}
	text := new(doc.Package).Synopsis(pkg.Doc)
	for _, first := range []string{"Package " + pkg.Name + " ", "Command " + filepath.Base(folder) + " "} {
		text = strings.TrimPrefix(text, first)
	}
	_, err = fmt.Fprintf(out, "| `%s` | %s |\n", folder, strings.ReplaceAll(text, "|", `\|`))
	return err
}
