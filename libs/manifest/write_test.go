package manifest

import (
	"encoding/json"
	"net/netip"
	"os"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/provider/registry"
)

// everything is a manifest with every key, and with texts that YAML could misread.
const everything = `
groups:
  - {name: default, multiplier: "0.85", models: [gpt-4o*, "*"], status: disabled, limits: {requests_per_minute: 600, tokens_per_minute: 7, concurrency: 0}}
  - {name: "no: yes #1", models: []}
models:
  - {id: gpt-4o-mini, owned_by: "007", price: {input: "0.15", cached_input: "0.075", cache_write: "1", cache_write_1h: "5", audio_input: "2", output: "0.60", reasoning: "3", audio_output: "4", image_input: "5", image_output: "6", request: "0.000000001", tiers: [{above_input: 200000, input: "0.3", request: "0"}, {above_input: 1000000, output: "9"}], service_tiers: {flex: {multiplier: "0.5"}, priority: {input: "4", tiers: [{above_input: 9, input: "8"}]}}, tools: {web_search: "0.01", file_search: "0.0025", code_interpreter: "0.03", image_generation: {input: "5", image_input: "10", output: "40"}}}, max_output_tokens: 7, status: enabled, context_length: 9, modalities: {input: ["text", image], output: [audio]}}
  - {id: practice, owned_by: "null", free: true, limits: {concurrency: 9}}
channels:
  - name: "main 主"
    type: openai
    base_url: https://api.openai.com/v1
    api_keys: ["$${NOT_A_VARIABLE}", "a\"b\\c\u0041<>&"]
    dialects: [chat, responses]
    models: {gpt-4o-mini: "on", practice: "1.0"}
    priority: -7
    weight: 3
    status: disabled
    on_disconnect: drain
    unpriced: allow
    tags: [eu west, "007"]
    settings:
      headers: {X-One: "true"}
      parameters: {a: {b: [1, 2.5, null, "x $${y}"]}, c_d: "e"}
      system_prompt: "two\nlines"
      quirks: [max_tokens]
      lacks: [tools]
      ignored_fields: refuse
      proxy: http://user:pass@proxy.example:8080
      connect_timeout: 3s
      first_byte_timeout: 5m
      idle_timeout: 1m30s
  - {name: azure, type: azure, base_url: https://x.example, dialects: [chat], models: {practice: p}, settings: {api_version: 2025-04-01-preview}}
tenants:
  - slug: acme
    name: Acme
    quota: "10.00"
    caps: {day: "1", week: "2", month: "8.00"}
    quota_mode: soft
    output_cap: "off"
    include_quota: true
    ignored_fields: refuse
    metadata_tags: [team, feature]
    status: disabled
    users:
      - email: owner@acme.example
        role: owner
        group: default
      - email: second@acme.example
        password: "123"
        role: member
        group: default
        quota: "3"
        caps: {week: "5.00"}
        limits: {concurrency: 2}
        tokens:
          - {name: ci, value: imported-0123456789-0123456789, models: [gpt-4o-mini], addresses: [192.0.2.0/24, "2001:db8::1"], quota: "1.00", caps: {day: "0.50"}, limits: {requests_per_minute: 60}, expires_at: 2031-01-01T00:00:00.5Z, status: disabled}
          - {name: laptop}
  - {slug: empty, name: Empty}
operators:
  - {email: operator@example.com, password: "x: $${"}
`

func reread(t *testing.T, text []byte) *Manifest {
	t.Helper()
	c, err := Parse(Source{File: "manifest.yaml", Text: text, Lookup: environment, CheckChannel: registry.Check})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return c
}

func TestYAML_ReadsBackAsTheSameManifest(t *testing.T) {
	example, err := os.ReadFile("../../deploy/manifest.example.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"everything": everything, "acme": acme, "the example": string(example),
		"nothing": ""} {
		lookup := func(string) (string, bool) { return "filled-in-${0123456789", true }
		want, err := Parse(Source{File: "c", Text: []byte(text), Lookup: lookup, CheckChannel: registry.Check})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		written, err := want.YAML()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, reread(t, written), cmpopts.IgnoreUnexported(Manifest{}),
			cmpopts.EquateComparable(netip.Prefix{})); diff != "" {
			t.Errorf("%s: the parsed text differs (-written +parsed):\n%s\n%s", name, diff, written)
		}
	}
}

func FuzzYAML_ReadsBackEveryText(f *testing.F) {
	for _, text := range []string{"plain", "007", "null", "${X}", "$${", "$$${", "a: b", "- a", "#", "'\"\\", "a\nb\n",
		"\t\r\v\x00\x7f", "\u0085\u2028\ufeff", "\U0001f600", " a ", "{a}", "[a", "é", "~", "&a", "*a", "? a", "%TAG"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) || text == "" || len(text) > maxPassword {
			t.Skip()
		}
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Skip()
		}
		want := &Manifest{
			Channels: []Channel{{
				Name: "c", Type: "echo", Dialects: []catalog.Dialect{catalog.Chat}, Models: map[string]string{},
				Settings: &Settings{Settings: catalog.Settings{
					Headers: map[string]string{text: text}, Parameters: map[string]json.RawMessage{"p": quoted,
						text: []byte(`{"a":[1.50,null]}`)}, SystemPrompt: text,
				}},
			}},
			Operators: []Operator{{Email: "operator@example.com", Password: text}},
		}
		written, err := want.YAML()
		if err != nil {
			t.Fatal(err)
		}
		got, err := Parse(Source{File: "f", Text: written, Lookup: environment,
			CheckChannel: func(*catalog.Channel) error { return nil }})
		if err != nil {
			t.Fatalf("%v\n%s", err, written)
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Manifest{})); diff != "" {
			t.Errorf("%s\n%s", diff, written)
		}
	})
}
