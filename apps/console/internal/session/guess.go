package session

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/throttle"
	"github.com/tollgate/tollgate/libs/core/address"
	"github.com/tollgate/tollgate/libs/core/email"
	"github.com/tollgate/tollgate/libs/core/problem"
)

// guesser is a client that sends a password for an account.
type guesser struct {
	account string // e-mail address, normalized
	network string // of the client's address
	// key names the client: its session, its known device or, for a stranger, its network. Wrong
	// passwords count together if they have the same key and account.
	key   string
	known bool // a session or a known device of the account
	// queue names the account where the client waits for a slot: the id of the user for a known client, and otherwise
	// the address. Several accounts may claim an address, and their users must not take each other's places.
	queue string
}

// guesserOf returns the client that sends the credentials. user is the user who can sign in with the address of the
// credentials, uuid.Nil for none.
func (s *Sessions) guesserOf(c *Credentials, user uuid.UUID) guesser {
	g := guesser{account: email.Normalize(c.Email), network: address.Network(c.Address)}
	g.key, g.queue = g.network, g.account
	if c.Session != nil {
		g.key, g.known, g.queue = "session "+c.Session.String(), true, c.UserID.String()
		return g
	}
	if d := s.deviceOf(c.Device); slices.Contains(d.Users, user) {
		g.key, g.known, g.queue = "device "+d.ID.String(), true, user.String()
	}
	return g
}

// userOfDevice returns the user who can sign in with the address, for a browser that is a known device of somebody. It
// returns uuid.Nil for other browsers, without a query, and if there is no such user.
func (s *Sessions) userOfDevice(ctx context.Context, c *Credentials) (uuid.UUID, error) {
	if c.Session != nil || len(s.deviceOf(c.Device).Users) == 0 {
		return uuid.Nil, nil
	}
	user, err := s.store.Identity.UserByEmail(ctx, s.system, c.Email)
	if problem.Is(err, problem.NotFound) {
		return uuid.Nil, nil
	}
	return user.ID, err
}

// name returns the key of the bucket GuessesByClient.
func (g *guesser) name() string { return g.key + " as " + g.account }

// applicant returns the client as it waits for a slot. A stranger whose network asks more often than people do waits
// among the others of this kind, so that many such networks do not keep a new one out.
func (s *Sessions) applicant(g *guesser) applicant {
	a := applicant{kind: otherStranger, network: g.network, account: g.queue}
	switch {
	case g.known:
		a.kind = knownClient
	case s.throttle.Charge(throttle.ChecksByAddress, g.network, s.now()):
		a.kind = freshStranger
	}
	return a
}

// checkGuess returns a RateLimited problem if the client may not send a password now. Known clients depend on their
// own wrong passwords only. Strangers depend on those from their address and, if there were very many for the account,
// on all of them; an address from which the user has a session does not. A stranger who is refused because of the
// others uses up a try, so that frequent requests are not served more often.
func (s *Sessions) checkGuess(ctx context.Context, g guesser) error {
	if err := s.throttle.Check(throttle.GuessesByClient, g.name(), s.now()); err != nil || g.known {
		return err
	}
	if err := s.throttle.Check(throttle.GuessesByAddress, g.network, s.now()); err != nil {
		return err
	}
	tooMany := s.throttle.Check(throttle.GuessesByAccount, g.account, s.now())
	if tooMany == nil {
		return nil
	}
	at, err := s.store.Signin.SessionAddresses(ctx, s.system, g.account)
	if err != nil {
		return err
	}
	for _, ok := range at {
		if address.Network(ok) == g.network {
			return nil
		}
	}
	s.throttle.Charge(throttle.GuessesByClient, g.name(), s.now())
	return tooMany
}

// countGuess counts a wrong password.
func (s *Sessions) countGuess(g guesser) {
	s.throttle.Charge(throttle.GuessesByClient, g.name(), s.now())
	if g.known {
		return
	}
	s.throttle.Charge(throttle.GuessesByAddress, g.network, s.now())
	s.throttle.Charge(throttle.GuessesByAccount, g.account, s.now())
}
