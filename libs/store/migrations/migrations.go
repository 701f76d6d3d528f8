// Package migrations holds the schema of both databases as ordered steps that only go forward. The file name of
// a step begins with its number, which means the same in both folders; the name ends with .tx.up.sql if the
// step is one transaction, which all are unless they build an index concurrently. Package db applies the steps
// (db.DB.Migrate).
//
// A step that was released is never edited. README.md has the rules for new steps, and the tests of this
// package check those that can be checked in the text.
package migrations

import "embed"

// Files has one folder for each database: postgres and sqlite.
//
//go:embed postgres/*.sql sqlite/*.sql
var Files embed.FS
