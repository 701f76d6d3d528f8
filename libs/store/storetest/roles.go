package storetest

import (
	"context"
	"errors"
	"net/url"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/tollgate/tollgate/libs/store/migrations"
)

// rolePassword is the password of the roles of programs on the test server, which may ask for one.
const rolePassword = "role-of-a-test"

// Roles runs migrations.Roles on a Postgres database, and returns a function that returns the URL of the database as a
// role that signs in, such as tollgate_relay. The roles belong to the whole server and stay when the test ends.
func Roles(t testing.TB, database string) (as func(role string) string) {
	t.Helper()
	if err := makeRoles(database); err != nil {
		t.Fatalf("make the roles: %v", err)
	}
	return func(role string) string {
		u, err := url.Parse(database)
		if err != nil {
			t.Fatal(err)
		}
		u.User = url.UserPassword(role, rolePassword)
		return u.String()
	}
}

// makeRoles runs migrations.Roles on the database and sets the passwords. Roles are rows that all databases of the
// server share, and Postgres refuses concurrent changes of one: a lock, which is one of the server's own database,
// orders them.
func makeRoles(database string) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	conn, err := pgx.Connect(ctx, private.address)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }() // gives the lock back
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock(1953459316)"); err != nil {
		return err
	}
	if err := execute(database, migrations.Roles); err != nil {
		return err
	}
	_, err = conn.Exec(ctx, `DO $body$
		DECLARE needed text;
		BEGIN
			FOR needed IN SELECT rolname FROM pg_roles WHERE rolname IN ('tollgate_owner', 'tollgate_console', 'tollgate_relay', 'tollgate_worker') LOOP
				EXECUTE format('ALTER ROLE %I PASSWORD %L', needed, '`+rolePassword+`');
			END LOOP;
		END $body$`)
	return err
}
