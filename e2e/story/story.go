// Package story has what the stories of e2e and of e2e/shipped are told with:
// waiting, a context, a question to the database.
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

// TimeToRecord is how long the way from relay to database may take.
const TimeToRecord = 15 * time.Second

// Context returns a context of a minute, which ends with the test.
func Context(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// Eventually fails the test where what it says does not hold within that time.
func Eventually(t *testing.T, within time.Duration, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	if err := wait.Until(ctx, func(context.Context) error {
		if !holds() {
			return errNotYet
		}
		return nil
	}); err != nil {
		t.Fatalf("not within %v: %s", within, what)
	}
}

var errNotYet = errors.New("the condition does not hold yet")

// NeedsPrograms skips a test that runs programs where the tests run with -short.
func NeedsPrograms(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: it runs programs, services or containers")
	}
}

// Missing skips the test where err says that the machine lacks something
// (stack.ErrMissing), or fails it where the run requires everything.
func Missing(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, stack.ErrMissing) {
		return
	}
	if os.Getenv("TEST_REQUIRE") == "all" {
		t.Fatalf("TEST_REQUIRE=all, and this is left out: %v", err)
	}
	t.Skip(err)
}

// Query runs a statement that yields one integer, on the database of that URL.
func Query(t *testing.T, database, sql string, args ...any) (n int64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, database)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx) //nolint:errcheck // nothing is left to be done about it
	if err := conn.QueryRow(ctx, sql, args...).Scan(&n); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return n
}
