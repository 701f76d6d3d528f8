package usage_test

import (
	"fmt"

	"github.com/tollgate/tollgate/libs/core/usage"
)

// The classes do not overlap, so their sum is the number of tokens of a call. A response that reports 1,000 input
// tokens, 400 of them cached, is counted as 600 and 400.
func ExampleUsage_Total() {
	u := usage.Usage{Input: 600, CachedInput: 400, Output: 150, Reasoning: 50}
	fmt.Println(u.InputTotal(), u.OutputTotal(), u.Total())
	// Output: 1000 200 1200
}

// A failed call counts as a request, but it consumed and costs nothing.
func ExampleSums_Add() {
	var hour usage.Sums
	hour.Add(&usage.Log{Outcome: usage.Success, Usage: usage.Usage{Input: 10, Output: 5}, Quota: 300})
	hour.Add(&usage.Log{Outcome: usage.Failed})
	fmt.Println(hour.Requests, hour.Failed, hour.Usage.Total(), hour.Quota)
	// Output: 2 1 15 0.0000003
}
