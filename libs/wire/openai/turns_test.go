package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
)

const (
	wide  = 1 << 20 // a limit that is never reached
	after = `{"model":"m","store":true,"previous_response_id":"resp_1","input":`
)

// respond returns a response object with the output items.
func respond(output string) []byte {
	return []byte(`{"id":"resp_1","object":"response","status":"completed","instructions":"be kind","output":[` +
		output + `]}`)
}

// expand scans a request and expands it, with defaults for the limit and KeepTag.
func expand(t *testing.T, body string, e Expansion) (*Request, error) {
	t.Helper()
	r, err := ScanRequest([]byte(body), catalog.Responses)
	if err != nil {
		t.Fatal(err)
	}
	if e.Limit == 0 {
		e.Limit = wide
	}
	if e.KeepTag == nil {
		e.KeepTag = func(tag string) bool { return tag == "known" }
	}
	return r.Expand(e)
}

func TestExpand_PutsEarlierTurnsBeforeTheInput(t *testing.T) {
	turns := []Turn{
		{Input: []byte(`"hi \u00e9"`),
			Body: respond(
				`{"id":"msg_1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","id":"kept","text":"hello"}]}`)},
		{Input: []byte(`[ {"role":"user","content":"more","id":"x"} , {"type":"reasoning","summary":[]} ]`),
			Body: respond(
				`{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"tg1.known.sealed"},` +
					`{"id":"rs_2","type":"reasoning","summary":[],"encrypted_content":"tg1.other.sealed"},` +
					`{"id":"rs_3","type":"reasoning","summary":[],"encrypted_content":""},` +
					`{"id":"fc_1","type":"function_call","call_id":"c1","name":"f","arguments":"{}"}`)},
		{Input: []byte(`[]`), Body: respond(``)},
	}
	const earlier = `{"type":"message","role":"user","content":"hi \u00e9"},` +
		`{"type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","id":"kept","text":"hello"}]},` +
		`{"role":"user","content":"more"},` +
		`{"type":"reasoning","summary":[],"encrypted_content":"tg1.known.sealed"},` +
		`{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"}`
	for name, c := range map[string]struct{ own, want string }{
		"items": {`[{"type":"function_call_output","call_id":"c1","output":"1.50", "id":"mine"}]`,
			earlier + `,{"type":"function_call_output","call_id":"c1","output":"1.50", "id":"mine"}`},
		"a text":     {`"go on"`, earlier + `,{"type":"message","role":"user","content":"go on"}`},
		"no items":   {`[ ]`, earlier},
		"many items": {`[{"a":1},{"b":2}]`, earlier + `,{"a":1},{"b":2}`},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := expand(t, after+c.own+`,"seed":1.0}`, Expansion{Turns: turns})
			if err != nil {
				t.Fatal(err)
			}
			want := `{"model":"m","store":true,"previous_response_id":null,"input":[` + c.want + `],"seed":1.0}`
			if got := string(r.Body()); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if r.Previous != "resp_1" || string(r.Input()) != c.own || !r.IsExpanded() {
				t.Errorf("got previous %q, input %s; want resp_1, %s", r.Previous, r.Input(), c.own)
			}
			if sent := string(r.Forward("m").Bytes()); sent != want {
				t.Errorf("forwarded %s, want %s", sent, want)
			}
		})
	}
}

func TestExpand_RefusesAConversationAboveTheLimit(t *testing.T) {
	body := after + `"hi"}`
	turn := Turn{Input: []byte(`"` + strings.Repeat("x", 1000) + `"`), Body: respond("")}
	_, err := expand(t, body, Expansion{Turns: []Turn{turn, turn}, Limit: 2000})
	if p := problem.From(err); p.Kind != problem.TooLarge || p.Param != "previous_response_id" {
		t.Errorf("above the limit: got %v, want TooLarge for previous_response_id", err)
	}
	if _, err = expand(t, body, Expansion{Turns: []Turn{turn}, Limit: 2000}); err != nil {
		t.Error(err)
	}
}

func TestExpand_RefusesMalformedTurns(t *testing.T) {
	good := Turn{Input: []byte(`"hi"`), Body: respond("")}
	for name, turn := range map[string]Turn{
		"no input":          {nil, good.Body},
		"input cut off":     {[]byte(`[{"a":1}`), good.Body},
		"item is a number":  {[]byte(`[1]`), good.Body},
		"input is a number": {[]byte(`12`), good.Body},
		"no response":       {good.Input, nil},
		"no output":         {good.Input, []byte(`{"id":"resp_1"}`)},
		"output of strings": {good.Input, respond(`"x"`)},
		"item nested deeply": {[]byte(`[{"a":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `}]`),
			good.Body},
	} {
		if _, err := expand(t, after+`"hi"}`, Expansion{Turns: []Turn{good, turn}}); !errors.Is(err, ErrMalformedTurn) {
			t.Errorf("%s: got %v, want ErrMalformedTurn", name, err)
		}
	}
	if _, err := expand(t, after+`[{"a":tru}]}`, Expansion{}); !problem.Is(err, problem.InvalidJSON) {
		t.Errorf("a malformed request: got %v, want InvalidJSON", err)
	}
}

func TestClientPath_NamesThePlaceInTheClientsRequest(t *testing.T) {
	turns := []Turn{{Input: []byte(`[{"a":1},{"a":2}]`), Body: respond(`{"b":1}`)}}
	for own, want := range map[string][]string{
		`[{"c":1},{"c":2}]`: {"previous_response_id", "previous_response_id", "previous_response_id", "input[0].x[1]",
			"input[1].x[1]"},
		`"hi"`: {"previous_response_id", "previous_response_id", "previous_response_id", "input"},
	} {
		r, err := expand(t, after+own+`}`, Expansion{Turns: turns})
		if err != nil {
			t.Fatal(err)
		}
		for i, w := range want {
			if got := r.ClientPath("input[" + string(rune('0'+i)) + "].x[1]"); got != w {
				t.Errorf("item %d with the own input %s: got the path %q, want %q", i, own, got, w)
			}
		}
		if got := r.ClientPath("tools[0]"); got != "tools[0]" {
			t.Errorf("tools[0]: got the path %q, want it unchanged", got)
		}
	}
	plain, err := ScanRequest([]byte(after+`[{"c":1}]}`), catalog.Responses)
	if err != nil || plain.ClientPath("input[0]") != "input[0]" || string(plain.Input()) != `[{"c":1}]` {
		t.Errorf("a request that was not expanded: got the path %q, %v, want input[0]",
			plain.ClientPath("input[0]"), err)
	}
}

func TestScanRequest_ReadsStore(t *testing.T) {
	for value, want := range map[string]bool{"": false, `,"store":true`: false, `,"store":null`: false,
		`,"store":false`: true} {
		r, err := ScanRequest([]byte(`{"model":"m","input":"x"`+value+`}`), catalog.Responses)
		if err != nil || r.NotStored != want {
			t.Errorf("%q: got NotStored %v, %v, want %v", value, r.NotStored, err, want)
		}
		r, err = ScanRequest([]byte(`{"model":"m","messages":[]`+value+`}`), catalog.Chat)
		if err != nil || r.NotStored != want {
			t.Errorf("%q in a chat request: got NotStored %v, %v, want %v", value, r.NotStored, err, want)
		}
	}
}

// FuzzExpand checks that an expanded request is valid JSON that contains all of the client's input and keeps
// to the limit, whatever is stored and sent.
func FuzzExpand(f *testing.F) {
	f.Add([]byte(`"hi"`), respond(`{"id":"a","type":"message"}`), []byte(`[{"role":"user","content":"x"}]`))
	f.Add([]byte(`[{"type":"reasoning","encrypted_content":"tg1.known.x"}]`),
		respond(`{"type":"reasoning","encrypted_content":"tg1.a"}`), []byte(`"\ud800"`))
	f.Add([]byte(`[{"id":1,"a":{"id":2}},{}]`), []byte(`{"output":[],"output":[{}]}`), []byte(`[]`))
	f.Add([]byte(`[{"\u0069d":1}]`), []byte(` {"output" : [ {"a" : 1} ] } `), []byte("[ {} ,\n{}]"))
	f.Fuzz(func(t *testing.T, input, body, own []byte) {
		r, err := ScanRequest([]byte(after+string(own)+`}`), catalog.Responses)
		if err != nil || r.Previous != "resp_1" {
			return
		}
		expanded, err := r.Expand(Expansion{Turns: []Turn{{input, body}, {input, body}}, Limit: 64 << 10,
			KeepTag: func(tag string) bool { return tag == "known" }})
		if err != nil {
			if p := (*problem.Problem)(nil); !errors.Is(err, ErrMalformedTurn) && !errors.As(err, &p) {
				t.Fatalf("got %v, want ErrMalformedTurn or a problem", err)
			}
			return
		}
		got := expanded.Forward("other").Bytes()
		if json.Valid(own) && !json.Valid(got) {
			t.Fatalf("the expanded request is not JSON: %s", got)
		}
		if want := bytes.TrimSpace(bytes.Trim(own, "[] \t\r\n")); !bytes.Contains(got, want) {
			t.Fatalf("%s does not contain %s", got, want)
		}
		if len(got) > 64<<10+len(own)+1000 {
			t.Fatalf("got %d bytes, want at most the limit and the own input", len(got))
		}
	})
}

func TestExpand_AddsTheInputThatAnOperationLacks(t *testing.T) {
	turns := []Turn{{Input: []byte(`"hi"`), Body: respond(``)}}
	const want = `[{"type":"message","role":"user","content":"hi"}]`
	for body, expanded := range map[string]string{
		`{"model":"m","previous_response_id":"resp_1"}`: `{"model":"m","previous_response_id":null,"input":` + want +
			`}`,
		`{"input" : null,"previous_response_id":"resp_1","model":"m"}`: `{"input" : ` + want +
			`,"previous_response_id":null,"model":"m"}`,
	} {
		r, err := ScanOperation([]byte(body), catalog.Responses)
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.Expand(Expansion{Turns: turns, Limit: wide})
		if err != nil || string(got.Body()) != expanded {
			t.Errorf("got %s, %v, want %s", got.Body(), err, expanded)
		}
	}
}
