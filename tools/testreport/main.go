// Command testreport reads the output of `go test -json` and prints what a
// person wants to see of it: a line for each package, all that failed tests
// said, and at the end, plainly, which tests were left out and why.
//
// It exits with 1 where a test failed or, with -require=all, was left out.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

// event is one line of `go test -json`.
type event struct {
	Action      string
	Package     string
	ImportPath  string // of build output
	Test        string
	Output      string
	FailedBuild string
}

type key struct{ pkg, test string }

// report is what was learnt so far.
type report struct {
	out     io.Writer
	said    map[key][]string
	passed  int
	failed  int
	broken  int // packages that failed
	leftOut map[string][]string
}

func main() {
	require := flag.String("require", "", `"all": a test that was left out is a failure`)
	flag.Parse()
	r := &report{out: os.Stdout, said: map[key][]string{}, leftOut: map[string][]string{}}
	if err := r.read(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "testreport:", err)
		os.Exit(1)
	}
	if !r.sum(*require == "all") {
		os.Exit(1)
	}
}

func (r *report) read(in io.Reader) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) == nil {
				r.take(e)
			} else {
				fmt.Fprint(r.out, string(line)) // of the go command itself
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (r *report) take(e event) {
	if e.Test == "" {
		r.takePackage(e)
		return
	}
	at := key{e.Package, e.Test}
	switch e.Action {
	case "output":
		r.said[at] = append(r.said[at], e.Output)
	case "pass":
		r.passed++
		delete(r.said, at)
	case "fail":
		r.failed++
		fmt.Fprint(r.out, strings.Join(r.said[at], ""))
		delete(r.said, at)
	case "skip":
		reason := why(r.said[at])
		r.leftOut[reason] = append(r.leftOut[reason], e.Package+"."+e.Test)
		delete(r.said, at)
	}
}

func (r *report) takePackage(e event) {
	switch e.Action {
	case "build-output":
		fmt.Fprint(r.out, e.Output)
	case "output":
		if line := strings.TrimSpace(e.Output); line != "PASS" && line != "" && !strings.HasPrefix(line, "-test.shuffle") && !strings.HasSuffix(line, "[no test files]") {
			fmt.Fprint(r.out, e.Output)
		}
	case "fail":
		r.broken++
		for at, said := range r.said { // tests that a crash or time-out cut short
			if at.pkg == e.Package {
				fmt.Fprint(r.out, strings.Join(said, ""))
				delete(r.said, at)
			}
		}
	}
}

// why returns the last thing a skipped test said, without the place it said it at.
func why(said []string) string {
	for _, line := range slices.Backward(said) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "---") || strings.HasPrefix(line, "===") {
			continue
		}
		if place, reason, found := strings.Cut(line, ": "); found && strings.Contains(place, ".go:") {
			return reason
		}
		return line
	}
	return "no reason given"
}

// sum prints the end of the report and reports whether all is well.
func (r *report) sum(requireAll bool) bool {
	skipped := 0
	for _, reason := range slices.Sorted(maps.Keys(r.leftOut)) {
		tests := r.leftOut[reason]
		skipped += len(tests)
		fmt.Fprintf(r.out, "LEFT OUT: %s (%d tests, the first is %s)\n", reason, len(tests), tests[0])
	}
	fmt.Fprintf(r.out, "%d tests passed, %d failed, %d left out; %d packages failed\n", r.passed, r.failed, skipped, r.broken)
	if requireAll && skipped > 0 {
		fmt.Fprintln(r.out, "FAIL: TEST_REQUIRE=all, but tests were left out")
		return false
	}
	return r.failed == 0 && r.broken == 0 && r.passed > 0
}
