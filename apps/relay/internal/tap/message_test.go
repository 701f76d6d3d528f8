package tap_test

import (
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tollgate/tollgate/apps/relay/internal/tap"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

const (
	messageStart = "event: message_start\ndata: " +
		"{\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"type\":\"message\",\"content\":[],\"usage\":{\"input_tokens\":3,\"output_tokens\":1}}}\n\n"
	messagePing  = "event: ping\ndata: {\"type\": \"ping\"}\n\n"
	messageBlock = "event: content_block_start\ndata: " +
		"{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n"
	messageText = "event: content_block_delta\ndata: " +
		"{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"hello\"}}\n\n"
	messageClose = "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n"
	messageDelta = "event: message_delta\ndata: " +
		"{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\",\"stop_sequence\":null},\"usage\":{\"output_tokens\":2}}\n\n"
	messageStop = "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
)

// deliverMessage delivers a messages stream whose frames arrive one by one.
func deliverMessage(t *testing.T, stream string, o tap.Options) (*client, *tap.Delivery, tap.Result) {
	t.Helper()
	c := newClient()
	o.Source = &oneByOne{output.NewStream(catalog.Messages, iotest.HalfReader(strings.NewReader(stream)), 1<<20, nil)}
	o.Dialect, o.Upstream, o.Timeouts, o.Buffers = catalog.Messages, quiet{}, pace, &tap.Buffers{}
	delivery, result := tap.Deliver(t.Context(), c, o)
	return c, delivery, result
}

func TestDeliver_HoldsTheEndOfAMessageBackUntilFinish(t *testing.T) {
	const before = messageStart + messagePing + messageBlock + messageText + messageClose
	c, delivery, result := deliverMessage(t, before+messageDelta+messageStop,
		tap.Options{FormatQuota: func(usage.Usage) string { return "0.5" }})
	if c.got() != before {
		t.Errorf("before Finish: got %s", c.got())
	}
	if result.End != tap.Completed || *result.Usage != (usage.Usage{Input: 3, Output: 2}) || result.Chunks != 1 ||
		delivery.Uncounted() {
		t.Errorf("got %+v", result)
	}
	if err := delivery.Finish(); err != nil {
		t.Fatal(err)
	}
	if want := before + strings.Replace(messageDelta, `"output_tokens":2}`, `"output_tokens":2,"quota":"0.5"}`, 1) +
		messageStop; c.got() != want {
		t.Errorf("got\n%s\nwant\n%s", c.got(), want)
	}
}

func TestDeliver_PassesSeveralEventsWithUsageOn(t *testing.T) {
	const whole = messageStart + messageDelta + messagePing + messageDelta + messageStop
	c, delivery, _ := deliverMessage(t, whole, tap.Options{})
	if err := delivery.Finish(); err != nil || c.got() != whole {
		t.Errorf("got %s, %v", c.got(), err)
	}
}

func TestFinishStopped_AddsTheUsageOfAMessage(t *testing.T) {
	const uncounted = "event: message_delta\ndata: " +
		"{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"stop_sequence\",\"stop_sequence\":\"END\"}}\n\n"
	c, delivery, _ := deliverMessage(t, messageStart+uncounted+messageStop, tap.Options{})
	if !delivery.Uncounted() {
		t.Error("the stream counts as one with usage")
	}
	if err := delivery.FinishStopped(usage.Usage{Input: 3, Output: 4}, "0.5"); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"stop_sequence":"END"}`, `"input_tokens":3`, `"output_tokens":4`, `"quota":"0.5"`} {
		if !strings.Contains(c.got(), part) {
			t.Errorf("no %s in %s", part, c.got())
		}
	}
	if !strings.HasSuffix(c.got(), messageStop) {
		t.Errorf("got %s", c.got())
	}
}

func TestFail_EndsAMessageWithAnError(t *testing.T) {
	c, delivery, _ := deliverMessage(t, messageStart+messageBlock+messageText+messageClose+messageDelta, tap.Options{})
	if err := delivery.Fail(problem.New(problem.UpstreamFailed, "no")); err != nil {
		t.Fatal(err)
	}
	want := messageStart + messageBlock + messageText + messageClose +
		"event: error\ndata: {\"type\":\"error\",\"error\":{\"message\":\"no\",\"type\":\"api_error\""
	if !strings.HasPrefix(c.got(), want) || !strings.HasSuffix(c.got(), "}\n\n") {
		t.Errorf("got %s", c.got())
	}
}

func TestFinishExhausted_ClosesTheOpenBlockOfAMessage(t *testing.T) {
	stream := messageStart + messageBlock + strings.Repeat(messageText, 5) + messageClose + messageDelta + messageStop
	c, delivery, result := deliverMessage(t, stream, tap.Options{Mark: text(4), Allowance: &scripted{}})
	if result.End != tap.QuotaExhausted || result.Chunks != 3 {
		t.Fatalf("got end %v after %d pieces", result.End, result.Chunks)
	}
	if err := delivery.FinishExhausted(usage.Usage{Input: 3, Output: 4}, ""); err != nil {
		t.Fatal(err)
	}
	want := messageStart + messageBlock + strings.Repeat(messageText, 3) + messageClose +
		"event: message_delta\ndata: " +
		"{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"max_tokens\",\"stop_sequence\":null},\"usage\":{\"input_tokens\":3,"
	if !strings.HasPrefix(c.got(), want) || !strings.HasSuffix(c.got(), messageStop) {
		t.Errorf("got\n%s\nwant\n%s", c.got(), want)
	}
}
