package quota_test

import (
	"fmt"
	"time"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/quota"
)

// A hold reserves the most that a call can cost. It is refused if the relay's lease does not have that much free.
// Settle ends it with the real cost, and the rest is free again.
func ExampleLocalLease_Hold() {
	lease := quota.LocalLease{Free: 10 * money.USD}

	fmt.Println("hold 8:", lease.Hold(8*money.USD))
	fmt.Println("hold 3:", lease.Hold(3*money.USD)) // only 2 are free
	lease.Settle(8*money.USD, 1*money.USD)
	fmt.Println("free", lease.Free, "held", lease.Held, "spent", lease.Spent)
	// Output:
	// hold 8: true
	// hold 3: false
	// free 9 held 0 spent 1
}

// Release ends the hold of a call that cost nothing.
func ExampleLocalLease_Release() {
	lease := quota.LocalLease{Free: 10 * money.USD}
	lease.Hold(4 * money.USD)
	lease.Release(4 * money.USD)
	fmt.Println("free", lease.Free, "spent", lease.Spent)
	// Output: free 10 spent 0
}

// One relay gets at most a quarter of the available quota, so that other relays get some as well. If a quarter is less
// than the call needs, the relay gets exactly its need, or nothing if even that is not available.
func ExampleLeaseSize() {
	const need, want = 2 * money.USD, 100 * money.USD
	for _, available := range []money.Amount{1000 * money.USD, 40 * money.USD, 3 * money.USD, 1 * money.USD} {
		fmt.Println(available, "available: leased", quota.LeaseSize(available, need, want))
	}
	// Output:
	// 1000 available: leased 100
	// 40 available: leased 10
	// 3 available: leased 2
	// 1 available: leased 0
}

// A call is charged to every account that limits it. No account is used beyond its grant: the part of the cost that
// leases and accounts do not cover is not charged.
func ExampleDeduct() {
	granted := 5 * money.USD
	wallet := quota.Account{Granted: &granted, Used: 2 * money.USD, Leased: 1 * money.USD}
	lease := quota.Lease{Amount: 1 * money.USD}
	sides := []quota.LeasedAccount{{Account: &wallet, Lease: &lease}}

	fmt.Println("charged", quota.Deduct(2*money.USD, sides), "used", wallet.Used)
	fmt.Println("charged", quota.Deduct(2*money.USD, sides), "used", wallet.Used)
	// Output:
	// charged 2 used 4
	// charged 1 used 5
}

// Windows of caps are in UTC. A week begins on Monday.
func ExamplePeriod_Start() {
	now := time.Date(2026, 3, 11, 15, 4, 5, 0, time.UTC) // a Wednesday
	for _, period := range quota.Periods() {
		fmt.Println(period, period.Start(now).Format(time.DateOnly), "to", period.End(now).Format(time.DateOnly))
	}
	// Output:
	// day 2026-03-11 to 2026-03-12
	// week 2026-03-09 to 2026-03-16
	// month 2026-03-01 to 2026-04-01
}
