package store_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/audit"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// Verify reports an entry that somebody with the database changes, removes or inserts, on each kind of database.
func TestAuditChain_ShowsWhatWasTamperedWith(t *testing.T) {
	t.Parallel()
	for kind, url := range storetest.Kinds() {
		for name, tamper := range map[string]string{
			"a changed actor":   "UPDATE audit_log SET actor = 'somebody' WHERE target = 'n3'",
			"a changed detail":  `UPDATE audit_log SET detail = '{"n": 4}' WHERE target = 'n3'`,
			"a changed address": "UPDATE audit_log SET address = '192.0.2.9' WHERE target = 'n3'",
			"a removed entry":   "DELETE FROM audit_log WHERE target = 'n3'",
			"a removed link": "DELETE FROM audit_chain WHERE entry_id = (SELECT id FROM audit_log WHERE " +
				"target = 'n3')",
			"an entry and link": "DELETE FROM audit_chain WHERE entry_id = (SELECT id FROM audit_log WHERE " +
				"target = 'n3'); DELETE FROM audit_log WHERE target = 'n3'",
			"another tenant":       "UPDATE audit_log SET tenant_id = NULL WHERE target = 'n3'",
			"nothing":              "",
			"an entry from before": "UPDATE audit_log SET actor = 'somebody' WHERE target = 'before'",
		} {
			t.Run(kind+"/"+name, func(t *testing.T) {
				t.Parallel()
				database := url(t)
				s := storetest.Open(t, db.Options{URL: database})
				scope, acme, globex := tenant.SystemScope("test"), uuid.New(), uuid.New()
				add := func(of uuid.UUID, target string, at time.Time) {
					if err := s.Audit.Append(t.Context(), scope, []audit.Entry{{
						TenantID: of, Actor: "a@acme.example", Action: "token.create", Target: target,
						Detail: map[string]any{"n": 3, "b": []string{"x"}}, CreatedAt: at,
					}}); err != nil {
						t.Fatal(err)
					}
				}
				add(acme, "before", time.Now().Add(-48*time.Hour))
				for i := range 6 {
					add(acme, fmt.Sprintf("n%d", i), time.Now())
					add(globex, fmt.Sprintf("g%d", i), time.Now())
					add(uuid.Nil, fmt.Sprintf("p%d", i), time.Now())
				}
				chainTogether(t, s)
				if tamper != "" {
					storetest.Exec(t, database, tamper)
				}
				var breaks []audit.Break
				sum, err := s.Audit.Verify(t.Context(), scope, func(b audit.Break) { breaks = append(breaks, b) })
				if err != nil {
					t.Fatal(err)
				}
				harmless := name == "nothing" || name == "an entry from before"
				if (len(breaks) == 0) != harmless || sum.Breaks != len(breaks) {
					t.Errorf("got %+v, %v", sum, breaks)
				}
				if harmless && sum.Entries != 18 {
					t.Errorf("got %d entries, want 18", sum.Entries)
				}
				for _, b := range breaks {
					if b.TenantID != acme && name != "another tenant" {
						t.Errorf("%+v: the chain of another tenant is broken", b)
					}
				}
			})
		}
	}
}

// An entry of Append may be of long ago, because it waited for the database.
func TestChain_LinksWhatWasWrittenLatelyAboutLongAgo(t *testing.T) {
	t.Parallel()
	for kind, url := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			database := url(t)
			s := storetest.Open(t, db.Options{URL: database})
			storetest.Exec(t, database, "UPDATE audit_chain_start SET started_at = '2001-01-01 00:00:00+00:00'")
			storetest.OK(t, s.Audit.Append(t.Context(), platform, []audit.Entry{{Actor: "a@acme.example",
				Action: "session.refused", CreatedAt: time.Now().Add(-3 * time.Hour)}}))
			storetest.Equal(t, "links", storetest.Need(s.Audit.Chain(t.Context(), platform, time.Now()))(t), 1)
		})
	}
}

// chainTogether links all entries from several processes at once.
func chainTogether(t *testing.T, s *store.Store) {
	t.Helper()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			_, err := s.Audit.Chain(t.Context(), tenant.SystemScope("test"), time.Time{})
			if err != nil && !errors.Is(err, audit.ErrOvertaken) {
				t.Error(err)
			}
		})
	}
	all.Wait()
}
