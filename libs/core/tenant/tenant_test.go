package tenant_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/limit"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

// form is a value with the expected result of its check.
type form struct {
	value string
	ok    bool
}

func allow(value string) form { return form{value, true} }
func deny(value string) form  { return form{value, false} }

func checkForms(t *testing.T, name string, check func(string) error, rows []form) {
	t.Helper()
	for _, row := range rows {
		err := check(row.value)
		if row.ok && err != nil || !row.ok && !problem.Is(err, problem.InvalidType) {
			t.Errorf("%s(%q) = %v, want ok %v", name, row.value, err, row.ok)
		}
	}
}

func TestChecks_AcceptOnlyWellFormedValues(t *testing.T) {
	checkForms(t, "CheckSlug", tenant.CheckSlug, []form{
		allow("a"),
		allow("acme"),
		allow("acme-2"),
		allow("0-0"),
		allow(strings.Repeat("a", 63)),
		deny(""),
		deny("-acme"),
		deny("acme-"),
		deny("Acme"),
		deny("ac me"),
		deny("ac_me"),
		deny("acme\n"),
		deny("äcme"),
		deny("../etc"),
		deny(strings.Repeat("a", 64)),
	})
	checkForms(t, "CheckName", tenant.CheckName, []form{
		allow("Acme, Inc."),
		allow("Ä"),
		allow(strings.Repeat("ü", 200)),
		deny(""),
		deny("a\x00b"),
		deny("a\nb"),
		deny("a\x7fb"),
		deny("a\u0085b"),
		deny("a\u202eb"),
		deny(" a"),
		deny("a\xffb"),
		deny(strings.Repeat("a", 201)),
	})
}

var (
	own   = uuid.MustParse("01900000-0000-7000-8000-000000000001") // tenant of the user
	other = uuid.MustParse("01900000-0000-7000-8000-000000000002") // another tenant
	actor = uuid.MustParse("01900000-0000-7000-8000-00000000000a")
)

func scope(role tenant.Role) tenant.Scope {
	u := tenant.User{ID: actor, TenantID: own, Email: "a@acme.example", Role: role}
	if role == tenant.Operator {
		u.TenantID = uuid.Nil
	}
	return tenant.ScopeOf(u)
}

func TestScope_ReachesTheTenantsThatItsRolePermits(t *testing.T) {
	for _, row := range []struct {
		name                       string
		scope                      tenant.Scope
		own, other, none, onlyUser bool // whether the scope reaches its own tenant, another tenant, no tenant; OnlyUser
	}{
		{"zero scope", tenant.Scope{}, false, false, false, true},
		{"member", scope(tenant.Member), true, false, false, true},
		{"admin", scope(tenant.Admin), true, false, false, false},
		{"owner", scope(tenant.Owner), true, false, false, false},
		{"operator", scope(tenant.Operator), true, true, true, false},
		{"program", tenant.SystemScope("relay"), true, true, true, false},
	} {
		_, onlyUser := row.scope.OnlyUser()
		got := [4]bool{row.scope.Reaches(own), row.scope.Reaches(other), row.scope.Reaches(uuid.Nil), onlyUser}
		if want := [4]bool{row.own, row.other, row.none, row.onlyUser}; got != want {
			t.Errorf("%s: own, other, none, only user = %v, want %v", row.name, got, want)
		}
	}
}

func TestSystem_IsTrueOnlyForPrograms(t *testing.T) {
	if !tenant.SystemScope("worker").System() {
		t.Error("System is false for a program")
	}
	for _, role := range []tenant.Role{"", tenant.Member, tenant.Admin, tenant.Owner, tenant.Operator} {
		if scope(role).System() {
			t.Errorf("System is true for a user with role %q", role)
		}
	}
}

func TestScope_NamesItsActor(t *testing.T) {
	user := scope(tenant.Admin)
	if user.Actor() != actor || user.Name() != "a@acme.example" || user.Tenant() != own ||
		user.String() != "admin(a@acme.example)" {
		t.Errorf("user's scope: %v %q %v %s", user.Actor(), user.Name(), user.Tenant(), user)
	}
	program := tenant.SystemScope("relay")
	if program.Actor() != uuid.Nil || program.Name() != "relay" || program.Tenant() != uuid.Nil {
		t.Errorf("program's scope: %v %q %v", program.Actor(), program.Name(), program.Tenant())
	}
}

func TestValid_AcceptsOnlyKnownRolesAndStatuses(t *testing.T) {
	for role, want := range map[tenant.Role]bool{tenant.Owner: true, tenant.Admin: true, tenant.Member: true,
		tenant.Operator: false, "": false, "root": false} {
		if role.Valid() != want {
			t.Errorf("Role(%q).Valid() = %v, want %v", role, !want, want)
		}
	}
	for status, want := range map[tenant.Status]bool{tenant.Enabled: true, tenant.Disabled: true, "": false,
		"revoked": false} {
		if status.Valid() != want {
			t.Errorf("Status(%q).Valid() = %v, want %v", status, !want, want)
		}
	}
}

func TestCheckLimits_NamesTheLimitAtFault(t *testing.T) {
	for param, l := range map[string]limit.Limits{
		"":                           {RequestsPerMinute: limit.Max, TokensPerMinute: 1, Concurrency: 0},
		"limits.requests_per_minute": {RequestsPerMinute: -1},
		"limits.tokens_per_minute":   {TokensPerMinute: limit.Max + 1},
		"limits.concurrency":         {Concurrency: -5},
	} {
		err := tenant.CheckLimits(l)
		if param == "" && err != nil ||
			param != "" && (!problem.Is(err, problem.InvalidType) || problem.From(err).Param != param) {
			t.Errorf("%+v: %v, want a problem at %q", l, err, param)
		}
	}
}
