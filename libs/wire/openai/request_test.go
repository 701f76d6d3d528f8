package openai_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/wire/openai"
)

func TestScanRequest_ReadsTheFieldsOfTheGateway(t *testing.T) {
	type want struct {
		model              string
		stream, usage      bool
		outputCap, choices int64
	}
	for name, c := range map[string]struct {
		body string
		want want
	}{
		"smallest":      {`{"model":"m","messages":[]}`, want{model: "m", choices: 1}},
		"white space":   {" {\n\"model\" :\t\"m\" , \"messages\" : [ ] }\r\n", want{model: "m", choices: 1}},
		"escaped model": {`{"model":"a\u002fb","messages":[]}`, want{model: "a/b", choices: 1}},
		"escaped key":   {`{"mod\u0065l":"m","messages":[]}`, want{model: "m", choices: 1}},
		"stream": {`{"model":"m","stream":true,"messages":[]}`,
			want{model: "m", stream: true, choices: 1}},
		"nulls are absent": {`{"model":"m","stream":null,"n":null,"max_tokens":null,"stream_options":null,"messages":[]}`, want{model: "m", choices: 1}},
		"usage asked": {`{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[]}`,
			want{model: "m", stream: true, usage: true, choices: 1}},
		"usage not asked": {`{"model":"m","stream":true,"stream_options":{"include_usage":false},"messages":[]}`,
			want{model: "m", stream: true, choices: 1}},
		"the larger cap counts": {`{"model":"m","max_tokens":5,"max_completion_tokens":9,"messages":[]}`,
			want{model: "m", outputCap: 9, choices: 1}},
		"huge cap": {`{"model":"m","max_tokens":99999999999999999999,"messages":[]}`,
			want{model: "m", outputCap: 1<<63 - 1, choices: 1}},
		"choices": {`{"model":"m","n":3,"messages":[]}`, want{model: "m", choices: 3}},
		"nested model is ignored": {`{"messages":[{"model":"x","stream":true}],"model":"m"}`,
			want{model: "m", choices: 1}},
		"brackets in strings": {`{"model":"m","messages":[{"content":"]}\\\"{["}]}`, want{model: "m", choices: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := openai.ScanRequest([]byte(c.body), catalog.Chat)
			if err != nil {
				t.Fatal(err)
			}
			got := want{r.Model, r.Stream, r.IncludeUsage, r.OutputCap, r.Choices}
			if got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestScanRequest_RefusesMalformedRequests(t *testing.T) {
	deep := strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)
	for name, c := range map[string]struct {
		body  string
		kind  problem.Kind
		param string
	}{
		"empty body":                {``, problem.InvalidJSON, ""},
		"an array":                  {`[]`, problem.InvalidJSON, ""},
		"a string":                  {`"x"`, problem.InvalidJSON, ""},
		"cut off":                   {`{"model":"m","messages":[`, problem.InvalidJSON, ""},
		"cut in a string":           {`{"model":"m`, problem.InvalidJSON, ""},
		"wrong bracket":             {`{"model":"m","messages":[}}`, problem.InvalidJSON, ""},
		"bare word":                 {`{"model":"m","messages":[],"x":nul}`, problem.InvalidJSON, ""},
		"bare key":                  {`{model:"m"}`, problem.InvalidJSON, ""},
		"trailing comma":            {`{"model":"m","messages":[],}`, problem.InvalidJSON, ""},
		"missing comma":             {`{"model":"m" "messages":[]}`, problem.InvalidJSON, ""},
		"data after the object":     {`{"model":"m","messages":[]}{}`, problem.InvalidJSON, ""},
		"not UTF-8":                 {"{\"model\":\"\xff\",\"messages\":[]}", problem.InvalidJSON, ""},
		"nested too deeply":         {`{"model":"m","messages":` + deep + `}`, problem.InvalidJSON, ""},
		"model twice":               {`{"model":"m","messages":[],"model":"x"}`, problem.InvalidJSON, "model"},
		"model twice, once escaped": {`{"model":"m","messages":[],"mod\u0065l":"x"}`, problem.InvalidJSON, "model"},
		"any key twice":             {`{"model":"m","messages":[],"x":1,"x":2}`, problem.InvalidJSON, "x"},
		"include_usage " +
			"twice": {`{"model":"m","messages":[],"stream_options":{"include_usage":false,"include_usage":true}}`,
			problem.InvalidJSON, "stream_options.include_usage"},
		"model in another spelling": {`{"model":"m","messages":[],"Model":"x"}`, problem.InvalidType, "Model"},
		"no model":                  {`{"messages":[]}`, problem.MissingParameter, "model"},
		"null model":                {`{"model":null,"messages":[]}`, problem.MissingParameter, "model"},
		"empty model":               {`{"model":"","messages":[]}`, problem.InvalidType, "model"},
		"number model":              {`{"model":4,"messages":[]}`, problem.InvalidType, "model"},
		"no messages":               {`{"model":"m"}`, problem.MissingParameter, "messages"},
		"null messages":             {`{"model":"m","messages":null}`, problem.MissingParameter, "messages"},
		"string messages":           {`{"model":"m","messages":"hi"}`, problem.InvalidType, "messages"},
		"object messages":           {`{"model":"m","messages":{}}`, problem.InvalidType, "messages"},
		"string stream":             {`{"model":"m","messages":[],"stream":"yes"}`, problem.InvalidType, "stream"},
		"number stream":             {`{"model":"m","messages":[],"stream":1}`, problem.InvalidType, "stream"},
		"array stream_options": {`{"model":"m","messages":[],"stream_options":[]}`, problem.InvalidType,
			"stream_options"},
		"string include_usage": {`{"model":"m","messages":[],"stream_options":{"include_usage":"x"}}`,
			problem.InvalidType, "stream_options.include_usage"},
		"string n":              {`{"model":"m","messages":[],"n":"2"}`, problem.InvalidType, "n"},
		"fractional max_tokens": {`{"model":"m","messages":[],"max_tokens":1.5}`, problem.InvalidType, "max_tokens"},
		"negative max_tokens":   {`{"model":"m","messages":[],"max_tokens":-1}`, problem.InvalidType, "max_tokens"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := openai.ScanRequest([]byte(c.body), catalog.Chat)
			if !problem.Is(err, c.kind) {
				t.Fatalf("got %v, want %v", err, c.kind)
			}
			if got := problem.From(err).Param; got != c.param {
				t.Errorf("param %q, want %q", got, c.param)
			}
		})
	}
}

func TestScanRequest_OfResponsesRequiresInput(t *testing.T) {
	for _, input := range []string{`"hi"`, `[{"role":"user","content":"hi"}]`} {
		if _, err := openai.ScanRequest([]byte(`{"model":"m","input":`+input+`}`), catalog.Responses); err != nil {
			t.Errorf("input %s: %v", input, err)
		}
	}
	_, err := openai.ScanRequest([]byte(`{"model":"m","messages":[]}`), catalog.Responses)
	if !problem.Is(err, problem.MissingParameter) || problem.From(err).Param != "input" {
		t.Errorf("without input: got %v, want MissingParameter for input", err)
	}
}

func TestForward_ChangesOnlyModelAndStreamOptions(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"the upstream has the same model name": {`{"model":"m", "x":1e2,"messages":[]}`,
			`{"model":"m", "x":1e2,"messages":[]}`},
		"stream": {`{"model":"m","messages":[],"stream":true}`,
			`{"model":"m","messages":[],"stream":true,"stream_options":{"include_usage":true}}`},
		"stream, spaced": {"{\"model\":\"m\",\"messages\":[],\"stream\":true\n}\n",
			"{\"model\":\"m\",\"messages\":[],\"stream\":true\n,\"stream_options\":{\"include_usage\":true}}\n"},
		"the client asks for " +
			"usage": {`{"stream_options":{"include_usage":true},"model":"m","messages":[],"stream":true}`,
			`{"stream_options":{"include_usage":true},"model":"m","messages":[],"stream":true}`},
		"the client declines " +
			"usage": {`{"stream_options":{"include_usage":false},"model":"m","messages":[],"stream":true}`,
			`{"stream_options":{"include_usage":true},"model":"m","messages":[],"stream":true}`},
		"options null": {`{"stream_options":null,"model":"m","messages":[],"stream":true}`,
			`{"stream_options":{"include_usage":true},"model":"m","messages":[],"stream":true}`},
		"options empty": {`{"stream_options":{ },"model":"m","messages":[],"stream":true}`,
			`{"stream_options":{"include_usage":true },"model":"m","messages":[],"stream":true}`},
		"other options": {`{"stream_options":{"a":1},"model":"m","messages":[],"stream":true}`,
			`{"stream_options":{"include_usage":true,"a":1},"model":"m","messages":[],"stream":true}`},
		"not a stream": {`{"stream_options":{"a":1},"model":"m","messages":[]}`,
			`{"stream_options":{"a":1},"model":"m","messages":[]}`},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := openai.ScanRequest([]byte(c.body), catalog.Chat)
			if err != nil {
				t.Fatal(err)
			}
			body := r.Forward("m")
			if got := string(body.Bytes()); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			renamed := string(r.Forward(`up/"m"`).Bytes())
			if want := strings.Replace(c.want, `"model":"m"`, `"model":"up/\"m\""`, 1); renamed != want {
				t.Errorf("got  %s\nwant %s", renamed, want)
			}
			if body.Size() != int64(len(c.want)) {
				t.Errorf("Size() = %d, want %d", body.Size(), len(c.want))
			}
			if err := iotest.TestReader(body.Reader(), []byte(c.want)); err != nil {
				t.Error(err)
			}
		})
	}
}

// Streams of the Responses API report their usage without stream options.
func TestForward_OfResponsesAddsNoStreamOptions(t *testing.T) {
	sent := `{"model":"m","input":"hi","stream":true}`
	r, err := openai.ScanRequest([]byte(sent), catalog.Responses)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(r.Forward("m").Bytes()); got != sent {
		t.Errorf("got %s, want %s", got, sent)
	}
}

// FuzzScanRequest checks that an accepted request that is valid JSON decodes to the same fields, and that its
// forwarded body differs only in the model and the stream options.
func FuzzScanRequest(f *testing.F) {
	for _, seed := range []string{
		`{"model":"m","messages":[{"role":"user","content":"h\"i"}],"stream":true,"stream_options":{"a":[1,2]}}`,
		`{"model":"m","messages":[],"n":2,"max_tokens":1e3}`,
		` { "messages" : [ { } ] , "model" : "\u0041" } `,
		"{\"model\":\"m\",\"messages\":[{\"content\":\"\xe4\xb8\xad \xed\xa0\x80\"}]}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := openai.ScanRequest(body, catalog.Chat)
		if err != nil {
			if problem.From(err).Kind == problem.Internal {
				t.Fatalf("got %v, want a problem of a known kind", err)
			}
			return
		}
		if !utf8.Valid(body) {
			t.Fatal("a body that is not UTF-8 was accepted")
		}
		var sent map[string]json.RawMessage
		if json.Unmarshal(body, &sent) != nil {
			return // nested values are not checked; the upstream refuses such a body
		}
		var model string
		if json.Unmarshal(sent["model"], &model) != nil || model != r.Model {
			t.Fatalf("got the model %q, want %s", r.Model, sent["model"])
		}
		forwarded, err := io.ReadAll(r.Forward("other").Reader())
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]json.RawMessage
		if err := json.Unmarshal(forwarded, &got); err != nil {
			t.Fatalf("forwarded %q: %v", forwarded, err)
		}
		if string(got["model"]) != `"other"` {
			t.Fatalf("forwarded model %s", got["model"])
		}
		if r.Stream && !bytes.Contains(got["stream_options"], []byte(`"include_usage":true`)) && !r.IncludeUsage {
			t.Fatalf("the forwarded stream does not ask for usage: %s", forwarded)
		}
		for _, changed := range []map[string]json.RawMessage{sent, got} {
			delete(changed, "model")
			delete(changed, "stream_options")
		}
		if !reflect.DeepEqual(sent, got) {
			t.Fatalf("sent %v, forwarded %v", sent, got)
		}
	})
}

// conversation returns a chat request of about size bytes that repeats a text in many messages.
func conversation(size int, text string) []byte {
	var body bytes.Buffer
	body.WriteString(`{"model":"gpt-4o-mini","temperature":0.5,"messages":[{"role":"system","content":"Be brief."}`)
	for body.Len() < size {
		repeat := min(8, 1+max(0, size-body.Len())/len(text))
		body.WriteString(`,{"role":"user","content":"` + strings.Repeat(text, repeat) + `"}`)
	}
	body.WriteString("]}")
	return body.Bytes()
}

// picture returns a chat request of about size bytes with an image.
func picture(size int) []byte {
	image := strings.Repeat("iVBORw0KGgoAAAANSUhEUgAA", size/24)
	return []byte(
		`{"model":"gpt-4o-mini","messages":[{"role":"user","content":[{"type":"text","text":"What is it?"},{"type":"image_url","image_url":{"url":"data:image/png;base64,` + image + `"}}]}]}`)
}

// english is a text of messages in the benchmarks.
const english = `What is the answer to the great question of life, the universe and everything? \"Think\" step by step.\nThen say why it is so. `

func BenchmarkScanRequest(b *testing.B) {
	const chinese = `生命、宇宙以及任何事情的终极答案是什么？请一步一步地“思考”。\n然后说明原因，不要超过 200 字。`
	const russian = `Каков ответ на главный вопрос жизни? `
	for _, size := range []int{1 << 10, 10 << 10, 200 << 10} {
		for name, body := range map[string][]byte{
			"English": conversation(size, english), "Chinese": conversation(size, chinese),
			"Russian": conversation(size, russian), "Image": picture(size),
		} {
			b.Run(fmt.Sprintf("%s/%dKB", name, size>>10), func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(len(body)))
				for b.Loop() {
					if _, err := openai.ScanRequest(body, catalog.Chat); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func TestScanOperation_NeedsNoInputAndRefusesAStream(t *testing.T) {
	for body, want := range map[string]string{
		`{"model":"m"}`:                              "",
		`{"model":"m","input":null}`:                 "",
		`{"model":"m","input":"x","stream":false}`:   "",
		`{"model":"m","input":"x","stream":true}`:    "stream",
		`{"input":"x"}`:                              "model",
		`{"model":"m","input":{}}`:                   "input",
		`{"model":"m","conversation":{"id":"conv"}}`: "conversation",
		`{"model":"m","Input":"x"}`:                  "Input",
		`{"model":"m","previous_response_id":17}`:    "previous_response_id",
	} {
		r, err := openai.ScanOperation([]byte(body), catalog.Responses)
		if want == "" && (err != nil || r.Model != "m") || want != "" && problem.From(err).Param != want {
			t.Errorf("%s: got %v, want a problem at %q", body, err, want)
		}
	}
}
