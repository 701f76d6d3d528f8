package store_test

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store"
	storedb "github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/erase"
	"github.com/tollgate/tollgate/libs/store/identity"
	"github.com/tollgate/tollgate/libs/store/migrations"
	"github.com/tollgate/tollgate/libs/store/page"
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

// firstRelease writes users as the release before the column address does.
type firstRelease struct {
	*testing.T
	url string
}

// operator returns the statement that inserts an operator with an address that nobody else may have, or, if claims is
// set, one who only claims it.
func (r firstRelease) operator(id uuid.UUID, address string, claims bool) string {
	email, claimed := "'"+address+"'", "NULL"
	if claims {
		email, claimed = "'"+id.String()+"@claimed.invalid'", email
	}
	return fmt.Sprintf("INSERT INTO users (id, email, claimed_email, proof, role, status, language, created_at, "+
		"limit_requests, limit_tokens, limit_concurrency, password_hash) VALUES ('%s', %s, %s, '', 'operator', "+
		"'enabled', '', '2026-01-02 03:04:05+00:00', 0, 0, 0, 'hash')", id, email, claimed)
}

// set stores the columns of an address.
func (r firstRelease) set(id uuid.UUID, email, claimed string) error {
	return storetest.Try(r, r.url, fmt.Sprintf(
		"UPDATE users SET email = '%s', claimed_email = %s, proof = 'mail' WHERE id = '%s'", email, claimed, id))
}

// own and claim do what a proof of the address and its loss do.
func (r firstRelease) own(id uuid.UUID, address string) error { return r.set(id, address, "NULL") }
func (r firstRelease) claim(id uuid.UUID, address string) error {
	return r.set(id, id.String()+"@claimed.invalid", "'"+address+"'")
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
			old := firstRelease{t, url(t)}
			s := schemaBefore(t, old.url, "0095")
			owner, claim, erased := storetest.NewID(), storetest.NewID(), storetest.NewID()
			statements := []string{
				old.operator(owner, "a@x.example", false), old.operator(claim, "a@x.example", true),
				old.operator(erased, person.ErasedEmail(erased), false),
			}
			last := storetest.NewID()
			for n := range 2100 { // more than two batches
				last = storetest.NewID()
				statements = append(statements, old.operator(last, fmt.Sprintf("%d@x.example", n), false))
			}
			storetest.OK(t, storetest.Try(t, old.url, strings.Join(statements, ";")))
			storetest.OK(t, s.Migrate(background))
			wantOwner(t, s, "a@x.example", owner)
			wantOwner(t, s, "0@x.example", storetest.Need(s.Identity.UserByEmail(background, platform,
				"0@x.example"))(t).ID)
			wantOwner(t, s, "2099@x.example", last)
			wantOwner(t, s, person.ErasedEmail(erased), uuid.Nil)
			wantAddress(t, s, claim, "a@x.example")
			wantAddress(t, s, erased, person.ErasedEmail(erased))
			owners := slices.DeleteFunc(storetest.Dump(t, old.url, "created_at")["users"],
				func(row string) bool { return !strings.Contains(row, "2026-01-02") })
			storetest.Equal(t, "users who own their address since they were made", len(owners), 2101)
		})
	}
}

// While programs of the release before still run, they write users without the new columns.
func TestAddress_OfUsersThatThePreviousReleaseWrites(t *testing.T) {
	for kind, url := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			old := firstRelease{t, url(t)}
			s := storetest.Open(t, storedb.Options{URL: old.url})
			a, b, c := storetest.NewID(), storetest.NewID(), storetest.NewID()
			insert := func(statement string) { t.Helper(); storetest.OK(t, storetest.Try(t, old.url, statement)) }
			insert(old.operator(a, "a@x.example", false))
			insert(old.operator(b, "a@x.example", true))
			wantOwner(t, s, "a@x.example", a)
			wantAddress(t, s, b, "a@x.example")
			storetest.Equal(t, "users found for the address",
				len(storetest.Need(s.Erase.Users(background, platform, "A@x.example"))(t)), 2)
			user := storetest.Need(s.Identity.User(background, platform, a))(t)
			storetest.Equal(t, "the address is claimed elsewhere",
				storetest.Need(s.Identity.ClaimedElsewhere(background, platform, user))(t), true)
			found := storetest.Need(s.Identity.Users(background, platform, uuid.Nil, page.Page{Search: "a@x.ex"}))(t)
			storetest.Equal(t, "users found by a search", len(found.Items), 2)

			// A second owner is refused, or left out, as the release before expects.
			if old.own(b, "a@x.example") == nil {
				t.Error("two users own an address")
			}
			insert(old.operator(c, "a@x.example", false) + " ON CONFLICT DO NOTHING")
			_, err := s.Identity.User(background, platform, c)
			storetest.Refuses(t, err, problem.NotFound, "")

			// b proves the address, and a loses it.
			storetest.OK(t, old.claim(a, "a@x.example"))
			wantOwner(t, s, "a@x.example", uuid.Nil)
			storetest.OK(t, old.own(b, "a@x.example"))
			wantOwner(t, s, "a@x.example", b)
			wantAddress(t, s, a, "a@x.example")

			storetest.OK(t, old.own(a, person.ErasedEmail(a)))
			wantAddress(t, s, a, person.ErasedEmail(a))
			wantOwner(t, s, person.ErasedEmail(a), uuid.Nil)
		})
	}
}

// Programs of the release before read what this one writes.
func TestAddress_IsReadByThePreviousRelease(t *testing.T) {
	url := storetest.Postgres(t)
	s := storetest.Open(t, storedb.Options{URL: url})
	conn := storetest.Need(pgx.Connect(background, url))(t)
	t.Cleanup(func() { _ = conn.Close(background) })
	wantOld := func(id uuid.UUID, email, claimed string) {
		t.Helper()
		var gotEmail, gotClaimed string
		storetest.OK(t, conn.QueryRow(background,
			"SELECT email, coalesce(claimed_email, 'none') FROM users WHERE id = $1", id).Scan(&gotEmail, &gotClaimed))
		storetest.Equal(t, "email", gotEmail, email)
		storetest.Equal(t, "claimed_email", gotClaimed, claimed)
	}
	acme, globex := storetest.NewCustomer(t, s, "acme"), storetest.NewCustomer(t, s, "globex")
	create := func(f *storetest.Customer) uuid.UUID {
		return storetest.Need(s.Identity.CreateUser(background, storetest.Confirmed(f.AsOwner), identity.NewUser{
			TenantID: f.Tenant.ID, Email: "A@x.example", Role: tenant.Member, PasswordHash: "hash"}))(t).ID
	}
	address := "a@x.example"
	owner, claim := create(&acme), create(&globex)
	wantOld(owner, address, "none")
	wantOld(claim, person.Placeholder(claim), address)
	wantOwner(t, s, address, owner)

	prove(t, s, claim)
	wantOld(owner, person.Placeholder(owner), address)
	wantOld(claim, address, "none")

	storetest.Need(s.Erase.User(background, platform, claim,
		erase.Request{Recipient: func(uuid.UUID, []byte) string { return "" }}))(t)
	wantOld(claim, person.ErasedEmail(claim), "none")
	wantOwner(t, s, address, uuid.Nil)
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
