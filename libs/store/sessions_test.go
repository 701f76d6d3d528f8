package store_test

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/audit"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/signin"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// signIn creates a session of the user and returns it with its hash.
func signIn(t *testing.T, s *store.Store, u tenant.User, by signin.Client) (signin.Session, [32]byte) {
	t.Helper()
	h := hash(newID())
	ok(t, s.Signin.CreateSession(background, platform, signin.NewSession{
		UserID: u.ID, PasswordHash: "old", Hash: h, Client: by, ExpiresAt: time.Now().Add(time.Hour),
	}))
	return need(s.Signin.Session(background, platform, h))(t), h
}

func TestSessions_ListAndEnd(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme")
		browser := signin.Client{Address: netip.MustParseAddr("2001:db8::1"),
			Agent: "Mozilla\x00\n/5.0 " + strings.Repeat("ä", 400)}
		first, _ := signIn(t, s, f.member, browser)
		second, _ := signIn(t, s, f.member, signin.Client{})
		third, _ := signIn(t, s, f.owner, signin.Client{})
		equal(t, "address", first.Client.Address, browser.Address)
		equal(t, "agent", first.Client.Agent, "Mozilla/5.0 "+strings.Repeat("ä", 244))

		list := need(s.Signin.Sessions(background, f.asMember, f.member.ID, page.Page{}))(t)
		equal(t, "sessions", len(list.Items), 2)
		equal(t, "newest session", list.Items[0].ID, second.ID)
		equal(t, "client of the oldest session", list.Items[1].Client, first.Client)

		refuses(t, s.Signin.EndSession(background, f.asMember, third.ID), problem.NotFound, "")
		refuses(t, s.Signin.EndSession(background, f.asOwner, first.ID), problem.NotFound, "")
		ok(t, s.Signin.EndSession(background, f.asMember, second.ID))
		refuses(t, s.Signin.EndSession(background, f.asMember, second.ID), problem.NotFound, "")
		equal(t, "sessions after one was ended",
			len(need(s.Signin.Sessions(background, f.asMember, f.member.ID, page.Page{}))(t).Items), 1)
	})
}

func TestEndSessions_KeepsTheGivenSession(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newCustomer(t, s, "acme")
		kept, _ := signIn(t, s, f.member, signin.Client{})
		for range 3 {
			signIn(t, s, f.member, signin.Client{})
		}
		_, others := signIn(t, s, f.owner, signin.Client{})
		ok(t, s.Signin.EndSessions(background, f.asMember, f.member.ID, kept.ID))
		list := need(s.Signin.Sessions(background, platform, f.member.ID, page.Page{}))(t)
		if len(list.Items) != 1 || list.Items[0].ID != kept.ID {
			t.Errorf("got sessions %v, want only %s", list.Items, kept.ID)
		}
		ok(t, s.Signin.EndSessions(background, platform, f.member.ID, uuid.Nil))
		equal(t, "sessions after all were ended",
			len(need(s.Signin.Sessions(background, platform, f.member.ID, page.Page{}))(t).Items), 0)
		need(s.Signin.Session(background, platform, others))(t)
		ended := need(s.Audit.List(background, platform, audit.Query{Page: page.Page{Limit: 1}}))(t).Items[0]
		equal(t, "audit entry", ended.Action+" "+ended.Target, "session.delete "+f.member.ID.String())
	})
}

func TestConfirmSession_RecordsTheProofAndDoesNotExtendTheSession(t *testing.T) {
	eachAt(t, noon, func(t *testing.T, s *store.Store, now *time.Time) {
		f := newCustomer(t, s, "acme")
		h, other := hash(newID()), hash(newID())
		for _, one := range [][32]byte{h, other} {
			ok(t, s.Signin.CreateSession(background, platform, signin.NewSession{UserID: f.member.ID,
				PasswordHash: "old", Hash: one, ExpiresAt: noon.Add(time.Hour)}))
		}
		opened := need(s.Signin.Session(background, platform, h))(t)
		if !opened.ConfirmedAt.Equal(noon) {
			t.Errorf("got confirmed at %s after the sign-in at %s", opened.ConfirmedAt, noon)
		}
		*now = noon.Add(20 * time.Minute)
		if at := need(s.Signin.ConfirmSession(background, platform, opened.ID, signin.ByCode))(t); !at.Equal(*now) {
			t.Errorf("got the time %s, want %s", at, *now)
		}
		found := need(s.Signin.Session(background, platform, h))(t)
		if !found.ConfirmedAt.Equal(*now) || !found.ExpiresAt.Equal(opened.ExpiresAt) {
			t.Errorf("got confirmed at %s and expiry %s, want %s and %s", found.ConfirmedAt, found.ExpiresAt, *now,
				opened.ExpiresAt)
		}
		if got := need(s.Signin.Session(background, platform, other))(t).ConfirmedAt; !got.Equal(noon) {
			t.Errorf("another session of the user was confirmed at %s", got)
		}
		entry := need(s.Audit.List(background, platform, audit.Query{Page: page.Page{Limit: 1}}))(t).Items[0]
		equal(t, "audit entry", entry.Action+" "+entry.Target, "session.confirm "+f.member.ID.String())

		*now = noon.Add(time.Hour)
		_, err := s.Signin.ConfirmSession(background, platform, opened.ID, signin.ByCode)
		refuses(t, err, problem.NotFound, "")
	})
}

func TestSeeSession_UpdatesOncePerMinute(t *testing.T) {
	eachAt(t, noon, func(t *testing.T, s *store.Store, now *time.Time) {
		f := newCustomer(t, s, "acme")
		h := hash(newID())
		ok(t, s.Signin.CreateSession(background, platform, signin.NewSession{UserID: f.member.ID, PasswordHash: "old",
			Hash: h, ExpiresAt: noon.Add(time.Hour)}))
		for _, row := range []struct{ at, seen time.Duration }{{59 * time.Second, 0}, {time.Minute, time.Minute},
			{90 * time.Second, time.Minute}, {10 * time.Minute, 10 * time.Minute}} {
			*now = noon.Add(row.at)
			found := need(s.Signin.Session(background, platform, h))(t)
			ok(t, s.Signin.SeeSession(background, platform, found.ID))
			if got := need(s.Signin.Session(background, platform, h))(t).LastSeen; !got.Equal(noon.Add(row.seen)) {
				t.Errorf("after %s: got last seen %s after the start, want %s", row.at, got.Sub(noon), row.seen)
			}
		}
	})
}
