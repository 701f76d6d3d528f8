package job_test

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
	clock    *storetest.Clock
	a, b     storetest.Customer
	operator tenant.User
}

// eachJobStore runs the test on each kind of database.
func eachJobStore(t *testing.T, test func(t *testing.T, o *jobStore)) {
	t.Helper()
	for kind, url := range storetest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			o := &jobStore{clock: storetest.NewClock()}
			o.Store = storetest.Open(t, db.Options{URL: url(t), Now: o.clock.Now})
			o.a, o.b = storetest.NewCustomer(t, o.Store, "acme"), storetest.NewCustomer(t, o.Store, "beta")
			o.operator = storetest.Need(o.Identity.CreateUser(background, storetest.Confirmed(platform),
				identity.NewUser{Email: "op@example.com", Role: tenant.Operator, PasswordHash: "x"}))(t)
			test(t, o)
		})
	}
}

// createExport queues an export of the user.
func (o *jobStore) createExport(t testing.TB, u tenant.User) job.Job {
	t.Helper()
	return storetest.Need(o.Job.CreateJob(background, tenant.ScopeOf(u), jobdb.NewJob{
		Kind: job.UsageExport, Parameters: job.ExportParameters{Format: job.CSV, To: o.clock.Now()},
	}))(t)
}

// claim claims the next job. It fails the test if there is none.
func (o *jobStore) claim(t testing.TB) *jobdb.Claim {
	t.Helper()
	claim := storetest.Need(o.Job.ClaimJob(background, platform, allKinds, jobLease))(t)
	if claim == nil {
		t.Fatal("got no job to claim")
	}
	return claim
}

// nothingToClaim checks that no job can be claimed.
func (o *jobStore) nothingToClaim(t testing.TB, when string) {
	t.Helper()
	if claim := storetest.Need(o.Job.ClaimJob(background, platform, allKinds, jobLease))(t); claim != nil {
		t.Errorf("%s: claimed the job %s with status %s, want none", when, claim.ID, claim.Status)
	}
}

// read returns the job as its user sees it.
func (o *jobStore) read(t testing.TB, j job.Job) job.Job {
	t.Helper()
	var as tenant.User
	for _, u := range []tenant.User{o.a.Owner, o.a.Admin, o.a.Member, o.b.Member, o.operator} {
		if u.ID == j.UserID {
			as = u
		}
	}
	return storetest.Need(o.Job.Job(background, tenant.ScopeOf(as), j.ID))(t)
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
		asked := o.createExport(t, o.a.Member)
		storetest.Equal(t, "status", asked.Status, job.Queued)
		c := o.claim(t)
		storetest.Equal(t, "claimed", c.ID, asked.ID)
		storetest.Equal(t, "user of the claim", c.User.ID, o.a.Member.ID)
		o.nothingToClaim(t, "while it runs")
		storetest.OK(t, o.Job.RenewJob(background, platform, c.Ref, job.Progress{Done: 5, Total: 9}, jobLease))
		storetest.Equal(t, "progress", o.read(t, asked).Progress, job.Progress{Done: 5, Total: 9})
		step := jobdb.Step{Progress: job.Progress{Done: 7, Total: 9}, Checkpoint: []byte("here"),
			Part: []byte{1, 0, 255}, Size: 30}
		storetest.OK(t, o.Job.SaveJob(background, platform, c.Ref, step))
		_, err := o.Job.JobPart(background, o.a.AsMember, asked.ID, 0)
		storetest.Refuses(t, err, problem.NotFound, "") // a job has no file before it has succeeded
		storetest.OK(t, o.Job.FinishJob(background, platform, c.Ref, jobdb.End{
			Step:   jobdb.Step{Progress: job.Progress{Done: 9, Total: 9}, Part: []byte{7}, Size: 2},
			Result: job.ExportResult{Rows: 9},
		}))
		done := o.read(t, asked)
		storetest.Equal(t, "status", done.Status, job.Succeeded)
		storetest.Equal(t, "parts", done.Parts, 2)
		storetest.Equal(t, "size", done.Size, 32)
		storetest.Equal(t, "expiry", done.ExpiresAt, done.FinishedAt.Add(job.Retention))
		if got := string(done.Result); got != `{"rows": 9}` && got != `{"rows":9}` {
			t.Errorf("got result %s, want 9 rows", got)
		}
		for seq, want := range [][]byte{{1, 0, 255}, {7}} {
			if got := storetest.Need(o.Job.JobPart(background, o.a.AsMember, asked.ID, seq))(t); !slices.Equal(got,
				want) {
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
		asked := o.createExport(t, o.a.Member)
		first := o.claim(t)
		storetest.OK(t, o.Job.SaveJob(background, platform, first.Ref,
			jobdb.Step{Progress: job.Progress{Done: 3}, Checkpoint: []byte("3"), Part: []byte("p"), Size: 1}))
		o.clock.Advance(jobLease - time.Second)
		storetest.OK(t, o.Job.RenewJob(background, platform, first.Ref, job.Progress{Done: 4}, jobLease))
		o.clock.Advance(jobLease - time.Second)
		o.nothingToClaim(t, "within the lease")
		o.clock.Advance(2 * time.Second)
		second := o.claim(t)
		storetest.Equal(t, "the same job", second.ID, asked.ID)
		storetest.Equal(t, "checkpoint", string(second.Checkpoint), "3")
		storetest.Equal(t, "parts", second.Parts, 1)
		storetest.Equal(t, "stored", second.Stored, 1)
		wantLost(t, "renew", o.Job.RenewJob(background, platform, first.Ref, job.Progress{}, jobLease))
		wantLost(t, "save", o.Job.SaveJob(background, platform, first.Ref, jobdb.Step{Part: []byte("late")}))
		wantLost(t, "finish", o.Job.FinishJob(background, platform, first.Ref, jobdb.End{}))
		wantLost(t, "fail", o.Job.FailJob(background, platform, first.Ref, job.Failure{Word: "x"}))
		wantLost(t, "release", o.Job.ReleaseJob(background, platform, first.Ref, 0))
		storetest.OK(t,
			o.Job.FinishJob(background, platform, second.Ref, jobdb.End{Step: jobdb.Step{Part: []byte("q"), Size: 1}}))
		storetest.Equal(t, "parts", o.read(t, asked).Parts, 2)
	})
}

func TestReleaseJob_DelaysTheNextClaim(t *testing.T) {
	t.Parallel()
	eachJobStore(t, func(t *testing.T, o *jobStore) {
		asked := o.createExport(t, o.a.Member)
		storetest.OK(t, o.Job.ReleaseJob(background, platform, o.claim(t).Ref, time.Minute))
		storetest.Equal(t, "status", o.read(t, asked).Status, job.Queued)
		o.nothingToClaim(t, "during the pause")
		o.clock.Advance(time.Minute)
		storetest.Equal(t, "claimed after the pause", o.claim(t).ID, asked.ID)
	})
}

// A job whose workers die without a checkpoint fails after job.MaxAttempts claims. A checkpoint resets the count.
func TestClaimJob_FailsJobsWithoutProgress(t *testing.T) {
	t.Parallel()
	eachJobStore(t, func(t *testing.T, o *jobStore) {
		asked := o.createExport(t, o.a.Member)
		for range 2 * job.MaxAttempts {
			storetest.OK(t, o.Job.SaveJob(background, platform, o.claim(t).Ref, jobdb.Step{}))
			o.clock.Advance(jobLease)
		}
		for range job.MaxAttempts {
			o.claim(t)
			o.clock.Advance(jobLease)
		}
		o.nothingToClaim(t, "after all attempts")
		storetest.Equal(t, "status", o.read(t, asked).Status, job.Failed)
		storetest.Equal(t, "word", o.read(t, asked).Failure.Word, "internal_error")
	})
}

func TestClaimJob_GivesEachJobToOneWorker(t *testing.T) {
	t.Parallel()
	eachJobStore(t, func(t *testing.T, o *jobStore) {
		for range job.MaxActive {
			o.createExport(t, o.a.Member)
			o.createExport(t, o.b.Member)
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
		for _, u := range []tenant.User{o.a.Member, o.b.Member} {
			for _, j := range storetest.Need(o.Job.Jobs(background, tenant.ScopeOf(u), storepage.Page{}))(t).Items {
				storetest.Equal(t, "claims of "+j.ID.String(), claimed[j.ID], 1)
			}
		}
		storetest.Equal(t, "jobs", len(claimed), 2*job.MaxActive)
	})
}

func TestClaimJob_AlternatesBetweenTenants(t *testing.T) {
	t.Parallel()
	eachJobStore(t, func(t *testing.T, o *jobStore) {
		for range job.MaxActive {
			o.createExport(t, o.a.Member)
		}
		late := o.createExport(t, o.b.Member)
		storetest.Equal(t, "tenant of the first claim", o.claim(t).TenantID, o.a.Tenant.ID)
		storetest.Equal(t, "job of the second claim", o.claim(t).ID, late.ID)
		storetest.Equal(t, "tenant of the third claim", o.claim(t).TenantID, o.a.Tenant.ID)
	})
}

func TestCancelJob_EndsQueuedAndRunningJobs(t *testing.T) {
	t.Parallel()
	eachJobStore(t, func(t *testing.T, o *jobStore) {
		waiting, running := o.createExport(t, o.a.Member), o.createExport(t, o.a.Admin)
		storetest.Equal(t, "cancelled", storetest.Need(o.Job.CancelJob(background, o.a.AsMember, waiting.ID))(t).Status,
			job.Canceled)
		c := o.claim(t)
		storetest.Equal(t, "claimed", c.ID, running.ID)
		storetest.OK(t, o.Job.SaveJob(background, platform, c.Ref, jobdb.Step{Part: []byte("p"), Size: 1}))
		storetest.Need(o.Job.CancelJob(background, o.a.AsAdmin, running.ID))(t)
		wantLost(t, "renew", o.Job.RenewJob(background, platform, c.Ref, job.Progress{}, jobLease))
		_, err := o.Job.CancelJob(background, o.a.AsAdmin, running.ID)
		storetest.Refuses(t, err, problem.Conflict, "")
		o.nothingToClaim(t, "afterwards")
		storetest.Equal(t, "parts", jobdb.CountJobParts(t, o.Job), 0)
	})
}

func TestJobs_AreVisibleToTheirUserAlone(t *testing.T) {
	t.Parallel()
	eachJobStore(t, func(t *testing.T, o *jobStore) {
		own := o.createExport(t, o.a.Member)
		simulation := storetest.Need(o.Job.CreateJob(background, tenant.ScopeOf(o.operator),
			jobdb.NewJob{Kind: job.PriceSimulation}))(t)
		another := storetest.Need(o.Identity.CreateUser(background, storetest.Confirmed(platform),
			identity.NewUser{Email: "op2@example.com", Role: tenant.Operator, PasswordHash: "x"}))(t)
		demoted := o.a.Member
		demoted.Role = tenant.Admin
		for _, row := range []struct {
			name            string
			as              tenant.Scope
			own, simulation bool
		}{
			{"the member", o.a.AsMember, true, false},
			{"an admin of the tenant", o.a.AsAdmin, false, false},
			{"an owner of the tenant", o.a.AsOwner, false, false},
			{"another tenant", o.b.AsOwner, false, false},
			{"the member in another role", tenant.ScopeOf(demoted), false, false},
			{"the operator", tenant.ScopeOf(o.operator), false, true},
			{"another operator", tenant.ScopeOf(another), false, true},
			{"the empty scope", tenant.Scope{}, false, false},
		} {
			listed := map[uuid.UUID]bool{}
			for _, j := range storetest.Need(o.Job.Jobs(background, row.as, storepage.Page{}))(t).Items {
				listed[j.ID] = true
			}
			for id, want := range map[uuid.UUID]bool{own.ID: row.own, simulation.ID: row.simulation} {
				_, err := o.Job.Job(background, row.as, id)
				storetest.Equal(t, row.name+" reads", err == nil, want)
				storetest.Equal(t, row.name+" lists", listed[id], want)
				if _, err := o.Job.JobPart(background, row.as, id, 0); !problem.Is(err, problem.NotFound) {
					t.Errorf("%s: part of the file: got error %v, want NotFound", row.name, err)
				}
				if !want {
					_, err = o.Job.CancelJob(background, row.as, id)
					storetest.Refuses(t, err, problem.NotFound, "")
					_, err = o.Job.TakeJobSecret(background, row.as, id)
					storetest.Refuses(t, err, problem.NotFound, "")
				}
			}
		}
		for _, as := range []tenant.Scope{o.a.AsOwner, o.a.AsMember, {}} {
			_, err := o.Job.CreateJob(background, as, jobdb.NewJob{Kind: job.PriceSimulation})
			storetest.Refuses(t, err, problem.Forbidden, "")
			_, err = o.Job.ClaimJob(background, as, allKinds, jobLease)
			storetest.Refuses(t, err, problem.Forbidden, "")
		}
		_, err := o.Job.CreateJob(background, platform, jobdb.NewJob{Kind: job.UsageExport})
		storetest.Refuses(t, err, problem.Forbidden, "")
	})
}

// The job fails whether or not the work had begun.
func TestJob_FailsWhenItsUserLosesTheRight(t *testing.T) {
	t.Parallel()
	for name, removeRight := range map[string]func(o *jobStore) error{
		"disabled": func(o *jobStore) error {
			_, err := o.Identity.UpdateUser(background, storetest.Confirmed(platform), o.a.Admin.ID,
				identity.UserPatch{Status: new(tenant.Disabled)})
			return err
		},
		"demoted": func(o *jobStore) error {
			_, err := o.Identity.UpdateUser(background, storetest.Confirmed(platform), o.a.Admin.ID,
				identity.UserPatch{Role: new(tenant.Member)})
			return err
		},
		"tenant disabled": func(o *jobStore) error {
			_, err := o.Identity.UpdateTenant(background, platform, o.a.Tenant.ID,
				identity.TenantPatch{Status: new(tenant.Disabled)})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachJobStore(t, func(t *testing.T, o *jobStore) {
				begun, waiting := o.createExport(t, o.a.Admin), o.createExport(t, o.a.Admin)
				c := o.claim(t)
				storetest.OK(t, removeRight(o))
				for what, err := range map[string]error{
					"renew":  o.Job.RenewJob(background, platform, c.Ref, job.Progress{}, jobLease),
					"save":   o.Job.SaveJob(background, platform, c.Ref, jobdb.Step{Part: []byte("p")}),
					"finish": o.Job.FinishJob(background, platform, c.Ref, jobdb.End{}),
				} {
					if !problem.Is(err, problem.Forbidden) {
						t.Errorf("%s: got error %v, want Forbidden", what, err)
					}
				}
				storetest.OK(t,
					o.Job.FailJob(background, platform, c.Ref, job.FailureOf(problem.Of(problem.Forbidden))))
				o.nothingToClaim(t, "afterwards")
				for _, j := range []job.Job{begun, waiting} {
					found := storetest.Need(o.Job.Job(background, o.a.AsAdmin, j.ID))(t)
					storetest.Equal(t, "status", found.Status, job.Failed)
					storetest.Equal(t, "word", found.Failure.Word, "forbidden")
				}
			})
		})
	}
}

func TestCreateJob_LimitsActiveAndFinishedJobs(t *testing.T) {
	t.Parallel()
	eachJobStore(t, func(t *testing.T, o *jobStore) {
		for range job.MaxActive {
			o.createExport(t, o.a.Member)
		}
		_, err := o.Job.CreateJob(background, o.a.AsMember, jobdb.NewJob{Kind: job.UsageExport})
		storetest.Refuses(t, err, problem.Conflict, "")
		o.createExport(t, o.a.Admin)
		for range job.MaxActive {
			storetest.Need(o.Job.CancelJob(background, o.a.AsMember, o.claimOf(t, o.a.Member).ID))(t)
		}
		var last job.Job
		for range job.MaxFinished + 3 {
			last = o.createExport(t, o.a.Member)
			storetest.Need(o.Job.CancelJob(background, o.a.AsMember, last.ID))(t)
		}
		kept := storetest.Need(o.Job.Jobs(background, o.a.AsMember, storepage.Page{Limit: 100}))(t).Items
		storetest.Equal(t, "jobs", len(kept), job.MaxFinished)
		storetest.Equal(t, "newest job", kept[0].ID, last.ID)
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
		old := o.createExport(t, o.a.Member)
		storetest.OK(t, o.Job.FinishJob(background, platform, o.claim(t).Ref,
			jobdb.End{Step: jobdb.Step{Part: []byte("p"), Size: 1}}))
		o.clock.Advance(time.Hour)
		young := o.createExport(t, o.a.Member)
		storetest.OK(t, o.Job.FinishJob(background, platform, o.claim(t).Ref,
			jobdb.End{Step: jobdb.Step{Part: []byte("q"), Size: 1}}))
		waiting := o.createExport(t, o.a.Member)
		o.clock.Advance(job.Retention - time.Hour)
		storetest.OK(t, o.Sweep(background, platform))
		_, err := o.Job.Job(background, o.a.AsMember, old.ID)
		storetest.Refuses(t, err, problem.NotFound, "")
		storetest.Equal(t, "job that has not expired", o.read(t, young).Status, job.Succeeded)
		storetest.Equal(t, "parts", jobdb.CountJobParts(t, o.Job), 1)
		o.clock.Advance(10 * job.Retention)
		storetest.OK(t, o.Sweep(background, platform))
		storetest.Equal(t, "job that has not ended", o.read(t, waiting).Status, job.Queued)
		storetest.Equal(t, "parts", jobdb.CountJobParts(t, o.Job), 0)
	})
}

// The input of a job is erased at its end. Only the user who created the job gets the secret.
func TestTakeJobSecret_ReturnsTheSecretOnce(t *testing.T) {
	t.Parallel()
	eachJobStore(t, func(t *testing.T, o *jobStore) {
		me := tenant.ScopeOf(o.operator)
		asked := storetest.Need(o.Job.CreateJob(background, me,
			jobdb.NewJob{ID: storetest.NewID(), Kind: job.ManifestImport, Input: []byte("sealed")}))(t)
		c := o.claim(t)
		storetest.Equal(t, "input", string(c.Input), "sealed")
		storetest.OK(t, o.Job.ReleaseJob(background, platform, c.Ref, 0))
		c = o.claim(t)
		storetest.Equal(t, "input again", string(c.Input), "sealed")
		storetest.OK(t, o.Job.FinishJob(background, platform, c.Ref, jobdb.End{Secret: []byte("token")}))
		storetest.Equal(t, "input after the end", jobdb.JobInput(t, o.Job, asked.ID), "")
		storetest.Equal(t, "the job has a secret", o.read(t, asked).Secret, true)
		another := storetest.Need(o.Identity.CreateUser(background, storetest.Confirmed(platform),
			identity.NewUser{Email: "op2@example.com", Role: tenant.Operator, PasswordHash: "x"}))(t)
		_, err := o.Job.TakeJobSecret(background, tenant.ScopeOf(another), asked.ID)
		storetest.Refuses(t, err, problem.NotFound, "")
		storetest.Equal(t, "secret", string(storetest.Need(o.Job.TakeJobSecret(background, me, asked.ID))(t)), "token")
		_, err = o.Job.TakeJobSecret(background, me, asked.ID)
		storetest.Refuses(t, err, problem.NotFound, "")
		storetest.Equal(t, "the job has a secret after it was taken", o.read(t, asked).Secret, false)
	})
}

func TestLogBatch_ReturnsTheSameLogsAsPages(t *testing.T) {
	t.Parallel()
	eachJobStore(t, func(t *testing.T, o *jobStore) {
		for i := range 7 {
			event := o.a.Call(o.a.Member, fmt.Sprintf("m%d", i%2), 1)
			event.CreatedAt = o.clock.Now()
			storetest.Need(o.Metering.RecordEvents(background, platform, storetest.NewID(), []usage.Event{event}))(t)
		}
		var ids []uuid.UUID
		// The ids have real times, which may be up to 90 minutes later than the clock of the store.
		query := metering.LogQuery{To: o.clock.Now().Add(2 * time.Hour), Page: storepage.Page{Limit: 3}}
		for {
			page := storetest.Need(o.Metering.LogBatch(background, o.a.AsAdmin, query))(t)
			for _, l := range page.Items {
				ids = append(ids, l.ID)
			}
			if query.After = page.Next; query.After == "" {
				break
			}
		}
		var want []uuid.UUID
		for _, l := range storetest.Need(o.Metering.UsageLogs(background, o.a.AsAdmin, metering.LogQuery{}))(t).Items {
			want = append(want, l.ID)
		}
		if !slices.Equal(ids, want) || len(ids) != 7 {
			t.Errorf("got logs %v, want %v", ids, want)
		}
		storetest.Equal(t, "logs that another tenant gets",
			len(storetest.Need(o.Metering.LogBatch(background, o.b.AsAdmin, metering.LogQuery{}))(t).Items), 0)
	})
}
