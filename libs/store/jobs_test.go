package store_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/job"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store"
	"github.com/tollgate/tollgate/libs/store/db"
	"github.com/tollgate/tollgate/libs/store/identity"
	jobdb "github.com/tollgate/tollgate/libs/store/job"
	"github.com/tollgate/tollgate/libs/store/metering"
	storepage "github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// jobLease is the lease of every claim in these tests.
const jobLease = 30 * time.Second

var allKinds = []job.Kind{job.UsageExport, job.PriceSimulation, job.ManifestImport}

// jobStore is a store with two customers and an operator, and a clock that the test advances.
type jobStore struct {
	*store.Store
	clock    *clock
	a, b     customer
	operator tenant.User
}

// eachJobStore runs the test on each kind of database.
func eachJobStore(t *testing.T, test func(t *testing.T, o *jobStore)) {
	t.Helper()
	for kind, url := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			o := &jobStore{clock: newClock()}
			o.Store = storetest.Open(t, db.Options{URL: url(t), Now: o.clock.now})
			o.a, o.b = newCustomer(t, o.Store, "acme"), newCustomer(t, o.Store, "beta")
			o.operator = need(o.Identity.CreateUser(background, storetest.Confirmed(platform),
				identity.NewUser{Email: "op@example.com", Role: tenant.Operator, PasswordHash: "x"}))(t)
			test(t, o)
		})
	}
}

// createExport queues an export of the user.
func (o *jobStore) createExport(t testing.TB, u tenant.User) job.Job {
	t.Helper()
	return need(o.Job.CreateJob(background, tenant.ScopeOf(u), jobdb.NewJob{
		Kind: job.UsageExport, Parameters: job.ExportParameters{Format: job.CSV, To: o.clock.now()},
	}))(t)
}

// claim claims the next job. It fails the test if there is none.
func (o *jobStore) claim(t testing.TB) *jobdb.Claim {
	t.Helper()
	claim := need(o.Job.ClaimJob(background, platform, allKinds, jobLease))(t)
	if claim == nil {
		t.Fatal("got no job to claim")
	}
	return claim
}

// nothingToClaim checks that no job can be claimed.
func (o *jobStore) nothingToClaim(t testing.TB, when string) {
	t.Helper()
	if claim := need(o.Job.ClaimJob(background, platform, allKinds, jobLease))(t); claim != nil {
		t.Errorf("%s: claimed the job %s with status %s, want none", when, claim.ID, claim.Status)
	}
}

// read returns the job as its user sees it.
func (o *jobStore) read(t testing.TB, j job.Job) job.Job {
	t.Helper()
	var as tenant.User
	for _, u := range []tenant.User{o.a.owner, o.a.admin, o.a.member, o.b.member, o.operator} {
		if u.ID == j.UserID {
			as = u
		}
	}
	return need(o.Job.Job(background, tenant.ScopeOf(as), j.ID))(t)
}

// wantLost checks that err is ErrJobLost.
func wantLost(t testing.TB, what string, err error) {
	t.Helper()
	if !errors.Is(err, jobdb.ErrJobLost) {
		t.Errorf("%s: got error %v, want ErrJobLost", what, err)
	}
}

func TestJob_ClaimRenewSaveFinish(t *testing.T) {
	t.Parallel()
	eachJobStore(t, func(t *testing.T, o *jobStore) {
		asked := o.createExport(t, o.a.member)
		equal(t, "status", asked.Status, job.Queued)
		c := o.claim(t)
		equal(t, "claimed", c.ID, asked.ID)
		equal(t, "user of the claim", c.User.ID, o.a.member.ID)
		o.nothingToClaim(t, "while it runs")
		ok(t, o.Job.RenewJob(background, platform, c.Ref, job.Progress{Done: 5, Total: 9}, jobLease))
		equal(t, "progress", o.read(t, asked).Progress, job.Progress{Done: 5, Total: 9})
		step := jobdb.Step{Progress: job.Progress{Done: 7, Total: 9}, Checkpoint: []byte("here"),
			Part: []byte{1, 0, 255}, Size: 30}
		ok(t, o.Job.SaveJob(background, platform, c.Ref, step))
		_, err := o.Job.JobPart(background, o.a.asMember, asked.ID, 0)
		refuses(t, err, problem.NotFound, "") // a job has no file before it has succeeded
		ok(t, o.Job.FinishJob(background, platform, c.Ref, jobdb.End{
			Step:   jobdb.Step{Progress: job.Progress{Done: 9, Total: 9}, Part: []byte{7}, Size: 2},
			Result: job.ExportResult{Rows: 9},
		}))
		done := o.read(t, asked)
		equal(t, "status", done.Status, job.Succeeded)
		equal(t, "parts", done.Parts, 2)
		equal(t, "size", done.Size, 32)
		equal(t, "expiry", done.ExpiresAt, done.FinishedAt.Add(job.Retention))
		if got := string(done.Result); got != `{"rows": 9}` && got != `{"rows":9}` {
			t.Errorf("got result %s, want 9 rows", got)
		}
		for seq, want := range [][]byte{{1, 0, 255}, {7}} {
			if got := need(o.Job.JobPart(background, o.a.asMember, asked.ID, seq))(t); !slices.Equal(got, want) {
				t.Errorf("part %d: got %v, want %v", seq, got, want)
			}
		}
		wantLost(t, "save after the end", o.Job.SaveJob(background, platform, c.Ref, step))
		o.nothingToClaim(t, "afterwards")
	})
}

// A worker that does not renew its lease loses the job and can change nothing afterwards. The next worker
// resumes at the last checkpoint.
func TestClaimJob_TakesOverAfterTheLease(t *testing.T) {
	t.Parallel()
	eachJobStore(t, func(t *testing.T, o *jobStore) {
		asked := o.createExport(t, o.a.member)
		first := o.claim(t)
		ok(t, o.Job.SaveJob(background, platform, first.Ref,
			jobdb.Step{Progress: job.Progress{Done: 3}, Checkpoint: []byte("3"), Part: []byte("p"), Size: 1}))
		o.clock.advance(jobLease - time.Second)
		ok(t, o.Job.RenewJob(background, platform, first.Ref, job.Progress{Done: 4}, jobLease))
		o.clock.advance(jobLease - time.Second)
		o.nothingToClaim(t, "within the lease")
		o.clock.advance(2 * time.Second)
		second := o.claim(t)
		equal(t, "the same job", second.ID, asked.ID)
		equal(t, "checkpoint", string(second.Checkpoint), "3")
		equal(t, "parts", second.Parts, 1)
		equal(t, "stored", second.Stored, 1)
		wantLost(t, "renew", o.Job.RenewJob(background, platform, first.Ref, job.Progress{}, jobLease))
		wantLost(t, "save", o.Job.SaveJob(background, platform, first.Ref, jobdb.Step{Part: []byte("late")}))
		wantLost(t, "finish", o.Job.FinishJob(background, platform, first.Ref, jobdb.End{}))
		wantLost(t, "fail", o.Job.FailJob(background, platform, first.Ref, job.Failure{Word: "x"}))
		wantLost(t, "release", o.Job.ReleaseJob(background, platform, first.Ref, 0))
		ok(t,
			o.Job.FinishJob(background, platform, second.Ref, jobdb.End{Step: jobdb.Step{Part: []byte("q"), Size: 1}}))
		equal(t, "parts", o.read(t, asked).Parts, 2)
	})
}

func TestReleaseJob_DelaysTheNextClaim(t *testing.T) {
	t.Parallel()
	eachJobStore(t, func(t *testing.T, o *jobStore) {
		asked := o.createExport(t, o.a.member)
		ok(t, o.Job.ReleaseJob(background, platform, o.claim(t).Ref, time.Minute))
		equal(t, "status", o.read(t, asked).Status, job.Queued)
		o.nothingToClaim(t, "during the pause")
		o.clock.advance(time.Minute)
		equal(t, "claimed after the pause", o.claim(t).ID, asked.ID)
	})
}

// A job whose workers die without a checkpoint fails after job.MaxAttempts claims. A checkpoint resets the count.
func TestClaimJob_FailsJobsWithoutProgress(t *testing.T) {
	t.Parallel()
	eachJobStore(t, func(t *testing.T, o *jobStore) {
		asked := o.createExport(t, o.a.member)
		for range 2 * job.MaxAttempts {
			ok(t, o.Job.SaveJob(background, platform, o.claim(t).Ref, jobdb.Step{}))
			o.clock.advance(jobLease)
		}
		for range job.MaxAttempts {
			o.claim(t)
			o.clock.advance(jobLease)
		}
		o.nothingToClaim(t, "after all attempts")
		equal(t, "status", o.read(t, asked).Status, job.Failed)
		equal(t, "word", o.read(t, asked).Failure.Word, "internal_error")
	})
}

func TestClaimJob_GivesEachJobToOneWorker(t *testing.T) {
	t.Parallel()
	eachJobStore(t, func(t *testing.T, o *jobStore) {
		for range job.MaxActive {
			o.createExport(t, o.a.member)
			o.createExport(t, o.b.member)
		}
		var mu sync.Mutex
		claimed := map[uuid.UUID]int{}
		var workers sync.WaitGroup
		for range 8 {
			workers.Go(func() {
				for {
					claim, err := o.Job.ClaimJob(background, platform, allKinds, jobLease)
					if err != nil {
						t.Error(err)
					}
					if claim == nil {
						return
					}
					mu.Lock()
					claimed[claim.ID]++
					mu.Unlock()
				}
			})
		}
		workers.Wait()
		for _, u := range []tenant.User{o.a.member, o.b.member} {
			for _, j := range need(o.Job.Jobs(background, tenant.ScopeOf(u), storepage.Page{}))(t).Items {
				equal(t, "claims of "+j.ID.String(), claimed[j.ID], 1)
			}
		}
		equal(t, "jobs", len(claimed), 2*job.MaxActive)
	})
}

func TestClaimJob_AlternatesBetweenTenants(t *testing.T) {
	t.Parallel()
	eachJobStore(t, func(t *testing.T, o *jobStore) {
		for range job.MaxActive {
			o.createExport(t, o.a.member)
		}
		late := o.createExport(t, o.b.member)
		equal(t, "tenant of the first claim", o.claim(t).TenantID, o.a.tenant.ID)
		equal(t, "job of the second claim", o.claim(t).ID, late.ID)
		equal(t, "tenant of the third claim", o.claim(t).TenantID, o.a.tenant.ID)
	})
}

func TestCancelJob_EndsQueuedAndRunningJobs(t *testing.T) {
	t.Parallel()
	eachJobStore(t, func(t *testing.T, o *jobStore) {
		waiting, running := o.createExport(t, o.a.member), o.createExport(t, o.a.admin)
		equal(t, "cancelled", need(o.Job.CancelJob(background, o.a.asMember, waiting.ID))(t).Status, job.Canceled)
		c := o.claim(t)
		equal(t, "claimed", c.ID, running.ID)
		ok(t, o.Job.SaveJob(background, platform, c.Ref, jobdb.Step{Part: []byte("p"), Size: 1}))
		need(o.Job.CancelJob(background, o.a.asAdmin, running.ID))(t)
		wantLost(t, "renew", o.Job.RenewJob(background, platform, c.Ref, job.Progress{}, jobLease))
		_, err := o.Job.CancelJob(background, o.a.asAdmin, running.ID)
		refuses(t, err, problem.Conflict, "")
		o.nothingToClaim(t, "afterwards")
		equal(t, "parts", store.CountJobParts(t, o.Store), 0)
	})
}

func TestJobs_AreVisibleToTheirUserAlone(t *testing.T) {
	t.Parallel()
	eachJobStore(t, func(t *testing.T, o *jobStore) {
		own := o.createExport(t, o.a.member)
		simulation := need(o.Job.CreateJob(background, tenant.ScopeOf(o.operator),
			jobdb.NewJob{Kind: job.PriceSimulation}))(t)
		another := need(o.Identity.CreateUser(background, storetest.Confirmed(platform),
			identity.NewUser{Email: "op2@example.com", Role: tenant.Operator, PasswordHash: "x"}))(t)
		demoted := o.a.member
		demoted.Role = tenant.Admin
		for _, row := range []struct {
			name            string
			as              tenant.Scope
			own, simulation bool
		}{
			{"the member", o.a.asMember, true, false},
			{"an admin of the tenant", o.a.asAdmin, false, false},
			{"an owner of the tenant", o.a.asOwner, false, false},
			{"another tenant", o.b.asOwner, false, false},
			{"the member in another role", tenant.ScopeOf(demoted), false, false},
			{"the operator", tenant.ScopeOf(o.operator), false, true},
			{"another operator", tenant.ScopeOf(another), false, true},
			{"the empty scope", tenant.Scope{}, false, false},
		} {
			listed := map[uuid.UUID]bool{}
			for _, j := range need(o.Job.Jobs(background, row.as, storepage.Page{}))(t).Items {
				listed[j.ID] = true
			}
			for id, want := range map[uuid.UUID]bool{own.ID: row.own, simulation.ID: row.simulation} {
				_, err := o.Job.Job(background, row.as, id)
				equal(t, row.name+" reads", err == nil, want)
				equal(t, row.name+" lists", listed[id], want)
				if _, err := o.Job.JobPart(background, row.as, id, 0); !problem.Is(err, problem.NotFound) {
					t.Errorf("%s: part of the file: got error %v, want NotFound", row.name, err)
				}
				if !want {
					_, err = o.Job.CancelJob(background, row.as, id)
					refuses(t, err, problem.NotFound, "")
					_, err = o.Job.TakeJobSecret(background, row.as, id)
					refuses(t, err, problem.NotFound, "")
				}
			}
		}
		for _, as := range []tenant.Scope{o.a.asOwner, o.a.asMember, {}} {
			_, err := o.Job.CreateJob(background, as, jobdb.NewJob{Kind: job.PriceSimulation})
			refuses(t, err, problem.Forbidden, "")
			_, err = o.Job.ClaimJob(background, as, allKinds, jobLease)
			refuses(t, err, problem.Forbidden, "")
		}
		_, err := o.Job.CreateJob(background, platform, jobdb.NewJob{Kind: job.UsageExport})
		refuses(t, err, problem.Forbidden, "")
	})
}

// The job fails whether or not the work had begun.
func TestJob_FailsWhenItsUserLosesTheRight(t *testing.T) {
	t.Parallel()
	for name, removeRight := range map[string]func(o *jobStore) error{
		"disabled": func(o *jobStore) error {
			_, err := o.Identity.UpdateUser(background, storetest.Confirmed(platform), o.a.admin.ID,
				identity.UserPatch{Status: to(tenant.Disabled)})
			return err
		},
		"demoted": func(o *jobStore) error {
			_, err := o.Identity.UpdateUser(background, storetest.Confirmed(platform), o.a.admin.ID,
				identity.UserPatch{Role: to(tenant.Member)})
			return err
		},
		"tenant disabled": func(o *jobStore) error {
			_, err := o.Identity.UpdateTenant(background, platform, o.a.tenant.ID,
				identity.TenantPatch{Status: to(tenant.Disabled)})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachJobStore(t, func(t *testing.T, o *jobStore) {
				begun, waiting := o.createExport(t, o.a.admin), o.createExport(t, o.a.admin)
				c := o.claim(t)
				ok(t, removeRight(o))
				for what, err := range map[string]error{
					"renew":  o.Job.RenewJob(background, platform, c.Ref, job.Progress{}, jobLease),
					"save":   o.Job.SaveJob(background, platform, c.Ref, jobdb.Step{Part: []byte("p")}),
					"finish": o.Job.FinishJob(background, platform, c.Ref, jobdb.End{}),
				} {
					if !problem.Is(err, problem.Forbidden) {
						t.Errorf("%s: got error %v, want Forbidden", what, err)
					}
				}
				ok(t, o.Job.FailJob(background, platform, c.Ref, job.FailureOf(problem.Of(problem.Forbidden))))
				o.nothingToClaim(t, "afterwards")
				for _, j := range []job.Job{begun, waiting} {
					found := need(o.Job.Job(background, o.a.asAdmin, j.ID))(t)
					equal(t, "status", found.Status, job.Failed)
					equal(t, "word", found.Failure.Word, "forbidden")
				}
			})
		})
	}
}

func TestCreateJob_LimitsActiveAndFinishedJobs(t *testing.T) {
	t.Parallel()
	eachJobStore(t, func(t *testing.T, o *jobStore) {
		for range job.MaxActive {
			o.createExport(t, o.a.member)
		}
		_, err := o.Job.CreateJob(background, o.a.asMember, jobdb.NewJob{Kind: job.UsageExport})
		refuses(t, err, problem.Conflict, "")
		o.createExport(t, o.a.admin)
		for range job.MaxActive {
			need(o.Job.CancelJob(background, o.a.asMember, o.claimOf(t, o.a.member).ID))(t)
		}
		var last job.Job
		for range job.MaxFinished + 3 {
			last = o.createExport(t, o.a.member)
			need(o.Job.CancelJob(background, o.a.asMember, last.ID))(t)
		}
		kept := need(o.Job.Jobs(background, o.a.asMember, storepage.Page{Limit: 100}))(t).Items
		equal(t, "jobs", len(kept), job.MaxFinished)
		equal(t, "newest job", kept[0].ID, last.ID)
	})
}

// claimOf claims jobs until one is the user's.
func (o *jobStore) claimOf(t testing.TB, u tenant.User) *jobdb.Claim {
	t.Helper()
	for {
		if c := o.claim(t); c.UserID == u.ID {
			return c
		}
	}
}

func TestSweep_DeletesFinishedJobsWithTheirFiles(t *testing.T) {
	t.Parallel()
	eachJobStore(t, func(t *testing.T, o *jobStore) {
		old := o.createExport(t, o.a.member)
		ok(t, o.Job.FinishJob(background, platform, o.claim(t).Ref,
			jobdb.End{Step: jobdb.Step{Part: []byte("p"), Size: 1}}))
		o.clock.advance(time.Hour)
		young := o.createExport(t, o.a.member)
		ok(t, o.Job.FinishJob(background, platform, o.claim(t).Ref,
			jobdb.End{Step: jobdb.Step{Part: []byte("q"), Size: 1}}))
		waiting := o.createExport(t, o.a.member)
		o.clock.advance(job.Retention - time.Hour)
		ok(t, o.Sweep(background, platform))
		_, err := o.Job.Job(background, o.a.asMember, old.ID)
		refuses(t, err, problem.NotFound, "")
		equal(t, "job that has not expired", o.read(t, young).Status, job.Succeeded)
		equal(t, "parts", store.CountJobParts(t, o.Store), 1)
		o.clock.advance(10 * job.Retention)
		ok(t, o.Sweep(background, platform))
		equal(t, "job that has not ended", o.read(t, waiting).Status, job.Queued)
		equal(t, "parts", store.CountJobParts(t, o.Store), 0)
	})
}

// The input of a job is erased at its end. Only the user who created the job gets the secret.
func TestTakeJobSecret_ReturnsTheSecretOnce(t *testing.T) {
	t.Parallel()
	eachJobStore(t, func(t *testing.T, o *jobStore) {
		me := tenant.ScopeOf(o.operator)
		asked := need(o.Job.CreateJob(background, me,
			jobdb.NewJob{ID: newID(), Kind: job.ManifestImport, Input: []byte("sealed")}))(t)
		c := o.claim(t)
		equal(t, "input", string(c.Input), "sealed")
		ok(t, o.Job.ReleaseJob(background, platform, c.Ref, 0))
		c = o.claim(t)
		equal(t, "input again", string(c.Input), "sealed")
		ok(t, o.Job.FinishJob(background, platform, c.Ref, jobdb.End{Secret: []byte("token")}))
		equal(t, "input after the end", store.JobInput(t, o.Store, asked.ID), "")
		equal(t, "the job has a secret", o.read(t, asked).Secret, true)
		another := need(o.Identity.CreateUser(background, storetest.Confirmed(platform),
			identity.NewUser{Email: "op2@example.com", Role: tenant.Operator, PasswordHash: "x"}))(t)
		_, err := o.Job.TakeJobSecret(background, tenant.ScopeOf(another), asked.ID)
		refuses(t, err, problem.NotFound, "")
		equal(t, "secret", string(need(o.Job.TakeJobSecret(background, me, asked.ID))(t)), "token")
		_, err = o.Job.TakeJobSecret(background, me, asked.ID)
		refuses(t, err, problem.NotFound, "")
		equal(t, "the job has a secret after it was taken", o.read(t, asked).Secret, false)
	})
}

func TestLogBatch_ReturnsTheSameLogsAsPages(t *testing.T) {
	t.Parallel()
	eachJobStore(t, func(t *testing.T, o *jobStore) {
		for i := range 7 {
			event := o.a.call(o.a.member, fmt.Sprintf("m%d", i%2), 1)
			event.CreatedAt = o.clock.now()
			need(o.Metering.RecordEvents(background, platform, newID(), []usage.Event{event}))(t)
		}
		var ids []uuid.UUID
		// The ids have real times, which may be up to 90 minutes later than the clock of the store.
		query := metering.LogQuery{To: o.clock.now().Add(2 * time.Hour), Page: storepage.Page{Limit: 3}}
		for {
			page := need(o.Metering.LogBatch(background, o.a.asAdmin, query))(t)
			for _, l := range page.Items {
				ids = append(ids, l.ID)
			}
			if query.After = page.Next; query.After == "" {
				break
			}
		}
		var want []uuid.UUID
		for _, l := range need(o.Metering.UsageLogs(background, o.a.asAdmin, metering.LogQuery{}))(t).Items {
			want = append(want, l.ID)
		}
		if !slices.Equal(ids, want) || len(ids) != 7 {
			t.Errorf("got logs %v, want %v", ids, want)
		}
		equal(t, "logs that another tenant gets",
			len(need(o.Metering.LogBatch(background, o.b.asAdmin, metering.LogQuery{}))(t).Items), 0)
	})
}
