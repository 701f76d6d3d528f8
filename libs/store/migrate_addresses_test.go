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
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store"
	storedb "github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/erase"
	"github.com/tollgate/tollgate/libs/store/identity"
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

// previousRelease writes users on Postgres as programs of the release before do, which read the new columns and write
// the old ones. The users have the same address.
type previousRelease struct {
	*testing.T
	url, address string
}

// do runs a statement, which must succeed.
func (r previousRelease) do(statement string) {
	r.Helper()
	storetest.OK(r, storetest.Try(r, r.url, statement))
}

// create inserts an operator with the address unless another user owns it, and otherwise one who claims it.
func (r previousRelease) create() uuid.UUID {
	r.Helper()
	id := storetest.NewID()
	values := map[string]string{"address": "'" + r.address + "'", "email": "'" + r.address + "'", "owned_at": createdAt}
	r.do(operatorRow(id, values) + " ON CONFLICT DO NOTHING")
	values["email"], values["claimed_email"], values["owned_at"] = "'"+id.String()+"@claimed.invalid'",
		values["address"], "NULL"
	r.do(operatorRow(id, values) + " ON CONFLICT DO NOTHING")
	return id
}

// own stores that the user has proven the address by a link that was handed over.
func (r previousRelease) own(id uuid.UUID) error {
	return storetest.Try(r, r.url, fmt.Sprintf(
		"UPDATE users SET proof = 'link', email = '%s', claimed_email = NULL WHERE id = '%s'", r.address, id))
}

// release stores that the user only claims the address.
func (r previousRelease) release(id uuid.UUID) {
	r.Helper()
	r.do(fmt.Sprintf("UPDATE users SET proof = '', email = '%s@claimed.invalid', claimed_email = '%s' "+
		"WHERE id = '%[1]s'", id, r.address))
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

// While programs of the release before still run, both releases write users, and each reads what the other one wrote.
func TestAddress_OfUsersThatTwoReleasesWrite(t *testing.T) {
	t.Parallel()
	const address = "a@x.example"
	old := previousRelease{t, storetest.Postgres(t), address}
	s := storetest.Open(t, storedb.Options{URL: old.url})
	acme, globex := storetest.NewCustomer(t, s, "acme"), storetest.NewCustomer(t, s, "globex")
	create := func(f *storetest.Customer) uuid.UUID {
		return storetest.Need(s.Identity.CreateUser(background, storetest.Confirmed(f.AsOwner), identity.NewUser{
			TenantID: f.Tenant.ID, Email: address, Role: tenant.Member, PasswordHash: "hash"}))(t).ID
	}
	a := create(&acme)
	b := old.create()
	wantOwner(t, s, address, a)
	wantAddress(t, s, b, address)
	storetest.Equal(t, "users found for the address",
		len(storetest.Need(s.Erase.Users(background, platform, "A@x.example"))(t)), 2)
	user := storetest.Need(s.Identity.User(background, platform, a))(t)
	storetest.Equal(t, "the address is claimed elsewhere",
		storetest.Need(s.Identity.ClaimedElsewhere(background, platform, user))(t), true)

	if old.own(b) == nil {
		t.Error("the release before made a second owner")
	}
	old.release(a)
	wantOwner(t, s, address, uuid.Nil)
	storetest.OK(t, old.own(b))
	wantOwner(t, s, address, b)
	wantAddress(t, s, a, address)

	// A mailed link takes the address from b, whose column email then is out of date.
	prove(t, s, a)
	wantOwner(t, s, address, a)
	wantAddress(t, s, b, address)
	c := old.create()
	old.release(a)
	storetest.OK(t, old.own(c))
	wantOwner(t, s, address, c)
	if old.own(b) == nil {
		t.Error("the release before made a second owner")
	}

	storetest.Need(s.Erase.User(background, platform, c,
		erase.Request{Recipient: func(uuid.UUID, []byte) string { return "" }}))(t)
	wantOwner(t, s, address, uuid.Nil)
	wantAddress(t, s, c, person.ErasedEmail(c))
	d := old.create()
	wantOwner(t, s, address, d)
	e := create(&globex)
	wantOwner(t, s, address, d)
	prove(t, s, e)
	wantOwner(t, s, address, e)
	storetest.Refuses(t, tryToProve(s, a), problem.Conflict, "email")
}

// prove proves the address of the user by a mailed link.
func prove(t *testing.T, s *store.Store, id uuid.UUID) {
	t.Helper()
	storetest.OK(t, tryToProve(s, id))
}

func tryToProve(s *store.Store, id uuid.UUID) error {
	hash := storetest.Hash(storetest.NewID())
	_, err := s.Identity.CreatePasswordReset(background, storetest.Confirmed(platform), identity.NewReset{
		UserID: id, Hash: hash, Proof: tenant.Mailed, ExpiresAt: time.Now().Add(time.Hour)})
	if err == nil {
		_, err = s.Identity.ResetPassword(background, platform, hash, "hash")
	}
	return err
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
