package session

import (
	"context"
	"time"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/seal"
)

// Slots is the number of passwords that are hashed at the same time. Each hash takes about 20 MiB and
// occupies a core for some tens of milliseconds, so unlimited sign-ins could exhaust the console.
const Slots = 2

// patience is the time that a request waits for a slot before it is refused.
const patience = 5 * time.Second

// Passwords hashes and checks passwords, at most Slots at a time. It is safe for concurrent use.
type Passwords struct {
	slots chan struct{}
	decoy string // hash that is checked if there is no user, so that the check takes as long as for a user
}

// NewPasswords returns a Passwords. It computes the decoy hash, which takes as long as hashing one password.
func NewPasswords() (*Passwords, error) {
	decoy, err := seal.HashPassword("no user has this password")
	if err != nil {
		return nil, err
	}
	return &Passwords{slots: make(chan struct{}, Slots), decoy: decoy}, nil
}

// Hash returns the hash of a new password. A password that is not acceptable is an InvalidType
// problem of the field param. If no slot becomes free in time, Hash returns an Overloaded problem.
func (p *Passwords) Hash(ctx context.Context, password, param string) (_ string, err error) {
	defer wrap(&err, "hash a password")
	if err := seal.CheckNewPassword(password); err != nil {
		return "", problem.From(err).At(param)
	}
	release, err := p.acquire(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	return seal.HashPassword(password)
}

// matches reports whether the password has the hash. The caller holds a slot.
func (p *Passwords) matches(password, hash string) bool {
	return seal.CheckPassword(password, hash)
}

// acquire waits for a slot. It returns the error of ctx if ctx ends first,
// and an Overloaded problem after patience. The caller must call release.
func (p *Passwords) acquire(ctx context.Context) (release func(), err error) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case p.slots <- struct{}{}:
		return func() { <-p.slots }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-timer.C:
		return nil, problem.Of(problem.Overloaded).After(patience)
	}
}
