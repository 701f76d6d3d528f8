package seal_test

import (
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/seal"
)

func TestAFingerprintNamesACredentialAndTellsNothing(t *testing.T) {
	t.Parallel()
	s := seal.New(secret(1))
	one := s.Fingerprint("sk-one")
	if one != seal.New(secret(1)).Fingerprint("sk-one") {
		t.Error("another fingerprint the next time")
	}
	if one == s.Fingerprint("sk-two") || one == seal.New(secret(2)).Fingerprint("sk-one") {
		t.Error("two credentials, or two installations, share a fingerprint")
	}
	if len(one) != 24 || strings.Trim(one, "0123456789abcdef") != "" {
		t.Errorf("fingerprint %q", one)
	}
}
