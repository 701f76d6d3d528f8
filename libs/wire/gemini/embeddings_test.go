package gemini_test

import (
	"testing"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/wire/gemini"
)

// FuzzEmbeddings encodes a request of a client, and decodes an answer of an upstream.
func FuzzEmbeddings(f *testing.F) {
	for _, request := range []string{
		`{"model":"m","input":"a"}`, `{"model":"m","input":["a","b"],"encoding_format":"base64","dimensions":2}`,
		`{"model":"m","input":null}`, `{"model":"m","input":[]}`, `{"model":"m","input":[null]}`,
		`{"model":"m","input":{}}`, `{"model":"m","input":7}`, `{"model":"m"}`,
	} {
		f.Add([]byte(request), []byte(`{"embedding":{"values":[0.5]}}`))
		f.Add([]byte(request),
			[]byte(`{"embeddings":[{"values":[0.5]},{"values":[1]}],"usageMetadata":{"promptTokenCount":3}}`))
	}
	f.Fuzz(func(t *testing.T, request, answer []byte) {
		e, err := gemini.EncodeEmbeddings(request, "m", "up")
		if err != nil {
			return
		}
		if len(e.Body) == 0 {
			t.Errorf("%s: got an empty request", request)
		}
		if out, _, err := e.Decode(answer, func() int64 { return 1 }); err == nil && len(out) == 0 {
			t.Errorf("%s: got an empty answer to %s", answer, request)
		}
	})
}

func TestEncodeEmbeddings_NeedsAnInput(t *testing.T) {
	t.Parallel()
	for _, request := range []string{`{"model":"m"}`, `{"model":"m","input":null}`} {
		if _, err := gemini.EncodeEmbeddings([]byte(request), "m", "up"); !problem.Is(err, problem.MissingParameter) {
			t.Errorf("%s: got %v, want a missing parameter", request, err)
		}
	}
}
