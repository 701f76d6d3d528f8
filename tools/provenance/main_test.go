package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	someCommit = "0123456789abcdef0123456789abcdef01234567"
	// sumOfAbc is the SHA-256 of "abc", the example of FIPS 180-4.
	sumOfAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
)

// release returns the list of checksums of a folder with the file a.tar.gz.
func release(t *testing.T, content string) (sums string) {
	t.Helper()
	folder := t.TempDir()
	sums = filepath.Join(folder, "SHA256SUMS")
	for name, text := range map[string]string{sums: sumOfAbc + "  a.tar.gz\n",
		filepath.Join(folder, "a.tar.gz"): content} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return sums
}

func noEnvironment(string) string { return "" }

func TestProvenance_NamesFilesImagesAndCommit(t *testing.T) {
	t.Parallel()
	environment := map[string]string{
		"GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "tollgate/tollgate",
		"GITHUB_REF": "refs/tags/v1.2.3", "GITHUB_RUN_ID": "7", "GITHUB_RUN_ATTEMPT": "1",
		"GITHUB_WORKFLOW_REF": "tollgate/tollgate/.github/workflows/release.yml@refs/tags/v1.2.3",
	}
	for name, row := range map[string]struct {
		lookup  func(string) string
		ref     string
		builder string
	}{
		"by hand": {noEnvironment, someCommit, "https://github.com/tollgate/tollgate/blob/" + someCommit +
			"/tools/dist#by-hand"},
		"in a workflow": {func(name string) string { return environment[name] }, "refs/tags/v1.2.3",
			"https://github.com/tollgate/tollgate/.github/workflows/release.yml@refs/tags/v1.2.3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			b := build{version: "1.2.3", commit: someCommit, images: []string{"relay=sha256:" + sumOfAbc},
				lookup: row.lookup}
			if err := run(&out, release(t, "abc"), b); err != nil {
				t.Fatal(err)
			}
			var s statement
			if err := json.Unmarshal(out.Bytes(), &s); err != nil {
				t.Fatal(err)
			}
			if s.Type != "https://in-toto.io/Statement/v1" || s.PredicateType != "https://slsa.dev/provenance/v1" {
				t.Errorf("got types %s and %s", s.Type, s.PredicateType)
			}
			if len(s.Subject) != 2 || s.Subject[0].Name != "a.tar.gz" || s.Subject[0].Digest["sha256"] != sumOfAbc ||
				s.Subject[1].Name != "ghcr.io/tollgate/relay" {
				t.Errorf("got subjects %+v", s.Subject)
			}
			if got := s.Predicate.Run.Builder["id"]; got != row.builder {
				t.Errorf("got builder %s, want %s", got, row.builder)
			}
			if d := s.Predicate.Build.Dependencies; len(d) != 1 ||
				d[0].URI != "git+https://github.com/tollgate/tollgate@"+row.ref ||
				d[0].Digest["gitCommit"] != someCommit {
				t.Errorf("got dependencies %+v", d)
			}
		})
	}
}

func TestProvenance_RefusesWhatItCannotState(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		content, commit, image, says string
	}{
		"a file that was changed":    {"other", someCommit, "", "changed after its checksum"},
		"no commit":                  {"abc", "v1.2.3", "", "usage"},
		"an image without a digest":  {"abc", someCommit, "relay=latest", "want PROGRAM=sha256:DIGEST"},
		"an image with another hash": {"abc", someCommit, "relay=sha256:abc", "want PROGRAM=sha256:DIGEST"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := build{version: "1.2.3", commit: row.commit, lookup: noEnvironment}
			if row.image != "" {
				b.images = []string{row.image}
			}
			if err := run(&bytes.Buffer{}, release(t, row.content), b); err == nil ||
				!strings.Contains(err.Error(), row.says) {
				t.Errorf("got error %v, want %q", err, row.says)
			}
		})
	}
}
