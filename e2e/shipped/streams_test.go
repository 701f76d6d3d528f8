package shipped

import (
	"net/http"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"github.com/tollgate/tollgate/e2e/fakeupstream"
	"github.com/tollgate/tollgate/e2e/story"
)

// TestChatStream_ArrivesAsItIsProduced checks that chunks arrive without buffering and that the usage log has
// the counts of the last chunk. The upstream sends a chunk only after the client has the one before it.
func TestChatStream_ArrivesAsItIsProduced(t *testing.T) {
	s := sharedStack(t)
	client := sdk(s.Relays[0].URL, acmeToken)
	upstream, params := fakeupstream.Client{URL: s.UpstreamURL}, hello("gated")
	params.StreamOptions.IncludeUsage = openai.Bool(true)
	var response *http.Response
	stream := client.Chat.Completions.NewStreaming(story.Context(t), params, option.WithResponseInto(&response))
	defer stream.Close() //nolint:errcheck // read up to its end
	var all openai.ChatCompletionAccumulator
	for stream.Next() {
		chunk := stream.Current()
		if !all.AddChunk(chunk) {
			t.Fatalf("chunk does not fit: %s", chunk.RawJSON())
		}
		if first, last := all.Choices[0].Message.Content == "", len(chunk.Choices) == 0; !first && !last {
			upstream.Pass(t, "gated")
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatalf("the stream stopped before its end, although the client has every chunk that the upstream sent: %v",
			err)
	}
	if all.Choices[0].FinishReason != "stop" || all.Choices[0].Message.Content == "" || all.Usage.PromptTokens != 7 ||
		all.Usage.CompletionTokens != 13 {
		t.Errorf("got %+v, usage %+v", all.Choices, all.Usage)
	}
	if log := s.signIn(t, acmeOwner).AwaitLog(t, response.Header.Get("X-Request-Id")); log.Outcome != "success" ||
		log.Quota != "0.0000087" {
		t.Errorf("got the usage log %+v", log)
	}
}

// TestResponseStream_HasOneTerminalEvent checks that the events arrive in order and that the last one is the
// only terminal event.
func TestResponseStream_HasOneTerminalEvent(t *testing.T) {
	s := sharedStack(t)
	client := sdk(s.Relays[1].URL, acmeToken)
	stream := client.Responses.NewStreaming(story.Context(t), responses.ResponseNewParams{
		Model: "steady", Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("Hello. usage:7/13/2/3")},
	})
	defer stream.Close() //nolint:errcheck // read up to its end
	var kinds []string
	next := int64(-1)
	for stream.Next() {
		event := stream.Current()
		kinds = append(kinds, event.Type)
		if event.SequenceNumber <= next {
			t.Errorf("%s has the sequence number %d after %d", event.Type, event.SequenceNumber, next)
		}
		next = event.SequenceNumber
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	terminal := 0
	for _, kind := range kinds {
		if kind == "response.completed" || kind == "response.incomplete" || kind == "response.failed" {
			terminal++
		}
	}
	if terminal != 1 || kinds[0] != "response.created" || kinds[len(kinds)-1] != "response.completed" {
		t.Errorf("got the events %v", kinds)
	}
}
