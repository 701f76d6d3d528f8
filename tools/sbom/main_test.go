package main

import (
	"bytes"
	"encoding/json"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

func TestBillOf_ListsModulesWithTheirReplacements(t *testing.T) {
	got := billOf(&debug.BuildInfo{
		GoVersion: "go1.26.8", Path: "github.com/tollgate/tollgate/apps/relay/cmd/relay",
		Deps: []*debug.Module{
			{Path: "github.com/tollgate/tollgate/libs", Version: "v0.0.0", Replace: &debug.Module{Path: "../libs"}},
			{Path: "example.com/b", Version: "v1.0.0",
				Replace: &debug.Module{Path: "example.com/fork", Version: "v1.2.3+incompatible"}},
			{Path: "example.com/a", Version: "v0.0.1"},
		},
	}, "relay", "0.1.0")
	if c := got.Metadata.Component; c.Name != "relay" || c.Version != "0.1.0" || c.Type != "application" {
		t.Errorf("got the program %+v, want relay 0.1.0", c)
	}
	want := []string{
		"pkg:golang/example.com/a@v0.0.1", "pkg:golang/example.com/fork@v1.2.3+incompatible",
		"pkg:golang/github.com/tollgate/tollgate/libs@0.1.0", "pkg:golang/std@1.26.8",
	}
	if on := got.Dependencies[0].On; !slices.Equal(on, want) {
		t.Errorf("got dependencies %q, want %q", on, want)
	}
}

func TestRun_ReadsTheProgramOfTheTest(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var first, second bytes.Buffer
	if err := run(&first, program, "0.1.0"); err != nil {
		t.Fatal(err)
	}
	if err := run(&second, program, "0.1.0"); err != nil {
		t.Fatal(err)
	}
	var decoded map[string]any
	if err := json.Unmarshal(first.Bytes(), &decoded); err != nil || decoded["bomFormat"] != "CycloneDX" {
		t.Errorf("got %s, %v, want a CycloneDX document", first.Bytes(), err)
	}
	if first.String() != second.String() {
		t.Error("two bills of the same program differ")
	}
	if err := run(&first, "main.go", "0.1.0"); err == nil || !strings.Contains(err.Error(), "main.go") {
		t.Errorf("got error %v for a file that is not a program, want one that names it", err)
	}
}
