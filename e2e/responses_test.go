package e2e

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"github.com/tollgate/tollgate/e2e/story"
)

// askFor returns a responses request whose answer reports 7 input tokens, 2 of them cached, and 13 output
// tokens, 3 of them for reasoning.
func askFor(model string) responses.ResponseNewParams {
	return responses.ResponseNewParams{
		Model: model, Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("Hello. usage:7/13/2/3")},
	}
}

func TestGoSDK_Response(t *testing.T) {
	w := sharedTestbed(t)
	var response *http.Response
	client := w.sdk(acmeToken)
	got, err := client.Responses.New(story.Context(t), askFor("gpt-4o-mini"), option.WithResponseInto(&response))
	if err != nil {
		t.Fatal(err)
	}
	if got.Object != "response" || got.OutputText() != answerText || got.Status != "completed" ||
		strings.Contains(got.RawJSON(), "resp_fake") ||
		!strings.Contains(got.RawJSON(), `"output_text":"`+answerText) {
		t.Errorf("got %s", got.RawJSON())
	}
	if u := got.Usage; u.InputTokens != 7 || u.OutputTokens != 13 || u.InputTokensDetails.CachedTokens != 2 ||
		u.OutputTokensDetails.ReasoningTokens != 3 {
		t.Errorf("got the usage %s", u.RawJSON())
	}
	want := bill(counts{7, 13, 2, 3}, "1")
	if got := response.Header.Get("X-Tollgate-Quota"); got != usd(want) {
		t.Errorf("got x-tollgate-quota %q, want %q", got, usd(want))
	}
	if row := w.awaitRow(t, "acme", response.Header.Get("X-Request-Id")); row !=
		(usageRow{"gpt-4o-mini", "success", want}) {
		t.Errorf("got the usage log %+v, want quota %d", row, want)
	}
}

// streamed reads a stream up to its end. It returns the text, the last event and the request id.
func streamed(t *testing.T, client openai.Client, model string) (text string, last responses.ResponseStreamEventUnion,
	id string, err error) {
	t.Helper()
	var response *http.Response
	stream := client.Responses.NewStreaming(story.Context(t), askFor(model), option.WithResponseInto(&response))
	defer stream.Close() //nolint:errcheck // read up to its end
	var next int64
	terminal := false
	for stream.Next() {
		last = stream.Current()
		if last.SequenceNumber != next {
			t.Errorf("event %d of type %s has the sequence number %d", next, last.Type, last.SequenceNumber)
		}
		next++
		if terminal {
			t.Errorf("got the event %s after the end", last.Type)
		}
		terminal = slices.Contains([]string{"response.completed", "response.incomplete", "response.failed"}, last.Type)
		if last.Type == "response.output_text.delta" {
			text += last.Delta
		}
	}
	if response != nil {
		id = response.Header.Get("X-Request-Id")
	}
	return text, last, id, stream.Err()
}

func TestGoSDK_ResponsesStream(t *testing.T) {
	w := sharedTestbed(t)
	want := bill(counts{7, 13, 2, 3}, "1")
	for _, tt := range []struct{ model, last, outcome string }{
		{"gpt-4o-mini", "response.completed", "success"},
		{"incomplete", "response.incomplete", "success"},
		{"failing", "response.completed", "success"}, // the second channel works
		{"failed-after", "response.failed", "partial"},
		{"odd-crlf", "response.completed", "success"},
		{"odd-comments", "response.completed", "success"},
		{"odd-split", "response.completed", "success"},
		{"odd-unterminated", "response.completed", "success"},
		{"odd-nospace", "response.completed", "success"},
		{"over-error-first", "response.completed", "success"},
	} {
		t.Run(tt.model, func(t *testing.T) {
			text, last, id, err := streamed(t, w.sdk(acmeToken), tt.model)
			if err != nil {
				t.Fatal(err)
			}
			if text != answerText || last.Type != tt.last || last.Response.Usage.OutputTokens != 13 ||
				strings.Contains(last.RawJSON(), "resp_fake") {
				t.Errorf("got the text %q and the last event %s", text, last.RawJSON())
			}
			if row := w.awaitRow(t, "acme", id); row != (usageRow{tt.model, tt.outcome, want}) {
				t.Errorf("got the usage log %+v, want quota %d", row, want)
			}
		})
	}
}

// No channel serves the models, so the client gets the failed response of the last upstream.
func TestGoSDK_FailedResponse(t *testing.T) {
	w := sharedTestbed(t)
	client, want := w.sdk(acmeToken), bill(counts{7, 13, 2, 3}, "1")
	var response *http.Response
	got, err := client.Responses.New(story.Context(t), askFor("failed-first"), option.WithResponseInto(&response))
	if err != nil {
		t.Fatal(err)
	}
	if got.Status != "failed" || got.Error.Code != "server_error" || got.Error.Message == "" ||
		strings.Contains(got.RawJSON(), "resp_fake") {
		t.Errorf("got %s", got.RawJSON())
	}
	if row := w.awaitRow(t, "acme", response.Header.Get("X-Request-Id")); row !=
		(usageRow{"failed-first", "failed", want}) {
		t.Errorf("got the usage log %+v, want quota %d", row, want)
	}
	_, last, id, err := streamed(t, client, "failed-first")
	if err != nil || last.Type != "response.failed" || last.Response.Error.Code != "server_error" ||
		strings.Contains(last.RawJSON(), "resp_fake") {
		t.Errorf("stream: got %v, last event %s", err, last.RawJSON())
	}
	if row := w.awaitRow(t, "acme", id); row != (usageRow{"failed-first", "failed", want}) {
		t.Errorf("stream: got the usage log %+v, want quota %d", row, want)
	}
	_, last, id, err = streamed(t, client, "only-error-first")
	if err != nil || last.Type != "error" || last.Code != "server_error" || last.Message == "" {
		t.Errorf("error event: got %v, last event %s", err, last.RawJSON())
	}
	if row := w.awaitRow(t, "acme", id); row != (usageRow{"only-error-first", "failed", 0}) {
		t.Errorf("error event: got the usage log %+v", row)
	}
}

func TestGoSDK_ResponsesStreamThatBreaksEndsWithFailed(t *testing.T) {
	w := sharedTestbed(t)
	for _, model := range []string{"odd-cut", "odd-error-after", "odd-no-done"} {
		t.Run(model, func(t *testing.T) { w.testBrokenResponse(t, model) })
	}
}

// testBrokenResponse checks the stream of a response that fails after the client has received content.
func (w *testbed) testBrokenResponse(t *testing.T, model string) {
	t.Helper()
	_, last, id, err := streamed(t, w.sdk(acmeToken), model)
	if err != nil || last.Type != "response.failed" || last.Response.Status != "failed" ||
		last.Response.Error.Message == "" || last.Response.ID == "" {
		t.Errorf("got %v, last event %s", err, last.RawJSON())
	}
	if row := w.awaitRow(t, "acme", id); row.outcome != "partial" || row.quota <= 0 {
		t.Errorf("got the usage log %+v", row)
	}
}

func TestGoSDK_ContinuesRetrievesAndDeletesResponses(t *testing.T) {
	w := sharedTestbed(t)
	client, ctx := w.sdk(acmeToken), story.Context(t)
	made, err := client.Responses.New(ctx, askFor("gpt-4o-mini"))
	if err != nil {
		t.Fatal(err)
	}
	params := askFor("gpt-4o-mini")
	params.PreviousResponseID = openai.String(made.ID)
	next, err := client.Responses.New(ctx, params)
	if err != nil || next.PreviousResponseID != made.ID || next.ID == made.ID {
		t.Fatalf("continued response: got %v, %v", next, err)
	}
	found, err := client.Responses.Get(ctx, next.ID, responses.ResponseGetParams{})
	if err != nil || found.ID != next.ID || found.OutputText() != answerText {
		t.Errorf("retrieved response: got %v, %v", found, err)
	}
	items, err := client.Responses.InputItems.List(ctx, next.ID, responses.InputItemListParams{Limit: openai.Int(5)})
	if err != nil || len(items.Data) != 1 {
		t.Errorf("input items: got %v, %v", items, err)
	}
	if _, err := client.Responses.Cancel(ctx, next.ID); err != nil {
		t.Error(err)
	}
	if err := client.Responses.Delete(ctx, made.ID); err != nil {
		t.Error(err)
	}
	var refused *openai.Error
	if _, err = client.Responses.Get(ctx, made.ID, responses.ResponseGetParams{}); !errors.As(err, &refused) ||
		refused.StatusCode != 404 || refused.Code != "response_not_found" {
		t.Errorf("retrieval of a deleted response: got %v", err)
	}
	if _, err = client.Responses.New(ctx, params); !errors.As(err, &refused) || refused.StatusCode != 400 ||
		refused.Code != "previous_response_not_found" || refused.Param != "previous_response_id" ||
		strings.Contains(refused.Message, "resp_fake") {
		t.Errorf("continuation of a deleted response: got %v", err)
	}
	params.PreviousResponseID = openai.String(next.ID)
	stranger := w.sdk(victimToken)
	if _, err = stranger.Responses.New(ctx, params); !errors.As(err, &refused) ||
		refused.Code != "previous_response_not_found" {
		t.Errorf("continuation by another tenant: got %v", err)
	}
}

func TestGoSDK_CountsCompactsAndResumes(t *testing.T) {
	w := sharedTestbed(t)
	client, ctx := w.sdk(acmeToken), story.Context(t)
	input := responses.InputTokenCountParamsInputUnion{OfString: openai.String("Hello.")}
	counted, err := client.Responses.InputTokens.Count(ctx,
		responses.InputTokenCountParams{Model: openai.String("gpt-4o-mini"), Input: input})
	if err != nil || counted.Object != "response.input_tokens" || counted.InputTokens != int64(len(`"Hello."`)) {
		t.Errorf("input tokens: got %v, %v", counted, err)
	}

	made, err := client.Responses.New(ctx, askFor("gpt-4o-mini"))
	if err != nil {
		t.Fatal(err)
	}
	var response *http.Response
	params := responses.ResponseCompactParams{Model: "gpt-4o-mini", PreviousResponseID: openai.String(made.ID)}
	compacted, err := client.Responses.Compact(ctx, params, option.WithResponseInto(&response))
	if err != nil {
		t.Fatal(err)
	}
	if compacted.Object != "response.compaction" || len(compacted.Output) != 2 || compacted.Usage.OutputTokens != 13 ||
		strings.Contains(compacted.RawJSON(), "resp_fake") {
		t.Errorf("compaction: got %s", compacted.RawJSON())
	}
	if row := w.awaitRow(t, "acme", response.Header.Get("X-Request-Id")); row !=
		(usageRow{"gpt-4o-mini", "success", bill(counts{7, 13, 0, 0}, "1")}) {
		t.Errorf("compaction: got the usage log %+v", row)
	}
	item := compacted.Output[1].AsCompaction()
	next := askFor("gpt-4o-mini")
	next.Input = responses.ResponseNewParamsInputUnion{OfInputItemList: responses.ResponseInputParam{
		responses.ResponseInputItemParamOfMessage("Continue.", responses.EasyInputMessageRoleUser),
		{OfCompaction: &responses.ResponseCompactionItemParam{ID: openai.String(item.ID),
			EncryptedContent: item.EncryptedContent}},
	}}
	if _, err := client.Responses.New(ctx, next); err != nil {
		t.Errorf("a response after the compaction: %v", err)
	}

	// The client sends `stream` in a body, and `starting_after` in the query.
	stream := client.Responses.GetStreaming(ctx, made.ID, responses.ResponseGetParams{StartingAfter: openai.Int(0)})
	defer stream.Close() //nolint:errcheck // read up to its end
	var last responses.ResponseStreamEventUnion
	events := 0
	for ; stream.Next(); events++ {
		last = stream.Current()
	}
	if err := stream.Err(); err != nil || events != 1 || last.Type != "response.completed" ||
		last.Response.ID != made.ID || last.Response.OutputText() != answerText {
		t.Errorf("resumed stream: got %d events, the last one %s: %v", events, last.RawJSON(), err)
	}
}
