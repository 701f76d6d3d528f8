package seal_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/seal"
)

func secret(b byte) (s [32]byte) {
	for i := range s {
		s[i] = b
	}
	return s
}

func TestOpenGivesBackWhatWasSealed(t *testing.T) {
	t.Parallel()
	for _, plain := range []string{"", "k", "sk-upstream-credential", strings.Repeat("long", 5000), "\x00\xff"} {
		s := seal.New(secret(1))
		sealed, err := s.Seal(plain, "purpose")
		if err != nil {
			t.Fatal(err)
		}
		got, err := seal.New(secret(1)).Open(sealed, "purpose")
		if err != nil || got != plain {
			t.Errorf("Open = %q, %v; want %q", got, err, plain)
		}
	}
}

func TestSealingTwiceDiffersAndHidesThePlainText(t *testing.T) {
	t.Parallel()
	s := seal.New(secret(1))
	a, _ := s.Seal("sk-upstream-credential", "purpose")
	b, _ := s.Seal("sk-upstream-credential", "purpose")
	if bytes.Equal(a, b) {
		t.Error("the same text sealed twice gave the same bytes")
	}
	if bytes.Contains(a, []byte("upstream")) {
		t.Error("the sealed bytes show the plain text")
	}
}

func TestEveryFlippedBitAndEveryCutIsRefused(t *testing.T) {
	t.Parallel()
	s := seal.New(secret(1))
	sealed, _ := s.Seal("credential", "purpose")
	for bit := range len(sealed) * 8 {
		damaged := slices.Clone(sealed)
		damaged[bit/8] ^= 1 << (bit % 8)
		if _, err := s.Open(damaged, "purpose"); !errors.Is(err, seal.ErrBroken) {
			t.Fatalf("bit %d flipped: err = %v, want ErrBroken", bit, err)
		}
	}
	for length := range sealed {
		if _, err := s.Open(sealed[:length], "purpose"); !errors.Is(err, seal.ErrBroken) {
			t.Fatalf("cut to %d bytes: err = %v, want ErrBroken", length, err)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	sealed, _ := seal.New(secret(1)).Seal("credential", "purpose")
	for _, row := range []struct {
		name   string
		sealer *seal.Sealer
		sealed []byte
		aad    string
	}{
		{"another secret", seal.New(secret(2)), sealed, "purpose"},
		{"another purpose", seal.New(secret(1)), sealed, "other"},
		{"an empty purpose", seal.New(secret(1)), sealed, ""},
		{"nothing", seal.New(secret(1)), nil, "purpose"},
		{"appended bytes", seal.New(secret(1)), append(slices.Clone(sealed), 0), "purpose"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if plain, err := row.sealer.Open(row.sealed, row.aad); !errors.Is(err, seal.ErrBroken) || plain != "" {
				t.Errorf("Open = %q, %v; want ErrBroken", plain, err)
			}
		})
	}
}

func TestChannelKeysAreMaskedAndOpen(t *testing.T) {
	t.Parallel()
	s := seal.New(secret(1))
	key, err := s.SealCredential("sk-proj-0123456789abcdefghij")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(key.Mask, "0123456789") {
		t.Errorf("mask %q shows the credential", key.Mask)
	}
	if plain, err := s.OpenCredential(key); err != nil || plain != "sk-proj-0123456789abcdefghij" {
		t.Errorf("OpenKey = %q, %v", plain, err)
	}
}

func TestPepperIsStableAndDiffersBySecret(t *testing.T) {
	t.Parallel()
	one := seal.New(secret(1)).Pepper()
	if !bytes.Equal(one, seal.New(secret(1)).Pepper()) {
		t.Error("the same secret gave two peppers")
	}
	if bytes.Equal(one, seal.New(secret(2)).Pepper()) {
		t.Error("two secrets gave one pepper")
	}
	s := secret(1)
	if bytes.Equal(one, s[:]) {
		t.Error("the pepper is the secret itself")
	}
}

func TestCallersCannotChangeThePepper(t *testing.T) {
	t.Parallel()
	s := seal.New(secret(1))
	s.Pepper()[0] ^= 0xff
	if !bytes.Equal(s.Pepper(), seal.New(secret(1)).Pepper()) {
		t.Error("the returned slice is the sealer's own")
	}
}

func TestPasswords(t *testing.T) {
	t.Parallel()
	hash, err := seal.HashPassword("correct horse")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name, password, hash string
		want                 bool
	}{
		{"the right one", "correct horse", hash, true},
		{"another", "correct  horse", hash, false},
		{"none", "", hash, false},
		{"an endless one", strings.Repeat("x", 1<<20), hash, false},
		{"no hash", "correct horse", "", false},
		{"a hash of another kind", "correct horse", "$2a$10$abcdefghijklmnopqrstuv", false},
		{"the hash itself", hash, hash, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := seal.CheckPassword(row.password, row.hash); got != row.want {
				t.Errorf("CheckPassword = %v, want %v", got, row.want)
			}
		})
	}
}

func TestNewPasswordsMustBeLongEnoughAndAreNotEchoed(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		password string
		allowed  bool
	}{
		{"", false}, {"7-chars", false}, {"8-chars!", true}, {"acht-ümä", true},
		{strings.Repeat("x", 1025), false}, {"with a \x00 in it", false},
	} {
		err := seal.CheckNewPassword(row.password)
		if row.allowed != (err == nil) {
			t.Errorf("%q: err = %v, want allowed %v", row.password, err, row.allowed)
		}
		if err != nil && (!problem.Is(err, problem.InvalidType) || row.password != "" && strings.Contains(err.Error(), row.password)) {
			t.Errorf("%q: err = %v", row.password, err)
		}
	}
}

func TestStateOpensForItsPurposeAlone(t *testing.T) {
	s := seal.New(secret(1))
	sealed := s.SealState([]byte("state"), []byte("a"))
	if plain, err := seal.New(secret(1)).OpenState(sealed, []byte("a")); err != nil || string(plain) != "state" {
		t.Errorf("%q, %v", plain, err)
	}
	if bytes.Equal(s.SealState([]byte("state"), []byte("a")), sealed) {
		t.Error("the same twice")
	}
	damaged := slices.Clone(sealed)
	damaged[len(damaged)/2] ^= 1
	for name, open := range map[string]func() ([]byte, error){
		"another purpose": func() ([]byte, error) { return s.OpenState(sealed, []byte("b")) },
		"another secret":  func() ([]byte, error) { return seal.New(secret(2)).OpenState(sealed, []byte("a")) },
		"damaged":         func() ([]byte, error) { return s.OpenState(damaged, []byte("a")) },
		"cut":             func() ([]byte, error) { return s.OpenState(sealed[:20], []byte("a")) },
		"nothing":         func() ([]byte, error) { return s.OpenState(nil, nil) },
	} {
		if plain, err := open(); !errors.Is(err, seal.ErrBroken) {
			t.Errorf("%s: %q, %v", name, plain, err)
		}
	}
}
