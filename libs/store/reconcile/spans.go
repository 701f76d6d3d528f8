package reconcile

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/tollgate/tollgate/libs/store/rollup"
)

// spanCheck is a check that compares rollups with rollups, one hour or day at a time. Retention never drops
// rollups, so it works for hours whose usage logs were dropped, too.
type spanCheck struct {
	check   Check
	width   time.Duration // one hour or one day
	compare func(ctx context.Context, start time.Time) ([]Drift, error)
}

// days compares hourly with daily rollups.
func (r *reconciling) days(ctx context.Context) error {
	return r.spans(ctx, spanCheck{CheckDays, 24 * time.Hour, r.store.compareDay})
}

// hourTotals compares hourly rollups with hourly totals.
func (r *reconciling) hourTotals(ctx context.Context) error {
	return r.spans(ctx,
		spanCheck{CheckHourTotals, time.Hour, func(ctx context.Context, start time.Time) ([]Drift, error) {
			return r.store.compareTotals(ctx, rollup.ByUser().Hourly, rollup.Totals().Hourly, start)
		}})
}

// dayTotals compares daily rollups with daily totals.
func (r *reconciling) dayTotals(ctx context.Context) error {
	return r.spans(ctx, spanCheck{CheckDayTotals, 24 *
		time.Hour, func(ctx context.Context, start time.Time) ([]Drift, error) {
		return r.store.compareTotals(ctx, rollup.ByUser().Daily, rollup.Totals().Daily, start)
	}})
}

// driftSpansPerRun bounds how many hours or days with a stored drift a run checks again, in addition to those
// of the hours that it compared.
const driftSpansPerRun = 31

// spans runs the check on the hours or days of the hours that this run compared, and on those with a stored
// drift whose check is longest ago. One that fails does not end the others.
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

// span runs the check on one hour or day and stores its drifts.
func (r *reconciling) span(ctx context.Context, c spanCheck, start time.Time) error {
	drifts, err := c.compare(ctx, start)
	if err != nil {
		return err
	}
	for i := range drifts {
		drifts[i].Check, drifts[i].Start = c.check, start
	}
	return r.settle(ctx, region{check: c.check, start: start}, drifts)
}
