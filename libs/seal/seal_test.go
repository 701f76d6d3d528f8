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

func TestOpen_ReturnsTheSealedText(t *testing.T) {
	t.Parallel()
	for _, plain := range []string{"", "k", "sk-upstream-credential", strings.Repeat("long", 5000), "\x00\xff"} {
		s := seal.New(secret(1))
		sealed, err := s.Seal(plain, "purpose")
		if err != nil {
			t.Fatal(err)
		}
		got, err := seal.New(secret(1)).Open(sealed, "purpose")
		if err != nil || got != plain {
			t.Errorf("Open: got %q, error %v; want %q", got, err, plain)
		}
	}
}

func TestSeal_DiffersEachTimeAndHidesThePlainText(t *testing.T) {
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

func TestOpen_RefusesFlippedBitsAndTruncation(t *testing.T) {
	t.Parallel()
	s := seal.New(secret(1))
	sealed, _ := s.Seal("credential", "purpose")
	for bit := range len(sealed) * 8 {
		damaged := slices.Clone(sealed)
		damaged[bit/8] ^= 1 << (bit % 8)
		if _, err := s.Open(damaged, "purpose"); !errors.Is(err, seal.ErrBroken) {
			t.Fatalf("bit %d flipped: got error %v, want ErrBroken", bit, err)
		}
	}
	for length := range sealed {
		if _, err := s.Open(sealed[:length], "purpose"); !errors.Is(err, seal.ErrBroken) {
			t.Fatalf("truncated to %d bytes: got error %v, want ErrBroken", length, err)
		}
	}
}

func TestOpen_RefusesOtherKeysAndPurposes(t *testing.T) {
	t.Parallel()
	sealed, _ := seal.New(secret(1)).Seal("credential", "purpose")
	for _, row := range []struct {
		name   string
		sealer *seal.Sealer
		sealed []byte
		aad    string
	}{
		{"another secret key", seal.New(secret(2)), sealed, "purpose"},
		{"another purpose", seal.New(secret(1)), sealed, "other"},
		{"an empty purpose", seal.New(secret(1)), sealed, ""},
		{"no bytes", seal.New(secret(1)), nil, "purpose"},
		{"appended bytes", seal.New(secret(1)), append(slices.Clone(sealed), 0), "purpose"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if plain, err := row.sealer.Open(row.sealed, row.aad); !errors.Is(err, seal.ErrBroken) || plain != "" {
				t.Errorf("Open: got %q, error %v; want ErrBroken", plain, err)
			}
		})
	}
}

func TestSealCredential_MasksAndOpens(t *testing.T) {
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
		t.Errorf("OpenCredential: got %q, error %v", plain, err)
	}
}

func TestPepper_IsStableAndDiffersBySecret(t *testing.T) {
	t.Parallel()
	one := seal.New(secret(1)).Pepper()
	if !bytes.Equal(one, seal.New(secret(1)).Pepper()) {
		t.Error("the same secret key has two peppers")
	}
	if bytes.Equal(one, seal.New(secret(2)).Pepper()) {
		t.Error("two secret keys have the same pepper")
	}
	s := secret(1)
	if bytes.Equal(one, s[:]) {
		t.Error("the pepper is the secret key itself")
	}
}

func TestPepper_ReturnsACopy(t *testing.T) {
	t.Parallel()
	s := seal.New(secret(1))
	s.Pepper()[0] ^= 0xff
	if !bytes.Equal(s.Pepper(), seal.New(secret(1)).Pepper()) {
		t.Error("a change of the returned slice changed the pepper")
	}
}

func TestCheckPassword_AcceptsOnlyTheRightPassword(t *testing.T) {
	t.Parallel()
	hash, err := seal.HashPassword("correct horse", seal.PasswordCost{})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name, password, hash string
		want                 bool
	}{
		{"the right password", "correct horse", hash, true},
		{"another password", "correct  horse", hash, false},
		{"no password", "", hash, false},
		{"a password of 1 MiB", strings.Repeat("x", 1<<20), hash, false},
		{"no hash", "correct horse", "", false},
		{"a bcrypt hash", "correct horse", "$2a$10$abcdefghijklmnopqrstuv", false},
		{"the hash as password", hash, hash, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := seal.CheckPassword(row.password, row.hash); got != row.want {
				t.Errorf("CheckPassword: got %v, want %v", got, row.want)
			}
		})
	}
}

func TestNewPassword_ChecksTheLengthAndDoesNotShowThePassword(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		password string
		allowed  bool
	}{
		{"", false}, {"7-chars", false}, {"8-chars!", true}, {"acht-ümä", true},
		{strings.Repeat("x", 1025), false}, {"iloveyou", false}, {"Sunshine1!", false}, {"with a \x00 in it", false},
		{"tollgate", false}, {"Tollgate2026!", false}, {"ann@acme.example", false}, {"acme.example", false},
		{"Acme12345", false}, {"tollgate keeper of the bridge", true},
	} {
		err := seal.NewPassword{Text: row.password, Email: "ann@acme.example"}.Check()
		if row.allowed != (err == nil) {
			t.Errorf("%q: got error %v, want allowed %v", row.password, err, row.allowed)
		}
		if err != nil && (!problem.Is(err, problem.InvalidType) || row.password != "" &&
			strings.Contains(err.Error(), row.password)) {
			t.Errorf("%q: got error %v, want InvalidType and no password in it", row.password, err)
		}
	}
}

func TestOpenState_RefusesOtherKeysAndPurposes(t *testing.T) {
	s := seal.New(secret(1))
	sealed := s.SealState([]byte("state"), []byte("a"))
	if plain, err := seal.New(secret(1)).OpenState(sealed, []byte("a")); err != nil || string(plain) != "state" {
		t.Errorf("OpenState: got %q, error %v; want state", plain, err)
	}
	if bytes.Equal(s.SealState([]byte("state"), []byte("a")), sealed) {
		t.Error("the same state sealed twice has the same bytes")
	}
	damaged := slices.Clone(sealed)
	damaged[len(damaged)/2] ^= 1
	for name, open := range map[string]func() ([]byte, error){
		"another purpose":    func() ([]byte, error) { return s.OpenState(sealed, []byte("b")) },
		"another secret key": func() ([]byte, error) { return seal.New(secret(2)).OpenState(sealed, []byte("a")) },
		"a flipped bit":      func() ([]byte, error) { return s.OpenState(damaged, []byte("a")) },
		"truncated":          func() ([]byte, error) { return s.OpenState(sealed[:20], []byte("a")) },
		"no bytes":           func() ([]byte, error) { return s.OpenState(nil, nil) },
	} {
		if plain, err := open(); !errors.Is(err, seal.ErrBroken) {
			t.Errorf("%s: got %q, error %v; want ErrBroken", name, plain, err)
		}
	}
}
