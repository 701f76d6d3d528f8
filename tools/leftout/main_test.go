package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

const (
	pass = `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:1: a log line\n"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Output":"ok  \tp\t0.1s\n"}
{"Action":"pass","Package":"p"}
`
	skip = `{"Action":"output","Package":"p","Test":"TestC","Output":"=== RUN   TestC\n"}
{"Action":"output","Package":"p","Test":"TestC","Output":"    c_test.go:9: no Postgres: initdb is not installed\n"}
{"Action":"output","Package":"p","Test":"TestC","Output":"--- SKIP: TestC (0.00s)\n"}
{"Action":"skip","Package":"p","Test":"TestC"}
`
	emptyPackage = `{"Action":"output","Package":"q","Output":"?   \tq\t[no test files]\n"}
{"Action":"skip","Package":"q"}
`
)

func TestReport_GroupsSkippedTestsByReason(t *testing.T) {
	const left = "LEFT OUT: no Postgres: initdb is not installed (1 tests, the first is p.TestC)\n"
	for _, row := range []struct {
		condition, events string
		requireAll        bool
		want              string
		err               error
	}{
		{"all tests passed", pass, true, "", nil},
		{"a test was skipped", pass + skip, false, left, nil},
		{"a test was skipped and all are required", pass + skip, true, left, errLeftOut},
		{"a test was skipped for what TEST_WITHOUT states",
			pass + strings.ReplaceAll(skip, "no Postgres: initdb is not installed", "TEST_WITHOUT=pypi: pip"), true,
			strings.Replace(left, "no Postgres: initdb is not installed", "TEST_WITHOUT=pypi: pip", 1), nil},
		{"the same reason twice", pass + skip + strings.ReplaceAll(skip, "TestC", "TestD"), false,
			strings.Replace(left, "1 tests", "2 tests", 1), nil},
		{"a package has no tests", pass + emptyPackage, true, "", nil},
		{"only packages without tests", emptyPackage, false, "", errNoTests},
		{"no events", "", false, "", errNoTests},
	} {
		var out bytes.Buffer
		if err := report(&out, strings.NewReader(row.events), row.requireAll); !errors.Is(err, row.err) ||
			out.String() != row.want {
			t.Errorf("%s: got %q, %v; want %q, %v", row.condition, out.String(), err, row.want, row.err)
		}
	}
}
