package session

import (
	"net/netip"
	"testing"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/throttle"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/identity"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// A sign-in that computes no hash, or a cheaper one, would be faster and tell that the account has no password.
func TestSignIn_ComputesOneHashOfTheSameCostForEveryAccount(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, db.Options{URL: storetest.SQLite(t)})
	passwords, err := NewPasswords(seal.PasswordCost{}, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	var checked []string
	passwords.check = func(password, hash string) bool {
		checked = append(checked, hash)
		return seal.CheckPassword(password, hash)
	}
	sessions := &Sessions{
		store: s, passwords: passwords, throttle: throttle.New(), sealer: seal.New([32]byte{1}), now: time.Now,
		system: tenant.SystemScope("test"),
	}
	const right = "correct horse battery"
	hash, err := seal.HashPassword(right, seal.PasswordCost{})
	if err != nil {
		t.Fatal(err)
	}
	disabled := tenant.Disabled
	for _, account := range []struct{ address, hash string }{
		{"with@x.example", hash}, {"without@x.example", ""}, {"malformed@x.example", "x"}, {"disabled@x.example", hash},
		{"cheap@x.example",
			"$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$RdescudvJCsgt3ub+b+dWRWJTmaaJObGRdescudvJCs"},
	} {
		user, err := s.Identity.CreateUser(t.Context(), storetest.Confirmed(sessions.system),
			identity.NewUser{Email: account.address, PasswordHash: account.hash, Role: tenant.Operator})
		if err == nil && account.address == "disabled@x.example" {
			_, err = s.Identity.UpdateUser(t.Context(), storetest.Confirmed(sessions.system), user.ID,
				identity.UserPatch{Status: &disabled})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range []struct {
		address, password string
		ok                bool
	}{
		{"with@x.example", right, true}, {"with@x.example", "wrong", false}, {"without@x.example", right, false},
		{"without@x.example", "", false},
		{"without@x.example", "no user has this password", false}, {"malformed@x.example", right, false},
		{"cheap@x.example", right, false},
		{"disabled@x.example", right, false}, {"nobody@x.example", right, false},
		{"nobody@x.example", "no user has this password", false},
	} {
		checked = nil
		_, err := sessions.prove(t.Context(),
			Credentials{Email: row.address, Password: row.password, Address: netip.MustParseAddr("203.0.113.7")})
		if (err == nil) != row.ok || err != nil && err.Error() != refused().Error() {
			t.Errorf("%s with %q: got error %v, want ok %v", row.address, row.password, err, row.ok)
		}
		if len(checked) != 1 || !seal.IsPasswordHash(checked[0], seal.PasswordCost{}) {
			t.Errorf("%s with %q: computed the hashes %q, want one of the usual cost", row.address,
				row.password, checked)
		}
	}
}
