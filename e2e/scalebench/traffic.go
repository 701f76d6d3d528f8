package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tollgate/tollgate/e2e/fakeupstream"
)

// The kinds of traffic. Each call takes one of the tokens at random, but those of fresh take one after the other.
const (
	idle    = "no calls"
	few     = "20 tokens"
	limited = "20 tokens with limits per minute"
	slots   = "20 tokens with a limit on concurrency"
	fresh   = "5,000 tokens, first call of each at each relay" // of 500 users in 100 tenants
	known   = "5,000 tokens"
)

// traffics holds the token values of each kind of traffic.
var traffics = map[string][]string{
	few:     tokens("few", 1, 20),
	limited: tokens("limited", 1, 20),
	slots:   tokens("slots", 1, 20),
	fresh:   tokens("spread", 500, 10),
	known:   tokens("spread", 500, 10),
}

// tokens returns the values of the tokens of a number of users.
func tokens(name string, users, perUser int) []string {
	values := make([]string, 0, users*perUser)
	for i := range users * perUser {
		values = append(values, fmt.Sprintf("scale-%s-%03d-%02d-0123456789abcdef", name, i/perUser, i%perUser))
	}
	return values
}

// manifest declares the upstream and all tokens. Each tenant has quota, so that each call is held and charged.
func manifest() string {
	var b strings.Builder
	fmt.Fprintf(&b, `
groups: [{name: default, multiplier: "1.0", models: ["*"]}]
models: [{id: %[1]s, owned_by: bench, price: {input: "0.15", cached_input: "0.075", output: "0.60"}}]
channels:
  - {name: upstream, type: openai, base_url: "${UPSTREAM_URL}", api_keys: [upstream-key], endpoints: [chat],
     models: {%[1]s: %[1]s}, priority: 0, weight: 1}
tenants:
`, fakeupstream.FastJSON)
	for _, t := range []struct {
		name, limits   string
		tenants, users int // users of each tenant
	}{
		{few, "", 1, 1},
		{limited, ", limits: {requests_per_minute: 10000000, tokens_per_minute: 1000000000}", 1, 1},
		{slots, ", limits: {concurrency: 1000}", 1, 1},
		{known, "", 100, 5},
	} {
		values := traffics[t.name]
		perUser := len(values) / t.tenants / t.users
		for n := range t.tenants * t.users {
			slug := strings.Split(values[0], "-")[1]
			if n%t.users == 0 {
				fmt.Fprintf(&b, "  - slug: %s-%d\n    name: Scale\n    quota: \"1000000.00\"\n    users:\n",
					slug, n/t.users)
			}
			fmt.Fprintf(&b, "      - email: user-%d@%s.example\n        role: owner\n        group: "+
				"default\n        tokens:\n", n, slug)
			for _, value := range values[n*perUser : (n+1)*perUser] {
				fmt.Fprintf(&b, "          - {name: %[1]s, value: %[1]s%[2]s}\n", value, t.limits)
			}
		}
	}
	return b.String()
}

// connections is the greatest number of calls at once.
const connections = 64

// calls sends calls at a fixed rate.
type calls struct {
	client *http.Client
	body   []byte
	want   []byte // body that every answer must have
}

func newCalls() *calls {
	text := strings.Repeat("What is the answer to the great question of life, the universe and everything? ", 11)
	return &calls{
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: connections}},
		body:   fmt.Appendf(nil, `{"model":%q,"messages":[{"role":"user","content":%q}]}`, fakeupstream.FastJSON, text),
		want:   fakeupstream.FastBody(),
	}
}

// send sends n calls, evenly spread over the time and the relays.
func (c *calls) send(ctx context.Context, relays []string, traffic string, n int, within time.Duration) error {
	var next atomic.Int64
	var workers sync.WaitGroup
	failures := make(chan error, connections)
	began := time.Now()
	for range connections {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				<-time.After(time.Until(began.Add(within * time.Duration(i) / time.Duration(n))))
				among := traffics[traffic]
				token := among[rand.IntN(len(among))]
				if traffic == fresh {
					token = among[i/len(relays)%len(among)]
				}
				if err := c.call(ctx, relays[i%len(relays)], token); err != nil {
					failures <- err
					return
				}
			}
		})
	}
	workers.Wait()
	close(failures)
	return errors.Join(ctx.Err(), <-failures)
}

// call sends one call.
func (c *calls) call(ctx context.Context, relay, token string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, relay+"/v1/chat/completions",
		bytes.NewReader(c.body))
	if err != nil {
		return fmt.Errorf("call %s: %w", relay, err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	response, err := c.client.Do(request)
	if err != nil {
		return fmt.Errorf("call %s: %w", relay, err)
	}
	defer response.Body.Close() //nolint:errcheck // only read
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return fmt.Errorf("call %s: %w", relay, err)
	}
	if response.StatusCode != http.StatusOK || !bytes.Equal(body, c.want) {
		return fmt.Errorf("call %s: status %d, wrong answer %.300q", relay, response.StatusCode, body)
	}
	return nil
}
