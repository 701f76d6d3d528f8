// Package breaking finds the changes between two versions of an OpenAPI document that break clients of the
// earlier one, and compares them with the changes that were acknowledged. oasdiff makes the comparison.
package breaking

import (
	"fmt"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oasdiff/oasdiff/checker"
	"github.com/oasdiff/oasdiff/diff"
	"github.com/oasdiff/oasdiff/load"
)

// Change represents one change that may break a client.
type Change struct {
	API       string // relay or console
	Operation string // for example "GET /api/tokens", or a section of the document
	ID        string // oasdiff's id of the kind of change
	Text      string // a description of the change for people
}

// String returns the line that acknowledges the change, without the reason.
func (c Change) String() string {
	return strings.Join([]string{c.API, c.Operation, c.ID, c.Text}, separator)
}

// alsoBreaking are kinds of changes that oasdiff considers harmless. They break clients that use an access
// key, and programs that are generated from the names of operations.
var alsoBreaking = [...]string{"api-security-removed", "api-operation-id-removed"}

// Compare returns the changes that break clients between two documents of an API, in OpenAPI 3.0, sorted. It
// includes changes that break only some clients.
func Compare(api string, before, now []byte) ([]Change, error) {
	old, err := parse(api, "before", before)
	if err != nil {
		return nil, err
	}
	current, err := parse(api, "now", now)
	if err != nil {
		return nil, err
	}
	differences, sources, err := diff.GetWithOperationsSourcesMap(diff.NewConfig(), old, current)
	if err != nil {
		return nil, fmt.Errorf("compare the documents of %s: %w", api, err)
	}
	config := checker.NewConfig(checker.GetAllChecks())
	for _, id := range alsoBreaking {
		config.LogLevels[id] = checker.ERR
	}
	changes := []Change{}
	words := checker.NewDefaultLocalizer()
	for _, found := range checker.CheckBackwardCompatibility(config, differences, sources) {
		change := Change{API: api, Operation: found.GetSection(), ID: found.GetId(),
			Text: oneLine(found.GetUncolorizedText(words))}
		if found.GetPath() != "" {
			change.Operation = found.GetOperation() + " " + found.GetPath()
		}
		changes = append(changes, change)
	}
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.String(), b.String()) })
	return slices.Compact(changes), nil
}

// parse reads a document. which names it in errors.
func parse(api, which string, document []byte) (*load.SpecInfo, error) {
	spec, err := load.NewSpecInfoFromData(openapi3.NewLoader(), document, api, load.WithFlattenAllOf(),
		load.WithLowercaseHeaders())
	if err != nil {
		return nil, fmt.Errorf("read the document of %s, %s: %w", api, which, err)
	}
	return spec, nil
}

// oneLine returns the text on one line and without the separator, because it becomes a part of an
// acknowledgement.
func oneLine(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", "/")
}
