package shipped

import (
	"net/http"
	"testing"
	"time"

	"github.com/tollgate/tollgate/e2e/story"
	consoleclient "github.com/tollgate/tollgate/openapi/clients/go/console"
)

// A token that is made in the console works at every relay at once, and one that
// is revoked there works at none within a second.
func TestRevokedWithinASecond(t *testing.T) {
	s := commonStack(t)
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
