package shipped

import (
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/openai/openai-go/v3"

	"github.com/tollgate/tollgate/e2e/story"
)

// TestQuota_ForAHundredRequestsServesAHundred checks that quota for exactly 100 requests serves 100 of 1000
// simultaneous requests at two relays.
func TestQuota_ForAHundredRequestsServesAHundred(t *testing.T) {
	s := sharedStack(t)
	var served, refused, other atomic.Int64
	var calls sync.WaitGroup
	begin := make(chan struct{})
	for i := range 1000 {
		client := sdk(s.Relays[i%len(s.Relays)].URL, hundredToken, once)
		calls.Go(func() {
			<-begin
			_, err := client.Chat.Completions.New(story.Context(t), hello("flat"))
			var failed *openai.Error
			switch {
			case err == nil:
				served.Add(1)
			case errors.As(err, &failed) && failed.StatusCode == http.StatusTooManyRequests &&
				failed.Type == "insufficient_quota":
				refused.Add(1)
			default:
				other.Add(1)
				t.Error(err)
			}
		})
	}
	close(begin)
	calls.Wait()
	if served.Load() != 100 || refused.Load() != 900 {
		t.Errorf("%d were served, %d refused and %d failed, want 100 and 900", served.Load(),
			refused.Load(), other.Load())
	}
	const account = ` FROM accounts a JOIN tenants t ON t.id = a.id WHERE t.slug = 'hundred'`
	story.Eventually(t, story.Patience, "all 100 requests are charged",
		func() bool { return s.query(t, `SELECT a.used`+account) == 100*flatPrice })
	if n := s.query(t,
		`SELECT count(*) FROM usage_logs l JOIN tenants t ON t.id = l.tenant_id WHERE t.slug = 'hundred' AND l.outcome = 'success'`); n != 100 {
		t.Errorf("got %d usage logs of successes, want 100", n)
	}
}
