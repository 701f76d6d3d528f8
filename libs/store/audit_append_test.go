package store_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/audit"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

func TestAppend_CleansTextsThatPostgresRefuses(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		const bad = "a\x00b\xff"
		ok(t, s.Audit.Append(background, platform, []audit.Entry{{
			Actor: bad, Action: bad, Target: bad, Address: bad, CreatedAt: time.Now(),
			Detail: map[string]any{bad: bad, "list": []string{bad},
				"nested": map[string]any{"x": map[string]int64{bad: 3}}},
		}}))
		found := need(s.Audit.List(background, platform, audit.Query{Actor: bad}))(t).Items
		if len(found) != 1 {
			t.Fatalf("got %v, want the entry", found)
		}
		const clean = "ab\ufffd"
		e := found[0]
		equal(t, "texts", strings.Join([]string{e.Actor, e.Action, e.Target, e.Address}, " "),
			strings.Join([]string{clean, clean, clean, clean}, " "))
		equal(t, "detail", fmt.Sprint(e.Detail),
			fmt.Sprintf("map[%s:%[1]s list:[%[1]s] nested:map[x:map[%[1]s:3]]]", clean))
	})
}

func TestAppend_AddsADailyEntryOnceInEachDay(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		noon, key := time.Now().UTC().Truncate(day).Add(12*time.Hour), uuid.NewString()
		for i := range 3 {
			use := func(address string, at time.Time) audit.Entry {
				return audit.Entry{Action: "access_key.use", Target: key, Address: address, CreatedAt: at, Daily: true}
			}
			ok(t, s.Audit.Append(background, platform, []audit.Entry{
				use("192.0.2.1", noon.Add(time.Duration(i)*time.Hour)), use("192.0.2.2", noon),
				use("192.0.2.1", noon.Add(day)),
				{Action: "tenant.read", Target: key, CreatedAt: noon},
			}))
		}
		equal(t, "daily entries",
			len(need(s.Audit.List(background, platform, audit.Query{Action: "access_key.use"}))(t).Items), 3)
		equal(t, "other entries",
			len(need(s.Audit.List(background, platform, audit.Query{Action: "tenant.read"}))(t).Items), 3)
		ok(t, s.Sweep(background, platform))
	})
}

func TestAppend_TellsContentThatIsRefusedFromFailures(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, db.Options{URL: storetest.Postgres(t)})
	long := ""
	for len(long) < 10_000 { // too long for an index; Postgres would compress a text that repeats
		long += uuid.NewString()
	}
	err := s.Audit.Append(background, platform,
		[]audit.Entry{{Action: "tenant.read", Target: long, CreatedAt: time.Now()}})
	if !errors.Is(err, db.ErrRefused) {
		t.Errorf("got %v, want ErrRefused", err)
	}
}
