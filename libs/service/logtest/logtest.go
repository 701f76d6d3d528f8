// Package logtest is a log for tests: it keeps what is written to it, and can
// be read meanwhile.
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

// Journal is safe for concurrent use. Its zero value is empty.
type Journal struct {
	mu    sync.Mutex
	bytes bytes.Buffer
}

// Write appends.
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

// Log returns a log that writes into the journal, in the form of the programs.
func (j *Journal) Log() *slog.Logger { return slog.New(slog.NewJSONHandler(j, nil)) }

// Lines returns the fields of the lines that have the message, in order.
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

// Fields returns the names of all fields that the lines have, sorted, without
// those that every line of a log has.
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

// Told returns the fields that the document says the program's line of a
// request has, sorted. The program is "relay" or "console".
func Told(t testing.TB, document, program string) (names []string) {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "\n| field | of | meaning |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	for row := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(row, "|\n"), "|")
		if of := strings.TrimSpace(cells[min(1, len(cells)-1)]); of != program && of != "both" {
			continue
		}
		for _, found := range word.FindAllStringSubmatch(cells[0], -1) {
			names = append(names, found[1])
		}
	}
	slices.Sort(names)
	return names
}
