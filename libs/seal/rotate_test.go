package seal_test

import (
	"errors"
	"testing"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/seal"
)

func TestNewRotating_OpensOldValuesAndSealsWithTheNewKey(t *testing.T) {
	old, both, next := seal.New(secret(1)), seal.NewRotating(secret(2), secret(1)), seal.New(secret(2))
	key, err := old.SealCredential("sk-credential-0123456789")
	if err != nil {
		t.Fatal(err)
	}
	proxy, _ := old.SealProxy("http://user:pass@proxy.example")
	state := old.SealState([]byte("state"), []byte("for"))

	if plain, err := both.OpenCredential(key); err != nil || plain != "sk-credential-0123456789" {
		t.Errorf("credential of the old key: got %q, error %v", plain, err)
	}
	if plain, err := both.OpenState(state, []byte("for")); err != nil || string(plain) != "state" {
		t.Errorf("state of the old key: got %q, error %v", plain, err)
	}
	again, did, err := both.ResealCredential(key)
	if err != nil || !did || again.Mask != key.Mask {
		t.Fatalf("reseal: got %+v, %v, error %v; want the same mask and true", again, did, err)
	}
	if plain, err := next.OpenCredential(again); err != nil || plain != "sk-credential-0123456789" {
		t.Errorf("resealed credential under the new key: got %q, error %v", plain, err)
	}
	if _, err := old.OpenCredential(again); !errors.Is(err, seal.ErrBroken) {
		t.Errorf("resealed credential under the old key: got error %v, want %v", err, seal.ErrBroken)
	}
	if _, did, err := both.ResealCredential(again); did || err != nil {
		t.Errorf("second reseal: got %v, error %v; want false", did, err)
	}
	if moved, did, err := both.ResealProxy(proxy); err != nil || !did {
		t.Errorf("reseal of the proxy: got %v, error %v; want true", did, err)
	} else if plain, err := next.OpenProxy(moved); err != nil || plain != "http://user:pass@proxy.example" {
		t.Errorf("resealed proxy under the new key: got %q, error %v", plain, err)
	}
	if _, did, err := both.ResealProxy(catalog.SealedSecret{}); did || err != nil {
		t.Errorf("reseal without a proxy: got %v, error %v; want false", did, err)
	}
	foreign, _ := seal.New(secret(3)).SealCredential("x")
	if _, _, err := both.ResealCredential(foreign); !errors.Is(err, seal.ErrBroken) {
		t.Errorf("credential of a third key: got error %v, want %v", err, seal.ErrBroken)
	}
	if both.OldFingerprint("x") != old.Fingerprint("x") || both.Fingerprint("x") != next.Fingerprint("x") ||
		next.OldFingerprint("x") != "" {
		t.Error("a fingerprint is of the wrong key")
	}
	if p := both.Peppers(); !p.Rotating() || p.Other.ID != old.Peppers().Current.ID ||
		p.Current.ID != next.Peppers().Current.ID || p.Current.ID == p.Other.ID {
		t.Errorf("got peppers %+v, want those of the new and the old key", p)
	}
	if p := next.Peppers(); p.Rotating() {
		t.Error("a Sealer of one key has two peppers")
	}
}
