package oneapi_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tollgate/tollgate/apps/console/internal/oneapi"
	"github.com/tollgate/tollgate/libs/manifest"
	"github.com/tollgate/tollgate/libs/provider/registry"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// options returns options with a fixed password and time.
func options() oneapi.Options {
	return oneapi.Options{
		Domain: "import.invalid", Password: func() string { return "a fresh password" },
		Now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
	}
}

func TestRead_ConvertsWholeDumps(t *testing.T) {
	t.Parallel()
	dumps, err := filepath.Glob("testdata/*.sql")
	if err != nil || len(dumps) == 0 {
		t.Fatal("found no dumps", err)
	}
	for _, path := range dumps {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			dump, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer dump.Close() //nolint:errcheck // closing a file that is only read loses nothing
			found, err := oneapi.Read(dump, options())
			if err != nil {
				t.Fatal(err)
			}
			var notes strings.Builder
			for _, n := range found.Notes {
				fmt.Fprintf(&notes, "%s %s: %s\n", n.Thing, n.Name, n.Text)
			}
			golden(t, strings.TrimSuffix(path, ".sql")+".yaml", written(t, found.Manifest))
			golden(t, strings.TrimSuffix(path, ".sql")+".txt", []byte(notes.String()))
			check(t, found.Manifest)
		})
	}
}

// check parses the manifest with the same checks as applying it.
func check(t *testing.T, c *manifest.Manifest) {
	t.Helper()
	if _, err := manifest.Parse(manifest.Source{File: "c", Text: written(t, c), CheckChannel: registry.Check}); err !=
		nil {
		t.Errorf("the manifest is not valid: %v", err)
	}
}

// written returns the manifest as YAML.
func written(t *testing.T, m *manifest.Manifest) []byte {
	t.Helper()
	text, err := m.YAML()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// golden compares got with the golden file at path, or rewrites the file with -update.
func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func TestRead_RefusesOtherDumps(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                    "no table channels",
		"CREATE TABLE t (a int);":             "no table channels",
		"CREATE TABLE channels (a int)":       "no table tokens",
		"INSERT INTO channels (a) VALUES ('x": "line 1",
	} {
		if _, err := oneapi.Read(strings.NewReader(text), options()); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("Read(%q): got error %v, want %q", text, err, want)
		}
	}
}

// FuzzRead checks that Read does not crash on any dump, that the
// notes contain no credential, and that the manifest can be written.
func FuzzRead(f *testing.F) {
	dumps, _ := filepath.Glob("testdata/*.sql")
	for _, path := range dumps {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		found, err := oneapi.Read(strings.NewReader(text), options())
		if err != nil {
			return
		}
		secrets := false
		for _, n := range found.Notes {
			secrets = secrets || strings.Contains(n.Text, "sk-first")
		}
		if secrets {
			t.Error("a note contains a credential")
		}
		written(t, found.Manifest)
	})
}
