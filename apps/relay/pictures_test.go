package relay_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/libs/core/usage"
)

// picturesYAML declares a model that draws, on two channels.
var picturesYAML = strings.NewReplacer(
	`{id: gemini, owned_by: acme, price: {input: "1", output: "4"}}`,
	`{id: gemini, owned_by: acme, price: {input: "1", output: "2", image_output: "30"}}`,
	"- {name: after,",
	`- {name: another, type: gemini, base_url: "${SECOND}/v1beta", endpoints: [gemini], models: {gemini: gemini-2.5-flash-image}, priority: 1}
  - {name: after,`,
	"models: {gemini: gemini-2.5-flash,", "models: {gemini: gemini-2.5-flash-image,",
).Replace(clientsYAML)

// drawn returns an answer of Gemini with a text and another part.
func drawn(part string) string {
	return `{"candidates":[{"content":{"role":"model","parts":[{"text":"Here it is:"},` + part +
		`]},"finishReason":"STOP","index":0}],` +
		`"usageMetadata":{"promptTokenCount":8,"candidatesTokenCount":1295,"totalTokenCount":1303,` +
		`"candidatesTokensDetails":[{"modality":"IMAGE","tokenCount":1290},{"modality":"TEXT","tokenCount":5}]}}`
}

// drawing returns a part with a picture of the size in base64.
func drawing(size int) string {
	return `{"inlineData":{"mimeType":"image/png","data":"` + strings.Repeat("A", size) + `"}}`
}

// newPictureRelay returns a relay whose upstreams answer with the part, and the number of their calls.
func newPictureRelay(t *testing.T, part string) (h *relaytest.Relay, calls *atomic.Int64) {
	t.Helper()
	h, calls = relaytest.NewWith(t, picturesYAML), &atomic.Int64{}
	upstream := func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost { // not a probe
			calls.Add(1)
		}
		if strings.HasSuffix(r.URL.Path, ":streamGenerateContent") {
			relaytest.Stream(w, "data: "+drawn(part)+"\n\n")
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, drawn(part))
	}
	h.SetUpstreams(upstream, upstream)
	return h, calls
}

func TestPictures_AreDeliveredAndCharged(t *testing.T) {
	const (
		chat      = `{"model":"gemini","messages":[{"role":"user","content":"Draw a gate."}]`
		responses = `{"model":"gemini","input":"Draw a gate."`
		picture   = `"image_url":{"url":"data:image/png;base64,AAAA`
		result    = `"type":"image_generation_call","status":"completed","output_format":"png","result":"AAAA`
	)
	for name, c := range map[string]struct {
		path, body, want string
		size             int // of the picture
	}{
		"chat":                        {relaytest.ChatPath, chat + `}`, picture, 400},
		"chat, stream":                {relaytest.ChatPath, chat + `,"stream":true}`, picture, 400},
		"responses":                   {relaytest.ResponsesPath, responses + `}`, result, 400},
		"responses, stream":           {relaytest.ResponsesPath, responses + `,"stream":true}`, result, 400},
		"chat, 3 MiB":                 {relaytest.ChatPath, chat + `}`, picture, 4 << 20},
		"chat, stream of 3 MiB":       {relaytest.ChatPath, chat + `,"stream":true}`, picture, 4 << 20},
		"responses, stream of 3 MiB":  {relaytest.ResponsesPath, responses + `,"stream":true}`, result, 4 << 20},
		"responses, 3 MiB, not saved": {relaytest.ResponsesPath, responses + `,"store":false}`, result, 4 << 20},
	} {
		t.Run(name, func(t *testing.T) {
			h, calls := newPictureRelay(t, drawing(c.size))
			got := h.Do(http.MethodPost, c.path, token, c.body)
			if got.Status != 200 || !strings.Contains(got.Body, c.want) || strings.Count(got.Body, "A") < c.size {
				t.Errorf("got %d and %d bytes, %.2000s, want %s", got.Status, len(got.Body), got.Body, c.want)
			}
			log := h.Log(got)
			if calls.Load() != 1 || log.Outcome != usage.Success || log.Estimated || log.Usage.ImageOutput != 1290 ||
				log.Quota != 38_718_000 {
				t.Errorf("got %d calls and the usage log %+v, want 1 call for 0.038718 USD", calls.Load(), log)
			}
		})
	}
}

func TestPictures_AreRefusedForAClientWithoutAPlaceForThem(t *testing.T) {
	for _, more := range []string{"", `,"stream":true`} {
		h, calls := newPictureRelay(t, drawing(400))
		got := h.Do(http.MethodPost, relaytest.MessagesPath, token,
			`{"model":"gemini","max_tokens":100,"messages":[{"role":"user","content":"Draw a gate."}]`+more+`}`)
		if got.Status != 400 || !strings.Contains(got.Body, "answers with pictures") ||
			strings.Contains(got.Body, "2.5-flash") || calls.Load() != 0 {
			t.Errorf("got %d %s after %d calls, want 400 without a call", got.Status, got.Body, calls.Load())
		}
		if log := h.Log(got); log.Error != "unsupported_parameter" || log.Quota != 0 {
			t.Errorf("got the usage log %+v, want unsupported_parameter and no charge", log)
		}
	}
}

func TestPictures_AnswerThatCannotBeTranslatedIsAskedForOnce(t *testing.T) {
	h, calls := newPictureRelay(t, `{"inlineData":{"mimeType":"audio/wav","data":"AAAA"}}`)
	got := h.Post(token, `{"model":"gemini","messages":[{"role":"user","content":"Sing."}]}`)
	if got.Status != 502 || calls.Load() != 1 {
		t.Errorf("got %d %s after %d calls, want 502 after one call", got.Status, got.Body, calls.Load())
	}
}

func TestPictures_CountNothingInAStreamThatBreaksOff(t *testing.T) {
	before, _, _ := strings.Cut(drawn(drawing(4000)), `,"finishReason"`)
	for path, body := range map[string]string{
		relaytest.ChatPath:      `{"model":"gemini","stream":true,"messages":[{"role":"user","content":"Draw a gate."}]}`,
		relaytest.ResponsesPath: `{"model":"gemini","stream":true,"input":"Draw a gate."}`,
	} {
		h := relaytest.NewWith(t, picturesYAML)
		h.ServeFirst(relaytest.Aborts("data: " + before + "}]}\n\n"))
		got := h.Do(http.MethodPost, path, token, body)
		if log := h.Log(got); log.Outcome != usage.Partial || !log.Estimated || log.Usage.Output == 0 ||
			log.Usage.Output > 10 {
			t.Errorf("%s: got %s and the usage log %+v, want an estimate of the text alone", path, got.Body, log)
		}
	}
}

func TestPictures_ReturnToTheModel(t *testing.T) {
	h, _ := newPictureRelay(t, drawing(400))
	first := h.Do(http.MethodPost, relaytest.ResponsesPath, token, `{"model":"gemini","input":"Draw a gate."}`)
	var made struct {
		ID     string
		Output json.RawMessage
	}
	if err := json.Unmarshal([]byte(first.Body), &made); err != nil {
		t.Fatalf("%v in %s", err, first.Body)
	}
	output := strings.Trim(string(made.Output), "[]")
	var sent atomic.Value
	h.ServeFirst(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		sent.Store(string(body))
		anyDialect(w, r)
	})
	for _, model := range []string{"gemini", "chat", "messages", "responses"} {
		for name, input := range map[string]string{
			"by the id of the response": `"previous_response_id":"` + made.ID + `","input":"Make it blue."`,
			"by its items": `"input":[{"role":"user","content":"Draw a gate."},` + output +
				`,{"role":"user","content":"Make it blue."}]`,
			"by items of another place": `"input":[{"role":"user","content":"Draw a gate."},` +
				strings.ReplaceAll(output, `"id":"ig_`, `"id":"ig_other_`) +
				`,{"role":"user","content":"Make it blue."}]`,
		} {
			got := h.Do(http.MethodPost, relaytest.ResponsesPath, token, `{"model":"`+model+`",`+input+`}`)
			body, _ := sent.Load().(string)
			want, ignored := "Make it blue.", ""
			switch {
			case model == "gemini":
				want = `{"role":"model","parts":[{"text":"Here it is:"},` + drawing(400) + `]}`
			case model != "responses" && name != "by the id of the response":
				ignored = "input[2]"
			}
			if fields := got.Header.Get("X-Tollgate-Ignored-Fields"); got.Status != 200 ||
				!strings.Contains(body, want) || fields != ignored {
				t.Errorf("%s on %s: got %d, ignored %q, %s, the upstream %s, want %s and ignored %q", name, model,
					got.Status, fields, got.Body, body, want, ignored)
			}
		}
	}
}
