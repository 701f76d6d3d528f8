package openai

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/catalog"
)

func TestWithoutOptionalTools_LeavesTheOtherBytes(t *testing.T) {
	for name, row := range map[string]struct {
		dialect    catalog.Dialect
		body, want string
		paths      string
	}{
		"no tools": {catalog.Responses, `{"model":"m","input":"x"}`, `{"model":"m","input":"x"}`, ""},
		"tools that the client runs": {catalog.Responses,
			`{"model":"m","input":"x","tools":[{"type":"local_shell"},{"type":"shell","environment":{"type":"local"}},{"type":"tool_search","execution":"client"}]}`, `{"model":"m","input":"x","tools":[{"type":"local_shell"},{"type":"shell","environment":{"type":"local"}},{"type":"tool_search","execution":"client"}]}`, ""},
		"a shell of the provider": {catalog.Responses,
			`{"tools":[{"type":"shell","environment":{"type":"container_auto"}}, {"type":"function","x":1e0}],"model":"m","input":"x"}`, `{"tools":[{"type":"function","x":1e0}],"model":"m","input":"x"}`, "tools[0]"},
		"in a namespace of the name": {catalog.Responses,
			`{"model":"m","input":"x","tools":[{"type":"namespace","name":"web_search","tools":[{"type":"web_search"}]}]}`, `{"model":"m","input":"x","tools":[{"type":"namespace","name":"web_search","tools":[{"type":"web_search"}]}]}`, ""},
		"nothing is left": {catalog.Responses,
			`{"tools":[{"type":"web_search"}],"tool_choice":"auto","parallel_tool_calls":true,"model":"m","max_tool_calls":2,"include":["web_search_call.results"],"input":"x"}`, `{"model":"m","input":"x"}`, "tools[0]"},
		"a chat with a date": {catalog.Chat,
			`{"model":"m","messages":[],"tools":[{"type":"web_search_20250305","name":"web_search"},{"type":"function","function":{"name":"f"}}]}`, `{"model":"m","messages":[],"tools":[{"type":"function","function":{"name":"f"}}]}`, "tools[0]"},
		"a chat with functions": {catalog.Chat,
			`{"model":"m","messages":[],"tools":[{"type":"browser_search"}],"functions":[{"name":"f"}],"tool_choice":"auto"}`, `{"model":"m","messages":[],"functions":[{"name":"f"}],"tool_choice":"auto"}`, "tools[0]"},
		"allowed in a chat": {
			catalog.Chat,
			`{"model":"m","messages":[],"tools":[{"type":"mcp"},{"type":"function"}],"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"mcp"},{"type":"function"}]},"x":1}}`,
			`{"model":"m","messages":[],"tools":[{"type":"function"}],"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function"}]},"x":1}}`, "tools[0]",
		},
	} {
		r, err := ScanRequest([]byte(row.body), row.dialect)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		without, paths := r.WithoutOptionalTools()
		if got := string(without.Forward("m").Bytes()); got != row.want || strings.Join(paths, ",") != row.paths {
			t.Errorf("%s: got %s without %q, want %s without %q", name, got, paths, row.want, row.paths)
		}
		if got := string(r.Forward("m").Bytes()); got != row.body {
			t.Errorf("%s: the request itself changed: %s", name, got)
		}
		if hasTools := strings.Contains(row.want, `"function`) || row.paths == "" &&
			strings.Contains(row.want, "tools"); without.Tools != hasTools {
			t.Errorf("%s: has tools: %v, want %v", name, without.Tools, hasTools)
		}
	}
}

func TestWithoutOptionalTools_KeepsRequiredTools(t *testing.T) {
	for name, members := range map[string]string{
		"required, without another tool": `"tools":[{"type":"web_search"}],"tool_choice":"required"`,
		"required, with another tool":    `"tools":[{"type":"web_search"},{"type":"function"}],"tool_choice":"required"`,
		"named":                          `"tools":[{"type":"web_search"},{"type":"function"}],"tool_choice":{"type":"web_search"}`,
		"required among the " +
			"allowed": `"tools":[{"type":"web_search"},{"type":"function"}],"tool_choice":{"type":"allowed_tools","mode":"required","tools":[{"type":"function"},{"type":"web_search"}]}`,
		"a malformed choice": `"tools":[{"type":"web_search"}],"tool_choice":7`,
		"an unknown choice":  `"tools":[{"type":"web_search"}],"tool_choice":"perhaps"`,
		"an unknown tool":    `"tools":[{"type":"web_searches"}]`,
	} {
		r, err := ScanRequest([]byte(`{"model":"m","input":"x",`+members+`}`), catalog.Responses)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if without, paths := r.WithoutOptionalTools(); without != r || paths != nil {
			t.Errorf("%s: omitted %q", name, paths)
		}
	}
}

func TestWithoutOptionalTools_KeepsThePathsOfTheClient(t *testing.T) {
	r, err :=
		ScanRequest(
			[]byte(
				`{"model":"m","input":"x","tools":[{"type":"mcp"},{"type":"function"},{"type":"web_search"},{"type":"custom"}],"include":["web_search_call.results","a","b"]}`), catalog.Responses)
	if err != nil {
		t.Fatal(err)
	}
	without, paths := r.WithoutOptionalTools()
	if want := []string{"tools[0]", "tools[2]"}; !slices.Equal(paths, want) || !slices.Equal(without.Ignored(), want) ||
		r.Ignored() != nil {
		t.Errorf("omitted %q", paths)
	}
	for path, want := range map[string]string{
		"tools[0].name": "tools[1].name", "tools[1]": "tools[3]", "include[0]": "include[1]",
		"include[1]": "include[2]", "tools": "tools", "input[0]": "input[0]",
	} {
		if got := without.ClientPath(path); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
	if !without.ChangesPaths() || r.ChangesPaths() {
		t.Error("only the request without the tools has other paths than the client's")
	}
}

// A channel's own parameters replace what the client sent, also in a request that omits tools.
func TestAdapt_SetsParametersInARequestWithoutOptionalTools(t *testing.T) {
	r, err :=
		ScanRequest([]byte(`{"model":"m","input":"x","tools":[{"type":"file_search","vector_store_ids":["vs_1"]}]}`),
			catalog.Responses)
	if err != nil {
		t.Fatal(err)
	}
	without, paths := r.WithoutOptionalTools()
	if !slices.Equal(paths, []string{"tools[0]"}) {
		t.Fatalf("omitted %q", paths)
	}
	for parameter, want := range map[string]string{
		`[{"type":"custom"}]`: `{"model":"up","input":"x","tools":[{"type":"custom"}]}`,
		`null`:                `{"model":"up","input":"x"}`,
	} {
		body, err := without.Adapt("up",
			&catalog.Settings{Parameters: map[string]json.RawMessage{"tools": json.RawMessage(parameter)}})
		if got := string(body.Bytes()); err != nil || got != want {
			t.Errorf("%s: got %s, %v, want %s", parameter, got, err, want)
		}
	}
	body, err := without.Adapt("up", &catalog.Settings{Quirks: []catalog.Quirk{catalog.NoDeveloper}})
	if got := string(body.Bytes()); err != nil || got != `{"model":"up","input":"x"}` {
		t.Errorf("got %s, %v", got, err)
	}
}
