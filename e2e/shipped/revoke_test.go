package shipped

import (
	"net/http"
	"testing"

	"github.com/tollgate/tollgate/e2e/story"
	consoleclient "github.com/tollgate/tollgate/openapi/clients/go/console"
)

// TestRevocation_AppliesWithinASecond checks that a new token works at every relay at once, and that a revoked
// one works at no relay once the relays have recorded the change, which they must have done within a second.
func TestRevocation_AppliesWithinASecond(t *testing.T) {
	s := sharedStack(t)
	owner := s.signIn(t, acmeOwner)
	made, err := owner.CreateToken(story.Context(t), consoleclient.NewToken{Name: "short-lived"})
	story.Must(t, made, err)
	var ops []string
	for _, relay := range s.Relays {
		ops = append(ops, relay.Ops)
		client := sdk(relay.URL, made.JSON201.Value, once)
		if _, err := client.Chat.Completions.New(story.Context(t), hello("plain")); err != nil {
			t.Fatalf("%s: %v", relay.Name, err)
		}
	}
	story.Applied(t, ops, "token", func() {
		revoked, err := owner.RevokeToken(story.Context(t), made.JSON201.Id)
		story.Must(t, revoked, err)
	})
	for _, relay := range s.Relays {
		client := sdk(relay.URL, made.JSON201.Value, once)
		if _, err := client.Chat.Completions.New(story.Context(t), hello("plain")); status(err) !=
			http.StatusUnauthorized {
			t.Errorf("%s: the revoked token: got %v, want status 401", relay.Name, err)
		}
	}
}
