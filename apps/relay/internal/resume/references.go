package resume

import (
	"context"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/store/response"
)

// inputMark stands before the index of an item of an input, so that no item of
// an output is called the same.
const inputMark = "_in"

// kinds are what the ids of items begin with, which are made here.
var kinds = []string{"msg", "rs", "fc", "fco", "ctc", "ctco"}

// Reference is what the id of an item tells.
type Reference struct {
	Response uuid.UUID
	Input    bool // the item is of its input, not of its output
}

// ParseItem returns what the id of an item tells, false where it is no id that
// an item of a response could have here.
func ParseItem(id string) (r Reference, ok bool) {
	kind, rest, _ := strings.Cut(id, "_")
	width := hex.EncodedLen(len(r.Response))
	if !slices.Contains(kinds, kind) || len(rest) < width {
		return Reference{}, false
	}
	digits, index := rest[:width], rest[width:]
	if r.Response, ok = Parse(prefix + digits); !ok || !strings.HasPrefix(index, "_") {
		return Reference{}, false
	}
	r.Input = strings.HasPrefix(index, inputMark)
	return r, true
}

// Items returns the items that a tenant's responses have under the ids, as
// JSON. Those that are unknown, deleted, expired or another tenant's are not
// among them. Its errors are problems: TooLarge, and Overloaded where the
// database does not answer.
func (h *History) Items(ctx context.Context, tenantID uuid.UUID, ids []string) (map[string][]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	kept, err := h.Store.Excerpts(ctx, h.Scope, tenantID, excerptFor(ids))
	if err != nil {
		return nil, away(err)
	}
	found := make(map[string][]byte, len(ids))
	for i := range kept {
		all, err := itemsIn(&kept[i])
		if err != nil {
			return nil, err
		}
		for _, it := range all {
			if r, ok := ParseItem(it.id); ok && r.Response == kept[i].ID { // clients may call items as they like
				found[it.id] = it.raw
			}
		}
	}
	return found, nil
}

// excerptFor is what of responses has the items.
func excerptFor(ids []string) (of response.Excerpt) {
	for _, id := range ids {
		r, ok := ParseItem(id)
		if !ok {
			continue
		}
		part := &of.Bodies
		if r.Input {
			part = &of.Inputs
		}
		if !slices.Contains(*part, r.Response) {
			*part = append(*part, r.Response)
		}
	}
	return of
}

// itemsIn returns the items of the parts of a response that are there.
func itemsIn(r *response.Response) (all []item, err error) {
	if r.Input != nil {
		if all, err = itemsOf(r.ID, r.Input); err != nil {
			return nil, err
		}
	}
	if r.Body == nil {
		return all, nil
	}
	var body struct {
		Output jsontext.Value `json:"output"`
	}
	if err := json.Unmarshal(r.Body, &body, lenient); err != nil {
		return nil, err
	}
	said, err := itemsOf(r.ID, body.Output)
	return append(all, said...), err
}
