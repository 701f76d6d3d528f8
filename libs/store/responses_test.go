package store_test

import (
	"bytes"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/response"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

const month = 30 * 24 * time.Hour

// shelf is a store of responses whose clock stands still.
type shelf struct {
	*store.Store
	t   *testing.T
	url string
	now time.Time
}

// onEach runs the test on a shelf of each kind.
func onEach(t *testing.T, test func(t *testing.T, s *shelf)) {
	t.Helper()
	for name, kind := range storetest.Kinds() {
		t.Run(name, func(t *testing.T) {
			s := &shelf{t: t, url: kind(t), now: time.Now().UTC().Truncate(time.Microsecond)}
			s.Store = storetest.Open(t, db.Options{URL: s.url, Now: func() time.Time { return s.now }})
			test(t, s)
		})
	}
}

// put keeps a response of the tenant that goes on from another one.
func (s *shelf) put(tenantID, previous uuid.UUID) response.Response {
	s.t.Helper()
	r := response.Response{
		ID: newID(), TenantID: tenantID, UserID: newID(), TokenID: newID(), Model: "m", PreviousID: previous,
		CreatedAt: s.now, ExpiresAt: s.now.Add(month), Input: []byte(`"hello"`), Body: []byte{'{', 0xff, 0, '}'},
	}
	ok(s.t, s.Response.CreateResponse(background, platform, r))
	return r
}

// gone checks that neither the response nor its conversation is there.
func (s *shelf) gone(what string, tenantID, id uuid.UUID) {
	s.t.Helper()
	_, err := s.Response.Response(background, platform, tenantID, id)
	if !problem.Is(err, problem.NotFound) {
		s.t.Errorf("%s is found: %v", what, err)
	}
	s.torn(what, tenantID, id)
}

func (s *shelf) torn(what string, tenantID, id uuid.UUID) {
	s.t.Helper()
	if _, err := s.Response.Conversation(background, platform, tenantID, id); !problem.Is(err, problem.NotFound) {
		s.t.Errorf("the conversation of %s is found: %v", what, err)
	}
}

func TestAConversationIsWhatItsResponsesGoOnFrom(t *testing.T) {
	onEach(t, func(t *testing.T, s *shelf) {
		tenantID := newID()
		first := s.put(tenantID, uuid.Nil)
		second := s.put(tenantID, first.ID)
		third, fork := s.put(tenantID, second.ID), s.put(tenantID, first.ID)
		if got := need(s.Response.Response(background, platform, tenantID, second.ID))(t); !reflect.DeepEqual(got, second) {
			t.Errorf("got %+v, want %+v", got, second)
		}
		for _, want := range [][]response.Response{{first}, {first, second}, {first, second, third}, {first, fork}} {
			got := need(s.Response.Conversation(background, platform, tenantID, want[len(want)-1].ID))(t)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
		}
	})
}

func TestResponsesOfOthersAreNotFound(t *testing.T) {
	onEach(t, func(t *testing.T, s *shelf) {
		mine, others := newID(), newID()
		r := s.put(others, uuid.Nil)
		s.gone("another tenant's", mine, r.ID)
		refuses(t, s.Response.DeleteResponse(background, platform, mine, r.ID), problem.NotFound, "")
		s.torn("what goes on from another tenant's", mine, s.put(mine, r.ID).ID)
		need(s.Response.Conversation(background, platform, others, r.ID))(t)

		f := found(t, s.Store, "acme")
		_, err := s.Response.Response(background, f.asOwner, f.tenant.ID, r.ID)
		refuses(t, err, problem.Forbidden, "")
		_, err = s.Response.Conversation(background, f.asOwner, f.tenant.ID, r.ID)
		refuses(t, err, problem.Forbidden, "")
		refuses(t, s.Response.DeleteResponse(background, f.asOwner, f.tenant.ID, r.ID), problem.Forbidden, "")
		refuses(t, s.Response.CreateResponse(background, f.asOwner, r), problem.Forbidden, "")
	})
}

func TestADeletedTurnEndsItsConversation(t *testing.T) {
	onEach(t, func(t *testing.T, s *shelf) {
		tenantID := newID()
		first := s.put(tenantID, uuid.Nil)
		second := s.put(tenantID, first.ID)
		third := s.put(tenantID, second.ID)
		ok(t, s.Response.DeleteResponse(background, platform, tenantID, second.ID))
		refuses(t, s.Response.DeleteResponse(background, platform, tenantID, second.ID), problem.NotFound, "")
		s.gone("the deleted one", tenantID, second.ID)
		s.torn("what goes on from it", tenantID, third.ID)
		need(s.Response.Response(background, platform, tenantID, third.ID))(t)
		need(s.Response.Conversation(background, platform, tenantID, first.ID))(t)
	})
}

func TestTurnsAreKeptForAsLongAsTheyAreNeeded(t *testing.T) {
	onEach(t, func(t *testing.T, s *shelf) {
		tenantID := newID()
		first, alone := s.put(tenantID, uuid.Nil), s.put(tenantID, uuid.Nil)
		s.now = s.now.Add(month / 2)
		second := s.put(tenantID, first.ID)
		s.now = s.now.Add(month / 3)
		third := s.put(tenantID, second.ID)
		s.now = first.ExpiresAt
		s.gone("an expired one", tenantID, first.ID)
		refuses(t, s.Response.DeleteResponse(background, platform, tenantID, first.ID), problem.NotFound, "")
		for _, next := range []time.Time{s.now, second.ExpiresAt, third.ExpiresAt.Add(-time.Second)} {
			s.now = next
			ok(t, s.Sweep(background, platform))
			equal(t, "turns", len(need(s.Response.Conversation(background, platform, tenantID, third.ID))(t)), 3)
		}
		equal(t, "kept", s.count(), int64(3))
		s.gone("one that nothing goes on from", tenantID, alone.ID)
		s.now = third.ExpiresAt
		s.gone("the last one", tenantID, third.ID)
		s.now = s.now.Add(48 * time.Hour)
		ok(t, s.Sweep(background, platform))
		equal(t, "kept in the end", s.count(), int64(0))
	})
}

// count is how many responses there are, found or not.
func (s *shelf) count() int64 {
	s.t.Helper()
	return need(store.CountResponses(background, s.Store))(s.t)
}

func TestASweepDeletesManyResponses(t *testing.T) {
	s := &shelf{t: t, now: time.Now()}
	s.Store = storetest.Open(t, db.Options{URL: storetest.SQLite(t), Now: func() time.Time { return s.now }})
	for range 450 { // more than two batches
		s.put(uuid.Nil, uuid.Nil)
	}
	s.now = s.now.Add(2 * month)
	left := s.put(newID(), uuid.Nil)
	ok(t, s.Sweep(background, platform))
	equal(t, "kept", s.count(), int64(1))
	need(s.Response.Response(background, platform, left.TenantID, left.ID))(t)
}

func TestExcerptsHaveWhatIsAskedFor(t *testing.T) {
	onEach(t, func(t *testing.T, s *shelf) {
		mine, others := newID(), newID()
		first, second, both := s.put(mine, uuid.Nil), s.put(mine, uuid.Nil), s.put(mine, uuid.Nil)
		deleted, foreign := s.put(mine, uuid.Nil), s.put(others, uuid.Nil)
		ok(t, s.Response.DeleteResponse(background, platform, mine, deleted.ID))
		gone := []uuid.UUID{deleted.ID, foreign.ID, newID()}
		asked := response.Excerpt{Inputs: append(gone, first.ID, both.ID), Bodies: append(gone, second.ID, both.ID)}
		want := map[uuid.UUID]response.Response{
			first.ID: {ID: first.ID, Input: first.Input}, second.ID: {ID: second.ID, Body: second.Body},
			both.ID: {ID: both.ID, Input: both.Input, Body: both.Body},
		}
		check := func(asked response.Excerpt, want map[uuid.UUID]response.Response) {
			t.Helper()
			got := map[uuid.UUID]response.Response{}
			for _, r := range need(s.Response.Excerpts(background, platform, mine, asked))(t) {
				got[r.ID] = r
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
		}
		check(asked, want)
		check(response.Excerpt{Bodies: []uuid.UUID{second.ID}}, map[uuid.UUID]response.Response{second.ID: want[second.ID]})
		check(response.Excerpt{}, map[uuid.UUID]response.Response{})
		s.now = first.ExpiresAt
		check(asked, map[uuid.UUID]response.Response{})

		f := found(t, s.Store, "acme")
		_, err := s.Response.Excerpts(background, f.asOwner, f.tenant.ID, asked)
		refuses(t, err, problem.Forbidden, "")
	})
}

func TestExcerptsAreBounded(t *testing.T) {
	onEach(t, func(t *testing.T, s *shelf) {
		r := response.Response{TenantID: newID(), CreatedAt: s.now, ExpiresAt: s.now.Add(month), Input: []byte(`""`)}
		var asked response.Excerpt
		for i, size := range []int{response.MaxResponse - 2, response.MaxResponse - 2, 33} {
			r.ID, r.Body = newID(), bytes.Repeat([]byte("x"), size)
			ok(t, s.Response.CreateResponse(background, platform, r))
			asked.Bodies, asked.Inputs = append(asked.Bodies, r.ID), append(asked.Inputs, r.ID)
			_, err := s.Response.Excerpts(background, platform, r.TenantID, response.Excerpt{Bodies: asked.Bodies})
			if large := problem.Is(err, problem.TooLarge); large != (i == 2) {
				t.Error(fmt.Errorf("%d bodies: %w", i+1, err))
			}
		}
		equal(t, "inputs", len(need(s.Response.Excerpts(background, platform, r.TenantID, response.Excerpt{Inputs: asked.Inputs}))(t)), 3)
		_, err := s.Response.Excerpts(background, platform, r.TenantID, response.Excerpt{Inputs: make([]uuid.UUID, response.MaxTurns), Bodies: asked.Bodies})
		refuses(t, err, problem.TooLarge, "")
	})
}

func TestConversationsAreBounded(t *testing.T) {
	onEach(t, func(t *testing.T, s *shelf) {
		tenantID := newID()
		var last response.Response
		for range response.MaxTurns {
			last = s.put(tenantID, last.ID)
		}
		equal(t, "turns", len(need(s.Response.Conversation(background, platform, tenantID, last.ID))(t)), response.MaxTurns)
		last = s.put(tenantID, last.ID)
		_, err := s.Response.Conversation(background, platform, tenantID, last.ID)
		refuses(t, err, problem.TooLarge, "")
	})
}

func TestResponsesAreBounded(t *testing.T) {
	onEach(t, func(t *testing.T, s *shelf) {
		r := response.Response{TenantID: newID(), CreatedAt: s.now, ExpiresAt: s.now.Add(month), Input: []byte(`""`)}
		for i, size := range []int{response.MaxResponse - 2, response.MaxResponse - 2, 1} {
			r.PreviousID, r.ID, r.Body = r.ID, newID(), bytes.Repeat([]byte("x"), size)
			ok(t, s.Response.CreateResponse(background, platform, r))
			_, err := s.Response.Conversation(background, platform, r.TenantID, r.ID)
			if large := problem.Is(err, problem.TooLarge); large != (i == 2) {
				t.Error(fmt.Errorf("turn %d: %w", i, err))
			}
		}
		r.ID, r.Body = newID(), bytes.Repeat([]byte("x"), response.MaxResponse)
		refuses(t, s.Response.CreateResponse(background, platform, r), problem.TooLarge, "")
	})
}
