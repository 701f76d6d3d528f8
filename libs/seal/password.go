package seal

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/seal/weakpassword"
)

// A password has at least MinPassword characters and at most maxPassword bytes. The upper bound limits the
// work of hashing passwords that strangers send.
const (
	MinPassword = 8
	maxPassword = 1024
)

// NewPassword is a password that somebody chooses.
type NewPassword struct {
	Text  string
	Email string // of the user who will have the password
}

// Check returns an InvalidType problem at the field "password" if the password may not be set: too short, too long,
// with a NUL, or one that attackers try first (package weakpassword), such as the user's address, a part of it, or the
// product's name. The problem never shows the password.
func (n NewPassword) Check() error {
	password := n.Text
	if utf8.RuneCountInString(password) < MinPassword || len(password) > maxPassword ||
		strings.ContainsRune(password, 0) {
		return problem.New(problem.InvalidType, "A password must have %d to %d characters.", MinPassword, maxPassword).
			At("password")
	}
	if weakpassword.Match(password, n.known()...) {
		return problem.New(problem.InvalidType, "This password is too simple, or known from breaches. Choose "+
			"another one, such as several words.").At("password")
	}
	return nil
}

// known returns the words that an attacker tries for the user besides the common ones.
func (n NewPassword) known() []string {
	words := []string{"tollgate", n.Email}
	name, domain, _ := strings.Cut(n.Email, "@")
	words = append(words, name, domain)
	return append(words, strings.FieldsFunc(n.Email, func(r rune) bool { return !unicode.IsLetter(r) })...)
}

// PasswordCost is the work of hashing a password. The zero value is the cost in all programs, which OWASP recommends:
// some tens of milliseconds and 19 MiB, to slow an attacker down. Only tests use less.
type PasswordCost struct {
	Memory uint32 // KiB
	Passes uint32
}

// params returns the parameters of the hashes.
func (c PasswordCost) params() *argon2id.Params {
	return &argon2id.Params{Memory: cmp.Or(c.Memory, 19*1024), Iterations: cmp.Or(c.Passes, 2), Parallelism: 1,
		SaltLength: 16, KeyLength: 32}
}

// HashPassword returns the argon2id hash of the password with its parameters and salt, in the usual text form.
func HashPassword(password string, cost PasswordCost) (string, error) {
	hash, err := argon2id.CreateHash(password, cost.params())
	if err != nil {
		return "", fmt.Errorf("hash password: %w", err)
	}
	return hash, nil
}

// IsPasswordHash reports whether HashPassword can have returned the hash at this cost. To check a password against it
// takes as long as against any other such hash.
func IsPasswordHash(hash string, cost PasswordCost) bool {
	params, _, _, err := argon2id.DecodeHash(hash)
	return err == nil && *params == *cost.params()
}

// CheckPassword reports whether the hash is one of the password. A malformed hash matches no password. It
// takes as long as HashPassword at the cost of the hash, except for a password that is too long and for a malformed
// hash.
func CheckPassword(password, hash string) bool {
	if len(password) > maxPassword {
		return false
	}
	match, err := argon2id.ComparePasswordAndHash(password, hash)
	return err == nil && match
}
