package permission_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	p "github.com/tollgate/tollgate/libs/core/permission"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

func TestConfirm_NeedsAProofOfTheLastMinutes(t *testing.T) {
	user := tenant.ScopeOf(tenant.User{ID: uuid.New(), TenantID: uuid.New(), Role: tenant.Owner})
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		name  string
		scope tenant.Scope
		at    time.Time
		want  *problem.Problem // nil: none
	}{
		{"now", user, now, nil},
		{"just before the end", user, now.Add(1 - p.ConfirmationLife), nil},
		{"too long ago", user, now.Add(-p.ConfirmationLife), problem.Of(problem.ConfirmationRequired)},
		{"never", user, time.Time{}, problem.Of(problem.ConfirmationRequired)},
		{"access key", user.Via(uuid.New(), "tgk-…"), now, problem.Of(problem.Forbidden)},
	} {
		confirmed, err := p.Confirm(row.scope, row.at, now)
		if row.want == nil && (err != nil || confirmed.Scope() != user) {
			t.Errorf("%s: got %v, %v, want the user's scope", row.name, confirmed.Scope(), err)
		}
		if row.want != nil && (!problem.Is(err, row.want.Kind) || confirmed != p.Confirmed{}) {
			t.Errorf("%s: got %v, %v, want %v", row.name, confirmed.Scope(), err, row.want)
		}
	}
}

func TestByProgram_IsForProgramsOnly(t *testing.T) {
	program := tenant.SystemScope("console")
	operator := tenant.ScopeOf(tenant.User{ID: uuid.New(), Role: tenant.Operator})
	for _, as := range []tenant.Scope{program, operator} {
		if got := p.ByProgram(program, as).Scope(); got != as {
			t.Errorf("got %v for a program that acts for %v", got, as)
		}
		if got := p.ByProgram(operator, as); got != (p.Confirmed{}) {
			t.Errorf("got %v for an operator, want the zero value", got.Scope())
		}
	}
	if (p.Confirmed{}).Scope().Reaches(uuid.Nil) {
		t.Error("the zero value reaches something")
	}
}
