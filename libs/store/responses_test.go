package store_test

import (
	"bytes"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/response"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

const month = 30 * 24 * time.Hour

// responseStore is a store of responses with a clock that the test sets.
type responseStore struct {
	*store.Store
	t   *testing.T
	url string
	now time.Time
}

// eachResponseStore runs the test on each kind of database.
func eachResponseStore(t *testing.T, test func(t *testing.T, s *responseStore)) {
	t.Helper()
	for name, kind := range storetest.Kinds() {
		t.Run(name, func(t *testing.T) {
			s := &responseStore{t: t, url: kind(t), now: time.Now().UTC().Truncate(time.Microsecond)}
			s.Store = storetest.Open(t, db.Options{URL: s.url, Now: func() time.Time { return s.now }})
			test(t, s)
		})
	}
}

// create stores a response of the tenant that continues the previous one (uuid.Nil: begins a conversation).
func (s *responseStore) create(tenantID, previous uuid.UUID) response.Response {
	s.t.Helper()
	r := response.Response{
		ID: storetest.NewID(), TenantID: tenantID, UserID: storetest.NewID(), TokenID: storetest.NewID(), Model: "m",
		PreviousID: previous,
		CreatedAt:  s.now, ExpiresAt: s.now.Add(month), Input: []byte(`"hello"`), Body: []byte{'{', 0xff, 0, '}'},
	}
	storetest.OK(s.t, s.Response.CreateResponse(background, platform, r))
	return r
}

// wantGone checks that neither the response nor its conversation is found.
func (s *responseStore) wantGone(what string, tenantID, id uuid.UUID) {
	s.t.Helper()
	_, err := s.Response.Response(background, platform, tenant.Reach{TenantID: tenantID}, id)
	if !problem.Is(err, problem.NotFound) {
		s.t.Errorf("response, %s: got error %v, want NotFound", what, err)
	}
	s.wantBroken(what, tenantID, id)
}

// wantBroken checks that the conversation that ends with the response is not found.
func (s *responseStore) wantBroken(what string, tenantID, id uuid.UUID) {
	s.t.Helper()
	if _, err := s.Response.Conversation(background, platform, tenant.Reach{TenantID: tenantID}, id); !problem.Is(err,
		problem.NotFound) {
		s.t.Errorf("conversation, %s: got error %v, want NotFound", what, err)
	}
}

func TestConversation_ReturnsAllEarlierTurns(t *testing.T) {
	eachResponseStore(t, func(t *testing.T, s *responseStore) {
		tenantID := storetest.NewID()
		first := s.create(tenantID, uuid.Nil)
		second := s.create(tenantID, first.ID)
		third, fork := s.create(tenantID, second.ID), s.create(tenantID, first.ID)
		if got := storetest.Need(s.Response.Response(background, platform, tenant.Reach{TenantID: tenantID},
			second.ID))(t); !reflect.DeepEqual(got, second) {
			t.Errorf("got response %+v, want %+v", got, second)
		}
		for _, want := range [][]response.Response{{first}, {first, second}, {first, second, third}, {first, fork}} {
			got := storetest.Need(s.Response.Conversation(background, platform, tenant.Reach{TenantID: tenantID},
				want[len(want)-1].ID))(t)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got conversation %+v, want %+v", got, want)
			}
		}
	})
}

func TestResponse_IsNotFoundForOtherTenants(t *testing.T) {
	eachResponseStore(t, func(t *testing.T, s *responseStore) {
		mine, others := storetest.NewID(), storetest.NewID()
		r := s.create(others, uuid.Nil)
		s.wantGone("of another tenant", mine, r.ID)
		storetest.Refuses(t, s.Response.DeleteResponse(background, platform, tenant.Reach{TenantID: mine}, r.ID),
			problem.NotFound, "")
		s.wantBroken("with a turn of another tenant", mine, s.create(mine, r.ID).ID)
		storetest.Need(s.Response.Conversation(background, platform, tenant.Reach{TenantID: others}, r.ID))(t)

		f := storetest.NewCustomer(t, s.Store, "acme")
		_, err := s.Response.Response(background, f.AsOwner, tenant.Reach{TenantID: f.Tenant.ID}, r.ID)
		storetest.Refuses(t, err, problem.Forbidden, "")
		_, err = s.Response.Conversation(background, f.AsOwner, tenant.Reach{TenantID: f.Tenant.ID}, r.ID)
		storetest.Refuses(t, err, problem.Forbidden, "")
		storetest.Refuses(t, s.Response.DeleteResponse(background, f.AsOwner, tenant.Reach{TenantID: f.Tenant.ID},
			r.ID), problem.Forbidden, "")
		storetest.Refuses(t, s.Response.CreateResponse(background, f.AsOwner, r), problem.Forbidden, "")
	})
}

func TestResponse_IsNotFoundForOtherUsersOfTheTenant(t *testing.T) {
	eachResponseStore(t, func(t *testing.T, s *responseStore) {
		tenantID := storetest.NewID()
		first := s.create(tenantID, uuid.Nil)
		second := s.create(tenantID, first.ID) // of another user
		asked := response.Excerpt{Inputs: []uuid.UUID{first.ID}, Bodies: []uuid.UUID{second.ID}}
		for _, r := range []response.Response{first, second} {
			other := tenant.Reach{TenantID: tenantID, UserID: storetest.NewID()}
			_, err := s.Response.Response(background, platform, other, r.ID)
			storetest.Refuses(t, err, problem.NotFound, "")
			_, err = s.Response.Conversation(background, platform, other, r.ID)
			storetest.Refuses(t, err, problem.NotFound, "")
			storetest.Refuses(t, s.Response.DeleteResponse(background, platform, other, r.ID), problem.NotFound, "")
			storetest.Equal(t, "excerpts of another user",
				len(storetest.Need(s.Response.Excerpts(background, platform, other, asked))(t)), 0)

			own := tenant.Reach{TenantID: tenantID, UserID: r.UserID}
			storetest.Equal(t, "own response",
				storetest.Need(s.Response.Response(background, platform, own, r.ID))(t).ID, r.ID)
			storetest.Equal(t, "own excerpts",
				len(storetest.Need(s.Response.Excerpts(background, platform, own, asked))(t)), 1)
		}
		// A conversation with a turn of another user is broken for the user of its last turn.
		_, err := s.Response.Conversation(background, platform, tenant.Reach{TenantID: tenantID, UserID: second.UserID},
			second.ID)
		storetest.Refuses(t, err, problem.NotFound, "")
		storetest.Equal(t, "turns for the whole tenant",
			len(storetest.Need(s.Response.Conversation(background, platform, tenant.Reach{TenantID: tenantID},
				second.ID))(t)), 2)
		storetest.OK(t, s.Response.DeleteResponse(background, platform,
			tenant.Reach{TenantID: tenantID, UserID: first.UserID}, first.ID))
	})
}

func TestDeleteResponse_BreaksItsConversations(t *testing.T) {
	eachResponseStore(t, func(t *testing.T, s *responseStore) {
		tenantID := storetest.NewID()
		first := s.create(tenantID, uuid.Nil)
		second := s.create(tenantID, first.ID)
		third := s.create(tenantID, second.ID)
		storetest.OK(t, s.Response.DeleteResponse(background, platform, tenant.Reach{TenantID: tenantID}, second.ID))
		storetest.Refuses(t, s.Response.DeleteResponse(background, platform, tenant.Reach{TenantID: tenantID},
			second.ID), problem.NotFound, "")
		s.wantGone("deleted", tenantID, second.ID)
		s.wantBroken("with a deleted turn", tenantID, third.ID)
		storetest.Need(s.Response.Response(background, platform, tenant.Reach{TenantID: tenantID}, third.ID))(t)
		storetest.Need(s.Response.Conversation(background, platform, tenant.Reach{TenantID: tenantID}, first.ID))(t)
	})
}

func TestCreateResponse_KeepsEarlierTurns(t *testing.T) {
	eachResponseStore(t, func(t *testing.T, s *responseStore) {
		tenantID := storetest.NewID()
		first, alone := s.create(tenantID, uuid.Nil), s.create(tenantID, uuid.Nil)
		s.now = s.now.Add(month / 2)
		second := s.create(tenantID, first.ID)
		s.now = s.now.Add(month / 3)
		third := s.create(tenantID, second.ID)
		s.now = first.ExpiresAt
		s.wantGone("expired", tenantID, first.ID)
		storetest.Refuses(t, s.Response.DeleteResponse(background, platform, tenant.Reach{TenantID: tenantID},
			first.ID), problem.NotFound, "")
		for _, next := range []time.Time{s.now, second.ExpiresAt, third.ExpiresAt.Add(-time.Second)} {
			s.now = next
			storetest.OK(t, s.Sweep(background, platform))
			storetest.Equal(t, "turns",
				len(storetest.Need(s.Response.Conversation(background, platform, tenant.Reach{TenantID: tenantID},
					third.ID))(t)), 3)
		}
		storetest.Equal(t, "rows", s.count(), int64(3))
		s.wantGone("expired and not continued", tenantID, alone.ID)
		s.now = third.ExpiresAt
		s.wantGone("the last turn has expired", tenantID, third.ID)
		s.now = s.now.Add(48 * time.Hour)
		storetest.OK(t, s.Sweep(background, platform))
		storetest.Equal(t, "rows after the sweep", s.count(), int64(0))
	})
}

// count returns the number of rows, expired ones included.
func (s *responseStore) count() int64 {
	s.t.Helper()
	return storetest.Need(store.CountResponses(background, s.Store))(s.t)
}

func TestSweep_DeletesResponsesInBatches(t *testing.T) {
	s := &responseStore{t: t, now: time.Now()}
	s.Store = storetest.Open(t, db.Options{URL: storetest.SQLite(t), Now: func() time.Time { return s.now }})
	for range 450 { // more than two batches
		s.create(uuid.Nil, uuid.Nil)
	}
	s.now = s.now.Add(2 * month)
	left := s.create(storetest.NewID(), uuid.Nil)
	storetest.OK(t, s.Sweep(background, platform))
	storetest.Equal(t, "rows", s.count(), int64(1))
	storetest.Need(s.Response.Response(background, platform, tenant.Reach{TenantID: left.TenantID}, left.ID))(t)
}

// A busy installation stores more responses in the hour between two sweeps than one sweep once deleted.
func TestSweep_DeletesTheResponsesOfABusyInstallation(t *testing.T) {
	if testing.Short() {
		t.Skip("stores many rows")
	}
	t.Parallel()
	url := storetest.Postgres(t)
	s := storetest.Open(t, db.Options{URL: url})
	storetest.Exec(t, url,
		`INSERT INTO responses (id, tenant_id, user_id, token_id, model, created_at, expires_at, kept_until, size, input, body)
		SELECT gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'm', now() - interval '40 days', now() - interval '1 day', now() - interval '1 hour', 2, '1', '2'
		FROM generate_series(1, 210000)`)
	storetest.Equal(t, "rows before", storetest.Need(store.CountResponses(background, s))(t), int64(210_000))
	storetest.OK(t, s.Sweep(background, platform))
	storetest.Equal(t, "rows afterwards", storetest.Need(store.CountResponses(background, s))(t), int64(0))
}

func TestExcerpts_ReturnsTheSelectedParts(t *testing.T) {
	eachResponseStore(t, func(t *testing.T, s *responseStore) {
		mine, others := storetest.NewID(), storetest.NewID()
		first, second, both := s.create(mine, uuid.Nil), s.create(mine, uuid.Nil), s.create(mine, uuid.Nil)
		deleted, foreign := s.create(mine, uuid.Nil), s.create(others, uuid.Nil)
		storetest.OK(t, s.Response.DeleteResponse(background, platform, tenant.Reach{TenantID: mine}, deleted.ID))
		gone := []uuid.UUID{deleted.ID, foreign.ID, storetest.NewID()}
		asked := response.Excerpt{Inputs: append(gone, first.ID, both.ID), Bodies: append(gone, second.ID, both.ID)}
		want := map[uuid.UUID]response.Response{
			first.ID: {ID: first.ID, Input: first.Input}, second.ID: {ID: second.ID, Body: second.Body},
			both.ID: {ID: both.ID, Input: both.Input, Body: both.Body},
		}
		check := func(asked response.Excerpt, want map[uuid.UUID]response.Response) {
			t.Helper()
			got := map[uuid.UUID]response.Response{}
			for _, r := range storetest.Need(s.Response.Excerpts(background, platform,
				tenant.Reach{TenantID: mine}, asked))(t) {
				got[r.ID] = r
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
		}
		check(asked, want)
		check(response.Excerpt{Bodies: []uuid.UUID{second.ID}},
			map[uuid.UUID]response.Response{second.ID: want[second.ID]})
		check(response.Excerpt{}, map[uuid.UUID]response.Response{})
		s.now = first.ExpiresAt
		check(asked, map[uuid.UUID]response.Response{})

		f := storetest.NewCustomer(t, s.Store, "acme")
		_, err := s.Response.Excerpts(background, f.AsOwner, tenant.Reach{TenantID: f.Tenant.ID}, asked)
		storetest.Refuses(t, err, problem.Forbidden, "")
	})
}

func TestExcerpts_RefusesTooManyOrTooLarge(t *testing.T) {
	eachResponseStore(t, func(t *testing.T, s *responseStore) {
		r := response.Response{TenantID: storetest.NewID(), CreatedAt: s.now, ExpiresAt: s.now.Add(month),
			Input: []byte(`""`)}
		var asked response.Excerpt
		for i, size := range []int{response.MaxResponse - 2, response.MaxResponse - 2, 33} {
			r.ID, r.Body = storetest.NewID(), bytes.Repeat([]byte("x"), size)
			storetest.OK(t, s.Response.CreateResponse(background, platform, r))
			asked.Bodies, asked.Inputs = append(asked.Bodies, r.ID), append(asked.Inputs, r.ID)
			_, err := s.Response.Excerpts(background, platform, tenant.Reach{TenantID: r.TenantID},
				response.Excerpt{Bodies: asked.Bodies})
			if large := problem.Is(err, problem.TooLarge); large != (i == 2) {
				t.Error(fmt.Errorf("excerpt of %d bodies: got TooLarge %v, want %v: %w", i+1, large, i == 2, err))
			}
		}
		storetest.Equal(t, "inputs",
			len(storetest.Need(s.Response.Excerpts(background, platform, tenant.Reach{TenantID: r.TenantID},
				response.Excerpt{Inputs: asked.Inputs}))(t)), 3)
		_, err := s.Response.Excerpts(background, platform, tenant.Reach{TenantID: r.TenantID},
			response.Excerpt{Inputs: make([]uuid.UUID, response.MaxTurns), Bodies: asked.Bodies})
		storetest.Refuses(t, err, problem.TooLarge, "")
	})
}

func TestConversation_RefusesTooManyTurns(t *testing.T) {
	eachResponseStore(t, func(t *testing.T, s *responseStore) {
		tenantID := storetest.NewID()
		var last response.Response
		for range response.MaxTurns {
			last = s.create(tenantID, last.ID)
		}
		storetest.Equal(t, "turns",
			len(storetest.Need(s.Response.Conversation(background, platform, tenant.Reach{TenantID: tenantID},
				last.ID))(t)), response.MaxTurns)
		last = s.create(tenantID, last.ID)
		_, err := s.Response.Conversation(background, platform, tenant.Reach{TenantID: tenantID}, last.ID)
		storetest.Refuses(t, err, problem.TooLarge, "")
	})
}

func TestCreateResponse_RefusesTooLargeResponses(t *testing.T) {
	eachResponseStore(t, func(t *testing.T, s *responseStore) {
		r := response.Response{TenantID: storetest.NewID(), CreatedAt: s.now, ExpiresAt: s.now.Add(month),
			Input: []byte(`""`)}
		for i, size := range []int{response.MaxResponse - 2, response.MaxResponse - 2, 1} {
			r.PreviousID, r.ID, r.Body = r.ID, storetest.NewID(), bytes.Repeat([]byte("x"), size)
			storetest.OK(t, s.Response.CreateResponse(background, platform, r))
			_, err := s.Response.Conversation(background, platform, tenant.Reach{TenantID: r.TenantID}, r.ID)
			if large := problem.Is(err, problem.TooLarge); large != (i == 2) {
				t.Error(fmt.Errorf("conversation with turn %d: got TooLarge %v, want %v: %w", i, large, i == 2, err))
			}
		}
		r.ID, r.Body = storetest.NewID(), bytes.Repeat([]byte("x"), response.MaxResponse)
		storetest.Refuses(t, s.Response.CreateResponse(background, platform, r), problem.TooLarge, "")
	})
}
