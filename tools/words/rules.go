package main

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// rule is one entry of words.yaml. It matches in one of two ways:
//
//   - Words: one of these words, followed by Next where Next is set;
//   - Opener: the beginning of a comment, string or document.
//
// Next, Opener and Unless are RE2 patterns. They see the text in lower case, and a
// space in them matches any white space, so that a match may cross lines.
type rule struct {
	Name   string // unique, for -count
	Words  string // separated by spaces
	Next   string
	Opener string
	Unless string // no match where this matches the text around it

	Write string // the plain alternative
	Why   string

	Catches []string // sentences that the rule must match
	Allows  []string // sentences that it must not match

	next, opener, unless *regexp.Regexp
}

// parseRules decodes words.yaml and compiles the patterns.
func parseRules(text []byte) ([]*rule, error) {
	var rules []*rule
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&rules); err != nil {
		return nil, fmt.Errorf("words.yaml: %w", err)
	}
	names := map[string]bool{}
	for _, r := range rules {
		if r.Name == "" || r.Write == "" || r.Why == "" || names[r.Name] {
			return nil, fmt.Errorf("words.yaml: rule %q needs a unique name, write and why", r.Name)
		}
		names[r.Name] = true
		if (r.Words == "") == (r.Opener == "") {
			return nil, fmt.Errorf("words.yaml: rule %s needs either words or opener", r.Name)
		}
		var err error
		if r.next, err = compile(`\A(?:`, r.Next, `)`); err != nil {
			return nil, fmt.Errorf("words.yaml: rule %s: %w", r.Name, err)
		}
		if r.opener, err = compile(`\A(?:`, r.Opener, `)`); err != nil {
			return nil, fmt.Errorf("words.yaml: rule %s: %w", r.Name, err)
		}
		if r.unless, err = compile(`(?:`, r.Unless, `)`); err != nil {
			return nil, fmt.Errorf("words.yaml: rule %s: %w", r.Name, err)
		}
	}
	return rules, nil
}

// compile returns nil for an empty pattern. The longest match is the one that
// counts: "on|once" must match the whole of "once".
func compile(before, pattern, after string) (*regexp.Regexp, error) {
	if pattern == "" {
		return nil, nil //nolint:nilnil // no pattern is no error
	}
	compiled, err := regexp.Compile(before + strings.ReplaceAll(pattern, " ", `\s+`) + after)
	if err != nil {
		return nil, err
	}
	compiled.Longest()
	return compiled, nil
}

// match is a place where a rule matched.
type match struct {
	rule *rule
	file string
	line int
	text string // the matching words, on one line
}

// index finds the rules that may match at a word. Without it, each of some fifty
// patterns would have to read all the text, which takes seconds.
type index struct {
	words   map[string][]*rule
	openers []*rule
}

func newIndex(rules []*rule) index {
	in := index{words: map[string][]*rule{}}
	for _, r := range rules {
		if r.opener != nil {
			in.openers = append(in.openers, r)
		}
		for _, word := range strings.Fields(r.Words) {
			in.words[word] = append(in.words[word], r)
		}
	}
	return in
}

// around is the number of bytes before and after a match that Unless sees.
const around = 60

// find returns the matches in p, in the order of the text.
func (in index) find(p passage) []match {
	text := lower(p.text)
	var found []match
	report := func(r *rule, from, to int) {
		if to < len(text) && isWord(text[to-1]) && isWord(text[to]) {
			return // the match ends inside a word
		}
		if r.unless != nil && r.unless.MatchString(text[max(0, from-around):min(len(text), to+around)]) {
			return
		}
		found = append(found, match{
			rule: r,
			line: p.line + strings.Count(text[:from], "\n"),
			text: strings.Join(strings.Fields(p.text[from:to]), " "),
		})
	}
	for _, r := range in.openers {
		if at := r.opener.FindStringIndex(text); at != nil {
			report(r, 0, at[1])
		}
	}
	for from := 0; from < len(text); from++ {
		if !isWord(text[from]) {
			continue
		}
		to := from + 1
		for to < len(text) && isWord(text[to]) {
			to++
		}
		for _, r := range in.words[text[from:to]] {
			if r.next == nil {
				report(r, from, to)
			} else if at := r.next.FindStringIndex(text[to:]); at != nil {
				report(r, from, to+at[1])
			}
		}
		from = to
	}
	return found
}

// lower returns text in lower case. Unlike strings.ToLower, it changes ASCII letters only, so that every offset
// stays the same.
func lower(text string) string {
	lowered := []byte(text)
	for i, c := range lowered {
		if 'A' <= c && c <= 'Z' {
			lowered[i] = c + 'a' - 'A'
		}
	}
	return string(lowered)
}

func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
}
