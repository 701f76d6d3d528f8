package seal

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"

	"github.com/tollgate/tollgate/libs/core/problem"
)

// Passwords have at least MinPassword characters and at most maxPassword
// bytes, which bounds the work of a hash.
const (
	MinPassword = 8
	maxPassword = 1024
)

// CheckNewPassword returns an InvalidType problem for a password that may not
// be set. It never echoes it.
func CheckNewPassword(password string) error {
	if utf8.RuneCountInString(password) < MinPassword || len(password) > maxPassword || strings.ContainsRune(password, 0) {
		return problem.New(problem.InvalidType, "a password has %d to %d characters", MinPassword, maxPassword).At("password")
	}
	return nil
}

// HashPassword returns the argon2id hash, its parameters and salt included.
// It takes some tens of milliseconds and 19 MiB on purpose.
func HashPassword(password string) (string, error) {
	hash, err := argon2id.CreateHash(password, &argon2id.Params{
		Memory: 19 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32,
	})
	if err != nil {
		return "", fmt.Errorf("hash password: %w", err)
	}
	return hash, nil
}

// CheckPassword reports whether password is the one of the hash. A hash it
// cannot read matches nothing. It takes as long as HashPassword.
func CheckPassword(password, hash string) bool {
	if len(password) > maxPassword {
		return false
	}
	match, err := argon2id.ComparePasswordAndHash(password, hash)
	return err == nil && match
}
