package upstream_test

import (
	"compress/gzip"
	"net/http"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
)

// zipped is an upstream that compresses its answer although nobody asks for it.
func zipped(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		next(zipWriter{w, z}, r)
		_ = z.Close()
	}
}

type zipWriter struct {
	http.ResponseWriter
	z *gzip.Writer
}

func (w zipWriter) Write(p []byte) (int, error) { return w.z.Write(p) }

func TestAnswer_ThatIsCompressedIsRead(t *testing.T) {
	h := relaytest.New(t)
	h.ServeFirst(zipped(relaytest.Answer))
	for name, body := range map[string]string{"whole": relaytest.ChatBody("cheap", ""),
		"stream": relaytest.ChatBody("cheap", `,"stream":true`)} {
		got := h.Post(token, body)
		if got.Status != 200 || !strings.Contains(got.Body, "hi there") || got.Header.Get("Content-Encoding") != "" ||
			h.Log(got).Estimated {
			t.Errorf("%s: got %d %s", name, got.Status, got.Body)
		}
	}
	h.ServeFirst(zipped(relaytest.Status(400, `{"error":{"message":"Too hot","type":"invalid_request_error"}}`)))
	if got := h.Post(token, relaytest.ChatBody("cheap", "")); got.Status != 400 ||
		!strings.Contains(got.Body, "Too hot") {
		t.Errorf("an error: got %d %s", got.Status, got.Body)
	}
}
