package relay

import (
	"context"
	"errors"

	"github.com/tollgate/tollgate/apps/relay/internal/spool"
	"github.com/tollgate/tollgate/libs/web"
)

// Checks returns the readiness checks of the relay. They cover only the parts without which the relay cannot
// serve. The database and Redis are not among them: a relay that has a snapshot, known tokens and valid
// leases serves without either.
func (r *Relay) Checks() []web.Check {
	return []web.Check{
		{Name: "relay_listens", Says: "the relay does not listen yet", Ready: r.listens},
		{Name: "draining", Says: "the relay is stopping and accepts no more calls", Ready: r.isServing},
		{Name: "catalogue", Says: "the catalog has not been loaded", Ready: r.hasSnapshot},
		{Name: "tokens", Says: "no token is known, and the database does not answer", Ready: r.knowsTokens},
		{Name: "leases", Says: "quota leases are not valid: the database has not been reached for too long",
			Ready: r.leasesValid},
		{Name: "spool_writable", Says: "usage events cannot be written to the spool",
			Ready: func(context.Context) error { return r.spool.Err() }},
		{Name: "spool_room", Says: "the spool is full: too many usage events wait for the database", Ready: r.hasRoom},
	}
}

var (
	errNoSnapshot    = errors.New("the catalog has not been loaded")
	errNotListening  = errors.New("the relay does not listen yet")
	errLeasesExpired = errors.New("the leases are not valid")
)

// listens reports whether the relay has an address. Like each check, it returns nil if the relay is ready.
func (r *Relay) listens(context.Context) error {
	if r.Addr() == nil {
		return errNotListening
	}
	return nil
}

func (r *Relay) isServing(context.Context) error {
	if *r.state.Load() != serving {
		return errStopping
	}
	return nil
}

func (r *Relay) hasSnapshot(context.Context) error {
	if r.snapshots.Current() == nil {
		return errNoSnapshot
	}
	return nil
}

// knowsTokens asks the database only if no token is cached.
func (r *Relay) knowsTokens(ctx context.Context) error {
	if r.auth.Known() > 0 {
		return nil
	}
	return r.options.Store.Ping(ctx)
}

func (r *Relay) leasesValid(context.Context) error {
	if r.admit.Validity() <= 0 {
		return errLeasesExpired
	}
	return nil
}

func (r *Relay) hasRoom(context.Context) error {
	// A failing disk has a check of its own.
	if r.spool.Err() == nil && r.spool.Full() {
		return spool.ErrFull
	}
	return nil
}
