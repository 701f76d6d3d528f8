package email_test

import (
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/email"
	"github.com/tollgate/tollgate/libs/core/problem"
)

func TestNormalize_ChangesOnlyLettersOfASCII(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"Kevin@B.Example":      "kevin@b.example",
		"\u212aevin@b.example": "\u212aevin@b.example", // the Kelvin sign
		"kevin@\u212a.example": "kevin@\u212a.example",
		"\u0130@b.example":     "\u0130@b.example", // I with a dot
		"Ä@b.example":          "Ä@b.example",
	} {
		if got := email.Normalize(address); got != want {
			t.Errorf("Normalize(%q) = %q, want %q", address, got, want)
		}
	}
}

func TestInDomains_ComparesNormalizedDomains(t *testing.T) {
	t.Parallel()
	domains := []string{"B.example", "bank.example"}
	for address, want := range map[string]bool{
		"kevin@b.example": true, "KEVIN@B.EXAMPLE": true, `"a@c.example"@b.example`: true,
		"kevin@\u212a.example": false, "kevin@ban\u212a.example": false, "kevin@sub.b.example": false, "kevin": false,
		"kevin@": false, "": false,
		`"@b.example"@c.example`: false,
	} {
		if got := email.InDomains(address, domains); got != want {
			t.Errorf("InDomains(%q) = %v, want %v", address, got, want)
		}
	}
	if email.InDomains("kevin", []string{""}) {
		t.Error("an address without a domain is in the empty domain")
	}
}

func TestCheck_AcceptsOnlyPlainAddresses(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"owner@acme.example": true, "o.wner+ci@acme.example": true,
		"": false, "owner": false, "owner@": false, "@acme.example": false, "Owner <owner@acme.example>": false,
		"<owner@acme.example>":     false,
		"a@b.example, c@d.example": false, " owner@acme.example": false,
		"owner@acme.example\r\nBcc: x@y.example": false,
		"a\u202eb@acme.example":                  false, "a\u200bb@acme.example": false,
		"owner\u200d@acme.example": false, "owner\ufe0f@acme.example": false, "o\u3164@acme.example": false,
		strings.Repeat("a", 250) + "@b.example": false,
	} {
		if err := email.Check(address); (err == nil) != want || err != nil && !problem.Is(err, problem.InvalidType) {
			t.Errorf("Check(%q) = %v, want ok %v", address, err, want)
		}
	}
}
