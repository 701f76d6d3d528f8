package job_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/job"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

func TestJob_IsVisibleToItsUserAndToOperators(t *testing.T) {
	t.Parallel()
	me := tenant.User{ID: uuid.New(), TenantID: uuid.New(), Role: tenant.Admin, Status: tenant.Enabled}
	operator := tenant.User{ID: uuid.New(), Role: tenant.Operator, Status: tenant.Enabled}
	export := job.Job{TenantID: me.TenantID, UserID: me.ID, Role: me.Role, Kind: job.UsageExport}
	simulation := job.Job{UserID: operator.ID, Role: operator.Role, Kind: job.PriceSimulation}
	with := func(u tenant.User, change func(*tenant.User)) tenant.User { change(&u); return u }
	for _, row := range []struct {
		name               string
		who                tenant.User
		job                job.Job
		visible, permitted bool
	}{
		{"own job", me, export, true, true},
		{"own job, demoted user", with(me, func(u *tenant.User) { u.Role = tenant.Member }), export, false, false},
		{"own job, disabled user", with(me, func(u *tenant.User) { u.Status = tenant.Disabled }), export, true, false},
		{"own job, user moved to another tenant", with(me, func(u *tenant.User) { u.TenantID = uuid.New() }),
			export, false, false},
		{"job of a colleague", with(me, func(u *tenant.User) { u.ID = uuid.New() }), export, false, false},
		{"job of a tenant, operator asks", operator, export, false, false},
		{"own platform job", operator, simulation, true, true},
		{"platform job of another operator", with(operator, func(u *tenant.User) { u.ID = uuid.New() }),
			simulation, true, false},
		{"platform job, user of a tenant asks", me, simulation, false, false},
		{"nobody", tenant.User{}, job.Job{Kind: job.UsageExport}, false, false},
	} {
		if got := row.job.VisibleTo(tenant.ScopeOf(row.who)); got != row.visible {
			t.Errorf("%s: VisibleTo = %v, want %v", row.name, got, row.visible)
		}
		if got := row.job.StillPermitted(row.who, true); got != row.permitted {
			t.Errorf("%s: StillPermitted = %v, want %v", row.name, got, row.permitted)
		}
		if row.job.StillPermitted(row.who, false) {
			t.Errorf("%s: StillPermitted in a disabled tenant", row.name)
		}
	}
}

func TestParametersCheck_NamesTheFieldAtFault(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 5, 12, 0, 0, 0, time.UTC)
	negative, below := money.Factor(-1), money.Amount(-1)
	rule := func(r job.ProposedRule) *job.SimulationParameters {
		return &job.SimulationParameters{Rule: &r, From: now.Add(-time.Hour), To: now}
	}
	for _, row := range []struct {
		parameters interface{ Check() error }
		param      string // "" if the parameters are valid
	}{
		{&job.ExportParameters{Format: job.CSV, To: now}, ""},
		{&job.ExportParameters{Format: "xlsx", To: now}, "format"},
		{&job.ExportParameters{Format: job.CSV, Outcome: "odd", To: now}, "outcome"},
		{&job.ExportParameters{Format: job.CSV, From: now, To: now}, "from"},
		{rule(job.ProposedRule{}), ""},
		{rule(job.ProposedRule{Multiplier: &negative}), "rule.multiplier"},
		{rule(job.ProposedRule{Fixed: &below}), "rule.fixed"},
		{&job.SimulationParameters{From: now.Add(-time.Hour), To: now}, "price"},
		{&job.SimulationParameters{Price: &job.ProposedPrice{}, From: now, To: now}, "from"},
		{&job.SimulationParameters{Price: &job.ProposedPrice{}, From: now.Add(-job.MaxSimulated), To: now}, ""},
		{&job.SimulationParameters{Price: &job.ProposedPrice{}, From: now.Add(-job.MaxSimulated - 1), To: now}, "from"},
	} {
		err := row.parameters.Check()
		if (err == nil) != (row.param == "") || err != nil && problem.From(err).Param != row.param {
			t.Errorf("%+v: Check = %v, want a problem at %q", row.parameters, err, row.param)
		}
	}
}

func TestFileName_ContainsRangeAndFormat(t *testing.T) {
	t.Parallel()
	p := job.ExportParameters{Format: job.NDJSON, To: time.Date(2026, 3, 5, 12, 0, 0, 0, time.UTC)}
	if got := p.FileName(); got != "usage-logs-until-2026-03-05.ndjson" {
		t.Error(got)
	}
	p.Format, p.From = job.CSV, time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	if got := p.FileName(); got != "usage-logs-2026-02-01-to-2026-03-05.csv" {
		t.Error(got)
	}
}
