// Package post does what no request waits for: it writes and sends the
// console's mail, one letter after the other, behind a bounded queue.
package post

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/tollgate/tollgate/libs/mail"
)

const (
	queued   = 256              // letters that wait; more are dropped
	patience = 60 * time.Second // for one letter
)

// Options make an Office.
type Options struct {
	Sender *mail.Sender // nil: no mail is sent
	URL    string       // of the console, "" where it is not known
	Log    *slog.Logger
}

// Office sends mail between Start and Stop. Its methods are safe for concurrent
// use. What was not sent when it stops is lost: people ask again.
type Office struct {
	Options
	jobs  chan job
	ended chan struct{} // closed when the last job is over

	mu      sync.Mutex
	cut     context.CancelFunc // nil before Start
	stopped bool
}

type job struct {
	what string // for the log
	do   func(context.Context) error
}

// New returns an office that is not open yet: what it is given waits.
func New(o Options) *Office {
	return &Office{Options: o, jobs: make(chan job, queued), ended: make(chan struct{})}
}

// Configured reports whether mail is sent at all.
func (o *Office) Configured() bool { return o.Sender != nil }

// Later runs do when what was given before is done. Where too much waits it is
// dropped, which is logged, and false is returned.
func (o *Office) Later(what string, do func(context.Context) error) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.stopped {
		select {
		case o.jobs <- job{what, do}:
			return true
		default:
		}
	}
	o.Log.Warn("mail is dropped: too much of it waits", "mail", what)
	return false
}

// Start opens the office. ctx bounds nothing: it is open until Stop.
func (o *Office) Start(ctx context.Context) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.cut != nil || o.stopped {
		return nil
	}
	working, cut := context.WithCancel(context.WithoutCancel(ctx))
	o.cut = cut
	go o.work(working)
	return nil
}

func (o *Office) work(ctx context.Context) {
	defer close(o.ended)
	for job := range o.jobs {
		o.do(ctx, job)
	}
}

func (o *Office) do(ctx context.Context, j job) {
	ctx, done := context.WithTimeout(ctx, patience)
	defer done()
	if err := j.do(ctx); err != nil {
		o.Log.ErrorContext(ctx, "mail was not sent", "mail", j.what, "error", err)
	}
}

// Stop takes nothing more, does what waits and returns. Where ctx ends first
// the rest fails at once. It may be called twice, or before Start.
func (o *Office) Stop(ctx context.Context) error {
	o.mu.Lock()
	if !o.stopped {
		o.stopped = true
		close(o.jobs)
	}
	cut := o.cut
	o.mu.Unlock()
	if cut == nil {
		return nil
	}
	defer cut()
	select {
	case <-o.ended:
		return nil
	case <-ctx.Done():
		cut()
		<-o.ended
		return ctx.Err()
	}
}
