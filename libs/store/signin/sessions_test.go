package signin_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/audit"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/signin"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

func TestSessions_ListAndEnd(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		browser := signin.Client{Address: netip.MustParseAddr("2001:db8::1"),
			Agent: "Mozilla\x00\n/5.0 " + strings.Repeat("ä", 400)}
		first, _ := storetest.SignIn(t, s, f.Member, browser)
		second, _ := storetest.SignIn(t, s, f.Member, signin.Client{})
		third, _ := storetest.SignIn(t, s, f.Owner, signin.Client{})
		storetest.Equal(t, "address", first.Client.Address, browser.Address)
		storetest.Equal(t, "agent", first.Client.Agent, "Mozilla/5.0 "+strings.Repeat("ä", 244))

		list := storetest.Need(s.Signin.Sessions(background, f.AsMember, f.Member.ID, page.Page{}))(t)
		storetest.Equal(t, "sessions", len(list.Items), 2)
		storetest.Equal(t, "newest session", list.Items[0].ID, second.ID)
		storetest.Equal(t, "client of the oldest session", list.Items[1].Client, first.Client)

		storetest.Refuses(t, s.Signin.EndSession(background, f.AsMember, third.ID), problem.NotFound, "")
		storetest.Refuses(t, s.Signin.EndSession(background, f.AsOwner, first.ID), problem.NotFound, "")
		storetest.OK(t, s.Signin.EndSession(background, f.AsMember, second.ID))
		storetest.Refuses(t, s.Signin.EndSession(background, f.AsMember, second.ID), problem.NotFound, "")
		storetest.Equal(t, "sessions after one was ended",
			len(storetest.Need(s.Signin.Sessions(background, f.AsMember, f.Member.ID, page.Page{}))(t).Items), 1)
	})
}

func TestEndSessions_KeepsTheGivenSession(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		kept, _ := storetest.SignIn(t, s, f.Member, signin.Client{})
		for range 3 {
			storetest.SignIn(t, s, f.Member, signin.Client{})
		}
		_, others := storetest.SignIn(t, s, f.Owner, signin.Client{})
		storetest.OK(t, s.Signin.EndSessions(background, f.AsMember, f.Member.ID, kept.ID))
		list := storetest.Need(s.Signin.Sessions(background, platform, f.Member.ID, page.Page{}))(t)
		if len(list.Items) != 1 || list.Items[0].ID != kept.ID {
			t.Errorf("got sessions %v, want only %s", list.Items, kept.ID)
		}
		storetest.OK(t, s.Signin.EndSessions(background, platform, f.Member.ID, uuid.Nil))
		storetest.Equal(t, "sessions after all were ended",
			len(storetest.Need(s.Signin.Sessions(background, platform, f.Member.ID, page.Page{}))(t).Items), 0)
		storetest.Need(s.Signin.Session(background, platform, others))(t)
		ended := storetest.Need(s.Audit.List(background, platform, audit.Query{Page: page.Page{Limit: 1}}))(t).Items[0]
		storetest.Equal(t, "audit entry", ended.Action+" "+ended.Target, "session.delete "+f.Member.ID.String())
	})
}

func TestCreateSession_EndsTheSessionThatWasNotUsedForTheLongestTime(t *testing.T) {
	storetest.EachAt(t, storetest.Noon, func(t *testing.T, s *store.Store, now *time.Time) {
		const most = 1000
		f := storetest.NewCustomer(t, s, "acme")
		_, others := storetest.SignIn(t, s, f.Owner, signin.Client{})
		used, usedHash := storetest.SignIn(t, s, f.Member, signin.Client{})
		unused, unusedHash := storetest.SignIn(t, s, f.Member, signin.Client{})
		*now = now.Add(time.Minute)
		storetest.OK(t, s.Signin.SeeSession(background, platform, used.ID))
		for range most - 2 {
			storetest.SignIn(t, s, f.Member, signin.Client{})
		}
		storetest.Need(s.Signin.Session(background, platform, unusedHash))(t)
		last, _ := storetest.SignIn(t, s, f.Member, signin.Client{})

		_, err := s.Signin.Session(background, platform, unusedHash)
		storetest.Refuses(t, err, problem.NotFound, "")
		storetest.Need(s.Signin.Session(background, platform, usedHash))(t)
		storetest.Need(s.Signin.Session(background, platform, others))(t)
		list := storetest.Need(s.Signin.Sessions(background, f.AsMember, f.Member.ID, page.Page{Limit: 1}))(t)
		storetest.Equal(t, "newest session", list.Items[0].ID, last.ID)
		ended := storetest.Need(s.Audit.List(background, platform, audit.Query{Action: "session.delete"}))(t)
		storetest.Equal(t, "entries session.delete", len(ended.Items), 1)
		storetest.Equal(t, "actor", ended.Items[0].Actor, f.Member.Email)
		storetest.Equal(t, "ended", fmt.Sprint(ended.Items[0].Detail["session_ids"]), "["+unused.ID.String()+"]")
	})
}

func TestConfirmSession_RecordsTheProofAndDoesNotExtendTheSession(t *testing.T) {
	storetest.EachAt(t, storetest.Noon, func(t *testing.T, s *store.Store, now *time.Time) {
		f := storetest.NewCustomer(t, s, "acme")
		h, other := storetest.Hash(storetest.NewID()), storetest.Hash(storetest.NewID())
		for _, one := range [][32]byte{h, other} {
			storetest.OK(t, s.Signin.CreateSession(background, platform, signin.NewSession{UserID: f.Member.ID,
				PasswordHash: "old", Hash: one, ExpiresAt: storetest.Noon.Add(time.Hour)}))
		}
		opened := storetest.Need(s.Signin.Session(background, platform, h))(t)
		if !opened.ConfirmedAt.Equal(storetest.Noon) {
			t.Errorf("got confirmed at %s after the sign-in at %s", opened.ConfirmedAt, storetest.Noon)
		}
		*now = storetest.Noon.Add(20 * time.Minute)
		if at := storetest.Need(s.Signin.ConfirmSession(background, platform, opened.ID, signin.ByCode))(
			t); !at.Equal(*now) {
			t.Errorf("got the time %s, want %s", at, *now)
		}
		found := storetest.Need(s.Signin.Session(background, platform, h))(t)
		if !found.ConfirmedAt.Equal(*now) || !found.ExpiresAt.Equal(opened.ExpiresAt) {
			t.Errorf("got confirmed at %s and expiry %s, want %s and %s", found.ConfirmedAt, found.ExpiresAt, *now,
				opened.ExpiresAt)
		}
		if got := storetest.Need(s.Signin.Session(background, platform, other))(t).ConfirmedAt; !got.Equal(
			storetest.Noon) {
			t.Errorf("another session of the user was confirmed at %s", got)
		}
		entry := storetest.Need(s.Audit.List(background, platform, audit.Query{Page: page.Page{Limit: 1}}))(t).Items[0]
		storetest.Equal(t, "audit entry", entry.Action+" "+entry.Target, "session.confirm "+f.Member.ID.String())

		*now = storetest.Noon.Add(time.Hour)
		_, err := s.Signin.ConfirmSession(background, platform, opened.ID, signin.ByCode)
		storetest.Refuses(t, err, problem.NotFound, "")
	})
}

func TestSeeSession_UpdatesOncePerMinute(t *testing.T) {
	storetest.EachAt(t, storetest.Noon, func(t *testing.T, s *store.Store, now *time.Time) {
		f := storetest.NewCustomer(t, s, "acme")
		h := storetest.Hash(storetest.NewID())
		storetest.OK(t, s.Signin.CreateSession(background, platform, signin.NewSession{UserID: f.Member.ID,
			PasswordHash: "old", Hash: h, ExpiresAt: storetest.Noon.Add(time.Hour)}))
		for _, row := range []struct{ at, seen time.Duration }{{59 * time.Second, 0}, {time.Minute, time.Minute},
			{90 * time.Second, time.Minute}, {10 * time.Minute, 10 * time.Minute}} {
			*now = storetest.Noon.Add(row.at)
			found := storetest.Need(s.Signin.Session(background, platform, h))(t)
			storetest.OK(t, s.Signin.SeeSession(background, platform, found.ID))
			if got := storetest.Need(s.Signin.Session(background, platform, h))(t).LastSeen; !got.Equal(
				storetest.Noon.Add(row.seen)) {
				t.Errorf("after %s: got last seen %s after the start, want %s", row.at,
					got.Sub(storetest.Noon), row.seen)
			}
		}
	})
}
