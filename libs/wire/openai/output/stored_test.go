package output_test

import (
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

func TestMarkNotStored_SaysSoInBodyAndFrame(t *testing.T) {
	body := `{"id":"resp_1","metadata":{"store":true},"store": true ,"output":[]}`
	want := `{"id":"resp_1","metadata":{"store":true},"store": false ,"output":[]}`
	if got := string(output.MarkNotStored([]byte(body))); got != want {
		t.Errorf("got %s", got)
	}
	frame := "event: response.completed\ndata: {\"type\":\"response.completed\",\"sequence_number\":3,\"response\":" + body + "}\n\n"
	if got := string(output.ResponseInFrame([]byte(frame))); got != body {
		t.Errorf("got %s", got)
	}
	if got := string(output.MarkFrameNotStored([]byte(frame))); got != strings.Replace(frame, body, want, 1) {
		t.Errorf("got %s", got)
	}
	for _, other := range []string{"", "data: {}\n\n", "data: [DONE]\n\n", ": ping\n\n"} {
		if got := output.ResponseInFrame([]byte(other)); got != nil {
			t.Errorf("%q has %s", other, got)
		}
		if got := string(output.MarkFrameNotStored([]byte(other))); got != other {
			t.Errorf("%q became %q", other, got)
		}
	}
}
