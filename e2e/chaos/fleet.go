package chaos

import (
	"context"
	"errors"

	"github.com/tollgate/tollgate/e2e/stack"
)

// fleet is a Redis of several servers as a Part: its end is that of one master, in turn that of the limits and that of
// the tasks, and its start lets that server join again as a replica.
type fleet struct {
	*stack.Fleet
	ends int
	down bool
	err  error // of Kill, which cannot return it
}

// tag returns the hash tag of the keys whose master is next.
func (f *fleet) tag() string {
	f.ends++
	return [...]string{"limit", "tollgate"}[f.ends%2]
}

// Terminate kills a master, and waits until a replica has taken its place.
func (f *fleet) Terminate() error {
	f.down = true
	return f.FailOver(context.Background(), f.tag())
}

// Kill is Terminate. Start returns its error.
func (f *fleet) Kill() { f.err = f.Terminate() }

// Running reports whether no server is missing.
func (f *fleet) Running() bool { return !f.down }

// Start starts the server that was killed.
func (f *fleet) Start(ctx context.Context) error {
	err := errors.Join(f.err, f.Rejoin(ctx))
	f.down, f.err = err != nil, nil
	return err
}

// Freeze suspends a master.
func (f *fleet) Freeze() error { return f.Fleet.Freeze(context.Background(), f.tag()) }
