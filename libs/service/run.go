// Package service is the frame of every program: Main parses the command line, Program.Open creates the log, the
// metrics and the tracing and connects to the database and Redis, and Run starts the services of the program and stops
// them in reverse order.
//
//	main --> Main --> command --> Program.Open --> Runtime
//	                              Runtime.Run(services...)
//	                                Start 1, Start 2, ..., Start n     in order; one that fails stops the others
//	                                wait for SIGINT, SIGTERM or the end of ctx
//	                                Stop n, ..., Stop 2, Stop 1        within the drain time
//	                              Runtime.Close
//
// The package also has the command "health", with which container images without a shell check their program.
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

// Service is a part of a program that runs in the background between Start and Stop.
type Service interface {
	// Start listens on the addresses of the service, starts its goroutines and returns. ctx limits only the start:
	// the service runs until Stop.
	Start(ctx context.Context) error
	// Stop accepts no more work, finishes the work in flight and returns. If ctx ends first, Stop aborts the rest.
	// It may be called twice, or before Start.
	Stop(ctx context.Context) error
}

// ErrStopTimeout means that a service was still running when the program ended, after a second signal or after the
// drain time.
var ErrStopTimeout = errors.New("a service did not stop in time")

// cutGrace is the longest time that Run waits for services whose drain time is over, before it gives up on them.
const cutGrace = 2 * time.Second

// Run starts the services in order, waits for SIGINT, SIGTERM or the end of ctx, and stops them in reverse order within
// the drain time. A second signal ends the drain time at once. If a service fails to start, Run stops the services that
// were started and returns the error.
func Run(ctx context.Context, log *slog.Logger, drain time.Duration, services ...Service) error {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	defer signal.Stop(signals)
	return run(ctx, runner{log: log, drain: drain, signals: signals}, services)
}

// runner holds the dependencies of Run, so that tests can send signals without the operating system.
type runner struct {
	log     *slog.Logger
	drain   time.Duration
	signals <-chan os.Signal
}

// run implements Run. It stops the services with a context that does not end with ctx: the end of ctx is a reason to
// stop, and the drain time begins then.
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

// start starts the services and returns those that must be stopped. A signal ends it early with errInterrupted; the
// service that was starting then is among those to stop.
func (r *runner) start(ctx context.Context, services []Service) ([]Service, error) {
	starting, cancel := context.WithCancel(ctx)
	defer cancel()
	for i, service := range services {
		result := make(chan error, 1)
		// Start runs in a goroutine, so that a signal can interrupt one that waits, for example for a database.
		go func() { result <- service.Start(starting) }()
		select {
		case err := <-result:
			if err != nil {
				return services[:i], fmt.Errorf("start: %w", err)
			}
		case got := <-r.signals:
			r.log.InfoContext(ctx, "stopping", "signal", got.String(), "drain", r.drain)
			cancel()
			return services[:i+1], errors.Join(errInterrupted, <-result)
		}
	}
	return services, nil
}

var errInterrupted = errors.New("interrupted while starting")

// stop stops the services in reverse order and returns their joined errors, or ErrStopTimeout.
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
		r.log.WarnContext(ctx, "second signal received: stopping at once")
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

// stopped logs that all services have stopped without an error, and returns err.
func (r *runner) stopped(ctx context.Context, err error) error {
	if err == nil {
		r.log.InfoContext(ctx, "stopped")
	}
	return err
}
