package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/e2e/stack"
)

// TestCI_RunsTheCommandsThatDocumentsLeaveToIt checks the commands that documents mark as "suite": .ci/run or a
// workflow must run them. make test-all, which one of them runs, tests every package.
func TestCI_RunsTheCommandsThatDocumentsLeaveToIt(t *testing.T) {
	targets := targetsOfCI(t)
	if !slices.Contains(targets, "test-all") {
		t.Fatalf("no workflow runs make test-all; CI runs the targets %v", targets)
	}
	root, err := stack.Root()
	if err != nil {
		t.Fatal(err)
	}
	commands := 0
	for _, page := range documents(t) {
		for _, b := range page.Blocks {
			if b.Reason != "suite" {
				continue
			}
			commands++
			command := strings.TrimSpace(b.Text)
			target, isMake := strings.CutPrefix(command, "make ")
			folder, isPackage := strings.CutPrefix(command, "go test ")
			tests, err := filepath.Glob(filepath.Join(root, folder, "*_test.go"))
			if !(isMake && slices.Contains(targets, target)) && !(isPackage && len(tests) > 0 && err == nil) {
				t.Errorf("%s:%d: CI does not run %q; it runs the targets %v", page.Name, b.Line, command, targets)
			}
		}
	}
	if commands == 0 {
		t.Error("no document has a block with the reason suite")
	}
}

// targetsOfCI returns the targets of the Makefile that .ci/run and the workflows run.
func targetsOfCI(t *testing.T) (targets []string) {
	t.Helper()
	root, err := stack.Root()
	if err != nil {
		t.Fatal(err)
	}
	workflows, err := filepath.Glob(filepath.Join(root, ".github", "workflows", "*.yml"))
	if err != nil {
		t.Fatal(err)
	}
	call := regexp.MustCompile(`(?m)^(?:targets=\(|\s*- run: (?:make|\.ci/run) )([a-z0-9 -]+)\)?$`)
	for _, name := range append(workflows, filepath.Join(root, ".ci", "run")) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range call.FindAllStringSubmatch(string(text), -1) {
			targets = append(targets, strings.Fields(found[1])...)
		}
	}
	return targets
}
