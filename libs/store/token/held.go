package token

import (
	"net/netip"
	"slices"
	"strings"
	"time"

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

// holdNew records the fields that restrict a new token, as hold does. A token that replaces another one has the restrictions
// of that one.
func (r *tokenRow) holdNew(scope tenant.Scope, n *NewToken) error {
	if n.Replaces != uuid.Nil {
		return nil
	}
	changed := field.Changes{
		"quota": n.Cap, "status": r.Status, "caps.day": n.Caps.Day, "caps.week": n.Caps.Week, "caps.month": n.Caps.Month,
		"models": r.Models, "addresses": r.Addresses, "expires_at": r.ExpiresAt,
	}
	field.NoteRates(changed, n.Limits)
	return r.hold(scope, changed)
}

// restricts reports whether the field can take away what a token may do or spend.
func restricts(name string) bool {
	return slices.Contains([]string{"status", "quota", "models", "addresses", "expires_at"}, name) || strings.HasPrefix(name, "caps.") || strings.HasPrefix(name, "limits.")
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
	case []string: // patterns of models
		return len(value) == 0 || slices.Contains(value, "*")
	case []netip.Prefix:
		return len(value) == 0
	case time.Time:
		return value.IsZero()
	}
	return true
}
