package reconcile

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/tollgate/tollgate/libs/store/rollup"
)

// spanCheck is a check of rollups alone, which nobody drops: it compares one
// hour or day at a time, whether or not there are still logs of it.
type spanCheck struct {
	check   Check
	width   time.Duration
	compare func(ctx context.Context, start time.Time) ([]Drift, error)
}

func (r *reconciling) days(ctx context.Context) error {
	return r.spans(ctx, spanCheck{CheckDays, 24 * time.Hour, r.store.compareDay})
}

func (r *reconciling) hourTotals(ctx context.Context) error {
	return r.spans(ctx, spanCheck{CheckHourTotals, time.Hour, func(ctx context.Context, start time.Time) ([]Drift, error) {
		return r.store.compareTotals(ctx, rollup.ByUser().Hourly, rollup.Totals().Hourly, start)
	}})
}

func (r *reconciling) dayTotals(ctx context.Context) error {
	return r.spans(ctx, spanCheck{CheckDayTotals, 24 * time.Hour, func(ctx context.Context, start time.Time) ([]Drift, error) {
		return r.store.compareTotals(ctx, rollup.ByUser().Daily, rollup.Totals().Daily, start)
	}})
}

// driftSpansPerRun is how many hours or days that differed are compared again
// although usage of them was not.
const driftSpansPerRun = 31

// spans compares the hours or days of the hours that were compared, and of
// those that differed the last time the ones whose check is longest ago.
func (r *reconciling) spans(ctx context.Context, c spanCheck) error {
	var starts []time.Time
	err := r.store.db.NewSelect().Model((*driftRow)(nil)).Column("start").Where("r.check_name = ?", c.check).
		GroupExpr("r.start").OrderExpr("min(r.last_seen), r.start").Limit(driftSpansPerRun).Scan(ctx, &starts)
	starts = append(starts, r.starts...)
	for i := range starts {
		starts[i] = starts[i].UTC().Truncate(c.width)
	}
	slices.SortFunc(starts, time.Time.Compare)
	for _, start := range slices.CompactFunc(starts, time.Time.Equal) {
		if ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		err = errors.Join(err, r.span(ctx, c, start))
	}
	return err
}

func (r *reconciling) span(ctx context.Context, c spanCheck, start time.Time) error {
	found, err := c.compare(ctx, start)
	if err != nil {
		return err
	}
	for i := range found {
		found[i].Check, found[i].Start = c.check, start
	}
	return r.settle(ctx, region{check: c.check, start: start}, found)
}
