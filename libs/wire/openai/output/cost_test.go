package output_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
	"github.com/tollgate/tollgate/libs/wire/openai/tally"
)

func TestHideCost_OverwritesWhatTheUpstreamCharges(t *testing.T) {
	const counts = `"prompt_tokens":1,"completion_tokens":1`
	for name, c := range map[string]struct{ usage, want string }{
		"at the end":       {`{` + counts + `,"cost":0.5}`, `{` + counts + `}`},
		"at the beginning": {`{ "cost" : 0.5 , ` + counts + `}`, `{` + counts + `}`},
		"in the middle":    {`{"prompt_tokens":1,"cost":5e-1,"completion_tokens":1}`, `{` + counts + `}`},
		"several before another": {`{"cost":0.5,"estimated_cost":1,"cost_details":{"a":[1,{}]},` + counts +
			`,"a":"cost, \"cost\":1"}`, `{` + counts + `,"a":"cost, \"cost\":1"}`},
		"several after another": {`{` + counts + `,"cost_in_usd_ticks":7,"cost":{"total_cost":1}}`, `{` + counts + `}`},
		"on both sides": {`{"cost":0.5,"a":{"c,":1},"quota":"9.5",` + counts + `,"cost":2}`,
			`{"a":{"c,":1},` + counts + `}`},
		"several lines":  {"{\n\"cost\"\n:\n0.5\n,\n" + counts + "\n}", `{` + counts + `}`},
		"an escaped key": {`{"cost\u005ftotal":1,` + counts + `,"cost":3}`, `{` + counts + `}`},
		"none": {`{` + counts + `,"lost":0.5,"costs":2,"b":[{"cost":1}]}`,
			`{` + counts + `,"lost":0.5,"costs":2,"b":[{"cost":1}]}`},
	} {
		body := []byte(`{"choices":[],"usage":` + c.usage + `,"cost":1}`)
		size := len(body)
		answer, err := output.ScanAnswer(catalog.Chat, body)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		tally.HideCost(body, answer.UsageAt)
		var got, want any
		if err := json.Unmarshal(body, &got); err != nil {
			t.Errorf("%s: got %s: %v", name, body, err)
			continue
		}
		if err := json.Unmarshal([]byte(`{"choices":[],"usage":`+c.want+`,"cost":1}`), &want); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) || len(body) != size {
			t.Errorf("%s: got %s, want the usage %s", name, body, c.want)
		}
	}
}

func TestStream_HidesTheCostAndReadsIt(t *testing.T) {
	const chunk = `{"id":"c","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1,"cost":0.5}}`
	const event = `{"type":"response.completed","response":{"id":"r","object":"response","output":[],"usage":{"input_tokens":1,"output_tokens":1,"cost":0.5}}}`
	inLines := func(data string) string { return strings.ReplaceAll(data, ",\"", "\ndata: ,\"") }
	for name, c := range map[string]struct {
		raw     string
		dialect catalog.Dialect
	}{
		"a chunk":                  {"data: " + chunk + "\n\n", catalog.Chat},
		"a chunk of several lines": {"data: " + inLines(chunk) + "\n\n", catalog.Chat},
		"an event":                 {"event: response.completed\ndata: " + event + "\n\n", catalog.Responses},
		"an event of several lines": {"event: response.completed\ndata: " + inLines(event) + "\n\n",
			catalog.Responses},
		"a chunk with other endings": {"id: 1\r\ndata:" + chunk + "\r\n\r\n", catalog.Chat},
	} {
		frame, err := output.NewStream(c.dialect, strings.NewReader(c.raw), 1<<20, nil).Next()
		if err != nil || frame.Err != nil || frame.Chunk.Usage == nil || frame.Chunk.Usage.ReportedCost != 500_000_000 {
			t.Errorf("%s: got %+v, %v, want the cost", name, frame.Chunk.Usage, err)
			continue
		}
		if strings.Contains(string(frame.Raw), "cost") || strings.Contains(string(frame.Data), "cost") ||
			!json.Valid(frame.Data) || !strings.HasSuffix(string(frame.Raw), "\n") {
			t.Errorf("%s: got the frame %q", name, frame.Raw)
		}
		if frame.Event != nil {
			if frame.Replace(frame.Data); frame.Chunk.Usage.ReportedCost != 500_000_000 {
				t.Errorf("%s: a frame that is replaced has the cost %s", name, frame.Chunk.Usage.ReportedCost)
			}
		}
	}
}
