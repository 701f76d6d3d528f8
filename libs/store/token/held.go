package token

import (
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	"github.com/tollgate/tollgate/libs/store/field"
)

// hold keeps a restriction that an admin sets on the token of another user in force: it records the fields in r.Held
// that a person of the scope restricts, and removes those that the scope frees. Programs, such as the one that applies a
// manifest, hold nothing. It returns a Forbidden problem if the scope is that of a
// member, and a changed field is held. Members may still revoke their tokens.
func (r *tokenRow) hold(scope tenant.Scope, changed field.Changes) error {
	r.Held = field.OrEmpty(r.Held)
	_, member := scope.OnlyUser()
	for _, name := range changed.Names() {
		at := slices.Index(r.Held, name)
		switch {
		case !restricts(name), changed[name] == token.Revoked:
		case member && at >= 0:
			return problem.New(problem.Forbidden, "An admin has set this field of the token. Ask an admin to change it.").At(name)
		case member:
		case at >= 0 && free(changed[name]):
			r.Held = slices.Delete(r.Held, at, at+1)
		case at < 0 && !free(changed[name]) && scope.Actor() != r.UserID && scope.Actor() != uuid.Nil:
			r.Held = append(r.Held, name)
		}
	}
	slices.Sort(r.Held)
	return nil
}

// holdNew records the fields that restrict a new token, as hold does. Restrictions of a token that it replaces stay held.
func (r *tokenRow) holdNew(scope tenant.Scope, n *NewToken) error {
	held := r.Held
	r.Held = nil
	changed := field.Changes{"quota": n.Cap, "status": r.Status, "caps.day": n.Caps.Day, "caps.week": n.Caps.Week, "caps.month": n.Caps.Month}
	field.NoteRates(changed, n.Limits)
	if err := r.hold(scope, changed); err != nil {
		return err
	}
	r.Held = slices.Compact(slices.Sorted(slices.Values(append(r.Held, held...))))
	return nil
}

// restricts reports whether the field can take away what a token may do or spend.
func restricts(name string) bool {
	return name == "status" || name == "quota" || strings.HasPrefix(name, "caps.") || strings.HasPrefix(name, "limits.")
}

// free reports whether the value of a field that can restrict a token does not.
func free(value any) bool {
	switch value := value.(type) {
	case token.Status:
		return value == token.Enabled
	case *money.Amount:
		return value == nil
	case int64:
		return value == 0
	}
	return true
}
