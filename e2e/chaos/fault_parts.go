package chaos

import (
	"context"
	"errors"
)

// redis, console and worker return a part that clients don't call directly.
func redis(r *run) Part   { return r.stage.Redis }
func console(r *run) Part { return r.stage.Console }
func worker(r *run) Part  { return r.stage.Workers[r.rng.IntN(workers)] }

// kill returns a fault that kills the part, waits, and starts it again.
func kill(part func(*run) Part) func(context.Context, *run) error {
	return func(ctx context.Context, r *run) error {
		p := part(r)
		p.Kill()
		r.wait(ctx, 2)
		return p.Start(ctx)
	}
}

// pause returns a fault that suspends the part for a while.
func pause(part func(*run) Part) func(context.Context, *run) error {
	return func(ctx context.Context, r *run) error { return r.freeze(ctx, part(r)) }
}

// pauseRelay suspends a relay. Its clients wait, and no request may fail.
func pauseRelay(ctx context.Context, r *run) error {
	victim := r.hitOne()
	return r.freeze(ctx, r.stage.Relays[victim])
}

func pausePostgres(ctx context.Context, r *run) error { return r.freeze(ctx, r.stage.Postgres) }

// freeze suspends a part for about half of a fault's length.
func (r *run) freeze(ctx context.Context, p Part) error {
	if err := p.Freeze(); err != nil {
		return errors.Join(err, p.Thaw())
	}
	r.wait(ctx, 2)
	return p.Thaw()
}
