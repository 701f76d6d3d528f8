// Package providertest is the conformance suite that every provider passes. It consists of golden cases, one txtar
// archive each. The comment of an archive has lines of the form `key: value`:
//
//	dialect: chat            dialect of the client: chat, responses or messages
//	endpoints: messages      dialects of the channel
//	base_url: https://...    base URL of the channel
//	model: claude-x          upstream's name of the model
//	settings: {...}          catalog.Settings as JSON
//
// A case gives these files:
//
//	client.json              request of the client
//	upstream.sse             response of the upstream to a streaming request, or
//	upstream_answer.json     response of the upstream to a request without streaming
//
// The suite generates these files and compares them with the archive:
//
//	upstream.http            method, URL and headers of the upstream's request
//	upstream.json            body of the upstream's request, byte for byte if it is not translated
//	ignored.txt              the client's paths of what is left out of it, absent for none
//	refusal.json             instead of these: the problem that the client gets
//	client.sse               translated stream to the client, or
//	client_answer.json       translated response to the client
//	fault.json               instead of these: the error that the upstream reports
//	usage.json               usage that the gateway meters
//
// A translated request must also follow the rules of the provider, see package rulestest.
//
// With the flag -update the suite writes these files instead of comparing them. Streams are read several times, with
// the upstream's bytes split at different places; the result must always be the same.
package providertest

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/provider"
	"github.com/tollgate/tollgate/libs/provider/rulestest"
	"github.com/tollgate/tollgate/libs/provider/translate"
	"github.com/tollgate/tollgate/libs/wire/openai"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing them")

const (
	secret   = "sk-secret" // credential of the channel
	maxFrame = 16 << 20    // bytes
)

// Run runs the provider on every archive in the directory testdata, each as a subtest named after the file.
func Run(t *testing.T, p provider.Provider) {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			c := newCase(t, archive)
			c.run(t, p)
			if *update {
				if err := os.WriteFile(file, txtar.Format(archive), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// golden is one golden case.
type golden struct {
	archive *txtar.Archive
	dialect catalog.Dialect
	channel catalog.Channel
	base    string
	model   string
}

// newCase reads the keys in the comment of an archive.
func newCase(t *testing.T, archive *txtar.Archive) *golden {
	t.Helper()
	c := &golden{archive: archive, dialect: catalog.Chat, model: "upstream-model", base: "https://upstream.example/v1"}
	for line := range strings.Lines(string(archive.Comment)) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok {
			continue
		}
		switch key {
		case "dialect":
			c.dialect = catalog.Dialect(value)
		case "endpoints":
			for _, dialect := range strings.Fields(value) {
				c.channel.Dialects = append(c.channel.Dialects, catalog.Dialect(dialect))
			}
		case "base_url":
			c.base = value
		case "model":
			c.model = value
		case "settings":
			if err := json.Unmarshal([]byte(value), &c.channel.Settings); err != nil {
				t.Fatal(err)
			}
		}
	}
	return c
}

// file returns a file of the archive, or nil if the archive does not have it.
func (c *golden) file(name string) []byte {
	for _, file := range c.archive.Files {
		if file.Name == name {
			return file.Data
		}
	}
	return nil
}

// expect compares a generated file with the one in the archive. With -update it writes it into the archive instead.
func (c *golden) expect(t *testing.T, name string, got []byte) {
	t.Helper()
	if len(got) > 0 && got[len(got)-1] != '\n' {
		got = append(got, '\n')
	}
	if *update {
		at := slices.IndexFunc(c.archive.Files, func(f txtar.File) bool { return f.Name == name })
		if at < 0 {
			c.archive.Files = append(c.archive.Files, txtar.File{Name: name, Data: got})
		} else {
			c.archive.Files[at].Data = got
		}
		return
	}
	want := c.file(name)
	if want == nil {
		t.Errorf("the case has no %s; it would be\n%s", name, got)
	} else if !bytes.Equal(got, want) {
		t.Errorf("%s is\n%s\nwant\n%s", name, got, want)
	}
}

// run translates the request, and then the response.
func (c *golden) run(t *testing.T, p provider.Provider) {
	call := c.call(t)
	if call.Conversation == nil && !c.channel.Speaks(c.dialect) {
		return // the request cannot be decoded; c.call has compared the refusal
	}
	out, err := p.Request(call)
	if err != nil {
		c.expect(t, "refusal.json", refusal(t, err))
		return
	}
	if refusal := rulestest.Check(providerOf(out), rulestest.Request{URL: out.URL, Header: out.Header,
		Body: out.Body.Bytes()}); refusal != nil && out.Decoder != nil {
		t.Errorf("the provider refuses the request: %v", refusal)
	}
	c.expect(t, "upstream.http", head(out))
	body := out.Body.Bytes()
	if out.Decoder != nil {
		body = indent(t, body)
	}
	c.expect(t, "upstream.json", body)
	if len(out.Ignored) > 0 || c.file("ignored.txt") != nil {
		c.expect(t, "ignored.txt", []byte(strings.Join(out.Ignored, "\n")))
	}
	if stream := c.file("upstream.sse"); stream != nil {
		c.stream(t, p, call, stream)
		return
	}
	c.whole(t, out, call, c.file("upstream_answer.json"))
}

// providerOf returns the provider that a request is for.
func providerOf(out provider.Request) rulestest.Provider {
	switch {
	case out.Dialect == catalog.Messages:
		return rulestest.Anthropic
	case strings.Contains(out.URL.Path, "/publishers/google/"):
		return rulestest.VertexAI
	case out.Dialect == catalog.Gemini:
		return rulestest.AIStudio
	case out.Header.Get("Api-Key") != "":
		return rulestest.Azure
	}
	return rulestest.OpenAI
}

// call returns the call of the client's request. If it must be translated and cannot be decoded, call compares the
// refusal and leaves Conversation nil.
func (c *golden) call(t *testing.T) provider.Call {
	t.Helper()
	body := bytes.TrimSpace(c.file("client.json"))
	request, err := openai.ScanRequest(body, c.dialect)
	if err != nil {
		t.Fatal(err)
	}
	base, err := url.Parse(c.base)
	if err != nil {
		t.Fatal(err)
	}
	c.channel.BaseURL = c.base
	call := provider.Call{Dialect: c.dialect, Channel: &c.channel, Base: base, Credential: secret,
		UpstreamModel: c.model, Request: request}
	if c.channel.Speaks(c.dialect) {
		return call
	}
	if call.Conversation, err = translate.DecodeRequest(body, c.dialect); err != nil {
		c.expect(t, "refusal.json", refusal(t, err))
	}
	return call
}

// refusal returns the content of refusal.json. It fails the test if err is not a problem.
func refusal(t *testing.T, err error) []byte {
	t.Helper()
	var p *problem.Problem
	if !errors.As(err, &p) {
		t.Fatalf("not a problem: %v", err)
	}
	fields := map[string]string{"kind": p.Kind.String(), "param": p.Param, "message": p.Text()}
	if p.Code != "" {
		fields["code"] = p.Code
	}
	text, err := json.MarshalIndent(fields, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// head returns the content of upstream.http, with the headers sorted.
func head(out provider.Request) []byte {
	var text bytes.Buffer
	fmt.Fprintf(&text, "%s %s\n", out.Method, out.URL)
	names := make([]string, 0, len(out.Header))
	for name := range out.Header {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&text, "%s: %s\n", name, strings.Join(out.Header[name], ", "))
	}
	return text.Bytes()
}

func indent(t *testing.T, body []byte) []byte {
	t.Helper()
	var text bytes.Buffer
	if err := json.Indent(&text, body, "", "  "); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return text.Bytes()
}

// answer returns the translator of the response, or nil if the response is not translated.
func (c *golden) answer(call provider.Call, out provider.Request) *translate.Translator {
	if out.Decoder == nil {
		return nil
	}
	translator := translate.NewTranslator(c.dialect, completion.Header{
		ID: "0123456789abcdef", Model: call.Request.Model, Created: time.Unix(1_700_000_000, 0),
		Request: call.Conversation, InputTokens: 12,
	}, out.Decoder)
	translator.StopAt(out.Stop)
	return translator
}

// whole compares the response without streaming, and its usage.
func (c *golden) whole(t *testing.T, out provider.Request, call provider.Call, sent []byte) {
	t.Helper()
	body := bytes.TrimSpace(sent)
	if answer := c.answer(call, out); answer != nil {
		translated, err := answer.Whole(body)
		if fault := new(completion.UpstreamError); errors.As(err, &fault) {
			c.expect(t, "fault.json", faultText(t, fault))
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		body = translated
		c.expect(t, "client_answer.json", indent(t, body))
	}
	scanned, err := output.ScanAnswer(c.dialect, body)
	if err != nil {
		t.Fatal(err)
	}
	c.expect(t, "usage.json", usageText(t, scanned.Usage))
}

func faultText(t *testing.T, fault *completion.UpstreamError) []byte {
	t.Helper()
	text, err := json.MarshalIndent(fault, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func usageText(t *testing.T, u *usage.Usage) []byte {
	t.Helper()
	text, err := json.MarshalIndent(u, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// stream compares the client's stream and its usage. It translates the upstream's stream several times, with the bytes
// split at different places, and fails if the results differ.
func (c *golden) stream(t *testing.T, p provider.Provider, call provider.Call, body []byte) {
	t.Helper()
	var want []byte
	for round := range 8 {
		out, err := p.Request(call)
		if err != nil {
			t.Fatal(err)
		}
		var src io.Reader = &pieces{rest: body, dice: rand.New(rand.NewPCG(1, uint64(round))), whole: round == 0}
		if answer := c.answer(call, out); answer != nil {
			src = answer.Stream(src, maxFrame)
		}
		got, err := io.ReadAll(src)
		if err != nil {
			got = fmt.Appendf(got, "(broken off: %v)\n", err) // golden files contain this line
		}
		if round == 0 {
			want = got
		} else if !bytes.Equal(got, want) {
			t.Fatalf("with the bytes split at other places the stream is\n%s\nwant\n%s", got, want)
		}
	}
	if call.Conversation != nil {
		c.expect(t, "client.sse", bytes.TrimSuffix(want, []byte("\n")))
	}
	c.expect(t, "usage.json", usageText(t, c.metered(t, want)))
}

// metered returns the usage that the gateway finds in the client's stream, or nil if there is none.
func (c *golden) metered(t *testing.T, stream []byte) (report *usage.Usage) {
	t.Helper()
	frames := output.NewStream(c.dialect, bytes.NewReader(stream), maxFrame, nil)
	for {
		frame, err := frames.Next()
		if err != nil {
			return report
		}
		if frame.Chunk.Usage != nil {
			report = frame.Chunk.Usage
		}
	}
}

// pieces is a reader that returns bytes in pieces of random size, or as many as fit if whole is set.
type pieces struct {
	rest  []byte
	dice  *rand.Rand
	whole bool
}

func (p *pieces) Read(into []byte) (int, error) {
	if len(p.rest) == 0 {
		return 0, io.EOF
	}
	size := min(len(into), len(p.rest))
	if !p.whole {
		size = min(size, 1+p.dice.IntN(40))
	}
	n := copy(into[:size], p.rest)
	p.rest = p.rest[n:]
	return n, nil
}
