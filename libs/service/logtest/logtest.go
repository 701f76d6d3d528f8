// Package logtest provides a log for tests. A Journal keeps everything that is written to it, and a test can read it at
// any time. The package also reads the table of log fields in the documentation, to compare it with real log lines.
package logtest

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Journal keeps log lines in memory. It is safe for concurrent use. The zero value is an empty journal.
type Journal struct {
	mu    sync.Mutex
	bytes bytes.Buffer
}

// Write appends p to the journal.
func (j *Journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.bytes.Write(p)
}

// Text returns everything that was written.
func (j *Journal) Text() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.bytes.String()
}

// Log returns a log that writes JSON lines into the journal, as the programs do by default.
func (j *Journal) Log() *slog.Logger { return slog.New(slog.NewJSONHandler(j, nil)) }

// Lines returns the fields of all lines with the message, in order. It fails the test if a line is not JSON.
func (j *Journal) Lines(t testing.TB, message string) (lines []map[string]any) {
	t.Helper()
	for line := range strings.Lines(j.Text()) {
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if fields[slog.MessageKey] == message {
			lines = append(lines, fields)
		}
	}
	return lines
}

// Fields returns the sorted names of all fields that occur in the lines, without time, level and message.
func Fields(lines []map[string]any) (names []string) {
	for _, line := range lines {
		for name := range line {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool {
		return name == slog.TimeKey || name == slog.LevelKey || name == slog.MessageKey
	})
}

var word = regexp.MustCompile("`([a-z_]+)`")

// Documented returns the sorted fields that the document lists for the log line of a request. The program is "relay" or
// "console". The table in the document begins with the header "| field | of | meaning |".
func Documented(t testing.TB, document, program string) (names []string) {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "\n| field | of | meaning |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	for row := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(row, "|\n"), "|")
		if cell := strings.TrimSpace(cells[min(1, len(cells)-1)]); cell != program && cell != "both" {
			continue
		}
		for _, match := range word.FindAllStringSubmatch(cells[0], -1) {
			names = append(names, match[1])
		}
	}
	slices.Sort(names)
	return names
}
