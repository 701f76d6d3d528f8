package shipped

import (
	"net/http"
	"testing"

	"github.com/openai/openai-go/v3/option"

	"github.com/tollgate/tollgate/e2e/story"
)

// TestFirstCall_IsServedAndPriced makes a call at each relay with the official client, and looks it up in the
// console.
func TestFirstCall_IsServedAndPriced(t *testing.T) {
	s := sharedStack(t)
	owner := s.signIn(t, acmeOwner)
	for _, relay := range s.Relays {
		client := sdk(relay.URL, acmeToken)
		var response *http.Response
		got, err := client.Chat.Completions.New(story.Context(t), hello("plain"), option.WithResponseInto(&response))
		if err != nil {
			t.Fatalf("%s: %v", relay.Name, err)
		}
		if got.Choices[0].Message.Content != answerText || got.Usage.PromptTokens != 7 ||
			got.Usage.CompletionTokens != 13 {
			t.Errorf("%s: got %s", relay.Name, got.RawJSON())
		}
		log := owner.AwaitLog(t, response.Header.Get("X-Request-Id"))
		if log.Model != "plain" || log.Outcome != "success" || log.Quota != "0.0000087" {
			t.Errorf("got the usage log %+v", log)
		}
	}
}
