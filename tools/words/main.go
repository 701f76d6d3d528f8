// Command words keeps private and archaic English out of the repository. It
// reads comments, strings and test names of Go files, comments of TypeScript,
// and the whole text of SQL, Lua, YAML, shell, make and Markdown files, and
// compares them with the rules of words.yaml.
//
//	words [-count] [PATH ...]
//
// It prints one line for each match:
//
//	docs/quota.md:12: "told of": write "report" (...)
//
// With paths it reads only these files and folders; with -count it prints the
// number of matches of each rule. It exits with 1 where a rule matched.
//
// Files that git ignores, generated files, lock files and testdata folders are not read: their text is not
// written by the authors of this repository.
package main

import (
	"cmp"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
)

//go:embed words.yaml
var embedded []byte

var errFound = errors.New("found words that tools/words/words.yaml replaces: the lines above name the replacements")

func main() {
	count := flag.Bool("count", false, "print the number of matches of each rule instead of the matches")
	flag.Parse()
	show := showMatches
	if *count {
		show = showCounts
	}
	if err := run(os.Stdout, flag.Args(), show); err != nil {
		fmt.Fprintln(os.Stderr, "FAIL:", err)
		os.Exit(1)
	}
}

// run checks the files below the paths, or the whole repository without paths.
func run(out io.Writer, paths []string, show func(io.Writer, []match)) error {
	rules, err := parseRules(embedded)
	if err != nil {
		return err
	}
	names, err := files(paths)
	if err != nil {
		return err
	}
	index := newIndex(rules)
	var found []match
	for _, name := range names {
		read := readerOf(name)
		if read == nil {
			continue
		}
		text, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted, but still in git's index
		}
		if err != nil {
			return err
		}
		for _, p := range read(text) {
			for _, m := range index.find(p) {
				m.file = name
				found = append(found, m)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b match) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line))
	})
	show(out, found)
	if len(found) > 0 {
		return fmt.Errorf("%d %w", len(found), errFound)
	}
	return nil
}

// files lists the files that git tracks or would track, relative to the current
// folder.
func files(paths []string) ([]string, error) {
	arguments := append([]string{"ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate", "--"},
		paths...)
	list, err := exec.Command("git", arguments...).Output()
	if err != nil {
		return nil, fmt.Errorf("list the files of the repository: %w", err)
	}
	return strings.Split(strings.TrimSuffix(string(list), "\x00"), "\x00"), nil
}

func showMatches(out io.Writer, found []match) {
	for _, m := range found {
		fmt.Fprintf(out, "%s:%d: %q: write %q (%s)\n", m.file, m.line, m.text, m.rule.Write, m.rule.Why)
	}
}

func showCounts(out io.Writer, found []match) {
	counts := map[string]int{}
	for _, m := range found {
		counts[m.rule.Name]++
	}
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	for _, name := range names {
		fmt.Fprintf(out, "%5d  %s\n", counts[name], name)
	}
}
