package shipped

import (
	"net/http"
	"testing"
	"time"

	"github.com/tollgate/tollgate/e2e/story"
	consoleclient "github.com/tollgate/tollgate/openapi/clients/go/console"
)

// TestRevocation_AppliesWithinASecond checks that a new token works at every relay at once, and that a revoked
// one works at no relay after a second.
func TestRevocation_AppliesWithinASecond(t *testing.T) {
	s := sharedStack(t)
	owner := s.signIn(t, acmeOwner)
	made, err := owner.CreateTokenWithResponse(story.Context(t), consoleclient.NewToken{Name: "short-lived"})
	story.Must(t, made, err)
	for _, relay := range s.Relays {
		client := sdk(relay.URL, made.JSON201.Value, once)
		if _, err := client.Chat.Completions.New(story.Context(t), hello("plain")); err != nil {
			t.Fatalf("%s: %v", relay.Name, err)
		}
	}
	revoked, err := owner.RevokeTokenWithResponse(story.Context(t), made.JSON201.Id)
	story.Must(t, revoked, err)
	deadline := time.Now().Add(time.Second)
	for _, relay := range s.Relays {
		client := sdk(relay.URL, made.JSON201.Value, once)
		story.Eventually(t, time.Until(deadline), relay.Name+" refuses the token", func() bool {
			_, err := client.Chat.Completions.New(story.Context(t), hello("plain"))
			return status(err) == http.StatusUnauthorized
		})
	}
}
