package store_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/audit"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/identity"
	storepage "github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/storetest"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
)

func TestAppend_CleansTextsThatPostgresRefuses(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		const bad = "a\x00b\xff"
		storetest.OK(t, s.Audit.Append(background, platform, []audit.Entry{{
			Actor: bad, Action: bad, Target: bad, Address: bad, CreatedAt: time.Now(),
			Detail: map[string]any{bad: bad, "list": []string{bad},
				"nested": map[string]any{"x": map[string]int64{bad: 3}}},
		}}))
		found := storetest.Need(s.Audit.List(background, platform, audit.Query{Actor: bad}))(t).Items
		if len(found) != 1 {
			t.Fatalf("got %v, want the entry", found)
		}
		const clean = "ab\ufffd"
		e := found[0]
		storetest.Equal(t, "texts", strings.Join([]string{e.Actor, e.Action, e.Target, e.Address}, " "),
			strings.Join([]string{clean, clean, clean, clean}, " "))
		storetest.Equal(t, "detail", fmt.Sprint(e.Detail),
			fmt.Sprintf("map[%s:%[1]s list:[%[1]s] nested:map[x:map[%[1]s:3]]]", clean))
	})
}

// Events of an outage of the database are written after it.
func TestAppend_IsFoundByTheTimeOfTheEvent(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		at := time.Now().Add(-time.Hour)
		storetest.OK(t, s.Audit.Append(background, platform, []audit.Entry{{Action: "session.refused", CreatedAt: at}}))
		for name, row := range map[string]struct {
			from, to time.Duration
			found    int
		}{"around it": {-time.Minute, time.Minute, 1}, "before it": {-time.Minute, 0, 0}, "after it": {time.Minute, time.Hour, 0}} {
			list := storetest.Need(s.Audit.List(background, platform, audit.Query{Action: "session.refused",
				From: at.Add(row.from), To: at.Add(row.to)}))(t)
			storetest.Equal(t, name, len(list.Items), row.found)
		}
	})
}

func TestList_SearchesABoundedNumberOfEntriesForAnAddress(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		entry := func(address string) audit.Entry {
			return audit.Entry{Action: "session.refused", Target: "root", Address: address, CreatedAt: time.Now()}
		}
		storetest.OK(t, s.Audit.Append(background, platform, []audit.Entry{entry("192.0.2.1"), entry("192.0.2.1")}))
		for range 21 { // more entries than one page examines
			storetest.OK(t, s.Audit.Append(background, platform, slices.Repeat([]audit.Entry{entry("192.0.2.2")}, 500)))
		}
		query := audit.Query{Address: "192.0.2.1"}
		first := storetest.Need(s.Audit.List(background, platform, query))(t)
		if len(first.Items) != 0 || first.Next == "" {
			t.Fatalf("the first page has %d entries and the cursor %q, want none and one", len(first.Items), first.Next)
		}
		query.After = first.Next
		second := storetest.Need(s.Audit.List(background, platform, query))(t)
		storetest.Equal(t, "entries of the second page", len(second.Items), 2)
		storetest.Equal(t, "cursor of the last page", second.Next, "")
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
			storetest.OK(t, s.Audit.Append(background, platform, []audit.Entry{
				use("192.0.2.1", noon.Add(time.Duration(i)*time.Hour)), use("192.0.2.2", noon),
				use("192.0.2.1", noon.Add(day)),
				{Action: "tenant.read", Target: key, CreatedAt: noon},
			}))
		}
		storetest.Equal(t, "daily entries",
			len(storetest.Need(s.Audit.List(background, platform, audit.Query{Action: "access_key.use"}))(t).Items), 3)
		storetest.Equal(t, "other entries",
			len(storetest.Need(s.Audit.List(background, platform, audit.Query{Action: "tenant.read"}))(t).Items), 3)
		storetest.OK(t, s.Sweep(background, platform))
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

func TestAudit_RecordsChangesWithoutSecrets(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		_, channel := storetest.AddModel(t, s, "m1")
		storetest.Need(s.Identity.UpdateUser(background, storetest.Confirmed(f.AsOwner), f.Member.ID,
			identity.UserPatch{PasswordHash: new("S3CRET"), Role: new(tenant.Admin)}))(t)
		storetest.Need(s.Catalog.UpdateChannel(background, platform, channel.ID,
			catalogdb.ChannelPatch{Keys: &[]catalog.SealedSecret{{Sealed: []byte("S3CRET"), Mask: "S3CRET"}}}))(t)
		storetest.Need(s.Token.UpdateToken(background, f.AsMember, f.Tokens[f.Member.ID].ID,
			tokendb.Patch{Status: new(token.Revoked)}))(t)
		entries := storetest.Need(s.Audit.List(background, platform, audit.Query{Page: storepage.Page{Limit: 200}}))(
			t).Items
		var actions []string
		for _, entry := range entries {
			actions = append(actions, entry.Action)
			if text := fmt.Sprint(entry); strings.Contains(text, "S3CRET") || strings.Contains(text, "old") {
				t.Errorf("the audit log shows a secret: %s", text)
			}
		}
		slices.Reverse(actions)
		storetest.Equal(t, "actions", fmt.Sprint(actions),
			"[group.create quota.grant tenant.create user.create user.create user.create "+
				"token.create token.create token.create price.create model.create channel.create user.update "+
				"channel.update token.update]")
		last, user := entries[0], entries[2]
		storetest.Equal(t, "actor", last.Actor, f.Member.Email)
		storetest.Equal(t, "tenant", last.TenantID, f.Tenant.ID)
		storetest.Equal(t, "target", last.Target, f.Tokens[f.Member.ID].ID.String())
		storetest.Equal(t, "detail", fmt.Sprint(last.Detail), "map[status:revoked]")
		storetest.Equal(t, "detail of a user", fmt.Sprint(user.Detail), "map[password:changed role:admin]")
	})
}
