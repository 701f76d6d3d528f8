package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/job"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

func letter(tenantID uuid.UUID, kind string) job.Mail {
	return job.Mail{ID: newID(), TenantID: tenantID, Kind: kind, Content: []byte("sealed"), ExpiresAt: time.Now().Add(time.Hour)}
}

func TestClaimMail_GivesEachMailToOneDeliverer(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		queued := letter(newID(), "invitation")
		ok(t, s.Job.QueueMail(background, platform, queued))
		claimed := need(s.Job.ClaimMail(background, platform, time.Hour))(t)
		if claimed == nil || claimed.ID != queued.ID || claimed.TenantID != queued.TenantID || string(claimed.Content) != "sealed" || claimed.Attempts != 1 {
			t.Fatalf("claimed %+v", claimed)
		}
		if again := need(s.Job.ClaimMail(background, platform, time.Hour))(t); again != nil {
			t.Errorf("a mail at work was claimed: %+v", again)
		}
		ok(t, s.Job.EndMail(background, platform, claimed))
		if err := s.Job.EndMail(background, platform, claimed); !errors.Is(err, job.ErrMailLost) {
			t.Errorf("the end of a mail that is gone: %v", err)
		}
	})
}

func TestClaimMail_TakesOverAfterTheLease(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ok(t, s.Job.QueueMail(background, platform, letter(uuid.Nil, "invitation")))
		first := need(s.Job.ClaimMail(background, platform, 0))(t)
		second := need(s.Job.ClaimMail(background, platform, time.Hour))(t)
		if second == nil || second.ID != first.ID || second.Attempts != 2 {
			t.Fatalf("claimed %+v after %+v", second, first)
		}
		for name, err := range map[string]error{
			"release": s.Job.ReleaseMail(background, platform, first, 0), "rewrite": s.Job.RewriteMail(background, platform, first), "end": s.Job.EndMail(background, platform, first),
		} {
			if !errors.Is(err, job.ErrMailLost) {
				t.Errorf("%s by the first deliverer: %v", name, err)
			}
		}
		ok(t, s.Job.ReleaseMail(background, platform, second, time.Hour))
		if early := need(s.Job.ClaimMail(background, platform, time.Hour))(t); early != nil {
			t.Errorf("a mail was claimed before its pause ended: %+v", early)
		}
	})
}

// A tenant with much mail has one delivery at work, so that the mail of others
// does not wait for it.
func TestClaimMail_TakesOneOfEachTenantAndKind(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		busy, other := newID(), newID()
		for _, m := range []job.Mail{letter(busy, "invitation"), letter(busy, "invitation"), letter(busy, "password_reset"), letter(other, "invitation")} {
			ok(t, s.Job.QueueMail(background, platform, m))
		}
		var tenants []uuid.UUID
		for {
			claimed := need(s.Job.ClaimMail(background, platform, time.Hour))(t)
			if claimed == nil {
				break
			}
			tenants = append(tenants, claimed.TenantID)
		}
		if len(tenants) != 3 || tenants[0] != busy || tenants[1] != busy || tenants[2] != other {
			t.Errorf("claimed for %v, want two of %s and one of %s", tenants, busy, other)
		}
	})
}

func TestQueueMail_IsBoundedPerTenantAndKind(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		full := newID()
		ok(t, s.Atomically(background, func(tx *store.Store) error {
			for range job.MaxMails {
				if err := tx.Job.QueueMail(background, platform, letter(full, "invitation")); err != nil {
					return err
				}
			}
			return nil
		}))
		if err := s.Job.QueueMail(background, platform, letter(full, "invitation")); !errors.Is(err, job.ErrTooManyMails) {
			t.Errorf("beyond the bound: %v", err)
		}
		ok(t, s.Job.QueueMail(background, platform, letter(full, "password_reset")))
		ok(t, s.Job.QueueMail(background, platform, letter(newID(), "invitation")))
		ok(t, s.Job.QueueMail(background, platform, letter(uuid.Nil, "invitation")))
	})
}

func TestMail_IsForProgramsOnly(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := found(t, s, "acme")
		scope, m := tenant.ScopeOf(f.owner), letter(f.tenant.ID, "invitation")
		_, claimed := s.Job.ClaimMail(background, scope, time.Hour)
		for name, err := range map[string]error{
			"queue": s.Job.QueueMail(background, scope, m), "claim": claimed, "release": s.Job.ReleaseMail(background, scope, &m, 0),
			"rewrite": s.Job.RewriteMail(background, scope, &m), "end": s.Job.EndMail(background, scope, &m),
		} {
			if !problem.Is(err, problem.Forbidden) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// Mail is queued with the change that it announces, also within the reach of a
// tenant's user, or not at all.
func TestQueueMail_IsPartOfTheTransaction(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f, undone := found(t, s, "acme"), errors.New("undone")
		err := s.Atomically(background, func(tx *store.Store) error {
			if _, err := tx.Identity.Tenant(background, tenant.ScopeOf(f.owner), f.tenant.ID); err != nil {
				return err
			}
			if err := tx.Job.QueueMail(background, platform, letter(f.tenant.ID, "invitation")); err != nil {
				return err
			}
			return undone
		})
		if !errors.Is(err, undone) {
			t.Fatal(err)
		}
		if claimed := need(s.Job.ClaimMail(background, platform, time.Hour))(t); claimed != nil {
			t.Errorf("an undone mail was claimed: %+v", claimed)
		}
	})
}

func TestSweep_DeletesMailThatNobodyDelivered(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		old := letter(uuid.Nil, "invitation")
		old.ExpiresAt = time.Now().Add(-25 * time.Hour)
		ok(t, s.Job.QueueMail(background, platform, old))
		ok(t, s.Sweep(background, platform))
		if claimed := need(s.Job.ClaimMail(background, platform, time.Hour))(t); claimed != nil {
			t.Errorf("an old mail is left: %+v", claimed)
		}
	})
}
