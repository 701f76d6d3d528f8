package store_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/audit"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

const keepAudit = 400 * day

// oldLog is a store whose audit log has linked entries of several ages.
type oldLog struct {
	*store.Store
	url          string
	acme, globex uuid.UUID
}

// newOldLog returns a store whose chains began long ago. Acme and the platform have entries of the last 500 days,
// globex has only old ones.
func newOldLog(t *testing.T, url string) *oldLog {
	t.Helper()
	l := &oldLog{Store: storetest.Open(t, db.Options{URL: url}), url: url, acme: uuid.New(), globex: uuid.New()}
	storetest.Exec(t, url, "UPDATE audit_chain_start SET started_at = '2001-01-01 00:00:00+00:00'")
	for i, days := range []int{500, 450, 402, 399, 10, 0} {
		l.add(t, l.acme, fmt.Sprintf("a%d", i), days)
		l.add(t, uuid.Nil, fmt.Sprintf("p%d", i), days)
	}
	for i, days := range []int{500, 480, 460} {
		l.add(t, l.globex, fmt.Sprintf("g%d", i), days)
	}
	l.chain(t)
	return l
}

// idOf returns an id as it was made a number of days ago.
func idOf(days int) uuid.UUID {
	id, at := storetest.NewID(), [8]byte{}
	binary.BigEndian.PutUint64(at[:], uint64(time.Now().AddDate(0, 0, -days).UnixMilli())<<16)
	copy(id[:6], at[:6])
	return id
}

// timeOf returns the time a number of days ago as both databases read it.
func timeOf(days int) string {
	return time.Now().UTC().AddDate(0, 0, -days).Format("2006-01-02 15:04:05+00:00")
}

// add inserts an entry as it was written a number of days ago.
func (l *oldLog) add(t *testing.T, of uuid.UUID, target string, days int) {
	t.Helper()
	storetest.Exec(t, l.url, insertion([]uuid.UUID{of}, target, days))
}

// insertion returns a statement that inserts an entry of each tenant.
func insertion(tenants []uuid.UUID, target string, days int) string {
	rows := make([]string, len(tenants))
	for i, of := range tenants {
		owner := "'" + of.String() + "'"
		if of == uuid.Nil {
			owner = "NULL"
		}
		rows[i] = fmt.Sprintf("('%s', %s, 'a@acme.example', 'token.create', '%s', '{}', '', '%s')",
			idOf(days), owner, target, timeOf(days))
	}
	return "INSERT INTO audit_log (id, tenant_id, actor, action, target, detail, address, created_at) VALUES " +
		strings.Join(rows, ", ")
}

// chain links all entries.
func (l *oldLog) chain(t *testing.T) {
	t.Helper()
	for storetest.Need(l.Audit.Chain(background, platform, time.Time{}))(t) > 0 {
		continue
	}
}

// breaks returns what Verify reports.
func (l *oldLog) breaks(t *testing.T) (found []audit.Break) {
	t.Helper()
	storetest.Need(l.Audit.Verify(background, platform, func(b audit.Break) { found = append(found, b) }))(t)
	return found
}

// targets returns the targets of all entries but those of Prune, oldest first.
func (l *oldLog) targets(t *testing.T) (all []string) {
	t.Helper()
	for _, e := range storetest.Need(l.Audit.List(background, platform, audit.Query{Page: page.Page{Limit: 200}}))(
		t).Items {
		if e.Action != audit.Pruning {
			all = append([]string{e.Target}, all...)
		}
	}
	return all
}

func TestPrune_DeletesOldEntriesAndKeepsTheChains(t *testing.T) {
	t.Parallel()
	for kind, url := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			l := newOldLog(t, url(t))
			storetest.Equal(t, "deleted", storetest.Need(l.Audit.Prune(background, platform, keepAudit))(t), 3+3+2)
			left := map[string]bool{}
			for _, target := range l.targets(t) {
				left[target] = true
			}
			for target, want := range map[string]bool{"a2": false, "a3": true, "a5": true, "p2": false, "p3": true,
				"g1": false, "g2": true} {
				storetest.Equal(t, "kept "+target, left[target], want)
			}
			storetest.Equal(t, "breaks before the entries of Prune have links", len(l.breaks(t)), 0)
			l.chain(t)
			storetest.Equal(t, "breaks", len(l.breaks(t)), 0)

			// The newest link of globex is old and was kept. It is no longer the newest.
			storetest.Equal(t, "deleted later", storetest.Need(l.Audit.Prune(background, platform, keepAudit))(t), 1)
			storetest.Equal(t, "deleted by a repeat", storetest.Need(l.Audit.Prune(background, platform, keepAudit))(t),
				0)
			l.chain(t)
			storetest.Equal(t, "breaks later", len(l.breaks(t)), 0)
			pruned := storetest.Need(l.Audit.List(background, platform,
				audit.Query{TenantID: l.globex, Action: audit.Pruning}))(t).Items
			storetest.Equal(t, "entries of Prune", len(pruned), 2)
			storetest.Equal(t, "number of deleted entries", pruned[1].Detail["entries"], any(2.0))
		})
	}
}

func TestPrune_DeletesInBatches(t *testing.T) {
	t.Parallel()
	for kind, url := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			l := &oldLog{url: url(t), acme: uuid.New()}
			l.Store = storetest.Open(t, db.Options{URL: l.url})
			many := slices.Repeat([]uuid.UUID{l.acme}, 1050)
			for range 2 { // a batch is 2,000
				storetest.Exec(t, l.url, insertion(many, "before the chain began", 420))
				storetest.Exec(t, l.url, insertion(many, "linked", 410))
			}
			storetest.Exec(t, l.url, "UPDATE audit_chain_start SET started_at = '"+timeOf(415)+"'")
			l.add(t, l.acme, "new", 1)
			l.chain(t)
			storetest.Equal(t, "deleted", storetest.Need(l.Audit.Prune(background, platform, keepAudit))(t), 4200)
			storetest.Equal(t, "entries of Prune",
				len(storetest.Need(l.Audit.List(background, platform, audit.Query{Action: audit.Pruning}))(t).Items), 2)
			storetest.Equal(t, "entries left", len(l.targets(t)), 1)
			l.chain(t)
			storetest.Equal(t, "breaks", len(l.breaks(t)), 0)
		})
	}
}

// Verify reports each way to remove entries that Prune did not remove.
func TestPrune_LeavesAnAnchorThatCannotBeMovedUnseen(t *testing.T) {
	t.Parallel()
	forget := `DELETE FROM audit_log WHERE target = 'a3'; DELETE FROM audit_chain WHERE seq = 4 AND tenant_id = 'ACME';`
	for kind, url := range storetest.Kinds() {
		for name, tamper := range map[string]string{
			"another hash": "UPDATE audit_anchors SET hash = (SELECT hash FROM audit_chain WHERE seq = 5 AND " +
				"tenant_id = 'ACME') WHERE tenant_id = 'ACME'",
			"a higher number": "UPDATE audit_anchors SET seq = seq + 1 WHERE tenant_id = 'ACME'",
			"a lower number":  "UPDATE audit_anchors SET seq = seq - 1 WHERE tenant_id = 'ACME'",
			"no anchor":       "DELETE FROM audit_anchors WHERE tenant_id = 'ACME'",
			"the first entry": forget,
			"a moved anchor": "UPDATE audit_anchors SET seq = 4, hash = (SELECT hash FROM audit_chain WHERE seq " +
				"= 4 AND tenant_id = 'ACME') WHERE tenant_id = 'ACME';" + forget,
			"no entry of Prune":  "DELETE FROM audit_log WHERE action = 'audit_log.prune'",
			"no links":           "DELETE FROM audit_chain WHERE tenant_id = 'ACME'",
			"another old target": "UPDATE audit_log SET target = '4:00' WHERE action = 'audit_log.prune'",
		} {
			t.Run(kind+"/"+name, func(t *testing.T) {
				t.Parallel()
				l := newOldLog(t, url(t))
				storetest.Need(l.Audit.Prune(background, platform, keepAudit))(t)
				l.chain(t)
				storetest.Exec(t, l.url, strings.ReplaceAll(tamper, "ACME", l.acme.String()))
				if len(l.breaks(t)) == 0 {
					t.Error("Verify reports nothing")
				}
			})
		}
	}
}

func TestPrune_RefusesToDeleteRecentEntries(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		for _, keep := range []time.Duration{-day, 0, 30 * day} {
			if _, err := s.Audit.Prune(background, platform, keep); err == nil {
				t.Errorf("a retention of %v was accepted", keep)
			}
		}
	})
	l := newOldLog(t, storetest.Postgres(t))
	for _, before := range []string{"now()", "now() - interval '29 days'", "'infinity'", "'-infinity'",
		"'1900-01-01'", "NULL"} {
		if err := storetest.Try(t, l.url, fmt.Sprintf("SELECT prune_audit_log('%s', %s, 100)", l.acme, before)); err ==
			nil {
			t.Errorf("the function accepts the time %s", before)
		}
	}
	if err := storetest.Try(t, l.url, "SET ROLE tollgate_tenant; SELECT prune_audit_log('"+l.acme.String()+
		"', now() - interval '31 days', 100)"); !refusedByPrivilege(err) {
		t.Errorf("got %v, want that the role of tenants may not call the function", err)
	}
	storetest.Equal(t, "entries", len(l.targets(t)), 15)
}
