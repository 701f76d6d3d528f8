package probe

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/provider"
)

const (
	maxModels     = 1_000   // ids that Models returns
	maxModelsList = 2 << 20 // bytes of a list that Models reads
	maxModelID    = 200     // bytes of an id; longer ones are left out
)

// ModelList holds the models that an upstream lists.
type ModelList struct {
	IDs       []string // sorted, without duplicates
	Truncated bool     // whether the upstream has more
}

// Models reads the upstream's list of models, at no cost: the first 1,000 in the first 2 MiB. It returns
// ErrorUnsupported if the type of the channel has no list, or if the channel is misconfigured.
func (p *Prober) Models(ctx context.Context, channel *catalog.Channel, key Credential) (ModelList, Result) {
	to, err := p.upstream(channel, key)
	if err != nil {
		return ModelList{}, refused(err)
	}
	lister, able := to.family.(provider.ModelLister)
	if !able {
		return ModelList{}, Result{Error: ErrorUnsupported}
	}
	result, body := p.send(ctx, to, lister.Models(to.call), maxModelsList)
	if result.Error != "" {
		return ModelList{}, result
	}
	var page modelPage
	if err := page.read(body); err != nil && (len(page.ids) == 0 || len(body) < maxModelsList) {
		result.Error, result.Detail = ErrorMalformed, clean(string(body), key)
		return ModelList{}, result
	}
	list := page.list()
	list.Truncated = list.Truncated || len(body) >= maxModelsList
	return list, result
}

// modelPage is the first page of a list of models as far as it was read.
type modelPage struct {
	ids  []string
	more bool
}

// list returns the list of the page: its first ids.
func (m *modelPage) list() ModelList {
	ids := m.ids
	slices.Sort(ids)
	ids = slices.Compact(ids)
	return ModelList{IDs: ids[:min(len(ids), maxModels)], Truncated: m.more || len(ids) > maxModels}
}

var errNoList = errors.New("no list of models, or not the whole of it")

// read reads a body token by token, so that a body which was cut off gives the models before the cut. It knows the
// lists of OpenAI and Anthropic (data), that of Gemini (models), and the bare array of some compatible servers.
func (m *modelPage) read(body []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(body))
	start, err := decoder.Token()
	switch {
	case err != nil:
		return errNoList
	case start == json.Delim('['):
		return m.readItems(decoder)
	case start != json.Delim('{'):
		return errNoList
	}
	listed := false
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return errNoList
		}
		if isList := name == "data" || name == "models"; !isList {
			err = m.readField(decoder, name)
		} else if listed = true; !opensArray(decoder) {
			return errNoList
		} else {
			err = m.readItems(decoder)
		}
		if err != nil {
			return err
		}
	}
	if _, err := decoder.Token(); err != nil || !listed {
		return errNoList
	}
	return nil
}

// opensArray reads the beginning of an array, and reports whether there is one.
func opensArray(decoder *json.Decoder) bool {
	start, err := decoder.Token()
	return err == nil && start == json.Delim('[')
}

// readItems reads the rest of an array of models.
func (m *modelPage) readItems(decoder *json.Decoder) error {
	for decoder.More() {
		var item struct{ ID, Name any } // a server may have anything else under these names
		if err := decoder.Decode(&item); err != nil {
			return errNoList
		}
		id, _ := item.ID.(string)
		if name, _ := item.Name.(string); id == "" { // Gemini
			id = strings.TrimPrefix(name, "models/")
		}
		if id != "" && len(id) <= maxModelID && utf8.ValidString(id) && !strings.ContainsFunc(id, isControl) {
			m.ids = append(m.ids, id)
		}
	}
	if _, err := decoder.Token(); err != nil {
		return errNoList
	}
	return nil
}

// isControl reports whether the character is one that no id has.
func isControl(r rune) bool { return r < ' ' || r == 0x7f || r == utf8.RuneError }

// readField reads a field that is not the list. Two of them tell that the upstream has more models.
func (m *modelPage) readField(decoder *json.Decoder, name json.Token) error {
	var value json.RawMessage
	if err := decoder.Decode(&value); err != nil {
		return errNoList
	}
	text := string(value)
	m.more = m.more || name == "has_more" && text == "true" ||
		name == "nextPageToken" && text != "null" && text != `""`
	return nil
}
