// Package migrations holds the schema of both databases as ordered,
// forward-only steps. A step that was released is never edited.
package migrations

import "embed"

// Files has the steps of one database per folder: postgres and sqlite.
//
//go:embed postgres/*.sql sqlite/*.sql
var Files embed.FS
