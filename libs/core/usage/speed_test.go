package usage_test

import (
	"math"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/core/usage"
)

// stream returns a stream of a model with these times and output tokens.
func stream(first, latency time.Duration, tokens int64) usage.Log {
	return usage.Log{Stream: true, Outcome: usage.Success, FirstByte: first, Latency: latency,
		Usage: usage.Usage{Output: tokens}}
}

// speedOf returns the speed of the calls together.
func speedOf(logs ...usage.Log) usage.Speed {
	steps := map[int]usage.SpeedSums{}
	for i := range logs {
		step, sums := logs[i].Speed()
		merged := steps[step]
		merged.Merge(sums)
		steps[step] = merged
	}
	return usage.SpeedOf(steps)
}

func near(got, want, relative float64) bool { return math.Abs(got-want) <= want*relative }

func TestSpeedOf_HasTheMedianOfStreams(t *testing.T) {
	for _, median := range []time.Duration{time.Millisecond, 80 * time.Millisecond, 417 * time.Millisecond,
		3 * time.Second, 10 * time.Minute} {
		got := speedOf(
			stream(median/100, time.Hour, 1), stream(median, time.Hour, 1), stream(median*100, time.Hour, 1),
			usage.Log{Outcome: usage.Success, FirstByte: time.Hour, Latency: time.Hour}, // not a stream
		)
		if !near(float64(got.FirstToken), float64(median), 0.05) {
			t.Errorf("median of %s: got %s", median, got.FirstToken)
		}
	}
}

func TestSpeedOf_CountsTokensPerSecondOfGeneration(t *testing.T) {
	reasoned := stream(9*time.Second, 10*time.Second, 100)
	reasoned.Usage.Reasoning = 900
	for name, row := range map[string]struct {
		logs []usage.Log
		want float64
	}{
		"after the first token": {[]usage.Log{stream(time.Second, 3*time.Second, 100)}, 50},
		"a call that answers at once does not count": {[]usage.Log{stream(time.Second, 3*time.Second, 100),
			stream(time.Second, time.Second+time.Millisecond, 600)}, 50},
		"with reasoning, over the whole call": {[]usage.Log{reasoned}, 100},
		"an answer that is not a stream": {[]usage.Log{{Outcome: usage.Success, Latency: time.Second,
			Usage: usage.Usage{Output: 9}}}, 0},
	} {
		if got := speedOf(row.logs...); got.TokensPerSecond != row.want {
			t.Errorf("%s: got %v tokens/s, want %v", name, got.TokensPerSecond, row.want)
		}
	}
}

func TestSpeedOf_CountsFailedCallsAsErrorsOnly(t *testing.T) {
	failed := stream(time.Millisecond, time.Minute, 5)
	failed.Outcome = usage.Failed
	got := speedOf(failed, stream(time.Second, 3*time.Second, 100), stream(time.Second, 3*time.Second, 100),
		stream(time.Second, 3*time.Second, 100))
	if !got.Measured || got.Errors != 0.25 || got.TokensPerSecond != 50 ||
		!near(float64(got.FirstToken), float64(time.Second), 0.05) {
		t.Errorf("got %+v", got)
	}
	if got := speedOf(); got != (usage.Speed{}) {
		t.Errorf("without calls: got %+v", got)
	}
	if got := speedOf(failed); !got.Measured || got.Errors != 1 || got.FirstToken != 0 {
		t.Errorf("with failed calls only: got %+v", got)
	}
}
