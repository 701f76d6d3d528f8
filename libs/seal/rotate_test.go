package seal_test

import (
	"errors"
	"testing"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/seal"
)

func TestRotation(t *testing.T) {
	old, both, next := seal.New(secret(1)), seal.NewRotating(secret(2), secret(1)), seal.New(secret(2))
	key, err := old.SealCredential("sk-credential-0123456789")
	if err != nil {
		t.Fatal(err)
	}
	proxy, _ := old.SealProxy("http://user:pass@proxy.example")
	state := old.SealState([]byte("state"), []byte("for"))

	if plain, err := both.OpenCredential(key); err != nil || plain != "sk-credential-0123456789" {
		t.Errorf("both open the old key's: %q, %v", plain, err)
	}
	if plain, err := both.OpenState(state, []byte("for")); err != nil || string(plain) != "state" {
		t.Errorf("both open the old key's state: %q, %v", plain, err)
	}
	again, did, err := both.ResealCredential(key)
	if err != nil || !did || again.Mask != key.Mask {
		t.Fatalf("resealed: %+v, %v, %v", again, did, err)
	}
	if plain, err := next.OpenCredential(again); err != nil || plain != "sk-credential-0123456789" {
		t.Errorf("the new key opens it: %q, %v", plain, err)
	}
	if _, err := old.OpenCredential(again); !errors.Is(err, seal.ErrBroken) {
		t.Errorf("the old key opens it still: %v", err)
	}
	if _, did, err := both.ResealCredential(again); did || err != nil {
		t.Errorf("a second time: %v, %v", did, err)
	}
	if moved, did, err := both.ResealProxy(proxy); err != nil || !did {
		t.Errorf("the proxy: %v, %v", did, err)
	} else if plain, err := next.OpenProxy(moved); err != nil || plain != "http://user:pass@proxy.example" {
		t.Errorf("the proxy: %q, %v", plain, err)
	}
	if _, did, err := both.ResealProxy(catalog.SealedSecret{}); did || err != nil {
		t.Errorf("no proxy: %v, %v", did, err)
	}
	foreign, _ := seal.New(secret(3)).SealCredential("x")
	if _, _, err := both.ResealCredential(foreign); !errors.Is(err, seal.ErrBroken) {
		t.Errorf("of a third key: %v", err)
	}
	if both.OldFingerprint("x") != old.Fingerprint("x") || both.Fingerprint("x") != next.Fingerprint("x") || next.OldFingerprint("x") != "" {
		t.Error("fingerprints are of the wrong key")
	}
	if p := both.Peppers(); !p.Rotating() || p.Other.ID != old.Peppers().Current.ID || p.Current.ID != next.Peppers().Current.ID || p.Current.ID == p.Other.ID {
		t.Errorf("peppers %+v", p)
	}
	if p := next.Peppers(); p.Rotating() {
		t.Error("one key rotates")
	}
}
