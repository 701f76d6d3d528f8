package shipped

import (
	"context"
	"errors"
	"net/http"
	"net/http/cookiejar"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	consoleclient "github.com/tollgate/tollgate/openapi/clients/go/console"
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

// console is the console's API, through its generated client, with somebody
// signed in.
type console struct {
	*consoleclient.ClientWithResponses
}

func (s *Stack) signIn(t *testing.T, email string) *console {
	t.Helper()
	return signIn(t, s.Console.URL, email, everyonePassword)
}

func signIn(t *testing.T, base, email, password string) *console {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client, err := consoleclient.NewClientWithResponses(base, consoleclient.WithHTTPClient(&http.Client{Jar: jar, Timeout: 20 * time.Second}))
	if err != nil {
		t.Fatal(err)
	}
	got, err := client.CreateSessionWithResponse(testContext(t), consoleclient.SignIn{Email: email, Password: password})
	must(t, got, err)
	return &console{client}
}

// must fails the test unless the console did what it was asked for.
func must[R interface {
	StatusCode() int
	Status() string
}](t *testing.T, result R, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if result.StatusCode() >= 300 {
		t.Fatalf("%T: %s: %+v", result, result.Status(), result)
	}
}

// awaitLog returns the usage log with the id once the console shows it.
func (c *console) awaitLog(t *testing.T, id string) *consoleclient.UsageLogDetail {
	t.Helper()
	var found *consoleclient.UsageLogDetail
	eventually(t, timeToRecord, "usage log "+id+" in the console", func() bool {
		got, err := c.GetUsageLogWithResponse(testContext(t), uuid.MustParse(id))
		if err != nil || got.JSON200 == nil && got.StatusCode() != http.StatusNotFound {
			t.Fatalf("%v: %s", err, got.Body)
		}
		found = got.JSON200
		return found != nil
	})
	return found
}

// query runs a statement that yields one integer.
func (s *Stack) query(t *testing.T, sql string, args ...any) (n int64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx) //nolint:errcheck // nothing is left to be done about it
	if err := conn.QueryRow(ctx, sql, args...).Scan(&n); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return n
}
