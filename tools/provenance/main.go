// Command provenance writes a statement of where the files of a release come from, as an in-toto statement with a
// predicate of SLSA provenance 1.0 (JSON), to the standard output.
//
//	provenance -sums dist/SHA256SUMS -version 0.1.0 -commit COMMIT [PROGRAM=DIGEST...]
//
// The arguments are the images that were pushed, with their digests. The command hashes each file again, so that a
// statement never names a file that was changed after its checksum. In a workflow of GitHub, the statement names the
// workflow and its run, and otherwise a build by hand. It is not signed; the workflow of the release signs the files.
// It has no time, so the same release gives the same statement.
package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
)

func main() {
	var b build
	sums := flag.String("sums", "", "file with the checksums of the release's files, in their folder")
	flag.StringVar(&b.version, "version", "", "version of the release")
	flag.StringVar(&b.commit, "commit", "", "commit from which the files were built")
	flag.Parse()
	b.images, b.lookup = flag.Args(), os.Getenv
	if err := run(os.Stdout, *sums, b); err != nil {
		fmt.Fprintln(os.Stderr, "provenance:", err)
		os.Exit(1)
	}
}

// build describes how the files were made.
type build struct {
	version, commit string
	images          []string                 // PROGRAM=DIGEST
	lookup          func(name string) string // reads the environment
}

// repository is the address of the sources, unless the environment names a fork.
const repository = "https://github.com/tollgate/tollgate"

// The parts of the statement: https://github.com/in-toto/attestation/blob/main/spec/v1/statement.md and
// https://slsa.dev/spec/v1.0/provenance.
type (
	statement struct {
		Type          string     `json:"_type"`
		Subject       []resource `json:"subject"`
		PredicateType string     `json:"predicateType"`
		Predicate     predicate  `json:"predicate"`
	}
	resource struct {
		Name   string            `json:"name,omitempty"`
		URI    string            `json:"uri,omitempty"`
		Digest map[string]string `json:"digest"`
	}
	predicate struct {
		Build definition `json:"buildDefinition"`
		Run   details    `json:"runDetails"`
	}
	definition struct {
		Type         string            `json:"buildType"`
		External     map[string]string `json:"externalParameters"`
		Internal     map[string]string `json:"internalParameters"`
		Dependencies []resource        `json:"resolvedDependencies"`
	}
	details struct {
		Builder  map[string]string `json:"builder"`
		Metadata map[string]string `json:"metadata,omitempty"`
	}
)

var (
	commit = regexp.MustCompile(`^[0-9a-f]{40}$`)
	digest = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// run writes the statement about the files that the file sums lists.
func run(out io.Writer, sums string, b build) error {
	if b.version == "" || !commit.MatchString(b.commit) {
		return errors.New("usage: provenance -sums FILE -version VERSION -commit COMMIT [PROGRAM=DIGEST...]")
	}
	subjects, err := files(sums)
	if err != nil {
		return err
	}
	for _, image := range b.images {
		program, sum, _ := strings.Cut(image, "=sha256:")
		if !digest.MatchString(sum) {
			return fmt.Errorf("%s: want PROGRAM=sha256:DIGEST", image)
		}
		subjects = append(subjects,
			resource{Name: "ghcr.io/tollgate/" + program, Digest: map[string]string{"sha256": sum}})
	}
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(statement{
		Type: "https://in-toto.io/Statement/v1", Subject: subjects,
		PredicateType: "https://slsa.dev/provenance/v1", Predicate: b.predicate(),
	})
}

// files returns the files of a list of checksums, which is in their folder. It fails if a file has another checksum.
func files(sums string) (subjects []resource, err error) {
	text, err := os.ReadFile(sums)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		want, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		if name == "" || filepath.Base(name) != name {
			return nil, fmt.Errorf("%s: malformed line %q", sums, line)
		}
		got, err := sumOf(filepath.Join(filepath.Dir(sums), name))
		if err != nil {
			return nil, err
		}
		if got != want {
			return nil, fmt.Errorf("%s was changed after its checksum", name)
		}
		subjects = append(subjects, resource{Name: name, Digest: map[string]string{"sha256": got}})
	}
	if len(subjects) == 0 {
		return nil, fmt.Errorf("%s lists no file", sums)
	}
	return subjects, nil
}

// sumOf returns the SHA-256 of a file.
func sumOf(name string) (string, error) {
	file, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close() //nolint:errcheck // only read
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", fmt.Errorf("read %s: %w", name, err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// predicate returns how the files were made.
func (b *build) predicate() predicate {
	source, ref := repository, b.commit
	run := details{Builder: map[string]string{"id": repository + "/blob/" + b.commit + "/tools/dist#by-hand"}}
	if server, name := b.lookup("GITHUB_SERVER_URL"), b.lookup("GITHUB_REPOSITORY"); server != "" && name != "" {
		source = server + "/" + name
		ref = cmp.Or(b.lookup("GITHUB_REF"), ref)
		run.Builder["id"] = server + "/" + b.lookup("GITHUB_WORKFLOW_REF")
		run.Metadata = map[string]string{
			"invocationId": fmt.Sprintf("%s/actions/runs/%s/attempts/%s", source, b.lookup("GITHUB_RUN_ID"),
				b.lookup("GITHUB_RUN_ATTEMPT")),
		}
	}
	return predicate{
		Build: definition{
			Type: repository + "/blob/main/docs/releasing.md#provenance",
			External: map[string]string{"repository": source, "ref": ref, "version": b.version,
				"target": "make release"},
			Internal: map[string]string{"go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH},
			Dependencies: []resource{{URI: "git+" + source + "@" + ref,
				Digest: map[string]string{"gitCommit": b.commit}}},
		},
		Run: run,
	}
}
