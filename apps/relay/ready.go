package relay

import (
	"context"
	"errors"

	"github.com/tollgate/tollgate/apps/relay/internal/spool"
	"github.com/tollgate/tollgate/libs/web"
)

// Checks are what the relay cannot serve without. A relay that knows a
// snapshot, tokens and leases needs neither the database nor Redis.
func (r *Relay) Checks() []web.Check {
	return []web.Check{
		{Name: "relay_listens", Says: "the relay does not listen yet", Ready: r.listens},
		{Name: "draining", Says: "the relay takes no more calls: it is stopping", Ready: r.stays},
		{Name: "catalogue", Says: "the catalog has not been read", Ready: r.hasSnapshot},
		{Name: "tokens", Says: "no token is known, and the database does not answer", Ready: r.knowsTokens},
		{Name: "leases", Says: "quota leases are not valid: the database has not been reached for too long", Ready: r.mayLend},
		{Name: "spool_writable", Says: "usage events cannot be written to the spool", Ready: func(context.Context) error { return r.spool.Err() }},
		{Name: "spool_room", Says: "the spool is full: too many usage events wait for the database", Ready: r.hasRoom},
	}
}

var (
	errNoSnapshot = errors.New("the catalog has not been read")
	errDeaf       = errors.New("the relay does not listen yet")
	errLapsed     = errors.New("the leases are not valid")
)

func (r *Relay) listens(context.Context) error {
	if r.Addr() == nil {
		return errDeaf
	}
	return nil
}

func (r *Relay) stays(context.Context) error {
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

// knowsTokens asks the database only where no token is known.
func (r *Relay) knowsTokens(ctx context.Context) error {
	if r.auth.Known() > 0 {
		return nil
	}
	return r.options.Store.Ping(ctx)
}

func (r *Relay) mayLend(context.Context) error {
	if r.admit.Validity() <= 0 {
		return errLapsed
	}
	return nil
}

func (r *Relay) hasRoom(context.Context) error {
	if r.spool.Err() == nil && r.spool.Full() {
		return spool.ErrFull
	}
	return nil
}
