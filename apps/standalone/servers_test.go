package standalone

import (
	"context"
	"errors"
	"testing"
)

// part is a service that stops when the other one does.
type part struct {
	stops, other chan struct{}
	startErr     error
}

func (p part) Start(context.Context) error { return p.startErr }

func (p part) Stop(ctx context.Context) error {
	close(p.stops)
	if p.other == nil {
		return nil
	}
	select {
	case <-p.other:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func TestServers_StopAtTheSameTime(t *testing.T) {
	t.Parallel()
	relay, console := part{stops: make(chan struct{})}, part{stops: make(chan struct{})}
	relay.other, console.other = console.stops, relay.stops
	s := servers{relay, console}
	if err := errors.Join(s.Start(t.Context()), s.Stop(t.Context())); err != nil {
		t.Error(err)
	}
}

func TestServers_StopTheRelayIfTheConsoleDoesNotStart(t *testing.T) {
	t.Parallel()
	taken := errors.New("the address is in use")
	relay, console := part{stops: make(chan struct{})}, part{startErr: taken}
	if err := (servers{relay, console}).Start(t.Context()); !errors.Is(err, taken) {
		t.Errorf("got error %v", err)
	}
	<-relay.stops
}
