package permission

import (
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

// ConfirmationLife is the time for which a confirmation counts. Signing in is the first confirmation of a session.
const ConfirmationLife = 15 * time.Minute

// Confirmed is the scope of a user who has proven the identity within ConfirmationLife, or for which a program acts.
// Store methods that change how a person signs in require it in place of a tenant.Scope, so that an operation which
// asks for no confirmation does not compile. The zero value reaches nothing.
type Confirmed struct{ scope tenant.Scope }

// Confirm returns the scope of a user who proved the identity at provenAt. It returns a ConfirmationRequired problem if
// that was too long ago, and a Forbidden problem for the scope of an access key, which cannot prove who uses it.
func Confirm(scope tenant.Scope, provenAt, now time.Time) (Confirmed, error) {
	if scope.Key() != uuid.Nil {
		return Confirmed{}, problem.New(problem.Forbidden, "An access key may not do this. Sign in instead.")
	}
	if !now.Before(provenAt.Add(ConfirmationLife)) {
		return Confirmed{}, problem.Of(problem.ConfirmationRequired)
	}
	return Confirmed{scope}, nil
}

// ByProgram returns the scope for which a program of the platform acts: its own, or that of a user who confirmed
// before, such as the operator who started an import. If the first scope is not that of a program, the result reaches
// nothing.
func ByProgram(program, scope tenant.Scope) Confirmed {
	if !program.System() {
		return Confirmed{}
	}
	return Confirmed{scope}
}

// Scope returns the scope.
func (c Confirmed) Scope() tenant.Scope { return c.scope }
