package session

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/seal"
)

// Passwords hashes and checks passwords, a few at a time. It is safe for concurrent use.
type Passwords struct {
	slots *slots
	cost  seal.PasswordCost
	decoy string // hash that is checked if there is no user, or the user has no password
	check func(password, hash string) bool
}

// NewPasswords returns a Passwords whose hashes have the cost. A client waits no longer than patience for a slot; 0: 5
// s. NewPasswords computes the decoy hash, which takes as long as hashing one password.
func NewPasswords(cost seal.PasswordCost, patience time.Duration, metrics prometheus.Registerer) (*Passwords, error) {
	decoy, err := seal.HashPassword("no user has this password", cost)
	if err != nil {
		return nil, err
	}
	return &Passwords{slots: newSlots(slotCount(), patience, metrics), cost: cost, decoy: decoy,
		check: seal.CheckPassword}, nil
}

// Hash returns the hash of a new password. account is the user or the network that sets it: passwords of one wait for
// each other. A password that is not acceptable is an InvalidType problem of the field param. If no slot becomes
// free in time, Hash returns an Overloaded problem.
func (p *Passwords) Hash(ctx context.Context, account string, password seal.NewPassword,
	param string) (_ string, err error) {
	defer wrap(&err, "hash a password")
	if err := password.Check(); err != nil {
		return "", problem.From(err).At(param)
	}
	slot, err := p.slots.acquire(ctx, applicant{kind: knownClient, network: account, account: account})
	if err != nil {
		return "", err
	}
	defer slot.Release()
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
