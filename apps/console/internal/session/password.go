package session

import (
	"context"
	"time"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/seal"
)

// Slots is how many passwords are hashed at once: each takes some 20 MiB and
// a core for some tens of milliseconds.
const Slots = 2

// patience is how long a request waits for a slot before it is shed.
const patience = 5 * time.Second

// Passwords hashes and checks passwords, few at a time. It is safe for
// concurrent use.
type Passwords struct {
	slots chan struct{}
	decoy string // the hash that is checked where there is no user
}

// NewPasswords makes the decoy hash, which takes as long as one password does.
func NewPasswords() (*Passwords, error) {
	decoy, err := seal.HashPassword("no user has this password")
	if err != nil {
		return nil, err
	}
	return &Passwords{slots: make(chan struct{}, Slots), decoy: decoy}, nil
}

// Hash returns the hash of a password that is about to be set, or the problem
// of one that may not be, with param as the field at fault.
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

// matches does the work of one check. The caller holds a slot.
func (p *Passwords) matches(password, hash string) bool {
	return seal.CheckPassword(password, hash)
}

// acquire waits for a slot until ctx or patience ends.
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
