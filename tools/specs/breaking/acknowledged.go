package breaking

import (
	"fmt"
	"strings"
)

// separator separates the parts of a line.
const separator = " | "

// parts is the number of parts: api, operation, id, text and reason.
const parts = 5

// Acknowledged maps the lines of acknowledged changes (Change.String) to their reasons.
type Acknowledged map[string]string

// ParseAcknowledged reads a file of acknowledgements. Each line is a change, as Change.String writes it, one
// more separator and the reason. Empty lines and lines that begin with # are ignored.
func ParseAcknowledged(file []byte) (Acknowledged, error) {
	all := Acknowledged{}
	for i, line := range strings.Split(string(file), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(line, separator)
		if len(fields) != parts {
			return nil, fmt.Errorf("line %d: must be `api | operation | id | what has changed | reason`", i+1)
		}
		change := strings.Join(fields[:parts-1], separator)
		if _, twice := all[change]; twice {
			return nil, fmt.Errorf("line %d: duplicate change", i+1)
		}
		if all[change] = strings.TrimSpace(fields[parts-1]); all[change] == "" {
			return nil, fmt.Errorf("line %d: the reason is missing", i+1)
		}
	}
	return all, nil
}

// Judge compares the changes with the acknowledgements. unacknowledged are the changes without an
// acknowledgement. stale are the acknowledgements of changes that do not exist, which would permit the change
// at a later time.
func Judge(changes []Change, acknowledged Acknowledged) (unacknowledged []Change, stale []string) {
	exists := map[string]bool{}
	for _, change := range changes {
		exists[change.String()] = true
		if acknowledged[change.String()] == "" {
			unacknowledged = append(unacknowledged, change)
		}
	}
	for line := range acknowledged {
		if !exists[line] {
			stale = append(stale, line)
		}
	}
	return unacknowledged, stale
}
