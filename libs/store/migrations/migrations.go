// Package migrations holds the schema of both databases as ordered steps that only go forward. The file name of
// a step begins with its number, which means the same in every folder; the name ends with .tx.up.sql if the
// step is one transaction, which all are unless they build an index concurrently, change rows in batches or copy a
// table of SQLite. Package db applies the steps (db.DB.Migrate).
//
// The first step is the baseline: the schema of the product's first version.
//
// A step that was released is never edited. README.md has the rules for new steps, and the tests of this
// package check those that can be checked in the text.
package migrations

import (
	"cmp"
	"embed"
	"io/fs"
	"path"
	"slices"
)

// Files holds the steps. The folders postgres and sqlite have the steps of one database, and the folder both has
// the steps whose SQL both databases understand.
//
//go:embed */*.sql
var Files embed.FS

// Baseline is the number of the first step. It replaces the steps 0001 to 0084 and has the number of the last of them,
// so a database that has them all has the baseline. LastBeforeBaseline is the last commit with these steps, for
// databases that have only some of them.
const (
	Baseline           = "0084"
	LastBeforeBaseline = "44ea123e"
)

// Roles is the file roles.sql, which creates a database role for each program and grants it what it needs. It is plain
// SQL for Postgres that may run any number of times, before and after the steps.
//
//go:embed roles.sql
var Roles string

// Folders returns the folders with the steps of a database, "postgres" or "sqlite".
func Folders(database string) []string { return []string{"both", database} }

// Paths returns the paths in files, such as Files, of the steps of a database, in the order in which they run.
func Paths(files fs.FS, database string) ([]string, error) {
	var paths []string
	for _, folder := range Folders(database) {
		matches, err := fs.Glob(files, folder+"/*.sql")
		if err != nil {
			return nil, err
		}
		paths = append(paths, matches...)
	}
	slices.SortFunc(paths, func(a, b string) int { return cmp.Compare(path.Base(a), path.Base(b)) })
	return paths, nil
}
