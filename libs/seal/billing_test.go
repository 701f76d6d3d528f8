package seal_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/seal"
)

func TestSealBilling_OpensForItsAccountAndNothingElse(t *testing.T) {
	t.Parallel()
	s := seal.New(secret(1))
	sealed := s.SealBilling("sk-admin-1", "a")
	if plain, err := s.OpenBilling(sealed, "a"); err != nil || plain != "sk-admin-1" {
		t.Errorf("got %q, error %v", plain, err)
	}
	if bytes.Contains(sealed, []byte("sk-admin")) {
		t.Error("the sealed value contains the credential")
	}
	for name, open := range map[string]func() (string, error){
		"of another account": func() (string, error) { return s.OpenBilling(sealed, "b") },
		"as the credential of a channel": func() (string, error) {
			return s.OpenCredential(catalog.SealedSecret{Sealed: sealed})
		},
		"with any other purpose":  func() (string, error) { return s.Open(sealed, "billing-credential a") },
		"with another secret key": func() (string, error) { return seal.New(secret(2)).OpenBilling(sealed, "a") },
		"that is empty":           func() (string, error) { return s.OpenBilling(nil, "a") },
	} {
		if plain, err := open(); !errors.Is(err, seal.ErrBroken) {
			t.Errorf("a credential %s: got %q, error %v, want %v", name, plain, err, seal.ErrBroken)
		}
	}
}

func TestSealBilling_RotatesWithTheSecretKey(t *testing.T) {
	t.Parallel()
	old, both, next := seal.New(secret(1)), seal.NewRotating(secret(2), secret(1)), seal.New(secret(2))
	if plain, err := both.OpenBilling(old.SealBilling("sk-admin-1", "a"), "a"); err != nil || plain != "sk-admin-1" {
		t.Errorf("value of the old key: got %q, error %v", plain, err)
	}
	if both.BillingKey() != next.BillingKey() || both.BillingKey() == old.BillingKey() {
		t.Error("the name of the key is not that of the current secret key")
	}
}
