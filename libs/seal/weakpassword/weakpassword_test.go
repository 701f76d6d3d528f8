package weakpassword_test

import (
	"bytes"
	"testing"

	"github.com/tollgate/tollgate/libs/seal/weakpassword"
)

func TestMatch_FindsCommonAndSimplePasswords(t *testing.T) {
	t.Parallel()
	for password, want := range map[string]bool{
		"password": true, "PassWord": true, "12345678": true, "123456789": true, "qwertyuiop": true, "iloveyou": true,
		"sunshine":   true,
		"Password1!": true, "!!dragon99": true, "aaaaaaaa": true, "abababab": true, "abcabcabcabc": true,
		"passwordpassword": true, "12341234": true,
		"password12345": true, "dragon!!!!2026": true, "password12345678": false,
		"correct horse battery": false, "a horse that is correct": false, "another horse battery": false,
		"dragon-and-99-knights": false,
		"tr0ub4dor&3":           false, "Zq8!vT2w": false, "日本語のパスワード": false, "": true,
	} {
		if got := weakpassword.Match(password); got != want {
			t.Errorf("Match(%q) = %v, want %v", password, got, want)
		}
	}
}

func TestMatch_FindsKnownWords(t *testing.T) {
	t.Parallel()
	known := []string{"Ann.Lee@acme.example", "ann.lee", "acme.example", "acme"}
	for password, want := range map[string]bool{
		"ann.lee@acme.example": true, "ANN.LEE@ACME.EXAMPLE": true, "ann.lee1": true, "Acme2026!": true,
		"acme.example": true, "acmeacme": true, "Acme2026!Acme2026!": false,
		"ann likes acme": false,
	} {
		if got := weakpassword.Match(password, known...); got != want {
			t.Errorf("Match(%q) = %v, want %v", password, got, want)
		}
	}
}

func TestEncode_SortsHashesWithoutDuplicates(t *testing.T) {
	t.Parallel()
	got := weakpassword.Encode([]string{"b", "a", "A"})
	if !bytes.Equal(got, weakpassword.Encode([]string{"a", "B"})) || len(got) != 10 ||
		bytes.Compare(got[:5], got[5:]) >= 0 {
		t.Errorf("Encode returned % x", got)
	}
}

func BenchmarkMatch(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		weakpassword.Match("correct horse battery")
	}
}
