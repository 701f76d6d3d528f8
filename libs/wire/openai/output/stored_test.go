package output_test

import (
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

func TestMarkNotStored_SetsStoreInBodyAndFrame(t *testing.T) {
	body := `{"id":"resp_1","metadata":{"store":true},"store": true ,"output":[]}`
	want := `{"id":"resp_1","metadata":{"store":true},"store": false ,"output":[]}`
	if got := string(output.MarkNotStored([]byte(body))); got != want {
		t.Errorf("MarkNotStored: got %s, want %s", got, want)
	}
	frame := "event: response.completed\ndata: {\"type\":\"response.completed\",\"sequence_number\":3,\"response\":" +
		body + "}\n\n"
	if got := string(output.ResponseInFrame([]byte(frame))); got != body {
		t.Errorf("ResponseInFrame: got %s, want %s", got, body)
	}
	if got := string(output.MarkFrameNotStored([]byte(frame))); got != strings.Replace(frame, body, want, 1) {
		t.Errorf("MarkFrameNotStored: got %s, want store false", got)
	}
	for _, other := range []string{"", "data: {}\n\n", "data: [DONE]\n\n", ": ping\n\n"} {
		if got := output.ResponseInFrame([]byte(other)); got != nil {
			t.Errorf("ResponseInFrame(%q) = %s, want nil", other, got)
		}
		if got := string(output.MarkFrameNotStored([]byte(other))); got != other {
			t.Errorf("MarkFrameNotStored(%q) = %q, want it unchanged", other, got)
		}
	}
}
