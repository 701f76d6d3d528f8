package auditbuffer

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/netip"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/audit"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

func TestMain(m *testing.M) { os.Exit(storetest.Main(m)) }

// console is a Buffer on a store, as one process has it.
func console(t *testing.T, s *store.Store, now func() time.Time) *Buffer {
	t.Helper()
	made, err := New(Options{Log: s.Audit, Now: now, Logger: slog.New(slog.DiscardHandler),
		Registry: prometheus.NewRegistry()})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// stored returns the entries of the action in the store.
func stored(t *testing.T, s *store.Store, action string) []audit.Entry {
	t.Helper()
	found, err := s.Audit.List(t.Context(), tenant.SystemScope("test"),
		audit.Query{Action: action, Page: page.Page{Limit: 200}})
	if err != nil {
		t.Fatal(err)
	}
	return found.Items
}

func TestBuffer_RecordsAUseOfAKeyOnceForAllConsoles(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		now := time.Now().UTC().Truncate(24 * time.Hour)
		clock := func() time.Time { return now }
		key, tenantID := uuid.NewString(), uuid.New()
		for day := range 2 {
			for range 3 { // consoles, or starts of one
				one := console(t, s, clock)
				// The last two are one network.
				for _, address := range []string{"192.0.2.1", "2001:db8::1", "2001:db8::2"} {
					one.Use(&Event{Action: KeyUsed, TenantID: tenantID, Target: key,
						Address: netip.MustParseAddr(address)})
				}
				one.write(t.Context(), now)
			}
			if got := len(stored(t, s, KeyUsed)); got != 2*(day+1) {
				t.Errorf("got %d entries on day %d, want one for each day and network: %d", got, day+1, 2*(day+1))
			}
			now = now.Add(24 * time.Hour)
		}
	})
}

// unlinking is a Log whose Chain fails, as often as there are errors. It records since when Chain had to look.
type unlinking struct {
	Log
	errs  []error
	since []time.Time
}

func (u *unlinking) Chain(ctx context.Context, scope tenant.Scope, since time.Time) (int, error) {
	u.since = append(u.since, since)
	if len(u.errs) > 0 {
		err := u.errs[0]
		u.errs = u.errs[1:]
		return 0, err
	}
	return u.Log.Chain(ctx, scope, since)
}

func TestBuffer_LinksOldEntriesAfterAnOutage(t *testing.T) {
	t.Parallel()
	down := errors.New("the database is down")
	for name, errs := range map[string][]error{
		"of the database":              {down},
		"and another console was fast": {down, audit.ErrOvertaken},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.EachAt(t, time.Now().Add(time.Hour), func(t *testing.T, s *store.Store, now *time.Time) {
				one := console(t, s, func() time.Time { return *now })
				one.work(t.Context()) // what was there before
				failing := &unlinking{Log: s.Audit, errs: errs}
				one.Log = failing
				one.Note(guess("192.0.2.1", "a@acme.example"))
				for range len(errs) + 2 {
					one.work(t.Context())
					*now = now.Add(2 * time.Hour)
				}
				verified, err := s.Audit.Verify(t.Context(), tenant.SystemScope("test"), func(audit.Break) {})
				if err != nil || verified.Unlinked != 0 || verified.Entries == 0 {
					t.Errorf("got %+v, %v, want links of all entries", verified, err)
				}
				if slices.ContainsFunc(failing.since, time.Time.IsZero) {
					t.Error("the whole log was read again because of a failure")
				}
			})
		})
	}
}

// Postgres refuses texts that are too long for the index of their column.
func TestBuffer_LosesOnlyTheEventThatTheDatabaseRefuses(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, db.Options{URL: storetest.Postgres(t)})
	one := console(t, s, time.Now)
	long := ""
	for len(long) < 10_000 { // Postgres would compress a text that repeats
		long += rand.Text()
	}
	for i := range 9 {
		one.Note(&Event{Action: SignInRefused, Address: netip.AddrFrom4([4]byte{192, 0, 2, byte(i)}),
			What: "a\x00b\xff@acme.example"})
		if i%4 == 0 {
			one.Note(&Event{Action: TenantRead, Target: long, Address: netip.AddrFrom4([4]byte{192, 0, 2, byte(i)})})
		}
	}
	one.write(t.Context(), time.Now())
	if got := len(stored(t, s, SignInRefused)); got != 9 {
		t.Errorf("got %d entries, want all 9 that the database accepts", got)
	}
	if got := testutil.ToFloat64(one.lost); got != 3 {
		t.Errorf("the metric counts %v lost events, want 3", got)
	}
	one.write(t.Context(), time.Now().Add(time.Minute))
	lost := stored(t, s, EventsLost)
	if len(lost) != 1 || lost[0].Detail["count"] != 3.0 {
		t.Errorf("got %+v, want an entry for 3 lost events", lost)
	}
}
