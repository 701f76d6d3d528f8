package job_test

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

func TestClaimMail_GivesEachMailToOneDeliverer(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		queued := storetest.NewMail(storetest.NewID(), "invitation")
		storetest.OK(t, s.Job.QueueMail(background, platform, queued))
		claimed := storetest.Need(s.Job.ClaimMail(background, platform, time.Hour))(t)
		if claimed == nil || claimed.ID != queued.ID || claimed.TenantID != queued.TenantID ||
			string(claimed.Content) != "sealed" || claimed.Attempts != 1 {
			t.Fatalf("got %+v, want the queued mail with one attempt", claimed)
		}
		if again := storetest.Need(s.Job.ClaimMail(background, platform, time.Hour))(t); again != nil {
			t.Errorf("a claimed mail was claimed again: %+v", again)
		}
		storetest.OK(t, s.Job.EndMail(background, platform, claimed))
		if err := s.Job.EndMail(background, platform, claimed); !errors.Is(err, job.ErrMailLost) {
			t.Errorf("EndMail of a deleted mail: got error %v, want ErrMailLost", err)
		}
	})
}

func TestClaimMail_TakesOverAfterTheLease(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		storetest.OK(t, s.Job.QueueMail(background, platform, storetest.NewMail(uuid.Nil, "invitation")))
		first := storetest.Need(s.Job.ClaimMail(background, platform, 0))(t)
		second := storetest.Need(s.Job.ClaimMail(background, platform, time.Hour))(t)
		if second == nil || second.ID != first.ID || second.Attempts != 2 {
			t.Fatalf("got %+v after the lease of %+v, want the same mail with two attempts", second, first)
		}
		for name, err := range map[string]error{
			"release": s.Job.ReleaseMail(background, platform, first, 0),
			"rewrite": s.Job.RewriteMail(background, platform, first),
			"end":     s.Job.EndMail(background, platform, first),
		} {
			if !errors.Is(err, job.ErrMailLost) {
				t.Errorf("%s by the first deliverer: got error %v, want ErrMailLost", name, err)
			}
		}
		storetest.OK(t, s.Job.ReleaseMail(background, platform, second, time.Hour))
		if early := storetest.Need(s.Job.ClaimMail(background, platform, time.Hour))(t); early != nil {
			t.Errorf("a mail was claimed before its pause ended: %+v", early)
		}
	})
}

// A tenant with many mails occupies one deliverer for each kind, so that mails of other tenants do not wait.
func TestClaimMail_TakesOneOfEachTenantAndKind(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		busy, other := storetest.NewID(), storetest.NewID()
		for _, m := range []job.Mail{storetest.NewMail(busy, "invitation"), storetest.NewMail(busy, "invitation"),
			storetest.NewMail(busy, "password_reset"), storetest.NewMail(other, "invitation")} {
			storetest.OK(t, s.Job.QueueMail(background, platform, m))
		}
		var tenants []uuid.UUID
		for {
			claimed := storetest.Need(s.Job.ClaimMail(background, platform, time.Hour))(t)
			if claimed == nil {
				break
			}
			tenants = append(tenants, claimed.TenantID)
		}
		if len(tenants) != 3 || tenants[0] != busy || tenants[1] != busy || tenants[2] != other {
			t.Errorf("got claims of the tenants %v, want two of %s and one of %s", tenants, busy, other)
		}
	})
}

func TestQueueMail_IsBoundedPerTenantAndKind(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		full := storetest.NewID()
		storetest.OK(t, s.Atomically(background, func(tx *store.Store) error {
			for range job.MaxMails {
				if err := tx.Job.QueueMail(background, platform, storetest.NewMail(full, "invitation")); err != nil {
					return err
				}
			}
			return nil
		}))
		if err := s.Job.QueueMail(background, platform, storetest.NewMail(full, "invitation")); !errors.Is(err,
			job.ErrTooManyMails) {
			t.Errorf("mail %d: got error %v, want ErrTooManyMails", job.MaxMails+1, err)
		}
		storetest.OK(t, s.Job.QueueMail(background, platform, storetest.NewMail(full, "password_reset")))
		storetest.OK(t, s.Job.QueueMail(background, platform, storetest.NewMail(storetest.NewID(), "invitation")))
		storetest.OK(t, s.Job.QueueMail(background, platform, storetest.NewMail(uuid.Nil, "invitation")))
	})
}

func TestQueueMail_HoldsItsBoundInARace(t *testing.T) {
	t.Parallel()
	full := func(err error) bool { return errors.Is(err, job.ErrTooManyMails) }
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		for _, tenantID := range []uuid.UUID{storetest.NewID(), uuid.Nil} {
			queue := func(int) error {
				return s.Job.QueueMail(background, platform, storetest.NewMail(tenantID, "invitation"))
			}
			storetest.OK(t, s.Atomically(background, func(tx *store.Store) error {
				for range job.MaxMails - 3 {
					if err := tx.Job.QueueMail(background, platform, storetest.NewMail(tenantID, "invitation")); err !=
						nil {
						return err
					}
				}
				return nil
			}))
			storetest.Equal(t, "mails queued at 247 of 250", storetest.RaceUntil(t, full, queue), 3)
		}
	})
}

// A request for a password reset becomes a mail of its user's tenant, which has a bound of its own.
func TestRewriteMail_IsBoundedByTheNewTenant(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		crowded := storetest.NewID()
		storetest.OK(t, s.Atomically(background, func(tx *store.Store) error {
			for range job.MaxMails - 1 {
				if err := tx.Job.QueueMail(background, platform, storetest.NewMail(crowded, "password_reset")); err !=
					nil {
					return err
				}
			}
			return nil
		}))
		rewrite := func() error {
			storetest.OK(t, s.Job.QueueMail(background, platform, storetest.NewMail(uuid.Nil, "request")))
			for {
				claimed := storetest.Need(s.Job.ClaimMail(background, platform, time.Hour))(t)
				if claimed.Kind == "request" {
					claimed.TenantID, claimed.Kind = crowded, "password_reset"
					return s.Job.RewriteMail(background, platform, claimed)
				}
			}
		}
		storetest.OK(t, rewrite())
		if err := rewrite(); !errors.Is(err, job.ErrTooManyMails) {
			t.Errorf("mail %d of the tenant: got error %v, want ErrTooManyMails", job.MaxMails+1, err)
		}
	})
}

func TestMail_IsForProgramsOnly(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		scope, m := tenant.ScopeOf(f.Owner), storetest.NewMail(f.Tenant.ID, "invitation")
		_, claimed := s.Job.ClaimMail(background, scope, time.Hour)
		for name, err := range map[string]error{
			"queue": s.Job.QueueMail(background, scope, m), "claim": claimed,
			"release": s.Job.ReleaseMail(background, scope, &m, 0),
			"rewrite": s.Job.RewriteMail(background, scope, &m), "end": s.Job.EndMail(background, scope, &m),
		} {
			if !problem.Is(err, problem.Forbidden) {
				t.Errorf("%s: got error %v, want Forbidden", name, err)
			}
		}
	})
}

// A rollback removes the mail, also after a statement with the scope of a tenant's user.
// errUndo makes Atomically undo its changes.
var errUndo = errors.New("undo")

func TestQueueMail_IsPartOfTheTransaction(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		err := s.Atomically(background, func(tx *store.Store) error {
			if _, err := tx.Identity.Tenant(background, tenant.ScopeOf(f.Owner), f.Tenant.ID); err != nil {
				return err
			}
			if err := tx.Job.QueueMail(background, platform, storetest.NewMail(f.Tenant.ID, "invitation")); err != nil {
				return err
			}
			return errUndo
		})
		if !errors.Is(err, errUndo) {
			t.Fatal(err)
		}
		if claimed := storetest.Need(s.Job.ClaimMail(background, platform, time.Hour))(t); claimed != nil {
			t.Errorf("a mail of a rolled back transaction was claimed: %+v", claimed)
		}
	})
}

func TestSweep_DeletesMailThatNobodyDelivered(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		old := storetest.NewMail(uuid.Nil, "invitation")
		old.ExpiresAt = time.Now().Add(-25 * time.Hour)
		storetest.OK(t, s.Job.QueueMail(background, platform, old))
		storetest.OK(t, s.Sweep(background, platform))
		if claimed := storetest.Need(s.Job.ClaimMail(background, platform, time.Hour))(t); claimed != nil {
			t.Errorf("an expired mail was not deleted: %+v", claimed)
		}
	})
}
