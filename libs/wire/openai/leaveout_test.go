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
		types      string
	}{
		"no tools":                   {catalog.Responses, `{"model":"m","input":"x"}`, `{"model":"m","input":"x"}`, ""},
		"tools that the client runs": {catalog.Responses, `{"model":"m","input":"x","tools":[{"type":"local_shell"},{"type":"shell","environment":{"type":"local"}},{"type":"tool_search","execution":"client"}]}`, `{"model":"m","input":"x","tools":[{"type":"local_shell"},{"type":"shell","environment":{"type":"local"}},{"type":"tool_search","execution":"client"}]}`, ""},
		"a shell of the provider":    {catalog.Responses, `{"tools":[{"type":"shell","environment":{"type":"container_auto"}}, {"type":"function","x":1e0}],"model":"m","input":"x"}`, `{"tools":[{"type":"function","x":1e0}],"model":"m","input":"x"}`, "shell"},
		"in a namespace of the name": {catalog.Responses, `{"model":"m","input":"x","tools":[{"type":"namespace","name":"web_search","tools":[{"type":"web_search"}]}]}`, `{"model":"m","input":"x","tools":[{"type":"namespace","name":"web_search","tools":[{"type":"web_search"}]}]}`, ""},
		"nothing is left":            {catalog.Responses, `{"tools":[{"type":"web_search"}],"tool_choice":"auto","parallel_tool_calls":true,"model":"m","max_tool_calls":2,"include":["web_search_call.results"],"input":"x"}`, `{"model":"m","input":"x"}`, "web_search"},
		"a chat with a date":         {catalog.Chat, `{"model":"m","messages":[],"tools":[{"type":"web_search_20250305","name":"web_search"},{"type":"function","function":{"name":"f"}}]}`, `{"model":"m","messages":[],"tools":[{"type":"function","function":{"name":"f"}}]}`, "web_search_20250305"},
		"a chat with functions":      {catalog.Chat, `{"model":"m","messages":[],"tools":[{"type":"browser_search"}],"functions":[{"name":"f"}],"tool_choice":"auto"}`, `{"model":"m","messages":[],"functions":[{"name":"f"}],"tool_choice":"auto"}`, "browser_search"},
		"allowed in a chat": {
			catalog.Chat, `{"model":"m","messages":[],"tools":[{"type":"mcp"},{"type":"function"}],"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"mcp"},{"type":"function"}]},"x":1}}`,
			`{"model":"m","messages":[],"tools":[{"type":"function"}],"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function"}]},"x":1}}`, "mcp",
		},
	} {
		r, err := ScanRequest([]byte(row.body), row.dialect)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		without, types := r.WithoutOptionalTools()
		if got := string(without.Forward("m").Bytes()); got != row.want || strings.Join(types, ",") != row.types {
			t.Errorf("%s: got %s without %q, want %s without %q", name, got, types, row.want, row.types)
		}
		if got := string(r.Forward("m").Bytes()); got != row.body {
			t.Errorf("%s: the request itself changed: %s", name, got)
		}
		if left := strings.Contains(row.want, `"function`) || row.types == "" && strings.Contains(row.want, "tools"); without.Tools != left {
			t.Errorf("%s: has tools: %v, want %v", name, without.Tools, left)
		}
	}
}

func TestWithoutOptionalTools_KeepsRequiredTools(t *testing.T) {
	for name, members := range map[string]string{
		"required, without another tool": `"tools":[{"type":"web_search"}],"tool_choice":"required"`,
		"required, with another tool":    `"tools":[{"type":"web_search"},{"type":"function"}],"tool_choice":"required"`,
		"named":                          `"tools":[{"type":"web_search"},{"type":"function"}],"tool_choice":{"type":"web_search"}`,
		"required among the allowed":     `"tools":[{"type":"web_search"},{"type":"function"}],"tool_choice":{"type":"allowed_tools","mode":"required","tools":[{"type":"function"},{"type":"web_search"}]}`,
		"a malformed choice":             `"tools":[{"type":"web_search"}],"tool_choice":7`,
		"an unknown choice":              `"tools":[{"type":"web_search"}],"tool_choice":"perhaps"`,
		"an unknown tool":                `"tools":[{"type":"web_searches"}]`,
		"a very long name":               `"tools":[{"type":"web_search_` + strings.Repeat("0", maxTypeName) + `"}]`,
		"too many different tools":       `"tools":[{"type":"web_search_1"},{"type":"web_search_2"},{"type":"web_search_3"},{"type":"web_search_4"},{"type":"web_search_5"},{"type":"web_search_6"},{"type":"web_search_7"},{"type":"web_search_8"},{"type":"web_search_9"}]`,
	} {
		r, err := ScanRequest([]byte(`{"model":"m","input":"x",`+members+`}`), catalog.Responses)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if without, types := r.WithoutOptionalTools(); without != r || types != nil {
			t.Errorf("%s: left out %q", name, types)
		}
	}
}

func TestWithoutOptionalTools_KeepsThePathsOfTheClient(t *testing.T) {
	r, err := ScanRequest([]byte(`{"model":"m","input":"x","tools":[{"type":"mcp"},{"type":"function"},{"type":"web_search"},{"type":"custom"}],"include":["web_search_call.results","a","b"]}`), catalog.Responses)
	if err != nil {
		t.Fatal(err)
	}
	without, _ := r.WithoutOptionalTools()
	for path, want := range map[string]string{
		"tools[0].name": "tools[1].name", "tools[1]": "tools[3]", "include[0]": "include[1]", "include[1]": "include[2]", "tools": "tools", "input[0]": "input[0]",
	} {
		if got := without.ClientPath(path); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
	if !without.Renumbered() || r.Renumbered() {
		t.Error("only the request without the tools has other paths than the client's")
	}
}

// A channel's own parameters replace what the client sent, also in a request from which tools were left out.
func TestAdapt_SetsParametersInARequestWithoutOptionalTools(t *testing.T) {
	r, err := ScanRequest([]byte(`{"model":"m","input":"x","tools":[{"type":"file_search","vector_store_ids":["vs_1"]}]}`), catalog.Responses)
	if err != nil {
		t.Fatal(err)
	}
	without, types := r.WithoutOptionalTools()
	if !slices.Equal(types, []string{"file_search"}) {
		t.Fatalf("left out %q", types)
	}
	for parameter, want := range map[string]string{
		`[{"type":"custom"}]`: `{"model":"up","input":"x","tools":[{"type":"custom"}]}`,
		`null`:                `{"model":"up","input":"x"}`,
	} {
		body, err := without.Adapt("up", &catalog.Settings{Parameters: map[string]json.RawMessage{"tools": json.RawMessage(parameter)}})
		if got := string(body.Bytes()); err != nil || got != want {
			t.Errorf("%s: got %s, %v, want %s", parameter, got, err, want)
		}
	}
	body, err := without.Adapt("up", &catalog.Settings{Quirks: []catalog.Quirk{catalog.NoDeveloper}})
	if got := string(body.Bytes()); err != nil || got != `{"model":"up","input":"x"}` {
		t.Errorf("got %s, %v", got, err)
	}
}
