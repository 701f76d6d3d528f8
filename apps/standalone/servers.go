package standalone

import (
	"context"
	"errors"
	"sync"

	"github.com/tollgate/tollgate/libs/service"
)

// servers are the relay and the console. They stop at the same time: a long request to one of them must not take the
// drain time of the other, and calls of the playground need both.
type servers struct{ relay, console service.Service }

// Start starts the relay and then the console.
func (s servers) Start(ctx context.Context) error {
	if err := s.relay.Start(ctx); err != nil {
		return err
	}
	if err := s.console.Start(ctx); err != nil {
		return errors.Join(err, s.relay.Stop(ctx))
	}
	return nil
}

// Stop stops both.
func (s servers) Stop(ctx context.Context) error {
	var stopping sync.WaitGroup
	var relayErr error
	stopping.Go(func() { relayErr = s.relay.Stop(ctx) })
	consoleErr := s.console.Stop(ctx)
	stopping.Wait()
	return errors.Join(consoleErr, relayErr)
}
