// Command words keeps private and archaic English out of the repository. It compares the text of source files,
// documents and configuration with the patterns of words.yaml, prints a line for each match, and then exits with 1:
//
//	words [PATH ...]
//
//	docs/quota.md:12: "told of": write "report, notify"
//
// With paths it reads only these files and folders. It does not read files that git ignores, generated files, and
// files in folders named testdata, because the authors of this repository did not write their text.
package main

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

//go:embed words.yaml
var list []byte

func main() {
	if err := run(os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "FAIL:", err)
		os.Exit(1)
	}
}

// run checks the files below the paths, or the whole repository without paths.
func run(out io.Writer, paths []string) error {
	rules, err := parse(list)
	if err != nil {
		return err
	}
	names, err := exec.Command("git", append([]string{"ls-files", "-z", "--cached", "--others", "--exclude-standard",
		"--deduplicate", "--"}, paths...)...).Output()
	if err != nil {
		return fmt.Errorf("list the files of the repository: %w", err)
	}
	count := 0
	for name := range strings.SplitSeq(strings.TrimSuffix(string(names), "\x00"), "\x00") {
		if !written(name) {
			continue
		}
		text, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted, but still in git's index
		}
		if err != nil {
			return err
		}
		for _, match := range find(rules, text) {
			fmt.Fprintf(out, "%s:%s\n", name, match)
			count++
		}
	}
	if count > 0 {
		return fmt.Errorf("found %d words that tools/words/words.yaml replaces", count)
	}
	return nil
}

// written reports whether the authors of the repository wrote the file, and in a language with prose.
func written(name string) bool {
	if strings.Contains(name, "/testdata/") || strings.Contains(name, ".gen.") || name == "LICENSE" ||
		strings.HasPrefix(name, "openapi/") && path.Ext(name) == ".yaml" || strings.HasPrefix(name, "tools/words/") {
		return false
	}
	return slices.Contains([]string{".go", ".ts", ".tsx", ".mjs", ".css", ".sql", ".lua", ".md", ".yaml", ".yml", ".sh",
		".hcl", ".cfg", ".tpl", ".example", ""}, path.Ext(name)) // "": Makefile, Dockerfile, scripts
}

// rule is an entry of words.yaml.
type rule struct {
	next  *regexp.Regexp // its first group matches the text after one of the words
	write string
}

// parse decodes words.yaml. It returns the rules of each word.
func parse(text []byte) (map[string][]rule, error) {
	var entries map[string]string
	if err := yaml.Unmarshal(text, &entries); err != nil {
		return nil, fmt.Errorf("words.yaml: %w", err)
	}
	rules := map[string][]rule{}
	for key, write := range entries {
		words := begin.FindString(key)
		next, err := regexp.Compile(`^(` + strings.ReplaceAll(key[len(words):], " ", `\s+`) + `)(?:\W|\z)`)
		if err != nil || words == "" {
			return nil, fmt.Errorf("words.yaml: %q: no word, or %w", key, err)
		}
		for one := range strings.SplitSeq(words, "|") {
			rules[one] = append(rules[one], rule{next, write})
		}
	}
	return rules, nil
}

var (
	begin  = regexp.MustCompile(`^[a-z|]*`)
	word   = regexp.MustCompile(`[a-z0-9_]+`)
	opener = regexp.MustCompile(`(?m)^([ \t]*(?:[^/ \t\n].*)?)\n[ \t]*//+`)
	marker = regexp.MustCompile(`(?m)^[ \t]*(?:#+|--+|\*+|//+)`)
	test   = regexp.MustCompile(`\bfunc (?:Test|Benchmark|Fuzz|Example)\w+`)
	hump   = regexp.MustCompile(`([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])|_`)
)

// find returns a line for each match in a file.
func find(rules map[string][]rule, text []byte) (found []string) {
	if bytes.IndexByte(text, 0) >= 0 {
		return nil // a binary file
	}
	for range 2 { // the name of a test is a sentence; a letter between two borders of words belongs to both
		text = test.ReplaceAllFunc(text, func(name []byte) []byte {
			return hump.ReplaceAll(name, []byte("$1$3 $2$4"))
		})
	}
	text = opener.ReplaceAll(text, []byte("$1\ncomment:"))
	text = bytes.ToLower(marker.ReplaceAll(text, nil)) // a sentence continues behind the next marker
	for _, at := range word.FindAllIndex(text, -1) {
		for _, r := range rules[string(text[at[0]:at[1]])] {
			if next := r.next.FindSubmatchIndex(text[at[1]:]); next != nil {
				match := text[at[0] : at[1]+next[3]]
				found = append(found, fmt.Sprintf("%d: %q: write %q", 1+bytes.Count(text[:at[0]], []byte("\n")),
					bytes.Join(bytes.Fields(match), []byte(" ")), r.write))
			}
		}
	}
	return found
}
