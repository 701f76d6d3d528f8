package stored

import (
	"encoding/hex"
	"net/url"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/wire/openai"
)

const (
	usualPage  = 20  // default
	widestPage = 100 // upper bound
)

// page is the part of a list that a client asks for.
type page struct {
	after     string
	limit     int
	ascending bool
}

// pageOf parses a query. It returns an InvalidType problem with the name of the parameter.
func pageOf(query string) (page, error) {
	values, err := url.ParseQuery(query)
	if err != nil {
		return page{}, problem.New(problem.InvalidType, "The query string is malformed.")
	}
	p := page{after: values.Get("after"), limit: usualPage}
	if limit := values.Get("limit"); limit != "" {
		p.limit, err = strconv.Atoi(limit)
		if err != nil || p.limit < 1 || p.limit > widestPage {
			return page{}, problem.New(problem.InvalidType,
				"Invalid value for 'limit': expected a number from 1 to %d.", widestPage).At("limit")
		}
	}
	switch order := values.Get("order"); order {
	case "asc":
		p.ascending = true
	case "", "desc":
	default:
		return page{}, problem.New(problem.InvalidType, "Invalid value for 'order': expected 'asc' or 'desc'.").
			At("order")
	}
	return p, nil
}

// list is a page of items in the format of OpenAI's lists.
type list struct {
	Object  string           `json:"object"`
	Data    []jsontext.Value `json:"data"`
	FirstID *string          `json:"first_id"`
	LastID  *string          `json:"last_id"`
	HasMore bool             `json:"has_more"`
}

// inputPage returns the page of a response's input items that the query asks for, as JSON. input is the stored
// input. It returns an InvalidType problem with the name of the parameter for an invalid query.
func inputPage(response uuid.UUID, input []byte, query string) ([]byte, error) {
	p, err := pageOf(query)
	if err != nil {
		return nil, err
	}
	items, err := itemsOf(response, input)
	if err != nil {
		return nil, err
	}
	if !p.ascending {
		slices.Reverse(items)
	}
	if p.after != "" {
		i := slices.IndexFunc(items, func(entry item) bool { return entry.id == p.after })
		if i < 0 {
			return nil, problem.New(problem.InvalidType, "Item with id '%.512s' not found.", p.after).At("after")
		}
		items = items[i+1:]
	}
	l := list{Object: "list", Data: []jsontext.Value{}, HasMore: len(items) > p.limit}
	for _, entry := range items[:min(p.limit, len(items))] {
		l.Data = append(l.Data, entry.raw)
		l.LastID = &entry.id
		if l.FirstID == nil {
			l.FirstID = &entry.id
		}
	}
	return json.Marshal(&l, lenient)
}

// item is an item of an input or output, with its id.
type item struct {
	id  string
	raw jsontext.Value
}

// lenient accepts unpaired surrogates, as the codecs of the dialects do.
var lenient = jsontext.AllowInvalidUTF8(true)

// itemsOf returns the items of a stored input in order. It adds the members that clients may omit: the type of
// messages and of their parts, and ids. An id depends only on the response and the index, so it is the same
// each time.
func itemsOf(response uuid.UUID, input []byte) (items []item, err error) {
	err = openai.EachItem(input, func(raw []byte) error {
		entry, err := itemOf(raw, func(prefix string) string {
			return prefix + hex.EncodeToString(response[:]) + inputMark + strconv.Itoa(len(items))
		})
		items = append(items, entry)
		return err
	})
	return items, err
}

// members are the fields of an item that are read or added. All others stay unchanged in Others.
type members struct {
	ID      string         `json:"id"`
	Type    string         `json:"type"`
	Role    string         `json:"role,omitzero"`
	Content jsontext.Value `json:"content,omitzero"`
	Status  string         `json:"status,omitzero"`
	Others  jsontext.Value `json:",embed"`
}

// textPart is the long form of a message's content that the client sent as a string.
type textPart struct {
	Type string         `json:"type"`
	Text jsontext.Value `json:"text"`
}

// itemOf completes one item. name returns an id with the prefix.
func itemOf(raw []byte, name func(prefix string) string) (item, error) {
	var m members
	if err := json.Unmarshal(raw, &m, lenient); err != nil {
		return item{}, err
	}
	// OpenAI's API returns these fields although clients may omit them in the input.
	if m.Type == "" {
		m.Type = "message"
	}
	if m.ID == "" {
		m.ID = name(prefixOf(m.Type))
	}
	// An input item is complete by definition; reasoning items have no status.
	if m.Status == "" && m.Type != "reasoning" {
		m.Status = "completed"
	}
	if m.Content.Kind() == '"' {
		part := textPart{"input_text", m.Content}
		if m.Role == "assistant" {
			part.Type = "output_text"
		}
		content, err := json.Marshal([]textPart{part}, lenient)
		if err != nil {
			return item{}, err
		}
		m.Content = content
	}
	text, err := json.Marshal(&m, lenient)
	return item{m.ID, text}, err
}

// prefixOf returns the prefix of the ids of items of a type.
func prefixOf(kind string) string {
	switch kind {
	case "reasoning":
		return "rs_"
	case "function_call":
		return "fc_"
	case "function_call_output":
		return "fco_"
	case "custom_tool_call":
		return "ctc_"
	case "custom_tool_call_output":
		return "ctco_"
	case "image_generation_call":
		return "ig_"
	}
	return "msg_"
}
