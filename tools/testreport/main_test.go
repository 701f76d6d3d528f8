package main

import (
	"bytes"
	"strings"
	"testing"
)

const (
	pass = `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"chatter\n"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Output":"PASS\n"}
{"Action":"output","Package":"p","Output":"ok  \tp\t0.1s\n"}
{"Action":"pass","Package":"p"}
`
	fail = `{"Action":"output","Package":"p","Test":"TestB","Output":"    b_test.go:1: wrong\n"}
{"Action":"output","Package":"p","Test":"TestB","Output":"--- FAIL: TestB (0.00s)\n"}
{"Action":"fail","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Output":"FAIL\tp\t0.1s\n"}
{"Action":"fail","Package":"p"}
`
	skip = `{"Action":"output","Package":"p","Test":"TestC","Output":"=== RUN   TestC\n"}
{"Action":"output","Package":"p","Test":"TestC","Output":"    c_test.go:9: no Postgres: initdb is not installed\n"}
{"Action":"output","Package":"p","Test":"TestC","Output":"--- SKIP: TestC (0.00s)\n"}
{"Action":"skip","Package":"p","Test":"TestC"}
`
	noTests = `{"Action":"output","Package":"q","Output":"?   \tq\t[no test files]\n"}
{"Action":"skip","Package":"q"}
`
	noBuild = `{"ImportPath":"p [p.test]","Action":"build-output","Output":"p/a.go:3:1: syntax error\n"}
{"ImportPath":"p [p.test]","Action":"build-fail"}
{"Action":"output","Package":"p","Output":"FAIL\tp [build failed]\n"}
{"Action":"fail","Package":"p","FailedBuild":"p [p.test]"}
`
	crash = `{"Action":"output","Package":"p","Test":"TestD","Output":"panic: boom\n"}
{"Action":"fail","Package":"p"}
`
)

func TestReport(t *testing.T) {
	for _, row := range []struct {
		rule, input string
		requireAll  bool
		ok          bool
		says, not   string
	}{
		{"a pass is one line", pass, true, true, "ok  \tp\t0.1s", "chatter"},
		{"a failure is told whole", pass + fail, false, false, "b_test.go:1: wrong", "chatter"},
		{"what was left out is told with its reason", pass + skip, false, true, "LEFT OUT: no Postgres: initdb is not installed (1 tests, the first is p.TestC)", "=== RUN"},
		{"and is a failure where all is required", pass + skip, true, false, "FAIL: TEST_REQUIRE=all", "=== RUN"},
		{"packages without tests are no matter", pass + noTests, true, true, "1 tests passed", "no test files"},
		{"what does not build fails", pass + noBuild, false, false, "syntax error", "chatter"},
		{"a crash fails and is told", pass + crash, false, false, "panic: boom", "chatter"},
		{"what the go command says is passed on", pass + "go: no such tool\n", false, true, "go: no such tool", "chatter"},
		{"no tests at all is no success", noTests, false, false, "0 tests passed", "ok"},
		{"nothing at all is no success", "", false, false, "0 tests passed", "ok"},
	} {
		var out bytes.Buffer
		r := &report{out: &out, said: map[key][]string{}, leftOut: map[string][]string{}}
		if err := r.read(strings.NewReader(row.input)); err != nil {
			t.Fatal(err)
		}
		if ok := r.sum(row.requireAll); ok != row.ok || !strings.Contains(out.String(), row.says) || strings.Contains(out.String(), row.not) {
			t.Errorf("%s: ok %v, want %v\n%s", row.rule, ok, row.ok, out.String())
		}
	}
}
