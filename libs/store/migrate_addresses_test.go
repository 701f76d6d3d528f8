package store_test

import (
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/store"
	storedb "github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/migrations"
	"github.com/tollgate/tollgate/libs/store/person"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// stepsBefore has the steps whose number is lower than next.
type stepsBefore struct {
	embed.FS
	next string
}

func (s stepsBefore) Glob(pattern string) (names []string, err error) {
	all, err := fs.Glob(s.FS, pattern)
	for _, name := range all {
		if path.Base(name) < s.next {
			names = append(names, name)
		}
	}
	return names, err
}

// schemaBefore opens a database whose schema lacks the step and those after it.
func schemaBefore(t *testing.T, url, step string) *store.Store {
	t.Helper()
	s := storetest.Need(store.Open(background, storedb.Options{URL: url}))(t)
	t.Cleanup(func() { storetest.OK(t, s.Close()) })
	storetest.OK(t, s.MigrateWith(background, stepsBefore{migrations.Files, step}, time.Second, 10))
	return s
}

// operatorRow returns the statement that inserts an operator with these values of columns, in SQL.
func operatorRow(id uuid.UUID, values map[string]string) string {
	row := map[string]string{"id": "'" + id.String() + "'", "proof": "''", "role": "'operator'", "status": "'enabled'",
		"language": "''", "created_at": createdAt, "limit_requests": "0", "limit_tokens": "0", "limit_concurrency": "0",
		"password_hash": "'hash'"}
	maps.Copy(row, values)
	columns, texts := slices.Sorted(maps.Keys(row)), []string{}
	for _, column := range columns {
		texts = append(texts, row[column])
	}
	return fmt.Sprintf("INSERT INTO users (%s) VALUES (%s)", strings.Join(columns, ", "), strings.Join(texts, ", "))
}

const createdAt = "'2026-01-02 03:04:05+00:00'"

// ownerRow and claimRow insert an operator as the first release does, which has the address in two columns.
func ownerRow(id uuid.UUID, address string) string {
	return operatorRow(id, map[string]string{"email": "'" + address + "'"})
}

func claimRow(id uuid.UUID, address string) string {
	return operatorRow(id, map[string]string{
		"email": "'" + id.String() + "@claimed.invalid'", "claimed_email": "'" + address + "'"})
}

// wantOwner checks who can sign in with an address; uuid.Nil stands for nobody.
func wantOwner(t *testing.T, s *store.Store, address string, id uuid.UUID) {
	t.Helper()
	found, hash, err := s.Identity.UserWithPassword(background, platform, address)
	if id == uuid.Nil {
		storetest.Refuses(t, err, problem.NotFound, "")
		return
	}
	storetest.OK(t, err)
	storetest.Equal(t, "owner of "+address, found.ID, id)
	storetest.Equal(t, "address", found.Email, address)
	storetest.Equal(t, "password", hash, "hash")
}

// wantAddress checks the address that the user has or claims.
func wantAddress(t *testing.T, s *store.Store, id uuid.UUID, address string) {
	t.Helper()
	storetest.Equal(t, "address", storetest.Need(s.Identity.User(background, platform, id))(t).Email, address)
}

// Users of before the column address keep their addresses, and what they can sign in with.
func TestMigrate_GivesAddressesToOldUsers(t *testing.T) {
	for kind, url := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			database := url(t)
			s := schemaBefore(t, database, "0095")
			owner, claim, erased := storetest.NewID(), storetest.NewID(), storetest.NewID()
			statements := []string{ownerRow(owner, "a@x.example"), claimRow(claim, "a@x.example"),
				ownerRow(erased, person.ErasedEmail(erased))}
			last := storetest.NewID()
			for n := range 2100 { // more than two batches
				last = storetest.NewID()
				statements = append(statements, ownerRow(last, fmt.Sprintf("%d@x.example", n)))
			}
			storetest.OK(t, storetest.Try(t, database, strings.Join(statements, ";")))
			storetest.OK(t, s.Migrate(background))
			wantOwner(t, s, "a@x.example", owner)
			wantOwner(t, s, "2099@x.example", last)
			wantOwner(t, s, person.ErasedEmail(erased), uuid.Nil)
			wantAddress(t, s, claim, "a@x.example")
			wantAddress(t, s, erased, person.ErasedEmail(erased))
			owners := slices.DeleteFunc(storetest.Dump(t, database, "created_at")["users"],
				func(row string) bool { return !strings.Contains(row, "2026-01-02") })
			storetest.Equal(t, "users who own their address since they were made", len(owners), 2101)
		})
	}
}

// SQLite copies the table of users. The rows that refer to users stay, and references are checked afterwards.
func TestMigrate_KeepsWhatRefersToUsers(t *testing.T) {
	t.Parallel()
	url := storetest.SQLite(t)
	s := schemaBefore(t, url, "0099")
	user := storetest.NewID()
	storetest.OK(t, storetest.Try(t, url, ownerRow(user, "a@x.example")+fmt.Sprintf(`;
		INSERT INTO sessions (id, hash, user_id, means, address, agent, created_at, last_seen, expires_at)
			VALUES ('s', 'h', '%[1]s', 'password', '', '', %[2]s, %[2]s, %[2]s);
		INSERT INTO alert_destinations (id, kind, name, mail_to, shown, language, status, created_at)
			VALUES ('d', 'mail', 'n', '%[1]s', '', 'en', 'enabled', %[2]s)`, user, createdAt)))
	before := storetest.Dump(t, url)
	storetest.OK(t, s.Migrate(background))
	wantOwner(t, s, "a@x.example", user)
	after := storetest.Dump(t, url)
	for _, table := range []string{"sessions", "alert_destinations"} {
		if len(after[table]) != 1 || after[table][0] != before[table][0] {
			t.Errorf("%s: got %v, want %v", table, after[table], before[table])
		}
	}
	wantChecked(t, s)
}

// wantChecked checks that the store's connection checks references.
func wantChecked(t *testing.T, s *store.Store) {
	t.Helper()
	err := s.WriteAs(background, platform, func(tx bun.IDB) error {
		_, err := tx.NewDelete().Table("users").Where("1 = 1").Exec(background)
		return err
	})
	if err == nil {
		t.Error("a user was deleted to whom other rows refer")
	}
}

// brokenStep has a step that copies a table of SQLite and forgets its rows.
type brokenStep struct{ embed.FS }

const brokenName = "sqlite/9999_broken.up.sql"

func (s brokenStep) Glob(pattern string) ([]string, error) {
	names, err := fs.Glob(s.FS, pattern)
	if ok, _ := path.Match(pattern, brokenName); ok {
		names = append(names, brokenName)
	}
	return names, err
}

func (s brokenStep) ReadFile(name string) ([]byte, error) {
	if name == brokenName {
		return []byte("CREATE TABLE copied AS SELECT * FROM users; DELETE FROM users"), nil
	}
	return s.FS.ReadFile(name)
}

func TestMigrate_BreaksNoReference(t *testing.T) {
	t.Parallel()
	url := storetest.SQLite(t)
	s := storetest.Open(t, storedb.Options{URL: url})
	f := storetest.NewCustomer(t, s, "acme")
	if err := s.MigrateWith(background, brokenStep{migrations.Files}, time.Second, 1); err == nil ||
		!strings.Contains(err.Error(), "rows that do not exist") {
		t.Errorf("got error %v, want one about references", err)
	}
	wantAddress(t, s, f.Member.ID, f.Member.Email)
	wantChecked(t, s)
	if _, kept := storetest.Dump(t, url)["copied"]; kept {
		t.Error("a part of the step was kept")
	}
}
