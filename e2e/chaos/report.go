package chaos

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// Rule says how the found value of a check must compare with the expected one.
type Rule string

// The rules.
const (
	Equal  Rule = "="
	AtMost Rule = "<="
)

// Check is one comparison of the audit.
type Check struct {
	Name     string
	Rule     Rule
	Expected int64
	Found    int64
	Examples []string // of differences
}

// OK reports whether the rule holds.
func (c *Check) OK() bool {
	if c.Rule == AtMost {
		return c.Found <= c.Expected
	}
	return c.Found == c.Expected
}

// Report holds the phases and the checks of a run.
type Report struct {
	Seed   uint64
	Phases []*Phase
	Checks []Check
	Notes  []string
	Logs   string // last lines of every part's log; only after a failure
}

// Failed reports whether a check failed, or no check was made.
func (r *Report) Failed() bool {
	for i := range r.Checks {
		if !r.Checks[i].OK() {
			return true
		}
	}
	return len(r.Checks) == 0
}

// skipped reports whether the fault could not be injected here.
func (p *Phase) skipped() bool { return errors.Is(p.Err, errSkipped) }

// Write prints the phases and the checks as two tables, then examples of failed checks, the notes and the seed.
func (r *Report) Write(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintf(table, "phase\trequests\tsuccesses\tdisconnected\tstall\tslowest\trecorded\trefusals\tfailures\t\n")
	for _, p := range r.Phases {
		if p.skipped() {
			fmt.Fprintf(table, "%s\t\t\t\t\t\t\t\t%s\t\n", p.Name, p.Err)
			continue
		}
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%v\t%v\t%v\t%s\t%s\t\n", p.Name, p.Requests, p.Successes, p.Left,
			short(p.Stall), short(p.Slowest), short(p.Recorded), dash(classes(p.Refusals)), dash(classes(p.Failures)))
	}
	r.writeAttacks(table)
	fmt.Fprintf(table, "\naudit\texpected\tfound\tdifference\t\n")
	for i := range r.Checks {
		c := &r.Checks[i]
		verdict := "ok"
		if !c.OK() {
			verdict = fmt.Sprintf("FAILED by %d", c.Found-c.Expected)
		}
		fmt.Fprintf(table, "%s\t%s %d\t%d\t%s\t\n", c.Name, c.Rule, c.Expected, c.Found, verdict)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	for i := range r.Checks {
		if c := &r.Checks[i]; !c.OK() {
			fmt.Fprintf(w, "FAILED: %s\n", c.Name)
			for _, example := range c.Examples {
				fmt.Fprintf(w, "    %s\n", example)
			}
		}
	}
	for _, p := range r.Phases {
		if p.Attack != nil {
			fmt.Fprintf(w, "%s: %s\n", p.Name, strings.Join(p.Attack.Did, "; "))
		}
	}
	for _, note := range r.Notes {
		fmt.Fprintf(w, "note: %s\n", note)
	}
	_, err := fmt.Fprintf(w, "seed %d: %s\n", r.Seed,
		map[bool]string{true: "FAILED", false: "all checks passed"}[r.Failed()])
	return err
}

// writeAttacks writes a row for each attack, if there was one: the peaks of the programs' memory, and what other
// clients noticed.
func (r *Report) writeAttacks(w io.Writer) {
	if !slices.ContainsFunc(r.Phases, func(p *Phase) bool { return p.Attack != nil }) {
		return
	}
	fmt.Fprintf(w, "\nattack\tpeak MiB\tcalls: p99\tpages: p99\tsign-ins: p99\tended\t\n")
	for _, p := range r.Phases {
		if a := p.Attack; a != nil {
			var peaks []string
			for _, name := range slices.Sorted(maps.Keys(a.Peaks)) {
				peaks = append(peaks, fmt.Sprintf("%s %d", name, a.Peaks[name]>>20))
			}
			fmt.Fprintf(w, "%s\t%s\t%v\t%v\t%v\t%s\t\n", p.Name, strings.Join(peaks, ", "), &a.Calls, &a.Reads,
				&a.SignIns, dash(strings.Join(a.Ended, ", ")))
		}
	}
}

// short rounds a duration to milliseconds.
func short(d time.Duration) time.Duration { return d.Round(time.Millisecond) }

// dash returns text, or "-" if it is empty.
func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
