package openai_test

import (
	"encoding/json"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/wire/openai"
	"github.com/tollgate/tollgate/libs/wire/rawjson"
)

// set returns settings with parameters, given as names and JSON values.
func set(pairs ...string) catalog.Settings {
	s := catalog.Settings{Parameters: map[string]json.RawMessage{}}
	for i := 0; i < len(pairs); i += 2 {
		s.Parameters[pairs[i]] = json.RawMessage(pairs[i+1])
	}
	return s
}

func quirks(all ...catalog.Quirk) catalog.Settings { return catalog.Settings{Quirks: all} }

func prompt(text string) catalog.Settings { return catalog.Settings{SystemPrompt: text} }

var adaptCases = []struct {
	rule       string
	settings   catalog.Settings
	body, want string
}{
	{"no settings", catalog.Settings{}, `{"model":"m", "x":1e2,"messages":[]}`, `{"model":"u", "x":1e2,"messages":[]}`},
	{"headers do not change the body", catalog.Settings{Headers: map[string]string{"X": "y"}},
		`{"model":"m","messages":[]}`, `{"model":"u","messages":[]}`},

	{"a parameter is added", set("seed", "7"), `{"model":"m","messages":[] }`, `{"model":"u","messages":[] ,"seed":7}`},
	{"a parameter is replaced in its place", set("seed", "7"), `{"seed" : 12, "model":"m","messages":[]}`,
		`{"seed" : 7, "model":"u","messages":[]}`},
	{"a parameter under an escaped name", set("seed", "7"), `{"s\u0065ed":12,"model":"m","messages":[]}`,
		`{"s\u0065ed":7,"model":"u","messages":[]}`},
	{"the first member is removed", set("seed", "null"), `{ "seed":12, "model":"m","messages":[]}`,
		`{ "model":"u","messages":[]}`},
	{"a member in the middle is removed", set("seed", "null"), `{"model":"m", "seed":12 ,"messages":[]}`,
		`{"model":"u", "messages":[]}`},
	{"the last member is removed", set("seed", "null"), `{"model":"m","messages":[], "seed":12 }`,
		`{"model":"u","messages":[] }`},
	{"adjacent members are removed", set("a", "null", "b", "null"), `{"a":1,"b":2,"model":"m","messages":[]}`,
		`{"model":"u","messages":[]}`},
	{"the last members are removed", set("a", "null", "b", "null"), `{"model":"m","messages":[],"a":1,"b":2}`,
		`{"model":"u","messages":[]}`},
	{"the last member is removed and another added", set("a", "null", "b", "2"), `{"model":"m","messages":[],"a":1}`,
		`{"model":"u","messages":[],"b":2}`},
	{"removing an absent member changes nothing", set("a", "null"), `{"model":"m","messages":[]}`,
		`{"model":"u","messages":[]}`},
	{"nested members are not removed", set("a", "null"), `{"model":"m","messages":[{"a":1}]}`,
		`{"model":"u","messages":[{"a":1}]}`},
	{"a parameter and the usage chunk are added", set("a", "1"), `{"model":"m","messages":[],"stream":true}`,
		`{"model":"u","messages":[],"stream":true,"stream_options":{"include_usage":true},"a":1}`},
	{"the last member is removed and the usage chunk added", set("a", "null"),
		`{"model":"m","messages":[],"stream":true,"a":1}`,
		`{"model":"u","messages":[],"stream":true,"stream_options":{"include_usage":true}}`},

	{"a system prompt before the messages", prompt("Be \"brief\"."),
		`{"model":"m","messages": [ {"role":"user","content":"hi"}]}`,
		`{"model":"u","messages": [{"role":"system","content":"Be \"brief\"."}, {"role":"user","content":"hi"}]}`},
	{"a system prompt before the client's", prompt("A"), `{"messages":[{"role":"system","content":"B"}],"model":"m"}`,
		`{"messages":[{"role":"system","content":"A"},{"role":"system","content":"B"}],"model":"u"}`},
	{"a system prompt without messages", prompt("A"), `{"model":"m","messages":[ ]}`,
		`{"model":"u","messages":[{"role":"system","content":"A"} ]}`},

	{"no_stream_options: a stream", quirks(catalog.NoStreamOptions), `{"model":"m","messages":[],"stream":true}`,
		`{"model":"u","messages":[],"stream":true}`},
	{"no_stream_options: the client sent stream options", quirks(catalog.NoStreamOptions),
		`{"model":"m","stream_options":{"include_usage":true},"messages":[],"stream":true}`,
		`{"model":"u","messages":[],"stream":true}`},
	{"max_tokens: the newer name", quirks(catalog.OldMaxTokens),
		`{"model":"m","max_completion_tokens":5,"messages":[]}`, `{"model":"u","max_tokens":5,"messages":[]}`},
	{"max_tokens: the older name already", quirks(catalog.OldMaxTokens), `{"model":"m","max_tokens":5,"messages":[]}`,
		`{"model":"u","max_tokens":5,"messages":[]}`},
	{"max_tokens: both names", quirks(catalog.OldMaxTokens),
		`{"model":"m","max_tokens":5,"max_completion_tokens":6,"messages":[]}`,
		`{"model":"u","max_tokens":5,"messages":[]}`},
	{"max_tokens: both names, the older one null", quirks(catalog.OldMaxTokens),
		`{"model":"m","max_tokens":null,"max_completion_tokens":6,"messages":[]}`,
		`{"model":"u","max_tokens":6,"messages":[]}`},
	{"system_role: developer messages", quirks(catalog.NoDeveloper),
		`{"model":"m","messages":[{"content":"developer","role":"developer"},{"role" : "d\u0065veloper"},{"role":"user","x":{"role":"developer"}}]}`,
		`{"model":"u","messages":[{"content":"developer","role":"system"},{"role" : "system"},{"role":"user","x":{"role":"developer"}}]}`},
	{"system_role: messages that are not objects", quirks(catalog.NoDeveloper),
		`{"model":"m","messages":[1,"developer",null,[{"role":"developer"}],{"role":null}]}`,
		`{"model":"u","messages":[1,"developer",null,[{"role":"developer"}],{"role":null}]}`},
	{"all settings together", catalog.Settings{
		SystemPrompt: "A", Quirks: []catalog.Quirk{catalog.NoDeveloper, catalog.OldMaxTokens, catalog.NoStreamOptions},
		Parameters: map[string]json.RawMessage{"user": json.RawMessage("null"), "top_p": json.RawMessage("0.90")},
	},
		`{"stream":true,"stream_options":{},"messages":[{"role":"developer"}],"max_completion_tokens":9,"model":"m","user":"me"}`,
		`{"stream":true,"messages":[{"role":"system","content":"A"},{"role":"system"}],"max_tokens":9,"model":"u","top_p":0.90}`},
}

func TestAdapt_ChangesOnlyTheFieldsOfTheSettings(t *testing.T) {
	for _, c := range adaptCases {
		t.Run(c.rule, func(t *testing.T) {
			r, err := openai.ScanRequest([]byte(c.body), catalog.Chat)
			if err != nil {
				t.Fatal(err)
			}
			body, err := r.Adapt("u", &c.settings)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(body.Bytes()); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if err := iotest.TestReader(body.Reader(), []byte(c.want)); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAdapt_OfResponses(t *testing.T) {
	for _, c := range []struct {
		rule       string
		settings   catalog.Settings
		body, want string
	}{
		{"a system prompt before the instructions", prompt("A\"B"),
			`{"model":"m","instructions":"\u0043","input":"hi"}`,
			`{"model":"m","instructions":"A\"B\n\n\u0043","input":"hi"}`},
		{"a system prompt without instructions", prompt("A"), `{"model":"m","input":"hi"}`,
			`{"model":"m","input":"hi","instructions":"A"}`},
		{"a system prompt in place of null", prompt("A"), `{"model":"m","instructions":null,"input":"hi"}`,
			`{"model":"m","instructions":"A","input":"hi"}`},
		{"system_role: developer messages", quirks(catalog.NoDeveloper),
			`{"model":"m","input":[{"role":"developer","content":"x"}]}`,
			`{"model":"m","input":[{"role":"system","content":"x"}]}`},
		{"system_role: the word in a text", quirks(catalog.NoDeveloper), `{"model":"m","input":"developer"}`,
			`{"model":"m","input":"developer"}`},
		{"max_tokens: responses has only one name for the cap", quirks(catalog.OldMaxTokens),
			`{"model":"m","input":"hi","max_output_tokens":5}`, `{"model":"m","input":"hi","max_output_tokens":5}`},
	} {
		r, err := openai.ScanRequest([]byte(c.body), catalog.Responses)
		if err != nil {
			t.Fatal(err)
		}
		body, err := r.Adapt("m", &c.settings)
		if got := string(body.Bytes()); err != nil || got != c.want {
			t.Errorf("%s: %v\ngot  %s\nwant %s", c.rule, err, got, c.want)
		}
	}
}

func TestAdapt_RefusesMalformedFieldsThatItMustRead(t *testing.T) {
	r, err := openai.ScanRequest([]byte(`{"model":"m","input":"hi","instructions":["x"]}`), catalog.Responses)
	if err != nil {
		t.Fatal(err)
	}
	s := prompt("A")
	if _, err := r.Adapt("m", &s); !problem.Is(err, problem.InvalidType) || problem.From(err).Param != "instructions" {
		t.Errorf("instructions that are an array: got %v, want InvalidType for instructions", err)
	}
	r, err = openai.ScanRequest([]byte(`{"model":"m","messages":[{"role" "developer"}]}`), catalog.Chat)
	if err != nil {
		t.Fatal(err)
	}
	s = quirks(catalog.NoDeveloper)
	if _, err := r.Adapt("m", &s); !problem.Is(err, problem.InvalidJSON) {
		t.Errorf("a malformed message: got %v, want InvalidJSON", err)
	}
}

func TestAdapt_DoesNotCopyALargeBody(t *testing.T) {
	large := strings.Repeat("lorem ipsum ", 100_000)
	sent := `{"model":"m","messages":[{"role":"user","content":"` + large + `"}],"user":"me"}`
	want := `{"model":"u","messages":[{"role":"system","content":"A"},{"role":"user","content":"` +
		large + `"}],"seed":1}`
	s := set("user", "null", "seed", "1")
	s.SystemPrompt = "A"
	r, err := openai.ScanRequest([]byte(sent), catalog.Chat)
	if err != nil {
		t.Fatal(err)
	}
	bytes := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			if _, err := r.Adapt("u", &s); err != nil {
				b.Fatal(err)
			}
		}
	}).AllocedBytesPerOp()
	if bytes > int64(len(sent)/10) {
		t.Errorf("got %d bytes allocated, want at most a tenth of the body's %d bytes", bytes, len(sent))
	}
	body, err := r.Adapt("u", &s)
	if err != nil || body.Size() != int64(len(want)) || string(body.Bytes()) != want {
		t.Errorf("got %d bytes, %v, want %d bytes", body.Size(), err, len(want))
	}
}

func TestWithParameters_EditsAnyObject(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{`{"contents":[],"a":1}`, `{"contents":[],"b":2}`},
		{`{"a":1}`, `{"b":2}`},
		{`{ }`, `{ "b":2}`},
		{` {"b" : {"x":1}} `, ` {"b" : 2} `},
	} {
		body, err := rawjson.NewBody([]byte(c.body)).WithParameters(set("a", "null", "b", "2").Parameters)
		if got := string(body.Bytes()); err != nil || got != c.want {
			t.Errorf("%s: %v, got %s, want %s", c.body, err, got, c.want)
		}
	}
	same := rawjson.NewBody([]byte(`{}`))
	if got, err := same.WithParameters(nil); err != nil || string(got.Bytes()) != `{}` {
		t.Errorf("without parameters: %v, %s", err, got.Bytes())
	}
	if _, err := rawjson.NewBody([]byte(`[]`)).WithParameters(set("a", "1").Parameters); err == nil {
		t.Error("WithParameters accepted an array, want an error")
	}
}

// FuzzAdapt checks that an adapted request differs from the client's only by the settings.
func FuzzAdapt(f *testing.F) {
	for _, c := range adaptCases {
		f.Add([]byte(c.body))
	}
	settings := catalog.Settings{
		SystemPrompt: "A", Quirks: []catalog.Quirk{catalog.NoDeveloper, catalog.OldMaxTokens, catalog.NoStreamOptions},
		Parameters: map[string]json.RawMessage{"user": json.RawMessage("null"), "a": json.RawMessage("null"),
			"seed": json.RawMessage("7")},
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var sent map[string]json.RawMessage
		r, err := openai.ScanRequest(body, catalog.Chat)
		if err != nil || json.Unmarshal(body, &sent) != nil {
			return
		}
		adapted, err := r.Adapt("u", &settings)
		if err != nil {
			t.Fatalf("Adapt(%s): %v", body, err)
		}
		raw, _ := io.ReadAll(adapted.Reader())
		var got map[string]json.RawMessage
		if err := json.Unmarshal(raw, &got); err != nil {
			t.Fatalf("%s became %s: %v", body, raw, err)
		}
		if string(got["model"]) != `"u"` || string(got["seed"]) != "7" ||
			!strings.HasPrefix(string(got["messages"]), `[{"role":"system","content":"A"}`) {
			t.Fatalf("%s became %s", body, raw)
		}
		for _, name := range []string{"user", "a", "stream_options", "max_completion_tokens"} {
			if _, there := got[name]; there {
				t.Fatalf("%s still has %s", raw, name)
			}
		}
		for _, changed := range []map[string]json.RawMessage{sent, got} {
			for _, name := range []string{"model", "seed", "messages", "user", "a", "stream_options",
				"max_completion_tokens", "max_tokens"} {
				delete(changed, name)
			}
		}
		if !reflect.DeepEqual(sent, got) {
			t.Fatalf("sent %v, adapted %v", sent, got)
		}
	})
}

func TestWithServiceTier_ReplacesWhatTheClientSent(t *testing.T) {
	parameters := catalog.Settings{Parameters: map[string]json.RawMessage{"seed": json.RawMessage("7")}}
	for body, want := range map[string]string{
		`{"model":"m","messages":[],"service_tier":"auto"}`: `{"model":"u","messages":[],"service_tier":"default"`,
		`{"model":"m","service_tier":null,"messages":[]}`:   `{"model":"u","service_tier":"default","messages":[]`,
		`{"model":"m","messages":[]}`:                       `{"model":"u","messages":[],"service_tier":"default"`,
	} {
		r, err := openai.ScanRequest([]byte(body), catalog.Chat)
		if err != nil {
			t.Fatal(err)
		}
		sent := r.WithServiceTier("default")
		adapted, err := sent.Adapt("u", &parameters)
		if got := string(sent.Forward("u").Bytes()); got != want+"}" || err != nil ||
			string(adapted.Bytes()) != want+`,"seed":7}` {
			t.Errorf("%s: got %s and %s, %v", body, got, adapted.Bytes(), err)
		}
		if got := string(r.Forward("m").Bytes()); got != body {
			t.Errorf("the request itself became %s", got)
		}
	}
	for members, want := range map[string][2]bool{
		``: {true, false}, `,"service_tier":null`: {true, false}, `,"service_tier":"Auto"`: {true, true},
		`,"service_tier":"flex"`: {}, `,"service_tier":"default"`: {}, `,"serviceTier":"flex"`: {false, true},
	} {
		r, err := openai.ScanRequest([]byte(`{"model":"m","messages":[]`+members+`}`), catalog.Chat)
		if err != nil {
			t.Fatal(err)
		}
		if asks, stated := r.AsksForAnyTier(); asks != want[0] || stated != want[1] {
			t.Errorf("%s: got %v, %v, want %v", members, asks, stated, want)
		}
	}
}

func BenchmarkForward(b *testing.B) {
	var plain catalog.Settings
	full := catalog.Settings{SystemPrompt: "Be brief.",
		Parameters: map[string]json.RawMessage{"seed": json.RawMessage("7")}}
	for name, size := range map[string]int{"1KB": 1 << 10, "200KB": 200 << 10} {
		r, err := openai.ScanRequest(conversation(size, english), catalog.Chat)
		if err != nil {
			b.Fatal(err)
		}
		for how, forward := range map[string]func(){
			"plain":    func() { _ = r.Forward("u") },
			"settings": func() { _, _ = r.Adapt("u", &plain) },
			"edits":    func() { _, _ = r.Adapt("u", &full) },
		} {
			b.Run(name+"/"+how, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					forward()
				}
			})
		}
	}
}
