package shipped

import (
	"net/http"
	"testing"

	"github.com/openai/openai-go/v3/option"

	"github.com/tollgate/tollgate/e2e/story"
)

// The official client makes a first call at each relay, and the console shows it
// with its price.
func TestFirstCall(t *testing.T) {
	s := commonStack(t)
	owner := s.signIn(t, acmeOwner)
	for _, relay := range s.Relays {
		client := sdk(relay.URL, acmeToken)
		var response *http.Response
		got, err := client.Chat.Completions.New(story.Context(t), hello("plain"), option.WithResponseInto(&response))
		if err != nil {
			t.Fatalf("%s: %v", relay.Name, err)
		}
		if got.Choices[0].Message.Content != answerText || got.Usage.PromptTokens != 7 || got.Usage.CompletionTokens != 13 {
			t.Errorf("%s: %s", relay.Name, got.RawJSON())
		}
		log := owner.AwaitLog(t, response.Header.Get("X-Request-Id"))
		if log.Model != "plain" || log.Outcome != "success" || log.Quota != "0.0000087" {
			t.Errorf("usage log %+v", log)
		}
	}
}
