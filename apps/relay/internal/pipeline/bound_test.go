package pipeline

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/meter"
	"github.com/tollgate/tollgate/apps/relay/internal/snapshot"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	core "github.com/tollgate/tollgate/libs/core/snapshot"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/wire/openai"
)

// The hold covers the service tier in which a channel can answer, whatever the client asks for.
func TestBoundCost_CoversTheTierThatAChannelSends(t *testing.T) {
	t.Parallel()
	// Of 100 tokens of output at 1 and 2 USD per 1,000.
	const ordinary, priority = 100 * money.USD / 1000, 200 * money.USD / 1000
	rate, twice := 1000*money.USD, 2*money.One
	price := &pricing.Price{Rates: pricing.Rates{ClassRates: pricing.ClassRates{Output: &rate},
		ServiceTiers: map[string]pricing.ServiceTier{"priority": {Multiplier: &twice}}}}
	native := catalog.Channel{Dialects: []catalog.Dialect{catalog.Chat}}
	for _, row := range []struct {
		name, asked string
		channel     catalog.Channel
		want        money.Amount
	}{
		{"the channel sends the client's tier", `"service_tier":"default"`, native, ordinary},
		{"the channel sends the client's dearer tier", `"service_tier":"Priority"`, native, priority},
		{"the answer names the client's tier otherwise", `"service_tier":"fast"`, native, priority},
		{"another field asks for a tier", `"service_tier":"default","speed":"fast"`, native, priority},
		{"no tier is asked for", `"n":1`, native, priority},
		{"the channel's parameters set a tier", `"service_tier":"default"`, catalog.Channel{
			Dialects: native.Dialects,
			Settings: catalog.Settings{Parameters: map[string]json.RawMessage{"service_tier": json.RawMessage(
				`"priority"`)}},
		}, priority},
		{"the channel speaks another dialect", `"service_tier":"default"`,
			catalog.Channel{Dialects: []catalog.Dialect{catalog.Messages}}, priority},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			row.channel.ID, row.channel.Status, row.channel.Models = uuid.New(), tenant.Enabled,
				map[string]string{"m": "m"}
			request, err := openai.ScanRequest([]byte(`{"model":"m","max_tokens":100,"messages":[],`+row.asked+`}`),
				catalog.Chat)
			if err != nil {
				t.Fatal(err)
			}
			models := []catalog.Model{{ID: "m"}}
			bound, err := boundCost(&admission{
				request: request, model: &models[0], dialect: catalog.Chat, caller: &token.Caller{},
				terms: pricing.Terms{Price: price, Rule: pricing.Rule{Multiplier: money.One}},
				snapshot: &snapshot.Snapshot{Snapshot: core.New(1, nil, models, []catalog.Channel{row.channel},
					pricing.NewBook(nil, nil))},
			}, 32)
			if err != nil || bound.maxCost != row.want {
				t.Errorf("got a hold of %s, %v, want %s", bound.maxCost, err, row.want)
			}
		})
	}
}

func TestBoundCost_CoversTheSearchOfAModelThatAlwaysSearches(t *testing.T) {
	t.Parallel()
	price := money.USD / 100
	for name, row := range map[string]struct {
		upstream string
		price    *money.Amount
		want     int64
	}{
		"the upstream's model always searches": {"gpt-4o-search-preview", &price, 2},
		"the upstream's model does not search": {"gpt-4o", &price, 0},
		"a search has no price":                {"gpt-4o-search-preview", nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rates := pricing.Rates{}
			rates.Tools.WebSearch = row.price
			models := []catalog.Model{{ID: "m"}}
			channel := catalog.Channel{ID: uuid.New(), Status: tenant.Enabled,
				Dialects: []catalog.Dialect{catalog.Chat}, Models: map[string]string{"m": row.upstream}}
			bound, err := boundCost(&admission{
				request: &openai.Request{Model: "m", OutputCap: 100, Choices: 2}, model: &models[0],
				dialect: catalog.Chat, caller: &token.Caller{},
				terms: pricing.Terms{Price: &pricing.Price{Rates: rates}, Rule: pricing.Rule{Multiplier: money.One}},
				snapshot: &snapshot.Snapshot{Snapshot: core.New(1, nil, models, []catalog.Channel{channel},
					pricing.NewBook(nil, nil))},
			}, 32)
			if err != nil || bound.tools.WebSearchCalls != row.want || (bound.minCost > 0) != (row.want > 0) {
				t.Errorf("got a hold of %s for %d searches, %v, want %d searches", bound.minCost,
					bound.tools.WebSearchCalls, err, row.want)
			}
		})
	}
}

// boundOf returns the bound of the input of a request whose model has the name at the upstream.
func boundOf(t *testing.T, dialect catalog.Dialect, upstreamModel, body string) int64 {
	t.Helper()
	return boundsOf(t, dialect, upstreamModel, body).input
}

// boundsOf returns the bounds of a request whose model has the name at the upstream, and answers of 100 tokens.
func boundsOf(t *testing.T, dialect catalog.Dialect, upstreamModel, body string) costBound {
	t.Helper()
	request, err := openai.ScanRequest([]byte(body), dialect)
	if err != nil {
		t.Fatalf("%s: %v", body[:min(len(body), 200)], err)
	}
	models := []catalog.Model{{ID: "m", MaxOutput: 100}}
	channel := catalog.Channel{ID: uuid.New(), Status: tenant.Enabled, Dialects: []catalog.Dialect{dialect},
		Models: map[string]string{"m": upstreamModel}}
	bound, err := boundCost(&admission{
		request: request, model: &models[0], dialect: dialect, caller: &token.Caller{},
		terms: pricing.Terms{Price: &pricing.Price{}, Rule: pricing.Rule{Multiplier: money.One}},
		snapshot: &snapshot.Snapshot{Snapshot: core.New(1, nil, models, []catalog.Channel{channel},
			pricing.NewBook(nil, nil))},
	}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return bound
}

func TestBoundCost_CoversACompactionThatTheTextCanTrigger(t *testing.T) {
	t.Parallel()
	const long = 60_000
	request := func(size int, trigger string) string {
		return `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"` + strings.Repeat("a", size) +
			`"}],"context_management":{"edits":[` + trigger + `]}}`
	}
	const compact = `{"type":"compact_20260112","trigger":{"type":"input_tokens","value":50000}}`
	for name, row := range map[string]struct {
		body          string
		times, output int64
	}{
		"the text can reach the trigger": {request(long, compact), 2, leastOutput + 100},
		"the text is shorter":            {request(40_000, compact), 1, leastOutput},
		"the trigger is the default":     {request(long, `{"type":"compact_20260112"}`), 1, leastOutput},
		"another edit":                   {request(long, `{"type":"clear_tool_uses_20250919"}`), 1, leastOutput},
	} {
		want := row.times * (int64(len(row.body)) + overhead)
		if got := boundsOf(t, catalog.Messages, "u", row.body); got.input != want || got.output != row.output {
			t.Errorf("%s: got %d and %d tokens, want %d and %d", name, got.input, got.output, want, row.output)
		}
	}
}

// envelopes are requests with one part of a message, by dialect. The part is at the %s.
var envelopes = map[catalog.Dialect]string{
	catalog.Chat:      `{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"hello"}%s]}]}`,
	catalog.Responses: `{"model":"m","input":[{"role":"user","content":[{"type":"input_text","text":"hello"}%s]}]}`,
	catalog.Messages:  `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"hello"}%s]}]}`,
}

// parts are the media of each dialect, and texts in which the same data is no media. The data is at the %s.
var parts = map[catalog.Dialect]struct{ media, disguised []string }{
	catalog.Chat: {
		media: []string{
			`{"type":"image_url","image_url":{"url":"data:image/png;base64,%s"}}`,
			`{"type":"input_audio","input_audio":{"data":"%s","format":"wav"}}`,
			`{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,%s"}}`,
			`{"type":"file","file":{"file_data":"data:text/plain;base64,%s"}}`,
		},
		disguised: []string{
			`{"type":"text","text":"data:image/png;base64,%s"}`,
			`{"type":"text","text":"x","image_url":{"url":"data:image/png;base64,%s"}}`,
			`{"type":"image_url","image_url":{"url":"data:image/png;base64,Hello there: %s"}}`,
			`{"type":"text","text":"{\"type\":\"input_audio\",\"input_audio\":{\"data\":\"%s\"}}"}`,
			`{"type":"image_url","image_url":{"url":"data:image/png;base64,%s"},"type":"text"}`,
			`{"type":"file","file":{"filename":"a.txt","file_data":"data:application/pdf;base64,%s"}}`,
		},
	},
	catalog.Responses: {
		media: []string{
			`{"type":"input_image","image_url":"data:image/png;base64,%s"}`,
			`{"type":"input_audio","input_audio":{"data":"%s","format":"wav"}}`,
			`{"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,%s"}`,
			`{"type":"input_file","filename":"a.json","file_data":"%s"}`,
		},
		disguised: []string{
			`{"type":"input_text","text":"data:image/png;base64,%s"}`,
			`{"type":"input_text","text":"x","image_url":"data:image/png;base64,%s"}`,
			`{"type":"input_image","image_url":"data:image/png;base64,%s","image_url":"x"}`,
			`{"type":"image_url","image_url":{"url":"data:image/png;base64,%s"}}`,
		},
	},
	catalog.Messages: {
		media: []string{
			`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"%s"}}`,
			`{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"%s"}}`,
			`{"type":"tool_result","tool_use_id":"t","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"%s"}}]}`,
		},
		disguised: []string{
			`{"type":"text","text":"data:image/png;base64,%s"}`,
			`{"type":"document","source":{"type":"text","media_type":"text/plain","data":"%s"}}`,
			`{"type":"tool_use","id":"t","name":"f","input":{"type":"image","source":{"type":"base64","media_type":"image/png","data":"%s"}}}`,
			`{"type":"tool_result","tool_use_id":"t","content":"data:image/png;base64,%s"}`,
			`{"type":"image","source":{"type":"base64","media_type":"text/plain","data":"%s"}}`,
		},
	},
}

// with returns the request of a dialect with the parts, each with so much data.
func with(dialect catalog.Dialect, size int, parts ...string) string {
	var all strings.Builder
	for _, part := range parts {
		all.WriteString("," + strings.Replace(part, "%s", strings.Repeat("A", size), 1))
	}
	return strings.Replace(envelopes[dialect], "%s", all.String(), 1)
}

func TestBoundCost_CountsTextByteByByteAndMediaByTheirRules(t *testing.T) {
	t.Parallel()
	for dialect, of := range parts {
		for seed := range uint64(200) {
			random := rand.New(rand.NewPCG(seed, 1))
			size := random.IntN(20_000)
			var media, disguised []string
			for range random.IntN(4) {
				media = append(media, of.media[random.IntN(len(of.media))])
			}
			for range random.IntN(4) {
				disguised = append(disguised, of.disguised[random.IntN(len(of.disguised))])
			}
			mixed := append(slices.Clone(media), disguised...)
			random.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })

			text := with(dialect, size, disguised...)
			without := boundOf(t, dialect, "u", text)
			if without < int64(len(text))+overhead {
				t.Fatalf("%s: got a bound of %d tokens for a text of %d bytes: %v", dialect, without,
					len(text), disguised)
			}
			whole := boundOf(t, dialect, "u", with(dialect, size, mixed...))
			if whole < without || len(media) > 0 && size > 0 && whole == without {
				t.Fatalf("%s: got a bound of %d tokens, and %d without media: %v", dialect, whole, without, mixed)
			}
			if most := without + int64(len(media))*(2*mediaTokens+1_000+int64(size)); whole > most {
				t.Fatalf("%s: got a bound of %d tokens, want at most %d: %v", dialect, whole, most, mixed)
			}
		}
	}
}

func TestBoundCost_BoundsMedia(t *testing.T) {
	t.Parallel()
	const size = 300_000
	for name, row := range map[string]struct {
		dialect  catalog.Dialect
		upstream string
		part     int
		want     int64 // tokens besides those of the text
	}{
		"an image":                   {catalog.Chat, "gpt-4o", 0, 16_384},
		"an image for gpt-4o-mini":   {catalog.Chat, "openai/GPT-4o-mini-2024-07-18", 0, 48_169},
		"a sound":                    {catalog.Chat, "u", 1, size/16 + 512},
		"a PDF":                      {catalog.Chat, "u", 2, 16_384 + size*3/8},
		"a text file":                {catalog.Chat, "u", 3, size * 3 / 4},
		"an image of responses":      {catalog.Responses, "u", 0, 16_384},
		"an image of messages":       {catalog.Messages, "u", 0, 16_384},
		"an image of a tool_result":  {catalog.Messages, "u", 2, 16_384},
		"a PDF of messages":          {catalog.Messages, "u", 1, 16_384 + size*3/8},
		"a PDF of responses":         {catalog.Responses, "u", 2, 16_384 + size*3/8},
		"a text file of responses":   {catalog.Responses, "u", 3, size * 3 / 4},
		"a sound for gpt-4o-mini, 1": {catalog.Responses, "gpt-4o-mini", 1, size/16 + 512},
	} {
		body := with(row.dialect, size, parts[row.dialect].media[row.part])
		if got, want := boundOf(t, row.dialect, row.upstream, body), int64(len(body)-size)+overhead+
			row.want; got != want {
			t.Errorf("%s: got %d, want %d", name, got, want)
		}
	}
	const referenced = `,{"type":"image_url","image_url":{"url":"https://x/y.png"}}`
	body := strings.Replace(envelopes[catalog.Chat], "%s", referenced, 1)
	if got, want := boundOf(t, catalog.Chat, "u", body), int64(len(body))+overhead+mediaTokens; got != want {
		t.Errorf("an image by URL: got %d, want %d", got, want)
	}
}

func TestGuessTokens_CountsMediaAsTheEstimateDoes(t *testing.T) {
	t.Parallel()
	for dialect, of := range parts {
		for _, part := range of.media {
			body := with(dialect, 100_000, part)
			request, err := openai.ScanRequest([]byte(body), dialect)
			if err != nil {
				t.Fatal(err)
			}
			sample := meter.SampleIn(request.Body())
			sample.Media = request.Parts()
			guess, estimate := guessInput(request), meter.EstimateInput("gpt-4o", sample)
			if diff := guess - estimate; diff < -100 || diff > 100 {
				t.Errorf("%s, %s: got %d tokens for the rate limit and %d for the bill", dialect, part, guess, estimate)
			}
		}
	}
}
