package session

import (
	"context"
	"runtime"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/turn"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/seal"
)

// maxSlots bounds the number of passwords that are hashed at the same time, and so their memory: each hash takes
// about 20 MiB and occupies a core for some tens of milliseconds.
const maxSlots = 4

// slots returns the number of passwords to hash at the same time. It leaves
// a core, if there are several, to requests of people who are signed in.
func slots() int { return min(max(runtime.GOMAXPROCS(0)-1, 1), maxSlots) }

// Passwords hashes and checks passwords, a few at a time. It is safe for concurrent use.
type Passwords struct {
	line  *turn.Line
	cost  seal.PasswordCost
	decoy string // hash that is checked if there is no user, or the user has no password
	check func(password, hash string) bool
}

// NewPasswords returns a Passwords whose hashes have the cost. A client waits no longer than patience for its turn.
// NewPasswords computes the decoy hash, which takes as long as hashing one password.
func NewPasswords(cost seal.PasswordCost, patience time.Duration) (*Passwords, error) {
	decoy, err := seal.HashPassword("no user has this password", cost)
	if err != nil {
		return nil, err
	}
	return &Passwords{line: turn.New(slots(), patience), cost: cost, decoy: decoy, check: seal.CheckPassword}, nil
}

// Hash returns the hash of a new password. by is the user or the network that sets it: passwords of one wait for
// each other. A password that is not acceptable is an InvalidType problem of the field param. If no slot becomes
// free in time, Hash returns an Overloaded problem.
func (p *Passwords) Hash(ctx context.Context, by string, password seal.NewPassword, param string) (_ string, err error) {
	defer wrap(&err, "hash a password")
	if err := password.Check(); err != nil {
		return "", problem.From(err).At(param)
	}
	release, err := p.line.Take(ctx, turn.Ticket{Address: by, Account: by, Lane: turn.Known})
	if err != nil {
		return "", err
	}
	defer release()
	return seal.HashPassword(password.Text, p.cost)
}

// matches reports whether the password has the hash, which is "" if the account does not exist or has no password. It
// always computes one hash of the same cost, so that its duration does not tell such an account from one with another
// password. The caller holds a slot.
func (p *Passwords) matches(password, hash string) bool {
	usable := seal.IsPasswordHash(hash, p.cost)
	if !usable {
		hash = p.decoy
	}
	return p.check(password, hash) && usable
}
