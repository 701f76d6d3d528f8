package readme

import (
	"cmp"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// part is a piece of a page that a translation keeps: a heading, a paragraph, a list item, a table row, or a fence.
type part struct {
	line int    // of its beginning, from 1
	kind string // for example "heading ##"
	text string // without line breaks, except in a fence
}

var (
	opening = regexp.MustCompile("^ *```")
	// A line that begins a part, also without an empty line before it.
	begins = regexp.MustCompile(`^ *(#+|- |\d+\. |\||<!--)`)
)

// parts splits a page whose fences are all closed, as e2e/pages requires.
func parts(text string) (found []part) {
	lines, joins := strings.Split(text, "\n"), false // joins: the next line of text belongs to the last part
	for i := 0; i < len(lines); i++ {
		line, first := lines[i], begins.FindStringSubmatch(lines[i])
		switch {
		case opening.MatchString(line):
			begin := i
			i += 1 + slices.IndexFunc(lines[i+1:], func(l string) bool { return strings.TrimSpace(l) == "```" })
			found, joins = append(found, part{begin + 1, "fence", strings.Join(lines[begin:i+1], "\n")}), false
		case strings.TrimSpace(line) == "":
			joins = false
		case first == nil && joins:
			found[len(found)-1].text += " " + strings.TrimSpace(line)
		case first == nil:
			found, joins = append(found, part{i + 1, "paragraph", line}), true
		case first[1] == "<!--":
			found, joins = append(found, part{i + 1, "comment", line}), false
		case first[1] == "|":
			kind := fmt.Sprintf("table row of %d cells", strings.Count(line, "|")-1)
			found, joins = append(found, part{i + 1, kind, line}), false
		case first[1][0] == '#':
			found, joins = append(found, part{i + 1, "heading " + first[1], line}), false
		default:
			found, joins = append(found, part{i + 1, "list item", line}), true
		}
	}
	return found
}

var (
	code    = regexp.MustCompile("`[^`]+`")
	link    = regexp.MustCompile(`\]\(([^)#]*)(#[^)]*)?\)|<(https?:[^>]+)>`)
	figures = regexp.MustCompile(`\d+(?:[.,]\d+)*`)
)

// kept returns what a translation of the part repeats, in a fixed order. target returns the target that a link of the
// translation has.
func (p part) kept(target func(file, fragment string) string) []string {
	if p.kind == "fence" || p.kind == "comment" {
		return []string{p.text}
	}
	kept := code.FindAllString(p.text, -1)
	text := code.ReplaceAllString(p.text, "")
	for _, l := range link.FindAllStringSubmatch(text, -1) {
		kept = append(kept, "link to "+cmp.Or(l[3], target(l[1], l[2])))
	}
	kept = append(kept, figures.FindAllString(link.ReplaceAllString(text, ""), -1)...)
	slices.Sort(kept)
	return kept
}

// difference returns where a translation differs from its page in more than words, or "". translated returns the
// translation of the file that a link names, or "" if there is none.
func difference(page, translation string, translated func(file string) string) string {
	english, other := parts(page), parts(translation)
	toTranslation := func(file, fragment string) string { return cmp.Or(translated(file), file+fragment) }
	asWritten := func(file, fragment string) string {
		if strings.Count(path.Base(file), ".") > 1 {
			return file // the headings of a translation have other anchors
		}
		return file + fragment
	}
	for i := range max(len(english), len(other)) {
		switch {
		case i == len(english):
			return fmt.Sprintf("line %d: the English page has no such %s", other[i].line, other[i].kind)
		case i == len(other):
			return fmt.Sprintf("the %s of line %d of the English page is missing at the end", english[i].kind,
				english[i].line)
		case english[i].kind != other[i].kind:
			return fmt.Sprintf("line %d: got a %s, line %d of the English page has a %s", other[i].line, other[i].kind,
				english[i].line, english[i].kind)
		}
		want, got := english[i].kept(toTranslation), other[i].kept(asWritten)
		if !slices.Equal(want, got) {
			return fmt.Sprintf("line %d: got a %s with\n%s\nline %d of the English page has\n%s",
				other[i].line, other[i].kind, strings.Join(got, "\n"), english[i].line, strings.Join(want, "\n"))
		}
	}
	return ""
}

// withoutLanguages removes the paragraph below the title, which must link to the page in the other language.
func withoutLanguages(t *testing.T, name, text, other string) string {
	t.Helper()
	lines := strings.Split(text, "\n")
	title := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "# ") })
	if languages := title + 2; languages >= len(lines) || !strings.Contains(lines[languages], " | ") ||
		!strings.Contains(lines[languages], "]("+other+")") {
		t.Errorf("%s: the line below the title has no link to %s", name, other)
		return text
	}
	lines[title+2] = "" // keep the numbers of the lines
	return strings.Join(lines, "\n")
}

// Each translation NAME.LANGUAGE.md has the commands, outputs, code, links and figures of NAME.md. A page and its
// translation name each other below the title.
func TestTranslations_AgreeWithTheEnglishPages(t *testing.T) {
	found := 0
	for _, folder := range []string{"", "docs"} {
		translations, err := filepath.Glob(filepath.Join(root, folder, "*.*.md"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range translations {
			found++
			name := filepath.Base(file)
			stem, language, _ := strings.Cut(strings.TrimSuffix(name, ".md"), ".")
			translated := func(target string) string {
				target, isPage := strings.CutSuffix(target, ".md")
				target += "." + language + ".md"
				if _, err := os.Stat(filepath.Join(root, folder, target)); !isPage || err != nil {
					return ""
				}
				return target
			}
			page := withoutLanguages(t, stem+".md", read(t, filepath.Join(folder, stem+".md")), name)
			translation := withoutLanguages(t, name, read(t, filepath.Join(folder, name)), stem+".md")
			if d := difference(page, translation, translated); d != "" {
				t.Errorf("%s: %s", filepath.Join(folder, name), d)
			}
		}
	}
	if found < 2 {
		t.Errorf("found %d translations, want at least 2", found)
	}
}

func TestTranslations_DifferencesAreFound(t *testing.T) {
	page := "# Title\n\nServes 1,000 calls with `make run` ([b.md](b.md#top),\n[c.md](c.md)).\n\n<!-- soon " +
		"-->\n```sh\nmake run\n```\n```console\nready\n```\n" +
		"- one\n- two\n\n| a | `b` |\n|---|---|\n| c | d |\n"
	good := "# 标题\n\n用 `make run` 处理 1,000 次调用（[c.md](c.md)、[b.zh-Hans.md](b.zh-Hans.md)）。\n\n<!-- soon " +
		"-->\n```sh\nmake run\n```\n```console\nready\n```\n" +
		"- 一\n- 二\n\n| 甲 | `b` |\n|---|---|\n| 丙 | 丁 |\n"
	translated := func(file string) string { return map[string]string{"b.md": "b.zh-Hans.md"}[file] }
	for _, row := range []struct{ rule, old, new, want string }{
		{"translation", "", "", ""},
		{"other command", "make run\n```", "make\n```", "line 6: got a fence"},
		{"other output", "ready", "就绪", "line 9: got a fence"},
		{"other language of a fence", "```console", "```text", "line 9: got a fence"},
		{"missing annotation", "<!-- soon -->\n", "", "line 5: got a fence, line 6 of the English page has a comment"},
		{"other code", "`make run`", "`make`", "line 3: got a paragraph"},
		{"other figure", "1,000", "100", "line 3: got a paragraph"},
		{"missing link", "[c.md](c.md)、", "", "line 3: got a paragraph"},
		{"link to the English page", "(b.zh-Hans.md)", "(b.md)", "line 3: got a paragraph"},
		{"new paragraph", "<!-- soon", "新\n\n<!-- soon",
			"line 5: got a paragraph, line 6 of the English page has a comment"},
		{"other level of a heading", "# 标题", "## 标题", "line 1: got a heading ##"},
		{"missing list item", "- 二\n", "", "line 14: got a table row of 2 cells, line 14"},
		{"additional cell", "| 丙 | 丁 |", "| 丙 | 丁 | 戊 |", "line 17: got a table row of 3 cells"},
		{"missing row", "| 丙 | 丁 |\n", "", "the table row of 2 cells of line 18 of the English page is missing"},
		{"additional row", "| 丙 | 丁 |\n", "| 丙 | 丁 |\n| 戊 | 己 |\n", "line 18: the English page has no such table row"},
	} {
		got := difference(page, strings.Replace(good, row.old, row.new, 1), translated)
		if !strings.HasPrefix(got, row.want) || (got == "") != (row.want == "") {
			t.Errorf("%s: got %q, want %q", row.rule, got, row.want)
		}
	}
}
