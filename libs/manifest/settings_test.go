package manifest

import (
	"encoding/pem"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/provider/registry"
	"github.com/tollgate/tollgate/libs/store"
	storepage "github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

func TestParse_ReadsTheSettingsOfAChannel(t *testing.T) {
	t.Parallel()
	c, err := parse(`
models: [{id: m, owned_by: o, free: true}]
channels:
  - name: all
    type: openai
    base_url: https://api.example/v1
    endpoints: [chat]
    models: {m: m}
    settings:
      headers: {X-Weight: "${WEIGHT}"}
      parameters:
        none: null
        number: 1.50
        text: "7"
        filled: "${WEIGHT}"
        nested: {z: [7, true, {}], a: "x\"y", empty: []}
      system_prompt: |
        Be brief.
      quirks: [max_tokens]
      lacks: [vision]
      proxy: "http://gate:${PASSWORD}@proxy.example:3128"
      connect_timeout: 1500ms
      first_byte_timeout: 5m
`)
	if err != nil {
		t.Fatal(err)
	}
	s := c.Channels[0].Settings
	for name, want := range map[string]string{
		"none": `null`, "number": `1.50`, "text": `"7"`, "filled": `"3"`,
		"nested": `{"z":[7,true,{}],"a":"x\"y","empty":[]}`,
	} {
		if got := string(s.Parameters[name]); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	if s.Headers["X-Weight"] != "3" || s.SystemPrompt != "Be brief.\n" ||
		s.ProxyURL != "http://gate:hunter2-hunter2@proxy.example:3128" ||
		s.ConnectTimeout != 1500*time.Millisecond || s.FirstByteTimeout != 5*time.Minute ||
		!s.Has(catalog.OldMaxTokens) || s.Lacks[0] != catalog.Vision {
		t.Errorf("%+v", s)
	}
}

func TestApply_ReplacesTheSettingsOfAChannel(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		const line = "type: openai"
		with := func(settings string) []string { return []string{line, line + "\n    settings: " + settings} }
		stored := func() catalog.Settings {
			page, err := s.Catalog.Channels(t.Context(), system, nil, storepage.Page{})
			if err != nil || len(page.Items) != 1 {
				t.Fatal(err)
			}
			return page.Items[0].Settings
		}
		applyTo(t, s, acme,
			with(`{headers: {X-Team: red}, parameters: {a: {x: 1.0}}, proxy: "http://gate:${KEY}@proxy:1"}`)...)
		first := stored()
		if first.Proxy.Mask != "http://…@proxy:1" || strings.Contains(string(first.Proxy.Sealed), "hunter2") {
			t.Errorf("proxy %+v", first.Proxy)
		}
		if plain, err := testSealer().OpenProxy(first.Proxy); err != nil ||
			plain != "http://gate:sk-upstream-hunter2@proxy:1" {
			t.Errorf("the sealed proxy is %s, %v", plain, err)
		}
		for _, row := range []struct {
			rule     string
			settings []string
			changes  int
		}{
			{"the same settings",
				with(
					`{parameters: {a: {"x": 1.0}}, headers: {"X-Team": "red"}, proxy: "http://gate:sk-upstream-hunter2@proxy:1"}`), 0},
			{"omitted settings", nil, 0},
			{"another notation of a number",
				with(`{headers: {X-Team: red}, parameters: {a: {x: 1}}, proxy: "http://gate:${KEY}@proxy:1"}`), 1},
			{"another password",
				with(`{headers: {X-Team: red}, parameters: {a: {x: 1}}, proxy: "http://gate:other@proxy:1"}`), 1},
			{"fewer settings", with(`{headers: {X-Team: red}}`), 1},
			{"empty settings", with(`{}`), 1},
		} {
			if applied := applyTo(t, s, acme, row.settings...); len(applied.Changes) != row.changes {
				t.Errorf("%s: %d changes, want %d", row.rule, len(applied.Changes), row.changes)
			}
		}
		last := stored()
		if !last.Equal(&catalog.Settings{}) {
			t.Errorf("the last settings are %+v, want none", last)
		}
	})
}

// authority returns a certificate in PEM that no system trusts.
func authority(t *testing.T) string {
	server := httptest.NewTLSServer(nil)
	t.Cleanup(server.Close)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
}

// Every YAML example in docs/channels.md is a valid manifest together with the first example, which declares the
// models.
func TestDocumentation_ExamplesAreValid(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/channels.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	if len(examples) < 5 {
		t.Fatalf("%d examples, want at least 5", len(examples))
	}
	lookup := func(name string) (string, bool) {
		if name == "CORP_CA" {
			return authority(t), true
		}
		return "hunter2", true
	}
	settings := 0
	for _, example := range examples[1:] {
		c, err := Parse(Source{
			File: "docs/channels.md", Text: []byte(examples[0][1] + example[1]), Lookup: lookup,
			CheckChannel: registry.Check,
		})
		if err != nil {
			t.Errorf("%v in\n%s", err, example[1])
			continue
		}
		for _, channel := range c.Channels {
			if channel.Settings != nil {
				settings++
			}
		}
	}
	if settings < 5 {
		t.Errorf("%d examples have settings, want at least 5", settings)
	}
}

// docs/channels.md lists exactly the settings that a manifest can declare.
func TestDocumentation_ListsEverySetting(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/channels.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "## Settings")
	var documented []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\|").FindAllStringSubmatch(table, -1) {
		documented = append(documented, row[1])
	}
	_, err = parse(`channels: [{name: x, type: echo, endpoints: [chat], models: {}, settings: {"?": 1}}]`)
	_, known, _ := strings.Cut(err.Error(), "the known keys are ")
	known, _, _ = strings.Cut(known, "\n")
	want := strings.Split(known, ", ")
	slices.Sort(want)
	slices.Sort(documented)
	if diff := cmp.Diff(want, documented); diff != "" {
		t.Errorf("declared (-), documented (+):\n%s", diff)
	}
}
