// Command leftout reads the file that gotestsum writes with --jsonfile and prints the skipped tests, one line
// for each reason.
//
//	leftout [-require all] FILE
//
// It exits with 1 if FILE holds no test. With -require=all it also exits with 1 if a test was skipped, so
// that CI notices a service that is missing. A skip whose reason begins with TEST_WITHOUT= is only printed: that
// variable states what the machine lacks.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

var (
	errNoTests = errors.New("no test was run")
	errLeftOut = errors.New("TEST_REQUIRE=all, but tests were skipped")
)

func main() {
	require := flag.String("require", "", `"all": fail if a test was skipped`)
	flag.Parse()
	if err := run(os.Stdout, flag.Arg(0), *require == "all"); err != nil {
		fmt.Fprintln(os.Stderr, "FAIL:", err)
		os.Exit(1)
	}
}

// run reads the file and prints the report.
func run(out io.Writer, name string, requireAll bool) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	return report(out, file, requireAll)
}

// event represents one line of `go test -json`.
type event struct {
	Action, Package, Test, Output string
}

// report prints one line for each reason to skip tests. It returns an error if no test ran, or if all are
// required and one was skipped.
func report(out io.Writer, events io.Reader, requireAll bool) error {
	ended := 0
	output := map[string][]string{}  // lines of output by test, for tests that still run
	skipped := map[string][]string{} // names of tests by the reason that they were skipped
	for decoder := json.NewDecoder(events); ; {
		var e event
		if err := decoder.Decode(&e); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("read the test events: %w", err)
		}
		if e.Test == "" {
			continue
		}
		name := e.Package + "." + e.Test
		switch e.Action {
		case "output":
			output[name] = append(output[name], e.Output)
			continue
		case "skip":
			reason := skipReason(output[name])
			skipped[reason] = append(skipped[reason], name)
		case "pass", "fail":
			ended++
		default:
			continue
		}
		delete(output, name)
	}
	for _, reason := range slices.Sorted(maps.Keys(skipped)) {
		tests := skipped[reason]
		fmt.Fprintf(out, "LEFT OUT: %s (%d tests, the first is %s)\n", reason, len(tests), tests[0])
	}
	switch {
	case ended == 0:
		return errNoTests
	case requireAll && slices.ContainsFunc(slices.Collect(maps.Keys(skipped)), unstated):
		return errLeftOut
	}
	return nil
}

// unstated reports whether a reason names nothing that TEST_WITHOUT states.
func unstated(reason string) bool { return !strings.HasPrefix(reason, "TEST_WITHOUT=") }

// skipReason returns the last line that a skipped test printed, without its file and line number.
func skipReason(output []string) string {
	for _, line := range slices.Backward(output) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "---") || strings.HasPrefix(line, "===") {
			continue
		}
		if position, reason, found := strings.Cut(line, ": "); found && strings.Contains(position, ".go:") {
			return reason
		}
		return line
	}
	return "no reason given"
}
