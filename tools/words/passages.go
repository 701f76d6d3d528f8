package main

import (
	"bytes"
	"go/scanner"
	"go/token"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// passage is a text that belongs together: a comment, a string, or a whole file.
type passage struct {
	line int // the first line, from 1
	text string
}

// reader returns the passages of a file.
type reader func(text []byte) []passage

// comments are the patterns of comment markers, which readers of whole files drop:
// a sentence may continue behind the next marker.
var (
	hash = regexp.MustCompile(`(?m)^[ \t]*#+`)
	dash = regexp.MustCompile(`(?m)^[ \t]*--+`)
)

// readerOf returns the reader of a file by its path, or nil for files that are not read.
func readerOf(name string) reader {
	switch {
	case strings.Contains(name, "/testdata/"), strings.Contains(name, "/node_modules/"),
		strings.HasSuffix(name, ".gen.go"), strings.HasSuffix(name, ".gen.ts"),
		strings.HasPrefix(name, "openapi/") && path.Ext(name) == ".yaml",
		name == "LICENSE", strings.HasPrefix(name, "tools/words/"):
		return nil
	}
	switch path.Ext(name) {
	case ".go":
		return readGo
	case ".ts", ".tsx", ".mjs", ".css":
		return readSlashed
	case ".sql", ".lua":
		return whole(dash)
	case ".md":
		return whole(nil)
	case ".yaml", ".yml", ".sh", ".hcl", ".cfg", ".tpl", ".example":
		return whole(hash)
	case "":
		return whole(hash) // Makefile, Dockerfile, scripts
	}
	return nil
}

// whole reads a file as one passage, without comment markers; nil: there are none.
func whole(marker *regexp.Regexp) reader {
	return func(text []byte) []passage {
		if bytes.IndexByte(text, 0) >= 0 {
			return nil // a binary file
		}
		if marker != nil {
			text = marker.ReplaceAll(text, nil)
		}
		return []passage{{1, string(text)}}
	}
}

// slashed matches a comment of JavaScript or CSS. It takes no notice of strings:
// the white space that must stand before a comment is enough to leave URLs out.
var slashed = regexp.MustCompile(`(?m)(?:^|[\s{;,)])(//[^\n]*(?:\n[ \t]*//[^\n]*)*|/\*[^*]*\*+(?:[^/*][^*]*\*+)*/)`)

func readSlashed(text []byte) []passage {
	var passages []passage
	for _, at := range slashed.FindAllSubmatchIndex(text, -1) {
		passages = append(passages,
			passage{1 + bytes.Count(text[:at[2]], []byte("\n")), unmarked(string(text[at[2]:at[3]]))})
	}
	return passages
}

var marker = regexp.MustCompile(`(?m)^[ \t]*(?://+|/\*+|\*+/?)[ \t]*|\*+/$`)

// unmarked returns a comment without its markers, with the same lines.
func unmarked(comment string) string {
	return marker.ReplaceAllString(comment, "")
}

// readGo returns comments, strings and the names of tests. Line comments on
// consecutive lines without code are one passage.
func readGo(text []byte) []passage {
	files := token.NewFileSet()
	file := files.AddFile("", files.Base(), len(text))
	var tokens scanner.Scanner
	tokens.Init(file, text, nil, scanner.ScanComments) // faults are the compiler's to report
	var passages []passage
	open := 0               // the line after the last line comment, where the next one continues it
	before := token.ILLEGAL // the last token but comments
	for {
		position, kind, literal := tokens.Scan()
		if kind == token.EOF {
			return passages
		}
		line := file.Line(position)
		switch kind {
		case token.COMMENT:
			last := len(passages) - 1
			alone := len(bytes.TrimLeft(text[file.Offset(file.LineStart(line)):file.Offset(position)], " \t")) == 0
			if alone && open == line && strings.HasPrefix(literal, "//") {
				passages[last].text += "\n" + unmarked(literal)
			} else {
				passages = append(passages, passage{line, unmarked(literal)})
			}
			open = 0
			if alone && strings.HasPrefix(literal, "//") {
				open = line + 1
			}
			continue // between "func" and a name there is no comment
		case token.STRING:
			passages = append(passages, passage{line, unquote(literal)})
		case token.IDENT:
			if before == token.FUNC && isTest(literal) {
				passages = append(passages, passage{line, split(literal)})
			}
		}
		if kind != token.SEMICOLON || literal == ";" {
			before = kind
		}
	}
}

// unquote returns the value of a string. Line feeds that an interpreted string
// writes as \n become spaces, for they are no lines of the file.
func unquote(literal string) string {
	value, err := strconv.Unquote(literal)
	if err != nil {
		return ""
	}
	if literal[0] == '`' {
		return value
	}
	return strings.ReplaceAll(value, "\n", " ")
}

func isTest(name string) bool {
	for _, prefix := range []string{"Test", "Benchmark", "Fuzz", "Example"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

var humps = regexp.MustCompile(`([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])`)

// split returns the words of a name: "Test A Hold Is Released" for
// TestAHold_IsReleased.
func split(name string) string {
	for range 2 { // a letter between two borders belongs to both
		name = humps.ReplaceAllString(name, "$1$3 $2$4")
	}
	return strings.ReplaceAll(name, "_", " ")
}
