package store_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/metering"
	"github.com/tollgate/tollgate/libs/store/reconcile"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// Each budget adds a window every day, which is kept for more than a year.
func TestSumsOfAccounts_LeaveOutTheWindowsThatHaveEnded(t *testing.T) {
	t.Parallel()
	url := storetest.Postgres(t)
	storetest.NewCustomer(t, storetest.Open(t, db.Options{URL: url}), "acme")
	conn := storetest.Need(pgx.Connect(background, url))(t)
	t.Cleanup(func() { storetest.OK(t, conn.Close(background)) })
	_, err := conn.Exec(background, `INSERT INTO accounts (id, kind, granted, owner_id, period, window_start)
		SELECT gen_random_uuid(), 'token', 1, gen_random_uuid(), 'day', now() - interval '1 day' * (40 + n % 300)
		FROM generate_series(1, 50000) AS n`)
	storetest.OK(t, err)
	_, err = conn.Exec(background, "VACUUM ANALYZE accounts")
	storetest.OK(t, err)
	d := storetest.Need(db.Open(background, db.Options{URL: url}))(t)
	t.Cleanup(func() { storetest.OK(t, d.Close()) })
	var asked storetest.Statements
	observed := d.WithHook(&asked)
	storetest.Need(reconcile.New(observed).Run(background, platform))(t)
	storetest.Need(metering.New(observed).PlatformTotals(background, platform))(t)

	examined := 0
	for _, statement := range asked.Seen {
		if !slices.ContainsFunc([]string{"FROM accounts AS a", "FROM compared AS a", "FROM accounts AS r"},
			func(from string) bool { return strings.Contains(statement, from) }) {
			continue
		}
		examined++
		for _, name := range storetest.FullScans(t, conn, statement) {
			if slices.Contains([]string{"accounts", "accounts_pkey"}, name) {
				t.Errorf("reads all of %s: %s", name, statement)
			}
		}
	}
	storetest.Equal(t, "statements that read accounts", examined, 4)
}
