package main

import (
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
)

// Figure is one row of the report. Nginx, Bare and Relay are in Unit. 0 means that a value was not measured.
type Figure struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	Nginx float64 `json:"nginx,omitempty"`
	Bare  float64 `json:"bare,omitempty"` // of the bare proxy, or of what the row's name says
	Relay float64 `json:"relay"`
	Ratio float64 `json:"ratio,omitempty"` // relay to bare; for CPU times the median over the rounds
}

// Report is the result of one run.
type Report struct {
	Figures  []Figure `json:"figures"`
	Recorded recorded `json:"recorded"`
	Faults   []string `json:"faults,omitempty"` // wrong answers or rows
	// BareBroke is the number of answers that the bare proxy broke off. Their requests were repeated.
	BareBroke int64   `json:"bare_broke"`
	Seconds   float64 `json:"seconds"`
}

// print writes the figures as a table, with the goal of each.
func (r *Report) print(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\tnginx\tbare\trelay\tratio\tgoal\t\t")
	bounds := goals()
	for _, f := range r.Figures {
		var bound, verdict string
		if g, ok := bounds[f.Name]; ok {
			bound, verdict = g.text(), g.verdict(&f)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", f.Name, f.amount(f.Nginx), f.amount(f.Bare),
			f.amount(f.Relay), f.ratio(), bound, verdict)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nrecorded: %d successes, %d partial, %d failed; answers broken by the bare proxy: "+
		"%d; %.0f s\n",
		r.Recorded.Successes, r.Recorded.Partials, r.Recorded.Failures, r.BareBroke, r.Seconds)
	return err
}

// amount formats a value with its unit; "" for a value that was not measured.
func (f *Figure) amount(v float64) string {
	if v == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f %s", v, f.Unit)
}

func (f *Figure) ratio() string {
	if f.Ratio == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f x", f.Ratio)
}

// number formats a value with as many digits as it needs.
func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
