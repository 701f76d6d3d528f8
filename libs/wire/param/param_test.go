package param_test

import (
	"math"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/wire/param"
)

// word accepts a string in its own way.
type word string

func (w *word) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() != '"' {
		return param.Want("a word")
	}
	return json.UnmarshalDecode(dec, (*string)(w))
}

func TestProblem_NamesTheFieldAndTheExpectedType(t *testing.T) {
	type inner struct {
		Text  string   `json:"text"`
		Flag  bool     `json:"flag"`
		Count *int64   `json:"count"`
		List  []string `json:"list"`
		Word  word     `json:"word"`
	}
	for _, c := range []struct {
		body, path string
		kind       problem.Kind
		at         string
		message    string
	}{
		{`{"in":[{},{"text":1}]}`, "", problem.InvalidType, "in[1].text",
			"Invalid type for 'in[1].text': expected a string."},
		{`{"in":[{"flag":1}]}`, "input[3]", problem.InvalidType, "input[3].in[0].flag",
			"Invalid type for 'input[3].in[0].flag': expected a boolean."},
		{`{"in":[{"count":"1"}]}`, "", problem.InvalidType, "in[0].count",
			"Invalid type for 'in[0].count': expected an integer."},
		{`{"in":[{"list":{}}]}`, "", problem.InvalidType, "in[0].list",
			"Invalid type for 'in[0].list': expected an array."},
		{`{"in":[{"word":1}]}`, "", problem.InvalidType, "in[0].word",
			"Invalid type for 'in[0].word': expected a word."},
		{`{"in":[1]}`, "", problem.InvalidType, "in[0]", "Invalid type for 'in[0]': expected an object."},
		{`[]`, "", problem.InvalidType, "", "Invalid type: expected an object."},
		{`{"in":[],"in":[]}`, "", problem.InvalidJSON, "in", "The body has the key 'in' more than once. Send it once."},
		{`{"in":`, "", problem.InvalidJSON, "", ""},
	} {
		var into struct {
			In []inner `json:"in"`
		}
		got := problem.From(param.Problem(json.Unmarshal([]byte(c.body), &into), c.path))
		if got.Kind != c.kind || got.Param != c.at || got.Message != c.message {
			t.Errorf("%s: got %v %q at %q, want %v %q at %q", c.body, got.Kind, got.Message, got.Param, c.kind,
				c.message, c.at)
		}
	}
}

func TestCount_AcceptsWholeNumbersFromOne(t *testing.T) {
	for raw, want := range map[string]int64{"1": 1, "4096": 4096, "18446744073709551616": math.MaxInt64} {
		if got, err := param.Count(jsontext.Value(raw), "n"); got != want || err != nil {
			t.Errorf("%s: got %d, %v, want %d", raw, got, err, want)
		}
	}
	for raw, want := range map[string]problem.Kind{
		"": problem.MissingParameter, "null": problem.MissingParameter, "0": problem.InvalidType,
		"-1":                    problem.InvalidType,
		"-18446744073709551616": problem.InvalidType, "1.5": problem.InvalidType, `"1"`: problem.InvalidType,
	} {
		if _, err := param.Count(jsontext.Value(raw), "n"); problem.From(err).Kind != want ||
			problem.From(err).Param != "n" {
			t.Errorf("%s: got %v, want %v at n", raw, err, want)
		}
	}
}
