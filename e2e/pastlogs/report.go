package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

const (
	flat         = 2.0 // factor by which a median may grow from the smallest to the largest database
	shippingGoal = 20  // microseconds of Postgres CPU time per event
)

// report holds the results: a line for each query, with a column for each size.
type report struct {
	sizes   []int
	lines   []line
	traffic []trafficCost

	// What change measures. The numbers of repeats and comparisons belong to sizes.
	disk        []size
	repeats     []repeatCost
	comparisons []comparison
	drops       []monthDrop
	upgrade     *upgradeCost
}

// trafficCost holds the costs of events of a kind of traffic.
type trafficCost struct {
	callers          string
	goal             float64 // microseconds of Postgres CPU time per event; 0: no target
	shipping, rollup cpuTime
	wal              float64 // bytes per event, of shipping and rollups together
	rollups          int64   // hourly rollups of all events
	outbox           int64   // bytes after the drain and a vacuum
}

// line holds the times of one query, from the smallest to the largest database.
type line struct {
	name  string
	bound time.Duration
	times []timing
}

// ratio returns the growth of the median from the smallest to the largest database.
func (l *line) ratio() float64 {
	return float64(l.times[len(l.times)-1].median) / float64(l.times[0].median)
}

// missed reports whether the query misses its target: it is slower than the bound and has grown too much.
func (l *line) missed() bool {
	return l.ratio() > flat && l.times[len(l.times)-1].median > l.bound
}

// print writes the report. It returns an error if a target was missed.
func (r *report) print(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	head := []string{"p50 / max in ms, of logs:"}
	for _, size := range r.sizes {
		head = append(head, fmt.Sprint(size))
	}
	fmt.Fprintln(table, strings.Join(append(head, "ratio", "target", "", ""), "\t"))
	misses := 0
	for _, l := range r.lines {
		fmt.Fprintln(table, strings.Join(l.cells(), "\t"))
		if l.missed() {
			misses++
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if err := errors.Join(r.printGrowth(w), r.printWriting(w)); err != nil || misses == 0 {
		return err
	}
	return fmt.Errorf("%d targets missed", misses)
}

// printWriting prints the costs of shipping and rollups. It returns an error if shipping misses its target.
func (r *report) printWriting(w io.Writer) (err error) {
	for _, t := range r.traffic {
		fmt.Fprintf(w, "\n%s, batches of %d events, CPU per event:\n", t.callers, batchSize)
		fmt.Fprintf(w, "  shipping  %5.1f us in Postgres%s, %4.1f us in the relay: %.0f events/s per core\n",
			t.shipping.server, t.target(), t.shipping.client, t.shipping.perCore())
		fmt.Fprintf(w, "  rollup    %5.1f us in Postgres, %4.1f us in the worker: %.0f events/s per core\n",
			t.rollup.server, t.rollup.client, t.rollup.perCore())
		fmt.Fprintf(w, "  %.0f bytes of WAL per event; %d events became %d hourly rollups; outboxes after the "+
			"drain: %d KB\n", t.wal, shippedEvents, t.rollups, t.outbox>>10)
		if t.goal > 0 && t.shipping.server > t.goal {
			err = errors.New("shipping misses its target")
		}
	}
	return err
}

func (t *trafficCost) target() string {
	if t.goal == 0 {
		return ""
	}
	return fmt.Sprintf(" (target %g us)", t.goal)
}

func (l *line) cells() []string {
	cells := []string{l.name}
	for _, t := range l.times {
		cells = append(cells, fmt.Sprintf("%.1f / %.1f", ms(t.median), ms(t.max)))
	}
	verdict := "ok"
	if l.missed() {
		verdict = "MISSED"
	}
	return append(cells, fmt.Sprintf("%.1f x", l.ratio()), fmt.Sprintf("%g x or %g ms", flat, ms(l.bound)), verdict, "")
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }

// printGrowth prints what changes the databases cost.
func (r *report) printGrowth(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name string, cells []string) {
		fmt.Fprintln(table, strings.Join(append([]string{name}, cells...), "\t")+"\t")
	}
	if len(r.repeats) > 0 {
		row("\nrecording, per event of the largest tenant; logs:",
			each(r.sizes, func(n int) string { return fmt.Sprint(n) }))
	}
	for _, c := range r.repeats {
		row(c.name+": us in Postgres", each(c.micros, func(v float64) string { return fmt.Sprintf("%.1f", v) }))
	}
	if len(r.comparisons) > 0 {
		row("comparison with rollups: ms / CPU ms in Postgres", each(r.comparisons, func(c comparison) string {
			return fmt.Sprintf("%.0f / %.0f", ms(c.took), ms(c.server))
		}))
	}
	for i, c := range r.drops {
		if i == 0 {
			row("\nretention, longest wait in ms:", c.names)
		}
		row(fmt.Sprintf("%s (%.0f ms)", c.name, ms(c.took)),
			each(c.longest, func(d time.Duration) string { return fmt.Sprintf("%.0f", ms(d)) }))
	}
	if u := r.upgrade; u != nil {
		row(fmt.Sprintf("\nupgrade with %d logs, longest wait in ms:", u.logs), u.then.names)
		row("before", each(u.before.longest, func(d time.Duration) string { return fmt.Sprintf("%.0f", ms(d)) }))
		row(fmt.Sprintf("during %d migrations (%.0f ms)", u.steps, ms(u.took)),
			each(u.then.longest, func(d time.Duration) string { return fmt.Sprintf("%.0f", ms(d)) }))
	}
	if len(r.disk) > 0 {
		row("\ndisk, of the largest database:", []string{"MB", "rows", "MB per million logs"})
	}
	for _, s := range r.disk {
		row(s.name, []string{fmt.Sprint(s.bytes >> 20), fmt.Sprint(s.rows),
			fmt.Sprintf("%.1f", float64(s.bytes)/(1<<20)/(float64(r.disk[0].rows)/1e6))})
	}
	return table.Flush()
}

// each returns a cell for each value.
func each[T any](values []T, cell func(T) string) (cells []string) {
	for _, v := range values {
		cells = append(cells, cell(v))
	}
	return cells
}
