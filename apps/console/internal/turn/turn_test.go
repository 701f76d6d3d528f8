package turn

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tollgate/tollgate/libs/core/problem"
)

// crowd is a line with clients that wait, in a bubble of synctest.
type crowd struct {
	*testing.T
	*Line
	served  []string
	refused []string
	release chan struct{}
}

// newCrowd returns a crowd whose only slot is taken.
func newCrowd(t *testing.T) *crowd {
	c := &crowd{T: t, Line: New(1, Patience), release: make(chan struct{})}
	release, err := c.Take(t.Context(), Ticket{})
	if err != nil {
		t.Fatal(err)
	}
	go func() { <-c.release; release() }()
	return c
}

// wait lets a client wait for a slot, and give it back at once.
func (c *crowd) wait(name string, t Ticket) {
	go func() {
		release, err := c.Take(c.Context(), t)
		if err != nil {
			c.refused = append(c.refused, name)
			return
		}
		c.served = append(c.served, name)
		release()
	}()
	synctest.Wait()
}

// serve gives the slot back and returns the order in which the clients were served.
func (c *crowd) serve() []string {
	close(c.release)
	synctest.Wait()
	return c.served
}

func TestLine_ServesAddressesAndThenAccountsInTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t)
		for i := range 5 {
			c.wait(fmt.Sprintf("flood %d", i), Ticket{Address: "flood", Account: "a"})
		}
		c.wait("colleague", Ticket{Address: "flood", Account: "b"})
		c.wait("elsewhere", Ticket{Address: "other", Account: "a"})
		want := []string{"flood 0", "elsewhere", "colleague", "flood 1", "flood 2", "flood 3", "flood 4"}
		if got := c.serve(); !slices.Equal(got, want) {
			t.Errorf("served %q, want %q", got, want)
		}
	})
}

func TestLine_ServesItsLanesInTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t)
		for i := range 4 {
			c.wait(fmt.Sprintf("other %d", i), Ticket{Address: fmt.Sprint(i), Lane: Others})
		}
		for i := range 2 {
			c.wait(fmt.Sprintf("known %d", i), Ticket{Address: fmt.Sprint(i), Lane: Known})
			c.wait(fmt.Sprintf("fresh %d", i), Ticket{Address: fmt.Sprint(i), Lane: Fresh})
		}
		want := []string{"known 0", "fresh 0", "other 0", "known 1", "fresh 1", "other 1", "other 2", "other 3"}
		if got := c.serve(); !slices.Equal(got, want) {
			t.Errorf("served %q, want %q", got, want)
		}
	})
}

func TestLine_BoundsTheClientsOfAnAddressAndAtAnAccount(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t)
		for i := range 100 {
			c.wait("address", Ticket{Address: "flood", Account: fmt.Sprint(i)})
			c.wait("account", Ticket{Address: fmt.Sprint(i), Account: "a"})
		}
		if got, want := len(c.refused), 200-maxByAddress-maxByAccount; got != want {
			t.Errorf("%d clients were refused, want %d", got, want)
		}
		c.wait("owner", Ticket{Address: "home", Account: "b"})
		if got := slices.Index(c.serve(), "owner"); got < 0 || got > maxByAccount+1 {
			t.Errorf("the owner was served at position %d, want at most %d", got, maxByAccount+1)
		}
	})
}

func TestLine_WhenFullGivesAPlaceOfTheLargestFloodToANewAddress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t)
		for i := range maxWaiting {
			c.wait("flood", Ticket{Address: fmt.Sprint(i % 4), Account: fmt.Sprint(i)})
		}
		c.wait("owner", Ticket{Address: "home", Account: "o"})
		if !slices.Equal(c.refused, []string{"flood"}) {
			t.Errorf("refused %q, want one client of the flood", c.refused)
		}
		if got := slices.Index(c.serve(), "owner"); got != 4 {
			t.Errorf("the owner was served at position %d, want 4: after each address of the flood once", got)
		}
	})
}

func TestLine_RefusesWhenEveryPlaceBelongsToAnotherAddress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t)
		for i := range maxWaiting + 1 {
			c.wait(fmt.Sprint(i), Ticket{Address: fmt.Sprint(i), Account: fmt.Sprint(i)})
		}
		if !slices.Equal(c.refused, []string{fmt.Sprint(maxWaiting)}) {
			t.Errorf("refused %q, want the last client", c.refused)
		}
		c.wait("fresh", Ticket{Address: "home", Account: "o", Lane: Fresh})
		if got := c.serve(); !slices.Contains(got[:2], "fresh") || len(got) != maxWaiting+1 {
			t.Errorf("served %d clients, %q first, want all %d, and the fresh one among the first two", len(got), got[:2], maxWaiting+1)
		}
	})
}

func TestLine_ForgetsClientsThatLeaveOrRunOutOfPatience(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := New(1, Patience)
		release, err := l.Take(t.Context(), Ticket{})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if _, err := l.Take(t.Context(), Ticket{}); !problem.Is(err, problem.Overloaded) || time.Since(start) != Patience {
			t.Errorf("after %s: got %v, want an Overloaded problem after %s", time.Since(start), err, Patience)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := l.Take(ctx, Ticket{}); err == nil {
			t.Error("got a slot for a canceled context, want an error")
		}
		if lane := &l.lanes[Known]; lane.waiting != 0 || len(lane.addresses) != 0 || len(lane.accounts) != 0 {
			t.Errorf("the lane still has %+v", lane)
		}
		release()
		if _, err := l.Take(t.Context(), Ticket{}); err != nil {
			t.Errorf("after a release: got %v, want a slot", err)
		}
	})
}
