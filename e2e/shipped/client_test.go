package shipped

import (
	"errors"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/tollgate/tollgate/e2e/story"
)

// sdk is the official client, with only base URL and key changed.
func sdk(base, token string, options ...option.RequestOption) openai.Client {
	return openai.NewClient(append([]option.RequestOption{option.WithBaseURL(base + "/v1"), option.WithAPIKey(token)}, options...)...)
}

// once is for clients that must see the first answer, whatever it is.
var once = option.WithMaxRetries(0)

// hello asks the upstream to report 7 tokens in, of them 2 cached, and 13 out.
func hello(model string) openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{Model: model, Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Hello. usage:7/13/2/3")}}
}

const (
	answerText = "Hello from the upstream, where every answer is the same."
	helloPrice = 5*150 + 2*75 + 13*600 // nano-dollars, by hand
)

func status(err error) int {
	var failed *openai.Error
	if errors.As(err, &failed) {
		return failed.StatusCode
	}
	return 0
}

// signIn signs in with the password that everyone has.
func (s *Stack) signIn(t *testing.T, email string) *story.Console {
	t.Helper()
	return story.SignIn(t, s.Console.URL, email, everyonePassword)
}

// query runs a statement that yields one integer.
func (s *Stack) query(t *testing.T, sql string, args ...any) int64 {
	t.Helper()
	return story.Query(t, s.DatabaseURL, sql, args...)
}
