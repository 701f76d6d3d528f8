package chaos

import (
	"context"
	"errors"
)

// The parts that no client calls.
func redis(r *run) Part   { return r.stage.Redis }
func console(r *run) Part { return r.stage.Console }
func worker(r *run) Part  { return r.stage.Workers[r.rng.IntN(workers)] }

// kill is the fault of one such part that is away for a while.
func kill(of func(*run) Part) func(context.Context, *run) error {
	return func(ctx context.Context, r *run) error {
		p := of(r)
		p.Kill()
		r.wait(ctx, 2)
		return p.Start(ctx)
	}
}

// pause is the fault of one such part that stands still for a while.
func pause(of func(*run) Part) func(context.Context, *run) error {
	return func(ctx context.Context, r *run) error { return r.freeze(ctx, of(r)) }
}

func pauseRelay(ctx context.Context, r *run) error {
	victim := r.hitOne()
	return r.freeze(ctx, r.stage.Relays[victim])
}

func pausePostgres(ctx context.Context, r *run) error { return r.freeze(ctx, r.stage.Postgres) }

func (r *run) freeze(ctx context.Context, p Part) error {
	if err := p.Freeze(); err != nil {
		return errors.Join(err, p.Thaw())
	}
	r.wait(ctx, 2)
	return p.Thaw()
}
