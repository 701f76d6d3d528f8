package storetest

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"

	_ "github.com/tollgate/tollgate/libs/store/sqlite" // the driver
)

// Try runs statements on a database of either kind without the store and returns the database's error. Tests
// use it to check that a constraint refuses a row.
func Try(t testing.TB, url, statements string) error {
	t.Helper()
	path, lite := strings.CutPrefix(url, "sqlite:")
	if !lite {
		return execute(url, statements)
	}
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(15000)&_pragma=foreign_keys(1)")
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(context.Background(), statements)
	return errors.Join(err, db.Close())
}
