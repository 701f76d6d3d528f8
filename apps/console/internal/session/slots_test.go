package session

import (
	"fmt"
	"net/netip"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/problem"
)

func TestSlotCount_LeavesACoreAndBoundsTheMemory(t *testing.T) {
	t.Parallel()
	if got, cores := slotCount(), runtime.GOMAXPROCS(0); got < 1 || got > maxSlots || cores > 1 && got >= cores {
		t.Errorf("slotCount() = %d on %d cores, want at least 1, at most %d, and less than the cores if there are "+
			"several", got, cores, maxSlots)
	}
}

// line is a slot for which clients wait, in a bubble of synctest.
type line struct {
	*testing.T
	*slots
	served, refused []string
	release         chan struct{}
}

// newLine returns a line whose only slot is taken.
func newLine(t *testing.T) *line {
	l := &line{T: t, slots: newSlots(1, 0, nil), release: make(chan struct{})}
	slot, err := l.acquire(t.Context(), applicant{})
	if err != nil {
		t.Fatal(err)
	}
	go func() { <-l.release; slot.Release() }()
	return l
}

// wait lets a client wait for the slot, and give it back at once.
func (l *line) wait(name string, a applicant) {
	go func() {
		slot, err := l.acquire(l.Context(), a)
		if err != nil {
			l.refused = append(l.refused, name)
			return
		}
		l.served = append(l.served, name)
		slot.Release()
	}()
	synctest.Wait()
}

// serve gives the slot back and returns the order in which the clients were served.
func (l *line) serve() []string {
	close(l.release)
	synctest.Wait()
	if q, places := l.queue.Stats(), l.accounts.Stats(); q.Held != 0 || q.Waiting != 0 || places.Held != 0 {
		l.Errorf("at the end: got %+v and %+v, want nothing", q, places)
	}
	return l.served
}

func TestSlots_GoToNetworksAndThenAccountsInTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLine(t)
		for i := range 5 {
			l.wait(fmt.Sprintf("flood %d", i), applicant{network: "flood", account: "a"})
		}
		l.wait("colleague", applicant{network: "flood", account: "b"})
		l.wait("elsewhere", applicant{network: "other", account: "a"})
		want := []string{"flood 0", "elsewhere", "colleague", "flood 1", "flood 2", "flood 3", "flood 4"}
		if got := l.serve(); !slices.Equal(got, want) {
			t.Errorf("served %q, want %q", got, want)
		}
	})
}

func TestSlots_GoToKindsInTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLine(t)
		for i := range 4 {
			l.wait(fmt.Sprintf("other %d", i), applicant{network: fmt.Sprint(i), kind: otherStranger})
		}
		for i := range 2 {
			l.wait(fmt.Sprintf("known %d", i), applicant{network: fmt.Sprint(i), kind: knownClient})
			l.wait(fmt.Sprintf("fresh %d", i), applicant{network: fmt.Sprint(i), kind: freshStranger})
		}
		want := []string{"other 0", "known 0", "fresh 0", "other 1", "known 1", "fresh 1", "other 2", "other 3"}
		if got := l.serve(); !slices.Equal(got, want) {
			t.Errorf("served %q, want %q", got, want)
		}
	})
}

func TestSlots_BoundTheClientsOfANetworkAndAtAnAccount(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLine(t)
		for i := range 100 {
			l.wait("network", applicant{network: "flood", account: fmt.Sprint(i)})
			l.wait("account", applicant{network: fmt.Sprint(i), account: "a"})
		}
		if got, want := len(l.refused), 200-waitingOfNetwork-waitingAtAccount; got != want {
			t.Errorf("%d clients were refused, want %d", got, want)
		}
		l.wait("owner", applicant{network: "home", account: "b"})
		if got := slices.Index(l.serve(), "owner"); got < 0 || got > waitingAtAccount+1 {
			t.Errorf("the owner was served at position %d, want at most %d", got, waitingAtAccount+1)
		}
	})
}

// An account of another tenant may claim the same address.
func TestSlots_LeaveThePlacesOfAUserToTheUser(t *testing.T) {
	t.Parallel()
	now, owner, claimant := time.Now(), userAt("a@x"), uuid.New()
	s := attempts(&now)
	synctest.Test(t, func(t *testing.T) {
		l := newLine(t)
		wait := func(name, network string, c Credentials) {
			c.Email, c.Address = owner.Email, netip.MustParseAddr(network)
			from := s.guesserOf(&c, owner.ID)
			l.wait(name, s.applicant(&from))
		}
		for i := range waitingAtAccount {
			session := uuid.New()
			wait("claimant", fmt.Sprintf("198.51.100.%d", i), Credentials{Session: &session, UserID: claimant})
		}
		session := uuid.New()
		wait("owner's device", "203.0.113.7", Credentials{Device: s.known(t, "", owner)})
		wait("owner's session", "203.0.113.7", Credentials{Session: &session, UserID: owner.ID})
		if len(l.refused) > 0 {
			t.Errorf("%q were refused, want nobody", l.refused)
		}
		session = uuid.New()
		wait("claimant", "203.0.113.8", Credentials{Session: &session, UserID: claimant})
		if !slices.Equal(l.refused, []string{"claimant"}) {
			t.Errorf("%q were refused, want the ninth client of the claimant", l.refused)
		}
		l.serve()
	})
}

func TestSlots_OfAFullNetworkGoToAnotherAccountToo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLine(t)
		for i := range waitingOfNetwork {
			l.wait("flood", applicant{network: "office", account: fmt.Sprint(i % 2)})
		}
		l.wait("colleague", applicant{network: "office", account: "c"})
		if !slices.Equal(l.refused, []string{"flood"}) {
			t.Errorf("refused %q, want one client of the flood", l.refused)
		}
		if got := slices.Index(l.serve(), "colleague"); got != 2 {
			t.Errorf("the colleague was served at position %d, want 2: after each account of the flood once", got)
		}
	})
}

func TestSlots_WhenTooManyWaitServeANewNetworkAndTheOtherKinds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLine(t)
		for i := range waitingOfKind {
			l.wait("flood", applicant{network: fmt.Sprint(i % 4), account: fmt.Sprint(i), kind: otherStranger})
		}
		l.wait("owner", applicant{network: "home", account: "o", kind: otherStranger})
		l.wait("fresh", applicant{network: "home", account: "o", kind: freshStranger})
		if !slices.Equal(l.refused, []string{"flood"}) {
			t.Errorf("refused %q, want one client of the flood", l.refused)
		}
		got := l.serve()
		if i := slices.Index(got, "owner"); i != 5 {
			t.Errorf("the owner was served at position %d, want 5: after each network of the flood once, and the "+
				"other kind", i)
		}
		if i := slices.Index(got, "fresh"); i != 1 {
			t.Errorf("the other kind was served at position %d, want 1", i)
		}
	})
}

func TestSlots_RefuseAfterTheirPatience(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLine(t)
		begun := time.Now()
		_, err := l.acquire(t.Context(), applicant{})
		if p := problem.From(err); p.Kind != problem.Overloaded || p.RetryAfter != hashPatience ||
			time.Since(begun) != hashPatience {
			t.Errorf("after %s: got %v, want an Overloaded problem after %s", time.Since(begun), err, hashPatience)
		}
		l.serve()
	})
}
