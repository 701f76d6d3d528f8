package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/tollgate/tollgate/e2e/story"
)

// TestGoSDK_Embeddings bills each form of input exactly, up to OpenAI's limit of 2,048 texts.
func TestGoSDK_Embeddings(t *testing.T) {
	w := sharedTestbed(t)
	client := w.sdk(discountToken)
	many := make([]string, 2048)
	tokens := int64(0)
	for i := range many {
		n := i%7 + 1
		many[i], tokens = fmt.Sprintf("text %d usage:%d/0", i, n), tokens+int64(n)
	}
	for name, c := range map[string]struct {
		input  openai.EmbeddingNewParamsInputUnion
		inputs int
		tokens int64
	}{
		"a text": {input: openai.EmbeddingNewParamsInputUnion{OfString: openai.String("three words here")},
			inputs: 1, tokens: 3},
		"texts": {input: openai.EmbeddingNewParamsInputUnion{OfArrayOfStrings: []string{"one", "two words"}},
			inputs: 2, tokens: 3},
		"tokens": {input: openai.EmbeddingNewParamsInputUnion{OfArrayOfTokens: []int64{1, 2, 3, 4, 5}},
			inputs: 1, tokens: 5},
		"lists": {input: openai.EmbeddingNewParamsInputUnion{OfArrayOfTokenArrays: [][]int64{{1, 2}, {3}}},
			inputs: 2, tokens: 3},
		"2,048 texts": {input: openai.EmbeddingNewParamsInputUnion{OfArrayOfStrings: many}, inputs: 2048,
			tokens: tokens},
		"a token": {input: openai.EmbeddingNewParamsInputUnion{OfString: openai.String("usage:1/0")},
			inputs: 1, tokens: 1},
	} {
		t.Run(name, func(t *testing.T) {
			var response *http.Response
			got, err := client.Embeddings.New(story.Context(t), openai.EmbeddingNewParams{Model: "gpt-4o-mini",
				Input: c.input, Dimensions: openai.Int(3)}, option.WithResponseInto(&response))
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Data) != c.inputs || got.Usage.PromptTokens != c.tokens ||
				len(got.Data[c.inputs-1].Embedding) != 3 || got.Data[c.inputs-1].Embedding[1] != -0.25 {
				t.Errorf("got %.300s", got.RawJSON())
			}
			row := w.awaitRow(t, "discounted", response.Header.Get("X-Request-Id"))
			if want := bill(counts{prompt: c.tokens}, "0.85"); row.quota != want ||
				response.Header.Get("X-Tollgate-Quota") != usd(want) {
				t.Errorf("got quota %d, want %d", row.quota, want)
			}
		})
	}
	if n := w.query(t,
		`SELECT count(*) FROM usage_logs WHERE dialect = 'embeddings' AND (outcome <> 'success' OR output_tokens <> 0 OR estimated)`); n != 0 {
		t.Errorf("%d usage logs are not those of embeddings that succeeded", n)
	}
	if said, err := w.Command(story.Context(t), "console", "verify"); err != nil ||
		!strings.Contains(said, " 0 are wrong") {
		t.Errorf("console verify: got %v\n%s", err, said)
	}
}
