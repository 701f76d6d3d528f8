package relay_test

import (
	"compress/gzip"
	"net/http"
	"strings"
	"testing"
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
	h := newRelay(t)
	h.serveFirst(zipped(answer))
	for name, body := range map[string]string{"whole": chatBody("cheap", ""),
		"stream": chatBody("cheap", `,"stream":true`)} {
		got := h.post(token, body)
		if got.status != 200 || !strings.Contains(got.body, "hi there") || got.header.Get("Content-Encoding") != "" ||
			h.log(got).Estimated {
			t.Errorf("%s: got %d %s", name, got.status, got.body)
		}
	}
	h.serveFirst(zipped(status(400, `{"error":{"message":"Too hot","type":"invalid_request_error"}}`)))
	if got := h.post(token, chatBody("cheap", "")); got.status != 400 || !strings.Contains(got.body, "Too hot") {
		t.Errorf("an error: got %d %s", got.status, got.body)
	}
}
