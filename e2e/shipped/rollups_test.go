package shipped

import (
	"testing"

	"github.com/tollgate/tollgate/e2e/story"
	consoleclient "github.com/tollgate/tollgate/openapi/clients/go/console"
)

// TestRollups_AgreeWithUsageLogs compares the workers' rollups with the usage logs, in the database and in the
// console's summary.
func TestRollups_AgreeWithUsageLogs(t *testing.T) {
	s := sharedStack(t)
	owner := s.signIn(t, acmeOwner)
	made, err := owner.CreateToken(story.Context(t), consoleclient.NewToken{Name: "added-up"})
	story.Must(t, made, err)
	const calls = 40
	for i := range calls {
		client := sdk(s.Relays[i%len(s.Relays)].URL, made.JSON201.Value)
		if _, err := client.Chat.Completions.New(story.Context(t), hello("plain")); err != nil {
			t.Fatal(err)
		}
	}
	for _, table := range []string{"usage_logs", "usage_rollups_hourly", "usage_rollups_daily"} {
		requests := map[bool]string{true: "count(*)",
			false: "coalesce(sum(requests), 0)::bigint"}[table == "usage_logs"]
		story.Eventually(t, story.Patience, table+" has all calls at their price", func() bool {
			return s.query(t, `SELECT `+requests+` FROM `+table+` WHERE token_id = $1`, made.JSON201.Id) == calls &&
				s.query(t, `SELECT coalesce(sum(quota), 0)::bigint FROM `+table+` WHERE token_id = $1`,
					made.JSON201.Id) == calls*helloPrice
		})
	}
	got, err := owner.GetUsageSummary(story.Context(t), &consoleclient.GetUsageSummaryParams{TokenId: &made.JSON201.Id})
	story.Must(t, got, err)
	if items := got.JSON200.Items; len(items) != 1 || items[0].Requests != calls || items[0].Quota != "0.000348" {
		t.Errorf("got the summary %+v", items)
	}
}
