package shipped

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"github.com/tollgate/tollgate/e2e/story"
)

// TestTenancy_HidesDataFromOtherTenants checks that another tenant sees nothing of a tenant's data, in the
// console and at the relay.
func TestTenancy_HidesDataFromOtherTenants(t *testing.T) {
	s := sharedStack(t)
	client := sdk(s.Relays[0].URL, acmeToken, once)
	var response *http.Response
	made, err := client.Responses.New(story.Context(t), responses.ResponseNewParams{
		Model: "plain", Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("Hello. usage:7/13/2/3")},
	}, option.WithResponseInto(&response))
	if err != nil {
		t.Fatal(err)
	}
	id := uuid.MustParse(response.Header.Get("X-Request-Id"))
	s.signIn(t, acmeOwner).AwaitLog(t, id.String())

	rival := s.signIn(t, rivalOwner)
	if got, err := rival.GetUsageLog(story.Context(t), id); err != nil || got.StatusCode() != http.StatusNotFound {
		t.Errorf("usage log for another tenant: got %v, %s", err, got.Body)
	}
	list, err := rival.ListUsageLogs(story.Context(t), nil)
	story.Must(t, list, err)
	for _, log := range list.JSON200.Items {
		if log.Id == id {
			t.Error("the list of another tenant has the usage log")
		}
	}
	tokens, err := rival.ListTokens(story.Context(t), nil)
	story.Must(t, tokens, err)
	for _, token := range tokens.JSON200.Items {
		if token.UserEmail != rivalOwner {
			t.Errorf("another tenant sees the token %+v", token)
		}
	}
	if _, err := client.Responses.Get(story.Context(t), made.ID, responses.ResponseGetParams{}); err != nil {
		t.Errorf("response for its own tenant: got %v", err)
	}
	other := sdk(s.Relays[0].URL, rivalToken, once)
	if _, err := other.Responses.Get(story.Context(t), made.ID, responses.ResponseGetParams{}); status(err) !=
		http.StatusNotFound {
		t.Errorf("response for another tenant: got %v", err)
	}
	if got, err := rival.ListChannels(story.Context(t), nil); err != nil || got.StatusCode() < http.StatusBadRequest {
		t.Errorf("channels for another tenant: got %v, %s", err, got.Status())
	}
}
