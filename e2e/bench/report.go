package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// Figure is one line of the report. Bare and Relay are in Unit.
type Figure struct {
	Name     string  `json:"name"`
	Unit     string  `json:"unit"`
	Bare     float64 `json:"bare,omitempty"`
	Relay    float64 `json:"relay"`
	Ratio    float64 `json:"ratio,omitempty"`     // relay to bare; for CPU times the median over the rounds
	Target   float64 `json:"target,omitempty"`    // upper bound of Ratio, or of Relay if TargetIs is set
	TargetIs string  `json:"target_is,omitempty"` // unit of Target if it bounds Relay; "": it bounds Ratio
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

// print writes the figures as a table.
func (r *Report) print(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\tbare\trelay\tratio\ttarget\t\t")
	for _, f := range r.Figures {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t\n", f.Name, f.amount(f.Bare), f.amount(f.Relay), f.ratio(), f.target(), f.verdict())
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nrecorded: %d successes, %d partial, %d failed; answers broken by the bare proxy: %d; %.0f s\n",
		r.Recorded.Successes, r.Recorded.Partials, r.Recorded.Failures, r.BareBroke, r.Seconds)
	return err
}

// amount formats a value with its unit; "" for a figure that was not measured.
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

func (f *Figure) target() string {
	if f.Target == 0 {
		return ""
	}
	unit := f.TargetIs
	if unit == "" {
		unit = "x"
	}
	return fmt.Sprintf("%g %s", f.Target, unit)
}

// verdict says whether the target is reached; "" without a target.
func (f *Figure) verdict() string {
	reached := f.Ratio
	if f.TargetIs != "" {
		reached = f.Relay
	}
	switch {
	case f.Target == 0:
		return ""
	case reached <= f.Target:
		return "ok"
	}
	return "MISSED"
}
