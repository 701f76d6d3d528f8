package usage

import (
	"math"
	"slices"
	"time"
)

// SpeedSums sums what is needed to say how fast and how reliable a model responded to a set of calls.
type SpeedSums struct {
	Requests     int64 // calls of all outcomes
	Failed       int64
	OutputTokens int64 // of the calls whose generation was measured
	GenerationMS int64 // time for which these calls generated, in milliseconds
}

// Merge adds the sums of t.
func (s *SpeedSums) Merge(t SpeedSums) {
	s.Requests += t.Requests
	s.Failed += t.Failed
	s.OutputTokens += t.OutputTokens
	s.GenerationMS += t.GenerationMS
}

// minGeneration is the shortest generation that is measured. The rate of a shorter one says nothing about the model.
const minGeneration = 100 * time.Millisecond

// Speed returns what a call adds to the sums, and the step of its time to the first token.
//
// Only streams that did not fail have a step; it is 0 for all other calls. Their output tokens are measured from the
// first token to the end. If the call has reasoning tokens, they are measured over the whole call, because the model
// may have reasoned before the first token that the client received.
func (l *Log) Speed() (step int, sums SpeedSums) {
	sums.Requests = 1
	if l.Outcome == Failed {
		sums.Failed = 1
		return 0, sums
	}
	if !l.Stream || l.FirstByte <= 0 {
		return 0, sums
	}
	generation := l.Latency - l.FirstByte
	if l.Usage.Reasoning > 0 {
		generation = l.Latency
	}
	if tokens := l.Usage.OutputTotal(); tokens > 0 && generation >= minGeneration {
		sums.OutputTokens, sums.GenerationMS = tokens, generation.Milliseconds()
	}
	return stepOf(l.FirstByte), sums
}

// The scale of steps is logarithmic: stepsPerDoubling steps for each doubling of the time, from 1 ms (step 1) to about
// 70 minutes (step maxStep). A time differs by at most 5 % from the middle of its step.
const (
	stepsPerDoubling = 8
	maxStep          = 1 + 22*stepsPerDoubling
)

// stepOf returns the step of a time, 1 to maxStep.
func stepOf(d time.Duration) int {
	ms := max(1, float64(d)/float64(time.Millisecond))
	return min(maxStep, 1+int(math.Round(stepsPerDoubling*math.Log2(ms))))
}

// middleOf returns the time in the middle of a step.
func middleOf(step int) time.Duration {
	return time.Duration(math.Exp2(float64(step-1)/stepsPerDoubling) * float64(time.Millisecond))
}

// Speed holds the speed and the error rate of a model for a set of calls.
type Speed struct {
	Measured bool    // whether there were calls at all; without calls, all other fields are zero
	Errors   float64 // share of the calls that failed, 0 to 1
	// Median time to the first token of streams, with an error of at most 5 %; 0: not measured.
	FirstToken      time.Duration
	TokensPerSecond float64 // output tokens per second of generation, over all streams; 0: not measured
}

// SpeedOf returns the speed of calls from their sums by step.
func SpeedOf(steps map[int]SpeedSums) Speed {
	var total SpeedSums
	var requests int64
	for step, sums := range steps {
		total.Merge(sums)
		if step > 0 {
			requests += sums.Requests
		}
	}
	if total.Requests == 0 {
		return Speed{}
	}
	speed := Speed{Measured: true, Errors: float64(total.Failed) / float64(total.Requests)}
	if total.GenerationMS > 0 {
		speed.TokensPerSecond = float64(total.OutputTokens) * 1000 / float64(total.GenerationMS)
	}
	if requests > 0 {
		speed.FirstToken = middleOf(median(steps, requests))
	}
	return speed
}

// median returns the step in which half of the timed calls are reached.
func median(steps map[int]SpeedSums, requests int64) int {
	var order []int
	for step := range steps {
		if step > 0 {
			order = append(order, step)
		}
	}
	slices.Sort(order)
	var count int64
	for _, step := range order {
		if count += steps[step].Requests; 2*count >= requests {
			return step
		}
	}
	return 0
}
