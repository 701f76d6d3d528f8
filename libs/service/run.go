// Package service runs a program: it makes the log and the traces, opens the
// database and Redis, answers the command health, and runs the program's services
// from the first start to the last stop.
package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Service is anything that runs.
type Service interface {
	// Start binds what the service listens on, launches its goroutines and
	// returns. ctx bounds the start alone: the service runs until Stop.
	Start(ctx context.Context) error
	// Stop takes no more work, finishes what is in flight and returns; where
	// ctx ends first it cuts what is left. It may be called twice, or before
	// Start.
	Stop(ctx context.Context) error
}

// ErrStopTimeout reports a service that still ran when a second signal, or the end
// of the drain time, ended the program.
var ErrStopTimeout = errors.New("a service did not stop in time")

// cutGrace is how long services that ignore the end of their drain time are
// waited for.
const cutGrace = 2 * time.Second

// Run starts the services in order, waits for SIGINT, SIGTERM or the end of
// ctx, and stops them in reverse order within the drain time. A second signal
// ends the drain time at once. Where a service fails to start, those before it
// are stopped and its error is returned.
func Run(ctx context.Context, log *slog.Logger, drain time.Duration, services ...Service) error {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	defer signal.Stop(signals)
	return run(ctx, runner{log: log, drain: drain, signals: signals}, services)
}

type runner struct {
	log     *slog.Logger
	drain   time.Duration
	signals <-chan os.Signal
}

func run(ctx context.Context, r runner, services []Service) error {
	started, err := r.start(ctx, services)
	if err == nil && ctx.Err() == nil {
		r.log.InfoContext(ctx, "started")
		select {
		case got := <-r.signals:
			r.log.InfoContext(ctx, "stopping", "signal", got.String(), "drain", r.drain)
		case <-ctx.Done():
			r.log.InfoContext(ctx, "stopping", "drain", r.drain)
		}
	}
	return errors.Join(err, r.stop(context.WithoutCancel(ctx), started))
}

// start returns the services that have to be stopped. A signal ends the
// starting with a nil error.
func (r *runner) start(ctx context.Context, services []Service) ([]Service, error) {
	starting, cancel := context.WithCancel(ctx)
	defer cancel()
	for i, service := range services {
		failed := make(chan error, 1)
		go func() { failed <- service.Start(starting) }()
		select {
		case err := <-failed:
			if err != nil {
				return services[:i], fmt.Errorf("start: %w", err)
			}
		case got := <-r.signals:
			r.log.InfoContext(ctx, "stopping", "signal", got.String(), "drain", r.drain)
			cancel()
			return services[:i+1], errors.Join(errInterrupted, <-failed)
		}
	}
	return services, nil
}

var errInterrupted = errors.New("interrupted while starting")

// stop stops the services in reverse order.
func (r *runner) stop(ctx context.Context, services []Service) error {
	draining, cancel := context.WithTimeout(ctx, r.drain)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		var errs []error
		for i := len(services) - 1; i >= 0; i-- {
			errs = append(errs, services[i].Stop(draining))
		}
		done <- errors.Join(errs...)
	}()
	select {
	case err := <-done:
		return r.stopped(ctx, err)
	case <-r.signals:
		r.log.WarnContext(ctx, "second signal: ending at once")
		cancel()
	case <-draining.Done():
	}
	select {
	case err := <-done:
		return r.stopped(ctx, err)
	case <-time.After(cutGrace):
		return ErrStopTimeout
	}
}

func (r *runner) stopped(ctx context.Context, err error) error {
	if err == nil {
		r.log.InfoContext(ctx, "stopped")
	}
	return err
}
