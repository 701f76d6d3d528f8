package limit_test

import (
	"fmt"
	"time"

	"github.com/tollgate/tollgate/libs/core/limit"
)

// A bucket of 60 requests per minute lets 60 through at once. After that, one more request is permitted each
// second.
func ExampleBucket() {
	const perMinute limit.Rate = 60
	var (
		bucket limit.Bucket // full
		now    = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		one    = perMinute.Cost(1)
	)
	passed := 0
	for perMinute.Wait(bucket.Level(now), one) == 0 {
		bucket = bucket.Take(now, one)
		passed++
	}
	fmt.Println("at once:", passed)
	fmt.Println("wait for the next:", perMinute.Wait(bucket.Level(now), one))
	now = now.Add(10 * time.Second)
	fmt.Println("left 10 s later:", perMinute.Remaining(bucket.Level(now)))
	// Output:
	// at once: 60
	// wait for the next: 1s
	// left 10 s later: 10
}

// A value of 0 removes a limit; nil leaves it unchanged.
func ExampleChange_Apply() {
	none, ten := int64(0), int64(10)
	limits := limit.Limits{RequestsPerMinute: 600, TokensPerMinute: 100_000}
	fmt.Printf("%+v\n", limit.Change{TokensPerMinute: &none, Concurrency: &ten}.Apply(limits))
	// Output: {RequestsPerMinute:600 TokensPerMinute:0 Concurrency:10}
}
