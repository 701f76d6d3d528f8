package stored

import (
	"context"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/tenant"
	responsedb "github.com/tollgate/tollgate/libs/store/response"
)

// inputMark precedes the index in the id of an input item, so that input and output items have different ids.
const inputMark = "_in"

// kinds are the prefixes of the item ids that the relay generates.
var kinds = []string{"msg", "rs", "fc", "fco", "ctc", "ctco", "ig"}

// itemReference is the decoded form of an item id.
type itemReference struct {
	Response uuid.UUID
	Input    bool // the item belongs to the response's input, otherwise to its output
}

// parseItemID decodes an item id. ok is false if no item in the database can have that id.
func parseItemID(id string) (r itemReference, ok bool) {
	kind, suffix, _ := strings.Cut(id, "_")
	width := hex.EncodedLen(len(r.Response))
	if !slices.Contains(kinds, kind) || len(suffix) < width {
		return itemReference{}, false
	}
	digits, index := suffix[:width], suffix[width:]
	if r.Response, ok = ParseID(prefix + digits); !ok || !strings.HasPrefix(index, "_") {
		return itemReference{}, false
	}
	r.Input = strings.HasPrefix(index, inputMark)
	return r, true
}

// items loads the stored items with the ids and returns their JSON by id. Items that are unknown, deleted,
// expired or out of reach are missing in the result. It returns a TooLarge problem, or Overloaded if the
// database doesn't answer.
func (r *Responses) items(ctx context.Context, reach tenant.Reach, ids []string) (map[string][]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	responses, err := r.Store.Excerpts(ctx, r.Scope, reach, excerptFor(ids))
	if err != nil {
		return nil, failed("load items", err)
	}
	byID := make(map[string][]byte, len(ids))
	for i := range responses {
		items, err := itemsIn(&responses[i])
		if err != nil {
			return nil, err
		}
		for _, entry := range items {
			// A client may give its own item any id, even the id of another response's item.
			if reference, ok := parseItemID(entry.id); ok && reference.Response == responses[i].ID {
				byID[entry.id] = entry.raw
			}
		}
	}
	return byID, nil
}

// excerptFor returns which parts of which responses contain the items.
func excerptFor(ids []string) (excerpt responsedb.Excerpt) {
	for _, id := range ids {
		r, ok := parseItemID(id)
		if !ok {
			continue
		}
		part := &excerpt.Bodies
		if r.Input {
			part = &excerpt.Inputs
		}
		if !slices.Contains(*part, r.Response) {
			*part = append(*part, r.Response)
		}
	}
	return excerpt
}

// itemsIn returns the items of the parts of a response that were loaded.
func itemsIn(r *responsedb.Response) (items []item, err error) {
	if r.Input != nil {
		if items, err = itemsOf(r.ID, r.Input); err != nil {
			return nil, err
		}
	}
	if r.Body == nil {
		return items, nil
	}
	var body struct {
		Output jsontext.Value `json:"output"`
	}
	if err := json.Unmarshal(r.Body, &body, lenient); err != nil {
		return nil, err
	}
	output, err := itemsOf(r.ID, body.Output)
	return append(items, output...), err
}
