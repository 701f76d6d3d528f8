package service

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"
)

// journal records the calls of services, in order.
type journal struct {
	mu    sync.Mutex
	lines []string
}

func (j *journal) note(line string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, line)
}

func (j *journal) want(t *testing.T, lines ...string) {
	t.Helper()
	j.mu.Lock()
	defer j.mu.Unlock()
	if !slices.Equal(j.lines, lines) {
		t.Errorf("calls: %q, want %q", j.lines, lines)
	}
}

// recorded is a service that records its starts and stops in a journal.
type recorded struct {
	name    string
	journal *journal
	start   func(context.Context) error
	stop    func(context.Context) error
}

func (r *recorded) Start(ctx context.Context) error {
	r.journal.note("start " + r.name)
	if r.start != nil {
		return r.start(ctx)
	}
	return nil
}

func (r *recorded) Stop(ctx context.Context) error {
	r.journal.note("stop " + r.name)
	if r.stop != nil {
		return r.stop(ctx)
	}
	return nil
}

// running is a call of run in the background. started is closed when all services have started.
type running struct {
	signals chan os.Signal
	started chan struct{}
	done    chan error
}

func runInBackground(t *testing.T, ctx context.Context, drain time.Duration, services ...Service) *running {
	t.Helper()
	r := &running{signals: make(chan os.Signal, 2), started: make(chan struct{}), done: make(chan error, 1)}
	last := &recorded{name: "last", journal: &journal{},
		start: func(context.Context) error { close(r.started); return nil }}
	log := slog.New(slog.DiscardHandler)
	go func() {
		r.done <- run(ctx, runner{log: log, drain: drain, signals: r.signals}, append(services, last))
	}()
	return r
}

func (r *running) wait(t *testing.T) error {
	t.Helper()
	select {
	case err := <-r.done:
		return err
	case <-time.After(30 * time.Second):
		t.Fatal("run did not return")
		return nil
	}
}

func TestRun_StopsServicesInReverseOrder(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		end  func(*running, context.CancelFunc)
	}{
		{"on a signal", func(r *running, _ context.CancelFunc) { r.signals <- syscall.SIGTERM }},
		{"at the end of the context", func(_ *running, cancel context.CancelFunc) { cancel() }},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			j := &journal{}
			alive := func(ctx context.Context) error { return ctx.Err() }
			r := runInBackground(t, ctx, time.Minute,
				&recorded{name: "a", journal: j, stop: alive}, &recorded{name: "b", journal: j, stop: alive})
			<-r.started
			row.end(r, cancel)
			if err := r.wait(t); err != nil {
				t.Error(err)
			}
			j.want(t, "start a", "start b", "stop b", "stop a")
		})
	}
}

func TestRun_StopsStartedServicesIfOneFailsToStart(t *testing.T) {
	t.Parallel()
	j, broken := &journal{}, errors.New("address in use")
	r := runInBackground(t, t.Context(), time.Minute, &recorded{name: "a", journal: j},
		&recorded{name: "b", journal: j, start: func(context.Context) error { return broken }},
		&recorded{name: "c", journal: j})
	if err := r.wait(t); !errors.Is(err, broken) {
		t.Errorf("err = %v, want %v", err, broken)
	}
	j.want(t, "start a", "start b", "stop a")
}

func TestRun_InterruptsTheStartOnASignal(t *testing.T) {
	t.Parallel()
	j, begun := &journal{}, make(chan struct{})
	r := runInBackground(t, t.Context(), time.Minute, &recorded{name: "a", journal: j},
		&recorded{name: "b", journal: j,
			start: func(ctx context.Context) error { close(begun); <-ctx.Done(); return ctx.Err() }})
	<-begun
	r.signals <- syscall.SIGINT
	if err := r.wait(t); err == nil {
		t.Error("an interrupted start returns no error")
	}
	j.want(t, "start a", "start b", "stop b", "stop a")
}

func TestRun_StopsEveryServiceIfOneFails(t *testing.T) {
	t.Parallel()
	j, broken := &journal{}, errors.New("cut")
	r := runInBackground(t, t.Context(), time.Minute, &recorded{name: "a", journal: j},
		&recorded{name: "b", journal: j, stop: func(context.Context) error { return broken }})
	<-r.started
	r.signals <- syscall.SIGTERM
	if err := r.wait(t); !errors.Is(err, broken) {
		t.Errorf("err = %v, want %v", err, broken)
	}
	j.want(t, "start a", "start b", "stop b", "stop a")
}

func TestRun_EndsTheDrainAfterItsTime(t *testing.T) {
	t.Parallel()
	slow := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	r := runInBackground(t, t.Context(), 20*time.Millisecond, &recorded{name: "a", journal: &journal{}, stop: slow})
	<-r.started
	r.signals <- syscall.SIGTERM
	if err := r.wait(t); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("err = %v, want context.DeadlineExceeded", err)
	}
}

func TestRun_EndsTheDrainOnASecondSignal(t *testing.T) {
	t.Parallel()
	draining := make(chan struct{})
	slow := func(ctx context.Context) error { close(draining); <-ctx.Done(); return ctx.Err() }
	r := runInBackground(t, t.Context(), time.Hour, &recorded{name: "a", journal: &journal{}, stop: slow})
	<-r.started
	r.signals <- syscall.SIGTERM
	<-draining
	r.signals <- syscall.SIGTERM
	if err := r.wait(t); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v, want context.Canceled", err)
	}
}

func TestRun_GivesUpOnAServiceThatNeverStops(t *testing.T) {
	t.Parallel()
	forever := make(chan struct{})
	defer close(forever)
	stuck := func(context.Context) error { <-forever; return nil }
	r := runInBackground(t, t.Context(), 10*time.Millisecond, &recorded{name: "a", journal: &journal{}, stop: stuck})
	<-r.started
	r.signals <- syscall.SIGTERM
	if err := r.wait(t); !errors.Is(err, ErrStopTimeout) {
		t.Errorf("err = %v, want ErrStopTimeout", err)
	}
}

func TestRun_HandlesRealSignals(t *testing.T) { // not parallel: the signal concerns the whole process
	log := slog.New(slog.DiscardHandler)
	kill := &recorded{name: "a", journal: &journal{}, start: func(context.Context) error {
		return syscall.Kill(os.Getpid(), syscall.SIGTERM)
	}}
	done := make(chan error, 1)
	go func() { done <- Run(t.Context(), log, 30*time.Second, kill) }()
	select {
	case err := <-done:
		if err != nil && !errors.Is(err, errInterrupted) {
			t.Errorf("err = %v", err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("Run did not stop after the signal")
	}
}
