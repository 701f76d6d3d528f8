package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/e2e/story"
	consoleclient "github.com/tollgate/tollgate/openapi/clients/go/console"
	relayclient "github.com/tollgate/tollgate/openapi/clients/go/relay"
)

const typescriptClient = "../openapi/clients/typescript"

// TestGoClients uses the published Go clients: an access key creates a token, the token calls models with and
// without streaming, and the access key reads the usage logs.
func TestGoClients(t *testing.T) {
	w := sharedTestbed(t)
	keeper, err := consoleclient.New(w.Console.URL, w.accessKey(t))
	if err != nil {
		t.Fatal(err)
	}
	console := &story.Console{Client: keeper}
	made, err := console.CreateToken(story.Context(t), consoleclient.NewToken{Name: "go"})
	story.Must(t, made, err)
	relay, err := relayclient.New(w.Relay.URL, made.JSON201.Value)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("models", func(t *testing.T) {
		if models, err := relay.ListModels(story.Context(t), nil); err != nil || models.JSON200 == nil ||
			len(models.JSON200.Data) != len(offers()) {
			t.Errorf("list of models: got %v, %s", err, models.Body)
		}
		if model, err := relay.RetrieveModel(story.Context(t), "acme/llama-3:70b", nil); err != nil ||
			model.JSON200 == nil || model.JSON200.Id != "acme/llama-3:70b" {
			t.Errorf("model by id: got %v, %s", err, model.Body)
		}
	})
	t.Run("call and its usage log", func(t *testing.T) {
		got, err := relay.CreateChatCompletion(story.Context(t), nil, chatOf("gpt-4o-mini"))
		if err != nil || got.JSON200 == nil || got.Headers200 == nil || got.JSON200.Usage == nil {
			t.Fatalf("chat completion: got %v, %s", err, got.Body)
		}
		log := console.AwaitLog(t, got.HTTPResponse.Header.Get("X-Request-Id"))
		if log.TokenName != "go" || log.Tokens.Total != got.JSON200.Usage.TotalTokens {
			t.Errorf("got the usage log %+v", log)
		}
		list, err := console.ListUsageLogs(story.Context(t),
			&consoleclient.ListUsageLogsParams{TokenId: &made.JSON201.Id})
		story.Must(t, list, err)
		if len(list.JSON200.Items) == 0 {
			t.Error("the token has no usage logs")
		}
	})
	t.Run("streams", func(t *testing.T) { clientStreams(t, relay) })
	t.Run("refusals", func(t *testing.T) {
		got, err := relay.CreateChatCompletion(story.Context(t), nil, chatOf("gpt-99"))
		if err != nil || got.JSON404 == nil || got.JSON404.Error.Code == nil ||
			*got.JSON404.Error.Code != "model_not_found" {
			t.Errorf("unknown model: got %v, %s, want the code model_not_found", err, got.Body)
		}
	})
	revoked, err := console.RevokeToken(story.Context(t), made.JSON201.Id)
	story.Must(t, revoked, err)
}

// clientStreams checks the iterators over chat chunks and response events.
func clientStreams(t *testing.T, relay *relayclient.Client) {
	t.Helper()
	text := ""
	for chunk, err := range relay.StreamChat(story.Context(t), chatOf("gpt-4o-mini")) {
		if err != nil {
			t.Fatal(err)
		}
		for _, choice := range chunk.Choices {
			if choice.Delta.Content != nil {
				text += *choice.Delta.Content
			}
		}
	}
	var kinds []string
	for event, err := range relay.StreamResponse(story.Context(t),
		relayclient.ResponseRequest{Model: "gpt-4o-mini", Input: relayclient.ResponseText("hello")}) {
		if err != nil {
			t.Fatal(err)
		}
		kind, err := event.Discriminator()
		if err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, kind)
	}
	if text == "" || len(kinds) == 0 || kinds[0] != "response.created" || kinds[len(kinds)-1] != "response.completed" {
		t.Errorf("got the text %q and the events %q", text, kinds)
	}
}

func chatOf(model string) relayclient.ChatCompletionRequest {
	return relayclient.ChatCompletionRequest{Model: model,
		Messages: []relayclient.ChatMessage{relayclient.UserMessage("hello")}}
}

// TestTypeScriptClients checks that the published TypeScript clients compile without warnings and do the same.
func TestTypeScriptClients(t *testing.T) {
	needNode(t)
	npmInstall(t, typescriptClient)
	w := sharedTestbed(t)
	run(t, typescriptClient, []string{
		"RELAY_URL=" + w.Relay.URL, "CONSOLE_URL=" + w.Console.URL, "ACCESS_KEY=" + w.accessKey(t), "MODEL=gpt-5-mini",
	}, "npm", "test")
	packed := run(t, typescriptClient, nil, "npm", "pack", "--dry-run", "--json", "--loglevel=error")
	for _, name := range []string{"dist/relay.js", "dist/relay.d.ts", "dist/console.js",
		"dist/console.d.ts", "README.md"} {
		if !strings.Contains(packed, `"`+name+`"`) {
			t.Errorf("the npm package has no %s", name)
		}
	}
}

// accessKey creates an access key of the owner.
func (w *testbed) accessKey(t *testing.T) string {
	t.Helper()
	scopes := []consoleclient.NewAccessKeyScopes{consoleclient.NewAccessKeyScopesTokensWrite,
		consoleclient.NewAccessKeyScopesUsageRead}
	made, err := w.signIn(t, acmeOwner).CreateAccessKey(story.Context(t), consoleclient.NewAccessKey{
		Name: t.Name(), Scopes: &scopes, ExpiresAt: time.Now().Add(time.Hour),
	})
	story.Must(t, made, err)
	return made.JSON201.Value
}
