package shipped

import (
	"net/http"
	"slices"
	"testing"

	"github.com/tollgate/tollgate/e2e/story"
)

// TestPermissions_LimitModelsOfTokensAndGroups checks that a model is listed and can be called only by tokens
// and groups that may use it.
func TestPermissions_LimitModelsOfTokensAndGroups(t *testing.T) {
	s := sharedStack(t)
	var everything []string
	for _, o := range offers {
		everything = append(everything, o.model)
	}
	slices.Sort(everything)
	for _, row := range []struct {
		name, token string
		sees        []string
	}{
		{"token for all models", acmeToken, everything},
		{"token for one model", narrowToken, []string{"plain"}},
		{"group for one model", rivalToken, []string{"plain"}},
	} {
		for _, relay := range s.Relays {
			client := sdk(relay.URL, row.token, once)
			page, err := client.Models.List(story.Context(t))
			if err != nil {
				t.Fatal(err)
			}
			var seen []string
			for _, m := range page.Data {
				seen = append(seen, m.ID)
			}
			slices.Sort(seen)
			if !slices.Equal(seen, row.sees) {
				t.Errorf("%s: got the models %v, want %v", row.name, seen, row.sees)
			}
			want := http.StatusNotFound
			if slices.Contains(row.sees, "flat") {
				want = 0
			}
			if _, err := client.Chat.Completions.New(story.Context(t), hello("flat")); status(err) != want ||
				(want == 0) != (err == nil) {
				t.Errorf("%s: call of flat got %v", row.name, err)
			}
		}
	}
	for _, token := range []string{"", "nobody-knows-this-token-1", "sk-tg-abc"} {
		client := sdk(s.Relays[0].URL, token, once)
		if _, err := client.Chat.Completions.New(story.Context(t), hello("plain")); status(err) !=
			http.StatusUnauthorized {
			t.Errorf("token %q: got %v", token, err)
		}
	}
}
