package e2e

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"

	"github.com/tollgate/tollgate/e2e/contract"
)

// TestSDKFields compares the fields and variants of openai-go's and openai-node's types with the OpenAPI document. What
// the document omits is in testdata/omissions.txt.
func TestSDKFields(t *testing.T) {
	t.Parallel()
	needNode(t)
	document, err := contract.Open()
	if err != nil {
		t.Fatal(err)
	}
	stale := omissions(t)
	omitted := maps.Clone(stale)
	for sdk, types := range map[string]contract.Types{"openai-go": goTypes(), "openai-node": nodeTypes(t)} {
		missing, err := document.Missing(types, sdkTypes)
		if err != nil {
			t.Fatal(err)
		}
		for _, what := range missing {
			if !omitted[what] {
				t.Errorf("%s has %s: describe it, or add it to testdata/omissions.txt with a reason", sdk, what)
			}
			delete(stale, what)
		}
	}
	for what := range stale {
		t.Errorf("testdata/omissions.txt has a line that is no longer needed: %s", what)
	}
}

// omissions returns what testdata/omissions.txt lists.
func omissions(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "omissions.txt"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		what, reason, _ := strings.Cut(strings.TrimSpace(line), " | ")
		if reason == "" {
			t.Errorf("testdata/omissions.txt: no reason: %s", what)
		}
		all[what] = true
	}
	return all
}

// sdkTypes maps the types of an SDK, as node/fields.ts names them, to the part of the document that describes the same.
var sdkTypes = map[string]string{
	"chat request":     "POST /v1/chat/completions request",
	"chat answer":      "POST /v1/chat/completions answer",
	"chat event":       "POST /v1/chat/completions event",
	"model":            "GET /v1/models/{model} answer",
	"response request": "POST /v1/responses request",
	"response answer":  "POST /v1/responses answer",
	"response event":   "POST /v1/responses event",
	"retrieve query":   "GET /v1/responses/{response_id} query",
	"items query":      "GET /v1/responses/{response_id}/input_items query",
	"items answer":     "GET /v1/responses/{response_id}/input_items answer",
	"count request":    "POST /v1/responses/input_tokens request",
	"count answer":     "POST /v1/responses/input_tokens answer",
	"compact request":  "POST /v1/responses/compact request",
	"compact answer":   "POST /v1/responses/compact answer",

	"embedding request": "POST /v1/embeddings request",
	"embedding answer":  "POST /v1/embeddings answer",
}

// goTypes are the same types of openai-go.
func goTypes() contract.Types {
	return contract.GoTypes(map[string]any{
		"chat request":     openai.ChatCompletionNewParams{},
		"chat answer":      openai.ChatCompletion{},
		"chat event":       openai.ChatCompletionChunk{},
		"model":            openai.Model{},
		"response request": responses.ResponseNewParams{},
		"response answer":  responses.Response{},
		"response event":   responses.ResponseStreamEventUnion{},
		"retrieve query":   responses.ResponseGetParams{},
		"items query":      responses.InputItemListParams{},
		"items answer":     responses.ResponseItemList{},
		"count request":    responses.InputTokenCountParams{},
		"count answer":     responses.InputTokenCountResponse{},
		"compact request":  responses.ResponseCompactParams{},
		"compact answer":   responses.CompactedResponse{},

		"embedding request": openai.EmbeddingNewParams{},
		"embedding answer":  openai.CreateEmbeddingResponse{},
	})
}

// nodeTypes returns the same types of openai-node, which node/fields.mjs reads with the TypeScript compiler.
func nodeTypes(t *testing.T) contract.Types {
	t.Helper()
	npmInstall(t, "node")
	command := exec.CommandContext(t.Context(), "node", "fields.mjs")
	command.Dir = "node"
	text, err := command.Output()
	if err != nil {
		t.Fatalf("node fields.mjs: %v", err)
	}
	var schema struct {
		Definitions map[string]any `json:"definitions"`
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	definition, _ := schema.Definitions["Roots"].(map[string]any)
	roots, _ := definition["properties"].(map[string]any)
	if len(roots) == 0 {
		t.Fatal("the schema of openai-node's types has no roots")
	}
	return contract.Types{Definitions: schema.Definitions, Roots: roots}
}
