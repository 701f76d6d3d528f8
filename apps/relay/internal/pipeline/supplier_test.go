package pipeline_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/apps/relay/internal/relaytest/responsetest"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/metering"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// withCosts gives costs to the two channels and returns a relay that knows them, with the ids of channels and costs.
// Both rows are for an upstream model: the first channel pays 3 and 15 USD per 1M tokens less 10 %, the second 2 and 8
// USD, and 4 and 16 USD above 500 input tokens, and 0.001 USD per request. An empty model leaves a channel without
// costs.
func withCosts(h *relaytest.Relay, firstModel, secondModel string) (served *relaytest.Relay,
	channels, costs map[string]uuid.UUID) {
	h.T.Helper()
	system := tenant.SystemScope("test")
	list, err := h.Store.Catalog.Channels(h.T.Context(), system, nil, page.Page{})
	if err != nil {
		h.T.Fatal(err)
	}
	usd := func(text string) *money.Amount {
		amount, err := money.Parse(text)
		if err != nil {
			h.T.Fatal(err)
		}
		return &amount
	}
	channels, costs = map[string]uuid.UUID{}, map[string]uuid.UUID{}
	for _, channel := range list.Items {
		channels[channel.Name] = channel.ID
		cost := pricing.ChannelCost{ChannelID: channel.ID, UpstreamModel: firstModel, Factor: 900_000_000,
			Rates: pricing.Rates{ClassRates: pricing.ClassRates{Input: usd("3"), Output: usd("15")}}}
		if channel.Name == "second" {
			cost = pricing.ChannelCost{ChannelID: channel.ID, UpstreamModel: secondModel, Factor: money.One,
				Rates: pricing.Rates{
					ClassRates: pricing.ClassRates{Input: usd("2"), Output: usd("8"), Request: usd("0.001")},
					Tiers: []pricing.Tier{{AboveInput: 500,
						ClassRates: pricing.ClassRates{Input: usd("4"), Output: usd("16")}}},
				}}
		}
		if cost.UpstreamModel == "" {
			continue
		}
		created, err := h.Store.Catalog.CreateChannelCost(h.T.Context(), system, cost)
		if err != nil {
			h.T.Fatal(err)
		}
		costs[channel.Name] = created.ID
	}
	return h.SecondRelay(), channels, costs
}

func TestSupplierCost_IsLoggedForEachAttemptThatWasCharged(t *testing.T) {
	failed := failedBody(privateFault, ","+responsetest.Usage) // 1,000 input and 500 output tokens
	created := responsetest.State(0, "created", responsetest.Object("resp_up", "in_progress", "", ""))
	good := relaytest.Status(200, responsetest.Object("resp_up", "completed", responsetest.MessageItem,
		","+responsetest.Usage))
	reports := relaytest.Status(200, responsetest.Object("resp_up", "completed", responsetest.MessageItem,
		","+strings.Replace(responsetest.Usage, "{", `{"cost":0.0123,`, 1)))
	for name, c := range map[string]struct {
		first, second http.HandlerFunc
		noCosts       string // channel without costs
		stream        bool
		status        int
		parts         [2]string // cost of each attempt, "" for none
		total         string
	}{
		// 0.9 x (1000 x 3 + 500 x 15) / 1M
		"the first channel answers": {good, good, "", false, 200, [2]string{"0.00945"}, "0.00945"},
		// (1000 x 4 + 500 x 16) / 1M + 0.001
		"a failure without usage costs nothing": {breaks, good, "", false, 200, [2]string{"", "0.013"}, "0.013"},
		// It was billed, so no other channel is tried.
		"a failure with usage is charged by its supplier": {relaytest.Status(200, failed), good, "", false, 200,
			[2]string{"0.00945"}, "0.00945"},
		"a failed stream with usage": {relaytest.Streams(created, responsetest.State(1, "failed", failed)),
			good, "", true, 200, [2]string{"0.00945"}, "0.00945"},
		"a failed stream whose usage follows an error": {relaytest.Streams(created, errorEvent(1),
			responsetest.State(2, "failed", failed)), good, "", true, 200, [2]string{"0.00945"}, "0.00945"},
		"no attempt is charged": {breaks, breaks, "", false, 502,
			[2]string{}, ""},
		"the channel that answers has no costs": {breaks, good, "second", false, 200,
			[2]string{}, ""},
		"a channel whose failure was charged has no costs": {relaytest.Status(200, failed), good, "first", false,
			200, [2]string{}, ""},
		"the upstream reports its charge, and the channel has no costs": {reports, good, "first", false, 200,
			[2]string{"0.0123"}, "0.0123"},
		"the upstream reports its charge, and the channel has costs": {reports, good, "", false, 200,
			[2]string{"0.00945"}, "0.00945"},
		"a channel without costs does not matter unasked": {good, good, "second", false, 200,
			[2]string{"0.00945"}, "0.00945"},
	} {
		t.Run(name, func(t *testing.T) {
			models := map[string]string{"first": "vendor-model-7", "second": "vendor-model-7"}
			models[c.noCosts] = ""
			h := relaytest.NewWith(t, failedManifest)
			h.SetUpstreams(c.first, c.second)
			served, _, costs := withCosts(h, models["first"], models["second"])
			extra := ""
			if c.stream {
				extra = `,"stream":true`
			}
			got := responsetest.Post(served, token, extra)
			if got.Status != c.status {
				t.Fatalf("got %d %s, want %d", got.Status, got.Body, c.status)
			}
			log := served.Log(got)
			if total := text(log.SupplierCost); total != c.total {
				t.Errorf("the log has a cost of %q, want %q", total, c.total)
			}
			for i, want := range c.parts {
				var got string
				if i < len(log.Attempts) {
					a := log.Attempts[i]
					got = text(a.SupplierCost)
					if id := costs[[]string{"first", "second"}[i]]; got != "" && a.CostID != id {
						t.Errorf("attempt %d has the version %s, want %s", i, a.CostID, id)
					}
				}
				if got != want {
					t.Errorf("attempt %d costs %q, want %q", i, got, want)
				}
			}
			if last := log.Attempts[len(log.Attempts)-1]; log.Usage.Total() > 0 &&
				(log.CostID != last.CostID || last.Usage != nil) {
				t.Errorf("the log has the version %s, its last attempt %+v", log.CostID, last)
			}
		})
	}
}

// The upstream reports the input before the answer begins, and bills it. Another channel would be billed, too.
func TestSupplierCost_OfAnAnswerThatNeverBeganIsThatOfItsInput(t *testing.T) {
	const (
		start = `data: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],` +
			`"usage":{"input_tokens":1000,"output_tokens":0}}}` + "\n\n"
		fault = `data: {"type":"error","error":{"type":"api_error","message":"no"}}` + "\n\n"
	)
	native := func(h *relaytest.Relay) relaytest.Reply {
		return postMessage(h,
			`{"model":"renamed","max_tokens":9,"messages":[{"role":"user","content":"hi"}],"stream":true}`)
	}
	translated := func(h *relaytest.Relay) relaytest.Reply {
		return h.Do(http.MethodPost, relaytest.ResponsesPath, token,
			`{"model":"renamed","input":"hi","stream":true}`)
	}
	for name, c := range map[string]struct {
		upstream http.HandlerFunc
		call     func(*relaytest.Relay) relaytest.Reply
		status   int
	}{
		"native, cut":       {relaytest.Aborts(start), native, 502},
		"native, error":     {relaytest.Streams(start, fault), native, 502},
		"translated, cut":   {relaytest.Aborts(start), translated, 502},
		"translated, error": {relaytest.Streams(start, fault), translated, 200}, // response.failed
	} {
		t.Run(name, func(t *testing.T) {
			h := relaytest.NewWith(t, relaytest.MessagesManifest)
			h.SetUpstreams(c.upstream, relaytest.Answer)
			served, _, _ := withCosts(h, "upstream-name", "renamed")
			got := c.call(served)
			log := served.Log(got)
			// 0.9 x 1000 x 3 / 1M
			if got.Status != c.status || len(log.Attempts) != 1 || text(log.SupplierCost) != "0.0027" ||
				log.Quota != 0 {
				t.Errorf("got %d, cost %q, quota %s after %+v, want %d and a cost of 0.0027", got.Status,
					text(log.SupplierCost), log.Quota, log.Attempts, c.status)
			}
		})
	}
}

// text returns the amount as text, "" for nil.
func text(amount *money.Amount) string {
	if amount == nil {
		return ""
	}
	return amount.String()
}

// Clients are tenants, so they do not see what the upstream says that it charges. The usage log has it.
func TestSupplierCost_IsNotInAnswers(t *testing.T) {
	withCost := func(text string) string {
		return strings.NewReplacer(`"total_tokens":8}`,
			`"total_tokens":8,"cost":0.0123,"cost_details":{"upstream_inference_cost":0.01}}`,
			`"usage":{"input_tokens"`, `"usage":{"cost":0.0123,"input_tokens"`, `"total_tokens":1500}`,
			`"total_tokens":1500,"cost":0.0123}`).Replace(text)
	}
	answer := responsetest.Object("resp_up", "completed", responsetest.MessageItem, ","+responsetest.Usage)
	for name, c := range map[string]struct {
		upstream http.HandlerFunc
		call     func(*relaytest.Relay) relaytest.Reply
	}{
		"a chat completion": {relaytest.Status(200, withCost(relaytest.Completion)), func(h *relaytest.Relay) relaytest.Reply {
			return h.Post(token, relaytest.ChatBody("cheap", ""))
		}},
		"a chat completion, quoted": {relaytest.Status(200, withCost(relaytest.Completion)), func(h *relaytest.Relay) relaytest.Reply {
			return h.Post(token, relaytest.ChatBody("cheap", ""), "x-tollgate-include-quota", "true")
		}},
		"a chat stream": {relaytest.Streams(relaytest.ChunkHi, relaytest.ChunkStop, withCost(relaytest.ChunkUsage), relaytest.Done), func(h *relaytest.Relay) relaytest.Reply {
			return h.Post(token, relaytest.ChatBody("cheap", `,"stream":true,"stream_options":{"include_usage":true}`))
		}},
		"a translated response": {relaytest.Status(200, withCost(relaytest.Completion)), func(h *relaytest.Relay) relaytest.Reply {
			return responsetest.Post(h, token, "")
		}},
		"a translated stream": {relaytest.Streams(relaytest.ChunkHi, relaytest.ChunkStop, withCost(relaytest.ChunkUsage), relaytest.Done), func(h *relaytest.Relay) relaytest.Reply {
			return responsetest.Post(h, token, `,"stream":true`)
		}},
	} {
		t.Run(name, func(t *testing.T) { hidesCost(relaytest.New(t), c.upstream, c.call) })
	}
	for name, c := range map[string]struct {
		upstream http.HandlerFunc
		extra    string
	}{
		"a response": {relaytest.Status(200, withCost(answer)), ""},
		"a response stream": {relaytest.Streams(responsetest.State(0, "created", responsetest.Object("resp_up", "in_progress", "", "")),
			responsetest.State(1, "completed", withCost(answer))), `,"stream":true`},
	} {
		t.Run(name, func(t *testing.T) {
			hidesCost(responsetest.New(t), c.upstream,
				func(h *relaytest.Relay) relaytest.Reply { return responsetest.Post(h, token, c.extra) })
		})
	}
}

// hidesCost makes a call whose upstream says that it charges 0.0123 USD.
func hidesCost(h *relaytest.Relay, upstream http.HandlerFunc, call func(*relaytest.Relay) relaytest.Reply) {
	h.T.Helper()
	h.ServeFirst(upstream)
	got := call(h)
	if got.Status != 200 || strings.Contains(got.Body, "cost") || strings.Contains(got.Body, "0.01") {
		h.T.Errorf("got %d %s, want an answer without the cost", got.Status, got.Body)
	}
	if log := h.Log(got); text(log.SupplierCost) != "0.0123" {
		h.T.Errorf("the log has a cost of %q, want 0.0123", text(log.SupplierCost))
	}
}

// A broken stream is charged by its supplier like by the relay: for what was delivered, as estimated.
func TestSupplierCost_OfABrokenStreamIsThatOfTheEstimate(t *testing.T) {
	h := relaytest.NewWith(t, relaytest.Manifest)
	h.ServeFirst(relaytest.Aborts(relaytest.ChunkHi))
	served, _, _ := withCosts(h, "cheap", "cheap")
	log := served.Log(served.Post(token, relaytest.ChatBody("cheap", `,"stream":true`)))
	want := money.Amount(log.Usage.Input*2700 + log.Usage.Output*13500) // 0.9 x 3 USD and 0.9 x 15 USD per 1M tokens
	if log.Outcome != usage.Partial || !log.Estimated || log.SupplierCost == nil || *log.SupplierCost != want ||
		want == 0 {
		t.Errorf("got %s, usage %+v, cost %s, want %s", log.Outcome, log.Usage, text(log.SupplierCost), want)
	}
}

// answersWith is an upstream that answers with the numbers of input and output tokens that the content of the request
// names.
func answersWith(w http.ResponseWriter, r *http.Request) {
	var input, output int64
	body := make([]byte, 4096)
	n, _ := r.Body.Read(body)
	_, rest, _ := strings.Cut(string(body[:n]), "tokens ")
	if _, err := fmt.Sscanf(rest, "%d %d", &input, &output); err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	answer :=
		fmt.Sprintf(
			`{"id":"c1","object":"chat.completion","created":1,"model":"cheap","choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}}`, input, output, input+output)
	relaytest.Status(200, answer)(w, r)
}

// The margin that operators see equals a sum that this test works out by hand from the list of calls: on real Postgres,
// over two channels, with failover, a tier and a discount.
func TestMargin_EqualsTheSumByHand(t *testing.T) {
	for kind, database := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			h := relaytest.NewOn(t, database(t), relaytest.Manifest)
			served, channels, _ := withCosts(h, "cheap", "cheap")
			var revenue, cost [2]money.Amount // nano-dollars by channel, the first one first
			for i, call := range []struct {
				fails         bool // on the first channel
				input, output int64
			}{{false, 1000, 100}, {false, 7, 1}, {false, 20_000, 333}, {true, 500, 10}, {true, 501, 10},
				{true, 12_345, 678}} {
				h.SetUpstreams(answersWith, answersWith)
				if call.fails {
					h.ServeFirst(breaks)
				}
				body := fmt.Sprintf(`{"model":"cheap","messages":[{"role":"user","content":"tokens %d %d"}]}`,
					call.input, call.output)
				got := served.Post(token, body)
				if got.Status != 200 {
					t.Fatalf("call %d: got %d %s", i, got.Status, got.Body)
				}
				at := 0
				if got.Header.Get("X-Tollgate-Channel") == "second" {
					at = 1
				}
				if call.fails != (at == 1) {
					t.Fatalf("call %d was answered by %s", i, got.Header.Get("X-Tollgate-Channel"))
				}
				// The price: 0.85 x (0.15 and 0.60 USD per 1M tokens), rounded half up. In thousandths of a
				// nano-dollar.
				revenue[at] += money.Amount((call.input*127_500 + call.output*510_000 + 500) / 1000)
				switch {
				case at == 0: // 0.9 x (3 and 15 USD)
					cost[0] += money.Amount(call.input*2_700 + call.output*13_500)
				case call.input > 500: // 4 and 16 USD, and 0.001 USD
					cost[1] += money.Amount(call.input*4_000 + call.output*16_000 + 1_000_000)
				default: // 2 and 8 USD, and 0.001 USD
					cost[1] += money.Amount(call.input*2_000 + call.output*8_000 + 1_000_000)
				}
				served.Log(got) // it is in the database
			}
			system := tenant.SystemScope("test")
			for {
				n, err := h.Store.Rollup.DrainCosts(t.Context(), system, 0)
				if err != nil {
					t.Fatal(err)
				}
				if n == 0 {
					break
				}
			}
			for by, want := range map[metering.Dimension]map[string][2]money.Amount{
				metering.ByNothing: {"": {revenue[0] + revenue[1], cost[0] + cost[1]}},
				metering.ByModel:   {"cheap": {revenue[0] + revenue[1], cost[0] + cost[1]}},
				metering.ByChannel: {channels["first"].String(): {revenue[0], cost[0]},
					channels["second"].String(): {revenue[1], cost[1]}},
			} {
				rows, err := h.Store.Metering.SupplierCosts(t.Context(), system,
					metering.SummaryQuery{From: time.Now().Add(-2 * time.Hour).Truncate(time.Hour),
						To: time.Now().Add(2 * time.Hour), By: by})
				if err != nil {
					t.Fatal(err)
				}
				got := map[string][2]money.Amount{}
				for _, row := range rows {
					got[row.Value] = [2]money.Amount{got[row.Value][0] + row.Quota,
						got[row.Value][1] + row.SupplierCost}
				}
				if len(got) != len(want) {
					t.Errorf("by %q: got %v, want %v", by, got, want)
				}
				for value, sums := range want {
					if got[value] != sums {
						t.Errorf("by %q, %s: got revenue and cost %v, want %v", by, value, got[value], sums)
					}
				}
			}
		})
	}
}

// A model that is routed to the cheapest channel tries that one first.
func TestCheapest_ChoosesByTheCostOfTheCall(t *testing.T) {
	manifest := strings.NewReplacer("id: cheap, owned_by: acme", "id: cheap, owned_by: acme, routing: cheapest",
		"models: {cheap: cheap}, priority: 1}", "models: {cheap: cheap}, priority: 0}").Replace(relaytest.Manifest)
	h := relaytest.NewWith(t, manifest)
	served, _, _ := withCosts(h, "cheap", "cheap")
	for name, c := range map[string]struct{ extra, first string }{
		// One output token: 0.0000135 USD on the first channel, 0.000008 and 0.001 USD for the request on the second.
		"a short call": {`,"max_tokens":1`, "first"},
		// 1,000 output tokens: 0.0135 USD on the first channel, 0.009 USD on the second.
		"a long call": {"", "second"},
	} {
		got := served.Post(token, relaytest.ChatBody("cheap", c.extra))
		if got.Status != 200 || got.Header.Get("X-Tollgate-Channel") != c.first {
			t.Errorf("%s: got %d from %s, want %s", name, got.Status, got.Header.Get("X-Tollgate-Channel"), c.first)
		}
		if log := served.Log(got); len(log.Attempts) != 1 || log.Attempts[0].Reason != "cheapest" {
			t.Errorf("%s: got the attempts %+v, want one with the reason cheapest", name, log.Attempts)
		}
	}
}
