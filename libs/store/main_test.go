package store_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/store/storetest"
)

var (
	background = context.Background()
	platform   = storetest.Platform
)

// TestMain runs the tests, or only migrates a database if a test started this program as a child.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 {
		if url, child := strings.CutPrefix(os.Args[1], migrateURL); child {
			os.Exit(migrateAndExit(url))
		}
	}
	os.Exit(storetest.Main(m))
}
