package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// report is the result of a run.
type report struct {
	lines       []line
	sizes       sizes
	reconciling time.Duration // CPU time of Postgres for one comparison of all usage logs with the rollups
}

// line is the result of one measurement.
type line struct {
	group group
	step  step
	calls int
	used  used
}

// headings are the two lines above the measurements.
var headings = [2][]string{
	{"", "", "", "", "calls per", "Postgres", "Postgres", "WAL", "Redis", "Redis", "worker", "relays"},
	{"traffic", "relays", "delay", "calls/s", "transaction", "ms/s", "us/call", "bytes/call", "us/call",
		"commands/call", "us/call", "us/call"},
}

// print writes the measurements, and then the costs of a transaction and of a call that explain them best.
func (r *report) print(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, heading := range headings {
		fmt.Fprintln(table, strings.Join(heading, "\t")+"\t")
	}
	for _, l := range r.lines {
		l.row(table)
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("print the table: %w", err)
	}
	fmt.Fprintln(w)
	cpu, ok := r.fit(few, func(u used) float64 { return float64(u.postgres.Microseconds()) })
	wal, _ := r.fit(few, func(u used) float64 { return u.wal })
	if ok {
		fmt.Fprintf(w, "%s: each transaction costs Postgres %.0f us and %.0f bytes of WAL, and each call in it %.1f "+
			"us and %.0f bytes\n",
			few, cpu.transaction, wal.transaction, cpu.call, wal.call)
	}
	n := float64(r.sizes.logs)
	fmt.Fprintf(w, "reconciliation: %.2f us of Postgres CPU for each usage log of the hours that are not over\n",
		float64(r.reconciling.Nanoseconds())/1e3/n)
	_, err := fmt.Fprintf(w, "%d usage logs of %.0f bytes on the disk: %.0f in the table, %.0f in indexes\n",
		r.sizes.logs,
		(r.sizes.table+r.sizes.indexes)/n, r.sizes.table/n, r.sizes.indexes/n)
	return err
}

// row writes the line of a table.
func (l *line) row(w io.Writer) {
	u := &l.used
	fmt.Fprintf(w, "%s\t%d\t%s\t", l.step.traffic, l.group.relays, l.group.delay)
	perSecond := float64(u.postgres.Microseconds()) / 1e3 / u.elapsed.Seconds()
	if l.calls == 0 {
		fmt.Fprintf(w, "\t\t%.1f\t\t\t\t\t\t\t\n", perSecond)
		return
	}
	n := float64(l.calls)
	perCall := func(d time.Duration) float64 { return float64(d.Microseconds()) / n }
	fmt.Fprintf(w, "%d\t%.1f\t%.1f\t%.1f\t%.0f\t%.1f\t%.2f\t%.1f\t%.0f\t\n", l.step.rate,
		n/u.batches, perSecond, perCall(u.postgres), u.wal/n, perCall(u.redis), u.commands/n, perCall(u.worker),
		perCall(u.relays))
}

// costs are the parts of a cost that grow with transactions and with calls.
type costs struct{ transaction, call float64 }

// fit returns the costs that explain the measurements of a kind of traffic best (least squares), without what the same
// number of relays costs when there are no calls. The bool reports whether there are enough measurements.
func (r *report) fit(traffic string, cost func(used) float64) (costs, bool) {
	resting := map[int]float64{} // per second, by number of relays
	for _, l := range r.lines {
		if l.calls == 0 {
			resting[l.group.relays] = cost(l.used) / l.used.elapsed.Seconds()
		}
	}
	var tt, tc, cc, ty, cy float64 // sums of products of transactions (t), calls (c) and cost (y)
	for _, l := range r.lines {
		if l.step.traffic != traffic {
			continue
		}
		t, c := l.used.batches, float64(l.calls)
		y := cost(l.used) - resting[l.group.relays]*l.used.elapsed.Seconds()
		tt, tc, cc, ty, cy = tt+t*t, tc+t*c, cc+c*c, ty+t*y, cy+c*y
	}
	det := tt*cc - tc*tc
	if det <= 0 {
		return costs{}, false
	}
	return costs{transaction: (ty*cc - cy*tc) / det, call: (cy*tt - ty*tc) / det}, true
}
