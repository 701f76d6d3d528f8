package session

import (
	"context"

	"github.com/tollgate/tollgate/apps/console/internal/throttle"
	"github.com/tollgate/tollgate/apps/console/internal/turn"
	"github.com/tollgate/tollgate/libs/core/email"
)

// guesser is a client that sends a password for an account.
type guesser struct {
	account string // e-mail address, normalized
	network string // of the client's address
	// key names the client: its session, its known device or, for a stranger, its network. Wrong
	// passwords count together if they have the same key and account.
	key   string
	known bool // a session or a known device of the account
}

// guesserOf returns the client that sends the credentials.
func (s *Sessions) guesserOf(c *Credentials) guesser {
	g := guesser{account: email.Normalize(c.Email), network: throttle.Network(c.Address)}
	g.key = g.network
	if c.Session != nil {
		g.key, g.known = "session "+c.Session.String(), true
		return g
	}
	if d := s.deviceOf(c.Device); d.knows(g.account) {
		g.key, g.known = "device "+d.ID.String(), true
	}
	return g
}

// name returns the key of the bucket GuessesByClient.
func (g *guesser) name() string { return g.key + " as " + g.account }

// ticket returns the place of the client in the line for hashing. A stranger whose address asks more often than
// people do waits among the others of this kind, so that many such addresses do not keep a new one out.
func (s *Sessions) ticket(g *guesser) turn.Ticket {
	t := turn.Ticket{Address: g.network, Account: g.account, Lane: turn.Others}
	switch {
	case g.known:
		t.Lane = turn.Known
	case s.throttle.Charge(throttle.ChecksByAddress, g.network, s.now()):
		t.Lane = turn.Fresh
	}
	return t
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
	for _, known := range at {
		if throttle.Network(known) == g.network {
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
