// Package sqlite makes SQLite files available to package store: it registers the driver with database/sql. Console,
// standalone and tests import it. Relay and worker, which refuse SQLite, do not, so that they do not contain SQLite.
package sqlite

import _ "modernc.org/sqlite" // the driver
