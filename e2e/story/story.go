// Package story holds helpers that the end-to-end tests of e2e and e2e/shipped share: a context, waiting,
// skipping when a program is missing, database queries, and a client of the console.
package story

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/tollgate/tollgate/e2e/stack"
	"github.com/tollgate/tollgate/e2e/wait"
)

// Patience is how long a test waits for something that takes a moment. It is much longer than a busy machine needs, so
// that it says nothing about speed.
const Patience = 30 * time.Second

// Context returns a context that ends after two minutes, or with the test.
func Context(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// Eventually polls holds and fails the test if it does not return true within the time. condition names the
// condition for the failure message.
func Eventually(t *testing.T, within time.Duration, condition string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	if err := wait.Until(ctx, func(context.Context) error {
		if !holds() {
			return errNotYet
		}
		return nil
	}); err != nil {
		t.Fatalf("not true within %v: %s", within, condition)
	}
}

var errNotYet = errors.New("the condition does not hold yet")

// NeedsPrograms skips a test that runs programs, services or containers if the tests run with -short.
func NeedsPrograms(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: it runs programs, services or containers")
	}
}

// Missing skips the test if err wraps stack.ErrMissing. With TEST_REQUIRE=all it fails the test instead. Other
// errors are left to the caller.
func Missing(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, stack.ErrMissing) {
		return
	}
	if os.Getenv("TEST_REQUIRE") == "all" {
		t.Fatalf("TEST_REQUIRE=all, but this test cannot run: %v", err)
	}
	t.Skip(err)
}

// Query runs a statement that returns one integer on the database with that URL.
func Query(t *testing.T, database, sql string, args ...any) (n int64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	conn, err := pgx.Connect(ctx, database)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx) //nolint:errcheck // a failure affects no other connection
	if err := conn.QueryRow(ctx, sql, args...).Scan(&n); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return n
}
