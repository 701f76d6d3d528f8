package shipped

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/tollgate/tollgate/e2e/story"
)

// TestFailover_IsInvisibleToTheClient uses a model whose first channel fails and whose second channel's key is
// refused. The third channel serves the request.
func TestFailover_IsInvisibleToTheClient(t *testing.T) {
	s := sharedStack(t)
	client := sdk(s.Relays[0].URL, acmeToken, once)
	for range 3 {
		var response *http.Response
		got, err := client.Chat.Completions.New(story.Context(t), hello("failing"), option.WithResponseInto(&response))
		if err != nil {
			t.Fatal(err)
		}
		if channel := response.Header.Get("X-Tollgate-Channel"); got.Choices[0].Message.Content != answerText ||
			channel != "failing-2" {
			t.Errorf("got channel %s: %s", channel, got.RawJSON())
		}
	}
	stream := client.Chat.Completions.NewStreaming(story.Context(t), hello("failing"))
	defer stream.Close() //nolint:errcheck // read up to its end
	var all openai.ChatCompletionAccumulator
	for stream.Next() {
		all.AddChunk(stream.Current())
	}
	if err := stream.Err(); err != nil || len(all.Choices) != 1 || all.Choices[0].Message.Content != answerText {
		t.Errorf("stream: got %v, %+v", err, all.Choices)
	}
}

// TestFailover_ReportsTheErrorIfNoChannelIsLeft checks that the client gets the gateway's own error, and that
// the request is free.
func TestFailover_ReportsTheErrorIfNoChannelIsLeft(t *testing.T) {
	s := sharedStack(t)
	client := sdk(s.Relays[0].URL, acmeToken, once)
	_, err := client.Chat.Completions.New(story.Context(t), hello("hopeless"))
	var failed *openai.Error
	if !errors.As(err, &failed) {
		t.Fatalf("got %v", err)
	}
	if failed.StatusCode != http.StatusBadGateway || failed.Type != "upstream_error" ||
		strings.Contains(failed.RawJSON(), "upstream-key") {
		t.Errorf("got %d %s", failed.StatusCode, failed.RawJSON())
	}
	log := s.signIn(t, acmeOwner).AwaitLog(t, failed.Response.Header.Get("X-Request-Id"))
	if log.Outcome != "failed" || log.Quota != "0" {
		t.Errorf("got the usage log %+v", log)
	}
}
