// Command specs checks the OpenAPI documents in 3.0.3, and compares them with those of the last release, so that no
// change breaks a client by accident.
//
//	specs -root .. check     fails on an invalid document, and on a breaking change that openapi/acknowledged.txt does not list
//	specs -root .. release   makes today's documents those of the last release
//
// The programs have written today's documents to bin/openapi. openapi/released holds the documents of the last release,
// compressed. openapi/acknowledged.txt lists the breaking changes since then that are intended, each with its reason.
package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tollgate/tollgate/tools/specs/breaking"
)

var apis = [...]string{"relay", "console"}

func main() {
	root := flag.String("root", ".", "root folder of the repository")
	flag.Parse()
	specs := folders{openapi: filepath.Join(*root, "openapi"), current: filepath.Join(*root, "bin", "openapi")}
	commands := map[string]func(io.Writer) error{"check": specs.check, "release": specs.release}
	command := commands[flag.Arg(0)]
	if command == nil || flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: specs [-root FOLDER] check|release")
		os.Exit(2)
	}
	if err := command(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "specs:", err)
		os.Exit(1)
	}
}

// folders are the folders that the commands read and write.
type folders struct {
	openapi string // the released documents and the acknowledgements
	current string // today's documents
}

// check compares the documents in OpenAPI 3.0, which oasdiff supports best. It prints the changes that are
// not acknowledged, and the acknowledgements of changes that do not exist.
func (f folders) check(out io.Writer) error {
	changes, err := f.changes()
	if err != nil {
		return err
	}
	file, err := os.ReadFile(filepath.Join(f.openapi, "acknowledged.txt"))
	if err != nil {
		return err
	}
	acknowledged, err := breaking.ParseAcknowledged(file)
	if err != nil {
		return fmt.Errorf("openapi/acknowledged.txt: %w", err)
	}
	silent, stale := breaking.Judge(changes, acknowledged)
	for _, change := range silent {
		_, _ = fmt.Fprintf(out, "%s | WHY\n", change)
	}
	slices.Sort(stale)
	for _, line := range stale {
		_, _ = fmt.Fprintf(out, "no such change: %s\n", line)
	}
	if len(silent) > 0 {
		return errors.New("the changes above break clients of the last release: revert them, or add the lines to " +
			"openapi/acknowledged.txt, each with its reason")
	}
	if len(stale) > 0 {
		return errors.New("openapi/acknowledged.txt lists changes that do not exist: remove the lines above")
	}
	_, _ = fmt.Fprintf(out, "ok  breaking changes: %d acknowledged\n", len(acknowledged))
	return nil
}

// changes returns the breaking changes of all APIs.
func (f folders) changes() (all []breaking.Change, err error) {
	for _, api := range apis {
		before, err := f.released(api)
		if err != nil {
			return nil, err
		}
		now, err := f.today(api)
		if err != nil {
			return nil, err
		}
		changes, err := breaking.Compare(api, before, now)
		if err != nil {
			return nil, err
		}
		all = append(all, changes...)
	}
	return all, nil
}

// today returns the document that the program wrote. The error names what is invalid in it.
func (f folders) today(api string) ([]byte, error) {
	document, err := os.ReadFile(filepath.Join(f.current, api+".yaml"))
	if err != nil {
		return nil, err
	}
	if err := validate(document); err != nil {
		return nil, fmt.Errorf("the OpenAPI document of %s: %w", api, err)
	}
	return document, nil
}

// released returns the document of the last release. It is compressed so that the
// repository does not hold each document twice.
func (f folders) released(api string) ([]byte, error) {
	name := filepath.Join(f.openapi, "released", api+".yaml.gz")
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return nil, fmt.Errorf("decompress %s: %w", name, err)
	}
	document, err := io.ReadAll(unzipped)
	if err != nil {
		return nil, fmt.Errorf("decompress %s: %w", name, err)
	}
	return document, nil
}

// keep writes a document as that of the last release. The same document always gives the same bytes.
func (f folders) keep(api string, document []byte) error {
	var zipped bytes.Buffer
	w, err := gzip.NewWriterLevel(&zipped, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write(document); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(f.openapi, "released", api+".yaml.gz"), zipped.Bytes(), 0o644)
}

// release copies today's documents to openapi/released. It removes all acknowledgements and keeps the comments of the
// file.
func (f folders) release(out io.Writer) error {
	for _, api := range apis {
		document, err := f.today(api)
		if err != nil {
			return err
		}
		if err := f.keep(api, document); err != nil {
			return err
		}
	}
	file, err := os.ReadFile(filepath.Join(f.openapi, "acknowledged.txt"))
	if err != nil {
		return err
	}
	var kept strings.Builder
	for line := range strings.Lines(string(file)) {
		if strings.HasPrefix(line, "#") {
			kept.WriteString(line)
		}
	}
	_, _ = fmt.Fprintln(out, "ok  openapi/released holds the current documents; openapi/acknowledged.txt lists no "+
		"changes")
	return os.WriteFile(filepath.Join(f.openapi, "acknowledged.txt"), []byte(kept.String()), 0o644)
}
