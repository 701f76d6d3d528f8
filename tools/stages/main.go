// Command stages measures the stages of a call and writes the table of docs/performance.md. It runs in the root of the
// repository.
//
// It fails if a stage is above a bound without a reason here, or has a reason that it does not need any more. The
// table is written anyway.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

// The bounds above which a stage needs a reason.
const (
	maxTime   = 2_000 // CPU time in nanoseconds
	maxAllocs = 2
	maxWait   = 50 // waits for locks in nanoseconds
)

// stage describes a stage of BenchmarkStages.
type stage struct {
	name   string
	does   string
	reason string // why it is above a bound, "" for a stage within the bounds
}

// stages are in the order of a call.
var stages = []stage{
	{"enter", "request id, headers, routing of the API", "the id as a header, and Huma's context"},
	{"authenticate", "the caller from the cache", ""},
	{"read", "memory for the body, the body, its scan", "the body, its use of memory, and the scan"},
	{"scan", "the scan alone: fields, UTF-8", ""},
	{"authorize", "model and price", ""},
	{"limit", "a caller without rate limits", ""},
	{"limit-in-memory", "requests, tokens and concurrency of a token",
		"three counters with their keys, and six response headers"},
	{"hold", "reserve quota and release it", ""},
	{"route", "channels and their order", ""},
	{"call", "request to the upstream and its response, without the transport", "the request and the response of " +
		"net/http, two contexts, the body of the answer and its scan"},
	{"meter", "usage, cost, the event", "the event, its attempts and its accounts"},
	{"spool", "the event on disk", "a write to the file of events, which all calls share: the event must outlive " +
		"the process before the client has the last byte"},
	{"metrics", "counters and histograms", ""},
	{"log-line", "metrics, and a line in the log",
		"a JSON line with 20 attributes, four of them ids that are formatted"},
	{"all", "all stages from authenticate to the answer, without metrics and line", "the sum; the wait is for the " +
		"spool, and long while the disk is busy with other work, as here"},
}

const (
	document = "docs/performance.md"
	header   = "| stage | what it does | CPU, us | allocations | bytes | waits for locks, us | why it is above a " +
		"bound |\n"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "FAIL:", err)
		os.Exit(1)
	}
}

// run measures the stages and writes the table.
func run() error {
	bench := exec.Command("go", "test", "-run", "^$", "-bench", "^BenchmarkStages$", "-benchtime", "20000x",
		"./apps/relay/internal/pipeline")
	bench.Stderr = os.Stderr
	output, err := bench.Output()
	if err != nil {
		return fmt.Errorf("run the benchmark: %w\n%s", err, output)
	}
	text, err := os.ReadFile(document)
	if err != nil {
		return fmt.Errorf("read the document: %w", err)
	}
	table, faults := tableOf(parse(string(output)))
	next, err := insert(string(text), table)
	if err != nil {
		return err
	}
	fmt.Print(table)
	if err := os.WriteFile(document, []byte(next), 0o644); err != nil {
		return fmt.Errorf("write the document: %w", err)
	}
	return faults
}

// figures are the results of one stage.
type figures struct{ time, wait, bytes, allocs float64 }

var line = regexp.MustCompile(`(?m)^BenchmarkStages/([a-z-]+?)(?:-\d+)?\s+\d+\s+(.*)$`)

// parse reads the output of the benchmark.
func parse(output string) map[string]figures {
	found := map[string]figures{}
	for _, match := range line.FindAllStringSubmatch(output, -1) {
		values := map[string]float64{}
		fields := strings.Fields(match[2])
		for i := 0; i+1 < len(fields); i += 2 {
			values[fields[i+1]], _ = strconv.ParseFloat(fields[i], 64) // go test writes numbers
		}
		found[match[1]] = figures{values["cpu-ns/op"], values["lock-ns/op"], values["B/op"], values["allocs/op"]}
	}
	return found
}

// tableOf returns the table, and an error that names the stages whose reasons do not fit their figures.
func tableOf(found map[string]figures) (table string, err error) {
	var b strings.Builder
	b.WriteString(header + "|---|---|---|---|---|---|---|\n")
	for _, s := range stages {
		f, ok := found[s.name]
		if !ok {
			err = errors.Join(err, fmt.Errorf("the benchmark has no stage %q", s.name))
			continue
		}
		delete(found, s.name)
		fmt.Fprintf(&b, "| %s | %s | %.2f | %.0f | %.0f | %.2f | %s |\n", s.name, s.does, f.time/1e3, f.allocs, f.bytes,
			f.wait/1e3, s.reason)
		if above := f.time > maxTime || f.allocs > maxAllocs || f.wait > maxWait; above && s.reason == "" {
			err = errors.Join(err, fmt.Errorf("stage %q is above a bound without a reason: %+v", s.name, f))
		}
	}
	for name := range found {
		err = errors.Join(err, fmt.Errorf("no description of the stage %q", name))
	}
	return b.String(), err
}

// errNoTable means that the document has no table of the stages.
var errNoTable = errors.New(document + " has no table of the stages")

// insert returns the text with the table in the place of the former one, which ends at the next blank line.
func insert(text, table string) (string, error) {
	before, rest, found := strings.Cut(text, header)
	_, after, ends := strings.Cut(rest, "\n\n")
	if !found || !ends {
		return "", errNoTable
	}
	return before + table + "\n" + after, nil
}
