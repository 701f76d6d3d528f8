package e2e

import (
	"errors"
	"net/http"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/tollgate/tollgate/e2e/story"
)

// testAnthropicGo uses each test channel with Anthropic's official Go SDK.
func testAnthropicGo(t *testing.T, base string) {
	client := anthropic.NewClient(option.WithBaseURL(base), option.WithAPIKey(acmeToken), option.WithMaxRetries(0))
	for _, v := range testChannels() {
		t.Run(v.Name, func(t *testing.T) {
			params := anthropic.MessageNewParams{
				Model: v.Model, MaxTokens: 1000,
				Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(greeting))},
			}
			got, err := client.Messages.New(story.Context(t), params)
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Content) != 1 || got.Content[0].Text != v.answer() ||
				got.StopReason != anthropic.StopReasonEndTurn || got.Usage.InputTokens == 0 ||
				got.Usage.OutputTokens == 0 {
				t.Errorf("got %s", got.RawJSON())
			}
			stream := client.Messages.NewStreaming(story.Context(t), params)
			var whole anthropic.Message
			for stream.Next() {
				if err := whole.Accumulate(stream.Current()); err != nil {
					t.Fatal(err)
				}
			}
			if err := stream.Err(); err != nil || len(whole.Content) != 1 || whole.Content[0].Text != v.answer() ||
				whole.StopReason != anthropic.StopReasonEndTurn {
				t.Errorf("streamed %+v: %v", whole, err)
			}
			counted, err := client.Messages.CountTokens(story.Context(t),
				anthropic.MessageCountTokensParams{Model: v.Model, Messages: params.Messages})
			if err != nil || counted.InputTokens == 0 {
				t.Errorf("counted %+v: %v", counted, err)
			}
		})
	}
	_, err := client.Messages.New(story.Context(t), anthropic.MessageNewParams{Model: "unknown", MaxTokens: 1,
		Messages: []anthropic.MessageParam{}})
	var refused *anthropic.Error
	if !errors.As(err, &refused) || refused.StatusCode != http.StatusNotFound || refused.RequestID == "" {
		t.Errorf("an unknown model: got %v", err)
	}
}
