package openai

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
)

func TestReferences_FindsIDsOfReferencesOnly(t *testing.T) {
	for input, want := range map[string][]string{
		`"an \"id\""`:                         nil,
		`[]`:                                  nil,
		`[{"type":"item_reference"}]`:         nil,
		`[{"type":"item_reference","id":1}]`:  nil,
		`[{"type":"item_reference","id":""}]`: nil,
		`[{"type":"message","id":"a"},{"role":"user","id":"b"},"x",1,null]`:                   nil,
		`[{"role":"user","content":[{"type":"item_reference","id":"a"}]}]`:                    nil,
		`[{"type":"item_reference","id":"a"},{"id":"b","type":null}]`:                         {"a", "b"},
		"[ { \"id\" : \"\\u0061\" } ,\n{\"type\":\"item_reference\",\"id\":\"a\",\"x\":{}} ]": {"a", "a"},
	} {
		r, err := ScanRequest([]byte(`{"model":"m","input":`+input+`}`), catalog.Responses)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		if err := r.References(func(id string) error { got = append(got, id); return nil }); err != nil ||
			!slices.Equal(got, want) {
			t.Errorf("%s: got %q, %v, want %q", input, got, err, want)
		}
	}
	r, err := ScanRequest([]byte(`{"model":"m","input":[{"id":"a"} {"id":"b"}]}`), catalog.Responses)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.References(func(string) error { return nil }); !problem.Is(err, problem.InvalidJSON) {
		t.Errorf("malformed JSON: got %v, want InvalidJSON", err)
	}
	stop := errors.New("stop")
	if err := r.References(func(string) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("error of the callback: got %v, want %v", err, stop)
	}
}

// stored are the items that the gateway stores, by their ids.
var stored = map[string][]byte{
	"msg_1": []byte(
		`{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"output_text","id":"kept","text":"hello"}]}`),
	"fc_1": []byte(`{"id":"fc_1","type":"function_call","call_id":"c1","name":"f","arguments":"{}"}`),
	"rs_1": []byte(`{"id":"rs_1","type":"reasoning","summary":[]}`),
	"rs_2": []byte(`{"id":"rs_2","type":"reasoning","summary":[],"encrypted_content":"tg1.known.sealed"}`),
}

// referring is an input that refers to stored items and to one that is not stored.
const referring = `[ {"role":"user","content":"hi","n":1.50}, {"type":"item_reference","id":"rs_1"},{"id":"msg_1"},` +
	`{"type":"item_reference","id":"rs_2"},{"type":"item_reference","id":"fc_1"},{"type":"item_reference","id":"unknown"},{"call_id":"c1","id":"mine"}]`

// resolved is the same input with the stored items in place of the references.
const resolved = `[{"role":"user","content":"hi","n":1.50},` +
	`{"type":"message","role":"assistant","content":[{"type":"output_text","id":"kept","text":"hello"}]},` +
	`{"type":"reasoning","summary":[],"encrypted_content":"tg1.known.sealed"},` +
	`{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"},{"type":"item_reference","id":"unknown"},{"call_id":"c1","id":"mine"}]`

func TestExpand_ReplacesReferencesByStoredItems(t *testing.T) {
	turns := []Turn{{Input: []byte(`[{"a":1}]`), Body: respond("")}}
	for name, c := range map[string]struct {
		turns       []Turn // earlier turns
		body, want  string
		continues   bool
		first, last string // the client's paths of the first and the last item
	}{
		"no earlier turns": {nil, `{"model":"m","input":` + referring + `,"seed":1.0}`,
			`{"model":"m","input":` + resolved + `,"seed":1.0}`, false, "input[0].x", "input[6].x"},
		"after an earlier turn": {turns, after + referring + `}`,
			`{"model":"m","store":true,"previous_response_id":null,"input":[{"a":1},` + resolved[1:] + `}`,
			false, "previous_response_id", "input[5].x"},
		"continuing a response that the upstream stores": {nil, after + referring + `}`, after + resolved + `}`, true,
			"input[0].x", "input[6].x"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := expand(t, c.body, Expansion{Turns: c.turns, Items: stored})
			if err != nil {
				t.Fatal(err)
			}
			if got := string(r.Body()); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			if string(r.Input()) != resolved || r.ContinuesUpstream() != c.continues || !r.IsExpanded() {
				t.Errorf("got the input %s, continues upstream %v; want %s, %v", r.Input(), r.ContinuesUpstream(),
					resolved, c.continues)
			}
			if first, last := r.ClientPath("input[0].x"), r.ClientPath("input[5].x"); first != c.first ||
				last != c.last {
				t.Errorf("got the client's paths %s and %s, want %s and %s", first, last, c.first, c.last)
			}
		})
	}
}

func TestClientPath_OfAStoredItemIsThePathOfItsReference(t *testing.T) {
	r, err := expand(t, `{"model":"m","input":`+referring+`}`, Expansion{Items: stored})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"input[0].content": "input[0].content", "input[1].content[0]": "input[2]", "input[2]": "input[3]",
		"input[3].name": "input[4]",
		"input[4].id":   "input[5].id", "input[5]": "input[6]", "input[6]": "input", "input": "input",
		"tools[1]": "tools[1]",
	} {
		if got := r.ClientPath(path); got != want {
			t.Errorf("%s is at %s, want %s", path, got, want)
		}
	}
}

func TestExpand_BoundsTheSizeOfStoredItems(t *testing.T) {
	items := map[string][]byte{"a": []byte(`{"text":"` + strings.Repeat("x", 1000) + `"}`)}
	for body, param := range map[string]string{
		`{"model":"m","input":[{"id":"a"}]}`:                  "",
		`{"model":"m","input":[{"id":"a"},{"id":"a"}]}`:       "input",
		after + `[{"id":"a"}]}`:                               "previous_response_id",
		after + `[{"id":"a"},{"type":"message"},{"id":"a"}]}`: "input",
	} {
		turn := []Turn{{Input: items["a"], Body: respond("")}}
		turn[0].Input = []byte("[" + string(items["a"]) + "]")
		if !strings.Contains(body, previousResponse) {
			turn = nil
		}
		_, err := expand(t, body, Expansion{Turns: turn, Items: items, Limit: 2000})
		if param == "" && err != nil ||
			param != "" && (!problem.Is(err, problem.TooLarge) || problem.From(err).Param != param) {
			t.Errorf("%s: got %v, want TooLarge for %q", body, err, param)
		}
	}
	if _, err := expand(t, `{"model":"m","input":[{"id":"a"}]}`,
		Expansion{Items: map[string][]byte{"a": []byte(`1`)}}); !errors.Is(err, ErrMalformedTurn) {
		t.Errorf("a malformed stored item: got %v, want ErrMalformedTurn", err)
	}
}

// FuzzReferences checks that the expanded input refers to no stored item any more, and that ClientPath knows
// the origin of each of its items.
func FuzzReferences(f *testing.F) {
	f.Add([]byte(referring), stored["msg_1"])
	f.Add([]byte(`[{"id":"fc_1"},{"id":"fc_1","type":null},{"type":"item_reference","id":"rs_1"}]`),
		[]byte(`{"type":"reasoning"}`))
	f.Add([]byte("[ {} ,\n{\"id\":\"\\u0066c_1\"}, 1 ]"), []byte(` {"\u0069d":1,"a":[{"id":"x"}]} `))
	f.Add([]byte(`"id"`), []byte(`{}`))
	f.Fuzz(func(t *testing.T, input, item []byte) {
		r, err := ScanRequest([]byte(`{"model":"m","input":`+string(input)+`}`), catalog.Responses)
		if err != nil || r.References(func(string) error { return nil }) != nil {
			return
		}
		items := map[string][]byte{"fc_1": item, "rs_1": stored["rs_1"]}
		expanded, err := r.Expand(Expansion{Items: items, Limit: 64 << 10, KeepTag: func(string) bool { return false }})
		if err != nil {
			if !errors.Is(err, ErrMalformedTurn) && problem.From(err) == nil {
				t.Fatalf("got %v", err)
			}
			return
		}
		checkReferences(t, r, expanded)
	})
}

func checkReferences(t *testing.T, r, expanded *Request) {
	t.Helper()
	var before, after int
	_ = r.eachInputItem(func([]byte) error { before++; return nil })
	_ = expanded.eachInputItem(func([]byte) error { after++; return nil })
	if after > before || expanded.origins != nil && len(expanded.origins) != after {
		t.Fatalf("got %d items from %d, with the origins %v", after, before, expanded.origins)
	}
	err := expanded.References(func(id string) error {
		if id == "rs_1" {
			return errors.New("the reference was not replaced")
		}
		return nil
	})
	if err != nil {
		t.Fatalf("References of the expanded request: %v: %s", err, expanded.Body())
	}
}
