// Package breaking finds what a change of an OpenAPI document breaks for those
// who hold on to the one before, and what of it was acknowledged.
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

// Change is one change that may break a client.
type Change struct {
	API       string // relay or console
	Operation string // such as "GET /api/tokens", or the section of the document
	ID        string // oasdiff's word for the kind of change
	Text      string // what exactly has changed, for people
}

// String is the line that acknowledges the change, without the reason.
func (c Change) String() string {
	return strings.Join([]string{c.API, c.Operation, c.ID, c.Text}, separator)
}

// alsoBreaking are changes that oasdiff takes for harmless: whoever has an
// access key, or a program made from the names of operations, does not.
var alsoBreaking = [...]string{"api-security-removed", "api-operation-id-removed"}

// Compare returns what breaks between two documents of an API, in OpenAPI 3.0,
// sorted. Changes that break only some clients count as well.
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
		change := Change{API: api, Operation: found.GetSection(), ID: found.GetId(), Text: oneLine(found.GetUncolorizedText(words))}
		if found.GetPath() != "" {
			change.Operation = found.GetOperation() + " " + found.GetPath()
		}
		changes = append(changes, change)
	}
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.String(), b.String()) })
	return slices.Compact(changes), nil
}

func parse(api, which string, document []byte) (*load.SpecInfo, error) {
	spec, err := load.NewSpecInfoFromData(openapi3.NewLoader(), document, api, load.WithFlattenAllOf(), load.WithLowercaseHeaders())
	if err != nil {
		return nil, fmt.Errorf("read the document of %s, %s: %w", api, which, err)
	}
	return spec, nil
}

// oneLine keeps the line of an acknowledgement one line, and its separator its own.
func oneLine(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", "/")
}
