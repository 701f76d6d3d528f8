package client_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/client"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

const keep = 90 * 24 * time.Hour

var (
	relay = tenant.SystemScope("relay")
	noon  = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
)

// clientOf returns a client that called once with the user's token.
func clientOf(f *storetest.Customer, u tenant.User, address, agent string, at time.Time) usage.Client {
	from, _ := netip.ParseAddr(address)
	return usage.Client{TenantID: u.TenantID, UserID: u.ID, TokenID: f.Tokens[u.ID].ID, Address: from, Agent: agent,
		FirstAt: at, LastAt: at, Calls: 1}
}

// clientsOf returns n clients with different addresses, a second after each other.
func clientsOf(f *storetest.Customer, u tenant.User, net string, n int, at time.Time) (clients []usage.Client) {
	for i := range n {
		later := at.Add(time.Duration(i) * time.Second)
		clients = append(clients, clientOf(f, u, fmt.Sprintf("%s.%d", net, i), "curl/8", later))
	}
	return clients
}

func record(t testing.TB, s *store.Store, clients ...usage.Client) {
	t.Helper()
	storetest.OK(t, s.Client.Record(background, relay, clients, keep))
}

// list returns the clients of the user's token, each as a line.
func list(t testing.TB, s *store.Store, scope tenant.Scope, f *storetest.Customer, u tenant.User) (lines []string) {
	t.Helper()
	for _, c := range storetest.Need(s.Client.OfToken(background, scope, f.Tokens[u.ID].ID))(t) {
		lines = append(lines, fmt.Sprintf("%s %s %s-%s %d", c.Address, c.Agent, c.FirstAt.Format(time.TimeOnly),
			c.LastAt.Format(time.TimeOnly), c.Calls))
	}
	return lines
}

func wantLines(t testing.TB, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestRecord_AddsTheCallsOfAnAddressAndAnAgent(t *testing.T) {
	storetest.EachAt(t, noon, func(t *testing.T, s *store.Store, _ *time.Time) {
		f := storetest.NewCustomer(t, s, "acme")
		long := strings.Repeat("x", usage.MaxAgent-1)
		record(t, s,
			clientOf(&f, f.Member, "192.0.2.1", "curl/8", noon.Add(time.Minute)),
			clientOf(&f, f.Member, "192.0.2.1", "curl/8\x00", noon), // the same when it is cleaned
			clientOf(&f, f.Member, "2001:db8::1", "curl/8", noon.Add(-time.Second)),
			clientOf(&f, f.Member, "192.0.2.1", "", noon.Add(-2*time.Second)),
			clientOf(&f, f.Member, "192.0.2.1", long+"é", noon.Add(-3*time.Second)),
			clientOf(&f, f.Member, "", "without an address", noon.Add(-4*time.Second)))
		record(t, s, clientOf(&f, f.Member, "192.0.2.1", "curl/8", noon.Add(30*time.Second)))
		wantLines(t, list(t, s, f.AsMember, &f, f.Member),
			"192.0.2.1 curl/8 12:00:00-12:01:00 3",
			"2001:db8::1 curl/8 11:59:59-11:59:59 1",
			"192.0.2.1  11:59:58-11:59:58 1",
			"192.0.2.1 "+long+" 11:59:57-11:59:57 1",
			"invalid IP  11:59:56-11:59:56 1")
		_, err := s.Client.OfToken(background, relay, f.Tokens[f.Member.ID].ID)
		storetest.OK(t, err)
		storetest.Refuses(t, s.Client.Record(background, f.AsOwner, nil, keep), problem.Forbidden, "")
		storetest.OK(t, s.Client.Record(background, relay, nil, keep))
	})
}

func TestRecord_CountsFurtherClientsOfATokenTogether(t *testing.T) {
	storetest.EachAt(t, noon, func(t *testing.T, s *store.Store, _ *time.Time) {
		f := storetest.NewCustomer(t, s, "acme")
		const first = client.PerToken - 5
		record(t, s, clientsOf(&f, f.Member, "192.0.2", first, noon)...)
		record(t, s, clientsOf(&f, f.Member, "198.51.100", 9, noon)...)
		record(t, s, clientsOf(&f, f.Member, "192.0.2", first, noon.Add(time.Hour))...) // stored clients count alone
		record(t, s, clientsOf(&f, f.Member, "203.0.113", 2, noon)...)
		record(t, s, clientOf(&f, f.Owner, "192.0.2.1", "curl/8", noon)) // of another token
		lines := list(t, s, f.AsMember, &f, f.Member)
		storetest.Equal(t, "clients", len(lines), client.PerToken+1)
		storetest.Equal(t, "latest client", lines[0], "192.0.2.94 curl/8 12:01:34-13:01:34 2")
		storetest.Equal(t, "further clients", lines[first], "invalid IP  12:00:00-12:00:08 6")
		storetest.Equal(t, "the earliest ones have the room", lines[first+1], "198.51.100.4 curl/8 12:00:04-12:00:04 1")
	})
}

func TestRecord_OfSeveralRelaysKeepsTheBoundAndEachCall(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		const each = 40
		runs := 0
		for round := range 3 {
			runs = storetest.Race(t, func(i int) error {
				clients := clientsOf(&f, f.Member, fmt.Sprintf("192.0.%d", i+round), each, time.Now())
				owner := clientsOf(&f, f.Owner, fmt.Sprintf("198.51.%d", i+round), each, time.Now())
				clients = append(clients, owner...)
				return s.Client.Record(background, relay, clients, keep)
			})
		}
		for _, u := range []tenant.User{f.Member, f.Owner} {
			clients := storetest.Need(s.Client.OfToken(background, f.AsOwner, f.Tokens[u.ID].ID))(t)
			var calls int64
			for _, c := range clients {
				calls += c.Calls
			}
			if len(clients) != client.PerToken+1 || calls != int64(runs)*3*each {
				t.Errorf("got %d clients with %d calls, want %d with %d", len(clients), calls, client.PerToken+1,
					runs*3*each)
			}
		}
	})
}

func TestOfToken_ShowsWhatTheScopeReaches(t *testing.T) {
	storetest.EachAt(t, noon, func(t *testing.T, s *store.Store, _ *time.Time) {
		acme, globex := storetest.NewCustomer(t, s, "acme"), storetest.NewCustomer(t, s, "globex")
		record(t, s, clientOf(&acme, acme.Member, "192.0.2.1", "curl/8", noon),
			clientOf(&acme, acme.Owner, "192.0.2.2", "", noon))
		for _, row := range []struct {
			name  string
			scope tenant.Scope
			of    tenant.User
			want  int
		}{
			{"a member", acme.AsMember, acme.Member, 1},
			{"a member, of a colleague's token", acme.AsMember, acme.Owner, 0},
			{"an owner", acme.AsOwner, acme.Member, 1},
			{"another tenant", globex.AsOwner, acme.Member, 0},
			{"an operator", storetest.AsOperator(t, s), acme.Owner, 1},
		} {
			if n := len(list(t, s, row.scope, &acme, row.of)); n != row.want {
				t.Errorf("%s: got %d clients, want %d", row.name, n, row.want)
			}
		}
	})
}

func TestClient_IsThatOfTheScope(t *testing.T) {
	storetest.EachAt(t, noon, func(t *testing.T, s *store.Store, now *time.Time) {
		acme, globex := storetest.NewCustomer(t, s, "acme"), storetest.NewCustomer(t, s, "globex")
		record(t, s, clientOf(&acme, acme.Owner, "192.0.2.1", "curl/8", noon),
			clientOf(&acme, acme.Owner, "", "", noon))
		clients := storetest.Need(s.Client.OfToken(background, acme.AsOwner, acme.Tokens[acme.Owner.ID].ID))(t)
		for _, c := range clients {
			for _, scope := range []tenant.Scope{acme.AsMember, globex.AsOwner} {
				_, err := s.Client.Client(background, scope, c.ID)
				storetest.Refuses(t, err, problem.NotFound, "")
			}
			found, err := s.Client.Client(background, acme.AsAdmin, c.ID)
			if !c.Address.IsValid() {
				storetest.Refuses(t, err, problem.NotFound, "")
				continue
			}
			storetest.OK(t, err)
			storetest.Equal(t, "client", found, c)
		}
		*now = noon.Add(keep).AddDate(0, 0, 1)
		_, err := s.Client.Client(background, acme.AsOwner, clients[0].ID)
		storetest.Refuses(t, err, problem.NotFound, "")
	})
}

func TestSweep_DeletesClientsThatWereNotUsedForLong(t *testing.T) {
	storetest.EachAt(t, noon, func(t *testing.T, s *store.Store, now *time.Time) {
		worker := tenant.SystemScope("worker")
		f := storetest.NewCustomer(t, s, "acme")
		record(t, s, clientOf(&f, f.Member, "192.0.2.1", "curl/8", noon),
			clientOf(&f, f.Member, "192.0.2.2", "curl/8", noon))
		record(t, s, clientOf(&f, f.Member, "192.0.2.2", "curl/8", noon.AddDate(0, 0, 2)))
		*now = noon.Add(keep).AddDate(0, 0, 1)
		storetest.OK(t, s.Sweep(background, worker))
		wantLines(t, list(t, s, f.AsMember, &f, f.Member), "192.0.2.2 curl/8 12:00:00-12:00:00 2")
		storetest.Refuses(t, s.Client.Clear(background, f.AsOwner), problem.Forbidden, "")
		storetest.OK(t, s.Client.Clear(background, worker))
		wantLines(t, list(t, s, f.AsMember, &f, f.Member))
	})
}
