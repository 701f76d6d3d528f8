package seal_test

import (
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/seal"
)

func TestFingerprint_IsStableAndRevealsNothing(t *testing.T) {
	t.Parallel()
	s := seal.New(secret(1))
	one := s.Fingerprint("sk-one")
	if one != seal.New(secret(1)).Fingerprint("sk-one") {
		t.Error("the same credential has two fingerprints")
	}
	if one == s.Fingerprint("sk-two") || one == seal.New(secret(2)).Fingerprint("sk-one") {
		t.Error("two credentials or two secret keys have the same fingerprint")
	}
	if len(one) != 24 || strings.Trim(one, "0123456789abcdef") != "" {
		t.Errorf("got fingerprint %q, want 24 hexadecimal digits", one)
	}
}
