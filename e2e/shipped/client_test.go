package shipped

import (
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/tollgate/tollgate/e2e/story"
)

// sdk returns the official client, configured only with base URL and token.
func sdk(base, token string, options ...option.RequestOption) openai.Client {
	return openai.NewClient(append([]option.RequestOption{option.WithBaseURL(base + "/v1"), option.WithAPIKey(token)},
		options...)...)
}

// once disables retries, for tests that need the first answer.
var once = option.WithMaxRetries(0)

// hello returns a request whose answer reports 7 input tokens, 2 of them cached, and 13 output tokens.
func hello(model string) openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{Model: model,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Hello. usage:7/13/2/3")}}
}

const answerText = "Hello from the upstream, where every answer is the same."

// signIn signs a user in with the password that all users have.
func (s *Stack) signIn(t *testing.T, email string) *story.Console {
	t.Helper()
	return story.SignIn(t, s.Console.URL, email, everyonePassword)
}

// query runs a statement that returns one integer.
func (s *Stack) query(t *testing.T, sql string) int64 {
	t.Helper()
	return story.Query(t, s.DatabaseURL, sql)
}
