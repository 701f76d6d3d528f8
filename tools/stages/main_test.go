package main

import (
	"strings"
	"testing"
)

const output = `goos: linux
BenchmarkStages/enter-2         	   61522	      1903 ns/op	      1800.5 cpu-ns/op	         0.8874 lock-ns/op	     304 B/op	       2 allocs/op
BenchmarkStages/limit-in-memory 	   35121	      3712 ns/op	      3600 cpu-ns/op	         5.240 lock-ns/op	    1680 B/op	      31 allocs/op
PASS
`

func TestParse_ReadsTheFiguresOfEachStage(t *testing.T) {
	got := parse(output)
	if len(got) != 2 || got["enter"] != (figures{1800.5, 0.8874, 304, 2}) ||
		got["limit-in-memory"] != (figures{3600, 5.24, 1680, 31}) {
		t.Errorf("got %+v", got)
	}
}

func TestTableOf_NamesTheStagesWithoutAReason(t *testing.T) {
	within := figures{maxTime, maxWait, 10_000, maxAllocs}
	for name, c := range map[string]struct {
		of   figures
		want string
	}{
		"within the bounds":    {within, ""},
		"too much time":        {figures{time: maxTime + 1}, `"authorize" is above a bound`},
		"too many allocations": {figures{allocs: maxAllocs + 1}, `"authorize" is above a bound`},
		"waits for locks":      {figures{wait: maxWait + 1}, `"authorize" is above a bound`},
	} {
		found := map[string]figures{}
		for _, s := range stages {
			found[s.name] = figures{}
		}
		found["authorize"] = c.of
		table, err := tableOf(found)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got error %v, want %q", name, err, c.want)
		}
		if strings.Count(table, "\n") != len(stages)+2 {
			t.Errorf("%s: got the table\n%s", name, table)
		}
	}
	if _, err := tableOf(parse(output)); err == nil || !strings.Contains(err.Error(), `no stage "scan"`) {
		t.Errorf("a stage is missing: got %v", err)
	}
}

func TestInsert_ReplacesTheTable(t *testing.T) {
	text := "intro\n\n" + header + "|---|\n| old |\n\nmore\n"
	if got, err := insert(text, header+"| new |\n"); err != nil || got != "intro\n\n"+header+"| new |\n\nmore\n" {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := insert("no table", "new"); err == nil {
		t.Error("a document without a table was accepted")
	}
}
